//! `releve init`: a commented configuration to begin with.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use super::print_json;
use crate::cli::Global;
use crate::exit::Exit;

/// The connector's own file.
const CONNECTOR: &str = include_str!("init/releve.toml");
/// A first source, switched off until somebody has made it his own.
const SOURCE: &str = include_str!("init/example.toml");

pub(crate) fn run(global: &Global, dir: &Path, out: &mut dyn Write) -> Result<Exit> {
    let sources = dir.join("sources");
    let files = [(dir.join("releve.toml"), CONNECTOR), (sources.join("example.toml"), SOURCE)];
    // All are looked at before one is written, so that no half of a configuration is put beside another.
    for (path, _) in &files {
        match fs::symlink_metadata(path) {
            Ok(_) => bail!("{} is there already; nothing was written", path.display()),
            // A file in place of a folder is met below, before anything is written too.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(error) => return Err(error).with_context(|| format!("cannot look at {}", path.display())),
        }
    }
    fs::create_dir_all(&sources).with_context(|| format!("cannot make the folder {}", sources.display()))?;
    for (path, text) in &files {
        // Another process may have been quicker: what it wrote stays.
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if global.json {
        print_json(out, &json!({ "wrote": files.each_ref().map(|(path, _)| path) }))?;
        return Ok(Exit::Done);
    }
    for (path, _) in &files {
        writeln!(out, "wrote {}", path.display())?;
    }
    writeln!(
        out,
        "Next: say who you are in releve.toml, make sources/example.toml your publisher's, then `releve check`."
    )?;
    Ok(Exit::Done)
}
