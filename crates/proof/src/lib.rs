//! Decides whether a proof convinces: that whoever answered at an address controlled its domain name at the
//! instant of the read.
//!
//! A [`Proof`] is made of what a fetch observed, and of nothing else: the address, the instant, the digests
//! of the body, and the [TLS connection](Tls) that carried it, with the certificates as the server presented
//! them and the [evidence](HandshakeEvidence) that it held the key. [`check`] compares it with the envelope
//! that it speaks of and with a [set of roots](RootSet), and [reports](Report) line by line what it compared
//! with what.
//!
//! ```
//! use releve_proof::{Context, Proof, RootSet, check};
//!
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
//! # let read = |name: &str| std::fs::read(format!("{folder}/{name}"));
//! let proof = Proof::from_json(&read("tls13.json")?)?;
//! let roots = RootSet::from_pem("sealed", &read("tls13.pem")?)?;
//! let context = Context::new("2026-05-04T03:02:02Z".parse()?);
//!
//! let report = check(&proof, &read("envelope.html")?, &roots, &context);
//! assert!(report.accepted(), "{report}");
//!
//! let report = check(&proof, b"another page", &roots, &context);
//! assert_eq!(report.refusal().map(|refusal| refusal.reason().code()), Some("digest-differs"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is checked
//!
//! 1. The proof is not from the lab, unless this is the lab.
//! 2. The address is https, and its host is the name that the client asked for in the handshake.
//! 3. The path recorded as verified is made of the certificates presented and ends in a root of the set;
//!    signatures, dates, constraints and purpose hold at the instant of the read; the certificate covers the
//!    name. These are the rules of rustls-webpki.
//! 4. What rustls-webpki leaves to its user: the root too was valid at the instant, allows a path of that
//!    length and bears no critical extension that is not understood; no issuer's key usage forbids to sign
//!    certificates; no RSA key is shorter than 2,048 bits.
//! 5. The key of the server's certificate signed the handshake, and in TLS 1.3 the handshake is the one that
//!    the proof describes.
//! 6. Digest and length are the envelope's.
//! 7. The read lies neither after the receipt by the vault nor more than [a week](Context::WINDOW) before.
//!
//! All of it is offline and depends on the arguments alone, so it can be repeated years later. A root that
//! has gone from today's list is then found in the set that was sealed with the proofs: see
//! [`Proof::choose_roots`]. `GUIDE.md` in this crate says how to check a proof with openssl and a script of
//! some 300 lines, and what it means.
//!
//! # An instant by another clock
//!
//! Who wants the instant bound to a clock that is not the connector's asks a timestamp authority (RFC 3161) for
//! a [token](TimestampToken) of a unit's digest, by a [request](TimestampRequest) that says no more than that digest.
//! It shows that the unit was there then, not since when.
//!
//! # What this crate does not do
//!
//! It opens no connection and reads no clock: [`Tls::from_wire`] is handed the bytes that went over the wire.
//! It does not look at revocation; a stapled OCSP response is kept as it came. And a proof attests no more
//! than [it says](ATTESTS): it is no signature by the publisher, and it binds neither the bytes received to
//! the server's key nor the instant to a clock that is not the connector's.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod capture;
mod certificate;
mod chain;
mod check;
mod digest;
mod document;
mod error;
mod evidence;
mod message;
mod reason;
mod roots;
#[cfg(test)]
mod tests;
mod timestamp;
mod tls;
mod wire;

pub use chain::verify_chain;
pub use check::{Check, Context, Line, Outcome, Report, RootsUsed, check};
pub use digest::Sha256;
pub use document::{
    ATTESTS, Connector, Envelope, PROOF_BYTES_MAX, Proof, Read, Received, RecordedRoots, Redirect, Response,
};
pub use error::Error;
pub use evidence::HandshakeEvidence;
pub use reason::{Reason, Refusal};
pub use roots::RootSet;
pub use timestamp::{TIMESTAMP_BYTES_MAX, TimestampRequest, TimestampToken};
pub use tls::{CipherSuite, HANDSHAKE_BYTES_MAX, Protocol, Tls, Wire};
