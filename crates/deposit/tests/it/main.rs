//! The vault through its public interface.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod control;
mod handshake;
mod local;
mod recovery;
mod suite;
mod tamper;
mod tools;
mod unit;
mod warcio;
