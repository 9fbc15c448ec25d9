//! How long a check takes. `cargo bench -p releve-proof`.
//!
//! With `RELEVE_CASES` set, the chains of `x509/cases.jsonl` there are timed one by one first, among them
//! some that are made to be slow, and their percentiles are printed.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use std::time::{Duration, Instant};

use divan::{Bencher, black_box};
use jiff::Timestamp;
use releve_proof::{Context, Proof, RootSet, check, verify_chain};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use serde_json::Value;

const ENVELOPE: &[u8] = include_bytes!("../fixtures/envelope.html");

fn main() {
    percentiles();
    divan::main();
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the environment and the clock")]
fn percentiles() {
    // The median of many keeps out what else the machine does.
    const ROUNDS: usize = 21;
    let Some(folder) = std::env::var_os("RELEVE_CASES") else {
        println!("chains one by one: skipped: RELEVE_CASES is not set");
        return;
    };
    let text = std::fs::read_to_string(Path::new(&folder).join("x509/cases.jsonl")).unwrap();
    let mut times: Vec<(Duration, String)> = Vec::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let pem = |field: &str| -> Vec<CertificateDer<'static>> {
            let blocks = case[field].as_array().unwrap();
            blocks
                .iter()
                .map(|pem| CertificateDer::from_pem_slice(pem.as_str().unwrap().as_bytes()).unwrap())
                .collect()
        };
        let Ok(roots) = RootSet::from_der("case", pem("roots")) else { continue };
        let presented: Vec<Vec<u8>> = pem("chain").iter().map(|der| der.to_vec()).collect();
        let name = case["server_name"]["value"].as_str().unwrap();
        let at = Timestamp::from_second(case["instant_unix"].as_i64().unwrap()).unwrap();
        let mut rounds: Vec<Duration> = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                let _ = black_box(verify_chain(black_box(&presented), name, at, &roots));
                start.elapsed()
            })
            .collect();
        rounds.sort();
        times.push((rounds[ROUNDS / 2], case["id"].as_str().unwrap().to_owned()));
    }
    times.sort();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].0;
    println!(
        "{} chains, each by its median of {ROUNDS}: p50 {:?}, p90 {:?}, p99 {:?}, slowest {:?}",
        times.len(),
        at(50),
        at(90),
        at(99),
        times.last().unwrap()
    );
}

/// The root of the fixture among all the roots of today.
fn roots(pem: &[u8]) -> RootSet {
    let current = RootSet::current().unwrap();
    let of_fixture = RootSet::from_pem("fixture", pem).unwrap();
    let all = current.certificates().chain(of_fixture.certificates()).map(<[u8]>::to_vec).collect::<Vec<_>>();
    RootSet::from_der("all", all).unwrap()
}

fn fixture(name: &str) -> (Proof, RootSet) {
    let read = |file: String| {
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(file)).unwrap()
    };
    (Proof::from_json(&read(format!("{name}.json"))).unwrap(), roots(&read(format!("{name}.pem"))))
}

#[divan::bench(args = ["tls13", "tls12-rsa"])]
fn chain(bencher: Bencher<'_, '_>, name: &str) {
    let (proof, roots) = fixture(name);
    let tls = proof.tls();
    bencher.bench(|| {
        verify_chain(black_box(&tls.presented), &tls.server_name, proof.read_at(), &roots).unwrap()
    });
}

#[divan::bench(args = ["tls13", "tls12-rsa"])]
fn evidence(bencher: Bencher<'_, '_>, name: &str) {
    let (proof, _) = fixture(name);
    bencher.bench(|| black_box(proof.tls()).verify().unwrap());
}

#[divan::bench(args = ["tls13", "tls12-rsa"])]
fn whole_check(bencher: Bencher<'_, '_>, name: &str) {
    let (proof, roots) = fixture(name);
    let context = Context::new(proof.read_at());
    bencher.bench(|| assert!(check(black_box(&proof), ENVELOPE, &roots, &context).accepted()));
}

#[divan::bench(args = ["tls13", "tls12-rsa"])]
fn read_the_document(bencher: Bencher<'_, '_>, name: &str) {
    let document = fixture(name).0.to_json();
    bencher.bench(|| Proof::from_json(black_box(document.as_bytes())).unwrap());
}

#[divan::bench]
fn read_the_roots_of_today() -> RootSet {
    RootSet::current().unwrap()
}
