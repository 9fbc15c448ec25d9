//! A list that an API gives as JSON, read by a description of where things stand in it.

use std::fmt;
use std::str::FromStr;

use crate::{Feed, FeedError, Instead, decode, json};

/// A JSON Pointer (RFC 6901): the empty one is the whole, `/data/0/id` leads to a member of an element of a
/// member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pointer {
    tokens: Vec<String>,
}

impl Pointer {
    pub(crate) fn tokens(&self) -> &[String] {
        &self.tokens
    }
}

impl FromStr for Pointer {
    type Err = PointerError;

    fn from_str(text: &str) -> Result<Self, PointerError> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let tokens = text.strip_prefix('/').ok_or(PointerError)?.split('/');
        let token = |token: &str| {
            let is_escape = |tail: &str| tail.starts_with(['0', '1']);
            let is_sound = token.split('~').skip(1).all(is_escape);
            is_sound.then(|| token.replace("~1", "/").replace("~0", "~")).ok_or(PointerError)
        };
        Ok(Self { tokens: tokens.map(token).collect::<Result<_, _>>()? })
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write = |token: &String| write!(f, "/{}", token.replace('~', "~0").replace('/', "~1"));
        self.tokens.iter().try_for_each(write)
    }
}

/// A text is no JSON Pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PointerError;

impl fmt::Display for PointerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON Pointer is empty or begins with \"/\", and \"~\" in it is written \"~0\", \"/\" \"~1\" (RFC 6901)")
    }
}

impl std::error::Error for PointerError {}

/// Where things stand in a list. All pointers but [`items`](Self::items) lead on from an item.
///
/// ```
/// use releve_feed::{ListShape, read_list};
///
/// let list = br#"[{"id": 7, "link": "https://www.example.org/7", "date_gmt": "2026-03-01T09:00:00"}]"#;
/// let feed = read_list(list, "https://www.example.org/wp-json/wp/v2/posts", &ListShape::wordpress())?;
/// assert_eq!(feed.announcements[0].id.as_deref(), Some("7"));
/// assert_eq!(feed.announcements[0].published, "2026-03-01T09:00:00Z".parse().ok());
/// # Ok::<(), releve_feed::FeedError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListShape {
    /// The array of items.
    pub items: Pointer,
    /// The identifier: text, or a whole number, which is taken as it is written.
    pub id: Option<Pointer>,
    /// The article's address.
    pub address: Option<Pointer>,
    /// When the article was published.
    pub published: Option<DateField>,
    /// When it was last modified.
    pub modified: Option<DateField>,
    /// Further fields to take. An announcement has them under their pointers as text.
    pub fields: Vec<Pointer>,
}

/// Where a date stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateField {
    /// Where.
    pub at: Pointer,
    /// Whether a date without a zone is in UTC. Otherwise it is no date.
    pub is_utc: bool,
}

impl ListShape {
    /// The list of posts of WordPress's REST API: dates are those in UTC, which it writes without a zone.
    pub fn wordpress() -> Self {
        let at = |name: &str| Pointer { tokens: vec![name.to_owned()] };
        Self {
            items: Pointer::default(),
            id: Some(at("id")),
            address: Some(at("link")),
            published: Some(DateField { at: at("date_gmt"), is_utc: true }),
            modified: Some(DateField { at: at("modified_gmt"), is_utc: true }),
            fields: vec![],
        }
    }
}

/// Reads a list of the given shape. `base` is the address that relative links are relative to: the list's
/// own.
///
/// A list without items is empty; a document without the array that the shape speaks of is
/// [`FeedError::NoItems`].
pub fn read_list(bytes: &[u8], base: &str, shape: &ListShape) -> Result<Feed, FeedError> {
    read_list_page(bytes, base, shape, None)
}

/// Reads one page of a list, as [`read_list`], and what leads to its next page: an address or a cursor, which
/// stands at `next`. That pointer leads on from the document.
pub fn read_list_page(
    bytes: &[u8],
    base: &str,
    shape: &ListShape,
    next: Option<&Pointer>,
) -> Result<Feed, FeedError> {
    let text = decode::decode(bytes, None);
    match text.first() {
        Some('{' | '[') => json::read_list(&text, base, shape, next),
        Some('<') => Err(FeedError::NotAFeed(Instead::Html)),
        Some(_) => Err(FeedError::NotAFeed(Instead::Text)),
        None => Err(FeedError::Empty),
    }
}
