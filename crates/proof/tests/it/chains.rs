//! Chains that do not convince, each for one reason.

use rcgen::{
    BasicConstraints, CertificateParams, CustomExtension, ExtendedKeyUsagePurpose, IsCa, KeyUsagePurpose,
    PublicKeyData, SignatureAlgorithm,
};
use releve_proof::{RootSet, check, verify_chain};

use crate::lab::{
    Chain, ENVELOPE, HOST, Handshake, Signed, context, dated, forge_chain, named, prove, read_at,
};

/// A chain, what is wrong with it, and the code of the refusal.
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) chain: Signed,
    pub(crate) code: &'static str,
}

fn row(what: &'static str, code: &'static str, change: impl FnOnce(&mut Chain)) -> Row {
    let mut chain = Chain::new();
    change(&mut chain);
    Row { what, chain: chain.sign(), code }
}

/// Every promise of R16 about the chain, broken once.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        row("the leaf has expired", "certificate-expired", |chain| dated(&mut chain.leaf, 2024, 2026)),
        row("the leaf is not yet valid", "certificate-not-yet-valid", |chain| {
            dated(&mut chain.leaf, 2027, 2028);
        }),
        row("the issuer has expired", "certificate-expired", |chain| {
            dated(&mut chain.intermediate, 2024, 2026);
        }),
        row("the root has expired", "root-expired", |chain| dated(&mut chain.root, 2006, 2026)),
        row("the root is not yet valid", "root-not-yet-valid", |chain| dated(&mut chain.root, 2027, 2047)),
        row("the leaf is for another host", "name-not-covered", |chain| {
            let dated = chain.leaf.clone();
            chain.leaf = CertificateParams::new(["other.example.org".to_owned()]).unwrap();
            (chain.leaf.not_before, chain.leaf.not_after) = (dated.not_before, dated.not_after);
        }),
        row("the leaf names the host as its common name alone", "name-not-covered", |chain| {
            chain.leaf.subject_alt_names = Vec::new();
        }),
        row("the leaf is for clients", "not-for-servers", |chain| {
            chain.leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        }),
        row("the leaf is an authority", "leaf-is-authority", |chain| {
            chain.leaf.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        }),
        row("the issuer is no authority", "not-an-authority", |chain| {
            chain.intermediate.is_ca = IsCa::ExplicitNoCa;
        }),
        row("the issuer's key may not sign certificates", "key-usage", |chain| {
            chain.intermediate.key_usages = vec![KeyUsagePurpose::CrlSign];
        }),
        row("the root's key may not sign certificates", "key-usage", |chain| {
            chain.root.key_usages = vec![KeyUsagePurpose::CrlSign];
        }),
        row("the root is no authority", "not-an-authority", |chain| chain.root.is_ca = IsCa::ExplicitNoCa),
        row("the root does not say that it is an authority", "not-an-authority", |chain| {
            chain.root.is_ca = IsCa::NoCa;
        }),
        row("the root allows no intermediate", "path-length", |chain| {
            chain.root.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        }),
        row("the root bears an unknown critical extension", "critical-extension", |chain| {
            chain.root.custom_extensions = vec![critical()];
        }),
        row("the issuer bears an unknown critical extension", "critical-extension", |chain| {
            chain.intermediate.custom_extensions = vec![critical()];
        }),
    ]
}

fn critical() -> CustomExtension {
    let mut extension = CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 55_738, 666, 1], vec![5, 0]);
    extension.set_criticality(true);
    extension
}

#[test]
fn r16_a_chain_that_does_not_convince_is_refused_for_its_reason() {
    let good = Chain::new().sign();
    let proof = prove(&Handshake::tls13().run(&good).tls(), &good.roots());
    assert!(check(&proof, ENVELOPE, &good.roots(), &context()).accepted());
    for Row { what, chain, code } in rows() {
        // No proof is made of it.
        let refusal = verify_chain(&chain.presented(), HOST, read_at(), &chain.roots()).unwrap_err();
        assert_eq!(refusal.reason().code(), code, "{what}: {refusal}");
        // And a proof that someone forged is refused, whatever it says was verified.
        let forged = forge_chain(&proof, &chain.presented(), &chain.path());
        let report = check(&forged, ENVELOPE, &chain.roots(), &context());
        assert_eq!(report.refusal().map(|refusal| refusal.reason().code()), Some(code), "{what}: {report}");
    }
}

#[test]
fn r16_a_short_rsa_key_is_refused_anywhere_in_the_path() {
    let signed = Chain::new().sign_for(&ShortKey);
    let refusal = verify_chain(&signed.presented(), HOST, read_at(), &signed.roots()).unwrap_err();
    assert_eq!(refusal.reason().code(), "weak-key", "{refusal}");
    assert!(refusal.detail().contains("1024 bits"), "{refusal}");
}

/// An RSA key of 1,024 bits that nobody has the other half of.
struct ShortKey;

impl PublicKeyData for ShortKey {
    fn der_bytes(&self) -> &[u8] {
        // RSAPublicKey: a modulus of 128 bytes and the exponent 65537.
        static KEY: [u8; 140] = {
            let mut key = [0xa5; 140];
            let (start, end) = ([0x30, 0x81, 0x89, 0x02, 0x81, 0x81, 0x00], [0x02, 0x03, 0x01, 0x00, 0x01]);
            let mut at = 0;
            while at < start.len() {
                key[at] = start[at];
                at += 1;
            }
            let mut at = 0;
            while at < end.len() {
                key[135 + at] = end[at];
                at += 1;
            }
            key
        };
        &KEY
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &rcgen::PKCS_RSA_SHA256
    }
}

#[test]
fn r16_a_chain_of_no_certificate_or_of_noise_is_refused() {
    let good = Chain::new().sign();
    let roots = good.roots();
    let code = |presented: &[Vec<u8>]| {
        verify_chain(presented, HOST, read_at(), &roots).map_err(|refusal| refusal.reason().code())
    };
    assert_eq!(code(&[]), Err("chain-empty"));
    assert_eq!(code(&[vec![]]), Err("certificate-malformed"));
    assert_eq!(code(&[b"noise".to_vec()]), Err("certificate-malformed"));
    let presented = good.presented();
    assert_eq!(code(&[presented[0].clone(), b"noise".to_vec()]), Err("certificate-malformed"));
    // Noise beside a path that holds is passed over.
    assert_eq!(code(&[presented[0].clone(), b"noise".to_vec(), presented[1].clone()]), Ok(good.path()));
    assert_eq!(code(&presented[..1]), Err("root-unknown"));
    assert_eq!(code(&presented), Ok(good.path()));
}

#[test]
fn the_order_of_the_intermediates_and_others_among_them_do_not_matter() {
    let good = Chain::new().sign();
    let other = Chain::new().sign();
    let [leaf, intermediate] = <[Vec<u8>; 2]>::try_from(good.presented()).unwrap();
    let noise = other.presented().pop().unwrap();
    let presented = [leaf, noise, intermediate];
    assert_eq!(verify_chain(&presented, HOST, read_at(), &good.roots()), Ok(good.path()));
}

/// The search goes on where a path fails by our own rules alone: two roots with one key, of which one has
/// expired.
#[test]
fn r16_another_path_is_tried_where_our_own_rules_refuse_one() {
    let (signed, new) = Chain::new().sign_under_two_roots(2006, 2026);
    let old = signed.root.clone();
    let roots = RootSet::from_der("both", [old.clone(), new.clone()]).unwrap();
    let presented = signed.presented();
    let path = verify_chain(&presented, HOST, read_at(), &roots).unwrap();
    assert_eq!(path.last().unwrap(), new.as_ref());
    let only_old = RootSet::from_der("old", [old]).unwrap();
    let refusal = verify_chain(&presented, HOST, read_at(), &only_old).unwrap_err();
    assert_eq!(refusal.reason().code(), "root-expired");
}

#[test]
fn r16_the_last_second_of_a_certificate_counts_and_the_next_does_not() {
    let chain = Chain::new().sign();
    let code = |at: &str| {
        let at = at.parse().unwrap();
        verify_chain(&chain.presented(), HOST, at, &chain.roots())
            .err()
            .map(|refusal| refusal.reason().code())
    };
    assert_eq!(code("2025-12-31T23:59:59.999Z"), Some("certificate-not-yet-valid"));
    assert_eq!(code("2026-01-01T00:00:00Z"), None);
    assert_eq!(code("2027-01-01T00:00:00.999Z"), None);
    assert_eq!(code("2027-01-01T00:00:01Z"), Some("certificate-expired"));
    assert_eq!(code("1969-12-31T23:59:59Z"), Some("certificate-not-yet-valid"));
}

#[test]
fn what_a_report_shows_of_a_certificate_does_no_harm() {
    let mut chain = Chain::new();
    chain.root.distinguished_name = named(&format!("\u{1b}[2J\u{202e}\n{}", "long".repeat(100)));
    dated(&mut chain.root, 2006, 2026);
    let chain = chain.sign();
    let refusal = verify_chain(&chain.presented(), HOST, read_at(), &chain.roots()).unwrap_err();
    let detail = refusal.detail();
    assert!(detail.contains("longlong") && detail.len() < 300, "{detail:?}");
    assert!(!detail.contains(['\u{1b}', '\u{202e}', '\n']), "{detail:?}");
}
