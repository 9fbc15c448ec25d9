//! What others say of our proofs: openssl, and the script that needs nothing of ours.
#![allow(clippy::disallowed_methods, reason = "whether this is CI is for the environment to say")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use releve_proof::RootSet;
use rustls::pki_types::CertificateDer;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::capture::keys;
use crate::chains::{Row, rows};
use crate::lab::{Chain, ENVELOPE, HOST, Handshake, Signed, forge, prove, read_at};

/// Whether these tools are there. Where they are not, the test says so and passes, except in CI.
fn installed(tools: &[&str]) -> bool {
    let missing: Vec<_> =
        tools.iter().filter(|tool| Command::new(tool).arg("-c").output().is_err()).collect();
    if missing.is_empty() {
        return true;
    }
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "not installed, and CI=true: {missing:?}");
    println!("skipped: not installed: {missing:?}");
    false
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

fn pem(certificates: &[Vec<u8>]) -> String {
    certificates
        .iter()
        .map(|der| {
            let set = RootSet::from_der("one", [CertificateDer::from(der.clone())]);
            // `RootSet` writes PEM, but takes no certificate that cannot be read.
            set.unwrap().to_pem()
        })
        .collect()
}

/// `openssl verify` over a path, at the instant of the read, for a TLS server.
fn openssl_verify(path: &[Vec<u8>]) -> Output {
    let folder = Folder::new();
    let [leaf, issuers @ .., root] = path else { panic!("no path") };
    let mut command = Command::new("openssl");
    command
        .arg("verify")
        .args(["-attime", &read_at().as_second().to_string()])
        .args([
            "-purpose",
            "sslserver",
            "-auth_level",
            "2",
            "-verify_hostname",
            HOST,
            "-no-CApath",
            "-no-CAstore",
        ])
        .arg("-CAfile")
        .arg(folder.write("root.pem", pem(std::slice::from_ref(root))))
        .arg("-untrusted")
        .arg(folder.write("issuers.pem", pem(issuers)))
        .arg(folder.write("leaf.pem", pem(std::slice::from_ref(leaf))));
    command.output().unwrap()
}

#[test]
fn r16_openssl_agrees_with_every_verdict_on_a_chain() {
    if !installed(&["openssl"]) {
        return;
    }
    for (name, key) in keys() {
        let chain = Chain::with_key(key).sign();
        let output = openssl_verify(&chain.path());
        assert!(output.status.success(), "{name}: {output:?}");
    }
    // openssl falls back to the common name where a certificate has no other (the script compares the names
    // itself), lets an authority's certificate serve as a server's, and takes a key usage for the missing
    // word that a root is an authority's.
    let accepted = [
        "the leaf names the host as its common name alone",
        "the leaf is an authority",
        "the root does not say that it is an authority",
    ];
    for Row { what, chain, .. } in rows() {
        let output = openssl_verify(&chain.path());
        assert_eq!(output.status.success(), accepted.contains(&what), "{what}: {output:?}");
    }
}

/// Runs the script over a proof.
fn script(document: &str, more: &[(&str, &[u8])]) -> (Option<i32>, String) {
    let folder = Folder::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/check_evidence.py");
    let mut command = Command::new("python3");
    command.arg("-B").arg(script).arg(folder.write("proof.json", document));
    for (flag, content) in more {
        command.arg(flag).arg(folder.write(&flag[2..], content));
    }
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code(), text)
}

#[test]
fn r16_a_script_without_our_code_accepts_what_we_accept() {
    if !installed(&["openssl", "python3"]) {
        return;
    }
    let accepts = |what: &str, chain: &Signed, course: &Handshake| {
        let proof = prove(&course.run(chain).tls(), &chain.roots());
        let pem = chain.roots().to_pem();
        let (code, text) = script(&proof.to_json(), &[("--envelope", ENVELOPE), ("--roots", pem.as_bytes())]);
        assert_eq!(code, Some(0), "{what}: {text}");
        assert_eq!(text.matches("passed ").count(), 7, "{what}: {text}");
        assert!(text.starts_with(releve_proof::ATTESTS), "{what}: {text}");
    };
    for (name, key) in keys() {
        let chain = Chain::with_key(key).sign();
        accepts(name, &chain, &Handshake::tls13());
        accepts(name, &chain, &Handshake::tls12());
    }
    let chain = Chain::new().sign();
    for suite in
        [rustls::CipherSuite::TLS13_AES_128_GCM_SHA256, rustls::CipherSuite::TLS13_AES_256_GCM_SHA384]
    {
        let course = Handshake {
            suite: Some(suite),
            retry: true,
            ocsp: Some(b"stapled".to_vec()),
            asks_for_client_certificate: true,
            ..Handshake::tls13()
        };
        accepts("a long course", &chain, &course);
    }
}

#[test]
fn r16_a_script_without_our_code_refuses_what_we_refuse() {
    if !installed(&["openssl", "python3"]) {
        return;
    }
    let chain = Chain::new().sign();
    let proofs = [Handshake::tls13(), Handshake::tls12()]
        .map(|course| prove(&course.run(&chain).tls(), &chain.roots()));
    let flips = [
        (0, "/tls/evidence/tls13/transcript"),
        (0, "/tls/evidence/tls13/certificate_verify"),
        (1, "/tls/evidence/tls12/client_random"),
        (1, "/tls/evidence/tls12/server_random"),
        (1, "/tls/evidence/tls12/server_key_exchange"),
    ];
    for (which, pointer) in flips {
        let whole: Value = serde_json::from_str(&proofs[which].to_json()).unwrap();
        let bytes = STANDARD.decode(whole.pointer(pointer).unwrap().as_str().unwrap()).unwrap();
        // A few positions: header, middle, end. Every one of them is flipped in the tests of our own check.
        for position in [0, 3, bytes.len() / 2, bytes.len() - 1] {
            let mut flipped = bytes.clone();
            flipped[position] ^= 1;
            let mut document = whole.clone();
            *document.pointer_mut(pointer).unwrap() = STANDARD.encode(flipped).into();
            let (code, text) = script(&serde_json_canonicalizer::to_string(&document).unwrap(), &[]);
            assert_eq!(code, Some(1), "{pointer} at {position}: {text}");
            assert!(text.contains("FAILED   evidence: "), "{pointer} at {position}: {text}");
        }
    }

    let refuses = |what: &str, document: &str, more: &[(&str, &[u8])], line: &str| {
        let (code, text) = script(document, more);
        assert_eq!(code, Some(1), "{what}: {text}");
        assert!(text.contains(&format!("FAILED   {line}")), "{what}: {text}");
    };
    let proof = &proofs[0];
    let forged = |change: fn(&mut Value)| forge(proof, change).unwrap().to_json();
    let other = Chain::new().sign().roots().to_pem();
    refuses(
        "another envelope",
        &proof.to_json(),
        &[("--envelope", b"other")],
        "envelope: the SHA-256 differs",
    );
    refuses(
        "another set of roots",
        &proof.to_json(),
        &[("--roots", other.as_bytes())],
        "roots: it is another set",
    );
    refuses("a space", &proof.to_json().replacen(':', ": ", 1), &[], "document: ");
    refuses("the lab", &forged(|d| d["lab"] = json!(true)), &[], "document: it is a proof from the lab");
    refuses(
        "a later read",
        &forged(|d| d["read_at"] = json!("2028-01-01T00:00:00.000Z")),
        &[],
        "chain: openssl",
    );
    refuses(
        "another host",
        &forged(|d| d["tls"]["server_name"] = json!("a.example.org")),
        &[],
        "name: it names www.example.org",
    );
    refuses(
        "no evidence",
        &forged(|d| drop(d["tls"].as_object_mut().unwrap().remove("evidence"))),
        &[],
        "evidence: there is none",
    );
    let (code, text) = script("noise", &[]);
    assert_eq!(code, Some(2), "{text}");
}

/// The commands of the guide are run as they stand there, over a proof that was sealed long ago.
#[test]
fn r16_the_commands_of_the_guide_do_what_it_says() {
    if !installed(&["openssl", "python3", "sh"]) {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = std::fs::read_to_string(root.join("GUIDE.md")).unwrap();
    let blocks: Vec<&str> =
        guide.split("```sh\n").skip(1).map(|rest| rest.split_once("\n```").unwrap().0).collect();
    assert_eq!(blocks.len(), 6);
    let folder = Folder::new();
    for (name, fixture) in
        [("proof.json", "tls13.json"), ("roots.pem", "tls13.pem"), ("envelope.html", "envelope.html")]
    {
        folder.write(name, std::fs::read(root.join("fixtures").join(fixture)).unwrap());
    }
    let output =
        Command::new("sh").args(["-euc", &blocks.join("\n")]).current_dir(folder.0.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    let proof =
        releve_proof::Proof::from_json(&std::fs::read(root.join("fixtures/tls13.json")).unwrap()).unwrap();
    for expected in [
        "TLS_AES_256_GCM_SHA384",
        "leaf.pem: OK",
        "DNS:www.example.org",
        "Verified OK",
        "the transcript holds the name and the certificates",
        &proof.roots().sha256.to_string(),
        &proof.envelope().sha256.to_string(),
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}
