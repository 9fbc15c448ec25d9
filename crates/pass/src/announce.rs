//! From what a trigger says to what is queued. Pure.

use std::fmt;

use jiff::Timestamp;
use releve_backlog::Entrance;
use releve_extract::{IdentifierAt, IdentifierRule, Pointer};
use releve_feed::{Announcement, DateField, Feed, ListShape, PointerError, Wanted, read, read_list};
use releve_ledger::{Announced, SeenIn};
use releve_source::{Embargo, Identifier, ListFields, Source, Trigger, Way};
use releve_url_canon::{CanonicalUrl, HttpsUrl, canonicalise};
use releve_visit::Visited;

/// Why an announcement is not queued.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unqueued {
    /// It has no address, and the source reads articles at their addresses.
    NoAddress,
    /// Its address is none that would ever be requested (R28, R29).
    Address {
        /// A stable word.
        code: &'static str,
        /// The reason.
        why: String,
    },
    /// Its host is not admitted for the source (R40).
    HostNotAdmitted {
        /// The host, with its port where that is not 443.
        authority: String,
    },
    /// Its address is that of a robots.txt, of the trigger or of the backlog's list: no article stands there.
    NoArticle,
    /// Its address does not look like an article's, as the configuration describes them. Nothing is wrong.
    OtherPath,
    /// It has no identifier where the configuration says that it has one (R6).
    IdentifierMissing {
        /// The reason.
        why: String,
    },
    /// Its embargo is not lifted, or the announcement does not say completely when it is (R41).
    Embargo {
        /// When it is lifted, where that is known.
        until: Option<Timestamp>,
        /// What would be queued without it.
        reference: Box<Announced>,
    },
}

impl Unqueued {
    /// A stable word for records and `--json`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoAddress => "announcement-without-address",
            Self::Address { code, .. } => code,
            Self::HostNotAdmitted { .. } => "host-not-admitted",
            Self::NoArticle => "address-no-article",
            Self::OtherPath => "address-other-path",
            Self::IdentifierMissing { .. } => "identifier-missing",
            Self::Embargo { until: Some(_), .. } => "embargo",
            Self::Embargo { until: None, .. } => "embargo-incomplete",
        }
    }
}

impl fmt::Display for Unqueued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAddress => f.write_str("the announcement has no address"),
            Self::Address { why, .. } | Self::IdentifierMissing { why } => f.write_str(why),
            Self::HostNotAdmitted { authority } => {
                write!(f, "{authority} is not among the hosts admitted for this source")
            }
            Self::OtherPath => f.write_str("the address does not match the source's article_path"),
            Self::NoArticle => {
                f.write_str("the address is that of a robots.txt, a feed or a list, not an article's")
            }
            Self::Embargo { until: Some(until), .. } => write!(f, "under embargo until {until}"),
            Self::Embargo { until: None, .. } => {
                f.write_str("the embargo is no complete instant with its zone, so the article is not read")
            }
        }
    }
}

/// What the trigger announces. Of its text nothing is kept, nor does any of it reach an error (R1).
///
/// An error is a stable word and the reason.
pub(crate) fn read_trigger(source: &Source, visited: &Visited) -> Result<Feed, (&'static str, String)> {
    let body = match &visited.response.body {
        Ok(body) => &body.decoded,
        Err(error) => return Err((error.code(), error.to_string())),
    };
    let base = visited.address.as_str();
    let embargo = source.embargo().and_then(field_name);
    let feed = match source.trigger() {
        Trigger::Feed(_) => {
            let content_type = visited.response.headers.first("content-type");
            let content_type = content_type.and_then(|value| str::from_utf8(value).ok());
            read(body, content_type, base, &Wanted::fields(embargo))
        }
        Trigger::List { fields, .. } => {
            let shape = shape(source, fields, embargo)
                .map_err(|error| ("list-shape", format!("the list's description: {error}")))?;
            read_list(body, base, &shape)
        }
    };
    feed.map_err(|error| (error.code(), error.to_string()))
}

/// The name under which an announcement has the embargo's field.
fn field_name(embargo: &Embargo) -> Option<String> {
    match embargo {
        Embargo::Element(name) => Some(name.clone()),
        Embargo::Pointer(pointer) => Some(pointer.to_string()),
        _ => None,
    }
}

/// Where things stand in the trigger's list, among them whatever its identifier is read from.
fn shape(source: &Source, fields: &ListFields, embargo: Option<String>) -> Result<ListShape, PointerError> {
    let date = |field: &Option<releve_source::DateField>| {
        let field = field.as_ref();
        field.map(|field| Ok(DateField { at: here(&field.at)?, is_utc: field.is_utc })).transpose()
    };
    let rule = match source.identifier() {
        Identifier::Rules { trigger: Some(rule), .. } => rule.places(),
        _ => Vec::new(),
    };
    let pointers = rule.into_iter().filter_map(|at| match at {
        IdentifierAt::Pointer(pointer) => Some(pointer.to_string()),
        _ => None,
    });
    Ok(ListShape {
        items: here(&fields.items)?,
        id: None,
        address: fields.address.as_ref().map(here).transpose()?,
        published: date(&fields.published)?,
        modified: date(&fields.modified)?,
        fields: pointers.chain(embargo).map(|pointer| pointer.parse()).collect::<Result<_, _>>()?,
    })
}

/// The same pointer in the feed crate's words. Both are RFC 6901, and neither crate needs the other.
fn here(pointer: &Pointer) -> Result<releve_feed::Pointer, PointerError> {
    pointer.to_string().parse()
}

/// What of one announcement is queued.
pub fn announced(
    source: &Source,
    announcement: &Announcement,
    seen_in: SeenIn,
    now: Timestamp,
) -> Result<Announced, Unqueued> {
    let address = address(source, announcement)?;
    if address.is_none() && matches!(source.way(), Way::Page) {
        return Err(Unqueued::NoAddress);
    }
    let rule = match source.identifier() {
        Identifier::Address => None,
        Identifier::Rules { trigger, backlog, .. } => match seen_in {
            SeenIn::Trigger => trigger.as_ref(),
            SeenIn::Backlog => backlog.as_ref(),
        },
    };
    let identifier = match (rule, &address) {
        (Some(rule), _) => identifier(rule, announcement)?,
        // The place has none, or the address is the identifier: until the article is read its address stands for it.
        (None, Some(address)) => address.as_str().to_owned(),
        (None, None) => return Err(Unqueued::NoAddress),
    };
    let reference = Announced {
        identifier,
        address: address.map(CanonicalUrl::into_https),
        seen_in,
        published: announcement.published,
        modified: announcement.modified,
    };
    if let Some(embargo) = source.embargo() {
        let under = |until| Unqueued::Embargo { until, reference: Box::new(reference.clone()) };
        // A kind of field that is not known here says nothing here.
        let name = field_name(embargo).ok_or_else(|| under(None))?;
        // Only a complete instant with its zone says when an embargo is lifted, and every one that is said has to be over.
        for (_, text) in announcement.fields.iter().filter(|(field, _)| *field == name) {
            match text.trim().parse::<Timestamp>() {
                Ok(until) if until <= now => {}
                until => return Err(under(until.ok())),
            }
        }
    }
    Ok(reference)
}

fn address(source: &Source, announcement: &Announcement) -> Result<Option<CanonicalUrl>, Unqueued> {
    let Some(link) = &announcement.link else { return Ok(None) };
    let canonical = canonicalise(link, None, source.necessary_parameters())
        .map_err(|refusal| Unqueued::Address { code: refusal.code(), why: refusal.to_string() })?;
    if source.article_path().is_some_and(|path| !path.matches(canonical.url.as_https())) {
        return Err(Unqueued::OtherPath);
    }
    if is_no_article(source, canonical.url.as_https()) {
        return Err(Unqueued::NoArticle);
    }
    match source.hosts().admit(canonical.url.as_https()) {
        Ok(_) => Ok(Some(canonical.url)),
        Err(refusal) => Err(Unqueued::HostNotAdmitted { authority: refusal.authority().to_owned() }),
    }
}

/// Whether something else than an article is known to stand there.
fn is_no_article(source: &Source, address: &HttpsUrl) -> bool {
    let is_list = match source.backlog().map(|backlog| &backlog.entrance) {
        Some(Entrance::Sitemaps(sitemaps)) => sitemaps.contains(address),
        Some(Entrance::List { pages, .. }) => pages.first() == *address,
        _ => false,
    };
    is_list || address == source.trigger().address() || address.path_and_query() == "/robots.txt"
}

fn identifier(rule: &IdentifierRule, announcement: &Announcement) -> Result<String, Unqueued> {
    let read = rule.read(|at| match at {
        IdentifierAt::Guid | IdentifierAt::Id => announcement.id.clone(),
        IdentifierAt::Link => announcement.link.clone(),
        IdentifierAt::Pointer(pointer) => {
            let place = pointer.to_string();
            announcement.fields.iter().find(|(name, _)| *name == place).map(|(_, text)| text.clone())
        }
        _ => None,
    });
    // What stands there instead is text of the trigger, and is not repeated (R1).
    read.map_err(|missing| Unqueued::IdentifierMissing {
        why: format!(
            "the announcement has no identifier at `{}`, or none as the configuration describes it",
            missing.at()
        ),
    })
}

/// What a report may say of a link that is not followed: host and path. Whatever else a feed puts into a link is text of
/// the trigger, and is not repeated (R1).
pub(crate) fn shown(link: Option<&str>) -> String {
    let shown = link.and_then(|link| {
        let rest = link.strip_prefix("https://").or_else(|| link.strip_prefix("http://"))?;
        let rest = rest.split(['?', '#']).next()?;
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"@<>\"'\\".contains(&byte);
        (rest.len() <= 200 && rest.bytes().all(is_plain)).then(|| rest.to_owned())
    });
    shown.unwrap_or_else(|| "(a link that is not shown)".to_owned())
}
