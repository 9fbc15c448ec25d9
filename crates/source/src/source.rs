use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use releve_backlog::{Backlog, Entrance};
use releve_bounds::Bounds;
use releve_extract::{Pointer, Rules};
use releve_pace::{HostInterval, PaceError, Rhythm};
use releve_redirect_policy::AdmittedHosts;
use releve_url_canon::NecessaryParameters;

use crate::article::{self, Article, Way};
use crate::article_path::{ArticlePath, article_path};
use crate::identifier::Ground;
use crate::list::Trigger;
use crate::preset::{self, Preset, PresetOrNoted};
use crate::section::{Noted, Section, Span, TextOrSection};
use crate::{File, Identifier, Parsed, Problem, Problems, connector, identifier, keys, list, read};

/// One publisher's site or system, as configured.
///
/// What it holds has been checked against each other: every address that it writes is https at an admitted
/// host, the identifier can be read wherever the configuration says it stands, and no credential is here.
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
    article_path: Option<ArticlePath>,
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

    /// What an article's address looks like, where the configuration says it.
    pub fn article_path(&self) -> Option<&ArticlePath> {
        self.article_path.as_ref()
    }

    /// The embargo rule, where it is switched on (R41).
    pub fn embargo(&self) -> Option<&Embargo> {
        self.embargo.as_ref()
    }
}

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
    let preset = preset::preset(section, hosts);
    let preset = preset.as_ref();

    let trigger = trigger(section, preset, hosts);
    let backlog = backlog(section, preset, hosts);
    let backlog = backlog.as_ref().map(Option::as_ref).map_err(|noted| *noted);
    let article = article::article(section, preset, hosts);
    let identifier = source_identifier(section, preset, trigger.as_ref(), backlog, article.as_ref());
    if let Some(Article { way: Way::CmsApi { access, .. }, access_span: Some(span), .. }) = &article {
        article::check_also_for(section, access, span, trigger.as_ref(), backlog);
    }

    if article.as_ref().is_some_and(|article| article.way == Way::Page) {
        check_addresses(section, trigger.as_ref(), backlog);
    }

    let rhythm = rhythm(section);
    let bounds = connector::bounds(section, defaults);
    let embargo = embargo(section, trigger.as_ref());
    let necessary_parameters = list::necessary_parameters(section);
    let article_path = article_path(section);
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
        backlog: backlog
            .ok()?
            .cloned()
            .map(|backlog| list::with_fields(backlog, &identifier, embargo.as_ref())),
        identifier,
        rhythm,
        bounds,
        embargo,
        article_path: article_path.ok()?,
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

fn trigger(
    section: &Section<'_>,
    preset: Option<&PresetOrNoted>,
    hosts: Option<&AdmittedHosts>,
) -> Option<Trigger> {
    if let Some(preset) = preset {
        section.refuse(&["trigger"], preset::SAID, preset::LEAVE_OUT);
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
            table.refuse(&refused, preset::SAID, preset::LEAVE_OUT);
            list::floor_and_parameters(table)
        }
        None => (None, NecessaryParameters::none()),
    };
    let preset = preset?;
    let entrance = Entrance::List { pages: preset.pages.clone(), shape: preset.fields.shape().ok_or(Noted)? };
    Ok(Backlog { entrance, floor, necessary_parameters })
}

/// A page is read at the address that is announced, so a list must have one.
fn check_addresses(
    section: &Section<'_>,
    trigger: Option<&Trigger>,
    backlog: Result<Option<&Backlog>, Noted>,
) {
    let check = |key: &str, has_address: bool| {
        if let (false, Some(span)) = (has_address, section.key_span(key)) {
            section.problem(
                span,
                format!("[{key}] does not say where an item's address stands, and pages are read at it"),
                "as in address = \"/url\"",
            );
        }
    };
    if let Some(Trigger::List { fields, .. }) = trigger {
        check("trigger", fields.address.is_some());
    }
    if let Ok(Some(Backlog { entrance: Entrance::List { shape, .. }, .. })) = backlog {
        check("backlog", shape.address.is_some());
    }
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
            preset::LEAVE_OUT,
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
        Trigger::List { fields, .. } => Ground::list(fields.address.is_some()),
    });
    let backlog = backlog.map(|backlog| {
        backlog.map(|backlog| match &backlog.entrance {
            Entrance::List { shape, .. } => Ground::list(shape.address.is_some()),
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
