//! How fast pages are extracted, beside a bare parse of the same pages in the same run.
//!
//! Reads the pages of `$RELEVE_CASES/../bench/extract/pages`, and says that it is skipped where that variable is not set. The bare parse
//! is html5ever's own, into a sink that keeps only what the parser itself asks for again.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program that measures, on files"
)]

use std::borrow::Cow;
use std::io::Read;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, ExpandedName, QualName, parse_document};
use releve_extract::{Article, Envelope, ExtractError, Rules, extract};

/// Enough that the quickest round of a page is free of what else the machine does.
const ROUNDS: u32 = 5;

fn main() {
    let Some(cases) = std::env::var_os("RELEVE_CASES") else {
        println!("skipped: RELEVE_CASES is not set");
        return;
    };
    let folder = PathBuf::from(cases).join("../bench/extract/pages/html");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut parse, mut whole, mut worst) =
        (Duration::ZERO, Duration::ZERO, (Duration::ZERO, PathBuf::new()));
    for path in &paths {
        let mut page = Vec::new();
        flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut page).unwrap();
        let text = String::from_utf8_lossy(&page);
        parse += quickest(|| bare(&text));
        let own = quickest(|| extracted(&page));
        whole += own;
        worst = worst.max((own, path.clone()));
    }
    let a_second = |time: Duration| paths.len() as f64 / time.as_secs_f64();
    println!("{} pages, one core, the quickest of {ROUNDS} rounds of each", paths.len());
    println!("bare parse        {:>7.0} pages/s", a_second(parse));
    println!(
        "whole extraction  {:>7.0} pages/s, {:.2} of it",
        a_second(whole),
        parse.as_secs_f64() / whole.as_secs_f64()
    );
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let name = worst.1.file_name().unwrap().display();
    println!("worst page        {:>7.1} ms, {name}", milliseconds(worst.0));
    // The bare parse takes minutes for some of them.
    println!("pages of 1.3 MB that are made to be slow:");
    for (name, page) in hostile() {
        println!("  {name:<24}{:>7.1} ms", milliseconds(quickest(|| extracted(page.as_bytes()))));
    }
}

/// Pages that peers take seconds for, or that this crate once did.
fn hostile() -> Vec<(&'static str, String)> {
    const BYTES: usize = 1_300_000;
    const TEXT: &str =
        "<h1>The tower</h1><p>The tower leaned for a century, first one way and then the other.</p>";
    let filled = |part: &str| format!("{TEXT}{}", part.repeat(BYTES / part.len()));
    let attributes = (0..100_000).fold(String::new(), |all, number| all + " a" + &number.to_string() + "=1");
    vec![
        ("10,000 elements deep", format!("{TEXT}{}{TEXT}", "<div>".repeat(10_000))),
        ("100,000 attributes", format!("<body{attributes}>{TEXT}")),
        (
            "paragraphs",
            filled("<p>It leaned, and those who lived under it went to bed uneasily every night.</p>"),
        ),
        ("open lists", filled("<ol><li>")),
        ("open lists with text", filled("<ol><li>x ")),
        ("links", filled("<a href=/x>What the tower says</a> ")),
        ("headings", filled("<h2>The tower</h2>")),
        ("headlines", filled("<h1>The tower</h1>")),
        ("articles", filled("<article><h1>The tower</h1><p>It leaned.</p></article>")),
        ("figures", filled("<figure><img><figcaption>x</figcaption></figure>")),
        ("words in elements", filled("<span>x</span> ")),
        ("dates", filled("<time datetime=2024-01-01>1 January 2024</time>")),
        ("tables in tables", filled("<table><tr><td>")),
        ("meta elements", filled("<meta property=article:published_time content=2024-01-01>")),
    ]
}

/// The bare parse.
fn bare(text: &str) {
    parse_document(Bare::default(), html5ever::ParseOpts::default()).one(StrTendril::from(text));
}

/// The whole extraction.
fn extracted(page: &[u8]) -> Result<Article, ExtractError> {
    let address = "https://www.example.org/".parse().unwrap();
    extract(&Envelope { bytes: page, content_type: "text/html", address: &address }, &Rules::default())
}

fn quickest<T>(work: impl Fn() -> T) -> Duration {
    (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            std::hint::black_box(work());
            started.elapsed()
        })
        .min()
        .unwrap()
}

/// A sink that keeps the names of open elements, which the parser asks for, and nothing else.
#[derive(Default)]
struct Bare(Rc<Option<QualName>>);

impl TreeSink for Bare {
    type Handle = Rc<Option<QualName>>;
    type Output = ();
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) {}

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Self::Handle {
        Rc::clone(&self.0)
    }

    fn elem_name<'a>(&'a self, target: &'a Self::Handle) -> ExpandedName<'a> {
        target.as_ref().as_ref().unwrap().expanded()
    }

    fn create_element(&self, name: QualName, _: Vec<Attribute>, _: ElementFlags) -> Self::Handle {
        Rc::new(Some(name))
    }

    fn create_comment(&self, _: StrTendril) -> Self::Handle {
        Rc::new(None)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Self::Handle {
        Rc::new(None)
    }

    fn append(&self, _: &Self::Handle, _: NodeOrText<Self::Handle>) {}

    fn append_based_on_parent_node(&self, _: &Self::Handle, _: &Self::Handle, _: NodeOrText<Self::Handle>) {}

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, _: &Self::Handle) -> Self::Handle {
        Rc::new(None)
    }

    fn same_node(&self, one: &Self::Handle, other: &Self::Handle) -> bool {
        Rc::ptr_eq(one, other)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, _: &Self::Handle, _: NodeOrText<Self::Handle>) {}

    fn add_attrs_if_missing(&self, _: &Self::Handle, _: Vec<Attribute>) {}

    fn remove_from_parent(&self, _: &Self::Handle) {}

    fn reparent_children(&self, _: &Self::Handle, _: &Self::Handle) {}
}
