//! `releve export`: what is sealed, for the field's tools.

use std::io::Write;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;
use releve_deposit::{Since, export_wacz};
use serde_json::json;

use super::print_json;
use crate::cli::Global;
use crate::exit::Exit;
use crate::world::World;

pub(crate) fn run(
    global: &Global,
    file: &Path,
    source: Option<&str>,
    since: Option<Timestamp>,
    out: &mut dyn Write,
) -> Result<Exit> {
    let world = World::load(global)?;
    let vault = world.existing_vault()?;
    let from = Since { sequence: 0, received_at: since, source: source.map(ToOwned::to_owned) };
    let exported = export_wacz(&vault, &from, world.clock.now(), file)
        .with_context(|| format!("cannot export to {}", file.display()))?;
    if exported.units == 0 {
        bail!(
            "there is nothing to export, so no file was made; `releve vault stats` tells what the vault has"
        );
    }
    if global.json {
        print_json(out, &json!({ "file": file, "units": exported.units, "bytes": exported.bytes }))?;
    } else {
        writeln!(out, "{} units, {} bytes, in {}", exported.units, exported.bytes, file.display())?;
    }
    Ok(Exit::Done)
}
