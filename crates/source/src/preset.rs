//! Systems whose interface is known.

use releve_backlog::{NumberedAddress, Numbering, Pagination};
use releve_extract::{IdentifierAt, IdentifierRule, Pointer};
use releve_redirect_policy::AdmittedHosts;
use releve_url_canon::HttpsUrl;

use crate::list::{DateField, ListFields, Trigger};
use crate::section::{Noted, Section};
use crate::{AddressTemplate, Identifier, list};

/// What a preset says in the place of a description.
pub(crate) struct Preset {
    pub(crate) trigger: Trigger,
    pub(crate) pages: Pagination,
    pub(crate) fields: ListFields,
    pub(crate) article: AddressTemplate,
    pub(crate) identifier: Identifier,
}

/// That the source has a preset, and which, unless what it says of it is wrong.
pub(crate) type PresetOrNoted = Result<Preset, Noted>;

pub(crate) const SAID: &str = "is what the preset says already";
pub(crate) const LEAVE_OUT: &str = "leave it out, or leave the preset out";

pub(crate) fn preset(section: &Section<'_>, hosts: Option<&AdmittedHosts>) -> Option<PresetOrNoted> {
    if !section.has("preset") {
        section.refuse(&["site"], "has no meaning without `preset`", "leave it out");
        return None;
    }
    let is_known = section.word("preset").is_some();
    let site = if section.has("site") {
        list::address(section, "site", hosts)
    } else {
        let entries: Vec<String> = hosts.map(|hosts| hosts.entries().collect()).unwrap_or_default();
        match entries.as_slice() {
            [host] if !host.starts_with("*.") => format!("https://{host}/").parse().ok(),
            [] => None,
            _ => {
                section.missing(
                    "the preset needs `site` where `hosts` is not one host alone",
                    "say where the system is installed: site = \"https://www.example.org/\"",
                );
                None
            }
        }
    };
    if let (Some(site), Some(span)) = (&site, section.key_span("site"))
        && site.query().is_some()
    {
        section.problem(span, "`site` has a query", "give the address that the system is installed at");
    }
    Some(site.filter(|_| is_known).and_then(|site| wordpress(&site)).ok_or(Noted))
}

/// The list asks for the four fields that a reference needs, so that no text of an article travels with it. A
/// hundred items are the most that WordPress gives at once.
const LIST: &str = "wp-json/wp/v2/posts?_fields=id,link,date_gmt,modified_gmt&order=desc&per_page=100";
/// With names of authors and terms, which a post else has as numbers.
const ARTICLE: &str = "wp-json/wp/v2/posts/{id}?_embed=author,wp:term";
/// As in the list's address. It is walked by offset and not by page, since the pages of a list that shifts can
/// have an overlap only so.
const PAGE_SIZE: u64 = 100;
/// What WordPress answers to a page past the last one, and some versions to an offset.
const PAST_THE_END: u16 = 400;

/// WordPress by its REST API. The trigger is ordered by modification, because an edit to an old post never
/// enters the feed again.
fn wordpress(site: &HttpsUrl) -> Option<Preset> {
    let base = site.as_str().trim_end_matches('/');
    let id: IdentifierRule = IdentifierRule::whole(IdentifierAt::Pointer(pointer("/id")?));
    let fields = ListFields {
        items: Pointer::default(),
        address: Some(pointer("/link")?),
        published: Some(date("/date_gmt")?),
        modified: Some(date("/modified_gmt")?),
    };
    Some(Preset {
        trigger: Trigger::List {
            address: format!("{base}/{LIST}&orderby=modified").parse().ok()?,
            fields: fields.clone(),
        },
        pages: Pagination::Numbered {
            address: NumberedAddress::new(
                &format!("{base}/{LIST}&orderby=date&offset={{offset}}"),
                "{offset}",
            )
            .ok()?,
            numbering: Numbering::Items { page_size: PAGE_SIZE },
            past_the_end: Some(PAST_THE_END),
        },
        fields,
        article: format!("{base}/{ARTICLE}").parse::<AddressTemplate>().ok()?.digits_only(),
        identifier: Identifier::Rules {
            trigger: Some(id.clone()),
            backlog: Some(id.clone()),
            article: Some(id),
        },
    })
}

fn pointer(text: &str) -> Option<Pointer> {
    text.parse().ok()
}

/// Dates in UTC, as the handbook of the REST API says of fields that end in `_gmt`.
fn date(at: &str) -> Option<DateField> {
    Some(DateField { at: pointer(at)?, is_utc: true })
}
