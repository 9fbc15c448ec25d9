//! The machine by itself: every transition of its table, and what is counted.

use std::time::Duration;

use jiff::Timestamp;
use releve_pace::Due;

use crate::End;
use crate::machine::{Chosen, LetGo, Locked, Offered, Pass, Read, Record, Step, Stepped, Triggered, Walked};

/// A pass that has chosen a reference, its trigger just read.
fn reading() -> Pass {
    let (mut pass, step) = Pass::begin(true);
    assert_eq!(step, Step::Lock);
    assert_eq!(pass.locked(Locked::Taken(Due::Now)), Step::Trigger { at: Timestamp::MIN });
    assert_eq!(
        pass.triggered(Triggered::Read { announced: 9, queued: 9, embargoed: 0 }),
        Step::Choose { again: true }
    );
    assert_eq!(pass.chosen(Chosen::Reference), Step::Read);
    pass
}

fn depositing() -> Pass {
    let mut pass = reading();
    assert_eq!(pass.read(Read::Ready).step, Step::Deposit { pause: Duration::ZERO });
    pass
}

fn after(record: Record, step: Step) -> Stepped {
    Stepped { record: Some(record), step }
}

const CHOOSE: Step = Step::Choose { again: true };

#[test]
fn r39_an_inactive_source_takes_not_even_its_lock() {
    let (_, step) = Pass::begin(false);
    assert_eq!(step, Step::Finish(End::Inactive));
}

#[test]
fn r10_a_source_that_another_pass_holds_is_left_alone() {
    let (mut pass, _) = Pass::begin(true);
    assert_eq!(pass.locked(Locked::Held), Step::Finish(End::LockHeld));
}

#[test]
fn r18_a_trigger_that_is_not_due_is_not_read_and_what_was_cut_off_is() {
    let at = Timestamp::UNIX_EPOCH;
    let (mut pass, _) = Pass::begin(true);
    // Only what no pass has tried yet: what failed waits for a pass that is due (R23).
    assert_eq!(pass.locked(Locked::Taken(Due::Later { at })), Step::Choose { again: false });
    assert_eq!(pass.chosen(Chosen::Nothing), Step::Finish(End::Done));
    let (mut pass, _) = Pass::begin(true);
    assert_eq!(pass.locked(Locked::Taken(Due::Soon { at })), Step::Trigger { at });
}

#[test]
fn r35_a_trigger_that_robots_txt_refuses_ends_the_pass_and_another_failure_does_not() {
    for (triggered, step) in [
        (Triggered::RefusedByRobots, Step::Finish(End::TriggerRefused)),
        (Triggered::Failed, CHOOSE),
        (Triggered::LetGo(LetGo::Interrupted), Step::Finish(End::Interrupted)),
    ] {
        let (mut pass, _) = Pass::begin(true);
        pass.locked(Locked::Taken(Due::Now));
        assert_eq!(pass.triggered(triggered), step);
    }
}

#[test]
fn r06_identifiers_that_differ_stop_the_pass_at_once() {
    assert_eq!(
        reading().read(Read::IdentifiersDiffer),
        after(Record::SetAside, Step::Finish(End::IdentifiersDiffer))
    );
}

#[test]
fn r23_a_failed_read_goes_on_with_the_next_article() {
    let mut pass = reading();
    assert_eq!(pass.read(Read::Refused), after(Record::Refused, CHOOSE));
    assert_eq!(pass.tally().refused, 1);
}

#[test]
fn r23_a_failed_deposit_is_offered_three_times_in_all_with_the_bytes_held() {
    let mut pass = depositing();
    for seconds in [1, 2] {
        assert_eq!(
            pass.offered(Offered::Failed),
            Step::Deposit { pause: Duration::from_secs(seconds) }.into()
        );
    }
    assert_eq!(pass.offered(Offered::Failed), after(Record::NotDeposited, CHOOSE));
    assert_eq!((pass.tally().read, pass.tally().not_deposited), (1, 1));
}

#[test]
fn r23_a_refusal_that_would_come_again_is_not_tried_again() {
    assert_eq!(depositing().offered(Offered::Refused), after(Record::NotDeposited, CHOOSE));
    assert_eq!(
        depositing().offered(Offered::Closed),
        after(Record::NotDeposited, Step::Finish(End::VaultClosed))
    );
}

/// Reads the next article and offers it as often as the pass wants to, failing each time.
fn fail(pass: &mut Pass) -> (u32, Step) {
    pass.chosen(Chosen::Reference);
    pass.read(Read::Ready);
    let mut attempts = 0;
    loop {
        attempts += 1;
        let stepped = pass.offered(Offered::Failed);
        if stepped.record.is_some() {
            return (attempts, stepped.step);
        }
    }
}

#[test]
fn r24_ten_failed_deposits_in_a_row_stop_the_pass() {
    let mut pass = reading();
    pass.read(Read::Refused);
    assert_eq!([fail(&mut pass), fail(&mut pass), fail(&mut pass)].map(|(attempts, _)| attempts), [3, 3, 3]);
    assert_eq!(fail(&mut pass), (1, Step::Finish(End::DepositsFail)));
}

#[test]
fn r24_a_read_that_fails_does_not_count_and_a_deposit_that_succeeds_resets() {
    for between in [Offered::Sealed { version: false }, Offered::AlreadySealed] {
        let mut pass = reading();
        pass.read(Read::Refused);
        for _ in 0..3 {
            fail(&mut pass);
        }
        pass.chosen(Chosen::Reference);
        pass.read(Read::Refused);
        pass.chosen(Chosen::Reference);
        pass.read(Read::Ready);
        assert_eq!(pass.offered(between).step, CHOOSE);
        // Nine in a row are behind it, and none counts any more.
        assert_eq!(fail(&mut pass), (3, CHOOSE));
    }
}

#[test]
fn an_interruption_lets_what_is_in_hand_be_finished() {
    let mut pass = depositing();
    pass.interrupt();
    assert_eq!(
        pass.offered(Offered::Sealed { version: true }),
        after(Record::Sealed, Step::Finish(End::Interrupted))
    );
    assert_eq!((pass.tally().sealed, pass.tally().new_versions), (1, 1));
    // Or let go, where nothing was sent.
    assert_eq!(reading().read(Read::LetGo(LetGo::Interrupted)), Step::Finish(End::Interrupted).into());
}

/// One host that is busy for a day keeps nobody from what is at others, and the pass says that something is left.
#[test]
fn a_turn_that_comes_too_late_leaves_what_is_at_other_hosts_to_be_chosen() {
    let late = LetGo::OutOfTime;
    let (mut trigger, _) = Pass::begin(true);
    trigger.locked(Locked::Taken(Due::Now));
    assert_eq!(trigger.triggered(Triggered::LetGo(late)), CHOOSE);
    let mut walk = reading();
    walk.read(Read::Refused);
    walk.chosen(Chosen::Walk);
    assert_eq!(walk.walked(Walked::LetGo(late)), CHOOSE);
    let mut article = reading();
    assert_eq!(article.read(Read::LetGo(late)), CHOOSE.into());
    for mut pass in [trigger, walk, article] {
        assert_eq!(pass.chosen(Chosen::Reference), Step::Read);
        assert_eq!(pass.read(Read::Refused), after(Record::Refused, CHOOSE));
        assert_eq!(pass.chosen(Chosen::Nothing), Step::Finish(End::TimeUp));
    }
}

#[test]
fn r10_a_walk_goes_step_by_step_between_articles() {
    let mut pass = reading();
    assert_eq!(pass.read(Read::Refused).step, CHOOSE);
    assert_eq!(pass.chosen(Chosen::Walk), Step::Walk);
    assert_eq!(pass.walked(Walked::Step { queued: 7 }), CHOOSE);
    assert_eq!(pass.chosen(Chosen::Walk), Step::Walk);
    assert_eq!(pass.walked(Walked::Step { queued: 2 }), CHOOSE);
    assert_eq!(pass.tally().found, 9);
    assert_eq!(pass.chosen(Chosen::Walk), Step::Walk);
    assert_eq!(pass.walked(Walked::LetGo(LetGo::Interrupted)), Step::Finish(End::Interrupted));
}

#[test]
fn a_pass_whose_time_is_up_leaves_the_rest_to_the_next() {
    let mut pass = reading();
    assert_eq!(pass.read(Read::Refused).step, CHOOSE);
    assert_eq!(pass.chosen(Chosen::TimeUp), Step::Finish(End::TimeUp));
    assert!(End::TimeUp.is_done());
}

#[test]
fn an_answer_that_nobody_waits_for_ends_the_pass() {
    let over = Step::Finish(End::OutOfOrder);
    let (mut pass, _) = Pass::begin(true);
    assert_eq!(pass.chosen(Chosen::Reference), over);
    assert_eq!(pass.locked(Locked::Held), over);
    assert_eq!(depositing().read(Read::Ready).step, over);
    assert_eq!(reading().walked(Walked::Step { queued: 1 }), over);
    assert_eq!(reading().offered(Offered::Failed).step, over);
    assert_eq!(reading().triggered(Triggered::Failed), over);
}

#[test]
fn a_pass_whose_trigger_failed_is_not_done() {
    let (mut pass, _) = Pass::begin(true);
    pass.locked(Locked::Taken(Due::Now));
    pass.triggered(Triggered::Failed);
    assert_eq!(pass.chosen(Chosen::Nothing), Step::Finish(End::TriggerFailed));
}

#[test]
fn r21_a_trigger_at_a_host_with_a_long_crawl_delay_is_due_at_every_second_turn() {
    use releve_ledger::{Hosts as _, Ledger as _, MemoryLedger, RobotsCopy, Round, Taking};
    use releve_robots::Standing;
    use releve_source::{File, parse_source};

    let text = b"name = \"example\"\nhosts = [\"www.example.org\"]\npreset = \"wordpress\"\n";
    let file = File { name: "example.toml", text };
    let source = parse_source(file, &releve_bounds::Bounds::default()).unwrap().value;
    let noon: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    let ledger = MemoryLedger::new();
    ledger
        .keep_robots(
            "www.example.org",
            &RobotsCopy {
                fetched_at: noon,
                standing: Standing::Rules { until: noon + Duration::from_secs(86_400) },
                body: b"User-agent: *\nCrawl-delay: 1000\n".to_vec(),
                crawl_delay: Some(Duration::from_secs(1_000)),
            },
        )
        .unwrap();
    let Taking::Taken(lock) = ledger.lock("example", noon, Duration::from_secs(120)).unwrap() else {
        panic!("nobody else has it")
    };
    let pass = ledger.begin_pass(&lock, noon).unwrap();
    ledger.mark(&pass, Round::Trigger, noon).unwrap();

    // After the quarter of an hour of R18 it is not due: whoever looked then would find nothing to do, again and again.
    let quarter_past = noon + Duration::from_secs(16 * 60);
    let at = noon + Duration::from_secs(2_000);
    assert_eq!(crate::trigger_due(&ledger, &source, quarter_past).unwrap(), Due::Later { at });
    assert_eq!(crate::trigger_due(&ledger, &source, at).unwrap(), Due::Now);
}
