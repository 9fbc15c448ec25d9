//! Real pages: whatever is copied from one stands where its place says (R12), and pages without a date are given none.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::missing_docs_in_private_items
)]

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use releve_extract::{Article, Envelope, Field, PageRules, Place, Rules, Value, extract, look_up};
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
