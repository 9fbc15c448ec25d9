//! The check of a proof: what is refused, under which code, and how the report reads.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use releve_proof::{Check, Context, Outcome, Proof, Read, Received, Redirect, RootSet, Sha256, Tls, check};
use serde_json::{Value, json};

use crate::lab::{
    Chain, ENVELOPE, HOST, Handshake, Signed, context, forge, forge_chain, prove, read, read_at,
};

fn good() -> (Signed, Tls, Proof) {
    let chain = Chain::new().sign();
    let tls = Handshake::tls13().run(&chain).tls();
    let proof = prove(&tls, &chain.roots());
    (chain, tls, proof)
}

fn code(proof: &Proof, envelope: &[u8], roots: &RootSet, context: &Context) -> Option<&'static str> {
    check(proof, envelope, roots, context).refusal().map(|refusal| refusal.reason().code())
}

#[test]
fn r16_every_check_that_fails_refuses_the_proof() {
    let (chain, _, proof) = good();
    let roots = chain.roots();
    let forged = |change: fn(&mut Value)| forge(&proof, change).unwrap();
    let rows: [(&str, Proof, Option<&str>); 12] = [
        ("as it is", proof.clone(), None),
        (
            "at another host",
            forged(|document| {
                document["address"] = json!("https://other.example.org/article");
                document["requested"] = document["address"].clone();
            }),
            Some("host-differs"),
        ),
        (
            "a server name that was not asked for",
            forged(|document| document["tls"]["server_name"] = json!("other.example.org")),
            Some("host-differs"),
        ),
        ("no path", forged(|document| document["tls"]["verified"] = json!([])), Some("path-differs")),
        (
            "nothing presented",
            forged(|document| document["tls"]["presented"] = json!([])),
            Some("chain-empty"),
        ),
        (
            "no evidence",
            forged(|document| {
                document["tls"].as_object_mut().unwrap().remove("evidence").unwrap();
            }),
            Some("evidence-missing"),
        ),
        (
            "another envelope's digest",
            forged(|document| {
                document["envelope"]["sha256"] = json!(Sha256::of(b"other").to_string());
                document["received"]["sha256"] = document["envelope"]["sha256"].clone();
            }),
            Some("digest-differs"),
        ),
        (
            "another length",
            forged(|document| {
                document["envelope"]["length"] = json!(ENVELOPE.len() + 1);
                document["received"]["length"] = document["envelope"]["length"].clone();
            }),
            Some("length-differs"),
        ),
        (
            "a read after the receipt",
            forged(|document| document["read_at"] = json!("2026-05-04T03:02:02.988Z")),
            Some("read-after-receipt"),
        ),
        (
            "a read long before the receipt",
            forged(|document| document["read_at"] = json!("2026-04-27T03:02:02.986Z")),
            Some("read-too-long-ago"),
        ),
        (
            "a read when the certificate was over",
            forged(|document| document["read_at"] = json!("2027-05-04T03:02:01.987Z")),
            Some("certificate-expired"),
        ),
        ("from the lab", forged(|document| document["lab"] = json!(true)), Some("lab-proof")),
    ];
    for (what, proof, expected) in rows {
        assert_eq!(code(&proof, ENVELOPE, &roots, &context()), expected, "{what}");
    }
    let mut altered = ENVELOPE.to_vec();
    altered[0] ^= 1;
    assert_eq!(code(&proof, &altered, &roots, &context()), Some("digest-differs"));
    assert_eq!(code(&proof, b"", &roots, &context()), Some("digest-differs"));
}

#[test]
fn r16_only_the_path_of_what_was_presented_is_accepted() {
    let (chain, _, proof) = good();
    let roots = chain.roots();
    let [leaf, intermediate, root] = <[Vec<u8>; 3]>::try_from(chain.path()).unwrap();
    let other = Chain::new().sign();
    let rows = [
        ("without the leaf", vec![intermediate.clone(), root.clone()], "path-differs"),
        ("the root alone", vec![root.clone()], "path-differs"),
        ("without the root", vec![leaf.clone(), intermediate.clone()], "root-unknown"),
        ("without the issuer", vec![leaf.clone(), root.clone()], "root-unknown"),
        (
            "the issuer twice",
            vec![leaf.clone(), intermediate.clone(), intermediate.clone(), root.clone()],
            "path-differs",
        ),
        ("under another root", vec![leaf.clone(), intermediate.clone(), other.root.to_vec()], "root-unknown"),
        (
            "through another issuer",
            vec![leaf.clone(), other.presented().pop().unwrap(), root.clone()],
            "path-differs",
        ),
        ("of noise", vec![leaf.clone(), intermediate, b"noise".to_vec()], "root-unknown"),
    ];
    for (what, path, expected) in rows {
        let forged = forge_chain(&proof, &chain.presented(), &path);
        assert_eq!(code(&forged, ENVELOPE, &roots, &context()), Some(expected), "{what}");
    }
}

/// The instants of R16: not after the receipt, and no more than the window before. Both bounds belong to what
/// is allowed.
#[test]
fn r16_the_window_before_the_receipt_is_seven_days_and_a_value() {
    let (chain, _, proof) = good();
    let week = Duration::from_secs(7 * 24 * 60 * 60);
    let millisecond = Duration::from_millis(1);
    let rows = [
        (Context::new(read_at()), None),
        (Context::new(read_at() - millisecond), Some("read-after-receipt")),
        (Context::new(read_at() + week), None),
        (Context::new(read_at() + week + millisecond), Some("read-too-long-ago")),
        (Context { window: week * 2, ..Context::new(read_at() + week + millisecond) }, None),
        (Context { window: Duration::ZERO, ..Context::new(read_at()) }, None),
        (
            Context { window: Duration::ZERO, ..Context::new(read_at() + millisecond) },
            Some("read-too-long-ago"),
        ),
        (Context { window: Duration::MAX, ..Context::new(jiff::Timestamp::MAX) }, None),
        (Context::new(jiff::Timestamp::MIN), Some("read-after-receipt")),
    ];
    for (context, expected) in rows {
        assert_eq!(code(&proof, ENVELOPE, &chain.roots(), &context), expected, "{context:?}");
    }
}

#[test]
fn r16_a_proof_of_the_lab_is_accepted_in_the_lab_alone() {
    let (chain, tls, proof) = good();
    let lab_proof = Proof::new(Read { lab: true, ..read(&tls) }, &chain.roots()).unwrap();
    let lab = Context { lab: true, ..context() };
    assert!(lab_proof.is_lab() && lab_proof.to_json().contains(r#""lab":true"#));
    assert_eq!(code(&lab_proof, ENVELOPE, &chain.roots(), &lab), None);
    assert_eq!(code(&lab_proof, ENVELOPE, &chain.roots(), &context()), Some("lab-proof"));
    assert_eq!(code(&proof, ENVELOPE, &chain.roots(), &lab), Some("not-lab-proof"));
}

#[test]
fn r16_no_proof_is_made_that_would_be_refused() {
    let (chain, tls, _) = good();
    let roots = chain.roots();
    let unknown = RootSet::current().unwrap();
    let at_another_host = "https://other.example.org/".parse().unwrap();
    let without_evidence = Tls { evidence: None, ..tls.clone() };
    let of_another =
        Tls { evidence: Handshake::tls13().run(&Chain::new().sign()).tls().evidence, ..tls.clone() };
    let rows = [
        (Proof::new(read(&tls), &unknown), "root-unknown"),
        (Proof::new(Read { requested: at_another_host, ..read(&tls) }, &roots), "host-differs"),
        (Proof::new(read(&without_evidence), &roots), "evidence-missing"),
        (Proof::new(read(&of_another), &roots), "evidence-differs"),
        (
            Proof::new(
                Read { response: releve_proof::Response::new(206, [("a", "b")]), ..read(&tls) },
                &roots,
            ),
            "proof-malformed",
        ),
    ];
    for (made, expected) in rows {
        assert_eq!(made.unwrap_err().code(), expected);
    }
}

#[test]
fn r16_the_sealed_roots_serve_when_todays_list_has_lost_one() {
    let (chain, _, proof) = good();
    let sealed = RootSet::from_pem("sealed", chain.roots().to_pem().as_bytes()).unwrap();
    let today = Chain::new().sign().roots();
    assert_eq!(code(&proof, ENVELOPE, &today, &context()), Some("root-unknown"));

    let sets = [today.clone(), sealed.clone()];
    let chosen = proof.choose_roots(Some(&today), &sets).unwrap();
    let report = check(&proof, ENVELOPE, chosen, &context());
    assert!(report.accepted(), "{report}");
    assert_eq!(report.roots().name, "sealed");
    let of_set = format!(
        "roots: the sealed set sealed, SHA-256 {}, which is the one that the proof records\n",
        sealed.digest()
    );
    assert!(report.to_string().starts_with(&of_set), "{report}");

    // Today's list is preferred for as long as it has the root.
    let wider = RootSet::from_der("wider", [chain.root.clone(), Chain::new().sign().root]).unwrap();
    let name = |today: Option<&RootSet>, sealed: &[RootSet]| {
        proof.choose_roots(today, sealed).map(|set| set.name().to_owned())
    };
    assert_eq!(name(Some(&wider), std::slice::from_ref(&sealed)).as_deref(), Some("wider"));
    // One that was never sealed under its digest is looked for by the root alone, the last one first.
    let three = [chain.root.clone(), Chain::new().sign().root, Chain::new().sign().root];
    let twice = [wider.clone(), RootSet::from_der("widest", three).unwrap()];
    assert_eq!(name(Some(&today), &twice).as_deref(), Some("widest"));
    assert_eq!(name(None, &twice).as_deref(), Some("widest"));
    let report = check(&proof, ENVELOPE, &wider, &context());
    assert!(report.accepted(), "{report}");
    assert!(report.to_string().contains("; the proof records test, SHA-256 "), "{report}");

    // No set helps: the report is about today's.
    assert_eq!(name(Some(&today), &[]).as_deref(), Some(today.name()));
    assert_eq!(name(None, std::slice::from_ref(&today)).as_deref(), Some(today.name()));
    assert_eq!(name(None, &[]), None);
    let current = RootSet::current().unwrap();
    let report = check(&proof, ENVELOPE, &current, &context());
    assert!(report.to_string().starts_with("roots: today's list mozilla, SHA-256 "), "{report}");
}

#[test]
fn r16_the_report_says_line_by_line_what_was_checked_against_what() {
    let (chain, _, proof) = good();
    let roots = chain.roots();
    let report = check(&proof, ENVELOPE, &roots, &context());
    let expected = format!(
        "roots: the sealed set test, SHA-256 {roots_digest}, which is the one that the proof records\n\
         passed       lab or not: made outside the lab\n\
         passed       the address is https: https://www.example.org/article\n\
         passed       the address's host is the name asked for in the handshake: www.example.org\n\
         passed       the certificate chain leads to a recognised authority: \
         CN=www.example.org < CN=Issuer of a test < CN=Root of a test, at 2026-05-04T03:02:01.987Z\n\
         passed       the certificate covers the name: www.example.org\n\
         passed       the root was valid: CN=Root of a test, at 2026-05-04T03:02:01.987Z\n\
         passed       the issuers may sign certificates: every certificate that issued another\n\
         passed       the root's constraints hold: CN=Root of a test\n\
         passed       RSA keys have at least 2048 bits: every RSA key of the path\n\
         passed       the server's key signed the handshake: TLS 1.3\n\
         passed       the envelope has the proof's SHA-256: {envelope_digest}\n\
         passed       the envelope has the proof's length: 47 bytes\n\
         passed       the read is not after the receipt: received at 2026-05-04T03:02:02.987Z\n\
         passed       the read is within the window: 604800s before the receipt\n",
        roots_digest = roots.digest(),
        envelope_digest = Sha256::of(ENVELOPE),
    );
    assert_eq!(report.to_string(), expected);

    // All checks are made although one has failed, and what could not be reached is said.
    let unknown = Chain::new().sign().roots();
    let report = check(&proof, b"other", &unknown, &context());
    assert_eq!(report.lines().len(), 14);
    let outcome = |check| report.lines().iter().find(|line| line.check == check).unwrap().outcome.clone();
    assert_eq!(outcome(Check::Name), Outcome::NotReached);
    assert_eq!(outcome(Check::Evidence), Outcome::Passed);
    assert!(matches!(outcome(Check::Digest), Outcome::Failed(_)));
    let text = report.to_string();
    let failed = "FAILED       the certificate chain leads to a recognised authority: the roots of test, at \
                  2026-05-04T03:02:01.987Z: CN=Root of a test is not among the roots (root-unknown)\n";
    assert!(text.contains(failed), "{text}");
    assert!(text.contains("not reached  the certificate covers the name\n"), "{text}");
}

/// The facts of R15 are in the document, and the certificates in it are those that the server sent.
#[test]
fn r15_the_proof_holds_address_instant_digest_and_chain() {
    let chain = Chain::new().sign();
    let tapped = Handshake::tls12().run(&chain);
    let tls = tapped.tls();
    let redirects = vec![
        Redirect { status: 301, address: "https://example.org/moved".parse().unwrap() },
        Redirect { status: 308, address: format!("https://{HOST}/final?article=7").parse().unwrap() },
    ];
    let received = Received { sha256: Sha256::of(b"coded"), length: 5, coding: Some("gzip".to_owned()) };
    let proof = Proof::new(Read { redirects, received, ..read(&tls) }, &chain.roots()).unwrap();
    let document: Value = serde_json::from_str(&proof.to_json()).unwrap();
    let presented: Vec<String> = tapped.presented.iter().map(|der| STANDARD.encode(der)).collect();
    let path: Vec<String> = chain.path().iter().map(|der| STANDARD.encode(der)).collect();
    let rows = [
        ("/version", json!(1)),
        ("/requested", json!("https://www.example.org/article")),
        ("/redirects/0", json!({ "status": 301, "address": "https://example.org/moved" })),
        ("/redirects/1/status", json!(308)),
        ("/address", json!("https://www.example.org/final?article=7")),
        ("/read_at", json!("2026-05-04T03:02:01.987Z")),
        ("/received", json!({ "sha256": Sha256::of(b"coded").to_string(), "length": 5, "coding": "gzip" })),
        ("/envelope/sha256", json!(Sha256::of(ENVELOPE).to_string())),
        ("/envelope/length", json!(47)),
        ("/envelope/media_type", json!("text/html")),
        ("/response/status", json!(200)),
        ("/tls/protocol", json!("TLS 1.2")),
        ("/tls/server_name", json!(HOST)),
        ("/tls/presented", json!(presented)),
        ("/tls/verified", json!(path)),
        ("/tls/roots/name", json!("test")),
        ("/tls/roots/sha256", json!(chain.roots().digest().to_string())),
        ("/connector", json!({ "name": "releve", "version": "0.1.0" })),
        ("/lab", json!(false)),
    ];
    for (pointer, expected) in rows {
        assert_eq!(document.pointer(pointer), Some(&expected), "{pointer}");
    }
    assert!(check(&proof, ENVELOPE, &chain.roots(), &context()).accepted());
}

#[test]
fn r15_the_instant_is_kept_to_the_millisecond_and_never_rounded_up() {
    let (chain, tls, _) = good();
    let at = |text: &str| {
        let read = Read { read_at: text.parse().unwrap(), ..read(&tls) };
        Proof::new(read, &chain.roots()).unwrap().read_at().to_string()
    };
    assert_eq!(at("2026-05-04T03:02:01.987999999Z"), "2026-05-04T03:02:01.987Z");
    assert_eq!(at("2026-05-04T03:02:01Z"), "2026-05-04T03:02:01Z");
}
