//! `releve pass`: what is due, of all sources or of those named.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;
use releve_fetch::{AccessHeader, HttpsFetch};
use releve_ledger::{Hosts, Ledger as _, SqliteLedger};
use releve_pass::{End, Report, Runner};
use releve_proof::Connector;
use releve_robots::RobotsPolicy;
use releve_source::Source;
use releve_visit::{Interrupt, Interrupter, Visitor};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::active::Active;
use super::print_json;
use crate::cli::Global;
use crate::exit::Exit;
use crate::output::one_line;
use crate::progress::Progress;
use crate::table;
use crate::world::{Deposits, World};

pub(crate) fn run(
    global: &Global,
    names: &[String],
    time: Option<Duration>,
    out: &mut dyn Write,
) -> Result<Exit> {
    let world = World::load(global)?;
    let until = time.and_then(|time| world.clock.now().checked_add(time).ok()).unwrap_or(Timestamp::MAX);
    let sources = world.select(names)?;
    let progress = Arc::new(Progress::new(global.json));
    let reports = passes(&world, sources, until, Arc::clone(&progress));
    progress.clear();
    let Some(reports) = reports? else { return Ok(Exit::Interrupted) };
    if global.json {
        print_json(out, &reports)?;
    } else {
        print(out, &reports, names)?;
    }
    Ok(exit(&reports, !names.is_empty()))
}

/// Makes a pass over each source, side by side, and returns their reports in the order of the sources. There are none if
/// it was asked twice to stop: then nothing was finished, and the next pass goes on from what is on record.
pub(crate) fn passes(
    world: &World,
    sources: Vec<Source>,
    until: Timestamp,
    progress: Arc<Progress>,
) -> Result<Option<Vec<Report>>> {
    let (work, without) = with_access(world, sources);
    let runner = Arc::new(runner(world, progress)?);
    until_stopped(async move |interrupt: Interrupt| {
        let active = Active::watch(world, work.iter().map(|(source, _)| source));
        let mut tasks = Vec::new();
        for (source, access) in work {
            let (runner, interrupt, active) =
                (Arc::clone(&runner), interrupt.clone(), active.of(source.name()));
            tasks.push(tokio::spawn(async move {
                active.pass(&runner, &source, access.as_ref(), &interrupt, until).await
            }));
        }
        let mut reports = Vec::with_capacity(tasks.len());
        for task in tasks {
            reports.push(task.await.context("a pass ended unexpectedly; please report this"));
        }
        // Each has ended before one that did so unexpectedly is told.
        let mut reports: Vec<Report> = reports.into_iter().collect::<Result<_>>()?;
        reports.extend(without);
        reports.sort_by(|one, other| one.source.cmp(&other.source));
        Ok(reports)
    })
}

/// Each source with its access header; and a report of each whose credential cannot be read, which keeps none of the
/// others from being read.
pub(crate) fn with_access(
    world: &World,
    sources: Vec<Source>,
) -> (Vec<(Source, Option<AccessHeader>)>, Vec<Report>) {
    let (mut work, mut without) = (Vec::new(), Vec::new());
    for source in sources {
        match if source.is_active() { world.access(&source) } else { Ok(None) } {
            Ok(access) => work.push((source, access)),
            Err(error) => {
                tracing::error!("{error:#}");
                let (name, now) = (source.name().as_str(), world.clock.now());
                without.push(Report::not_begun(name, End::NoCredential, format!("{error:#}"), now));
            }
        }
    }
    (work, without)
}

/// What makes the passes of this process.
pub(crate) fn runner(world: &World, progress: Arc<Progress>) -> Result<Runner<HttpsFetch>> {
    let ledger = Arc::new(world.ledger()?);
    let deposits = world.deposits(ledger.as_ref())?;
    belong_together(&ledger, &deposits, world)?;
    let hosts: Arc<dyn Hosts> = ledger.clone();
    let visitor = Visitor::new(
        world.fetch()?,
        hosts,
        Arc::clone(&world.clock),
        world.connector.user_agent.clone(),
        RobotsPolicy::releve(),
    );
    Ok(Runner {
        visitor,
        ledger,
        vault_name: deposits.id,
        vault: deposits.vault,
        roots: world.roots()?,
        connector: Connector {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        give_up_after: world.connector.give_up_after,
        lab: world.lab.is_some(),
        clock: Arc::clone(&world.clock),
        watch: progress,
    })
}

/// What the ledger knows as sealed must be in this vault: another one, or one restored from an old copy, is not gone on with.
fn belong_together(ledger: &SqliteLedger, deposits: &Deposits, world: &World) -> Result<()> {
    let Deposits { place, id, sequence: last, .. } = deposits;
    world.belongs(ledger, place, Some(id))?;
    if let Some(head) = ledger.head(id)?.filter(|head| head.sequence > *last) {
        bail!(
            "{place} ends with number {last}, and the ledger has the receipt of number {}: it was cut off, or restored from \
             an older copy. `releve verify` says more; to read again what is missing, move the ledger away",
            head.sequence
        );
    }
    Ok(())
}

/// Does the work, which ends by itself or soon after an interruption. A second interruption ends it at once, with
/// nothing to show.
///
/// What computes is one thread: a pass mostly waits, and what takes long (deposits, unpacking) has threads of its own. With
/// a second one, what each has freed stays with it, and a walk over files of 10 MB takes half as much memory again.
pub(crate) fn until_stopped<T>(work: impl AsyncFnOnce(Interrupt) -> Result<T>) -> Result<Option<T>> {
    raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let done = runtime.block_on(async move {
        let (interrupter, interrupt) = Interrupter::pair();
        let mut signals = Signals::listen()?;
        let stop = async {
            signals.next().await;
            if std::io::IsTerminal::is_terminal(&std::io::stderr()) {
                tracing::warn!("finishing what is under way; asked once more, it ends at once");
            } else {
                tracing::info!("asked to stop; finishing what is under way");
            }
            interrupter.interrupt();
            signals.next().await;
        };
        tokio::select! {
            done = work(interrupt) => done.map(Some),
            () = stop => Ok(None),
        }
    });
    runtime.shutdown_background();
    done
}

/// Each source under way holds a connection, and many systems start a process with 1,024 files at once, of the thousands that
/// they let it have: a limit that is for programs that call `select`.
fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // Where it cannot be raised, what does not fit is said when it is met.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Ctrl-C and SIGTERM. The first asks for an orderly end: what is under way is finished, locks are released. The second
/// ends at once.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?,
            interrupt: signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

fn exit(reports: &[Report], named: bool) -> Exit {
    let ended = |end| reports.iter().any(|report| report.end == end);
    if ended(End::Interrupted) {
        Exit::Interrupted
    } else if ended(End::LedgerFailed)
        || (!reports.is_empty() && reports.iter().all(|report| report.end == End::NoCredential))
    {
        Exit::CouldNotRun
    } else if named && ended(End::LockHeld) {
        Exit::LockHeld
    } else if reports.iter().all(|report| report.is_clean() || report.end == End::LockHeld) {
        Exit::Done
    } else {
        Exit::Failures
    }
}

/// Prints the reports for a person. Under cron a pass that has nothing to say prints nothing.
fn print(out: &mut dyn Write, reports: &[Report], names: &[String]) -> Result<()> {
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
    let tells = |report: &&Report| {
        terminal || !names.is_empty() || !(report.is_clean() || report.end == End::LockHeld)
    };
    let telling: Vec<&Report> = reports.iter().filter(tells).collect();
    if telling.is_empty() {
        return Ok(());
    }
    let rows: Vec<Vec<String>> = telling.iter().map(|report| row(report)).collect();
    table::write(out, &["SOURCE", "ANNOUNCED", "READ", "SEALED", "UNCHANGED", "REFUSED", "END"], &rows)?;
    for report in telling {
        for line in &report.refusals {
            let what = [&line.address, &line.reference].into_iter().find(|text| !text.is_empty());
            let what = what.map_or("an announcement", String::as_str);
            writeln!(out, "{}: {what}: {} ({})", report.source, one_line(&line.reason), line.code)?;
        }
        if let Some(detail) = &report.detail {
            writeln!(out, "{}: {}", report.source, one_line(detail))?;
        }
    }
    Ok(())
}

fn row(report: &Report) -> Vec<String> {
    let tally = &report.tally;
    let end = match report.trigger_due_at {
        Some(at) if !tally.trigger_read => {
            format!("{}; the trigger is due at {at:.0}", report.end.sentence())
        }
        _ => report.end.sentence().to_owned(),
    };
    let mut row = vec![report.source.clone()];
    row.extend(
        [tally.announced, tally.read, tally.sealed, tally.unchanged, tally.refused + tally.not_deposited]
            .map(|count| count.to_string()),
    );
    row.push(end);
    row
}
