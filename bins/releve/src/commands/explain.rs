//! `releve explain`: why an address would be read, or why not. It asks nobody: what it knows is in configuration and ledger.

use std::io::Write;

use anyhow::{Result, bail};
use releve_ledger::{Entry, Hosts as _, Ledger as _, SqliteLedger, State};
use releve_pace::due;
use releve_redirect_policy::AdmittedHost;
use releve_robots::{RobotsPolicy, RobotsTxt, Standing, line_text};
use releve_source::{Identifier, Source};
use releve_url_canon::{HttpsUrl, canonicalise};
use serde_json::{Value, json};

use super::print_json;
use crate::cli::Global;
use crate::exit::Exit;
use crate::world::World;

pub(crate) fn run(global: &Global, address: &str, source: Option<&str>, out: &mut dyn Write) -> Result<Exit> {
    let world = World::load(global)?;
    let ledger = world.ledger()?;
    let sources: Vec<&Source> = match source {
        Some(name) => vec![world.source(name)?],
        None => world.sources.iter().filter(|source| admits(source, address)).collect(),
    };
    if sources.is_empty() {
        let names: Vec<_> = world.sources.iter().map(|source| source.name().as_str()).collect();
        bail!(
            "no source admits the host of {address}, so it is never contacted; sources: {}",
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        );
    }
    let mut explained = Vec::new();
    for source in sources {
        let lines = explain(&world, &ledger, source, address)?;
        if global.json {
            let object: serde_json::Map<String, Value> =
                lines.into_iter().map(|line| (line.topic.to_owned(), line.value)).collect();
            explained.push(Value::Object(object));
        } else {
            for line in lines {
                writeln!(out, "{:<12} {}", line.topic.replace('_', " "), line.text)?;
            }
            writeln!(out)?;
        }
    }
    if global.json {
        print_json(out, &explained)?;
    }
    Ok(Exit::Done)
}

/// One thing that is said: for a person, and as JSON.
struct Line {
    topic: &'static str,
    text: String,
    value: Value,
}

impl Line {
    fn new(topic: &'static str, text: impl Into<String>, value: Value) -> Self {
        Self { topic, text: text.into(), value }
    }
}

fn admits(source: &Source, address: &str) -> bool {
    canonicalise(address, None, source.necessary_parameters())
        .is_ok_and(|canonical| source.hosts().admit(canonical.url.as_https()).is_ok())
}

fn explain(world: &World, ledger: &SqliteLedger, source: &Source, address: &str) -> Result<Vec<Line>> {
    let now = world.clock.now();
    let name = source.name().as_str();
    let mut lines = vec![Line::new(
        "source",
        if source.is_active() {
            name.to_owned()
        } else {
            format!("{name}: inactive, so nothing is requested (R39)")
        },
        json!({ "name": name, "active": source.is_active() }),
    )];

    let canonical = match canonicalise(address, None, source.necessary_parameters()) {
        Ok(canonical) => canonical,
        Err(refusal) => {
            let value = json!({ "refused": refusal.code(), "reason": refusal.to_string() });
            lines.push(Line::new(
                "address",
                format!("never requested: {refusal} ({})", refusal.code()),
                value,
            ));
            return Ok(lines);
        }
    };
    let url = canonical.url.into_https();
    let removed: Vec<String> = canonical.removed.iter().map(ToString::to_string).collect();
    let without =
        if removed.is_empty() { String::new() } else { format!(" (without {})", removed.join(", ")) };
    lines.push(Line::new(
        "address",
        format!("{url}{without}"),
        json!({ "canonical": url.as_str(), "removed": removed }),
    ));

    let host = match source.hosts().admit(&url) {
        Ok(host) => host,
        Err(refusal) => {
            let value = json!({ "admitted": false, "code": refusal.code() });
            lines.push(Line::new("host", format!("never contacted: {refusal} ({})", refusal.code()), value));
            return Ok(lines);
        }
    };
    lines.push(Line::new("host", format!("{host} is admitted"), json!({ "admitted": true })));

    let entries = ledger.entries_at(name, &url)?;
    lines.push(known(&entries));
    // What is requested for an article is its page, or an address made with its identifier.
    let requested: Vec<HttpsUrl> = match source.way().address() {
        None => vec![url.clone()],
        Some(template) => {
            entries.iter().filter_map(|entry| template.address(&entry.identifier).ok()).collect()
        }
    };
    for requested in &requested {
        if let Ok(host) = source.hosts().admit(requested) {
            if *requested != url {
                lines.push(Line::new(
                    "read_at",
                    format!("{requested} ({})", source.way().as_str()),
                    json!(requested.as_str()),
                ));
            }
            lines.push(robots(world, ledger, source, &host, requested)?);
            let at = ledger.next_turn(host.host(), source.rhythm().host(), now)?;
            let text = if at <= now { "now".to_owned() } else { at.to_string() };
            lines.push(Line::new("next_turn", format!("{text}, at {}", host.host()), json!(at)));
        }
    }
    if let Identifier::Address = source.identifier() {
        lines.push(Line::new("identifier", "the canonical address (R7)", json!("address")));
    }
    let due = due(ledger.schedule(name, now)?.trigger, source.rhythm().trigger(), now).at(now);
    let text = if due <= now { "due now".to_owned() } else { format!("due at {due:.0}") };
    lines.push(Line::new(
        "trigger",
        format!("{}, {text}", source.trigger().address()),
        json!({ "due_at": due }),
    ));
    Ok(lines)
}

/// What the ledger knows of the address.
fn known(entries: &[Entry]) -> Line {
    if entries.is_empty() {
        return Line::new("known", "no trigger or list has announced it, so it is not read", json!([]));
    }
    let sentence = |entry: &Entry| {
        let state = match entry.state {
            State::Queued => "queued: read by the next pass".to_owned(),
            State::Sealed => match &entry.sealed {
                Some(sealed) => format!(
                    "sealed as number {} on {:.0}; read again once a later modification is announced",
                    sealed.receipt.sequence, sealed.receipt.received_at
                ),
                None => "sealed".to_owned(),
            },
            State::Refused => "refused; tried again by the next pass that is due".to_owned(),
            State::SetAside => "set aside until `releve retry`".to_owned(),
        };
        match &entry.refusal {
            Some(refusal) => format!("{}: {state}: {} ({})", entry.identifier, refusal.detail, refusal.code),
            None => format!("{}: {state}", entry.identifier),
        }
    };
    let text = entries.iter().map(sentence).collect::<Vec<_>>().join("; ");
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
                })),
                "sealed": entry.sealed.as_ref().map(|sealed| json!({
                    "sequence": sealed.receipt.sequence,
                    "received_at": sealed.receipt.received_at,
                })),
            })
        })
        .collect();
    Line::new("known", text, Value::Array(value))
}

/// What the host's robots.txt says, as far as it was read.
fn robots(
    world: &World,
    ledger: &SqliteLedger,
    source: &Source,
    host: &AdmittedHost,
    url: &HttpsUrl,
) -> Result<Line> {
    let (now, policy) = (world.clock.now(), RobotsPolicy::releve());
    let Some(copy) = ledger.robots(host.authority(), now)? else {
        let text = format!("that of {host} was not read yet; it is, before anything else of the host");
        return Ok(Line::new("robots", text, json!({ "known": false })));
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
                format!(", line {line}: {}", text.trim())
            });
            let lifted = source.way().agreement_for(url).filter(|_| !verdict.allowed);
            let lifted = lifted.map(|agreement| format!("; lifted by agreement: {agreement}"));
            let delay = policy.crawl_delay(&rules, agent);
            let paced = delay.map(|delay| format!("; Crawl-delay {} s", delay.length.as_secs_f64()));
            (
                format!(
                    "{verdict}{}{}{}",
                    line.unwrap_or_default(),
                    lifted.unwrap_or_default(),
                    paced.unwrap_or_default()
                ),
                json!({
                    "standing": "rules",
                    "until": until,
                    "allowed": verdict.allowed,
                    "line": verdict.line,
                    "crawl_delay": delay.map(|delay| delay.length.as_secs_f64()),
                }),
            )
        }
    };
    let stale =
        if copy.standing.holds(now, &policy) { "" } else { " (run out: read again before the next request)" };
    Ok(Line::new("robots", format!("{text}{stale}"), value))
}
