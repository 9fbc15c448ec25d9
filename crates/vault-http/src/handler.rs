//! One request: who asks, what for, and what the vault says to it.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{
    ALLOW, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use releve_deposit::{
    ConnectorKey, DepositError, KeyRecord, LocalVault, Outcome, Since, UNIT_BYTES_MAX, Unit, Vault as _,
    VaultError, Version,
};
use releve_proof::Sha256;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use crate::answer::Answer;
use crate::bounds::{DRAIN, DRAIN_BYTES_MAX, READS_MAX, THREADS_MAX, UNPACKERS};
use crate::room::weight;
use crate::route::{Query, Route};
use crate::server::{AccessLog, Busy};
use crate::wire::{self, Head, PAGE_COUNT_MAX, Refusal};
use crate::{Access, Bounds};

/// Room is given out in pieces of this size, as a semaphore counts no further than 2³² of anything.
const ROOM_BYTES: u64 = 4096;

/// Answers requests.
pub(crate) struct Handler {
    vault: LocalVault,
    bounds: Bounds,
    log: AccessLog,
    /// Room for bodies as they came, and for sealed units on their way out.
    bodies: Room,
    /// Room for what is unpacked of them.
    unpacked: Room,
    /// Places for work that may wait for the disk.
    threads: Arc<Semaphore>,
    /// Places for look-ups.
    reads: Arc<Semaphore>,
    /// The place of the one who unpacks a sealed unit to read it.
    unpacking: Arc<Semaphore>,
    unpackers: Unpackers,
}

/// The threads on which units are unpacked, and no others.
struct Unpackers(Option<Runtime>);

impl Drop for Unpackers {
    fn drop(&mut self) {
        // Waiting for them would panic where this is dropped on another runtime.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// What is answered, before it is a response.
pub(crate) enum Said {
    Json { status: StatusCode, code: String, body: Value, held: Vec<OwnedSemaphorePermit> },
    Unit { bytes: Bytes, held: Vec<OwnedSemaphorePermit> },
}

/// Why nothing is answered but that.
struct Refused {
    refusal: Refusal,
    failure: Option<String>,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, failure: None }
    }
}

impl From<DepositError> for Refused {
    fn from(error: DepositError) -> Self {
        let refusal = wire::of_deposit(&error);
        let failure = refusal.status.is_server_error().then(|| chain(&error));
        Self { refusal, failure }
    }
}

impl From<VaultError> for Refused {
    fn from(error: VaultError) -> Self {
        let refusal = wire::of_vault(&error);
        let failure = refusal.status.is_server_error().then(|| chain(&error));
        Self { refusal, failure }
    }
}

impl Handler {
    pub(crate) fn new(vault: LocalVault, bounds: Bounds, log: AccessLog) -> io::Result<Self> {
        let unpackers = Builder::new_current_thread()
            .max_blocking_threads(UNPACKERS)
            .thread_name("vault-unpacker")
            .build()?;
        Ok(Self {
            vault,
            bounds,
            log,
            bodies: Room::new(bounds.memory_bytes as u64 / 8),
            unpacked: Room::new(bounds.memory_bytes as u64 / 8 * 3),
            threads: Arc::new(Semaphore::new(THREADS_MAX)),
            reads: Arc::new(Semaphore::new(READS_MAX)),
            unpacking: Arc::new(Semaphore::new(1)),
            unpackers: Unpackers(Some(unpackers)),
        })
    }

    /// Answers a request, and writes its line into the log.
    pub(crate) async fn handle(
        self: Arc<Self>,
        peer: SocketAddr,
        request: Request<Incoming>,
        busy: Busy,
    ) -> Response<Answer> {
        let began = Instant::now();
        let mut line = Line {
            log: Arc::clone(&self.log),
            began,
            access: Access {
                peer,
                key: None,
                method: method_name(request.method()),
                path: None,
                status: None,
                code: "client-gone".to_owned(),
                received_bytes: 0,
                took: std::time::Duration::ZERO,
                failure: None,
            },
        };
        let (head, mut body) = request.into_parts();
        let said = self.answer(&head, &mut body, &mut line.access).await;
        let mut response = match said {
            Ok(Said::Json { status, code, body, held }) => {
                line.answered(status, code);
                json_response(status, &body, held, busy)
            }
            Ok(Said::Unit { bytes, held }) => {
                line.answered(StatusCode::OK, "read".to_owned());
                respond(StatusCode::OK, "application/warc", Answer::new(bytes, held, busy))
            }
            Err(Refused { refusal, failure }) => {
                line.access.failure = failure;
                line.answered(refusal.status, refusal.code().to_owned());
                drain(&head.headers, &mut body).await;
                json_response(refusal.status, &refusal.body, Vec::new(), busy)
            }
        };
        let headers = response.headers_mut();
        match line.access.status {
            Some(StatusCode::UNAUTHORIZED) => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Some(StatusCode::METHOD_NOT_ALLOWED) => {
                headers.insert(ALLOW, HeaderValue::from_static(Route::allowed(head.uri.path())));
            }
            Some(StatusCode::SERVICE_UNAVAILABLE) => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("5"));
            }
            _ => {}
        }
        response
    }

    /// Writes the line of a request whose head was no head; hyper has answered it.
    pub(crate) fn tell_malformed(&self, peer: SocketAddr) {
        (self.log)(&Access {
            peer,
            key: None,
            method: None,
            path: None,
            status: Some(StatusCode::BAD_REQUEST),
            code: "head-malformed".to_owned(),
            received_bytes: 0,
            took: std::time::Duration::ZERO,
            failure: None,
        });
    }

    async fn answer(
        &self,
        head: &http::request::Parts,
        body: &mut Incoming,
        access: &mut Access,
    ) -> Result<Said, Refused> {
        let route = Route::of(&head.method, &head.uri)?;
        access.path = Some(route.path());
        let (key, record) = self.key(&head.headers).await?;
        access.key = Some(record.name.clone());
        match route {
            Route::Deposit(digest) => self.deposit(digest, &key, &head.headers, body, access).await,
            Route::Read(digest) => self.read(digest, record).await,
            Route::Head => self.look_up(|vault| head_of(&vault).map(|head| head.to_json())).await,
            Route::Takes(source) => {
                let vault = self.vault.under_key(&key);
                let asked = source.clone();
                self.work(move || vault.takes(&asked)).await??;
                Ok(Said::Json {
                    status: StatusCode::OK,
                    code: "read".to_owned(),
                    body: json!({ "source": source }),
                    held: Vec::new(),
                })
            }
            Route::LastVersion(key) => {
                may_read(&record, key.source())?;
                self.look_up(move |vault| {
                    let last = vault.last_version(&key)?;
                    Ok(json!({ "version": last.as_ref().map(wire::version_to_json) }))
                })
                .await
            }
            Route::Versions(key) => {
                may_read(&record, key.source())?;
                self.look_up(move |vault| Ok(versions_to_json(&vault.versions(&key)?))).await
            }
            Route::Articles(query) => {
                self.look_up(move |vault| {
                    let mut keys = match query {
                        Query::Identifier(identifier) => vault.with_identifier(&identifier)?,
                        Query::Address(address) => vault.at_address(&address)?,
                    };
                    // What the key does not reach to does not exist for it.
                    keys.retain(|key| permits(&record, key.source()));
                    Ok(json!({ "articles": keys.iter().map(wire::key_to_json).collect::<Vec<_>>() }))
                })
                .await
            }
            Route::List { from, count } => {
                if let Some(source) = &from.source {
                    may_read(&record, source)?;
                }
                let count = count.min(PAGE_COUNT_MAX);
                self.look_up(move |vault| Ok(versions_to_json(&list(&vault, &record, &from, count)?))).await
            }
        }
    }

    /// The key that the request bears, and what the vault knows of it.
    async fn key(&self, headers: &HeaderMap) -> Result<(ConnectorKey, KeyRecord), Refused> {
        let key = bearer(headers).ok_or_else(|| {
            let reason = "the request bears no connector key; send it as `Authorization: Bearer KEY`";
            Refusal::new(StatusCode::UNAUTHORIZED, "key-unknown", reason)
        })?;
        let (vault, asked) = (self.vault.clone(), key.clone());
        let record = self.work(move || vault.control().key(&asked)).await??;
        match record {
            None => Err(DepositError::KeyUnknown.into()),
            Some(KeyRecord { name, revoked_at: Some(_), .. }) => {
                Err(DepositError::KeyRevoked { name }.into())
            }
            Some(record) => Ok((key, record)),
        }
    }

    async fn deposit(
        &self,
        digest: Sha256,
        key: &ConnectorKey,
        headers: &HeaderMap,
        body: &mut Incoming,
        access: &mut Access,
    ) -> Result<Said, Refused> {
        let (bytes, body_room) = self.receive(headers, body, &mut access.received_bytes).await?;
        let (bytes, unpacked) = self
            .work(move || {
                if Sha256::of(&bytes) != digest {
                    let reason = "the bytes that came have another digest than the path names";
                    return Err(Refusal::new(
                        StatusCode::UNPROCESSABLE_ENTITY,
                        "unit-digest-differs",
                        reason,
                    ));
                }
                let unpacked = weight(&bytes).ok_or_else(too_large)?;
                Ok((bytes, unpacked))
            })
            .await??;
        let room = self.unpacked.take(unpacked, &self.bounds).await?;
        let vault = self.vault.under_key(key);
        let (unit, room) = self
            .unpack(move || {
                let unit = Unit::read(&bytes);
                drop((bytes, body_room));
                (unit, room)
            })
            .await?;
        let unit = unit.map_err(DepositError::from)?;
        // What the client does meanwhile does not matter: once begun, it is finished, and the room is given back then.
        let outcome = self
            .work(move || {
                let outcome = vault.deposit(&unit);
                drop(unit);
                drop(room);
                outcome
            })
            .await??;
        let (status, code) = match outcome {
            Outcome::Sealed(_) => (StatusCode::CREATED, "sealed"),
            Outcome::AlreadySealed(_) => (StatusCode::OK, "already-sealed"),
        };
        Ok(Said::Json { status, code: code.to_owned(), body: outcome.receipt().to_json(), held: Vec::new() })
    }

    /// Takes in a body whose length was announced, once there is room for it.
    async fn receive(
        &self,
        headers: &HeaderMap,
        body: &mut Incoming,
        received_bytes: &mut u64,
    ) -> Result<(Vec<u8>, OwnedSemaphorePermit), Refused> {
        let length = announced(headers, body).ok_or_else(|| {
            let reason = "the length of the unit has to be announced with Content-Length";
            Refusal::new(StatusCode::LENGTH_REQUIRED, "length-required", reason)
        })?;
        let length = usize::try_from(length).ok().filter(|length| *length <= UNIT_BYTES_MAX);
        let length = length.ok_or_else(too_large)?;
        let room = self.bodies.take(length as u64, &self.bounds).await?;

        let slow = || {
            let reason = "the unit came too slowly; send it again over a better line";
            Refusal::new(StatusCode::REQUEST_TIMEOUT, "body-slow", reason)
        };
        let deadline = Instant::now() + self.bounds.body(length);
        let mut bytes = Vec::with_capacity(length);
        loop {
            let next = deadline.min(Instant::now() + self.bounds.between_bytes);
            let frame = timeout_at(next, body.frame()).await.map_err(|_| slow())?;
            match frame {
                None => return Ok((bytes, room)),
                Some(Ok(frame)) => bytes.extend_from_slice(&frame.into_data().unwrap_or_default()),
                Some(Err(_)) => {
                    let reason = "the unit was cut off before its announced length";
                    return Err(Refusal::new(StatusCode::BAD_REQUEST, "body-cut", reason).into());
                }
            }
            *received_bytes = bytes.len() as u64;
        }
    }

    async fn read(&self, digest: Sha256, record: KeyRecord) -> Result<Said, Refused> {
        let place = self.place(&self.reads).await?;
        let unpacking = self.place(&self.unpacking).await?;
        let vault = self.vault.clone();
        let found = self
            .unpack(move || {
                let unit = match vault.read(digest) {
                    // Not even that it is withdrawn is told to a key that does not reach to it.
                    Err(VaultError::Withdrawn { article, .. }) if !permits(&record, article.source()) => None,
                    read => read?.filter(|unit| permits(&record, unit.key().source())),
                };
                Ok::<_, VaultError>(unit.map(|unit| unit.bytes().to_vec()))
            })
            .await??;
        let bytes = found.ok_or_else(|| {
            let reason = "the vault has no such unit that this key reaches to";
            Refusal::new(StatusCode::NOT_FOUND, "unit-unknown", reason)
        })?;
        let room = self.bodies.take(bytes.len() as u64, &self.bounds).await?;
        drop(unpacking);
        Ok(Said::Unit { bytes: bytes.into(), held: vec![place, room] })
    }

    /// Asks the vault something whose answer is small.
    async fn look_up(
        &self,
        ask: impl FnOnce(LocalVault) -> Result<Value, VaultError> + Send + 'static,
    ) -> Result<Said, Refused> {
        let place = self.place(&self.reads).await?;
        let vault = self.vault.clone();
        let body = self.work(move || ask(vault)).await??;
        Ok(Said::Json { status: StatusCode::OK, code: "read".to_owned(), body, held: vec![place] })
    }

    /// Does work that may wait for the disk on a thread where it may.
    async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refused> {
        let thread = self.place(&self.threads).await?;
        let worked = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(thread);
            done
        });
        worked.await.map_err(|_| panicked())
    }

    /// Does work that takes the room of what it unpacks. What it takes the allocator keeps for the thread that took it.
    async fn unpack<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let unpackers = self.unpackers.0.as_ref().ok_or_else(panicked)?;
        unpackers.spawn_blocking(work).await.map_err(|_| panicked())
    }

    async fn place(&self, places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Refused> {
        take(places, 1, &self.bounds).await
    }
}

fn panicked() -> Refused {
    Refused {
        refusal: Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "vault-panicked", "the vault failed"),
        failure: Some("a panic; please report this".to_owned()),
    }
}

/// Memory that is given out.
struct Room {
    pieces: Arc<Semaphore>,
    pieces_max: u64,
}

impl Room {
    fn new(bytes: u64) -> Self {
        let pieces_max = (bytes / ROOM_BYTES).clamp(1, u64::from(u32::MAX >> 3));
        let pieces = Arc::new(Semaphore::new(usize::try_from(pieces_max).unwrap_or(1)));
        Self { pieces, pieces_max }
    }

    /// Waits for its turn and for room. What does not fit even alone is refused for good.
    async fn take(&self, bytes: u64, bounds: &Bounds) -> Result<OwnedSemaphorePermit, Refused> {
        let pieces = bytes.div_ceil(ROOM_BYTES);
        let pieces = u32::try_from(pieces).ok().filter(|_| pieces <= self.pieces_max);
        take(&self.pieces, pieces.ok_or_else(too_large)?, bounds).await
    }
}

async fn take(places: &Arc<Semaphore>, count: u32, bounds: &Bounds) -> Result<OwnedSemaphorePermit, Refused> {
    let waiting = timeout(bounds.room_wait, Arc::clone(places).acquire_many_owned(count));
    let Ok(Ok(permit)) = waiting.await else {
        let reason = "the vault has too much in hand; come again";
        return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "vault-busy", reason).into());
    };
    Ok(permit)
}

/// The line that a request leaves in the log, written when it is over: even if the client went before.
struct Line {
    log: AccessLog,
    began: Instant,
    access: Access,
}

impl Line {
    fn answered(&mut self, status: StatusCode, code: String) {
        self.access.status = Some(status);
        self.access.code = code;
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.access.took = self.began.elapsed();
        (self.log)(&self.access);
    }
}

fn too_large() -> Refusal {
    let reason = "the unit is larger, or unpacks to more, than this vault takes";
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "unit-too-large", reason)
}

/// The one connector key in the headers.
fn bearer(headers: &HeaderMap) -> Option<ConnectorKey> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| key.trim_start_matches(' ').parse().ok())?
}

/// The length that was announced: hyper has seen to it that there is one at most, and none beside chunks.
fn announced(headers: &HeaderMap, body: &Incoming) -> Option<u64> {
    headers.contains_key(CONTENT_LENGTH).then(|| body.size_hint().exact()).flatten()
}

/// Reads what is left of a short body that is not wanted, so that its sender gets to read the answer.
async fn drain(headers: &HeaderMap, body: &mut Incoming) {
    let is_short = announced(headers, body).is_some_and(|length| length <= DRAIN_BYTES_MAX);
    // Who waits to be told to go on has not sent anything.
    if !is_short || headers.contains_key(EXPECT) {
        return;
    }
    let drained = async { while let Some(Ok(_)) = body.frame().await {} };
    drop(timeout(DRAIN, drained).await);
}

fn permits(record: &KeyRecord, source: &str) -> bool {
    record.permissions.iter().any(|permission| permission.source == source)
}

fn may_read(record: &KeyRecord, source: &str) -> Result<(), Refused> {
    if permits(record, source) {
        return Ok(());
    }
    let refusal = DepositError::SourceNotPermitted { key: record.name.clone(), name: source.to_owned() };
    Err(refusal.into())
}

fn head_of(vault: &LocalVault) -> Result<Head, VaultError> {
    let head = vault.head()?;
    Ok(Head {
        vault: vault.id().to_owned(),
        is_lab: vault.is_lab(),
        sequence: head.map_or(0, |(sequence, _)| sequence),
        seal: head.map(|(_, seal)| seal),
    })
}

/// A page of what the key reaches to: of each source so many, of which the first so many are kept.
fn list(
    vault: &LocalVault,
    record: &KeyRecord,
    from: &Since,
    count: usize,
) -> Result<Vec<Version>, VaultError> {
    let sources = match &from.source {
        Some(source) => vec![source.clone()],
        None => record.permissions.iter().map(|permission| permission.source.clone()).collect(),
    };
    let mut versions = Vec::new();
    for source in sources {
        versions.extend(vault.list(&Since { source: Some(source), ..from.clone() }, count)?);
        versions.sort_by_key(|version| version.receipt.sequence);
        versions.truncate(count);
    }
    Ok(versions)
}

fn versions_to_json(versions: &[Version]) -> Value {
    json!({ "versions": versions.iter().map(wire::version_to_json).collect::<Vec<_>>() })
}

fn json_response(
    status: StatusCode,
    body: &Value,
    held: Vec<OwnedSemaphorePermit>,
    busy: Busy,
) -> Response<Answer> {
    respond(status, "application/json", Answer::new(body.to_string().into(), held, busy))
}

fn respond(status: StatusCode, media_type: &'static str, answer: Answer) -> Response<Answer> {
    let mut response = Response::new(answer);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// A method as it may be written down: clients can make up others.
fn method_name(method: &Method) -> Option<&'static str> {
    ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"]
        .into_iter()
        .find(|known| method.as_str() == *known)
}

/// An error and what it came from, on one line.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
