//! No bit of the evidence is free.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::KeyPair;
use releve_proof::{Proof, Tls};
use serde_json::Value;

use crate::lab::{Chain, Handshake, prove};

/// A proof's document that can be tampered with.
struct Document(Value);

impl Document {
    fn of(proof: &Proof) -> Self {
        Self(serde_json::from_str(&proof.to_json()).unwrap())
    }

    fn bytes(&self, pointer: &str) -> Vec<u8> {
        STANDARD.decode(self.0.pointer(pointer).unwrap().as_str().unwrap()).unwrap()
    }

    fn set(&mut self, pointer: &str, bytes: &[u8]) {
        *self.0.pointer_mut(pointer).unwrap() = STANDARD.encode(bytes).into();
    }

    /// Whether anyone would take the connection it describes for a real one.
    fn convinces(&self) -> bool {
        let document = serde_json_canonicalizer::to_vec(&self.0).unwrap();
        Proof::from_json(&document).is_ok_and(|proof| proof.tls().verify().is_ok())
    }
}

/// Flips every bit of the field and cuts it at every length; nothing of that may convince.
fn no_bit_is_free(what: &str, proof: &Proof, pointer: &str) {
    let mut document = Document::of(proof);
    assert!(document.convinces(), "{what}");
    let whole = document.bytes(pointer);
    for position in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[position] ^= 1 << bit;
            document.set(pointer, &bytes);
            assert!(!document.convinces(), "{what}: bit {bit} of byte {position} of {pointer} is free");
        }
        document.set(pointer, &whole[..position]);
        assert!(!document.convinces(), "{what}: {pointer} can be cut at byte {position}");
    }
    let mut longer = whole;
    longer.push(0);
    document.set(pointer, &longer);
    assert!(!document.convinces(), "{what}: {pointer} can be made longer");
}

const TRANSCRIPT: &str = "/tls/evidence/tls13/transcript";
const CERTIFICATE_VERIFY: &str = "/tls/evidence/tls13/certificate_verify";
const TLS12: [&str; 3] = [
    "/tls/evidence/tls12/client_random",
    "/tls/evidence/tls12/server_random",
    "/tls/evidence/tls12/server_key_exchange",
];

#[test]
fn r16_no_bit_of_the_evidence_of_tls_1_3_is_free() {
    let chain = Chain::new().sign();
    let rows = [
        ("plain", Handshake { ocsp: Some(b"stapled".to_vec()), ..Handshake::tls13() }),
        (
            "with a HelloRetryRequest",
            Handshake { retry: true, asks_for_client_certificate: true, ..Handshake::tls13() },
        ),
    ];
    for (what, handshake) in rows {
        let proof = prove(&handshake.run(&chain).tls(), &chain.roots());
        no_bit_is_free(what, &proof, TRANSCRIPT);
        no_bit_is_free(what, &proof, CERTIFICATE_VERIFY);
    }
}

#[test]
fn r16_no_bit_of_the_evidence_of_tls_1_2_is_free() {
    let chain = Chain::new().sign();
    let proof = prove(&Handshake::tls12().run(&chain).tls(), &chain.roots());
    for pointer in TLS12 {
        no_bit_is_free("plain", &proof, pointer);
    }
}

#[test]
fn r16_no_bit_of_a_signature_is_free_with_any_key() {
    for (name, key) in crate::capture::keys() {
        let chain = Chain::with_key(key).sign();
        let (tls13, tls12) = (Handshake::tls13().run(&chain).tls(), Handshake::tls12().run(&chain).tls());
        no_bit_is_free(name, &prove(&tls13, &chain.roots()), CERTIFICATE_VERIFY);
        no_bit_is_free(name, &prove(&tls12, &chain.roots()), TLS12[2]);
    }
}

/// The same over the text: what stands for the evidence in the document has no second spelling.
#[test]
fn r16_no_bit_of_the_evidence_as_written_is_free() {
    let chain = Chain::new().sign();
    for handshake in [Handshake::tls13(), Handshake::tls12()] {
        let proof = prove(&handshake.run(&chain).tls(), &chain.roots());
        let document = proof.to_json();
        let start = document.find(r#""evidence":"#).unwrap();
        let end = document[start..].find("}}").unwrap() + start;
        let mut bytes = document.into_bytes();
        for position in start..=end {
            for bit in 0..8 {
                bytes[position] ^= 1 << bit;
                let convinces = Proof::from_json(&bytes).is_ok_and(|proof| proof.tls().verify().is_ok());
                assert!(!convinces, "bit {bit} of byte {position} is free");
                bytes[position] ^= 1 << bit;
            }
        }
        assert_eq!(Proof::from_json(&bytes).unwrap(), proof);
    }
}

/// In TLS 1.3 the server signs all that the proof says of the connection, so nothing of it can be changed
/// either.
#[test]
fn r16_the_evidence_binds_what_the_proof_says_of_the_connection() {
    let chain = Chain::new().sign();
    let tls = Handshake { ocsp: Some(b"stapled".to_vec()), ..Handshake::tls13() }.run(&chain).tls();
    let other = Handshake::tls12().run(&Chain::new().sign()).tls();
    let longer: Vec<_> = tls.presented.iter().chain(&other.presented).cloned().collect();
    let tls13_of = |code| releve_proof::CipherSuite::from_code(code).unwrap();
    let rows = [
        ("the version", Tls { protocol: other.protocol, ..tls.clone() }),
        ("the suite", Tls { cipher_suite: tls13_of(0x1301), ..tls.clone() }),
        ("the suite's version", Tls { cipher_suite: other.cipher_suite, ..tls.clone() }),
        ("the name", Tls { server_name: "other.example.org".to_owned(), ..tls.clone() }),
        ("the chain", Tls { presented: other.presented.clone(), ..tls.clone() }),
        (
            "the chain's order",
            Tls { presented: tls.presented.iter().rev().cloned().collect(), ..tls.clone() },
        ),
        ("the chain's length", Tls { presented: longer, ..tls.clone() }),
        ("the leaf alone", Tls { presented: tls.presented[..1].to_vec(), ..tls.clone() }),
        ("the OCSP response", Tls { ocsp: Some(b"Stapled".to_vec()), ..tls.clone() }),
        ("no OCSP response", Tls { ocsp: None, ..tls.clone() }),
        ("the evidence's version", Tls { evidence: other.evidence.clone(), ..tls.clone() }),
    ];
    assert_eq!(tls.verify(), Ok(()));
    for (what, changed) in rows {
        assert_eq!(changed.verify().unwrap_err().reason().code(), "evidence-differs", "{what}");
    }
    let none = Tls { evidence: None, ..tls };
    assert_eq!(none.verify().unwrap_err().reason().code(), "evidence-missing");
}

#[test]
fn r16_the_evidence_of_another_handshake_with_the_same_server_does_not_fit() {
    // The transcript of one handshake with the signature of another: both good, both by the same key.
    let chain = Chain::with_key(KeyPair::generate().unwrap()).sign();
    let proofs = [(); 2].map(|()| prove(&Handshake::tls13().run(&chain).tls(), &chain.roots()));
    let [mut one, other] = proofs.map(|proof| Document::of(&proof));
    one.set(CERTIFICATE_VERIFY, &other.bytes(CERTIFICATE_VERIFY));
    assert!(!one.convinces());

    let proofs = [(); 2].map(|()| prove(&Handshake::tls12().run(&chain).tls(), &chain.roots()));
    let [mut one, other] = proofs.map(|proof| Document::of(&proof));
    one.set(TLS12[2], &other.bytes(TLS12[2]));
    assert!(!one.convinces());
}
