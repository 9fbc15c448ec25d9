use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Whether dates have come newest first so far.
///
/// A day is the measure of both: nothing that rises by less speaks against it, since lists are sorted by local
/// time, and nothing that falls by less speaks for it, since the items of one day come in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fall {
    highest: Option<Timestamp>,
    lowest: Option<Timestamp>,
    is_broken: bool,
}

/// See [`Fall`].
pub(crate) const DAY: Duration = Duration::from_secs(24 * 3_600);

impl Fall {
    /// Takes the date that comes next.
    pub(crate) fn take(&mut self, date: Timestamp) {
        let has_risen = |lowest| date > lowest && date.duration_since(lowest).unsigned_abs() > DAY;
        if self.lowest.is_some_and(has_risen) {
            self.is_broken = true;
        }
        self.highest = self.highest.max(Some(date));
        self.lowest = Some(self.lowest.map_or(date, |lowest| lowest.min(date)));
    }

    /// Begins anew lower or higher: the dates that come next were passed before.
    pub(crate) fn restart(&mut self) {
        self.lowest = None;
    }

    /// Whether they fall, as far as that can be known.
    pub(crate) fn holds(&self) -> bool {
        let fallen = self.highest.zip(self.lowest).map(|(highest, lowest)| highest.duration_since(lowest));
        !self.is_broken && fallen.is_some_and(|fallen| fallen.unsigned_abs() >= DAY)
    }
}
