//! Public cases, read from the folder that `RELEVE_CASES` names.
#![allow(clippy::unwrap_used, clippy::print_stdout)]
// A test target reads the cases from where its environment says.
#![allow(clippy::disallowed_methods)]

use std::path::PathBuf;

use releve_url_canon::{HttpsUrl, NecessaryParameters, Refusal, canonicalise};
use serde_json::Value;

/// The lines of a file of cases; `None`, said aloud, where the variable is not set, which CI does not allow.
fn cases(file: &str) -> Option<Vec<Value>> {
    let Some(folder) = std::env::var_os("RELEVE_CASES") else {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "RELEVE_CASES must be set in CI");
        println!("skipped: RELEVE_CASES is not set");
        return None;
    };
    let text = std::fs::read_to_string(PathBuf::from(folder).join("url").join(file)).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// What the address becomes. An IP address is refused here with the spelling it was understood as, where
/// the cases have it normalised here and refused by the redirect policy: the cases' spelling is compared.
fn outcome(input: &str, keep: &NecessaryParameters) -> Option<String> {
    match canonicalise(input, None, keep) {
        Ok(canonical) => Some(canonical.url.to_string()),
        Err(Refusal::IpAddress { address }) => Some(address),
        Err(_) => None,
    }
}

#[test]
fn r29_addresses_become_what_the_cases_say() {
    let Some(cases) = cases("url-cases.given.jsonl") else { return };
    let mut failures = Vec::new();
    for case in &cases {
        let input = case["input"].as_str().unwrap();
        let declared = case["declared"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
        let keep = NecessaryParameters::new(declared);
        let got = outcome(input, &keep);
        if got.as_deref() != case["expected"].as_str() {
            failures.push(format!("{}: {input:?} became {got:?}, expected {}", case["id"], case["expected"]));
        }
        if let Some(got) = got.filter(|got| got.parse::<HttpsUrl>().is_ok()) {
            assert_eq!(outcome(&got, &keep), Some(got), "{} is not idempotent", case["id"]);
        }
    }
    println!("ran {} address cases", cases.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The web platform's own cases, unchanged: each is parsed as it stands by the parser underneath, without an
/// exception, and, with `http:` written as `https:`, through [`HttpsUrl`], which may differ in the ways
/// stated here alone.
#[test]
fn the_web_platform_cases_hold() {
    let Some(cases) = cases("wpt-url-http.jsonl") else { return };
    let mut failures = Vec::new();
    let mut ours = 0;
    for case in &cases {
        let input = case["input"].as_str().unwrap();
        let base = case["base"].as_str();
        let expected = case["href"].as_str();

        let got = parse(input, base).map(String::from);
        if got.as_deref() != expected {
            failures.push(format!("{input:?} on {base:?}: {got:?}, expected {expected:?}"));
        }

        let (input, base) = (as_https(input), base.map(as_https));
        let Some(parsed) = parse(&input, base.as_deref()) else {
            assert!(base.is_some() || input.parse::<HttpsUrl>().is_err(), "{input:?} must be refused");
            continue;
        };
        let base: Option<HttpsUrl> = match base.map(|base| base.parse()).transpose() {
            Ok(base) => base,
            // A base that is no https address is no base of ours.
            Err(_) => continue,
        };
        ours += 1;
        let got = base.map_or_else(|| input.parse(), |base| base.join(&input));
        match &got {
            Ok(url) => {
                // A fragment and a trailing dot of the host are off; nothing else differs.
                let mut expected = parsed.clone();
                expected.set_fragment(None);
                let host = parsed.host_str().unwrap();
                if let Some(host) = host.strip_suffix('.') {
                    expected.set_host(Some(host)).unwrap();
                }
                assert_eq!(url.as_str(), expected.as_str(), "{input:?}");
            }
            Err(Refusal::NotHttps) => assert_ne!(parsed.scheme(), "https", "{input:?}"),
            Err(Refusal::Userinfo) => {
                assert!(!parsed.username().is_empty() || parsed.password().is_some(), "{input:?}");
            }
            Err(Refusal::IpAddress { .. }) => assert!(parsed.domain().is_none(), "{input:?}"),
            Err(Refusal::HostName) => {
                let host = parsed.domain().unwrap();
                let host = host.strip_suffix('.').unwrap_or(host);
                assert!(host.split('.').any(|label| label.is_empty() || label.len() > 63), "{input:?}");
            }
            Err(other) => panic!("{input:?}: {other:?}"),
        }
    }
    println!("ran {} web platform cases, {ours} of them as https", cases.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn parse(input: &str, base: Option<&str>) -> Option<url::Url> {
    let base = match base {
        Some(base) => Some(url::Url::parse(base).ok()?),
        None => None,
    };
    url::Url::options().base_url(base.as_ref()).parse(input).ok()
}

fn as_https(address: &str) -> String {
    match address.get(..5) {
        Some(scheme) if scheme.eq_ignore_ascii_case("http:") => format!("https:{}", &address[5..]),
        _ => address.to_owned(),
    }
}
