//! A certificate authority and a TLS server, client and wire between them, all in memory.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, PublicKeyData,
};
use releve_proof::{Connector, Context, Error, Proof, Read, Received, RootSet, Sha256, Tls, Wire};
use rustls::crypto::{CryptoProvider, ring as provider};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, SupportedProtocolVersion,
};
use serde_json::Value;

pub(crate) const HOST: &str = "www.example.org";
pub(crate) const ENVELOPE: &[u8] = b"<!doctype html><title>A title</title><p>A text.";

/// The instant of every read here.
pub(crate) fn read_at() -> Timestamp {
    "2026-05-04T03:02:01.987Z".parse().unwrap()
}

/// The check outside the lab, of a deposit received a second after the read.
pub(crate) fn context() -> Context {
    Context::new(read_at() + Duration::from_secs(1))
}

/// A root, an intermediate and a server's certificate, each changeable before it is signed.
pub(crate) struct Chain {
    pub(crate) root: CertificateParams,
    pub(crate) intermediate: CertificateParams,
    pub(crate) leaf: CertificateParams,
    pub(crate) leaf_key: KeyPair,
}

impl Chain {
    pub(crate) fn new() -> Self {
        Self::with_key(KeyPair::generate().unwrap())
    }

    pub(crate) fn with_key(leaf_key: KeyPair) -> Self {
        let mut leaf = CertificateParams::new([HOST.to_owned()]).unwrap();
        leaf.distinguished_name = named(HOST);
        leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        dated(&mut leaf, 2026, 2027);
        Self {
            root: authority("Root of a test", 2020, 2040),
            intermediate: authority("Issuer of a test", 2025, 2035),
            leaf,
            leaf_key,
        }
    }

    pub(crate) fn sign(self) -> Signed {
        let public = KeyPair::from_pem(&self.leaf_key.serialize_pem()).unwrap();
        self.sign_for(&public)
    }

    /// Signs a leaf for a key that need not be ours.
    pub(crate) fn sign_for(self, leaf_key: &impl PublicKeyData) -> Signed {
        let root_key = KeyPair::generate().unwrap();
        let root = self.root.self_signed(&root_key).unwrap();
        self.sign_under(root.der().clone(), root_key, leaf_key)
    }

    /// Signs under one root and makes another with the same name and key, which differs in its dates alone:
    /// the chain is under the one with the dates given.
    pub(crate) fn sign_under_two_roots(mut self, from: i32, to: i32) -> (Signed, CertificateDer<'static>) {
        let root_key = KeyPair::generate().unwrap();
        let other = self.root.self_signed(&root_key).unwrap();
        dated(&mut self.root, from, to);
        let root = self.root.self_signed(&root_key).unwrap();
        let public = KeyPair::from_pem(&self.leaf_key.serialize_pem()).unwrap();
        (self.sign_under(root.der().clone(), root_key, &public), other.der().clone())
    }

    fn sign_under(
        self,
        root: CertificateDer<'static>,
        root_key: KeyPair,
        leaf_key: &impl PublicKeyData,
    ) -> Signed {
        let intermediate_key = KeyPair::generate().unwrap();
        let root_issuer = Issuer::new(self.root, root_key);
        let intermediate = self.intermediate.signed_by(&intermediate_key, &root_issuer).unwrap();
        let intermediate_issuer = Issuer::new(self.intermediate, intermediate_key);
        let leaf = self.leaf.signed_by(leaf_key, &intermediate_issuer).unwrap();
        Signed {
            root,
            presented: vec![leaf.der().clone(), intermediate.der().clone()],
            leaf_key: self.leaf_key,
        }
    }
}

/// A chain as a server has it.
pub(crate) struct Signed {
    pub(crate) root: CertificateDer<'static>,
    pub(crate) presented: Vec<CertificateDer<'static>>,
    pub(crate) leaf_key: KeyPair,
}

impl Signed {
    pub(crate) fn roots(&self) -> RootSet {
        RootSet::from_der("test", [self.root.clone()]).unwrap()
    }

    pub(crate) fn presented(&self) -> Vec<Vec<u8>> {
        self.presented.iter().map(|der| der.to_vec()).collect()
    }

    /// The path that is there, whether or not it holds.
    pub(crate) fn path(&self) -> Vec<Vec<u8>> {
        let mut path = self.presented();
        path.push(self.root.to_vec());
        path
    }
}

fn authority(name: &str, from: i32, to: i32) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = named(name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    dated(&mut params, from, to);
    params
}

pub(crate) fn named(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}

pub(crate) fn dated(params: &mut CertificateParams, from: i32, to: i32) {
    params.not_before = rcgen::date_time_ymd(from, 1, 1);
    params.not_after = rcgen::date_time_ymd(to, 1, 1);
}

/// How a handshake is to go.
pub(crate) struct Handshake {
    pub(crate) version: &'static SupportedProtocolVersion,
    /// The one cipher suite, under its name in rustls; `None` for the first both have.
    pub(crate) suite: Option<rustls::CipherSuite>,
    /// Whether the server refuses the client's first key share, so that it asks for another.
    pub(crate) retry: bool,
    pub(crate) ocsp: Option<Vec<u8>>,
    pub(crate) asks_for_client_certificate: bool,
    /// The most bytes in a record of the server.
    pub(crate) fragment: Option<usize>,
}

impl Handshake {
    pub(crate) fn tls13() -> Self {
        Self {
            version: &rustls::version::TLS13,
            suite: None,
            retry: false,
            ocsp: None,
            asks_for_client_certificate: false,
            fragment: None,
        }
    }

    pub(crate) fn tls12() -> Self {
        Self { version: &rustls::version::TLS12, ..Self::tls13() }
    }

    /// Carries it out.
    pub(crate) fn run(&self, chain: &Signed) -> Tapped {
        let mut server_provider = provider::default_provider();
        if let Some(suite) = self.suite {
            server_provider.cipher_suites.retain(|other| other.suite() == suite);
        }
        if self.retry {
            server_provider.kx_groups = vec![provider::kx_group::SECP384R1];
        }
        let mut roots = RootCertStore::empty();
        roots.add(chain.root.clone()).unwrap();
        let roots = Arc::new(roots);

        let keys = Arc::new(Keys::default());
        let mut client =
            ClientConfig::builder_with_details(Arc::new(provider::default_provider()), Arc::new(Clock))
                .with_protocol_versions(&[self.version])
                .unwrap()
                .with_root_certificates(Arc::clone(&roots))
                .with_no_client_auth();
        client.key_log = Arc::clone(&keys) as Arc<dyn rustls::KeyLog>;
        let mut server = self.server(server_provider, roots, chain);
        server.max_fragment_size = self.fragment;

        let name = ServerName::try_from(HOST).unwrap();
        let mut client = ClientConnection::new(Arc::new(client), name).unwrap();
        let mut server = ServerConnection::new(Arc::new(server)).unwrap();
        let mut tapped = Tapped::default();
        while client.is_handshaking() || server.is_handshaking() {
            let mut bytes = Vec::new();
            while client.wants_write() {
                client.write_tls(&mut bytes).unwrap();
            }
            tapped.sent.extend_from_slice(&bytes);
            feed(&bytes, |rest| server.read_tls(rest));
            server.process_new_packets().unwrap();
            let mut bytes = Vec::new();
            while server.wants_write() {
                server.write_tls(&mut bytes).unwrap();
            }
            tapped.received.extend_from_slice(&bytes);
            feed(&bytes, |rest| client.read_tls(rest));
            client.process_new_packets().unwrap();
        }
        tapped.secret.clone_from(&keys.0.lock().unwrap());
        tapped.presented = client.peer_certificates().unwrap().iter().map(|der| der.to_vec()).collect();
        tapped.suite = u16::from(client.negotiated_cipher_suite().unwrap().suite());
        tapped.retried = client.handshake_kind() == Some(rustls::HandshakeKind::FullWithHelloRetryRequest);
        tapped
    }

    fn server(&self, provider: CryptoProvider, roots: Arc<RootCertStore>, chain: &Signed) -> ServerConfig {
        let key = PrivateKeyDer::try_from(chain.leaf_key.serialize_der()).unwrap();
        let provider = Arc::new(provider);
        let builder = ServerConfig::builder_with_details(Arc::clone(&provider), Arc::new(Clock))
            .with_protocol_versions(&[self.version])
            .unwrap();
        let builder = if self.asks_for_client_certificate {
            let verifier =
                WebPkiClientVerifier::builder_with_provider(roots, provider).allow_unauthenticated();
            builder.with_client_cert_verifier(verifier.build().unwrap())
        } else {
            builder.with_no_client_auth()
        };
        let ocsp = self.ocsp.clone().unwrap_or_default();
        builder.with_single_cert_with_ocsp(chain.presented.clone(), key, ocsp).unwrap()
    }
}

fn feed(mut bytes: &[u8], mut read: impl FnMut(&mut &[u8]) -> std::io::Result<usize>) {
    while !bytes.is_empty() {
        read(&mut bytes).unwrap();
    }
}

/// What went over the wire, and what the client's TLS stack says of it.
#[derive(Default)]
pub(crate) struct Tapped {
    pub(crate) sent: Vec<u8>,
    pub(crate) received: Vec<u8>,
    pub(crate) secret: Option<Vec<u8>>,
    pub(crate) presented: Vec<Vec<u8>>,
    pub(crate) suite: u16,
    pub(crate) retried: bool,
}

impl Tapped {
    pub(crate) fn wire(&self) -> Wire<'_> {
        Wire {
            sent: &self.sent,
            received: &self.received,
            server_handshake_traffic_secret: self.secret.as_deref(),
        }
    }

    pub(crate) fn tls(&self) -> Tls {
        Tls::from_wire(HOST, &self.wire()).unwrap()
    }
}

/// A proof of a read over this connection, of a page that was asked for directly and came without a coding.
pub(crate) fn prove(tls: &Tls, roots: &RootSet) -> Proof {
    Proof::new(read(tls), roots).unwrap()
}

/// A proof as a forger writes it: the document of a good one, changed.
pub(crate) fn forge(proof: &Proof, change: impl FnOnce(&mut Value)) -> Result<Proof, Error> {
    let mut document = serde_json::from_str(&proof.to_json()).unwrap();
    change(&mut document);
    Proof::from_json(&serde_json_canonicalizer::to_vec(&document).unwrap())
}

/// A proof that says this chain was presented and verified.
pub(crate) fn forge_chain(proof: &Proof, presented: &[Vec<u8>], verified: &[Vec<u8>]) -> Proof {
    let base64 = |ders: &[Vec<u8>]| ders.iter().map(|der| STANDARD.encode(der)).collect::<Vec<_>>().into();
    forge(proof, |document| {
        document["tls"]["presented"] = base64(presented);
        document["tls"]["verified"] = base64(verified);
    })
    .unwrap()
}

pub(crate) fn read(tls: &Tls) -> Read<'_> {
    let headers = [("Content-Type", "text/html"), ("Set-Cookie", "id=canary"), ("ETag", "\"1\"")];
    Read {
        requested: format!("https://{HOST}/article").parse().unwrap(),
        redirects: Vec::new(),
        read_at: read_at(),
        received: Received { sha256: Sha256::of(ENVELOPE), length: ENVELOPE.len() as u64, coding: None },
        envelope: ENVELOPE,
        media_type: "text/html",
        response: releve_proof::Response::new(200, headers),
        tls,
        connector: Connector { name: "releve".to_owned(), version: "0.1.0".to_owned() },
        lab: false,
    }
}

#[derive(Debug)]
struct Clock;

impl rustls::time_provider::TimeProvider for Clock {
    fn current_time(&self) -> Option<UnixTime> {
        let seconds = read_at().as_second().try_into().unwrap();
        Some(UnixTime::since_unix_epoch(Duration::from_secs(seconds)))
    }
}

#[derive(Debug, Default)]
struct Keys(Mutex<Option<Vec<u8>>>);

impl rustls::KeyLog for Keys {
    fn will_log(&self, label: &str) -> bool {
        label == "SERVER_HANDSHAKE_TRAFFIC_SECRET"
    }

    fn log(&self, label: &str, _: &[u8], secret: &[u8]) {
        if self.will_log(label) {
            *self.0.lock().unwrap() = Some(secret.to_vec());
        }
    }
}
