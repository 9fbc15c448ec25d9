//! JSON as pages write it into their scripts: read strictly where it is JSON, repaired where what was
//! meant is beyond doubt, and refused otherwise.
//!
//! A repair is a rewriting of the text into JSON, so that everything behind it reads JSON alone. Mended are
//! raw line ends and other control characters within strings, superfluous and missing commas, comments and the wrappers `<!-- -->` and
//! `<![CDATA[ ]]>`, a string in single quotes, `\'`, a text whose quotation marks were all written as `&quot;`, what follows
//! the closing bracket, and several values in a row (read as an array). A string with an unescaped quotation mark inside
//! has no certain end: what surrounds it is read, and in its own place stands `null`; so it does in the place of the texts directly before it,
//! which may go on into it. Brackets that do not match have no
//! certain reading at all.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::plain;

/// How far behind a quotation mark the next name is looked for, when it has to be told whether the mark ends its
/// string. The longest names that schema.org has are under 40 bytes; this also keeps the repair linear.
const NAME_BYTES_MAX: usize = 128;

/// A JSON value that keeps its members in the order, and as often, as they were written.
#[derive(Debug, PartialEq)]
pub(crate) enum Json<'a> {
    /// `null`, and every value that is copied from nowhere: `true`, `1.5`.
    Other,
    Bool(bool),
    Integer(i128),
    String(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'a> Json<'a> {
    /// Reads strict JSON, borrowing every string that holds no escape.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The member of that name, where the object has exactly one, or several that say the same.
    ///
    /// RFC 8259 leaves open which of two members of one name counts, so neither does. Names are compared
    /// without regard to case, and then without schema.org's prefix, as a last resort: `datemodified` and
    /// `schema:headline` are met in the wild, schema.org has no two names that differ in case alone, and nobody calls
    /// another vocabulary by its name.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else {
            return None;
        };
        let one = |same: &dyn Fn(&str) -> bool| {
            let mut found = members.iter().filter(|(key, _)| same(key));
            let (_, first) = found.next()?;
            Some(found.all(|(_, other)| other == first).then_some(first))
        };
        one(&|key| key == name)
            .or_else(|| one(&|key| key.eq_ignore_ascii_case(name)))
            .or_else(|| one(&|key| without_vocabulary(key) == Some(name)))
            .flatten()
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The values themselves of an array, or the one value where there is no array: JSON-LD treats both alike.
    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            one => std::slice::from_ref(one),
        }
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Whether it can hold further values.
    pub(crate) fn is_container(&self) -> bool {
        matches!(self, Self::Object(_) | Self::Array(_))
    }

    /// The same value, holding its own strings.
    pub(crate) fn into_owned(self) -> Json<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Other => Json::Other,
            Self::Bool(value) => Json::Bool(value),
            Self::Integer(value) => Json::Integer(value),
            Self::String(text) => Json::String(own(text)),
            Self::Array(items) => Json::Array(items.into_iter().map(Self::into_owned).collect()),
            Self::Object(members) => {
                let members = members.into_iter();
                Json::Object(members.map(|(name, value)| (own(name), value.into_owned())).collect())
            }
        }
    }
}

/// The name behind schema.org's prefix or address.
fn without_vocabulary(name: &str) -> Option<&str> {
    ["schema:", "https://schema.org/", "http://schema.org/"]
        .into_iter()
        .find_map(|vocabulary| name.strip_prefix(vocabulary))
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Json<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Json::Other)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
                Ok(Json::Bool(value))
            }
            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(Json::Other)
            }
            fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
                Ok(Json::Integer(value.into()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
                Ok(Json::Integer(value.into()))
            }
            fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
                Ok(Json::String(Cow::Owned(value.to_owned())))
            }
            fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
                Ok(Json::String(Cow::Borrowed(value)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Json::Array(items))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Name(name), value)) = map.next_entry()? {
                    members.push((name, value));
                }
                Ok(Json::Object(members))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

/// A member's name, borrowed where it can be (a plain `Cow` never borrows).
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(value.to_owned())))
            }
            fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(value)))
            }
        }

        deserializer.deserialize_str(Reader)
    }
}

/// The same text as JSON, where it is JSON but for faults that can be mended in one way only.
pub(crate) fn repair(text: &str) -> Option<String> {
    let mut text = unwrap(text);
    let decoded;
    if text.trim_start_matches(['{', '[', ' ', '\n', '\r', '\t']).starts_with("&quot;") {
        decoded = plain::decode_references(text);
        text = &decoded;
    }
    let mut repair = Repair { text, at: 0, out: String::with_capacity(text.len() + 16) };
    let mut values = 0_usize;
    loop {
        repair.skip_blank();
        match repair.peek() {
            None => break,
            // What is left over behind a complete value.
            Some(b';' | b',' | b'}' | b']') if values > 0 => repair.at += 1,
            Some(b'{' | b'[') => {
                if values > 0 {
                    repair.out.push(',');
                }
                repair.value(0, End::Item)?;
                values += 1;
            }
            Some(_) => return None,
        }
    }
    match values {
        0 => None,
        1 => Some(repair.out),
        _ => Some(format!("[{}]", repair.out)),
    }
}

/// The text without the comment and CDATA marks that hid scripts from old browsers and XML parsers.
fn unwrap(text: &str) -> &str {
    let mut text = text.trim_start_matches('\u{feff}').trim();
    for opening in ["<!--", "//<![CDATA[", "// <![CDATA[", "/*<![CDATA[*/", "/* <![CDATA[ */", "<![CDATA["] {
        if let Some(rest) = text.strip_prefix(opening) {
            text = rest.trim_start();
        }
    }
    for closing in ["-->", "]]>*/", "/*]]>*/", "/* ]]> */", "]]>", "//"] {
        if let Some(rest) = text.strip_suffix(closing) {
            text = rest.trim_end();
        }
    }
    text
}

/// Nesting beyond this is no page's data; serde_json's own limit is the same.
const DEPTH_MAX: usize = 128;

struct Repair<'a> {
    text: &'a str,
    at: usize,
    out: String,
}

impl<'a> Repair<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Goes past white space and comments.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let blank =
                rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{feff}', '\u{a0}']).len();
            let rest = rest.get(blank..).unwrap_or_default();
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                0
            };
            self.at += blank + comment;
            if comment == 0 {
                return;
            }
        }
    }

    /// Writes the value that begins here. `None`: it has no certain reading.
    fn value(&mut self, depth: usize, end: End) -> Option<()> {
        if depth > DEPTH_MAX {
            return None;
        }
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            quote @ (b'"' | b'\'') => self.string(quote, end).map(|_| ()),
            // A name without a value: nothing is there to be read.
            b',' | b'}' => {
                self.out.push_str("null");
                Some(())
            }
            _ => self.word(),
        }
    }

    /// A number, `true`, `false`, `null`; `undefined` and `NaN` say that there is nothing.
    fn word(&mut self) -> Option<()> {
        let rest = self.rest();
        let length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.')))
            .unwrap_or(rest.len());
        let word = rest.get(..length)?;
        let written = match word {
            "undefined" | "NaN" => "null",
            word => {
                serde_json::from_str::<serde::de::IgnoredAny>(word).ok()?;
                word
            }
        };
        self.out.push_str(written);
        self.at += length;
        Some(())
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        self.out.push('{');
        self.at += 1;
        let mut members = 0_usize;
        // Where the texts stand that were written last, with nothing else between them.
        let mut texts: Vec<Range<usize>> = Vec::new();
        loop {
            let name_at;
            self.skip_blank();
            match self.peek()? {
                b'}' => break,
                b',' => {
                    self.at += 1;
                    continue;
                }
                quote @ (b'"' | b'\'') => {
                    if members > 0 {
                        self.out.push(',');
                    }
                    name_at = self.out.len();
                    self.string(quote, End::Name)?;
                }
                _ => return None,
            }
            let is_keyword = self.out.get(name_at..).is_some_and(|name| name.starts_with("\"@"));
            self.skip_blank();
            if self.peek()? != b':' {
                return None;
            }
            self.out.push(':');
            self.at += 1;
            self.skip_blank();
            let value_at = self.out.len();
            if let quote @ (b'"' | b'\'') = self.peek()? {
                if !self.string(quote, End::Member)? {
                    self.forget(std::mem::take(&mut texts));
                } else if !is_keyword && self.out.get(value_at..).is_some_and(is_prose) {
                    texts.push(value_at..self.out.len());
                } else {
                    texts.clear();
                }
            } else {
                self.value(depth + 1, End::Member)?;
                texts.clear();
            }
            members += 1;
        }
        self.out.push('}');
        self.at += 1;
        Some(())
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        self.out.push('[');
        self.at += 1;
        let mut items = 0_usize;
        loop {
            self.skip_blank();
            match self.peek()? {
                b']' => break,
                b',' => self.at += 1,
                b'}' => return None,
                _ => {
                    if items > 0 {
                        self.out.push(',');
                    }
                    self.value(depth + 1, End::Item)?;
                    items += 1;
                }
            }
        }
        self.out.push(']');
        self.at += 1;
        Some(())
    }

    /// Writes `null` in the place of values.
    fn forget(&mut self, values: Vec<Range<usize>>) {
        let Some(start) = values.first().map(|first| first.start) else { return };
        let tail = self.out.split_off(start);
        let mut kept = 0;
        for value in values {
            self.out.push_str(tail.get(kept..value.start - start).unwrap_or_default());
            self.out.push_str("null");
            kept = value.end - start;
        }
        self.out.push_str(tail.get(kept..).unwrap_or_default());
    }

    /// Writes the string that begins here as JSON, or `null` if where it ends can only be told by what follows; says which.
    fn string(&mut self, quote: u8, end: End) -> Option<bool> {
        let written = self.out.len();
        let mut certain = true;
        self.out.push('"');
        self.at += 1;
        loop {
            let rest = self.rest();
            let run = rest.find(|c: char| matches!(c, '"' | '\'' | '\\') || c < ' ').unwrap_or(rest.len());
            self.out.push_str(rest.get(..run)?);
            self.at += run;
            match self.peek()? {
                b'\\' => certain &= self.escape()?,
                byte if byte == quote => {
                    self.at += 1;
                    if self.ends_here(end) {
                        break;
                    }
                    certain = false;
                }
                b'"' => {
                    self.out.push_str("\\\"");
                    self.at += 1;
                }
                b'\'' => {
                    self.out.push('\'');
                    self.at += 1;
                }
                control => {
                    write!(self.out, "\\u{control:04x}").ok()?;
                    self.at += 1;
                }
            }
        }
        if certain {
            self.out.push('"');
        } else if end == End::Name {
            return None;
        } else {
            self.out.truncate(written);
            self.out.push_str("null");
        }
        Some(certain)
    }

    /// Writes the escape that begins here; says whether it has one meaning.
    fn escape(&mut self) -> Option<bool> {
        let rest = self.rest();
        let second = rest.chars().nth(1)?;
        let (length, certain) = match second {
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => (2, true),
            'u' => {
                let digits =
                    rest.get(2..6).is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
                (if digits { 6 } else { 2 }, digits)
            }
            '\'' => {
                self.out.push('\'');
                self.at += 2;
                return Some(true);
            }
            other => (1 + other.len_utf8(), false),
        };
        if certain {
            self.out.push_str(rest.get(..length)?);
        }
        self.at += length;
        Some(certain)
    }

    /// Whether the quotation mark just read ends its string, by what follows it.
    fn ends_here(&self, end: End) -> bool {
        let rest = self.rest().trim_start();
        let Some(next) = rest.bytes().next() else {
            return true;
        };
        match (end, next) {
            (End::Name, next) => next == b':',
            (End::Member, b'}') | (End::Item, b']') | (_, b'/') => true,
            (_, b',') => {
                let behind = rest.get(1..).unwrap_or_default().trim_start();
                match (end, behind.bytes().next()) {
                    (_, None | Some(b'}' | b']' | b',' | b'/')) => true,
                    (End::Item, Some(next)) => {
                        matches!(next, b'"' | b'\'' | b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
                    }
                    (_, Some(_)) => is_name(behind),
                }
            }
            (End::Member, _) => is_name(rest),
            (End::Item, next) => next == b'"',
        }
    }
}

/// What the string being read is, for its closing mark has to be followed by something else in each.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// A member's name.
    Name,
    /// A member's value.
    Member,
    /// An item of an array.
    Item,
}

/// Whether a value may be the beginning of a longer text: a date, a number and an address can't be.
fn is_prose(value: &str) -> bool {
    let is_address = value.contains("://") && !value.contains(' ');
    !is_address && value.chars().filter(|c| c.is_alphabetic()).nth(DATE_LETTERS_MAX).is_some()
}

/// Letters of a date in digits: `T` and `Z`.
const DATE_LETTERS_MAX: usize = 2;

/// Whether a member's name and its colon begin here.
fn is_name(text: &str) -> bool {
    let quote = text.bytes().next().filter(|byte| matches!(byte, b'"' | b'\''));
    let mut bytes = text.bytes().enumerate().skip(1).take(NAME_BYTES_MAX);
    bytes
        .find(|(_, byte)| quote == Some(*byte))
        .and_then(|(at, _)| text.get(at + 1..))
        .is_some_and(|behind| behind.trim_start().starts_with(':'))
}
