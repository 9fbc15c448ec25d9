//! What the crate promises, asked through its public face.
#![allow(clippy::unwrap_used)]

mod agent;
#[path = "../oracle/mod.rs"]
mod oracle;
mod properties;
mod reading;
mod standing;
