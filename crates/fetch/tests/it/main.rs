//! The adapter over hyper and rustls, against a scripted publisher on loopback.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod address;
mod bounds;
mod certificate;
mod coding;
mod request;
mod suite;
mod support;
mod whole;
