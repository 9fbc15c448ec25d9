//! The descriptor of a page.

use crate::body::Body;
use crate::declared::Declared;
use crate::page::Page;
use crate::{Descriptor, Field, Notice, Place, Relation, Value};

pub(crate) fn read(
    page: Page<'_>,
    declared: &Declared,
    body: &Body,
    notices: &mut Vec<Notice>,
) -> (Descriptor, Option<Relation>) {
    let _ = (declared, body, notices);
    let mut descriptor = Descriptor::default();
    let html = page.document.root().children().find(|node| node.name().is_some());
    if let Some(language) = html.and_then(|html| html.attribute("lang"))
        && let Ok(selector) = "html".parse()
    {
        descriptor.add(Field::Language, Value::new(language, Place::element(selector, Some("lang"))));
    }
    (descriptor, None)
}
