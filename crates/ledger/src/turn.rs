//! The turn of a host: whose it is, and when its holder may send. All transitions are here; an adapter loads a
//! [`TurnRecord`], calls one of them, and stores the record again, in one transaction.
//!
//! | state | event | next state |
//! |---|---|---|
//! | free | take | held, lease begins, fence + 1 |
//! | held, lease runs, holder alive or unknown | take | the same; the answer is "held" |
//! | held, lease over or holder dead | take | held by the other, and a request counts as sent when that was noticed |
//! | held | stamp by its holder, too early | the same; the answer is "wait" |
//! | held | stamp by its holder, the interval over | stamped, lease begins anew, a request counts as sent now |
//! | stamped | take | as held |
//! | stamped | stamp | the same; the answer is "lost": a turn is for one request |
//! | any | stamp by one who lost it | the same; the answer is "lost" |
//! | held, stamped | given back by its holder | free, the stamp moves to when the request left, never to an earlier instant |
//! | any | given back by one who lost it | the same, but a request that left late moves the stamp |
//! | any | the host asks to be left alone | the same, and no stamp is given before that is over |

use std::time::Duration;

use jiff::Timestamp;
use releve_pace::{HostInterval, next_turn};

use crate::{
    Holder, Life, Machine,
    moment::{Lease, Moment},
};

/// The right to be the next to send one request to a host, taken from [`Hosts::take_turn`](crate::Hosts::take_turn).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    pub(crate) host: String,
    pub(crate) fence: u64,
    pub(crate) interval: HostInterval,
    pub(crate) last_sent: Option<Timestamp>,
    pub(crate) not_before: Timestamp,
}

impl Turn {
    /// The host whose turn it is.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The number of this taking; each is larger than all before at that host.
    pub fn fence(&self) -> u64 {
        self.fence
    }

    /// The interval that holds at the host: the one asked for, lengthened by the Crawl-delay that the host asks for.
    pub fn interval(&self) -> HostInterval {
        self.interval
    }

    /// When the last request to the host left, or must be supposed to have left. `None`: there never was one.
    pub fn last_sent(&self) -> Option<Timestamp> {
        self.last_sent
    }

    /// The earliest instant at which the next request may leave. Connect, wait until then, stamp, send.
    pub fn not_before(&self) -> Timestamp {
        self.not_before
    }
}

/// What came of trying to take something that one alone can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taking<T> {
    /// It is yours.
    Taken(T),
    /// Somebody else has it.
    Held {
        /// Who.
        by: Holder,
        /// Since when, or since when it was last renewed.
        since: Timestamp,
        /// When it is free at the latest, if its holder does not renew it. It may be free long before; look again.
        until: Timestamp,
    },
}

/// Whether the request may be sent. The answer of [`Hosts::stamp`](crate::Hosts::stamp).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a request may only be sent on `Send`"]
pub enum Stamp {
    /// Send, at once: the request counts as sent from now on.
    Send,
    /// Not yet: wait until `at` and stamp again. Comes only where the clock was set or somebody else sent late.
    Wait {
        /// The earliest instant at which it may leave.
        at: Timestamp,
    },
    /// The turn is not yours any more: the lease ran out and another process has it, or it was stamped before. Nothing may
    /// be sent; take a turn again.
    Lost,
}

/// What is kept of a host between two requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TurnRecord {
    pub(crate) fence: u64,
    pub(crate) held: Option<(Holder, Lease)>,
    /// Whether the holder was told to send.
    pub(crate) stamped: bool,
    pub(crate) last_sent: Option<Moment>,
    /// How long the host has asked to be left alone, and when it did.
    pub(crate) left_alone: Option<Lease>,
}

impl TurnRecord {
    pub(crate) fn take(
        &mut self,
        host: &str,
        interval: HostInterval,
        now: &Moment,
        ttl: Duration,
        machine: &dyn Machine,
    ) -> Taking<Turn> {
        if let Some((holder, mut lease)) = self.held.take() {
            lease.from = now.settle(lease.from);
            match lease.left(now) {
                Some(left) if machine.life(&holder) != Life::Dead => {
                    let since = now.place(&lease.from);
                    let until = now.wall.checked_add(left).unwrap_or(Timestamp::MAX);
                    let by = holder.clone();
                    self.held = Some((holder, lease));
                    return Taking::Held { by, since, until };
                }
                // It was never given back. Its holder may have sent until just now.
                _ => self.last_sent = Some(now.clone()),
            }
        }
        self.settle(now);
        self.fence += 1;
        self.stamped = false;
        self.held = Some((machine.holder(), Lease { from: now.clone(), ttl }));
        Taking::Taken(Turn {
            host: host.to_owned(),
            fence: self.fence,
            interval,
            last_sent: self.last_sent.as_ref().map(|last| now.place(last)),
            not_before: self.not_before(interval, now),
        })
    }

    /// The host asks to be left alone for `length` from now on. What it asked for before still holds where it is longer.
    pub(crate) fn leave_alone(&mut self, length: Duration, now: &Moment) {
        self.settle(now);
        if self.still_left_alone(now) < length {
            self.left_alone = Some(Lease { from: now.clone(), ttl: length });
        }
    }

    /// Until when the host is left alone, once the record is [settled](Self::settle).
    pub(crate) fn left_alone_until(&self, now: &Moment) -> Option<Timestamp> {
        let left = self.still_left_alone(now);
        (!left.is_zero()).then(|| now.wall.checked_add(left).unwrap_or(Timestamp::MAX))
    }

    fn still_left_alone(&self, now: &Moment) -> Duration {
        self.left_alone.as_ref().and_then(|lease| lease.left(now)).unwrap_or_default()
    }

    /// A stamp in the future counts as now. Returns whether there was one; the record must then be kept.
    pub(crate) fn settle(&mut self, now: &Moment) -> bool {
        let stamps = self.last_sent.iter_mut().chain(self.left_alone.iter_mut().map(|lease| &mut lease.from));
        let mut is_ahead = false;
        for stamp in stamps {
            is_ahead |= stamp.wall > now.wall;
            *stamp = now.settle(stamp.clone());
        }
        is_ahead
    }

    /// When a request might leave if the turn were free, once the record is [settled](Self::settle).
    pub(crate) fn not_before(&self, interval: HostInterval, now: &Moment) -> Timestamp {
        let at = next_turn(self.last_sent.as_ref().map(|last| now.place(last)), now.wall, interval);
        at.max(self.left_alone_until(now).unwrap_or(at))
    }

    pub(crate) fn stamp(&mut self, turn: &Turn, now: &Moment, ttl: Duration) -> Stamp {
        self.settle(now);
        let left_alone = self.left_alone_until(now);
        let Some((_, lease)) = self.held.as_mut().filter(|_| self.fence == turn.fence && !self.stamped)
        else {
            return Stamp::Lost;
        };
        if let Some(last) = &self.last_sent {
            // The wait aimed a little over the interval. What must hold at the end of it is the interval.
            let missing = turn.interval.promised().saturating_sub(now.since(last));
            if !missing.is_zero() {
                let missing = missing.saturating_add(HostInterval::MARGIN);
                return Stamp::Wait { at: now.wall.checked_add(missing).unwrap_or(Timestamp::MAX) };
            }
        }
        if let Some(at) = left_alone {
            return Stamp::Wait { at };
        }
        *lease = Lease { from: now.clone(), ttl };
        self.stamped = true;
        self.last_sent = Some(now.clone());
        Stamp::Send
    }

    pub(crate) fn give_back(&mut self, turn: &Turn, sent_at: Option<Timestamp>, now: &Moment) {
        if let Some(sent_at) = sent_at {
            let ago = Duration::try_from(now.wall.duration_since(sent_at)).unwrap_or(Duration::ZERO);
            // It left between the stamp and now. A time that says otherwise, or that may come from before or after the
            // clock was set, can be wrong by any length, so it counts as having left now.
            self.last_sent = Some(match &self.last_sent {
                Some(last) if ago > now.since(last) || now.was_set_since(last) => now.clone(),
                _ => now.before(ago),
            });
        }
        if self.fence == turn.fence {
            self.held = None;
        }
    }
}
