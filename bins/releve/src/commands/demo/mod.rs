//! `releve demo`: a real pass over invented newspapers on loopback.

mod newspaper;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use jiff::{SignedDuration, Timestamp};
use releve_fetch::LabFile;
use releve_pass::{End, Report};
use releve_source::Source;
use serde_json::json;

use super::verify::Whole;
use super::{pass, print_json};
use crate::cli::Global;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::table;
use crate::world::World;

/// How much later each further run in the same folder takes place: the triggers are due again.
const LATER: SignedDuration = SignedDuration::from_mins(16);

/// The folder where none is named.
const DEFAULT: &str = "releve-demo";

pub(crate) fn run(global: &Global, dir: Option<&Path>, out: &mut dyn Write) -> Result<Exit> {
    let dir = match dir {
        Some(dir) => dir.to_owned(),
        None => fresh(),
    };
    let clock = clock_of(&dir)?;
    for folder in [dir.clone(), dir.join("sources")] {
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let lab = newspaper::start()?;
    for (name, text) in newspaper::CONFIGURATION {
        let path = dir.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let lab_file = lab.write_files(&dir, Some(&clock)).context("cannot write the lab file")?;

    let demo = Global { config: dir.join(newspaper::CONNECTOR_FILE), json: global.json, lab: Some(lab_file) };
    let world = World::load(&demo)?;
    let sources: Vec<Source> = world.sources.clone();
    if !demo.json {
        writeln!(
            out,
            "Three invented newspapers answer on loopback; each is asked once a second at most.\n"
        )?;
        out.flush()?;
    }
    let progress = Arc::new(Progress::new(demo.json));
    let reports = pass::passes(&world, sources, Timestamp::MAX, Arc::clone(&progress));
    progress.clear();
    let Some(reports) = reports? else { return Ok(Exit::Interrupted) };
    if reports.iter().any(|report| report.end == End::Interrupted) {
        return Ok(Exit::Interrupted);
    }
    let requests = lab.requests().len();

    let whole = Whole::check(&world, None)?;
    if demo.json {
        let verified = whole.to_json();
        print_json(
            out,
            &json!({ "dir": dir, "requests": requests, "reports": reports, "verified": verified }),
        )?;
    } else {
        print(&world, &reports, requests, out)?;
        whole.print(out)?;
        next(&dir, out)?;
    }
    let ended_well = reports.iter().all(|report| report.end.is_done());
    Ok(if ended_well { whole.exit() } else { Exit::Failures })
}

/// `releve-demo`, or the first of `releve-demo-2`, `-3` … that is not there yet. Nothing that is there is touched.
fn fresh() -> PathBuf {
    let numbered = (2..).map(|number: u32| PathBuf::from(format!("{DEFAULT}-{number}")));
    std::iter::once(PathBuf::from(DEFAULT)).chain(numbered).find(|dir| !dir.exists()).unwrap_or_default()
}

/// The clock of a run in this folder: real at first, and later than the one before where the folder is a demo's. Another
/// folder with content is refused.
fn clock_of(dir: &Path) -> Result<String> {
    let first = Ok("+0s".to_owned());
    if !dir.exists()
        || fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?.next().is_none()
    {
        return first;
    }
    let connector = fs::read_to_string(dir.join(newspaper::CONNECTOR_FILE)).unwrap_or_default();
    if connector.lines().next() != Some(newspaper::MARK) {
        bail!(
            "{} holds something else than a demo, and is left as it is; name another folder with --dir",
            dir.display()
        );
    }
    let path = dir.join(newspaper::LAB_FILE);
    // A run that was broken off early has left none.
    let Ok(text) = fs::read_to_string(&path) else { return first };
    let file: LabFile = text.parse().with_context(|| format!("{} cannot be used", path.display()))?;
    Ok(format!("+{}s", (file.clock() + LATER).as_secs()))
}

fn print(world: &World, reports: &[Report], requests: usize, out: &mut dyn Write) -> Result<()> {
    use releve_deposit::{Since, Vault as _};
    let vault = world.existing_vault()?;
    let mut rows = Vec::new();
    for version in vault.list(&Since::default(), 1_000)? {
        let headline = vault
            .read(version.receipt.digest)?
            .and_then(|unit| unit.article().ok())
            .and_then(|article| article.descriptor.headline)
            .map_or_else(|| "(no headline)".to_owned(), |headline| headline.text);
        rows.push(vec![version.key.source().to_owned(), "sealed".to_owned(), headline, version.address]);
    }
    for report in reports {
        for line in &report.refusals {
            let address = if line.address.is_empty() { &line.reference } else { &line.address };
            rows.push(vec![
                report.source.clone(),
                "refused".to_owned(),
                line.reason.clone(),
                address.clone(),
            ]);
        }
    }
    table::write(out, &["SOURCE", "", "WHAT, OR WHY NOT", "ADDRESS"], &rows)?;
    let sealed: usize = reports.iter().map(|report| report.tally.sealed).sum();
    writeln!(out, "\n{requests} requests in this run, {sealed} articles sealed by it.\n")?;
    Ok(())
}

fn next(dir: &Path, out: &mut dyn Write) -> Result<()> {
    let flags = format!("--config {0}/releve.toml --lab {0}/{1}", dir.display(), newspaper::LAB_FILE);
    writeln!(out, "\nWhere to look next:")?;
    for command in [
        format!("releve show courier-101 {flags}"),
        format!("releve explain https://www.harbour-courier.test/members/interview {flags}"),
        format!("releve status {flags}"),
        format!("zcat {}/vault/segments/000001.warc.gz | less", dir.display()),
    ] {
        writeln!(out, "  {command}")?;
    }
    Ok(())
}
