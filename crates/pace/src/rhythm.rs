use std::{error::Error, fmt, time::Duration};

use crate::HostInterval;

/// The pace of one source: how often its trigger is read, how often its backlog is walked, and how far apart the
/// requests to a host are.
///
/// The default is what the page promises. A source may ask for a gentler pace and for no other.
///
/// ```
/// use std::time::Duration;
/// use releve_pace::{HostInterval, Rhythm};
///
/// let hour = Duration::from_secs(60 * 60);
/// let gentle = Rhythm::new(hour, 48 * hour, HostInterval::new(Duration::from_secs(5))?)?;
/// assert_eq!(gentle.trigger(), hour);
///
/// let refused = Rhythm::new(hour / 6, 48 * hour, HostInterval::MIN).unwrap_err();
/// assert_eq!(refused.to_string(), "the trigger interval is 600 s, and may not be under the promised 900 s");
/// # Ok::<(), releve_pace::PaceError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rhythm {
    trigger: Duration,
    backlog: Duration,
    host: HostInterval,
}

impl Rhythm {
    /// The shortest time between two reads of a trigger: 15 minutes (R18).
    pub const TRIGGER_MIN: Duration = Duration::from_secs(15 * 60);

    /// The shortest time between two walks of a backlog: 24 hours (R19).
    pub const BACKLOG_MIN: Duration = Duration::from_secs(24 * 60 * 60);

    /// The part of the backlog that every walk covers again: the last 48 hours (R20).
    pub const WALKED_AGAIN: Duration = Duration::from_secs(48 * 60 * 60);

    /// A pace of a source's own.
    ///
    /// # Errors
    ///
    /// Refuses a length under the promised one, and one over [`PaceError::LONGEST`].
    pub fn new(trigger: Duration, backlog: Duration, host: HostInterval) -> Result<Self, PaceError> {
        Ok(Self {
            trigger: PaceError::check("trigger", trigger, Self::TRIGGER_MIN)?,
            backlog: PaceError::check("backlog", backlog, Self::BACKLOG_MIN)?,
            host,
        })
    }

    /// The time from one read of the trigger to the next.
    pub fn trigger(&self) -> Duration {
        self.trigger
    }

    /// The time from one walk of the backlog to the next.
    pub fn backlog(&self) -> Duration {
        self.backlog
    }

    /// The time from one request to the next at the same host.
    pub fn host(&self) -> HostInterval {
        self.host
    }
}

impl Default for Rhythm {
    fn default() -> Self {
        Self { trigger: Self::TRIGGER_MIN, backlog: Self::BACKLOG_MIN, host: HostInterval::MIN }
    }
}

/// A pace that may not be set: one that is faster than promised, or so slow that it is none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PaceError {
    what: &'static str,
    given: Duration,
    bound: Duration,
}

impl PaceError {
    /// The longest interval that may be set: 366 days. A source that is to be read less often than once a year is meant
    /// to be deactivated, and a length such as this in a configuration is a slip of units.
    pub const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

    /// Which interval was refused: `trigger`, `backlog` or `host`.
    pub fn what(&self) -> &'static str {
        self.what
    }

    pub(crate) fn check(what: &'static str, given: Duration, least: Duration) -> Result<Duration, Self> {
        for (wrong, bound) in [(given < least, least), (given > Self::LONGEST, Self::LONGEST)] {
            if wrong {
                return Err(Self { what, given, bound });
            }
        }
        Ok(given)
    }
}

impl fmt::Display for PaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, given, bound } = self;
        let (given, at_most) = (given.as_secs_f64(), given > bound);
        let bound = bound.as_secs();
        if at_most {
            write!(f, "the {what} interval is {given} s, and may not be over {bound} s")
        } else {
            write!(f, "the {what} interval is {given} s, and may not be under the promised {bound} s")
        }
    }
}

impl Error for PaceError {}
