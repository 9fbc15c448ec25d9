//! The lines shown around the headline: from a little above it to the first paragraphs of the text. This is where readers are told who wrote
//! an article and when; what is shown elsewhere may be about other articles.

use std::collections::HashSet;
use std::sync::LazyLock;

use html5ever::local_name;
use regex::Regex;

use super::date;
use super::names::{is_full_name, names, starts_with_lead};
use crate::Place;
use crate::dom::{Node, NodeId};
use crate::text::{self, Flow};

/// Lines above the headline that are looked at: section, date and the like.
const LINES_ABOVE_MAX: usize = 6;
/// Lines below the headline that are looked at, and among them paragraphs: a standfirst, and the beginning of the text.
const LINES_BELOW_MAX: usize = 60;
const PARAGRAPHS_MAX: usize = 3;
/// A line of so many characters is a paragraph.
const PARAGRAPH_CHARS_MIN: usize = 140;
/// So much prose is the text of an article; what follows the end of its `article` element is no part of it. Elements with less hold a header only.
const ARTICLE_CHARS_MIN: usize = 200;
/// A line of so many characters is prose.
const PROSE_CHARS_MIN: usize = 80;
/// Longer lines are cut: no field is copied from one.
const LINE_BYTES_MAX: usize = 2048;
/// How far up from the headline the box is looked for that holds what stands above it.
const LEVELS_UP_MAX: usize = 4;

/// What one block says, or one inline element that stands directly in a box of the headline.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub(crate) node: Node<'a>,
    pub(crate) text: String,
    /// Lines above the headline are those of its own box only.
    pub(crate) is_above: bool,
    /// Who and when are said there of another article.
    pub(crate) is_teaser: bool,
}

/// The lines around a headline, in document order, without those that are about something else than the article.
pub(crate) fn around(headline: Node<'_>) -> Vec<Line<'_>> {
    let (mut above, mut below) = (Vec::new(), Vec::new());
    let boxes: HashSet<NodeId> = headline.ancestors().map(Node::id).collect();
    let mut own_article = headline.ancestors().find(|node| node.is(&local_name!("article")));
    let mut seen: HashSet<NodeId> = HashSet::new();
    let (mut passed, mut paragraphs, mut prose) = (false, 0, 0);
    let top = headline.document().root();
    let mut next = Some(box_of(headline));
    // What stands behind the teaser at hand.
    let mut teaser_end: Option<Option<Node<'_>>> = None;
    while let Some(node) = next {
        teaser_end = teaser_end.filter(|end| *end != Some(node));
        if prose >= ARTICLE_CHARS_MIN && own_article.is_some_and(|own| own.after(top) == Some(node)) {
            break;
        }
        if node == headline {
            passed = true;
            next = node.after(top);
            continue;
        }
        if !boxes.contains(&node.id()) {
            // Of `article` elements the one around the headline is meant, or the first one below it; others are teasers or the next article.
            let is_article = node.is(&local_name!("article"));
            let is_other = is_article && own_article.is_some_and(|own| own != node);
            if is_article && passed && !is_other {
                own_article = Some(node);
            }
            let is_hidden = text::flow_of(node) == Some(Flow::Absent);
            if is_hidden || is_other || is_aside(node) {
                next = node.after(top);
                continue;
            }
            if teaser_end.is_none() && leads_elsewhere(node, prose >= ARTICLE_CHARS_MIN) {
                teaser_end = Some(node.after(top));
            }
        }
        next = node.following(top);
        if node.as_text().is_none_or(|text| text.trim().is_empty()) {
            continue;
        }
        let Some(line) = line_of(node, &boxes).filter(|line| seen.insert(line.id())) else { continue };
        let text = short_text(line);
        let is_teaser = teaser_end.is_some();
        if !passed {
            above.push(Line { node: line, text, is_above: true, is_teaser });
            continue;
        }
        let chars = text.chars().count();
        paragraphs += usize::from(chars >= PARAGRAPH_CHARS_MIN);
        prose += if chars >= PROSE_CHARS_MIN { chars } else { 0 };
        below.push(Line { node: line, text, is_above: false, is_teaser });
        if below.len() >= LINES_BELOW_MAX || paragraphs >= PARAGRAPHS_MAX {
            break;
        }
    }
    let mut lines = above.split_off(above.len().saturating_sub(LINES_ABOVE_MAX));
    lines.append(&mut below);
    lines
}

/// Whether an element is about another article, to which it leads: its heading does, or most of what it says. What stands first in an item of a
/// list, or after the text, may be short; before the text a short link leads to a section as often as not.
fn leads_elsewhere(node: Node<'_>, is_behind_text: bool) -> bool {
    let is_item = node.is(&local_name!("li"));
    let is_block = node.name().is_some_and(|name| text::flow(name) == Flow::Block);
    if !is_block && !node.is(&local_name!("a")) {
        return false;
    }
    let mut all = Title::default();
    let mut links: Vec<(Node<'_>, Title)> = Vec::new();
    for (index, below) in std::iter::once(node).chain(node.descendants()).enumerate() {
        if index == TEASER_NODES_MAX {
            return false;
        }
        if below.is(&local_name!("a")) && is_elsewhere(below) && links.len() < TEASER_LINKS_MAX {
            links.push((below, Title::default()));
        }
        let Some(text) = below.as_text() else { continue };
        all.push(text);
        if all.text.len() > TEASER_BYTES_MAX {
            return false;
        }
        if let Some((link, title)) = links.last_mut()
            && below.ancestors().take(TEASER_NODES_MAX).any(|above| above == *link)
        {
            title.push(text);
        }
    }
    links.iter().any(|(link, title)| {
        if title.text.is_empty() {
            return false;
        }
        let is_first = all.text.starts_with(&*title.text);
        let heads = is_of_heading(*link, title, node);
        let is_most = title.text.len() * 2 >= all.text.len() && !starts_with_lead(&all.text);
        let words =
            if heads || is_first && (is_item || is_behind_text) { TEASER_WORDS_MIN } else { TITLE_WORDS_MIN };
        (heads || is_most || is_first && is_item) && title.is_of(words) && !is_of_author(*link)
    })
}

/// How far above a link what it leads to may be named.
const AUTHOR_LEVELS: usize = 3;
/// An element with more nodes, more links or a longer text holds more than what leads to one article.
const TEASER_NODES_MAX: usize = 64;
const TEASER_LINKS_MAX: usize = 8;
const TEASER_BYTES_MAX: usize = 600;
/// Words of a title; sections have names of fewer than the second.
const TEASER_WORDS_MIN: usize = 2;
const TITLE_WORDS_MIN: usize = 4;

/// What a link says.
#[derive(Default)]
struct Title {
    text: String,
}

impl Title {
    fn push(&mut self, text: &str) {
        text::push_space(&mut self.text);
        text::push_normal(&mut self.text, text);
    }

    /// Whether it is a title of so many words, and neither says who nor when.
    fn is_of(&self, words: usize) -> bool {
        let text = self.text.trim();
        // Where words are not parted, two characters are about one.
        let wide = text.chars().filter(|c| *c >= '\u{2e80}').count();
        let is_long = text.split_whitespace().count() >= words || wide >= 2 * words;
        is_long && !starts_with_lead(text) && !is_list_of_names(text) && date::shown(text).dates.is_empty()
    }
}

/// Whether a text is names of persons only. Titles that are written like names have more words.
fn is_list_of_names(text: &str) -> bool {
    let names = names(text, &Place::address());
    let capitals =
        |name: &str| name.split_whitespace().filter(|word| word.starts_with(char::is_uppercase)).count();
    let is_short = |name: &str| capitals(name) <= NAME_WORDS_MAX;
    !names.is_empty() && names.iter().all(|name| is_full_name(&name.text) && is_short(&name.text))
}

/// Few names of persons have more words, particles aside.
const NAME_WORDS_MAX: usize = 3;

/// Whether a link, or an element close around it, is named for authors.
fn is_of_author(link: Node<'_>) -> bool {
    std::iter::once(link).chain(link.ancestors().take(AUTHOR_LEVELS)).any(super::authors::is_author_element)
}

/// Whether a link leads to another page, and does not say itself that it leads to the author or the section.
fn is_elsewhere(link: Node<'_>) -> bool {
    let address = link.attribute("href").map_or("", str::trim);
    let says = |rel: &str| matches!(rel, "author" | "bookmark" | "category" | "tag");
    !address.is_empty()
        && !address.starts_with(['#', '?'])
        && !["mailto:", "javascript:", "tel:"].iter().any(|scheme| address.starts_with(scheme))
        && !link.attribute("rel").is_some_and(|rel| rel.split_ascii_whitespace().any(says))
}

/// Whether a link within an element is its heading: it is most of one, or one stands in it.
fn is_of_heading(link: Node<'_>, title: &Title, within: Node<'_>) -> bool {
    let is_heading = |node: &Node<'_>| {
        matches!(
            node.name(),
            Some(
                &local_name!("h2")
                    | &local_name!("h3")
                    | &local_name!("h4")
                    | &local_name!("h5")
                    | &local_name!("h6")
            )
        )
    };
    let around = link.ancestors().take_while(|node| within.parent() != Some(*node)).find(is_heading);
    around.is_some_and(|heading| heading.text().len() <= 2 * title.text.len())
        || link.descendants().take(TEASER_NODES_MAX).any(|node| is_heading(&node))
}

/// The element whose line a text belongs to: the nearest block, or what stands as its own inline element in a box of the headline.
fn line_of<'a>(text: Node<'a>, boxes: &HashSet<NodeId>) -> Option<Node<'a>> {
    let is_block = |node: &Node<'_>| node.name().is_some_and(|name| text::flow(name) == Flow::Block);
    let block = text.ancestors().find(is_block)?;
    if boxes.contains(&block.id()) {
        return text.ancestors().take_while(|node| *node != block).last();
    }
    Some(block)
}

/// The box whose lines above the headline belong to it.
fn box_of(headline: Node<'_>) -> Node<'_> {
    let mut own = headline;
    for ancestor in headline.ancestors().take(LEVELS_UP_MAX) {
        match ancestor.name() {
            None | Some(&local_name!("body") | &local_name!("main")) => break,
            Some(&local_name!("article")) => return ancestor,
            Some(_) => own = ancestor,
        }
    }
    own
}

/// What a block says, as far as it is of use as a line.
fn short_text(block: Node<'_>) -> String {
    let mut texts = block.descendants().filter_map(Node::as_text);
    let mut bytes = 0;
    let is_long = texts.any(|text| {
        bytes += text.len();
        bytes > 4 * LINE_BYTES_MAX
    });
    if is_long {
        let own = block
            .children()
            .filter_map(Node::as_text)
            .find(|text| !text.trim().is_empty())
            .unwrap_or_default();
        return text::normalise(own).chars().take(LINE_BYTES_MAX).collect();
    }
    block.text()
}

/// Whether an element holds what is not the article's: navigation, pictures, other articles, comments, calls for action.
pub(crate) fn is_aside(node: Node<'_>) -> bool {
    let by_name = matches!(
        node.name(),
        Some(
            &local_name!("nav")
                | &local_name!("aside")
                | &local_name!("figure")
                | &local_name!("form")
                | &local_name!("blockquote")
                | &local_name!("button")
        )
    );
    let part = node.attribute("itemprop").or(node.attribute("property")).unwrap_or_default();
    by_name
        || matches!(part, "comment" | "review")
        || ["class", "id"]
            .into_iter()
            .filter_map(|name| node.attribute(name).filter(|names| names.len() <= CLASS_BYTES_MAX))
            .any(|names| names.split_ascii_whitespace().any(names_aside))
        || node.attribute("hidden").is_some()
}

/// Words of class names and ids that mark what is not the article's begin with these.
static ASIDE: LazyLock<Regex> = LazyLock::new(|| {
    let words = "advert breadcrumb calendar caption carousel comment cookie copyright credit event gallery latest \
        login most-read morefrom mostread newsletter pagination popular promo read-more readmore recommend \
        related sidebar slider sponsor subscribe teaser-list teaserlist ticker trending upcoming weather";
    // `related`, `Related`, `is_related` and `inlineRelated`, but no `unrelated`.
    let words = words.split_ascii_whitespace().map(|word| {
        let (first, rest) = word.split_at(1);
        format!("(?:^|[^a-zA-Z])(?i-u:{word})|{}{rest}", first.to_ascii_uppercase())
    });
    Regex::new(&words.collect::<Vec<_>>().join("|")).expect("words joined by bars are a pattern")
});

/// Longer lists of class names are made by a machine for no reader, and are not looked through. Those of utility style sheets have a few hundred bytes.
pub(crate) const CLASS_BYTES_MAX: usize = 4096;

/// Whether a class name or an id marks what is not the article's.
fn names_aside(name: &str) -> bool {
    // `lg:sticker`, `[&_caption]:mt-2` and `pointer-events-none` say how something looks or acts.
    let is_style = name.contains([':', '[']) || name.starts_with("pointer-");
    // Page builders call everything a widget of theirs, as in `elementor-widget`; what begins with the word is one of a sidebar.
    !is_style && (ASIDE.is_match(name) || name.starts_with("widget"))
}

/// What finds any of these parts, which white space separates, in a class name or an id.
pub(crate) fn any_of(parts: &str) -> Regex {
    let parts: Vec<String> = parts.split_ascii_whitespace().map(regex::escape).collect();
    Regex::new(&format!("(?i-u:{})", parts.join("|"))).expect("escaped words joined by bars are a pattern")
}

/// Whether the class or the id of an element holds one of these parts.
pub(crate) fn is_named(node: Node<'_>, parts: &Regex) -> bool {
    let is_match = |names: &str| names.len() <= CLASS_BYTES_MAX && parts.is_match(names);
    ["class", "id"].into_iter().filter_map(|name| node.attribute(name)).any(is_match)
}
