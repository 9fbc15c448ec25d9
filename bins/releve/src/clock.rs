//! The one place where the system's clock is read.

use jiff::{SignedDuration, Timestamp};
use releve_fetch::Clock;

/// The system's clock, set off by what a lab file says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock {
    offset: SignedDuration,
}

impl SystemClock {
    /// The system's clock plus `offset`.
    pub(crate) fn new(offset: SignedDuration) -> Self {
        Self { offset }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the binary's clock")]
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        now.checked_add(self.offset).unwrap_or(now)
    }
}
