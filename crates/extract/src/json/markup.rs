//! Every way to write a body, as HTML: one builder makes blocks of it, and what it does for pages holds for all of them.

mod closed;
mod editor_js;
mod gutenberg;
mod markdown;
mod portable_text;
mod tree;

use std::borrow::Cow;

use serde_json::Value as Json;

use super::Pointer;
use super::response::wrong_type;
use crate::body::build::SIZE_MAX;
use crate::{BodyFormat, BodyRule, ExtractError, Notice, NoticeCode, Place};

/// The longest text with as much mark-up again; what is longer is not parsed, which would take many times its length.
const DOCUMENT_BYTES_MAX: usize = 2 * SIZE_MAX;

/// The body as HTML. Blocks that can't be written so are noted.
pub(super) fn markup<'a>(
    found: &'a Json,
    rule: &BodyRule,
    left_out: &mut LeftOut,
) -> Result<Cow<'a, str>, ExtractError> {
    let at = &rule.at;
    let text = || found.as_str().ok_or_else(|| wrong_type("body", at, "a string", found));
    let html = match rule.format {
        BodyFormat::Html => return text().map(Cow::from),
        BodyFormat::Markdown => markdown::write(text()?),
        BodyFormat::Plain => plain(text()?),
        BodyFormat::Gutenberg => gutenberg::write(text()?, at, left_out),
        BodyFormat::PortableText
        | BodyFormat::EditorJs
        | BodyFormat::StrapiBlocks
        | BodyFormat::Slate
        | BodyFormat::Lexical => {
            // A document of blocks may stand in a string as well.
            if found.as_str().is_some_and(|text| text.len() > DOCUMENT_BYTES_MAX) {
                return Err(ExtractError::TextTooLong);
            }
            let within = found.as_str().and_then(|text| serde_json::from_str(text).ok());
            if within.is_some() {
                left_out.within = Some(at.clone());
            }
            blocks(within.as_ref().unwrap_or(found), rule, left_out)?
        }
    };
    Ok(html.into())
}

/// A document of blocks as HTML.
fn blocks(document: &Json, rule: &BodyRule, left_out: &mut LeftOut) -> Result<String, ExtractError> {
    let path: &[&str] = match rule.format {
        BodyFormat::EditorJs => &["blocks"],
        BodyFormat::Lexical => &["root", "children"],
        _ => &[],
    };
    let at = path.iter().fold(rule.at.clone(), |at, key| at.key(key));
    let array = path.iter().try_fold(document, |document, key| document.get(key)).and_then(Json::as_array);
    let expected = match rule.format {
        BodyFormat::EditorJs => "an object with `blocks`",
        BodyFormat::Lexical => "an object with `root`",
        _ => "an array",
    };
    let array = array.ok_or_else(|| wrong_type("body", &rule.at, expected, document))?;
    Ok(match rule.format {
        BodyFormat::EditorJs => editor_js::write(array, &at, left_out)?,
        BodyFormat::StrapiBlocks => tree::write(array, &at, tree::strapi, left_out),
        BodyFormat::Slate => tree::write(array, &at, tree::slate, left_out),
        BodyFormat::Lexical => tree::write(array, &at, tree::lexical, left_out),
        _ => portable_text::write(array, &at, left_out),
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

/// Writes text within the elements that mark it.
fn push_marked(html: &mut String, text: &str, tags: impl Iterator<Item = &'static str>) {
    let tags: Vec<&str> = tags.collect();
    for tag in &tags {
        html.extend(["<", tag, ">"]);
    }
    push_text(html, text);
    for tag in tags.iter().rev() {
        html.extend(["</", tag, ">"]);
    }
}

/// Writes an element and what is in it.
fn element(html: &mut String, tag: &str, write: impl FnOnce(&mut String)) {
    html.extend(["<", tag, ">"]);
    write(html);
    html.extend(["</", tag, ">"]);
}

/// The blocks that were left out of a body, by type.
#[derive(Default)]
pub(super) struct LeftOut {
    /// The place of the string that the document stands in: no pointer leads into it.
    within: Option<Pointer>,
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
            self.types.push((name, self.within.as_ref().unwrap_or(at).clone(), 1));
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
