//! `releve init`: a commented configuration to begin with.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::exit::Exit;

/// The connector's own file.
pub(crate) const CONNECTOR: &str = include_str!("init/releve.toml");
/// A first source, switched off until somebody has made it his own.
pub(crate) const SOURCE: &str = include_str!("init/example.toml");

pub(crate) fn run(dir: &Path, out: &mut dyn Write) -> Result<Exit> {
    let sources = dir.join("sources");
    fs::create_dir_all(&sources).with_context(|| format!("cannot make the folder {}", sources.display()))?;
    for (path, text) in [(dir.join("releve.toml"), CONNECTOR), (sources.join("example.toml"), SOURCE)] {
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes())
                    .with_context(|| format!("cannot write {}", path.display()))?;
                writeln!(out, "wrote {}", path.display())?;
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                bail!("{} is there already, and is left as it is", path.display())
            }
            Err(error) => return Err(error).with_context(|| format!("cannot write {}", path.display())),
        }
    }
    writeln!(
        out,
        "Next: say who you are in releve.toml, make sources/example.toml your publisher's, then `releve check`."
    )?;
    Ok(Exit::Done)
}
