//! `releve vault`: what is done with the vault as a whole.

mod key;
mod serve;
mod source;
mod timestamp;
mod withdrawal;

use std::io::Write;

use anyhow::{Context as _, Result};
use releve_deposit::reindex;
use serde_json::json;

use super::print_json;
use super::verify::fault_to_json;
use crate::cli::{Global, VaultCommand};
use crate::exit::Exit;
use crate::output::one_line;
use crate::table;
use crate::world::World;

pub(crate) fn run(global: &Global, command: &VaultCommand, out: &mut dyn Write) -> Result<Exit> {
    let world = World::load(global)?;
    match command {
        VaultCommand::Reindex => rebuild(&world, global, out),
        VaultCommand::Stats => stats(&world, global, out),
        VaultCommand::Timestamp { authority, authority_ca } => {
            timestamp::run(&world, global, authority, authority_ca.as_deref(), out)
        }
        VaultCommand::Withdraw(args) => withdrawal::withdraw(&world, global, args, out),
        VaultCommand::Reinstate(args) => withdrawal::reinstate(&world, global, args, out),
        VaultCommand::Withdrawals => withdrawal::list(&world, global, out),
        VaultCommand::Serve(args) => serve::run(&world, args),
        VaultCommand::Key { command } => key::run(&world, global, command, out),
        VaultCommand::Source { command } => source::run(&world, global, command, out),
    }
}

fn rebuild(world: &World, global: &Global, out: &mut dyn Write) -> Result<Exit> {
    let (folder, _) = world.bare_vault()?;
    let found = reindex(&folder, &mut |_| {})
        .with_context(|| format!("cannot reindex the vault {}", folder.display()))?;
    if global.json {
        let faults: Vec<_> = found.faults.iter().map(fault_to_json).collect();
        print_json(out, &json!({ "units": found.units, "faults": faults }))?;
    } else {
        writeln!(out, "{} units are in the index", found.units)?;
        for fault in &found.faults {
            writeln!(out, "FAULT {}", one_line(&fault.to_string()))?;
        }
    }
    Ok(if found.faults.is_empty() { Exit::Done } else { Exit::Failures })
}

fn stats(world: &World, global: &Global, out: &mut dyn Write) -> Result<Exit> {
    let vault = world.existing_vault()?;
    let stats = vault.stats()?;
    if global.json {
        let sources: Vec<_> = stats
            .sources
            .iter()
            .map(|source| {
                json!({
                    "source": source.name,
                    "articles": source.articles,
                    "units": source.units,
                    "bytes": source.bytes,
                })
            })
            .collect();
        print_json(
            out,
            &json!({
                "vault": vault.id(),
                "created": vault.created(),
                "sources": sources,
                "withdrawn": stats.withdrawn,
                "segments": stats.segments,
                "sequence": stats.sequence,
                "head": stats.head.map(|head| head.to_string()),
            }),
        )?;
        return Ok(Exit::Done);
    }
    let rows: Vec<Vec<String>> = stats
        .sources
        .iter()
        .map(|source| {
            let counts = [source.articles, source.units, source.bytes].map(|count| count.to_string());
            std::iter::once(source.name.clone()).chain(counts).collect()
        })
        .collect();
    table::write(out, &["SOURCE", "ARTICLES", "UNITS", "BYTES"], &rows)?;
    writeln!(out, "{} articles withdrawn, {} segments", stats.withdrawn, stats.segments)?;
    match stats.head {
        Some(head) => writeln!(out, "head: seal {}, {head}", stats.sequence)?,
        None => writeln!(out, "the vault is empty")?,
    }
    Ok(Exit::Done)
}
