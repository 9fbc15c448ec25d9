//! Where in an envelope a value stands, written so that it can be looked up again.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::Selector;
use crate::json::Pointer;

/// Where in an envelope a value stands.
///
/// | written | means |
/// |---|---|
/// | `address` | the address the envelope was read at |
/// | `/title/rendered` | a JSON Pointer (RFC 6901) into the response; all of it is written `#` |
/// | `json-ld[0].author[1].name` | the first JSON-LD block of the page, and the way down in it |
/// | `meta[property=og:title]` | the content of the first such `meta` element; `meta[property=article:tag][2]` is the third one's |
/// | `script[4]/props/article/title` | a JSON Pointer into the JSON that the page's fifth `script` element holds |
/// | `script[4] App.state/article/title` | the same, in what that script assigns to `App.state` |
/// | `h1`, `article > p:nth-of-type(1)` | the text of the first element that this CSS selector matches |
/// | `time@datetime` | an attribute of that element |
/// | `… #char=3,11` | only the characters 3 to 11 (RFC 5147) of what is there |
/// | `/type & "-" & /id` | two places whose texts were joined, with a text between them |
///
/// The text at a place is what [`look_up`](crate::look_up) gives: white space and character references normalised, nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub(crate) at: At,
    pub(crate) characters: Option<Range<usize>>,
}

/// What stands before the characters that a place is cut to.
const CHARACTERS: &str = " #char=";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Address,
    Json(Pointer),
    JsonLd { block: usize, path: Vec<Step> },
    Meta { key: MetaKey, name: Box<str>, index: usize },
    Script { index: usize, variable: Option<Box<str>>, pointer: Pointer },
    Element { selector: Selector, attribute: Option<Box<str>> },
    Joined(Box<Joined>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Joined {
    pub(crate) first: Place,
    pub(crate) separator: Box<str>,
    pub(crate) second: Place,
}

/// One step down into a JSON-LD block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(Box<str>),
    Index(usize),
}

/// The attribute by which a `meta` element says what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetaKey {
    Name,
    Property,
    ItemProp,
    HttpEquiv,
}

impl MetaKey {
    pub(crate) const ALL: [Self; 4] = [Self::Name, Self::Property, Self::ItemProp, Self::HttpEquiv];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Property => "property",
            Self::ItemProp => "itemprop",
            Self::HttpEquiv => "http-equiv",
        }
    }
}

/// A text that names no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceError {
    text: Box<str>,
}

impl Place {
    /// The address the envelope was read at.
    pub fn address() -> Self {
        At::Address.into()
    }

    /// A JSON Pointer into the response.
    pub fn json(pointer: Pointer) -> Self {
        At::Json(pointer).into()
    }

    pub(crate) fn json_ld(block: usize, path: Vec<Step>) -> Self {
        At::JsonLd { block, path }.into()
    }

    pub(crate) fn meta(key: MetaKey, name: &str, index: usize) -> Self {
        At::Meta { key, name: name.into(), index }.into()
    }

    pub(crate) fn script(index: usize, variable: Option<&str>, pointer: Pointer) -> Self {
        At::Script { index, variable: variable.map(Into::into), pointer }.into()
    }

    pub(crate) fn element(selector: Selector, attribute: Option<&str>) -> Self {
        At::Element { selector, attribute: attribute.map(Into::into) }.into()
    }

    pub(crate) fn joined(first: Self, separator: &str, second: Self) -> Self {
        let separator = separator.into();
        At::Joined(Box::new(Joined { first, separator, second })).into()
    }

    /// The place without the characters it is cut to.
    pub(crate) fn whole(&self) -> Self {
        self.at.clone().into()
    }

    /// Only these characters (Unicode scalar values, counted from 0) of the text at this place.
    #[must_use]
    pub fn characters(self, range: Range<usize>) -> Self {
        // A part of a part is counted from where the whole text begins.
        let start = self.characters.as_ref().map_or(0, |outer| outer.start);
        Self { characters: Some(start + range.start..start + range.end), ..self }
    }
}

impl From<At> for Place {
    fn from(at: At) -> Self {
        Self { at, characters: None }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            At::Address => f.write_str("address")?,
            At::Json(pointer) if pointer.as_str().is_empty() => f.write_str("#")?,
            At::Json(pointer) => write!(f, "{pointer}")?,
            At::JsonLd { block, path } => {
                write!(f, "json-ld[{block}]")?;
                for step in path {
                    match step {
                        Step::Key(key) => write!(f, ".{key}")?,
                        Step::Index(index) => write!(f, "[{index}]")?,
                    }
                }
            }
            At::Meta { key, name, index } => {
                write!(f, "meta[{}={name}]", key.as_str())?;
                if *index > 0 {
                    write!(f, "[{index}]")?;
                }
            }
            At::Script { index, variable, pointer } => {
                write!(f, "script[{index}]")?;
                if let Some(variable) = variable {
                    write!(f, " {variable}")?;
                }
                write!(f, "{pointer}")?;
            }
            At::Element { selector, attribute } => {
                write!(f, "{selector}")?;
                if let Some(attribute) = attribute {
                    write!(f, "@{attribute}")?;
                }
            }
            At::Joined(joined) => {
                let separator = serde_json::Value::from(&*joined.separator);
                write!(f, "{} & {separator} & {}", joined.first, joined.second)?;
            }
        }
        if let Some(range) = &self.characters {
            write!(f, "{CHARACTERS}{},{}", range.start, range.end)?;
        }
        Ok(())
    }
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        parse(text).ok_or_else(|| PlaceError { text: text.into() })
    }
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is neither a JSON Pointer, nor a CSS selector, nor another way to write a place",
            self.text
        )
    }
}

impl std::error::Error for PlaceError {}

fn parse(text: &str) -> Option<Place> {
    if let Some((first, rest)) = text.split_once(" & ").filter(|(_, rest)| rest.starts_with('"')) {
        let mut separators = serde_json::Deserializer::from_str(rest).into_iter::<Box<str>>();
        let separator = separators.next()?.ok()?;
        let second = rest.get(separators.byte_offset()..)?.strip_prefix(" & ")?;
        return Some(Place::joined(parse(first)?, &separator, parse(second)?));
    }
    if let Some((whole, range)) = text.rsplit_once(CHARACTERS) {
        let (start, end) = range.split_once(',')?;
        let range = start.parse().ok()?..end.parse().ok()?;
        return (range.start <= range.end).then(|| parse(whole).map(|place| place.characters(range)))?;
    }
    if text == "address" {
        return Some(Place::address());
    }
    if text == "#" {
        return Some(Place::json(Pointer::default()));
    }
    if text.starts_with('/') {
        return text.parse().ok().map(Place::json);
    }
    if let Some(rest) = text.strip_prefix("json-ld[") {
        let (block, path) = rest.split_once(']')?;
        return Some(Place::json_ld(block.parse().ok()?, steps(path)?));
    }
    if let Some(rest) = text.strip_prefix("script[")
        && let Some((index, rest)) = rest.split_once(']')
        && let Ok(index) = index.parse()
    {
        let (variable, pointer) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let variable = Some(variable.trim()).filter(|variable| !variable.is_empty());
        return pointer.parse().ok().map(|pointer| Place::script(index, variable, pointer));
    }
    if let Some(rest) = text.strip_prefix("meta[")
        && let Some(place) = meta(rest)
    {
        return Some(place);
    }
    let (selector, attribute) = split_attribute(text);
    selector.parse().ok().map(|selector| Place::element(selector, attribute))
}

/// `time@datetime` in its two parts. In CSS `@` only stands in strings, which end with a quote.
pub(crate) fn split_attribute(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once('@') {
        Some((selector, attribute)) if is_attribute_name(attribute) => (selector.trim_end(), Some(attribute)),
        _ => (text, None),
    }
}

/// What follows `meta[`: `property=og:title]`, perhaps with an index.
fn meta(rest: &str) -> Option<Place> {
    let (key, rest) = rest.split_once('=')?;
    let key = MetaKey::ALL.into_iter().find(|known| known.as_str() == key)?;
    let (name, index) = match rest.strip_suffix(']')?.split_once("][") {
        Some((name, index)) => (name, index.parse().ok()?),
        None => (rest.strip_suffix(']')?, 0),
    };
    is_meta_name(name).then(|| Place::meta(key, name, index))
}

/// Whether a place can hold a name of a `meta` element. With one of the others it would be read as something else, so there is no place for it.
pub(crate) fn is_meta_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['"', '\'', '[', ']']) && !name.contains(CHARACTERS)
}

/// Whether a place can hold a key of linked data. One with a dot or a bracket is none of schema.org's, and is never copied from.
pub(crate) fn is_key(key: &str) -> bool {
    !key.is_empty() && !key.contains(['.', '[', '"']) && !key.contains(CHARACTERS)
}

/// Whether a place can hold a pointer into a script's data, whose keys are any text.
pub(crate) fn is_pointer(pointer: &Pointer) -> bool {
    !pointer.as_str().contains('"') && !pointer.as_str().contains(CHARACTERS)
}

/// `.author[1].name`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (key, after) = after.split_at(end);
            is_key(key).then_some(())?;
            steps.push(Step::Key(key.into()));
            rest = after;
        } else {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Index(index.parse().ok()?));
            rest = after;
        }
    }
    Some(steps)
}

fn is_attribute_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.'))
}

#[cfg(test)]
mod tests;
