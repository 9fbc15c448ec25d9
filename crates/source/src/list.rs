use jiff::civil::Date;
use releve_backlog::{Backlog, Entrance, NumberedAddress, Numbering, Pagination};
use releve_extract::{IdentifierAt, IdentifierRule, Pointer};
use releve_feed::ListShape;
use releve_redirect_policy::AdmittedHosts;
use releve_url_canon::{HttpsUrl, NecessaryParameters};

use crate::section::{Section, Text, TextOrSection};
use crate::{Embargo, Identifier, keys};

/// What announces articles (R1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// An RSS, Atom or JSON feed.
    Feed(HttpsUrl),
    /// A JSON list that needs no secret.
    List {
        /// Its address.
        address: HttpsUrl,
        /// Where things stand in it.
        fields: ListFields,
    },
}

impl Trigger {
    /// The address that is requested, as it was written.
    pub fn address(&self) -> &HttpsUrl {
        match self {
            Self::Feed(address) | Self::List { address, .. } => address,
        }
    }
}

/// Where references and dates stand in a JSON list. Nothing else of it is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListFields {
    /// The array of items; the empty pointer is the whole response.
    pub items: Pointer,
    /// An item's address.
    pub address: Option<Pointer>,
    /// Its date of publication.
    pub published: Option<DateField>,
    /// Its date of modification.
    pub modified: Option<DateField>,
}

impl ListFields {
    /// The same in the words of the crate that reads lists.
    pub(crate) fn shape(&self) -> Option<ListShape> {
        let date = |field: &Option<DateField>| match field {
            Some(field) => {
                Some(Some(releve_feed::DateField { at: pointer(&field.at)?, is_utc: field.is_utc }))
            }
            None => Some(None),
        };
        let address = match &self.address {
            Some(address) => Some(pointer(address)?),
            None => None,
        };
        Some(ListShape {
            items: pointer(&self.items)?,
            id: None,
            address,
            published: date(&self.published)?,
            modified: date(&self.modified)?,
            fields: Vec::new(),
        })
    }
}

/// The same pointer in the words of the crate that reads lists. Both are RFC 6901, so there is none that one of
/// them does not take.
fn pointer(pointer: &Pointer) -> Option<releve_feed::Pointer> {
    pointer.to_string().parse().ok()
}

/// A backlog whose list, if it is one in JSON, is asked also for what its identifier and an embargo are read
/// from.
pub(crate) fn with_fields(
    mut backlog: Backlog,
    identifier: &Identifier,
    embargo: Option<&Embargo>,
) -> Backlog {
    if let Entrance::List { shape, .. } = &mut backlog.entrance {
        let rule = match identifier {
            Identifier::Rules { backlog, .. } => backlog.as_ref(),
            Identifier::Address => None,
        };
        let places = rule.map(IdentifierRule::places).unwrap_or_default();
        let of_identifier = places.into_iter().filter_map(|at| match at {
            IdentifierAt::Pointer(at) => pointer(at),
            _ => None,
        });
        let of_embargo = match embargo {
            Some(Embargo::Pointer(at)) => pointer(at),
            _ => None,
        };
        shape.fields = of_identifier.chain(of_embargo).collect();
    }
    backlog
}

/// Where a date stands in an item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DateField {
    /// Where.
    pub at: Pointer,
    /// Whether a date without a zone is in UTC, as the publisher documents it. This decides when to read; it
    /// adds no zone to anything that is deposited.
    pub is_utc: bool,
}

/// An address that the configuration writes: https, at an admitted host.
pub(crate) fn address(section: &Section<'_>, key: &str, hosts: Option<&AdmittedHosts>) -> Option<HttpsUrl> {
    let text = section.words(key)?;
    address_of(section, key, &text, hosts)
}

fn address_of(
    section: &Section<'_>,
    key: &str,
    text: &Text<'_>,
    hosts: Option<&AdmittedHosts>,
) -> Option<HttpsUrl> {
    let url = section.parse(key, text)?;
    check_address(section, text, &url, hosts);
    Some(url)
}

/// Notes an address at a host that is not admitted, and one that seems to carry a credential.
pub(crate) fn check_address(
    section: &Section<'_>,
    text: &Text<'_>,
    url: &HttpsUrl,
    hosts: Option<&AdmittedHosts>,
) {
    if let Some(Err(refusal)) = hosts.map(|hosts| hosts.admit(url)) {
        section.problem(
            text.span.clone(),
            format!("{} is not among `hosts`", refusal.authority()),
            "add it to `hosts` if the publisher admits it",
        );
    }
    let pairs = url.query().unwrap_or_default().split('&');
    let mut names = pairs.map(|pair| pair.split('=').next().unwrap_or_default());
    if let Some(name) = names.find(|name| CREDENTIAL_PARAMETERS.contains(&name.to_ascii_lowercase().as_str()))
    {
        section.document.warning(
            text.span.clone(),
            format!("the parameter `{name}` looks like a credential"),
            Some("a credential travels in a header alone: see [article] access".to_owned()),
        );
    }
}

/// Parameters under which interfaces take a credential.
const CREDENTIAL_PARAMETERS: [&str; 9] =
    ["access_token", "api-key", "api_key", "apikey", "auth", "password", "secret", "token", "x-api-key"];

/// Reads a `[trigger]` table.
pub(crate) fn trigger(section: &Section<'_>, hosts: Option<&AdmittedHosts>) -> Option<Trigger> {
    match (section.has("feed"), section.has("list")) {
        (true, false) => {
            section.refuse(FIELD_KEYS, "has no meaning for a feed", "leave it out");
            address(section, "feed", hosts).map(Trigger::Feed)
        }
        (false, true) => {
            let address = address(section, "list", hosts);
            let fields = fields(section);
            Some(Trigger::List { address: address?, fields: fields? })
        }
        (true, true) => {
            section.problem(
                section.span.clone(),
                "`feed` and `list` are both given",
                "a source has one trigger",
            );
            None
        }
        (false, false) => {
            section.missing(
                "[trigger] names neither a feed nor a list",
                "as in feed = \"https://www.example.org/rss.xml\"",
            );
            None
        }
    }
}

const FIELD_KEYS: &[&str] = &["items", "address", "published", "modified"];

fn fields(section: &Section<'_>) -> Option<ListFields> {
    if !section.has("items") {
        section.missing(
            "`items` is missing",
            "say where the array of items stands, as in items = \"/data\"; \"\" is the whole response",
        );
    }
    let items = section.parsed("items");
    let address = section.parsed("address");
    let published = date_field(section, "published");
    let modified = date_field(section, "modified");
    Some(ListFields { items: items?, address, published, modified })
}

fn date_field(section: &Section<'_>, key: &str) -> Option<DateField> {
    match section.text_or_section(key, &keys::DATE)? {
        TextOrSection::Text(text) => Some(DateField { at: section.parse(key, &text)?, is_utc: false }),
        TextOrSection::Section(date) => {
            if !date.has("at") {
                date.missing("`at` is missing", "say where the date stands, as in at = \"/date_gmt\"");
            }
            let is_utc = date.word("zone").is_some();
            Some(DateField { at: date.parsed("at")?, is_utc })
        }
    }
}

const LIST_KEYS: &[&str] = &[
    "items",
    "address",
    "published",
    "modified",
    "first_page",
    "page_size",
    "next",
    "cursor",
    "cursor_parameter",
    "link_header",
    "past_the_end",
];

/// Reads a `[backlog]` table.
pub(crate) fn backlog(section: &Section<'_>, hosts: Option<&AdmittedHosts>) -> Option<Backlog> {
    let entrance = match (section.has("sitemap"), section.has("list")) {
        (true, false) => {
            section.refuse(LIST_KEYS, "has no meaning for a sitemap", "leave it out");
            sitemaps(section, hosts)
        }
        (false, true) => {
            let pages = pagination(section, hosts);
            let fields = fields(section);
            let shape = fields.and_then(|fields| fields.shape());
            pages.zip(shape).map(|(pages, shape)| Entrance::List { pages, shape })
        }
        (true, true) => {
            section.problem(
                section.span.clone(),
                "`sitemap` and `list` are both given",
                "a source has one backlog",
            );
            None
        }
        (false, false) => {
            section.missing("[backlog] names neither a sitemap nor a list", "as in sitemap = \"robots\"");
            None
        }
    };
    let (floor, necessary_parameters) = floor_and_parameters(section);
    Some(Backlog { entrance: entrance?, floor, necessary_parameters })
}

pub(crate) fn floor_and_parameters(section: &Section<'_>) -> (Option<Date>, NecessaryParameters) {
    let floor = section.date("floor");
    if !section.has("floor") {
        section.document.warning(
            section.span.clone(),
            "the backlog has no `floor`: the walk goes back to the list's first article",
            Some("as in floor = \"2015-01-01\"".to_owned()),
        );
    }
    (floor, necessary_parameters(section))
}

/// The declared parameters of a section.
pub(crate) fn necessary_parameters(section: &Section<'_>) -> NecessaryParameters {
    let names = section.texts("necessary_parameters");
    for name in names.iter().filter(|name| name.text.is_empty()) {
        section.problem(name.span.clone(), "a parameter without a name cannot be declared", "leave it out");
    }
    NecessaryParameters::new(names.into_iter().map(|name| name.text))
}

fn sitemaps(section: &Section<'_>, hosts: Option<&AdmittedHosts>) -> Option<Entrance> {
    if !section.is_list("sitemap") {
        let text = section.words("sitemap")?;
        return if text.text == "robots" {
            Some(Entrance::Robots)
        } else {
            address_of(section, "sitemap", &text, hosts).map(|address| Entrance::Sitemaps(vec![address]))
        };
    }
    let texts = section.texts("sitemap");
    if texts.is_empty() {
        let span = section.key_span("sitemap").unwrap_or_default();
        section.problem(span, "`sitemap` names none", "name at least one address, or \"robots\"");
    }
    let addresses: Vec<_> = texts.iter().map(|text| address_of(section, "sitemap", text, hosts)).collect();
    addresses.into_iter().collect::<Option<Vec<_>>>().map(Entrance::Sitemaps)
}

fn pagination(section: &Section<'_>, hosts: Option<&AdmittedHosts>) -> Option<Pagination> {
    let text = section.words("list")?;
    let ways = [
        text.text.contains("{page}"),
        text.text.contains("{offset}"),
        section.has("next"),
        section.has("cursor"),
        section.truth("link_header") == Some(true),
    ];
    if ways.iter().filter(|way| **way).count() > 1 {
        section.problem(
            text.span,
            "it is said in more than one way how the pages follow each other",
            "say one of {page}, {offset}, `next`, `cursor` and `link_header`",
        );
        return None;
    }
    let [page, offset, next, cursor, link_header] = ways;
    let without_meaning: &[(bool, &str, &str)] = &[
        (!page, "first_page", "has no meaning without {page} in the list's address"),
        (!offset, "page_size", "has no meaning without {offset} in the list's address"),
        (!page && !offset, "past_the_end", "has no meaning without {page} or {offset} in the list's address"),
        (!cursor, "cursor_parameter", "has no meaning without `cursor`"),
    ];
    for (_, key, why) in without_meaning.iter().filter(|(applies, ..)| *applies) {
        section.refuse(&[key], why, "leave it out");
    }
    if page || offset {
        let placeholder = if page { "{page}" } else { "{offset}" };
        let past_the_end = section.whole("past_the_end").and_then(|status| u16::try_from(status).ok());
        let numbering = if page {
            Some(Numbering::Pages { first: section.whole("first_page").unwrap_or(1).into() })
        } else {
            if !section.has("page_size") {
                section.missing(
                    "`page_size` is missing beside {offset}",
                    "say how many items a page has, as in page_size = 100",
                );
            }
            section.whole("page_size").map(|page_size| Numbering::Items { page_size: page_size.into() })
        };
        let address = match NumberedAddress::new(text.text, placeholder) {
            Ok(address) => address,
            Err(why) => {
                section.document.problem(text.span, format!("`list`: {why}"), None);
                return None;
            }
        };
        check_address(section, &text, &address.page(0), hosts);
        return Some(Pagination::Numbered { address, numbering: numbering?, past_the_end });
    }
    let first = address_of(section, "list", &text, hosts);
    if next {
        let at = section.parsed("next");
        return Some(Pagination::Next { first: first?, at: at? });
    }
    if cursor {
        let at = section.parsed("cursor");
        let parameter = section.words("cursor_parameter");
        if !section.has("cursor_parameter") {
            section.missing(
                "`cursor_parameter` is missing beside `cursor`",
                "say which query parameter takes the cursor",
            );
        }
        return Some(Pagination::Cursor { first: first?, at: at?, parameter: parameter?.text.to_owned() });
    }
    let first = first?;
    Some(if link_header { Pagination::LinkHeader { first } } else { Pagination::One(first) })
}
