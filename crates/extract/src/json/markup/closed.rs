//! HTML within HTML: what a piece leaves open ends with it.

use html5ever::local_name;

use super::super::response::fragment;
use super::push_text;
use crate::ExtractError;
use crate::dom::Node;
use crate::text::{Flow, flow};

/// Writes a piece of HTML so that nothing in it reaches beyond it: an element that is not closed, or a comment, would else take in what follows.
pub(super) fn push_closed(html: &mut String, piece: &str) -> Result<(), ExtractError> {
    if piece.contains('<') {
        push_children(html, fragment(piece)?.root());
    } else {
        html.push_str(piece);
    }
    Ok(())
}

fn push_children(html: &mut String, of: Node<'_>) {
    for node in of.children() {
        if let Some(text) = node.as_text() {
            push_text(html, text);
            continue;
        }
        let Some(name) = node.name().filter(|name| flow(name) != Flow::Absent) else { continue };
        let (name, is_void) = match *name {
            local_name!("html") => {
                push_children(html, node);
                continue;
            }
            // Text in these is not escaped, or not ended.
            local_name!("xmp") | local_name!("plaintext") | local_name!("listing") => ("pre", false),
            local_name!("br") | local_name!("hr") | local_name!("wbr") | local_name!("col") => {
                (&**name, true)
            }
            _ => (&**name, false),
        };
        html.extend(["<", name]);
        // What blocks are made of, and by what they are left out.
        for kept in ["href", "class", "role", "hidden", "aria-hidden", "style"] {
            if let Some(value) = node.attribute(kept) {
                html.extend([" ", kept, "=\""]);
                push_text(html, value);
                html.push('"');
            }
        }
        html.push('>');
        if !is_void {
            push_children(html, node);
            html.extend(["</", name, ">"]);
        }
    }
}
