//! What the answer to a request for a robots.txt means: the recorded judgements for both bots.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use releve_robots::{RobotsOutcome, RobotsPolicy, RobotsTxt, Standing, standing};
use serde_json::Value;

use super::folder;

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// What the record calls a standing.
#[derive(Debug, PartialEq)]
enum Meaning {
    Rules,
    Absent,
    Blocked,
}

fn answered(status: u16) -> Vec<RobotsOutcome> {
    vec![RobotsOutcome::Answered { status, retry_after: None }]
}

/// The outcomes that a recorded case stands for.
fn outcomes(id: &str) -> Vec<RobotsOutcome> {
    match id {
        "s-01" | "s-02" | "s-03" | "s-04" | "s-08" => answered(200),
        "s-05" => vec![RobotsOutcome::CutOff],
        "s-06" => answered(204),
        "s-07" => answered(206),
        "s-09" => vec![RobotsOutcome::RedirectRefused],
        "s-10" => answered(304),
        "s-11" => answered(400),
        "s-12" => answered(401),
        "s-13" => answered(403),
        "s-14" => answered(404),
        "s-15" => answered(410),
        "s-16" => answered(429),
        "s-17" | "s-22" => answered(500),
        "s-18" => vec![RobotsOutcome::Answered { status: 503, retry_after: Some(Duration::from_secs(3600)) }],
        "s-19" => [599, 600, 999].into_iter().flat_map(answered).collect(),
        "s-20" => vec![RobotsOutcome::Unreachable],
        "s-21" => answered(502),
        _ => panic!("{id} is a case that this test does not know"),
    }
}

/// The copy that a case says is there: one hour old, or one that ended long ago.
fn held(id: &str, at: Timestamp) -> Option<Standing> {
    match id {
        "s-10" | "s-21" => Some(Standing::Rules { until: at + HOUR * 23 }),
        "s-22" => Some(Standing::Rules { until: at - HOUR * 24 * 29 }),
        _ => None,
    }
}

/// What the words of the record come to. An empty file has no rules, which is to say that it allows all.
fn meaning(id: &str, words: &str, whose: &str) -> Meaning {
    let begins = |word: &str| words.starts_with(word);
    if begins("parse") || begins("same") || begins("follow") || begins("cached copy") || id == "s-03" {
        Meaning::Rules
    } else if begins("allow") || begins("absent") {
        Meaning::Absent
    } else if begins("unreachable") || begins("still read nothing") {
        Meaning::Blocked
    } else {
        panic!("{id}: {words:?} for the {whose} is not understood")
    }
}

#[test]
fn status_cases_are_judged_as_recorded() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("robots-status-cases.jsonl")).unwrap();
    let at: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
    let mut ran = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let policies =
            BTreeMap::from([("connector", RobotsPolicy::releve()), ("feed_reader", RobotsPolicy::serene())]);
        for (whose, policy) in policies {
            let recorded = meaning(id, case[whose].as_str().unwrap(), whose);
            for outcome in outcomes(id) {
                let standing = standing(&outcome, held(id, at).as_ref(), at, &policy);
                let ours = match standing {
                    Standing::Rules { .. } => Meaning::Rules,
                    Standing::Absent { .. } => Meaning::Absent,
                    Standing::Blocked { .. } => Meaning::Blocked,
                };
                assert_eq!(ours, recorded, "{id}: {outcome:?} for the {whose}");
                let ends = match (id, whose) {
                    ("s-10", _) => at + HOUR * 24,
                    ("s-21", _) => at + HOUR * 23,
                    ("s-18", _) => at + HOUR,
                    _ if matches!(outcome, RobotsOutcome::Answered { status: 200 | 204 | 400..=499, .. }) => {
                        at + HOUR * 24
                    }
                    _ => at + SignedDuration::from_mins(15),
                };
                assert_eq!(standing.ends(), ends, "{id}: {outcome:?} for the {whose}");
            }
        }
        ran += 1;
    }
    println!("ran {ran} status cases");
    assert_eq!(ran, 22);
}

/// Three of the status cases are about the body: no rule survives HTML or emptiness, and a cut line is no
/// rule.
#[test]
fn bodies_of_the_status_cases_have_the_recorded_rules() {
    let agent = "Example".parse().unwrap();
    let allowed =
        |file: &[u8], path: &str| RobotsPolicy::releve().judge(&RobotsTxt::parse(file), &agent, path).allowed;
    assert!(allowed(b"", "/"));
    assert!(allowed(b"<!DOCTYPE html><title>User-agent: *</title>\n<p>Disallow: /</p>", "/"));
    let mut long = b"User-agent: *\nDisallow: /\n".to_vec();
    long.resize(releve_robots::BYTES_MAX - b"\nAllow: /".len(), b'#');
    long.extend_from_slice(b"\nAllow: /public\n");
    assert!(!allowed(&long, "/public"), "the limit cuts this line down to \"Allow: /\"");
}
