//! `releve extract`: what a pass would copy out of a file.

use std::fs;
use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use releve_extract::{Envelope, Rules, extract};
use releve_url_canon::HttpsUrl;
use serde::Deserialize;
use serde_json::{Value, json};

use super::print_json;
use crate::cli::{ExtractArgs, Global};
use crate::exit::Exit;
use crate::world::World;

pub(crate) fn run(global: &Global, args: &ExtractArgs, out: &mut dyn Write) -> Result<Exit> {
    let rules = match &args.source {
        Some(name) => World::load(global)?.source(name)?.rules().clone(),
        None => Rules::default(),
    };
    if let Some(manifest) = &args.manifest {
        return run_manifest(manifest, &rules, out);
    }
    let (Some(file), Some(address)) = (&args.file, &args.address) else {
        // clap asks for both.
        return Ok(Exit::CouldNotRun);
    };
    let address: HttpsUrl = address.parse().with_context(|| format!("--address {address}"))?;
    let bytes = read(file)?;
    let envelope = Envelope { bytes: &bytes, content_type: &args.media_type, address: &address };
    let article = extract(&envelope, &rules).with_context(|| format!("cannot extract {}", file.display()))?;
    serde_json::to_writer_pretty(&mut *out, &article.to_json())?;
    writeln!(out)?;
    Ok(Exit::Done)
}

/// The bytes of a file; `-` is standard input.
fn read(file: &Path) -> Result<Vec<u8>> {
    if file != Path::new("-") {
        return fs::read(file).with_context(|| format!("cannot read {}", file.display()));
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(bytes)
}

/// One page of many, as a line of JSON.
#[derive(Deserialize)]
struct Page {
    id: Value,
    path: PathBuf,
    address: String,
    media_type: String,
}

/// One JSON line a page, in one process. A page that cannot be extracted gets a line that says why.
fn run_manifest(manifest: &Path, rules: &Rules, out: &mut dyn Write) -> Result<Exit> {
    let lines: Box<dyn BufRead> = if manifest == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let file = fs::File::open(manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
        Box::new(BufReader::new(file))
    };
    let mut exit = Exit::Done;
    for (index, line) in lines.lines().enumerate() {
        let line = line.with_context(|| format!("cannot read {}", manifest.display()))?;
        if line.trim().is_empty() {
            continue;
        }
        let page: Page =
            serde_json::from_str(&line).with_context(|| format!("{}:{}", manifest.display(), index + 1))?;
        match extract_page(&page, rules) {
            Ok(Value::Object(article)) => {
                let mut object = serde_json::Map::from_iter([("id".to_owned(), page.id)]);
                object.extend(article);
                print_json(out, &object)?;
            }
            Ok(_) => {}
            Err(error) => {
                exit = Exit::Failures;
                print_json(out, &json!({ "id": page.id, "error": format!("{error:#}") }))?;
            }
        }
    }
    Ok(exit)
}

fn extract_page(page: &Page, rules: &Rules) -> Result<Value> {
    let bytes = fs::read(&page.path).with_context(|| format!("cannot read {}", page.path.display()))?;
    // Pages of a corpus may have been read over http; the address only resolves and compares here.
    let address = page.address.strip_prefix("http://").map(|rest| format!("https://{rest}"));
    let address = address.as_deref().unwrap_or(&page.address);
    let address: HttpsUrl = address.parse().map_err(|error| anyhow!("{address}: {error}"))?;
    let envelope = Envelope { bytes: &bytes, content_type: &page.media_type, address: &address };
    Ok(extract(&envelope, rules)?.to_json())
}
