//! Editor.js: an array of blocks, whose texts are HTML within a line.

use serde_json::Value as Json;

use super::closed::push_closed;
use super::{LeftOut, element, push_text};
use crate::{ExtractError, Pointer};

pub(super) fn write(blocks: &[Json], at: &Pointer, left_out: &mut LeftOut) -> Result<String, ExtractError> {
    let mut html = String::new();
    for (index, block) in blocks.iter().enumerate() {
        let kind = string(block, "type");
        let data = block.get("data").unwrap_or(&Json::Null);
        match kind {
            "paragraph" => line(&mut html, "p", string(data, "text"))?,
            "header" => {
                let level = match data.get("level").and_then(Json::as_u64) {
                    Some(1) => "h1",
                    Some(3) => "h3",
                    Some(4) => "h4",
                    Some(5) => "h5",
                    Some(6) => "h6",
                    // The plugin's own default.
                    _ => "h2",
                };
                line(&mut html, level, string(data, "text"))?;
            }
            "list" | "nestedList" | "checklist" => list(&mut html, data, string(data, "style") == "ordered")?,
            "quote" => {
                html.push_str("<blockquote>");
                line(&mut html, "p", string(data, "text"))?;
                line(&mut html, "p", string(data, "caption"))?;
                html.push_str("</blockquote>");
            }
            "warning" => {
                line(&mut html, "p", string(data, "title"))?;
                line(&mut html, "p", string(data, "message"))?;
            }
            "code" => element(&mut html, "pre", |html| push_text(html, string(data, "code"))),
            "delimiter" => html.push_str("<hr>"),
            "table" => table(&mut html, data)?,
            "raw" => push_closed(&mut html, string(data, "html"))?,
            other => left_out.note(other, &at.index(index)),
        }
    }
    Ok(html)
}

fn string<'j>(of: &'j Json, key: &str) -> &'j str {
    of.get(key).and_then(Json::as_str).unwrap_or_default()
}

fn array<'j>(of: &'j Json, key: &str) -> &'j [Json] {
    of.get(key).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

fn line(html: &mut String, tag: &str, text: &str) -> Result<(), ExtractError> {
    let mut written = Ok(());
    element(html, tag, |html| written = push_closed(html, text));
    written
}

/// Items are texts, or objects with a text and items of their own.
fn list(html: &mut String, data: &Json, ordered: bool) -> Result<(), ExtractError> {
    html.push_str(if ordered { "<ol>" } else { "<ul>" });
    for item in array(data, "items") {
        let text = item.as_str().unwrap_or_else(|| match string(item, "content") {
            "" => string(item, "text"),
            content => content,
        });
        html.push_str("<li>");
        push_closed(html, text)?;
        if !array(item, "items").is_empty() {
            list(html, item, ordered)?;
        }
        html.push_str("</li>");
    }
    html.push_str(if ordered { "</ol>" } else { "</ul>" });
    Ok(())
}

fn table(html: &mut String, data: &Json) -> Result<(), ExtractError> {
    let has_header = data.get("withHeadings").and_then(Json::as_bool).unwrap_or_default();
    html.push_str("<table>");
    for (index, row) in array(data, "content").iter().enumerate() {
        html.push_str("<tr>");
        for cell in row.as_array().into_iter().flatten() {
            let tag = if has_header && index == 0 { "th" } else { "td" };
            line(html, tag, cell.as_str().unwrap_or_default())?;
        }
        html.push_str("</tr>");
    }
    html.push_str("</table>");
    Ok(())
}
