//! RSS and Atom, element by element.
//!
//! Only the children of an item are looked at, and of these only those that hold a reference, a date or a
//! wanted field are copied. Everything else is passed over where it lies in the document.

use jiff::Timestamp;
use quick_xml::errors::{Error, IllFormedError, SyntaxError};
use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::{Prefix, ResolveResult};
use quick_xml::reader::NsReader;
use url::Url;

use crate::date::{self, Zoneless};
use crate::decode::Text;
use crate::error::malformed_at;
use crate::item::{Announcement, FIELD_BYTES_MAX, Feed, LeftOut, NoticeKind, Reading, Wanted, absolute};
use crate::{FeedError, Instead};

/// How deep elements may be nested. 256 is where libxml2 stops, so no feed that others read is deeper.
pub const DEPTH_MAX: usize = 256;

pub(crate) fn read(text: &Text<'_>, base: &str, wanted: &Wanted) -> Result<Feed, FeedError> {
    let mut reader = NsReader::from_str(text.as_str());
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.expand_empty_elements = true;
    let mut document = Document {
        reading: Reading::new(text.is_lossy),
        wanted,
        bases: vec![(0, Url::parse(base).ok())],
        path: Vec::new(),
        depth: 0,
        kind: Kind::Rss,
        own_space: String::new(),
        item: None,
        capture: None,
    };
    loop {
        let step = match reader.read_resolved_event() {
            Ok((space, Event::Start(start))) => document.start(&space, &start)?,
            Ok((_, Event::End(_))) => document.end(),
            Ok((_, Event::Text(text))) => document.text(&text),
            Ok((_, Event::CData(text))) => document.text(&text),
            Ok((_, Event::GeneralRef(entity))) => document.entity(&entity),
            Ok((_, Event::DocType(doctype))) => document.doctype(&doctype)?,
            Ok((_, Event::Eof)) if document.depth > 0 => return Err(FeedError::CutOff),
            Ok((_, Event::Eof)) => return Err(FeedError::NotAFeed(Instead::Xml)),
            Ok(_) => Step::Continue,
            Err(error) => return Err(not_well_formed(&error, text.as_str(), reader.error_position())),
        };
        if step == Step::Done {
            return Ok(document.reading.finish());
        }
    }
}

/// Whether there is more to read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Continue,
    Done,
}

/// What the reader's error comes to. Its own words quote the document, so they are not passed on.
fn not_well_formed(error: &Error, text: &str, offset: u64) -> FeedError {
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    match error {
        Error::Syntax(SyntaxError::InvalidBangMarkup) => malformed_at(text, offset),
        // All the others of its kind are about something that is open where the text ends.
        Error::Syntax(_) | Error::IllFormed(IllFormedError::MissingEndTag(_)) => FeedError::CutOff,
        _ => malformed_at(text, offset),
    }
}

/// The document as far as it has been read.
struct Document<'w> {
    reading: Reading,
    wanted: &'w Wanted,
    /// The bases in force, each with the depth of the element that set it. One that is no address leaves
    /// relative links without a base: any other would lead elsewhere.
    bases: Vec<(usize, Option<Url>)>,
    /// Which of the elements that are open, from the root on, lead to items. It ends where one does not.
    path: Vec<Level>,
    depth: usize,
    kind: Kind,
    /// The namespace of the root element, empty if it has none.
    own_space: String,
    item: Option<Item>,
    capture: Option<Capture>,
}

/// What an element on the way to the items is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Channel,
    Item,
}

/// What the root element says that a feed is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rss,
    Rdf,
    Atom,
}

impl Document<'_> {
    fn start(&mut self, space: &ResolveResult<'_>, start: &BytesStart<'_>) -> Result<Step, FeedError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(FeedError::TooDeep);
        }
        if self.path.len() + 1 < self.depth {
            return Ok(Step::Continue);
        }
        if let Some(base) = attribute(start, |name| name == "xml:base") {
            let base =
                absolute(base.trim(), base_of(&self.bases)).filter(|base| base.len() <= FIELD_BYTES_MAX);
            self.bases.push((self.depth, base.and_then(|base| Url::parse(&base).ok())));
        }
        let vocabulary = self.vocabulary(space, start);
        let name = start.local_name();
        let level = match (self.path.last(), name.as_ref()) {
            (None, name) => self.root(vocabulary, name, space)?,
            (Some(Level::Item), name) => {
                self.child(vocabulary, name, start);
                return Ok(Step::Continue);
            }
            (Some(level), name) => match level.child(self.kind, vocabulary, name) {
                None => return Ok(Step::Continue),
                Some(level) => level,
            },
        };
        self.path.push(level);
        if level == Level::Item {
            if !self.reading.begin_item() {
                return Ok(Step::Done);
            }
            let mut item = Item::default();
            if self.kind == Kind::Rdf
                && let Some(about) = attribute(start, |name| matches!(name, "rdf:about" | "about"))
            {
                item.left_out = self.reading.unfit(&about);
                item.take_id(about.trim());
            }
            self.item = Some(item);
        }
        Ok(Step::Continue)
    }

    /// What the document is by its root element.
    fn root(
        &mut self,
        vocabulary: Vocabulary,
        name: &str,
        space: &ResolveResult<'_>,
    ) -> Result<Level, FeedError> {
        if let ResolveResult::Bound(space) = space {
            space.as_ref().clone_into(&mut self.own_space);
        }
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        let is_atom = || {
            vocabulary == Vocabulary::Atom
                || self.own_space.is_empty()
                || simplified(&self.own_space).contains("atom")
        };
        self.kind = match vocabulary {
            Vocabulary::Rdf if is("rdf") => Kind::Rdf,
            _ if is("rss") => Kind::Rss,
            _ if is("feed") && is_atom() => Kind::Atom,
            Vocabulary::Atom if is("entry") => {
                self.kind = Kind::Atom;
                return Ok(Level::Item);
            }
            _ if is("html") => return Err(FeedError::NotAFeed(Instead::Html)),
            _ if is("urlset") || is("sitemapindex") => {
                return Err(FeedError::NotAFeed(Instead::Sitemap));
            }
            _ => return Err(FeedError::NotAFeed(Instead::Xml)),
        };
        Ok(Level::Root)
    }

    /// Looks at a child of an item.
    fn child(&mut self, vocabulary: Vocabulary, name: &str, start: &BytesStart<'_>) {
        let Some(item) = &mut self.item else { return };
        let slot = Slot::of(self.kind, vocabulary, name);
        match slot {
            Some(Slot::LinkElement) => {
                let Some((href, is_page)) = alternate(start) else { return };
                if let Some(why) = self.reading.unfit(&href) {
                    item.left_out = Some(why);
                    return;
                }
                match absolute(&href, base_of(&self.bases)) {
                    Some(link) => item.take_link_element(link, is_page),
                    None => self.reading.note(NoticeKind::LinkNotAbsolute),
                }
            }
            Some(Slot::Id) if self.kind == Kind::Rss => {
                let said = attribute(start, |name| name.eq_ignore_ascii_case("isPermaLink"));
                item.is_next_permalink = said.is_none_or(|said| !said.trim().eq_ignore_ascii_case("false"));
            }
            _ => {}
        }
        let name = start.name().into_inner();
        let wanted = self.wanted.names().iter().position(|wanted| wanted == name);
        if slot.is_some() || wanted.is_some() {
            self.capture =
                Some(Capture { depth: self.depth, slot, wanted, text: String::new(), is_too_long: false });
        }
    }

    fn text(&mut self, text: &str) -> Step {
        if let Some(capture) = &mut self.capture
            && capture.depth == self.depth
        {
            capture.push(text);
        }
        Step::Continue
    }

    fn entity(&mut self, entity: &BytesRef<'_>) -> Step {
        if let Some(capture) = &mut self.capture
            && capture.depth == self.depth
        {
            match character(entity) {
                Some(Character::One(one)) => capture.push(one.encode_utf8(&mut [0; 4])),
                Some(Character::Named(text)) => capture.push(text),
                // Declared by the document or by nobody: it stands for itself.
                None => ["&", entity, ";"].into_iter().for_each(|part| capture.push(part)),
            }
        }
        Step::Continue
    }

    fn doctype(&self, doctype: &str) -> Result<Step, FeedError> {
        let name = doctype.trim_start().get(..4).unwrap_or_default();
        if self.depth == 0 && name.eq_ignore_ascii_case("html") {
            return Err(FeedError::NotAFeed(Instead::Html));
        }
        Ok(Step::Continue)
    }

    fn end(&mut self) -> Step {
        if let Some(capture) = self.capture.take_if(|capture| capture.depth == self.depth) {
            self.take(&capture);
        }
        self.bases.pop_if(|(depth, _)| *depth == self.depth);
        if self.path.len() == self.depth
            && let Some(Level::Item) = self.path.pop()
            && let Some(item) = self.item.take()
        {
            self.reading.end_item(item.finish(self.kind));
        }
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 { Step::Done } else { Step::Continue }
    }

    /// Takes what was captured of an item's child.
    fn take(&mut self, capture: &Capture) {
        let Some(item) = &mut self.item else { return };
        let text = capture.text.trim();
        let too_long = capture.is_too_long.then_some(NoticeKind::FieldTooLong);
        if let Some(why) = too_long.or(self.reading.unfit(text)) {
            item.left_out = Some(why);
            return;
        }
        if let Some(name) = capture.wanted.and_then(|index| self.wanted.names().get(index)) {
            item.announcement.fields.push((name.clone(), text.to_owned()));
        }
        if text.is_empty() {
            return;
        }
        match capture.slot {
            Some(Slot::Id) => item.take_id(text),
            Some(Slot::Link) if item.link.is_none() => {
                item.link = absolute(text, base_of(&self.bases));
                if item.link.is_none() {
                    self.reading.note(NoticeKind::LinkNotAbsolute);
                }
            }
            Some(Slot::Published(rank) | Slot::Modified(rank)) => {
                let is_published = matches!(capture.slot, Some(Slot::Published(_)));
                let date = if is_published { &mut item.published } else { &mut item.modified };
                match date::parse(text, Zoneless::Utc) {
                    Some(instant) if date.is_none_or(|(best, _)| rank < best) => {
                        *date = Some((rank, instant));
                    }
                    Some(_) => {}
                    None => self.reading.note(NoticeKind::DateNotUnderstood),
                }
            }
            _ => {}
        }
    }

    fn vocabulary(&self, space: &ResolveResult<'_>, start: &BytesStart<'_>) -> Vocabulary {
        let prefix = start.name().prefix().map(Prefix::into_inner);
        match (space, prefix) {
            (ResolveResult::Bound(space), prefix) => {
                let space = space.as_ref();
                match (Vocabulary::of(space), prefix) {
                    (Vocabulary::Foreign, Some(_)) if space == self.own_space => Vocabulary::Plain,
                    (Vocabulary::Foreign, None) if !is_markup(space) => Vocabulary::Plain,
                    (known, _) => known,
                }
            }
            (_, Some(undeclared)) => match undeclared {
                "atom" | "a10" => Vocabulary::Atom,
                "dc" => Vocabulary::DublinCore,
                "dcterms" => Vocabulary::DublinCoreTerms,
                "rdf" => Vocabulary::Rdf,
                _ => Vocabulary::Foreign,
            },
            (_, None) => Vocabulary::Plain,
        }
    }
}

impl Level {
    /// The level of a child, if it is on the way to the items.
    fn child(self, kind: Kind, vocabulary: Vocabulary, name: &str) -> Option<Self> {
        if !kind.owns(vocabulary) {
            return None;
        }
        match (kind, self, name) {
            (Kind::Atom, Self::Root, "entry")
            | (Kind::Rss | Kind::Rdf, Self::Root | Self::Channel, "item") => Some(Self::Item),
            (Kind::Rss | Kind::Rdf, Self::Root, "channel") => Some(Self::Channel),
            _ => None,
        }
    }
}

impl Kind {
    /// Whether elements of a vocabulary are the feed's own.
    fn owns(self, vocabulary: Vocabulary) -> bool {
        match vocabulary {
            Vocabulary::Plain => true,
            Vocabulary::Atom => self == Self::Atom,
            Vocabulary::Rss1 => self != Self::Atom,
            _ => false,
        }
    }
}

/// What a child of an item holds. A date of a lower rank goes before one of a higher.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    Id,
    Link,
    /// Atom's link, which says its address in an attribute.
    LinkElement,
    Published(u8),
    Modified(u8),
}

impl Slot {
    fn of(kind: Kind, vocabulary: Vocabulary, name: &str) -> Option<Self> {
        let is_own = kind.owns(vocabulary);
        Some(match (kind, vocabulary, name) {
            (Kind::Rss, _, "guid") | (Kind::Atom, _, "id") if is_own => Self::Id,
            (Kind::Rss | Kind::Rdf, _, "link") if is_own => Self::Link,
            (_, Vocabulary::Atom, "link") | (Kind::Atom, Vocabulary::Plain, "link") => Self::LinkElement,
            (Kind::Rss | Kind::Rdf, _, "pubDate" | "pubdate") if is_own => Self::Published(0),
            (_, Vocabulary::Atom, "published") | (Kind::Atom, Vocabulary::Plain, "published") => {
                Self::Published(0)
            }
            (Kind::Atom, _, "issued") if is_own => Self::Published(1),
            (_, Vocabulary::DublinCore, "date") => Self::Published(2),
            (_, Vocabulary::DublinCoreTerms, "issued") => Self::Published(3),
            (Kind::Atom, _, "created") if is_own => Self::Published(4),
            (_, Vocabulary::Atom, "updated") | (Kind::Atom, Vocabulary::Plain, "updated") => {
                Self::Modified(0)
            }
            (Kind::Atom, _, "modified") if is_own => Self::Modified(1),
            (_, Vocabulary::DublinCoreTerms, "modified") => Self::Modified(2),
            _ => return None,
        })
    }
}

/// The text of a child of an item, as far as it has been read.
struct Capture {
    depth: usize,
    slot: Option<Slot>,
    /// Which of the wanted fields it is.
    wanted: Option<usize>,
    text: String,
    is_too_long: bool,
}

impl Capture {
    fn push(&mut self, text: &str) {
        // White space at the beginning would be trimmed anyway, and some feeds indent by a lot of it.
        let text = if self.text.is_empty() { text.trim_start() } else { text };
        if self.text.len() + text.len() > FIELD_BYTES_MAX {
            self.is_too_long = true;
        } else {
            self.text.push_str(text);
        }
    }
}

/// An item as far as it has been read.
#[derive(Default)]
struct Item {
    announcement: Announcement,
    /// Whether the `guid` being read is said to be an address.
    is_next_permalink: bool,
    link: Option<String>,
    /// The address of Atom's link, and whether it leads to a page.
    link_element: Option<(bool, String)>,
    published: Option<(u8, Timestamp)>,
    modified: Option<(u8, Timestamp)>,
    left_out: Option<LeftOut>,
}

impl Item {
    fn take_id(&mut self, id: &str) {
        if self.announcement.id.is_none() && !id.is_empty() {
            self.announcement.id = Some(id.to_owned());
            self.announcement.id_is_permalink = self.is_next_permalink;
        }
    }

    /// Takes the address of Atom's link. Of several the first counts, but one that leads to a page goes
    /// before others.
    fn take_link_element(&mut self, link: String, is_page: bool) {
        if self.link_element.as_ref().is_none_or(|(is_best_page, _)| is_page && !is_best_page) {
            self.link_element = Some((is_page, link));
        }
    }

    fn finish(self, kind: Kind) -> Result<Announcement, LeftOut> {
        if let Some(why) = self.left_out {
            return Err(why);
        }
        let mut announcement = self.announcement;
        let id = announcement.id.as_deref();
        let permalink = id.filter(|id| match kind {
            Kind::Rss => announcement.id_is_permalink && is_web_address(id),
            Kind::Rdf => is_web_address(id),
            Kind::Atom => false,
        });
        let permalink = permalink.map(str::to_owned);
        announcement.link = self.link.or(permalink).or(self.link_element.map(|(_, link)| link));
        announcement.published = self.published.map(|(_, instant)| instant);
        announcement.modified = self.modified.map(|(_, instant)| instant);
        Ok(announcement)
    }
}

/// The innermost of the bases in force.
fn base_of(bases: &[(usize, Option<Url>)]) -> Option<&Url> {
    bases.last()?.1.as_ref()
}

/// The address of Atom's link, if it leads to what its entry is about, and whether it says that it leads to a
/// page.
fn alternate(start: &BytesStart<'_>) -> Option<(String, bool)> {
    let rel = attribute(start, |name| name == "rel").unwrap_or_default();
    let rel = rel.trim();
    if !matches!(rel, "" | "http://www.iana.org/assignments/relation/alternate")
        && !rel.eq_ignore_ascii_case("alternate")
    {
        return None;
    }
    let href = attribute(start, |name| name == "href")?;
    let media_type = attribute(start, |name| name == "type").unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default();
    let is_page = essence.trim().eq_ignore_ascii_case("text/html");
    Some((href.trim().to_owned(), is_page)).filter(|(href, _)| !href.is_empty())
}

fn is_web_address(text: &str) -> bool {
    let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
    scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
}

/// An attribute's value, with its entities resolved.
fn attribute(start: &BytesStart<'_>, is_it: impl Fn(&str) -> bool) -> Option<String> {
    let mut attributes = start.attributes();
    let attribute =
        attributes.with_checks(false).flatten().find(|attribute| is_it(attribute.key.into_inner()))?;
    Some(resolved(&attribute.value))
}

/// A text in which entities are replaced by what they stand for, as far as that is known.
fn resolved(text: &str) -> String {
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        resolved.push_str(before);
        rest = after;
        let end = after.bytes().take(ENTITY_BYTES_MAX).position(|byte| byte == b';');
        let name = end.and_then(|end| after.get(..end));
        match name.and_then(character) {
            Some(Character::One(one)) => resolved.push(one),
            Some(Character::Named(text)) => resolved.push_str(text),
            None => {
                resolved.push('&');
                continue;
            }
        }
        rest = &after[name.map_or(0, str::len) + 1..];
    }
    resolved.push_str(rest);
    resolved
}

/// How far the end of an entity is looked for. The longest name that HTML has takes 32 bytes.
const ENTITY_BYTES_MAX: usize = 40;

/// What an entity stands for.
enum Character {
    One(char),
    Named(&'static str),
}

/// A numbered character, or one that XML or HTML has a name for.
fn character(entity: &str) -> Option<Character> {
    let Some(number) = entity.strip_prefix('#') else {
        return resolve_html5_entity(entity).map(Character::Named);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    code.ok().and_then(char::from_u32).filter(|&one| one != '\0').map(Character::One)
}

/// A namespace that means something here, or the lack of one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Vocabulary {
    /// The feed's own: no namespace, that of the root, or a default one that is none of the others.
    Plain,
    Atom,
    Rss1,
    Rdf,
    DublinCore,
    DublinCoreTerms,
    Foreign,
}

impl Vocabulary {
    fn of(space: &str) -> Self {
        match simplified(space).as_str() {
            "www.w3.org/2005/atom" | "purl.org/atom/ns" => Self::Atom,
            draft if draft.starts_with("purl.org/atom/ns#") => Self::Atom,
            "purl.org/rss/1.0" | "my.netscape.com/rdf/simple/0.9" | "channel.netscape.com/rdf/simple/0.9" => {
                Self::Rss1
            }
            "www.w3.org/1999/02/22-rdf-syntax-ns" => Self::Rdf,
            "purl.org/dc/elements/1.0" | "purl.org/dc/elements/1.1" => Self::DublinCore,
            "purl.org/dc/terms" => Self::DublinCoreTerms,
            _ => Self::Foreign,
        }
    }
}

/// A namespace's address without what is often got wrong in it: scheme, case, the sign at its end.
fn simplified(space: &str) -> String {
    let space = space.trim().to_ascii_lowercase();
    let space = space.split_once("://").map_or(space.as_str(), |(_, rest)| rest);
    space.trim_end_matches(['/', '#']).to_owned()
}

/// Whether a namespace is that of a page's or picture's mark-up, which feeds embed without a prefix.
fn is_markup(space: &str) -> bool {
    matches!(
        simplified(space).as_str(),
        "www.w3.org/1999/xhtml" | "www.w3.org/2000/svg" | "www.w3.org/1998/math/mathml"
    )
}
