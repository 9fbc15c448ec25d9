//! Tags with more attributes than any author writes, cut before the tokenizer sees them.
//!
//! The tokenizer compares each attribute of a tag with all before it, so that one tag of 100,000 attributes takes as long as a million ordinary ones. This
//! scan finds such tags in one pass over the text, following the tag states of the WHATWG tokenizer, and copies the text only where there is one.

use std::borrow::Cow;

use memchr::{memchr, memmem};

/// HTML defines some 30 attributes an element and pages add their own; of 867 real pages one has an element with 99, and that by a missing
/// quotation mark. A page full of tags at the limit is still read in a tenth of a second a megabyte.
pub(super) const ATTRIBUTES_MAX: usize = 128;

/// The element of this name whose content holds no tags, as far as the tokenizer is concerned.
fn raw(name: &[u8]) -> Option<&'static [u8]> {
    const RAW: [&[u8]; 8] =
        [b"iframe", b"noembed", b"noframes", b"noscript", b"script", b"style", b"textarea", b"title"];
    // All of them have five letters or more and begin with one of four, which most names don't.
    let is_like = name.len() >= 5 && matches!(name[0] | 0x20, b'i' | b'n' | b's' | b't');
    is_like.then(|| RAW.into_iter().find(|raw| raw.eq_ignore_ascii_case(name)))?
}

/// The text with no tag over the limit: a new one where something was cut.
pub(super) fn bounded(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut kept = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(opened) = next_tag(bytes, at) {
        at = opened + 1;
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
        let name_end = skip(bytes, name_at, !(SPACE | SLASH | END));
        let tag = Tag::scan(bytes, name_end);
        if let Some(cut) = tag.cut {
            // Both ends are ASCII bytes or the end of the text, so they are character boundaries.
            kept.push_str(text.get(copied..cut).unwrap_or_default());
            copied = tag.end;
        }
        at = tag.end;
        if !closing && let Some(raw) = raw(&bytes[name_at..name_end]) {
            at = raw_end(bytes, at, raw);
        }
    }
    if copied == 0 {
        return text.into();
    }
    kept.push_str(text.get(copied..).unwrap_or_default());
    kept.into()
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
            at = skip(bytes, at, SPACE | SLASH);
            match bytes.get(at) {
                None | Some(b'>') => return Self { cut, end: at },
                Some(_) => {}
            }
            count += 1;
            if count > ATTRIBUTES_MAX && cut.is_none() {
                cut = Some(at);
            }
            // A name may begin with `=`; it ends before the next one.
            at = skip(bytes, at + 1, !(SPACE | SLASH | END | EQUALS));
            let value = skip(bytes, at, SPACE);
            if bytes.get(value) != Some(&b'=') {
                continue;
            }
            at = skip(bytes, value + 1, SPACE);
            at = match bytes.get(at) {
                Some(&quote @ (b'"' | b'\'')) => {
                    memchr(quote, &bytes[at + 1..]).map_or(bytes.len(), |end| at + 1 + end + 1)
                }
                _ => skip(bytes, at, !(SPACE | END)),
            };
        }
    }
}

/// Where the next `<` stands. Most stand close by, where calling the search costs more than looking.
fn next_tag(bytes: &[u8], at: usize) -> Option<usize> {
    const NEAR: usize = 16;
    let rest = bytes.get(at..)?;
    let (near, far) = rest.split_at(rest.len().min(NEAR));
    let found = near.iter().position(|&byte| byte == b'<');
    found.or_else(|| memchr(b'<', far).map(|found| near.len() + found)).map(|found| at + found)
}

// What a byte does in a tag.
const SPACE: u8 = 1;
const SLASH: u8 = 2;
const END: u8 = 4;
const EQUALS: u8 = 8;
const OTHER: u8 = 16;

static CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    classes[b'\t' as usize] = SPACE;
    classes[b'\n' as usize] = SPACE;
    classes[b'\x0c' as usize] = SPACE;
    classes[b'\r' as usize] = SPACE;
    classes[b' ' as usize] = SPACE;
    classes[b'/' as usize] = SLASH;
    classes[b'>' as usize] = END;
    classes[b'=' as usize] = EQUALS;
    classes
};

/// The first position from `at` whose byte is of none of these classes, or the end.
fn skip(bytes: &[u8], mut at: usize, classes: u8) -> usize {
    while bytes.get(at).is_some_and(|&byte| CLASSES[usize::from(byte)] & classes != 0) {
        at += 1;
    }
    at.min(bytes.len())
}

/// Where the end tag of a raw text element begins.
fn raw_end(bytes: &[u8], mut at: usize, name: &[u8]) -> usize {
    while let Some(found) = memmem::find(&bytes[at..], b"</") {
        at += found;
        let candidate = bytes.get(at + 2..at + 2 + name.len());
        if candidate.is_some_and(|candidate| candidate.eq_ignore_ascii_case(name)) {
            return at;
        }
        at += 2;
    }
    bytes.len()
}
