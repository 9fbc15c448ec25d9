//! Proofs as an earlier release sealed them.

use std::path::{Path, PathBuf};

use releve_proof::{Proof, RootSet, check};

use crate::capture::keys;
use crate::lab::{Chain, ENVELOPE, Handshake, context, prove};

const NAMES: [&str; 4] = ["tls13", "tls13-retry", "tls12", "tls12-rsa"];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// What was sealed stays a proof: a change that this test does not survive needs a new version of the
/// document.
#[test]
fn r16_a_proof_of_an_earlier_release_is_still_accepted() {
    let envelope = std::fs::read(path("envelope.html")).unwrap();
    for name in NAMES {
        let document = std::fs::read(path(&format!("{name}.json"))).unwrap();
        let roots = std::fs::read(path(&format!("{name}.pem"))).unwrap();
        let proof = Proof::from_json(&document).unwrap();
        let report = check(&proof, &envelope, &RootSet::from_pem("test", &roots).unwrap(), &context());
        assert!(report.accepted(), "{name}: {report}");
        assert_eq!(proof.to_json().into_bytes(), document, "{name}");
    }
}

#[test]
#[ignore = "writes the fixtures anew; they are to stay, so only for a new version of the document"]
fn write_the_fixtures() {
    let [(_, ecdsa), _, _, (_, rsa)] = keys();
    let (ecdsa, rsa) = (Chain::with_key(ecdsa).sign(), Chain::with_key(rsa).sign());
    let courses = [
        (Handshake { ocsp: Some(b"not a real OCSP response".to_vec()), ..Handshake::tls13() }, &ecdsa),
        (Handshake { retry: true, ..Handshake::tls13() }, &ecdsa),
        (Handshake::tls12(), &ecdsa),
        (Handshake::tls12(), &rsa),
    ];
    for (name, (course, chain)) in NAMES.into_iter().zip(courses) {
        let proof = prove(&course.run(chain).tls(), &chain.roots());
        std::fs::write(path(&format!("{name}.json")), proof.to_json()).unwrap();
        std::fs::write(path(&format!("{name}.pem")), chain.roots().to_pem()).unwrap();
    }
    std::fs::write(path("envelope.html"), ENVELOPE).unwrap();
}
