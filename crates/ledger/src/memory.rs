use std::{
    cmp::Reverse,
    collections::{BTreeMap, btree_map::Entry as BTreeEntry},
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use releve_pace::HostInterval;
use releve_url_canon::HttpsUrl;

use crate::{
    AT_ADDRESS_MAX, Announced, Choice, Counts, Entry, Heard, Hosts, Ledger, LedgerError, LedgerErrorKind,
    Life, Machine, Outcome, PASSES_KEPT, Pass, PassEnd, PassId, PassRecord, PutOff, Receipt, RobotsCopy,
    Round, Schedule, ScriptedMachine, SourceLock, Stamp, State, Taking, Turn, WalkRecord,
    lock::LockRecord,
    moment::{Call, Moment},
    robots_copy::host_of,
    turn::TurnRecord,
};

/// A ledger that lives as long as its last handle: for tests, and for runs that are to leave nothing behind.
///
/// Its clones share what they hold. [`seen_from`](Self::seen_from) makes a handle that acts as another process.
#[derive(Clone, Debug)]
pub struct MemoryLedger {
    held: Arc<Mutex<Held>>,
    machine: Arc<dyn Machine>,
}

#[derive(Debug, Default)]
struct Held {
    turns: BTreeMap<String, TurnRecord>,
    robots: BTreeMap<String, RobotsCopy>,
    sources: BTreeMap<String, Source>,
    passes: Vec<PassRecord>,
    pass_count: i64,
    receipts: BTreeMap<(String, u64), Vec<Receipt>>,
}

#[derive(Debug, Default)]
struct Source {
    lock: LockRecord,
    schedule: Schedule,
    walk: Option<WalkRecord>,
    entries: BTreeMap<String, Entry>,
}

impl Default for MemoryLedger {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryLedger {
    /// An empty ledger on a machine of its own, which knows no time but the `now` of each call.
    pub fn new() -> Self {
        Self { held: Arc::default(), machine: Arc::new(ScriptedMachine::new("memory", 1)) }
    }

    /// The same ledger, as the process that `machine` speaks for sees it.
    #[must_use]
    pub fn seen_from(&self, machine: Arc<dyn Machine>) -> Self {
        Self { held: Arc::clone(&self.held), machine }
    }

    /// A panic elsewhere cannot have left anything half done: each change is one assignment, after all that can fail.
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The ledger, and the instant that it is now that nobody else can change it.
    fn held_at(&self, now: Timestamp) -> (MutexGuard<'_, Held>, Moment) {
        let call = Call::at(now, &*self.machine);
        let held = self.held();
        (held, call.moment(&*self.machine))
    }
}

impl Held {
    /// The host's interval, lengthened by the longest Crawl-delay known of it.
    fn lengthen(&self, host: &str, interval: HostInterval) -> HostInterval {
        let copies = self.robots.iter().filter(|(authority, _)| host_of(authority) == host);
        copies.filter_map(|(_, copy)| copy.crawl_delay).fold(interval, HostInterval::lengthen)
    }

    fn source(&mut self, source: &str, fence: u64) -> Result<&mut Source, LedgerError> {
        self.sources
            .get_mut(source)
            .filter(|held| held.lock.is(fence))
            .ok_or_else(|| LedgerError::new(LedgerErrorKind::LockLost, NAME).detail(source))
    }
}

const NAME: &str = "in memory";

impl Hosts for MemoryLedger {
    fn take_turn(
        &self,
        host: &str,
        interval: HostInterval,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Taking<Turn>, LedgerError> {
        let (mut held, now) = self.held_at(now);
        let interval = held.lengthen(host, interval);
        let turn = held.turns.entry(host.to_owned()).or_default();
        Ok(turn.take(host, interval, &now, ttl, &*self.machine))
    }

    fn stamp(&self, turn: &Turn, now: Timestamp, ttl: Duration) -> Result<Stamp, LedgerError> {
        let (mut held, now) = self.held_at(now);
        Ok(held.turns.get_mut(&turn.host).map_or(Stamp::Lost, |record| record.stamp(turn, &now, ttl)))
    }

    fn give_back(&self, turn: &Turn, sent_at: Option<Timestamp>, now: Timestamp) -> Result<(), LedgerError> {
        let (mut held, now) = self.held_at(now);
        if let Some(record) = held.turns.get_mut(&turn.host) {
            record.give_back(turn, sent_at, &now);
        }
        Ok(())
    }

    fn leave_alone(&self, host: &str, length: Duration, now: Timestamp) -> Result<(), LedgerError> {
        let (mut held, now) = self.held_at(now);
        held.turns.entry(host.to_owned()).or_default().leave_alone(length, &now);
        Ok(())
    }

    fn left_alone_until(&self, host: &str, now: Timestamp) -> Result<Option<Timestamp>, LedgerError> {
        let (mut held, now) = self.held_at(now);
        let Some(turn) = held.turns.get_mut(host) else { return Ok(None) };
        turn.settle(&now);
        Ok(turn.left_alone_until(&now))
    }

    fn next_turn(
        &self,
        host: &str,
        interval: HostInterval,
        now: Timestamp,
    ) -> Result<Timestamp, LedgerError> {
        let (mut held, now) = self.held_at(now);
        let interval = held.lengthen(host, interval);
        let Some(turn) = held.turns.get_mut(host) else {
            return Ok(now.wall);
        };
        turn.settle(&now);
        Ok(turn.not_before(interval, &now))
    }

    fn robots(&self, authority: &str, now: Timestamp) -> Result<Option<RobotsCopy>, LedgerError> {
        let mut held = self.held();
        let Some(kept) = held.robots.get_mut(authority) else {
            return Ok(None);
        };
        let settled = kept.clone().settled(now);
        if let Some(settled) = &settled {
            kept.clone_from(settled);
        }
        Ok(settled)
    }

    fn keep_robots(&self, authority: &str, copy: &RobotsCopy) -> Result<(), LedgerError> {
        let mut held = self.held();
        let copy = copy.kept(held.robots.get(authority));
        held.robots.insert(authority.to_owned(), copy);
        Ok(())
    }
}

impl Ledger for MemoryLedger {
    fn lock(&self, source: &str, now: Timestamp, ttl: Duration) -> Result<Taking<SourceLock>, LedgerError> {
        let (mut held, now) = self.held_at(now);
        let lock = &mut held.sources.entry(source.to_owned()).or_default().lock;
        Ok(lock.take(source, &now, ttl, &*self.machine))
    }

    fn renew(&self, lock: &SourceLock, now: Timestamp, ttl: Duration) -> Result<bool, LedgerError> {
        let (mut held, now) = self.held_at(now);
        let source = held.sources.get_mut(&lock.source);
        Ok(source.is_some_and(|source| source.lock.renew(lock.fence, &now, ttl)))
    }

    fn release(&self, lock: &SourceLock) -> Result<(), LedgerError> {
        if let Some(source) = self.held().sources.get_mut(&lock.source) {
            source.lock.release(lock.fence);
        }
        Ok(())
    }

    fn schedule(&self, source: &str, now: Timestamp) -> Result<Schedule, LedgerError> {
        let mut held = self.held();
        let Some(source) = held.sources.get_mut(source) else {
            return Ok(Schedule::default());
        };
        source.schedule = source.schedule.settled(now);
        Ok(source.schedule)
    }

    fn mark(&self, pass: &Pass, round: Round, at: Timestamp) -> Result<(), LedgerError> {
        self.held().source(&pass.source, pass.fence)?.schedule.mark(round, at);
        Ok(())
    }

    fn begin_pass(&self, lock: &SourceLock, now: Timestamp) -> Result<Pass, LedgerError> {
        let mut held = self.held();
        held.source(&lock.source, lock.fence)?;
        for before in held.passes.iter_mut().filter(|before| before.source == lock.source) {
            if before.end == PassEnd::Running {
                before.end = PassEnd::Interrupted;
            }
        }
        held.pass_count += 1;
        let id = PassId(held.pass_count);
        let source = lock.source.clone();
        held.passes.push(PassRecord {
            id,
            source: source.clone(),
            began_at: now,
            holder: self.machine.holder(),
            end: PassEnd::Running,
        });
        let of_source = held.passes.iter().filter(|pass| pass.source == source);
        let surplus = of_source.clone().count().saturating_sub(PASSES_KEPT);
        let too_old: Vec<PassId> = of_source.take(surplus).map(|pass| pass.id).collect();
        held.passes.retain(|pass| !too_old.contains(&pass.id));
        Ok(Pass { id, source, fence: lock.fence })
    }

    fn finish_pass(&self, pass: &Pass, now: Timestamp, report: &str) -> Result<(), LedgerError> {
        let mut held = self.held();
        held.source(&pass.source, pass.fence)?;
        if let Some(record) = held.passes.iter_mut().find(|record| record.id == pass.id) {
            record.end = PassEnd::Finished { at: now, report: report.to_owned() };
        }
        Ok(())
    }

    fn passes(&self, source: Option<&str>, limit: usize) -> Result<Vec<PassRecord>, LedgerError> {
        let held = self.held();
        let wanted =
            held.passes.iter().rev().filter(|pass| source.is_none_or(|source| pass.source == source));
        let mut passes: Vec<PassRecord> = wanted.take(limit).cloned().collect();
        for pass in &mut passes {
            pass.see_whether_it_runs(self.machine.life(&pass.holder) != Life::Dead);
        }
        Ok(passes)
    }

    fn announce(&self, pass: &Pass, announced: &[Announced], now: Timestamp) -> Result<Heard, LedgerError> {
        let mut held = self.held();
        let source = held.source(&pass.source, pass.fence)?;
        let mut heard = Heard::default();
        for announced in announced {
            let Some(entry) = source.entries.get_mut(&announced.identifier) else {
                source.entries.insert(announced.identifier.clone(), Entry::new(announced, now));
                heard.new += 1;
                heard.known_since(now);
                continue;
            };
            heard.known_since(entry.first_seen);
            if entry.hear(announced, now) {
                heard.modified += 1;
            } else {
                heard.known += 1;
            }
        }
        Ok(heard)
    }

    fn put_off(
        &self,
        pass: &Pass,
        announced: &Announced,
        why: &PutOff,
        now: Timestamp,
    ) -> Result<(), LedgerError> {
        let mut held = self.held();
        let source = held.source(&pass.source, pass.fence)?;
        let entry = match source.entries.entry(announced.identifier.clone()) {
            BTreeEntry::Vacant(place) => place.insert(Entry::new(announced, now)),
            BTreeEntry::Occupied(known) => {
                let entry = known.into_mut();
                entry.hear(announced, now);
                entry
            }
        };
        entry.put_off(why, now);
        Ok(())
    }

    fn next_to_read(
        &self,
        pass: &Pass,
        choice: Choice,
        but_at: &[String],
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<Entry>, LedgerError> {
        let mut held = self.held();
        let source = held.source(&pass.source, pass.fence)?;
        let is_at = |entry: &Entry, host: &String| {
            entry.address.as_ref().is_some_and(|address| address.host() == host)
        };
        let mut next: Vec<&Entry> = source
            .entries
            .values()
            .filter(|entry| entry.is_for(pass.id, choice, now))
            .filter(|entry| !but_at.iter().any(|host| is_at(entry, host)))
            .collect();
        let order = |entry: &&Entry| (entry.seen_in, Reverse(entry.date()));
        if limit == 1 {
            // Whoever reads one after the other asks again for each, and has thousands to sort.
            return Ok(next.into_iter().min_by_key(order).cloned().into_iter().collect());
        }
        next.sort_by_key(order);
        Ok(next.into_iter().take(limit).cloned().collect())
    }

    fn record(
        &self,
        pass: &Pass,
        read: &Entry,
        outcome: &Outcome,
        now: Timestamp,
    ) -> Result<(), LedgerError> {
        let mut held = self.held();
        let source = held.source(&pass.source, pass.fence)?;
        if let Some(entry) = source.entries.get_mut(&read.identifier) {
            entry.apply(read, outcome, pass.id, now);
        }
        if let Outcome::Sealed { sealed, .. } = outcome {
            let receipt = &sealed.receipt;
            let kept = held.receipts.entry((receipt.vault.clone(), receipt.sequence)).or_default();
            if !kept.iter().any(|kept| (kept.unit, kept.seal) == (receipt.unit, receipt.seal)) {
                kept.push(receipt.clone());
            }
        }
        Ok(())
    }

    fn entry(&self, source: &str, identifier: &str) -> Result<Option<Entry>, LedgerError> {
        let held = self.held();
        Ok(held.sources.get(source).and_then(|source| source.entries.get(identifier)).cloned())
    }

    fn entries_at(&self, source: &str, address: &HttpsUrl) -> Result<Vec<Entry>, LedgerError> {
        let held = self.held();
        let entries = held.sources.get(source).into_iter().flat_map(|source| source.entries.values());
        let there = entries.filter(|entry| {
            let read_at = entry.sealed.as_ref().map(|sealed| &sealed.address);
            entry.address.as_ref() == Some(address) || read_at == Some(address)
        });
        Ok(there.take(AT_ADDRESS_MAX).cloned().collect())
    }

    fn list(
        &self,
        source: &str,
        state: State,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Entry>, LedgerError> {
        let held = self.held();
        let Some(source) = held.sources.get(source) else {
            return Ok(Vec::new());
        };
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let entries = source.entries.range::<str, _>((from, Bound::Unbounded));
        let wanted = entries.map(|(_, entry)| entry).filter(|entry| entry.state == state);
        Ok(wanted.take(limit).cloned().collect())
    }

    fn walk(&self, source: &str) -> Result<Option<WalkRecord>, LedgerError> {
        Ok(self.held().sources.get(source).and_then(|source| source.walk.clone()))
    }

    fn keep_walk(&self, pass: &Pass, walk: &WalkRecord) -> Result<(), LedgerError> {
        self.held().source(&pass.source, pass.fence)?.walk = Some(walk.clone());
        Ok(())
    }

    fn known(&self, source: &str, identifiers: &[&str]) -> Result<usize, LedgerError> {
        let held = self.held();
        let Some(source) = held.sources.get(source) else {
            return Ok(0);
        };
        Ok(identifiers.iter().filter(|identifier| source.entries.contains_key(**identifier)).count())
    }

    fn counts(&self, source: &str) -> Result<Counts, LedgerError> {
        let mut counts = Counts::default();
        let held = self.held();
        for entry in held.sources.get(source).into_iter().flat_map(|source| source.entries.values()) {
            *counts.of(entry.state) += 1;
        }
        Ok(counts)
    }

    fn retry(&self, source: &str, identifier: &str) -> Result<bool, LedgerError> {
        let mut held = self.held();
        let entry = held.sources.get_mut(source).and_then(|source| source.entries.get_mut(identifier));
        Ok(entry.is_some_and(Entry::lift))
    }

    fn sources(&self) -> Result<Vec<String>, LedgerError> {
        Ok(self.held().sources.keys().cloned().collect())
    }

    fn receipts(&self, vault: &str, sequence: u64, limit: usize) -> Result<Vec<Receipt>, LedgerError> {
        let held = self.held();
        let of_vault = held.receipts.range((vault.to_owned(), sequence)..=(vault.to_owned(), u64::MAX));
        Ok(of_vault.flat_map(|(_, receipts)| receipts).take(limit).cloned().collect())
    }

    fn head(&self, vault: &str) -> Result<Option<Receipt>, LedgerError> {
        let held = self.held();
        let of_vault = held.receipts.range((vault.to_owned(), 0)..=(vault.to_owned(), u64::MAX));
        Ok(of_vault.last().and_then(|(_, receipts)| receipts.last()).cloned())
    }
}
