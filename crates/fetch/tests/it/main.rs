//! The adapter over hyper and rustls, against a scripted publisher on loopback.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod access;
mod address;
mod bounds;
mod certificate;
mod coding;
mod encode;
mod lab_file;
mod publisher;
mod request;
mod suite;
mod support;
mod whole;
