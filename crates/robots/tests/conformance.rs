//! The cases that others wrote down, read from the folder that `RELEVE_CASES` names.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![allow(clippy::disallowed_methods, reason = "where the cases lie is said by the environment")]

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use releve_robots::{AccessScope, DelayScope, ProductToken, RobotsTxt};
use serde_json::Value;

/// The folder of cases, or nothing where there is none, which on the build machine is a failure.
fn cases() -> Option<PathBuf> {
    if let Some(cases) = std::env::var_os("RELEVE_CASES") {
        return Some(PathBuf::from(cases).join("robots"));
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "RELEVE_CASES must be set here");
    println!("skipped: RELEVE_CASES is not set");
    None
}

#[test]
fn given_cases() {
    let Some(folder) = cases() else { return };
    let text = std::fs::read_to_string(folder.join("robots-cases.given.jsonl")).unwrap();
    let (mut ran, mut wrong) = (0, vec![]);
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let Ok(agent) = case["agent"].as_str().unwrap().parse::<ProductToken>() else { continue };
        if case["class"] == "agent-form" {
            continue;
        }
        ran += 1;
        let bytes = match case["robots_b64"].as_str() {
            Some(coded) => STANDARD.decode(coded).unwrap(),
            None => case["robots"].as_str().unwrap().as_bytes().to_vec(),
        };
        let robots = RobotsTxt::parse(&bytes);
        let path = path_of(case["url"].as_str().unwrap());
        let full = robots.judge(&agent, AccessScope::NamedElseGeneral, path);
        let named = robots.judge(&agent, AccessScope::NamedOnly, path);
        let delay = robots.crawl_delay(&agent, DelayScope::NamedElseGeneral).map(|d| d.length.as_secs_f64());
        if full.allowed != case["allowed"].as_bool().unwrap()
            || named.allowed != case["allowed_named_only"].as_bool().unwrap()
            || delay != case["crawl_delay"].as_f64()
            || robots.names(&agent) != case["named_group"].as_bool().unwrap()
        {
            wrong.push(format!(
                "{} {:?} {:?} {:?} | {} {} {}",
                case["id"], full, named.allowed, delay, case["disputed"], case["why"], case["source"]
            ));
        }
    }
    println!("ran {ran}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find(['/', '?', ';']).map_or("", |at| &rest[at..])
}
