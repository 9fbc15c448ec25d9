//! The text of an article, on the pages in `fixtures/extract/body`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::missing_docs_in_private_items
)]

use std::path::PathBuf;

use releve_extract::{Article, Envelope, NoticeCode, PageRules, Rules, extract, look_up};

fn fixture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../fixtures/extract/body", name].iter().collect()
}

fn read(page: &[u8], rules: PageRules) -> Article {
    let address = "https://www.example.org/page".parse().unwrap();
    let envelope = Envelope { bytes: page, content_type: "text/html; charset=utf-8", address: &address };
    let rules = Rules::Page(rules);
    let article = extract(&envelope, &rules).unwrap();
    // R12: every block stands at the place of the body, one after the other.
    if let Some(place) = &article.body {
        let text = look_up(&envelope, &rules, &place.to_string().parse().unwrap()).unwrap();
        let mut rest = text.as_str();
        for block in &article.blocks {
            for word in block.text().split_whitespace() {
                let at = rest.find(word).unwrap_or_else(|| panic!("{word:?} does not stand at {place}"));
                rest = &rest[at + word.len()..];
            }
        }
    }
    article
}

fn body(page: &str, rules: PageRules) -> String {
    let blocks = read(page.as_bytes(), rules).blocks;
    Article { blocks, ..Article::default() }.to_markdown()
}

fn check(name: &str) {
    let page = std::fs::read_to_string(fixture(&format!("{name}.html"))).unwrap();
    let expected = std::fs::read_to_string(fixture(&format!("{name}.md"))).unwrap();
    assert_eq!(body(&page, PageRules::default()).trim_end(), expected.trim_end(), "{name}");
}

#[test]
fn every_page_is_checked() {
    let mut pages = 0;
    for entry in std::fs::read_dir(fixture("")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "html") {
            check(path.file_stem().unwrap().to_str().unwrap());
            pages += 1;
        }
    }
    assert_eq!(pages, 22);
}

#[test]
fn r12_text_is_copied_whole_and_in_order() {
    check("blocks");
    check("code");
    check("code-with-line-numbers");
    check("first-paragraphs");
    check("headings-like-clutter");
    check("live-blog");
    check("names-of-looks");
    check("nested");
    check("sentences-as-headings");
    check("sidebar-frame");
    check("text-in-two-boxes");
}

#[test]
fn r12_no_other_articles_text_is_taken() {
    check("another-article");
    check("calls-for-action");
    check("consent");
    check("index");
    check("payment");
    check("teasers-within");
}

#[test]
fn r12_a_notice_that_is_named_for_nothing_is_no_text() {
    let text = |notice: &str| {
        let paragraph = "<p>The harbour office leaves its tower and moves to the ground floor of the customs house, it said on Thursday.</p>";
        body(
            &format!(
                "<title>Harbour office moves</title><article><h1>Harbour office moves</h1>{paragraph}{notice}{paragraph}{paragraph}</article>"
            ),
            PageRules::default(),
        )
    };
    let without = text("");
    for notice in [
        "<div class=paywall><p>To read the rest of this story, please become one of our subscribers today.</p></div>",
        "<div><p>Subscribe to our newsletter and get the best of the week every Sunday.</p><form><input type=email></form></div>",
        "<p>Already a subscriber, or just curious? <a href=/account/login>Log in</a> and go on.</p>",
        "<p>Bereits Abonnent? <a href=/anmelden>Hier anmelden</a> und in Ruhe weiterlesen.</p>",
        "<div><p>We use cookies to make this site work, and to see which of its pages are read.</p><button>Accept all</button></div>",
    ] {
        assert_eq!(text(notice), without, "{notice}");
    }
    // What is not called for, and what leads elsewhere too, is told.
    for told in [
        "<p class=paywall>The stairs of the tower had become too much for its visitors, the office said.</p>",
        "<p>To read the rest of the inscription, you had to lie on your back under the bell.</p>",
        "<p>We use cookies as bait, the keeper says, and the mice of the tower like them very much.</p>",
        "<p>The office asks people to subscribe to its newsletter, says <a href=/keeper>the keeper</a>, and to <a href=/login>log in</a>.</p>",
        "<div><p>The office wants to know who comes up the stairs, and counts them one by one.</p><button>Subscribe</button></div>",
    ] {
        assert_ne!(text(told), without, "{told}");
    }
}

#[test]
fn r12_the_headline_that_is_shown_is_no_text() {
    check("breadcrumb-headline");
    check("headline-twice");
}

/// A post of another site that is quoted in a `blockquote` is a quotation, and stays.
#[test]
fn r13_what_belongs_to_a_picture_is_no_text() {
    check("captions");
}

#[test]
fn r12_text_that_only_data_holds_is_read_where_it_is_named() {
    let read = |name: &str| read(&std::fs::read(fixture(name)).unwrap(), PageRules::default()).body.unwrap();
    check("noscript");
    assert_eq!(read("noscript.html").to_string(), "body > noscript:nth-of-type(2)");
    check("only-data");
    assert_eq!(read("only-data.html").to_string(), "script[1] App.state/page/article/content");
}

/// A script's variable may have any letters; its name is told from where those that are written in places begin.
#[test]
fn r12_data_in_a_variable_with_other_letters_has_a_place_too() {
    let page = std::fs::read_to_string(fixture("only-data.html")).unwrap();
    for (variable, place) in [
        ("Apð.state", "script[1] .state/page/article/content"),
        ("état", "script[1] tat/page/article/content"),
        ("window['state'] ", "script[1] state/page/article/content"),
    ] {
        let page = page.replace("App.state", variable);
        let article = read(page.as_bytes(), PageRules::default());
        assert_eq!(article.body.as_ref().unwrap().to_string(), place);
        assert_eq!(Article::from_json(&article.to_json()).unwrap(), article);
    }
    // Where nothing names it, nobody could find it again.
    let unnamed = read(page.replace("App.state", "é").as_bytes(), PageRules::default());
    assert!(!unnamed.body.is_some_and(|place| place.to_string().starts_with("script")));
    // What was assigned last is what a script would find, and what is found again (`read` looks it up).
    let (before, data) = page.split_once("App.state = ").unwrap();
    let earlier = data.split_once(";</script>").unwrap().0.replace("lamp", "bench");
    let twice = format!("{before}App.state = {earlier};App.state = {data}");
    assert_eq!(body(&twice, PageRules::default()), body(&page, PageRules::default()));
    // Nor where a key on the way would be read as something else.
    let key = read(page.replace("page", r#"\" & \""#).as_bytes(), PageRules::default());
    assert!(!key.body.is_some_and(|place| place.to_string().starts_with("script")));
}

const ARTICLE: &str = "The first sentence of a text that is declared in full, and is long enough to be one.";

/// A declared text that says much more than the page seems to show leads to the element that holds it.
#[test]
fn r12_a_declared_text_shows_where_the_text_stands() {
    let paragraphs: Vec<String> = (1..9).map(|number| format!("{ARTICLE} It is the {number}th.")).collect();
    let declared = serde_json::json!({"@type": "NewsArticle", "headline": "A text in full", "articleBody": paragraphs.join("\n")});
    let comment =
        "<p>Somebody has an opinion on this, and it is longer than what it is about.</p>".repeat(20);
    let page = |body: &str, comment: &str| {
        format!(
            "<title>A text in full</title><script type=application/ld+json>{declared}</script><h1>A text in full</h1>
            <p>It begins here.</p>{body}<div class=comments>{comment}</div>"
        )
    };
    let shown = format!("<aside class=newsletter><p>{}</p></aside>", paragraphs.join("</p><p>"));
    let article = read(page(&shown, &comment).as_bytes(), PageRules::default());
    assert_eq!(article.blocks.len(), 8);
    assert_eq!(article.body.unwrap().to_string(), "aside");
    // Where no element holds it, it is the text itself.
    let article = read(page("", "").as_bytes(), PageRules::default());
    assert_eq!(article.blocks.len(), 8);
    assert_eq!(article.body.unwrap().to_string(), "json-ld[0].articleBody");
}

#[test]
fn selectors_go_before_everything() {
    let page = "<h1>Two halves</h1><aside class=ad><p>The first half, of which nobody would think.</p><p class=x>Not this.</p></aside>
        <p>Neither is this the text, long as it may be. It goes on and on.</p><aside class=ad><p>The second half.</p></aside>";
    let rules = |body: &str, drop: &str| PageRules {
        body: (!body.is_empty()).then(|| body.parse().unwrap()),
        drop: (!drop.is_empty()).then(|| drop.parse().unwrap()),
        ..PageRules::default()
    };
    assert_eq!(
        body(page, rules("aside", "aside .x")).trim(),
        "The first half, of which nobody would think.\n\nThe second half."
    );
    assert_eq!(body(page, rules("", "body > p")).trim(), "");
    let notices = |rules: PageRules| -> Vec<(NoticeCode, String)> {
        read(page.as_bytes(), rules).notices.into_iter().map(|notice| (notice.code, notice.detail)).collect()
    };
    // Another text is not looked for: the page has changed, and somebody has to know.
    assert_eq!(
        notices(rules(".story", ".y")),
        [
            (NoticeCode::SelectorUnmatched, "`drop`: `.y` matches nothing".into()),
            (NoticeCode::SelectorUnmatched, "`body`: `.story` matches nothing".into()),
            (NoticeCode::BodyNotFound, "no text was found that could be the article's".into()),
        ]
    );
    assert_eq!(notices(rules("aside", "")), []);
    // What is dropped is dropped, also where the body is named by its parts.
    assert_eq!(body(page, rules("aside p", "p.x, aside:first-of-type")).trim(), "The second half.");
    assert_eq!(body(page, rules("aside p", "p:first-child")).trim(), "Not this.");
}

#[test]
fn blocks_that_a_selector_names_are_those_blocks() {
    let page = "<h1>Parts</h1><div><h2>One</h2><p>Two <b>and</b> a half.<ul><li>three<li>four</ul><blockquote>Five.</blockquote><pre> six\n  seven</pre>
        <table><tr><th>eight<th>nine<tr><td>ten<td>eleven</table><hr><section><h3>Twelve</h3><p>Thirteen.</section><span>Fourteen.</span></div>";
    let rules = |body: &str| PageRules { body: Some(body.parse().unwrap()), ..PageRules::default() };
    assert_eq!(body(page, rules("div > *")), body(page, rules("div")));
}

#[test]
fn marks_stand_on_the_words_they_mark() {
    let page = "<h1>Marks</h1><p>One <a href=' /two '> two<b> three</b></a>, <i>four</i> and <code>five</code>. <s>Six</s> is H<sub>2</sub>O<sup>*</sup>.</p>
        <p><b>All of it.</b></p><em><p>In two</p><p>paragraphs, of which this is one.</p></em>";
    assert_eq!(
        body(page, PageRules::default()).trim(),
        "One [two **three**](/two), *four* and `five`. ~~Six~~ is H<sub>2</sub>O<sup>\\*</sup>.\n\n**All of it.**\n\n*In two*\n\n*paragraphs, of which this is one.*"
    );
}
