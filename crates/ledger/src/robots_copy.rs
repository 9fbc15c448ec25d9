use std::time::Duration;

use jiff::Timestamp;
use releve_robots::{BYTES_MAX, Standing};

/// What a host's robots.txt was when it was last asked for, kept for every process (R22).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotsCopy {
    /// When it was asked for.
    pub fetched_at: Timestamp,
    /// What came of it, and how long that holds.
    pub standing: Standing,
    /// The file, where there are rules; else empty. Of a longer file only as much is kept as is parsed.
    pub body: Vec<u8>,
    /// The Crawl-delay that the file asks of us. It lengthens every turn at the host, whoever takes it.
    ///
    /// While the standing is [`Blocked`](Standing::Blocked) the ledger goes on with the delay it knew before.
    pub crawl_delay: Option<Duration>,
}

impl RobotsCopy {
    /// This copy as it is kept in place of `before`.
    pub(crate) fn kept(&self, before: Option<&Self>) -> Self {
        let mut copy = self.clone();
        // One byte beyond the limit shows the parser that the file went on there, so that it drops the line that was cut.
        copy.body.truncate(BYTES_MAX + 1);
        if let (Standing::Blocked { .. }, Some(before)) = (copy.standing, before) {
            copy.crawl_delay = before.crawl_delay;
        }
        copy
    }

    /// What is left of this copy at `now`. One from the future was kept before the clock was set back, and how old it is
    /// cannot be known: rules are asked for again, and a failure counts as having been met now.
    pub(crate) fn settled(mut self, now: Timestamp) -> Option<Self> {
        if self.fetched_at <= now {
            return Some(self);
        }
        match &mut self.standing {
            Standing::Rules { .. } | Standing::Absent { .. } => None,
            Standing::Blocked { retry_at, .. } => {
                *retry_at =
                    now.checked_add(retry_at.duration_since(self.fetched_at)).unwrap_or(Timestamp::MAX);
                self.fetched_at = now;
                Some(self)
            }
        }
    }
}

/// The host of an authority: what stands before the port.
pub(crate) fn host_of(authority: &str) -> &str {
    authority.split_once(':').map_or(authority, |(host, _)| host)
}
