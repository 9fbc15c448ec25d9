//! The real binary over real sockets: what it prints, what it writes, what a publisher's server sees.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout, missing_docs)]

mod backlog;
mod bad_input;
mod commands;
mod demo;
mod export;
mod full_disk;
mod interrupted;
mod layers;
mod network;
mod promises;
mod readme;
mod show;
mod support;
mod timestamp;
mod vault;
