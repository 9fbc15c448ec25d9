//! The one normalisation a copied value goes through: white space and character references.

use std::borrow::Cow;

use html5ever::data::NAMED_ENTITIES;

use crate::text::normalise;

/// The longest name of a character reference, `CounterClockwiseContourIntegral;`, is 32 bytes;
/// nothing further away is looked at for its semicolon.
const REFERENCE_BYTES_MAX: usize = 32;

/// The text with each character reference replaced, once, by what it stands for.
///
/// Only references that end in a semicolon count: `R&D` and `?a=1&copy=2` stay as they are.
pub(crate) fn decode_references(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('&') else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len());
    let (before, mut rest) = text.split_at(first);
    out.push_str(before);
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        rest = if let Some((decoded, length)) = reference(from) {
            out.push_str(&decoded);
            from.get(length..).unwrap_or_default()
        } else {
            out.push('&');
            from.get(1..).unwrap_or_default()
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// A declared string as its author meant it: references decoded, then white space squeezed.
pub(crate) fn plain(text: &str) -> String {
    normalise(&decode_references(text))
}

/// What the reference at the start of `from` stands for, and how many bytes it takes.
fn reference(from: &str) -> Option<(String, usize)> {
    let end = from.bytes().take(REFERENCE_BYTES_MAX + 2).position(|byte| byte == b';')?;
    let name = from.get(1..=end)?; // with its semicolon, as the table has it
    let decoded = if let Some(number) = name.strip_prefix('#') {
        let number = number.strip_suffix(';')?;
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
            None => number.parse().ok()?,
        };
        // A reference to a control character says nothing a reader could see.
        let decoded = char::from_u32(code)?;
        if decoded.is_control() && !decoded.is_whitespace() {
            return None;
        }
        decoded.to_string()
    } else {
        let &(first, second) = NAMED_ENTITIES.get(name)?;
        let first = char::from_u32(first).filter(|c| *c != '\0')?;
        let second = char::from_u32(second).filter(|c| *c != '\0');
        std::iter::once(first).chain(second).collect()
    };
    Some((decoded, end + 1))
}
