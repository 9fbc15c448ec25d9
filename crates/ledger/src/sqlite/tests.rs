use std::{path::Path, sync::Arc, time::Duration};

use jiff::Timestamp;
use releve_pace::HostInterval;

use super::{
    Realm, SqliteLedger,
    rows::{AT_ADDRESS, FIND, NEXT_TO_READ, list},
};
use crate::{Announced, Hosts, Ledger, LedgerErrorKind, PASSES_KEPT, ScriptedMachine, SeenIn, State, Taking};

const TTL: Duration = Duration::from_secs(60);

fn open(folder: &Path) -> SqliteLedger {
    let machine = Arc::new(ScriptedMachine::new("boot-1", 1));
    SqliteLedger::open_or_create(&folder.join("ledger.sqlite"), Realm::Publishers, machine).unwrap()
}

fn announced(number: usize) -> Announced {
    Announced {
        identifier: format!("{number:080}"),
        address: None,
        seen_in: SeenIn::Backlog,
        published: None,
        modified: None,
    }
}

/// A full disk, as SQLite meets it: the file may not grow.
#[test]
fn a_full_disk_is_said_and_nothing_is_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(folder.path());
    let now = Timestamp::UNIX_EPOCH;
    let Taking::Taken(lock) = ledger.lock("example", now, TTL).unwrap() else { panic!("it is held") };
    let pass = ledger.begin_pass(&lock, now).unwrap();
    ledger.announce(&pass, &[announced(0)], now).unwrap();
    let may_grow_to = |pages: i64| {
        let connection = ledger.durable.lock().unwrap();
        connection.pragma_update_and_check(None, "max_page_count", pages, |row| row.get::<_, i64>(0)).unwrap()
    };
    may_grow_to(1);
    let batch: Vec<Announced> = (1..2_000).map(announced).collect();
    let error = ledger.announce(&pass, &batch, now).unwrap_err();
    assert_eq!((error.kind(), error.code()), (LedgerErrorKind::Full, "ledger-disk-full"), "{error}");
    assert!(error.to_string().contains("free some and run again"), "{error}");
    assert_eq!(ledger.counts("example").unwrap().known(), 1);
    assert_eq!(ledger.known("example", &[&batch[0].identifier]).unwrap(), 0);

    // There is space again, and it goes on.
    may_grow_to(1_000_000);
    assert_eq!(ledger.announce(&pass, &batch, now).unwrap().new, 1_999);
    assert_eq!(ledger.counts("example").unwrap().known(), 2_000);
}

#[test]
fn a_ledger_that_somebody_holds_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    let (ledger, other) = (open(folder.path()), open(folder.path()));
    let other = other.durable.lock().unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for connection in [&ledger.durable, &ledger.quick] {
        connection.lock().unwrap().busy_timeout(Duration::from_millis(10)).unwrap();
    }
    let now = Timestamp::UNIX_EPOCH;
    let error = ledger.lock("example", now, TTL).unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Busy, "{error}");
    let error = ledger.take_turn("www.example.org", HostInterval::MIN, now, TTL).unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Busy, "{error}");
    // Who only reads goes on.
    assert_eq!(ledger.sources().unwrap(), [""; 0]);
    assert_eq!(ledger.next_turn("www.example.org", HostInterval::MIN, now).unwrap(), now);
    other.execute_batch("COMMIT").unwrap();
    assert!(matches!(ledger.lock("example", now, TTL).unwrap(), Taking::Taken(_)));
}

#[test]
fn old_passes_go_and_their_numbers_do_not_come_again() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(folder.path());
    // A thousand syncs would test the disk.
    ledger.durable.lock().unwrap().pragma_update(None, "synchronous", "OFF").unwrap();
    let now = Timestamp::UNIX_EPOCH;
    let [one, other] = ["one", "other"].map(|source| match ledger.lock(source, now, TTL).unwrap() {
        Taking::Taken(lock) => lock,
        held @ Taking::Held { .. } => panic!("{held:?}"),
    });
    let kept = ledger.begin_pass(&other, now).unwrap();
    let first = ledger.begin_pass(&one, now).unwrap();
    for _ in 0..PASSES_KEPT {
        ledger.begin_pass(&one, now).unwrap();
    }
    let passes = ledger.passes(Some("one"), usize::MAX).unwrap();
    assert_eq!(passes.len(), PASSES_KEPT);
    assert!(passes.iter().all(|pass| pass.id > first.id()));
    assert_eq!(ledger.passes(None, usize::MAX).unwrap().last().unwrap().id, kept.id());
}

/// Every statement over the references goes by an index that leads to what it wants: a scan of ten million takes seconds.
#[test]
fn no_statement_scans_the_references() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(folder.path());
    let connection = ledger.durable.lock().unwrap();
    let check = |sql: &str, index: &str, sorts: bool| {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let plan: Vec<String> =
            statement.raw_query().mapped(|row| row.get(3)).collect::<Result<_, _>>().unwrap();
        let plan = plan.join("; ");
        assert!(plan.contains(&format!("SEARCH r USING INDEX {index} (source=?")), "{sql}: {plan}");
        assert_eq!(plan.contains("TEMP B-TREE"), sorts, "{sql}: {plan}");
    };
    check(FIND, "reference_by_identifier", false);
    check(AT_ADDRESS, "reference_by_address", true);
    check(NEXT_TO_READ, "reference_to_read", false);
    check(list(State::Queued), "reference_to_read", true);
    check(list(State::Refused), "reference_by_state", false);
    check(list(State::SetAside), "reference_by_state", false);
    check(list(State::Sealed), "reference_by_identifier", false);
}
