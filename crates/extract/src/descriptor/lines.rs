//! The lines shown around the headline: from a little above it to the first paragraphs of the text. This is where readers are told who wrote
//! an article and when; what is shown elsewhere may be about other articles.

use std::collections::HashSet;
use std::sync::LazyLock;

use html5ever::local_name;
use regex::Regex;

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
    while let Some(node) = next {
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
            let is_hidden = node.name().is_some_and(|name| text::flow(name) == Flow::Absent);
            if is_hidden || is_other || is_aside(node) {
                next = node.after(top);
                continue;
            }
        }
        next = node.following(top);
        if node.as_text().is_none_or(|text| text.trim().is_empty()) {
            continue;
        }
        let Some(line) = line_of(node, &boxes).filter(|line| seen.insert(line.id())) else { continue };
        let text = short_text(line);
        if !passed {
            above.push(Line { node: line, text, is_above: true });
            continue;
        }
        let chars = text.chars().count();
        paragraphs += usize::from(chars >= PARAGRAPH_CHARS_MIN);
        prose += if chars >= PROSE_CHARS_MIN { chars } else { 0 };
        below.push(Line { node: line, text, is_above: false });
        if below.len() >= LINES_BELOW_MAX || paragraphs >= PARAGRAPHS_MAX {
            break;
        }
    }
    let mut lines = above.split_off(above.len().saturating_sub(LINES_ABOVE_MAX));
    lines.append(&mut below);
    lines
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
