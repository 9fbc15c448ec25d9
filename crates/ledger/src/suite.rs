//! The tests that every adapter must pass, this crate's and others'.
//!
//! An adapter's test target says how an empty store is made and opened, and gets one test a promise:
//!
//! ```
//! use std::sync::Arc;
//! use releve_ledger::{Ledger, Machine, MemoryLedger};
//!
//! fn empty() -> impl Fn(Arc<dyn Machine>) -> Box<dyn Ledger> {
//!     let store = MemoryLedger::new();
//!     move |machine| Box::new(store.seen_from(machine))
//! }
//!
//! releve_ledger::ledger_suite!(empty);
//! ```
//!
//! `empty` is called once a test, and what it returns once for each process that the test plays; all of those see one
//! store. Every test has its instants made up, so none of them waits.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc)] // A test fails by a panic.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use releve_pace::HostInterval;
use releve_robots::{BYTES_MAX, Blocked, Standing};
use releve_url_canon::HttpsUrl;

use crate::{
    Announced, Choice, Counts, DETAIL_BYTES_MAX, Digest, Entry, Holder, Ledger, LedgerErrorKind, Life,
    Machine, Outcome, Pass, PassEnd, PutOff, Receipt, RobotsCopy, Round, Schedule, ScriptedMachine, Sealed,
    SeenIn, SourceLock, Stamp, State, Taking, Turn, WalkRecord,
};

/// Opens the store under test as the process that the machine speaks for.
pub type Open<'a> = &'a dyn Fn(Arc<dyn Machine>) -> Box<dyn Ledger>;

/// Makes a test of each check of the [suite](crate::suite), named after it. The argument is a function that returns an
/// opener of an empty store; see the module for an example.
#[macro_export]
macro_rules! ledger_suite {
    ($empty:expr) => {
        $crate::ledger_suite! { $empty;
            r06_what_is_set_aside_stays_until_it_is_lifted
            r10_a_lock_is_held_by_one
            r10_the_lock_of_a_dead_process_is_free_at_once
            r10_the_lock_of_a_process_elsewhere_is_free_when_its_lease_is_over
            r10_a_clock_set_back_does_not_lock_a_source_for_ever
            r10_who_lost_the_lock_writes_nothing
            r09_what_is_announced_says_since_when_all_of_it_is_known
            r10_a_walk_is_kept_with_its_place
            r18_due_times_are_kept_and_never_move_back
            r21_two_processes_keep_the_interval_between_them
            r21_a_turn_is_held_by_one
            r21_a_dead_holder_costs_one_interval
            r21_a_late_sender_moves_everybody_behind_it
            r21_a_stamp_never_moves_back
            r21_a_clock_set_back_costs_one_interval
            r21_a_clock_set_forward_shortens_nothing
            r21_a_call_that_had_to_wait_counts_from_its_end
            r21_who_comes_too_early_is_told_to_wait
            r21_a_host_that_asks_to_be_left_alone_is_by_every_process
            r21_a_crawl_delay_binds_every_process
            r21_hosts_do_not_wait_for_each_other
            r22_a_robots_txt_is_kept_for_all_processes
            r22_a_robots_txt_from_the_future_is_asked_for_again
            r23_a_failed_read_waits_for_the_next_pass
            r23_what_failed_is_apart_from_what_nobody_tried
            r23_a_failed_read_may_wait_longer
            r41_what_is_put_off_waits_for_its_instant_or_the_trigger
            announced_references_are_read_newest_first
            an_article_is_read_again_only_for_a_later_modification
            a_modification_announced_while_reading_is_not_lost
            a_reference_is_found_by_its_address
            references_are_listed_by_state
            counts_follow_every_change
            passes_are_kept_with_their_reports
            an_interrupted_pass_is_known_as_such
            receipts_are_kept_in_order
        }
    };
    ($empty:expr; $($check:ident)*) => {
        $(
            #[test]
            fn $check() {
                let open = $empty();
                $crate::suite::$check(&|machine| open(machine));
            }
        )*
    };
}

const TTL: Duration = Duration::from_secs(60);
const HOST: &str = "www.example.org";
const SOURCE: &str = "example";

/// The instant so many milliseconds after the suite's beginning.
fn at(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(1_772_366_400_000 + millis).unwrap()
}

const HOUR: i64 = 3_600_000;

fn machine(pid: u32) -> Arc<ScriptedMachine> {
    Arc::new(ScriptedMachine::new("boot-1", pid))
}

fn process(open: Open<'_>, pid: u32) -> Box<dyn Ledger> {
    open(machine(pid))
}

#[track_caller]
fn taken<T: std::fmt::Debug>(taking: Taking<T>) -> T {
    match taking {
        Taking::Taken(taken) => taken,
        held @ Taking::Held { .. } => panic!("it is held: {held:?}"),
    }
}

#[track_caller]
fn held_until<T: std::fmt::Debug>(taking: Taking<T>) -> Timestamp {
    match taking {
        Taking::Held { until, .. } => until,
        taken @ Taking::Taken(_) => panic!("it was free: {taken:?}"),
    }
}

fn take(ledger: &dyn Ledger, now: i64) -> Taking<Turn> {
    ledger.take_turn(HOST, HostInterval::default(), at(now), TTL).unwrap()
}

/// Takes the turn at `now`, sends at the first instant allowed, and gives it back at once.
#[track_caller]
fn send(ledger: &dyn Ledger, now: i64) -> i64 {
    let turn = taken(take(ledger, now));
    let sent = turn.not_before();
    assert_eq!(ledger.stamp(&turn, sent, TTL).unwrap(), Stamp::Send);
    ledger.give_back(&turn, Some(sent), sent).unwrap();
    sent.as_millisecond() - at(0).as_millisecond()
}

fn lock(ledger: &dyn Ledger, now: i64) -> Taking<SourceLock> {
    ledger.lock(SOURCE, at(now), TTL).unwrap()
}

#[track_caller]
fn begin(ledger: &dyn Ledger, now: i64) -> Pass {
    let lock = taken(lock(ledger, now));
    ledger.begin_pass(&lock, at(now)).unwrap()
}

fn address(path: &str) -> HttpsUrl {
    format!("https://www.example.org/{path}").parse().unwrap()
}

fn announced(identifier: &str, seen_in: SeenIn, published: i64, modified: Option<i64>) -> Announced {
    Announced {
        identifier: identifier.to_owned(),
        address: Some(address(identifier)),
        seen_in,
        published: Some(at(published)),
        modified: modified.map(at),
    }
}

/// What has no other identifier than its address.
fn at_address(address: &str, seen_in: SeenIn, published: i64) -> Announced {
    Announced { address: address.parse().ok(), ..announced(address, seen_in, published, None) }
}

fn identifiers(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.identifier.as_str()).collect()
}

fn to_read(ledger: &dyn Ledger, pass: &Pass, now: i64) -> Vec<Entry> {
    ledger.next_to_read(pass, Choice::All, &[], at(now), 100).unwrap()
}

fn receipt(sequence: u64, mark: u8) -> Receipt {
    let digest = |kind: u8| -> Digest { std::array::from_fn(|place| if place == 0 { kind } else { mark }) };
    Receipt {
        vault: "vault-1".to_owned(),
        sequence,
        unit: digest(1),
        seal: digest(2),
        received_at: at(i64::from(mark)),
    }
}

fn sealed(sequence: u64, path: &str, read_at: i64) -> Outcome {
    let sealed = Sealed { receipt: receipt(sequence, 7), content_key: [3; 32], address: address(path) };
    Outcome::Sealed { sealed, read_at: at(read_at) }
}

fn refused(not_before: Option<i64>) -> Outcome {
    Outcome::Refused {
        code: "not-found".to_owned(),
        detail: "the server answered 404".to_owned(),
        not_before: not_before.map(at),
    }
}

fn set_aside() -> Outcome {
    Outcome::SetAside {
        code: "identifiers-differ".to_owned(),
        detail: "1 in the trigger, 2 in the article".to_owned(),
    }
}

/// One pass after another, each reading the one reference there is.
#[track_caller]
fn one_pass(ledger: &dyn Ledger, now: i64, announced: &[Announced], outcome: Option<&Outcome>) {
    let lock = taken(lock(ledger, now));
    let pass = ledger.begin_pass(&lock, at(now)).unwrap();
    ledger.announce(&pass, announced, at(now)).unwrap();
    let next = to_read(ledger, &pass, now);
    match outcome {
        Some(outcome) => {
            assert_eq!(next.len(), 1, "there is one thing to read at {now}");
            ledger.record(&pass, &next[0], outcome, at(now)).unwrap();
        }
        None => assert_eq!(identifiers(&next), [""; 0], "there is nothing to read at {now}"),
    }
    ledger.finish_pass(&pass, at(now), "{}").unwrap();
    ledger.release(&lock).unwrap();
}

/// An article whose identifiers differ is not read again, however often it is announced and however late its
/// modification, until somebody lifts it.
pub fn r06_what_is_set_aside_stays_until_it_is_lifted(open: Open<'_>) {
    let ledger = process(open, 1);
    one_pass(&*ledger, 0, &[announced("a", SeenIn::Trigger, 0, None)], Some(&set_aside()));
    let again = announced("a", SeenIn::Trigger, 0, Some(HOUR));
    one_pass(&*ledger, HOUR, std::slice::from_ref(&again), None);
    one_pass(&*ledger, 1_000 * HOUR, &[again], None);
    let entry = ledger.entry(SOURCE, "a").unwrap().unwrap();
    assert_eq!(entry.state, State::SetAside);
    assert_eq!(entry.refusal.unwrap().code, "identifiers-differ");

    assert!(ledger.retry(SOURCE, "a").unwrap());
    assert!(!ledger.retry(SOURCE, "a").unwrap(), "there is nothing left to lift");
    assert!(!ledger.retry(SOURCE, "b").unwrap());
    assert!(!ledger.retry("other", "a").unwrap());
    one_pass(&*ledger, 1_001 * HOUR, &[], Some(&sealed(1, "a", 1_001 * HOUR)));
}

/// Whatever started them, of two passes of one source one runs.
pub fn r10_a_lock_is_held_by_one(open: Open<'_>) {
    let (one, two) = (process(open, 1), process(open, 2));
    let lock_of_one = taken(lock(&*one, 0));
    assert_eq!(lock_of_one.source(), SOURCE);
    let Taking::Held { by, since, until } = lock(&*two, 1_000) else { panic!("both have it") };
    assert_eq!((by.pid, since, until), (1, at(0), at(60_000)));
    // Not even the same process has it twice.
    assert_eq!(held_until(lock(&*one, 1_000)), at(60_000));
    // Another source is another matter.
    taken(two.lock("other", at(1_000), TTL).unwrap());

    // A process that lives keeps its lock whatever its lease says: it may be slow, and two passes must not run at once.
    held_until(lock(&*two, 61_000));
    assert!(one.renew(&lock_of_one, at(62_000), TTL).unwrap());
    assert_eq!(held_until(lock(&*two, 63_000)), at(122_000));

    one.release(&lock_of_one).unwrap();
    assert!(!one.renew(&lock_of_one, at(64_000), TTL).unwrap());
    let lock_of_two = taken(lock(&*two, 64_000));
    // Releasing again, after somebody else has it, takes it from nobody.
    one.release(&lock_of_one).unwrap();
    held_until(lock(&*one, 65_000));
    assert!(two.renew(&lock_of_two, at(65_000), TTL).unwrap());
    assert_eq!(one.sources().unwrap(), [SOURCE, "other"]);

    // A process that let its own lease run out has forgotten it.
    taken(lock(&*two, 126_000));
    assert!(!two.renew(&lock_of_two, at(126_000), TTL).unwrap());
}

/// A killed pass frees its source by itself, on its own machine without any wait.
pub fn r10_the_lock_of_a_dead_process_is_free_at_once(open: Open<'_>) {
    let (first, second) = (machine(1), machine(2));
    let (one, two) = (open(first.clone()), open(second.clone()));
    let lost = taken(lock(&*one, 0));
    held_until(lock(&*two, 1));
    second.bury(first.holder());
    taken(lock(&*two, 1));
    assert!(!one.renew(&lost, at(2), TTL).unwrap());
}

/// Of a process on another machine nothing is known but its lease.
pub fn r10_the_lock_of_a_process_elsewhere_is_free_when_its_lease_is_over(open: Open<'_>) {
    let (here, there) = (process(open, 1), open(Arc::new(ScriptedMachine::new("boot-2", 1))));
    let lost = taken(lock(&*there, 0));
    held_until(lock(&*here, 59_999));
    taken(lock(&*here, 60_000));
    assert!(!there.renew(&lost, at(60_001), TTL).unwrap());
}

/// A lease from the future counts as begun at the first look, so it is over one lease later.
pub fn r10_a_clock_set_back_does_not_lock_a_source_for_ever(open: Open<'_>) {
    let (here, there) = (process(open, 1), open(Arc::new(ScriptedMachine::new("boot-2", 1))));
    taken(lock(&*there, 8_760 * HOUR));
    assert_eq!(held_until(lock(&*here, 0)), at(60_000));
    assert_eq!(held_until(lock(&*here, 30_000)), at(60_000));
    taken(lock(&*here, 60_000));
}

/// A process that was thought dead and was not cannot write into the pass of the one that took over.
pub fn r10_who_lost_the_lock_writes_nothing(open: Open<'_>) {
    let (first, second) = (machine(1), machine(2));
    let (one, two) = (open(first.clone()), open(second.clone()));
    let lost_lock = taken(lock(&*one, 0));
    let lost = one.begin_pass(&lost_lock, at(0)).unwrap();
    one.announce(&lost, &[announced("a", SeenIn::Trigger, 0, None)], at(0)).unwrap();
    let handed_out = to_read(&*one, &lost, 0).remove(0);
    second.bury(first.holder());
    let pass = begin(&*two, 1);

    let writes = [
        one.announce(&lost, &[announced("b", SeenIn::Trigger, 0, None)], at(2)).map(|_| ()),
        one.record(&lost, &handed_out, &sealed(1, "a", 2), at(2)),
        one.mark(&lost, Round::Trigger, at(2)),
        one.finish_pass(&lost, at(2), "{}"),
        one.begin_pass(&lost_lock, at(2)).map(|_| ()),
        one.next_to_read(&lost, Choice::All, &[], at(2), 1).map(|_| ()),
    ];
    for write in writes {
        assert_eq!(write.unwrap_err().kind(), LedgerErrorKind::LockLost);
    }
    assert_eq!(identifiers(&to_read(&*two, &pass, 3)), ["a"]);
    assert_eq!(two.counts(SOURCE).unwrap(), Counts { queued: 1, ..Counts::default() });
    assert_eq!(two.schedule(SOURCE, at(3)).unwrap(), Schedule::default());
    assert_eq!(two.head("vault-1").unwrap(), None);
}

/// What was done last is known to every process, and a clock set back leaves no due time that never comes.
pub fn r18_due_times_are_kept_and_never_move_back(open: Open<'_>) {
    let (one, two) = (process(open, 1), process(open, 2));
    assert_eq!(two.schedule(SOURCE, at(0)).unwrap(), Schedule::default());
    let pass = begin(&*one, 0);
    one.mark(&pass, Round::Trigger, at(2_000)).unwrap();
    one.mark(&pass, Round::Trigger, at(1_000)).unwrap();
    one.mark(&pass, Round::Backlog, at(3_000)).unwrap();
    let kept = Schedule { trigger: Some(at(2_000)), backlog: Some(at(3_000)) };
    assert_eq!(two.schedule(SOURCE, at(4_000)).unwrap(), kept);
    assert_eq!(two.schedule("other", at(4_000)).unwrap(), Schedule::default());

    // The clock was set back: both count as now, and go on counting from then.
    let settled = Schedule { trigger: Some(at(-HOUR)), backlog: Some(at(-HOUR)) };
    assert_eq!(two.schedule(SOURCE, at(-HOUR)).unwrap(), settled);
    assert_eq!(two.schedule(SOURCE, at(0)).unwrap(), settled);
}

/// Turns alternate between two processes, a full interval apart and no more.
pub fn r21_two_processes_keep_the_interval_between_them(open: Open<'_>) {
    let (one, two) = (process(open, 1), process(open, 2));
    let mut sent = vec![send(&*one, 0)];
    for n in 1..20 {
        let ledger = if n % 2 == 0 { &one } else { &two };
        // Asked 30 ms after the request before it, as one would who waited for the turn.
        let before = sent[n - 1];
        assert_eq!(
            ledger.next_turn(HOST, HostInterval::default(), at(before + 30)).unwrap(),
            at(before + 1_010)
        );
        sent.push(send(&**ledger, before + 30));
    }
    for pair in sent.windows(2) {
        assert_eq!(pair[1] - pair[0], 1_010, "{sent:?}");
    }
}

/// While a turn is held nobody else has it; when it is lost, its holder learns it before sending.
pub fn r21_a_turn_is_held_by_one(open: Open<'_>) {
    let (one, two) = (process(open, 1), process(open, 2));
    let first = taken(take(&*one, 0));
    assert_eq!((first.host(), first.last_sent(), first.not_before()), (HOST, None, at(0)));
    let Taking::Held { by, since, until } = take(&*two, 1_000) else { panic!("both have it") };
    assert_eq!((by.pid, since, until), (1, at(0), at(60_000)));
    // Two tasks of one process are two as well.
    held_until(take(&*one, 1_000));

    // Given back unused, it costs nobody anything.
    one.give_back(&first, None, at(2_000)).unwrap();
    let second = taken(take(&*two, 2_000));
    assert!(second.fence() > first.fence());
    assert_eq!(second.not_before(), at(2_000));
    assert_eq!(one.stamp(&first, at(2_000), TTL).unwrap(), Stamp::Lost);
    one.give_back(&first, None, at(2_000)).unwrap();
    held_until(take(&*one, 2_000));

    // Stamping begins the lease anew.
    assert_eq!(two.stamp(&second, at(50_000), TTL).unwrap(), Stamp::Send);
    assert_eq!(held_until(take(&*one, 61_000)), at(110_000));
    two.give_back(&second, Some(at(50_000)), at(61_000)).unwrap();
    let third = taken(take(&*one, 61_000));
    assert_eq!((third.last_sent(), third.not_before()), (Some(at(50_000)), at(61_000)));
    // Who lets the lease run out and finds that nobody wanted the turn still has it.
    assert_eq!(one.stamp(&third, at(200_000), TTL).unwrap(), Stamp::Send);
}

/// A holder that died may have sent until its death was noticed, and the next waits from then.
pub fn r21_a_dead_holder_costs_one_interval(open: Open<'_>) {
    let (first, second) = (machine(1), machine(2));
    let (one, two) = (open(first.clone()), open(second.clone()));
    let elsewhere = open(Arc::new(ScriptedMachine::new("boot-2", 1)));

    // Killed between taking the turn and sending, on this machine: noticed at once.
    let lost = taken(take(&*one, 0));
    assert_eq!(one.stamp(&lost, at(0), TTL).unwrap(), Stamp::Send);
    held_until(take(&*two, 5_000));
    second.bury(first.holder());
    assert_eq!(send(&*two, 5_000), 6_010);

    // Elsewhere: its lease must be over.
    let lost = taken(take(&*elsewhere, 10_000));
    assert_eq!(held_until(take(&*two, 69_999)), at(70_000));
    assert_eq!(send(&*two, 70_000), 71_010);
    assert_eq!(elsewhere.stamp(&lost, at(71_000), TTL).unwrap(), Stamp::Lost);
}

/// The interval counts from when the request left, not from when it might have.
pub fn r21_a_late_sender_moves_everybody_behind_it(open: Open<'_>) {
    let (one, two) = (process(open, 1), process(open, 2));
    let late = taken(take(&*one, 0));
    assert_eq!(one.stamp(&late, at(0), TTL).unwrap(), Stamp::Send);
    one.give_back(&late, Some(at(2_000)), at(2_500)).unwrap();
    assert_eq!(send(&*two, 2_500), 3_010);

    // So late that another has taken over: the other is told to wait from the late request on.
    let late = taken(take(&*one, 4_000));
    assert_eq!(one.stamp(&late, at(4_100), TTL).unwrap(), Stamp::Send);
    let other = taken(take(&*two, 64_100));
    assert_eq!(other.not_before(), at(65_110));
    one.give_back(&late, Some(at(65_000)), at(65_100)).unwrap();
    assert_eq!(two.stamp(&other, at(65_110), TTL).unwrap(), Stamp::Wait { at: at(66_010) });
    held_until(take(&*one, 65_200));
    assert_eq!(two.stamp(&other, at(66_010), TTL).unwrap(), Stamp::Send);
}

/// No report of an earlier request moves the stamp to an earlier instant.
pub fn r21_a_stamp_never_moves_back(open: Open<'_>) {
    let ledger = process(open, 1);
    assert_eq!(send(&*ledger, 0), 0);
    let turn = taken(take(&*ledger, 5_000));
    assert_eq!(ledger.stamp(&turn, at(5_000), TTL).unwrap(), Stamp::Send);
    // It cannot have left before it was stamped: the clock must have been set, so it counts as having left now.
    ledger.give_back(&turn, Some(at(100)), at(5_300)).unwrap();
    assert_eq!(send(&*ledger, 5_300), 6_310);
    // Stamped and not sent: it counts all the same.
    let turn = taken(take(&*ledger, 10_000));
    assert_eq!(ledger.stamp(&turn, at(10_000), TTL).unwrap(), Stamp::Send);
    ledger.give_back(&turn, None, at(10_100)).unwrap();
    assert_eq!(send(&*ledger, 10_100), 11_010);
}

/// A stamp in the future counts as now, once: the wait is one interval, not none and not an hour.
pub fn r21_a_clock_set_back_costs_one_interval(open: Open<'_>) {
    let (one, two) = (process(open, 1), process(open, 2));
    assert_eq!(send(&*one, HOUR), HOUR);
    let turn = taken(take(&*two, 0));
    assert_eq!(turn.not_before(), at(1_010));
    two.give_back(&turn, None, at(500)).unwrap();
    // Looked at again, it still counts from the first look.
    assert_eq!(send(&*one, 600), 1_010);

    // So does who only asks, and waits, and asks again.
    assert_eq!(one.next_turn(HOST, HostInterval::default(), at(-HOUR)).unwrap(), at(1_010 - HOUR));
    assert_eq!(two.next_turn(HOST, HostInterval::default(), at(500 - HOUR)).unwrap(), at(1_010 - HOUR));

    // Set back while the turn is held: the stamp is judged again before sending.
    let turn = taken(take(&*one, 5_000));
    assert_eq!(one.stamp(&turn, at(-2 * HOUR), TTL).unwrap(), Stamp::Wait { at: at(1_010 - 2 * HOUR) });
    assert_eq!(one.stamp(&turn, at(1_010 - 2 * HOUR), TTL).unwrap(), Stamp::Send);

    // A turn held from the future is free one lease after the first look.
    assert_eq!(held_until(take(&*two, -3 * HOUR)), at(60_000 - 3 * HOUR));
    assert_eq!(held_until(take(&*two, 30_000 - 3 * HOUR)), at(60_000 - 3 * HOUR));
    assert_eq!(send(&*two, 60_000 - 3 * HOUR), 61_010 - 3 * HOUR);
}

/// Where the machine has a clock that cannot be set, that one tells how long ago a request left.
pub fn r21_a_clock_set_forward_shortens_nothing(open: Open<'_>) {
    let machines = [machine(1), machine(2)];
    let tick = |millis: u64| {
        for machine in &machines {
            machine.set_since_boot(Duration::from_millis(millis));
        }
    };
    tick(100_000);
    let (one, two) = (open(machines[0].clone()), open(machines[1].clone()));
    assert_eq!(send(&*one, 0), 0);
    // 300 ms later the clock says that a day went by.
    tick(100_300);
    let turn = taken(take(&*two, 24 * HOUR));
    let wait = turn.not_before().duration_since(at(24 * HOUR));
    assert_eq!(wait.as_millis(), 710, "one interval, less the 300 ms that went by");
    assert!(matches!(two.stamp(&turn, at(24 * HOUR), TTL).unwrap(), Stamp::Wait { .. }));
    // Nor is the lease over because the clock says so.
    tick(100_400);
    held_until(take(&*one, 48 * HOUR));
    tick(161_000);
    taken(take(&*one, 48 * HOUR));
}

/// A machine on which 500 ms go by between making a call and its having the ledger to itself.
#[derive(Debug)]
struct Slow {
    looks: AtomicU64,
}

impl Machine for Slow {
    fn holder(&self) -> Holder {
        machine(3).holder()
    }

    fn life(&self, holder: &Holder) -> Life {
        machine(3).life(holder)
    }

    fn since_boot(&self) -> Option<Duration> {
        Some(Duration::from_millis(100_000 + 500 * self.looks.fetch_add(1, Ordering::Relaxed)))
    }
}

/// While a call waits for the ledger, others stamp. That is no sign of a clock set back: the call is later than they are.
pub fn r21_a_call_that_had_to_wait_counts_from_its_end(open: Open<'_>) {
    let other = machine(1);
    other.set_since_boot(Duration::from_millis(100_400));
    assert_eq!(send(&*open(other), 400), 400);
    let slow = open(Arc::new(Slow { looks: AtomicU64::new(0) }));
    let turn = taken(take(&*slow, 0));
    assert_eq!((turn.last_sent(), turn.not_before()), (Some(at(400)), at(1_410)));
}

/// The ledger itself refuses to stamp a request that would come too close.
pub fn r21_who_comes_too_early_is_told_to_wait(open: Open<'_>) {
    let ledger = process(open, 1);
    assert_eq!(send(&*ledger, 0), 0);
    let turn = taken(take(&*ledger, 100));
    assert_eq!(ledger.stamp(&turn, at(999), TTL).unwrap(), Stamp::Wait { at: at(1_010) });
    // The promise is one second; what is aimed at beyond it is for the way to the publisher.
    assert_eq!(ledger.stamp(&turn, at(1_000), TTL).unwrap(), Stamp::Send);
    // A turn is for one request: however late the first one leaves, no second one can come too close to it.
    assert_eq!(ledger.stamp(&turn, at(3_000), TTL).unwrap(), Stamp::Lost);
    ledger.give_back(&turn, Some(at(2_500)), at(3_000)).unwrap();
    assert_eq!(send(&*ledger, 3_000), 3_510);
}

/// What a host asks for by `Retry-After` holds for whoever reaches it, and no longer than it asked, however the clock is set.
pub fn r21_a_host_that_asks_to_be_left_alone_is_by_every_process(open: Open<'_>) {
    let (one, two) = (process(open, 1), process(open, 2));
    let next = |ledger: &dyn Ledger, now| ledger.next_turn(HOST, HostInterval::default(), at(now)).unwrap();
    assert_eq!(send(&*one, 0), 0);
    let held = taken(take(&*one, 1_500));
    one.leave_alone(HOST, Duration::from_secs(60), at(2_000)).unwrap();
    // Even a turn that is held already is not to be used.
    assert_eq!(one.stamp(&held, at(2_000), TTL).unwrap(), Stamp::Wait { at: at(62_000) });
    one.give_back(&held, None, at(2_000)).unwrap();
    two.leave_alone(HOST, Duration::from_secs(1), at(3_000)).unwrap();
    assert_eq!(next(&*two, 3_000), at(62_000));
    assert_eq!(two.left_alone_until(HOST, at(3_000)).unwrap(), Some(at(62_000)));
    assert_eq!(taken(take(&*two, 3_000)).not_before(), at(62_000));
    assert_eq!(two.next_turn("other.example", HostInterval::default(), at(3_000)).unwrap(), at(3_000));
    // A longer one counts from when it was asked for.
    one.leave_alone(HOST, Duration::from_secs(600), at(10_000)).unwrap();
    assert_eq!(next(&*two, 10_000), at(610_000));
    assert_eq!(next(&*two, 610_000), at(610_000));
    assert_eq!(two.left_alone_until(HOST, at(610_000)).unwrap(), None);
    // A clock that was set back by an hour leaves a wait that is no longer than it was.
    assert_eq!(next(&*one, 10_000 - HOUR), at(610_000 - HOUR));
}

fn robots(fetched_at: i64, crawl_delay: Option<u64>) -> RobotsCopy {
    RobotsCopy {
        fetched_at: at(fetched_at),
        standing: Standing::Rules { until: at(fetched_at + 24 * HOUR) },
        body: b"User-agent: *\nDisallow: /private\n".to_vec(),
        crawl_delay: crawl_delay.map(Duration::from_secs),
    }
}

/// A Crawl-delay that one process learned lengthens the turns of all, of every source and on every port.
pub fn r21_a_crawl_delay_binds_every_process(open: Open<'_>) {
    let (one, two) = (process(open, 1), process(open, 2));
    assert_eq!(send(&*one, 0), 0);
    one.keep_robots(HOST, &robots(0, Some(7))).unwrap();
    assert_eq!(two.next_turn(HOST, HostInterval::default(), at(10)).unwrap(), at(7_010));
    let turn = taken(take(&*two, 10));
    assert_eq!(turn.interval().promised(), Duration::from_secs(7));
    assert_eq!(two.stamp(&turn, at(6_999), TTL).unwrap(), Stamp::Wait { at: at(7_010) });
    assert_eq!(two.stamp(&turn, at(7_010), TTL).unwrap(), Stamp::Send);
    two.give_back(&turn, Some(at(7_010)), at(7_020)).unwrap();

    // A source that is gentler still keeps its own; a delay under a second changes nothing.
    let slow = HostInterval::new(Duration::from_secs(30)).unwrap();
    assert_eq!(one.next_turn(HOST, slow, at(7_020)).unwrap(), at(37_020));
    one.keep_robots("www.example.org:8443", &robots(0, Some(20))).unwrap();
    assert_eq!(one.next_turn(HOST, HostInterval::default(), at(7_020)).unwrap(), at(27_020));
    one.keep_robots("www.example.org:8443", &robots(0, Some(0))).unwrap();
    assert_eq!(one.next_turn(HOST, HostInterval::default(), at(7_020)).unwrap(), at(14_020));

    // While the file cannot be had, what was known goes on; once it asks for none, none is kept.
    let blocked = Standing::Blocked { retry_at: at(900_000), why: Blocked::Unreachable };
    one.keep_robots(HOST, &RobotsCopy { standing: blocked, ..robots(0, None) }).unwrap();
    assert_eq!(one.next_turn(HOST, HostInterval::default(), at(7_020)).unwrap(), at(14_020));
    one.keep_robots(HOST, &robots(0, None)).unwrap();
    assert_eq!(one.next_turn(HOST, HostInterval::default(), at(7_020)).unwrap(), at(8_020));
}

/// A host that is slow makes nobody else wait.
pub fn r21_hosts_do_not_wait_for_each_other(open: Open<'_>) {
    let ledger = process(open, 1);
    taken(take(&*ledger, 0));
    let other = taken(ledger.take_turn("cms.example.org", HostInterval::default(), at(0), TTL).unwrap());
    assert_eq!(other.not_before(), at(0));
}

/// What one process fetched another need not fetch.
pub fn r22_a_robots_txt_is_kept_for_all_processes(open: Open<'_>) {
    let (one, two) = (process(open, 1), process(open, 2));
    assert_eq!(two.robots(HOST, at(0)).unwrap(), None);
    let standings = [
        Standing::Rules { until: at(24 * HOUR) },
        Standing::Absent { until: at(24 * HOUR) },
        Standing::Blocked { retry_at: at(900_000), why: Blocked::ServerError(503) },
        Standing::Blocked { retry_at: at(900_000), why: Blocked::UnexpectedStatus(206) },
        Standing::Blocked { retry_at: at(900_000), why: Blocked::Unreachable },
        Standing::Blocked { retry_at: at(900_000), why: Blocked::CutOff },
        Standing::Blocked { retry_at: at(900_000), why: Blocked::RedirectRefused },
    ];
    for standing in standings {
        let copy = RobotsCopy { standing, ..robots(0, None) };
        one.keep_robots(HOST, &copy).unwrap();
        assert_eq!(two.robots(HOST, at(1_000)).unwrap(), Some(copy));
    }
    assert_eq!(two.robots("www.example.org:8443", at(0)).unwrap(), None);

    // Of a file that is too long, what is parsed is kept, and a byte that shows that it went on.
    let long = RobotsCopy { body: vec![b'#'; 2 * BYTES_MAX], ..robots(0, None) };
    one.keep_robots(HOST, &long).unwrap();
    assert_eq!(two.robots(HOST, at(0)).unwrap().unwrap().body.len(), BYTES_MAX + 1);
}

/// After the clock was set back the age of a copy is not known, so it is not kept for longer than it may be.
pub fn r22_a_robots_txt_from_the_future_is_asked_for_again(open: Open<'_>) {
    let ledger = process(open, 1);
    ledger.keep_robots(HOST, &robots(HOUR, None)).unwrap();
    assert_eq!(ledger.robots(HOST, at(0)).unwrap(), None);

    // A failure counts as having been met now, so that the host is left alone for as long as was meant.
    let blocked = |at_: i64| Standing::Blocked { retry_at: at(at_ + 900_000), why: Blocked::Unreachable };
    let copy = RobotsCopy { standing: blocked(HOUR), ..robots(HOUR, None) };
    ledger.keep_robots(HOST, &copy).unwrap();
    for look in [0, 1_000] {
        let kept = ledger.robots(HOST, at(look)).unwrap().unwrap();
        assert_eq!((kept.fetched_at, kept.standing), (at(0), blocked(0)));
    }
}

/// A read that failed comes again in the next pass and not in this one.
pub fn r23_a_failed_read_waits_for_the_next_pass(open: Open<'_>) {
    let ledger = process(open, 1);
    let first_lock = taken(lock(&*ledger, 0));
    let first = ledger.begin_pass(&first_lock, at(0)).unwrap();
    let both = [announced("a", SeenIn::Trigger, 2, None), announced("b", SeenIn::Trigger, 1, None)];
    ledger.announce(&first, &both, at(0)).unwrap();
    let next = to_read(&*ledger, &first, 0);
    ledger.record(&first, &next[0], &refused(None), at(10)).unwrap();
    assert_eq!(identifiers(&to_read(&*ledger, &first, 20)), ["b"]);
    // Neither announcing it again nor lifting it brings it back within the pass.
    ledger.announce(&first, &both, at(30)).unwrap();
    assert!(ledger.retry(SOURCE, "a").unwrap());
    assert_eq!(identifiers(&to_read(&*ledger, &first, HOUR)), ["b"]);
    ledger.release(&first_lock).unwrap();

    let second = begin(&*ledger, HOUR);
    let next = to_read(&*ledger, &second, HOUR);
    assert_eq!(identifiers(&next), ["a", "b"]);
    ledger.record(&second, &next[0], &refused(None), at(HOUR)).unwrap();
    let refusal = ledger.entry(SOURCE, "a").unwrap().unwrap().refusal.unwrap();
    assert_eq!((refusal.code.as_str(), refusal.at, refusal.attempts), ("not-found", at(HOUR), 1));

    // What a publisher can make us say is bounded; "é" takes two bytes and is not cut in half.
    let detail = format!("-{}", "\u{e9}".repeat(DETAIL_BYTES_MAX));
    let long = Outcome::Refused { code: "not-found".to_owned(), detail, not_before: None };
    ledger.record(&second, &next[1], &long, at(HOUR)).unwrap();
    let refusal = ledger.entry(SOURCE, "b").unwrap().unwrap().refusal.unwrap();
    assert_eq!(refusal.detail.len(), DETAIL_BYTES_MAX - 1);
}

/// A pass that is not due reads what one that was cut off has left, and leaves what failed to the next that is.
pub fn r23_what_failed_is_apart_from_what_nobody_tried(open: Open<'_>) {
    let ledger = process(open, 1);
    let both = [announced("failed", SeenIn::Trigger, 9, None), announced("left", SeenIn::Trigger, 1, None)];
    let lock_of_one = taken(lock(&*ledger, 0));
    let pass = ledger.begin_pass(&lock_of_one, at(0)).unwrap();
    ledger.announce(&pass, &both, at(0)).unwrap();
    let first = to_read(&*ledger, &pass, 0).remove(0);
    assert_eq!(first.identifier, "failed");
    ledger.record(&pass, &first, &refused(None), at(1)).unwrap();
    ledger.release(&lock_of_one).unwrap();

    let pass = begin(&*ledger, HOUR);
    let untried = ledger.next_to_read(&pass, Choice::Untried, &[], at(HOUR), 100).unwrap();
    assert_eq!(identifiers(&untried), ["left"]);
    assert_eq!(identifiers(&to_read(&*ledger, &pass, HOUR)), ["failed", "left"]);
}

/// A read that failed often may be put off beyond the next pass; what fails in a row is counted.
pub fn r23_a_failed_read_may_wait_longer(open: Open<'_>) {
    let ledger = process(open, 1);
    one_pass(&*ledger, 0, &[announced("a", SeenIn::Trigger, 0, None)], Some(&refused(None)));
    one_pass(&*ledger, HOUR, &[], Some(&refused(Some(3 * HOUR))));
    assert_eq!(ledger.entry(SOURCE, "a").unwrap().unwrap().refusal.unwrap().attempts, 2);
    one_pass(&*ledger, 2 * HOUR, &[announced("a", SeenIn::Trigger, 0, None)], None);
    one_pass(&*ledger, 3 * HOUR, &[], Some(&sealed(1, "a", 3 * HOUR)));
    assert_eq!(ledger.entry(SOURCE, "a").unwrap().unwrap().refusal, None);
}

/// What is under embargo is known and not read, whatever a list says of it, and no try is counted. The trigger can lift it
/// before its time.
pub fn r41_what_is_put_off_waits_for_its_instant_or_the_trigger(open: Open<'_>) {
    let ledger = process(open, 1);
    let named = |name: &str, seen_in| announced(name, seen_in, i64::from(name == "new"), None);
    let until = |until: Option<i64>| PutOff {
        code: "embargo".to_owned(),
        detail: "under embargo".to_owned(),
        until: until.map(at),
    };
    let first = taken(lock(&*ledger, 0));
    let pass = ledger.begin_pass(&first, at(0)).unwrap();
    ledger
        .announce(&pass, &[named("waits", SeenIn::Backlog), named("sealed", SeenIn::Trigger)], at(0))
        .unwrap();
    let entry = ledger.entry(SOURCE, "sealed").unwrap().unwrap();
    ledger.record(&pass, &entry, &sealed(1, "sealed", 0), at(0)).unwrap();
    let entry = ledger.entry(SOURCE, "waits").unwrap().unwrap();
    ledger.record(&pass, &entry, &refused(None), at(0)).unwrap();
    for name in ["new", "waits", "sealed"] {
        ledger.put_off(&pass, &named(name, SeenIn::Trigger), &until(Some(HOUR)), at(0)).unwrap();
    }
    ledger.put_off(&pass, &named("open-ended", SeenIn::Trigger), &until(None), at(0)).unwrap();
    let counts = ledger.counts(SOURCE).unwrap();
    assert_eq!((counts.queued, counts.refused, counts.sealed), (0, 3, 1));
    let listed = ["new", "waits", "open-ended"].map(|name| named(name, SeenIn::Backlog));
    ledger.announce(&pass, &listed, at(1)).unwrap();
    ledger.release(&first).unwrap();

    let second = taken(lock(&*ledger, HOUR - 1));
    let pass = ledger.begin_pass(&second, at(HOUR - 1)).unwrap();
    assert_eq!(identifiers(&to_read(&*ledger, &pass, HOUR - 1)), [""; 0]);
    assert_eq!(identifiers(&to_read(&*ledger, &pass, HOUR)), ["new", "waits"]);
    // No later than a century from now would be read what does not say when.
    assert_eq!(identifiers(&to_read(&*ledger, &pass, 100 * 366 * 24 * HOUR)), ["new", "waits"]);
    for name in ["new", "open-ended"] {
        let entry = ledger.entry(SOURCE, name).unwrap().unwrap();
        assert_eq!(entry.refusal.unwrap().attempts, 0, "{name}");
    }
    // Somebody can lift what does not say when it is over, and nothing else.
    assert!(!ledger.retry(SOURCE, "new").unwrap());
    assert_eq!(identifiers(&to_read(&*ledger, &pass, HOUR - 1)), [""; 0]);
    assert!(ledger.retry(SOURCE, "open-ended").unwrap());
    assert_eq!(identifiers(&to_read(&*ledger, &pass, HOUR - 1)), ["open-ended"]);
    ledger.put_off(&pass, &named("open-ended", SeenIn::Trigger), &until(None), at(HOUR - 1)).unwrap();
    let heard = ledger.announce(&pass, &[named("open-ended", SeenIn::Trigger)], at(HOUR - 1)).unwrap();
    assert_eq!((heard.new, heard.modified, heard.known), (0, 1, 0));
    assert_eq!(identifiers(&to_read(&*ledger, &pass, HOUR - 1)), ["open-ended"]);

    // What fails after it is the first to have failed.
    let entry = ledger.entry(SOURCE, "new").unwrap().unwrap();
    ledger.record(&pass, &entry, &refused(None), at(HOUR)).unwrap();
    assert_eq!(ledger.entry(SOURCE, "new").unwrap().unwrap().refusal.unwrap().attempts, 1);
}

/// The trigger's before the backlog's, and the newest of each first.
pub fn announced_references_are_read_newest_first(open: Open<'_>) {
    let ledger = process(open, 1);
    let pass = begin(&*ledger, 0);
    let heard = ledger
        .announce(
            &pass,
            &[
                announced("backlog-old", SeenIn::Backlog, 10, None),
                announced("backlog-new", SeenIn::Backlog, 90, None),
                announced("trigger-old", SeenIn::Trigger, 5, None),
                announced("both", SeenIn::Backlog, 50, None),
                Announced { published: None, ..announced("undated", SeenIn::Trigger, 0, None) },
                Announced { published: None, ..announced("modified", SeenIn::Trigger, 0, Some(7)) },
                announced("trigger-new", SeenIn::Trigger, 8, Some(1)),
            ],
            at(6),
        )
        .unwrap();
    assert_eq!((heard.new, heard.modified, heard.known), (7, 0, 0));
    let heard = ledger.announce(&pass, &[announced("both", SeenIn::Trigger, 50, None)], at(6)).unwrap();
    assert_eq!((heard.new, heard.modified, heard.known), (0, 0, 1));

    let order = ["both", "trigger-new", "modified", "undated", "trigger-old", "backlog-new", "backlog-old"];
    assert_eq!(identifiers(&to_read(&*ledger, &pass, 10)), order);
    assert_eq!(identifiers(&ledger.next_to_read(&pass, Choice::All, &[], at(10), 2).unwrap()), order[..2]);
    ledger
        .announce(
            &pass,
            &[
                at_address("https://other.example/a", SeenIn::Trigger, 99),
                at_address("https://other.example:8443/b", SeenIn::Trigger, 98),
                at_address("https://other.example.org/c", SeenIn::Trigger, 97),
                Announced {
                    identifier: "d".to_owned(),
                    ..at_address("https://other.example/d", SeenIn::Trigger, 96)
                },
            ],
            at(10),
        )
        .unwrap();
    let but_at = ["other.example".to_owned(), "nowhere.example".to_owned()];
    let elsewhere = ledger.next_to_read(&pass, Choice::All, &but_at, at(10), 2).unwrap();
    assert_eq!(identifiers(&elsewhere), ["https://other.example.org/c", "both"]);
    assert_eq!(ledger.known(SOURCE, &["both", "undated", "neither"]).unwrap(), 2);
    assert_eq!(ledger.known("other", &["both"]).unwrap(), 0);
}

/// An update is read when a later modification is announced than the one read, and a modification that was read and
/// changed nothing is remembered.
pub fn an_article_is_read_again_only_for_a_later_modification(open: Open<'_>) {
    let ledger = process(open, 1);
    let with = |modified: Option<i64>| [announced("a", SeenIn::Trigger, 0, modified)];
    one_pass(&*ledger, HOUR, &with(Some(1_000)), Some(&sealed(1, "a", HOUR)));
    let entry = ledger.entry(SOURCE, "a").unwrap().unwrap();
    assert_eq!((entry.read_under, entry.read_at), (Some(at(1_000)), Some(at(HOUR))));
    assert_eq!(entry.sealed.unwrap().receipt, receipt(1, 7));

    one_pass(&*ledger, 2 * HOUR, &with(Some(1_000)), None);
    one_pass(&*ledger, 2 * HOUR, &with(Some(999)), None);
    one_pass(&*ledger, 2 * HOUR, &with(None), None);
    one_pass(&*ledger, 3 * HOUR, &with(Some(1_001)), Some(&Outcome::Unchanged { read_at: at(3 * HOUR) }));
    one_pass(&*ledger, 4 * HOUR, &with(Some(1_001)), None);
    let entry = ledger.entry(SOURCE, "a").unwrap().unwrap();
    assert_eq!(entry.sealed.unwrap().receipt.sequence, 1, "what is sealed is still known");

    // A failed read of an update is tried again by the next pass, announced again or not.
    one_pass(&*ledger, 5 * HOUR, &with(Some(2_000)), Some(&refused(None)));
    one_pass(&*ledger, 6 * HOUR, &[], Some(&sealed(2, "elsewhere", 6 * HOUR)));
    let sealed_at = ledger.entry(SOURCE, "a").unwrap().unwrap().sealed.unwrap();
    assert_eq!((sealed_at.receipt.sequence, sealed_at.address), (2, address("elsewhere")));

    // A modification years ahead is none: believed, it would hide every later one.
    one_pass(&*ledger, 7 * HOUR, &with(Some(100_000 * HOUR)), None);
    one_pass(&*ledger, 8 * HOUR, &with(Some(7 * HOUR)), Some(&sealed(3, "a", 8 * HOUR)));

    // Of an article read without a date, that read saw everything up to its own instant.
    let undated = [announced("b", SeenIn::Trigger, 0, None)];
    one_pass(&*ledger, 9 * HOUR, &undated, Some(&sealed(4, "b", 9 * HOUR)));
    one_pass(&*ledger, 10 * HOUR, &[announced("b", SeenIn::Trigger, 0, Some(9 * HOUR))], None);
    let later = announced("b", SeenIn::Trigger, 0, Some(9 * HOUR + 1));
    one_pass(&*ledger, 10 * HOUR, &[later], Some(&sealed(5, "b", 10 * HOUR)));
}

/// What is announced between handing out and recording is not taken for read.
pub fn a_modification_announced_while_reading_is_not_lost(open: Open<'_>) {
    let ledger = process(open, 1);
    let first_lock = taken(lock(&*ledger, 0));
    let pass = ledger.begin_pass(&first_lock, at(0)).unwrap();
    ledger.announce(&pass, &[announced("a", SeenIn::Trigger, 0, Some(10))], at(20)).unwrap();
    let handed_out = to_read(&*ledger, &pass, 20).remove(0);
    ledger.announce(&pass, &[announced("a", SeenIn::Trigger, 0, Some(30))], at(40)).unwrap();
    ledger.record(&pass, &handed_out, &sealed(1, "a", 25), at(50)).unwrap();
    assert_eq!(ledger.entry(SOURCE, "a").unwrap().unwrap().state, State::Queued);
    ledger.release(&first_lock).unwrap();
    one_pass(&*ledger, HOUR, &[], Some(&sealed(2, "a", HOUR)));
    assert_eq!(ledger.entry(SOURCE, "a").unwrap().unwrap().state, State::Sealed);
}

/// A reference is found by the address that was last announced, also where that is its identifier.
pub fn r09_what_is_announced_says_since_when_all_of_it_is_known(open: Open<'_>) {
    let ledger = process(open, 1);
    let pass = begin(&*ledger, 0);
    let listed = |names: &[&str]| -> Vec<Announced> {
        names.iter().map(|name| announced(name, SeenIn::Backlog, 0, None)).collect()
    };
    let known_since =
        |names: &[&str], now: i64| ledger.announce(&pass, &listed(names), at(now)).unwrap().all_known_since;
    assert_eq!(known_since(&[], 1), None);
    assert_eq!(known_since(&["a", "b"], 2), Some(at(2)));
    assert_eq!(known_since(&["b", "a"], 3), Some(at(2)));
    assert_eq!(known_since(&["c"], 4), Some(at(4)));
    assert_eq!(known_since(&["a", "b", "c"], 5), Some(at(4)));
    assert_eq!(known_since(&["a", "d"], 6), Some(at(6)));
}

/// Whatever process asks.
pub fn r10_a_walk_is_kept_with_its_place(open: Open<'_>) {
    let ledger = process(open, 1);
    assert_eq!(ledger.walk(SOURCE).unwrap(), None);
    let pass = begin(&*ledger, 0);
    assert_eq!(ledger.walk(SOURCE).unwrap(), None);
    let text = |text: &str| Some(text.to_owned());
    let under_way =
        WalkRecord { began_at: at(1), place: text("the third file"), history: None, report: None };
    let ended = WalkRecord { began_at: at(2), place: None, history: text("so far"), report: text("{}") };
    for walk in [under_way, ended] {
        ledger.keep_walk(&pass, &walk).unwrap();
        assert_eq!(process(open, 2).walk(SOURCE).unwrap(), Some(walk));
    }
    assert_eq!(ledger.walk("other").unwrap(), None);
}

/// Where it was announced, and where it is sealed as read.
pub fn a_reference_is_found_by_its_address(open: Open<'_>) {
    let ledger = process(open, 1);
    let pass = begin(&*ledger, 0);
    let by_address = address("by-address");
    ledger
        .announce(
            &pass,
            &[
                announced("a", SeenIn::Trigger, 0, None),
                Announced {
                    identifier: by_address.as_str().to_owned(),
                    address: Some(by_address.clone()),
                    ..announced("", SeenIn::Trigger, 0, None)
                },
                Announced { address: None, ..announced("c", SeenIn::Trigger, 0, None) },
                Announced { address: Some(address("a")), ..announced("d", SeenIn::Trigger, 0, None) },
            ],
            at(0),
        )
        .unwrap();
    let found = |path: &str| {
        let entries = ledger.entries_at(SOURCE, &address(path)).unwrap();
        identifiers(&entries).join(" ")
    };
    assert_eq!(found("a"), "a d");
    assert_eq!(found("by-address"), by_address.as_str());
    assert_eq!(found("c"), "");
    assert!(ledger.entries_at("other", &address("a")).unwrap().is_empty());
    assert_eq!(ledger.entry(SOURCE, "c").unwrap().unwrap().address, None);
    assert_eq!(ledger.entry(SOURCE, by_address.as_str()).unwrap().unwrap().address, Some(by_address));

    // It moved; an announcement without an address changes nothing.
    let moved = Announced { address: Some(address("moved")), ..announced("a", SeenIn::Trigger, 0, None) };
    ledger.announce(&pass, &[moved.clone(), Announced { address: None, ..moved }], at(1)).unwrap();
    assert_eq!((found("a"), found("moved")), ("d".to_owned(), "a".to_owned()));

    // The address it was read at stays as it was.
    let entry = ledger.entry(SOURCE, "a").unwrap().unwrap();
    ledger.record(&pass, &entry, &sealed(1, "moved", 2), at(2)).unwrap();
    ledger.announce(&pass, &[announced("a", SeenIn::Trigger, 0, None)], at(3)).unwrap();
    let entry = ledger.entry(SOURCE, "a").unwrap().unwrap();
    assert_eq!((entry.address, entry.sealed.unwrap().address), (Some(address("a")), address("moved")));
    assert_eq!((found("a"), found("moved")), ("a d".to_owned(), "a".to_owned()));
}

/// Lists go by identifier, page by page.
pub fn references_are_listed_by_state(open: Open<'_>) {
    let ledger = process(open, 1);
    let pass = begin(&*ledger, 0);
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let all: Vec<Announced> = names.iter().map(|name| announced(name, SeenIn::Backlog, 0, None)).collect();
    ledger.announce(&pass, &all, at(0)).unwrap();
    for entry in to_read(&*ledger, &pass, 0) {
        let outcome = match entry.identifier.as_str() {
            "a" | "c" | "e" => refused(None),
            "b" => set_aside(),
            "d" | "f" => sealed(1, &entry.identifier, 0),
            _ => continue,
        };
        ledger.record(&pass, &entry, &outcome, at(0)).unwrap();
    }
    #[track_caller]
    fn check(ledger: &dyn Ledger, state: State, after: Option<&str>, limit: usize, expected: &[&str]) {
        assert_eq!(identifiers(&ledger.list(SOURCE, state, after, limit).unwrap()), expected);
    }
    check(&*ledger, State::Refused, None, 10, &["a", "c", "e"]);
    check(&*ledger, State::Refused, None, 2, &["a", "c"]);
    check(&*ledger, State::Refused, Some("c"), 2, &["e"]);
    check(&*ledger, State::SetAside, None, 10, &["b"]);
    check(&*ledger, State::Sealed, None, 10, &["d", "f"]);
    check(&*ledger, State::Queued, Some("g"), 10, &["h"]);
    check(&*ledger, State::Queued, None, 0, &[]);
    assert!(ledger.list("other", State::Queued, None, 10).unwrap().is_empty());
}

/// The counts say at every moment what counting would.
pub fn counts_follow_every_change(open: Open<'_>) {
    let ledger = process(open, 1);
    assert_eq!(ledger.counts(SOURCE).unwrap(), Counts::default());
    let first_lock = taken(lock(&*ledger, 0));
    let pass = ledger.begin_pass(&first_lock, at(0)).unwrap();
    let all = ["a", "b", "c", "d"].map(|name| announced(name, SeenIn::Trigger, 0, None));
    ledger.announce(&pass, &all, at(0)).unwrap();
    // Announced twice in one batch is announced once.
    ledger.announce(&pass, &[all[0].clone(), all[0].clone()], at(0)).unwrap();
    let read = |name: &str, outcome: &Outcome| {
        let entry = ledger.entry(SOURCE, name).unwrap().unwrap();
        ledger.record(&pass, &entry, outcome, at(0)).unwrap();
    };
    let check = |expected: [u64; 4]| {
        let counts = ledger.counts(SOURCE).unwrap();
        let Counts { queued, refused, sealed, set_aside } = counts;
        assert_eq!([queued, refused, sealed, set_aside], expected);
        assert_eq!(counts.known(), 4);
    };
    check([4, 0, 0, 0]);
    read("a", &sealed(1, "a", 0));
    read("b", &refused(None));
    read("c", &set_aside());
    check([1, 1, 1, 1]);
    ledger.announce(&pass, &[announced("a", SeenIn::Trigger, 0, Some(HOUR))], at(HOUR)).unwrap();
    check([2, 1, 0, 1]);
    read("b", &sealed(2, "b", 0));
    ledger.retry(SOURCE, "c").unwrap();
    check([3, 0, 1, 0]);
    assert_eq!(ledger.counts("other").unwrap(), Counts::default());
}

/// A report comes back byte for byte; the last pass comes first.
pub fn passes_are_kept_with_their_reports(open: Open<'_>) {
    let (one, two) = (process(open, 1), process(open, 2));
    let report = "{\"read\": 3,  \"note\": \"caf\u{e9}\"}";
    let first_lock = taken(lock(&*one, 0));
    let first = one.begin_pass(&first_lock, at(0)).unwrap();
    assert_eq!(first.source(), SOURCE);
    one.finish_pass(&first, at(1_000), report).unwrap();
    one.release(&first_lock).unwrap();
    let second = begin(&*two, 2_000);
    let other_lock = taken(two.lock("other", at(3_000), TTL).unwrap());
    let third = two.begin_pass(&other_lock, at(3_000)).unwrap();
    assert!(first.id() < second.id() && second.id() < third.id());

    let all = one.passes(None, 10).unwrap();
    assert_eq!(all.iter().map(|pass| pass.id).collect::<Vec<_>>(), [third.id(), second.id(), first.id()]);
    let of_source = one.passes(Some(SOURCE), 10).unwrap();
    assert_eq!(of_source.len(), 2);
    assert_eq!((of_source[0].began_at, of_source[0].holder.pid), (at(2_000), 2));
    assert_eq!(of_source[0].end, PassEnd::Running);
    assert_eq!(of_source[1].end, PassEnd::Finished { at: at(1_000), report: report.to_owned() });
    assert_eq!(one.passes(Some(SOURCE), 1).unwrap(), of_source[..1]);
    assert!(one.passes(Some("neither"), 10).unwrap().is_empty());
}

/// A pass whose process died is shown as interrupted: by who can see that it died, and by all once another has begun.
pub fn an_interrupted_pass_is_known_as_such(open: Open<'_>) {
    let (first, second) = (machine(1), machine(2));
    let (one, two) = (open(first.clone()), open(second.clone()));
    let elsewhere = open(Arc::new(ScriptedMachine::new("boot-2", 1)));
    begin(&*one, 0);
    let last = |ledger: &dyn Ledger, place: usize| ledger.passes(Some(SOURCE), 10).unwrap().remove(place).end;
    assert_eq!(last(&*two, 0), PassEnd::Running);
    second.bury(first.holder());
    assert_eq!(last(&*two, 0), PassEnd::Interrupted);
    assert_eq!(last(&*elsewhere, 0), PassEnd::Running);
    begin(&*two, 1_000);
    assert_eq!(last(&*elsewhere, 1), PassEnd::Interrupted);
    assert_eq!(last(&*elsewhere, 0), PassEnd::Running);
}

/// Receipts outlive what they were given for, and two that contradict each other are both kept.
pub fn receipts_are_kept_in_order(open: Open<'_>) {
    let ledger = process(open, 1);
    assert_eq!(ledger.head("vault-1").unwrap(), None);
    let pass = begin(&*ledger, 0);
    ledger.announce(&pass, &[announced("a", SeenIn::Trigger, 0, None)], at(0)).unwrap();
    let entry = ledger.entry(SOURCE, "a").unwrap().unwrap();
    let seal = |receipt: &Receipt| {
        let sealed = Sealed { receipt: receipt.clone(), content_key: [3; 32], address: address("a") };
        ledger.record(&pass, &entry, &Outcome::Sealed { sealed, read_at: at(0) }, at(0)).unwrap();
    };
    let elsewhere = Receipt { vault: "vault-2".to_owned(), ..receipt(9, 9) };
    let (third, second, first) = (receipt(3, 3), receipt(2, 2), receipt(1, 1));
    for receipt in [&third, &second, &first, &second, &elsewhere] {
        seal(receipt);
    }
    let all = ledger.receipts("vault-1", 0, 10).unwrap();
    assert_eq!(all, [first.clone(), second.clone(), third.clone()]);
    assert_eq!(ledger.receipts("vault-1", 2, 1).unwrap(), [second]);
    assert_eq!(ledger.receipts("vault-1", 4, 10).unwrap(), []);
    assert_eq!(ledger.head("vault-1").unwrap(), Some(third.clone()));
    assert_eq!(ledger.head("vault-2").unwrap(), Some(elsewhere));

    // The vault was put back to an earlier state and gave its third place again.
    let again = receipt(3, 4);
    seal(&again);
    assert_eq!(ledger.receipts("vault-1", 3, 10).unwrap(), [third, again]);
}
