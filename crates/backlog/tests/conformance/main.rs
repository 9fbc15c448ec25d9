//! The sitemaps that others collected, and small sites of them, read from the folder that `RELEVE_CASES` names.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![allow(
    clippy::disallowed_methods,
    reason = "the environment says where the cases lie, and hostile ones are timed"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use releve_backlog::{Answer, Backlog, Entrance, Entry, File, History, Kind, Noted, Page, Step, Walk};
use releve_robots::{AccessScope, ProductToken, RobotsTxt};
use releve_url_canon::{HttpsUrl, NecessaryParameters};
use serde_json::Value;

/// The folder of the cases, or nothing where there is none, which in CI is a failure.
fn folder() -> Option<PathBuf> {
    if let Some(cases) = std::env::var_os("RELEVE_CASES") {
        return Some(PathBuf::from(cases).join("sitemaps"));
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI must set RELEVE_CASES");
    println!("skipped: RELEVE_CASES is not set");
    None
}

/// Where we read otherwise than recorded, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("doc-cc-atom.xml", "of two alternate links we take the one that says it is a page, as for the trigger"),
    (
        "doc-usp-test_sitemap_tree_for_homepage_rss_atom-sitemap_atom_1_0.xml",
        "of two alternate links we take the one that says it is a page, as for the trigger",
    ),
    ("site-usp-tree_gzip", "the packed files name another host than the recorded result does"),
    ("site-usp-tree_plain_text", "the packed file names another host than the recorded result does"),
];

/// Runs every line of a list of cases, and fails on an exception that is none any more too.
fn run(list: &str, at_least: usize, check: impl Fn(&Path, &Value) -> Result<(), String>) {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join(list)).unwrap();
    let (mut ran, mut wrong) = (0, String::new());
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let is_exception = EXCEPTIONS.iter().any(|(exception, _)| *exception == id);
        match check(&folder, &case) {
            Err(why) if !is_exception => writeln!(wrong, "{id}: {why}").unwrap(),
            Ok(()) if is_exception => writeln!(wrong, "{id}: an exception no longer").unwrap(),
            _ => {}
        }
        ran += 1;
    }
    println!("ran {ran} cases of {list}");
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(ran >= at_least, "only {ran} cases were found");
}

#[test]
fn documents_are_read_as_recorded() {
    run("docs.jsonl", 60, |folder, case| {
        let bytes = std::fs::read(folder.join(case["file"].as_str().unwrap())).unwrap();
        check_document(case, &bytes)
    });
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

fn check_document(case: &Value, bytes: &[u8]) -> Result<(), String> {
    let expect = &case["expect"];
    let transport = &case["transport"];
    let base = transport["url"].as_str().unwrap();
    let begin = Instant::now();
    let opened = File::open(bytes, transport["content_type"].as_str(), base);
    let kinds = strings(&expect["kind"]);
    let opened = match opened {
        Err(_) if kinds.contains(&"not_a_sitemap") => return took(begin),
        Err(error) => return Err(format!("{error} instead of {kinds:?}")),
        Ok(opened) => opened,
    };
    let kind = match opened.kind() {
        Kind::Sitemap => "urlset",
        Kind::Index => "index",
        Kind::Text => "text",
        Kind::Feed => "feed",
        _ => "another kind",
    };
    if !kinds.contains(&kind) {
        return Err(format!("is {kind} instead of {kinds:?}"));
    }
    let base: Option<HttpsUrl> = base.parse().ok();
    let entries: Vec<Entry<'_>> = opened.entries().flatten().collect();
    took(begin)?;
    let address = |entry: &Entry<'_>| match &base {
        Some(base) if !entry.address.contains("://") => base.join(&entry.address).unwrap().to_string(),
        _ => entry.address.clone().into_owned(),
    };
    let addresses: Vec<String> = entries.iter().map(address).collect();

    for key in ["entries", "entries_if_urlset", "entries_if_feed"] {
        let Some(wanted) = expect[key].as_array() else { continue };
        if wanted.len() != entries.len() {
            return Err(format!("has {} entries instead of {}: {addresses:?}", entries.len(), wanted.len()));
        }
        for ((wanted, entry), address) in wanted.iter().zip(&entries).zip(&addresses) {
            check_entry(wanted, entry, address).map_err(|why| format!("{address}: {why}"))?;
        }
    }
    if let Some(any) = expect["entries_any"].as_array() {
        let fits = |wanted: &Value| {
            let wanted = wanted.as_array().unwrap();
            wanted.len() == addresses.len()
                && wanted
                    .iter()
                    .zip(&addresses)
                    .all(|(any, address)| strings(any).contains(&address.as_str()))
        };
        if !any.iter().any(fits) {
            return Err(format!("{addresses:?} is none of {any:?}"));
        }
    }
    if !expect["entries_subset"].is_null() {
        let allowed = strings(&expect["entries_subset"]);
        if let Some(other) = addresses.iter().find(|address| !allowed.contains(&address.as_str())) {
            return Err(format!("{other} should not appear"));
        }
    }
    Ok(())
}

/// The hostile ones are given two seconds, all others need far less.
fn took(begin: Instant) -> Result<(), String> {
    let took = begin.elapsed();
    if took < Duration::from_secs(2) { Ok(()) } else { Err(format!("took {took:?}")) }
}

fn check_entry(wanted: &Value, entry: &Entry<'_>, address: &str) -> Result<(), String> {
    if !strings(&wanted["loc"]).contains(&address) {
        return Err(format!("should be {}", wanted["loc"]));
    }
    let instant = |text: &Value| text.as_str().map(|text| text.parse::<Timestamp>().unwrap());
    let whole = |date: Option<Timestamp>| date.map(|date| Timestamp::from_second(date.as_second()).unwrap());
    // Recorded is one date: of a feed's entry whichever it has, of a sitemap's its `lastmod`.
    let lastmods = wanted["lastmod"].as_array().unwrap();
    let is_read = |read: Option<Timestamp>| lastmods.iter().any(|lastmod| instant(lastmod) == whole(read));
    if !is_read(entry.modified) && !is_read(entry.modified.or(entry.published)) {
        return Err(format!("was modified {:?} instead of {lastmods:?}", entry.modified));
    }
    let news = &wanted["news"];
    if news["publication_date"].is_string() && instant(&news["publication_date"]) != entry.published {
        return Err(format!("was published {:?} instead of {}", entry.published, news["publication_date"]));
    }
    if news["language"].is_string() && news["language"].as_str() != entry.language.as_deref() {
        return Err(format!("is in {:?} instead of {}", entry.language, news["language"]));
    }
    Ok(())
}

#[test]
fn sites_are_walked_as_recorded() {
    run("sites.jsonl", 20, check_site);
}

/// A site that answers from a case, and what was asked of it.
struct Site<'c> {
    folder: &'c Path,
    docs: &'c serde_json::Map<String, Value>,
    requested: Vec<String>,
}

/// What the site answered, after redirects.
enum Answered {
    Body { address: HttpsUrl, content_type: Option<String>, body: Vec<u8> },
    Status(u16),
    NotAdmitted,
}

impl Site<'_> {
    fn get(&mut self, url: &HttpsUrl) -> Answered {
        let mut address = url.clone();
        loop {
            if address.host() != "site.example" {
                return Answered::NotAdmitted;
            }
            self.requested.push(address.to_string());
            let Some(doc) = self.docs.get(address.as_str()) else { return Answered::Status(404) };
            match doc["status"].as_u64().unwrap() {
                200 => {
                    let body = std::fs::read(self.folder.join(doc["file"].as_str().unwrap())).unwrap();
                    let content_type = doc["headers"]["Content-Type"].as_str().map(str::to_owned);
                    return Answered::Body { address, content_type, body };
                }
                301 | 302 => address = address.join(doc["headers"]["Location"].as_str().unwrap()).unwrap(),
                status => return Answered::Status(u16::try_from(status).unwrap()),
            }
        }
    }
}

fn check_site(folder: &Path, case: &Value) -> Result<(), String> {
    let mut site = Site { folder, docs: case["docs"].as_object().unwrap(), requested: Vec::new() };
    let product: ProductToken = "Releve".parse().unwrap();
    let robots_at: HttpsUrl = "https://site.example/robots.txt".parse().unwrap();
    let robots = if case["start"] == "robots" {
        match site.get(&robots_at) {
            Answered::Body { body, .. } => RobotsTxt::parse(&body),
            _ => RobotsTxt::parse(b""),
        }
    } else {
        RobotsTxt::parse(b"")
    };
    let entrance = match case["start"].as_str().unwrap() {
        "robots" => Entrance::Robots,
        address => Entrance::Sitemaps(vec![address.parse().unwrap()]),
    };
    // The one site that numbers the parts of its index in the query needs to be told so.
    let necessary_parameters = NecessaryParameters::new(["page"]);
    let backlog = Backlog { entrance, floor: None, necessary_parameters };

    let now: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
    let mut walk = Walk::begin(&backlog, &History::default(), now);
    let mut found: BTreeMap<String, Option<Timestamp>> = BTreeMap::new();
    let mut handed_out = 0;
    loop {
        match walk.next() {
            Step::Entrance => walk.entered(robots.sitemaps().iter().map(|sitemap| sitemap.address.as_str())),
            Step::Request(request) => {
                let verdict =
                    robots.judge(&product, AccessScope::NamedElseGeneral, request.address.path_and_query());
                if !verdict.allowed {
                    walk.answered(Answer::Barred { code: "robots-disallowed" });
                    continue;
                }
                match site.get(&request.address) {
                    Answered::Body { address, content_type, body } => walk.answered(Answer::Page(Page {
                        content_type: content_type.as_deref(),
                        ..Page::new(&address, &body)
                    })),
                    Answered::Status(status) => walk.answered(Answer::Status(status)),
                    Answered::NotAdmitted if request.address.host() == "site.example" => {
                        walk.answered(Answer::Failed { code: "redirect-not-admitted" });
                    }
                    Answered::NotAdmitted => walk.answered(Answer::Barred { code: "host-not-admitted" }),
                }
            }
            Step::Batch(batch) => {
                for announcement in &batch.announcements {
                    let date = announcement.modified.or(announcement.published);
                    let seconds = date.map(|date| Timestamp::from_second(date.as_second()).unwrap());
                    found.insert(announcement.link.clone().unwrap(), seconds);
                    handed_out += 1;
                }
                walk.noted(Noted { known: 0, new: batch.announcements.len() });
            }
            Step::Pause { .. } => walk = Walk::resume(&backlog, &walk.place().unwrap()).unwrap(),
            Step::End(_) => break,
            other => return Err(format!("{other:?} is no step that is known here")),
        }
    }

    let expect = &case["expect"];
    let addresses: BTreeSet<&str> = found.keys().map(String::as_str).collect();
    let is = |wanted: &Value| strings(wanted).into_iter().collect::<BTreeSet<_>>() == addresses;
    if !expect["page_set"].is_null() && !is(&expect["page_set"]) {
        return Err(format!("found {addresses:?} instead of {}", expect["page_set"]));
    }
    if let Some(any) = expect["page_set_any"].as_array()
        && !any.iter().any(is)
    {
        return Err(format!("found {addresses:?}, which is none of {any:?}"));
    }
    if let Some(pages) = expect["pages"].as_array() {
        let mut wanted = BTreeMap::new();
        for page in pages {
            let date = page[1].as_str().map(|date| date.parse::<Timestamp>().unwrap());
            wanted.insert(page[0].as_str().unwrap().to_owned(), date);
        }
        // That crawler leaves the dates of the news extension out.
        let is_same = wanted.len() == found.len()
            && wanted.iter().all(|(address, date)| {
                found.get(address).is_some_and(|found| date.is_none() || found == date)
            });
        if !is_same {
            return Err(format!("found {found:?} instead of {wanted:?}"));
        }
    }
    let report = walk.report();
    if let Some(complete) = expect["complete"].as_bool()
        && report.is_complete() != complete
    {
        return Err(format!("complete: {} instead of {complete}: {report:?}", report.is_complete()));
    }
    if let Some(max) = expect["max_requests"].as_u64()
        && site.requested.len() as u64 > max
    {
        return Err(format!("asked {} times: {:?}", site.requested.len(), site.requested));
    }
    if expect["no_duplicates"] == true && handed_out != found.len() {
        return Err(format!("handed out {handed_out} references to {} articles", found.len()));
    }
    for never in expect["never_requested"].as_array().into_iter().flatten() {
        if site.requested.iter().any(|requested| requested == never.as_str().unwrap()) {
            return Err(format!("asked for {never}"));
        }
    }
    let at = |name: &str| site.requested.iter().position(|requested| requested.ends_with(name));
    if expect["order"].as_str().is_some_and(|order| order.contains("2.xml before 1.xml"))
        && at("2.xml") > at("1.xml")
    {
        return Err(format!("went {:?}", site.requested));
    }
    Ok(())
}
