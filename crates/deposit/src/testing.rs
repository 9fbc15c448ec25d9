//! For the tests of vaults: units that pass the check before sealing, and the suite that every vault passes.
//!
//! All units are read at one publisher, `www.example.org`, over one recorded TLS handshake under one test
//! root. A proof's handshake binds neither bytes nor instant, so it serves for any article at any instant in
//! the century that its certificates are valid.

// Whoever calls this is a test, and a test that cannot go on stops.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc)]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use releve_extract::{Article, Block, Text};
use releve_proof::{Connector, Proof, Read, Received, Response, RootSet, Sha256, TimestampToken, Tls, Wire};

use crate::{Admission, ArticleKey, Clock, Deposit, Unit};

mod suite;

pub use suite::suite;

/// The host that every unit here was read at.
pub const HOST: &str = "www.example.org";

/// When units here are read, where nothing else is said.
pub fn read_at() -> Timestamp {
    "2026-05-04T03:02:01.987Z".parse().unwrap()
}

/// The set of roots under which the publisher's certificate was issued.
pub fn roots() -> RootSet {
    RootSet::from_pem("test", include_bytes!("testing/root.pem")).unwrap()
}

/// The recorded handshake with the publisher.
pub fn tls() -> Tls {
    let wire = Wire {
        sent: include_bytes!("testing/sent.bin"),
        received: include_bytes!("testing/received.bin"),
        server_handshake_traffic_secret: Some(include_bytes!("testing/secret.bin")),
    };
    Tls::from_wire(HOST, &wire).unwrap()
}

/// A timestamp of `digest` at the second of `at`, as an authority words it. Nobody has signed it, and no vault asks.
pub fn timestamp(digest: &Sha256, at: Timestamp) -> TimestampToken {
    fn value(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let content = parts.concat();
        [&[tag, 0x82][..], &u16::try_from(content.len()).unwrap().to_be_bytes(), &content].concat()
    }
    fn short(tag: u8, content: &[u8]) -> Vec<u8> {
        [&[tag, u8::try_from(content.len()).unwrap()], content].concat()
    }
    let sha256 = short(6, &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]);
    let algorithm = short(0x30, &sha256);
    let imprint = short(0x30, &[algorithm, short(4, digest.as_bytes())].concat());
    let policy = short(6, &[0x2a, 3]);
    let at: String = format!("{at:.0}").chars().filter(char::is_ascii_digit).collect();
    let info = [short(2, &[1]), policy, imprint, short(2, &[7]), short(0x18, format!("{at}Z").as_bytes())];
    let info = short(0x30, &info.concat());
    let of_info = short(6, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 0x10, 1, 4]);
    let content = short(0x30, &[of_info, short(0xa0, &short(4, &info))].concat());
    // As long as one with a certificate and a signature.
    let signer = value(0x31, &[&[0; 3_000]]);
    let signed = value(0x30, &[&short(2, &[3]), &short(0x31, &[]), &content, &signer]);
    let of_signed = short(6, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2]);
    TimestampToken::from_der(&value(0x30, &[&of_signed, &value(0xa0, &[&signed])])).unwrap()
}

/// What a vault has to be made with to seal the units made here.
pub fn admission() -> Admission {
    Admission::new(roots())
}

/// A clock that the test sets. It begins a second after [`read_at`].
#[derive(Debug, Clone)]
pub struct TestClock(Arc<Mutex<Timestamp>>);

impl TestClock {
    /// A clock that stands a second after [`read_at`].
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(read_at() + Duration::from_secs(1))))
    }

    /// Puts it to `now`.
    pub fn set(&self, now: Timestamp) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// As vaults take it.
    pub fn clock(&self) -> Clock {
        let now = Arc::clone(&self.0);
        Arc::new(move || *now.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for TestClock {
    fn default() -> Self {
        Self::new()
    }
}

/// An article to be deposited, each part changeable.
#[derive(Debug, Clone)]
pub struct Specimen {
    /// The source's name.
    pub source: String,
    /// The article's identifier.
    pub identifier: String,
    /// The version before it.
    pub previous: Option<Sha256>,
    /// The path of its address.
    pub path: String,
    /// The one paragraph of its structured text.
    pub text: String,
    /// The response's body.
    pub envelope: Vec<u8>,
    /// When it was read.
    pub read_at: Timestamp,
    /// Whether in a laboratory.
    pub lab: bool,
}

impl Specimen {
    /// The article `identifier` of the source `example`.
    pub fn new(identifier: &str) -> Self {
        let text = format!("The text of {identifier}.");
        Self {
            source: "example".to_owned(),
            identifier: identifier.to_owned(),
            previous: None,
            path: format!("/articles/{identifier}"),
            envelope: format!("<!doctype html><title>{identifier}</title><p>{text}").into_bytes(),
            text,
            read_at: read_at(),
            lab: false,
        }
    }

    /// The same article, saying something else.
    #[must_use]
    pub fn saying(self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self }
    }

    /// The same article, on top of this version.
    #[must_use]
    pub fn after(self, previous: Sha256) -> Self {
        Self { previous: Some(previous), ..self }
    }

    /// Its key.
    pub fn key(&self) -> ArticleKey {
        ArticleKey::new(&self.source, &self.identifier).unwrap()
    }

    /// Its final address.
    pub fn address(&self) -> String {
        format!("https://{HOST}{}", self.path)
    }

    /// What was copied from it.
    pub fn article(&self) -> Article {
        Article { blocks: vec![Block::Paragraph(Text::plain(&self.text))], ..Article::default() }
    }

    /// What shows that it was read.
    pub fn proof(&self) -> Proof {
        let read = Read {
            requested: self.address().parse().unwrap(),
            redirects: Vec::new(),
            read_at: self.read_at,
            received: Received {
                sha256: Sha256::of(&self.envelope),
                length: self.envelope.len() as u64,
                coding: None,
            },
            envelope: &self.envelope,
            media_type: "text/html; charset=utf-8",
            response: Response::new(200, [("Content-Type", "text/html; charset=utf-8")]),
            tls: &tls(),
            connector: Connector { name: "releve".to_owned(), version: "0.1.0".to_owned() },
            lab: self.lab,
        };
        Proof::new(read, &roots()).unwrap()
    }

    /// The unit that it becomes.
    pub fn unit(&self) -> Unit {
        self.unit_with(&self.proof())
    }

    /// The unit that it becomes with its proof changed: `change` is given `proof.json`.
    pub fn forged(&self, change: impl FnOnce(&mut serde_json::Value)) -> Unit {
        self.unit_with(&self.try_forge(change).unwrap())
    }

    /// Its proof changed, if that is still one.
    pub fn try_forge(&self, change: impl FnOnce(&mut serde_json::Value)) -> Option<Proof> {
        let mut document = serde_json::from_str(&self.proof().to_json()).unwrap();
        change(&mut document);
        Proof::from_json(&serde_json_canonicalizer::to_vec(&document).unwrap()).ok()
    }

    /// The unit that it becomes with another proof.
    pub fn unit_with(&self, proof: &Proof) -> Unit {
        let deposit = Deposit {
            key: &self.key(),
            previous: self.previous,
            envelope: &self.envelope,
            article: &self.article(),
            proof,
        };
        Unit::encode(&deposit).unwrap()
    }
}
