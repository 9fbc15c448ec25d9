//! Makes the handshake that the suite's proofs rest on.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use rustls::crypto::ring as provider;
use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};

/// Writes `src/testing/`: a root that issued one server's certificate, and the bytes of a TLS 1.3 handshake
/// with that server, both ends in memory. To be run again only if a proof should need more than these hold:
/// `cargo test -p releve-deposit --test it -- --ignored record`.
#[test]
#[ignore = "writes files of the repository"]
fn record() {
    let root_key = KeyPair::generate().unwrap();
    let mut root = named("Root of the vault's tests");
    root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    root.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let root_certificate = root.self_signed(&root_key).unwrap();

    let leaf_key = KeyPair::generate().unwrap();
    let mut leaf = named("www.example.org");
    leaf.subject_alt_names = vec![rcgen::SanType::DnsName("www.example.org".try_into().unwrap())];
    leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let leaf = leaf.signed_by(&leaf_key, &Issuer::new(root, root_key)).unwrap();

    let mut roots = RootCertStore::empty();
    roots.add(root_certificate.der().clone()).unwrap();
    let secret = Arc::new(Secret::default());
    let mut client = ClientConfig::builder_with_provider(Arc::new(provider::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.key_log = Arc::clone(&secret) as Arc<dyn rustls::KeyLog>;
    let server = ServerConfig::builder_with_provider(Arc::new(provider::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![leaf.der().clone()],
            PrivateKeyDer::try_from(leaf_key.serialize_der()).unwrap(),
        )
        .unwrap();

    let name = ServerName::try_from("www.example.org").unwrap();
    let mut client = ClientConnection::new(Arc::new(client), name).unwrap();
    let mut server = ServerConnection::new(Arc::new(server)).unwrap();
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    while client.is_handshaking() || server.is_handshaking() {
        let from = sent.len();
        while client.wants_write() {
            client.write_tls(&mut sent).unwrap();
        }
        let mut rest = &sent[from..];
        while !rest.is_empty() {
            server.read_tls(&mut rest).unwrap();
        }
        server.process_new_packets().unwrap();
        let from = received.len();
        while server.wants_write() {
            server.write_tls(&mut received).unwrap();
        }
        let mut rest = &received[from..];
        while !rest.is_empty() {
            client.read_tls(&mut rest).unwrap();
        }
        client.process_new_packets().unwrap();
    }

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/testing");
    fs::write(folder.join("root.pem"), root_certificate.pem()).unwrap();
    fs::write(folder.join("sent.bin"), sent).unwrap();
    fs::write(folder.join("received.bin"), received).unwrap();
    fs::write(folder.join("secret.bin"), &*secret.0.lock().unwrap()).unwrap();
}

/// Valid for a century, so that the tests outlive it by nothing but the instants that they choose.
fn named(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = rcgen::date_time_ymd(2020, 1, 1);
    params.not_after = rcgen::date_time_ymd(2120, 1, 1);
    params
}

#[derive(Debug, Default)]
struct Secret(Mutex<Vec<u8>>);

impl rustls::KeyLog for Secret {
    fn log(&self, label: &str, _: &[u8], secret: &[u8]) {
        if label == "SERVER_HANDSHAKE_TRAFFIC_SECRET" {
            secret.clone_into(&mut self.0.lock().unwrap());
        }
    }
}
