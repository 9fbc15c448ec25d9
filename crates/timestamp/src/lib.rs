//! Asks a timestamp authority (RFC 3161) to state that a digest was known at an instant.
//!
//! An [`Authority`] is a third party, neither a publisher nor the vault: nothing is asked of one unless the
//! operator names it. It learns a digest and who asks, and nothing of what the digest is of.
//!
//! ```no_run
//! use std::sync::Arc;
//! use releve_proof::Sha256;
//! use releve_timestamp::{Authority, AuthorityOptions};
//!
//! # let now = || jiff::Timestamp::UNIX_EPOCH;
//! let mut authority = Authority::new(AuthorityOptions {
//!     address: "https://timestamp.example.org/tsr".parse()?,
//!     user_agent: "Example/1 (+https://example.org; contact@example.org)".to_owned(),
//!     roots_pem: None,
//!     clock: Arc::new(now),
//! })?;
//! let token = authority.stamp(Sha256::of(b"a unit"))?;
//! println!("known at {}", token.at());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this crate does not do
//!
//! - It checks no authority's signature: `openssl ts -verify` does, for whoever has to be convinced.
//! - It follows no redirect, tries nothing twice, and speaks no plain http, although many authorities do.
//! - It keeps nothing: a vault seals the token.
//! - It has no asynchronous interface, and must not be called from within a runtime. Every call waits for the network.

#![cfg_attr(test, allow(clippy::unwrap_used))]

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue, USER_AGENT};
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use jiff::Timestamp;
use releve_proof::{Sha256, TIMESTAMP_BYTES_MAX, TimestampRequest, TimestampToken};
use releve_url_canon::HttpsUrl;
use ring::rand::{SecureRandom as _, SystemRandom};
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, UnixTime};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout};

/// For a whole exchange. 30 s: a signature is a matter of milliseconds, and the operator waits.
const WHOLE: Duration = Duration::from_secs(30);

/// From one answer to the next request: what publishers are promised is good enough for an authority.
const INTERVAL: Duration = Duration::from_secs(1);

/// A reply in bytes, at most: a token, and a status that is a line or two.
const REPLY_BYTES_MAX: usize = TIMESTAMP_BYTES_MAX + 4096;

const QUERY: &str = "application/timestamp-query";
const REPLY: &str = "application/timestamp-reply";

/// Which authority, and how it is spoken to.
pub struct AuthorityOptions {
    /// Where it takes requests. It may be private: the rules on addresses are about publishers.
    pub address: HttpsUrl,
    /// Who asks, as publishers are told.
    pub user_agent: String,
    /// The certificate authorities that its TLS certificate may lead to, as PEM; the public ones, if none are given.
    pub roots_pem: Option<Vec<u8>>,
    /// Tells whether a certificate is valid today.
    pub clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

/// A timestamp authority.
pub struct Authority {
    runtime: Runtime,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    address: HttpsUrl,
    user_agent: HeaderValue,
    /// Whether it was asked before, and is owed a pause.
    was_asked: bool,
}

impl Authority {
    /// An authority. Nothing is sent yet.
    pub fn new(options: AuthorityOptions) -> Result<Self, TimestampError> {
        let AuthorityOptions { address, user_agent, roots_pem, clock } = options;
        let user_agent = HeaderValue::try_from(user_agent)
            .map_err(|_| TimestampError::Setup { why: "the user agent is no header's value".to_owned() })?;
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(client_config(roots_pem.as_deref(), clock)?)
            .https_only()
            .enable_http1()
            .wrap_connector(http);
        let runtime = Builder::new_current_thread().enable_all().build().map_err(TimestampError::Runtime)?;
        let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
        Ok(Self { runtime, client, address, user_agent, was_asked: false })
    }

    /// Asks for a token of `digest`: one request, a second at least after the answer to the one before.
    pub fn stamp(&mut self, digest: Sha256) -> Result<TimestampToken, TimestampError> {
        let mut nonce = [0; 8];
        SystemRandom::new()
            .fill(&mut nonce)
            .map_err(|_| TimestampError::Setup { why: "the system has no randomness to give".to_owned() })?;
        let request = TimestampRequest::new(digest, nonce);
        let reply = self.exchange(request.to_der())?;
        request.token(&reply).map_err(|error| self.unusable(&error.to_string()))
    }

    fn exchange(&mut self, query: Vec<u8>) -> Result<Bytes, TimestampError> {
        let pause = if std::mem::replace(&mut self.was_asked, true) { INTERVAL } else { Duration::ZERO };
        let request = Request::post(self.address.as_str())
            .header(USER_AGENT, self.user_agent.clone())
            .header(ACCEPT, REPLY)
            .header(CONTENT_TYPE, QUERY)
            .body(Full::new(Bytes::from(query)))
            .map_err(|error| self.failed(error.into()))?;
        let exchange = async {
            sleep(pause).await;
            let exchange = async {
                let answer = self.client.request(request).await?;
                let (head, body) = answer.into_parts();
                let body = Limited::new(body, REPLY_BYTES_MAX).collect().await?.to_bytes();
                Ok::<_, Box<dyn Error + Send + Sync>>((head, body))
            };
            timeout(WHOLE, exchange)
                .await
                .unwrap_or_else(|_| Err(format!("it did not answer within {} s", WHOLE.as_secs()).into()))
        };
        let (head, body) = self.runtime.block_on(exchange).map_err(|error| self.failed(error))?;
        if head.status != StatusCode::OK {
            return Err(self.unusable(&format!("it answered {}", head.status)));
        }
        match head.headers.get(CONTENT_TYPE) {
            Some(media_type) if media_type == REPLY => Ok(body),
            _ => Err(self.unusable(&format!("its answer is not {REPLY}"))),
        }
    }

    fn failed(&self, source: Box<dyn Error + Send + Sync>) -> TimestampError {
        TimestampError::Exchange { address: self.address.to_string(), source }
    }

    fn unusable(&self, why: &str) -> TimestampError {
        TimestampError::Unusable { address: self.address.to_string(), why: why.to_owned() }
    }
}

/// Why there is no timestamp.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TimestampError {
    /// What the authority is to be asked with cannot be used.
    #[error("the timestamp authority cannot be asked: {why}")]
    Setup {
        /// What is wrong with it.
        why: String,
    },
    /// The system gave nothing to wait on the network with.
    #[error("the timestamp authority cannot be asked")]
    Runtime(#[source] io::Error),
    /// The authority could not be reached, or did not answer. It can be asked again later.
    #[error("the timestamp authority at {address} could not be asked")]
    Exchange {
        /// Its address.
        address: String,
        /// What happened.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The authority answered something else than a token of what it was asked for.
    #[error("the timestamp authority at {address} gave no timestamp: {why}")]
    Unusable {
        /// Its address.
        address: String,
        /// What it answered.
        why: String,
    },
}

/// The clock of the caller, for rustls.
struct Now(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl fmt::Debug for Now {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Now")
    }
}

impl TimeProvider for Now {
    fn current_time(&self) -> Option<UnixTime> {
        let seconds = u64::try_from((self.0)().as_second()).ok()?;
        Some(UnixTime::since_unix_epoch(Duration::from_secs(seconds)))
    }
}

fn client_config(
    roots_pem: Option<&[u8]>,
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
) -> Result<ClientConfig, TimestampError> {
    let wrong = |error: &dyn fmt::Display| TimestampError::Setup {
        why: format!("the certificate authority cannot be used: {error}"),
    };
    let roots = match roots_pem {
        None => RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() },
        Some(pem) => {
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_slice_iter(pem) {
                let certificate = certificate.map_err(|error| wrong(&error))?;
                roots.add(certificate).map_err(|error| wrong(&error))?;
            }
            if roots.is_empty() {
                return Err(wrong(&"there is none in the PEM text"));
            }
            roots
        }
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_details(provider, Arc::new(Now(clock)))
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(&error))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
