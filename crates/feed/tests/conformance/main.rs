//! The feeds that others collected, read from the folder that `RELEVE_CASES` names.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![allow(clippy::disallowed_methods, reason = "the environment says where the cases lie")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use releve_feed::{Announcement, Feed, FeedError, Wanted, read};
use serde_json::Value;

/// The folder of the cases, or nothing where there is none, which in CI is a failure.
fn folder() -> Option<PathBuf> {
    if let Some(cases) = std::env::var_os("RELEVE_CASES") {
        return Some(PathBuf::from(cases).join("feeds"));
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI must set RELEVE_CASES");
    println!("skipped: RELEVE_CASES is not set");
    None
}

/// Where we read otherwise than recorded, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("fr-atom_entry_1.xml", "it has no link: we do not take an Atom id for one, least of all a URN"),
    ("fr-rss_2.0_nbcny.xml", "a date says PM, which the recorded readings pass over"),
];

#[test]
fn feeds_are_read_as_recorded() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("cases.jsonl")).unwrap();
    let (mut ran, mut wrong) = (0, String::new());
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let bytes = std::fs::read(folder.join("files").join(case["file"].as_str().unwrap())).unwrap();
        let id = case["id"].as_str().unwrap();
        let is_exception = EXCEPTIONS.iter().any(|(exception, _)| *exception == id);
        match check(&case, &bytes) {
            Err(why) if !is_exception => writeln!(wrong, "{id}: {why}").unwrap(),
            Ok(()) if is_exception => writeln!(wrong, "{id}: an exception no longer").unwrap(),
            _ => {}
        }
        ran += 1;
    }
    println!("ran {ran} feeds");
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(ran > 100, "only {ran} feeds were found");
}

fn check(case: &Value, bytes: &[u8]) -> Result<(), String> {
    let transport = &case["transport"];
    // What a Content-Location says goes before the address that was asked for.
    let base = transport["content_location"].as_str().or(transport["url"].as_str()).unwrap();
    let begin = Instant::now();
    let read = read(bytes, transport["content_type"].as_str(), base, &Wanted::nothing());
    // The hostile ones are given two seconds, all others need far less.
    if begin.elapsed() > Duration::from_secs(2) {
        return Err(format!("took {:?}", begin.elapsed()));
    }
    let outcome = match &read {
        Ok(_) => "feed",
        Err(FeedError::NotAFeed(_) | FeedError::Empty) => "not_a_feed",
        Err(_) => "reject",
    };
    let expect = &case["expect"];
    if !expect["outcome"].as_array().unwrap().iter().any(|accepted| accepted == outcome) {
        return Err(format!("{outcome} ({read:?}), recorded {}", expect["outcome"]));
    }
    let Ok(feed) = read else { return Ok(()) };
    let recorded = expect.get("entries").or(expect.get("entries_if_feed"));
    compare(&feed, recorded.and_then(Value::as_array).unwrap())
}

fn compare(feed: &Feed, recorded: &[Value]) -> Result<(), String> {
    if feed.announcements.len() != recorded.len() {
        return Err(format!("{} items, recorded {}", feed.announcements.len(), recorded.len()));
    }
    for (index, (announcement, recorded)) in feed.announcements.iter().zip(recorded).enumerate() {
        for (field, accepted) in recorded.as_object().unwrap() {
            let ours = as_recorded(announcement, field);
            let mut accepted = accepted.as_array().unwrap().clone();
            if field == "is_permalink" {
                for value in &mut accepted {
                    *value = value.as_bool().filter(|&said| said).into();
                }
            }
            if !accepted.contains(&ours) {
                return Err(format!("item {index}: {field} is {ours}, recorded {accepted:?}"));
            }
        }
    }
    Ok(())
}

/// A field in the form of the record: dates to the second, and nothing about a permalink where there is no
/// `guid`.
fn as_recorded(announcement: &Announcement, field: &str) -> Value {
    let date = |date: Option<Timestamp>| {
        date.map(|date| Timestamp::from_second(date.as_second()).unwrap().to_string()).into()
    };
    match field {
        "link" => announcement.link.clone().into(),
        "id" => announcement.id.clone().into(),
        "published" => date(announcement.published),
        "updated" => date(announcement.modified),
        // The record has null where there is no guid, and we have false.
        "is_permalink" => announcement.id_is_permalink.then_some(true).into(),
        _ => panic!("{field} is a field that this test does not know"),
    }
}
