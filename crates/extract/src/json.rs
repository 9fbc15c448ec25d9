//! Articles that come as JSON: the WordPress REST API, and any CMS whose fields the source's configuration maps.
//!
//! Of a response nothing is searched for: a value is read where the rules say, or not at all. What is `null` or an empty string there is absent (R12);
//! what is of another type than agreed stops the read (R5).

mod markup;
mod pointer;
mod response;
mod wordpress;

pub use pointer::{Pointer, PointerError};

use crate::{Article, Descriptor, Envelope, ExtractError, Field, JsonRules, Rules};
use response::{Agreed, Response};

pub(crate) use wordpress::extract as wordpress;

/// Copies an article out of JSON whose fields are mapped.
pub(crate) fn mapped(envelope: &Envelope<'_>, rules: &JsonRules) -> Result<Article, ExtractError> {
    let response = Response::parse(envelope, Agreed::Mapped(rules))?;
    let mut notices = Vec::new();
    let mut descriptor = Descriptor::default();
    for (&field, rule) in &rules.fields {
        let values = response.values(field.as_str(), rule)?;
        let is_date = matches!(field, Field::Published | Field::Modified);
        for value in values.into_iter().filter(|value| !is_date || !is_no_date(&value.text)) {
            descriptor.add(field, value);
        }
    }
    let body = match &rules.body {
        Some(rule) => response.body(rule, &mut notices)?,
        None => response::Body::default(),
    };
    let identifier = response.identifier(rules.identifier.as_ref())?;
    let own = [identifier.as_ref(), descriptor.canonical.as_ref()];
    let relation = response.relation(rules.original.as_ref(), own, &mut notices)?;
    Ok(Article { blocks: body.blocks, body: body.place, descriptor, identifier, relation, notices })
}

/// What stands at a place of a response: see [`look_up`](crate::look_up).
pub(crate) fn look_up(envelope: &Envelope<'_>, rules: &Rules, at: &Pointer) -> Option<String> {
    let agreed = match rules {
        Rules::WordPress(rules) => Agreed::WordPress(rules),
        Rules::Json(rules) => Agreed::Mapped(rules),
        Rules::Page(_) => return None,
    };
    Response::parse(envelope, agreed).ok()?.look_up(at)
}

/// Whether a date is what systems write where they have none: MySQL's zero, PHP's rendering of it, the zero of Go and .NET.
fn is_no_date(text: &str) -> bool {
    ["0000-", "-0001-", "0001-01-01"].iter().any(|none| text.starts_with(none))
}

#[cfg(test)]
mod tests;
