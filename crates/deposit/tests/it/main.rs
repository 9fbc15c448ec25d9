//! The vault through its public interface.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod handshake;
mod local;
mod suite;
mod unit;
