//! The depositing end: a vault elsewhere, as a vault.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, USER_AGENT};
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use releve_deposit::{
    ArticleKey, Clock, ConnectorKey, DepositError, Outcome, Receipt, Since, UNIT_BYTES_MAX, Unit, Vault,
    VaultError, Version,
};
use releve_proof::Sha256;
use releve_url_canon::HttpsUrl;
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, UnixTime};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use url::form_urlencoded;

use crate::SetupError;
use crate::bounds::per_mebibyte;
use crate::wire::{self, Head, PAGE_COUNT_MAX, ROOT, Refusal};

/// For the TCP connection to be there. 10 s: as long as publishers are given.
const CONNECT: Duration = Duration::from_secs(10);

/// For an answer, beside the time that a unit takes on the line. 150 s: longer than a server lets a request wait for
/// room and for the next byte, so that it is the server who says what is wrong.
const PATIENCE: Duration = Duration::from_secs(150);

/// How long a connection is kept for the next call. Shorter than a server keeps it, so that hardly ever one is used that
/// the server has just closed.
const IDLE: Duration = Duration::from_secs(5);

/// An answer that is not a unit, in bytes, at most: a page of the list, or an article of a thousand versions with the
/// longest identifier and address.
const ANSWER_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Where a vault is, and how it is spoken to.
pub struct HttpVaultOptions {
    /// Its address. What the protocol defines stands below it, so that it may have a path of its own.
    pub address: HttpsUrl,
    /// The key that it gave out.
    pub key: ConnectorKey,
    /// The certificate authority that its certificate has to lead to, as PEM. If there is one, it is the only one; if
    /// not, the public authorities are recognised.
    pub authority_pem: Option<Vec<u8>>,
    /// Tells whether a certificate is valid today.
    pub clock: Clock,
}

/// A vault that is reached over HTTPS.
///
/// Its address may be private: the rules on addresses are about publishers. A call is answered by the vault, or fails
/// after a bounded time; nothing is tried twice here. A deposit whose answer was lost is offered again by the depositor,
/// and answered with [`Outcome::AlreadySealed`] if it had been sealed.
pub struct HttpVault {
    /// Taken out only to be let go.
    runtime: Option<Runtime>,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// The address without a slash at its end.
    base: String,
    authorization: HeaderValue,
}

impl HttpVault {
    /// A vault at this address. Nothing is sent yet: [`HttpVault::head`] shows whether it can be reached.
    pub fn new(options: HttpVaultOptions) -> Result<Self, SetupError> {
        let HttpVaultOptions { address, key, authority_pem, clock } = options;
        if address.query().is_some() {
            return Err(SetupError::Address { address: address.to_string() });
        }
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_connect_timeout(Some(CONNECT));
        http.set_nodelay(true);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(client_config(authority_pem.as_deref(), clock)?)
            .https_only()
            .enable_http1()
            .wrap_connector(http);
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("vault-client")
            .enable_all()
            .build()
            .map_err(SetupError::Thread)?;
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .build(connector);
        // A key is hexadecimal, so that this is always a header's value.
        let mut authorization = HeaderValue::try_from(format!("Bearer {}", key.secret()))
            .unwrap_or_else(|_| HeaderValue::from_static("Bearer"));
        authorization.set_sensitive(true);
        let base = address.as_str().trim_end_matches('/').to_owned();
        Ok(Self { runtime: Some(runtime), client, base, authorization })
    }

    /// Its address, without a slash at the end.
    pub fn address(&self) -> &str {
        &self.base
    }

    /// What the vault says of itself.
    pub fn head(&self) -> Result<Head, VaultError> {
        self.look_up("vault", &[], Head::from_json)
    }

    /// Asks for something that is answered with JSON, which `read` reads.
    fn look_up<T>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T, VaultError> {
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
        let mark = if query.is_empty() { "" } else { "?" };
        let path = format!("{path}{mark}{query}");
        let (status, body) = self.exchange(Method::GET, &path, Bytes::new(), ANSWER_BYTES_MAX)?;
        if status == StatusCode::OK {
            let json = serde_json::from_slice(&body).ok();
            return json.as_ref().and_then(read).ok_or_else(|| self.not_a_vaults(status));
        }
        Err(self.refused(status, &body))
    }

    /// What a refused deposit means.
    fn refused_deposit(&self, status: StatusCode, body: &[u8]) -> DepositError {
        refusal(status, body)
            .and_then(|refusal| wire::deposit_error(&refusal))
            .unwrap_or_else(|| self.refused(status, body).into())
    }

    /// What a refused look-up means.
    fn refused(&self, status: StatusCode, body: &[u8]) -> VaultError {
        match refusal(status, body) {
            None => self.not_a_vaults(status),
            Some(refusal) => {
                wire::vault_error(&refusal, &self.base).unwrap_or_else(|| self.failed_with(&refusal))
            }
        }
    }

    fn failed_with(&self, refusal: &Refusal) -> VaultError {
        let reason = refusal.body.get("reason").and_then(Value::as_str).unwrap_or_default();
        let said = format!("{} ({}): {reason}", refusal.status, refusal.code());
        self.failed(said.into())
    }

    fn not_a_vaults(&self, status: StatusCode) -> VaultError {
        self.failed(format!("{status}, and not as a vault answers; is it one?").into())
    }

    fn failed(&self, source: Box<dyn Error + Send + Sync>) -> VaultError {
        VaultError::Store { action: format!("use the vault {}", self.base), source }
    }

    /// One request and its whole answer. The calling thread waits; the work is done on the vault's own runtime, so that
    /// it does not matter what thread that is.
    fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
        answer_bytes_max: usize,
    ) -> Result<(StatusCode, Bytes), VaultError> {
        let patience = PATIENCE + per_mebibyte(body.len().max(answer_bytes_max));
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{ROOT}{path}", self.base))
            .header(USER_AGENT, concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
            .header(AUTHORIZATION, self.authorization.clone());
        let request =
            if body.is_empty() { request } else { request.header(CONTENT_TYPE, "application/warc") };
        let request = request.body(Full::new(body)).map_err(|error| self.failed(error.into()))?;
        let Some(runtime) = &self.runtime else { return Err(self.failed("it was let go".into())) };
        let answering = self.client.request(request);
        let (tell, told) = mpsc::sync_channel(1);
        runtime.spawn(async move {
            let exchange = async {
                let answer = answering.await?;
                let status = answer.status();
                let body = Limited::new(answer.into_body(), answer_bytes_max).collect().await?;
                Ok::<_, Box<dyn Error + Send + Sync>>((status, body.to_bytes()))
            };
            let exchanged = timeout(patience, exchange).await;
            let seconds = patience.as_secs();
            drop(tell.send(
                exchanged.unwrap_or_else(|_| Err(format!("it did not answer within {seconds} s").into())),
            ));
        });
        match told.recv() {
            Ok(Ok(answered)) => Ok(answered),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                Err(self.failed(format!("its answer is over {answer_bytes_max} bytes").into()))
            }
            Ok(Err(error)) => Err(self.failed(error)),
            Err(_) => Err(self.failed("the exchange ended in a panic; please report this".into())),
        }
    }
}

impl Drop for HttpVault {
    fn drop(&mut self) {
        // Waiting for it would panic where this is dropped on another runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for HttpVault {
    /// Shows where the vault is, and nothing of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpVault").field("address", &self.base).finish_non_exhaustive()
    }
}

impl Vault for HttpVault {
    fn deposit(&self, unit: &Unit) -> Result<Outcome, DepositError> {
        let path = format!("deposits/{}", unit.digest());
        let body = Bytes::from_owner(UnitBytes(unit.clone()));
        let (status, body) = self.exchange(Method::PUT, &path, body, ANSWER_BYTES_MAX)?;
        let receipt = || {
            let json: Value = serde_json::from_slice(&body).ok()?;
            Receipt::from_json(&json)
        };
        match status {
            // The receipt of a unit that was just sealed is that unit's; of one that had been, perhaps another's with
            // the same content.
            StatusCode::CREATED => {
                receipt().filter(|receipt| receipt.digest == unit.digest()).map(Outcome::Sealed)
            }
            StatusCode::OK => receipt().map(Outcome::AlreadySealed),
            _ => return Err(self.refused_deposit(status, &body)),
        }
        .ok_or_else(|| self.not_a_vaults(status).into())
    }

    fn takes(&self, source: &str) -> Result<(), DepositError> {
        let query = form_urlencoded::Serializer::new(String::new()).append_pair("source", source).finish();
        let (status, body) =
            self.exchange(Method::GET, &format!("takes?{query}"), Bytes::new(), ANSWER_BYTES_MAX)?;
        if status == StatusCode::OK { Ok(()) } else { Err(self.refused_deposit(status, &body)) }
    }

    fn last_version(&self, key: &ArticleKey) -> Result<Option<Version>, VaultError> {
        self.look_up("versions/last", &article(key), |json| match json.get("version")? {
            Value::Null => Some(None),
            version => wire::version_from_json(version).map(Some),
        })
    }

    fn versions(&self, key: &ArticleKey) -> Result<Vec<Version>, VaultError> {
        self.look_up("versions", &article(key), versions_from_json)
    }

    fn with_identifier(&self, identifier: &str) -> Result<Vec<ArticleKey>, VaultError> {
        self.look_up("articles", &[("identifier", identifier)], keys_from_json)
    }

    fn at_address(&self, address: &str) -> Result<Vec<ArticleKey>, VaultError> {
        self.look_up("articles", &[("address", address)], keys_from_json)
    }

    fn list(&self, from: &Since, count_max: usize) -> Result<Vec<Version>, VaultError> {
        let mut sequence = from.sequence;
        let received_from = from.received_at.map(|at| at.to_string());
        let mut versions = Vec::new();
        while versions.len() < count_max {
            let count = PAGE_COUNT_MAX.min(count_max - versions.len());
            let (after, asked) = (sequence.to_string(), count.to_string());
            let mut query = vec![("after", after.as_str()), ("count", &asked)];
            query.extend(received_from.as_deref().map(|at| ("received_from", at)));
            query.extend(from.source.as_deref().map(|source| ("source", source)));
            let page = self.look_up("deposits", &query, versions_from_json)?;
            let is_last = page.len() < count;
            let last = page.last().map(|version| version.receipt.sequence);
            versions.extend(page);
            match last {
                // A server that does not go on would be asked for ever.
                Some(last) if !is_last && last > sequence => sequence = last,
                _ => break,
            }
        }
        Ok(versions)
    }

    fn read(&self, digest: Sha256) -> Result<Option<Unit>, VaultError> {
        let path = format!("deposits/{digest}");
        let (status, body) = self.exchange(Method::GET, &path, Bytes::new(), UNIT_BYTES_MAX)?;
        match status {
            StatusCode::OK => match Unit::read(&body) {
                Ok(unit) if unit.digest() == digest => Ok(Some(unit)),
                Ok(_) => Err(self.failed("it answered with another unit than was asked for".into())),
                Err(error) => Err(self.failed(error.into())),
            },
            StatusCode::NOT_FOUND
                if refusal(status, &body).is_some_and(|refusal| refusal.code() == "unit-unknown") =>
            {
                Ok(None)
            }
            _ => Err(self.refused(status, &body)),
        }
    }
}

/// A unit's bytes as the body of a request, without a copy.
struct UnitBytes(Unit);

impl AsRef<[u8]> for UnitBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

fn article(key: &ArticleKey) -> [(&str, &str); 2] {
    [("source", key.source()), ("identifier", key.identifier())]
}

fn versions_from_json(json: &Value) -> Option<Vec<Version>> {
    wire::each(json, "versions", wire::version_from_json)
}

fn keys_from_json(json: &Value) -> Option<Vec<ArticleKey>> {
    wire::each(json, "articles", wire::key_from_json)
}

/// An answer that is a vault's refusal.
fn refusal(status: StatusCode, body: &[u8]) -> Option<Refusal> {
    let body: Value = serde_json::from_slice(body).ok()?;
    Some(Refusal { status, body }).filter(|refusal| !refusal.code().is_empty())
}

fn client_config(authority_pem: Option<&[u8]>, clock: Clock) -> Result<ClientConfig, SetupError> {
    let wrong = |why: String| SetupError::Certificate { why };
    let roots = match authority_pem {
        None => RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() },
        Some(pem) => {
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_slice_iter(pem) {
                let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
                roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
            }
            if roots.is_empty() {
                return Err(wrong("there is none in the PEM text".to_owned()));
            }
            roots
        }
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_details(provider, Arc::new(Now(clock)))
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(error.to_string()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// The clock as rustls asks it.
struct Now(Clock);

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
