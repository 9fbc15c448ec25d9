//! What is kept of an item, and the bounds on it.

use std::fmt;

use jiff::Timestamp;
use url::Url;

/// How many items of one document are read. The largest feeds in use (podcasts with their whole archive) hold
/// a few thousand.
pub const ITEMS_MAX: usize = 10_000;

/// How long an identifier, a link or a wanted field may be, in bytes: as long as the longest request line
/// that common servers take (8 KiB). An item with a longer one is left out.
pub const FIELD_BYTES_MAX: usize = 8 * 1024;

/// How many notices are kept. More than these tell nobody more.
pub const NOTICES_MAX: usize = 100;

/// What a document announces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Feed {
    /// The announcements in the document's order.
    pub announcements: Vec<Announcement>,
    /// What was left out, or not understood: the first [`NOTICES_MAX`].
    pub notices: Vec<Notice>,
    /// How many items were read, those that are left out among them.
    pub items: usize,
    /// What leads to a list's next page, where it was said where that stands: an address or a cursor, as it was
    /// written.
    pub next: Option<String>,
}

/// An article that is announced: its reference, its dates, and the fields that were wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Announcement {
    /// The identifier as it stands (`guid`, Atom's `id`, `rdf:about`, JSON's `id`), trimmed.
    pub id: Option<String>,
    /// Whether an RSS `guid` is said to be the article's address, be it by default.
    pub id_is_permalink: bool,
    /// The article's address. It is absolute, and as it stands if it stands there so.
    pub link: Option<String>,
    /// When the article was published.
    pub published: Option<Timestamp>,
    /// When it was last modified.
    pub modified: Option<Timestamp>,
    /// The wanted fields that it has, by the names under which they were wanted, in the document's order.
    pub fields: Vec<(String, String)>,
}

/// Which fields of an item are taken besides its reference and dates: those in which an identifier or an
/// embargo stands. Nothing that is not named here is copied.
///
/// In XML a name is that of a child element of the item as it is written there, with its prefix
/// (`dc:identifier`). In JSON Feed it is that of a member of the item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    names: Vec<String>,
}

impl Wanted {
    /// Nothing besides reference and dates.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// The fields of these names.
    pub fn fields<I>(names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        Self { names: names.into_iter().map(Into::into).collect() }
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}

/// Something that was left out or not understood. It quotes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The item, counted from 1 in the document's order; none if it is about the document.
    pub item: Option<usize>,
    /// What is the matter.
    pub kind: NoticeKind,
}

/// What is the matter with an item or a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeKind {
    /// A date is not understood, or is none that a person would mean. The item goes without it.
    DateNotUnderstood,
    /// A link is relative, and there is nothing that it could be relative to. The item goes without it.
    LinkNotAbsolute,
    /// An identifier or a date is neither text nor a whole number. The item goes without it. Of the document:
    /// what should lead to its next page is neither.
    WrongType,
    /// A field is longer than [`FIELD_BYTES_MAX`]. The item is left out.
    FieldTooLong,
    /// A wanted field is neither text nor a whole number. The item is left out, since what it says may be not
    /// to read it.
    FieldOfWrongType,
    /// A field holds bytes that are not of the document's encoding. The item is left out.
    Undecodable,
    /// What stands among the items is none. It is left out.
    NotAnItem,
    /// The document has bytes that are not of its encoding.
    NotOfItsEncoding,
    /// There are more than [`ITEMS_MAX`] items. The rest is left out.
    TooManyItems,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(item) = self.item {
            write!(f, "item {item} ")?;
        }
        f.write_str(match self.kind {
            NoticeKind::DateNotUnderstood => "has a date that is not understood",
            NoticeKind::LinkNotAbsolute => "has a relative link and no base for it",
            NoticeKind::WrongType if self.item.is_none() => {
                "what leads to the next page is neither text nor number"
            }
            NoticeKind::WrongType => "has an identifier or date that is neither text nor number",
            NoticeKind::FieldTooLong => "has a field that is too long and is left out",
            NoticeKind::FieldOfWrongType => "has a wanted field of another type and is left out",
            NoticeKind::Undecodable => "has a field that cannot be decoded and is left out",
            NoticeKind::NotAnItem => "is no item and is left out",
            NoticeKind::NotOfItsEncoding => "the document has bytes that are not of its encoding",
            NoticeKind::TooManyItems => "there are too many items; the rest is left out",
        })
    }
}

/// The feed as it is being read.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    feed: Feed,
    items: usize,
    is_lossy: bool,
}

/// Why an item is left out.
pub(crate) type LeftOut = NoticeKind;

impl Reading {
    pub(crate) fn new(is_lossy: bool) -> Self {
        let mut reading = Self { is_lossy, ..Self::default() };
        if is_lossy {
            reading.note_document(NoticeKind::NotOfItsEncoding);
        }
        reading
    }

    /// Begins an item, unless there are too many.
    pub(crate) fn begin_item(&mut self) -> bool {
        if self.items == ITEMS_MAX {
            self.note_document(NoticeKind::TooManyItems);
            return false;
        }
        self.items += 1;
        true
    }

    /// Takes the item that was begun last, or notes why it is left out.
    pub(crate) fn end_item(&mut self, item: Result<Announcement, LeftOut>) {
        match item {
            Ok(announcement) => self.feed.announcements.push(announcement),
            Err(left_out) => self.note(left_out),
        }
    }

    /// Why an item with this in one of its fields is left out, if it is.
    pub(crate) fn unfit(&self, text: &str) -> Option<LeftOut> {
        if text.len() > FIELD_BYTES_MAX {
            Some(NoticeKind::FieldTooLong)
        } else if self.is_lossy && text.contains(char::REPLACEMENT_CHARACTER) {
            Some(NoticeKind::Undecodable)
        } else {
            None
        }
    }

    /// Notes something about the item that was begun last.
    pub(crate) fn note(&mut self, kind: NoticeKind) {
        self.push(Notice { item: Some(self.items), kind });
    }

    pub(crate) fn note_document(&mut self, kind: NoticeKind) {
        self.push(Notice { item: None, kind });
    }

    fn push(&mut self, notice: Notice) {
        if self.feed.notices.len() < NOTICES_MAX {
            self.feed.notices.push(notice);
        }
    }

    pub(crate) fn lead_on(&mut self, next: &str) {
        self.feed.next = Some(next.to_owned());
    }

    pub(crate) fn finish(self) -> Feed {
        Feed { items: self.items, ..self.feed }
    }
}

/// A link made absolute. One that is absolute stays as it is, whatever it is; nothing if there is no base for
/// another.
pub(crate) fn absolute(link: &str, base: Option<&Url>) -> Option<String> {
    if has_scheme(link) {
        return Some(link.to_owned());
    }
    let joined = base?.join(link).ok()?;
    (joined.as_str().len() <= FIELD_BYTES_MAX).then(|| joined.into())
}

/// RFC 3986, 3.1.
fn has_scheme(link: &str) -> bool {
    link.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}
