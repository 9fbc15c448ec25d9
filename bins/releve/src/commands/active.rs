//! Whether a source is still active (R39): an operator who deactivates it means now, not after the pass.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use releve_bounds::Bounds;
use releve_deposit::DepositErrorKind;
use releve_fetch::{AccessHeader, Fetch};
use releve_pass::{End, Report, Runner};
use releve_source::{File, Source, SourceName, parse_source};
use releve_visit::{Interrupt, Interrupter, sentence};

use crate::world::{World, source_files};

/// How often the configuration is looked at. A host is asked once a second at most, so after this time at most one more
/// request has left.
const LOOK: Duration = Duration::from_secs(1);

/// How long a configuration that cannot be used is taken for one that is being written.
const PATIENCE: Duration = Duration::from_secs(10);

/// Watches the configuration for as long as it lives.
pub(crate) struct Active {
    sources: BTreeMap<SourceName, Interrupt>,
    watching: tokio::task::JoinHandle<()>,
}

/// One of the sources that are watched.
#[derive(Clone)]
pub(crate) struct OfSource {
    deactivated: Interrupt,
}

impl Active {
    /// Begins to watch those of these sources that are active. Every other change of the configuration counts from the next
    /// start on.
    pub(crate) fn watch<'a>(world: &World, sources: impl Iterator<Item = &'a Source>) -> Self {
        let (mut watched, mut interrupts) = (BTreeMap::new(), BTreeMap::new());
        for source in sources.filter(|source| source.is_active()) {
            let (interrupter, interrupt) = Interrupter::pair();
            watched.insert(source.name().clone(), interrupter);
            interrupts.insert(source.name().clone(), interrupt);
        }
        let folder = world.sources_folder.clone();
        let watching = tokio::spawn(async move {
            let (mut seen, mut unreadable_for) = (None, Duration::ZERO);
            while !watched.is_empty() {
                let now = Seen::look(&folder);
                if seen.as_ref() != Some(&now) {
                    let Configured { active, has_problems } = Configured::read(&folder);
                    // An editor may be about to write the rest of it.
                    let may_be_written = has_problems && unreadable_for < PATIENCE;
                    if may_be_written {
                        unreadable_for += LOOK;
                    } else {
                        watched.retain(|source, interrupter| still(source, interrupter, &active));
                        (seen, unreadable_for) = (Some(now), Duration::ZERO);
                    }
                }
                tokio::time::sleep(LOOK).await;
            }
        });
        Self { sources: interrupts, watching }
    }

    /// One of the sources.
    pub(crate) fn of(&self, source: &SourceName) -> OfSource {
        let deactivated = self.sources.get(source).cloned().unwrap_or_else(Interrupt::never);
        OfSource { deactivated }
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

impl OfSource {
    /// Makes a pass that ends when the source is deactivated, and does not begin where the vault would take nothing of it.
    pub(crate) async fn pass<F: Fetch>(
        &self,
        runner: &Runner<F>,
        source: &Source,
        access: Option<&AccessHeader>,
        interrupt: &Interrupt,
        until: Timestamp,
    ) -> Report {
        if source.is_active()
            && let Some(report) = closed(runner, source).await
        {
            return report;
        }
        let either = interrupt.clone().or(self.deactivated.clone());
        let mut report = runner.pass(source, access, &either, until).await;
        if report.end == End::Interrupted && self.deactivated.came() {
            report.end = End::Inactive;
        }
        report
    }
}

/// The report of a pass that does not begin, because the vault refuses the source or our key. A vault that cannot be
/// asked is another matter: it may be back before there is something to deposit.
async fn closed<F: Fetch>(runner: &Runner<F>, source: &Source) -> Option<Report> {
    let (vault, name) = (Arc::clone(&runner.vault), source.name().to_string());
    let taken = tokio::task::spawn_blocking(move || vault.takes(&name)).await.ok()?;
    let refused = taken.err().filter(|error| error.kind() == DepositErrorKind::EndsPass)?;
    let (name, now) = (source.name().as_str(), runner.clock.now());
    Some(Report::not_begun(name, End::VaultClosed, sentence(&refused), now))
}

/// Whether the source is among those that are active; if not, its work is interrupted.
fn still(source: &SourceName, interrupter: &Interrupter, active: &[SourceName]) -> bool {
    let stays = active.contains(source);
    if !stays {
        tracing::warn!(
            source = source.as_str(),
            "inactive, or its file cannot be used: nothing is requested for it any more"
        );
        interrupter.interrupt();
    }
    stays
}

/// What the sources' files say now. Each is read by itself: what is wrong with one, be it a new one, stops no other.
struct Configured {
    active: Vec<SourceName>,
    has_problems: bool,
}

impl Configured {
    fn read(folder: &Path) -> Self {
        let Ok(files) = source_files(folder) else { return Self { active: Vec::new(), has_problems: true } };
        let mut configured = Self { active: Vec::new(), has_problems: false };
        for (name, text) in &files {
            match parse_source(File { name, text }, &Bounds::default()) {
                Ok(source) if source.value.is_active() => configured.active.push(source.value.name().clone()),
                Ok(_) => {}
                Err(_) => configured.has_problems = true,
            }
        }
        configured
    }
}

/// What the sources' files look like from outside.
#[derive(PartialEq, Eq)]
struct Seen(Vec<(PathBuf, Option<(SystemTime, u64)>)>);

impl Seen {
    fn look(folder: &Path) -> Self {
        let look = |path: PathBuf| {
            let about = fs::metadata(&path).ok();
            let about = about.and_then(|about| Some((about.modified().ok()?, about.len())));
            (path, about)
        };
        let mut seen = Vec::new();
        if let Ok(entries) = fs::read_dir(folder) {
            seen.extend(entries.flatten().map(|entry| look(entry.path())));
        }
        seen.sort();
        Self(seen)
    }
}
