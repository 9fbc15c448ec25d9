use std::time::Duration;

/// A wait that doubles with each failure in a row, up to a cap.
///
/// ```
/// use std::time::Duration;
/// use releve_pace::Backoff;
///
/// let quarter = Duration::from_secs(15 * 60);
/// let backoff = Backoff::new(quarter, Duration::from_secs(24 * 60 * 60));
/// assert_eq!(backoff.after(0), Duration::ZERO);
/// assert_eq!(backoff.after(1), quarter);
/// assert_eq!(backoff.after(3), quarter * 4);
/// assert_eq!(backoff.after(1_000), Duration::from_secs(24 * 60 * 60));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    cap: Duration,
}

impl Backoff {
    /// Waits `first` after one failure and never more than `cap`, not even the first time.
    pub const fn new(first: Duration, cap: Duration) -> Self {
        Self { first, cap }
    }

    /// The wait after so many failures in a row; none after none, so that one success resets it.
    pub fn after(self, failures: u32) -> Duration {
        let Some(doublings) = failures.checked_sub(1) else {
            return Duration::ZERO;
        };
        let factor = 2_u32.checked_pow(doublings).unwrap_or(u32::MAX);
        self.first.saturating_mul(factor).min(self.cap)
    }
}
