use std::fmt;

use crate::{MissingIdentifier, Pointer, Value};

/// Why nothing is copied out of an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtractError {
    /// The media type is not one that the rules read.
    MediaType {
        /// The type as the response bore it.
        found: String,
        /// What the rules read.
        expected: &'static str,
    },
    /// The page makes the parser build far more than articles need: formatting that is opened again and again, or more than a million elements,
    /// texts and attributes.
    PageTooComplex,
    /// The text is longer than any article is.
    TextTooLong,
    /// The response is not JSON.
    JsonBroken {
        /// Where it breaks, in bytes from its beginning.
        line: usize,
        /// The column in that line.
        column: usize,
    },
    /// An agreed field is of another type than agreed (R5).
    WrongType {
        /// What is read there: a field of the descriptor, `body`, `original`, `identifier`, or `post` for a whole post of WordPress.
        field: &'static str,
        /// Where it stands.
        place: Pointer,
        /// What the rules expect there.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// The post is protected by a password, so that the response holds nothing of it.
    Protected {
        /// Where it says so.
        place: Pointer,
    },
    /// The page asks for a password in place of the article.
    PasswordForm,
    /// The post is a draft, scheduled, private or in the trash; a credential made it visible, no reader sees it.
    NotPublished {
        /// Where it says so.
        place: Pointer,
        /// Its status.
        status: String,
    },
    /// The article has no identifier where the rules say that it has one (R6).
    Identifier(MissingIdentifier),
    /// Two readings of the identifier differ, though they stand where the rules say that one does (R6).
    IdentifiersDiffer {
        /// The first.
        one: Box<Value>,
        /// The other.
        other: Box<Value>,
    },
}

impl ExtractError {
    /// A stable name, for records.
    pub fn code(&self) -> &'static str {
        match self {
            Self::MediaType { .. } => "media-type-unexpected",
            Self::PageTooComplex => "page-too-complex",
            Self::TextTooLong => "text-too-long",
            Self::JsonBroken { .. } => "json-broken",
            Self::WrongType { .. } => "field-wrong-type",
            Self::Protected { .. } | Self::PasswordForm => "protected",
            Self::NotPublished { .. } => "not-published",
            Self::Identifier(_) => "identifier-missing",
            Self::IdentifiersDiffer { .. } => "identifiers-differ",
        }
    }
}

/// What a JSON value is, in words.
pub(crate) fn kind_of(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "a boolean",
        serde_json::Value::Number(_) => "a number",
        serde_json::Value::String(_) => "a string",
        serde_json::Value::Array(_) => "an array",
        serde_json::Value::Object(_) => "an object",
    }
}

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MediaType { found, expected } => {
                write!(f, "the response is `{found}`; these rules read {expected}")
            }
            Self::PageTooComplex => {
                f.write_str("the page has more elements than an article needs, or opens the same ones again and again; it is not read")
            }
            Self::TextTooLong => {
                f.write_str("the text is longer than four mebibytes, and no article's; a selector for the body may find the article in it")
            }
            Self::JsonBroken { line, column } => {
                write!(f, "the response is not JSON: it breaks at line {line}, column {column}")
            }
            Self::WrongType { field, place, expected, found } => {
                write!(f, "field `{field}` at `{place}` is {found}; {expected} was agreed")
            }
            Self::Protected { place } => {
                write!(f, "the post is protected by a password, as `{place}` says; it is not read")
            }
            Self::PasswordForm => f.write_str("the page asks for a password in place of the article; it is not read"),
            Self::NotPublished { place, status } => {
                write!(f, "the post is not published: `{place}` is {status:?}; it is not read")
            }
            Self::Identifier(missing) => missing.fmt(f),
            Self::IdentifiersDiffer { one, other } => write!(
                f,
                "the identifier is `{}` at `{}` and `{}` at `{}`; if only one of them is the article's, name its place more closely",
                one.text, one.place, other.text, other.place
            ),
        }
    }
}

impl std::error::Error for ExtractError {}
