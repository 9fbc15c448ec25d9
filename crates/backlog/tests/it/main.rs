//! The crate through its public API: files of lists, and walks over publishers that are played here.
#![allow(clippy::unwrap_used, clippy::missing_docs_in_private_items)]

mod cuts;
mod files;
mod hostile;
mod links_and_pages;
mod orders;
mod promises;
mod properties;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use releve_backlog::{Answer, Backlog, End, Entrance, History, Noted, Page, Report, Step, Walk};
use releve_feed::Announcement;
use releve_url_canon::{HttpsUrl, NecessaryParameters};

const NOW: &str = "2026-11-30T12:00:00Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

/// So many hours before now.
fn hours_ago(hours: i64) -> Timestamp {
    now() - SignedDuration::from_hours(hours)
}

fn url(text: &str) -> HttpsUrl {
    text.parse().unwrap()
}

fn backlog(entrance: Entrance) -> Backlog {
    Backlog { entrance, floor: None, necessary_parameters: NecessaryParameters::none() }
}

/// A backlog that is one sitemap, or an index of them.
fn sitemap(address: &str) -> Backlog {
    backlog(Entrance::Sitemaps(vec![url(address)]))
}

fn with_floor(backlog: Backlog, floor: &str) -> Backlog {
    Backlog { floor: Some(floor.parse().unwrap()), ..backlog }
}

/// What a publisher answers.
#[derive(Clone, Debug)]
enum Reply {
    Body { body: Vec<u8>, link: Option<String>, total: Option<u64>, total_pages: Option<u64> },
    Status(u16),
    Failed,
}

impl Reply {
    fn body(body: impl Into<Vec<u8>>) -> Self {
        Self::Body { body: body.into(), link: None, total: None, total_pages: None }
    }
}

trait Publisher {
    fn get(&mut self, address: &HttpsUrl) -> Reply;
}

/// A publisher whose files stay as they are.
#[derive(Clone, Debug, Default)]
struct Files(BTreeMap<String, Reply>);

impl Files {
    fn with(mut self, address: &str, reply: impl Into<Reply>) -> Self {
        self.0.insert(address.to_owned(), reply.into());
        self
    }
}

impl From<String> for Reply {
    fn from(body: String) -> Self {
        Self::body(body)
    }
}

impl Publisher for Files {
    fn get(&mut self, address: &HttpsUrl) -> Reply {
        self.0.get(address.as_str()).cloned().unwrap_or(Reply::Status(404))
    }
}

/// A sitemap of these addresses and dates.
fn urlset<'a>(entries: impl IntoIterator<Item = (&'a str, Option<Timestamp>)>) -> String {
    entries_of("urlset", "url", entries)
}

fn index<'a>(entries: impl IntoIterator<Item = (&'a str, Option<Timestamp>)>) -> String {
    entries_of("sitemapindex", "sitemap", entries)
}

fn entries_of<'a>(
    root: &str,
    element: &str,
    entries: impl IntoIterator<Item = (&'a str, Option<Timestamp>)>,
) -> String {
    let entries = entries.into_iter().map(|(address, date)| {
        let date = date.map(|date| format!("<lastmod>{date}</lastmod>")).unwrap_or_default();
        format!("<{element}><loc>{address}</loc>{date}</{element}>")
    });
    let entries: String = entries.collect();
    format!("<{root} xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</{root}>")
}

/// What a walk came to.
#[derive(Debug)]
struct Walked {
    found: Vec<Announcement>,
    requested: Vec<String>,
    report: Report,
    history: History,
}

impl Walked {
    fn end(&self) -> &End {
        self.report.end.as_ref().unwrap()
    }

    fn links(&self) -> Vec<&str> {
        self.found.iter().map(|found| found.link.as_deref().unwrap()).collect()
    }

    fn set(&self) -> BTreeSet<&str> {
        self.links().into_iter().collect()
    }

    /// The last segments of the paths that were asked for.
    fn names(&self) -> Vec<&str> {
        self.requested.iter().map(|address| address.rsplit('/').next().unwrap()).collect()
    }
}

/// When each reference was first known.
type Known = BTreeMap<String, Timestamp>;

fn key(announcement: &Announcement) -> String {
    let link = announcement.link.clone();
    link.or(announcement.id.clone()).unwrap_or_else(|| format!("{:?}", announcement.fields))
}

/// Walks to the end, in one process, and takes note in `known` of what it finds.
fn walk(
    backlog: &Backlog,
    history: &History,
    at: Timestamp,
    publisher: &mut dyn Publisher,
    known: &mut Known,
) -> Walked {
    walk_cut(backlog, history, at, publisher, known, &mut |_| false)
}

/// Walks to the end. After each step `is_cut` says whether the process dies there, and another one goes on from the place
/// that was kept last.
fn walk_cut(
    backlog: &Backlog,
    history: &History,
    at: Timestamp,
    publisher: &mut dyn Publisher,
    known: &mut Known,
    is_cut: &mut dyn FnMut(usize) -> bool,
) -> Walked {
    let mut walk = Walk::begin(backlog, history, at);
    let (mut found, mut requested) = (Vec::new(), Vec::new());
    for step in 0.. {
        assert!(step < 100_000, "the walk does not end");
        match walk.next() {
            Step::Entrance => walk.entered(["https://www.example.org/sitemap.xml"]),
            Step::Request(request) => {
                requested.push(request.address.to_string());
                match publisher.get(&request.address) {
                    Reply::Status(status) => walk.answered(Answer::Status(status)),
                    Reply::Failed => walk.answered(Answer::Failed { code: "unreachable" }),
                    Reply::Body { body, link, total, total_pages } => {
                        let links: Vec<&str> = link.as_deref().into_iter().collect();
                        let total = total.map(|total| total.to_string());
                        let total_pages = total_pages.map(|pages| pages.to_string());
                        walk.answered(Answer::Page(Page {
                            links: &links,
                            total: total.as_deref(),
                            total_pages: total_pages.as_deref(),
                            ..Page::new(&request.address, &body)
                        }));
                    }
                }
            }
            Step::Batch(batch) => {
                let mut noted = Noted::default();
                for announcement in batch.announcements {
                    let first_seen = *known.entry(key(&announcement)).or_insert(at);
                    if first_seen < walk.began() {
                        noted.known += 1;
                    } else {
                        noted.new += 1;
                    }
                    found.push(announcement);
                }
                walk.noted(noted);
            }
            Step::Pause { .. } => {
                walk = Walk::resume(backlog, &walk.place().unwrap()).unwrap();
            }
            Step::End(_) => break,
            step => panic!("{step:?}"),
        }
        if is_cut(step)
            && let Some(place) = walk.place()
        {
            walk = Walk::resume(backlog, &place).unwrap();
        }
    }
    Walked { found, requested, report: walk.report().clone(), history: walk.history() }
}

/// The first walk of a list.
fn first_walk(backlog: &Backlog, publisher: &mut dyn Publisher) -> Walked {
    walk(backlog, &History::default(), now(), publisher, &mut Known::new())
}

fn codes(tallies: &[releve_backlog::Tally]) -> Vec<(&str, u64)> {
    tallies.iter().map(|tally| (tally.code.as_str(), tally.count)).collect()
}
