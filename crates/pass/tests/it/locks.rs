//! Two passes never run at once (R10), and none runs for an inactive source (R39).

use std::time::Duration;

use jiff::Timestamp;
use releve_ledger::{Ledger as _, Taking};
use releve_pass::End;
use releve_visit::Interrupter;

use crate::site::{List, Site};
use crate::world::{Boot, CRON, MINUTE, World};

const LIST: List = List::Sitemaps;
const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn r10_of_two_passes_one_runs() {
    let world = World::new();
    Site::with_articles(LIST, 20).open(&world);
    let source = LIST.source();
    let one = world.process();
    let running = one.begin(&source, Timestamp::MAX);
    world.at(SECOND * 5).await;
    let asked = world.publisher.asked().len();
    // Of the same process (a daemon that is asked twice), of another one, of another machine.
    assert_eq!(one.pass(&source, Timestamp::MAX).await.unwrap().end, End::LockHeld);
    assert_eq!(world.pass(&source).await.end, End::LockHeld);
    let elsewhere = world.process_on(&Boot::new("two"));
    assert_eq!(elsewhere.pass(&source, Timestamp::MAX).await.unwrap().end, End::LockHeld);
    assert_eq!(world.publisher.asked().len(), asked);
    assert_eq!(running.await.unwrap().end, End::Done);
    world.check_pace(LIST.trigger());
    assert_eq!(world.vault.all().len(), 20);
}

#[tokio::test(start_paused = true)]
async fn r10_a_killed_pass_frees_its_source_at_once() {
    let world = World::new();
    Site::with_articles(LIST, 20).open(&world);
    let source = LIST.source();
    let one = world.process();
    let running = one.begin(&source, Timestamp::MAX);
    world.at(SECOND * 5).await;
    one.kill(running).await;
    // The trigger is not due, and what the killed pass has left is read.
    let report = world.pass(&source).await;
    assert_eq!((report.end, report.tally.trigger_read), (End::Done, false));
    assert_eq!(world.vault.all().len(), 20);
    world.check_pace(LIST.trigger());
}

#[tokio::test(start_paused = true)]
async fn r10_another_machine_waits_for_the_lease_of_a_killed_pass() {
    let world = World::new();
    Site::with_articles(LIST, 20).open(&world);
    let source = LIST.source();
    let one = world.process();
    let running = one.begin(&source, Timestamp::MAX);
    world.at(SECOND * 5).await;
    one.kill(running).await;
    let two = Boot::new("two");
    for second in [6, 60, 119] {
        world.at(SECOND * second).await;
        let report = world.process_on(&two).pass(&source, Timestamp::MAX).await.unwrap();
        assert_eq!(report.end, End::LockHeld, "{second}");
    }
    world.at(SECOND * 121).await;
    let report = world.process_on(&two).pass(&source, Timestamp::MAX).await.unwrap();
    assert_eq!(report.end, End::Done);
    assert_eq!(world.vault.all().len(), 20);
    world.check_pace(LIST.trigger());
}

#[tokio::test(start_paused = true)]
async fn r10_a_long_pass_keeps_its_lock_against_another_machine() {
    let world = World::new();
    Site::with_articles(LIST, 400).open(&world);
    let source = LIST.source();
    let running = world.process().begin(&source, Timestamp::MAX);
    let two = Boot::new("two");
    for minute in 1..6 {
        world.at(MINUTE * minute).await;
        let report = world.process_on(&two).pass(&source, Timestamp::MAX).await.unwrap();
        assert_eq!(report.end, End::LockHeld, "{minute}");
    }
    assert_eq!(running.await.unwrap().end, End::Done);
}

/// A process that was stopped for longer than its lease (a machine that slept) finds its source taken, and lets go.
#[tokio::test(start_paused = true)]
async fn r10_a_pass_that_lost_its_lock_asks_for_nothing_more() {
    let world = World::new();
    Site::with_articles(LIST, 20).open(&world);
    let source = LIST.source();
    let running = world.process().begin(&source, Timestamp::MAX);
    world.at(Duration::from_millis(5_500)).await;
    // To whoever takes it two minutes have gone by.
    let other = world.process_on(&Boot::new("two")).runner.ledger.clone();
    let later = world.now() + MINUTE * 2;
    assert!(matches!(other.lock("example", later, MINUTE), Ok(Taking::Taken(_))));
    let (asked, sealed) = (world.publisher.asked().len(), world.vault.all().len());
    assert_eq!(running.await.unwrap().end, End::LockLost);
    // One article was in hand; it may be in the vault, and is not put on record by one who has no right to.
    assert!(world.publisher.asked().len() <= asked + 1);
    assert!(world.vault.all().len() <= sealed + 1);
    let recorded = world.ledger.counts("example").unwrap().sealed;
    assert_eq!(usize::try_from(recorded).unwrap(), sealed);
}

#[tokio::test(start_paused = true)]
async fn r39_nothing_is_requested_once_a_source_is_deactivated() {
    let world = World::new();
    Site::with_articles(LIST, 20).open(&world);
    let source = LIST.source();
    let (interrupter, interrupt) = Interrupter::pair();
    let running = world.process().begin_with(&source, Timestamp::MAX, interrupt);
    // In the middle of the wait for a turn.
    world.at(Duration::from_millis(5_500)).await;
    interrupter.interrupt();
    let asked = world.publisher.asked().len();
    assert_eq!(running.await.unwrap().end, End::Interrupted);
    assert_eq!(world.age(), Duration::from_millis(5_500));
    let inactive = LIST.source_with("active = false");
    for quarter in 1..4 {
        world.at(CRON * quarter).await;
        assert_eq!(world.pass(&inactive).await.end, End::Inactive);
    }
    assert_eq!(world.publisher.asked().len(), asked);
    // Activated again, it goes on from where it was.
    let report = world.pass(&source).await;
    assert_eq!((report.end, world.vault.all().len()), (End::Done, 20));
    world.check_pace(LIST.trigger());
}
