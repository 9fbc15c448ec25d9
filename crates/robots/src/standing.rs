//! From what came of asking for a robots.txt to what that means, and until when.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

use crate::{OnServerError, RobotsPolicy};

/// What came of asking for a robots.txt, redirects followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotsOutcome {
    /// The host answered, and the answer's body came whole.
    Answered {
        /// The final status.
        status: u16,
        /// What a `Retry-After` asked for, counted from the answer.
        retry_after: Option<Duration>,
    },
    /// The name did not resolve, the address is not public, the connection failed, or a deadline ran out.
    Unreachable,
    /// The answer began and did not end: shorter than announced, a chunk missing, over a bound.
    CutOff,
    /// A redirect led to where nothing may be asked (another scheme, a host not admitted) or there were too
    /// many.
    RedirectRefused,
}

/// What a host's robots.txt amounts to at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The file that came is to be obeyed.
    Rules {
        /// The instant from which the file must be asked for again.
        until: Timestamp,
    },
    /// There is no file, or none that counts: everything may be read.
    Absent {
        /// The instant from which the file must be asked for again.
        until: Timestamp,
    },
    /// Nothing of this host may be read.
    Blocked {
        /// The earliest instant at which to ask for the file again.
        retry_at: Timestamp,
        /// Why.
        why: Blocked,
    },
}

impl Standing {
    /// The instant from which the file is to be asked for again.
    pub fn ends(&self) -> Timestamp {
        match *self {
            Self::Rules { until } | Self::Absent { until } => until,
            Self::Blocked { retry_at, .. } => retry_at,
        }
    }

    /// Whether it still counts at `now`.
    ///
    /// An answer that would hold for longer than the policy has answers hold was noted by a clock that has
    /// been set back since, and counts no longer.
    pub fn holds(&self, now: Timestamp, policy: &RobotsPolicy) -> bool {
        let is_current = now < self.ends();
        match self {
            Self::Rules { until } | Self::Absent { until } => {
                is_current && *until <= after(now, policy.holds)
            }
            Self::Blocked { .. } => is_current,
        }
    }
}

/// Why nothing of a host may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Blocked {
    /// The server failed: 500 and above.
    ServerError(u16),
    /// A status that says neither what the rules are nor that there are none: 206, a redirect left over, and
    /// the like.
    UnexpectedStatus(u16),
    /// See [`RobotsOutcome::Unreachable`].
    Unreachable,
    /// See [`RobotsOutcome::CutOff`].
    CutOff,
    /// See [`RobotsOutcome::RedirectRefused`].
    RedirectRefused,
}

impl Blocked {
    /// A stable word for records.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ServerError(_) => "robots-server-error",
            Self::UnexpectedStatus(_) => "robots-unexpected-status",
            Self::Unreachable => "robots-unreachable",
            Self::CutOff => "robots-cut-off",
            Self::RedirectRefused => "robots-redirect-refused",
        }
    }

    /// The status, where one was the reason.
    pub fn status(&self) -> Option<u16> {
        match *self {
            Self::ServerError(status) | Self::UnexpectedStatus(status) => Some(status),
            _ => None,
        }
    }

    /// The reason that [`code`](Self::code) and [`status`](Self::status) describe, as a record gives them
    /// back.
    pub fn from_parts(code: &str, status: Option<u16>) -> Option<Self> {
        Some(match (code, status) {
            ("robots-server-error", Some(status)) => Self::ServerError(status),
            ("robots-unexpected-status", Some(status)) => Self::UnexpectedStatus(status),
            ("robots-unreachable", None) => Self::Unreachable,
            ("robots-cut-off", None) => Self::CutOff,
            ("robots-redirect-refused", None) => Self::RedirectRefused,
            _ => return None,
        })
    }
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServerError(status) => write!(f, "robots.txt answered {status}"),
            Self::UnexpectedStatus(status) => {
                write!(f, "robots.txt answered {status}, which says nothing about its rules")
            }
            Self::Unreachable => f.write_str("robots.txt could not be reached"),
            Self::CutOff => f.write_str("robots.txt was cut off"),
            Self::RedirectRefused => f.write_str("robots.txt redirects to where nothing may be asked"),
        }
    }
}

/// What `outcome`, seen at the instant `at`, means under `policy`.
///
/// | outcome | standing |
/// |---|---|
/// | 200 | rules |
/// | 204, 400 to 499 (401, 403 and 429 too) | absent |
/// | 304 while a copy is `held` | what was held, anew |
/// | any other status | blocked |
/// | out of reach, cut off, redirect refused | blocked |
///
/// Blocked ends after the policy's `retry_after` or what the server asked for, whichever is later. Instead of
/// blocked, rules that are `held` and still hold go on until they end; and where the policy is to
/// [read on server errors](OnServerError::Read), the standing is absent for that while.
///
/// `held` is the standing that was in force before, if any.
pub fn standing(
    outcome: &RobotsOutcome,
    held: Option<&Standing>,
    at: Timestamp,
    policy: &RobotsPolicy,
) -> Standing {
    let until = after(at, policy.holds);
    let (why, asked) = match *outcome {
        RobotsOutcome::Answered { status, retry_after } => match (status, held) {
            (200, _) | (304, Some(Standing::Rules { .. })) => return Standing::Rules { until },
            (204 | 400..=499, _) | (304, Some(Standing::Absent { .. })) => {
                return Standing::Absent { until };
            }
            (500.., _) => (Blocked::ServerError(status), retry_after),
            _ => (Blocked::UnexpectedStatus(status), retry_after),
        },
        RobotsOutcome::Unreachable => (Blocked::Unreachable, None),
        RobotsOutcome::CutOff => (Blocked::CutOff, None),
        RobotsOutcome::RedirectRefused => (Blocked::RedirectRefused, None),
    };
    if let Some(rules @ Standing::Rules { .. }) = held
        && rules.holds(at, policy)
    {
        return *rules;
    }
    // A server may ask for more patience than ours, and not for ever: no answer holds for longer than a file would.
    let asked = asked.unwrap_or_default().min(policy.holds);
    let retry_at = after(at, policy.retry_after.max(asked));
    match policy.on_server_error {
        OnServerError::ReadNothing => Standing::Blocked { retry_at, why },
        OnServerError::Read => Standing::Absent { until: retry_at },
    }
}

/// `at` plus `length`, or the last instant there is.
fn after(at: Timestamp, length: Duration) -> Timestamp {
    at.checked_add(length).unwrap_or(Timestamp::MAX)
}
