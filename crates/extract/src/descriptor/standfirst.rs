//! The standfirst: the short text between headline and body.
//!
//! It is taken from what the page shows, never from a declared description alone: that is written for search engines on many sites, and is the
//! text's own beginning, cut off, on many others. A text below the headline is the standfirst if mark-up says so, by its name or by
//! setting it apart from the paragraphs that follow; a declared description that says the same confirms it.

use std::collections::HashSet;
use std::sync::LazyLock;

use html5ever::local_name;
use regex::Regex;

use super::date;
use super::lines::{CLASS_BYTES_MAX, Line, any_of, is_named};
use super::locate::locate;
use super::subject::{Subject, fold};
use crate::declared::Declared;
use crate::declared::plain::plain;
use crate::dom::Node;
use crate::text::{self, Flow};
use crate::{Place, Value};

/// Shorter lines are labels and rubrics, longer ones are no short text.
const CHARS_MIN: usize = 24;
const CHARS_MAX: usize = 900;
/// Links of a line that are looked at.
const LINKS_MAX: usize = 32;
/// What only stands where a standfirst does has to have the length of a sentence.
const SENTENCE_CHARS_MIN: usize = 40;
/// A paragraph of so many characters is the text itself, and the standfirst stands before the second one.
const PARAGRAPH_CHARS_MIN: usize = 140;
/// Lines from so many characters on show what the paragraphs of the text look like.
const SAMPLE_CHARS_MIN: usize = 80;
/// How many letters of two texts have to be the same for one to be the other cut off.
const SAME_CHARS_MIN: usize = 48;
/// The name of the place before a first sentence is no longer.
const PLACE_BYTES_MAX: usize = 40;
/// How many letters a title has to have to be found again within a line.
const TITLE_CHARS_MIN: usize = 16;

/// Words of class names that mark a standfirst, in the languages that mark-up is written in.
static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "abstract anons bajada bajadilla catenaccio chapeau chapo copete deck dek desc description einleitung entradilla \
    epigraph excerpt ingress intro introduction introtext lead leadtext lede manchet occhiello perex preamble preface sapo \
    sommario spot standfirst strapline subheader subheading subheadline subtitle subtitles sumario summary teaser \
    teasertext underrubrik vorspann"
        .split_ascii_whitespace()
        .collect()
});

/// Two words of class names that mark one if the second follows the first.
const NAME_PAIRS: &[[&str; 2]] = &[["sub", "title"], ["sub", "headline"], ["sub", "heading"]];

/// Parts of class names and ids of lines that tell about the article instead.
static OTHER_NAMES: LazyLock<Regex> =
    LazyLock::new(|| any_of("author byline caption crumb date kicker label meta share tag time"));

#[derive(Debug, Default)]
pub(crate) struct Standfirst {
    pub(crate) chosen: Option<Value>,
    /// The declared descriptions.
    pub(crate) others: Vec<Value>,
}

pub(crate) fn read(
    declared: &Declared<'_>,
    subject: &Subject<'_>,
    lines: &[Line<'_>],
    titles: &[Value],
    authors: &[Value],
) -> Standfirst {
    let others = descriptions(declared, subject);
    let known = Known {
        titles: titles.iter().map(|title| fold(&title.text)).collect(),
        alternative_titles: in_things(subject, "alternativeHeadline")
            .iter()
            .map(|title| fold(&title.text))
            .collect(),
        authors: authors.iter().map(|name| fold(&name.text)).collect(),
        descriptions: others.iter().map(|description| fold(&description.text)).collect(),
    };
    let below: Vec<&Line<'_>> = lines.iter().filter(|line| !line.is_above).collect();
    let mut paragraphs = 0;
    for (at, line) in below.iter().enumerate() {
        let behind = below.get(at + 1..).unwrap_or_default();
        if let Some(node) = standfirst(line, behind, &known, paragraphs)
            && let Some(selector) = locate(node)
        {
            let chosen = Some(Value::new(node.text(), Place::element(selector, None)));
            return Standfirst { chosen, others };
        }
        paragraphs += usize::from(is_long(&line.text, PARAGRAPH_CHARS_MIN));
        if paragraphs >= 2 {
            break;
        }
    }
    Standfirst { chosen: None, others }
}

/// What else is known of the article, folded for comparison.
struct Known {
    titles: Vec<String>,
    /// What JSON-LD calls an alternative headline is the shown headline on some sites and the standfirst on others.
    alternative_titles: Vec<String>,
    authors: Vec<String>,
    descriptions: Vec<String>,
}

fn descriptions(declared: &Declared<'_>, subject: &Subject<'_>) -> Vec<Value> {
    let mut described = in_things(subject, "description");
    for name in ["og:description", "description", "twitter:description"] {
        let metas = declared.metas(name);
        described.extend(metas.map(|meta| Value::new(plain(meta.content), meta.place())));
    }
    described.retain(|value| !value.text.is_empty());
    described
}

fn in_things(subject: &Subject<'_>, name: &str) -> Vec<Value> {
    let texts = subject.things.iter().filter_map(|thing| thing.get(name)?.text());
    texts.map(|(text, place)| Value::new(text, place)).collect()
}

/// Whether links make up half of a line: it leads to other articles, or to services.
fn is_mostly_links(node: Node<'_>) -> bool {
    let links = node.descendants().filter(|node| node.is(&local_name!("a"))).take(LINKS_MAX);
    let linked: usize = links.map(|link| link.text().chars().count()).sum();
    linked * 2 >= node.text().chars().count()
}

/// The element that shows the standfirst, if this line is it or begins it.
fn standfirst<'a>(
    line: &Line<'a>,
    behind: &[&Line<'a>],
    known: &Known,
    paragraphs: usize,
) -> Option<Node<'a>> {
    if !is_long(&line.text, CHARS_MIN) || is_long(&line.text, CHARS_MAX) {
        return None;
    }
    let node = line.node;
    if is_mostly_links(node) {
        return None;
    }
    let folded = fold(&line.text);
    let called = called(node);
    let is_sentence = is_long(&line.text, SENTENCE_CHARS_MIN);
    let placed = without_place(&line.text).map(fold);
    let is_confirmed = known.descriptions.iter().any(|description| {
        is_same(description, &folded) || placed.as_ref().is_some_and(|text| is_same(description, text))
    });
    let is_apart = is_in_header(node) || is_unlike_text(node, behind);
    let is_bold = is_bold(node);
    let found = if let Some(named) = called.filter(|_| is_apart && (is_sentence || is_confirmed)) {
        whole(line, behind, named)
    } else if is_confirmed && (is_apart || is_bold) {
        node
    } else {
        // Without a name and without a description that confirms it: a first paragraph in bold above others that are not, or a
        // subheading in the headline's own box.
        let text_follows = || {
            behind.iter().any(|line| is_long(&line.text, PARAGRAPH_CHARS_MIN) && !self::is_bold(line.node))
        };
        let leads = is_bold && !line.text.ends_with('?') && text_follows();
        let is_heading =
            matches!(node.name(), Some(&local_name!("h2") | &local_name!("h3") | &local_name!("h4")));
        (paragraphs == 0 && is_sentence && (leads || is_heading && is_in_header(node))).then_some(node)?
    };
    let is_title = |titles: &[String]| titles.iter().any(|title| holds_title(&folded, title));
    let is_other = is_title(&known.titles)
        || called != Some(node) && is_title(&known.alternative_titles)
        || known.authors.iter().any(|name| folded.starts_with(name))
        || is_about_making(line)
        || is_link(node)
        || is_beside_picture(node)
        || is_repeated(&folded, behind);
    (!is_other).then_some(found)
}

fn is_long(text: &str, chars_min: usize) -> bool {
    text.chars().nth(chars_min - 1).is_some()
}

/// Whether a folded line is a title, alone or with its kicker.
fn holds_title(line: &str, title: &str) -> bool {
    let (short, long) = if title.len() < line.len() { (title, line) } else { (line, title) };
    long == short || is_long(short, TITLE_CHARS_MIN) && long.contains(short) && long.len() < 3 * short.len()
}

/// Whether a line tells who wrote the article or when.
fn is_about_making(line: &Line<'_>) -> bool {
    let found = date::shown(&line.text);
    !found.dates.is_empty() && found.other_words <= 6 || is_named(line.node, &OTHER_NAMES)
}

/// Whether all of an element is a link, or within one: a teaser.
fn is_link(node: Node<'_>) -> bool {
    let is_link = |own: &Node<'_>| own.is(&local_name!("a"));
    node.ancestors().any(|own| is_link(&own))
        || node.descendants().find(is_link).is_some_and(|link| says_only(node, link))
}

/// Whether an element is all that a box with a picture says.
fn is_beside_picture(node: Node<'_>) -> bool {
    let picture = |own: Node<'_>| {
        matches!(own.name(), Some(&local_name!("img") | &local_name!("picture") | &local_name!("video")))
    };
    let mut boxes = node.ancestors().take(3).take_while(|own| says_only(*own, node));
    boxes.any(|own| own.descendants().any(picture))
}

/// Whether a box shows no text but that of one element in it.
fn says_only(around: Node<'_>, element: Node<'_>) -> bool {
    let mut next = around.first_child();
    while let Some(node) = next {
        let hidden = text::flow_of(node) == Some(Flow::Absent);
        if node == element || hidden {
            next = node.after(around);
            continue;
        }
        if node.as_text().is_some_and(|text| !text.trim().is_empty()) {
            return false;
        }
        next = node.following(around);
    }
    true
}

/// Whether a later line begins with the same words: then this one is cut off the text.
fn is_repeated(folded: &str, behind: &[&Line<'_>]) -> bool {
    let start: String = folded.chars().take(SAME_CHARS_MIN).collect();
    behind.iter().any(|line| {
        let letters = line.text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
        letters.take(SAME_CHARS_MIN).eq(start.chars()) && !start.is_empty()
    })
}

/// Whether a folded description is the text, or the text cut off.
fn is_same(description: &str, text: &str) -> bool {
    description == text || is_long(description, SAME_CHARS_MIN) && text.starts_with(description)
}

/// A text without the place that it begins with, as in `Port Louis. The last ferry leaves.` Where an agency or a day stands too, it is the
/// first sentence of the article.
fn without_place(text: &str) -> Option<&str> {
    let (place, rest) = text.split_once(". ")?;
    let is_place = |place: &str| place.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '/'));
    (place.len() <= PLACE_BYTES_MAX && is_place(place)).then_some(rest)
}

/// The element that is named for a standfirst: this one, or one close around it.
fn called(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::once(node).chain(node.ancestors().take(2)).find(|own| {
        let property = own.attribute("itemprop").or(own.attribute("property")).unwrap_or_default();
        property.split_ascii_whitespace().any(|name| matches!(name, "description" | "alternativeHeadline"))
            || own.attribute("class").is_some_and(is_name)
    })
}

/// Whether class names name a standfirst.
fn is_name(names: &str) -> bool {
    if names.len() > CLASS_BYTES_MAX {
        return false;
    }
    let words: Vec<String> = class_words(names).collect();
    words.iter().any(|word| NAMES.contains(&**word))
        || words.windows(2).any(|two| NAME_PAIRS.iter().any(|pair| two[0] == pair[0] && two[1] == pair[1]))
}

/// The words of class names, in lower case: of `article-header__leadText` they are `article`, `header`, `leadtext`, `lead` and `text`.
fn class_words(names: &str) -> impl Iterator<Item = String> {
    let names = names.split(|c: char| c.is_ascii_whitespace() || matches!(c, '-' | '_'));
    names.flat_map(|name| {
        let humps = name.char_indices().filter(|(at, c)| *at > 0 && c.is_ascii_uppercase()).map(|(at, _)| at);
        let ends = humps.clone().chain([name.len()]);
        let words = [0].into_iter().chain(humps).zip(ends).filter_map(|(start, end)| name.get(start..end));
        [name].into_iter().chain(words).map(str::to_ascii_lowercase).collect::<Vec<_>>()
    })
}

/// Whether the paragraphs that follow are set in another kind of element, or in another box.
fn is_unlike_text(node: Node<'_>, behind: &[&Line<'_>]) -> bool {
    let kind = |node: Node<'_>| (node.name().cloned(), node.attribute("class").map(str::to_owned));
    let sample = behind.iter().find(|line| is_long(&line.text, SAMPLE_CHARS_MIN));
    sample.is_some_and(|sample| {
        let other_box = sample.node.parent() != node.parent();
        let other_kind_of_box = sample.node.parent().map(kind) != node.parent().map(kind);
        kind(sample.node) != kind(node) || other_box && other_kind_of_box
    })
}

/// Whether all of a paragraph is set in bold.
fn is_bold(node: Node<'_>) -> bool {
    let mut texts =
        node.descendants().filter(|text| text.as_text().is_some_and(|text| !text.trim().is_empty()));
    let bold = |own: Node<'_>| matches!(own.name(), Some(&local_name!("b") | &local_name!("strong")));
    node.is(&local_name!("p")) && texts.all(|text| text.ancestors().take_while(|own| *own != node).any(bold))
}

fn is_in_header(node: Node<'_>) -> bool {
    let header = |own: Node<'_>| matches!(own.name(), Some(&local_name!("header") | &local_name!("hgroup")));
    node.ancestors().take(3).any(header)
}

/// The whole standfirst: the element named for it, if it holds further lines of it and nothing else.
fn whole<'a>(line: &Line<'a>, behind: &[&Line<'a>], named: Node<'a>) -> Node<'a> {
    let within: Vec<_> =
        behind.iter().take_while(|line| line.node.ancestors().any(|own| own == named)).collect();
    let own_lines = within
        .iter()
        .all(|line| !is_about_making(line) && !is_link(line.node) && is_long(&line.text, CHARS_MIN));
    let text = named.text();
    let begins = text.starts_with(&line.text);
    if !within.is_empty() && own_lines && begins && !is_long(&text, CHARS_MAX) { named } else { line.node }
}
