#![expect(clippy::format_collect, reason = "shorter, and fast enough for a test")]

use std::borrow::Cow;
use std::fmt::Write;

use html5ever::tendril::{StrTendril, TendrilSink};
use proptest::prelude::*;

use super::attributes::{ATTRIBUTES_MAX, bounded};
use super::sink::Sink;
use super::{Document, Kind, Node, Selector, TooManyNodes, parse};
use crate::text;

fn page(html: &str) -> Document {
    parse(html, Kind::Page).unwrap()
}

/// The tree in a line: elements with their children in brackets, texts in quotes.
fn outline(node: Node<'_>) -> String {
    let mut line = String::new();
    for child in node.children() {
        if let Some(text) = child.as_text() {
            write!(line, "'{text}'").unwrap();
        } else if let Some(name) = child.qualified_name() {
            write!(line, "{}[{}]", name.local, outline(child)).unwrap();
        }
    }
    line
}

#[test]
fn the_tree_is_what_the_standard_builds() {
    let check = |html: &str, expected: &str| {
        assert_eq!(outline(page(html).root()), format!("html[head[]body[{expected}]]"), "{html}");
    };
    check("<p>one<p>two", "p['one']p['two']");
    check("<b>1<p>2</b>3", "b['1']p[b['2']'3']");
    check("<table><tr><td>x</table>y", "table[tbody[tr[td['x']]]]'y'");
    // What stands in a table where nothing may is put before it.
    check("<table>a<b>c<tr><td>d", "'a'b['c']table[tbody[tr[td['d']]]]");
    check("x<template><p>no</p></template>y", "'x'template[]'y'");
    check("<svg><title>x</title></svg>", "svg[title['x']]");
    check("a<!-- no -->b", "'a''b'");
    check("&lt;&amp;&nbsp;&eacute;", "'<&\u{a0}é'");
}

/// Style sheets and programs are left out of the tree, data is not.
#[test]
fn no_programs_are_kept() {
    let html = "<style>a{}</style><script>b()</script><script type='application/ld+json'>{}</script><p>c";
    let scripts = |kind: Kind| -> Vec<String> {
        let document = parse(html, kind).unwrap();
        let raw = document
            .root()
            .descendants()
            .filter(|node| node.name().is_some_and(|name| ["style", "script"].contains(&&**name)));
        raw.map(|node| node.raw_text().into_owned()).collect()
    };
    assert_eq!(scripts(Kind::Page), ["", "", "{}"]);
    assert_eq!(scripts(Kind::PageWithPrograms), ["a{}", "b()", "{}"]);
}

/// The text of raw elements is found without the tokenizer and ends where the tokenizer ends it.
#[test]
fn raw_text_ends_where_the_standard_ends_it() {
    let check = |html: &str, expected: &str| {
        let document = parse(&format!("<body>{html}"), Kind::PageWithPrograms).unwrap();
        assert_eq!(outline(document.root()), format!("html[head[]body[{expected}]]"), "{html}");
    };
    check("<script>a</script>b", "script['a']'b'");
    check("<script></script>b", "script[]'b'");
    check("<script>a<b></script>b", "script['a<b>']'b'");
    check("<script>a</SCRIPT\t>b", "script['a']'b'");
    check("<script>a</scripts></script/>b", "script['a</scripts>']'b'");
    check("<script>a</style></script x=y>b", "script['a</style>']'b'");
    check("<script><!--a</script>b", "script['<!--a']'b'");
    check("<script><!--<script>a</script>--></script>b", "script['<!--<script>a</script>-->']'b'");
    check("<script><!--<scripts>a</script>b", "script['<!--<scripts>a']'b'");
    check("<script>a\r\nb\0c</script>d", "script['a\nb\u{fffd}c']'d'");
    check("<script>a", "script['a']");
    check("<script>a</script", "script['a</script']");
    check("<style>a<!--</style>b", "style['a<!--']'b'");
    check("<iframe><p>a</iframe>b", "iframe['<p>a']'b'");
    check("<noscript><p>a</noscript>b", "noscript['<p>a']'b'");
    check("<svg><script>a<b></b></script></svg>c", "svg[script['a']]b[]'c'");
    let long = "a < b\n".repeat(3000);
    check(&format!("<script>{long}</script>b"), &format!("script['{long}']'b'"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    /// The tree is the one that html5ever makes by itself, except for white space that says nothing.
    #[test]
    fn the_tree_is_the_parsers_own(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "<script>", "<script type=json>", "<script", "</script>", "</SCRIPT >", "</script", "<!--", "-->", "--", "<style>",
            "</style>", "<noscript>", "</noscript>", "<iframe>", "</iframe>", "<textarea>", "</textarea>", "<svg>", "</svg>",
            "<table>", "<p a=b>", "<b>", "</b>", "x", "é", "<", "/", ">", "!", " ", "\n", "\r", "\0", "&amp;",
        ]), 0..24),
    ) {
        let html = parts.concat();
        let sink = Sink::new(usize::MAX, usize::MAX, 0, true);
        let bare = html5ever::parse_document(sink, html5ever::ParseOpts::default()).one(StrTendril::from(&*html));
        let words = |document: &Document| outline(document.root()).replace(|c: char| c.is_ascii_whitespace(), "");
        prop_assert_eq!(words(&parse(&html, Kind::PageWithPrograms).unwrap()), words(&bare));
    }
}

#[test]
fn attributes_are_those_of_their_elements() {
    let document = page("<p a=1 b='&eacute;'>x<body b=2><i>y<body b=3 c='4 5' d><p a=6>");
    let attributes = |name: &str| -> Vec<(String, String)> {
        let node = document.root().descendants().filter(|node| node.name().is_some_and(|own| &**own == name));
        node.flat_map(Node::attributes).map(|own| (own.name.to_string(), own.value.to_owned())).collect()
    };
    let check = |name: &str, expected: &[(&str, &str)]| {
        let expected: Vec<_> =
            expected.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(attributes(name), expected, "{name}");
    };
    check("p", &[("a", "1"), ("b", "é"), ("a", "6")]);
    check("body", &[("b", "2"), ("c", "4 5"), ("d", "")]);
    check("html", &[]);
    let tags: String = (0..10_000).map(|index| format!("<body a{index}=1>")).collect();
    let document = page(&format!("{tags}x"));
    let body = document.select_first(&"body".parse().unwrap()).unwrap();
    assert_eq!(body.attributes().count(), ATTRIBUTES_MAX);
    assert!(document.is_simplified());
}

#[test]
fn fragments_are_read_as_the_content_of_a_body() {
    let document = parse("a<p>b</p><td>c</td><title>d</title>", Kind::Fragment).unwrap();
    assert_eq!(outline(document.root()), "html['a'p['b']'c'title['d']]");
}

#[test]
fn blocks_end_words_and_white_space_is_one_space() {
    let check = |html: &str, expected: &str| assert_eq!(page(html).root().text(), expected, "{html}");
    check("<p>a</p><p>b</p>", "a b");
    check("<div>a<div>b</div>c</div>d", "a b c d");
    check("a<br>b<b>c</b>d<i> e</i>", "a bcd e");
    check("<ul><li>a<li>b</ul>c", "a b c");
    check("  a \n\t b\u{a0}\u{2003}c  ", "a b c");
    check("a<script>no</script><style>no</style><noscript>no</noscript><textarea>no</textarea>b", "ab");
    check("a<svg><text>no</text></svg>b<img alt=no>c", "abc");
    check("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)");
    check("<ruby>漢<rt>kan</ruby><rt>x</rt>", "漢x");
    check("", "");
    assert_eq!(text::normalise(" a b \u{a0}c\u{a0} d é  à "), "a b c d é à");
    assert_eq!(text::normalise("\u{85}a\u{3000}b\u{200b}c"), "a b\u{200b}c");
}

#[test]
fn selectors_find_in_document_order() {
    let document = page(
        "<main id=m><p class='a b'>1</p><div><p class=a>2</p><a href='/x?y=1' data-k=v>3</a></div><p lang=en-GB>4</p></main>",
    );
    let check = |selector: &str, expected: &[&str]| {
        let selector: Selector = selector.parse().unwrap();
        let found: Vec<String> = document.select(&selector).map(Node::text).collect();
        assert_eq!(found, expected, "{selector}");
    };
    check("p", &["1", "2", "4"]);
    check("p.a", &["1", "2"]);
    check("P.a.b, a", &["1", "3"]);
    check("#m > p", &["1", "4"]);
    check("div p, [data-k=v]", &["2", "3"]);
    check("[href^='/x'][href$='1'][href*='?']", &["3"]);
    check("[lang|=en]", &["4"]);
    check("p:first-child", &["1", "2"]);
    check("p:nth-of-type(2)", &["4"]);
    check("p:not(.b)", &["2", "4"]);
    check("div:has(> a) p", &["2"]);
    check(":is(div, main) > a:last-child", &["3"]);
    check("p + div ~ p", &["4"]);
    check("body:root, html:root > head:empty", &[""]);
    check("nothing", &[]);
}

#[test]
fn what_is_no_selector_says_where() {
    let check = |selector: &str, expected: &str| {
        assert_eq!(selector.parse::<Selector>().unwrap_err().to_string(), expected);
    };
    check("p..a", "`p..a` is not a selector: no CSS selector is understood there (column 5)");
    check("", "`` is not a selector: no CSS selector is understood there (column 1)");
    check("a:hover", "`a:hover` is not a selector: no CSS selector is understood there (column 8)");
    check("p::before", "`p::before` is not a selector: no CSS selector is understood there (column 10)");
    check(":is(p, ..)", "`:is(p, ..)` is not a selector: no CSS selector is understood there (column 11)");
    let long = "p".repeat(4097);
    assert!(long.parse::<Selector>().unwrap_err().to_string().ends_with("longer than 4096 bytes (column 1)"));
}

#[test]
fn tags_with_too_many_attributes_are_cut() {
    let attributes = |count: usize| (0..count).map(|index| format!(" a{index}")).collect::<String>();
    let unchanged = |html: &str| assert!(matches!(bounded(html), Cow::Borrowed(_)), "{html}");
    unchanged(&format!("<p{}>text", attributes(128)));
    unchanged("<p a=\">\" b='>' c=> d = e / f>");
    unchanged("a < b, <3, </>, <!x>, <?y>");
    // No tags are in these.
    unchanged(&format!(
        "<script>if (a <b{0}) {{}}</script><!-- <p{0}> --><title><p{0}></title>",
        attributes(200)
    ));
    let cut = |html: &str, expected: &str| assert_eq!(bounded(html), expected);
    cut(&format!("x<p{}>text<b>", attributes(129)), &format!("x<p{} >text<b>", attributes(128)));
    cut(&format!("<p{} z='>'/>é", attributes(128)), &format!("<p{} >é", attributes(128)));
    cut(&format!("<p{}", attributes(129)), &format!("<p{} ", attributes(128)));
    cut(&format!("</p{}>x", attributes(129)), &format!("</p{} >x", attributes(128)));
}

/// In each of these the parser's work grows with the square of the page unless it is bounded; none of them loses text.
#[test]
fn hostile_pages_are_read_in_bounds() {
    let check = |name: &str, html: &str, simplified: bool| {
        let document = parse(html, Kind::Page).unwrap_or_else(|TooManyNodes| panic!("{name}"));
        assert!(document.root().text().starts_with("begin"), "{name}");
        assert!(document.root().text().ends_with("end"), "{name}");
        assert_eq!(document.is_simplified(), simplified, "{name}");
        assert!(document.root().descendants().all(|node| node.depth() < 600), "{name}");
    };
    let attributes: String = (0..100_000).map(|index| format!(" a{index}=1")).collect();
    check("nested", &format!("begin{}end", "<div>".repeat(10_000)), true);
    check(
        "nested and closed",
        &format!("begin{}{}end", "<div>".repeat(10_000), "</div>".repeat(10_000)),
        true,
    );
    check("attributes", &format!("begin<p{attributes}>end"), true);
    check("attributes at the end", &format!("begin{}<p{attributes}>end", "<p>x".repeat(1000)), true);
    check("formatting", &format!("begin{}end", "<b><p>x".repeat(10_000)), false);
    let value = "x".repeat(100_000);
    check(
        "formatting with attributes",
        &format!("begin<p><b title={value}>{}end", "<p>x".repeat(10_000)),
        true,
    );
    check("long attribute", &format!("begin<p title='{}'>end", "x ".repeat(100_000)), false);
    check("long comment", &format!("begin<!--{}-->end", "x ".repeat(100_000)), false);
    check("tables", &format!("begin{}end", "<table><tr><td>x".repeat(3000)), true);
}

#[test]
fn a_page_that_grows_beyond_its_length_is_refused() {
    let formatting: String = (0..200).map(|size| format!("<font size={size}>")).collect();
    let html = format!("<p>{formatting}</p>{}", "<p>x</p>".repeat(20_000));
    assert_eq!(parse(&html, Kind::Page).err(), Some(TooManyNodes));
}
