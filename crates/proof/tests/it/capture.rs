//! What is taken off the wire, in every variation of a handshake.

use rcgen::KeyPair;
use releve_proof::{CipherSuite, Protocol, Tls, Wire, check};
use rustls::CipherSuite as Suite;

use crate::lab::{Chain, ENVELOPE, HOST, Handshake, Signed, context, prove};

/// A key of every kind. ring makes no RSA keys, so that one was made with openssl, for these tests alone.
pub(crate) fn keys() -> [(&'static str, KeyPair); 4] {
    [
        ("ECDSA P-256", KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).unwrap()),
        ("ECDSA P-384", KeyPair::generate_for(&rcgen::PKCS_ECDSA_P384_SHA384).unwrap()),
        ("Ed25519", KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap()),
        ("RSA 2048", KeyPair::from_pem(include_str!("rsa2048.pem")).unwrap()),
    ]
}

/// Captures, compares with what rustls says, and has the whole proof checked.
fn captures(what: &str, handshake: &Handshake, chain: &Signed) -> Tls {
    let tapped = handshake.run(chain);
    assert_eq!(tapped.retried, handshake.retry, "{what}: the variation was not taken");
    let tls = Tls::from_wire(HOST, &tapped.wire()).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(tls.presented, tapped.presented, "{what}");
    assert_eq!(tls.cipher_suite.code(), tapped.suite, "{what}");
    assert_eq!(tls.ocsp, handshake.ocsp, "{what}");
    assert_eq!(tls.server_name, HOST, "{what}");
    let roots = chain.roots();
    let report = check(&prove(&tls, &roots), ENVELOPE, &roots, &context());
    assert!(report.accepted(), "{what}: {report}");
    tls
}

#[test]
fn evidence_is_captured_with_every_kind_of_key() {
    for (name, key) in keys() {
        let chain = Chain::with_key(key).sign();
        assert_eq!(captures(name, &Handshake::tls13(), &chain).protocol, Protocol::Tls13);
        assert_eq!(captures(name, &Handshake::tls12(), &chain).protocol, Protocol::Tls12);
    }
}

#[test]
fn evidence_is_captured_with_every_cipher_suite() {
    let ecdsa = Chain::new().sign();
    let rsa = Chain::with_key(KeyPair::from_pem(include_str!("rsa2048.pem")).unwrap()).sign();
    let rows = [
        (Handshake::tls13(), Suite::TLS13_AES_128_GCM_SHA256, &ecdsa, "TLS_AES_128_GCM_SHA256"),
        (Handshake::tls13(), Suite::TLS13_AES_256_GCM_SHA384, &ecdsa, "TLS_AES_256_GCM_SHA384"),
        (Handshake::tls13(), Suite::TLS13_CHACHA20_POLY1305_SHA256, &ecdsa, "TLS_CHACHA20_POLY1305_SHA256"),
        (
            Handshake::tls12(),
            Suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
            &ecdsa,
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        ),
        (
            Handshake::tls12(),
            Suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
            &ecdsa,
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        ),
        (
            Handshake::tls12(),
            Suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
            &ecdsa,
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        ),
        (
            Handshake::tls12(),
            Suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            &rsa,
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        ),
        (
            Handshake::tls12(),
            Suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            &rsa,
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        ),
        (
            Handshake::tls12(),
            Suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
            &rsa,
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        ),
    ];
    for (handshake, suite, chain, name) in rows {
        let handshake = Handshake { suite: Some(suite), ..handshake };
        let tls = captures(name, &handshake, chain);
        assert_eq!(tls.cipher_suite.as_str(), name);
        assert_eq!(CipherSuite::from_code(suite.into()), Some(tls.cipher_suite));
    }
}

#[test]
fn evidence_is_captured_in_every_course_of_a_handshake() {
    let chain = Chain::new().sign();
    for of_version in [Handshake::tls13, Handshake::tls12] {
        let rows = [
            ("an OCSP response", Handshake { ocsp: Some(b"stapled".to_vec()), ..of_version() }),
            (
                "a request for a client's certificate",
                Handshake { asks_for_client_certificate: true, ..of_version() },
            ),
            ("records of 64 bytes", Handshake { fragment: Some(64), ..of_version() }),
        ];
        for (what, handshake) in rows {
            captures(what, &handshake, &chain);
        }
    }
    // TLS 1.2 has no such request.
    let retried =
        Handshake { retry: true, suite: Some(Suite::TLS13_AES_128_GCM_SHA256), ..Handshake::tls13() };
    captures("a HelloRetryRequest", &retried, &chain);
    let retried =
        Handshake { retry: true, suite: Some(Suite::TLS13_AES_256_GCM_SHA384), ..Handshake::tls13() };
    captures("a HelloRetryRequest with SHA-384", &retried, &chain);
}

#[test]
fn a_handshake_cut_off_gives_no_evidence() {
    let chain = Chain::new().sign();
    for handshake in [Handshake::tls13(), Handshake { retry: true, ..Handshake::tls13() }, Handshake::tls12()]
    {
        let tapped = handshake.run(&chain);
        let whole = tapped.wire();
        let mut enough = None;
        for end in 0..=whole.received.len() {
            let cut = Wire { received: &whole.received[..end], ..whole };
            match Tls::from_wire(HOST, &cut) {
                Ok(tls) => {
                    enough.get_or_insert(end);
                    assert_eq!(tls, tapped.tls(), "more bytes changed what was captured");
                }
                Err(error) => {
                    assert_eq!(enough, None, "more bytes spoiled what was captured");
                    assert_eq!(error.code(), "handshake-unusable");
                }
            }
        }
        assert!(enough.is_some());
        let unsent = Wire { sent: &[], ..whole };
        assert_eq!(Tls::from_wire(HOST, &unsent).unwrap_err().code(), "handshake-unusable");
    }
}

/// A record's header or a server's first words may be altered without harm. What is captured is never altered
/// with them: in TLS 1.3 nothing of it, in TLS 1.2 what the server signs.
#[test]
fn a_handshake_altered_on_the_wire_is_captured_as_it_was_or_not_at_all() {
    let chain = Chain::new().sign();
    for handshake in [Handshake::tls13(), Handshake { retry: true, ..Handshake::tls13() }, Handshake::tls12()]
    {
        let tapped = handshake.run(&chain);
        let tls = tapped.tls();
        let unaltered = |wire: &Wire<'_>| match Tls::from_wire(HOST, wire) {
            Ok(other) if tls.protocol == Protocol::Tls13 => other == tls,
            Ok(other) => other.evidence == tls.evidence,
            Err(_) => true,
        };
        for position in 0..tapped.received.len() {
            let mut received = tapped.received.clone();
            received[position] ^= 0x81;
            assert!(unaltered(&Wire { received: &received, ..tapped.wire() }), "byte {position} received");
        }
        for position in 0..tapped.sent.len() {
            let mut sent = tapped.sent.clone();
            sent[position] ^= 0x81;
            assert!(unaltered(&Wire { sent: &sent, ..tapped.wire() }), "byte {position} sent");
        }
    }
}

#[test]
fn a_handshake_with_another_secret_or_name_gives_no_evidence() {
    let chain = Chain::new().sign();
    let tapped = Handshake::tls13().run(&chain);
    let other = Handshake::tls13().run(&chain);
    let rows = [
        (HOST, Wire { server_handshake_traffic_secret: None, ..tapped.wire() }, "handshake-unusable"),
        (
            HOST,
            Wire { server_handshake_traffic_secret: Some(b"short"), ..tapped.wire() },
            "handshake-unusable",
        ),
        (
            HOST,
            Wire { server_handshake_traffic_secret: other.secret.as_deref(), ..tapped.wire() },
            "handshake-unusable",
        ),
        (HOST, Wire { sent: &other.sent, ..tapped.wire() }, "evidence-signature"),
        ("other.example.org", tapped.wire(), "evidence-differs"),
    ];
    for (name, wire, code) in rows {
        assert_eq!(Tls::from_wire(name, &wire).unwrap_err().code(), code);
    }
}

#[test]
fn the_secret_is_not_printed() {
    let tapped = Handshake::tls13().run(&Chain::new().sign());
    let secret = format!("{:?}", tapped.secret.as_deref().unwrap());
    assert!(!format!("{:?}", tapped.wire()).contains(secret.trim_matches(['[', ']'])));
}
