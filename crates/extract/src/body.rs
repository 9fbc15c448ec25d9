//! The article's text among everything else that a page shows.

use crate::declared::Declared;
use crate::dom::NodeId;
use crate::page::Page;
use crate::{Block, Notice, NoticeCode, Place};

/// The text that was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) blocks: Vec<Block>,
    /// The element that holds all of it; `None` where the text was read from elsewhere, or not found.
    pub(crate) container: Option<NodeId>,
    /// The element that the first block was made from.
    pub(crate) first: Option<NodeId>,
    pub(crate) place: Option<Place>,
}

pub(crate) fn find(page: Page<'_>, declared: &Declared, notices: &mut Vec<Notice>) -> Body {
    let _ = (page, declared);
    notices.push(Notice::new(NoticeCode::BodyNotFound, "no text was found that could be the article's"));
    Body::default()
}
