//! `releve status`: what each source has read, refused and has before it.

use std::io::Write;

use anyhow::Result;
use releve_ledger::{Ledger as _, PassEnd, State};
use releve_pace::due;
use serde_json::{Value, json};

use super::print_json;
use crate::cli::Global;
use crate::exit::Exit;
use crate::table;
use crate::world::World;

/// How many refusals of a source are listed.
const LISTED_MAX: usize = 20;

pub(crate) fn run(global: &Global, out: &mut dyn Write) -> Result<Exit> {
    let world = World::load(global)?;
    let ledger = world.ledger()?;
    let now = world.clock.now();
    let mut rows = Vec::new();
    let mut objects = Vec::new();
    let mut refused = Vec::new();
    for source in &world.sources {
        let name = source.name().as_str();
        let counts = ledger.counts(name)?;
        let trigger_at = ledger.schedule(name, now)?.trigger;
        let due_at = due(trigger_at, source.rhythm().trigger(), now).at(now);
        let last = ledger.passes(Some(name), 1)?.into_iter().next();
        let ended = match last.as_ref().map(|pass| &pass.end) {
            None => "never".to_owned(),
            Some(PassEnd::Running) => "running".to_owned(),
            Some(PassEnd::Interrupted) => "interrupted".to_owned(),
            Some(PassEnd::Finished { at, .. }) => format!("{at:.0}"),
        };
        let listed: Vec<_> = [State::SetAside, State::Refused]
            .into_iter()
            .map(|state| ledger.list(name, state, None, LISTED_MAX))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect();
        if global.json {
            let report = match last.map(|pass| pass.end) {
                Some(PassEnd::Finished { report, .. }) => {
                    serde_json::from_str(&report).unwrap_or(Value::Null)
                }
                _ => Value::Null,
            };
            let refusals: Vec<_> = listed
                .iter()
                .filter_map(|entry| {
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
                })
                .collect();
            objects.push(json!({
                "source": name,
                "active": source.is_active(),
                "queued": counts.queued,
                "refused": counts.refused,
                "sealed": counts.sealed,
                "set_aside": counts.set_aside,
                "trigger_due_at": due_at,
                "last_pass": ended,
                "last_report": report,
                "refusals": refusals,
            }));
            continue;
        }
        rows.push(vec![
            name.to_owned(),
            counts.sealed.to_string(),
            counts.queued.to_string(),
            counts.refused.to_string(),
            counts.set_aside.to_string(),
            ended,
            match (source.is_active(), due_at <= now) {
                (false, _) => "never: inactive".to_owned(),
                (true, true) => "now".to_owned(),
                (true, false) => format!("{due_at:.0}"),
            },
        ]);
        refused.extend(listed.into_iter().map(|entry| (name, entry)));
    }
    if global.json {
        print_json(out, &objects)?;
        return Ok(Exit::Done);
    }
    table::write(out, &["SOURCE", "SEALED", "QUEUED", "REFUSED", "SET ASIDE", "LAST PASS", "DUE"], &rows)?;
    for (name, entry) in refused {
        let Some(refusal) = &entry.refusal else { continue };
        let aside = if entry.state == State::SetAside { ", set aside" } else { "" };
        writeln!(
            out,
            "{name}: {}: {} ({}{aside}, {} times)",
            entry.identifier, refusal.detail, refusal.code, refusal.attempts
        )?;
    }
    Ok(Exit::Done)
}
