use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use releve_redirect_policy::StopReason;
use releve_robots::Blocked;

use crate::{Expected, Failure};

/// Why a visit brought nothing.
///
/// [`code`](Self::code) is what goes on record and into `--json`; it does not change between versions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The address's host is not admitted for the source (R40).
    HostNotAdmitted {
        /// The host, with its port where that is not 443.
        authority: String,
    },
    /// The host's robots.txt forbids the address (R35).
    RobotsDisallowed {
        /// The host.
        host: String,
        /// The line that decided.
        line: Option<u32>,
        /// The verdict, in words.
        verdict: String,
    },
    /// The host's robots.txt cannot be had, so nothing of the host is read (R36).
    RobotsBlocked {
        /// The host.
        host: String,
        /// Why.
        why: Blocked,
        /// What exactly stood in the way, where this visit asked for it and not an earlier one.
        obstacle: Option<String>,
        /// When it is asked for again.
        retry_at: Timestamp,
    },
    /// A redirect that is not followed (R30).
    Redirect(StopReason),
    /// A final status that is not 200 (R37).
    Status {
        /// The status.
        status: u16,
        /// How long the server asked to be left alone.
        retry_after: Option<Duration>,
    },
    /// No media type, or one that is not expected (R37).
    MediaType {
        /// The one that came.
        found: Option<String>,
        /// What was expected.
        expected: Expected,
    },
    /// The request failed, or its response is not whole (R31, R32, R37).
    Fetch(Failure),
    /// The process was asked to stop while the visit waited.
    Interrupted,
    /// The host's next turn comes after the end of the work that the visit belongs to.
    OutOfTime {
        /// When it would have come.
        at: Timestamp,
    },
    /// The runner answered what was not asked. A bug in the runner.
    OutOfOrder,
}

impl Refusal {
    /// How long the server asked to be left alone, where it did.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// A stable word for records and `--json`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::HostNotAdmitted { .. } => "host-not-admitted",
            Self::RobotsDisallowed { .. } => "robots-disallowed",
            Self::RobotsBlocked { why, .. } => why.code(),
            Self::Redirect(reason) => reason.code(),
            Self::Status { status, .. } => match status {
                401 => "status-401",
                403 => "status-403",
                404 => "status-404",
                410 => "status-410",
                429 => "status-429",
                400..500 => "status-4xx",
                500..600 => "status-5xx",
                _ => "status-not-200",
            },
            Self::MediaType { found: None, .. } => "media-type-missing",
            Self::MediaType { .. } => "media-type-unexpected",
            Self::Fetch(failure) => failure.code,
            Self::Interrupted => "interrupted",
            Self::OutOfTime { .. } => "out-of-time",
            Self::OutOfOrder => "out-of-order",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HostNotAdmitted { authority } => {
                write!(f, "{authority} is not among the hosts admitted for this source")
            }
            Self::RobotsDisallowed { host, verdict, .. } => write!(f, "robots.txt of {host}: {verdict}"),
            Self::RobotsBlocked { host, why, obstacle, retry_at } => {
                write!(f, "{host}: {why}")?;
                if let Some(obstacle) = obstacle {
                    write!(f, " ({obstacle})")?;
                }
                write!(f, "; nothing of the host is read before it is asked again at {retry_at:.0}")
            }
            Self::Redirect(reason) => reason.fmt(f),
            Self::Status { status, .. } => write!(f, "the answer was {status}; only a 200 is taken"),
            Self::MediaType { found: None, expected } => {
                write!(f, "the answer names no media type; {expected} was expected")
            }
            Self::MediaType { found: Some(found), expected } => {
                write!(f, "the answer is {found}; {expected} was expected")
            }
            Self::Fetch(failure) => f.write_str(&failure.message),
            Self::Interrupted => f.write_str("interrupted before the request was sent"),
            Self::OutOfTime { at } => write!(f, "the host's next turn comes at {at:.0}, which is too late"),
            Self::OutOfOrder => f.write_str("the visit was answered out of order; please report this"),
        }
    }
}

impl std::error::Error for Refusal {}
