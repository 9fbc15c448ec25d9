//! `releve explain`: why an address would be read, or why not. It asks nobody: what it knows is in configuration and ledger.

use std::io::Write;

use anyhow::{Result, bail};
use jiff::Timestamp;
use releve_backlog::Entrance;
use releve_ledger::{Entry, Ledger, State};
use releve_pass::trigger_due;
use releve_redirect_policy::AdmittedHost;
use releve_robots::{RobotsPolicy, RobotsTxt, Standing, line_text};
use releve_source::{AddressTemplate, Identifier, Source};
use releve_url_canon::{HttpsUrl, NecessaryParameters, canonicalise};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use super::backlog::Stand;
use super::print_json;
use crate::cli::Global;
use crate::exit::Exit;
use crate::reasons::{self, Reason};
use crate::world::World;

pub(crate) fn run(global: &Global, address: &str, source: Option<&str>, out: &mut dyn Write) -> Result<Exit> {
    if let Some(reason) = reasons::find(address) {
        return explain_reason(global, address, reason, out);
    }
    // Every address has one, and no reason has.
    if !address.contains(':') {
        bail!(
            "`{address}` is neither a whole address, such as https://www.example.org/a, nor a reason as `releve status` prints it"
        );
    }
    let world = World::load(global)?;
    let ledger = world.known()?;
    let sources: Vec<&Source> = match source {
        Some(name) => vec![world.source(name)?],
        None => world.sources.iter().filter(|source| admits(source, address)).collect(),
    };
    let mut explained = Vec::new();
    for source in &sources {
        explained.push(explain(&world, ledger.as_ref(), source, address)?);
    }
    if sources.is_empty() {
        explained.push(of_no_source(&world, address));
    }
    if global.json {
        let objects: Vec<_> = explained.into_iter().map(|explained| explained.object).collect();
        print_json(out, &objects)?;
        return Ok(Exit::Done);
    }
    for explained in explained {
        for (topic, text) in explained.lines {
            writeln!(out, "{topic:<12} {text}")?;
        }
        writeln!(out)?;
    }
    Ok(Exit::Done)
}

/// What a word of `status` means. It asks for no configuration: a publisher may hold nothing but the word.
fn explain_reason(global: &Global, word: &str, reason: Reason, out: &mut dyn Write) -> Result<Exit> {
    let Reason { meaning, remedy } = reason;
    if global.json {
        print_json(out, &[json!({ "reason": word, "meaning": meaning, "remedy": remedy })])?;
    } else {
        writeln!(out, "{:<12} {word}\n{:<12} {meaning}\n{:<12} {remedy}", "reason", "meaning", "remedy")?;
    }
    Ok(Exit::Done)
}

/// What is said under one source: line by line for a person, and as JSON.
#[derive(Default)]
struct Explained {
    lines: Vec<(&'static str, String)>,
    object: Map<String, Value>,
}

impl Explained {
    /// Each topic is said once.
    fn say(&mut self, topic: &'static str, text: impl Into<String>, value: Value) {
        self.lines.push((topic, text.into()));
        self.object.insert(topic.to_owned(), value);
    }
}

fn admits(source: &Source, address: &str) -> bool {
    canonicalise(address, None, source.necessary_parameters())
        .is_ok_and(|canonical| source.hosts().admit(canonical.url.as_https()).is_ok())
}

/// An address that is no source's: because of what it is, or because of its host.
fn of_no_source(world: &World, address: &str) -> Explained {
    let mut explained = Explained::default();
    if let Some(url) = requested(&mut explained, address, &NecessaryParameters::none()) {
        let names: Vec<_> = world.sources.iter().map(|source| source.name().as_str()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        explained.say(
            "host",
            format!("never contacted: no source admits {} (sources: {names})", url.authority()),
            json!({ "admitted": false, "code": "host-not-admitted" }),
        );
    }
    explained
}

/// The address as it would be requested. `None` if it never is, which then is said.
fn requested(explained: &mut Explained, address: &str, keep: &NecessaryParameters) -> Option<HttpsUrl> {
    match canonicalise(address, None, keep) {
        Ok(canonical) => {
            let removed: Vec<String> = canonical.removed.iter().map(ToString::to_string).collect();
            let without =
                if removed.is_empty() { String::new() } else { format!(" (without {})", removed.join(", ")) };
            let url = canonical.url.into_https();
            let value = json!({ "canonical": url.as_str(), "removed": removed });
            explained.say("address", format!("{url}{without}"), value);
            Some(url)
        }
        Err(refusal) => {
            let value = json!({ "refused": refusal.code(), "reason": refusal.to_string() });
            explained.say("address", format!("never requested: {refusal} ({})", refusal.code()), value);
            None
        }
    }
}

/// What an address is to a source.
enum What {
    /// The robots.txt of a host.
    Robots,
    /// What announces articles.
    Trigger,
    /// Where the walk of the backlog begins.
    List,
    /// Where the article with this identifier is read.
    Template(String),
    /// An article's address as it is announced, for all that the configuration says.
    Announced,
}

impl What {
    /// What the configuration itself writes is requested as it is written, so it is compared as it is written.
    fn of(source: &Source, url: &HttpsUrl) -> Self {
        if url.path_and_query() == "/robots.txt" {
            return Self::Robots;
        }
        if url == source.trigger().address() {
            return Self::Trigger;
        }
        let begins = match source.backlog().map(|backlog| &backlog.entrance) {
            Some(Entrance::Sitemaps(sitemaps)) => sitemaps.contains(url),
            Some(Entrance::List { pages, .. }) => pages.first() == *url,
            _ => false,
        };
        if begins {
            return Self::List;
        }
        let identifier = source.way().address().and_then(|template| identifier_in(template, url));
        identifier.map_or(Self::Announced, Self::Template)
    }

    fn sentence(&self) -> String {
        match self {
            Self::Robots => "a robots.txt, read before anything else of its host (R33)".to_owned(),
            Self::Trigger => {
                "the trigger: it announces articles, and nothing is kept of it but references and dates (R1)"
                    .to_owned()
            }
            Self::List => "the backlog's list: only references and dates are read there (R8), from the newest to the oldest, down \
                           to the floor date. Of an entry the date of publication counts, else that of modification; the walk ends \
                           earlier where a whole page of an API, or 1,000 entries of a sitemap, were known before it began and are \
                           older than 48 hours (R9)"
                .to_owned(),
            Self::Template(identifier) => format!("where the article `{identifier}` is read"),
            Self::Announced => "an article's, if a trigger or list announces it".to_owned(),
        }
    }

    fn as_str(&self) -> &'static str {
        match self {
            Self::Robots => "robots",
            Self::Trigger => "trigger",
            Self::List => "list",
            Self::Template(_) | Self::Announced => "article",
        }
    }
}

/// The identifier that gives this address.
fn identifier_in(template: &AddressTemplate, url: &HttpsUrl) -> Option<String> {
    if !template.covers(url) {
        return None;
    }
    let template_text = template.to_string();
    let (before, after) = template_text.split_once("{id}")?;
    let encoded = url.as_str().strip_prefix(before)?.strip_suffix(after)?;
    // What is covered has neither `+` nor `&` nor `=`, so there is one name, and percent-encoding is all that is undone.
    let (identifier, _) = form_urlencoded::parse(encoded.as_bytes()).next()?;
    template.address(&identifier).is_ok_and(|made| made == *url).then(|| identifier.into_owned())
}

fn explain(world: &World, ledger: &dyn Ledger, source: &Source, address: &str) -> Result<Explained> {
    let now = world.clock.now();
    let name = source.name().as_str();
    let mut explained = Explained::default();
    let text = if source.is_active() {
        name.to_owned()
    } else {
        format!("{name}: inactive, so nothing is requested (R39)")
    };
    explained.say("source", text, json!({ "name": name, "active": source.is_active() }));

    let written = address.parse::<HttpsUrl>().ok().map(|url| (What::of(source, &url), url));
    let (what, url) = match written {
        Some((what, url)) if !matches!(what, What::Announced) => {
            let value = json!({ "canonical": url.as_str(), "removed": [] });
            explained.say("address", url.as_str(), value);
            (what, url)
        }
        _ => match requested(&mut explained, address, source.necessary_parameters()) {
            Some(url) => (What::Announced, url),
            None => return Ok(explained),
        },
    };
    match source.hosts().admit(&url) {
        Ok(host) => explained.say("host", format!("{host} is admitted"), json!({ "admitted": true })),
        Err(refusal) => {
            let value = json!({ "admitted": false, "code": refusal.code() });
            explained.say("host", format!("never contacted: {refusal} ({})", refusal.code()), value);
            return Ok(explained);
        }
    }
    explained.say("what", what.sentence(), json!(what.as_str()));
    if let (What::Announced, Some(path)) = (&what, source.article_path())
        && !path.matches(&url)
    {
        let text = format!("left out where it is announced: it does not match {path} (address-other-path)");
        explained.say("article_path", text, json!({ "matches": false, "code": "address-other-path" }));
    }

    let entries = match &what {
        What::Template(identifier) => Some(ledger.entry(name, identifier)?.into_iter().collect()),
        What::Announced => Some(ledger.entries_at(name, &url)?),
        What::Robots | What::Trigger | What::List => None,
    };
    if let Some(entries) = &entries {
        known(&mut explained, entries, world, source);
    }
    // What is requested for an article is its page, or an address made with its identifier.
    let template = source.way().address().filter(|_| matches!(what, What::Announced));
    let asked: Vec<HttpsUrl> = match template {
        Some(template) => {
            let by = source.way().as_str();
            explained.lines.push(("read at", format!("{template}, by its identifier ({by})")));
            let entries = entries.iter().flatten();
            entries.filter_map(|entry| template.address(&entry.identifier).ok()).collect()
        }
        None => vec![url],
    };
    let mut requests = Vec::new();
    for asked in &asked {
        if let Ok(host) = source.hosts().admit(asked) {
            if template.is_some() {
                explained.lines.push(("request", asked.to_string()));
            }
            requests.push(request(&mut explained, world, ledger, source, &host, asked, &what)?);
        }
    }
    explained.object.insert("requests".to_owned(), Value::Array(requests));
    if let (Identifier::Address, What::Announced) = (source.identifier(), &what) {
        explained.say("identifier", "the canonical address (R7)", json!("address"));
    }
    trigger(&mut explained, ledger, source, now)?;
    if source.backlog().is_some() {
        let stand = Stand::of(ledger, source, now)?;
        explained.say("backlog", stand.in_short(), stand.to_json());
    }
    Ok(explained)
}

/// A request for this address: what its host's robots.txt says, and when its turn is.
fn request(
    explained: &mut Explained,
    world: &World,
    ledger: &dyn Ledger,
    source: &Source,
    host: &AdmittedHost,
    url: &HttpsUrl,
    what: &What,
) -> Result<Value> {
    let now = world.clock.now();
    let mut object = Map::from_iter([("address".to_owned(), json!(url.as_str()))]);
    // A robots.txt is not judged by its own rules.
    if !matches!(what, What::Robots) {
        let (text, value) = robots(world, ledger, source, host, url)?;
        explained.lines.push(("robots", text));
        object.insert("robots".to_owned(), value);
    }
    let at = ledger.next_turn(host.host(), source.rhythm().host(), now)?;
    let text = if at <= now { "now".to_owned() } else { at.to_string() };
    let left_alone = ledger.left_alone_until(host.host(), now)?;
    let why = if left_alone.is_some() { ", which asks to be left alone until then" } else { "" };
    explained.lines.push(("next turn", format!("{text}, at {}{why}", host.host())));
    object.insert("left_alone_until".to_owned(), json!(left_alone));
    object.insert("next_turn".to_owned(), json!(at));
    Ok(Value::Object(object))
}

/// When the source's trigger is read.
fn trigger(explained: &mut Explained, ledger: &dyn Ledger, source: &Source, now: Timestamp) -> Result<()> {
    let address = source.trigger().address();
    if !source.is_active() {
        let text = format!("{address}, not read: the source is inactive");
        explained.say("trigger", text, json!({ "address": address.as_str(), "due_at": null }));
        return Ok(());
    }
    let due = trigger_due(ledger, source, now)?.at(now);
    let text = if due <= now { "due now".to_owned() } else { format!("due at {due:.0}") };
    let value = json!({ "address": address.as_str(), "due_at": due });
    explained.say("trigger", format!("{address}, {text}"), value);
    Ok(())
}

/// What the ledger knows of the address.
fn known(explained: &mut Explained, entries: &[Entry], world: &World, source: &Source) {
    if entries.is_empty() {
        let text = if world.has_ledger() {
            "no trigger or list has announced it, so it is not read"
        } else {
            "nothing: nothing was read yet, no trigger either"
        };
        explained.say("known", text, json!([]));
        return;
    }
    let now = world.clock.now();
    let text =
        entries.iter().map(|entry| sentence(entry, source.is_active(), now)).collect::<Vec<_>>().join("; ");
    let value = entries
        .iter()
        .map(|entry| {
            json!({
                "identifier": entry.identifier,
                "state": match entry.state {
                    State::Queued => "queued",
                    State::Refused => "refused",
                    State::Sealed => "sealed",
                    State::SetAside => "set-aside",
                },
                "first_seen": entry.first_seen,
                "published": entry.published,
                "modified": entry.modified,
                "refusal": entry.refusal.as_ref().map(|refusal| json!({
                    "code": refusal.code,
                    "reason": refusal.detail,
                    "at": refusal.at,
                    "attempts": refusal.attempts,
                    "not_before": refusal.not_before,
                })),
                "sealed": entry.sealed.as_ref().map(|sealed| json!({
                    "sequence": sealed.receipt.sequence,
                    "received_at": sealed.receipt.received_at,
                })),
            })
        })
        .collect();
    explained.say("known", text, Value::Array(value));
}

/// Where a reference stands, and what becomes of it.
fn sentence(entry: &Entry, is_active: bool, now: Timestamp) -> String {
    let waits = entry.refusal.as_ref().and_then(|refusal| refusal.not_before).filter(|at| *at > now);
    let again = match waits {
        None => "tried again by the next pass that is due".to_owned(),
        // The last second that there is: of an embargo that says no instant.
        Some(at) if at.as_second() == Timestamp::MAX.as_second() => {
            "not read until `releve retry`".to_owned()
        }
        Some(at) => format!("tried again by the pass that is due after {at:.0}"),
    };
    let (stands, becomes) = match (entry.state, &entry.sealed) {
        (State::Queued, _) => ("queued".to_owned(), "read by the next pass"),
        (State::Refused, _) => ("refused".to_owned(), again.as_str()),
        (State::Sealed, None) => ("sealed".to_owned(), "read again once a later modification is announced"),
        (State::Sealed, Some(sealed)) => (
            format!("sealed as number {} on {:.0}", sealed.receipt.sequence, sealed.receipt.received_at),
            "read again once a later modification is announced",
        ),
        (State::SetAside, _) => ("set aside".to_owned(), "not read until `releve retry`"),
    };
    let becomes = if is_active { becomes } else { "not read as long as the source is inactive" };
    let why = entry.refusal.as_ref().map(|refusal| format!(": {} ({})", refusal.detail, refusal.code));
    format!("{}: {stands}; {becomes}{}", entry.identifier, why.unwrap_or_default())
}

/// What the host's robots.txt says, as far as it was read.
fn robots(
    world: &World,
    ledger: &dyn Ledger,
    source: &Source,
    host: &AdmittedHost,
    url: &HttpsUrl,
) -> Result<(String, Value)> {
    let (now, policy) = (world.clock.now(), RobotsPolicy::releve());
    let Some(copy) = ledger.robots(host.authority(), now)? else {
        let text = format!("that of {host} was not read yet; it is, before anything else of the host");
        return Ok((text, json!({ "known": false })));
    };
    let agent = world.connector.user_agent.product();
    let until = copy.standing.ends();
    let (text, value) = match copy.standing {
        Standing::Blocked { why, .. } => (
            format!("{why}; nothing of {host} is read before it is asked again at {until:.0}"),
            json!({ "standing": "blocked", "code": why.code(), "until": until }),
        ),
        Standing::Absent { .. } => (
            format!("{host} has none, so everything may be read; asked again from {until:.0} on"),
            json!({ "standing": "absent", "until": until }),
        ),
        Standing::Rules { .. } => {
            let rules = RobotsTxt::parse(&copy.body);
            let verdict = policy.judge(&rules, agent, url.path_and_query());
            let line = verdict.line.map(|line| {
                let text = String::from_utf8_lossy(line_text(&copy.body, line).unwrap_or_default());
                format!(": {}", text.trim())
            });
            let lifted = source.way().agreement_for(url).filter(|_| !verdict.allowed);
            let delay = policy.crawl_delay(&rules, agent);
            let paced = delay.map(|delay| format!("; Crawl-delay {} s", delay.length.as_secs_f64()));
            (
                format!(
                    "{verdict}{}{}{}",
                    line.unwrap_or_default(),
                    lifted.map(|agreement| format!("; lifted by agreement: {agreement}")).unwrap_or_default(),
                    paced.unwrap_or_default()
                ),
                json!({
                    "standing": "rules",
                    "until": until,
                    "allowed": verdict.allowed,
                    "line": verdict.line,
                    "agreement": lifted,
                    "crawl_delay": delay.map(|delay| delay.length.as_secs_f64()),
                }),
            )
        }
    };
    let stale =
        if copy.standing.holds(now, &policy) { "" } else { " (run out: read again before the next request)" };
    Ok((format!("{text}{stale}"), value))
}
