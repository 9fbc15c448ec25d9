//! `releve robots`: what a robots.txt says of addresses, so that a publisher can try it before we come.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use releve_robots::{ProductToken, RobotsPolicy, RobotsTxt, line_text};
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::print_json;
use crate::cli::Global;
use crate::exit::Exit;

pub(crate) fn run(
    global: &Global,
    file: Option<&Path>,
    agent: Option<&str>,
    cases: Option<&Path>,
    addresses: &[String],
    out: &mut dyn Write,
) -> Result<Exit> {
    match (cases, file, agent) {
        (Some(cases), ..) => run_cases(cases, out),
        (None, Some(file), Some(agent)) => run_file(global, file, agent, addresses, out),
        // clap asks for both.
        _ => Ok(Exit::CouldNotRun),
    }
}

fn run_file(
    global: &Global,
    file: &Path,
    agent: &str,
    addresses: &[String],
    out: &mut dyn Write,
) -> Result<Exit> {
    let mut bytes = Vec::new();
    open(file)?.read_to_end(&mut bytes).with_context(|| format!("cannot read {}", file.display()))?;
    let agent: ProductToken = agent.parse().context("--agent is no product token")?;
    let (robots, policy) = (RobotsTxt::parse(&bytes), RobotsPolicy::releve());
    let delay = policy.crawl_delay(&robots, &agent);
    let text =
        |line: u32| String::from_utf8_lossy(line_text(&bytes, line).unwrap_or_default()).trim().to_owned();
    let mut verdicts = Vec::new();
    for address in addresses {
        let verdict = policy.judge(&robots, &agent, &path_and_query(address)?);
        if global.json {
            verdicts.push(json!({
                "address": address,
                "allowed": verdict.allowed,
                "line": verdict.line,
                "text": verdict.line.map(text),
                "reason": verdict.to_string(),
            }));
        } else {
            writeln!(out, "{address}: {verdict}")?;
            if let Some(line) = verdict.line {
                writeln!(out, "  line {line}: {}", text(line))?;
            }
        }
    }
    let notices: Vec<String> = robots.notices().iter().map(ToString::to_string).collect();
    if global.json {
        let delay = delay.map(|delay| json!({ "seconds": delay.length.as_secs_f64(), "line": delay.line }));
        print_json(out, &json!({ "verdicts": verdicts, "crawl_delay": delay, "notices": notices }))?;
    } else {
        match delay {
            Some(delay) => {
                writeln!(out, "Crawl-delay: {} s (line {})", delay.length.as_secs_f64(), delay.line)?;
            }
            None => writeln!(out, "Crawl-delay: none; at most one request a second all the same")?,
        }
        for notice in notices {
            writeln!(out, "notice: {notice}")?;
        }
    }
    Ok(Exit::Done)
}

/// One case of many, as a line of JSON.
#[derive(Deserialize)]
struct Case {
    id: Value,
    robots: Option<String>,
    robots_b64: Option<String>,
    agent: String,
    url: String,
}

fn run_cases(cases: &Path, out: &mut dyn Write) -> Result<Exit> {
    let policy = RobotsPolicy::releve();
    for (index, line) in open(cases)?.lines().enumerate() {
        let line = line.with_context(|| format!("cannot read {}", cases.display()))?;
        if line.trim().is_empty() {
            continue;
        }
        let place = || format!("{}:{}", cases.display(), index + 1);
        let case: Case = serde_json::from_str(&line).with_context(place)?;
        let bytes = match (case.robots, case.robots_b64) {
            (Some(text), None) => text.into_bytes(),
            (_, Some(text)) => STANDARD.decode(text).with_context(place)?,
            (None, None) => bail!("{}: neither `robots` nor `robots_b64`", place()),
        };
        let agent: ProductToken = case.agent.parse().with_context(place)?;
        let robots = RobotsTxt::parse(&bytes);
        let verdict = policy.judge(&robots, &agent, &path_and_query(&case.url).with_context(place)?);
        let delay = policy.crawl_delay(&robots, &agent).map(|delay| delay.length.as_secs_f64());
        print_json(
            out,
            &json!({ "id": case.id, "allowed": verdict.allowed, "line": verdict.line, "crawl_delay": delay }),
        )?;
    }
    Ok(Exit::Done)
}

fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Box::new(BufReader::new(file)))
}

/// What rules are matched against: of an address its path and query, or a path as it is.
fn path_and_query(address: &str) -> Result<String> {
    match Url::parse(address) {
        Ok(url) if url.has_host() => Ok(url[url::Position::BeforePath..url::Position::AfterQuery].to_owned()),
        _ if address.starts_with('/') => Ok(address.to_owned()),
        _ => bail!("{address} is neither an address with its scheme nor a path that begins with `/`"),
    }
}
