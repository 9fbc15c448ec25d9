//! Real pages: whatever is copied from one stands where its place says (R12), and pages without a date are given none.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::missing_docs_in_private_items
)]

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use releve_extract::{Article, Block, Envelope, Field, PageRules, Place, Rules, Value, extract, look_up};
use releve_url_canon::HttpsUrl;
use serde_json::Value as Json;

/// The pages' folder, beside the cases; `None` where there is none.
fn folder() -> Option<PathBuf> {
    let Some(cases) = std::env::var_os("RELEVE_CASES") else {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "RELEVE_CASES has to be set where CI is");
        println!("skipped: RELEVE_CASES is not set");
        return None;
    };
    Some(Path::new(&cases).join("../bench/extract"))
}

fn gunzip(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

struct Page {
    id: String,
    bytes: Vec<u8>,
    address: HttpsUrl,
}

fn pages(folder: &Path) -> impl Iterator<Item = Page> {
    let records = String::from_utf8(gunzip(&folder.join("pages/truth.jsonl.gz"))).unwrap();
    let folder = folder.join("pages");
    let records: Vec<Json> = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    records.into_iter().map(move |record| {
        let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
        // Some pages are older than https, or have lost their address.
        let address = text("url").replacen("http://", "https://", 1);
        let address = address.parse().unwrap_or_else(|_| "https://www.example.org/page".parse().unwrap());
        Page { id: text("id"), bytes: gunzip(&folder.join(text("file"))), address }
    })
}

impl Page {
    fn envelope(&self) -> Envelope<'_> {
        Envelope { bytes: &self.bytes, content_type: "text/html", address: &self.address }
    }
}

fn values(article: &Article) -> impl Iterator<Item = &Value> {
    let descriptor = &article.descriptor;
    let chosen = Field::ALL.iter().flat_map(|field| descriptor.values(*field));
    let others = descriptor.others.iter().map(|other| &other.value);
    chosen.chain(others).chain(article.relation.iter().map(|relation| &relation.original))
}

#[test]
fn r12_every_value_of_every_page_stands_at_its_place() {
    let Some(folder) = folder() else { return };
    let rules = Rules::Page(PageRules::default());
    let (mut read, mut looked_up) = (0, 0);
    for page in pages(&folder) {
        let article =
            extract(&page.envelope(), &rules).unwrap_or_else(|error| panic!("{}: {error}", page.id));
        let mut seen = HashSet::new();
        for value in values(&article).filter(|value| seen.insert(value.place.to_string())) {
            let written = value.place.to_string();
            let place: Place = written.parse().unwrap_or_else(|error| panic!("{}: {error}", page.id));
            assert_eq!(place, value.place, "{}: {written}", page.id);
            let found = look_up(&page.envelope(), &rules, &place);
            assert_eq!(found.as_ref(), Some(&value.text), "{}: {written}", page.id);
            looked_up += 1;
        }
        read += 1;
    }
    println!("{read} pages, {looked_up} values");
    assert!(read > 0 && looked_up > read);
}

#[test]
fn r12_pages_without_a_date_are_given_none() {
    let Some(folder) = folder() else { return };
    let list: Vec<Json> =
        serde_json::from_slice(&std::fs::read(folder.join("nodate-fixtures.json")).unwrap()).unwrap();
    let ids: HashSet<&str> = list.iter().filter_map(|entry| entry["id"].as_str()).collect();
    let mut read = 0;
    for page in pages(&folder).filter(|page| ids.contains(&*page.id)) {
        let article = extract(&page.envelope(), &Rules::Page(PageRules::default())).unwrap();
        assert_eq!(article.descriptor.published, None, "{}", page.id);
        read += 1;
    }
    println!("{read} pages without a date");
    assert_eq!(read, ids.len());
}

/// The blocks stand at the place of the body word for word, one after the other; a word may be parted there by what was left out of it.
#[test]
fn r12_every_text_of_every_page_stands_at_its_place() {
    let Some(folder) = folder() else { return };
    let rules = Rules::Page(PageRules::default());
    let mut words = 0;
    for page in pages(&folder) {
        let article = extract(&page.envelope(), &rules).unwrap();
        let Some(place) = &article.body else { continue };
        let text = look_up(&page.envelope(), &rules, place).unwrap_or_else(|| panic!("{}: {place}", page.id));
        let mut rest = text.as_str();
        for text in article.blocks.iter().map(Block::text) {
            for word in text.split_whitespace() {
                rest = match rest.find(word) {
                    Some(at) => &rest[at + word.len()..],
                    None => word.chars().fold(rest, |rest, c| {
                        let at = rest.find(c).unwrap_or_else(|| panic!("{}: {word:?} at {place}", page.id));
                        &rest[at + c.len_utf8()..]
                    }),
                };
                words += 1;
            }
        }
    }
    println!("{words} words");
    assert!(words > 100_000);
}

/// How often each sequence of four words stands in a text: what the published benchmarks compare.
fn shingles(text: &str) -> HashMap<Vec<&str>, f64> {
    let words: Vec<&str> =
        text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
    let mut counts = HashMap::new();
    for start in 0..words.len().saturating_sub(3).max(usize::from(!words.is_empty())) {
        let shingle = words[start..words.len().min(start + 4)].to_vec();
        *counts.entry(shingle).or_insert(0.0) += 1.0;
    }
    counts
}

/// Of what stands in the one text, how much also stands in the other.
fn share(one: &HashMap<Vec<&str>, f64>, other: &HashMap<Vec<&str>, f64>) -> Option<f64> {
    let all: f64 = one.values().sum();
    let common: f64 = one.iter().map(|(shingle, count)| count.min(*other.get(shingle).unwrap_or(&0.0))).sum();
    (all > 0.0).then(|| common / all)
}

fn mean(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>() / shares.len() as f64
}

/// The texts of the blocks, those in lists, quotations and tables one by one.
fn lines(blocks: &[Block], lines: &mut Vec<String>) {
    for block in blocks {
        match block {
            Block::List { items, .. } => items.iter().for_each(|item| self::lines(item, lines)),
            Block::Quotation(blocks) => self::lines(blocks, lines),
            Block::Separator => {}
            block => lines.push(block.text()),
        }
    }
}

/// The floors are a little below what is reached, so that a change that costs something is seen.
#[test]
fn texts_are_as_good_as_they_were() {
    let Some(folder) = folder() else { return };
    let records = String::from_utf8(gunzip(&folder.join("pages/truth.jsonl.gz"))).unwrap();
    let records: HashMap<String, Json> = records
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap())
        .map(|record| (record["id"].as_str().unwrap().to_owned(), record))
        .collect();
    let mut shares: HashMap<String, (Vec<f64>, Vec<f64>)> = HashMap::new();
    for page in pages(&folder) {
        let record = &records[&page.id];
        let Some(truth) = record["truth"]["text"].as_str() else { continue };
        let article = extract(&page.envelope(), &Rules::default()).unwrap();
        let mut found = Vec::new();
        lines(&article.blocks, &mut found);
        let found = found.join("\n");
        let (truth, found) = (shingles(truth), shingles(&found));
        let (precision, recall) = shares.entry(record["bench"].as_str().unwrap().to_owned()).or_default();
        precision.extend(share(&found, &truth));
        recall.extend(share(&truth, &found));
    }
    for (bench, floor) in [("aeb", 0.975), ("fundus", 0.965), ("wcxb", 0.96)] {
        let (precision, recall) = &shares[bench];
        let (precision, recall) = (mean(precision), mean(recall));
        let f1 = 2.0 * precision * recall / (precision + recall);
        println!("{bench}: F1 {f1:.4}, precision {precision:.4}, recall {recall:.4}");
        assert!(f1 >= floor, "{bench}: {f1} is below {floor}");
    }
}
