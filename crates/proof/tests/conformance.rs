//! Certificate chains from public collections: every verdict that other implementations agree on is ours too.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use releve_proof::{ATTESTS, Check, Context, Outcome, Proof, RootSet, check, verify_chain};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use serde_json::{Value, json};

struct Case {
    id: String,
    level: String,
    valid: bool,
    presented: Vec<Vec<u8>>,
    roots: Result<RootSet, releve_proof::Error>,
    server_name: String,
    at: Timestamp,
    openssl: String,
}

impl Case {
    fn read(line: &str) -> Self {
        let value: Value = serde_json::from_str(line).unwrap();
        let text = |pointer: &str| value.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        let pem = |pointer: &str| -> Vec<CertificateDer<'static>> {
            let blocks = value.pointer(pointer).unwrap().as_array().unwrap();
            blocks
                .iter()
                .map(|pem| CertificateDer::from_pem_slice(pem.as_str().unwrap().as_bytes()).unwrap())
                .collect()
        };
        Self {
            id: text("/id"),
            level: text("/level"),
            valid: text("/expected") == "valid",
            presented: pem("/chain").iter().map(|der| der.to_vec()).collect(),
            roots: RootSet::from_der("case", pem("/roots")),
            server_name: text("/server_name/value"),
            at: Timestamp::from_second(value.pointer("/instant_unix").unwrap().as_i64().unwrap()).unwrap(),
            openssl: text("/verdicts/openssl/detail"),
        }
    }

    /// The path found, or the code of the refusal.
    fn verdict(&self) -> Result<Vec<Vec<u8>>, &'static str> {
        let roots = self.roots.as_ref().map_err(releve_proof::Error::code)?;
        verify_chain(&self.presented, &self.server_name, self.at, roots)
            .map_err(|refusal| refusal.reason().code())
    }

    /// Whether all that is checked of the chain holds in a proof that records this path as verified.
    fn holds_recorded(&self, path: &[Vec<u8>], roots: &RootSet) -> bool {
        let base64 = |ders: &[Vec<u8>]| ders.iter().map(|der| STANDARD.encode(der)).collect::<Vec<_>>();
        let nothing = releve_proof::Sha256::of(b"").to_string();
        let document = json!({
            "version": 1,
            "attests": ATTESTS,
            "address": "https://www.example.org/",
            "requested": "https://www.example.org/",
            "redirects": [],
            "read_at": format!("{:.3}", self.at),
            "received": { "sha256": nothing, "length": 0 },
            "envelope": { "sha256": nothing, "length": 0, "media_type": "text/html" },
            "response": { "status": 200, "headers": [] },
            "tls": {
                "protocol": "TLS 1.3",
                "cipher_suite": "TLS_AES_128_GCM_SHA256",
                "server_name": self.server_name,
                "presented": base64(&self.presented),
                "verified": base64(path),
                "roots": { "name": roots.name(), "sha256": roots.digest().to_string() },
            },
            "connector": { "name": "conformance", "version": "1" },
            "lab": false,
        });
        let document = serde_json_canonicalizer::to_vec(&document).unwrap();
        Proof::from_json(&document).is_ok_and(|proof| {
            let report = check(&proof, b"", roots, &Context::new(self.at));
            let mut lines = report.lines().iter().filter(|line| OF_THE_CHAIN.contains(&line.check));
            lines.all(|line| line.outcome == Outcome::Passed)
        })
    }
}

const OF_THE_CHAIN: [Check; 6] =
    [Check::Chain, Check::Name, Check::RootDates, Check::KeyUsage, Check::RootConstraints, Check::KeySizes];

fn cases() -> Option<Vec<Case>> {
    let Some(folder) = std::env::var_os("RELEVE_CASES") else {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "RELEVE_CASES must be set where CI=true"
        );
        println!("skipped: RELEVE_CASES is not set");
        return None;
    };
    let text = std::fs::read_to_string(Path::new(&folder).join("x509/cases.jsonl")).unwrap();
    Some(text.lines().map(Case::read).collect())
}

fn gates(case: &Case) -> bool {
    matches!(case.level.as_str(), "must" | "beyond-webpki")
}

#[test]
fn r16_chains_are_judged_as_other_implementations_judge_them() {
    let Some(cases) = cases() else { return };
    let mut wrong = Vec::new();
    let mut ran: BTreeMap<&str, usize> = BTreeMap::new();
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for case in &cases {
        let verdict = case.verdict();
        let code = verdict.as_ref().err().copied().unwrap_or("accepted");
        *ran.entry(&case.level).or_default() += 1;
        *codes.entry(code).or_default() += 1;
        if verdict.is_ok() == case.valid {
            continue;
        }
        if gates(case) {
            wrong.push((&case.id, code));
        } else {
            println!("differs, as others do among themselves: {} {code}", case.id);
        }
    }
    println!("{} cases: {ran:?}", cases.len());
    println!("{codes:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn r16_what_webpki_leaves_out_is_refused_for_the_right_reason() {
    let Some(cases) = cases() else { return };
    let codes: Vec<(&str, &str)> = cases
        .iter()
        .filter(|case| case.level == "beyond-webpki")
        .map(|case| (case.id.as_str(), case.verdict().err().unwrap_or("accepted")))
        .collect();
    let expected = [
        ("limbo::rfc5280::unknown-critical-extension-root", "critical-extension"),
        ("own::ca::no-keycertsign", "key-usage"),
        ("own::ca::pathlen-on-root", "path-length"),
        ("own::instant::root-expired", "root-expired"),
    ];
    assert_eq!(codes, expected);
}

/// Reasons are compared with openssl's, which shares no code with ours. One of its words can stand for
/// several of our reasons, and where it finds no issuer it stops before it sees what we see.
#[test]
fn r16_the_reason_is_the_one_that_openssl_gives() {
    let Some(cases) = cases() else { return };
    let rows: [(&str, &[&str]); 14] = [
        ("certificate has expired", &["certificate-expired", "root-expired"]),
        ("certificate is not yet valid", &["certificate-not-yet-valid"]),
        ("certificate signature failure", &["chain-signature", "certificate-malformed"]),
        ("unhandled critical extension", &["critical-extension"]),
        ("path length constraint exceeded", &["path-length"]),
        ("unsuitable certificate purpose", &["not-for-servers", "leaf-is-authority"]),
        ("invalid CA certificate", &["not-an-authority", "key-usage"]),
        ("hostname mismatch", &["name-not-covered", "name-constraint"]),
        ("IP address mismatch", &["name-not-covered", "name-constraint"]),
        ("permitted subtree violation", &["name-constraint", "name-not-covered", "certificate-malformed"]),
        ("excluded subtree violation", &["name-constraint"]),
        ("EE certificate key too weak", &["weak-key"]),
        ("CA signature digest algorithm too weak", &["unsupported-algorithm"]),
        ("self-signed certificate", &["leaf-is-authority", "root-unknown"]),
    ];
    let mut compared = 0;
    let mut wrong = Vec::new();
    for case in cases.iter().filter(|case| gates(case) && !case.valid) {
        let Some((_, expected)) = rows.iter().find(|(words, _)| case.openssl.ends_with(words)) else {
            continue;
        };
        let code = case.verdict().err().unwrap_or("accepted");
        compared += 1;
        if !expected.contains(&code) {
            wrong.push((&case.id, code, &case.openssl));
        }
    }
    println!("{compared} reasons compared");
    assert!(compared > 150, "the words of openssl were not recognised");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn r16_a_recorded_path_is_judged_as_the_chain_is() {
    let Some(cases) = cases() else { return };
    for case in &cases {
        let Ok(roots) = &case.roots else { continue };
        if let Ok(path) = case.verdict() {
            assert!(case.holds_recorded(&path, roots), "{}", case.id);
        } else {
            // Whatever root a forger writes under what the server presented, it is refused.
            for root in roots.certificates() {
                let mut path = case.presented.clone();
                path.push(root.to_vec());
                assert!(!case.holds_recorded(&path, roots), "{}", case.id);
            }
        }
    }
}

/// openssl is given the path that we found, as it does not search for another where its first fails.
#[test]
fn r16_openssl_verifies_every_path_that_is_found() {
    let Some(cases) = cases() else { return };
    if Command::new("openssl").arg("version").output().is_err() {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "openssl must be installed where CI=true"
        );
        println!("skipped: openssl is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, ders: &[Vec<u8>]| {
        let block = |der| {
            format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", STANDARD.encode(der))
        };
        let path = folder.path().join(name);
        std::fs::write(&path, ders.iter().map(block).collect::<String>()).unwrap();
        path
    };
    let (mut verified, mut wrong) = (0, Vec::new());
    for case in cases.iter().filter(|case| case.level == "must") {
        let Ok(path) = case.verdict() else { continue };
        let [leaf, issuers @ .., root] = path.as_slice() else { panic!("no path") };
        let of_name = if case.server_name.parse::<std::net::IpAddr>().is_ok() {
            "-verify_ip"
        } else {
            "-verify_hostname"
        };
        let mut command = Command::new("openssl");
        command
            .args([
                "verify",
                "-attime",
                &case.at.as_second().to_string(),
                "-purpose",
                "sslserver",
                "-auth_level",
                "2",
            ])
            .args(["-partial_chain", "-no-CApath", "-no-CAstore", of_name, &case.server_name])
            .args([Path::new("-CAfile"), &file("root.pem", std::slice::from_ref(root))]);
        if !issuers.is_empty() {
            command.args([Path::new("-untrusted"), &file("issuers.pem", issuers)]);
        }
        let output = command.arg(file("leaf.pem", std::slice::from_ref(leaf))).output().unwrap();
        // Where openssl is known to differ, it must: an exception that is none any more is to be taken out.
        let differs = OPENSSL_DIFFERS.iter().any(|(ending, _)| case.id.ends_with(ending));
        verified += usize::from(output.status.success());
        if output.status.success() == differs {
            wrong.push((&case.id, String::from_utf8_lossy(&output.stderr).into_owned()));
        }
    }
    println!("{verified} paths verified by openssl");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The endings of the cases that we accept and openssl does not, each with the reason.
const OPENSSL_DIFFERS: [(&str, &str); 10] = [
    ("::at-notafter", LAST_SECOND),
    ("::notafter-exact", LAST_SECOND),
    ("::notafter-fractional", LAST_SECOND),
    ("::wrong-aki", "openssl looks for the issuer by key identifier alone; RFC 5280 section 6.1 does not"),
    ("::7413", COMMON_NAME),
    ("::7416", COMMON_NAME),
    ("::7422", COMMON_NAME),
    ("::7435", COMMON_NAME),
    ("::7440", COMMON_NAME),
    ("::8164", COMMON_NAME),
];
const LAST_SECOND: &str =
    "openssl counts the last second of the validity as over; RFC 5280 section 4.1.2.5 includes it";
const COMMON_NAME: &str = "openssl applies constraints on DNS names to a common name that is an IP address";
