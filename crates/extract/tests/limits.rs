//! Pages that nobody writes but to harm: each is read or refused, in time and memory that grow with its length and no faster.
#![allow(clippy::unwrap_used, clippy::missing_docs_in_private_items)]

use releve_extract::{Article, Envelope, ExtractError, NoticeCode, Rules, extract};

fn read(page: &str) -> Result<Article, ExtractError> {
    let address = "https://www.example.org/page".parse().unwrap();
    let envelope =
        Envelope { bytes: page.as_bytes(), content_type: "text/html; charset=utf-8", address: &address };
    extract(&envelope, &Rules::default())
}

fn is_simplified(article: &Article) -> bool {
    article.notices.iter().any(|notice| notice.code == NoticeCode::PageSimplified)
}

const TEXT: &str = "<h1>The tower</h1><p>The tower had leaned for a century, first towards the river and then away from it.</p>";

#[test]
fn deep_nesting_and_many_attributes_lose_no_text() {
    let nested = format!("<h1>The tower</h1>{}{TEXT}", "<div>".repeat(10_000));
    let attributes = (0..100_000).fold(String::new(), |all, number| all + " a" + &number.to_string() + "=1");
    let attributes = format!("<body{attributes}>{TEXT}");
    for page in [nested, attributes] {
        let article = read(&page).unwrap();
        assert!(is_simplified(&article));
        assert!(
            article.blocks[0].text().contains("The tower had leaned for a century"),
            "{:?}",
            article.blocks
        );
    }
}

#[test]
fn more_elements_than_an_article_needs_are_refused() {
    // Sixteen mebibytes, as much as a response may have.
    let page = format!("{TEXT}{}", "<ol><li>x</ol>".repeat((16 << 20) / 14));
    assert_eq!(read(&page), Err(ExtractError::PageTooComplex));
    assert_eq!(ExtractError::PageTooComplex.code(), "page-too-complex");
}

#[test]
fn a_text_of_more_than_any_article_has_is_refused_whole() {
    let paragraph = format!("<p>{}</p>", "It went on and on, and so did the river. ".repeat(25));
    assert!(read(&format!("<h1>The tower</h1>{}", paragraph.repeat(1_000))).is_ok());
    assert_eq!(
        read(&format!("<h1>The tower</h1>{}", paragraph.repeat(5_000))),
        Err(ExtractError::TextTooLong)
    );
    assert_eq!(ExtractError::TextTooLong.code(), "text-too-long");
}

/// A link that is opened once and never closed stands in every paragraph after it, and so would its address.
#[test]
fn what_stands_once_in_the_page_is_not_copied_without_end() {
    let address = "x".repeat(100_000);
    let page =
        format!("<h1>The tower</h1><div><a href=\"/{address}\"><div>{}", "<p>It leaned.".repeat(20_000));
    assert!(matches!(read(&page), Ok(_) | Err(ExtractError::TextTooLong)));
    // Formatting within formatting of the same kind says nothing more.
    let page = format!(
        "{TEXT}{}{}",
        "<b>".repeat(200),
        "<p>It leaned, and it went on to lean for years.</p>".repeat(1_000)
    );
    let article = read(&page).unwrap();
    assert_eq!(article.blocks.len(), 1_001);
    assert!(article.to_json().to_string().len() < 200_000);
}
