use serde_json::{Value as Json, json};

use crate::{
    Article, Block, BodyFormat, BodyRule, Envelope, ExtractError, Field, FieldRule, IdentifierRule,
    JsonRules, NoticeCode, Pointer, RelationKind, Rules, TextFormat, WordPressRules, extract, look_up,
};

const WORDPRESS: &str = include_str!("../../../../fixtures/extract/json/wordpress.json");
const MAPPED: &str = include_str!("../../../../fixtures/extract/json/mapped.json");

fn pointer(text: &str) -> Pointer {
    text.parse().unwrap()
}

fn at(text: &str) -> FieldRule {
    FieldRule::plain(pointer(text))
}

fn each(text: &str, each: &str) -> FieldRule {
    FieldRule { each: Some(pointer(each)), ..at(text) }
}

fn html(text: &str) -> FieldRule {
    FieldRule { format: TextFormat::Html, ..at(text) }
}

fn identifier(at: &str) -> IdentifierRule {
    IdentifierRule::whole(at.parse().unwrap())
}

fn read(response: &str, rules: &Rules) -> Result<Article, ExtractError> {
    let address = "https://cms.example.org/articles/1".parse().unwrap();
    let envelope = Envelope {
        bytes: response.as_bytes(),
        content_type: "application/json; charset=utf-8",
        address: &address,
    };
    let article = extract(&envelope, rules)?;
    // Whatever is read: each value stands where it says (R12), and the article can be written down and read again.
    let descriptor = &article.descriptor;
    let values = Field::ALL.iter().flat_map(|field| descriptor.values(*field));
    let values = values
        .chain(descriptor.others.iter().map(|other| &other.value))
        .chain(&article.identifier)
        .chain(article.relation.iter().map(|relation| &relation.original));
    for value in values {
        assert_eq!(look_up(&envelope, rules, &value.place).as_deref(), Some(&*value.text), "{}", value.place);
        assert_eq!(value.place.to_string().parse().as_ref(), Ok(&value.place));
    }
    if let Some(place) = &article.body {
        let whole = look_up(&envelope, rules, place).unwrap();
        for text in texts(&article.blocks) {
            assert!(whole.contains(&text), "{text:?} is not in {whole:?}");
        }
    }
    assert_eq!(Article::from_json(&article.to_json()).as_ref(), Ok(&article));
    Ok(article)
}

fn texts(blocks: &[Block]) -> Vec<String> {
    let text = |block: &Block| match block {
        Block::Heading { text, .. } | Block::Paragraph(text) => vec![text.text.clone()],
        Block::List { items, .. } => items.iter().flat_map(|item| texts(item)).collect(),
        Block::Quotation(blocks) => texts(blocks),
        Block::Table(rows) => rows.iter().flatten().map(|cell| cell.text.text.clone()).collect(),
        _ => Vec::new(),
    };
    blocks.iter().flat_map(text).collect()
}

fn wordpress(post: &Json) -> Result<Article, ExtractError> {
    read(&post.to_string(), &Rules::WordPress(WordPressRules::default()))
}

fn post() -> Json {
    serde_json::from_str(WORDPRESS).unwrap()
}

/// The mapping that fits `mapped.json`.
fn rules() -> JsonRules {
    JsonRules {
        body: Some(BodyRule { at: pointer("/data/body"), format: BodyFormat::Html }),
        fields: [
            (Field::Headline, html("/data/title")),
            (Field::Standfirst, html("/data/intro")),
            (Field::Authors, each("/data/people", "/person/name")),
            (Field::Published, at("/data/published_at")),
            (Field::Modified, at("/data/updated_at")),
            (Field::Category, each("/data/sections", "/name")),
            (Field::Tags, each("/data/keywords", "")),
            (Field::Canonical, at("/data/url")),
            (Field::Language, at("/data/locale")),
        ]
        .into(),
        identifier: Some(identifier("/data/id")),
        original: Some(at("/data/original")),
    }
}

/// The values of a field, each with its place.
fn shown(article: &Article, field: Field) -> Vec<String> {
    let show = |value: &crate::Value| format!("{} ({})", value.text, value.place);
    article.descriptor.values(field).iter().map(show).collect()
}

#[test]
fn r12_a_wordpress_post_is_copied_with_places() {
    let rules = WordPressRules { identifier: Some(identifier("/id")), original: None };
    let article = read(WORDPRESS, &Rules::WordPress(rules)).unwrap();
    let rows: [(Field, &[&str]); 9] = [
        (Field::Headline, &["Bees & beekeepers come back – early (/title/rendered)"]),
        (Field::Standfirst, &["After three years without a swarm, orchards hum again. (/excerpt/rendered)"]),
        (Field::Authors, &["Ada Example (/_embedded/author/0/name)"]),
        (Field::Published, &["2024-05-01T20:30:00 (/date_gmt)"]),
        (Field::Modified, &["2024-05-02T07:00:00 (/modified_gmt)"]),
        (Field::Category, &["Fields & Gardens (/_embedded/wp:term/0/0/name)"]),
        (Field::Tags, &["bees (/_embedded/wp:term/1/0/name)"]),
        (Field::Canonical, &["https://www.example.org/2024/05/bees-come-back/ (/link)"]),
        (Field::Language, &[]),
    ];
    for (field, expected) in rows {
        assert_eq!(shown(&article, field), expected, "{field}");
    }
    let others: Vec<_> =
        article.descriptor.others.iter().map(|other| other.value.place.to_string()).collect();
    assert_eq!(others, ["/date", "/modified", "/_embedded/wp:term/0/1/name"]);
    assert_eq!(article.identifier.unwrap().text, "4711");
    assert_eq!(article.body.unwrap().to_string(), "/content/rendered");
}

#[test]
fn r13_pictures_embeds_and_share_bars_of_a_post_are_left_out() {
    let article = wordpress(&post()).unwrap();
    assert_eq!(
        article.to_markdown().split_once("\n\nThey").unwrap().1,
        " came back in *April*, and [stayed](https://www.example.org/hives?year=2024&page=2).\n\
         \n## Share and share alike\n\
         \nThree orchards take turns:\n\
         \n- apples\n  - early ones\n- cherries\n\
         \n> Nobody told them to.\n>\n> *Ada Example*\n\
         \n| orchard | hives |\n| --- | --- |\n| apples | 12 |\n\
         \nHives by orchard"
    );
}

#[test]
fn r12_dates_that_say_there_is_none_are_absent() {
    for none in ["0000-00-00T00:00:00", "-0001-11-30T00:00:00", "0001-01-01T00:00:00"] {
        let mut post = post();
        for key in ["date", "date_gmt", "modified", "modified_gmt"] {
            post[key] = none.into();
        }
        let descriptor = wordpress(&post).unwrap().descriptor;
        assert_eq!((descriptor.published, descriptor.modified), (None, None), "{none}");
        assert!(descriptor.others.iter().all(|other| other.field == Field::Category));
    }
    let mut post = post();
    post["date_gmt"] = Json::Null;
    let published = wordpress(&post).unwrap().descriptor.published.unwrap();
    assert_eq!((&*published.text, &*published.place.to_string()), ("2024-05-01T22:30:00", "/date"));
}

/// An excerpt is a standfirst only if someone wrote it. WordPress makes one of the body's beginning where nobody did, and themes add a link.
#[test]
fn r12_an_excerpt_that_repeats_the_body_is_no_standfirst() {
    let check = |excerpt: &str, expected: Option<&str>| {
        let mut post = post();
        post["excerpt"]["rendered"] = excerpt.into();
        let standfirst = wordpress(&post).unwrap().descriptor.standfirst;
        assert_eq!(standfirst.map(|value| value.text).as_deref(), expected, "{excerpt}");
    };
    check("<p>They came back in April, and stayed.</p>", None);
    check("<p>They came back in April, and &hellip;</p>", None);
    check("<p>They came back in April [&hellip;]</p>", None);
    check("<p>Something else entirely that was cut [&hellip;]</p>", None);
    check("<p>Three orchards take turns: apples early ones</p>", None);
    check("<p>They came back <a class=\"more-link\" href=\"/x\">Continue reading Bees</a></p>", None);
    check("", None);
    check("<p>They came back, all of them.</p>", Some("They came back, all of them."));
    check("<p>Hives hum. <a class=\"more-link\" href=\"/x\">Continue reading</a></p>", Some("Hives hum."));
}

/// A post that readers do not see is no article, even where a credential shows it.
#[test]
fn posts_that_are_not_public_are_refused() {
    let mut protected = post();
    protected["content"] = json!({"rendered": "", "protected": true});
    assert_eq!(wordpress(&protected).unwrap_err().code(), "protected");
    for status in ["draft", "future", "pending", "private", "trash"] {
        let mut hidden = post();
        hidden["status"] = status.into();
        assert_eq!(wordpress(&hidden).unwrap_err().code(), "not-published", "{status}");
    }
}

#[test]
fn r05_mapped_fields_are_read_where_they_were_agreed() {
    let article = read(MAPPED, &Rules::Json(rules())).unwrap();
    let rows: [(Field, &[&str]); 9] = [
        (Field::Headline, &["Low tide, high stakes (/data/title)"]),
        (Field::Standfirst, &["The harbour is dredged again. (/data/intro)"]),
        (
            Field::Authors,
            &["Ida Invented (/data/people/0/person/name)", "Bo Made-Up (/data/people/2/person/name)"],
        ),
        (Field::Published, &["2024-03-05T06:00:00+01:00 (/data/published_at)"]),
        (Field::Modified, &[]),
        (Field::Category, &["Harbour (/data/sections/0/name)"]),
        (Field::Tags, &["dredging (/data/keywords/0)", "tides (/data/keywords/2)"]),
        (Field::Canonical, &["https://www.example.org/harbour/low-tide (/data/url)"]),
        (Field::Language, &[]),
    ];
    for (field, expected) in rows {
        assert_eq!(shown(&article, field), expected, "{field}");
    }
    assert_eq!(article.identifier.unwrap().text, "a/2024-17");
    assert_eq!(texts(&article.blocks), ["It took a week.", "Ships waited & waited."]);
}

#[test]
fn r05_a_post_of_another_shape_stops_the_read() {
    for (key, field) in [("title", "headline"), ("content", "body"), ("excerpt", "standfirst")] {
        let mut post = post();
        post[key] = "Plain".into();
        let said = wordpress(&post).unwrap_err().to_string();
        assert!(said.contains(&format!("`{field}` at `/{key}` is a string")), "{said}");
    }
}

/// What is `null`, an empty string or not there is absent: that is how JSON says so. Everything else that is not of the agreed type is wrong.
#[test]
fn r05_an_agreed_field_of_the_wrong_type_stops_the_read() {
    let check = |place: &str, value: Json, expected: Option<(&str, &str)>| {
        let mut response: Json = serde_json::from_str(MAPPED).unwrap();
        *response.pointer_mut(place).unwrap() = value;
        match (read(&response.to_string(), &Rules::Json(rules())), expected) {
            (Ok(_), None) => {}
            (Err(error @ ExtractError::WrongType { .. }), Some((field, at))) => {
                let said = error.to_string();
                assert!(said.contains(&format!("`{field}` at `{at}`")), "{said}");
            }
            (read, _) => panic!("{place}: {read:?}"),
        }
    };
    check("/data/title", json!(17), Some(("headline", "/data/title")));
    check("/data/title", json!(["a"]), Some(("headline", "/data/title")));
    check("/data/published_at", json!(1_709_614_800), Some(("published", "/data/published_at")));
    check("/data/people", json!("Ida Invented"), Some(("authors", "/data/people")));
    check("/data/people/0/person/name", json!(false), Some(("authors", "/data/people/0/person/name")));
    check("/data/keywords/1", json!({}), Some(("tags", "/data/keywords/1")));
    check("/data/body", json!({"blocks": []}), Some(("body", "/data/body")));
    check("/data/original", json!({"id": 3}), Some(("original", "/data/original")));
    check("/data/id", json!(1.5), Some(("identifier", "/data/id")));
    // Also where only a part of the way is there.
    check("/data/people/0", json!("Ida Invented"), Some(("authors", "/data/people/0")));
    check("/data/people/0/person", json!(17), Some(("authors", "/data/people/0/person")));
    check("/data/people/0/person", json!(""), None);
    check("/data/people/0/person", json!([]), None);
    check("/data", json!("no article"), Some(("headline", "/data")));
    check("/data/title", Json::Null, None);
    check("/data/people", Json::Null, None);
    check("/data/body", json!(""), None);
    check("/data/id", json!(17), None);
}

#[test]
fn r06_an_identifier_is_read_byte_for_byte_or_missing() {
    let check = |value: Json, expected: Result<&str, &str>| {
        let rules = JsonRules { identifier: Some(identifier("/id")), ..JsonRules::default() };
        let read = read(&json!({"id": value}).to_string(), &Rules::Json(rules));
        let read = read.map(|article| article.identifier.unwrap().text);
        assert_eq!(read.as_deref().map_err(ExtractError::code), expected, "{value}");
    };
    check(json!("17"), Ok("17"));
    check(json!(17), Ok("17"));
    check(json!(u64::MAX), Ok("18446744073709551615"));
    check(json!(" a  &amp; b"), Ok(" a  &amp; b"));
    check(json!(""), Err("identifier-missing"));
    check(Json::Null, Err("identifier-missing"));
    check(json!(true), Err("field-wrong-type"));
}

#[test]
fn r14_one_original_is_declared_and_no_more() {
    let check = |value: Json, expected: Option<&str>, ambiguous: bool| {
        let rules = JsonRules {
            fields: [(Field::Canonical, at("/url"))].into(),
            identifier: Some(identifier("/id")),
            original: Some(if value.is_array() { each("/original", "") } else { at("/original") }),
            ..JsonRules::default()
        };
        let response = json!({"id": 5, "url": "https://www.example.org/5", "original": value});
        let article = read(&response.to_string(), &Rules::Json(rules)).unwrap();
        let relation = article.relation.map(|relation| {
            assert_eq!(relation.kind, RelationKind::TranslationOf);
            relation.original.text
        });
        assert_eq!(relation.as_deref(), expected, "{value}");
        let noticed = article.notices.iter().any(|notice| notice.code == NoticeCode::RelationAmbiguous);
        assert_eq!(noticed, ambiguous, "{value}");
    };
    check(json!(4), Some("4"), false);
    check(json!("https://www.example.org/4"), Some("https://www.example.org/4"), false);
    check(json!(["4"]), Some("4"), false);
    check(json!(["4", "4"]), Some("4"), false);
    check(json!(["4", "6"]), None, true);
    check(json!([]), None, false);
    check(Json::Null, None, false);
    // Systems that group versions name the original in itself too.
    check(json!(5), None, false);
    check(json!("https://www.example.org/5"), None, false);
}

#[test]
fn what_is_no_json_is_refused() {
    let address = "https://cms.example.org/1".parse().unwrap();
    let check = |content_type: &str, bytes: &[u8], expected: &str| {
        let envelope = Envelope { bytes, content_type, address: &address };
        let read = extract(&envelope, &Rules::Json(JsonRules::default()));
        assert_eq!(read.err().map_or("", |error| error.code()), expected, "{content_type}");
    };
    check("text/html", b"{}", "media-type-unexpected");
    check("application/json", b"<!doctype html>", "json-broken");
    check("application/json", b"{\"a\":\"\xff\"}", "json-broken");
    check("application/json", "[".repeat(100_000).as_bytes(), "json-broken");
    check("application/vnd.api+json; charset=utf-8", b"{}", "");
    check("Application/JSON", b"\xef\xbb\xbf{}", "");
}

/// The blocks of a body, as Markdown, and what was left out of it.
fn body(format: BodyFormat, body: &Json) -> (String, Vec<String>) {
    let rules = JsonRules { body: Some(BodyRule { at: pointer("/body"), format }), ..JsonRules::default() };
    let article = read(&json!({"body": body}).to_string(), &Rules::Json(rules)).unwrap();
    (article.to_markdown(), article.notices.iter().map(ToString::to_string).collect())
}

#[test]
fn plain_text_is_parted_at_empty_lines() {
    let (markdown, notices) =
        body(BodyFormat::Plain, &json!("One <b>line</b>\nand more.\r\n \r\nTwo &amp; three."));
    assert_eq!(markdown, "One \\<b>line\\</b> and more.\n\nTwo \\&amp; three.");
    assert_eq!(notices, [""; 0]);
}

#[test]
fn r13_markdown_is_read_without_its_pictures() {
    let text = "# One\n\nTwo *three* [f\u{fc}r](https://example.org/\u{fc}?a=1&b=2) ![a *bee*](bee.jpg)\n\n\
                | a | b |\n|---|---|\n| ~~c~~ | `d` |\n\n<script>x</script>\n\n1. four\n   - five\n";
    let (markdown, _) = body(BodyFormat::Markdown, &json!(text));
    assert_eq!(
        markdown,
        "# One\n\nTwo *three* [f\u{fc}r](https://example.org/\u{fc}?a=1&b=2)\n\n\
         | a | b |\n| --- | --- |\n| ~~c~~ | `d` |\n\n1. four\n   - five"
    );
}

/// Reads one body in each way of writing it.
fn check_body(format: BodyFormat, document: &Json, markdown: &str, notices: &[&str]) {
    assert_eq!(
        body(format, document),
        (markdown.to_owned(), notices.iter().map(ToString::to_string).collect())
    );
    // The same document in a string, where no pointer leads.
    if !document.is_string() {
        let (again, left_out) = body(format, &document.to_string().into());
        assert_eq!(again, markdown);
        assert!(left_out.iter().all(|notice| notice.ends_with("(at /body)")), "{left_out:?}");
    }
}

#[test]
fn blocks_of_gutenberg_are_what_stands_between_their_comments() {
    let text = "<!-- wp:paragraph {\"dropCap\":true} -->\n<p class=\"has-drop-cap\">One.</p>\n<!-- /wp:paragraph -->\n\
                <!-- wp:latest-posts {\"postsToShow\":3} /-->\n\
                <!-- wp:shortcode -->\n[form id=\"1\"]\n<!-- /wp:shortcode -->\n\
                <!-- wp:acme/note --><div><p>Two.</p></div><!-- /wp:acme/note --><!-- wp:block {\"ref\":7} /--><!-- more -->";
    check_body(
        BodyFormat::Gutenberg,
        &json!(text),
        "One.\n\nTwo.",
        &[
            "block-left-out: `latest-posts` (at /body)",
            "block-left-out: `shortcode` (at /body)",
            "block-left-out: `block` (at /body)",
        ],
    );
    check_body(
        BodyFormat::Gutenberg,
        &json!("<p>a</p><!-- wp:shortcode -->[b]"),
        "a",
        &["block-left-out: `shortcode` (at /body)"],
    );
}

#[test]
fn portable_text_is_read() {
    let span = |text: &str, marks: &[&str]| json!({"_type": "span", "text": text, "marks": marks});
    let item = |text: &str, list: &str, level: u64| json!({"_type": "block", "listItem": list, "level": level, "children": [span(text, &[])]});
    let document = json!([
        {"_type": "block", "style": "h2", "children": [span("Tides & times", &[])]},
        {
            "_type": "block",
            "style": "normal",
            "markDefs": [{"_key": "k1", "_type": "link", "href": "https://www.example.org/a?b=1&c=2"}],
            "children": [
                span("A ", &[]), span("bold", &["strong"]), span(" and ", &[]), span("linked ", &["k1"]), span("word", &["k1", "em"]),
                {"_type": "footnote", "text": "left out"}, span(".", &[])
            ]
        },
        {"_type": "image", "asset": {"_ref": "image-1"}},
        {"_type": "poll"}, {"_type": "poll"},
        item("one", "bullet", 1), item("inner", "number", 2), item("two", "bullet", 1), item("first", "number", 1),
        {"_type": "block", "style": "blockquote", "children": [span("Said.", &[])]},
        {"_type": "code", "language": "rust", "code": "fn a() {\n    <b>\n}"},
        {"_type": "table", "rows": [{"cells": ["a", "b"]}, {"cells": ["c", "d"]}]},
        {"_type": "block", "style": "lead", "children": [span("End.", &[])]}
    ]);
    check_body(
        BodyFormat::PortableText,
        &document,
        "## Tides & times\n\nA **bold** and [linked *word*](https://www.example.org/a?b=1&c=2).\n\n\
         - one\n  1. inner\n- two\n\n1. first\n\n> Said.\n\n```\nfn a() {\n    <b>\n}\n```\n\n\
         |  |  |\n| --- | --- |\n| a | b |\n| c | d |\n\nEnd.",
        &[
            "block-left-out: `footnote` (at /body/1/children/5)",
            "block-left-out: `image` (at /body/2)",
            "block-left-out: `poll`, 2 times (at /body/3)",
        ],
    );
}

#[test]
fn editor_js_is_read() {
    let document = json!({"time": 1, "blocks": [
        {"type": "header", "data": {"text": "Low <i>tide</i>", "level": 3}},
        // What is left open in one block ends with it.
        {"type": "paragraph", "data": {"text": "One <b>two <a href=\"/x?a=1&amp;b=2\">three</a>"}},
        {"type": "paragraph", "data": {"text": "Four &amp; five <!-- six"}},
        {"type": "list", "data": {"style": "ordered", "items": ["a", {"content": "b", "items": [{"content": "c", "items": []}]}]}},
        {"type": "checklist", "data": {"items": [{"text": "d", "checked": true}]}},
        {"type": "quote", "data": {"text": "Said.", "caption": "Ada Example"}},
        {"type": "code", "data": {"code": "a < b"}},
        {"type": "delimiter", "data": {}},
        {"type": "table", "data": {"withHeadings": true, "content": [["e", "f"], ["<b>g</b>", "h"]]}},
        {"type": "raw", "data": {"html": "<div><p>Raw<p>text</div><script>x</script>"}},
        {"type": "image", "data": {"caption": "left out"}},
        {"type": "linkTool", "data": {"link": "https://www.example.org/other"}}
    ]});
    check_body(
        BodyFormat::EditorJs,
        &document,
        "### Low *tide*\n\nOne **two [three](/x?a=1&b=2)**\n\nFour & five\n\n1. a\n2. b\n   1. c\n\n- d\n\n\
         > Said.\n>\n> Ada Example\n\n```\na < b\n```\n\n***\n\n| e | f |\n| --- | --- |\n| **g** | h |\n\nRaw\n\ntext",
        &["block-left-out: `image` (at /body/blocks/10)", "block-left-out: `linkTool` (at /body/blocks/11)"],
    );
}

#[test]
fn blocks_of_strapi_are_read() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let item = |word: &str| json!({"type": "list-item", "children": [text(word)]});
    let document = json!([
        {"type": "heading", "level": 2, "children": [text("Tides")]},
        {"type": "paragraph", "children": [
            text("A "), {"type": "text", "text": "bold", "bold": true, "underline": true}, text(" "),
            {"type": "link", "url": "https://www.example.org/", "children": [text("link")]}, text(".")
        ]},
        {"type": "list", "format": "ordered", "children": [
            item("one"), {"type": "list", "format": "unordered", "children": [item("inner")]}, item("two")
        ]},
        {"type": "quote", "children": [text("Said.")]},
        {"type": "code", "children": [text("a\n  b")]},
        {"type": "image", "image": {"caption": "left out"}, "children": [text("")]}
    ]);
    check_body(
        BodyFormat::StrapiBlocks,
        &document,
        "## Tides\n\nA **bold** [link](https://www.example.org/).\n\n1. one\n   - inner\n2. two\n\n> Said.\n\n```\na\n  b\n```",
        &["block-left-out: `image` (at /body/5)"],
    );
}

#[test]
fn slate_is_read_by_the_names_that_are_in_use() {
    let text = |text: &str| json!({"text": text});
    let document = json!([
        {"type": "heading-one", "children": [text("One")]},
        {"type": "h3", "children": [text("Two")]},
        {"children": [text("A "), {"text": "word", "italic": true}, {"type": "a", "url": "/x", "children": [text(" x")]}]},
        {"type": "bulleted-list", "children": [
            {"type": "list-item", "children": [{"type": "lic", "children": [text("a")]}]},
            {"type": "list-item", "children": [{"type": "numbered-list", "children": [{"type": "li", "children": [text("b")]}]}]}
        ]},
        {"type": "code_block", "children": [
            {"type": "code_line", "children": [text("c")]}, {"type": "code_line", "children": [text(" d")]}
        ]},
        {"type": "table", "children": [
            {"type": "tr", "children": [{"type": "th", "children": [text("e")]}, {"type": "th", "children": [text("f")]}]},
            {"type": "tr", "children": [{"type": "td", "children": [{"type": "p", "children": [text("g")]}]}, {"type": "td", "children": [text("h")]}]}
        ]},
        {"type": "upload", "value": 3, "children": [text("")]},
        {"type": "relatedArticle", "children": [text("left out")]}
    ]);
    check_body(
        BodyFormat::Slate,
        &document,
        "# One\n\n### Two\n\nA *word* [x](/x)\n\n- a\n  1. b\n\n```\nc\n d\n```\n\n| e | f |\n| --- | --- |\n| g | h |",
        &["block-left-out: `upload` (at /body/6)", "block-left-out: `relatedArticle` (at /body/7)"],
    );
}

#[test]
fn lexical_is_read() {
    let text = |text: &str, format: u64| json!({"type": "text", "text": text, "format": format});
    let item = |children: Json| json!({"type": "listitem", "children": children});
    let document = json!({"root": {"type": "root", "children": [
        {"type": "heading", "tag": "h2", "children": [text("Tides", 0)]},
        {"type": "paragraph", "children": [
            text("A ", 0), text("both", 3), {"type": "linebreak"}, text("CO", 0), text("2", 32), text(" ", 0),
            {"type": "link", "fields": {"url": "/x"}, "children": [text("x", 0)]}
        ]},
        {"type": "list", "listType": "number", "children": [
            item(json!([text("one", 0)])),
            item(json!([{"type": "list", "listType": "bullet", "children": [item(json!([text("inner", 0)]))]}])),
        ]},
        {"type": "extended-quote", "children": [{"type": "extended-text", "text": "Said.", "format": 0}]},
        {"type": "code", "children": [
            {"type": "code-highlight", "text": "a"}, {"type": "linebreak"}, {"type": "code-highlight", "text": "b"}
        ]},
        {"type": "horizontalrule"},
        {"type": "table", "children": [{"type": "tablerow", "children": [
            {"type": "tablecell", "headerState": 1, "children": [{"type": "paragraph", "children": [text("c", 0)]}]},
            {"type": "tablecell", "headerState": 0, "children": [{"type": "paragraph", "children": [text("d", 0)]}]}
        ]}]},
        {"type": "youtube", "videoID": "x"}
    ]}});
    check_body(
        BodyFormat::Lexical,
        &document,
        "## Tides\n\nA ***both*** CO<sub>2</sub> [x](/x)\n\n1. one\n   - inner\n\n> Said.\n\n```\na\nb\n```\n\n***\n\n\
         |  |  |\n| --- | --- |\n| c | d |",
        &["block-left-out: `youtube` (at /body/root/children/7)"],
    );
}

#[test]
fn r05_a_body_that_is_no_document_of_its_format_stops_the_read() {
    let check = |format: BodyFormat, document: Json, expected: &str| {
        let rules =
            JsonRules { body: Some(BodyRule { at: pointer("/body"), format }), ..JsonRules::default() };
        let error = read(&json!({"body": document}).to_string(), &Rules::Json(rules)).unwrap_err();
        assert_eq!(error.to_string(), format!("field `body` at `/body` is {expected} was agreed"));
    };
    check(BodyFormat::Markdown, json!(["a"]), "an array; a string");
    check(BodyFormat::Gutenberg, json!({}), "an object; a string");
    check(BodyFormat::PortableText, json!({"a": 1}), "an object; an array");
    check(BodyFormat::Slate, json!("no JSON"), "a string; an array");
    check(BodyFormat::EditorJs, json!([]), "an array; an object with `blocks`");
    check(BodyFormat::Lexical, json!({"children": []}), "an object; an object with `root`");
}

/// However many types a document invents, and however deep it goes, what is said of it and made of it stays within bounds.
#[test]
fn hostile_documents_stay_within_bounds() {
    let types: Vec<Json> =
        (0..10_000).map(|index| json!({"type": format!("{index}{}", "x".repeat(200))})).collect();
    let (_, notices) = body(BodyFormat::Slate, &Json::Array(types));
    assert_eq!(notices.len(), 34);
    assert!(notices.iter().all(|notice| notice.len() < 200));

    let items: Vec<Json> = (0..1000)
        .map(|level| json!({"_type": "block", "listItem": "bullet", "level": level, "children": [{"_type": "span", "text": "a"}]}))
        .collect();
    body(BodyFormat::PortableText, &Json::Array(items));

    let mut list = json!({"type": "p", "children": [{"text": "deep"}]});
    for _ in 0..28 {
        list = json!({"type": "ul", "children": [{"type": "li", "children": [list]}]});
    }
    assert!(body(BodyFormat::Slate, &json!([list])).0.ends_with("deep"));
}

/// What a block of a known type holds where its text should be is not known: an editor's plugin changed, or another one has the same name.
#[test]
fn what_stands_in_the_place_of_a_text_is_left_out_and_noted() {
    let check = |format: BodyFormat, blocks: &Json, text: &str, types: &[&str]| {
        let (markdown, notices) = body(format, blocks);
        assert_eq!(markdown, text, "{format}");
        let noted: Vec<&str> = notices.iter().filter_map(|notice| notice.split('`').nth(1)).collect();
        assert_eq!(noted, types, "{format}: {notices:?}");
    };
    let table = json!({"type": "table", "data": {"content": [["six", {"text": "rich"}]]}});
    check(
        BodyFormat::EditorJs,
        &json!({"blocks": [
            {"type": "paragraph", "data": {"text": "One."}},
            {"type": "paragraph", "data": {"content": "other"}},
            {"type": "header", "data": {"text": 2}},
            {"type": "list", "data": {"items": ["three", {"content": "four", "items": ["five"]}, {"blocks": []}]}},
            table,
            {"type": "quote", "data": {"text": "Seven."}},
            "nine",
        ]}),
        "One.\n\n- three\n- four\n  - five\n\nsix\n\n> Seven.",
        &["paragraph", "header", "list", "table", ""],
    );
    let span = |text: Json| json!({"_type": "span", "text": text});
    check(
        BodyFormat::PortableText,
        &json!([
            {"_type": "block", "children": [span("One.".into()), span(2.into())]},
            {"_type": "block", "children": "two"},
            {"_type": "table", "rows": [{"cells": ["a", "b"]}, {"cells": ["c", {"text": "rich"}]}]},
        ]),
        "One.\n\n|  |  |\n| --- | --- |\n| a | b |\n| c |  |",
        &["span", "block", "table"],
    );
    check(
        BodyFormat::Slate,
        &json!([
            {"type": "p", "children": [{"text": "One."}, "two"]},
            {"type": "quote", "children": "three"},
            {"type": "code", "children": [{"text": "four"}, {"type": "embed", "url": "five"}]},
        ]),
        "One.\n\n```\nfour\n```",
        &["", "quote", "embed"],
    );
    check(
        BodyFormat::Lexical,
        &json!({"root": {"children": [
            {"type": "paragraph", "children": [{"type": "text", "text": "One."}, {"type": "text", "text": {"value": "two"}}]},
            {"type": "codeblock", "lines": ["three"]},
        ]}}),
        "One.",
        &["text", "codeblock"],
    );
    check(
        BodyFormat::Gutenberg,
        &json!(
            "<!-- wp:paragraph --><p>One.</p><!-- /wp:paragraph --> <!-- wp:acme/quiz {\"q\": \"Two?\"} --> <!-- /wp:acme/quiz -->"
        ),
        "One.",
        &["acme/quiz"],
    );
}

/// A block with as many links as words is read in time that grows with their number and no faster.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test may read the clock")]
fn links_of_portable_text_are_found_by_their_keys() {
    let count = 60_000;
    let definitions: Vec<Json> =
        (0..count).map(|number| json!({"_key": number.to_string(), "href": format!("/{number}")})).collect();
    let span =
        |number: usize| json!({"_type": "span", "text": "x ", "marks": [(count - 1 - number).to_string()]});
    let block = json!({"_type": "block", "markDefs": definitions, "children": (0..count).map(span).collect::<Vec<_>>()});
    let rules = JsonRules {
        body: Some(BodyRule { at: pointer("/body"), format: BodyFormat::PortableText }),
        ..JsonRules::default()
    };
    let started = std::time::Instant::now();
    let article = read(&json!({"body": [block]}).to_string(), &Rules::Json(rules)).unwrap();
    let Block::Paragraph(text) = &article.blocks[0] else { panic!("no paragraph") };
    assert_eq!(text.marks[0].kind, crate::MarkKind::Link(format!("/{}", count - 1)));
    assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn a_document_in_a_string_is_not_parsed_if_no_text_is_that_long() {
    let rules = |format| {
        Rules::Json(JsonRules {
            body: Some(BodyRule { at: pointer("/body"), format }),
            ..JsonRules::default()
        })
    };
    let response = json!({"body": format!("[{}]", " ".repeat(8 << 20))}).to_string();
    for format in [BodyFormat::PortableText, BodyFormat::Slate, BodyFormat::EditorJs] {
        assert_eq!(read(&response, &rules(format)), Err(ExtractError::TextTooLong));
    }
}
