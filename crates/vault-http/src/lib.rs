//! Says how a vault is deposited to over the network, and what a vault answers there: the protocol, its server, and a
//! client that is a vault like any other.
//!
//! [`Server`] serves a [`LocalVault`](releve_deposit::LocalVault) over HTTPS to those who have one of its connector
//! keys. [`HttpVault`] is the other end: it implements [`Vault`](releve_deposit::Vault), so that a depositor need not
//! know which vault it has.
//!
//! ```
//! use std::sync::Arc;
//!
//! use releve_deposit::{
//!     Admission, ConnectorKey, LocalOptions, LocalVault, Outcome, Permission, Vault as _,
//! };
//! use releve_vault_http::{Access, Bounds, HttpVault, HttpVaultOptions, Server};
//!
//! # use releve_deposit::testing::{HOST, Specimen, TestClock};
//! # let (roots, clock) = (releve_deposit::testing::roots(), TestClock::new().clock());
//! # let unit = Specimen::new("4711").unit();
//! # let hosts = releve_redirect_policy::AdmittedHosts::parse([HOST])?;
//! # let parent = tempfile::tempdir()?;
//! # let folder = parent.path().join("vault");
//! # let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
//! # let (certificate, private_key) = (issued.cert.pem(), issued.signing_key.serialize_pem());
//! # let authority = certificate.clone();
//! # let runtime = tokio::runtime::Runtime::new()?;
//! // One machine has the vault, a certificate, and decides who may deposit what.
//! let vault = LocalVault::open_or_create(&folder, LocalOptions::new(Admission::new(roots), clock.clone()))?;
//! let permission = Permission { source: "example".to_owned(), hosts };
//! let key: ConnectorKey = vault.control().create_key("north", &[permission])?.expect("a new name");
//! let log = Arc::new(|access: &Access| println!("{access}"));
//! let server =
//!     Server::new(vault, certificate.as_bytes(), private_key.as_bytes(), Bounds::default(), log)?;
//! let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))?;
//! let address = format!("https://localhost:{}", listener.local_addr()?.port());
//! let serving = runtime.spawn(server.serve(listener, std::future::pending()));
//!
//! // Another one deposits.
//! let vault = HttpVault::new(HttpVaultOptions {
//!     address: address.parse()?,
//!     key,
//!     authority_pem: Some(authority.into_bytes()),
//!     clock,
//! })?;
//! let Outcome::Sealed(receipt) = vault.deposit(&unit)? else { panic!("it was sealed before") };
//! assert_eq!(vault.head()?.seal, Some(receipt.seal));
//! // Whoever did not hear the answer asks again.
//! assert_eq!(vault.deposit(&unit)?, Outcome::AlreadySealed(receipt));
//! # serving.abort();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The protocol
//!
//! HTTP/1.1 over TLS 1.2 or 1.3. Every request bears `Authorization: Bearer KEY`. Bodies are JSON, but for units, which are
//! `application/warc`. Digests are SHA-256 in lower-case hexadecimal, instants RFC 3339.
//!
//! | request | answer |
//! |---|---|
//! | `PUT /v1/deposits/{digest}`, the unit as body, with `Content-Length` | 201: sealed now; 200: the last version of the article has the same content. Either way the receipt: `digest`, `sequence`, `received_at`, `seal` |
//! | `GET /v1/deposits/{digest}` | the unit |
//! | `GET /v1/deposits?after=&received_from=&source=&count=` | `versions`: what was sealed behind a sequence, in that order, at most 100; every parameter may be left out |
//! | `GET /v1/versions?source=&identifier=` | `versions`: all of an article, oldest first |
//! | `GET /v1/versions/last?source=&identifier=` | `version`: the one that a deposit has to follow on, or `null` |
//! | `GET /v1/articles?identifier=` or `?address=` | `articles`: each with `source` and `identifier` |
//! | `GET /v1/takes?source=` | `source`, if a deposit for it would be taken as far as the source and the key go; else the refusal |
//! | `GET /v1/vault` | `vault` (its id), `lab`, and the last seal: `sequence` and `seal` |
//!
//! A version has `source`, `identifier`, `number`, `previous`, `content`, `address`, `read_at`, `bytes` and `receipt`.
//!
//! A refusal has a `code`, which does not change between releases, a `reason` for people, and whatever else it is about:
//!
//! | status | `code` | what it means for who asks |
//! |---|---|---|
//! | 400 | `request-malformed`, `body-cut` | the request is not one |
//! | 401 | `key-unknown` | no key, or one that the vault never gave out |
//! | 403 | `key-revoked`, `source-inactive`, `source-not-permitted` | the source cannot deposit here |
//! | 403 | `host-not-permitted` | the unit was read at a host that the key does not reach to: the proof's final address counts |
//! | 404 | `path-unknown`, `unit-unknown` | nothing is there, or nothing that the key reaches to |
//! | 405 | `method-not-allowed` | `Allow` names those that are |
//! | 408 | `body-slow` | nothing came for 30 s, or less than a mebibyte a second |
//! | 409 | `version-superseded` | the unit follows on `named`, and the vault's last version is `last`: encode it again on top of that |
//! | 410 | `article-withdrawn` | it is kept and not shown |
//! | 411 | `length-required` | a unit was sent without its length |
//! | 413 | `unit-too-large` | it is too long, or unpacks to too much |
//! | 422 | `unit-digest-differs` | the bytes are not those that the path names |
//! | 422 | `unit-…`, `identifiers-differ` | the bytes are no unit, or one that contradicts itself |
//! | 422 | `lab-mismatch` | laboratory proofs and others are kept apart |
//! | 422 | any other | the code of the first check of the proof that failed |
//! | 503 | `vault-busy` | too much is in hand; `Retry-After` says when to come again |
//! | 500, 507 | `vault-…`, `disk-full` | the vault failed; the same deposit can succeed later |
//!
//! What is not HTTP, or has a head of more than 64 KiB or 32 headers, is answered with 400, 414 or 431 without a body.
//! Whoever is slow with the head is cut off.
//!
//! Key and permissions are looked up at every request, and once more when a unit is about to be sealed. Every request can
//! be repeated: the second time nothing is sealed. A key sees only what it may deposit for.
//!
//! # What this crate does not do
//!
//! - It reads no clock, no file, and no environment: certificates, keys and clocks are handed to it.
//! - It decides nothing about a deposit: that is the vault's own, [`LocalVault`](releve_deposit::LocalVault).
//! - It does not speak to publishers, and dials addresses that `releve-fetch` never would: a vault's may be private.
//! - It speaks no HTTP/2, and follows no redirect.
//! - It does not defend itself against floods of connections that bring no key: let only connectors reach it.
//! - It takes no new certificate while it runs.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod access;
mod answer;
mod bounds;
mod client;
mod error;
mod handler;
mod room;
mod route;
mod server;
#[cfg(test)]
mod tests;
mod wire;

pub use access::Access;
pub use bounds::Bounds;
pub use client::{HttpVault, HttpVaultOptions};
pub use error::SetupError;
pub use server::{AccessLog, Server};
pub use wire::Head;
