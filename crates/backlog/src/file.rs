//! One file of a list of sitemaps: what it is, and what stands in it.

use std::borrow::Cow;
use std::fmt;
use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use jiff::Timestamp;
use releve_feed::{Announcement, Feed, FeedError, Instead, NoticeKind, Text, Wanted, decode, decode_owned};

use crate::sitemap::{self, Root, Urls};

/// How large a file may be once it is unpacked, in bytes: the 50 MiB that sitemaps.org allows.
pub const UNPACKED_BYTES_MAX: usize = 50 * 1024 * 1024;

/// How often a file may be packed into itself. Twice happens, where a server packs what was packed.
const PACKINGS_MAX: usize = 2;

/// How long an address may be, in bytes: as long as the longest request line that common servers take.
pub(crate) const ADDRESS_BYTES_MAX: usize = 8 * 1024;

/// What a file of a list is, told by what stands in it and not by its name or media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A sitemap.
    Sitemap,
    /// An index of sitemaps.
    Index,
    /// A sitemap as text, an address a line.
    Text,
    /// An RSS or Atom feed, which sitemaps.org allows for one.
    Feed,
}

/// A file of a list, unpacked and decoded.
///
/// ```
/// use releve_backlog::{File, Kind};
///
/// let file = File::open(
///     b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
///         <url><loc>https://www.example.org/a?x=1&amp;y=2</loc><lastmod>2026-03</lastmod></url>
///         <url><loc>https://www.example.org/b</loc>",
///     Some("application/xml"),
///     "https://www.example.org/sitemap.xml",
/// )?;
/// assert_eq!(file.kind(), Kind::Sitemap);
///
/// let mut entries = file.entries();
/// let first = entries.next().unwrap().unwrap();
/// assert_eq!(first.address, "https://www.example.org/a?x=1&y=2");
/// assert_eq!(first.modified, "2026-03-01T00:00:00Z".parse().ok());
///
/// // What was whole before a file breaks off is read, and that it breaks off is said.
/// assert_eq!(entries.next().unwrap().unwrap().address, "https://www.example.org/b");
/// assert!(entries.next().is_none());
/// assert!(entries.broken().is_some());
/// # Ok::<(), releve_backlog::FileError>(())
/// ```
#[derive(Clone, Debug)]
pub struct File<'a> {
    content: Content<'a>,
    /// Whether it could not be unpacked to its end.
    is_cut: bool,
}

#[derive(Clone, Debug)]
enum Content<'a> {
    Xml(Text<'a>, Root),
    Lines(Text<'a>),
    Feed(Result<Feed, FeedError>),
}

impl<'a> File<'a> {
    /// Opens what was received, once no content coding is left on it. `content_type` is the header as it came;
    /// only its charset counts. `base` is the address that a feed's relative links are relative to: the file's
    /// own, after redirects.
    pub fn open(bytes: &'a [u8], content_type: Option<&str>, base: &str) -> Result<Self, FileError> {
        let (unpacked, is_cut) = unpack(bytes)?;
        let text = match unpacked {
            Cow::Borrowed(bytes) => decode(bytes, content_type),
            Cow::Owned(bytes) => decode_owned(bytes, content_type),
        };
        let content = match text.as_str().chars().next() {
            None => return Err(FileError::Empty),
            Some('<') => match sitemap::root(text.as_str()) {
                Some(root) => Content::Xml(text, root),
                None => Content::Feed(feed(text.as_str(), base)?),
            },
            Some(_) => {
                let first = lines(text.as_str()).next();
                if !first.is_some_and(is_web_address) {
                    return Err(FileError::NotAList);
                }
                Content::Lines(text)
            }
        };
        Ok(Self { content, is_cut })
    }

    /// With everything that it was opened from, so that nothing else needs to be kept.
    pub(crate) fn into_owned(self) -> File<'static> {
        File {
            is_cut: self.is_cut,
            content: match self.content {
                Content::Xml(text, root) => Content::Xml(text.into_owned(), root),
                Content::Lines(text) => Content::Lines(text.into_owned()),
                Content::Feed(feed) => Content::Feed(feed),
            },
        }
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        match &self.content {
            Content::Xml(_, Root::UrlSet) => Kind::Sitemap,
            Content::Xml(_, Root::Index) => Kind::Index,
            Content::Lines(_) => Kind::Text,
            Content::Feed(_) => Kind::Feed,
        }
    }

    /// What stands in it, in its order. An entry that is left out is an error in its place.
    ///
    /// Nothing is copied but addresses with entities in them. A feed that is cut off has no entries, since what
    /// is missing may be the field that says not to read yet.
    pub fn entries(&self) -> Entries<'_> {
        Entries {
            // XML shows by itself whether its end is missing, and what follows after that is of no account.
            is_cut: self.is_cut && self.kind() == Kind::Text,
            source: match &self.content {
                Content::Xml(text, root) => Source::Urls(Urls::new(text.as_str(), text.is_lossy(), *root)),
                Content::Lines(text) => Source::Lines(text.as_str().lines()),
                Content::Feed(Ok(feed)) => {
                    let left_out = feed.items.saturating_sub(feed.announcements.len());
                    Source::Feed {
                        announcements: feed.announcements.iter(),
                        left_out,
                        broken: is_too_long(feed),
                    }
                }
                Content::Feed(Err(error)) => {
                    Source::Broken(Broken::Feed { code: error.code(), why: error.to_string() })
                }
            },
        }
    }
}

/// One entry of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry<'t> {
    /// The address of a page, or in an index that of a sitemap, as it stands but for entities. It may be
    /// relative, which sitemaps.org does not allow and some systems write.
    pub address: Cow<'t, str>,
    /// When the page was published: the news extension's `publication_date`.
    pub published: Option<Timestamp>,
    /// When it was last modified: `lastmod`.
    pub modified: Option<Timestamp>,
    /// The language that the news extension says.
    pub language: Option<Cow<'t, str>>,
}

/// Why an entry is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryFlaw {
    /// It has no address.
    NoAddress,
    /// Its address is longer than 8 KiB.
    TooLong,
    /// Its address holds an entity that neither XML nor HTML knows. Such are not expanded.
    UnknownEntity,
    /// It is a line of text that is no address.
    NotAnAddress,
    /// It holds bytes that are not of the file's encoding.
    Undecodable,
    /// It is an item of a feed that is left out there: too long, or undecodable.
    LeftOut,
}

impl EntryFlaw {
    /// A stable word for records.
    pub fn code(self) -> &'static str {
        match self {
            Self::NoAddress => "entry-without-address",
            Self::TooLong => "address-too-long",
            Self::UnknownEntity => "entry-with-unknown-entity",
            Self::NotAnAddress => "entry-not-an-address",
            Self::Undecodable => "entry-undecodable",
            Self::LeftOut => "feed-item-left-out",
        }
    }
}

impl fmt::Display for EntryFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoAddress => "an entry has no address",
            Self::TooLong => "an address is longer than 8 KiB",
            Self::UnknownEntity => "an address holds an entity that is not known and not expanded",
            Self::NotAnAddress => "a line is no address",
            Self::Undecodable => "an address holds bytes that are not of the file's encoding",
            Self::LeftOut => "an item of a feed is too long or cannot be decoded",
        })
    }
}

/// Where and why a file ends before it is complete. Nothing of the file is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Broken {
    /// It is not well-formed XML from this byte of its text on.
    Malformed {
        /// The byte, counted from 0.
        at: u64,
    },
    /// It ends inside its root element, or is packed and cannot be unpacked to its end.
    CutOff,
    /// It is a feed that cannot be read.
    Feed {
        /// A stable word.
        code: &'static str,
        /// The reason.
        why: String,
    },
}

impl Broken {
    /// A stable word for records.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed { .. } => "sitemap-malformed",
            Self::CutOff => "sitemap-cut-off",
            Self::Feed { code, .. } => code,
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { at } => write!(f, "the sitemap is not well-formed from byte {at} on"),
            Self::CutOff => f.write_str("the sitemap ends before it is complete"),
            Self::Feed { why, .. } => f.write_str(why),
        }
    }
}

/// The entries of a [`File`].
#[derive(Debug)]
pub struct Entries<'t> {
    source: Source<'t>,
    is_cut: bool,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each file")]
enum Source<'t> {
    Urls(Urls<'t>),
    Lines(std::str::Lines<'t>),
    Feed { announcements: std::slice::Iter<'t, Announcement>, left_out: usize, broken: Option<Broken> },
    Broken(Broken),
}

impl Entries<'_> {
    /// Why the file ends before it is complete, once there are no more entries.
    pub fn broken(&self) -> Option<&Broken> {
        match &self.source {
            Source::Urls(urls) => urls.broken(),
            Source::Broken(broken) => Some(broken),
            Source::Feed { broken, .. } => broken.as_ref(),
            Source::Lines(_) => self.is_cut.then_some(&Broken::CutOff),
        }
    }
}

impl<'t> Iterator for Entries<'t> {
    type Item = Result<Entry<'t>, EntryFlaw>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Urls(urls) => urls.next_entry(),
            Source::Lines(lines) => {
                let line = lines.map(str::trim).find(|line| is_said(line))?;
                Some(if !is_web_address(line) {
                    Err(EntryFlaw::NotAnAddress)
                } else if line.len() > ADDRESS_BYTES_MAX {
                    Err(EntryFlaw::TooLong)
                } else if line.contains(char::REPLACEMENT_CHARACTER) {
                    Err(EntryFlaw::Undecodable)
                } else {
                    Ok(Entry {
                        address: Cow::Borrowed(line),
                        published: None,
                        modified: None,
                        language: None,
                    })
                })
            }
            Source::Feed { announcements, left_out, .. } => {
                let Some(announcement) = announcements.next() else {
                    *left_out = left_out.checked_sub(1)?;
                    return Some(Err(EntryFlaw::LeftOut));
                };
                let Some(link) = &announcement.link else { return Some(Err(EntryFlaw::NoAddress)) };
                Some(Ok(Entry {
                    address: Cow::Borrowed(link),
                    published: announcement.published,
                    modified: announcement.modified,
                    language: None,
                }))
            }
            Source::Broken(_) => None,
        }
    }
}

/// Why what was received is no file of a list. Nothing of it is quoted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileError {
    /// There is nothing but white space.
    Empty,
    /// It is a web page, as servers answer where there is nothing.
    Html,
    /// It is something else.
    NotAList,
    /// It begins like a packed file, and nothing of it can be unpacked.
    Packing,
    /// It is larger than [`UNPACKED_BYTES_MAX`] once it is unpacked.
    TooLarge,
}

impl FileError {
    /// A stable word for records.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "sitemap-empty",
            Self::Html => "sitemap-is-html",
            Self::NotAList => "not-a-sitemap",
            Self::Packing => "sitemap-packing",
            Self::TooLarge => "sitemap-too-large",
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the file is empty"),
            Self::Html => f.write_str("this is a web page, not a sitemap"),
            Self::NotAList => {
                f.write_str("this is neither a sitemap nor an index, a text of addresses or a feed")
            }
            Self::Packing => f.write_str("the file begins as gzip does and cannot be unpacked"),
            Self::TooLarge => {
                write!(f, "the file is larger than {UNPACKED_BYTES_MAX} bytes once it is unpacked")
            }
        }
    }
}

impl std::error::Error for FileError {}

/// Unpacks what is gzip by its first bytes, as far as that can be done, and says whether it could not to the end.
fn unpack(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, bool), FileError> {
    let mut unpacked = Cow::Borrowed(bytes);
    let mut is_cut = false;
    for _ in 0..PACKINGS_MAX {
        if !unpacked.starts_with(&[0x1f, 0x8b]) {
            break;
        }
        let limit = UNPACKED_BYTES_MAX as u64 + 1;
        let mut out = Vec::with_capacity(announced_len(&unpacked));
        let read = MultiGzDecoder::new(&*unpacked).take(limit).read_to_end(&mut out);
        if read.is_err() && out.is_empty() {
            return Err(FileError::Packing);
        }
        is_cut |= read.is_err();
        if out.len() > UNPACKED_BYTES_MAX {
            return Err(FileError::TooLarge);
        }
        unpacked = Cow::Owned(out);
    }
    Ok((unpacked, is_cut))
}

/// What the end of a gzip file says of its length, as far as that can be true: deflate makes of one byte 1,032
/// at most.
fn announced_len(packed: &[u8]) -> usize {
    let said = packed.last_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let said = usize::try_from(said).unwrap_or(usize::MAX);
    said.min(UNPACKED_BYTES_MAX).min(packed.len().saturating_mul(1_032))
}

/// What is XML and no sitemap: a feed, which may be broken, or nothing.
fn feed(text: &str, base: &str) -> Result<Result<Feed, FeedError>, FileError> {
    match releve_feed::read(text.as_bytes(), None, base, &Wanted::nothing()) {
        Err(FeedError::NotAFeed(Instead::Html)) => Err(FileError::Html),
        Err(_) if sitemap::is_html(text) => Err(FileError::Html),
        Err(_) if !sitemap::is_feed(text) => Err(FileError::NotAList),
        read => Ok(read),
    }
}

fn is_too_long(feed: &Feed) -> Option<Broken> {
    let notice = feed.notices.iter().find(|notice| notice.kind == NoticeKind::TooManyItems)?;
    Some(Broken::Feed { code: "feed-too-long", why: notice.to_string() })
}

/// The lines of a text that say something.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| is_said(line))
}

fn is_said(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('#')
}

fn is_web_address(line: &str) -> bool {
    let scheme = line.split_once("://").map_or("", |(scheme, _)| scheme);
    let is_web = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    is_web && !line.contains(char::is_whitespace)
}
