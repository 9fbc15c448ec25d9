//! Text that no element of the page shows: it stands in the page's data, and scripts or readers without scripts put it where it is read.
//!
//! It is only looked for where the page shows much less than such data holds, and only taken where there is no doubt which text it is.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::fragment;
use super::titles::Titles;
use crate::declared::Declared;
use crate::declared::plain::plain;
use crate::descriptor::{fold, locate};
use crate::dom::{self, Document, Node};
use crate::page::Page;
use crate::place::{Place, is_pointer};
use crate::{Block, Pointer, Text, text};

/// The text and where it stands.
pub(super) struct Elsewhere {
    pub(super) blocks: Vec<Block>,
    pub(super) place: Place,
}

/// Data with fewer letters than this is a summary as often as a text.
const LETTERS_MIN: usize = 400;
/// So many letters at its beginning and its end show where a text stands on the page.
const EDGE_LETTERS: usize = 48;
/// A page that shows so many letters of its article shows it: what data holds beyond them are captions and lists.
const SHOWN_LETTERS: usize = 200;
/// Two texts in the data of which one has so large a part of the other's letters can't be told apart by length.
const RIVAL_PERCENT: usize = 50;
/// How far above a text in its data the title is looked for.
const LEVELS_MAX: usize = 3;
/// Scripts with data are read up to this depth; articles stand above ten.
const DEPTH_MAX: usize = 32;

/// A text in the page's data.
struct Told {
    text: String,
    place: Place,
}

/// The text that the page's data holds, where it is much more than the `shown` letters that were found.
pub(super) fn find(
    page: Page<'_>,
    declared: &Declared<'_>,
    titles: &Titles,
    shown: usize,
) -> Option<Elsewhere> {
    if let Some(Told { text, place }) = longer_article_body(declared, titles, shown) {
        return Some(Elsewhere { blocks: blocks_of(&text), place });
    }
    if shown >= SHOWN_LETTERS {
        return None;
    }
    for_readers_without_scripts(page.document).or_else(|| state(page, titles))
}

/// The element of the page that holds what is declared to be the article's text, where that is much more than the `shown` letters that
/// were found.
pub(super) fn element<'a>(
    page: Page<'a>,
    declared: &Declared<'_>,
    titles: &Titles,
    shown: usize,
) -> Option<Node<'a>> {
    let told = fold(&without_tags(&longer_article_body(declared, titles, shown)?.text));
    let edge = |at: usize| told.char_indices().nth(at).map_or(told.len(), |(at, _)| at);
    let start = &told[..edge(EDGE_LETTERS)];
    let end = &told[edge(told.chars().count().saturating_sub(EDGE_LETTERS))..];
    // The letters of the whole page, and where each text node begins among them.
    let (mut all, mut nodes) = (String::new(), Vec::new());
    text::each(page.document.root(), |node, own| {
        nodes.push((all.len(), node));
        all.push_str(&fold(own));
    });
    let last = all.rfind(end)?;
    // What stands between may be longer than what is declared: captions, advertisements.
    let earliest = last.saturating_sub(told.len() * 3 / 2);
    let earliest = (earliest..=last).find(|&at| all.is_char_boundary(at))?;
    let first = earliest + all[earliest..].find(start)?;
    let node =
        |at: usize| nodes.get(nodes.partition_point(|&(from, _)| from <= at) - 1).map(|&(_, node)| node);
    let (first, last) = (node(first)?, node(last + end.len() - 1)?);
    first.ancestors().find(|above| last.ancestors().any(|other| other == *above))
}

/// The declared text of this page's article, where it is much longer than `shown` letters.
fn longer_article_body(declared: &Declared<'_>, titles: &Titles, shown: usize) -> Option<Told> {
    let mut found: Option<(bool, Told)> = None;
    for thing in declared.linked_data.things() {
        let Some(body) = thing.get("articleBody") else { continue };
        let (Some(text), Some((_, place))) = (body.json.as_str(), body.text()) else { continue };
        let headline = ["headline", "name"].iter().find_map(|name| thing.get(name)?.text());
        let is_ours = headline.is_some_and(|(headline, _)| titles.has_like(&fold(&headline)));
        match &found {
            // Of several articles it is the one of this headline, or none.
            Some((true, _)) if !is_ours => {}
            Some((before, told)) if *before == is_ours => {
                if told.text != text {
                    return None;
                }
            }
            _ => found = Some((is_ours, Told { text: text.to_owned(), place })),
        }
    }
    found.map(|(_, told)| told).filter(|told| {
        let letters = letters(&told.text);
        letters >= LETTERS_MIN && letters * 2 > shown * 3
    })
}

/// The text that stands in a `noscript` element, where one holds nearly all there is in such elements.
fn for_readers_without_scripts(document: &Document) -> Option<Elsewhere> {
    let mut texts = Vec::new();
    for node in
        document.root().descendants().filter(|node| node.name().is_some_and(|name| &**name == "noscript"))
    {
        if let Ok(inside) = dom::parse(&node.raw_text(), dom::Kind::Fragment) {
            texts.push((letters(&inside.root().text()), node, inside));
        }
    }
    let (_, node, inside) = clearly_longest(texts)?;
    Some(Elsewhere { blocks: fragment::blocks(&inside), place: Place::element(locate(node)?, None) })
}

/// The text that stands in the data from which scripts build the page: a string of HTML or of plain text, or an array of such.
fn state(page: Page<'_>, titles: &Titles) -> Option<Elsewhere> {
    if scripts(page.document).all(|script| script.attribute("src").is_some()) {
        return None;
    }
    // Programs were left out of the tree; data that they assign to a variable is wanted now.
    let text = crate::charset::decode(page.envelope, &mut Vec::new());
    let document = dom::parse(&text, dom::Kind::PageWithPrograms).ok()?;
    let mut texts = Vec::new();
    for (index, script) in scripts(&document).enumerate() {
        // Linked data was looked at already.
        if script.attribute("type").is_some_and(|kind| kind.contains("ld+json")) {
            continue;
        }
        for (variable, json) in data(&script.raw_text()) {
            gather(&json, &Pointer::default(), &mut Vec::new(), titles, &mut |text, pointer| {
                if is_pointer(&pointer) {
                    let place = Place::script(index, variable.as_deref(), pointer);
                    texts.push((letters(&without_tags(&text)), text, place));
                }
            });
        }
    }
    let (_, text, place) = clearly_longest(texts)?;
    Some(Elsewhere { blocks: blocks_of(&text), place })
}

/// What stands at a place in the data of a script: see [`look_up`](crate::look_up).
pub(crate) fn look_up(page: &str, index: usize, variable: Option<&str>, pointer: &Pointer) -> Option<String> {
    let document = dom::parse(page, dom::Kind::PageWithPrograms).ok()?;
    let script = scripts(&document).nth(index)?;
    let (_, json) = data(&script.raw_text()).into_iter().find(|(own, _)| own.as_deref() == variable)?;
    let blocks = blocks_of(&text_of(pointer.get(&json)?)?);
    Some(blocks.iter().map(Block::text).collect::<Vec<_>>().join(" "))
}

fn scripts(document: &Document) -> impl Iterator<Item = Node<'_>> {
    document.root().descendants().filter(|node| node.name().is_some_and(|name| &**name == "script"))
}

/// The data in a script: all of it, or what it assigns to variables, by their names.
fn data(script: &str) -> Vec<(Option<String>, Json)> {
    if let Ok(json) = serde_json::from_str(script) {
        return vec![(None, json)];
    }
    let mut found = Vec::new();
    let mut rest = script;
    while let Some(at) = rest.find('=') {
        let (before, after) = (&rest[..at], rest[at + 1..].trim_start());
        rest = &rest[at + 1..];
        if !after.starts_with(['{', '[']) {
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(after).into_iter::<Json>();
        if let Some(Ok(json)) = values.next() {
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$');
            let before = before.trim_end();
            // `window["state"]` names a variable too.
            let before = ["\"]", "']"].iter().find_map(|end| before.strip_suffix(end)).unwrap_or(before);
            let name = &before[before.trim_end_matches(is_of_name).len()..];
            // What has no name has no place.
            if !name.is_empty() {
                found.push((Some(name.to_owned()), json));
            }
            rest = &after[values.byte_offset()..];
        }
    }
    // A variable that is assigned again holds what it was given last.
    let mut seen = HashSet::new();
    found.reverse();
    found.retain(|(name, _)| seen.insert(name.clone()));
    found.reverse();
    found
}

/// What is around a text in its data.
struct Above<'j> {
    json: &'j Json,
    /// Once it was looked at: it may be around thousands of texts.
    names_title: Option<bool>,
}

impl Above<'_> {
    fn names_title(&mut self, titles: &Titles) -> bool {
        *self.names_title.get_or_insert_with(|| names_title(self.json, titles))
    }
}

/// Tells every text in the data that stands below the article's title, with its place.
fn gather<'j>(
    json: &'j Json,
    pointer: &Pointer,
    above: &mut Vec<Above<'j>>,
    titles: &Titles,
    tell: &mut dyn FnMut(String, Pointer),
) {
    if above.len() > DEPTH_MAX {
        return;
    }
    if let Some(text) = text_of(json)
        && letters(&without_tags(&text)) >= LETTERS_MIN
        && above.iter_mut().rev().take(LEVELS_MAX).any(|above| above.names_title(titles))
    {
        return tell(text, pointer.clone());
    }
    above.push(Above { json, names_title: None });
    match json {
        Json::Object(members) => {
            for (key, member) in members {
                gather(member, &pointer.key(key), above, titles, tell);
            }
        }
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                gather(item, &pointer.index(index), above, titles, tell);
            }
        }
        _ => {}
    }
    above.pop();
}

/// A string, or an array whose items are strings or have one at the same key.
fn text_of(json: &Json) -> Option<String> {
    const KEYS: [&str; 5] = ["content", "html", "text", "value", "body"];
    match json {
        Json::String(text) => Some(text.clone()),
        Json::Array(items) if items.len() > 1 => {
            let key = KEYS.into_iter().find(|key| items.iter().any(|item| item[key].is_string()));
            let texts = items.iter().filter_map(|item| key.map_or(item, |key| &item[key]).as_str());
            let texts: Vec<&str> = texts.collect();
            (texts.len() > 1).then(|| texts.join("\n\n"))
        }
        _ => None,
    }
}

/// Whether an object has the page's title among its values, or one level below.
fn names_title(json: &Json, titles: &Titles) -> bool {
    let is_title = |json: &Json| json.as_str().is_some_and(|text| titles.has_like(&fold(&plain(text))));
    let Json::Object(members) = json else { return false };
    members.values().any(|member| {
        is_title(member) || member.as_object().is_some_and(|inner| inner.values().any(is_title))
    })
}

/// The one that has by far the most letters, and enough.
fn clearly_longest<A, B>(mut texts: Vec<(usize, A, B)>) -> Option<(usize, A, B)> {
    texts.sort_by_key(|(letters, ..)| std::cmp::Reverse(*letters));
    let rival = texts.get(1).map_or(0, |(letters, ..)| *letters);
    let longest = texts.into_iter().next()?;
    (longest.0 >= LETTERS_MIN && rival * 100 < longest.0 * RIVAL_PERCENT).then_some(longest)
}

/// The blocks of a text from data: HTML, or plain text whose lines are paragraphs.
fn blocks_of(text: &str) -> Vec<Block> {
    if has_tags(text) {
        return dom::parse(text, dom::Kind::Fragment)
            .map(|inside| fragment::blocks(&inside))
            .unwrap_or_default();
    }
    text.lines()
        .map(plain)
        .filter(|line| !line.is_empty())
        .map(|line| Block::Paragraph(Text::plain(line)))
        .collect()
}

fn without_tags(text: &str) -> String {
    match has_tags(text).then(|| dom::parse(text, dom::Kind::Fragment)) {
        Some(Ok(inside)) => inside.root().text(),
        _ => plain(text),
    }
}

fn has_tags(text: &str) -> bool {
    text.split('<')
        .skip(1)
        .any(|after| after.starts_with(|c: char| c.is_ascii_alphabetic()) && after.contains('>'))
}

/// How many letters and digits a text has.
fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}
