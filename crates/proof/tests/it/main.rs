//! The crate through its public API, over handshakes made in memory.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod capture;
mod chains;
mod checks;
mod document;
mod evidence;
mod fixtures;
mod lab;
mod roots;
mod tools;
