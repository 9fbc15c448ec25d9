use proptest::prelude::*;
use serde_json::json;

use crate::{
    Article, Block, BodyFormat, BodyRule, Cell, Descriptor, Envelope, JsonRules, Mark, MarkKind, Place,
    Rules, Text, Value, extract,
};

fn article(blocks: Vec<Block>) -> Article {
    Article { blocks, ..Article::default() }
}

/// Reads Markdown as a program that knows CommonMark does.
fn read(markdown: &str) -> Vec<Block> {
    let address = "https://www.example.org/".parse().unwrap();
    let response = json!({"body": markdown}).to_string();
    let envelope =
        Envelope { bytes: response.as_bytes(), content_type: "application/json", address: &address };
    let body = BodyRule { at: "/body".parse().unwrap(), format: BodyFormat::Markdown };
    let rules = Rules::Json(JsonRules { body: Some(body), ..JsonRules::default() });
    extract(&envelope, &rules).unwrap().blocks
}

fn paragraph(text: &str) -> Block {
    Block::Paragraph(Text::plain(text))
}

fn marked(text: &str, marks: impl IntoIterator<Item = (&'static str, MarkKind)>) -> Text {
    let mark = |(part, kind): (&str, MarkKind)| {
        let start = text.find(part).unwrap();
        Mark { range: start..start + part.len(), kind }
    };
    Text { text: text.into(), marks: marks.into_iter().map(mark).collect() }
}

#[test]
fn the_headline_comes_first_then_what_is_known() {
    let value = |text: &str| Value::new(text, Place::address());
    let article = Article {
        descriptor: Descriptor {
            headline: Some(value("Bees")),
            standfirst: Some(value("They are back.")),
            authors: vec![value("Ada Example"), value("Bo Made-Up")],
            published: Some(value("2024-05-01")),
            ..Descriptor::default()
        },
        identifier: Some(value("17")),
        blocks: vec![Block::List { ordered: false, items: vec![vec![paragraph("one")]] }, paragraph("two")],
        ..Article::default()
    };
    assert_eq!(
        article.to_markdown(),
        "# Bees\n\n**They are back.**\n\n- authors: Ada Example, Bo Made-Up\n- published: 2024-05-01\n\
         - identifier: 17\n\n+ one\n\ntwo"
    );
}

#[test]
fn blocks_are_written_as_commonmark() {
    let check = |block: Block, expected: &str| {
        let markdown = article(vec![block.clone()]).to_markdown();
        assert_eq!(markdown, expected);
        assert_eq!(read(&markdown), [block]);
    };
    let cell = |text: &str, header| Cell { header, text: Text::plain(text) };
    check(Block::Heading { level: 3, text: Text::plain("C #") }, "### C \\#");
    check(paragraph("# 1_000 *stars* & more &amp; a_b"), "\\# 1_000 \\*stars\\* & more \\&amp; a_b");
    check(paragraph("1. May"), "1\\. May");
    check(paragraph("- no list"), "\\- no list");
    check(Block::Preformatted("a\n\n  ```b```".into()), "````\na\n\n  ```b```\n````");
    check(
        Block::Quotation(vec![paragraph("one"), Block::Quotation(vec![paragraph("two")])]),
        "> one\n>\n> > two",
    );
    check(
        Block::List {
            ordered: true,
            items: vec![
                vec![paragraph("a"), Block::List { ordered: false, items: vec![vec![paragraph("b")]] }],
                vec![paragraph("c")],
            ],
        },
        "1. a\n   - b\n2. c",
    );
    check(
        Block::List {
            ordered: false,
            items: vec![vec![paragraph("a"), paragraph("b")], vec![paragraph("c")]],
        },
        "- a\n\n  b\n\n- c",
    );
    check(
        Block::Table(vec![
            vec![cell("a|b", true), cell("c", true)],
            vec![cell("d", false), cell("e", false)],
        ]),
        "| a\\|b | c |\n| --- | --- |\n| d | e |",
    );
}

#[test]
fn marks_are_written_so_that_they_are_read_again() {
    let check = |text: Text, expected: &str| {
        let block = Block::Paragraph(text);
        let markdown = article(vec![block.clone()]).to_markdown();
        assert_eq!(markdown, expected);
        assert_eq!(read(&markdown), [block]);
    };
    use MarkKind::{Code, Deleted, Emphasis, Link, Strong, Superscript};
    check(marked("a b c", [("b", Emphasis)]), "a *b* c");
    check(marked("(b), c", [("b", Strong)]), "(**b**), c");
    // Delimiters within words are read in another way.
    check(marked("unbelievable", [("believ", Emphasis)]), "un<em>believ</em>able");
    check(marked("m2", [("2", Superscript)]), "m<sup>2</sup>");
    check(marked("a b", [("a b", Strong), ("b", Emphasis)]), "**a *b***");
    check(marked("ab", [("a", Emphasis), ("b", Strong)]), "<em>a</em><strong>b</strong>");
    check(marked("x `y` z", [("`y`", Code)]), "x `` `y` `` z");
    check(marked("a b", [("a b", Code), ("b", Deleted)]), "<code>a ~~b~~</code>");
    check(
        marked("go", [("go", Link("https://e.org/a_(b)?c=1&copy;".into()))]),
        "[go](<https://e.org/a_(b)?c=1\\&copy;>)",
    );
    check(marked("go on", [("go", Code), ("go", Link("/a b".into()))]), "[`go`](</a b>) on");
}

#[test]
fn a_table_without_a_header_gets_an_empty_one() {
    let cell = |text: &str| Cell { header: false, text: Text::plain(text) };
    let table = Block::Table(vec![vec![cell("a"), cell("b")], vec![cell("c")]]);
    assert_eq!(article(vec![table]).to_markdown(), "|  |  |\n| --- | --- |\n| a | b |\n| c |  |");
}

#[test]
fn lists_that_follow_each_other_stay_two() {
    let list = |text: &str| Block::List { ordered: false, items: vec![vec![paragraph(text)]] };
    let blocks = vec![list("a"), list("b"), list("c")];
    assert_eq!(read(&article(blocks.clone()).to_markdown()), blocks);
}

fn text() -> impl Strategy<Value = String> {
    let word = "[a-c*_`\\[\\]<>&;#+=~|!.(){}\"'\\\\0-9é-]{1,6}";
    proptest::collection::vec(word, 1..5).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever a paragraph says, it is read again as the same paragraph.
    #[test]
    fn text_survives(text in text()) {
        let blocks = vec![paragraph(&text)];
        prop_assert_eq!(read(&article(blocks.clone()).to_markdown()), blocks);
    }

    /// Whatever is marked, and however marks lie, the text stays.
    #[test]
    fn marks_never_change_the_text(
        text in text(),
        marks in proptest::collection::vec((0..24_usize, 1..12_usize, 0..4_u8), 0..5),
    ) {
        let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let marks = marks.into_iter().filter_map(|(start, length, kind)| {
            let range = *bounds.get(start)?..*bounds.get(start + length)?;
            let kind = match kind {
                0 => MarkKind::Emphasis,
                1 => MarkKind::Strong,
                2 => MarkKind::Code,
                _ => MarkKind::Link("https://www.example.org/(a)".into()),
            };
            Some(Mark { range, kind })
        });
        let marked = Text { text: text.clone(), marks: marks.collect() };
        let read = read(&article(vec![Block::Paragraph(marked)]).to_markdown());
        let Some(Block::Paragraph(again)) = read.first() else { panic!("{read:?}") };
        prop_assert_eq!(&again.text, &text);
    }
}
