//! The article's text among everything else that a page shows.
//!
//! The page is measured once: its elements, and its leaves, which are stretches of text without a block boundary ([`survey`]). Elements that are named as
//! being beside the article are set aside, by general words ([`vocabulary`]). From the headline the search goes up as long as that adds
//! more text than anything else, then down to the element that holds it ([`choose`]); of its leaves those stay that are text
//! ([`select`]), and become blocks ([`build`]).

mod build;
mod choose;
pub(crate) mod fragment;
mod labels;
mod select;
mod standfirst;
mod survey;
mod titles;
mod vocabulary;

use crate::declared::Declared;
use crate::descriptor::locate;
use crate::dom::Node;
use crate::page::Page;
use crate::{Block, Notice, NoticeCode, Place};

use survey::{Survey, heading_level};
use titles::Titles;

/// The text that was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) blocks: Vec<Block>,
    /// Where it stands.
    pub(crate) place: Option<Place>,
}

/// Finds the text of the page's article.
pub(crate) fn find(page: Page<'_>, declared: &Declared<'_>, notices: &mut Vec<Notice>) -> Body {
    let mut survey = Survey::of(page.document.root());
    let Some(choice) = choose::choose(&mut survey, &Titles::of(declared)) else {
        notices.push(Notice::new(NoticeCode::BodyNotFound, "no text was found that could be the article's"));
        return Body::default();
    };
    let selection = select::select(&survey, choice);
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
    let place = locate(root).map(|selector| Place::element(selector, None));
    Body { blocks, place }
}
