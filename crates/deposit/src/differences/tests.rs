use releve_extract::{Block, Mark, MarkKind, Place, Text};

use super::*;

fn paragraphs(texts: &[&str]) -> Article {
    let blocks = texts.iter().map(|text| Block::Paragraph(Text::plain(*text))).collect();
    Article { blocks, ..Article::default() }
}

fn value(text: &str, place: &str) -> Value {
    Value::new(text, place.parse::<Place>().unwrap())
}

/// Lines of text by their first letter: `-` and what is removed, `+` and what is added, hunk by hunk.
#[track_caller]
fn check(before: &str, after: &str, expected: &str) {
    let article = |lines: &str| {
        let lines: Vec<String> = lines.chars().map(String::from).collect();
        paragraphs(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let found: Vec<String> = differences(&article(before), &article(after))
        .into_iter()
        .map(|Difference { part, removed, added }| {
            assert_eq!(part, Part::Text);
            format!("-{}+{}", removed.concat(), added.concat())
        })
        .collect();
    assert_eq!(found.join(" "), expected, "{before} to {after}");
}

#[test]
fn lines_that_stay_are_told_from_those_that_change() {
    for (before, after, expected) in [
        ("abc", "abc", ""),
        ("", "ab", "-+ab"),
        ("ab", "", "-ab+"),
        ("abc", "axc", "-b+x"),
        ("abc", "xabc", "-+x"),
        ("abc", "abcx", "-+x"),
        ("abcde", "axcxe", "-b+x -d+x"),
        ("aab", "ab", "-a+"),
        ("abab", "baba", "-a+ -+a"),
        ("abc", "xyz", "-abc+xyz"),
        ("abcdefg", "gabcdef", "-+g -g+"),
    ] {
        check(before, after, expected);
    }
}

#[test]
fn an_article_that_is_all_new_and_too_long_to_compare_is_one_difference() {
    let before: Vec<String> = (0..3_000).map(|line| format!("old {line}")).collect();
    let after: Vec<String> = (0..3_000).map(|line| format!("new {line}")).collect();
    let article = |lines: &[String]| {
        let lines: Vec<&str> = ["first"].into_iter().chain(lines.iter().map(String::as_str)).collect();
        paragraphs(&lines)
    };
    let found = differences(&article(&before), &article(&after));
    assert_eq!(found, [Difference { part: Part::Text, removed: before, added: after }]);
}

#[test]
fn a_field_differs_in_its_values_or_in_where_they_stand() {
    let mut before = paragraphs(&["The same."]);
    before.descriptor.headline = Some(value("Old", "meta[property=og:title]"));
    before.descriptor.authors = vec![value("A", "meta[name=author]")];
    before.descriptor.published = Some(value("2026", "json-ld[0].datePublished"));
    let mut after = before.clone();
    after.descriptor.headline = Some(value("New", "meta[property=og:title]"));
    after.descriptor.authors.push(value("B", "meta[name=author]"));
    after.descriptor.published = Some(value("2026", "json-ld[1].datePublished"));
    after.descriptor.others =
        vec![Reading { field: Field::Headline, value: value("Newer", "json-ld[0].headline") }];

    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let expected = [
        (Part::Field(Field::Headline), lines(&["Old"]), lines(&["New"])),
        (Part::Reading(Field::Headline), lines(&[]), lines(&["Newer (json-ld[0].headline)"])),
        (Part::Field(Field::Authors), lines(&["A"]), lines(&["A", "B"])),
        (
            Part::Field(Field::Published),
            lines(&["2026 (json-ld[0].datePublished)"]),
            lines(&["2026 (json-ld[1].datePublished)"]),
        ),
    ];
    let found: Vec<_> = differences(&before, &after)
        .into_iter()
        .map(|difference| (difference.part, difference.removed, difference.added))
        .collect();
    assert_eq!(found, expected);
}

/// A version is written because something differs: whatever it is, something has to be said.
#[test]
fn what_markdown_does_not_show_is_a_difference_all_the_same() {
    let marked = |range: Range<usize>| {
        let marks = vec![Mark { range, kind: MarkKind::Emphasis }];
        let blocks = vec![Block::Paragraph(Text { text: "Yes.".to_owned(), marks })];
        Article { blocks, ..Article::default() }
    };
    let found = differences(&marked(0..0), &paragraphs(&["Yes."]));
    assert_eq!(found, [Difference { part: Part::Text, removed: Vec::new(), added: Vec::new() }]);
    assert_eq!(
        differences(&marked(0..4), &paragraphs(&["Yes."])).first().map(|one| one.removed.len()),
        Some(1)
    );
}
