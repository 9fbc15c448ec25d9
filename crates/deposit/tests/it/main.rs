//! The vault through its public interface.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]
// These tests start processes, time them and kill them, and ask the environment which of them can run here.
#![allow(clippy::disallowed_methods)]

mod control;
mod crash;
mod handshake;
mod local;
mod recovery;
mod suite;
mod tamper;
mod timestamp;
mod tools;
mod unit;
mod wacz;
mod warcio;
