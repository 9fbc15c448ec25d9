//! What only a ledger in a file can get wrong: opening what it should not, losing what it wrote, growing slow.

use std::{fs, path::Path, sync::Arc, time::Duration};

use jiff::Timestamp;
use releve_ledger::{
    Hosts, Ledger, LedgerError, LedgerErrorKind, Machine, Realm, ScriptedMachine, SqliteLedger, Stamp, Taking,
};
use releve_pace::HostInterval;
use rusqlite::Connection;

const TTL: Duration = Duration::from_secs(60);

fn machine(boot: &str) -> Arc<dyn Machine> {
    Arc::new(ScriptedMachine::new(boot, 1))
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(1_772_366_400_000 + millis).unwrap()
}

#[track_caller]
fn refused(opened: Result<SqliteLedger, LedgerError>, kind: LedgerErrorKind, says: &str) {
    let error = opened.unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(says), "{error}");
}

#[test]
fn what_is_no_ledger_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, bytes: &[u8], kind: LedgerErrorKind, says: &str| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        for open in [SqliteLedger::open, SqliteLedger::open_or_create] {
            refused(open(&path, Realm::Publishers, machine("boot-1")), kind, says);
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    };
    let text = "name = \"example\"\n".repeat(100);
    check("source.toml", text.as_bytes(), LedgerErrorKind::Foreign, "is not a ledger");

    let other = folder.path().join("other");
    let connection = Connection::open(&other).unwrap();
    connection.execute_batch("CREATE TABLE addresses (name TEXT)").unwrap();
    drop(connection);
    check("other.sqlite", &fs::read(&other).unwrap(), LedgerErrorKind::Foreign, "another program");

    let ledger = folder.path().join("ledger");
    SqliteLedger::open_or_create(&ledger, Realm::Publishers, machine("boot-1")).unwrap();
    let connection = Connection::open(&ledger).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    connection.pragma_update(None, "journal_mode", "delete").unwrap();
    drop(connection);
    check("newer.sqlite", &fs::read(&ledger).unwrap(), LedgerErrorKind::Newer, "format 99");

    let connection = Connection::open(&ledger).unwrap();
    connection.pragma_update(None, "user_version", -1).unwrap();
    drop(connection);
    check("wrong.sqlite", &fs::read(&ledger).unwrap(), LedgerErrorKind::Corrupt, "format -1");
}

#[test]
fn a_ledger_of_the_first_format_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(include_str!("../../src/sqlite/0001.sql")).unwrap();
    connection
        .execute_batch(
            "INSERT INTO about VALUES ('realm', 'publishers'), ('boot', 'boot-1'); \
             INSERT INTO source (name, lock, trigger_at) VALUES ('example', '{\"fence\":1}', 1772366400000000); \
             PRAGMA application_id = 0x524c564c; PRAGMA user_version = 1",
        )
        .unwrap();
    drop(connection);
    let ledger = SqliteLedger::open(&path, Realm::Publishers, machine("boot-1")).unwrap();
    assert_eq!(ledger.schedule("example", at(1)).unwrap().trigger, Some(at(0)));
    assert_eq!(ledger.walk("example").unwrap(), None);
}

#[test]
fn where_there_is_no_ledger_one_is_made_only_if_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite");
    refused(
        SqliteLedger::open(&path, Realm::Publishers, machine("b")),
        LedgerErrorKind::Missing,
        "no ledger",
    );
    assert!(!path.exists());
    // What a creation that was cut off leaves behind.
    fs::write(&path, b"").unwrap();
    refused(SqliteLedger::open(&path, Realm::Publishers, machine("b")), LedgerErrorKind::Missing, "empty");
    SqliteLedger::open_or_create(&path, Realm::Publishers, machine("b")).unwrap();
    SqliteLedger::open(&path, Realm::Publishers, machine("b")).unwrap();

    let nowhere = folder.path().join("missing").join("ledger.sqlite");
    let opened = SqliteLedger::open_or_create(&nowhere, Realm::Publishers, machine("b"));
    refused(opened, LedgerErrorKind::Io, "check its folder");
}

#[test]
fn a_lab_and_publishers_never_share_a_ledger() {
    let folder = tempfile::tempdir().unwrap();
    for (realm, other) in [(Realm::Lab, Realm::Publishers), (Realm::Publishers, Realm::Lab)] {
        let path = folder.path().join(realm.to_string());
        SqliteLedger::open_or_create(&path, realm, machine("b")).unwrap();
        let says = format!("the ledger of {realm}, this is a run of {other}");
        refused(SqliteLedger::open_or_create(&path, other, machine("b")), LedgerErrorKind::Realm, &says);
        refused(SqliteLedger::open(&path, other, machine("b")), LedgerErrorKind::Realm, &says);
        SqliteLedger::open(&path, realm, machine("b")).unwrap();
    }
}

#[test]
fn a_damaged_ledger_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = super::open(folder.path(), machine("b"));
    let connection = Connection::open(folder.path().join("ledger.sqlite")).unwrap();
    connection.execute("INSERT INTO source (name, lock) VALUES ('example', '{')", []).unwrap();
    let error = ledger.lock("example", at(0), TTL).unwrap_err();
    assert_eq!(error.kind(), LedgerErrorKind::Corrupt, "{error}");
    connection.execute_batch("DROP TABLE turn").unwrap();
    let error = ledger.take_turn("www.example.org", HostInterval::default(), at(0), TTL).unwrap_err();
    assert_eq!((error.kind(), error.code()), (LedgerErrorKind::Corrupt, "ledger-corrupt"), "{error}");
}

fn send(ledger: &SqliteLedger, host: &str, now: i64) -> i64 {
    let taking = ledger.take_turn(host, HostInterval::default(), at(now), TTL).unwrap();
    let Taking::Taken(turn) = taking else { panic!("it is held: {taking:?}") };
    let sent = turn.not_before();
    assert_eq!(ledger.stamp(&turn, sent, TTL).unwrap(), Stamp::Send);
    ledger.give_back(&turn, Some(sent), sent).unwrap();
    sent.as_millisecond() - at(0).as_millisecond()
}

// The last stamps before a loss of power may be lost, or the host's first stamp and with it the host.
#[test]
fn r21_after_a_boot_the_first_request_to_each_host_waits_one_interval() {
    let folder = tempfile::tempdir().unwrap();
    let before = super::open(folder.path(), machine("boot-1"));
    assert_eq!(send(&before, "www.example.org", 0), 0);
    assert_eq!(send(&before, "cms.example.org", 0), 0);

    let after = super::open(folder.path(), machine("boot-2"));
    assert_eq!(send(&after, "www.example.org", 100_000), 101_010);
    assert_eq!(send(&after, "never-seen.example.org", 100_000), 101_010);
    // Asking when the turn comes, and waiting, and asking again, comes to an end.
    let ask = |host: &str, now: i64| {
        let at_ = after.next_turn(host, HostInterval::default(), at(now)).unwrap();
        at_.as_millisecond() - at(0).as_millisecond()
    };
    assert_eq!((ask("cms.example.org", 100_000), ask("cms.example.org", 100_500)), (101_010, 101_010));
    assert_eq!((ask("new.example.org", 100_000), ask("new.example.org", 100_500)), (101_010, 101_010));
    // And then no longer.
    assert_eq!(send(&after, "www.example.org", 200_000), 200_000);
}

#[test]
fn r10_what_was_written_is_there_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = super::open(folder.path(), machine("b"));
    let Taking::Taken(lock) = ledger.lock("example", at(0), TTL).unwrap() else { panic!("it is held") };
    drop(ledger);
    let ledger = super::open(folder.path(), machine("b"));
    assert!(ledger.renew(&lock, at(1_000), TTL).unwrap());
    assert!(matches!(ledger.lock("example", at(2_000), TTL).unwrap(), Taking::Held { .. }));
}

#[test]
fn a_path_that_looks_like_something_else_is_a_path() {
    let folder = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:ledger?mode=memory", "caf\u{e9} 100%.sqlite"] {
        let path: &Path = &folder.path().join(name);
        SqliteLedger::open_or_create(path, Realm::Publishers, machine("b")).unwrap();
        assert!(path.exists(), "{name}");
    }
}

/// Two passes that cron starts at the same second are the first ones that there are.
#[test]
fn r10_processes_that_make_a_ledger_at_once_all_have_it() {
    for round in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.sqlite");
        let barrier = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            let open = || {
                barrier.wait();
                SqliteLedger::open_or_create(&path, Realm::Publishers, machine("boot-1")).map(drop)
            };
            let opened: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
            for opened in opened {
                assert_eq!(opened.join().unwrap().map_err(|error| error.to_string()), Ok(()), "{round}");
            }
        });
    }
}
