use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use releve_bounds::Bounds;
use releve_extract::{
    BodyRule, ElementRule, Field, FieldRule, JsonRules, PageRules, Pointer, Rules, Selector, TextFormat,
    WordPressRules,
};
use releve_pace::{HostInterval, PaceError, Rhythm};
use releve_redirect_policy::AdmittedHosts;
use releve_url_canon::{HttpsUrl, NecessaryParameters};

use crate::access::{AccessSpec, is_header_text};
use crate::identifier::Ground;
use crate::list::{Backlog, Entrance, Trigger};
use crate::preset::{self, Preset};
use crate::section::{Noted, Section, Span, TextOrSection};
use crate::{
    AddressTemplate, File, Identifier, Parsed, Problem, Problems, connector, identifier, keys, list, read,
};

/// One publisher's site or system, as configured.
///
/// What it holds has been checked against each other: every address that it writes is https at an admitted host, the identifier can
/// be read wherever the configuration says it stands, and no credential is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    name: SourceName,
    is_active: bool,
    hosts: AdmittedHosts,
    necessary_parameters: NecessaryParameters,
    trigger: Trigger,
    way: Way,
    rules: Rules,
    identifier: Identifier,
    backlog: Option<Backlog>,
    rhythm: Rhythm,
    bounds: Bounds,
    embargo: Option<Embargo>,
}

impl Source {
    /// Its name.
    pub fn name(&self) -> &SourceName {
        &self.name
    }

    /// Whether anything at all is requested for it (R39).
    pub fn is_active(&self) -> bool {
        self.is_active
    }

    /// The hosts that the publisher admitted (R40).
    pub fn hosts(&self) -> &AdmittedHosts {
        &self.hosts
    }

    /// The parameters that an article's address keeps (R29).
    pub fn necessary_parameters(&self) -> &NecessaryParameters {
        &self.necessary_parameters
    }

    /// What announces articles (R1).
    pub fn trigger(&self) -> &Trigger {
        &self.trigger
    }

    /// The way an article is read (R3).
    pub fn way(&self) -> &Way {
        &self.way
    }

    /// What is copied out of an article, and from where (R5, R12).
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Where the identifier stands (R6, R7).
    pub fn identifier(&self) -> &Identifier {
        &self.identifier
    }

    /// The list on which older articles are found (R8), where there is one.
    pub fn backlog(&self) -> Option<&Backlog> {
        self.backlog.as_ref()
    }

    /// Its pace, never faster than promised (R18–R21).
    pub fn rhythm(&self) -> Rhythm {
        self.rhythm
    }

    /// The bounds of each request (R32).
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The embargo rule, where it is switched on (R41).
    pub fn embargo(&self) -> Option<&Embargo> {
        self.embargo.as_ref()
    }
}

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
        /// The reference of what the publisher agreed to beyond the public rules (R35): it lifts a Disallow for the addresses that the
        /// template covers, and for nothing else.
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

    /// The value of the `Accept` header of an article request.
    pub fn accept(&self) -> &'static str {
        match self {
            Self::Page => "text/html, application/xhtml+xml",
            _ => "application/json",
        }
    }

    /// Whether a response of this media type, without its parameters, is what the source expects of an article (R37).
    ///
    /// Pages are HTML or XHTML, APIs any JSON (RFC 6839). Letter case makes no difference.
    pub fn expects(&self, media_type: &str) -> bool {
        let media_type = media_type.trim().to_ascii_lowercase();
        match self {
            Self::Page => matches!(media_type.as_str(), "text/html" | "application/xhtml+xml"),
            _ => {
                media_type == "application/json"
                    || (media_type.starts_with("application/") && media_type.ends_with("+json"))
            }
        }
    }
}

const PAGE: &str = "page";
const PUBLIC_API: &str = "public-api";
const CMS_API: &str = "cms-api";

/// The embargo rule (R41): an article is read only after the instant that this field says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Embargo {
    /// An element of a feed's entry, by its name as written.
    Element(String),
    /// A place in an item of a list.
    Pointer(Pointer),
}

/// The name of a source: what commands, folders and records call it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceName(String);

/// Fits into every file name, with room for what is put beside it.
const NAME_BYTES_MAX: usize = 64;

impl SourceName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SourceName {
    type Err = SourceNameError;

    fn from_str(name: &str) -> Result<Self, SourceNameError> {
        let is_name_byte =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
        let begins_well =
            name.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit());
        if begins_well && name.len() <= NAME_BYTES_MAX && name.bytes().all(is_name_byte) {
            Ok(Self(name.to_owned()))
        } else {
            Err(SourceNameError)
        }
    }
}

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that names no source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceNameError;

impl fmt::Display for SourceNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a source's name is made of small letters, digits, `-`, `_` and `.`, begins with a letter or digit, and has at most {NAME_BYTES_MAX} of them"
        )
    }
}

impl std::error::Error for SourceNameError {}

/// Reads one source, all errors at once. `defaults` are the connector's own bounds.
pub fn parse_source(file: File<'_>, defaults: &Bounds) -> Result<Parsed<Source>, Problems> {
    read(file, keys::SOURCE_TABLES, &keys::SOURCE, |section| source(section, defaults))
}

/// Reads several sources, all errors of all files at once. Two of one name are an error.
pub fn parse_sources(files: &[File<'_>], defaults: &Bounds) -> Result<Parsed<Vec<Source>>, Problems> {
    let mut parsed = Parsed { value: Vec::new(), warnings: Vec::new() };
    let mut problems = Vec::new();
    let mut seen: BTreeMap<SourceName, &str> = BTreeMap::new();
    for file in files {
        match parse_source(*file, defaults) {
            Ok(source) => {
                parsed.warnings.extend(source.warnings);
                if let Some(other) = seen.insert(source.value.name.clone(), file.name) {
                    problems.push(Problem {
                        file: file.name.to_owned(),
                        line: 1,
                        column: 1,
                        message: format!("the source `{}` is also in {other}", source.value.name),
                        hint: Some("give each source a name of its own".to_owned()),
                    });
                }
                parsed.value.push(source.value);
            }
            Err(found) => problems.extend(found.iter().cloned()),
        }
    }
    if problems.is_empty() { Ok(parsed) } else { Err(Problems::new(problems)) }
}

fn source(section: &Section<'_>, defaults: &Bounds) -> Option<Source> {
    let name = section.parsed("name");
    if !section.has("name") {
        section.missing("`name` is missing", "as in name = \"example\"");
    }
    let hosts = hosts(section);
    let hosts = hosts.as_ref();
    let preset = preset(section, hosts);
    let preset = preset.as_ref();

    let trigger = trigger(section, preset, hosts);
    let backlog = backlog(section, preset, hosts);
    let backlog = backlog.as_ref().map(Option::as_ref).map_err(|noted| *noted);
    let article = article(section, preset, hosts);
    let identifier = source_identifier(section, preset, trigger.as_ref(), backlog, article.as_ref());
    if let Some(Article { way: Way::CmsApi { access, .. }, access_span: Some(span), .. }) = &article {
        check_also_for(section, access, span, trigger.as_ref(), backlog);
    }

    let rhythm = rhythm(section);
    let bounds = connector::bounds(section, defaults);
    let embargo = embargo(section, trigger.as_ref());
    let necessary_parameters = list::necessary_parameters(section);
    let is_active = section.truth("active").unwrap_or(true);

    let (article, identifier) = (article?, identifier?);
    Some(Source {
        name: name?,
        is_active,
        hosts: hosts?.clone(),
        necessary_parameters,
        trigger: trigger?,
        way: article.way,
        rules: with_identifier(article.rules, &identifier),
        identifier,
        backlog: backlog.ok()?.cloned(),
        rhythm,
        bounds,
        embargo,
    })
}

fn hosts(section: &Section<'_>) -> Option<AdmittedHosts> {
    const HINT: &str = "name the hosts that the publisher admitted: hosts = [\"www.example.org\"]";
    let texts = section.texts("hosts");
    match section.key_span("hosts") {
        None => section.missing("`hosts` is missing", HINT),
        Some(span) if texts.is_empty() && section.is_list("hosts") => {
            section.problem(span, "`hosts` names no host", HINT);
        }
        Some(_) => {}
    }
    let mut entries = Vec::new();
    let mut is_sound = !texts.is_empty();
    for text in texts {
        match AdmittedHosts::parse([text.text]) {
            Ok(hosts) => entries.extend(hosts.entries()),
            Err(error) => {
                section.document.problem(text.span, error.to_string(), None);
                is_sound = false;
            }
        }
    }
    if is_sound { AdmittedHosts::parse(entries).ok() } else { None }
}

/// That the source has a preset, and which, unless what it says of it is wrong.
type PresetOrNoted = Result<Preset, Noted>;

const SAID_BY_PRESET: &str = "is what the preset says already";
const LEAVE_OUT: &str = "leave it out, or leave the preset out";

fn preset(section: &Section<'_>, hosts: Option<&AdmittedHosts>) -> Option<PresetOrNoted> {
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
    Some(site.filter(|_| is_known).and_then(|site| preset::wordpress(&site)).ok_or(Noted))
}

fn trigger(
    section: &Section<'_>,
    preset: Option<&PresetOrNoted>,
    hosts: Option<&AdmittedHosts>,
) -> Option<Trigger> {
    if let Some(preset) = preset {
        section.refuse(&["trigger"], SAID_BY_PRESET, LEAVE_OUT);
        return preset.as_ref().ok().map(|preset| preset.trigger.clone());
    }
    if !section.has("trigger") {
        section.missing(
            "[trigger] is missing",
            "say what announces articles, as in trigger = { feed = \"https://www.example.org/rss.xml\" }",
        );
    }
    list::trigger(&section.section("trigger", &keys::TRIGGER)?, hosts)
}

fn backlog(
    section: &Section<'_>,
    preset: Option<&PresetOrNoted>,
    hosts: Option<&AdmittedHosts>,
) -> Result<Option<Backlog>, Noted> {
    let table = section.section("backlog", &keys::BACKLOG);
    if let Some(preset) = preset {
        return preset_backlog(table.as_ref(), preset.as_ref().map_err(|noted| *noted)).map(Some);
    }
    match table {
        Some(table) => list::backlog(&table, hosts).map(Some).ok_or(Noted),
        None if section.has("backlog") => Err(Noted),
        None => Ok(None),
    }
}

/// A preset's backlog, of which the configuration says the floor alone.
fn preset_backlog(table: Option<&Section<'_>>, preset: Result<&Preset, Noted>) -> Result<Backlog, Noted> {
    const SAID_HERE: [&str; 2] = ["floor", "necessary_parameters"];
    let (floor, necessary_parameters) = match table {
        Some(table) => {
            let names = keys::BACKLOG.keys.iter().map(|key| key.name);
            let refused: Vec<&str> = names.filter(|name| !SAID_HERE.contains(name)).collect();
            table.refuse(&refused, SAID_BY_PRESET, LEAVE_OUT);
            list::floor_and_parameters(table)
        }
        None => (None, NecessaryParameters::none()),
    };
    let preset = preset?;
    let entrance = Entrance::List { pages: preset.pages.clone(), fields: preset.fields.clone() };
    Ok(Backlog { entrance, floor, necessary_parameters })
}

/// How an article is read, before its identifier rule is known.
struct Article {
    way: Way,
    rules: Rules,
    access_span: Option<Span>,
}

fn article(
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
            table.refuse(&["address"], SAID_BY_PRESET, LEAVE_OUT);
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
        (Some(_), _) => wordpress_rules(&table).map(Rules::WordPress),
        (None, Some(PAGE)) => page_rules(&table).map(Rules::Page),
        (None, Some(_)) => json_rules(&table).map(Rules::Json),
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

/// Parts of the names of parameters by which interfaces let fields be selected: `fields`, `_fields`, `fields[articles]`,
/// `select`, `$select`, `populate`, `attributes`, `projection`, `query`, `props`, `include`.
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
fn check_also_for(
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
            section.problem(span.clone(), "`also_for` names the backlog, which is at another host", HINT)
        }
        None => {
            section.problem(span.clone(), "`also_for` names the backlog, and there is none", "leave it out")
        }
    }
}

fn page_rules(table: &Section<'_>) -> Result<PageRules, Noted> {
    if !table.has("fields") {
        return Ok(PageRules::default());
    }
    let fields = table.section("fields", &keys::FIELDS).ok_or(Noted)?;
    let selector = |key: &str| on_page::<Selector>(&fields, key);
    let element = |key: &str| on_page::<ElementRule>(&fields, key);
    let (body, drop, original) = (selector("body"), selector("drop"), element("original"));
    let mut of_fields = BTreeMap::new();
    for field in Field::ALL {
        if let Ok(Some(rule)) = element(field.as_str()) {
            of_fields.insert(field, rule);
        }
    }
    Ok(PageRules { body: body?, drop: drop?, fields: of_fields, original: original?, ..PageRules::default() })
}

/// A CSS selector, with an attribute where that is wanted: a text, never a table.
fn on_page<T: FromStr>(fields: &Section<'_>, key: &str) -> Result<Option<T>, Noted>
where
    T::Err: fmt::Display,
{
    match fields.text_or_section(key, &keys::FIELD_TABLE) {
        None if fields.has(key) => Err(Noted),
        None => Ok(None),
        Some(TextOrSection::Text(text)) => fields.parse(key, &text).map(Some).ok_or(Noted),
        Some(TextOrSection::Section(section)) => {
            section.problem(
                section.span.clone(),
                format!("`{key}` is a table"),
                "on a page, give a CSS selector, as in \"h1.title\" or \"time@datetime\"",
            );
            Err(Noted)
        }
    }
}

fn wordpress_rules(table: &Section<'_>) -> Result<WordPressRules, Noted> {
    if !table.has("fields") {
        return Ok(WordPressRules::default());
    }
    let fields = table.section("fields", &keys::FIELDS).ok_or(Noted)?;
    let names = keys::FIELDS.keys.iter().map(|key| key.name);
    let refused: Vec<&str> = names.filter(|name| *name != "original").collect();
    fields.refuse(&refused, SAID_BY_PRESET, LEAVE_OUT);
    Ok(WordPressRules { original: in_json(&fields, "original")?, ..WordPressRules::default() })
}

fn json_rules(table: &Section<'_>) -> Result<JsonRules, Noted> {
    if !table.has("fields") {
        table.missing(
            "[article.fields] is missing",
            "say where the agreed fields stand, as in body = { at = \"/data/body\", format = \"html\" }",
        );
    }
    let fields = table.section("fields", &keys::FIELDS).ok_or(Noted)?;
    fields.refuse(&["drop"], "is for pages", "leave it out");
    let (body, original) = (body_rule(&fields), in_json(&fields, "original"));
    let mut of_fields = BTreeMap::new();
    for field in Field::ALL {
        if let Ok(Some(rule)) = in_json(&fields, field.as_str()) {
            of_fields.insert(field, rule);
        }
    }
    let body = Some(body.ok_or(Noted)?);
    Ok(JsonRules { body, fields: of_fields, original: original?, ..JsonRules::default() })
}

/// Where a field stands in a response.
fn in_json(fields: &Section<'_>, key: &str) -> Result<Option<FieldRule>, Noted> {
    match fields.text_or_section(key, &keys::FIELD_TABLE) {
        None if fields.has(key) => Err(Noted),
        None => Ok(None),
        Some(TextOrSection::Text(text)) => {
            fields.parse(key, &text).map(FieldRule::plain).map(Some).ok_or(Noted)
        }
        Some(TextOrSection::Section(section)) => {
            let (at, each, format) = (pointer_at(&section), section.parsed("each"), text_format(&section));
            if section.has("each") && each.is_none() {
                return Err(Noted);
            }
            Ok(Some(FieldRule { at: at.ok_or(Noted)?, each, format: format? }))
        }
    }
}

fn text_format(section: &Section<'_>) -> Result<TextFormat, Noted> {
    let Some(text) = section.text("format") else {
        return if section.has("format") { Err(Noted) } else { Ok(TextFormat::Plain) };
    };
    match text.text {
        "plain" => Ok(TextFormat::Plain),
        "html" => Ok(TextFormat::Html),
        _ => {
            section.problem(text.span, "`format` has no such value", "it is \"plain\" or \"html\"");
            Err(Noted)
        }
    }
}

fn body_rule(fields: &Section<'_>) -> Option<BodyRule> {
    const HINT: &str =
        "say where it stands and how it is written, as in body = { at = \"/data/body\", format = \"html\" }";
    if !fields.has("body") {
        fields.missing("`body` is missing in [article.fields]", HINT);
    }
    match fields.text_or_section("body", &keys::FIELD_TABLE)? {
        TextOrSection::Text(text) => {
            fields.problem(text.span, "`body` does not say how it is written", HINT);
            None
        }
        TextOrSection::Section(section) => {
            section.refuse(&["each"], "has no meaning for the body", "leave it out");
            let (at, format) = (pointer_at(&section), section.parsed("format"));
            if !section.has("format") {
                section.missing("`format` is missing in `body`", HINT);
            }
            Some(BodyRule { at: at?, format: format? })
        }
    }
}

fn pointer_at(section: &Section<'_>) -> Option<Pointer> {
    if !section.has("at") {
        section.missing("`at` is missing", "say where it stands, as in at = \"/data/title\"");
    }
    section.parsed("at")
}

fn source_identifier(
    section: &Section<'_>,
    preset: Option<&PresetOrNoted>,
    trigger: Option<&Trigger>,
    backlog: Result<Option<&Backlog>, Noted>,
    article: Option<&Article>,
) -> Option<Identifier> {
    if let Some(preset) = preset {
        section.refuse(
            &["identifier"],
            "is what the preset knows: the system gives each article a stable one",
            LEAVE_OUT,
        );
        return preset.as_ref().ok().map(|preset| preset.identifier.clone());
    }
    if !section.has("identifier") {
        section.missing(
            "[identifier] is missing",
            "say where the publisher's system writes it, as in \
             identifier = { trigger = \"guid\", article = \"meta[name=article-id]\" }; \
             or identifier = \"address\" for a system that has no stable one",
        );
    }
    let has_template = article.is_some_and(|article| article.way.address().is_some());
    let table = match section.text_or_section("identifier", &keys::IDENTIFIER)? {
        TextOrSection::Text(text) if text.text == "address" => {
            if has_template {
                section.problem(
                    text.span,
                    "an article whose address is made from its identifier cannot have its address as identifier",
                    "say where the identifier stands: identifier = { trigger = …, article = … }",
                );
            }
            return Some(Identifier::Address);
        }
        TextOrSection::Text(text) => {
            section.problem(
                text.span,
                "`identifier` has no such value",
                "it is \"address\", or a table with a rule for each place",
            );
            return None;
        }
        TextOrSection::Section(table) => table,
    };
    let trigger = trigger.map(|trigger| match trigger {
        Trigger::Feed(_) => Ground::Feed,
        Trigger::List { .. } => Ground::List,
    });
    let backlog = backlog.map(|backlog| {
        backlog.map(|backlog| match backlog.entrance {
            Entrance::List { .. } => Ground::List,
            _ => Ground::Sitemap,
        })
    });
    let article = article.map(|article| match article.way {
        Way::Page => Ground::Page,
        _ => Ground::Json,
    });
    identifier::rules(&table, trigger, backlog, article, has_template).ok()
}

fn with_identifier(mut rules: Rules, identifier: &Identifier) -> Rules {
    let Identifier::Rules { article, .. } = identifier else { return rules };
    let rule = match &mut rules {
        Rules::Page(rules) => &mut rules.identifier,
        Rules::WordPress(rules) => &mut rules.identifier,
        Rules::Json(rules) => &mut rules.identifier,
        _ => return rules,
    };
    rule.clone_from(article);
    rules
}

fn rhythm(section: &Section<'_>) -> Rhythm {
    let default = Rhythm::default();
    let Some(table) = section.section("pace", &keys::PACE) else { return default };
    let or_note = |span: Span, rhythm: Result<Rhythm, PaceError>| {
        rhythm.map_err(|error| {
            table.problem(span, error.to_string(), "a pace may be gentler than promised, never faster");
        })
    };
    let mut rhythm = default;
    if let Some((trigger, span)) = table.length("trigger") {
        rhythm = or_note(span, Rhythm::new(trigger, rhythm.backlog(), rhythm.host())).unwrap_or(rhythm);
    }
    if let Some((backlog, span)) = table.length("backlog") {
        rhythm = or_note(span, Rhythm::new(rhythm.trigger(), backlog, rhythm.host())).unwrap_or(rhythm);
    }
    if let Some((host, span)) = table.length("host") {
        let with_host = |host| Rhythm::new(rhythm.trigger(), rhythm.backlog(), host);
        rhythm = or_note(span, HostInterval::new(host).and_then(with_host)).unwrap_or(rhythm);
    }
    rhythm
}

fn embargo(section: &Section<'_>, trigger: Option<&Trigger>) -> Option<Embargo> {
    let table = section.section("embargo", &keys::EMBARGO)?;
    if !table.has("field") {
        table.missing(
            "`field` is missing in [embargo]",
            "name the field that holds the instant, as in field = \"/embargo\"",
        );
    }
    let text = table.words("field")?;
    match trigger? {
        Trigger::Feed(_) => Some(Embargo::Element(text.text.to_owned())),
        Trigger::List { .. } => table.parse("field", &text).map(Embargo::Pointer),
    }
}
