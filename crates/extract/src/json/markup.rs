//! Every way to write a body, as HTML: one builder makes blocks of it, and what it does for pages holds for all of them.

mod markdown;

use std::borrow::Cow;

use serde_json::Value as Json;

use super::Pointer;
use super::response::wrong_type;
use crate::{BodyFormat, BodyRule, ExtractError, Notice, NoticeCode, Place};

/// The body as HTML. Blocks that can't be written so are noted.
pub(super) fn markup<'a>(
    found: &'a Json,
    rule: &BodyRule,
    left_out: &mut LeftOut,
) -> Result<Cow<'a, str>, ExtractError> {
    let text = || found.as_str().ok_or_else(|| wrong_type("body", &rule.at, "a string", found));
    Ok(match rule.format {
        BodyFormat::Html => text()?.into(),
        BodyFormat::Markdown => markdown::write(text()?).into(),
        BodyFormat::Plain => plain(text()?).into(),
        other => {
            left_out.note(other.as_str(), &rule.at);
            "".into()
        }
    })
}

/// Plain text: lines that say nothing part paragraphs.
fn plain(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 8);
    for line in text.lines() {
        if line.trim().is_empty() {
            html.push_str("<p>");
        } else {
            push_text(&mut html, line);
            html.push('\n');
        }
    }
    html
}

/// Writes text so that it stays text.
fn push_text(html: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            c => html.push(c),
        }
    }
}

/// Writes the start of a link.
fn push_link(html: &mut String, address: &str) {
    html.push_str("<a href=\"");
    push_text(html, address);
    html.push_str("\">");
}

/// The blocks that were left out of a body, by type.
#[derive(Default)]
pub(super) struct LeftOut {
    /// Type, where the first one stands, how many.
    types: Vec<(String, Pointer, usize)>,
    more: usize,
}

/// Editors have a few dozen types of blocks.
const TYPES_MAX: usize = 32;
/// Names of types are short; what is longer is cut.
const TYPE_CHARS_MAX: usize = 64;

impl LeftOut {
    fn note(&mut self, name: &str, at: &Pointer) {
        let name: String = name.chars().take(TYPE_CHARS_MAX).collect();
        if let Some((.., count)) = self.types.iter_mut().find(|(known, ..)| *known == name) {
            *count += 1;
        } else if self.types.len() < TYPES_MAX {
            self.types.push((name, at.clone(), 1));
        } else {
            self.more += 1;
        }
    }

    /// One notice for each type.
    pub(super) fn notices(self) -> impl Iterator<Item = Notice> {
        let left_out = |detail: String| Notice::new(NoticeCode::BlockLeftOut, detail);
        let more = (self.more > 0).then(|| left_out(format!("{} blocks of yet other types", self.more)));
        let of_types = self.types.into_iter().map(move |(name, at, count)| {
            let times = if count == 1 { String::new() } else { format!(", {count} times") };
            left_out(format!("`{name}`{times}")).at(Place::json(at))
        });
        of_types.chain(more)
    }
}
