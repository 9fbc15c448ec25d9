//! `releve check`: the configuration, offline.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use super::print_json;
use crate::cli::Global;
use crate::exit::Exit;
use crate::table;
use crate::world::World;

pub(crate) fn run(global: &Global, out: &mut dyn Write) -> Result<Exit> {
    let world = World::load(global)?;
    let mut warnings = world.warnings.clone();
    // A secret that is missing shows now, not at night.
    for source in world.sources.iter().filter(|source| source.is_active()) {
        if let Err(error) = world.access(source) {
            warnings.push(format!("{error:#}"));
        }
    }
    if let Err(error) = world.network_vault() {
        warnings.push(format!("{error:#}"));
    }
    let notes = notes(&world);
    if global.json {
        let sources: Vec<_> = world
            .sources
            .iter()
            .map(|source| {
                json!({
                    "name": source.name().as_str(),
                    "active": source.is_active(),
                    "way": source.way().as_str(),
                    "hosts": source.hosts().entries().collect::<Vec<_>>(),
                    "trigger": source.trigger().address().as_str(),
                })
            })
            .collect();
        print_json(
            out,
            &json!({
                "user_agent": world.connector.user_agent.as_str(),
                "sources": sources,
                "warnings": warnings,
                "notes": notes,
            }),
        )?;
    } else {
        writeln!(out, "Requests bear: {}", world.connector.user_agent.as_str())?;
        let rows: Vec<Vec<String>> = world
            .sources
            .iter()
            .map(|source| {
                vec![
                    source.name().to_string(),
                    if source.is_active() { "active" } else { "inactive" }.to_owned(),
                    source.way().as_str().to_owned(),
                    source.hosts().entries().collect::<Vec<_>>().join(", "),
                    source.trigger().address().to_string(),
                ]
            })
            .collect();
        table::write(out, &["SOURCE", "STATE", "WAY", "HOSTS", "TRIGGER"], &rows)?;
        for warning in &warnings {
            writeln!(out, "warning: {warning}")?;
        }
        for note in &notes {
            writeln!(out, "note: {note}")?;
        }
        if world.sources.is_empty() {
            writeln!(
                out,
                "No source is configured; put a file into the folder {}.",
                world.connector.sources.display()
            )?;
        }
    }
    Ok(if warnings.is_empty() { Exit::Done } else { Exit::Failures })
}

/// What is no fault and may still surprise.
fn notes(world: &World) -> Vec<String> {
    let mut notes = Vec::new();
    if world.connector.user_agent.as_str().contains("example.org") {
        notes.push(
            "publishers see an example as the connector's name and contact; say in user_agent who you are"
                .to_owned(),
        );
    }
    notes
}
