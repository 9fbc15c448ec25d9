//! The ledger under real processes: `/proc` as it is, signals as they come.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use jiff::Timestamp;
use releve_ledger::{
    Announced, Hosts, Ledger, Life, Machine, PassEnd, SeenIn, Stamp, State, Taking, ThisMachine,
};
use releve_pace::HostInterval;
use rusqlite::Connection;

const TTL: Duration = Duration::from_secs(60);
const HOST: &str = "www.example.org";
const FOLDER: &str = "RELEVE_TEST_LEDGER_FOLDER";

#[allow(clippy::disallowed_methods)] // Real processes live by the real clock.
fn now() -> Timestamp {
    Timestamp::now()
}

#[allow(clippy::disallowed_methods)]
fn sleep_until(at: Timestamp) {
    thread::sleep(Duration::try_from(at.duration_since(now())).unwrap_or_default());
}

/// Runs one of the tests below that are marked as a part for a child, on the ledger in `folder`.
struct Actor {
    child: Child,
    says: BufReader<ChildStdout>,
}

impl Actor {
    fn play(part: &str, folder: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("processes::{part}"), "--ignored", "--nocapture"])
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let says = BufReader::new(child.stdout.take().unwrap());
        Self { child, says }
    }

    /// The next line that begins with `word`, without it.
    fn wait_for(&mut self, word: &str) -> Option<String> {
        let lines = self.says.by_ref().lines().map(Result::unwrap);
        let mut lines =
            lines.filter_map(|line| line.split_once(word).map(|(_, rest)| rest.trim().to_owned()));
        lines.next()
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[allow(clippy::disallowed_methods)]
fn ledger_of_child() -> impl Ledger {
    let folder = std::env::var(FOLDER).unwrap();
    super::open(Path::new(&folder), Arc::new(ThisMachine::look()))
}

fn say(line: &str) {
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{line}").unwrap();
    stdout.flush().unwrap();
}

#[test]
#[ignore = "a part for a child"]
fn hold_everything() {
    let ledger = ledger_of_child();
    assert!(matches!(ledger.lock("example", now(), TTL).unwrap(), Taking::Taken(_)));
    let Taking::Taken(turn) = ledger.take_turn(HOST, HostInterval::default(), now(), TTL).unwrap() else {
        panic!("it is held")
    };
    assert_eq!(ledger.stamp(&turn, now(), TTL).unwrap(), Stamp::Send);
    say("holding");
    // Until the parent kills it.
    std::io::stdin().lines().for_each(drop);
}

#[test]
fn r10_kill_9_frees_lock_and_turn_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = super::open(folder.path(), Arc::new(ThisMachine::look()));
    let mut actor = Actor::play("hold_everything", folder.path());
    actor.wait_for("holding").unwrap();
    let Taking::Held { by, .. } = ledger.lock("example", now(), TTL).unwrap() else { panic!("both have it") };
    assert_eq!(by.pid, actor.child.id());
    assert!(matches!(
        ledger.take_turn(HOST, HostInterval::default(), now(), TTL).unwrap(),
        Taking::Held { .. }
    ));

    actor.child.kill().unwrap();
    // Nobody has asked yet how it ended: it is a zombie, and dead all the same.
    let deadline = now() + Duration::from_secs(10);
    while ThisMachine::look().life(&by) == Life::Alive && now() < deadline {
        sleep_until(now() + Duration::from_millis(5));
    }
    let killed = now();
    assert!(matches!(ledger.lock("example", now(), TTL).unwrap(), Taking::Taken(_)));
    // R21: it may have sent until it was killed, so the next request waits an interval from then.
    let Taking::Taken(turn) = ledger.take_turn(HOST, HostInterval::default(), now(), TTL).unwrap() else {
        panic!("it is held")
    };
    assert!(turn.not_before() >= killed + Duration::from_secs(1), "{turn:?}");
    actor.child.wait().unwrap();
    assert_eq!(ThisMachine::look().life(&by), Life::Dead);
}

#[test]
#[ignore = "a part for a child"]
fn send_four_requests() {
    let ledger = ledger_of_child();
    for _ in 0..4 {
        let turn = loop {
            match ledger.take_turn(HOST, HostInterval::default(), now(), TTL).unwrap() {
                Taking::Taken(turn) => break turn,
                Taking::Held { .. } => sleep_until(now() + Duration::from_millis(20)),
            }
        };
        sleep_until(turn.not_before());
        assert_eq!(ledger.stamp(&turn, now(), TTL).unwrap(), Stamp::Send);
        let sent = now();
        say(&format!("sent {}", sent.as_nanosecond()));
        ledger.give_back(&turn, Some(sent), now()).unwrap();
    }
}

// Somebody writes all the while, so that every call waits for the file: what the clock showed when a process called is
// long past by the time that it sees what others have stamped.
#[test]
fn r21_processes_share_a_host_at_one_request_a_second() {
    let folder = tempfile::tempdir().unwrap();
    super::open(folder.path(), Arc::new(ThisMachine::look()));
    let done = AtomicBool::new(false);
    let mut sent: Vec<i128> = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            let writer = Connection::open(folder.path().join("ledger.sqlite")).unwrap();
            writer.busy_timeout(Duration::from_secs(10)).unwrap();
            while !done.load(Ordering::Relaxed) {
                writer.execute_batch("BEGIN IMMEDIATE").unwrap();
                sleep_until(now() + Duration::from_millis(150));
                writer.execute_batch("COMMIT").unwrap();
                sleep_until(now() + Duration::from_millis(20));
            }
        });
        let actors: Vec<Actor> = (0..3).map(|_| Actor::play("send_four_requests", folder.path())).collect();
        for mut actor in actors {
            while let Some(instant) = actor.wait_for("sent ") {
                sent.push(instant.parse().unwrap());
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    sent.sort_unstable();
    assert_eq!(sent.len(), 12);
    for pair in sent.windows(2) {
        assert!(pair[1] - pair[0] >= 1_000_000_000, "{sent:?}");
    }
}

#[test]
#[ignore = "a part for a child"]
fn lock_once() {
    let ledger = ledger_of_child();
    say("ready");
    std::io::stdin().lines().next();
    let taken = matches!(ledger.lock("example", now(), TTL).unwrap(), Taking::Taken(_));
    say(if taken { "locked yes" } else { "locked no" });
    std::io::stdin().lines().for_each(drop);
}

// Opening is a race too: all of them find no ledger and make one.
#[test]
fn r10_of_many_processes_that_start_together_one_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut actors: Vec<Actor> = (0..6).map(|_| Actor::play("lock_once", folder.path())).collect();
    for actor in &mut actors {
        actor.wait_for("ready").unwrap();
    }
    for actor in &mut actors {
        actor.child.stdin.as_mut().unwrap().write_all(b"go\n").unwrap();
    }
    let locked: Vec<String> = actors.iter_mut().map(|actor| actor.wait_for("locked ").unwrap()).collect();
    assert_eq!(locked.iter().filter(|locked| *locked == "yes").count(), 1, "{locked:?}");
}

#[test]
#[ignore = "a part for a child"]
fn announce_batches() {
    let ledger = ledger_of_child();
    let Taking::Taken(lock) = ledger.lock("example", now(), TTL).unwrap() else { panic!("it is held") };
    let pass = ledger.begin_pass(&lock, now()).unwrap();
    let known = ledger.counts("example").unwrap().known();
    for batch in 0.. {
        let announced: Vec<Announced> = (0..BATCH).map(|n| announced(known + batch * BATCH + n)).collect();
        ledger.announce(&pass, &announced, now()).unwrap();
        say(&format!("announced {}", known + (batch + 1) * BATCH));
    }
}

const BATCH: u64 = 50;

fn announced(number: u64) -> Announced {
    Announced {
        identifier: format!("{number:08}"),
        address: None,
        seen_in: SeenIn::Trigger,
        published: None,
        modified: None,
    }
}

#[test]
fn r10_a_killed_pass_leaves_whole_batches_and_a_free_source() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = super::open(folder.path(), Arc::new(ThisMachine::look()));
    for killed_after in 1..6 {
        let mut actor = Actor::play("announce_batches", folder.path());
        let mut acknowledged = 0;
        for _ in 0..killed_after {
            acknowledged = actor.wait_for("announced ").unwrap().parse().unwrap();
        }
        actor.child.kill().unwrap();
        actor.child.wait().unwrap();

        let counts = ledger.counts("example").unwrap();
        assert!(counts.known() >= acknowledged, "what was acknowledged is there");
        assert_eq!(counts.known() % BATCH, 0, "a batch is there whole or not at all");
        let listed = ledger.list("example", State::Queued, None, usize::MAX).unwrap();
        assert_eq!(
            u64::try_from(listed.len()).unwrap(),
            counts.queued,
            "the counts are those of the references"
        );
        assert_eq!(ledger.passes(Some("example"), 1).unwrap()[0].end, PassEnd::Interrupted);
    }
}

#[test]
fn this_machine_tells_the_living_from_the_dead() {
    let machine = ThisMachine::look();
    let me = machine.holder();
    assert_eq!(me.pid, std::process::id());
    assert_eq!(machine.life(&me), Life::Alive);
    let mut other = me.clone();
    other.started += 1;
    assert_eq!(machine.life(&other), Life::Dead, "a later process has its number");
    other.boot = "another".to_owned();
    assert_eq!(machine.life(&other), Life::Unknown);
    other.boot.clone_from(&me.boot);
    other.view = "another".to_owned();
    assert_eq!(machine.life(&other), Life::Unknown, "numbers mean something else in another namespace");
    let first = machine.since_boot().unwrap();
    assert!(first > Duration::ZERO && machine.since_boot().unwrap() >= first);
}
