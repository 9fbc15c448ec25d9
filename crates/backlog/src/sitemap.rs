//! Sitemaps and their indexes, element by element.
//!
//! Elements are known by their place and not by their namespace, which every second list gets wrong: an entry
//! is a child of the root, its address and date are children of the entry, and all of them have the root's
//! prefix. So `image:loc`, `video:content_loc` and `xhtml:link` are never taken for the page's address.

use std::borrow::Cow;

use jiff::Timestamp;
use quick_xml::errors::{Error, IllFormedError, SyntaxError};
use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::Event;
use quick_xml::reader::Reader;

use crate::date;
use crate::file::{ADDRESS_BYTES_MAX, Broken, Entry, EntryFlaw};

/// The two roots that sitemaps.org knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    UrlSet,
    Index,
}

impl Root {
    /// Whether this is the name of an entry's element.
    fn has_entry(self, name: &str) -> bool {
        match self {
            Self::UrlSet => name == "url",
            Self::Index => name == "sitemap",
        }
    }
}

/// What the root element says that a document is, if it is one of the two.
pub(crate) fn root(text: &str) -> Option<Root> {
    let name = root_name(text)?;
    if name.eq_ignore_ascii_case("urlset") {
        Some(Root::UrlSet)
    } else if name.eq_ignore_ascii_case("sitemapindex") {
        Some(Root::Index)
    } else {
        None
    }
}

/// Whether the root element is that of a feed.
pub(crate) fn is_feed(text: &str) -> bool {
    let names = ["rss", "feed", "rdf"];
    root_name(text).is_some_and(|root| names.iter().any(|name| root.eq_ignore_ascii_case(name)))
}

/// Whether a document is a page, be it one that is no XML.
pub(crate) fn is_html(text: &str) -> bool {
    let begins = |with: &str| text.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with));
    begins("<!doctype html") || root_name(text).is_some_and(|root| root.eq_ignore_ascii_case("html"))
}

/// The root element's name without its prefix.
fn root_name(text: &str) -> Option<String> {
    let mut reader = reader(text);
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) | Event::Empty(start) => {
                return Some(start.local_name().into_inner().to_owned());
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

fn reader(text: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().allow_dangling_amp = true;
    reader
}

/// The entries of a sitemap or an index.
#[derive(Debug)]
pub(crate) struct Urls<'t> {
    reader: Reader<&'t [u8]>,
    root: Root,
    /// Whether something of the text is not of its encoding.
    is_lossy: bool,
    /// The prefix of the root with its colon, empty without one.
    prefix: String,
    /// How many elements are open.
    depth: usize,
    entry: Option<Reading<'t>>,
    /// What the text that comes next is for, and the depth of its element.
    capture: Option<(Field, usize)>,
    broken: Option<Broken>,
    is_done: bool,
}

/// What is read of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Address,
    Modified,
    Published,
    Language,
}

/// An entry as far as it has been read.
#[derive(Debug, Default)]
struct Reading<'t> {
    address: Cow<'t, str>,
    modified: Cow<'t, str>,
    published: Cow<'t, str>,
    language: Cow<'t, str>,
    /// Whether the address was read to its end.
    has_address: bool,
    is_in_news: bool,
    is_in_publication: bool,
    flaw: Option<EntryFlaw>,
}

/// How long anything but an address may be. No date and no language takes more.
const OTHER_BYTES_MAX: usize = 100;

impl<'t> Urls<'t> {
    pub(crate) fn new(text: &'t str, is_lossy: bool, root: Root) -> Self {
        Self {
            reader: reader(text),
            root,
            is_lossy,
            prefix: String::new(),
            depth: 0,
            entry: None,
            capture: None,
            broken: None,
            is_done: false,
        }
    }

    pub(crate) fn broken(&self) -> Option<&Broken> {
        self.broken.as_ref()
    }

    pub(crate) fn next_entry(&mut self) -> Option<Result<Entry<'t>, EntryFlaw>> {
        while !self.is_done {
            match self.reader.read_event() {
                Ok(Event::Start(start)) => {
                    self.depth += 1;
                    match self.depth {
                        1 => {
                            let name = start.name().into_inner();
                            name[..name.len() - start.local_name().into_inner().len()]
                                .clone_into(&mut self.prefix);
                        }
                        2 => {
                            let name = self.own(start.name().into_inner());
                            let is_entry = name.is_some_and(|name| self.root.has_entry(name));
                            self.entry = is_entry.then(Reading::default);
                        }
                        _ => self.child(start.name().into_inner()),
                    }
                }
                Ok(Event::End(_)) => {
                    if let Some((Field::Address, depth)) = self.capture
                        && depth == self.depth
                        && let Some(entry) = &mut self.entry
                    {
                        entry.has_address = true;
                    }
                    self.capture = self.capture.filter(|(_, depth)| *depth != self.depth);
                    self.depth -= usize::from(self.depth > 0);
                    match self.depth {
                        0 => self.is_done = true,
                        1 => {
                            if let Some(entry) = self.entry.take() {
                                return Some(entry.finish(self.is_lossy));
                            }
                        }
                        2 => self.leave(|entry| entry.is_in_news = false),
                        3 => self.leave(|entry| entry.is_in_publication = false),
                        _ => {}
                    }
                }
                Ok(Event::Text(text)) if self.is_capturing() => self.push(text.into_inner()),
                Ok(Event::CData(text)) if self.is_capturing() => self.push(text.into_inner()),
                Ok(Event::GeneralRef(entity)) if self.is_capturing() => self.push_entity(&entity),
                Ok(Event::Empty(_)) if self.depth == 0 => self.is_done = true,
                Ok(Event::Eof) => return self.break_off(Broken::CutOff),
                Ok(_) => {}
                Err(error) => {
                    let broken = match error {
                        Error::Syntax(SyntaxError::InvalidBangMarkup) => self.malformed(),
                        Error::Syntax(_) | Error::IllFormed(IllFormedError::MissingEndTag(_)) => {
                            Broken::CutOff
                        }
                        _ => self.malformed(),
                    };
                    return self.break_off(broken);
                }
            }
        }
        None
    }

    fn malformed(&self) -> Broken {
        Broken::Malformed { at: self.reader.error_position() }
    }

    /// Ends the reading. An entry whose address was whole is still one: the address was found.
    fn break_off(&mut self, broken: Broken) -> Option<Result<Entry<'t>, EntryFlaw>> {
        self.broken = Some(broken);
        self.is_done = true;
        // A date that was cut off would be another date.
        let cut = self.capture.map(|(field, _)| field);
        let mut entry = self.entry.take().filter(|entry| entry.has_address)?;
        match cut {
            Some(Field::Modified) => entry.modified = Cow::default(),
            Some(Field::Published) => entry.published = Cow::default(),
            _ => {}
        }
        Some(entry.finish(self.is_lossy))
    }

    /// A name without the root's prefix, if it has that.
    fn own<'n>(&self, name: &'n str) -> Option<&'n str> {
        // Nearly all lists have none, and a comparison with nothing costs as much as any.
        if self.prefix.is_empty() { Some(name) } else { name.strip_prefix(self.prefix.as_str()) }
    }

    /// Looks at an element inside an entry.
    fn child(&mut self, name: &str) {
        let own = self.own(name);
        let Some(entry) = &mut self.entry else { return };
        let is_local =
            |local| name.strip_suffix(local).is_some_and(|prefix| prefix.is_empty() || prefix.ends_with(':'));
        let field = match (self.depth, own) {
            (3, Some("loc")) if entry.address.is_empty() => Field::Address,
            (3, Some("lastmod")) if entry.modified.is_empty() => Field::Modified,
            (3, _) if is_local("news") => return entry.is_in_news = true,
            (4, _) if entry.is_in_news && entry.published.is_empty() && is_local("publication_date") => {
                Field::Published
            }
            (4, _) if entry.is_in_news && is_local("publication") => return entry.is_in_publication = true,
            (5, _) if entry.is_in_publication && entry.language.is_empty() && is_local("language") => {
                Field::Language
            }
            _ => return,
        };
        self.capture = Some((field, self.depth));
    }

    fn leave(&mut self, leave: impl FnOnce(&mut Reading<'t>)) {
        if let Some(entry) = &mut self.entry {
            leave(entry);
        }
    }

    fn is_capturing(&self) -> bool {
        self.capture.is_some_and(|(_, depth)| depth == self.depth)
    }

    fn push(&mut self, text: Cow<'t, str>) {
        let (Some((field, _)), Some(entry)) = (self.capture, &mut self.entry) else { return };
        let (slot, bytes_max) = match field {
            Field::Address => (&mut entry.address, ADDRESS_BYTES_MAX),
            Field::Modified => (&mut entry.modified, OTHER_BYTES_MAX),
            Field::Published => (&mut entry.published, OTHER_BYTES_MAX),
            Field::Language => (&mut entry.language, OTHER_BYTES_MAX),
        };
        // White space at the beginning says nothing, however much of it there is.
        let text = if slot.is_empty() { trim_start(text) } else { text };
        if slot.len() + text.trim_end().len() > bytes_max {
            if field == Field::Address {
                entry.flaw = Some(EntryFlaw::TooLong);
            }
        } else if slot.is_empty() {
            *slot = text;
        } else {
            slot.to_mut().push_str(&text);
        }
    }

    fn push_entity(&mut self, name: &str) {
        match character(name) {
            Some(text) => self.push(text),
            None => {
                if let (Some((Field::Address, _)), Some(entry)) = (self.capture, &mut self.entry) {
                    entry.flaw = Some(EntryFlaw::UnknownEntity);
                }
            }
        }
    }
}

impl<'t> Reading<'t> {
    fn finish(self, is_lossy: bool) -> Result<Entry<'t>, EntryFlaw> {
        if let Some(flaw) = self.flaw {
            return Err(flaw);
        }
        let address = trim_end(self.address);
        if address.is_empty() {
            return Err(EntryFlaw::NoAddress);
        }
        if is_lossy && address.contains(char::REPLACEMENT_CHARACTER) {
            return Err(EntryFlaw::Undecodable);
        }
        let date = |text: &str| -> Option<Timestamp> { date::parse(text.trim_end()) };
        let language = Some(trim_end(self.language)).filter(|language| !language.is_empty());
        Ok(Entry { address, published: date(&self.published), modified: date(&self.modified), language })
    }
}

fn trim_start(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_start()),
        Cow::Owned(text) => Cow::Owned(text.trim_start().to_owned()),
    }
}

fn trim_end(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_end()),
        Cow::Owned(mut text) => {
            text.truncate(text.trim_end().len());
            Cow::Owned(text)
        }
    }
}

/// A numbered character, or one that XML or HTML has a name for.
fn character(entity: &str) -> Option<Cow<'static, str>> {
    let Some(number) = entity.strip_prefix('#') else {
        return resolve_html5_entity(entity).map(Cow::Borrowed);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    let one = code.ok().and_then(char::from_u32).filter(|&one| one != '\0')?;
    Some(Cow::Owned(one.to_string()))
}
