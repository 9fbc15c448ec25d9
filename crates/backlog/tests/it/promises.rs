//! The promises about the backlog, each where this crate could break it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use releve_backlog::{Answer, Backlog, DEPTH_MAX, End, Entrance, History, Noted, Page, Step, Walk};
use releve_url_canon::{HttpsUrl, NecessaryParameters};

use crate::links_and_pages::{Api, by_offset};
use crate::{
    Files, Known, Publisher, Reply, codes, first_walk, hours_ago, index, now, sitemap, url, urlset, walk,
    with_floor,
};

const SITE: &str = "https://www.example.org";
const DAY: i64 = 24;

/// An archive of one sitemap a day, the newest with the highest number, of ten articles each.
fn archive(days: i64) -> Files {
    let names: Vec<(String, Timestamp)> =
        (0..days).map(|day| (format!("{SITE}/s{day}.xml"), hours_ago(day * DAY))).collect();
    let mut files = Files::default()
        .with(&format!("{SITE}/s.xml"), index(names.iter().map(|(name, date)| (name.as_str(), Some(*date)))));
    for (day, (name, _)) in (0..).zip(&names) {
        files = files.with(name, sitemap_of(day));
    }
    files
}

fn sitemap_of(day: i64) -> String {
    let articles: Vec<(String, Timestamp)> =
        (0..10).map(|n| (format!("{SITE}/a/{day}-{n}"), hours_ago(day * DAY + n))).collect();
    urlset(articles.iter().map(|(address, date)| (address.as_str(), Some(*date))))
}

fn entrance() -> Backlog {
    sitemap(&format!("{SITE}/s.xml"))
}

/// What is requested is the list's files and no article.
#[test]
fn r08_the_walk_asks_for_the_files_of_the_list_and_opens_no_article() {
    let mut files = archive(5);
    let walked = first_walk(&entrance(), &mut files);
    assert_eq!(walked.names(), ["s.xml", "s0.xml", "s1.xml", "s2.xml", "s3.xml", "s4.xml"]);
    assert_eq!(walked.found.len(), 50);
    assert_eq!(walked.end(), &End::ListEnd);
    let dates: Vec<_> = walked.found.iter().map(|found| found.modified.unwrap()).collect();
    assert!(dates.is_sorted_by(|newer, older| newer >= older), "from the most recent to the oldest");
}

/// Only references and dates: an announcement from a sitemap has no field besides.
#[test]
fn r08_nothing_but_references_is_taken_from_a_list() {
    let news = "<urlset><url><loc>https://www.example.org/1</loc><news:news><news:title>Canary</news:title><news:keywords>Canary</news:keywords>
        </news:news><image:image><image:caption>Canary</image:caption></image:image></url></urlset>";
    let mut files = Files::default().with("https://www.example.org/s.xml", news.to_owned());
    let walked = first_walk(&entrance(), &mut files);
    assert_eq!(walked.links(), ["https://www.example.org/1"]);
    assert!(!format!("{walked:?}").contains("Canary"));
}

#[test]
fn r09_a_walk_ends_where_a_whole_batch_is_known_beyond_the_last_48_hours() {
    let mut known = Known::new();
    let mut files = archive(30);
    let first = walk(&entrance(), &History::default(), hours_ago(DAY), &mut files, &mut known);
    assert_eq!((first.requested.len(), first.end()), (31, &End::ListEnd));

    // A day later the files of the last two days are read, and the first that is older and known.
    let second = walk(&entrance(), &first.history, now(), &mut files, &mut known);
    assert_eq!(second.end(), &End::Known);
    assert_eq!(second.names(), ["s.xml", "s0.xml", "s1.xml", "s2.xml", "s3.xml"]);
    assert_eq!(second.report.files_known, 26);
}

/// "Known" is what was known before the walk began: what a walk finds itself, before it is cut, ends it nowhere.
#[test]
fn r09_what_a_walk_finds_itself_does_not_end_it() {
    let mut known = Known::new();
    let mut files = archive(30);
    let first = walk(&entrance(), &History::default(), hours_ago(DAY), &mut files, &mut known);
    known.clear();
    let twice = |step: usize| step % 2 == 1;
    let second = crate::walk_cut(&entrance(), &first.history, now(), &mut files, &mut known, &mut { twice });
    assert_eq!(known.len(), 300, "{:?}", second.report);
}

#[test]
fn r09_no_walk_ends_early_before_one_has_reached_the_floor_now_configured() {
    let to = |floor: &str| with_floor(entrance(), floor);
    let mut files = archive(30);
    // Everything is known already, from the trigger say: the first walk goes all the way all the same.
    let mut known = Known::new();
    first_walk(&entrance(), &mut files).links().into_iter().for_each(|link| {
        known.insert(link.to_owned(), hours_ago(1_000));
    });
    let first = walk(&to("2026-11-20"), &History::default(), hours_ago(DAY), &mut files, &mut known);
    assert_eq!(first.end(), &End::Floor);
    assert_eq!(walk(&to("2026-11-20"), &first.history, now(), &mut files, &mut known).end(), &End::Known);
    // A floor that was raised needs no new walk, one that was lowered does.
    assert_eq!(walk(&to("2026-11-25"), &first.history, now(), &mut files, &mut known).end(), &End::Known);
    let lowered = walk(&to("2026-11-10"), &first.history, now(), &mut files, &mut known);
    assert_eq!(lowered.end(), &End::Floor);
    assert_eq!(walk(&to("2026-11-10"), &lowered.history, now(), &mut files, &mut known).end(), &End::Known);
    // A history of another list says nothing.
    let other = Backlog { necessary_parameters: NecessaryParameters::new(["x"]), ..to("2026-11-10") };
    assert_eq!(walk(&other, &lowered.history, now(), &mut files, &mut known).end(), &End::Floor);
    // Nor does one of a time at which something else was taken of the list: what was refused then may be taken now.
    let kept = lowered.history.clone().under("articles");
    assert_eq!(walk(&to("2026-11-10"), &kept, now(), &mut files, &mut known).end(), &End::Floor);
    let again = walk(&to("2026-11-10"), &kept, now(), &mut files, &mut known).history.to_string();
    for (rule, end) in [("articles", End::Known), ("articles and comments", End::Floor)] {
        let kept = again.parse::<History>().unwrap().under(rule);
        assert_eq!(walk(&to("2026-11-10"), &kept, now(), &mut files, &mut known).end(), &end);
    }
}

/// A history outlives the process as text.
#[test]
fn r09_what_was_reached_is_kept_as_text() {
    let mut known = Known::new();
    let mut files = archive(10);
    let first = walk(&entrance(), &History::default(), hours_ago(DAY), &mut files, &mut known);
    let kept: History = first.history.to_string().parse().unwrap();
    assert_eq!(kept, first.history);
    assert!("".parse::<History>().is_err() && "{}".parse::<History>() == Ok(History::default()));
}

/// After an outage the trigger may have announced what stands at the top of the list before the walk comes to it.
/// Everything since the last complete walk began is looked at, not the last 48 hours alone.
#[test]
fn r09_after_an_outage_the_walk_goes_back_to_the_last_one() {
    let mut known = Known::new();
    let mut then = archive(30);
    // Ten days ago there were no files of the last ten days.
    then.0.insert(
        format!("{SITE}/s.xml"),
        index(
            (10..30)
                .map(|day| (format!("{SITE}/s{day}.xml"), hours_ago(day * DAY)))
                .collect::<Vec<_>>()
                .iter()
                .map(|(name, date)| (name.as_str(), Some(*date))),
        )
        .into(),
    );
    let first = walk(&entrance(), &History::default(), hours_ago(10 * DAY), &mut then, &mut known);
    // The trigger has announced what is three days old, and nothing else.
    for n in 0..10 {
        known.insert(format!("{SITE}/a/3-{n}"), hours_ago(1));
    }
    let second = walk(&entrance(), &first.history, now(), &mut archive(30), &mut known);
    assert_eq!(known.len(), 300, "{:?}", second.report);
    assert!(second.requested.len() < 15);
}

/// Where a list bears no dates, none are made up: what is known ends nothing.
#[test]
fn r09_no_early_end_is_drawn_from_dates_that_are_not_there() {
    let undated = |names: std::ops::Range<u32>| {
        let addresses: Vec<String> = names.map(|n| format!("{SITE}/a/{n}")).collect();
        urlset(addresses.iter().map(|address| (address.as_str(), None)))
    };
    let children: Vec<String> = (0..5).map(|n| format!("{SITE}/s{n}.xml")).collect();
    let mut files = Files::default()
        .with(&format!("{SITE}/s.xml"), index(children.iter().map(|child| (child.as_str(), None))));
    for (n, child) in (0..).zip(&children) {
        files = files.with(child, undated(n * 10..n * 10 + 10));
    }
    let mut known = Known::new();
    let first = walk(&entrance(), &History::default(), hours_ago(DAY), &mut files, &mut known);
    let second = walk(&entrance(), &first.history, now(), &mut files, &mut known);
    assert_eq!((second.requested.len(), second.end()), (6, &End::ListEnd));

    // One without a date among others that have one says as little (interpretation: the batch has to be dated as
    // a whole).
    let mut mixed = Files::default().with(
        &format!("{SITE}/s.xml"),
        urlset([(&*format!("{SITE}/new"), None), (&*format!("{SITE}/old"), Some(hours_ago(1_000)))]),
    );
    let first = walk(&entrance(), &History::default(), hours_ago(DAY), &mut mixed, &mut known);
    let second = walk(&entrance(), &first.history, now(), &mut mixed, &mut known);
    assert_eq!(second.end(), &End::ListEnd);
}

/// Files that are in no order that could be known are all read: the end of one says nothing about another.
#[test]
fn r09_a_known_file_ends_only_what_is_known_to_be_older() {
    let sections = ["culture", "sport"].map(|name| format!("{SITE}/{name}.xml"));
    let entries = |name: &str, age: i64| {
        urlset([(&*format!("{SITE}/{name}"), Some(hours_ago(age)))].map(|(address, date)| (address, date)))
    };
    let mut files = Files::default()
        .with(&format!("{SITE}/s.xml"), index(sections.iter().map(|name| (name.as_str(), None))))
        .with(&sections[0], entries("old", 500))
        .with(&sections[1], entries("older", 900));
    let mut known = Known::new();
    let first = walk(&entrance(), &History::default(), hours_ago(DAY), &mut files, &mut known);
    files = files.with(&sections[1], entries("new", 100));
    walk(&entrance(), &first.history, now(), &mut files, &mut known);
    assert!(known.contains_key(&format!("{SITE}/new")));
}

#[test]
fn r09_the_walk_stops_at_the_floor() {
    // Midnight UTC begins the day (interpretation).
    let backlog = with_floor(entrance(), "2026-11-28");
    let walked = first_walk(&backlog, &mut archive(30));
    assert_eq!(walked.end(), &End::Floor);
    assert_eq!(walked.names(), ["s.xml", "s0.xml", "s1.xml", "s2.xml"]);
    assert!(walked.found.iter().all(|found| found.modified >= "2026-11-28T00:00:00Z".parse().ok()));
    assert_eq!(walked.report.files_before_floor, 27);
    assert_eq!(walked.found.len(), 30);

    // What has no date is not known to be older.
    let entries = [("/undated", None), ("/new", Some(hours_ago(1))), ("/old", Some(hours_ago(100)))];
    let entries = entries.map(|(path, date)| (format!("{SITE}{path}"), date));
    let mut files = Files::default().with(
        &format!("{SITE}/s.xml"),
        urlset(entries.iter().map(|(address, date)| (address.as_str(), *date))),
    );
    let walked = first_walk(&backlog, &mut files);
    assert_eq!(walked.links(), [&entries[0].0, &entries[1].0]);
    assert_eq!((walked.report.before_floor, walked.end()), (1, &End::Floor));
}

/// A list's pages end the walk at the floor only where the list is in order.
#[test]
fn r09_pages_end_at_the_floor_where_the_list_is_in_order() {
    let backlog = with_floor(by_offset(10), "2026-11-20");
    let mut api = Api::new(100, 10);
    let walked = first_walk(&backlog, &mut api);
    assert_eq!(walked.end(), &End::Floor);
    assert!(walked.requested.len() < 8, "{:?}", walked.requested);
    let all: BTreeSet<_> = walked.found.iter().map(|found| found.published.unwrap()).collect();
    assert!(all.iter().all(|date| *date >= "2026-11-20T00:00:00Z".parse().unwrap()));

    // The oldest first: the first pages are before the floor, and say nothing about the others.
    let mut reversed = Api::new(100, 10);
    reversed.items.reverse();
    let backward = first_walk(&backlog, &mut reversed);
    assert_eq!(backward.set(), walked.set());
}

/// The publication date counts, where there is one, else the modification date.
#[test]
fn r09_the_publication_date_counts_before_the_modification_date() {
    let entry = |published: &str, modified: &str| {
        format!(
            "<urlset><url><loc>{SITE}/1</loc><lastmod>{modified}</lastmod><news:news><news:publication_date>{published}</news:publication_date></news:news></url></urlset>"
        )
    };
    for (published, modified, is_found) in [
        ("2026-11-20", "2026-11-20", true),
        ("2026-11-10", "2026-11-20", false),
        ("2026-11-20", "2026-11-10", true),
        ("", "2026-11-10", false),
        ("", "2026-11-20", true),
    ] {
        let mut files = Files::default().with(&format!("{SITE}/s.xml"), entry(published, modified));
        let walked = first_walk(&with_floor(entrance(), "2026-11-15"), &mut files);
        assert_eq!(walked.found.len() == 1, is_found, "published {published:?}, modified {modified:?}");
    }
}

/// A file that could not be read, or not to its end, leaves the walk incomplete: what was reached before stays as it was.
#[test]
fn r09_a_walk_with_a_gap_does_not_count() {
    let child = format!("{SITE}/s3.xml");
    let whole = archive(30).0.remove(&child).unwrap();
    let Reply::Body { body, .. } = whole else { panic!() };
    for (reply, code) in [
        (Reply::Failed, "unreachable"),
        (Reply::Status(503), "status-5xx"),
        (Reply::Status(403), "status-403"),
        (Reply::body(&body[..body.len() / 2]), "sitemap-cut-off"),
        (Reply::body("<!doctype html><p>Sorry"), "sitemap-is-html"),
    ] {
        let mut known = Known::new();
        let mut files = archive(30).with(&child, reply);
        let first = walk(&entrance(), &History::default(), hours_ago(DAY), &mut files, &mut known);
        assert!(!first.report.is_complete());
        assert_eq!(codes(&first.report.gaps), [(code, 1)]);
        assert_eq!(first.history.to_string().parse::<History>(), Ok(first.history.clone()));
        let second = walk(&entrance(), &first.history, now(), &mut archive(30), &mut known);
        assert_eq!((second.end(), known.len()), (&End::ListEnd, 300), "{code}");
    }
}

/// What failed is asked for three times in all, at the end and by later passes.
#[test]
fn r09_a_file_that_failed_is_tried_again_before_it_is_given_up() {
    let child = format!("{SITE}/s1.xml");
    let mut files = archive(3).with(&child, Reply::Status(500));
    let walked = first_walk(&entrance(), &mut files);
    assert_eq!(walked.names(), ["s.xml", "s0.xml", "s1.xml", "s2.xml", "s1.xml", "s1.xml"]);
}

/// A file that fails is asked for again behind files with lower numbers. What is known of those says nothing of it.
#[test]
fn r09_a_file_that_failed_is_read_though_lower_numbers_are_known() {
    let names = [4, 3, 2, 1].map(|number| format!("{SITE}/post-{number}.xml"));
    let of = |number: usize, age: i64| {
        let address = format!("{SITE}/a/{number}-{age}");
        urlset([(address.as_str(), Some(hours_ago(age)))])
    };
    let mut files = Files::default()
        .with(&format!("{SITE}/s.xml"), index(names.iter().map(|name| (name.as_str(), None))))
        .with(&names[0], of(4, 300))
        .with(&names[1], of(3, 500))
        .with(&names[2], of(2, 700))
        .with(&names[3], of(1, 900));
    let mut known = Known::new();
    let first = walk(&entrance(), &History::default(), hours_ago(DAY), &mut files, &mut known);
    assert!(first.report.is_complete());
    let mut files = FailsOnce(names[0].clone(), files.with(&names[0], of(4, 10)), false);
    let second = walk(&entrance(), &first.history, now(), &mut files, &mut known);
    assert_eq!(second.names(), ["s.xml", "post-4.xml", "post-3.xml", "post-2.xml", "post-4.xml"]);
    assert!(known.contains_key(&format!("{SITE}/a/4-10")));
}

/// A publisher of whose files one fails the first time that it is asked for.
struct FailsOnce(String, Files, bool);

impl Publisher for FailsOnce {
    fn get(&mut self, address: &HttpsUrl) -> Reply {
        if address.as_str() == self.0 && !std::mem::replace(&mut self.2, true) {
            return Reply::Failed;
        }
        self.1.get(address)
    }
}

const MAGAZINE: &str = "https://magazine.example.org";

/// A walk over an index of two files here and two at the magazine's host, which comes first.
fn walk_of_two_hosts() -> Walk {
    let files = [
        format!("{MAGAZINE}/4.xml"),
        format!("{SITE}/2.xml"),
        format!("{MAGAZINE}/3.xml"),
        format!("{SITE}/1.xml"),
    ];
    let ages = [1, 100, 200, 300].map(|days| Some(hours_ago(days * DAY)));
    let body = index(files.iter().map(String::as_str).zip(ages));
    let mut walk = Walk::begin(&entrance(), &History::default(), now());
    walk.answered(Answer::Page(Page::new(&url(&format!("{SITE}/s.xml")), body.as_bytes())));
    walk
}

/// What it asks for from here on, where each file has one entry, until there is no more to ask for.
fn asks_for(walk: &mut Walk, is_late: impl Fn(&HttpsUrl) -> bool) -> Vec<String> {
    let mut asked = Vec::new();
    loop {
        match walk.next() {
            Step::Request(request) if is_late(&request.address) => {
                assert!(walk.put_off("out-of-time", |file| file.host() == request.address.host()));
            }
            Step::Request(request) => {
                let address = request.address;
                asked.push(address.path_and_query().to_owned());
                let body = urlset([(format!("{address}/a").as_str(), Some(hours_ago(1)))]);
                walk.answered(Answer::Page(Page::new(&address, body.as_bytes())));
            }
            Step::Batch(_) => walk.noted(Noted { known: 0, new: 1 }),
            _ => return asked,
        }
    }
}

/// What is at a host that cannot be asked now is asked for by a later pass, which is no second try, and nothing else waits
/// for it.
#[test]
fn r10_files_that_are_put_off_are_asked_for_later_and_keep_nobody_waiting() {
    let is_magazine = |file: &HttpsUrl| file.host() == "magazine.example.org";
    let list = entrance();
    let mut walk = walk_of_two_hosts();
    for pass in 0..5 {
        let here: &[&str] = if pass == 0 { &["/2.xml", "/1.xml"] } else { &[] };
        assert_eq!(asks_for(&mut walk, is_magazine), here);
        assert!(matches!(walk.next(), Step::Pause { .. }));
        assert_eq!(codes(&walk.report().failed), [("out-of-time", 2)]);
        walk = Walk::resume(&list, &walk.place().unwrap()).unwrap();
    }
    assert_eq!(asks_for(&mut walk, |_| false), ["/4.xml", "/3.xml"]);
    assert!(walk.report().is_complete(), "{:?}", walk.report());
}

/// A walk waits for a host for as long as the next one is not due. It is not complete then.
#[test]
fn r19_what_is_still_put_off_when_the_next_walk_is_due_is_a_gap() {
    let mut walk = walk_of_two_hosts();
    assert!(!walk.give_up(), "there is more to ask for");
    asks_for(&mut walk, |file| file.host() == "magazine.example.org");
    assert!(walk.give_up());
    assert_eq!(
        (codes(&walk.report().gaps), codes(&walk.report().failed)),
        (vec![("out-of-time", 2)], vec![])
    );
    assert_eq!(walk.report().gaps[0].examples.len(), 2);
    assert!(matches!(walk.next(), Step::End(End::ListEnd)) && !walk.report().is_complete());

    // A page is all that there is to go by.
    let mut walk = Walk::begin(&by_offset(10), &History::default(), now());
    assert!(!walk.put_off("out-of-time", |_| true));
    walk.answered(Answer::Failed { code: "unreachable" });
    assert!(matches!(walk.next(), Step::Pause { .. }) && !walk.give_up());
}

/// A file that is not there does not hinder, but once it is there it is read, however old its date.
#[test]
fn r09_an_absent_file_is_asked_for_again() {
    let child = format!("{SITE}/s20.xml");
    let mut known = Known::new();
    let mut files = archive(30).with(&child, Reply::Status(404));
    let first = walk(&entrance(), &History::default(), hours_ago(DAY), &mut files, &mut known);
    assert!(first.report.is_complete());
    assert_eq!((codes(&first.report.refused), known.len()), (vec![("status-404", 1)], 290));
    let second = walk(&entrance(), &first.history, now(), &mut archive(30), &mut known);
    assert_eq!(known.len(), 300);
    assert_eq!(second.names(), ["s.xml", "s0.xml", "s1.xml", "s2.xml", "s3.xml", "s20.xml"]);
}

/// A walk that ends early does not come to the file whose date was seen to be wrong, and so cannot see it again.
#[test]
fn r09_dates_of_an_index_that_were_wrong_end_nothing_the_next_time() {
    let mut known = Known::new();
    // Its date in the index stays what it was when the file was made.
    let growing = |day: i64| {
        let old = (format!("{SITE}/a/20-0"), hours_ago(20 * DAY));
        let new = (format!("{SITE}/a/new-{day}"), hours_ago(day * DAY));
        urlset([old, new].iter().map(|(address, date)| (address.as_str(), Some(*date))))
    };
    let mut files = archive(30).with(&format!("{SITE}/s20.xml"), growing(10));
    let first = walk(&entrance(), &History::default(), hours_ago(2 * DAY), &mut files, &mut known);
    let kept: History = first.history.to_string().parse().unwrap();
    let mut files = archive(30).with(&format!("{SITE}/s20.xml"), growing(1));
    let second = walk(&entrance(), &kept, hours_ago(DAY), &mut files, &mut known);
    assert!(second.links().contains(&format!("{SITE}/a/new-1").as_str()), "{:?}", second.report);
    // Once none of them is contradicted any more, they are believed again.
    let mut files = archive(30);
    let third = walk(&entrance(), &second.history, now(), &mut files, &mut known);
    assert_eq!((third.report.files_known, third.requested.len()), (0, 31));
    let fourth = walk(&entrance(), &third.history, now(), &mut files, &mut known);
    assert_eq!(fourth.end(), &End::Known);
    assert!(fourth.report.files_known > 20, "{:?}", fourth.report);
}

/// Dates of an index that its files contradict are not believed any more.
#[test]
fn r09_dates_of_an_index_that_are_wrong_end_nothing() {
    let stale: Vec<_> =
        (0..30).map(|day| (format!("{SITE}/s{day}.xml"), hours_ago((100 + day) * DAY))).collect();
    let mut files = archive(30)
        .with(&format!("{SITE}/s.xml"), index(stale.iter().map(|(name, date)| (name.as_str(), Some(*date)))));
    let mut known = Known::new();
    let first = walk(&entrance(), &History::default(), hours_ago(DAY), &mut files, &mut known);
    known.remove(&format!("{SITE}/a/20-0"));
    let second = walk(&entrance(), &first.history, now(), &mut files, &mut known);
    assert_eq!((second.requested.len(), known.len()), (31, 300));
}

/// Nor do dates that only tell when the index was made.
#[test]
fn r09_dates_of_an_index_that_say_nothing_end_nothing() {
    let files = ["culture", "sport"].map(|name| format!("{SITE}/{name}.xml"));
    let made = Some(hours_ago(4 * DAY));
    let entry = |name: &str, age: i64| urlset([(&*format!("{SITE}/{name}"), Some(hours_ago(age)))]);
    let mut site = Files::default()
        .with(&format!("{SITE}/s.xml"), index(files.iter().map(|name| (name.as_str(), made))))
        .with(&files[0], entry("old", 500))
        .with(&files[1], entry("older", 900));
    let mut known = Known::new();
    let first = walk(&entrance(), &History::default(), hours_ago(DAY), &mut site, &mut known);
    site = site.with(&files[1], entry("dated back", 300));
    walk(&entrance(), &first.history, now(), &mut site, &mut known);
    assert!(known.contains_key(&format!("{SITE}/dated back")));
}

/// Indexes that lead to indexes are followed so far and no farther, and what is left is no secret.
#[test]
fn r08_indexes_are_followed_to_a_depth() {
    let mut files = Files::default();
    for n in 0..30 {
        let next = format!("{SITE}/{}.xml", n + 1);
        files = files.with(&format!("{SITE}/{n}.xml"), index([(next.as_str(), None)]));
    }
    let walked = first_walk(&sitemap(&format!("{SITE}/0.xml")), &mut files);
    assert_eq!(walked.requested.len(), usize::from(DEPTH_MAX) + 1);
    assert_eq!(codes(&walked.report.gaps), [("index-too-deep", 1)]);
}

/// A file is read once in a walk, under whatever address it is met.
#[test]
fn r08_no_file_is_read_twice() {
    let mut walk = Walk::begin(&entrance(), &History::default(), now());
    let children = [
        format!("{SITE}/a.xml"),
        format!("{SITE}/b.xml"),
        format!("{SITE}/a.xml#2"),
        format!("{SITE}/s.xml"),
    ];
    let list = index(children.iter().map(|child| (child.as_str(), None)));
    let start = url(&format!("{SITE}/s.xml"));
    walk.answered(Answer::Page(Page::new(&start, list.as_bytes())));
    // The first redirects to where the walk began.
    let entries = urlset([(&*format!("{SITE}/1"), None)]);
    walk.answered(Answer::Page(Page::new(&start, list.as_bytes())));
    assert_eq!(codes(&walk.report().refused), [("file-met-before", 1)]);
    let Step::Request(request) = walk.next() else { panic!() };
    assert_eq!(request.address, url(&children[1]));
    walk.answered(Answer::Page(Page::new(&request.address, entries.as_bytes())));
    assert!(matches!(walk.next(), Step::Batch(_)));
    walk.noted(Noted { known: 0, new: 1 });
    assert_eq!(walk.next(), Step::End(End::ListEnd));
}

/// A walk is one by itself: it has a beginning by which the next due time is reckoned, and it keeps it over any number of
/// processes.
#[test]
fn r10_a_walk_keeps_its_beginning() {
    let walk = Walk::begin(&entrance(), &History::default(), now());
    let resumed = Walk::resume(&entrance(), &walk.place().unwrap()).unwrap();
    assert_eq!(resumed.began(), now());
    assert_eq!(resumed.next(), walk.next());
}

#[test]
fn r10_a_place_in_another_list_is_not_resumed() {
    use releve_backlog::PlaceError::{OtherList, Unreadable};
    let place = Walk::begin(&entrance(), &History::default(), now()).place().unwrap();
    let others = [
        with_floor(entrance(), "2020-01-01"),
        sitemap(&format!("{SITE}/t.xml")),
        Backlog { necessary_parameters: NecessaryParameters::new(["p"]), ..entrance() },
        by_offset(10),
    ];
    for other in others {
        assert_eq!(Walk::resume(&other, &place).unwrap_err(), OtherList);
    }
    for text in ["", "{}", &place[1..], &place.replace("\"version\":1", "\"version\":0")] {
        assert_eq!(Walk::resume(&entrance(), text).unwrap_err(), Unreadable, "{text}");
    }
}

/// What is newer than 48 hours is read by every walk, whatever is known.
#[test]
fn r20_the_last_48_hours_are_always_walked_again() {
    let mut known = Known::new();
    let mut api = Api::new(300, 10);
    for (n, (_, date)) in (0..).zip(&mut api.items) {
        *date = hours_ago(n);
    }
    let first = walk(&by_offset(10), &History::default(), hours_ago(1), &mut api, &mut known);
    assert_eq!((known.len(), first.end()), (300, &End::ListEnd));
    let second = walk(&by_offset(10), &first.history, now(), &mut api, &mut known);
    assert_eq!(second.end(), &End::Known);
    let oldest = second.found.iter().map(|found| found.published.unwrap()).min().unwrap();
    assert!(oldest < hours_ago(48));
    // Not one page more than it takes to see one that is beyond as a whole.
    assert!(oldest > hours_ago(48 + 2 * 10), "{oldest}");
    let recent = |found: &[releve_feed::Announcement]| {
        found.iter().filter(|found| found.published.unwrap() >= hours_ago(48)).count()
    };
    assert_eq!(recent(&second.found), recent(&first.found));
}

/// R29: what is met inside the list keeps the parameters of the address that it was met at and the declared ones.
#[test]
fn r29_addresses_inside_a_list_keep_the_parameters_of_the_list() {
    let children = ["/s?type=post&p=1", "/s?type=post&p=2&sid=7", "/s?type=post&p=2&sid=8"];
    let children = children.map(|child| format!("{SITE}{child}"));
    let start = format!("{SITE}/s?type=all");
    let mut files = Files::default().with(&start, index(children.iter().map(|child| (child.as_str(), None))));
    let declared = Backlog { necessary_parameters: NecessaryParameters::new(["p"]), ..sitemap(&start) };
    let walked = first_walk(&declared, &mut files);
    assert_eq!(walked.names(), ["s?type=all", "s?type=post&p=2", "s?type=post&p=1"]);
    // Two that differ in what is not declared are one, and that one may be missing is said.
    assert_eq!(codes(&walked.report.gaps), [("parameter-undeclared", 1)]);
    assert!(!walked.report.is_complete());
}

/// R29, R40: of articles the list's links are handed on as they are; what the caller does not take is in the report.
#[test]
fn r40_what_is_refused_is_never_lost_silently() {
    let links = ["http://www.example.org/1", "https://elsewhere.example/2", "mailto:desk@example.org"];
    let list = urlset(links.iter().map(|link| (*link, None)));
    let mut walk = Walk::begin(&entrance(), &History::default(), now());
    let Step::Request(request) = walk.next() else { panic!() };
    walk.answered(Answer::Page(Page::new(&request.address, list.as_bytes())));
    let Step::Batch(batch) = walk.next() else { panic!() };
    let found: Vec<_> = batch.announcements.iter().map(|found| found.link.as_deref().unwrap()).collect();
    assert_eq!(found, links);
    walk.refuse("address-not-https", "www.example.org/1");
    walk.refuse("host-not-admitted", "elsewhere.example");
    walk.noted(Noted::default());
    assert_eq!(codes(&walk.report().refused), [("address-not-https", 1), ("host-not-admitted", 1)]);

    // Addresses of the list itself are refused here, before anything is asked.
    let children =
        ["http://www.example.org/1.xml", "https://127.0.0.1/2.xml", "https://u:p@www.example.org/3.xml"];
    let mut files =
        Files::default().with(&format!("{SITE}/s.xml"), index(children.iter().map(|child| (*child, None))));
    let walked = first_walk(&self::entrance(), &mut files);
    assert_eq!(walked.requested.len(), 1);
    assert_eq!(
        codes(&walked.report.refused),
        [("address-not-https", 1), ("address-ip-literal", 1), ("address-userinfo", 1)]
    );
}

/// R35, R40: a file that may not be read is passed over, and what is in it is not taken for known.
#[test]
fn r35_a_barred_file_is_passed_over() {
    let mut walk = Walk::begin(&entrance(), &History::default(), now());
    let list = index([(&*format!("{SITE}/private.xml"), None), (&*format!("{SITE}/public.xml"), None)]);
    let Step::Request(request) = walk.next() else { panic!() };
    walk.answered(Answer::Page(Page::new(&request.address, list.as_bytes())));
    walk.answered(Answer::Barred { code: "robots-disallowed" });
    let Step::Request(request) = walk.next() else { panic!() };
    assert_eq!(request.address, url(&format!("{SITE}/public.xml")));
    walk.answered(Answer::Page(Page::new(&request.address, b"<urlset></urlset>")));
    assert_eq!(walk.next(), Step::End(End::ListEnd));
    assert_eq!(codes(&walk.report().refused), [("robots-disallowed", 1)]);
    assert_eq!(walk.report().requests, 2, "nothing was requested there");
}

#[test]
fn r08_robots_txt_may_name_the_sitemaps() {
    let backlog = crate::backlog(Entrance::Robots);
    let mut walk = Walk::begin(&backlog, &History::default(), now());
    assert_eq!(walk.next(), Step::Entrance);
    let mut walk_resumed = Walk::resume(&backlog, &walk.place().unwrap()).unwrap();
    assert_eq!(walk_resumed.next(), Step::Entrance);
    walk_resumed.entered(["/relative.xml", "https://www.example.org/s.xml?session=1#x"]);
    let Step::Request(request) = walk_resumed.next() else { panic!() };
    assert_eq!(request.address, url("https://www.example.org/s.xml"));
    assert_eq!(codes(&walk_resumed.report().refused), [("address-invalid", 1), ("parameter-undeclared", 1)]);

    // One of several robots.txt that could not be read leaves sitemaps unnamed.
    let mut partly = Walk::resume(&backlog, &walk.place().unwrap()).unwrap();
    partly.missed("robots-unreachable", "cms.example.org");
    partly.entered([format!("{SITE}/s.xml")]);
    let Step::Request(request) = partly.next() else { panic!() };
    partly.answered(Answer::Page(Page::new(&request.address, b"<urlset></urlset>")));
    assert_eq!(partly.next(), Step::End(End::ListEnd));
    assert!(!partly.report().is_complete());

    walk.entered([""; 0]);
    assert_eq!(walk.next(), Step::End(End::Broken { code: "no-sitemap-named".to_owned() }));
    assert_eq!(walk.place(), None);
}
