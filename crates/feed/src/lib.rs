//! Reads from a feed which articles a publisher announces: their references and dates, and nothing else.
//!
//! RSS 0.9x, 1.0 and 2.0, Atom 1.0 and 0.3, and JSON Feed are read by [`read`]; a list that an API gives as
//! JSON by [`read_list`], which is told where things stand in it. Both return [`Announcement`]s. Titles,
//! summaries, authors and texts are passed over without being copied, so that there is no way for them into
//! what is kept: an announcement has no field for them, and no notice or error quotes a feed.
//!
//! ```
//! use releve_feed::{Wanted, read};
//!
//! let feed = read(
//!     b"<rss version='2.0'><channel><title>News</title><item>
//!         <title>A title</title>
//!         <link>/2026/old-bridge</link>
//!         <guid isPermaLink='false'>urn:art:4711</guid>
//!         <pubDate>Tue, 3 Mar 2026 10:00:00 +0100</pubDate>
//!     </item></channel></rss>",
//!     Some("application/rss+xml; charset=utf-8"),
//!     "https://www.example.org/rss.xml",
//!     &Wanted::nothing(),
//! )?;
//!
//! let announcement = &feed.announcements[0];
//! assert_eq!(announcement.id.as_deref(), Some("urn:art:4711"));
//! assert_eq!(announcement.link.as_deref(), Some("https://www.example.org/2026/old-bridge"));
//! assert_eq!(announcement.published, "2026-03-03T09:00:00Z".parse().ok());
//! # Ok::<(), releve_feed::FeedError>(())
//! ```
//!
//! # How it is read
//!
//! - **Encoding**: what a byte order mark says, else the charset of the Content-Type, else the XML
//!   declaration, else UTF-8; the first of these that fits the bytes. If none fits, what does not fit is
//!   replaced, and an item whose reference is touched by that is left out.
//! - **Structure**: XML and JSON must be well-formed to their end. A feed that was cut off is refused whole,
//!   since what is missing may be the field that says not to read yet. Characters are taken leniently: a lone
//!   `&` and undeclared entities stand for themselves, HTML's entities are known without being declared.
//! - **Names**: elements are known by namespace. Slips are forgiven: `https` for `http`, a missing slash, a
//!   usual prefix that is not declared, a default namespace where RSS has none.
//! - **Identifiers** stand as they were written: never resolved, only trimmed. **Links** too, if they are
//!   absolute; a relative one is resolved by `xml:base`, else by the base that the caller gives.
//! - **Dates** in RFC 822's manner with its usual corruptions, and in ISO 8601's. One without a zone is taken
//!   as UTC in a feed, and in a list only if its shape says so: it decides when to read, and is part of
//!   nothing that is read. The year 1 and what comes before it are how software writes "no date".
//! - **Entities** that a document declares are not expanded, neither internal nor external ones.
//!
//! # What this crate does not do
//!
//! It requests nothing, follows no link and keeps no state. It does not judge whether a link may be read, nor
//! make it canonical. It reads no sitemaps. It never guesses an identifier from an address.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod date;
mod decode;
mod error;
mod item;
mod json;
mod list;
mod xml;

pub use date::parse_date;
pub use decode::{Text, decode, decode_owned};
pub use error::{FeedError, Instead};
pub use item::{Announcement, FIELD_BYTES_MAX, Feed, ITEMS_MAX, NOTICES_MAX, Notice, NoticeKind, Wanted};
pub use list::{DateField, ListShape, Pointer, PointerError, read_list, read_list_page};
pub use xml::DEPTH_MAX;

/// Reads a feed of any of the formats, told apart by what they are and not by what they are called.
///
/// `content_type` is the header as it came; only its charset counts. `base` is the address that relative
/// links are relative to: the feed's own, after redirects. `wanted` names the further fields to take.
///
/// An empty feed is a feed. A document that is something else (a web page, most often) is a
/// [`FeedError::NotAFeed`].
pub fn read(
    bytes: &[u8],
    content_type: Option<&str>,
    base: &str,
    wanted: &Wanted,
) -> Result<Feed, FeedError> {
    let text = decode::decode(bytes, content_type);
    match text.first() {
        Some('<') => xml::read(&text, base, wanted),
        Some('{' | '[') => json::read_feed(&text, base, wanted),
        Some(_) => Err(FeedError::NotAFeed(Instead::Text)),
        None => Err(FeedError::Empty),
    }
}
