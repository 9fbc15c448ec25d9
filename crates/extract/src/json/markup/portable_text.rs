//! Portable Text: an array of blocks; items of lists are blocks with a level, and marks refer to definitions in their block.

use std::collections::HashMap;

use serde_json::Value as Json;

use super::{LeftOut, element, push_link, push_text};
use crate::Pointer;

/// Deeper levels are read as this one; editors offer ten at most.
const LEVEL_MAX: usize = 12;

pub(super) fn write(blocks: &[Json], at: &Pointer, left_out: &mut LeftOut) -> String {
    let mut writer = Writer { html: String::new(), lists: Vec::new(), left_out };
    for (index, block) in blocks.iter().enumerate() {
        writer.block(block, &at.index(index));
    }
    writer.close_lists(0);
    writer.html
}

struct Writer<'l> {
    html: String,
    /// The lists that are open, outermost first.
    lists: Vec<&'static str>,
    left_out: &'l mut LeftOut,
}

impl Writer<'_> {
    fn block(&mut self, block: &Json, at: &Pointer) {
        let kind = name(block);
        let list = block.get("listItem").and_then(Json::as_str).filter(|_| kind == "block");
        if list.is_none() {
            self.close_lists(0);
        }
        match (kind, list) {
            ("block", Some(list)) => {
                let level = block.get("level").and_then(Json::as_u64).unwrap_or(1);
                let level = usize::try_from(level).unwrap_or(LEVEL_MAX).clamp(1, LEVEL_MAX);
                self.open_list(level, if list == "number" { "ol" } else { "ul" });
                self.text("li", block, at);
            }
            ("block", None) => {
                let style = match block.get("style").and_then(Json::as_str) {
                    Some("h1") => "h1",
                    Some("h2") => "h2",
                    Some("h3") => "h3",
                    Some("h4") => "h4",
                    Some("h5") => "h5",
                    Some("h6") => "h6",
                    Some("blockquote") => "blockquote",
                    _ => "p",
                };
                self.text(style, block, at);
            }
            ("code", None) if block.get("code").is_some_and(Json::is_string) => {
                element(&mut self.html, "pre", |html| push_text(html, string(block, "code")));
            }
            ("table", None) if block.get("rows").is_some_and(Json::is_array) => self.table(block, at),
            ("break" | "divider" | "hr" | "horizontalRule", None) => self.html.push_str("<hr>"),
            (other, _) => self.left_out.note(other, at),
        }
    }

    fn open_list(&mut self, level: usize, kind: &'static str) {
        self.close_lists(level);
        if self.lists.len() == level && self.lists.last() != Some(&kind) {
            self.close_lists(level - 1);
        }
        while self.lists.len() < level {
            self.lists.push(kind);
            self.html.push_str(if kind == "ol" { "<ol>" } else { "<ul>" });
        }
    }

    /// Closes the lists below a level.
    fn close_lists(&mut self, level: usize) {
        while self.lists.len() > level {
            self.html.push_str(if self.lists.pop() == Some("ol") { "</ol>" } else { "</ul>" });
        }
    }

    /// The spans of a block.
    fn text(&mut self, tag: &str, block: &Json, at: &Pointer) {
        let definitions = block.get("markDefs").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        // Of several with one key the first counts.
        let addresses: HashMap<&str, Option<&str>> = definitions
            .iter()
            .rev()
            .map(|definition| (string(definition, "_key"), definition.get("href").and_then(Json::as_str)))
            .collect();
        let address = |mark: &str| addresses.get(mark).copied().flatten();
        let Some(children) = block.get("children").and_then(Json::as_array) else {
            return self.left_out.note(name(block), at);
        };
        let (html, left_out) = (&mut self.html, &mut *self.left_out);
        element(html, tag, |html| {
            // A link goes on over the spans that bear it.
            let mut link = None;
            for (index, span) in children.iter().enumerate() {
                if name(span) != "span" || !span["text"].is_string() {
                    left_out.note(name(span), &at.key("children").index(index));
                    continue;
                }
                let marks = span.get("marks").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
                let marks = marks.iter().filter_map(Json::as_str);
                let own = marks.clone().find_map(address);
                if own != link {
                    if link.is_some() {
                        html.push_str("</a>");
                    }
                    if let Some(own) = own {
                        push_link(html, own);
                    }
                    link = own;
                }
                super::push_marked(html, string(span, "text"), marks.filter_map(tag_of));
            }
            if link.is_some() {
                html.push_str("</a>");
            }
        });
    }

    /// A table of Sanity's plugin: rows of cells, all text.
    fn table(&mut self, block: &Json, at: &Pointer) {
        let rows = block.get("rows").and_then(Json::as_array).into_iter().flatten();
        let mut is_whole = true;
        element(&mut self.html, "table", |html| {
            for row in rows {
                let cells = row.get("cells").and_then(Json::as_array);
                is_whole &= cells.is_some();
                element(html, "tr", |html| {
                    for cell in cells.into_iter().flatten() {
                        is_whole &= cell.is_string() || cell.is_null();
                        element(html, "td", |html| push_text(html, cell.as_str().unwrap_or_default()));
                    }
                });
            }
        });
        if !is_whole {
            self.left_out.note(name(block), at);
        }
    }
}

/// The type of a block or span.
fn name(of: &Json) -> &str {
    string(of, "_type")
}

fn string<'j>(of: &'j Json, key: &str) -> &'j str {
    of.get(key).and_then(Json::as_str).unwrap_or_default()
}

fn tag_of(decorator: &str) -> Option<&'static str> {
    Some(match decorator {
        "strong" => "strong",
        "em" => "em",
        "code" => "code",
        "strike-through" => "s",
        "sub" => "sub",
        "sup" => "sup",
        _ => return None,
    })
}
