//! `releve backlog`: how far the walk over a source's list is (R8 to R10), or a walk that only looks.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write;
use std::sync::Arc;

use anyhow::{Result, bail};
use jiff::{SignedDuration, Timestamp};
use releve_backlog::Report;
use releve_ledger::{Counts, Ledger, PassEnd};
use releve_pace::due;
use releve_pass::{Found, NotWalked, history};
use releve_source::Source;
use serde_json::{Value, json};

use super::pass::{runner, until_stopped, with_access};
use super::print_json;
use crate::cli::Global;
use crate::exit::Exit;
use crate::output::one_line;
use crate::progress::Progress;
use crate::world::World;

pub(crate) fn run(global: &Global, name: &str, dry_run: bool, out: &mut dyn Write) -> Result<Exit> {
    let world = World::load(global)?;
    let source = world.source(name)?;
    if source.backlog().is_none() {
        bail!("the source `{name}` has no [backlog]: what the trigger does not announce is not looked for");
    }
    if dry_run {
        return look_through(global, &world, source, out);
    }
    let ledger = world.known()?;
    let stand = Stand::of(ledger.as_ref(), source, world.clock.now())?;
    if global.json {
        print_json(out, &stand.to_json())?;
        return Ok(Exit::Done);
    }
    for (topic, text) in stand.lines() {
        writeln!(out, "{topic:<12} {text}")?;
    }
    Ok(Exit::Done)
}

/// Walks and prints. One line, or one JSON object, for each reference, as it is found: a list may have millions.
fn look_through(global: &Global, world: &World, source: &Source, out: &mut dyn Write) -> Result<Exit> {
    if !source.is_active() {
        bail!("the source `{}` is inactive, so nothing is requested for it (R39)", source.name());
    }
    let (work, without) = with_access(world, vec![source.clone()]);
    let Some((source, access)) = work.into_iter().next() else {
        let why = without.first().and_then(|report| report.detail.clone()).unwrap_or_default();
        bail!("{why}");
    };
    let progress = Arc::new(Progress::new(global.json));
    let runner = runner(world, Arc::clone(&progress))?;
    // An article may stand on several files of a list, and is queued once. Eight bytes each tell millions apart.
    let mut seen = HashSet::new();
    let hashes = RandomState::new();
    let (mut new, mut known) = (0_u64, 0_u64);
    let mut broken = Ok(());
    let ended = until_stopped(async |interrupt| {
        let found = |found: Found<'_>| {
            if !seen.insert(hashes.hash_one(&found.reference.identifier)) {
                return;
            }
            if found.is_known {
                known += 1;
            } else {
                new += 1;
            }
            progress.looked(source.name().as_str(), new, known);
            if broken.is_ok() {
                broken = print_found(out, found, global.json);
            }
        };
        Ok(runner.look_through(&source, access.as_ref(), &interrupt, found).await?)
    });
    progress.clear();
    broken?;
    let Some(ended) = ended? else { return Ok(Exit::Interrupted) };
    match ended {
        Err(NotWalked::LockHeld) => {
            tracing::error!("a pass over `{}` is under way", source.name());
            Ok(Exit::LockHeld)
        }
        Err(NotWalked::Interrupted) => Ok(Exit::Interrupted),
        Err(NotWalked::TurnTooFar) => {
            tracing::error!(
                "a host asks to be left alone for more than an hour, by its Crawl-delay or a Retry-After; \
                 `releve explain` with an address of the list says until when"
            );
            Ok(Exit::Failures)
        }
        Err(_) => bail!("the source `{}` has no [backlog]", source.name()),
        Ok(report) => {
            if global.json {
                print_json(out, &json!({ "new": new, "known": known, "walk": report }))?;
            } else {
                writeln!(out, "{new} would be queued, {known} are known already; {}", sentence(&report))?;
            }
            Ok(if report.is_complete() { Exit::Done } else { Exit::Failures })
        }
    }
}

fn print_found(out: &mut dyn Write, found: Found<'_>, as_json: bool) -> Result<()> {
    let reference = found.reference;
    let date = reference.published.or(reference.modified);
    if as_json {
        return print_json(
            out,
            &json!({
                "identifier": reference.identifier,
                "address": reference.address.as_ref().map(ToString::to_string),
                "published": reference.published,
                "modified": reference.modified,
                "known": found.is_known,
            }),
        );
    }
    let date = date.map_or_else(|| "undated".to_owned(), |date| format!("{date:.0}"));
    let address = reference.address.as_ref().map(ToString::to_string).unwrap_or_default();
    let known = if found.is_known { "known" } else { "new" };
    writeln!(out, "{known:<5} {date:<20} {} {address}", one_line(&reference.identifier))?;
    Ok(())
}

/// How far the backlog of a source is.
pub(crate) struct Stand {
    is_active: bool,
    walk: Walk,
    report: Option<Report>,
    /// Whether a walk has reached the floor that is configured.
    has_reached_floor: bool,
    counts: Counts,
    /// How many articles an hour were read in the last 24 hours.
    hourly: Option<u64>,
    /// When all that is queued will have been read, at that rate.
    expected_end: Option<Timestamp>,
}

enum Walk {
    Never,
    UnderWay { since: Timestamp },
    Ended { began: Timestamp, due_at: Timestamp },
}

impl Stand {
    /// Looks it up.
    pub(crate) fn of(ledger: &dyn Ledger, source: &Source, now: Timestamp) -> Result<Self> {
        let name = source.name().as_str();
        let kept = ledger.walk(name)?;
        let due_at = due(ledger.schedule(name, now)?.backlog, source.rhythm().backlog(), now).at(now);
        let walk = match &kept {
            None => Walk::Never,
            Some(kept) if kept.place.is_some() => Walk::UnderWay { since: kept.began_at },
            Some(kept) => Walk::Ended { began: kept.began_at, due_at },
        };
        let counts = ledger.counts(name)?;
        let hourly = hourly(ledger, name, now)?;
        let left = counts.queued + counts.refused;
        let goes_on = source.is_active() && left > 0;
        let expected_end = hourly.filter(|hourly| *hourly > 0 && goes_on).and_then(|hourly| {
            let seconds = left.saturating_mul(3_600) / hourly;
            now.checked_add(SignedDuration::from_secs(i64::try_from(seconds).ok()?)).ok()
        });
        let report = kept.as_ref().and_then(|kept| serde_json::from_str(kept.report.as_deref()?).ok());
        let history = history(source, kept.as_ref());
        let has_reached_floor = source.backlog().is_some_and(|list| history.has_reached_floor_of(list));
        Ok(Self {
            is_active: source.is_active(),
            walk,
            report,
            has_reached_floor,
            counts,
            hourly,
            expected_end,
        })
    }

    /// In a few words, for a column.
    pub(crate) fn in_short(&self) -> String {
        let known = self.counts.known();
        let left = self.counts.queued + self.counts.refused;
        match &self.walk {
            Walk::Never => "not walked yet".to_owned(),
            Walk::UnderWay { .. } => format!("walking: {left} of {known} left so far"),
            Walk::Ended { .. } => {
                let until = self.expected_end.map(|end| format!(", until {end:.0}")).unwrap_or_default();
                let is_whole = self.report.as_ref().is_none_or(Report::is_complete);
                let list = if is_whole { "" } else { "; the list was not read whole" };
                format!("{left} of {known} left{until}{list}")
            }
        }
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![(
            "walk",
            match &self.walk {
                Walk::Never if self.is_active => "none yet; the next pass begins one".to_owned(),
                Walk::Never => "none yet".to_owned(),
                Walk::UnderWay { since } => {
                    format!("under way since {since:.0}; each pass goes on from its place")
                }
                Walk::Ended { began, due_at } => {
                    let report = self.report.as_ref().map(sentence).unwrap_or_default();
                    format!("begun {began:.0}: {report}; the next is due at {due_at:.0}")
                }
            },
        )];
        if !self.is_active {
            let why = "inactive, so nothing is requested for it until it is active again (R39)";
            lines.insert(0, ("source", why.to_owned()));
        }
        if let Some(report) = &self.report {
            let Report { requests, files, entries, before_floor, files_before_floor, files_known, .. } =
                report;
            lines.push((
                "read",
                format!("{files} files with {entries} entries, in {requests} requests; {before_floor} before the floor"),
            ));
            if files_before_floor + files_known > 0 {
                lines.push((
                    "passed over",
                    format!("{files_before_floor} files as older than the floor, {files_known} as known"),
                ));
            }
            lines.extend(report.orders.iter().map(|order| ("order", order.to_string())));
            let topics = [("refused", &report.refused), ("gap", &report.gaps), ("failed", &report.failed)];
            for (topic, tally) in
                topics.iter().flat_map(|(topic, all)| all.iter().map(move |one| (*topic, one)))
            {
                let examples = match tally.examples.as_slice() {
                    [] => String::new(),
                    examples => format!(" ({})", examples.join(", ")),
                };
                let again = if topic == "failed" { "; a later pass asks again" } else { "" };
                lines.push((topic, format!("{}: {}{examples}{again}", tally.count, tally.code)));
            }
        }
        if !self.has_reached_floor {
            lines.push((
                "floor",
                "not reached by any walk yet under this configuration, so none ends early (R9)".to_owned(),
            ));
        }
        let Counts { queued, refused, sealed, set_aside } = self.counts;
        lines.push((
            "articles",
            format!("{sealed} sealed, {queued} queued, {refused} to be tried again, {set_aside} set aside"),
        ));
        if let Some(hourly) = self.hourly {
            let end = self.expected_end.map(|end| format!("; at that rate all is read by {end:.0}"));
            lines.push((
                "rate",
                format!("{hourly} an hour while passes ran, in the last 24 hours{}", end.unwrap_or_default()),
            ));
        }
        lines
    }

    /// The same for programs.
    pub(crate) fn to_json(&self) -> Value {
        let (state, began_at, due_at) = match &self.walk {
            Walk::Never => ("never", None, None),
            Walk::UnderWay { since } => ("under-way", Some(*since), None),
            Walk::Ended { began, due_at } => ("ended", Some(*began), Some(*due_at)),
        };
        json!({
            "walk": state,
            "began_at": began_at,
            "due_at": due_at,
            "report": self.report,
            "known": self.counts.known(),
            "left": self.counts.queued + self.counts.refused,
            "hourly": self.hourly,
            "expected_end": self.expected_end,
        })
    }
}

/// How a walk ended, in a sentence.
fn sentence(report: &Report) -> String {
    let codes = || report.gaps.iter().map(|tally| tally.code.as_str()).collect::<Vec<_>>().join(", ");
    let end = match &report.end {
        Some(end) => end.to_string(),
        None => return format!("the rest of the list cannot be read now: {}", codes()),
    };
    match report.gaps.iter().map(|tally| tally.count).sum::<u64>() {
        0 => end,
        1 => format!("{end}, with 1 gap"),
        gaps => format!("{end}, with {gaps} gaps"),
    }
}

/// How many articles the passes of the last 24 hours have read in an hour of theirs, refused ones counted: what is to be
/// expected while there is something to do. `None`: there were none.
fn hourly(ledger: &dyn Ledger, source: &str, now: Timestamp) -> Result<Option<u64>> {
    /// As many as cron starts in a day, once a minute.
    const IN_A_DAY: usize = 1_440;
    let (mut articles, mut length) = (0_u64, None);
    for pass in ledger.passes(Some(source), IN_A_DAY)? {
        if now.duration_since(pass.began_at) > SignedDuration::from_hours(24) {
            break;
        }
        if let PassEnd::Finished { at, report } = &pass.end {
            let report: Value = serde_json::from_str(report).unwrap_or_default();
            let count = |field: &str| report.get(field).and_then(Value::as_u64).unwrap_or_default();
            articles += count("read") + count("refused");
            let lasted = u64::try_from(at.duration_since(pass.began_at).as_secs()).unwrap_or_default();
            length = Some(length.unwrap_or(0) + lasted);
        }
    }
    Ok(length.map(|length| articles.saturating_mul(3_600) / length.max(1)))
}
