//! What the crate `robotstxt` thinks of the same questions. Where it differs from us, the place is listed
//! with the reason in `second-opinion.tsv`; a difference that is not listed fails, and so does a listed one
//! that is none.

use std::collections::BTreeSet;
use std::panic::catch_unwind;

use releve_robots::{AccessScope, ProductToken, RobotsTxt};
use robotstxt::DefaultMatcher;

use super::{folder, given_cases, questions, real_files};

/// What differs: a case, or a line of a real file that decides for us (0 where none does).
type Place = (String, u32);

/// Not asked: more than two thousand stars against six thousand octets, which takes it many minutes.
const SLOW: &[&str] = &["r-120a33271c26"];

#[test]
fn the_second_opinion_differs_only_where_listed() {
    let Some(folder) = folder() else { return };
    let (mut ran, mut differing) = (0, BTreeSet::new());
    let mut ask = |place: &str, file: &[u8], agent: &str, path: &str| {
        let Ok(token) = agent.parse::<ProductToken>() else { return };
        let ours = RobotsTxt::parse(file).judge(&token, AccessScope::NamedElseGeneral, path);
        ran += 1;
        if second_opinion(file, agent, path) != Some(ours.allowed) {
            differing.insert((place.to_owned(), ours.line.unwrap_or(0)));
        }
    };
    for case in given_cases(&folder).iter().filter(|case| !SLOW.contains(&case.id.as_str())) {
        ask(&case.id, &case.robots, &case.agent, &case.path);
    }
    for (name, file) in real_files(&folder) {
        for (agent, path) in questions(&file, 1_500_000) {
            ask(&name, &file, &agent, &path);
        }
    }
    let listed = listed();
    let unlisted: Vec<_> = differing.difference(&listed).collect();
    let outdated: Vec<_> = listed.difference(&differing).collect();
    println!("ran {ran} checks, {} places differ", differing.len());
    assert!(unlisted.is_empty(), "not listed: {unlisted:#?}");
    assert!(outdated.is_empty(), "listed, but no longer different: {outdated:#?}");
}

/// Its verdict; none where it panics.
fn second_opinion(file: &[u8], agent: &str, path: &str) -> Option<bool> {
    let text = String::from_utf8_lossy(file);
    let address = format!("https://www.example.org{path}");
    catch_unwind(|| DefaultMatcher::default().one_agent_allowed_by_robots(&text, agent, &address)).ok()
}

fn listed() -> BTreeSet<Place> {
    let mut reasons = BTreeSet::new();
    let mut places = BTreeSet::new();
    for line in include_str!("second-opinion.tsv").lines() {
        if let Some((reason, _)) = line.strip_prefix("# ").and_then(|line| line.split_once(": ")) {
            reasons.insert(reason);
        } else if !line.starts_with('#') {
            let [place, line, reason] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{line:?} is no place, line and reason");
            };
            assert!(reasons.contains(reason), "{reason:?} is not explained");
            places.insert((place.to_owned(), line.parse().unwrap()));
        }
    }
    places
}
