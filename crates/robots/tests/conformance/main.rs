//! The cases and files that others collected, read from the folder that `RELEVE_CASES` names.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
#![allow(clippy::disallowed_methods, reason = "the environment says where the cases lie")]

#[path = "../oracle/mod.rs"]
mod oracle;
mod second_opinion;
mod status;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use releve_robots::{AccessScope, DelayScope, ProductToken, RobotsTxt};
use serde_json::Value;

/// The folder of the cases, or nothing where there is none, which in CI is a failure.
fn folder() -> Option<PathBuf> {
    if let Some(cases) = std::env::var_os("RELEVE_CASES") {
        return Some(PathBuf::from(cases).join("robots"));
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI must set RELEVE_CASES");
    println!("skipped: RELEVE_CASES is not set");
    None
}

/// One line of the given cases.
struct Case {
    id: String,
    robots: Vec<u8>,
    agent: String,
    path: String,
    fields: Value,
}

fn given_cases(folder: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(folder.join("robots-cases.given.jsonl")).unwrap();
    let case = |line: &str| {
        let fields: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| fields[name].as_str().unwrap().to_owned();
        let robots = match fields["robots_b64"].as_str() {
            Some(coded) => STANDARD.decode(coded).unwrap(),
            None => text("robots").into_bytes(),
        };
        Case { id: text("id"), robots, agent: text("agent"), path: path_of(&text("url")).to_owned(), fields }
    };
    text.lines().map(case).collect()
}

/// An address from its path on. The cases write some without a path and some without a scheme.
fn path_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.find(['/', '?', ';']).map_or("", |at| &rest[at..])
}

/// The real files with their names, in order.
fn real_files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder.join("real")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// Whom to ask about in a real file, and what: its agents and one that it does not name; for each of its
/// rules the addresses that it matches, with a run for each star or with none, longer ones, and one that just
/// fails to match. Evenly thinned out until the work is about `budget` bytes of parsing for a parser that
/// reads the file each time.
fn questions(file: &[u8], budget: usize) -> Vec<(String, String)> {
    let (mut agents, patterns) = oracle::Reading::of(file).names_and_patterns();
    agents.sort();
    agents.dedup();
    agents.truncate(8);
    agents.push("Nobody-Names-It".to_owned());
    let mut paths = vec!["/".to_owned(), "/index.html".to_owned(), "/a/b?c=d".to_owned()];
    for pattern in patterns {
        for run in ["", "x/y"] {
            let path = as_requested(&pattern, run);
            paths.push(format!("{path}/z?a=b"));
            paths.push(path[..path.len() - usize::from(path.len() > 1)].to_owned());
            paths.push(path);
        }
    }
    paths.sort();
    paths.dedup();
    let count = agents.len() * paths.len();
    let step = (count / (budget / (file.len() + 1000)).max(20)).max(1);
    (0..count)
        .step_by(step)
        .map(|index| (agents[index % agents.len()].clone(), paths[index / agents.len()].clone()))
        .collect()
}

/// A path that a pattern matches, in the form in which addresses are requested.
fn as_requested(pattern: &[u8], run: &str) -> String {
    let pattern = pattern.strip_suffix(b"$").unwrap_or(pattern);
    let mut path = String::new();
    if pattern.first() != Some(&b'/') {
        path.push('/');
    }
    for &byte in pattern {
        match byte {
            b'*' => path.push_str(run),
            b'!'..=b'~' if !b"\"<>\\^`{|}#".contains(&byte) => path.push(char::from(byte)),
            _ => write!(path, "%{byte:02X}").unwrap(),
        }
    }
    path
}

/// All given cases whose agent is a product token, disputed ones too: each dispute was decided as the column
/// says.
#[test]
fn given_cases_are_judged_as_recorded() {
    let Some(folder) = folder() else { return };
    let (mut ran, mut wrong) = (0, String::new());
    for case in given_cases(&folder) {
        let agent = case.agent.parse::<ProductToken>();
        if case.fields["class"] == "agent-form" {
            assert!(agent.is_err(), "{}: {:?} is no product token", case.id, case.agent);
            continue;
        }
        ran += 1;
        let agent = agent.unwrap();
        let robots = RobotsTxt::parse(&case.robots);
        let allowed = |scope| robots.judge(&agent, scope, &case.path).allowed;
        let delay = robots.crawl_delay(&agent, DelayScope::NamedElseGeneral);
        let recorded_delay = case.fields["crawl_delay"]
            .as_f64()
            .map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(u64::MAX)));
        let ours = (
            allowed(AccessScope::NamedElseGeneral),
            allowed(AccessScope::NamedOnly),
            robots.names(&agent),
            delay.map(|delay| delay.length),
        );
        let truth = |name: &str| case.fields[name].as_bool().unwrap();
        let recorded = (truth("allowed"), truth("allowed_named_only"), truth("named_group"), recorded_delay);
        if ours != recorded {
            writeln!(wrong, "{}: {ours:?}, recorded {recorded:?}", case.id).unwrap();
        }
    }
    println!("ran {ran} given cases");
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(ran > 1000, "only {ran} cases were found");
}

/// The real files bear no verdicts of their own, so they are judged against a second reading of the RFC: the
/// same verdict by the same line, in both scopes.
#[test]
fn real_files_are_judged_as_the_slow_reading_judges_them() {
    let Some(folder) = folder() else { return };
    let files = real_files(&folder);
    let mut ran = 0;
    for (name, file) in &files {
        let robots = RobotsTxt::parse(file);
        let reading = oracle::Reading::of(file);
        for (agent, path) in questions(file, 2_000_000) {
            let token = agent.parse().unwrap();
            for (scope, only_named) in
                [(AccessScope::NamedElseGeneral, false), (AccessScope::NamedOnly, true)]
            {
                let verdict = robots.judge(&token, scope, &path);
                let slow = reading.judge(&agent, only_named, &path);
                assert_eq!((verdict.allowed, verdict.line), slow, "{name}: {agent} at {path}");
                ran += 1;
            }
        }
    }
    println!("ran {ran} checks on {} real files", files.len());
    assert!(files.len() > 50, "only {} real files were found", files.len());
}
