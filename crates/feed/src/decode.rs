//! From bytes to text.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// How much of a document is looked at for its XML declaration: as much as the WHATWG lets a parser look for
/// a charset.
const DECLARATION_BYTES_MAX: usize = 1024;

/// A document's text from its first character on, as [`decode`] makes it.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    whole: Cow<'a, str>,
    /// Where the text begins, after marks and white space.
    begin: usize,
    /// Whether something was replaced because it is not of the encoding.
    pub(crate) is_lossy: bool,
}

impl Text<'_> {
    /// The text, without byte order mark and white space at its beginning.
    pub fn as_str(&self) -> &str {
        &self.whole[self.begin..]
    }

    /// The same text in memory of its own.
    pub fn into_owned(self) -> Text<'static> {
        Text { whole: Cow::Owned(self.whole.into_owned()), begin: self.begin, is_lossy: self.is_lossy }
    }

    /// Whether something was replaced because it is not of the document's encoding.
    pub fn is_lossy(&self) -> bool {
        self.is_lossy
    }

    pub(crate) fn first(&self) -> Option<char> {
        self.as_str().chars().next()
    }
}

/// Decodes a document by the first of the encodings said for it that all of it fits, as the [crate's
/// notes](crate#how-it-is-read) have it. UTF-8 is not copied.
///
/// `content_type` is the header as it came; only its charset counts.
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Text<'a> {
    let said = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => [Some(encoding), None, None],
        None => [
            content_type.and_then(charset).and_then(|label| Encoding::for_label(label.as_bytes())),
            declared(bytes),
            Some(UTF_8),
        ],
    };
    let mut lossy = None;
    for encoding in said.into_iter().flatten() {
        let (text, _, is_lossy) = encoding.decode(bytes);
        if !is_lossy {
            return begin(text, false);
        }
        lossy.get_or_insert(text);
    }
    begin(lossy.unwrap_or_default(), true)
}

/// As [`decode`], for bytes that are given away: UTF-8 keeps the memory it is in.
pub fn decode_owned(mut bytes: Vec<u8>, content_type: Option<&str>) -> Text<'static> {
    let Text { whole, begin, is_lossy } = decode(&bytes, content_type);
    let whole = match whole {
        Cow::Owned(text) => text,
        Cow::Borrowed(text) => {
            // What is missing is a byte order mark.
            let mark = bytes.len() - text.len();
            bytes.drain(..mark);
            String::from_utf8(bytes).unwrap_or_default()
        }
    };
    Text { whole: Cow::Owned(whole), begin, is_lossy }
}

fn begin(whole: Cow<'_, str>, is_lossy: bool) -> Text<'_> {
    // Some servers write a byte order mark more than once.
    let is_before = |first: char| first.is_whitespace() || matches!(first, '\u{FEFF}' | '\0');
    let begin = whole.len() - whole.trim_start_matches(is_before).len();
    Text { whole, begin, is_lossy }
}

/// The charset parameter of a Content-Type.
fn charset(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches('"'))
    })
}

/// The encoding that the XML declaration says, or that it is written in.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [0, b'<', ..] => return Some(UTF_16BE),
        [b'<', 0, ..] => return Some(UTF_16LE),
        _ => {}
    }
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES_MAX)];
    let declaration = head.trim_ascii_start().strip_prefix(b"<?xml")?;
    let end = declaration.iter().position(|&byte| byte == b'>')?;
    let declaration = std::str::from_utf8(&declaration[..end]).ok()?;
    let (_, after) = declaration.split_once("encoding")?;
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let (label, _) = value[1..].split_once(quote)?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    // What could be read so far is not UTF-16, whatever it says (as WHATWG has it for pages).
    Some(if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding })
}
