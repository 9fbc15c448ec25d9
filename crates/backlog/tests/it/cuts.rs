//! A walk may be cut anywhere.

use std::collections::BTreeSet;

use jiff::Timestamp;
use releve_backlog::{Backlog, History};

use crate::links_and_pages::{Api, all_ways};
use crate::{
    Files, Known, Publisher, Reply, Walked, hours_ago, index, now, sitemap, urlset, walk, walk_cut,
    with_floor,
};

const SITE: &str = "https://www.example.org";

/// An index of indexes, with all that a list can do to a walk: a file that fails twice, one that is absent, one with
/// more entries than a batch, and one that is broken.
fn archive() -> Files {
    let child = |n: u32| format!("{SITE}/s{n}.xml");
    let entries = |n: u32, count: u32| {
        let entries: Vec<(String, Timestamp)> = (0..count)
            .map(|k| (format!("{SITE}/a/{n}-{k}"), hours_ago(i64::from(n * 48 + k % 24))))
            .collect();
        urlset(entries.iter().map(|(address, date)| (address.as_str(), Some(*date))))
    };
    let inner = |children: std::ops::Range<u32>| {
        let children: Vec<_> = children.map(|n| (child(n), hours_ago(i64::from(n) * 48))).collect();
        index(children.iter().map(|(name, date)| (name.as_str(), Some(*date))))
    };
    let years = [(format!("{SITE}/new.xml"), 0), (format!("{SITE}/old.xml"), 200)];
    let mut files = Files::default()
        .with(
            &format!("{SITE}/s.xml"),
            index(years.iter().map(|(name, age)| (name.as_str(), Some(hours_ago(*age))))),
        )
        .with(&years[0].0, inner(0..5))
        .with(&years[1].0, inner(5..9));
    for n in 0..9 {
        files = files.with(&child(n), entries(n, if n == 2 { 2_500 } else { 7 }));
    }
    let broken = entries(4, 7).into_bytes();
    files.with(&child(3), Reply::Status(404)).with(&child(4), Reply::body(&broken[..broken.len() / 2]))
}

fn set(walked: &Walked) -> BTreeSet<String> {
    walked.found.iter().map(|found| found.link.clone().unwrap()).collect()
}

/// Whichever step the process dies after, the next one finds all that an uncut walk finds, and asks for little more than
/// that does.
fn check<P: Publisher + Clone>(backlog: &Backlog, history: &History, publisher: &P, known: &Known) {
    let uncut = walk(backlog, history, now(), &mut publisher.clone(), &mut known.clone());
    let steps = uncut.requested.len() + 20;
    for cut in 0..steps {
        let mut known = known.clone();
        let walked =
            walk_cut(backlog, history, now(), &mut publisher.clone(), &mut known, &mut |step| step == cut);
        assert_eq!(set(&walked), set(&uncut), "cut after step {cut}");
        assert_eq!(walked.history, uncut.history, "cut after step {cut}");
        assert_eq!(walked.report.end, uncut.report.end, "cut after step {cut}");
        assert_eq!(walked.report, uncut.report, "a file that is read twice is counted once");
        assert!(walked.requested.len() <= uncut.requested.len() + 1);
    }
    // After every step that leads on.
    let walked = walk_cut(backlog, history, now(), &mut publisher.clone(), &mut known.clone(), &mut |step| {
        step % 7 == 3
    });
    assert_eq!(set(&walked), set(&uncut));
}

#[test]
fn r10_a_walk_over_sitemaps_that_was_cut_goes_on_where_it_was() {
    let backlog = sitemap(&format!("{SITE}/s.xml"));
    check(&backlog, &History::default(), &archive(), &Known::new());
    check(&with_floor(backlog.clone(), "2026-11-20"), &History::default(), &archive(), &Known::new());

    // And one that ends early.
    let mut known = Known::new();
    let whole = archive().with(&format!("{SITE}/s4.xml"), urlset([]));
    let first = walk(&backlog, &History::default(), hours_ago(24), &mut whole.clone(), &mut known);
    check(&backlog, &first.history, &whole, &known);
}

#[test]
fn r10_a_walk_over_pages_that_was_cut_goes_on_where_it_was() {
    for backlog in all_ways() {
        check(&backlog, &History::default(), &Api::new(75, 10), &Known::new());
        check(
            &with_floor(backlog.clone(), "2026-11-20"),
            &History::default(),
            &Api::new(75, 10),
            &Known::new(),
        );
        let mut known = Known::new();
        let mut api = Api::new(75, 10);
        let first = walk(&backlog, &History::default(), hours_ago(24), &mut api.clone(), &mut known);
        api.items.insert(0, (1_000, now()));
        check(&backlog, &first.history, &api, &known);
    }
}

/// A place is small, so that it can be kept after each batch: a frontier of thousands of files takes some bytes a file.
#[test]
fn a_place_is_small() {
    let children: Vec<_> =
        (0..10_000).map(|n| (format!("{SITE}/sitemaps/articles-{n:05}.xml.gz"), hours_ago(n * 48))).collect();
    let mut site = Files::default().with(
        &format!("{SITE}/s.xml"),
        index(children.iter().map(|(name, date)| (name.as_str(), Some(*date)))),
    );
    let backlog = sitemap(&format!("{SITE}/s.xml"));
    let mut walk = releve_backlog::Walk::begin(&backlog, &History::default(), now());
    let releve_backlog::Step::Request(request) = walk.next() else { panic!() };
    let Reply::Body { body, .. } = site.get(&request.address) else { panic!() };
    walk.answered(releve_backlog::Answer::Page(releve_backlog::Page::new(&request.address, &body)));
    let place = walk.place().unwrap();
    assert!(place.len() < 10_000 * 80, "{} bytes", place.len());
    let resumed = releve_backlog::Walk::resume(&backlog, &place).unwrap();
    assert_eq!(resumed.place().unwrap(), place);
}
