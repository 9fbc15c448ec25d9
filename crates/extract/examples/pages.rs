//! Extracts many pages and prints one line of JSON for each: its id, then what was copied out of it.
//!
//! Standard input or the file named by the first argument holds one line a page: `{"id", "path", "address", "media_type"}`.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

use std::io::{BufRead, BufReader, Write};

use releve_extract::{Envelope, Rules, extract};

fn main() {
    let input: Box<dyn BufRead> = match std::env::args().nth(1) {
        Some(path) => Box::new(BufReader::new(std::fs::File::open(path).unwrap())),
        None => Box::new(std::io::stdin().lock()),
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in input.lines() {
        let page: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let text = |key: &str| page[key].as_str().unwrap_or_default().to_owned();
        let bytes = std::fs::read(text("path")).unwrap();
        let address = text("address").replacen("http://", "https://", 1);
        let address = address.parse().unwrap_or_else(|_| "https://example.org/".parse().unwrap());
        let media_type = text("media_type");
        let envelope = Envelope { bytes: &bytes, content_type: &media_type, address: &address };
        let mut record = serde_json::json!({"id": page["id"]});
        let started = std::time::Instant::now();
        match extract(&envelope, &Rules::default()) {
            Ok(article) => {
                record["ms"] = (started.elapsed().as_secs_f64() * 1e3).into();
                record.as_object_mut().unwrap().extend(article.to_json().as_object().unwrap().clone());
            }
            Err(error) => record["error"] = error.to_string().into(),
        }
        writeln!(out, "{record}").unwrap();
    }
}
