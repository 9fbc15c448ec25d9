//! Why a document announces nothing that can be read.

use std::fmt;

/// Why a document is no feed, or no list of the shape that was expected. Nothing of the document is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeedError {
    /// There is nothing but white space.
    Empty,
    /// It is something else.
    NotAFeed(Instead),
    /// It breaks the grammar of XML or JSON.
    Malformed {
        /// The line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
    },
    /// It ends before its first element or value does.
    CutOff,
    /// Its elements are nested deeper than [`DEPTH_MAX`](crate::DEPTH_MAX).
    TooDeep,
    /// There is no array of items where the shape says that there is one.
    NoItems,
}

/// What a document is instead of a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Instead {
    /// A web page.
    Html,
    /// A sitemap, or an index of sitemaps.
    Sitemap,
    /// Other XML.
    Xml,
    /// Other JSON.
    Json,
    /// Something that is neither XML nor JSON.
    Text,
}

impl FeedError {
    /// A stable word for records.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "feed-empty",
            Self::NotAFeed(Instead::Html) => "feed-is-html",
            Self::NotAFeed(Instead::Sitemap) => "feed-is-sitemap",
            Self::NotAFeed(_) => "feed-not-a-feed",
            Self::Malformed { .. } => "feed-malformed",
            Self::CutOff => "feed-cut-off",
            Self::TooDeep => "feed-too-deep",
            Self::NoItems => "list-without-items",
        }
    }
}

impl fmt::Display for FeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the document is empty"),
            Self::NotAFeed(Instead::Html) => f.write_str(
                "this is a web page, not a feed; the address of its feed stands in its link elements of type application/rss+xml or application/atom+xml",
            ),
            Self::NotAFeed(Instead::Sitemap) => {
                f.write_str("this is a sitemap, which belongs into the backlog and is no feed")
            }
            Self::NotAFeed(Instead::Xml) => {
                f.write_str("this is XML, but neither RSS nor Atom")
            }
            Self::NotAFeed(Instead::Json) => f.write_str(
                "this is JSON, but no JSON Feed; a list of an API needs to be told where its items stand",
            ),
            Self::NotAFeed(Instead::Text) => f.write_str("this is neither XML nor JSON"),
            Self::Malformed { line, column } => {
                write!(f, "the document is not well-formed at line {line}, column {column}")
            }
            Self::CutOff => f.write_str("the document ends before it is complete"),
            Self::TooDeep => {
                write!(f, "elements are nested deeper than {}", crate::DEPTH_MAX)
            }
            Self::NoItems => f.write_str(
                "there is no array of items where the list is said to have one",
            ),
        }
    }
}

impl std::error::Error for FeedError {}

/// The error for something malformed at a byte of a text.
pub(crate) fn malformed_at(text: &str, offset: usize) -> FeedError {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    FeedError::Malformed {
        line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}
