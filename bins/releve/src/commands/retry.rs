//! `releve retry`: put a refused or set-aside article back into the queue.

use std::io::Write;

use anyhow::{Result, bail};
use serde_json::json;

use super::print_json;
use crate::cli::Global;
use crate::exit::Exit;
use crate::world::World;

pub(crate) fn run(global: &Global, source: &str, reference: &str, out: &mut dyn Write) -> Result<Exit> {
    let world = World::load(global)?;
    let source = world.source(source)?;
    let when =
        if source.is_active() { "by the next pass" } else { "once the source is active again, by a pass" };
    let source = source.name().as_str();
    let ledger = world.known()?;
    let mut lifted = Vec::new();
    if ledger.retry(source, reference)? {
        lifted.push(reference.to_owned());
    } else if let Ok(address) = reference.parse() {
        for entry in ledger.entries_at(source, &address)? {
            if ledger.retry(source, &entry.identifier)? {
                lifted.push(entry.identifier);
            }
        }
    }
    if lifted.is_empty() {
        bail!("`{source}` has no refused or set-aside article `{reference}`; `releve status` lists them");
    }
    if global.json {
        print_json(out, &json!({ "source": source, "queued": lifted }))?;
    } else {
        for identifier in lifted {
            writeln!(out, "{identifier} is read {when} over {source}")?;
        }
    }
    Ok(Exit::Done)
}
