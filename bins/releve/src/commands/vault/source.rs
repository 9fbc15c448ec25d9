//! `releve vault source`: for which sources the vault takes deposits.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use jiff::Timestamp;
use serde_json::json;

use crate::cli::{Global, VaultSourceCommand};
use crate::commands::print_json;
use crate::exit::Exit;
use crate::output::one_line;
use crate::table;
use crate::world::World;

pub(super) fn run(
    world: &World,
    global: &Global,
    command: &VaultSourceCommand,
    out: &mut dyn Write,
) -> Result<Exit> {
    match command {
        VaultSourceCommand::Activate { name } => set(world, global, name.as_str(), true, out),
        VaultSourceCommand::Deactivate { name } => set(world, global, name.as_str(), false, out),
        VaultSourceCommand::List => list(world, global, out),
    }
}

/// Decides, and says so; that it was decided before is no failure.
fn set(world: &World, global: &Global, name: &str, active: bool, out: &mut dyn Write) -> Result<Exit> {
    let vault = world.vault()?;
    let changed = if active {
        vault.control().activate_source(name)?
    } else {
        vault.control().deactivate_source(name)?
    };
    if global.json {
        print_json(out, &json!({ "source": name, "active": active, "changed": changed }))?;
        return Ok(Exit::Done);
    }
    match (active, changed) {
        (true, true) => writeln!(out, "deposits for `{name}` are taken again")?,
        (true, false) => writeln!(out, "`{name}` was active already")?,
        (false, true) => writeln!(out, "`{name}` is inactive; every later deposit for it is refused")?,
        (false, false) => writeln!(out, "`{name}` was inactive already")?,
    }
    Ok(Exit::Done)
}

fn list(world: &World, global: &Global, out: &mut dyn Write) -> Result<Exit> {
    let vault = world.existing_vault()?;
    let held = vault.stats()?.sources.into_iter().map(|source| (source.name, None));
    let mut sources: BTreeMap<String, Option<Timestamp>> = held.collect();
    sources.extend(vault.control().inactive_sources()?.into_iter().map(|(name, since)| (name, Some(since))));
    if global.json {
        let sources: Vec<_> = sources
            .iter()
            .map(|(name, inactive_since)| json!({ "source": name, "inactive_since": inactive_since }))
            .collect();
        print_json(out, &json!({ "sources": sources }))?;
        return Ok(Exit::Done);
    }
    let rows: Vec<Vec<String>> = sources
        .iter()
        .map(|(name, inactive_since)| {
            let state = match inactive_since {
                None => "active".to_owned(),
                Some(since) => format!("inactive since {since:.0}"),
            };
            vec![one_line(name).into_owned(), state]
        })
        .collect();
    table::write(out, &["SOURCE", "STATE"], &rows)?;
    Ok(Exit::Done)
}
