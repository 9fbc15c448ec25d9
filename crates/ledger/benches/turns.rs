//! What keeping the pace costs: a request's four calls on the ledger, over many hosts, by one process and by four.
//!
//! `cargo bench -p releve-ledger --bench turns`

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods)]

use std::{
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use releve_ledger::{Hosts, Realm, SqliteLedger, Stamp, Taking, ThisMachine};
use releve_pace::HostInterval;

const TTL: Duration = Duration::from_secs(60);
const HOSTS: usize = 2_000;

fn open(path: &Path) -> SqliteLedger {
    SqliteLedger::open_or_create(path, Realm::Publishers, Arc::new(ThisMachine::look())).unwrap()
}

/// One request at each host of this worker's.
fn requests(ledger: &SqliteLedger, worker: usize) {
    for host in 0..HOSTS {
        let host = format!("www-{worker}-{host}.example.org");
        let now = Timestamp::now();
        ledger.next_turn(&host, HostInterval::MIN, now).unwrap();
        let Taking::Taken(turn) = ledger.take_turn(&host, HostInterval::MIN, now, TTL).unwrap() else {
            panic!("somebody has it")
        };
        assert_eq!(ledger.stamp(&turn, now, TTL).unwrap(), Stamp::Send);
        ledger.give_back(&turn, Some(now), now).unwrap();
    }
}

fn main() {
    let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let path = folder.path().join("ledger.sqlite");
    open(&path);
    for workers in [1, 4] {
        let start = Instant::now();
        thread::scope(|scope| {
            for worker in 0..workers {
                // Each with connections of its own, as processes have.
                let path = &path;
                scope.spawn(move || requests(&open(path), workers * 10 + worker));
            }
        });
        let count = u32::try_from(workers * HOSTS).unwrap();
        let took = start.elapsed();
        println!("{workers} at once: {count} requests in {took:.2?}, {:.1?} each", took / count);
    }
}
