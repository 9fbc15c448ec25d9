//! The proof of one read: its facts, and the invariants between them.

use jiff::{RoundMode, Timestamp, TimestampRound, Unit};
use releve_url_canon::HttpsUrl;

use crate::chain::verify_chain;
use crate::digest::Sha256;
use crate::error::Error;
use crate::reason::{Reason, Refusal};
use crate::roots::{self, RootSet};
use crate::tls::Tls;
use crate::wire;

/// What every proof says of itself, word for word.
pub const ATTESTS: &str = "This proof attests that whoever answered at the address controlled its domain \
    name at the instant of the read, and nothing more. It is no signature by the publisher. It binds neither \
    the bytes received to the server's key nor the instant to a clock that is not the connector's.";

/// The largest document that is read, in bytes: both directions of a handshake at
/// [`HANDSHAKE_BYTES_MAX`](crate::HANDSHAKE_BYTES_MAX), and the chain twice beside it, in base64.
pub const PROOF_BYTES_MAX: usize = 2 * 1024 * 1024;

/// The proof of one read.
///
/// It holds what was read, where, when and over which TLS connection, and is never changed. It is made by
/// [`Proof::new`] from what a fetch observed, or read from its document by [`Proof::from_json`], and is
/// judged by [`check`](crate::check).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    pub(crate) requested: HttpsUrl,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) read_at: Timestamp,
    pub(crate) received: Received,
    pub(crate) envelope: Envelope,
    pub(crate) response: Response,
    pub(crate) tls: Tls,
    pub(crate) verified: Vec<Vec<u8>>,
    pub(crate) roots: RecordedRoots,
    pub(crate) connector: Connector,
    pub(crate) lab: bool,
}

/// What a fetch observed: all that a proof is made of.
#[derive(Clone, Debug)]
pub struct Read<'a> {
    /// The address as it was first asked.
    pub requested: HttpsUrl,
    /// The redirects that were followed, in order.
    pub redirects: Vec<Redirect>,
    /// When the last byte of the response was in. Kept to the millisecond, rounded down.
    pub read_at: Timestamp,
    /// The body as it came over the connection.
    pub received: Received,
    /// The body as it is sealed: after a content coding was undone, if there was one.
    pub envelope: &'a [u8],
    /// The media type of the envelope, as the server sent it.
    pub media_type: &'a str,
    /// The final response.
    pub response: Response,
    /// The connection that carried the final response.
    pub tls: &'a Tls,
    /// The program that read.
    pub connector: Connector,
    /// Whether the read was made in the lab: at a server on loopback, under a root of the lab's own.
    pub lab: bool,
}

/// One redirect that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The status of the response that redirected: 301, 302, 303, 307 or 308.
    pub status: u16,
    /// The address that it led to.
    pub address: HttpsUrl,
}

/// The body as it came over the connection, before a content coding was undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// Its length in bytes.
    pub length: u64,
    /// The content coding that the server applied, such as `gzip`; `None` where it applied none.
    pub coding: Option<String>,
}

/// The body as it is sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// Its length in bytes.
    pub length: u64,
    /// Its media type, as the server sent it.
    pub media_type: String,
}

/// The final response: its status, and those of its headers that are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
}

impl Response {
    /// The headers that a proof keeps. All others are dropped before anything is written, `Set-Cookie` first
    /// of all.
    pub const HEADERS: [&'static str; 14] = [
        "age",
        "cache-control",
        "content-encoding",
        "content-language",
        "content-length",
        "content-location",
        "content-type",
        "date",
        "etag",
        "expires",
        "last-modified",
        "link",
        "location",
        "x-robots-tag",
    ];

    /// Takes the status and, of the headers, those that are kept, in the order given.
    ///
    /// Names are compared without regard to case. A value is taken byte for byte: each byte becomes the
    /// character with the same number (ISO 8859-1), as HTTP leaves its encoding open.
    pub fn new<N, V>(status: u16, headers: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: AsRef<str>,
        V: AsRef<[u8]>,
    {
        let headers = headers
            .into_iter()
            .map(|(name, value)| (name.as_ref().to_ascii_lowercase(), value))
            .filter(|(name, _)| Self::HEADERS.contains(&name.as_str()))
            .map(|(name, value)| (name, value.as_ref().iter().copied().map(char::from).collect()))
            .collect();
        Self { status, headers }
    }

    /// The status code. In a proof it is always 200.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The headers kept, names in lower case, in the order in which they came.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// The set of roots that the path in the proof was verified against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRoots {
    /// The set's name.
    pub name: String,
    /// The set's digest, under which it was sealed.
    pub sha256: Sha256,
}

/// The program that read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connector {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Proof {
    /// Makes the proof of a read, and with it the path from the server's certificate to a root of the set.
    ///
    /// Errors: the facts contradict each other; the chain leads to no root of the set; the connection carries
    /// no evidence or evidence that does not hold; the address is not at the connection's host. So no proof
    /// is made that a check at the same instant against the same roots would refuse.
    pub fn new(read: Read<'_>, roots: &RootSet) -> Result<Self, Error> {
        let read_at = read
            .read_at
            .round(TimestampRound::new().smallest(Unit::Millisecond).mode(RoundMode::Floor))
            .map_err(|_| Error::document("read_at", "lies beyond the calendar"))?;
        let tls = read.tls;
        let verified =
            verify_chain(&tls.presented, &tls.server_name, read_at, roots).map_err(Error::refused)?;
        let proof = Self {
            requested: read.requested,
            redirects: read.redirects,
            read_at,
            received: read.received,
            envelope: Envelope {
                sha256: Sha256::of(read.envelope),
                length: read.envelope.len().try_into().unwrap_or(u64::MAX),
                media_type: read.media_type.to_owned(),
            },
            response: read.response,
            tls: tls.clone(),
            verified,
            roots: RecordedRoots { name: roots.name().to_owned(), sha256: roots.digest() },
            connector: read.connector,
            lab: read.lab,
        };
        proof.validate()?;
        proof.verify_server_name().map_err(Error::refused)?;
        proof.tls.verify().map_err(Error::refused)?;
        Ok(proof)
    }

    /// Reads a proof from its document, `proof.json`.
    ///
    /// The document has one form: that of [`to_json`](Self::to_json), byte for byte. Anything else is
    /// refused, an unknown version or field included.
    pub fn from_json(document: &[u8]) -> Result<Self, Error> {
        wire::read(document)
    }

    /// Writes the document, in the canonical form of RFC 8785.
    pub fn to_json(&self) -> String {
        wire::write(self)
    }

    /// The SHA-256 of the document.
    pub fn digest(&self) -> Sha256 {
        Sha256::of(self.to_json().as_bytes())
    }

    /// The address that answered with the final response.
    pub fn address(&self) -> &HttpsUrl {
        self.redirects.last().map_or(&self.requested, |redirect| &redirect.address)
    }

    /// The address as it was first asked.
    pub fn requested(&self) -> &HttpsUrl {
        &self.requested
    }

    /// The redirects that were followed, in order; the last one led to [`address`](Self::address).
    pub fn redirects(&self) -> &[Redirect] {
        &self.redirects
    }

    /// When the last byte of the response was in, to the millisecond.
    pub fn read_at(&self) -> Timestamp {
        self.read_at
    }

    /// The body as it came.
    pub fn received(&self) -> &Received {
        &self.received
    }

    /// The body as it is sealed.
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// The final response.
    pub fn response(&self) -> &Response {
        &self.response
    }

    /// The connection that carried the final response.
    pub fn tls(&self) -> &Tls {
        &self.tls
    }

    /// The path that was verified, in DER: the server's own certificate first, the root last.
    pub fn verified(&self) -> &[Vec<u8>] {
        &self.verified
    }

    /// The set of roots that the path was verified against when the proof was made.
    pub fn roots(&self) -> &RecordedRoots {
        &self.roots
    }

    /// The program that read.
    pub fn connector(&self) -> &Connector {
        &self.connector
    }

    /// Whether the read was made in the lab. Such a proof attests nothing about the world.
    pub fn is_lab(&self) -> bool {
        self.lab
    }

    /// Of today's set and the sealed ones, which come in the order of their sealing, the set to check this proof against:
    /// today's as long as it has the root of the path verified, else the one that the proof records, else the last sealed
    /// one that has that root, else whatever there is. `None` if there is none at all.
    pub fn choose_roots<'a>(&self, today: Option<&'a RootSet>, sealed: &'a [RootSet]) -> Option<&'a RootSet> {
        let root = self.verified.last().map(Vec::as_slice).unwrap_or_default();
        let of_today = today.filter(|set| set.contains(root));
        let recorded = || sealed.iter().find(|set| set.digest() == self.roots.sha256);
        let with_root = || sealed.iter().rev().find(|set| set.contains(root));
        of_today.or_else(recorded).or_else(with_root).or(today).or(sealed.last())
    }

    pub(crate) fn verify_server_name(&self) -> Result<(), Refusal> {
        let (host, server_name) = (self.address().host(), &self.tls.server_name);
        if host == server_name {
            return Ok(());
        }
        let detail = format!("the address is at {host}, but the handshake asked for {server_name}");
        Err(Refusal::new(Reason::HostDiffers, detail))
    }

    /// The invariants that a document must have whatever it proves.
    pub(crate) fn validate(&self) -> Result<(), Error> {
        let ensure = |holds: bool, field: &str, what: &str| {
            if holds { Ok(()) } else { Err(Error::document(field, what)) }
        };
        ensure(self.redirects.len() <= REDIRECT_COUNT_MAX, "redirects", "are too many")?;
        ensure(
            self.redirects.iter().all(|redirect| matches!(redirect.status, 301 | 302 | 303 | 307 | 308)),
            "redirects",
            "hold a status that is not a redirect's",
        )?;
        ensure(
            self.response.status == 200,
            "response.status",
            "is not 200, and only a complete 200 is sealed",
        )?;
        ensure(
            self.response.headers().all(|(name, value)| {
                Response::HEADERS.contains(&name)
                    && value.chars().all(|c| c <= '\u{ff}' && !matches!(c, '\0' | '\r' | '\n'))
            }),
            "response.headers",
            "hold a header that a proof does not keep, or a value that no header has",
        )?;
        ensure(
            self.received.length <= INTEGER_MAX && self.envelope.length <= INTEGER_MAX,
            "received.length",
            "is more than JSON can hold",
        )?;
        ensure(
            self.received.coding.is_some()
                || (self.received.sha256, self.received.length)
                    == (self.envelope.sha256, self.envelope.length),
            "received",
            "differs from `envelope` although no content coding was undone",
        )?;
        ensure(self.received.coding.as_deref().is_none_or(is_text), "received.coding", TEXT)?;
        ensure(is_text(&self.envelope.media_type), "envelope.media_type", TEXT)?;
        ensure(
            self.tls.presented.len() <= PRESENTED_COUNT_MAX,
            "tls.presented",
            "holds too many certificates",
        )?;
        ensure(
            self.verified.len() <= VERIFIED_COUNT_MAX,
            "tls.verified",
            "is longer than any path that is verified",
        )?;
        ensure(is_text(&self.tls.server_name), "tls.server_name", TEXT)?;
        ensure(is_text(&self.connector.name), "connector.name", TEXT)?;
        ensure(is_text(&self.connector.version), "connector.version", TEXT)?;
        ensure(roots::is_name(&self.roots.name), "tls.roots.name", "is not a name for a set of roots")
    }
}

/// Far more than any limit on redirects that is in use: browsers stop at 20.
const REDIRECT_COUNT_MAX: usize = 20;

/// Real servers present fewer than 10. OpenSSL follows no chain deeper than 100.
const PRESENTED_COUNT_MAX: usize = 100;

/// The server's certificate, the 6 intermediates that rustls-webpki follows at most, and the root.
const VERIFIED_COUNT_MAX: usize = 8;

/// The largest integer that every JSON reader holds exactly (RFC 8785 section 3.2.2.3): 2^53 - 1.
const INTEGER_MAX: u64 = (1 << 53) - 1;

/// A short text on one line: the longest domain name has 253 bytes, and no media type in use is longer.
fn is_text(text: &str) -> bool {
    (1..=255).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

const TEXT: &str = "is not 1 to 255 printable characters of ASCII";
