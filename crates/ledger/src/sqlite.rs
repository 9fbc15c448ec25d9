use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use releve_pace::HostInterval;
use releve_url_canon::HttpsUrl;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

pub use self::open::Realm;
use self::rows::{
    AT_ADDRESS, NEXT_TO_READ, READ_ELSEWHERE, address_key, beginnings, entry, find_entry, find_robots,
    instant, length, limit, maybe_instant, micros, number, put_entry, put_robots, receipt,
};
use crate::{
    AT_ADDRESS_MAX, Announced, Choice, Counts, Entry, Heard, Hosts, Ledger, LedgerError, LedgerErrorKind,
    Life, Machine, Outcome, PASSES_KEPT, Pass, PassEnd, PassId, PassRecord, PutOff, Receipt, RobotsCopy,
    Round, Schedule, SourceLock, Stamp, State, Taking, Turn, WalkRecord,
    lock::LockRecord,
    moment::{Call, Moment},
    robots_copy::host_of,
    turn::TurnRecord,
};

mod open;
mod rows;
#[cfg(test)]
mod tests;
mod wire;

/// A ledger in a file, shared by the processes of one machine.
///
/// SQLite with a write-ahead log. What a publisher or the vault would notice if it were lost (references, what was
/// sealed, locks, due times) is on disk when a call returns. Turns are stamped at every request, and a sync for each
/// would cost more than the request; they are written through a second connection that leaves syncing to the next of
/// the others. A process that dies loses none of them. A machine that loses power may lose the last ones, so a stamp
/// from before the machine's last boot counts as now: the first request to each host then waits one interval.
///
/// The file must not lie on a network file system. With an identifier of 28 bytes and an address of 86, a reference
/// weighs 270 bytes while it is queued and 410 once it is sealed, its receipt and its places in the indices included.
/// Among ten million, 1,000 are looked up in some 5 ms, and heard of again in some 45.
pub struct SqliteLedger {
    path: PathBuf,
    durable: Mutex<Connection>,
    quick: Mutex<Connection>,
    made_in: String,
    machine: Arc<dyn Machine>,
}

impl fmt::Debug for SqliteLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteLedger").field("path", &self.path).finish_non_exhaustive()
    }
}

impl SqliteLedger {
    /// Opens the ledger at `path`, which must be there and of this realm.
    pub fn open(path: &Path, realm: Realm, machine: Arc<dyn Machine>) -> Result<Self, LedgerError> {
        Self::open_with(path, realm, machine, false)
    }

    /// Opens the ledger at `path`, and makes one where there is none. Its folder must be there.
    pub fn open_or_create(path: &Path, realm: Realm, machine: Arc<dyn Machine>) -> Result<Self, LedgerError> {
        Self::open_with(path, realm, machine, true)
    }

    fn open_with(
        path: &Path,
        realm: Realm,
        machine: Arc<dyn Machine>,
        create: bool,
    ) -> Result<Self, LedgerError> {
        let opened = open::open(path, realm, create, &*machine).map_err(|fault| fault.at(path))?;
        Ok(Self {
            path: path.to_owned(),
            durable: Mutex::new(opened.durable),
            quick: Mutex::new(opened.quick),
            made_in: opened.made_in,
            machine,
        })
    }

    /// One transaction whose effects are on disk at its end.
    fn durably<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>) -> Result<T, LedgerError> {
        self.within(&self.durable, TransactionBehavior::Immediate, work)
    }

    /// One transaction whose effects every process sees, and a loss of power may undo.
    fn quickly<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>) -> Result<T, LedgerError> {
        self.within(&self.quick, TransactionBehavior::Immediate, work)
    }

    /// One look at one state of the ledger.
    fn reading<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>) -> Result<T, LedgerError> {
        self.within(&self.durable, TransactionBehavior::Deferred, work)
    }

    fn within<T>(
        &self,
        connection: &Mutex<Connection>,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, LedgerError> {
        // A panic in `work` rolled its transaction back when it unwound, so the connection is as good as before.
        let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
        let run = || {
            let transaction = connection.transaction_with_behavior(behavior)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        run().map_err(|fault: Fault| fault.at(&self.path))
    }

    fn call(&self, now: Timestamp) -> Call {
        Call::at(now, &*self.machine)
    }

    /// The record of a host's turn as it counts at `now`, and whether it counts otherwise than it stands in the file.
    fn turn(&self, connection: &Connection, host: &str, now: &Moment) -> Result<(TurnRecord, bool), Fault> {
        let row = connection
            .prepare_cached("SELECT boot, record FROM turn WHERE host = ?1")?
            .query_row([host], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
            .optional()?;
        let (boot, mut turn) = match row {
            Some((boot, record)) => (boot, wire::turn_from_text(&record)?),
            None => (self.made_in.clone(), TurnRecord::default()),
        };
        // Stamps that were written before this boot may be the last ones, or the last ones may be lost.
        if boot != self.machine.holder().boot {
            turn.last_sent = Some(now.clone());
            return Ok((turn, true));
        }
        let is_settled = !turn.settle(now);
        Ok((turn, !is_settled))
    }

    /// What a host's turn says `now`, without taking it. It is written only where it counts otherwise than it stands.
    fn looking<T>(
        &self,
        host: &str,
        now: Timestamp,
        look: impl Fn(&Transaction<'_>, &TurnRecord, &Moment) -> Result<T, Fault>,
    ) -> Result<T, LedgerError> {
        let call = self.call(now);
        let look = |transaction: &Transaction<'_>| {
            let now = call.moment(&*self.machine);
            let (turn, differs) = self.turn(transaction, host, &now)?;
            Ok((look(transaction, &turn, &now)?, turn, differs))
        };
        let (seen, _, differs) = self.reading(look)?;
        if !differs {
            return Ok(seen);
        }
        self.quickly(|transaction| {
            let (seen, turn, _) = look(transaction)?;
            self.put_turn(transaction, host, &turn)?;
            Ok(seen)
        })
    }

    fn put_turn(&self, connection: &Connection, host: &str, turn: &TurnRecord) -> Result<(), Fault> {
        let record = wire::turn_to_text(turn)?;
        connection
            .prepare_cached("INSERT OR REPLACE INTO turn (host, boot, record) VALUES (?1, ?2, ?3)")?
            .execute(params![host, self.machine.holder().boot, record])?;
        Ok(())
    }
}

/// The host's interval, lengthened by the longest Crawl-delay known of it.
fn lengthen(connection: &Connection, host: &str, interval: HostInterval) -> Result<HostInterval, Fault> {
    let delay: Option<i64> = connection
        .prepare_cached("SELECT max(crawl_delay) FROM robots WHERE host = ?1")?
        .query_row([host], |row| row.get(0))?;
    Ok(delay.map_or(interval, |delay| interval.lengthen(length(delay))))
}

impl Hosts for SqliteLedger {
    fn take_turn(
        &self,
        host: &str,
        interval: HostInterval,
        now: Timestamp,
        ttl: Duration,
    ) -> Result<Taking<Turn>, LedgerError> {
        let call = self.call(now);
        self.quickly(|transaction| {
            let now = call.moment(&*self.machine);
            let interval = lengthen(transaction, host, interval)?;
            let (mut turn, differs) = self.turn(transaction, host, &now)?;
            let before = turn.clone();
            let taking = turn.take(host, interval, &now, ttl, &*self.machine);
            // Who only looks whether a turn has come free writes nothing.
            if differs || turn != before {
                self.put_turn(transaction, host, &turn)?;
            }
            Ok(taking)
        })
    }

    fn stamp(&self, turn: &Turn, now: Timestamp, ttl: Duration) -> Result<Stamp, LedgerError> {
        let call = self.call(now);
        self.quickly(|transaction| {
            let now = call.moment(&*self.machine);
            let (mut record, _) = self.turn(transaction, &turn.host, &now)?;
            let stamp = record.stamp(turn, &now, ttl);
            if stamp != Stamp::Lost {
                self.put_turn(transaction, &turn.host, &record)?;
            }
            Ok(stamp)
        })
    }

    fn give_back(&self, turn: &Turn, sent_at: Option<Timestamp>, now: Timestamp) -> Result<(), LedgerError> {
        let call = self.call(now);
        self.quickly(|transaction| {
            let now = call.moment(&*self.machine);
            let (mut record, _) = self.turn(transaction, &turn.host, &now)?;
            record.give_back(turn, sent_at, &now);
            self.put_turn(transaction, &turn.host, &record)
        })
    }

    fn leave_alone(&self, host: &str, length: Duration, now: Timestamp) -> Result<(), LedgerError> {
        let call = self.call(now);
        self.durably(|transaction| {
            let now = call.moment(&*self.machine);
            let (mut record, _) = self.turn(transaction, host, &now)?;
            record.leave_alone(length, &now);
            self.put_turn(transaction, host, &record)
        })
    }

    fn left_alone_until(&self, host: &str, now: Timestamp) -> Result<Option<Timestamp>, LedgerError> {
        self.looking(host, now, |_, turn, now| Ok(turn.left_alone_until(now)))
    }

    fn next_turn(
        &self,
        host: &str,
        interval: HostInterval,
        now: Timestamp,
    ) -> Result<Timestamp, LedgerError> {
        self.looking(host, now, |transaction, turn, now| {
            Ok(turn.not_before(lengthen(transaction, host, interval)?, now))
        })
    }

    fn robots(&self, authority: &str, now: Timestamp) -> Result<Option<RobotsCopy>, LedgerError> {
        let kept = self.reading(|transaction| find_robots(transaction, authority))?;
        if kept.as_ref().is_none_or(|kept| kept.fetched_at <= now) {
            return Ok(kept);
        }
        self.durably(|transaction| {
            let settled = find_robots(transaction, authority)?.and_then(|kept| kept.settled(now));
            if let Some(settled) = &settled {
                put_robots(transaction, authority, host_of(authority), settled)?;
            }
            Ok(settled)
        })
    }

    fn keep_robots(&self, authority: &str, copy: &RobotsCopy) -> Result<(), LedgerError> {
        self.durably(|transaction| {
            let copy = copy.kept(find_robots(transaction, authority)?.as_ref());
            put_robots(transaction, authority, host_of(authority), &copy)
        })
    }
}

/// A source's row, under the lock that `fence` numbers; a fault if that lock was lost.
fn locked_source(connection: &Connection, source: &str, fence: u64) -> Result<i64, Fault> {
    match find_source(connection, source)? {
        Some((id, lock)) if lock.is(fence) => Ok(id),
        _ => Err(Fault::Kind(LedgerErrorKind::LockLost, Some(source.to_owned()))),
    }
}

fn find_source(connection: &Connection, source: &str) -> Result<Option<(i64, LockRecord)>, Fault> {
    let row = connection
        .prepare_cached("SELECT id, lock FROM source WHERE name = ?1")?
        .query_row([source], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))
        .optional()?;
    row.map(|(id, lock)| Ok((id, wire::lock_from_text(&lock)?))).transpose()
}

fn source_id(connection: &Connection, source: &str) -> Result<Option<i64>, Fault> {
    let mut statement = connection.prepare_cached("SELECT id FROM source WHERE name = ?1")?;
    Ok(statement.query_row([source], |row| row.get(0)).optional()?)
}

fn put_lock(connection: &Connection, source: &str, lock: &LockRecord) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT INTO source (name, lock) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET lock = excluded.lock",
        )?
        .execute([source, &wire::lock_to_text(lock)?])?;
    Ok(())
}

/// How the counts of a source change in one transaction.
#[derive(Default)]
struct Moves {
    left: Counts,
    entered: Counts,
}

impl Moves {
    fn moved(&mut self, from: Option<State>, to: State) {
        if let Some(from) = from {
            *self.left.of(from) += 1;
        }
        *self.entered.of(to) += 1;
    }

    fn apply(&self, connection: &Connection, source: i64) -> Result<(), Fault> {
        if self.left == self.entered {
            return Ok(());
        }
        let change = |entered: u64, left: u64| entered.cast_signed().wrapping_sub(left.cast_signed());
        let Self { left, entered } = self;
        connection
            .prepare_cached(
                "UPDATE source SET queued = queued + ?2, refused = refused + ?3, sealed = sealed + ?4, \
                 set_aside = set_aside + ?5 WHERE id = ?1",
            )?
            .execute(params![
                source,
                change(entered.queued, left.queued),
                change(entered.refused, left.refused),
                change(entered.sealed, left.sealed),
                change(entered.set_aside, left.set_aside),
            ])?;
        Ok(())
    }
}

impl Ledger for SqliteLedger {
    fn lock(&self, source: &str, now: Timestamp, ttl: Duration) -> Result<Taking<SourceLock>, LedgerError> {
        let call = self.call(now);
        self.durably(|transaction| {
            let now = call.moment(&*self.machine);
            let mut lock =
                find_source(transaction, source)?.map_or_else(LockRecord::default, |(_, lock)| lock);
            let before = lock.clone();
            let taking = lock.take(source, &now, ttl, &*self.machine);
            if lock != before {
                put_lock(transaction, source, &lock)?;
            }
            Ok(taking)
        })
    }

    fn renew(&self, lock: &SourceLock, now: Timestamp, ttl: Duration) -> Result<bool, LedgerError> {
        let call = self.call(now);
        self.durably(|transaction| {
            let now = call.moment(&*self.machine);
            let Some((_, mut record)) = find_source(transaction, &lock.source)? else {
                return Ok(false);
            };
            let renewed = record.renew(lock.fence, &now, ttl);
            if renewed {
                put_lock(transaction, &lock.source, &record)?;
            }
            Ok(renewed)
        })
    }

    fn release(&self, lock: &SourceLock) -> Result<(), LedgerError> {
        self.durably(|transaction| {
            if let Some((_, mut record)) = find_source(transaction, &lock.source)? {
                record.release(lock.fence);
                put_lock(transaction, &lock.source, &record)?;
            }
            Ok(())
        })
    }

    fn schedule(&self, source: &str, now: Timestamp) -> Result<Schedule, LedgerError> {
        let kept = self.reading(|transaction| find_schedule(transaction, source))?;
        if kept == kept.settled(now) {
            return Ok(kept);
        }
        self.durably(|transaction| {
            let settled = find_schedule(transaction, source)?.settled(now);
            put_schedule(transaction, source, settled)?;
            Ok(settled)
        })
    }

    fn mark(&self, pass: &Pass, round: Round, at: Timestamp) -> Result<(), LedgerError> {
        self.durably(|transaction| {
            locked_source(transaction, &pass.source, pass.fence)?;
            let mut schedule = find_schedule(transaction, &pass.source)?;
            schedule.mark(round, at);
            put_schedule(transaction, &pass.source, schedule)
        })
    }

    fn begin_pass(&self, lock: &SourceLock, now: Timestamp) -> Result<Pass, LedgerError> {
        self.durably(|transaction| {
            let source = locked_source(transaction, &lock.source, lock.fence)?;
            transaction.execute(
                "UPDATE pass SET interrupted = 1 WHERE source = ?1 AND ended_at IS NULL AND interrupted = 0",
                [source],
            )?;
            transaction.execute(
                "INSERT INTO pass (source, began_at, holder) VALUES (?1, ?2, ?3)",
                params![source, micros(now), wire::holder_to_text(&self.machine.holder())?],
            )?;
            let id = PassId(transaction.last_insert_rowid());
            transaction.execute(
                "DELETE FROM pass WHERE source = ?1 AND id <= \
                 (SELECT id FROM pass WHERE source = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
                params![source, limit(PASSES_KEPT)],
            )?;
            Ok(Pass { id, source: lock.source.clone(), fence: lock.fence })
        })
    }

    fn finish_pass(&self, pass: &Pass, now: Timestamp, report: &str) -> Result<(), LedgerError> {
        self.durably(|transaction| {
            locked_source(transaction, &pass.source, pass.fence)?;
            transaction.execute(
                "UPDATE pass SET ended_at = ?2, report = ?3 WHERE id = ?1",
                params![pass.id.0, micros(now), report],
            )?;
            Ok(())
        })
    }

    fn passes(&self, source: Option<&str>, number: usize) -> Result<Vec<PassRecord>, LedgerError> {
        self.reading(|transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT pass.id, name, began_at, holder, ended_at, report, interrupted \
                 FROM pass JOIN source ON source.id = pass.source \
                 WHERE ?1 IS NULL OR name = ?1 ORDER BY pass.id DESC LIMIT ?2",
            )?;
            let mut rows = statement.query(params![source, limit(number)])?;
            let mut passes = Vec::new();
            while let Some(row) = rows.next()? {
                let holder = wire::holder_from_text(&row.get::<_, String>(3)?)?;
                let end = match maybe_instant(row.get(4)?) {
                    Some(at) => PassEnd::Finished { at, report: row.get(5)? },
                    None if row.get(6)? => PassEnd::Interrupted,
                    None => PassEnd::Running,
                };
                let may_live = self.machine.life(&holder) != Life::Dead;
                let mut pass = PassRecord {
                    id: PassId(row.get(0)?),
                    source: row.get(1)?,
                    began_at: instant(row.get(2)?),
                    holder,
                    end,
                };
                pass.see_whether_it_runs(may_live);
                passes.push(pass);
            }
            Ok(passes)
        })
    }

    fn announce(&self, pass: &Pass, announced: &[Announced], now: Timestamp) -> Result<Heard, LedgerError> {
        self.durably(|transaction| {
            let source = locked_source(transaction, &pass.source, pass.fence)?;
            let mut heard = Heard::default();
            let mut moves = Moves::default();
            for announced in announced {
                let Some((id, mut entry)) = find_entry(transaction, source, &announced.identifier)? else {
                    let entry = Entry::new(announced, now);
                    put_entry(transaction, source, None, &entry)?;
                    moves.moved(None, entry.state);
                    heard.new += 1;
                    heard.known_since(now);
                    continue;
                };
                heard.known_since(entry.first_seen);
                let before = entry.clone();
                if entry.hear(announced, now) {
                    heard.modified += 1;
                } else {
                    heard.known += 1;
                }
                // Most of what is announced was announced before.
                if entry != before {
                    put_entry(transaction, source, Some(id), &entry)?;
                    moves.moved(Some(before.state), entry.state);
                }
            }
            moves.apply(transaction, source)?;
            Ok(heard)
        })
    }

    fn put_off(
        &self,
        pass: &Pass,
        announced: &Announced,
        why: &PutOff,
        now: Timestamp,
    ) -> Result<(), LedgerError> {
        self.durably(|transaction| {
            let source = locked_source(transaction, &pass.source, pass.fence)?;
            let found = find_entry(transaction, source, &announced.identifier)?;
            let before = found.as_ref().map(|(_, entry)| entry.state);
            let (id, mut entry) = match found {
                None => (None, Entry::new(announced, now)),
                Some((id, mut entry)) => {
                    entry.hear(announced, now);
                    (Some(id), entry)
                }
            };
            entry.put_off(why, now);
            put_entry(transaction, source, id, &entry)?;
            let mut moves = Moves::default();
            moves.moved(before, entry.state);
            moves.apply(transaction, source)
        })
    }

    fn next_to_read(
        &self,
        pass: &Pass,
        choice: Choice,
        but_at: &[String],
        now: Timestamp,
        most: usize,
    ) -> Result<Vec<Entry>, LedgerError> {
        let but_at = beginnings(but_at);
        self.reading(|transaction| {
            let source = locked_source(transaction, &pass.source, pass.fence)?;
            let mut statement = transaction.prepare_cached(NEXT_TO_READ)?;
            let states = number(choice.last_state());
            entries(statement.query(params![source, pass.id.0, micros(now), limit(most), states, but_at])?)
        })
    }

    fn record(
        &self,
        pass: &Pass,
        read: &Entry,
        outcome: &Outcome,
        now: Timestamp,
    ) -> Result<(), LedgerError> {
        self.durably(|transaction| {
            let source = locked_source(transaction, &pass.source, pass.fence)?;
            let Some((id, mut entry)) = find_entry(transaction, source, &read.identifier)? else {
                return Ok(());
            };
            let before = entry.state;
            entry.apply(read, outcome, pass.id, now);
            put_entry(transaction, source, Some(id), &entry)?;
            let mut moves = Moves::default();
            moves.moved(Some(before), entry.state);
            moves.apply(transaction, source)
        })
    }

    fn entry(&self, source: &str, identifier: &str) -> Result<Option<Entry>, LedgerError> {
        self.reading(|transaction| {
            let Some(source) = source_id(transaction, source)? else {
                return Ok(None);
            };
            Ok(find_entry(transaction, source, identifier)?.map(|(_, entry)| entry))
        })
    }

    fn entries_at(&self, source: &str, address: &HttpsUrl) -> Result<Vec<Entry>, LedgerError> {
        self.reading(|transaction| {
            let Some(source) = source_id(transaction, source)? else {
                return Ok(Vec::new());
            };
            let text = address.as_str();
            let mut statement = transaction.prepare_cached(AT_ADDRESS)?;
            let mut found =
                entries(statement.query(params![source, address_key(text), text, limit(AT_ADDRESS_MAX)])?)?;
            let mut statement = transaction.prepare_cached(READ_ELSEWHERE)?;
            found.extend(entries(statement.query(params![source, text, limit(AT_ADDRESS_MAX)])?)?);
            found.sort_by(|one, other| one.identifier.cmp(&other.identifier));
            found.dedup_by(|one, other| one.identifier == other.identifier);
            found.truncate(AT_ADDRESS_MAX);
            Ok(found)
        })
    }

    fn list(
        &self,
        source: &str,
        state: State,
        after: Option<&str>,
        number: usize,
    ) -> Result<Vec<Entry>, LedgerError> {
        self.reading(|transaction| {
            let Some(source) = source_id(transaction, source)? else {
                return Ok(Vec::new());
            };
            // The first text after `after`, in the order of bytes.
            let from = after.map(|after| format!("{after}\0")).unwrap_or_default();
            let mut statement = transaction.prepare_cached(rows::list(state))?;
            entries(statement.query(params![source, from, limit(number)])?)
        })
    }

    fn walk(&self, source: &str) -> Result<Option<WalkRecord>, LedgerError> {
        self.reading(|transaction| {
            let Some(source) = source_id(transaction, source)? else { return Ok(None) };
            let mut statement = transaction
                .prepare_cached("SELECT began_at, place, history, report FROM walk WHERE source = ?1")?;
            let mut found = statement.query([source])?;
            found.next()?.map(rows::walk).transpose()
        })
    }

    fn keep_walk(&self, pass: &Pass, walk: &WalkRecord) -> Result<(), LedgerError> {
        self.durably(|transaction| {
            let source = locked_source(transaction, &pass.source, pass.fence)?;
            transaction
                .prepare_cached(
                    "INSERT OR REPLACE INTO walk (source, began_at, place, history, report) \
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![source, micros(walk.began_at), walk.place, walk.history, walk.report])?;
            Ok(())
        })
    }

    fn known(&self, source: &str, identifiers: &[&str]) -> Result<usize, LedgerError> {
        self.reading(|transaction| {
            let Some(source) = source_id(transaction, source)? else {
                return Ok(0);
            };
            let mut statement = transaction
                .prepare_cached("SELECT 1 FROM reference WHERE source = ?1 AND identifier = ?2")?;
            let mut known = 0;
            for identifier in identifiers {
                known += usize::from(statement.exists(params![source, identifier])?);
            }
            Ok(known)
        })
    }

    fn counts(&self, source: &str) -> Result<Counts, LedgerError> {
        self.reading(|transaction| {
            let counts = transaction
                .prepare_cached("SELECT queued, refused, sealed, set_aside FROM source WHERE name = ?1")?
                .query_row([source], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, i64>(3)?]))
                .optional()?
                .unwrap_or_default();
            let [queued, refused, sealed, set_aside] = counts.map(|count| u64::try_from(count).unwrap_or(0));
            Ok(Counts { queued, refused, sealed, set_aside })
        })
    }

    fn retry(&self, source: &str, identifier: &str) -> Result<bool, LedgerError> {
        self.durably(|transaction| {
            let Some(source) = source_id(transaction, source)? else {
                return Ok(false);
            };
            let Some((id, mut entry)) = find_entry(transaction, source, identifier)? else {
                return Ok(false);
            };
            let before = entry.state;
            let lifted = entry.lift();
            if lifted {
                put_entry(transaction, source, Some(id), &entry)?;
                let mut moves = Moves::default();
                moves.moved(Some(before), entry.state);
                moves.apply(transaction, source)?;
            }
            Ok(lifted)
        })
    }

    fn sources(&self) -> Result<Vec<String>, LedgerError> {
        self.reading(|transaction| {
            let mut statement = transaction.prepare_cached("SELECT name FROM source ORDER BY name")?;
            let names = statement.query_map([], |row| row.get(0))?;
            Ok(names.collect::<Result<_, _>>()?)
        })
    }

    fn receipts(&self, vault: &str, sequence: u64, number: usize) -> Result<Vec<Receipt>, LedgerError> {
        let from = i64::try_from(sequence).unwrap_or(i64::MAX);
        self.reading(|transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT unit, seal, received_at, sequence FROM receipt \
                 WHERE vault = (SELECT id FROM vault WHERE name = ?1) AND sequence >= ?2 \
                 ORDER BY sequence, id LIMIT ?3",
            )?;
            let mut rows = statement.query(params![vault, from, limit(number)])?;
            let mut receipts = Vec::new();
            while let Some(row) = rows.next()? {
                receipts.push(receipt(vault, row)?);
            }
            Ok(receipts)
        })
    }

    fn head(&self, vault: &str) -> Result<Option<Receipt>, LedgerError> {
        self.reading(|transaction| {
            let mut statement = transaction.prepare_cached(
                "SELECT unit, seal, received_at, sequence FROM receipt \
                 WHERE vault = (SELECT id FROM vault WHERE name = ?1) ORDER BY sequence DESC, id DESC LIMIT 1",
            )?;
            let mut rows = statement.query([vault])?;
            rows.next()?.map(|row| receipt(vault, row)).transpose()
        })
    }
}

fn entries(mut rows: rusqlite::Rows<'_>) -> Result<Vec<Entry>, Fault> {
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push(entry(row)?.1);
    }
    Ok(entries)
}

fn find_schedule(connection: &Connection, source: &str) -> Result<Schedule, Fault> {
    let row = connection
        .prepare_cached("SELECT trigger_at, backlog_at FROM source WHERE name = ?1")?
        .query_row([source], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (trigger, backlog) = row.unwrap_or_default();
    Ok(Schedule { trigger: maybe_instant(trigger), backlog: maybe_instant(backlog) })
}

fn put_schedule(connection: &Connection, source: &str, schedule: Schedule) -> Result<(), Fault> {
    connection
        .prepare_cached("UPDATE source SET trigger_at = ?2, backlog_at = ?3 WHERE name = ?1")?
        .execute(params![source, schedule.trigger.map(micros), schedule.backlog.map(micros)])?;
    Ok(())
}

/// What a transaction can fail of, before it is known at which ledger.
enum Fault {
    Sql(rusqlite::Error),
    Corrupt(String),
    Kind(LedgerErrorKind, Option<String>),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl Fault {
    fn at(self, path: &Path) -> LedgerError {
        use rusqlite::ErrorCode;
        match self {
            Self::Corrupt(detail) => LedgerError::at(LedgerErrorKind::Corrupt, path).detail(detail),
            Self::Kind(kind, None) => LedgerError::at(kind, path),
            Self::Kind(kind, Some(detail)) => LedgerError::at(kind, path).detail(detail),
            Self::Sql(error) => {
                /// SQLITE_IOERR_SHMSIZE: shared memory could not grow, for which the usual reason is a full disk.
                const SHARED_MEMORY_SIZE: i32 = 4874;
                let extended = error.sqlite_error().map(|error| error.extended_code);
                let kind = match error.sqlite_error_code() {
                    _ if extended == Some(SHARED_MEMORY_SIZE) => LedgerErrorKind::Full,
                    Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LedgerErrorKind::Busy,
                    Some(ErrorCode::DiskFull) => LedgerErrorKind::Full,
                    Some(ErrorCode::NotADatabase) => LedgerErrorKind::Foreign,
                    // Without a code of SQLite's it is a value that is not of its column's kind. `Unknown` is SQLite's name
                    // for a statement that does not fit the tables.
                    Some(
                        ErrorCode::DatabaseCorrupt | ErrorCode::ConstraintViolation | ErrorCode::Unknown,
                    )
                    | None => LedgerErrorKind::Corrupt,
                    Some(_) => LedgerErrorKind::Io,
                };
                LedgerError::at(kind, path).because(error)
            }
        }
    }
}
