//! The identifier that a CMS gives an article (R6), read by one rule wherever it stands: in a trigger, on a list, in the article.

use std::fmt;
use std::str::FromStr;

use regex::Regex;

use crate::descriptor::{Subject, locate};
use crate::page::Page;
use crate::place::{At, Place, PlaceError, Step};
use crate::{ExtractError, Pointer, Value};

/// Where an identifier stands and how it is read there.
///
/// A rule reads one place and takes what is there as it is, or by a pattern with one capture, or the last segment of a path; or it joins two such
/// readings. There is no second choice: what a rule does not find is missing (R6, R7). Where a page has two values at one place (two `meta` elements
/// of one name, two elements that a selector matches, two descriptions of the article) all that the rule reads must be the same, or the read of
/// the article stops.
///
/// ```
/// use releve_extract::{IdentifierAt, IdentifierRule};
///
/// let rule = IdentifierRule::pattern("guid".parse()?, "^urn:art:(.+)$")?;
/// let read = rule.read(|at| match at {
///     IdentifierAt::Guid => Some("urn:art:4711".to_owned()),
///     _ => None,
/// });
/// assert_eq!(read.as_deref(), Ok("4711"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct IdentifierRule(Kind);

#[derive(Clone, Debug)]
enum Kind {
    One { at: IdentifierAt, shape: Shape },
    Joined { first: Box<IdentifierRule>, separator: String, second: Box<IdentifierRule> },
}

/// A place that an identifier is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdentifierAt {
    /// `guid`: what a feed gives as the entry's identifier.
    Guid,
    /// `id`: what a list gives as the item's identifier.
    Id,
    /// `link`: the address that a trigger or list announces.
    Link,
    /// `address`: the address at which the article was read.
    Address,
    /// A JSON Pointer: into the response, or into the item of a list.
    Pointer(Pointer),
    /// A place on the page: `meta[name=article-id]`, or a CSS selector with an attribute (`article@data-id`) or without.
    Page(Place),
}

#[derive(Clone, Debug)]
enum Shape {
    AsIs,
    Pattern(Regex),
    LastSegment,
}

/// Why a pattern can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// It is no regular expression.
    Syntax {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        what: String,
    },
    /// It does not have exactly one capturing group.
    Captures {
        /// The pattern.
        pattern: String,
        /// How many it has.
        count: usize,
    },
}

/// A place that has no identifier (R6): the article fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingIdentifier {
    at: IdentifierAt,
    why: Missing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Missing {
    Nothing,
    Unmatched { pattern: String, text: String },
    NoSegment { text: String },
}

/// A pattern is compiled once and matched against texts that others write; its size is bounded all the same.
const PATTERN_BYTES_MAX: usize = 1 << 20;

impl IdentifierRule {
    /// What stands there, as it is.
    pub fn whole(at: IdentifierAt) -> Self {
        Self(Kind::One { at, shape: Shape::AsIs })
    }

    /// What the pattern's one capturing group matches there.
    pub fn pattern(at: IdentifierAt, pattern: &str) -> Result<Self, PatternError> {
        let regex = regex::RegexBuilder::new(pattern)
            .size_limit(PATTERN_BYTES_MAX)
            .build()
            .map_err(|error| PatternError::Syntax { pattern: pattern.into(), what: error.to_string() })?;
        match regex.captures_len() {
            2 => Ok(Self(Kind::One { at, shape: Shape::Pattern(regex) })),
            count => Err(PatternError::Captures { pattern: pattern.into(), count: count - 1 }),
        }
    }

    /// The last segment of the path that stands there; of an address without its query. A slash at the end is not a segment.
    pub fn last_segment(at: IdentifierAt) -> Self {
        Self(Kind::One { at, shape: Shape::LastSegment })
    }

    /// What the two rules read, with `separator` between.
    pub fn joined(first: Self, separator: impl Into<String>, second: Self) -> Self {
        Self(Kind::Joined { first: Box::new(first), separator: separator.into(), second: Box::new(second) })
    }

    /// The places that the rule reads, in order.
    pub fn places(&self) -> Vec<&IdentifierAt> {
        match &self.0 {
            Kind::One { at, .. } => vec![at],
            Kind::Joined { first, second, .. } => [first.places(), second.places()].concat(),
        }
    }

    /// The identifier, where `text` tells what stands at a place.
    pub fn read(
        &self,
        mut text: impl FnMut(&IdentifierAt) -> Option<String>,
    ) -> Result<String, MissingIdentifier> {
        self.read_text(&mut text)
    }

    fn read_text(
        &self,
        text: &mut dyn FnMut(&IdentifierAt) -> Option<String>,
    ) -> Result<String, MissingIdentifier> {
        match &self.0 {
            Kind::One { at, shape } => {
                let whole = text(at).map(|text| Value::new(text, at.place()));
                shape.read(at, whole).map(|value| value.text)
            }
            Kind::Joined { first, separator, second } => {
                Ok(format!("{}{separator}{}", first.read_text(text)?, second.read_text(text)?))
            }
        }
    }

    /// The identifier with its place, where `values` tells all that stands at a place of an article: a page may have two `meta` elements of one
    /// name. The first is the reading, and any other that is one must be the same (R6).
    pub(crate) fn read_value(
        &self,
        values: &mut dyn FnMut(&IdentifierAt) -> Vec<Value>,
    ) -> Result<Value, ExtractError> {
        match &self.0 {
            Kind::One { at, shape } => {
                let mut values = values(at).into_iter();
                let one = shape.read(at, values.next()).map_err(ExtractError::Identifier)?;
                let mut others = values.filter_map(|value| shape.read(at, Some(value)).ok());
                match others.find(|other| other.text != one.text) {
                    Some(other) => {
                        Err(ExtractError::IdentifiersDiffer { one: one.into(), other: other.into() })
                    }
                    None => Ok(one),
                }
            }
            Kind::Joined { first, separator, second } => {
                let (first, second) = (first.read_value(values)?, second.read_value(values)?);
                Ok(Value {
                    text: format!("{}{separator}{}", first.text, second.text),
                    place: Place::joined(first.place, separator, second.place),
                })
            }
        }
    }
}

/// Two rules are the same if they are written the same.
impl PartialEq for IdentifierRule {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::One { at, shape }, Kind::One { at: other_at, shape: other_shape }) => {
                at == other_at && shape == other_shape
            }
            (
                Kind::Joined { first, separator, second },
                Kind::Joined { first: other_first, separator: other_separator, second: other_second },
            ) => first == other_first && separator == other_separator && second == other_second,
            _ => false,
        }
    }
}

impl Eq for IdentifierRule {}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::AsIs, Self::AsIs) | (Self::LastSegment, Self::LastSegment) => true,
            (Self::Pattern(one), Self::Pattern(other)) => one.as_str() == other.as_str(),
            _ => false,
        }
    }
}

impl Shape {
    /// The identifier in what stands at a place.
    fn read(&self, at: &IdentifierAt, whole: Option<Value>) -> Result<Value, MissingIdentifier> {
        let missing = |why| MissingIdentifier { at: at.clone(), why };
        let whole = whole.filter(|value| !value.text.is_empty()).ok_or_else(|| missing(Missing::Nothing))?;
        self.apply(whole).map_err(missing)
    }

    fn apply(&self, whole: Value) -> Result<Value, Missing> {
        let text = whole.text.as_str();
        let range = match self {
            Self::AsIs => return Ok(whole),
            Self::Pattern(regex) => regex
                .captures(text)
                .and_then(|captures| captures.get(1))
                .map(|capture| capture.range())
                .filter(|range| !range.is_empty())
                .ok_or_else(|| Missing::Unmatched { pattern: regex.as_str().into(), text: text.into() })?,
            Self::LastSegment => {
                last_segment(text).ok_or_else(|| Missing::NoSegment { text: text.into() })?
            }
        };
        let start = text[..range.start].chars().count();
        let length = text[range.clone()].chars().count();
        Ok(Value { text: text[range].into(), place: whole.place.characters(start..start + length) })
    }
}

/// The bytes of the last segment of a path or an address's path.
fn last_segment(text: &str) -> Option<std::ops::Range<usize>> {
    let path_end = text.find(['?', '#']).unwrap_or(text.len());
    let path_start = match text[..path_end].find("://") {
        Some(scheme) => scheme + 3 + text[scheme + 3..path_end].find('/')?,
        None => 0,
    };
    let end = path_start + text[path_start..path_end].trim_end_matches('/').len();
    let start = text[path_start..end].rfind('/').map_or(path_start, |slash| path_start + slash + 1);
    (start < end).then_some(start..end)
}

impl IdentifierAt {
    /// The place as values bear it. What a trigger or a list calls an identifier stands in no envelope; it is written by its name.
    fn place(&self) -> Place {
        match self {
            Self::Pointer(pointer) => Place::json(pointer.clone()),
            Self::Page(place) => place.clone(),
            Self::Guid | Self::Id | Self::Link | Self::Address => Place::address(),
        }
    }
}

impl FromStr for IdentifierAt {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        Ok(match text {
            "guid" => Self::Guid,
            "id" => Self::Id,
            "link" => Self::Link,
            _ => {
                let place: Place = text.parse()?;
                match place.at {
                    At::Address => Self::Address,
                    At::Json(pointer) if place.characters.is_none() => Self::Pointer(pointer),
                    _ => Self::Page(place),
                }
            }
        })
    }
}

impl fmt::Display for IdentifierAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guid => f.write_str("guid"),
            Self::Id => f.write_str("id"),
            Self::Link => f.write_str("link"),
            Self::Address => f.write_str("address"),
            Self::Pointer(pointer) => write!(f, "{pointer}"),
            Self::Page(place) => write!(f, "{place}"),
        }
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { pattern, what } => write!(f, "`{pattern}` is not a regular expression: {what}"),
            Self::Captures { pattern, count } => {
                write!(
                    f,
                    "`{pattern}` has {count} capturing groups; it needs exactly one, around the identifier"
                )
            }
        }
    }
}

impl std::error::Error for PatternError {}

impl MissingIdentifier {
    /// The place that has none.
    pub fn at(&self) -> &IdentifierAt {
        &self.at
    }
}

impl fmt::Display for MissingIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            Missing::Nothing => write!(f, "no identifier at `{}`", self.at),
            Missing::Unmatched { pattern, text } => {
                write!(f, "no identifier at `{}`: the pattern `{pattern}` does not match `{text}`", self.at)
            }
            Missing::NoSegment { text } => {
                write!(f, "no identifier at `{}`: `{text}` has no path segment", self.at)
            }
        }
    }
}

impl std::error::Error for MissingIdentifier {}

/// Values at one place of a page that are compared; the page's own identifier is among the first.
const VALUES_MAX: usize = 64;

/// What stands at a place, for an article that is a page: more than one value where several `meta` elements have the name, several elements match
/// the selector, or the article is described more than once.
pub(crate) fn in_page(page: Page<'_>, subject: &Subject<'_>, at: &IdentifierAt) -> Vec<Value> {
    let place = match at {
        IdentifierAt::Address => return vec![Value::new(page.envelope.address.as_str(), at.place())],
        IdentifierAt::Page(place) => place,
        // These stand in triggers, lists and JSON responses.
        IdentifierAt::Guid | IdentifierAt::Id | IdentifierAt::Link | IdentifierAt::Pointer(_) => {
            return Vec::new();
        }
    };
    let read = |place: Place| {
        let text = crate::look_up::in_page(page.document, &place)?;
        Some(Value::new(text, place))
    };
    let first = read(place.clone());
    let others: Vec<Place> = match &place.at {
        At::Meta { key, name, index: 0 } => {
            let count = crate::look_up::metas(page.document, *key, name).take(VALUES_MAX).count();
            (1..count).map(|index| Place::meta(*key, name, index)).collect()
        }
        At::Element { selector, attribute } => {
            let nodes = page.document.select(selector).take(VALUES_MAX).skip(1);
            nodes.filter_map(|node| Some(Place::element(locate(node)?, attribute.as_deref()))).collect()
        }
        At::JsonLd { path, .. } => match path.last() {
            Some(Step::Key(name)) => {
                let values = subject.things.iter().filter_map(|thing| Some(thing.get(name)?.text()?.1));
                let values: Vec<Place> = values.collect();
                // What the rule reads is this article's description, or says nothing about those that are.
                if values.contains(&place.whole()) { values } else { Vec::new() }
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let others = others.into_iter().map(|other| Place { characters: place.characters.clone(), ..other });
    first.into_iter().chain(others.filter(|other| other != place).filter_map(read)).collect()
}

#[cfg(test)]
mod tests;
