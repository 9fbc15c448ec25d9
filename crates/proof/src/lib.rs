//! Says what a proof of a read holds and checks it, offline.

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
pub use tls::{CipherSuite, HANDSHAKE_BYTES_MAX, Protocol, Tls, Wire};
