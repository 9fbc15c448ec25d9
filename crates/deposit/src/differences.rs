//! What differs between two versions of an article.

use std::ops::Range;

use releve_extract::{Article, Field, Reading, Value};

/// Something that one version of an article has, and the version before it has not, or has otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub part: Part,
    /// What only the earlier version has: values of the field, or lines of the text as Markdown.
    pub removed: Vec<String>,
    /// What only the later one has.
    pub added: Vec<String>,
}

/// Which part of an article differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A field of the descriptor. Where the values are the same and only their places differ, each value is
    /// followed by its place.
    Field(Field),
    /// What else was read for a field and not taken. Each value is followed by its place.
    Reading(Field),
    /// The structured text. Nothing removed and nothing added says that it is marked up otherwise, in a way
    /// that Markdown does not show.
    Text,
}

/// Up to so many pairs of lines are compared: 16 MB for as long as it takes, some ten milliseconds. An article
/// has a few hundred lines. In one that has over two thousand and shares hardly any with the version before,
/// everything between the first and the last difference counts as one.
const PAIRS_MAX: usize = 4_000_000;

/// What differs between two versions of an article, in what makes a version one: first the descriptor, field by
/// field, then the text from its beginning to its end.
///
/// Empty only for articles whose descriptor and blocks are the same.
pub fn differences(before: &Article, after: &Article) -> Vec<Difference> {
    let mut found = Vec::new();
    for field in Field::ALL {
        let (old, new) = (before.descriptor.values(field), after.descriptor.values(field));
        if old != new {
            let texts = |values: &[Value]| values.iter().map(|value| value.text.clone()).collect::<Vec<_>>();
            let (mut removed, mut added) = (texts(old), texts(new));
            if removed == added {
                (removed, added) =
                    (old.iter().map(with_place).collect(), new.iter().map(with_place).collect());
            }
            found.push(Difference { part: Part::Field(field), removed, added });
        }
        let others = |article: &Article| {
            let readings = article.descriptor.others.iter().filter(|reading| reading.field == field);
            readings.map(|Reading { value, .. }| with_place(value)).collect::<Vec<_>>()
        };
        let (removed, added) = (others(before), others(after));
        if removed != added {
            found.push(Difference { part: Part::Reading(field), removed, added });
        }
    }
    if before.blocks != after.blocks {
        found.extend(text_differences(before, after));
    }
    found
}

fn with_place(value: &Value) -> String {
    format!("{} ({})", value.text, value.place)
}

fn text_differences(before: &Article, after: &Article) -> Vec<Difference> {
    let markdown = |article: &Article| {
        let blocks = article.blocks.clone();
        Article { blocks, ..Article::default() }.to_markdown()
    };
    let (before, after) = (markdown(before), markdown(after));
    // Between blocks stands an empty line, which says nothing.
    let lines = |text| str::lines(text).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let (before, after) = (lines(&before), lines(&after));
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let mut found: Vec<Difference> = hunks(&before, &after)
        .into_iter()
        .map(|(removed, added)| Difference {
            part: Part::Text,
            removed: owned(before.get(removed).unwrap_or_default()),
            added: owned(after.get(added).unwrap_or_default()),
        })
        .collect();
    if found.is_empty() {
        found.push(Difference { part: Part::Text, removed: Vec::new(), added: Vec::new() });
    }
    found
}

/// Which lines of `before` have given way to which of `after`, with as many as possible the same in both.
fn hunks(before: &[&str], after: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    let same = |(one, other): &(&&str, &&str)| one == other;
    let head = before.iter().zip(after).take_while(same).count();
    let (old, new) = (before.get(head..).unwrap_or_default(), after.get(head..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let old = old.get(..old.len() - tail).unwrap_or_default();
    let new = new.get(..new.len() - tail).unwrap_or_default();

    let kept = if old.len().saturating_mul(new.len()) > PAIRS_MAX { Vec::new() } else { common(old, new) };
    let mut hunks = Vec::new();
    let (mut at_old, mut at_new) = (0, 0);
    for (next_old, next_new) in kept.into_iter().chain([(old.len(), new.len())]) {
        if (at_old, at_new) != (next_old, next_new) {
            hunks.push((head + at_old..head + next_old, head + at_new..head + next_new));
        }
        (at_old, at_new) = (next_old + 1, next_new + 1);
    }
    hunks
}

/// The longest sequence of lines that stand in both, in the same order: where they stand in each.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    // At row `i` and column `j`: how long the sequence is in what begins at line `i` of the one and `j` of the
    // other. The last row and column are of what has no lines left.
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    let at = |lengths: &[u32], i: usize, j: usize| lengths.get(i * width + j).copied().unwrap_or_default();
    for (i, line) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            let length = if line == other {
                at(&lengths, i + 1, j + 1) + 1
            } else {
                at(&lengths, i + 1, j).max(at(&lengths, i, j + 1))
            };
            if let Some(cell) = lengths.get_mut(i * width + j) {
                *cell = length;
            }
        }
    }
    let mut kept = Vec::new();
    let (mut i, mut j) = (0, 0);
    while let (Some(line), Some(other)) = (old.get(i), new.get(j)) {
        if line == other {
            kept.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if at(&lengths, i + 1, j) >= at(&lengths, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests;
