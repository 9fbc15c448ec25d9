use std::time::Duration;

use jiff::Timestamp;

use crate::{PaceError, after};

/// The least time from one request to the next at the same host, as the publisher's log shows it.
///
/// Never under one second (R21). What a source asks for and what a Crawl-delay asks for only ever lengthen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostInterval(Duration);

impl HostInterval {
    /// The shortest interval there is: one second, as the page promises (R21).
    pub const MIN: Self = Self(Duration::from_secs(1));

    /// What is waited beyond the interval: 10 ms.
    ///
    /// The promise is about arrivals, and two requests that leave a second apart may arrive a little closer. On the way
    /// to a publisher the delay varies by milliseconds; one percent of a second is more than that and costs one
    /// request in a hundred.
    pub const MARGIN: Duration = Duration::from_millis(10);

    /// An interval of a source's own.
    ///
    /// # Errors
    ///
    /// Refuses one under [`MIN`](Self::MIN) and one over [`PaceError::LONGEST`].
    pub fn new(interval: Duration) -> Result<Self, PaceError> {
        PaceError::check("host", interval, Self::MIN.0).map(Self)
    }

    /// The interval after a host asked for this Crawl-delay: the longer of the two.
    ///
    /// A Crawl-delay has no upper bound here. Who wants one applies it before, and who has promised none keeps the
    /// delay that the publisher wrote.
    #[must_use]
    pub fn lengthen(self, crawl_delay: Duration) -> Self {
        Self(self.0.max(crawl_delay))
    }

    /// The interval as promised, without the margin.
    pub fn promised(self) -> Duration {
        self.0
    }

    /// The interval to wait: the promised one and [`MARGIN`](Self::MARGIN).
    pub fn aimed(self) -> Duration {
        self.0.saturating_add(Self::MARGIN)
    }
}

impl Default for HostInterval {
    fn default() -> Self {
        Self::MIN
    }
}

/// The earliest instant at which the next request to a host may leave; never before `now`.
///
/// `last` is the instant at which the last request to that host left. `None` means that none ever did, and is not to be
/// used where a stamp was lost: a stamp that may be lost counts as `now`. A stamp in the future does too (see the
/// [crate's notes](crate#a-stamp-in-the-future)).
pub fn next_turn(last: Option<Timestamp>, now: Timestamp, interval: HostInterval) -> Timestamp {
    last.map_or(now, |last| after(last.min(now), interval.aimed()).max(now))
}
