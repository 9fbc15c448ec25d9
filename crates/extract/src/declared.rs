//! What a page declares about itself: JSON-LD, microdata, `meta` and `link` elements.

use crate::Notice;
use crate::page::Page;

/// What the page declares, parsed once.
#[derive(Debug, Default)]
pub(crate) struct Declared {}

pub(crate) fn read(page: Page<'_>, notices: &mut Vec<Notice>) -> Declared {
    let _ = (page, notices);
    Declared::default()
}
