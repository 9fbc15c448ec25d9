use releve_backlog::{Backlog, Entrance};
use releve_extract::{Rules, WordPressRules};
use releve_redirect_policy::AdmittedHosts;
use releve_url_canon::HttpsUrl;

use crate::access::is_header_text;
use crate::list::Trigger;
use crate::preset::PresetOrNoted;
use crate::section::{Noted, Section, Span};
use crate::{AccessSpec, AddressTemplate, connector, fields, keys, list, preset};

/// The way an article is read, one for each source (R3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// Its page, at the address that was announced.
    Page,
    /// An API that needs no secret.
    PublicApi {
        /// The article's address.
        template: AddressTemplate,
    },
    /// An API with a credential.
    CmsApi {
        /// The article's address.
        template: AddressTemplate,
        /// The credential: its header, where it is read from, and what it is for.
        access: AccessSpec,
        /// The reference of what the publisher agreed to beyond the public rules (R35): it lifts a Disallow
        /// for the addresses that the template covers, and for nothing else.
        agreement: Option<String>,
    },
}

impl Way {
    /// Its name in configurations.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Page => PAGE,
            Self::PublicApi { .. } => PUBLIC_API,
            Self::CmsApi { .. } => CMS_API,
        }
    }

    /// The article's address by its identifier; a page has none but the one announced.
    pub fn address(&self) -> Option<&AddressTemplate> {
        match self {
            Self::Page => None,
            Self::PublicApi { template } | Self::CmsApi { template, .. } => Some(template),
        }
    }

    /// The credential, where there is one.
    pub fn access(&self) -> Option<&AccessSpec> {
        match self {
            Self::CmsApi { access, .. } => Some(access),
            _ => None,
        }
    }

    /// Whether a Disallow of robots.txt is lifted for this address, and by what agreement (R35).
    pub fn agreement_for(&self, asked: &HttpsUrl) -> Option<&str> {
        match self {
            Self::CmsApi { template, agreement, .. } if template.covers(asked) => agreement.as_deref(),
            _ => None,
        }
    }
}

const PAGE: &str = "page";
const PUBLIC_API: &str = "public-api";
const CMS_API: &str = "cms-api";

/// How an article is read, before its identifier rule is known.
pub(crate) struct Article {
    pub(crate) way: Way,
    pub(crate) rules: Rules,
    pub(crate) access_span: Option<Span>,
}

pub(crate) fn article(
    section: &Section<'_>,
    preset: Option<&PresetOrNoted>,
    hosts: Option<&AdmittedHosts>,
) -> Option<Article> {
    let table = section.section("article", &keys::ARTICLE);
    if let (Some(preset), false) = (preset, section.has("article")) {
        let template = preset.as_ref().ok()?.article.clone();
        let rules = Rules::WordPress(WordPressRules::default());
        return Some(Article { way: Way::PublicApi { template }, rules, access_span: None });
    }
    if !section.has("article") {
        section
            .missing("[article] is missing", "say how an article is read, as in article = { by = \"page\" }");
    }
    let table = table?;
    let by = by(&table, preset.is_some());
    let template = match preset {
        Some(preset) => {
            table.refuse(&["address"], preset::SAID, preset::LEAVE_OUT);
            preset.as_ref().ok().map(|preset| preset.article.clone())
        }
        None => template(&table, by, hosts),
    };
    if let Some(by) = by.filter(|by| *by != CMS_API) {
        let why = format!("is for cms-api, and this source is read by {by}");
        table.refuse(&["access", "agreement"], &why, "leave it out, or write by = \"cms-api\"");
    }
    let agreement = table.words("agreement").map(|text| text.text.to_owned());
    if by == Some(CMS_API) && !table.has("access") {
        table.missing(
            "`access` is missing for cms-api",
            "say which header carries the credential: \
             access = { header = \"Authorization\", prefix = \"Bearer \", from_env = \"EXAMPLE_TOKEN\" }",
        );
    }
    let access_section = table.section("access", &keys::ACCESS);
    let access_span = access_section.as_ref().map(|section| section.span.clone());
    let access = access_section.and_then(|section| access(&section, template.as_ref(), agreement.is_some()));
    let rules = match (preset, by) {
        (Some(_), _) => fields::wordpress(&table).map(Rules::WordPress),
        (None, Some(PAGE)) => fields::page(&table).map(Rules::Page),
        (None, Some(_)) => fields::json(&table).map(Rules::Json),
        (None, None) => Err(Noted),
    };
    let way = match by? {
        PAGE => Way::Page,
        PUBLIC_API => Way::PublicApi { template: template? },
        _ => Way::CmsApi { template: template?, access: access?, agreement },
    };
    Some(Article { way, rules: rules.ok()?, access_span })
}

/// The way an article is read. With a preset it need not be said: a credential says it.
fn by(table: &Section<'_>, has_preset: bool) -> Option<&'static str> {
    let by = table.word("by");
    match (has_preset, table.key_span("by")) {
        (true, None) => Some(if table.has("access") { CMS_API } else { PUBLIC_API }),
        (true, Some(span)) if by == Some(PAGE) => {
            table.problem(
                span,
                "the preset reads articles through the API",
                "leave the preset out, and describe trigger and identifier, to read pages",
            );
            None
        }
        (false, None) => {
            table.missing(
                "`by` is missing in [article]",
                "say how an article is read: by = \"page\", \"public-api\" or \"cms-api\"",
            );
            None
        }
        _ => by,
    }
}

fn template(table: &Section<'_>, by: Option<&str>, hosts: Option<&AdmittedHosts>) -> Option<AddressTemplate> {
    if by == Some(PAGE) {
        table.refuse(&["address"], "is for an API; a page is read at the address announced", "leave it out");
        return None;
    }
    if by.is_some() && !table.has("address") {
        table.missing(
            "`address` is missing in [article]",
            "say where an article is read: address = \"https://cms.example.org/items/{id}\"",
        );
    }
    let text = table.words("address")?;
    let template: AddressTemplate = table.parse("address", &text)?;
    list::check_address(table, &text, template.example(), hosts);
    let selects = |name: &str| SELECTING.iter().any(|part| name.to_ascii_lowercase().contains(part));
    if by == Some(CMS_API) && !template.parameters().any(selects) {
        table.document.warning(
            text.span,
            "the article's address selects no fields: the envelope keeps whatever the interface answers",
            Some("let it select the agreed fields, as in ?fields=id,title,body".to_owned()),
        );
    }
    Some(template)
}

/// Parts of the names of parameters by which interfaces let fields be selected: `fields`, `_fields`,
/// `fields[articles]`, `select`, `$select`, `populate`, `attributes`, `projection`, `query`, `props`,
/// `include`.
const SELECTING: [&str; 8] =
    ["field", "select", "populate", "attributes", "projection", "query", "props", "include"];

fn access(section: &Section<'_>, template: Option<&AddressTemplate>, is_agreed: bool) -> Option<AccessSpec> {
    let header = section.parsed("header");
    if !section.has("header") {
        section.missing("`header` is missing in `access`", "as in header = \"Authorization\"");
    }
    let prefix = section.text("prefix");
    if let Some(prefix) = prefix.as_ref().filter(|prefix| !is_header_text(prefix.text)) {
        section.document.problem(
            prefix.span.clone(),
            "`prefix` has a character that a header cannot carry",
            None,
        );
    }
    let secret = connector::secret_from(section);
    let (mut also_for_trigger, mut also_for_backlog) = (false, false);
    for text in section.texts("also_for") {
        match text.text {
            "trigger" => also_for_trigger = true,
            "backlog" => also_for_backlog = true,
            _ => section.problem(
                text.span.clone(),
                "`also_for` has no such value",
                "it is \"trigger\" or \"backlog\"",
            ),
        }
    }
    if let (Some(span), false) = (section.key_span("also_for"), is_agreed) {
        section.problem(
            span,
            "trigger and backlog are read without a secret unless the publisher agreed to something else",
            "name the agreement: agreement = \"…\" in [article]",
        );
    }
    let template = template?;
    Some(AccessSpec {
        header: header?,
        prefix: prefix.map_or_else(String::new, |text| text.text.to_owned()),
        secret: secret?,
        host: template.host().to_owned(),
        port: template.port(),
        also_for_trigger,
        also_for_backlog,
    })
}

/// A credential goes to the one host and port that it is for, whatever else it is agreed for.
pub(crate) fn check_also_for(
    section: &Section<'_>,
    access: &AccessSpec,
    span: &Span,
    trigger: Option<&Trigger>,
    backlog: Result<Option<&Backlog>, Noted>,
) {
    const HINT: &str = "the credential travels to the host of the article's address alone";
    let is_elsewhere = |url: &HttpsUrl| url.host() != access.host || url.port() != access.port;
    if access.also_for_trigger && trigger.is_some_and(|trigger| is_elsewhere(trigger.address())) {
        section.problem(span.clone(), "`also_for` names the trigger, which is at another host", HINT);
    }
    let Ok(backlog) = backlog else { return };
    if !access.also_for_backlog {
        return;
    }
    match backlog.map(|backlog| &backlog.entrance) {
        Some(Entrance::List { pages, .. }) if !is_elsewhere(&pages.first()) => {}
        Some(Entrance::Sitemaps(sitemaps)) if !sitemaps.iter().any(is_elsewhere) => {}
        Some(Entrance::Robots) => {
            section.problem(
                span.clone(),
                "`also_for` names the backlog, and robots.txt says where that is",
                HINT,
            );
        }
        Some(_) => {
            section.problem(span.clone(), "`also_for` names the backlog, which is at another host", HINT);
        }
        None => {
            section.problem(span.clone(), "`also_for` names the backlog, and there is none", "leave it out");
        }
    }
}
