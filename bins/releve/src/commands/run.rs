//! `releve run`: the daemon. It does what cron would do, at the instants at which it is due.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use jiff::Timestamp;
use releve_fetch::{AccessHeader, HttpsFetch};
use releve_pass::{End, Report, Runner, trigger_due};
use releve_source::Source;
use releve_visit::{Interrupt, wait};

use super::active::{Active, OfSource};
use super::pass::{runner, until_stopped, with_access};
use crate::cli::Global;
use crate::exit::Exit;
use crate::progress::Progress;
use crate::world::World;

/// After what time a source is looked at again that another process works on, or whose ledger failed.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

pub(crate) fn run(global: &Global, names: &[String]) -> Result<Exit> {
    let world = World::load(global)?;
    let sources = world.select(names)?;
    let (work, without) = with_access(&world, sources);
    if work.is_empty() && !without.is_empty() {
        return Ok(Exit::CouldNotRun);
    }
    let progress = Arc::new(Progress::new(global.json));
    let runner = Arc::new(runner(&world, Arc::clone(&progress))?);
    tracing::info!(sources = work.len(), "running until asked to stop");
    let ended = until_stopped(async move |interrupt: Interrupt| {
        let active = Active::watch(&world, work.iter().map(|(source, _)| source));
        let mut tasks = Vec::new();
        for (source, access) in work {
            let (runner, interrupt, active) =
                (Arc::clone(&runner), interrupt.clone(), active.of(source.name()));
            tasks.push(tokio::spawn(async move {
                again_and_again(&active, &runner, &source, access.as_ref(), &interrupt).await;
            }));
        }
        let mut ended = Ok(());
        for task in tasks {
            ended = ended.and(task.await.context("a source's work ended unexpectedly; please report this"));
        }
        ended
    })?;
    progress.clear();
    // Being asked to stop is how a daemon ends; being asked twice is not.
    Ok(if ended.is_some() { Exit::Done } else { Exit::Interrupted })
}

/// Passes over one source, each when it is due, until an interruption.
async fn again_and_again(
    active: &OfSource,
    runner: &Runner<HttpsFetch>,
    source: &Source,
    access: Option<&AccessHeader>,
    interrupt: &Interrupt,
) {
    loop {
        let report = active.pass(runner, source, access, interrupt, Timestamp::MAX).await;
        tell(&report);
        if matches!(report.end, End::Interrupted | End::Inactive) {
            return;
        }
        let now = runner.clock.now();
        let look_again = now.checked_add(LOOK_AGAIN).unwrap_or(now);
        let next = match report.end {
            End::LockHeld | End::LedgerFailed => look_again,
            // What is left goes on as soon as the trigger has been read again. Where its host asks to be left alone, it stays
            // due, and each pass ends at once.
            End::TimeUp => {
                let not_before = report.started_at.checked_add(LOOK_AGAIN).unwrap_or(now);
                trigger_due(runner.ledger.as_ref(), source, now)
                    .map_or(look_again, |due| due.at(now).max(not_before))
            }
            _ => trigger_due(runner.ledger.as_ref(), source, now)
                .map_or(look_again, |due| due.at(now).max(look_again)),
        };
        if !wait(runner.clock.as_ref(), interrupt, next).await {
            return;
        }
    }
}

/// What a pass did goes to the log: quietly where all is well.
fn tell(report: &Report) {
    let Report { source, tally, .. } = report;
    if report.is_clean() || report.end == End::LockHeld {
        tracing::info!(
            source,
            sealed = tally.sealed,
            unchanged = tally.unchanged,
            end = report.end.sentence(),
            "pass"
        );
        return;
    }
    for line in &report.refusals {
        tracing::warn!(
            source,
            reference = line.reference,
            address = line.address,
            code = line.code,
            "{}",
            line.reason
        );
    }
    let detail = report.detail.as_deref().unwrap_or_default();
    tracing::warn!(
        source,
        sealed = tally.sealed,
        refused = tally.refused,
        detail,
        "{}",
        report.end.sentence()
    );
}
