use std::fmt;

use jiff::Timestamp;

use crate::Holder;

/// The number of a pass. A later pass has a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PassId(pub(crate) i64);

impl fmt::Display for PassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A pass that runs, begun under a source's lock with [`Ledger::begin_pass`](crate::Ledger::begin_pass).
///
/// What is written under it is refused once the lock was lost, so a process that was thought dead and was not writes
/// nothing into the pass of the one that took over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    pub(crate) id: PassId,
    pub(crate) source: String,
    pub(crate) fence: u64,
}

impl Pass {
    /// Its number.
    pub fn id(&self) -> PassId {
        self.id
    }

    /// The source it reads.
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// What is kept of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassRecord {
    /// Its number.
    pub id: PassId,
    /// The source it read.
    pub source: String,
    /// When it began.
    pub began_at: Timestamp,
    /// The process that ran it.
    pub holder: Holder,
    /// What became of it.
    pub end: PassEnd,
}

/// What became of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassEnd {
    /// It runs, or nothing is known to the contrary.
    Running,
    /// It came to its end.
    Finished {
        /// When.
        at: Timestamp,
        /// Its report, a JSON text, byte for byte as it was given.
        report: String,
    },
    /// Its process ended without finishing it.
    Interrupted,
}

impl PassRecord {
    /// A pass that was not finished and whose process has ended was interrupted, even if none has begun since.
    pub(crate) fn see_whether_it_runs(&mut self, may_live: bool) {
        if self.end == PassEnd::Running && !may_live {
            self.end = PassEnd::Interrupted;
        }
    }
}

/// When the two things that come round were last done for a source. See [`releve_pace::due`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// When the request for the trigger last left.
    pub trigger: Option<Timestamp>,
    /// When a walk of the backlog last began.
    pub backlog: Option<Timestamp>,
}

/// One of the two things that come round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Round {
    /// Reading the trigger (R18).
    Trigger,
    /// Walking the backlog (R19).
    Backlog,
}

impl Schedule {
    pub(crate) fn of(&mut self, round: Round) -> &mut Option<Timestamp> {
        match round {
            Round::Trigger => &mut self.trigger,
            Round::Backlog => &mut self.backlog,
        }
    }

    /// What lies in the future counts as now: the clock was set back since. It must be kept in place of what was there.
    pub(crate) fn settled(self, now: Timestamp) -> Self {
        let settle = |at: Option<Timestamp>| at.map(|at| at.min(now));
        Self { trigger: settle(self.trigger), backlog: settle(self.backlog) }
    }

    /// Notes that `round` was done at `at`; never moves back.
    pub(crate) fn mark(&mut self, round: Round, at: Timestamp) {
        let kept = self.of(round);
        *kept = (*kept).max(Some(at));
    }
}
