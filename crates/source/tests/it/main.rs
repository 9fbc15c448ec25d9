//! Configurations through the public API.
#![allow(clippy::unwrap_used)]
// A test target may read its fixtures.
#![allow(clippy::disallowed_methods)]

mod connector;
mod errors;
mod examples;
mod promises;
mod properties;
mod schema;

use std::path::PathBuf;

use releve_bounds::Bounds;
use releve_source::{File, Parsed, Problem, Problems, Source, parse_source};

/// Our own example configurations.
fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/config")
}

fn read_fixture(path: &str) -> Vec<u8> {
    std::fs::read(fixtures().join(path)).unwrap()
}

fn parse(text: &str) -> Result<Parsed<Source>, Problems> {
    parse_source(File { name: "source.toml", text: text.as_bytes() }, &Bounds::default())
}

#[track_caller]
fn sound(text: &str) -> Source {
    match parse(text) {
        Ok(parsed) => parsed.value,
        Err(problems) => panic!("{text}\n{problems}"),
    }
}

/// Exactly one error, which says this.
#[track_caller]
fn check_error(text: &str, says: &str) -> Problem {
    let Err(problems) = parse(text) else { panic!("taken, and should say {says:?}:\n{text}") };
    assert_eq!(problems.iter().count(), 1, "one error should say {says:?}, not:\n{problems}");
    let problem = problems.iter().next().unwrap().clone();
    assert!(problem.to_string().contains(says), "{problem}\nshould say {says:?}");
    problem
}

/// Exactly one warning, which says this.
#[track_caller]
fn check_warning(text: &str, says: &str) {
    let warnings = parse(text).unwrap().warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].to_string().contains(says), "{}\nshould say {says:?}", warnings[0]);
}

/// A source read by its pages.
const PAGE: &str = r#"
name = "example"
hosts = ["www.example.org"]
trigger = { feed = "https://www.example.org/rss.xml" }
article = { by = "page" }
identifier = { trigger = "guid", article = "meta[name=article-id]" }
"#;

/// A source read through an API without a secret.
const PUBLIC: &str = r#"
name = "example"
hosts = ["www.example.org", "api.example.org"]
trigger = { list = "https://api.example.org/articles", items = "/data" }
identifier = { trigger = "/id", article = "/data/id" }

[article]
by = "public-api"
address = "https://api.example.org/articles/{id}"
fields = { headline = "/data/title", body = { at = "/data/body", format = "html" } }
"#;

/// A source read through an API with a credential.
const CMS: &str = r#"
name = "example"
hosts = ["www.example.org", "cms.example.org:8443"]
trigger = { feed = "https://www.example.org/rss.xml" }
identifier = { trigger = "guid", article = "/data/id" }

[article]
by = "cms-api"
address = "https://cms.example.org:8443/items/{id}?fields=id,title,body"
access = { header = "Authorization", prefix = "Bearer ", from_env = "EXAMPLE_TOKEN" }
fields = { headline = "/data/title", body = { at = "/data/body", format = "html" } }
"#;

/// A source by preset.
const WORDPRESS: &str = r#"
name = "example"
hosts = ["www.example.org"]
preset = "wordpress"
backlog = { floor = "2015-01-01" }
"#;

/// A configuration with one part written otherwise, which must be there.
#[track_caller]
fn with(text: &str, part: &str, instead: &str) -> String {
    assert_eq!(text.matches(part).count(), 1, "{part:?} must be there once");
    text.replace(part, instead)
}
