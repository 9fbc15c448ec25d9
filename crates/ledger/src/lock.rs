//! The lock of a source: two passes never run at once for it, whatever started them (R10).
//!
//! | state | event | next state |
//! |---|---|---|
//! | free | lock | held, lease begins, fence + 1 |
//! | held by a process that is known to run | lock by another | the same, whatever the lease says |
//! | held by a process that is known to have ended | lock | held by the other |
//! | held by a process that cannot be seen from here | lock | the same while the lease runs, then held by the other |
//! | held, lease over | lock by the very process that holds it | held anew: it forgot to give it back |
//! | held | renew by its holder | held, lease begins anew |
//! | held | release by its holder | free |
//! | any | renew or release by one who lost it | the same |

use std::time::Duration;

use jiff::Timestamp;

use crate::{
    Holder, Life, Machine, Taking,
    moment::{Lease, Moment},
};

/// The right to work on a source, taken from [`Ledger::lock`](crate::Ledger::lock).
///
/// It frees nothing when it is dropped: call [`Ledger::release`](crate::Ledger::release). A process that ends without it
/// is noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLock {
    pub(crate) source: String,
    pub(crate) fence: u64,
}

impl SourceLock {
    /// The source that is locked.
    pub fn source(&self) -> &str {
        &self.source
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LockRecord {
    pub(crate) fence: u64,
    pub(crate) held: Option<(Holder, Lease)>,
}

impl LockRecord {
    pub(crate) fn take(
        &mut self,
        source: &str,
        now: &Moment,
        ttl: Duration,
        machine: &dyn Machine,
    ) -> Taking<SourceLock> {
        let me = machine.holder();
        if let Some((holder, mut lease)) = self.held.take() {
            lease.from = now.settle(lease.from);
            let left = lease.left(now);
            let held = match machine.life(&holder) {
                Life::Dead => false,
                Life::Alive => left.is_some() || holder != me,
                Life::Unknown => left.is_some(),
            };
            if held {
                let since = now.place(&lease.from);
                let until = now.wall.checked_add(left.unwrap_or_default()).unwrap_or(Timestamp::MAX);
                let by = holder.clone();
                self.held = Some((holder, lease));
                return Taking::Held { by, since, until };
            }
        }
        self.fence += 1;
        self.held = Some((me, Lease { from: now.clone(), ttl }));
        Taking::Taken(SourceLock { source: source.to_owned(), fence: self.fence })
    }

    pub(crate) fn is(&self, fence: u64) -> bool {
        self.fence == fence && self.held.is_some()
    }

    pub(crate) fn renew(&mut self, fence: u64, now: &Moment, ttl: Duration) -> bool {
        match &mut self.held {
            Some((_, lease)) if self.fence == fence => {
                *lease = Lease { from: now.clone(), ttl };
                true
            }
            _ => false,
        }
    }

    pub(crate) fn release(&mut self, fence: u64) {
        if self.fence == fence {
            self.held = None;
        }
    }
}
