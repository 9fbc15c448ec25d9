//! Editor.js: an array of blocks, whose texts are HTML within a line.

use serde_json::Value as Json;

use super::closed::push_closed;
use super::{LeftOut, element, push_text};
use crate::{ExtractError, Pointer};

pub(super) fn write(blocks: &[Json], at: &Pointer, left_out: &mut LeftOut) -> Result<String, ExtractError> {
    let mut writer = Writer { html: String::new(), is_whole: true };
    for (index, block) in blocks.iter().enumerate() {
        let kind = block.get("type").and_then(Json::as_str).unwrap_or_default();
        writer.is_whole = true;
        writer.block(kind, block.get("data").unwrap_or(&Json::Null))?;
        if !writer.is_whole {
            left_out.note(kind, &at.index(index));
        }
    }
    Ok(writer.html)
}

struct Writer {
    html: String,
    /// Whether all of the block at hand was written, as far as is known.
    is_whole: bool,
}

impl Writer {
    fn block(&mut self, kind: &str, data: &Json) -> Result<(), ExtractError> {
        match kind {
            "paragraph" => self.line("p", &data["text"])?,
            "header" => {
                let level = match data["level"].as_u64() {
                    Some(1) => "h1",
                    Some(3) => "h3",
                    Some(4) => "h4",
                    Some(5) => "h5",
                    Some(6) => "h6",
                    // The plugin's own default.
                    _ => "h2",
                };
                self.line(level, &data["text"])?;
            }
            "list" | "nestedList" | "checklist" => {
                self.list(&data["items"], data["style"].as_str() == Some("ordered"))?;
            }
            "quote" => {
                self.html.push_str("<blockquote>");
                self.line("p", &data["text"])?;
                self.line_if_any(&data["caption"])?;
                self.html.push_str("</blockquote>");
            }
            "warning" => {
                self.line_if_any(&data["title"])?;
                self.line_if_any(&data["message"])?;
            }
            "code" => {
                let code = self.string(&data["code"]);
                element(&mut self.html, "pre", |html| push_text(html, code));
            }
            "delimiter" => self.html.push_str("<hr>"),
            "table" => {
                let has_header = data["withHeadings"].as_bool().unwrap_or_default();
                self.table(&data["content"], has_header)?;
            }
            "raw" => {
                let html = self.string(&data["html"]);
                push_closed(&mut self.html, html)?;
            }
            _ => self.is_whole = false,
        }
        Ok(())
    }

    /// A text; what stands in its place and is none is left out.
    fn string<'j>(&mut self, of: &'j Json) -> &'j str {
        self.is_whole &= of.is_string();
        of.as_str().unwrap_or_default()
    }

    fn array<'j>(&mut self, of: &'j Json) -> &'j [Json] {
        self.is_whole &= of.is_array();
        of.as_array().map_or(&[], Vec::as_slice)
    }

    fn line(&mut self, tag: &str, text: &Json) -> Result<(), ExtractError> {
        let text = self.string(text);
        let mut written = Ok(());
        element(&mut self.html, tag, |html| written = push_closed(html, text));
        written
    }

    fn line_if_any(&mut self, text: &Json) -> Result<(), ExtractError> {
        if text.is_null() { Ok(()) } else { self.line("p", text) }
    }

    /// Items are texts, or objects with a text and items of their own.
    fn list(&mut self, items: &Json, ordered: bool) -> Result<(), ExtractError> {
        self.html.push_str(if ordered { "<ol>" } else { "<ul>" });
        for item in self.array(items) {
            let own = if item.is_object() { item } else { &Json::Null };
            let text = [item, &own["content"], &own["text"]].into_iter().find(|text| text.is_string());
            let text = self.string(text.unwrap_or(&Json::Null));
            self.html.push_str("<li>");
            push_closed(&mut self.html, text)?;
            match &own["items"] {
                Json::Null => {}
                Json::Array(inner) if inner.is_empty() => {}
                inner => self.list(inner, ordered)?,
            }
            self.html.push_str("</li>");
        }
        self.html.push_str(if ordered { "</ol>" } else { "</ul>" });
        Ok(())
    }

    fn table(&mut self, rows: &Json, has_header: bool) -> Result<(), ExtractError> {
        self.html.push_str("<table>");
        for (index, row) in self.array(rows).iter().enumerate() {
            self.html.push_str("<tr>");
            for cell in self.array(row) {
                self.line(if has_header && index == 0 { "th" } else { "td" }, cell)?;
            }
            self.html.push_str("</tr>");
        }
        self.html.push_str("</table>");
        Ok(())
    }
}
