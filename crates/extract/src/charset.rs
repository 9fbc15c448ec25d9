//! From bytes to text, as browsers do it: byte order mark, then the `Content-Type` header, then what the page itself declares, then what the bytes
//! are (WHATWG HTML, "determining the character encoding"; Encoding Standard for labels and decoders).

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::memmem;

use crate::{Envelope, Notice, NoticeCode};

/// How far into a page its own declaration is looked for. The standard looks through 1024 bytes before it parses and starts again if a declaration comes
/// later; heads longer than this hold their style sheets, and declare before those.
const PRESCAN_BYTES: usize = 64 * 1024;

/// The text of a page.
pub(crate) fn decode<'a>(envelope: &Envelope<'a>, notices: &mut Vec<Notice>) -> Cow<'a, str> {
    let bytes = envelope.bytes;
    let mut known = |label: &str| {
        let encoding = Encoding::for_label(label.as_bytes());
        if encoding.is_none() {
            notices.push(Notice::new(NoticeCode::CharsetUnknown, label));
        }
        encoding
    };
    let encoding = if let Some(encoding) = of_media_type(envelope.content_type).and_then(&mut known) {
        encoding
    } else {
        let declared = prescan(&bytes[..bytes.len().min(PRESCAN_BYTES)]);
        of_page(bytes, declared.as_deref().and_then(&mut known))
    };
    // `decode` lets a byte order mark go before everything else.
    let (text, used, replaced) = encoding.decode(bytes);
    if replaced {
        notices.push(Notice::new(NoticeCode::CharactersReplaced, used.name()));
    }
    text
}

/// The encoding of a page whose header names none.
///
/// Deviation: the standard believes the page's own declaration. Where the bytes are well-formed UTF-8, and the declared encoding is a
/// single-byte one (to which any bytes are well-formed) or does not allow them, they are read as UTF-8. Text in another encoding is
/// well-formed UTF-8 only by an accident that grows less likely with every letter, while servers that turn a page into UTF-8 and leave its
/// declaration are common.
fn of_page(bytes: &[u8], declared: Option<&'static Encoding>) -> &'static Encoding {
    let is_utf_8 = || std::str::from_utf8(bytes).is_ok();
    let allows = |encoding: &'static Encoding| {
        !encoding.is_single_byte()
            && encoding.decode_without_bom_handling_and_without_replacement(bytes).is_some()
    };
    match declared {
        Some(encoding) if encoding == UTF_8 => UTF_8,
        // A page whose declaration could be read byte by byte is not UTF-16, whatever it says.
        Some(encoding) if encoding == UTF_16BE || encoding == UTF_16LE => UTF_8,
        Some(encoding) if encoding == X_USER_DEFINED => WINDOWS_1252,
        Some(encoding) if is_utf_8() && !allows(encoding) => UTF_8,
        Some(encoding) => encoding,
        // Nothing is declared, and the standard leaves the choice: what is not UTF-8 is from before it.
        None if is_utf_8() => UTF_8,
        None => WINDOWS_1252,
    }
}

/// The `charset` parameter of a media type.
fn of_media_type(media_type: &str) -> Option<&str> {
    media_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
    })
}

/// The encoding that a page declares ("prescan a byte stream to determine its encoding").
fn prescan(bytes: &[u8]) -> Option<String> {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', bytes.get(at..)?) {
        at += found;
        let rest = &bytes[at..];
        if rest.starts_with(b"<!--") {
            // `<!-->` is a whole comment: the dashes may be shared.
            at += 2 + memmem::find(&rest[2..], b"-->")? + 3;
        } else if is_meta(rest) {
            at += 5;
            if let Some(label) = of_meta(bytes, &mut at) {
                return Some(label);
            }
        } else if rest.get(1).is_some_and(u8::is_ascii_alphabetic)
            || rest.starts_with(b"</") && rest.get(2).is_some_and(u8::is_ascii_alphabetic)
        {
            at += rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>')?;
            while attribute(bytes, &mut at).is_some() {}
        } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
            at += memchr::memchr(b'>', rest)?;
        } else {
            at += 1;
        }
    }
    None
}

fn is_meta(rest: &[u8]) -> bool {
    rest.get(1..5).is_some_and(|name| name.eq_ignore_ascii_case(b"meta"))
        && rest.get(5).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/')
}

/// The encoding that one `meta` element declares, by either of the two ways.
fn of_meta(bytes: &[u8], at: &mut usize) -> Option<String> {
    let (mut pragma, mut in_content, mut charset) = (false, None, None);
    while let Some((name, value)) = attribute(bytes, at) {
        let value = || lower(value);
        match &*lower(name) {
            "http-equiv" => pragma |= value() == "content-type",
            "content" => in_content = in_content.or_else(|| of_content(&value())),
            "charset" => charset = charset.or(Some(value()).filter(|value| !value.is_empty())),
            _ => {}
        }
    }
    charset.or(if pragma { in_content } else { None })
}

/// The encoding in `text/html; charset=…` as it stands in a `content` attribute ("extracting a character encoding from a meta element").
fn of_content(content: &str) -> Option<String> {
    let mut rest = content;
    loop {
        rest = &rest[rest.find("charset")? + "charset".len()..];
        if let Some(value) = rest.trim_start().strip_prefix('=') {
            let value = value.trim_start();
            let value = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => value[1..].split_once(quote)?.0,
                _ => value.split(|c: char| c.is_ascii_whitespace() || c == ';').next()?,
            };
            return (!value.is_empty()).then(|| value.to_owned());
        }
    }
}

fn lower(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).to_ascii_lowercase()
}

/// The next attribute of a tag, name and value as they stand ("get an attribute").
fn attribute<'a>(bytes: &'a [u8], at: &mut usize) -> Option<(&'a [u8], &'a [u8])> {
    let mut skip = |stops: &dyn Fn(u8) -> bool| {
        let start = *at;
        while bytes.get(*at).is_some_and(|&byte| !stops(byte)) {
            *at += 1;
        }
        &bytes[start..*at]
    };
    skip(&|byte| !(byte.is_ascii_whitespace() || byte == b'/'));
    let name = skip(&|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'='));
    skip(&|byte| !byte.is_ascii_whitespace());
    if bytes.get(*at) != Some(&b'=') {
        return (!name.is_empty()).then_some((name, &[]));
    }
    *at += 1;
    while bytes.get(*at).is_some_and(u8::is_ascii_whitespace) {
        *at += 1;
    }
    let start = *at;
    let value = if let Some(&quote @ (b'"' | b'\'')) = bytes.get(start) {
        let length = memchr::memchr(quote, &bytes[start + 1..]).unwrap_or(bytes.len() - start - 1);
        *at = (start + length + 2).min(bytes.len());
        &bytes[start + 1..start + 1 + length]
    } else {
        while bytes.get(*at).is_some_and(|byte| !byte.is_ascii_whitespace() && *byte != b'>') {
            *at += 1;
        }
        &bytes[start..*at]
    };
    Some((name, value))
}

#[cfg(test)]
mod tests;
