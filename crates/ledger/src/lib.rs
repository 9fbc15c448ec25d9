//! Remembers, for all processes at once: which references are known and what became of them, whose turn it is at a
//! host, and who works on a source.
//!
//! Two ports say what can be asked. [`Hosts`] is what a single polite retrieval needs: the turn of a host and its
//! robots.txt. [`Ledger`] adds what a pass over a source needs. Both take `now` as an argument and wait for nothing.
//! A call blocks for as long as a write to disk takes, so an asynchronous runner makes it where blocking is allowed.
//! [`MemoryLedger`] forgets at its end; [`SqliteLedger`] is a file that processes of one machine share. The module
//! [`suite`] holds the tests that every adapter must pass.
//!
//! ```
//! use std::time::Duration;
//! use releve_ledger::{Announced, Choice, Hosts, Ledger, MemoryLedger, SeenIn, Stamp, Taking};
//! use releve_pace::HostInterval;
//!
//! let ledger = MemoryLedger::new();
//! let now: jiff::Timestamp = "2026-03-01T12:00:00Z".parse()?;
//! let ttl = Duration::from_secs(60);
//!
//! // A pass: lock the source, say what the trigger announced, ask what is to be read.
//! let Taking::Taken(lock) = ledger.lock("example", now, ttl)? else { panic!("somebody has it") };
//! let pass = ledger.begin_pass(&lock, now)?;
//! let announced = Announced {
//!     identifier: "4711".to_owned(),
//!     address: Some("https://www.example.org/4711".parse()?),
//!     seen_in: SeenIn::Trigger,
//!     published: Some(now),
//!     modified: None,
//! };
//! assert_eq!(ledger.announce(&pass, &[announced], now)?.new, 1);
//! let next = ledger.next_to_read(&pass, Choice::All, &[], now, 10)?;
//! assert_eq!(next[0].identifier, "4711");
//!
//! // A request: take the host's turn, connect, wait, stamp, send, give back.
//! let Taking::Taken(turn) = ledger.take_turn("www.example.org", HostInterval::default(), now, ttl)? else {
//!     panic!("somebody has it")
//! };
//! assert_eq!(turn.not_before(), now);
//! assert_eq!(ledger.stamp(&turn, now, ttl)?, Stamp::Send);
//! ledger.give_back(&turn, Some(now), now)?;
//!
//! // The next one waits.
//! assert_eq!(
//!     ledger.next_turn("www.example.org", HostInterval::default(), now)?,
//!     now + Duration::from_millis(1_010),
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Turns
//!
//! A host has one turn, shared by everything that reaches it (R21). Who needs it takes it for a short lease, connects,
//! waits until [`Turn::not_before`], [stamps](Hosts::stamp), sends, and [gives it back](Hosts::give_back) with the
//! instant at which the request left. So:
//!
//! - A sender that comes late moves everybody behind it, and nobody catches up.
//! - A sender that dies leaves a turn that its lease ends, or the next to ask who can see that it is dead; a request
//!   counts as sent at that instant, for it may have been.
//! - A stamp in the future (the clock was set back) counts as now, once. Where the machine has a clock that cannot be
//!   set, a clock that was set forward shortens nothing either: of two clocks the one that saw less time go by is
//!   believed.
//! - A process that lost its turn learns it from the stamp, before it sends.
//!
//! What no ledger can prevent is a process that is stopped between its stamp and its send for longer than its lease: ask
//! for a lease that is longer than connecting and sending may take. Nor can it see a clock that is set between stamp and
//! give-back twice, so that both together come to nothing, and believes a time that was read off it in between.
//!
//! # What this crate does not do
//!
//! It reads no wall clock, waits for nothing and asks nobody: who finds a turn held looks again after a while (100 ms
//! serve well: turns come free unannounced). It decides no pace (`releve-pace` does), parses no robots.txt and keeps
//! none of an announcement but the reference and its dates (R1). It holds no deposit; of those it keeps receipts.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod error;
mod lock;
mod machine;
mod memory;
mod moment;
mod pass_record;
mod reference;
mod robots_copy;
mod sqlite;
pub mod suite;
mod turn;
mod walk_record;

use std::time::Duration;

use jiff::Timestamp;
use releve_pace::HostInterval;
use releve_url_canon::HttpsUrl;

pub use error::{LedgerError, LedgerErrorKind};
pub use lock::SourceLock;
pub use machine::{Holder, Life, Machine, ScriptedMachine, ThisMachine};
pub use memory::MemoryLedger;
pub use pass_record::{Pass, PassEnd, PassId, PassRecord, Round, Schedule};
pub use reference::{
    Announced, Choice, Counts, DETAIL_BYTES_MAX, Digest, Entry, Heard, Outcome, PutOff, Receipt, Refusal,
    Sealed, SeenIn, State,
};
pub use robots_copy::RobotsCopy;
pub use sqlite::{Realm, SqliteLedger};
pub use turn::{Stamp, Taking, Turn};
pub use walk_record::WalkRecord;

/// What one polite retrieval must know of a host, whoever else reaches it.
///
/// A `host` is a name in lower case without a port, because the promise is about hosts; an `authority` is a name and,
/// unless it is 443, a port, because each port has a robots.txt of its own.
pub trait Hosts: Send + Sync {
    /// Takes the turn of `host` for `ttl`, to send one request no sooner than `interval` after the one before.
    ///
    /// The interval is lengthened by the longest Crawl-delay known of the host. Until the turn is stamped, given back
    /// or its lease is over, nobody else has it.
    fn take_turn(
        &self,
        host: &str,
        interval: HostInterval,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Taking<Turn>, LedgerError>;

    /// Asks, immediately before sending, whether to send; if so, the request counts as sent `now` and the lease begins
    /// anew. The request must leave within `ttl`. A turn is for one request; for a redirect's next hop, as for a second try,
    /// take another.
    fn stamp(&self, turn: &Turn, now: Timestamp, ttl: Duration) -> Result<Stamp, LedgerError>;

    /// Gives the turn back. `sent_at` is when the request left, or `None` if none did.
    ///
    /// The host's stamp never moves to an earlier instant by it, and a turn that was lost is not taken from whom has it.
    /// Calling it again does no harm.
    fn give_back(&self, turn: &Turn, sent_at: Option<Timestamp>, now: Timestamp) -> Result<(), LedgerError>;

    /// Notes that `host` asks to be left alone for `length` from `now` on, whoever wants to ask it: no turn comes before that
    /// is over. A shorter wait than one that still runs changes nothing.
    fn leave_alone(&self, host: &str, length: Duration, now: Timestamp) -> Result<(), LedgerError>;

    /// Until when `host` is left alone because it [asked for it](Self::leave_alone); `None`: it is not.
    fn left_alone_until(&self, host: &str, now: Timestamp) -> Result<Option<Timestamp>, LedgerError>;

    /// When a request to `host` might leave if one took the turn now. Takes nothing, and does not ask who holds it.
    fn next_turn(&self, host: &str, interval: HostInterval, now: Timestamp)
    -> Result<Timestamp, LedgerError>;

    /// The copy of the robots.txt of `authority`, if one was kept. Whether it still holds is for
    /// [`Standing::holds`](releve_robots::Standing::holds) to say.
    fn robots(&self, authority: &str, now: Timestamp) -> Result<Option<RobotsCopy>, LedgerError>;

    /// Keeps a copy in place of the one before.
    fn keep_robots(&self, authority: &str, copy: &RobotsCopy) -> Result<(), LedgerError>;
}

/// What is known of sources and their references, whoever works on them.
///
/// A source is named by a text that is the same in every process. What takes a [`Pass`] fails with
/// [`LedgerErrorKind::LockLost`] once its source's lock has gone to another.
pub trait Ledger: Hosts {
    /// Takes the lock of `source` for `ttl`. [Renew](Self::renew) it well before that is over.
    ///
    /// A process on this machine that holds it and has died is noticed at once, one that lives keeps it whatever its
    /// lease says; of a process elsewhere only the lease is known.
    fn lock(&self, source: &str, now: Timestamp, ttl: Duration) -> Result<Taking<SourceLock>, LedgerError>;

    /// Begins the lease anew. `false`: the lock was lost, and the work on the source must stop.
    fn renew(&self, lock: &SourceLock, now: Timestamp, ttl: Duration) -> Result<bool, LedgerError>;

    /// Frees the lock, if it is still held. Calling it again does no harm.
    fn release(&self, lock: &SourceLock) -> Result<(), LedgerError>;

    /// When the trigger and the backlog of `source` were last read.
    fn schedule(&self, source: &str, now: Timestamp) -> Result<Schedule, LedgerError>;

    /// Notes that `round` was done at `at`. An earlier instant than the one noted changes nothing.
    ///
    /// Call it when the request is about to leave: what was noted much earlier has the next one come too soon, and what is
    /// noted only afterwards may be lost to a crash.
    fn mark(&self, pass: &Pass, round: Round, at: Timestamp) -> Result<(), LedgerError>;

    /// Begins a pass. A pass of the same source that was not finished is now known to have been interrupted.
    fn begin_pass(&self, lock: &SourceLock, now: Timestamp) -> Result<Pass, LedgerError>;

    /// Ends a pass with its report, a JSON text.
    fn finish_pass(&self, pass: &Pass, now: Timestamp, report: &str) -> Result<(), LedgerError>;

    /// The last passes, latest first, of one source or of all. The last [1,000](PASSES_KEPT) of a source are kept.
    fn passes(&self, source: Option<&str>, limit: usize) -> Result<Vec<PassRecord>, LedgerError>;

    /// Takes note of what was announced. Either all of it is noted or, on an error, none.
    fn announce(&self, pass: &Pass, announced: &[Announced], now: Timestamp) -> Result<Heard, LedgerError>;

    /// Takes note of a reference that is not to be read yet (R41), in one with why, so that no pass finds it without. One
    /// that need not be read, or is set aside, stays as it is.
    fn put_off(
        &self,
        pass: &Pass,
        announced: &Announced,
        why: &PutOff,
        now: Timestamp,
    ) -> Result<(), LedgerError>;

    /// Up to `limit` references that `pass` is to read at `now`: what the trigger announced before what the backlog
    /// holds, each newest first, and none that this pass has tried before (R23). Those whose address is at one of the hosts
    /// `but_at` are left out.
    ///
    /// What it returns it returns again until the outcome is [recorded](Self::record).
    fn next_to_read(
        &self,
        pass: &Pass,
        choice: Choice,
        but_at: &[String],
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Entry>, LedgerError>;

    /// Records what came of reading `read`, an entry as it was handed out.
    fn record(&self, pass: &Pass, read: &Entry, outcome: &Outcome, now: Timestamp)
    -> Result<(), LedgerError>;

    /// What is known of a reference.
    fn entry(&self, source: &str, identifier: &str) -> Result<Option<Entry>, LedgerError>;

    /// The references of a source that were announced at this address, or are sealed as read there: one, as a rule. At
    /// most [100](AT_ADDRESS_MAX) are returned, ordered by identifier.
    fn entries_at(&self, source: &str, address: &HttpsUrl) -> Result<Vec<Entry>, LedgerError>;

    /// Up to `limit` references of a source that stand at `state`, ordered by identifier, from the one after `after` on.
    fn list(
        &self,
        source: &str,
        state: State,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entry>, LedgerError>;

    /// What is known of the walks over the source's backlog.
    fn walk(&self, source: &str) -> Result<Option<WalkRecord>, LedgerError>;

    /// Keeps this in place of what was known of the walks.
    fn keep_walk(&self, pass: &Pass, walk: &WalkRecord) -> Result<(), LedgerError>;

    /// How many of these identifiers are known. Notes nothing.
    fn known(&self, source: &str, identifiers: &[&str]) -> Result<usize, LedgerError>;

    /// How many references of a source stand where.
    fn counts(&self, source: &str) -> Result<Counts, LedgerError>;

    /// Queues a reference that was refused or set aside. `false`: there is none such, or it is under an embargo that says
    /// when it is over.
    fn retry(&self, source: &str, identifier: &str) -> Result<bool, LedgerError>;

    /// The sources that were ever locked, in order of their names.
    fn sources(&self) -> Result<Vec<String>, LedgerError>;

    /// Up to `limit` receipts of a vault, from `sequence` on, in order.
    fn receipts(&self, vault: &str, sequence: u64, limit: usize) -> Result<Vec<Receipt>, LedgerError>;

    /// The receipt of a vault with the largest sequence.
    fn head(&self, vault: &str) -> Result<Option<Receipt>, LedgerError>;
}

/// How many passes of a source are kept: at one every 15 minutes, those of ten days.
pub const PASSES_KEPT: usize = 1_000;

/// How many references at one address are returned. A site that gives one address to more articles has none.
pub const AT_ADDRESS_MAX: usize = 100;
