//! What a person at a terminal sees of passes under way. Under cron there is no terminal, and nothing is drawn.

use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use releve_pass::{Event, Watch};

use crate::output::one_line;

/// One bar for all passes of the process.
pub(crate) struct Progress {
    bar: ProgressBar,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    queued: u64,
    done: u64,
}

impl Progress {
    /// A bar on standard error, if that is a terminal and the output is for a person.
    pub(crate) fn new(json: bool) -> Self {
        let bar = if std::io::stderr().is_terminal() && !json {
            let bar = ProgressBar::new(0);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} articles  {wide_msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        } else {
            ProgressBar::hidden()
        };
        Self { bar, seen: Mutex::default() }
    }

    /// A walk that only looks has found so many.
    pub(crate) fn looked(&self, source: &str, new: u64, known: u64) {
        self.bar.set_length(new + known);
        self.bar.set_position(new + known);
        self.bar.set_message(format!("{source}: {new} new"));
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress {
    fn saw(&self, source: &str, event: Event<'_>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Announced { announced, queued } => {
                tracing::info!(source, announced, queued, "the trigger was read");
                seen.queued += queued as u64;
            }
            Event::Reading { reference } => {
                tracing::info!(source, reference, "reading");
                self.bar.set_message(one_line(&format!("{source}: {reference}")).into_owned());
            }
            Event::Deposited { reference, sealed } => {
                tracing::info!(source, reference, sealed, "deposited");
                seen.done += 1;
            }
            Event::Refused(line) => {
                tracing::info!(
                    source,
                    reference = line.reference,
                    code = line.code,
                    reason = line.reason,
                    "refused"
                );
                seen.done += u64::from(!line.reference.is_empty());
            }
            Event::Listed { entries, queued } => {
                tracing::info!(source, entries, queued, "a batch of the list was read");
                seen.queued += queued as u64;
                self.bar.set_message(format!("{source}: the backlog's list"));
            }
            _ => {}
        }
        self.bar.set_length(seen.queued.max(seen.done));
        self.bar.set_position(seen.done);
    }
}
