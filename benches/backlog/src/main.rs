//! Reads a million addresses from 20 sitemaps by bare quick-xml, by `releve-backlog` and by the crates `sitemaps` and
//! `sitemapo`, in turn, and prints the best of some rounds for each with what it is of the bare reading.
//!
//! `cargo run --release`, or `just bench-backlog`, which has a peer in Python read the same bytes afterwards: with a folder as its
//! argument, it leaves the files there. The bytes are made here: about 190 an entry, the newest first, as a newspaper's archive is.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use quick_xml::events::Event;
use quick_xml::reader::Reader;
use releve_backlog::{Answer, Backlog, Entrance, History, Noted, Page, Step, Walk};
use releve_url_canon::{HttpsUrl, NecessaryParameters};

const FILES: usize = 20;
const ENTRIES: usize = 50_000;
const ROUNDS: usize = 7;

fn main() {
    let files: Vec<String> = (0..FILES).map(sitemap).collect();
    let bytes: usize = files.iter().map(String::len).sum();
    println!("{} addresses in {FILES} files, {bytes} bytes; the best of {ROUNDS} rounds", FILES * ENTRIES);
    if let Some(folder) = std::env::args_os().nth(1) {
        for (number, text) in files.iter().enumerate() {
            std::fs::write(std::path::Path::new(&folder).join(format!("{number:02}.xml")), text).unwrap();
        }
    }
    let readers: [(&str, fn(&[String]) -> usize); 4] = [
        ("bare quick-xml", bare),
        ("releve-backlog, a whole walk", walk),
        ("sitemaps", sitemaps),
        ("sitemapo", sitemapo),
    ];
    let mut best = [Duration::MAX; 4];
    // In turn, so that whatever else the machine does is done to all of them.
    for _ in 0..ROUNDS {
        for ((_, read), best) in readers.iter().zip(&mut best) {
            let begin = Instant::now();
            assert_eq!(read(&files), FILES * ENTRIES);
            *best = begin.elapsed().min(*best);
        }
    }
    for ((name, _), took) in readers.iter().zip(best) {
        println!(
            "{name:<30} {:>7.1?} ms {:>6.2}",
            took.as_secs_f64() * 1e3,
            took.as_secs_f64() / best[0].as_secs_f64()
        );
    }
}

fn sitemap(file: usize) -> String {
    let newest: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for article in file * ENTRIES..(file + 1) * ENTRIES {
        let date = newest - SignedDuration::from_mins(13 * i64::try_from(article).unwrap());
        let (day, lastmod) = (date.strftime("%Y/%m/%d"), date.strftime("%Y-%m-%dT%H:%M:%S+00:00"));
        writeln!(text, "<url><loc>https://www.example.org/{day}/the-old-bridge-is-closed-for-repairs-{article}.html</loc><lastmod>{lastmod}</lastmod><changefreq>weekly</changefreq></url>").unwrap();
    }
    text.push_str("</urlset>\n");
    text
}

/// Runs through the events and copies each address: what any reader must do.
fn bare(files: &[String]) -> usize {
    let read = |file: &String| {
        let mut reader = Reader::from_str(file);
        let mut addresses = Vec::new();
        let mut is_address = false;
        loop {
            match reader.read_event().unwrap() {
                Event::Start(start) => is_address = start.name().into_inner() == "loc",
                Event::Text(text) if is_address => addresses.push(text.into_inner().into_owned()),
                Event::End(_) => is_address = false,
                Event::Eof => break black_box(addresses).len(),
                _ => {}
            }
        }
    };
    files.iter().map(read).sum()
}

fn walk(files: &[String]) -> usize {
    let address = |file: usize| format!("https://www.example.org/{file}.xml");
    let start: HttpsUrl = "https://www.example.org/index.xml".parse().unwrap();
    let entries: String =
        (0..FILES).map(|file| format!("<sitemap><loc>{}</loc></sitemap>", address(file))).collect();
    let index = format!("<sitemapindex>{entries}</sitemapindex>");
    let backlog = Backlog {
        entrance: Entrance::Sitemaps(vec![start]),
        floor: None,
        necessary_parameters: NecessaryParameters::none(),
    };
    let mut walk = Walk::begin(&backlog, &History::default(), "2026-11-30T12:00:00Z".parse().unwrap());
    let mut found = 0;
    loop {
        match walk.next() {
            Step::Request(request) => {
                let file = (0..FILES).find(|file| address(*file) == request.address.as_str());
                let body = file.map_or(&index, |file| &files[file]);
                walk.answered(Answer::Page(Page::new(&request.address, body.as_bytes())));
            }
            Step::Batch(batch) => {
                found += black_box(&batch).announcements.len();
                walk.noted(Noted { known: 0, new: batch.announcements.len() });
            }
            _ => break found,
        }
    }
}

fn sitemaps(files: &[String]) -> usize {
    let read = |file: &String| match sitemaps::SitemapsFile::read(file.as_bytes()).unwrap() {
        sitemaps::SitemapsFile::Sitemap(sitemap) => black_box(sitemap).entries.len(),
        sitemaps::SitemapsFile::SiteIndex(_) => 0,
    };
    files.iter().map(read).sum()
}

fn sitemapo(files: &[String]) -> usize {
    let read = |file: &String| {
        let entries: Vec<_> = sitemapo::Parser::new(file.as_bytes()).map(Result::unwrap).collect();
        black_box(entries).len()
    };
    files.iter().map(read).sum()
}
