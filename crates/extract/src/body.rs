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
use crate::dom::{Node, NodeId};
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
    let beside: Vec<NodeId> = {
        let within = selection.root..survey.elements[selection.root].end;
        let mut ids: Vec<NodeId> = survey.elements[within]
            .iter()
            .filter(|element| element.beside)
            .map(|element| element.node.id())
            .collect();
        ids.sort_unstable();
        ids
    };
    let omit = |node: Node<'_>| beside.binary_search(&node.id()).is_ok();
    let omit_leaf = |node: Node<'_>| selection.omitted.binary_search(&node.id()).is_ok();
    let blocks = build::Builder::new(&omit, &omit_leaf).build(root);
    let place = locate(root).map(|selector| Place::element(selector, None));
    Body { blocks, place }
}
