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

fn identifier(at: &str) -> Option<IdentifierRule> {
    Some(IdentifierRule::whole(at.parse().unwrap()))
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
        identifier: identifier("/data/id"),
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
    let rules = WordPressRules { identifier: identifier("/id"), original: None };
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
    check("/data/title", Json::Null, None);
    check("/data/people", Json::Null, None);
    check("/data/body", json!(""), None);
    check("/data/id", json!(17), None);
}

#[test]
fn r06_an_identifier_is_read_byte_for_byte_or_missing() {
    let check = |value: Json, expected: Result<&str, &str>| {
        let rules = JsonRules { identifier: identifier("/id"), ..JsonRules::default() };
        let read = read(&json!({"id": value}).to_string(), &Rules::Json(rules));
        let read = read.map(|article| article.identifier.unwrap().text);
        assert_eq!(read.as_deref().map_err(|error| error.code()), expected, "{value}");
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
            identifier: identifier("/id"),
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
