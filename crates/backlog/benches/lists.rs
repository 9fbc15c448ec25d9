//! What reading and walking a million addresses costs, beside bare quick-xml over the same bytes.
//!
//! The list is an index of 20 sitemaps with 50,000 addresses each, about 190 bytes an entry, as a newspaper's archive is.
//! The goal is 1.5 times of what quick-xml takes to run through the events and copy each address, with everything that
//! a walk does besides: dates, order, batches, conclusions.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::LazyLock;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use jiff::{SignedDuration, Timestamp};
use quick_xml::events::Event;
use quick_xml::reader::Reader;
use releve_backlog::{Answer, Backlog, End, Entrance, File, History, Noted, Page, Step, Walk};
use releve_url_canon::{HttpsUrl, NecessaryParameters};

fn main() {
    divan::main();
}

const FILES: usize = 20;
const ENTRIES: usize = 50_000;
const INDEX: &str = "https://www.example.org/sitemaps/index.xml";

/// When the newest article was published.
const NEWEST: Timestamp = Timestamp::constant(1_796_040_000, 0);

fn date(article: usize) -> Timestamp {
    NEWEST - SignedDuration::from_mins(13 * i64::try_from(article).unwrap())
}

fn file_at(file: usize) -> String {
    format!("https://www.example.org/sitemaps/{file}.xml")
}

/// The sitemaps, the newest first.
static SITEMAPS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let sitemap = |file: usize| {
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
        );
        for article in file * ENTRIES..(file + 1) * ENTRIES {
            let date = date(article);
            let day = date.strftime("%Y/%m/%d");
            let lastmod = date.strftime("%Y-%m-%dT%H:%M:%S+00:00");
            writeln!(text, "<url><loc>https://www.example.org/{day}/the-old-bridge-is-closed-for-repairs-{article}.html</loc><lastmod>{lastmod}</lastmod><changefreq>weekly</changefreq></url>").unwrap();
        }
        text.push_str("</urlset>\n");
        text
    };
    (0..FILES).map(sitemap).collect()
});

static INDEX_OF_ALL: LazyLock<String> = LazyLock::new(|| {
    let entry = |file: usize| {
        format!("<sitemap><loc>{}</loc><lastmod>{}</lastmod></sitemap>", file_at(file), date(file * ENTRIES))
    };
    let entries: String = (0..FILES).map(entry).collect();
    format!("<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</sitemapindex>")
});

/// Runs through the events and copies the text of each `loc` and `lastmod`: what any reader must do.
fn bare(text: &str) -> usize {
    let mut reader = Reader::from_str(text);
    let mut addresses = Vec::new();
    let mut is_address = false;
    let mut is_date = false;
    let mut date_bytes = 0;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                let name = start.name().into_inner();
                is_address = name == "loc";
                is_date = name == "lastmod";
            }
            Event::Text(text) if is_address => addresses.push(text.into_inner().into_owned()),
            Event::Text(text) if is_date => date_bytes += text.len(),
            Event::End(_) => (is_address, is_date) = (false, false),
            Event::Eof => break,
            _ => {}
        }
    }
    black_box(date_bytes);
    addresses.len()
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn bare_quick_xml(bencher: Bencher<'_, '_>) {
    let files = &*SITEMAPS;
    bencher.counter(ItemsCount::new(FILES * ENTRIES)).bench(|| {
        let entries: usize = files.iter().map(|text| bare(text)).sum();
        assert_eq!(entries, FILES * ENTRIES);
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn entries(bencher: Bencher<'_, '_>) {
    let files = &*SITEMAPS;
    bencher.counter(ItemsCount::new(FILES * ENTRIES)).bench(|| {
        let count = |text: &String| {
            let file = File::open(text.as_bytes(), None, INDEX).unwrap();
            file.entries().flatten().filter(|entry| entry.modified.is_some()).count()
        };
        assert_eq!(files.iter().map(count).sum::<usize>(), FILES * ENTRIES);
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn walk(bencher: Bencher<'_, '_>) {
    let (files, index) = (&*SITEMAPS, &*INDEX_OF_ALL);
    let start: HttpsUrl = INDEX.parse().unwrap();
    let backlog = Backlog {
        entrance: Entrance::Sitemaps(vec![start.clone()]),
        floor: None,
        necessary_parameters: NecessaryParameters::none(),
    };
    bencher.counter(ItemsCount::new(FILES * ENTRIES)).bench(|| {
        let mut walk = Walk::begin(&backlog, &History::default(), NEWEST);
        let mut found = 0;
        loop {
            match walk.next() {
                Step::Request(request) => {
                    let is_at = |file: &usize| file_at(*file) == request.address.as_str();
                    let body = (0..FILES).find(is_at).map_or(index, |file| &files[file]);
                    walk.answered(Answer::Page(Page::new(&request.address, body.as_bytes())));
                }
                Step::Batch(batch) => {
                    found += black_box(&batch).announcements.len();
                    walk.noted(Noted { known: 0, new: batch.announcements.len() });
                    black_box(walk.place());
                }
                Step::End(end) => break assert_eq!((end, found), (End::ListEnd, FILES * ENTRIES)),
                step => panic!("{step:?}"),
            }
        }
    });
}
