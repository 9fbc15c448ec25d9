use super::{IdentifierAt, IdentifierRule};

fn at(place: &str) -> IdentifierAt {
    place.parse().unwrap()
}

/// What the rule reads of a text, or why nothing.
fn read(rule: &IdentifierRule, text: &str) -> Result<String, String> {
    rule.read(|_| Some(text.to_owned())).map_err(|missing| missing.to_string())
}

#[test]
fn r06_an_identifier_is_read_as_the_rule_says() {
    let check = |rule: &IdentifierRule, text: &str, expected: &str| {
        assert_eq!(read(rule, text).as_deref(), Ok(expected));
    };
    let whole = IdentifierRule::whole(at("guid"));
    check(&whole, "urn:x:1", "urn:x:1");
    // Byte for byte: no case, no white space, no leading zero is changed.
    check(&whole, " 007 ", " 007 ");
    let pattern = IdentifierRule::pattern(at("guid"), "^urn:art:(.+)$").unwrap();
    check(&pattern, "urn:art:4711", "4711");
    let middle = IdentifierRule::pattern(at("link"), r"-(\d+)\.html").unwrap();
    check(&middle, "https://www.example.org/é-12-345.html?x=1", "345");
    let segment = IdentifierRule::last_segment(at("link"));
    check(&segment, "https://www.example.org/a/b-c", "b-c");
    check(&segment, "https://www.example.org/a/b-c/?x=/y#z/", "b-c");
    check(&segment, "/posts/12", "12");
    check(&segment, "12", "12");
}

#[test]
fn r06_an_identifier_that_is_not_there_is_missing() {
    let check = |rule: &IdentifierRule, text: &str, expected: &str| {
        assert_eq!(read(rule, text), Err(expected.to_owned()));
    };
    let pattern = IdentifierRule::pattern(at("guid"), "^art:(.*)$").unwrap();
    check(&pattern, "urn:1", "no identifier at `guid`: the pattern `^art:(.*)$` does not match `urn:1`");
    check(&pattern, "art:", "no identifier at `guid`: the pattern `^art:(.*)$` does not match `art:`");
    check(&pattern, "", "no identifier at `guid`");
    let segment = IdentifierRule::last_segment(at("link"));
    check(
        &segment,
        "https://www.example.org",
        "no identifier at `link`: `https://www.example.org` has no path segment",
    );
    check(
        &segment,
        "https://www.example.org/?id=5",
        "no identifier at `link`: `https://www.example.org/?id=5` has no path segment",
    );
    let missing = IdentifierRule::whole(at("/data/id")).read(|_| None).unwrap_err();
    assert_eq!(
        (missing.to_string().as_str(), missing.at()),
        ("no identifier at `/data/id`", &at("/data/id"))
    );
}

#[test]
fn r06_two_readings_are_joined() {
    let rule = IdentifierRule::joined(
        IdentifierRule::whole(at("/type")),
        ":",
        IdentifierRule::pattern(at("/id"), "^n(.*)$").unwrap(),
    );
    assert_eq!(rule.places(), [&at("/type"), &at("/id")]);
    let text = |place: &IdentifierAt| (*place == at("/type")).then_some("story").or(Some("n12"));
    assert_eq!(rule.read(|place| text(place).map(Into::into)).as_deref(), Ok("story:12"));
    assert!(rule.read(|place| text(place).filter(|text| *text == "story").map(Into::into)).is_err());
}

#[test]
fn a_pattern_has_one_group() {
    let check = |pattern: &str, expected: &str| {
        let error = IdentifierRule::pattern(at("guid"), pattern).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    };
    check("x", "`x` has 0 capturing groups; it needs exactly one, around the identifier");
    check("(a)(b)", "`(a)(b)` has 2 capturing groups");
    check("(", "`(` is not a regular expression: ");
    check(r"(\w{1000}{1000})", r"`(\w{1000}{1000})` is not a regular expression: ");
}

#[test]
fn places_are_read_as_they_are_written() {
    for text in
        ["guid", "id", "link", "address", "/data/id", "meta[name=article-id]", "article@data-id", "#story"]
    {
        assert_eq!(at(text).to_string(), text);
    }
    assert!("..".parse::<IdentifierAt>().is_err());
}
