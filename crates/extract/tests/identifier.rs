//! The identifier of an article, read on its page (R6).
#![allow(clippy::unwrap_used, clippy::missing_docs_in_private_items)]

use releve_extract::{Envelope, ExtractError, IdentifierRule, PageRules, Rules, Value, extract};

/// Reads the identifier of a page at `/well`.
fn read(page: &str, rule: IdentifierRule) -> Result<Value, ExtractError> {
    let address = "https://www.example.org/well".parse().unwrap();
    let envelope = Envelope { bytes: page.as_bytes(), content_type: "text/html", address: &address };
    let rules = Rules::Page(PageRules { identifier: Some(rule), ..PageRules::default() });
    extract(&envelope, &rules).map(|article| article.identifier.unwrap())
}

fn whole(at: &str) -> IdentifierRule {
    IdentifierRule::whole(at.parse().unwrap())
}

fn agrees(page: &str, rule: IdentifierRule, identifier: &str) {
    assert_eq!(read(page, rule).map(|value| value.text).as_deref(), Ok(identifier), "{page}");
}

/// The texts and places of the two readings that differ.
fn differs(page: &str, rule: IdentifierRule, expected: [(&str, &str); 2]) {
    let error = read(page, rule).unwrap_err();
    assert_eq!(error.code(), "identifiers-differ");
    let ExtractError::IdentifiersDiffer { one, other } = &error else { panic!("{error}") };
    let places = [one.place.to_string(), other.place.to_string()];
    assert_eq!([(&*one.text, &*places[0]), (&*other.text, &*places[1])], expected);
    for (text, place) in expected {
        assert!(error.to_string().contains(&format!("`{text}` at `{place}`")), "{error}");
    }
}

/// "Wherever it stands" is read to include a place that is there twice: a page may have two `meta` elements of one name, a selector may
/// match two elements, and an article may be described twice.
#[test]
fn r06_readings_at_one_place_that_differ_are_an_error_with_both() {
    let metas = "<meta name=article-id content=12><p>Text.</p><meta name=Article-ID content=13>";
    differs(
        metas,
        whole("meta[name=article-id]"),
        [("12", "meta[name=article-id]"), ("13", "meta[name=article-id][1]")],
    );
    let elements =
        "<article data-id=a12><h1>A well</h1></article><article data-id=a13><h2>Another</h2></article>";
    let pattern = IdentifierRule::pattern("article@data-id".parse().unwrap(), "^a([0-9]+)$").unwrap();
    differs(
        elements,
        pattern,
        [("12", "article@data-id #char=1,3"), ("13", "body > article:nth-of-type(2)@data-id #char=1,3")],
    );
    let described = r#"<h1>A well for the school</h1>
        <script type=application/ld+json>{"@type": "NewsArticle", "url": "/well", "identifier": "12"}</script>
        <script type=application/ld+json>{"@type": "NewsArticle", "headline": "A well for the school", "identifier": "13"}</script>"#;
    differs(
        described,
        whole("json-ld[0].identifier"),
        [("12", "json-ld[0].identifier"), ("13", "json-ld[1].identifier")],
    );
}

#[test]
fn r06_readings_at_one_place_that_are_the_same_are_one() {
    agrees("<meta name=id content=12><meta name=id content=12>", whole("meta[name=id]"), "12");
    // Neither an element without the attribute nor a value that the pattern does not match is a reading.
    let pattern = IdentifierRule::pattern("meta[name=id]".parse().unwrap(), "^a([0-9]+)$").unwrap();
    agrees("<meta name=id content=a12><meta name=id content=section-7>", pattern, "12");
    agrees("<article data-id=12></article><article></article>", whole("article@data-id"), "12");
    // What describes another article says nothing of this one.
    let related = r#"<h1>A well for the school</h1>
        <script type=application/ld+json>{"@type": "NewsArticle", "url": "/well", "identifier": "12"}</script>
        <script type=application/ld+json>{"@type": "NewsArticle", "headline": "A mill", "url": "/mill", "identifier": "13"}</script>"#;
    agrees(related, whole("json-ld[0].identifier"), "12");
    // An identifier joined from two places is compared place by place.
    let joined = IdentifierRule::joined(whole("meta[name=type]"), ":", whole("meta[name=id]"));
    agrees("<meta name=type content=story><meta name=id content=12>", joined, "story:12");
}
