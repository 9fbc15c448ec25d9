//! Decides nothing but one thing: whether a request for one address got a whole and unambiguous response.
//!
//! [`Fetch`] is the port, [`HttpsFetch`] the adapter over hyper and rustls, [`MemoryFetch`] one without a network for
//! tests; [`suite`] holds the tests that every adapter must pass. Asking takes two steps, because a host's
//! turn is awaited between them: [`Fetch::connect`] opens a connection to a host, [`Connection::send`] sends one request
//! over it and reads one response.
//!
//! ```no_run
//! use std::sync::Arc;
//! use releve_bounds::Bounds;
//! use releve_fetch::{Clock, Connection, Fetch, HttpsFetch, Network, Request};
//! use releve_redirect_policy::AdmittedHosts;
//!
//! # async fn read(clock: Arc<dyn Clock>) -> Result<(), Box<dyn std::error::Error>> {
//! let url = "https://www.example.org/article".parse()?;
//! let host = AdmittedHosts::parse(["www.example.org"])?.admit(&url)?;
//! let user_agent = "Example/1 (+https://example.org; bot@example.org)".parse()?;
//! let bounds = Bounds::default();
//!
//! let fetch = HttpsFetch::new(Network::internet(), clock);
//! let mut connection = fetch.connect(&host, &bounds).await?;
//! // Here the caller waits until it is the host's turn.
//! let request = Request {
//!     url: &url,
//!     user_agent: &user_agent,
//!     accept: "text/html",
//!     access: None,
//!     bounds: &bounds,
//!     wanted: &|status, _| status == 200,
//! };
//! let exchange = connection.send(request).await;
//! let response = exchange.outcome?;
//! println!("{} with {} bytes", response.status, response.body?.decoded.len());
//! # Ok(())
//! # }
//! ```
//!
//! # What is certain about a connection
//!
//! The name is resolved once. Where one address of the answer is not public, nothing is dialled; else one of exactly
//! those addresses is, and the socket's peer is compared with it. The certificate is judged for the name. No session
//! is resumed, so that every connection presents its chain, and every response over it bears the same
//! [`Tls`](releve_proof::Tls) with the evidence of its handshake. No proxy is used, whatever the environment says.
//!
//! # What is certain about a response
//!
//! A body is whole or it is an error: shorter than announced, cut off, ended without close_notify where no length was
//! announced, under a transfer coding other than chunked or under several or unknown content codings are errors, each
//! with its own [`code`](FetchError::code). One content coding (gzip, deflate, br, zstd) is undone. Everything is
//! bounded by the request's [`Bounds`].
//!
//! # What this crate does not do
//!
//! It follows no redirect, tries nothing again, keeps no cookie, cache or pool, and does not judge a status or a media
//! type. It asks no robots.txt and keeps no pace: the caller does, and is told when each request left
//! ([`Exchange::sent_at`]). It speaks no HTTP/2. It reads no clock but the one it is handed, except for the
//! runtime's timers.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod access;
mod decode;
mod error;
mod https;
mod lab_file;
mod memory;
mod message;
mod network;
mod resolve;
pub mod suite;
mod tap;
#[cfg(test)]
mod tests;

use std::future::Future;

use jiff::Timestamp;
use releve_bounds::Bounds;
use releve_redirect_policy::AdmittedHost;

pub use crate::access::{AccessHeader, AccessHeaderError};
pub use crate::error::{FetchError, Kind};
pub use crate::https::{HttpsConnection, HttpsFetch};
pub use crate::lab_file::{LabFile, LabFileError};
pub use crate::memory::{MemoryAnswer, MemoryAsked, MemoryConnection, MemoryFetch};
pub use crate::message::{Body, Coding, Exchange, Headers, Request, Response, Wanted, every_body};
pub use crate::network::{LabRootError, Network};
pub use crate::resolve::{Dial, Resolve, SystemDialler, SystemResolver};

/// Tells the time. The binary's reads the system clock; a lab's is set off; a test's stands where it was put.
pub trait Clock: Send + Sync {
    /// The instant now.
    fn now(&self) -> Timestamp;
}

/// The port: opens connections over which one request at a time is sent.
pub trait Fetch: Send + Sync {
    /// An open connection.
    type Connection: Connection;

    /// Opens a connection to the host, within the bounds' `connect`. No request is sent.
    fn connect(
        &self,
        host: &AdmittedHost,
        bounds: &Bounds,
    ) -> impl Future<Output = Result<Self::Connection, FetchError>> + Send;
}

/// A connection to one host. It belongs to whoever holds it, and closes when it is dropped.
pub trait Connection: Send {
    /// Whether another request can be sent: nothing broke, nothing was left over, and neither side closed.
    ///
    /// The server may still close before a request reaches it; that is the request's error then.
    fn is_open(&mut self) -> bool;

    /// Sends one request and reads its response to the end.
    ///
    /// A future that is dropped half-way leaves the connection closed, and whether its request left is still to be had
    /// from [`last_sent_at`](Self::last_sent_at).
    fn send(&mut self, request: Request<'_>) -> impl Future<Output = Exchange> + Send;

    /// When the last request left over this connection, if one did: [`Exchange::sent_at`] for whoever let go of it.
    fn last_sent_at(&self) -> Option<Timestamp>;
}
