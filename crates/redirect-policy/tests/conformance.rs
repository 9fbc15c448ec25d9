//! Public cases, read from the folder that `RELEVE_CASES` names.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
// A test target reads the cases from where its environment says.
#![allow(clippy::disallowed_methods)]

use std::net::IpAddr;
use std::path::PathBuf;

use releve_redirect_policy::{AdmittedHosts, judge_ip};
use releve_url_canon::HttpsUrl;
use serde_json::Value;

/// A file of cases; `None`, said aloud, where the variable is not set, which CI does not allow.
fn read(file: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("RELEVE_CASES") else {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "RELEVE_CASES must be set in CI");
        println!("skipped: RELEVE_CASES is not set");
        return None;
    };
    Some(std::fs::read_to_string(PathBuf::from(folder).join("ip").join(file)).unwrap())
}

#[test]
fn r31_addresses_are_judged_as_the_cases_say() {
    let Some(text) = read("ip-cases.given.jsonl") else { return };
    let mut failures = Vec::new();
    let mut count = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let ip: IpAddr = case["ip"].as_str().unwrap().parse().unwrap();
        let got = judge_ip(ip);
        if got.is_ok() != case["public"].as_bool().unwrap() {
            failures.push(format!("{} {ip}: {got:?}, but {}", case["id"], case["why"]));
        }
        count += 1;
    }
    println!("ran {count} address cases");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Every block of the registry, at its first and last address and just outside.
#[test]
fn r31_no_block_of_the_registry_is_reached() {
    let Some(text) = read("ip-registry.json") else { return };
    let registry: Value = serde_json::from_str(&text).unwrap();
    let mut count = 0;
    for entry in ["ipv4", "ipv6"].iter().flat_map(|family| registry[family].as_array().unwrap()) {
        if entry["globally_reachable"] == true {
            continue;
        }
        let (ip, length) = entry["block"].as_str().unwrap().split_once('/').unwrap();
        let length: u32 = length.parse().unwrap();
        let (first, last) = match ip.parse().unwrap() {
            IpAddr::V4(ip) => {
                let host_bits = u32::MAX.checked_shr(length).unwrap_or(0);
                (IpAddr::V4(ip), IpAddr::V4((ip.to_bits() | host_bits).into()))
            }
            IpAddr::V6(ip) => {
                let host_bits = u128::MAX.checked_shr(length).unwrap_or(0);
                (IpAddr::V6(ip), IpAddr::V6((ip.to_bits() | host_bits).into()))
            }
        };
        assert!(judge_ip(first).is_err(), "{first} in {}", entry["block"]);
        assert!(judge_ip(last).is_err(), "{last} in {}", entry["block"]);
        count += 1;
    }
    println!("ran {count} blocks");
}

/// A host spelling is admissible where it is an address of ours and could stand in a list of admitted hosts.
#[test]
fn r40_host_spellings_are_admissible_as_the_cases_say() {
    let Some(text) = read("host-cases.jsonl") else { return };
    let mut failures = Vec::new();
    let mut count = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let input = case["input"].as_str().unwrap();
        let got = input.parse::<HttpsUrl>().is_ok_and(|url| {
            AdmittedHosts::parse([url.authority()]).is_ok_and(|hosts| hosts.admit(&url).is_ok())
        });
        if got != case["admissible"].as_bool().unwrap() {
            failures.push(format!("{} {input:?}: {got}, but {}", case["id"], case["why"]));
        }
        count += 1;
    }
    println!("ran {count} host cases");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
