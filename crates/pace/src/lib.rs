//! Decides when the next request to a host may go, and when a source is due.
//!
//! A publisher is told: at most one request a second to a host, the trigger every 15 minutes, the backlog every
//! 24 hours. Each function takes what is remembered and `now`, and returns an instant. A longer pace may be asked
//! for; a shorter one cannot be expressed.
//!
//! ```
//! use std::time::Duration;
//! use releve_pace::{Due, HostInterval, Rhythm, due, next_turn};
//!
//! let sent: jiff::Timestamp = "2026-03-01T12:00:00Z".parse()?;
//! let now: jiff::Timestamp = "2026-03-01T12:00:00.4Z".parse()?;
//!
//! // One request a second, and a little more, so that the publisher's log never shows less.
//! let interval = HostInterval::default();
//! assert_eq!(next_turn(Some(sent), now, interval).to_string(), "2026-03-01T12:00:01.01Z");
//!
//! // A Crawl-delay that is longer lengthens it, a shorter one changes nothing.
//! let interval = interval.lengthen(Duration::from_secs(7));
//! assert_eq!(next_turn(Some(sent), now, interval).to_string(), "2026-03-01T12:00:07.01Z");
//!
//! // The trigger was read at noon: at 12:10 it is not due, whoever asks.
//! let rhythm = Rhythm::default();
//! let later = "2026-03-01T12:10:00Z".parse()?;
//! assert_eq!(
//!     due(Some(sent), rhythm.trigger(), later),
//!     Due::Later { at: "2026-03-01T12:15:00Z".parse()? },
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A stamp in the future
//!
//! A clock that was set back leaves stamps that lie in the future. Such a stamp counts as `now`, so that the wait is
//! one whole interval and neither none nor a year. That reading holds once: who keeps the stamp must write `now` in its
//! place when it reads it, or the wait begins anew at every look.
//!
//! # What this crate does not do
//!
//! It reads no clock, keeps no stamp, and waits for nothing: `now` is an argument, stamps are the ledger's and waiting
//! is the caller's. It does not read robots.txt; a Crawl-delay comes as a length. It knows one host or one source at a
//! time, and never decides which of several goes first.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod backoff;
mod due;
mod interval;
mod retry_after;
mod rhythm;
#[cfg(test)]
mod tests;

pub use backoff::Backoff;
pub use due::{Due, SLACK, due};
pub use interval::{HostInterval, next_turn};
pub use retry_after::{left_alone, retry_after};
pub use rhythm::{PaceError, Rhythm};

use std::time::Duration;

use jiff::Timestamp;

/// The instant `length` after `from`, or the last one there is.
///
/// A pace so long that the calendar ends before it is a pace that never comes round, so the last instant says the same.
fn after(from: Timestamp, length: Duration) -> Timestamp {
    from.checked_add(length).unwrap_or(Timestamp::MAX)
}
