//! Both ends over real sockets, and clients that mean no good.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]
// These tests wait for clients and servers that give up.
#![allow(clippy::disallowed_methods)]

mod deposits;
mod hostile;
mod suite;
mod tools;
