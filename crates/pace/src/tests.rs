use std::time::Duration;

use jiff::Timestamp;
use proptest::prelude::*;

use crate::{Backoff, Due, HostInterval, PaceError, Rhythm, SLACK, due, next_turn, retry_after};

const QUARTER: Duration = Rhythm::TRIGGER_MIN;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn millis(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(1_772_366_400_000 + millis).unwrap()
}

#[test]
fn r21_a_request_waits_a_second_and_a_little_from_the_one_before() {
    #[track_caller]
    fn check(last: Option<i64>, now: i64, crawl_delay_ms: u64, expected: i64) {
        let interval = HostInterval::default().lengthen(Duration::from_millis(crawl_delay_ms));
        assert_eq!(next_turn(last.map(millis), millis(now), interval), millis(expected));
    }
    check(None, 0, 0, 0);
    check(Some(0), 0, 0, 1_010);
    check(Some(0), 400, 0, 1_010);
    check(Some(0), 1_009, 0, 1_010);
    check(Some(0), 1_010, 0, 1_010);
    // Late is late: nobody catches up.
    check(Some(0), 5_000, 0, 5_000);
    // A Crawl-delay lengthens and never shortens.
    check(Some(0), 400, 7_000, 7_010);
    check(Some(0), 400, 500, 1_010);
    // The clock was set back an hour: a whole interval, and not an hour.
    check(Some(3_600_000), 0, 0, 1_010);
    check(Some(3_600_000), 0, 7_000, 7_010);
    // A delay beyond the calendar is "never", not a panic and not "at once".
    let never = HostInterval::default().lengthen(Duration::MAX);
    assert_eq!(next_turn(Some(millis(0)), millis(0), never), Timestamp::MAX);
}

#[test]
fn r21_no_interval_is_under_a_second() {
    assert_eq!(HostInterval::default().promised(), Duration::from_secs(1));
    assert_eq!(HostInterval::default().aimed(), Duration::from_millis(1_010));
    assert!(HostInterval::new(Duration::from_millis(999)).is_err());
    assert!(HostInterval::new(Duration::ZERO).is_err());
    assert_eq!(HostInterval::new(Duration::from_secs(1)), Ok(HostInterval::MIN));
}

#[test]
fn r18_a_trigger_is_due_after_fifteen_minutes_and_not_before() {
    #[track_caller]
    fn check(last: Option<&str>, now: &str, expected: Due) {
        assert_eq!(due(last.map(at), QUARTER, at(now)), expected);
    }
    let quarter_past = at("2026-03-01T12:15:00Z");
    check(None, "2026-03-01T12:00:00Z", Due::Now);
    check(Some("2026-03-01T12:00:00Z"), "2026-03-01T12:00:00Z", Due::Later { at: quarter_past });
    check(Some("2026-03-01T12:00:00Z"), "2026-03-01T12:13:59Z", Due::Later { at: quarter_past });
    check(Some("2026-03-01T12:00:00Z"), "2026-03-01T12:14:00Z", Due::Soon { at: quarter_past });
    check(Some("2026-03-01T12:00:00Z"), "2026-03-01T12:14:59.999Z", Due::Soon { at: quarter_past });
    check(Some("2026-03-01T12:00:00Z"), "2026-03-01T12:15:00Z", Due::Now);
    // The clock was set back: one whole interval from now.
    check(Some("2027-03-01T12:00:00Z"), "2026-03-01T12:00:00Z", Due::Later { at: quarter_past });
}

/// Starts a pass at each of `starts` (milliseconds) and returns when the trigger was read.
fn reads(starts: impl IntoIterator<Item = i64>) -> Vec<i64> {
    let mut reads: Vec<i64> = Vec::new();
    for start in starts {
        match due(reads.last().copied().map(millis), QUARTER, millis(start)) {
            Due::Now => reads.push(start),
            Due::Soon { at } => reads.push(at.as_millisecond() - millis(0).as_millisecond()),
            Due::Later { .. } => {}
        }
    }
    reads
}

#[test]
fn r19_the_backlog_is_due_at_the_start_and_after_a_day() {
    let day = Rhythm::default().backlog();
    assert_eq!(day, Duration::from_secs(86_400));
    assert_eq!(due(None, day, millis(0)), Due::Now);
    assert_eq!(due(Some(millis(0)), day, millis(86_399_000)), Due::Soon { at: millis(86_400_000) });
    assert_eq!(due(Some(millis(0)), day, millis(43_200_000)), Due::Later { at: millis(86_400_000) });
    assert_eq!(due(Some(millis(0)), day, millis(86_400_000)), Due::Now);
}

#[test]
fn r20_the_last_48_hours_are_walked_again() {
    assert_eq!(Rhythm::WALKED_AGAIN, Duration::from_secs(48 * 3_600));
}

proptest! {
    // Strict reading of "every 15 minutes": no two reads are closer, by any amount, whatever starts the pass.
    #[test]
    fn r18_no_two_reads_are_closer_than_fifteen_minutes(gaps in prop::collection::vec(0_i64..1_200_000, 0..200)) {
        let starts = gaps.iter().scan(0, |start, gap| { *start += gap; Some(*start) });
        let reads = reads(starts);
        for pair in reads.windows(2) {
            prop_assert!(pair[1] - pair[0] >= 900_000, "{pair:?}");
        }
    }

    #[test]
    fn r18_cron_every_minute_reads_every_fifteen_minutes(jitter in prop::collection::vec(0_i64..5_000, 120)) {
        let reads = reads((0..).zip(&jitter).map(|(n, late)| n * 60_000 + late));
        prop_assert!(reads.windows(2).all(|pair| (900_000..=965_000).contains(&(pair[1] - pair[0]))), "{reads:?}");
        prop_assert!(reads.len() >= 7, "{reads:?}");
    }

    #[test]
    fn r18_cron_every_fifteen_minutes_skips_no_turn(jitter in prop::collection::vec(0_i64..59_000, 96)) {
        let reads = reads((0..).zip(&jitter).map(|(n, late)| n * 900_000 + late));
        prop_assert_eq!(reads.len(), 96);
    }

    #[test]
    fn r21_a_turn_is_never_before_now_nor_within_the_interval(
        last in prop::option::of(-10_000_000_i64..10_000_000),
        now in -10_000_000_i64..10_000_000,
        delay in 0_u64..100_000,
    ) {
        let interval = HostInterval::default().lengthen(Duration::from_millis(delay));
        let turn = next_turn(last.map(millis), millis(now), interval);
        prop_assert!(turn >= millis(now));
        if let Some(last) = last {
            let counted = millis(last.min(now));
            prop_assert!(turn.duration_since(counted) >= interval.promised().try_into().unwrap());
        }
    }

    #[test]
    fn any_retry_after_is_read_without_a_panic(value in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = retry_after(&value, millis(0));
    }

    #[test]
    fn any_retry_after_that_looks_like_a_date_is_read_without_a_panic(
        value in "[A-Z][a-z]{2,8},? [0-9]{1,3}[ -][A-Z][a-z]{2}[ -][0-9]{1,5} [0-9]{1,2}:[0-9]{2}:[0-9]{2}( GMT)?",
    ) {
        let _ = retry_after(value.as_bytes(), millis(0));
    }
}

#[test]
fn a_job_whose_start_slips_keeps_its_pace() {
    // The machine slept through two starts, and the next came late; the one after it waits its quarter of an hour.
    let reads = reads([0, 900_000, 3_000_000, 3_600_000, 4_500_000]);
    assert_eq!(reads, [0, 900_000, 3_000_000, 4_500_000]);
}

#[test]
fn the_slack_is_less_than_any_interval() {
    assert!(SLACK < Rhythm::TRIGGER_MIN);
}

#[test]
fn a_pace_is_only_ever_gentler() {
    #[track_caller]
    fn check(trigger: u64, backlog: u64, expected: Result<(), &str>) {
        let rhythm =
            Rhythm::new(Duration::from_secs(trigger), Duration::from_secs(backlog), HostInterval::MIN);
        assert_eq!(rhythm.map(|_| ()).map_err(|error| error.to_string()), expected.map_err(str::to_owned));
    }
    check(900, 86_400, Ok(()));
    check(901, 90_000, Ok(()));
    check(899, 86_400, Err("the trigger interval is 899 s, and may not be under the promised 900 s"));
    check(900, 3_600, Err("the backlog interval is 3600 s, and may not be under the promised 86400 s"));
    check(900, 40_000_000, Err("the backlog interval is 40000000 s, and may not be over 31622400 s"));
    assert_eq!(HostInterval::new(Duration::ZERO).map_err(|error| error.what()), Err("host"));
    assert!(HostInterval::new(PaceError::LONGEST).is_ok());
    assert!(Rhythm::new(QUARTER, Rhythm::BACKLOG_MIN, HostInterval::MIN) == Ok(Rhythm::default()));
}

#[test]
fn a_backoff_doubles_up_to_its_cap() {
    #[track_caller]
    fn check(first: u64, cap: u64, failures: u32, expected: u64) {
        let backoff = Backoff::new(Duration::from_secs(first), Duration::from_secs(cap));
        assert_eq!(backoff.after(failures), Duration::from_secs(expected));
    }
    check(30, 3_600, 0, 0);
    check(30, 3_600, 1, 30);
    check(30, 3_600, 2, 60);
    check(30, 3_600, 3, 120);
    check(900, 86_400, 7, 57_600);
    check(900, 86_400, 8, 86_400);
    check(900, 86_400, 33, 86_400);
    check(900, 86_400, u32::MAX, 86_400);
    check(90, 60, 1, 60);
}

#[test]
fn retry_after_is_read_in_every_form_of_rfc_9110() {
    #[track_caller]
    fn check(value: &str, expected: Option<u64>) {
        let now = at("1994-11-06T08:49:07Z");
        assert_eq!(retry_after(value.as_bytes(), now), expected.map(Duration::from_secs), "{value:?}");
    }
    check("0", Some(0));
    check("120", Some(120));
    check(" 120\t", Some(120));
    check("00000000000000000120", Some(120));
    check("99999999999999999999999", Some(u64::MAX));
    check("Sun, 06 Nov 1994 08:49:37 GMT", Some(30));
    check("Sunday, 06-Nov-94 08:49:37 GMT", Some(30));
    check("Sun Nov  6 08:49:37 1994", Some(30));
    check("Mon, 07 Nov 1994 08:49:07 GMT", Some(86_400));
    // Two digits mean the latest year that is not more than 50 years ahead.
    check("Monday, 06-Nov-95 08:49:07 GMT", Some(365 * 86_400));
    check("Sunday, 06-Nov-05 08:49:07 GMT", Some((11 * 365 + 3) * 86_400));
    check("Sunday, 06-Nov-45 08:49:37 GMT", Some(0));
    // Passed, and so no wait; a wrong name of the day and a leap second are no reason not to wait.
    check("Sun, 06 Nov 1994 08:49:00 GMT", Some(0));
    check("Tue, 06 Nov 1994 08:49:37 GMT", Some(30));
    check("Sun, 06 Nov 1994 08:49:60 GMT", Some(52));
    // Not one of the forms.
    for value in [
        "",
        " ",
        "-1",
        "+5",
        "1.5",
        "1e3",
        "120 s",
        "120, 60",
        "soon",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 1994 08:49:37:01 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 94",
        "1994-11-06T08:49:37Z",
    ] {
        check(value, None);
    }
    assert_eq!(retry_after(b"\xff\xfe", millis(0)), None);
    assert_eq!(retry_after(&[b'1'; 65], millis(0)), None);
}
