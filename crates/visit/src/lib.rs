//! One polite retrieval: it decides, step by step, whether an address may be asked for, and asks.
//!
//! An address is admitted or not, its host's robots.txt is read and judged, the host's turn is awaited, one request is
//! sent; a redirect begins again at the robots.txt of its target. What comes back is a complete response of an expected
//! type, or a [`Refusal`] with its reason.
//!
//! [`machine`] holds every transition and does no I/O; [`Visitor`] carries it out over the ports of `releve-fetch` and
//! `releve-ledger`.
//!
//! ```
//! use releve_redirect_policy::AdmittedHosts;
//! use releve_robots::{ProductToken, RobotsPolicy};
//! use releve_url_canon::NecessaryParameters;
//! use releve_visit::{Expected, Order, Refusal, Terms, machine::{Step, Visit}};
//!
//! let terms = Terms {
//!     hosts: AdmittedHosts::parse(["www.example.org"])?,
//!     necessary: NecessaryParameters::none(),
//!     interval: Default::default(),
//!     bounds: Default::default(),
//!     until: jiff::Timestamp::MAX,
//! };
//! let order = Order {
//!     address: "https://elsewhere.example.net/a".parse()?,
//!     expected: Expected::Page,
//!     access_for: None,
//!     disallow_lifted: false,
//! };
//! let agent: ProductToken = "example".parse()?;
//! let policy = RobotsPolicy::releve();
//!
//! // A host that the publisher did not admit is not asked for anything, not even its robots.txt.
//! let (_, step) = Visit::begin(&order, &terms, &agent, &policy);
//! assert!(matches!(step, Step::Finish(Err(Refusal::HostNotAdmitted { .. }))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this crate does not do
//!
//! It does not decide which addresses are worth a visit, nor what a response says. It tries nothing again.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod interrupt;
mod line;
pub mod machine;
mod order;
mod refusal;
mod runner;
#[cfg(test)]
mod tests;

pub use interrupt::{Interrupt, Interrupter};
pub use line::wait;
pub use machine::{Failure, Redirect, Request};
pub use order::{Expected, Order, Terms};
pub use refusal::Refusal;
pub use runner::{Leaves, VisitError, Visited, Visitor, sentence};
