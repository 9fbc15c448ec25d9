//! `releve run`: the daemon. It does what cron would do, at the instants at which it is due.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use releve_fetch::{AccessHeader, HttpsFetch};
use releve_pace::due;
use releve_pass::{End, Report, Runner};
use releve_source::Source;
use releve_visit::{Interrupt, wait};

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
        let mut tasks = Vec::new();
        for (source, access) in work {
            let (runner, interrupt, global) = (Arc::clone(&runner), interrupt.clone(), global.clone());
            tasks.push(tokio::spawn(async move {
                again_and_again(&global, &runner, &source, access.as_ref(), &interrupt).await;
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
    global: &Global,
    runner: &Runner<HttpsFetch>,
    source: &Source,
    access: Option<&AccessHeader>,
    interrupt: &Interrupt,
) {
    loop {
        // The operator may have deactivated it since (R39).
        if !still_active(global, source) {
            let source = source.name().as_str();
            tracing::warn!(
                source,
                "inactive, or its configuration cannot be used: nothing is requested any more"
            );
            return;
        }
        let report = runner.pass(source, access, interrupt).await;
        tell(&report);
        if matches!(report.end, End::Interrupted | End::Inactive) {
            return;
        }
        let now = runner.clock.now();
        let look_again = now.checked_add(LOOK_AGAIN).unwrap_or(now);
        let next = match report.end {
            End::LockHeld | End::LedgerFailed => look_again,
            _ => match runner.ledger.schedule(source.name().as_str(), now) {
                Ok(schedule) => due(schedule.trigger, source.rhythm().trigger(), now).at(now).max(look_again),
                Err(_) => look_again,
            },
        };
        if !wait(runner.clock.as_ref(), interrupt, next).await {
            return;
        }
    }
}

/// Whether the source is active in the configuration as it is now. Everything else in it counts from the next start on.
fn still_active(global: &Global, source: &Source) -> bool {
    World::load(global)
        .is_ok_and(|world| world.sources.iter().any(|now| now.name() == source.name() && now.is_active()))
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
