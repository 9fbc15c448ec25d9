use std::time::Duration;

use jiff::Timestamp;

use crate::after;

/// How long before its time a thing is worth waiting for, rather than leaving it to the next start: 60 seconds.
///
/// cron starts a job at a whole minute and some seconds, a systemd timer anywhere within a minute (`AccuracySec=1min`).
/// A start that comes a little earlier in its minute than the one before is within this of what it came for.
pub const SLACK: Duration = Duration::from_secs(60);

/// Whether what comes round every so often is due. Made by [`due`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// The time has come.
    Now,
    /// The time comes within [`SLACK`]: wait until `at`, then do it.
    Soon {
        /// The first instant at which it is due.
        at: Timestamp,
    },
    /// The time has not come. Leave it to a later start.
    Later {
        /// The first instant at which it is due.
        at: Timestamp,
    },
}

impl Due {
    /// The first instant at which it is due, or `now`.
    pub fn at(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Now => now,
            Self::Soon { at } | Self::Later { at } => at,
        }
    }
}

/// Whether something that was last done at `last`, and is done every `every`, is due at `now` (R18, R19).
///
/// `last` is the instant at which it was last done *at the publisher*: for the trigger, when its request left. Two of
/// them are then never closer than `every`, not by one second, however often and by whomever the question is asked.
/// `None` is due at once. A `last` in the future counts as `now` (see the [crate's
/// notes](crate#a-stamp-in-the-future)).
///
/// # Why there is a `Soon`
///
/// A job that starts every 15 minutes does not start every 900.000 seconds. Measured from the last read, every
/// second start would come some seconds early and be turned away, and the trigger would be read every 30 minutes.
/// Forgiving those seconds would break the promise, which has no tolerance in it. So a start that comes early waits for
/// the instant, as long as that is less than [`SLACK`] away. The reads then settle at the latest of the job's jitter:
/// they never come under 15 minutes, and no start is lost. Drawing due times on a fixed grid instead would not
/// help, because a grid that never lets two reads closer than its step has to skip a line after each late read.
pub fn due(last: Option<Timestamp>, every: Duration, now: Timestamp) -> Due {
    let Some(last) = last else {
        return Due::Now;
    };
    let at = after(last.min(now), every);
    if at <= now {
        Due::Now
    } else if at <= after(now, SLACK) {
        Due::Soon { at }
    } else {
        Due::Later { at }
    }
}
