//! Pages in other character encodings, in `fixtures/extract/charset`.
#![allow(clippy::unwrap_used, clippy::missing_docs_in_private_items)]

use releve_extract::{Envelope, NoticeCode, Rules, extract};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/extract/charset/");

/// The order is that of the HTML standard: the byte order mark, then what the header says, then what the page says; and UTF-8 where nothing is
/// said and the bytes can be nothing else.
#[test]
fn r12_characters_are_those_of_the_declared_encoding() {
    let check = |name: &str, content_type: &str, headline: &str, end: &str| {
        let bytes = std::fs::read(format!("{FIXTURES}{name}.html")).unwrap();
        let address = "https://www.example.org/page".parse().unwrap();
        let envelope = Envelope { bytes: &bytes, content_type, address: &address };
        let article = extract(&envelope, &Rules::default()).unwrap();
        assert_eq!(article.descriptor.headline.unwrap().text, headline, "{name}");
        assert!(article.blocks[0].text().ends_with(end), "{name}: {:?}", article.blocks);
        let replaced = article.notices.iter().any(|notice| notice.code == NoticeCode::CharactersReplaced);
        assert!(!replaced, "{name}");
    };
    check("windows-1251", "text/html", "Колокол снова звонит", "по паровой мукомольне.");
    check("shift_jis", "text/html", "灯台の最後の夜", "時計を合わせた。");
    check("windows-1252", "text/html; charset=ISO-8859-1", "Le phare s’est tu", "à défaut d’autre chose.");
    check("utf-16le", "text/html; charset=windows-1252", "Le phare s’est tu", "à défaut d’autre chose.");
    check("undeclared-utf-8", "text/html", "Le phare s’est tu", "à défaut d’autre chose.");
}

/// Browsers read no page in an encoding that the standard refuses: they show one character that says so, which is no text of the article.
#[test]
fn r12_a_page_that_cannot_be_read_has_no_text() {
    let address = "https://www.example.org/page".parse().unwrap();
    let page = b"<title>The lighthouse</title><h1>The lighthouse</h1><p>It fell silent.</p>";
    let envelope =
        Envelope { bytes: page, content_type: "text/html; charset=iso-2022-kr", address: &address };
    let article = extract(&envelope, &Rules::default()).unwrap();
    assert_eq!((article.blocks, article.body), (Vec::new(), None));
    let notices: Vec<_> = article.notices.iter().map(|notice| notice.code).collect();
    assert_eq!(notices, [NoticeCode::CharactersReplaced, NoticeCode::BodyNotFound]);
}
