//! Says what a proof of a read holds and checks it, offline.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod capture;
mod certificate;
mod chain;
mod digest;
mod error;
mod evidence;
mod message;
mod reason;
mod roots;
mod tls;

pub use chain::verify_chain;
pub use digest::Sha256;
pub use error::Error;
pub use evidence::HandshakeEvidence;
pub use reason::{Reason, Refusal};
pub use roots::RootSet;
pub use tls::{CipherSuite, HANDSHAKE_BYTES_MAX, Protocol, Tls, Wire};
