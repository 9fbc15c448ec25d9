//! The machine by itself: what it asks for after which event.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use releve_fetch::Headers;
use releve_redirect_policy::AdmittedHosts;
use releve_robots::{ProductToken, RobotsPolicy, RobotsTxt, Standing};
use releve_url_canon::NecessaryParameters;

use crate::machine::{Answer, Head, Purpose, Robots, Step, Visit};
use crate::runner::asked_wait;
use crate::{Expected, Failure, Order, Refusal, Terms};

fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

fn terms() -> Terms {
    Terms {
        hosts: AdmittedHosts::parse(["www.example.org"]).unwrap(),
        necessary: NecessaryParameters::none(),
        interval: releve_pace::HostInterval::default(),
        bounds: releve_bounds::Bounds::default(),
        until: Timestamp::MAX,
    }
}

fn order() -> Order {
    Order {
        address: "https://www.example.org/a".parse().unwrap(),
        expected: Expected::Page,
        access_for: None,
        disallow_lifted: false,
    }
}

fn rules(text: &str, until: Timestamp) -> Robots {
    Robots { standing: Standing::Rules { until }, rules: Some(Arc::new(RobotsTxt::parse(text.as_bytes()))) }
}

fn answer(status: u16, body: Result<&[u8], Failure>) -> Answer<'_> {
    let head = Head { status, locations: Vec::new(), media_type: Some("text/html"), retry_after: None, body };
    Answer { at: now(), head: Ok(head) }
}

fn failure() -> Failure {
    Failure { code: "not-connected", message: "no connection".to_owned() }
}

/// Runs `check` on a visit that has just been begun.
fn begun(check: impl FnOnce(&mut Visit<'_>)) {
    let (order, terms, policy) = (order(), terms(), RobotsPolicy::releve());
    let agent: ProductToken = "example".parse().unwrap();
    let (mut visit, step) = Visit::begin(&order, &terms, &agent, &policy);
    assert!(matches!(step, Step::Recall(_)));
    check(&mut visit);
}

#[test]
fn a_copy_that_holds_is_used_and_one_that_has_run_out_is_not() {
    let hour = Duration::from_secs(3_600);
    begun(|visit| {
        let step = visit.recalled(Some(&rules("User-agent: *\nAllow: /", now() + hour)), now());
        let Step::Request(request) = step else { panic!("{step:?}") };
        assert_eq!((request.purpose, request.url.path()), (Purpose::Target, "/a"));
    });
    begun(|visit| {
        let step = visit.recalled(Some(&rules("User-agent: *\nCrawl-delay: 9", now() - hour)), now());
        let Step::Request(request) = step else { panic!("{step:?}") };
        assert_eq!((request.purpose, request.url.path()), (Purpose::Robots, "/robots.txt"));
        // What it said about the pace still counts.
        assert_eq!(request.interval.promised(), Duration::from_secs(9));
    });
}

#[test]
fn r33_somebody_else_reads_robots_txt_meanwhile() {
    begun(|visit| {
        assert!(matches!(visit.recalled(None, now()), Step::Request(_)));
        let theirs = rules("User-agent: *\nDisallow: /a", now() + Duration::from_secs(60));
        let step = visit.recalled(Some(&theirs), now());
        let Step::Finish(Err(Refusal::RobotsDisallowed { line, .. })) = step else { panic!("{step:?}") };
        assert_eq!(line, Some(2));
    });
}

#[test]
fn r36_an_unreachable_robots_txt_blocks_and_is_kept_as_such() {
    begun(|visit| {
        assert!(matches!(visit.recalled(None, now()), Step::Request(_)));
        let stepped = visit.answered(&Answer { at: now(), head: Err(failure()) });
        let Step::Finish(Err(refusal)) = &stepped.step else { panic!("{stepped:?}") };
        assert_eq!(refusal.code(), "robots-unreachable");
        let (_, robots, _) = stepped.keep.unwrap();
        assert_eq!(robots.standing.ends(), now() + Duration::from_secs(15 * 60));
    });
}

#[test]
fn a_404_with_a_broken_body_is_a_404() {
    begun(|visit| {
        assert!(matches!(visit.recalled(None, now()), Step::Request(_)));
        let stepped = visit.answered(&answer(404, Err(failure())));
        assert!(matches!(stepped.step, Step::Request(_)), "robots.txt is absent: {stepped:?}");
        let stepped = visit.answered(&answer(404, Err(failure())));
        let Step::Finish(Err(refusal)) = &stepped.step else { panic!("{stepped:?}") };
        assert_eq!(refusal.code(), "status-404");
    });
}

#[test]
fn an_answer_that_nobody_waits_for_ends_the_visit() {
    begun(|visit| {
        let stepped = visit.answered(&answer(200, Ok(b"x")));
        assert!(matches!(stepped.step, Step::Finish(Err(Refusal::OutOfOrder))));
        assert!(matches!(visit.recalled(None, now()), Step::Finish(Err(Refusal::OutOfOrder))));
    });
}

#[test]
fn r37_which_media_types_are_taken() {
    let all = [Expected::Page, Expected::Json, Expected::Feed, Expected::Sitemap];
    for (media_type, taken) in [
        ("text/html", "y..."),
        ("Text/HTML; charset=utf-8", "y..."),
        ("application/xhtml+xml", "y..."),
        ("application/json", ".yy."),
        ("application/feed+json", ".yy."),
        ("application/rss+xml", "..yy"),
        ("text/xml;charset=utf-8", "..yy"),
        ("image/svg+xml", "...."),
        ("text/plain", "...y"),
        ("application/gzip", "...y"),
        ("application/pdf", "...."),
        ("text/html, application/json", "...."),
        ("", "...."),
    ] {
        let is: String =
            all.iter().map(|expected| if expected.takes(media_type) { 'y' } else { '.' }).collect();
        assert_eq!(is, taken, "{media_type}");
    }
}

/// Two may come, where a proxy adds its own: the gentler one counts, whichever is first.
#[test]
fn r21_of_several_waits_that_are_asked_for_the_longest_counts() {
    fn check(values: &[&str], expected: Option<u64>) {
        let headers: Headers = values.iter().map(|value| ("Retry-After", value.as_bytes())).collect();
        assert_eq!(asked_wait(&headers, now()), expected.map(Duration::from_secs), "{values:?}");
    }
    check(&[], None);
    check(&["soon"], None);
    check(&["soon", "120"], Some(120));
    check(&["60", "Sun, 01 Mar 2026 12:02:00 GMT"], Some(120));
    check(&["120", "60"], Some(120));
}
