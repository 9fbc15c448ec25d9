//! Tags with more attributes than any author writes, cut before the tokenizer sees them.
//!
//! The tokenizer compares each attribute of a tag with all before it, so that one tag of 100,000 attributes takes as long as a million ordinary ones. This
//! scan finds such tags in one pass over the text, following the tag states of the WHATWG tokenizer, and copies the text only where there is one.

use std::borrow::Cow;

use memchr::{memchr, memmem};

/// HTML defines some 30 attributes an element and pages add their own; the most seen on an article is below 100.
const ATTRIBUTES_MAX: usize = 512;

/// Elements whose content holds no tags, as far as the tokenizer is concerned.
const RAW: [&str; 8] = ["iframe", "noembed", "noframes", "noscript", "script", "style", "textarea", "title"];

/// The text with no tag over the limit, and whether something was cut.
pub(super) fn bounded(text: &str) -> (Cow<'_, str>, bool) {
    let bytes = text.as_bytes();
    let mut kept = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        at += found + 1;
        let closing = bytes.get(at) == Some(&b'/');
        let name_at = at + usize::from(closing);
        match bytes.get(name_at) {
            Some(first) if first.is_ascii_alphabetic() => {}
            Some(b'!') if bytes[at..].starts_with(b"!--") => {
                at = memmem::find(&bytes[at..], b"-->").map_or(bytes.len(), |end| at + end);
                continue;
            }
            _ => continue,
        }
        let name_end =
            end_of(bytes, name_at, |byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
        let tag = Tag::scan(bytes, name_end);
        if let Some(cut) = tag.cut {
            // Both ends are ASCII bytes or the end of the text, so they are character boundaries.
            kept.push_str(text.get(copied..cut).unwrap_or_default());
            copied = tag.end;
        }
        at = tag.end;
        if !closing
            && let Some(raw) = RAW
                .iter()
                .find(|raw| text.get(name_at..name_end).is_some_and(|name| name.eq_ignore_ascii_case(raw)))
        {
            at = raw_end(bytes, at, raw);
        }
    }
    if copied == 0 {
        return (text.into(), false);
    }
    kept.push_str(text.get(copied..).unwrap_or_default());
    (kept.into(), true)
}

struct Tag {
    /// Where the first attribute over the limit begins.
    cut: Option<usize>,
    /// Where the tag's `>` stands, or the text ends.
    end: usize,
}

impl Tag {
    fn scan(bytes: &[u8], mut at: usize) -> Self {
        let mut count = 0;
        let mut cut = None;
        loop {
            at = end_of(bytes, at, |byte| !(byte.is_ascii_whitespace() || byte == b'/'));
            match bytes.get(at) {
                None | Some(b'>') => return Self { cut, end: at },
                Some(_) => {}
            }
            count += 1;
            if count > ATTRIBUTES_MAX && cut.is_none() {
                cut = Some(at);
            }
            // A name may begin with `=`; it ends before the next one.
            at = end_of(bytes, at + 1, |byte| {
                byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'=')
            });
            let value = end_of(bytes, at, |byte| !byte.is_ascii_whitespace());
            if bytes.get(value) != Some(&b'=') {
                continue;
            }
            at = end_of(bytes, value + 1, |byte| !byte.is_ascii_whitespace());
            at = match bytes.get(at) {
                Some(&quote @ (b'"' | b'\'')) => {
                    memchr(quote, &bytes[at + 1..]).map_or(bytes.len(), |end| at + 1 + end + 1)
                }
                _ => end_of(bytes, at, |byte| byte.is_ascii_whitespace() || byte == b'>'),
            };
        }
    }
}

/// The first position from `at` whose byte `stops`, or the end.
fn end_of(bytes: &[u8], at: usize, stops: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|&byte| stops(byte)).map_or(bytes.len(), |end| at + end)
}

/// Where the end tag of a raw text element begins.
fn raw_end(bytes: &[u8], mut at: usize, name: &str) -> usize {
    while let Some(found) = memmem::find(&bytes[at..], b"</") {
        at += found;
        let candidate = bytes.get(at + 2..at + 2 + name.len());
        if candidate.is_some_and(|candidate| candidate.eq_ignore_ascii_case(name.as_bytes())) {
            return at;
        }
        at += 2;
    }
    bytes.len()
}
