use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::{
    Article, Block, Cell, Descriptor, Field, Mark, MarkKind, Notice, NoticeCode, Reading, Relation,
    RelationKind, Text, Value,
};

fn value(text: &str, place: &str) -> Value {
    Value::new(text, place.parse().unwrap())
}

fn article() -> Article {
    let marked = Text {
        text: "é, two".into(),
        marks: vec![
            Mark { range: 0..2, kind: MarkKind::Link("/é".into()) },
            Mark { range: 4..7, kind: MarkKind::Strong },
        ],
    };
    Article {
        blocks: vec![
            Block::Heading { level: 2, text: Text::plain("Head") },
            Block::Paragraph(marked),
            Block::List { ordered: true, items: vec![vec![Block::Paragraph(Text::plain("one"))]] },
            Block::Quotation(vec![Block::Paragraph(Text::plain("said"))]),
            Block::Preformatted("a\n b".into()),
            Block::Table(vec![vec![Cell { header: true, text: Text::plain("h") }, Cell::default()]]),
            Block::Separator,
        ],
        body: Some("article > div".parse().unwrap()),
        descriptor: Descriptor {
            headline: Some(value("Title", "h1")),
            authors: vec![value("Ada", "meta[name=author] #char=0,3")],
            others: vec![Reading {
                field: Field::Headline,
                value: value("Title | X", "meta[property=og:title]"),
            }],
            ..Descriptor::default()
        },
        identifier: Some(value("12", "/id")),
        relation: Some(Relation {
            kind: RelationKind::TranslationOf,
            original: value("/de/x", "json-ld[0].translationOfWork"),
        }),
        notices: vec![Notice::new(NoticeCode::BlockLeftOut, "`poll`").at("/body/3".parse().unwrap())],
    }
}

#[test]
fn an_article_is_read_as_it_was_written() {
    let article = article();
    assert_eq!(Article::from_json(&article.to_json()), Ok(article));
    let empty = Article::default();
    assert_eq!(empty.to_json(), json!({"body": {"blocks": []}, "descriptor": {}}));
    assert_eq!(Article::from_json(&empty.to_json()), Ok(empty));
}

/// The form is sealed: a change here is a change of format.
#[test]
fn the_form_is_this() {
    let json = article().to_json();
    assert_eq!(
        json["body"],
        json!({"place": "article > div", "blocks": [
            {"type": "heading", "level": 2, "text": "Head"},
            {"type": "paragraph", "text": "é, two", "marks": [
                // Counted in characters, not in bytes.
                {"from": 0, "to": 1, "type": "link", "address": "/é"},
                {"from": 3, "to": 6, "type": "strong"}]},
            {"type": "list", "ordered": true, "items": [[{"type": "paragraph", "text": "one"}]]},
            {"type": "quotation", "blocks": [{"type": "paragraph", "text": "said"}]},
            {"type": "preformatted", "text": "a\n b"},
            {"type": "table", "rows": [[{"header": true, "text": "h"}, {"text": ""}]]},
            {"type": "separator"}]})
    );
    assert_eq!(
        json["descriptor"],
        json!({"headline": {"text": "Title", "place": "h1"},
            "authors": [{"text": "Ada", "place": "meta[name=author] #char=0,3"}],
            "others": [{"field": "headline", "text": "Title | X", "place": "meta[property=og:title]"}]})
    );
    assert_eq!(json["identifier"], json!({"text": "12", "place": "/id"}));
    assert_eq!(
        json["relation"],
        json!({"kind": "translation-of", "original": {"text": "/de/x", "place": "json-ld[0].translationOfWork"}})
    );
    assert_eq!(json["notices"], json!([{"code": "block-left-out", "detail": "`poll`", "place": "/body/3"}]));
}

#[test]
fn what_was_not_written_so_is_refused() {
    let check = |pointer: &str, wrong: Json, expected: &str| {
        let mut json = article().to_json();
        *json.pointer_mut(pointer).unwrap() = wrong;
        let error = Article::from_json(&json).unwrap_err().to_string();
        assert!(
            error.starts_with("not an article as this crate writes it: ") && error.contains(expected),
            "{error}"
        );
    };
    check("/body/blocks/0", json!({"type": "picture"}), "unknown variant `picture`");
    check("/body/blocks/1/marks/0/to", json!(7), "no characters 0 to 7");
    check("/body/blocks/1/marks/0/from", json!(1), "no characters 1 to 1");
    check("/body/blocks/1/marks/0/address", Json::Null, "a link needs an address");
    check("/body/blocks/1/marks/0/type", json!("strong"), "a link needs an address");
    check("/descriptor/headline/place", json!("p..x"), "`p..x`");
    check("/descriptor/others/0/field", json!("colour"), "`colour` is no field of the descriptor");
    check("/notices/0/code", json!("new"), "no notice is called `new`");
    check("/descriptor", json!({"summary": 1}), "unknown field `summary`");
}

proptest! {
    /// Marks keep their words whatever characters the text is made of.
    #[test]
    fn ranges_survive(text in "\\PC{1,20}", from in 0usize..20, length in 1usize..20) {
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let from = from.min(starts.len() - 2);
        let to = (from + length).min(starts.len() - 1);
        let mark = Mark { range: starts[from]..starts[to], kind: MarkKind::Code };
        let block = Block::Paragraph(Text { text, marks: vec![mark] });
        let article = Article { blocks: vec![block], ..Article::default() };
        prop_assert_eq!(Article::from_json(&article.to_json()), Ok(article));
    }
}
