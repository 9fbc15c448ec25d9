//! In which order the files of an index are read, and what the report says of it.

use jiff::Timestamp;
use releve_backlog::{BATCH_ENTRIES_MAX, History, Lastmods, OrderBy, RUN_ENTRIES_MAX};

use crate::{Files, Known, first_walk, hours_ago, index, now, sitemap, urlset, walk};

const SITE: &str = "https://www.example.org";

/// The names of an index's files in the order in which they are read.
fn check(files: &[(&str, Option<Timestamp>)], by: OrderBy, lastmods: Lastmods, order: &[&str]) {
    let named: Vec<_> = files.iter().map(|(name, date)| (format!("{SITE}/{name}"), *date)).collect();
    let start = format!("{SITE}/index");
    let mut site =
        Files::default().with(&start, index(named.iter().map(|(name, date)| (name.as_str(), *date))));
    for (name, _) in &named {
        site = site.with(name, urlset([]));
    }
    let walked = first_walk(&sitemap(&start), &mut site);
    let read: Vec<_> =
        walked.requested[1..].iter().map(|name| name.strip_prefix(&format!("{SITE}/")).unwrap()).collect();
    assert_eq!(read, order);
    let [said] = &walked.report.orders[..] else { panic!("{:?}", walked.report) };
    assert_eq!((said.by, said.lastmods), (by, lastmods), "{files:?}");
}

#[test]
fn the_dates_of_an_index_tell_the_order() {
    let day = |days: i64| Some(hours_ago(days * 24));
    check(
        &[("a", day(30)), ("b", None), ("c", day(1)), ("d", day(10))],
        OrderBy::Lastmod,
        Lastmods::Believed,
        &["b", "c", "d", "a"],
    );
    // One of the future says nothing about what is in the file.
    check(
        &[("a", day(3)), ("b", day(-300)), ("c", day(1))],
        OrderBy::Lastmod,
        Lastmods::Believed,
        &["b", "c", "a"],
    );
}

#[test]
fn dates_of_one_day_are_not_believed() {
    let today = |hours: i64| Some(hours_ago(hours));
    check(
        &[("s1", today(3)), ("s2", today(3)), ("s3", today(3))],
        OrderBy::NameNumbers,
        Lastmods::WithinADay,
        &["s3", "s2", "s1"],
    );
    check(&[("x", today(20)), ("y", today(1))], OrderBy::AsGiven, Lastmods::WithinADay, &["x", "y"]);
    check(&[("x", None), ("y", today(1))], OrderBy::AsGiven, Lastmods::WithinADay, &["x", "y"]);
    // One of the future does not make the others better.
    check(
        &[("x", today(20)), ("y", today(-3_000)), ("z", today(1))],
        OrderBy::AsGiven,
        Lastmods::WithinADay,
        &["x", "y", "z"],
    );
}

#[test]
fn dates_in_names_tell_the_order() {
    for (files, order) in [
        (&["s-2023.xml", "s-2025.xml", "s-2024.xml"][..], &["s-2025.xml", "s-2024.xml", "s-2023.xml"][..]),
        (&["s-2023-11", "s-2023-2", "s-2024-01"], &["s-2024-01", "s-2023-11", "s-2023-2"]),
        (&["2023/11/30.xml", "2023/12/01.xml"], &["2023/12/01.xml", "2023/11/30.xml"]),
        (&["s20231130", "s20231201", "latest"], &["latest", "s20231201", "s20231130"]),
        (&["s_202311_2", "s_202312_1"], &["s_202312_1", "s_202311_2"]),
    ] {
        let files: Vec<_> = files.iter().map(|name| (*name, None)).collect();
        check(&files, OrderBy::NameDates, Lastmods::Absent, order);
    }
}

#[test]
fn numbers_in_names_tell_the_order() {
    for (files, order) in [
        (&["post-1", "post-2", "post-10", "page-1"][..], &["post-10", "post-2", "post-1", "page-1"][..]),
        (&["post.xml", "post2.xml", "page.xml"], &["post2.xml", "post.xml", "page.xml"]),
        (&["a/1/s.xml", "a/2/s.xml"], &["a/2/s.xml", "a/1/s.xml"]),
    ] {
        let files: Vec<_> = files.iter().map(|name| (*name, None)).collect();
        check(&files, OrderBy::NameNumbers, Lastmods::Absent, order);
    }
    check(&[("b", None), ("a", None)], OrderBy::AsGiven, Lastmods::Absent, &["b", "a"]);
    // One year in all names is no order, and neither is one number.
    check(&[("2026/b", None), ("2026/a", None)], OrderBy::AsGiven, Lastmods::Absent, &["2026/b", "2026/a"]);
}

/// A numbered series ends early where its dates have been seen to fall with its numbers, and its own files alone do.
#[test]
fn a_known_file_of_a_series_ends_the_series() {
    let names: Vec<String> = ["post", "page"]
        .iter()
        .flat_map(|name| (1..=5).map(move |n| format!("{SITE}/{name}-{n}.xml")))
        .collect();
    let start = format!("{SITE}/index");
    let mut site = Files::default().with(&start, index(names.iter().map(|name| (name.as_str(), None))));
    for (n, name) in (0..).zip(&names) {
        // Posts get newer with their numbers, pages do not.
        let age = if n < 5 { (5 - n) * 240 } else { n * 240 };
        let address = format!("{name}/article");
        site = site.with(name, urlset([(address.as_str(), Some(hours_ago(age)))]));
    }
    let mut known = Known::new();
    let first = walk(&sitemap(&start), &History::default(), hours_ago(24), &mut site, &mut known);
    assert_eq!(first.requested.len(), 11);
    let second = walk(&sitemap(&start), &first.history, now(), &mut site, &mut known);
    let names = second.names();
    assert_eq!(names[1..3], ["post-5.xml", "post-4.xml"], "two show how the dates go");
    assert!(!names.contains(&"post-3.xml"));
    assert_eq!(names.iter().filter(|name| name.starts_with("page")).count(), 5);
}

/// A file may have more entries than are held at once. Its runs are in no order among themselves, so that one of them
/// that is known ends no other.
#[test]
fn a_file_with_more_entries_than_are_held_is_read_in_runs() {
    let start = format!("{SITE}/s.xml");
    let count = 2 * i64::try_from(RUN_ENTRIES_MAX).unwrap() + 1;
    // The oldest first, as lists grow.
    let entries: Vec<(String, Timestamp)> =
        (0..count).map(|n| (format!("{SITE}/{n}"), hours_ago(100 + count - n))).collect();
    let list = urlset(entries.iter().map(|(address, date)| (address.as_str(), Some(*date))));
    let mut site = Files::default().with(&start, list);
    let mut known = Known::new();
    let first = walk(&sitemap(&start), &History::default(), hours_ago(24), &mut site, &mut known);
    assert_eq!((first.found.len(), known.len()), (entries.len(), entries.len()));
    assert_eq!(first.requested.len(), 1);
    assert_eq!(
        first.found[0].link,
        Some(format!("{SITE}/{}", RUN_ENTRIES_MAX - 1)),
        "the newest of the first run"
    );

    let (newest, _) = entries.last().unwrap();
    known.remove(newest);
    let second = walk(&sitemap(&start), &first.history, now(), &mut site, &mut known);
    assert!(known.contains_key(newest));
    assert_eq!(second.found.len(), 2 * BATCH_ENTRIES_MAX + 1);
}

#[test]
fn an_order_says_why() {
    let order = |by, lastmods| {
        let text = format!(r#"{{"by":"{by}","lastmods":"{lastmods}"}}"#);
        serde_json::from_str::<releve_backlog::Order>(&text).unwrap().to_string()
    };
    assert_eq!(order("Lastmod", "Believed"), "newest first, by the index's dates");
    assert_eq!(
        order("NameNumbers", "WithinADay"),
        "the highest first, by the numbers in the names, since the dates of the files are all of one day"
    );
    assert_eq!(order("AsGiven", "Absent"), "as given, since there are no dates of the files");
}
