//! Pages that nobody writes but to harm: each is read or refused, in time and memory that grow with its length and no faster.
#![allow(clippy::unwrap_used, clippy::missing_docs_in_private_items)]
#![allow(clippy::disallowed_methods, reason = "a test may read the clock")]

use std::time::{Duration, Instant};

use releve_extract::{Article, Envelope, ExtractError, NoticeCode, PageRules, Rules, extract};

fn read(page: &str) -> Result<Article, ExtractError> {
    read_by(page, PageRules::default())
}

fn read_by(page: &str, rules: PageRules) -> Result<Article, ExtractError> {
    let address = "https://www.example.org/page".parse().unwrap();
    let envelope =
        Envelope { bytes: page.as_bytes(), content_type: "text/html; charset=utf-8", address: &address };
    extract(&envelope, &Rules::Page(rules))
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

/// Each of these pages took from six seconds to an hour when what stands once in it was gone through again for everything that it can be compared with.
#[test]
fn what_is_compared_with_everything_else_is_bounded() {
    let check_by = |what: &str, page: &str, rules: PageRules| {
        let started = Instant::now();
        let _ = read_by(page, rules);
        let took = started.elapsed();
        assert!(took < Duration::from_secs(5), "{what}: {took:?}");
    };
    let check = |what: &str, page: &str| check_by(what, page, PageRules::default());
    let title = |title: &str| format!("<meta property=og:title content=\"{title}\">");
    // What the function makes of the first numbers.
    let each = |count: usize, make: &dyn Fn(usize) -> String| (0..count).map(make).collect::<String>();

    check("a title of parts", &format!("{}<article>{TEXT}", title(&"a|".repeat(600_000))));
    let titles = each(500, &|number| title(&format!("{number} {}", "a - b | ".repeat(300))));
    let headings = each(70, &|number| format!("<h1>The towers {number}</h1>"));
    check("titles and headings", &format!("{titles}<article>{headings}{TEXT}"));
    let titles = each(10_000, &|number| title(&format!("The towers so {number}")));
    let headings = "<h2>The towers lean</h2><p>x".repeat(20_000);
    check("many of both", &format!("{titles}<article>{TEXT}{headings}"));
    let words = each(80_000, &|number| format!("word{number} "));
    check("words", &format!("{}<article><h1>{words} too</h1>{TEXT}", title(&words)));

    let lines = "<p>The tower had leaned for a century.</p>".repeat(60);
    let class = "aB ".repeat(400_000);
    check("class names", &format!("<article><div class=\"{class}\"><h1>The tower</h1>{lines}"));
    let address = "x".repeat(100_000);
    let empty = "<p></p>".repeat(150_000);
    check("a link that says nothing", &format!("<article>{TEXT}<a href=\"/{address}\">{empty}"));

    let text = "The tower leaned, and the river went on as ever. ".repeat(12);
    let members: Vec<_> = (0..2_400).map(|number| format!("\"k{number}\":\"{text}\"")).collect();
    let data = format!("<script type=application/json>{{{}}}</script>", members.join(","));
    check("data", &format!("<title>The tower</title><h1>The tower</h1>{data}"));

    // Each part of a body that is named by its parts, and each element that is dropped.
    let rules = PageRules {
        body: Some("p".parse().unwrap()),
        drop: Some("i".parse().unwrap()),
        ..PageRules::default()
    };
    check_by("parts", &format!("{TEXT}{}", "<p>x<i>y</i>".repeat(110_000)), rules);
}

#[test]
fn a_page_of_broken_blocks_is_noted_and_not_listed() {
    let article =
        read(&format!("{}{TEXT}", "<script type=application/ld+json>{</script>".repeat(20_000))).unwrap();
    assert_eq!(article.notices.len(), 32);
    assert!(article.to_json().to_string().len() < 10_000);
}
