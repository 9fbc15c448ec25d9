//! Instants that outlive a process, and how much time went by between two of them.

use std::time::Duration;

use jiff::Timestamp;

use crate::{Holder, Machine};

/// An instant as two clocks show it: the one on the wall, which can be set, and the machine's own, which cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) wall: Timestamp,
    pub(crate) steady: Option<Steady>,
}

/// A reading of a clock that began at a boot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Steady {
    /// Names the clock: readings of two different ones are never compared.
    pub(crate) clock: String,
    pub(crate) reading: Duration,
}

/// A call, and when it was made. What it does it may do much later, when others have let go of the ledger; by then they may
/// have stamped what the caller's `now` would take for the future.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    now: Timestamp,
    made_at: Option<Duration>,
}

impl Call {
    /// Made at the instant that the caller calls `now`.
    pub(crate) fn at(now: Timestamp, machine: &dyn Machine) -> Self {
        Self { now, made_at: machine.since_boot() }
    }

    /// The instant that it is now: to be asked for when nobody else can change the ledger any more.
    pub(crate) fn moment(&self, machine: &dyn Machine) -> Moment {
        let Some((made_at, reading)) = self.made_at.zip(machine.since_boot()) else {
            return Moment { wall: self.now, steady: None };
        };
        let Holder { boot, view, .. } = machine.holder();
        Moment {
            wall: self.now.checked_add(reading.saturating_sub(made_at)).unwrap_or(Timestamp::MAX),
            steady: Some(Steady { clock: format!("{boot} {view}"), reading }),
        }
    }
}

impl Moment {
    /// The time that went by since `earlier`, and never more than that.
    ///
    /// The clock on the wall is believed as far as the machine's own bears it out. Where it says more, it was set
    /// forward, and the other counts; where it says less, it was set back, and the wait is the longer for it.
    pub(crate) fn since(&self, earlier: &Self) -> Duration {
        let wall = Duration::try_from(self.wall.duration_since(earlier.wall)).unwrap_or(Duration::ZERO);
        match self.steady_since(earlier) {
            Some(steady) if wall > steady.saturating_add(CLOCKS_AGREE_WITHIN) => steady,
            _ => wall,
        }
    }

    /// Whether the clock on the wall is known to have been set since `earlier`.
    pub(crate) fn was_set_since(&self, earlier: &Self) -> bool {
        let wall = self.wall.duration_since(earlier.wall);
        self.steady_since(earlier).is_some_and(|steady| match Duration::try_from(wall) {
            Ok(wall) => wall.abs_diff(steady) > CLOCKS_AGREE_WITHIN,
            Err(_) => true,
        })
    }

    /// The time since `earlier` by the machine's own clock, where both were read off the same one.
    fn steady_since(&self, earlier: &Self) -> Option<Duration> {
        let (now, then) = (self.steady.as_ref()?, earlier.steady.as_ref()?);
        (now.clock == then.clock).then(|| now.reading.saturating_sub(then.reading))
    }

    /// The instant `length` before this one.
    pub(crate) fn before(&self, length: Duration) -> Self {
        Self {
            wall: self.wall.checked_sub(length).unwrap_or(Timestamp::MIN),
            steady: self.steady.as_ref().map(|steady| Steady {
                clock: steady.clock.clone(),
                reading: steady.reading.saturating_sub(length),
            }),
        }
    }

    /// `kept`, unless it lies in the future: then the clock was set back since, and it counts as this instant.
    ///
    /// What comes out must be kept in place of what went in. A stamp that counted as now at every look would never be
    /// past.
    pub(crate) fn settle(&self, kept: Self) -> Self {
        if kept.wall > self.wall { self.clone() } else { kept }
    }

    /// Where `kept` lies on the wall clock as it goes now: this instant less the time that went by since.
    pub(crate) fn place(&self, kept: &Self) -> Timestamp {
        self.before(self.since(kept)).wall
    }
}

/// How far two clocks may differ on a length before one of them must have been set: less than the margin that is waited
/// beyond the interval, more than they drift apart within it.
const CLOCKS_AGREE_WITHIN: Duration = Duration::from_millis(5);

/// Something held for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lease {
    pub(crate) from: Moment,
    pub(crate) ttl: Duration,
}

impl Lease {
    /// How long it still runs; `None` when it has run out.
    pub(crate) fn left(&self, now: &Moment) -> Option<Duration> {
        self.ttl.checked_sub(now.since(&self.from)).filter(|left| !left.is_zero())
    }
}
