//! How long an answer holds, and what an absent one means.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use releve_robots::{Blocked, RobotsOutcome, RobotsPolicy, Standing, standing};

const RELEVE: RobotsPolicy = RobotsPolicy::releve();
const HOUR: SignedDuration = SignedDuration::from_hours(1);

fn at() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

fn answered(status: u16) -> RobotsOutcome {
    RobotsOutcome::Answered { status, retry_after: None }
}

#[test]
fn r22_an_answer_holds_for_24_hours_and_a_failure_for_15_minutes() {
    let rules = standing(&answered(200), None, at(), &RELEVE);
    assert_eq!(rules, Standing::Rules { until: at() + HOUR * 24 });
    let absent = standing(&answered(404), None, at(), &RELEVE);
    assert_eq!(absent, Standing::Absent { until: at() + HOUR * 24 });
    let retry_at = at() + SignedDuration::from_mins(15);
    let blocked = standing(&RobotsOutcome::Unreachable, None, at(), &RELEVE);
    assert_eq!(blocked, Standing::Blocked { retry_at, why: Blocked::Unreachable });

    let moment = SignedDuration::from_nanos(1);
    assert!(rules.holds(at() + HOUR * 24 - moment, &RELEVE));
    assert!(!rules.holds(at() + HOUR * 24, &RELEVE));
    assert!(blocked.holds(retry_at - moment, &RELEVE));
    assert!(!blocked.holds(retry_at, &RELEVE));
}

/// A clock set back must not make a copy older than a day.
#[test]
fn r22_a_clock_set_back_lengthens_nothing() {
    let rules = standing(&answered(200), None, at(), &RELEVE);
    assert!(!rules.holds(at() - HOUR, &RELEVE));
    assert!(rules.holds(at(), &RELEVE));
}

/// "Taken as absent" holds of every 4xx, 429 among them: the text of R36 names no exception.
#[test]
fn r36_every_4xx_is_taken_as_absent() {
    for status in (400..=499).chain([204]) {
        assert!(
            matches!(standing(&answered(status), None, at(), &RELEVE), Standing::Absent { .. }),
            "{status}"
        );
    }
}

/// Whatever is neither a file nor its absence blocks: R36 names 5xx and failures; other statuses say as
/// little.
#[test]
fn r36_nothing_is_read_while_robots_txt_cannot_be_had() {
    let retry_at = at() + SignedDuration::from_mins(15);
    let check = |outcome: RobotsOutcome, why: Blocked, code: &str| {
        assert_eq!(standing(&outcome, None, at(), &RELEVE), Standing::Blocked { retry_at, why });
        assert_eq!(why.code(), code);
        assert_eq!(Blocked::from_parts(code, why.status()), Some(why));
        assert!(why.to_string().starts_with("robots.txt "));
    };
    for status in (500..=999).chain([u16::MAX]) {
        check(answered(status), Blocked::ServerError(status), "robots-server-error");
    }
    for status in (0..200).chain(201..204).chain(205..400) {
        check(answered(status), Blocked::UnexpectedStatus(status), "robots-unexpected-status");
    }
    check(RobotsOutcome::Unreachable, Blocked::Unreachable, "robots-unreachable");
    check(RobotsOutcome::CutOff, Blocked::CutOff, "robots-cut-off");
    check(RobotsOutcome::RedirectRefused, Blocked::RedirectRefused, "robots-redirect-refused");
    assert_eq!(Blocked::from_parts("robots-unreachable", Some(500)), None);
    assert_eq!(Blocked::from_parts("robots-server-error", None), None);
    assert_eq!(Blocked::from_parts("something-else", None), None);
}

#[test]
fn r36_a_server_that_asks_for_a_longer_wait_gets_it() {
    let ends = |seconds| {
        let retry_after = Some(Duration::from_secs(seconds));
        standing(&RobotsOutcome::Answered { status: 503, retry_after }, None, at(), &RELEVE).ends()
    };
    assert_eq!(ends(3600), at() + HOUR);
    assert_eq!(ends(60), at() + SignedDuration::from_mins(15));
    // A day at most: what a server once asked for must not keep it from ever being read again.
    assert_eq!(ends(u64::MAX), at() + HOUR * 24);
}

/// A copy that still holds goes on while the server fails; afterwards nothing is read. What held without a
/// file does not.
#[test]
fn r36_a_copy_in_force_outlasts_a_failure_until_its_own_end() {
    let until = at() + HOUR;
    let held = Standing::Rules { until };
    let after = |outcome, held: Standing, at| standing(&outcome, Some(&held), at, &RELEVE);
    assert_eq!(after(answered(500), held, at()), held);
    assert_eq!(after(RobotsOutcome::Unreachable, held, at()), held);
    assert!(matches!(after(answered(500), held, until), Standing::Blocked { .. }));
    let absent = Standing::Absent { until };
    assert!(matches!(after(answered(500), absent, at()), Standing::Blocked { .. }));
    // A success replaces what was there.
    assert_eq!(after(answered(404), held, at()), Standing::Absent { until: at() + HOUR * 24 });
    // Not modified: what was there begins anew, and without anything there it says nothing.
    assert_eq!(after(answered(304), held, at()), Standing::Rules { until: at() + HOUR * 24 });
    assert_eq!(after(answered(304), absent, at()), Standing::Absent { until: at() + HOUR * 24 });
    assert!(matches!(standing(&answered(304), None, at(), &RELEVE), Standing::Blocked { .. }));
}

#[test]
fn s17_a_server_error_counts_as_allowing_where_the_policy_says_so() {
    let serene = RobotsPolicy::serene();
    let until = at() + SignedDuration::from_mins(15);
    for outcome in [
        answered(500),
        answered(206),
        RobotsOutcome::Unreachable,
        RobotsOutcome::CutOff,
        RobotsOutcome::RedirectRefused,
    ] {
        assert_eq!(standing(&outcome, None, at(), &serene), Standing::Absent { until });
    }
}
