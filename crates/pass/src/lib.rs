//! One pass over one source: lock, trigger, articles, extract, prove, deposit.
//!
//! It decides the order of the work and when it stops: [`machine`] holds every transition and does no I/O, [`Runner`] carries it
//! out over the ports. A pass may be killed at any point and made again. Nothing is lost, because a reference stays
//! queued until its deposit was acknowledged; nothing is sealed twice, because a vault seals the same content once.
//!
//! ```
//! use releve_pass::machine::{Locked, Pass, Step, Triggered};
//! use releve_pace::Due;
//!
//! let (mut pass, step) = Pass::begin(true);
//! assert_eq!(step, Step::Lock);
//! // Another pass over the source is under way: this one asks for nothing.
//! assert_eq!(pass.locked(Locked::Held), Step::Finish(releve_pass::End::LockHeld));
//! ```
//!
//! # What this crate does not do
//!
//! It sends no request itself: every one is a polite visit of `releve-visit`. It does not choose when passes begin.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod announce;
mod article;
pub mod machine;
mod report;
mod rhythm;
mod runner;
#[cfg(test)]
mod tests;
mod walk;

pub use announce::{Unqueued, announced};
pub use article::{Reading, Ready, Under, Unfit, prepare};
pub use report::{End, REFUSALS_MAX, RefusalLine, Report, Tally};
pub use rhythm::trigger_due;
pub use runner::{Event, Runner, Unwatched, Watch};
pub use walk::{Found, NotWalked, history};
