//! The article's text among everything else that a page shows.
//!
//! The page is measured once: its elements, and its leaves, which are stretches of text without a block boundary ([`survey`]). Elements that are named as
//! being beside the article are set aside, by general words ([`vocabulary`]), and so are notices that are named for nothing ([`calls`]). From the headline the search goes up as long as that adds
//! more text than anything else, then down to the element that holds it ([`choose`]); of its leaves those stay that are text
//! ([`select`]), and become blocks ([`build`]).

pub(crate) mod build;
mod calls;
mod choose;
pub(crate) mod elsewhere;
pub(crate) mod fragment;
mod labels;
mod select;
mod standfirst;
mod survey;
mod titles;
mod vocabulary;

use std::collections::HashSet;

use crate::declared::Declared;
use crate::descriptor::{Subject, locate};
use crate::dom::{Node, NodeId};
use crate::page::Page;
use crate::{Block, Notice, NoticeCode, Place, Selector};

use choose::Choice;
use elsewhere::Elsewhere;
use survey::{Survey, heading_level};
use titles::Titles;

/// The text that was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) blocks: Vec<Block>,
    /// Where it stands.
    pub(crate) place: Option<Place>,
}

/// Finds the text of the page's article: where the rules say, or else by what the page shows.
pub(crate) fn find(
    page: Page<'_>,
    declared: &Declared<'_>,
    subject: &Subject<'_>,
    notices: &mut Vec<Notice>,
) -> Body {
    let dropped: HashSet<NodeId> = match &page.rules.drop {
        Some(drop) => page.document.select(drop).map(Node::id).collect(),
        None => HashSet::new(),
    };
    if let Some(drop) = &page.rules.drop
        && dropped.is_empty()
    {
        notices.push(unmatched("drop", drop));
    }
    let mut body = match &page.rules.body {
        Some(selector) => selected(page, selector, &dropped, notices),
        None => searched(page, declared, subject, &dropped),
    };
    // Marks alone are no text. A page in an encoding that browsers refuse is one character that says so.
    if !body.blocks.iter().any(|block| block.text().contains(char::is_alphanumeric)) {
        body = Body::default();
        notices.push(Notice::new(NoticeCode::BodyNotFound, "no text was found that could be the article's"));
    }
    body
}

/// The text in the elements that the rules name. Where there is none, there is no other choice: a page that is built anew would be read wrongly,
/// and nobody would see it.
fn selected(
    page: Page<'_>,
    selector: &Selector,
    dropped: &HashSet<NodeId>,
    notices: &mut Vec<Notice>,
) -> Body {
    let mut tops: Vec<Node<'_>> = Vec::new();
    for node in page.document.select(selector) {
        // What is in an element that was taken is taken with it.
        if !tops.last().is_some_and(|last| node.ancestors().any(|above| above == *last)) {
            tops.push(node);
        }
    }
    if tops.is_empty() {
        notices.push(unmatched("body", selector));
    }
    let is_dropped = |node: Node<'_>| dropped.contains(&node.id());
    tops.retain(|top| !is_dropped(*top) && !top.ancestors().any(is_dropped));
    let Some((first, others)) = tops.split_first() else { return Body::default() };
    let blocks = fragment::blocks_of(&tops, &is_dropped);
    let holds_all =
        |above: &Node<'_>| others.iter().all(|other| other.ancestors().any(|around| around == *above));
    let root = if others.is_empty() { Some(*first) } else { first.ancestors().find(holds_all) };
    Body { blocks, place: root.and_then(place_of) }
}

fn unmatched(rule: &str, selector: &Selector) -> Notice {
    Notice::new(NoticeCode::SelectorUnmatched, format!("`{rule}`: `{selector}` matches nothing"))
}

/// The text that is found from what the page shows.
fn searched(
    page: Page<'_>,
    declared: &Declared<'_>,
    subject: &Subject<'_>,
    dropped: &HashSet<NodeId>,
) -> Body {
    let titles = Titles::of(declared, subject);
    let mut survey = Survey::of(page.document.root(), dropped);
    let (body, shown) = match choose::choose(&mut survey, &titles) {
        Some(choice) => built(page, &survey, choice),
        None => (Body::default(), 0),
    };
    if let Some(holder) = elsewhere::element(page, declared, &titles, shown) {
        let survey = Survey::of(holder, dropped);
        return built(page, &survey, Choice { headline: None, container: 0 }).0;
    }
    match elsewhere::find(page, declared, &titles, shown) {
        Some(Elsewhere { blocks, place }) => Body { blocks, place: Some(place) },
        None => body,
    }
}

/// The blocks of the leaves that are the article's, and how many characters they have.
fn built(page: Page<'_>, survey: &Survey<'_>, choice: Choice) -> (Body, usize) {
    let selection = select::select(survey, choice);
    if selection.is_index {
        return (Body::default(), 0);
    }
    let root = survey.elements[selection.root].node;
    let mut left_out = vec![false; page.document.len()];
    for element in &survey.elements[selection.root..survey.elements[selection.root].end] {
        left_out[element.node.id().index()] = element.beside;
    }
    for id in selection.omitted {
        left_out[id.index()] = true;
    }
    let omit = |node: Node<'_>| left_out[node.id().index()];
    let blocks = build::Builder::new(&omit, &omit).build(root);
    (Body { blocks, place: place_of(root) }, selection.chars)
}

fn place_of(node: Node<'_>) -> Option<Place> {
    locate(node).map(|selector| Place::element(selector, None))
}
