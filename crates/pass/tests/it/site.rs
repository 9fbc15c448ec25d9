//! A publisher whose every answer follows from a plan: which article is public when, and what it says.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use releve_fetch::MemoryAnswer;
use releve_source::Source;

use crate::world::{World, here, noon, source};

/// An Atom feed of the newest, sitemaps of one month each under an index, and pages.
const SITEMAPS: &str = r#"
    name = "example"
    hosts = ["www.example.org"]
    article = { by = "page" }

    [trigger]
    feed = "https://www.example.org/feed"

    [identifier]
    trigger = { at = "guid", pattern = "^urn:a:(.+)$" }
    backlog = { at = "link", pattern = "/a/(\\d+)$" }
    article = "meta[name=article-id]"

    [backlog]
    sitemap = "https://www.example.org/sitemap.xml"
    floor = "2026-01-15"
"#;

/// A list that is walked page by page, by WordPress's REST API.
const PAGES: &str = r#"
    name = "example"
    hosts = ["www.example.org"]
    preset = "wordpress"
    backlog = { floor = "2026-01-15" }
"#;

/// The same without the preset, five to a page.
const SMALL_PAGES: &str = r#"
    name = "example"
    hosts = ["www.example.org"]

    [trigger]
    list = "https://www.example.org/wp-json/wp/v2/posts?per_page=5&orderby=modified"
    items = ""
    address = "/link"
    published = { at = "/date_gmt", zone = "UTC" }
    modified = { at = "/modified_gmt", zone = "UTC" }

    [article]
    by = "public-api"
    address = "https://www.example.org/wp-json/wp/v2/posts/{id}?_embed=author,wp:term"

    [article.fields]
    headline = "/title/rendered"
    body = { at = "/content/rendered", format = "html" }

    [identifier]
    trigger = "/id"
    backlog = "/id"
    article = "/id"

    [backlog]
    list = "https://www.example.org/wp-json/wp/v2/posts?per_page=5&orderby=date&offset={offset}"
    page_size = 5
    items = ""
    address = "/link"
    published = { at = "/date_gmt", zone = "UTC" }
    modified = { at = "/modified_gmt", zone = "UTC" }
    floor = "2026-01-15"
"#;

/// What the list is that the publisher offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Sitemaps,
    Pages,
    SmallPages,
}

impl List {
    pub(crate) fn source(self) -> Arc<Source> {
        self.source_with("")
    }

    /// The source, with more at the top of its configuration.
    pub(crate) fn source_with(self, more: &str) -> Arc<Source> {
        let text = match self {
            Self::Sitemaps => SITEMAPS,
            Self::Pages => PAGES,
            Self::SmallPages => SMALL_PAGES,
        };
        source(&format!("{more}\n{text}"))
    }

    /// The end of the trigger's address.
    pub(crate) fn trigger(self) -> &'static str {
        match self {
            Self::Sitemaps => "/feed",
            Self::Pages | Self::SmallPages => "&orderby=modified",
        }
    }

    /// The end of the address where a walk enters.
    pub(crate) fn entrance(self) -> &'static str {
        match self {
            Self::Sitemaps => "/sitemap.xml",
            Self::Pages | Self::SmallPages => "&offset=0",
        }
    }

    /// Whether an address is one of the list's.
    pub(crate) fn has(self, url: &str) -> bool {
        match self {
            Self::Sitemaps => url.contains("/sitemap"),
            Self::Pages | Self::SmallPages => url.contains("&offset="),
        }
    }

    /// Where an article is read.
    pub(crate) fn article(self, id: u64) -> String {
        match self {
            Self::Sitemaps => here(&format!("/a/{id}")),
            Self::Pages | Self::SmallPages => {
                here(&format!("/wp-json/wp/v2/posts/{id}?_embed=author,wp:term"))
            }
        }
    }
}

/// An article's life.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) id: u64,
    pub(crate) published: Timestamp,
    pub(crate) changed: Vec<Timestamp>,
    pub(crate) gone: Option<Timestamp>,
    /// What the feed says of its embargo, and from when on.
    pub(crate) embargo: Vec<(Timestamp, String)>,
}

impl Planned {
    pub(crate) fn new(id: u64, published: Timestamp) -> Self {
        Self { id, published, changed: Vec::new(), gone: None, embargo: Vec::new() }
    }

    pub(crate) fn is_public(&self, now: Timestamp) -> bool {
        self.published <= now && self.gone.is_none_or(|gone| now < gone)
    }

    pub(crate) fn revision(&self, now: Timestamp) -> usize {
        self.changed.iter().filter(|changed| **changed <= now).count()
    }

    fn modified(&self, now: Timestamp) -> Timestamp {
        self.changed.iter().copied().filter(|changed| *changed <= now).max().unwrap_or(self.published)
    }
}

/// The publisher.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) list: List,
    pub(crate) articles: Vec<Planned>,
    pub(crate) robots: String,
    /// How many of the newest the feed announces.
    pub(crate) announced: usize,
    /// One of so many answers is a server error, and another is cut off; 0 for none.
    pub(crate) one_fails_of: u64,
    /// Until when that goes on.
    pub(crate) fails_until: Timestamp,
    pub(crate) seed: u64,
}

impl Site {
    pub(crate) fn new(list: List, articles: Vec<Planned>) -> Self {
        Self {
            list,
            articles,
            robots: String::new(),
            announced: 30,
            one_fails_of: 0,
            fails_until: Timestamp::MAX,
            seed: 0,
        }
    }

    /// Articles 1 to `count`, published an hour apart, the last of them an hour before the beginning.
    pub(crate) fn with_articles(list: List, count: u64) -> Self {
        let hours = |id| Duration::from_secs(3_600 * (count + 1 - id));
        Self::new(list, (1..=count).map(|id| Planned::new(id, noon() - hours(id))).collect())
    }

    /// Serves it from now on.
    pub(crate) fn open(self, world: &World) -> Arc<Self> {
        let site = Arc::new(self);
        let publisher = Arc::clone(&site);
        world.publisher.answer_with(move |url, now| publisher.answer(url, now));
        site
    }

    pub(crate) fn planned(&self, id: u64) -> &Planned {
        self.articles.iter().find(|article| article.id == id).unwrap()
    }

    /// The articles that are public, the newest first.
    fn public(&self, now: Timestamp) -> Vec<&Planned> {
        let mut public: Vec<_> = self.articles.iter().filter(|article| article.is_public(now)).collect();
        public.sort_by_key(|article| std::cmp::Reverse((article.published, article.id)));
        public
    }

    pub(crate) fn answer(&self, url: &str, now: Timestamp) -> Option<MemoryAnswer> {
        let luck = luck(self.seed, url, now);
        let answer = match self.failure(luck, now) {
            Some(Failure::Status) => Some(MemoryAnswer::new(503, "text/plain", "")),
            Some(Failure::Cut) => self.sound_answer(url, now).map(MemoryAnswer::cut),
            None => self.sound_answer(url, now),
        };
        let takes = Duration::from_millis(if self.one_fails_of > 0 { luck % 300 } else { 0 });
        answer.map(|answer| answer.takes(takes))
    }

    /// Whether it answers an address at an instant as it should.
    pub(crate) fn is_sound(&self, url: &str, now: Timestamp) -> bool {
        self.failure(luck(self.seed, url, now), now).is_none()
    }

    fn failure(&self, luck: u64, now: Timestamp) -> Option<Failure> {
        if now >= self.fails_until {
            return None;
        }
        match luck.checked_rem(self.one_fails_of)? {
            0 => Some(Failure::Status),
            1 => Some(Failure::Cut),
            _ => None,
        }
    }

    /// What it answers where nothing fails.
    pub(crate) fn sound_answer(&self, url: &str, now: Timestamp) -> Option<MemoryAnswer> {
        let path = url.strip_prefix("https://www.example.org")?;
        if path == "/robots.txt" {
            return Some(MemoryAnswer::new(200, "text/plain", self.robots.clone()));
        }
        match self.list {
            List::Sitemaps => self.file(path, now),
            List::Pages | List::SmallPages => self.posts(path, now),
        }
    }

    fn file(&self, path: &str, now: Timestamp) -> Option<MemoryAnswer> {
        if path == "/feed" {
            let entries = self.public(now).into_iter().take(self.announced).fold(
                String::new(),
                |mut entries, article| {
                    let Planned { id, published, embargo, .. } = article;
                    let _ = write!(
                        entries,
                        r#"<entry><id>urn:a:{id}</id><link href="/a/{id}"/><title>T</title><published>{published}</published><updated>{}</updated>"#,
                        article.modified(now)
                    );
                    if let Some((_, until)) = embargo.iter().rev().find(|(from, _)| *from <= now) {
                        let _ = write!(entries, "<n:embargo>{until}</n:embargo>");
                    }
                    entries.push_str("</entry>");
                    entries
                },
            );
            let feed = format!(
                r#"<feed xmlns="http://www.w3.org/2005/Atom" xmlns:n="https://www.example.org/n">{entries}</feed>"#
            );
            return Some(MemoryAnswer::new(200, "application/atom+xml", feed));
        }
        if path == "/sitemap.xml" {
            let mut months: Vec<(String, Timestamp)> = Vec::new();
            for article in self.public(now) {
                let (month, modified) = (month(article.published), article.modified(now));
                match months.iter_mut().find(|(named, _)| *named == month) {
                    Some((_, newest)) => *newest = modified.max(*newest),
                    None => months.push((month, modified)),
                }
            }
            let files = months.iter().fold(String::new(), |mut files, (month, modified)| {
                let _ = write!(
                    files,
                    "<sitemap><loc>{}</loc><lastmod>{modified}</lastmod></sitemap>",
                    here(&format!("/sitemap-{month}.xml"))
                );
                files
            });
            return Some(xml(&format!("<sitemapindex {SITEMAP}>{files}</sitemapindex>")));
        }
        if let Some(named) = path.strip_prefix("/sitemap-").and_then(|rest| rest.strip_suffix(".xml")) {
            let articles = self.public(now).into_iter().filter(|article| month(article.published) == named);
            let urls = articles.fold(String::new(), |mut urls, article| {
                let (address, modified) = (self.list.article(article.id), article.modified(now));
                let _ = write!(urls, "<url><loc>{address}</loc><lastmod>{modified}</lastmod></url>");
                urls
            });
            return Some(xml(&format!("<urlset {SITEMAP}>{urls}</urlset>")));
        }
        let article = self.article(path.strip_prefix("/a/")?, now)?;
        Some(MemoryAnswer::new(200, "text/html; charset=utf-8", self.body(article, now)))
    }

    /// What is answered where an article stands.
    pub(crate) fn body(&self, article: &Planned, now: Timestamp) -> String {
        match self.list {
            List::Sitemaps => page(article.id, article.revision(now)),
            List::Pages | List::SmallPages => post(article, now),
        }
    }

    fn posts(&self, path: &str, now: Timestamp) -> Option<MemoryAnswer> {
        let posts = path.strip_prefix("/wp-json/wp/v2/posts")?;
        if let Some(id) = posts.strip_prefix('/') {
            let article = self.article(id.strip_suffix("?_embed=author,wp:term")?, now);
            let Some(article) = article else {
                return Some(MemoryAnswer::new(401, "application/json", r#"{"code":"rest_forbidden"}"#));
            };
            return Some(MemoryAnswer::new(200, "application/json", self.body(article, now)));
        }
        let mut public = self.public(now);
        let total = public.len();
        let size = if self.list == List::SmallPages { 5 } else { 100 };
        let skip = if posts.ends_with("&orderby=modified") {
            public.sort_by_key(|article| std::cmp::Reverse((article.modified(now), article.id)));
            0
        } else {
            posts.rsplit_once("&offset=")?.1.parse().ok()?
        };
        let items: Vec<String> = public
            .into_iter()
            .skip(skip)
            .take(size)
            .map(|article| {
                let (id, published, modified) = (article.id, gmt(article.published), gmt(article.modified(now)));
                format!(r#"{{"id":{id},"date_gmt":"{published}","modified_gmt":"{modified}","link":"https://www.example.org/{id}/"}}"#)
            })
            .collect();
        let list = MemoryAnswer::new(200, "application/json", format!("[{}]", items.join(",")));
        Some(
            list.header("x-wp-total", &total.to_string())
                .header("x-wp-totalpages", &total.div_ceil(size).to_string()),
        )
    }

    fn article(&self, id: &str, now: Timestamp) -> Option<&Planned> {
        let id: u64 = id.parse().ok()?;
        self.articles.iter().find(|article| article.id == id && article.is_public(now))
    }
}

/// How an answer fails.
enum Failure {
    Status,
    Cut,
}

const SITEMAP: &str = r#"xmlns="http://www.sitemaps.org/schemas/sitemap/0.9""#;

fn xml(text: &str) -> MemoryAnswer {
    MemoryAnswer::new(200, "application/xml", text.to_owned())
}

fn month(at: Timestamp) -> String {
    at.to_string()[..7].to_owned()
}

/// As WordPress writes an instant in its fields that end in `_gmt`.
fn gmt(at: Timestamp) -> String {
    at.to_string().trim_end_matches('Z').to_owned()
}

/// What an article says in a revision.
pub(crate) fn text(id: u64, revision: usize) -> String {
    format!(
        "<p>Article {id} tells in its version {revision} what was known when it was written.</p>\
         <p>There is a second paragraph, so that nobody takes the first one for a teaser of something else.</p>"
    )
}

/// An article's page.
pub(crate) fn page(id: u64, revision: usize) -> String {
    let text = text(id, revision);
    format!(
        r#"<!doctype html><html lang="en"><head><meta name="article-id" content="{id}"><title>Article {id}</title></head><body><article><h1>Article {id}</h1>{text}</article></body></html>"#
    )
}

fn post(article: &Planned, now: Timestamp) -> String {
    let (id, revision) = (article.id, article.revision(now));
    let (published, modified) = (gmt(article.published), gmt(article.modified(now)));
    let text = text(id, revision);
    format!(
        r#"{{"id":{id},"date":"{published}","date_gmt":"{published}","modified":"{modified}","modified_gmt":"{modified}","status":"publish","type":"post","link":"https://www.example.org/{id}/","title":{{"rendered":"Article {id}"}},"content":{{"rendered":"{text}","protected":false}}}}"#
    )
}

/// A number that follows from the seed, the address and the instant, and from nothing else.
fn luck(seed: u64, url: &str, now: Timestamp) -> u64 {
    let start = seed ^ now.as_millisecond().unsigned_abs();
    mixed(url.bytes().fold(start, |number, byte| mixed(number ^ u64::from(byte))))
}

/// SplitMix64: a step and the number that comes of it.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Numbers that follow from a seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(1);
        mixed(mixed(self.0)) % bound
    }
}
