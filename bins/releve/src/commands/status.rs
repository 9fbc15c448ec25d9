//! `releve status`: what each source has read, refused and has before it.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use releve_ledger::{Entry, Ledger, PassEnd, State};
use releve_pass::{Report, trigger_due};
use serde_json::{Value, json};

use super::backlog::Stand;
use super::print_json;
use crate::cli::Global;
use crate::exit::Exit;
use crate::output::one_line;
use crate::table;
use crate::world::World;

/// How many refused and how many set-aside articles of a source are listed, unless all are asked for.
const LISTED_MAX: usize = 20;

/// How many are taken from the ledger at once where all are.
const PAGE: usize = 1_000;

pub(crate) fn run(global: &Global, all: bool, out: &mut dyn Write) -> Result<Exit> {
    let world = World::load(global)?;
    let ledger = world.known()?;
    let now = world.clock.now();
    let mut rows = Vec::new();
    let mut objects = Vec::new();
    let mut refused = Vec::new();
    for source in &world.sources {
        let name = source.name().as_str();
        let counts = ledger.counts(name)?;
        let due_at = trigger_due(ledger.as_ref(), source, now)?.at(now);
        let backlog = source.backlog().map(|_| Stand::of(ledger.as_ref(), source, now)).transpose()?;
        let last = ledger.passes(Some(name), 1)?.into_iter().next();
        let (ended, report) = match last.map(|pass| pass.end) {
            None => ("never".to_owned(), None),
            Some(PassEnd::Running) => ("running".to_owned(), None),
            Some(PassEnd::Interrupted) => ("interrupted".to_owned(), None),
            Some(PassEnd::Finished { at, report }) => (format!("{at:.0}"), Some(report)),
        };
        let mut left_alone = Vec::new();
        for host in source.hosts().entries() {
            // The turn is the host's, whatever its port.
            let host = host.split(':').next().unwrap_or_default();
            if let Some(until) = ledger.left_alone_until(host, now)? {
                left_alone.push((host.to_owned(), until));
            }
        }
        let mut listed = list(ledger.as_ref(), name, State::SetAside, all)?;
        listed.extend(list(ledger.as_ref(), name, State::Refused, all)?);
        // A count and a list are two looks at a ledger that a pass may be writing to.
        let left_out = (counts.refused + counts.set_aside).saturating_sub(listed.len() as u64);
        let left_out = if all { 0 } else { left_out };
        if global.json {
            objects.push(json!({
                "source": name,
                "active": source.is_active(),
                "queued": counts.queued,
                "refused": counts.refused,
                "sealed": counts.sealed,
                "set_aside": counts.set_aside,
                "trigger_due_at": due_at,
                "left_alone_until": left_alone.into_iter().collect::<BTreeMap<_, _>>(),
                "backlog": backlog.as_ref().map(Stand::to_json),
                "last_pass": ended,
                "last_report": report.and_then(|report| serde_json::from_str::<Value>(&report).ok()),
                "refusals": listed.iter().filter_map(refusal_to_json).collect::<Vec<_>>(),
                "refusals_left_out": left_out,
            }));
            continue;
        }
        rows.push(vec![
            name.to_owned(),
            counts.sealed.to_string(),
            counts.queued.to_string(),
            counts.refused.to_string(),
            counts.set_aside.to_string(),
            backlog.map_or_else(|| "none".to_owned(), |stand| stand.in_short()),
            ended,
            match (source.is_active(), due_at <= now) {
                (false, _) => "never: inactive".to_owned(),
                (true, true) => "now".to_owned(),
                (true, false) => format!("{due_at:.0}"),
            },
        ]);
        // What stopped a pass is no article's, and stands nowhere else.
        let stopped =
            report.and_then(|report| serde_json::from_str::<Report>(&report).ok()).filter(is_stopped);
        let trigger = source.trigger().address().as_str();
        refused.push((name, trigger, stopped, left_alone, listed, left_out));
    }
    if global.json {
        print_json(out, &objects)?;
        return Ok(Exit::Done);
    }
    table::write(
        out,
        &["SOURCE", "SEALED", "QUEUED", "REFUSED", "SET ASIDE", "BACKLOG", "LAST PASS", "DUE"],
        &rows,
    )?;
    if !world.has_ledger() {
        writeln!(out, "Nothing was read yet; `releve pass` reads what is due.")?;
    }
    for (name, trigger, stopped, left_alone, listed, left_out) in refused {
        if let Some(report) = stopped {
            let why =
                report.refusals.iter().find(|line| line.reference.is_empty() && line.address == trigger);
            let why = why.map(|line| format!("{} ({})", line.reason, line.code)).or(report.detail);
            let why = why.map(|why| format!(": {}", one_line(&why))).unwrap_or_default();
            writeln!(out, "{name}: the last pass: {}{why}", report.end.sentence())?;
        }
        for (host, until) in left_alone {
            writeln!(
                out,
                "{name}: {host} asks to be left alone until {until:.0}, so nothing is read there before"
            )?;
        }
        for entry in listed {
            let Some(refusal) = &entry.refusal else { continue };
            let aside = if entry.state == State::SetAside { ", set aside" } else { "" };
            writeln!(
                out,
                "{name}: {}: {} ({}{aside}, attempt {})",
                entry.identifier,
                one_line(&refusal.detail),
                refusal.code,
                refusal.attempts
            )?;
        }
        if left_out > 0 {
            writeln!(out, "{name}: and {left_out} more; `releve status --all` lists them")?;
        }
    }
    Ok(Exit::Done)
}

/// The references of a source that stand at `state`: the first, or all.
fn list(ledger: &dyn Ledger, source: &str, state: State, all: bool) -> Result<Vec<Entry>> {
    if !all {
        return Ok(ledger.list(source, state, None, LISTED_MAX)?);
    }
    let mut listed: Vec<Entry> = Vec::new();
    loop {
        let after = listed.last().map(|entry| entry.identifier.as_str());
        let page = ledger.list(source, state, after, PAGE)?;
        let is_last = page.len() < PAGE;
        listed.extend(page);
        if is_last {
            return Ok(listed);
        }
    }
}

/// Whether a pass did not do all that it came for, for another reason than that an article is refused.
fn is_stopped(report: &Report) -> bool {
    !report.end.is_done() || report.tally.trigger_failed
}

fn refusal_to_json(entry: &Entry) -> Option<Value> {
    let refusal = entry.refusal.as_ref()?;
    Some(json!({
        "identifier": entry.identifier,
        "address": entry.address.as_ref().map(ToString::to_string),
        "set_aside": entry.state == State::SetAside,
        "code": refusal.code,
        "reason": refusal.detail,
        "at": refusal.at,
        "attempts": refusal.attempts,
    }))
}
