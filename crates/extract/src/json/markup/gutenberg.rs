//! Block mark-up as WordPress keeps it: HTML, with a comment where each block begins and ends.
//!
//! What a block shows stands between its comments, except for dynamic ones, which the server makes when a page is asked for: they are one comment that
//! closes itself (`<!-- wp:latest-posts /-->`), or hold a shortcode, or nothing.

use super::LeftOut;
use crate::Pointer;

/// The HTML between the comments, without blocks that the server makes.
pub(super) fn write(text: &str, at: &Pointer, left_out: &mut LeftOut) -> String {
    let mut html = String::with_capacity(text.len());
    let mut rest = text;
    // The block that the last comment began.
    let mut begun: Option<&str> = None;
    while let Some((before, comment, after)) = next_comment(rest) {
        html.push_str(before);
        rest = after;
        if let Some(name) = begun.filter(|name| before.trim().is_empty() && ended(comment) == Some(name)) {
            left_out.note(name, at);
        }
        begun = block(comment).filter(|name| !comment.ends_with('/') && *name != "shortcode");
        if let Some(name) = block(comment).filter(|_| comment.ends_with('/')) {
            left_out.note(name, at);
        } else if block(comment) == Some("shortcode") {
            left_out.note("shortcode", at);
            rest = after.find(SHORTCODE_END).map_or("", |end| &after[end..]);
        }
    }
    html.push_str(rest);
    html
}

const SHORTCODE_END: &str = "<!-- /wp:shortcode";

/// What stands before the next comment, in it and after it.
fn next_comment(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("<!--")?;
    let (comment, after) = rest.split_once("-->")?;
    Some((before, comment.trim(), after))
}

/// The name of the block that a comment ends.
fn ended(comment: &str) -> Option<&str> {
    comment.strip_prefix("/wp:").map(str::trim)
}

/// The name of the block that a comment begins.
fn block(comment: &str) -> Option<&str> {
    comment.strip_prefix("wp:")?.split([' ', '\n', '{']).next()?.trim_end_matches('/').into()
}
