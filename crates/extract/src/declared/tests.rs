use super::json::{Json, repair};
use super::json_ld::{LinkedData, Reading};
use super::plain::{decode_references, plain};
use crate::place::Step;

#[test]
fn broken_json_is_mended_where_only_one_reading_is_possible() {
    let check = |broken: &str, mended: &str| {
        assert_eq!(repair(broken).as_deref(), Some(mended), "{broken}");
        assert!(Json::parse(mended).is_some(), "{mended}");
    };
    // Commas too many and too few.
    check(r#"{"a": [1, 2, ], }"#, r#"{"a":[1,2]}"#);
    check(r#"{"a": "b", , "c": 1}"#, r#"{"a":"b","c":1}"#);
    check("{\"a\": \"b\"\n\"c\": \"d\"}", r#"{"a":"b","c":"d"}"#);
    // Raw control characters within strings.
    check("{\"a\": \"two\nlines\tand a tab\"}", r#"{"a":"two\u000alines\u0009and a tab"}"#);
    // Wrappers and comments.
    check("\n//<![CDATA[\n{\"a\": 1}\n//]]>\n", r#"{"a":1}"#);
    check("<!-- {\"a\": 1} -->", r#"{"a":1}"#);
    check("{ // the year\n \"a\": 1, /* and */ \"b\": 2 }", r#"{"a":1,"b":2}"#);
    // What follows the closing bracket; several values in a row.
    check(r#"{"a": 1};"#, r#"{"a":1}"#);
    check(r#"{"a": {"b": 1}}}"#, r#"{"a":{"b":1}}"#);
    check(r#"{"a": 1}, {"b": 2}"#, r#"[{"a":1},{"b":2}]"#);
    // Another program's quotes and escapes.
    check(r#"{'a': 'b "c"'}"#, r#"{"a":"b \"c\""}"#);
    check(r#"{"a": "it\'s"}"#, r#"{"a":"it's"}"#);
    check("{&quot;a&quot;: &quot;b&quot;}", r#"{"a":"b"}"#);
    // A name without a value, and values that other languages know.
    check(r#"{"a": , "b": undefined}"#, r#"{"a":null,"b":null}"#);
    // A quotation mark that was not escaped: where this string ends is a guess, where the next member begins is not.
    check(r#"{"a": "He said "no" to it", "b": "c"}"#, r#"{"a":null,"b":"c"}"#);
    check(r#"{"a": "", says Bar", "b": "c"}"#, r#"{"a":null,"b":"c"}"#);
    check(r#"{"a": "<img src="x.jpg" alt="", class="y">", "b": 1}"#, r#"{"a":null,"b":1}"#);
    check(r#"{"a": "C:\data", "b": 1}"#, r#"{"a":null,"b":1}"#);
    // The name of the next member may be part of the text as well, and so may all that stands before it up to what is no prose.
    check(
        r#"{"@type": "Article", "date": "2024-03-05", "a": "The ", "b": "tower" leans", "c": 1}"#,
        r#"{"@type":"Article","date":"2024-03-05","a":null,"b":null,"c":1}"#,
    );
    check(r#"{"a": "The", "b": "old", "c": "tower" leans"}"#, r#"{"a":null,"b":null,"c":null}"#);
    check(r#"{"a": {"b": "The"}, "c": "tower" leans"}"#, r#"{"a":{"b":"The"},"c":null}"#);
}

#[test]
fn broken_json_with_several_readings_is_refused() {
    let check = |broken: &str| assert_eq!(repair(broken), None, "{broken}");
    // Which bracket is missing can't be told: everything behind might belong to the author.
    check(r#"{"author": {"name": "A", "datePublished": "2024-03-05"}"#);
    check(r#"{"a": [1, 2}"#);
    check(r#"{"a": "cut of"#);
    check(r#"{"a": 1 2}"#);
    check("{a: 1}");
    check(r#"{"a": nothing}"#);
    check("");
    check("var a = {};");
    check("<p>not found</p>");
    check(&"[".repeat(100_000));
}

#[test]
fn repair_takes_time_in_proportion_to_the_text() {
    // Quotation marks whose string's end has to be looked for, each before a long run of white space.
    let hostile = format!("{{\"a\": \"{}", "\" x".repeat(200_000));
    assert_eq!(repair(&hostile), None);
    let hostile = format!("{{\"a\": \"{}", "\"\",   ".repeat(200_000));
    assert_eq!(repair(&hostile), None);
}

#[test]
fn a_member_written_twice_counts_only_where_both_agree() {
    let json = Json::parse(r#"{"a": 1, "a": 2, "b": "c", "b": "c", "Name": "x"}"#).unwrap();
    assert_eq!(json.get("a"), None);
    assert_eq!(json.get("b").and_then(Json::as_str), Some("c"));
    assert_eq!(json.get("name").and_then(Json::as_str), Some("x"));
}

#[test]
fn a_reference_leads_to_what_it_names_in_any_block() {
    let mut data = LinkedData::default();
    let first =
        r##"{"@graph": [{"@type": "Article", "author": {"@id": "#p"}}, {"@id": "#q", "name": "Q"}]}"##;
    assert_eq!(data.push(first.into()), Reading::Strict);
    assert_eq!(
        data.push(r##"[{"@id": "#p", "name": "Jo &amp;  Co"}, {"@id": "#p"}]"##.into()),
        Reading::Strict
    );
    let things = data.things();
    let article = things.iter().find(|thing| thing.has_type(|name| name == "Article")).unwrap();
    let author = article.each("author", 9).pop().unwrap();
    let (name, place) = data.resolve(author, "name").unwrap().get("name").unwrap().text().unwrap();
    assert_eq!((&*name, &*place.to_string()), ("Jo & Co", "json-ld[1][0].name"));
    let path = [Step::Index(0), Step::Key("name".into())];
    assert_eq!(data.text_at(1, &path).as_deref(), Some("Jo & Co"));
}

#[test]
fn a_reference_to_two_different_things_leads_nowhere() {
    let mut data = LinkedData::default();
    let block = r##"[{"@type": "Article", "author": {"@id": "#p"}}, {"@id": "#p", "name": "P"}, {"@id": "#p", "name": "R"}]"##;
    data.push(block.into());
    let article = data.things().into_iter().next().unwrap();
    let author = article.each("author", 9).pop().unwrap();
    assert!(data.resolve(author, "name").is_none());
}

#[test]
fn character_references_are_decoded_once_and_only_with_their_semicolon() {
    let check = |text: &str, decoded: &str| assert_eq!(decode_references(text), decoded, "{text}");
    check("AT&amp;T", "AT&T");
    check("&amp;amp;", "&amp;");
    check("it&#8217;s &#x201C;so&#x201d;", "it’s “so”");
    check("R&D ?a=1&copy=2 & &;", "R&D ?a=1&copy=2 & &;");
    check("&nosuch; &#0; &#x110000; &#99999999999;", "&nosuch; &#0; &#x110000; &#99999999999;");
    check("&ééééééééééééééééééééééééééééé;", "&ééééééééééééééééééééééééééééé;");
    assert_eq!(plain("  a &nbsp; b&#10;c "), "a b c");
}
