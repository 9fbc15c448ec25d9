use releve_extract::{IdentifierAt, IdentifierRule};

use crate::keys;
use crate::section::{Noted, Section, Text, TextOrSection};

/// Where the identifier of an article stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one for each source")]
pub enum Identifier {
    /// The publisher's system has no stable one: the canonical address is taken, because the configuration
    /// says so expressly (R7).
    Address,
    /// By a rule for each place; `None` where the place has none.
    Rules {
        /// In what the trigger announces.
        trigger: Option<IdentifierRule>,
        /// In an item of the backlog's list.
        backlog: Option<IdentifierRule>,
        /// In the article as read.
        article: Option<IdentifierRule>,
    },
}

/// What a rule is applied to, which decides what places there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    Feed,
    /// A list that says where an item's address stands.
    List,
    ListWithoutAddress,
    Sitemap,
    Page,
    Json,
}

impl Ground {
    pub(crate) fn list(has_address: bool) -> Self {
        if has_address { Self::List } else { Self::ListWithoutAddress }
    }

    fn has(self, at: &IdentifierAt) -> bool {
        match self {
            Self::Feed => matches!(at, IdentifierAt::Guid | IdentifierAt::Id | IdentifierAt::Link),
            Self::List => matches!(at, IdentifierAt::Link | IdentifierAt::Pointer(_)),
            Self::ListWithoutAddress => matches!(at, IdentifierAt::Pointer(_)),
            Self::Sitemap => matches!(at, IdentifierAt::Link),
            Self::Page => matches!(at, IdentifierAt::Page(_) | IdentifierAt::Address),
            Self::Json => matches!(at, IdentifierAt::Pointer(_) | IdentifierAt::Address),
        }
    }

    /// What may stand there instead.
    fn places(self) -> &'static str {
        match self {
            Self::Feed => "an entry of a feed has guid, id and link",
            Self::ListWithoutAddress => {
                "an item of a list has what a JSON Pointer leads to, such as \"/id\", and link where `address` says where that stands"
            }
            Self::List => "an item of a list has link and what a JSON Pointer leads to, such as \"/id\"",
            Self::Sitemap => "an entry of a sitemap has link alone",
            Self::Page => {
                "a page has its address and what a meta name or a CSS selector leads to, such as \"meta[name=article-id]\" or \"article@data-id\""
            }
            Self::Json => "a response has its address and what a JSON Pointer leads to, such as \"/data/id\"",
        }
    }
}

/// The rules of an `[identifier]` table. What each place is, is `None` where it is not known for an error
/// elsewhere; a backlog that the source has not is `Ok(None)`. `is_needed` says that the article's address is
/// made from the identifier.
pub(crate) fn rules(
    section: &Section<'_>,
    trigger: Option<Ground>,
    backlog: Result<Option<Ground>, Noted>,
    article: Option<Ground>,
    is_needed: bool,
) -> Result<Identifier, Noted> {
    if let Ok(None) = backlog {
        section.refuse(&["backlog"], "has no meaning: the source has no backlog", "leave it out");
    }
    // Each is read before one of them ends it, so that all errors are found.
    let has_backlog = matches!(backlog, Ok(Some(_)));
    let trigger = trigger.map_or(Err(Noted), |ground| place(section, "trigger", ground));
    let backlog =
        backlog.and_then(|ground| ground.map_or(Ok(None), |ground| place(section, "backlog", ground)));
    let article = article.map_or(Err(Noted), |ground| place(section, "article", ground));
    let absent = |rule: &Result<Option<IdentifierRule>, Noted>| matches!(rule, Ok(None));
    for (key, is_absent) in [("trigger", absent(&trigger)), ("backlog", has_backlog && absent(&backlog))] {
        if is_needed && is_absent {
            section.refuse(
                &[key],
                "is absent, and the article's address is made from the identifier",
                "say where the identifier stands there, or read the article by its page",
            );
        }
    }
    let (trigger, backlog, article) = (trigger?, backlog?, article?);
    if trigger.is_none() && backlog.is_none() && article.is_none() {
        section.problem(
            section.span.clone(),
            "the identifier is absent everywhere",
            "if the publisher's system has no stable identifier, write identifier = \"address\"",
        );
    }
    Ok(Identifier::Rules { trigger, backlog, article })
}

/// The rule for one place; none where it is `"absent"`.
fn place(section: &Section<'_>, key: &str, ground: Ground) -> Result<Option<IdentifierRule>, Noted> {
    match section.text_or_section(key, &keys::RULE_TABLE) {
        Some(TextOrSection::Text(text)) if text.text == "absent" => Ok(None),
        Some(rule) => one(section, rule, key, ground).map(Some).ok_or(Noted),
        None => {
            if !section.has(key) {
                section.missing(
                    format!("`{key}` is missing in [identifier]"),
                    "say where the identifier stands there, or \"absent\" where there is none",
                );
            }
            Err(Noted)
        }
    }
}

fn one(parent: &Section<'_>, rule: TextOrSection<'_>, key: &str, ground: Ground) -> Option<IdentifierRule> {
    let section = match rule {
        TextOrSection::Text(text) => return parse_at(parent, key, &text, ground).map(IdentifierRule::whole),
        TextOrSection::Section(section) => section,
    };
    if section.has("join") {
        return joined(&section, key, ground);
    }
    section.refuse(&["separator"], "has no meaning without `join`", "leave it out");
    let at = section.text("at");
    if !section.has("at") {
        section.missing("`at` is missing", "say where the identifier stands, as in at = \"guid\"");
    }
    let pattern = section.text("pattern");
    let last_segment = section.truth("last_segment") == Some(true);
    if let (Some(pattern), true) = (&pattern, last_segment) {
        section.problem(pattern.span.clone(), "`pattern` and `last_segment` are both given", "say one alone");
        return None;
    }
    let at = parse_at(&section, key, &at?, ground)?;
    match pattern {
        Some(pattern) => match IdentifierRule::pattern(at, pattern.text) {
            Ok(rule) => Some(rule),
            Err(error) => {
                section.problem(
                    pattern.span,
                    error.to_string(),
                    "the parentheses stand around the identifier, as in \"^urn:art:(.+)$\"",
                );
                None
            }
        },
        None if last_segment => Some(IdentifierRule::last_segment(at)),
        None => Some(IdentifierRule::whole(at)),
    }
}

fn joined(section: &Section<'_>, key: &str, ground: Ground) -> Option<IdentifierRule> {
    section.refuse(
        &["at", "pattern", "last_segment"],
        "has no meaning beside `join`",
        "write it inside the rule that it belongs to, as in join = [{ at = \"/type\" }, { at = \"/id\" }]",
    );
    let separator = section.text("separator").map_or("", |text| text.text);
    let (rules, span) = section.elements("join", &keys::RULE_TABLE)?;
    if rules.len() != 2 {
        section.problem(span, "`join` takes two rules", "as in join = [\"/type\", \"/id\"]");
        return None;
    }
    let mut rules = rules.into_iter().map(|rule| one(section, rule, key, ground));
    let (first, second) = (rules.next()?, rules.next()?);
    Some(IdentifierRule::joined(first?, separator, second?))
}

fn parse_at(section: &Section<'_>, key: &str, text: &Text<'_>, ground: Ground) -> Option<IdentifierAt> {
    let at: IdentifierAt = match text.text.parse() {
        Ok(at) => at,
        Err(error) => {
            section.problem(text.span.clone(), error.to_string(), ground.places());
            return None;
        }
    };
    if !ground.has(&at) {
        section.problem(text.span.clone(), format!("`{at}` is no place that the {key} has"), ground.places());
        return None;
    }
    Some(at)
}
