//! One function for each parser of foreign bytes: it takes any bytes, and asserts what must hold whatever they are.
//!
//! `cargo fuzz run --sanitizer none TARGET` (or `just fuzz`) feeds them by coverage, and the test `corpus` feeds them the kept
//! corpus and what a minute of changing it brings, with every run of the tests.

#![allow(clippy::missing_panics_doc)] // A fault shows by a panic.

use std::sync::LazyLock;

use jiff::Timestamp;
use releve_backlog::{Answer, Backlog, File as ListFile, History, Noted, Page, Step, Walk};
use releve_bounds::Bounds;
use releve_deposit::Unit;
use releve_extract::{Article, Envelope, Field, Rules, Value, extract, look_up};
use releve_feed::{Wanted, read, read_list};
use releve_proof::{Context, Proof, RootSet, Tls, Wire, check, verify_chain};
use releve_redirect_policy::{AdmittedHosts, Hop, Journey, REDIRECTS_MAX};
use releve_robots::{AccessScope, DelayScope, ProductToken, RobotsTxt};
use releve_source::{File, Source, Trigger, parse_connector, parse_source};
use releve_url_canon::{HttpsUrl, NecessaryParameters, canonicalise};

/// Makes the program of a target: fed by libFuzzer where cargo-fuzz builds it, and nothing elsewhere.
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| releve_fuzz::$name(bytes));
        #[cfg(not(fuzzing))]
        fn main() {}
    };
}

/// Every target: its name, what it does with bytes, and words that bring a change of them further than chance does.
pub const TARGETS: [Target; 13] = [
    Target {
        name: "address",
        run: address,
        words: &["https://", "xn--", "%2e", ";jsessionid=", "?a=1&a=2", "(S(x))", "@", ":8443"],
    },
    Target {
        name: "cms_json",
        run: cms_json,
        words: &["\"rendered\":", "\"_embedded\":", "<p>", "\\u0000", "[", "{", "\"type\":", "\"children\":"],
    },
    Target {
        name: "feed",
        run: feed,
        words: &["<item>", "<entry>", "<link>", "]]>", "<![CDATA[", "&amp;", "xmlns:", "\"items\":"],
    },
    Target {
        name: "handshake",
        run: handshake,
        words: &["\u{16}\u{3}\u{3}", "\u{2}\u{0}\u{0}", "\u{b}", "\u{f}"],
    },
    Target {
        name: "list",
        run: list,
        words: &["\"id\":", "\"link\":", "[", "{", "null", "1e999", "\"date_gmt\":"],
    },
    Target {
        name: "page",
        run: page,
        words: &[
            "<p>",
            "<li>",
            "<ol>",
            "<table>",
            "<script type='application/ld+json'>",
            "\"@type\":",
            "<article>",
            "<template>",
            "itemprop=",
            "<meta property=",
            "<time datetime=",
            "<h1>",
            "<noscript>",
            "rel=author>",
            "class=\"byline\">By ",
            "content=\"",
            "id=\"a b\"",
            "\"@id\":\"#a\",",
            "\"author\":",
            "[{",
            "1 March 2026",
            "&amp;nbsp;",
            "&#133;",
            "\u{a0}",
            "\u{2028}",
            "\u{0}",
            " and ",
            ",",
        ],
    },
    Target {
        name: "proof",
        run: proof,
        words: &["\"tls\":", "\"presented\":", "\"read_at\":", "null", "9999-12-31T23:59:59Z"],
    },
    Target {
        name: "redirect",
        run: redirect,
        words: &["https://www.example.org/", "//", "/", "?", "#", "%", "http:"],
    },
    Target {
        name: "robots",
        run: robots,
        words: &["User-agent: ", "Disallow: ", "Allow: ", "Crawl-delay: ", "*", "$", "%2F", "\r", "\u{feff}"],
    },
    Target {
        name: "sitemap",
        run: sitemap,
        words: &["<urlset>", "<sitemapindex>", "<url><loc>", "<lastmod>", "news:", "\u{1f}\u{8b}"],
    },
    Target {
        name: "source",
        run: source,
        words: &["[article]", "[trigger]", "[identifier]", "pattern = ", "\"\"\"", "{id}", "15m"],
    },
    Target { name: "unit", run: unit, words: &["WARC/1.1\r\n", "Content-Length: ", "\u{1f}\u{8b}\u{8}"] },
    Target {
        name: "walk",
        run: walk,
        words: &["<urlset>", "<sitemapindex>", "<loc>", "https://www.example.org/", "<lastmod>"],
    },
];

/// A target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of its program and of its folder in `corpus`.
    pub name: &'static str,
    /// What it does.
    pub run: fn(&[u8]),
    /// Words of its language.
    pub words: &'static [&'static str],
}

const BASE: &str = "https://www.example.org/2026/11/";

static ADDRESS: LazyLock<HttpsUrl> = LazyLock::new(|| parsed(BASE));
static HOSTS: LazyLock<AdmittedHosts> = LazyLock::new(|| {
    AdmittedHosts::parse(["www.example.org", "*.example.net"]).unwrap_or_else(|_| unreachable!())
});
static ROOTS: LazyLock<RootSet> =
    LazyLock::new(|| RootSet::current().unwrap_or_else(|error| unreachable!("{error}")));
/// Sources of every way, with every kind of rule; see `fixtures/config`.
static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let texts: [&[u8]; 6] = [
        include_bytes!("../../fixtures/config/sources/address.toml"),
        include_bytes!("../../fixtures/config/sources/cms-api.toml"),
        include_bytes!("../../fixtures/config/sources/page.toml"),
        include_bytes!("../../fixtures/config/sources/public-api.toml"),
        include_bytes!("../../fixtures/config/sources/wordpress-access.toml"),
        include_bytes!("../../fixtures/config/sources/wordpress.toml"),
    ];
    let parse = |text| parse_source(File { name: "source.toml", text }, &Bounds::default());
    texts.into_iter().filter_map(|text| Some(parse(text).ok()?.value)).collect()
});

fn parsed(address: &str) -> HttpsUrl {
    address.parse().unwrap_or_else(|error| unreachable!("{error}"))
}

/// A text as it may stand in a list: what is not UTF-8 never reaches these functions.
fn text(bytes: &[u8]) -> &str {
    let valid = str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    bytes.get(..valid).and_then(|bytes| str::from_utf8(bytes).ok()).unwrap_or_default()
}

/// What is made canonical stays as it is when it is made canonical again.
pub fn address(bytes: &[u8]) {
    let keep = NecessaryParameters::new(["id", "page"]);
    let Ok(once) = canonicalise(text(bytes), Some(&ADDRESS), &keep) else { return };
    let again = canonicalise(once.url.as_str(), None, &keep).expect("what is canonical is an address");
    assert_eq!(again.url, once.url);
    assert!(again.removed.is_empty(), "{:?}", again.removed);
    drop(HOSTS.admit(once.url.as_https()));
}

/// A redirect leads to https, at an admitted host, or nowhere; and a Retry-After is a wait or nothing.
pub fn redirect(bytes: &[u8]) {
    let _ = releve_pace::retry_after(bytes, Timestamp::UNIX_EPOCH);
    let mut journey = Journey::new(&ADDRESS, REDIRECTS_MAX);
    let keep = NecessaryParameters::none();
    for location in bytes.split(|byte| *byte == b'\n').take(REDIRECTS_MAX + 2) {
        match journey.judge(302, &[location], &HOSTS, &keep) {
            Hop::Follow { to, host } => {
                assert_eq!(to.as_https().host(), host.host());
                assert!(HOSTS.admit(to.as_https()).is_ok());
                assert!(journey.redirects() <= REDIRECTS_MAX);
            }
            Hop::Stop(_) => return,
        }
    }
}

/// The first line is a path, the rest a robots.txt. A verdict names a line that is there.
pub fn robots(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (path, file) = bytes.split_at(end);
    let rules = RobotsTxt::parse(file);
    let agent: ProductToken = "Releve".parse().unwrap_or_else(|_| unreachable!());
    let lines = file.split(|byte| matches!(byte, b'\n' | b'\r')).count();
    for path in [text(path), "/", "/robots.txt", "/2026/11/a-title?id=1"] {
        let verdict = rules.judge(&agent, AccessScope::NamedElseGeneral, path);
        assert!(verdict.line.is_none_or(|line| line as usize <= lines), "{verdict:?} of {lines} lines");
    }
    let agent_delay = rules.crawl_delay(&agent, DelayScope::NamedElseGeneral);
    let any_delay = rules.crawl_delay(&agent, DelayScope::NamedOnly);
    assert!(any_delay.is_none() || any_delay == agent_delay, "the group that names the bot comes first");
}

/// An announcement has an absolute address or none, and no more is kept of it than was asked for.
pub fn feed(bytes: &[u8]) {
    let wanted = Wanted::fields(Some("ex:embargo".to_owned()));
    let Ok(feed) = read(bytes, Some("text/xml; charset=utf-8"), BASE, &wanted) else { return };
    for announcement in &feed.announcements {
        assert!(announcement.fields.iter().all(|(name, _)| name == "ex:embargo"));
        assert!(announcement.link.as_deref().is_none_or(|link| link.contains(':')), "{announcement:?}");
    }
}

/// A page of an API's list, read as the sources' backlogs say.
pub fn list(bytes: &[u8]) {
    for source in SOURCES.iter() {
        if let Some(Backlog { entrance: releve_backlog::Entrance::List { shape, .. }, .. }) = source.backlog()
        {
            drop(read_list(bytes, BASE, shape));
        }
        assert!(!matches!(source.trigger(), Trigger::Feed(feed) if feed.as_str().is_empty()));
    }
}

/// A file of a list, whatever it is called; what it has is inside it.
pub fn sitemap(bytes: &[u8]) {
    let Ok(file) = ListFile::open(bytes, None, BASE) else { return };
    let mut entries = file.entries();
    let count = entries.by_ref().count();
    // The shortest entry that there is: a line with an address.
    assert!(count <= bytes.len().saturating_mul(1_100).max(1), "{count} entries in {} bytes", bytes.len());
}

/// A walk ends, whatever it is answered, and its place is taken up again as it was.
pub fn walk(bytes: &[u8]) {
    let begin = Timestamp::UNIX_EPOCH;
    for source in SOURCES.iter() {
        let Some(backlog) = source.backlog() else { continue };
        let mut answers = bytes.split(|byte| *byte == 0).cycle();
        let mut walk = Walk::begin(backlog, &History::default(), begin);
        for _ in 0..64 {
            if let Some(place) = walk.place() {
                let again = |place: &str| Walk::resume(backlog, place).expect("a place is taken up").place();
                // What has failed is to be asked for again, once it is taken up.
                let taken_up = again(&place).expect("a walk that is taken up has a place");
                assert_eq!(again(&taken_up), Some(taken_up));
            }
            match walk.next() {
                Step::Entrance => walk.entered([text(bytes)]),
                Step::Request(request) => {
                    let body = answers.next().unwrap_or_default();
                    match body {
                        [] => walk.answered(Answer::Failed { code: "length-short" }),
                        [b'4', ..] => walk.answered(Answer::Status(404)),
                        body => walk.answered(Answer::Page(Page::new(&request.address, body))),
                    }
                }
                Step::Batch(batch) => {
                    walk.noted(Noted { known: batch.announcements.len(), new: 0 });
                }
                Step::Pause { .. } | Step::End(_) => break,
                _ => unreachable!(),
            }
        }
    }
    drop(bytes_as_place(bytes));
}

fn bytes_as_place(bytes: &[u8]) -> Option<Walk> {
    SOURCES.iter().find_map(|source| Walk::resume(source.backlog()?, text(bytes)).ok())
}

/// A page. What is extracted comes back from its sealed form as it was, and each value stands where it says.
pub fn page(bytes: &[u8]) {
    article(bytes, "text/html", |rules| matches!(rules, Rules::Page(_)));
}

/// An answer of an API.
pub fn cms_json(bytes: &[u8]) {
    article(bytes, "application/json", |rules| !matches!(rules, Rules::Page(_)));
}

fn article(bytes: &[u8], content_type: &str, of: impl Fn(&Rules) -> bool) {
    for rules in SOURCES.iter().map(Source::rules).filter(|rules| of(rules)) {
        let envelope = Envelope { bytes, content_type, address: &ADDRESS };
        let Ok(article) = extract(&envelope, rules) else { continue };
        let sealed = article.to_json();
        let again = Article::from_json(&sealed).expect("what was sealed can be read");
        assert_eq!(again.to_json(), sealed);
        // To look a value up takes another parse, so each input has one of its values looked up, or its body.
        let values: Vec<_> = values(&again).collect();
        match (values.get(bytes.len() % (values.len() + 1)), &again.body) {
            (Some(value), _) => {
                let found = look_up(&envelope, rules, &value.place);
                assert_eq!(found.as_ref(), Some(&value.text), "{}", value.place);
            }
            (None, Some(place)) => {
                let found =
                    look_up(&envelope, rules, place).unwrap_or_else(|| panic!("nothing is at {place}"));
                assert_stands(&again, &found);
            }
            (None, None) => {}
        }
    }
}

/// The letters of the blocks stand in the text, in their order.
fn assert_stands(article: &Article, text: &str) {
    let mut rest = text.chars();
    for block in &article.blocks {
        for letter in block.text().chars().filter(|letter| !letter.is_whitespace()) {
            assert!(
                rest.any(|other| other == letter),
                "{letter:?} is not where the body is: {}",
                block.text()
            );
        }
    }
}

fn values(article: &Article) -> impl Iterator<Item = &Value> {
    let descriptor = &article.descriptor;
    let chosen = Field::ALL.into_iter().flat_map(|field| descriptor.values(field));
    chosen
        .chain(descriptor.others.iter().map(|other| &other.value))
        .chain(&article.identifier)
        .chain(article.relation.iter().map(|relation| &relation.original))
}

/// A proof document: what is read is written again as the same bytes, and checking it says yes or no.
pub fn proof(bytes: &[u8]) {
    let Ok(proof) = Proof::from_json(bytes) else { return };
    let again = Proof::from_json(proof.to_json().as_bytes()).expect("what was written can be read");
    assert_eq!(again.to_json(), proof.to_json());
    drop(check(&proof, b"", &ROOTS, &Context::new(Timestamp::UNIX_EPOCH)));
}

/// What was tapped of a handshake, and a chain of certificates: the first byte says where they part.
pub fn handshake(bytes: &[u8]) {
    let at = usize::from(bytes.first().copied().unwrap_or_default()) * bytes.len() / 256;
    let (sent, received) = bytes.split_at(at);
    for secret in [None, Some(&[7_u8; 32][..])] {
        let wire = Wire { sent, received, server_handshake_traffic_secret: secret };
        if let Ok(tls) = Tls::from_wire("www.example.org", &wire) {
            drop(tls.verify());
        }
    }
    let chain = [sent.to_vec(), received.to_vec()];
    drop(verify_chain(&chain, "www.example.org", Timestamp::UNIX_EPOCH, &ROOTS));
}

/// A unit as a vault is offered it: what is taken for one is made of these bytes alone.
pub fn unit(bytes: &[u8]) {
    if let Ok(unit) = Unit::read(bytes) {
        assert_eq!(unit.bytes(), bytes);
    }
}

/// A configuration: taken, or refused with every problem at a place that is there.
pub fn source(bytes: &[u8]) {
    let lines = bytes.split(|byte| *byte == b'\n').count();
    let file = File { name: "source.toml", text: bytes };
    for problems in
        [parse_source(file, &Bounds::default()).err(), parse_connector(file).err()].into_iter().flatten()
    {
        for problem in problems.iter() {
            assert!(problem.line >= 1 && problem.line <= lines, "{problem:?}");
        }
    }
}
