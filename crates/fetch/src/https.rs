//! The adapter over hyper and rustls: one connection, one request at a time, everything bounded.

use std::error::Error;
use std::future::{Future, Ready, poll_fn, ready};
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, ACCEPT_ENCODING, HOST, HeaderValue, TRANSFER_ENCODING, USER_AGENT};
use http::{Method, Uri};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::rt::TokioIo;
use jiff::Timestamp;
use releve_bounds::Bounds;
use releve_proof::Tls;
use releve_redirect_policy::AdmittedHost;
use rustls::client::Resumption;
use rustls::time_provider::TimeProvider;
use rustls::{CertificateError, ClientConfig, HandshakeKind};
use rustls_pki_types::UnixTime;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tower_service::Service;

use crate::tap::{End, Plain, Refused, Socket, Tap};
use crate::{
    Body, Clock, Coding, Connection, Exchange, Fetch, FetchError, Headers, Network, Request, Response, decode,
};

/// How long a body that nobody wants may be to be read all the same, because the connection then serves again: about
/// what a handshake with a chain of certificates costs both sides, and one TLS record (RFC 8446, 5.1).
pub(crate) const UNWANTED_BYTES_MAX: u64 = 16 * 1024;

/// hyper's own lower limit for the buffer into which it reads.
const BUFFER_BYTES_MIN: usize = 8 * 1024;
/// The size in hexadecimal, two line ends and some room, for each piece of a chunked body.
const CHUNK_FRAMING_BYTES: usize = 16;

/// How many of a host's addresses are tried. Who writes a name's DNS may put thousands of other people's addresses there,
/// and none of them has asked to be knocked at; a host of its own rarely has more than four, in both versions of IP.
const ADDRESSES_MAX: usize = 8;

type Stream = Plain<tokio_rustls::client::TlsStream<TokioIo<TokioIo<Socket<TcpStream>>>>>;

/// Fetches over HTTP/1.1 and TLS from one [`Network`].
#[derive(Clone)]
pub struct HttpsFetch {
    network: Network,
    clock: Arc<dyn Clock>,
    config: Arc<ClientConfig>,
}

impl HttpsFetch {
    /// A fetch over this network. Certificates are judged, and instants taken, by this clock.
    pub fn new(network: Network, clock: Arc<dyn Clock>) -> Self {
        let config = client_config(&network, &clock);
        Self { network, clock, config: Arc::new(config) }
    }

    /// Whether this fetch reaches a lab instead of the internet.
    pub fn is_lab(&self) -> bool {
        self.network.is_lab()
    }

    /// Opens TCP to the first of the addresses that takes it, a few at most. Each has an equal share of the time that is left, so that
    /// one that is silent does not use up that of the others.
    async fn dial(&self, host: &AdmittedHost, deadline: Instant) -> Result<TcpStream, FetchError> {
        let addresses = self.network.addresses(host).await?;
        let mut failure = None;
        let tries = addresses.len().min(ADDRESSES_MAX);
        for (tried, address) in addresses.iter().take(tries).enumerate() {
            let left = deadline.saturating_duration_since(Instant::now());
            let share = left / u32::try_from(tries.saturating_sub(tried)).unwrap_or(1).max(1);
            match timeout(share, self.network.dial(*address)).await {
                Ok(Ok(stream)) if leads_to(&stream, *address) => return Ok(stream),
                Ok(Ok(_)) => return Err(FetchError::OtherPeer { host: host.host().to_owned() }),
                Ok(Err(error)) => failure = Some(error),
                Err(_) => {}
            }
        }
        match failure {
            Some(source) => Err(FetchError::NotConnected { host: host.host().to_owned(), source }),
            // Every address was silent, so that the deadline is there.
            None => std::future::pending().await,
        }
    }

    /// Agrees on TLS over a dialled stream and keeps what shows it.
    async fn open(
        &self,
        host: &AdmittedHost,
        stream: TcpStream,
        bounds: &Bounds,
    ) -> Result<HttpsConnection, FetchError> {
        let name = || host.host().to_owned();
        // A request is one small write; waiting for more to send with it would only delay it.
        stream.set_nodelay(true).map_err(|source| FetchError::NotConnected { host: name(), source })?;
        let tap = Tap::new(Arc::clone(&self.clock));
        let mut config = ClientConfig::clone(&self.config);
        config.key_log = Arc::<Tap>::clone(&tap);
        let socket = TokioIo::new(Socket::new(stream, Arc::clone(&tap)));
        let mut connector: HttpsConnector<Dialled> = HttpsConnectorBuilder::new()
            .with_tls_config(config)
            .https_only()
            .enable_http1()
            .wrap_connector(Dialled(Some(socket)));
        let uri = Uri::try_from(format!("https://{}/", host.authority()))
            .map_err(|_| FetchError::RequestNotWritable { what: "the host" })?;
        let stream =
            connector.call(uri).await.map_err(|error| handshake_error(host.host(), error.as_ref()))?;
        let MaybeHttpsStream::Https(stream) = stream else {
            return Err(FetchError::Tls { host: name(), why: "the connector did without it".to_owned() });
        };
        let stream = stream.into_inner();

        let (_, session) = stream.get_ref();
        if session.handshake_kind() == Some(HandshakeKind::Resumed) {
            return Err(FetchError::SessionResumed { host: name() });
        }
        let not_provable = |why: String| FetchError::HandshakeNotProvable { host: name(), why };
        let handshake = tap.take_handshake();
        let tls = Tls::from_wire(host.host(), &handshake.wire())
            .map_err(|error| not_provable(error.to_string()))?;
        let judged = session.peer_certificates().unwrap_or_default();
        if !tls.presented.iter().map(Vec::as_slice).eq(judged.iter().map(AsRef::as_ref)) {
            return Err(not_provable(
                "the certificates on the wire are not those that were judged".to_owned(),
            ));
        }

        let mut builder = http1::Builder::new();
        builder
            .title_case_headers(true)
            .max_headers(bounds.header_count())
            .max_header_size(bounds.head_bytes())
            .max_buf_size(bounds.head_bytes().max(BUFFER_BYTES_MIN));
        let (sender, driver) = builder
            .handshake(TokioIo::new(Plain::new(stream, Arc::clone(&tap))))
            .await
            .map_err(|_| FetchError::ConnectionLost { source: None })?;
        Ok(HttpsConnection {
            host: host.clone(),
            http: Some(Http { sender, driver }),
            tls: Arc::new(tls),
            tap,
            clock: Arc::clone(&self.clock),
            head_bytes_max: bounds.head_bytes(),
            header_count_max: bounds.header_count(),
            spent: Duration::ZERO,
        })
    }
}

impl Fetch for HttpsFetch {
    type Connection = HttpsConnection;

    /// Also binds the connection to the bounds of a head: its bytes, and the number of its headers.
    async fn connect(&self, host: &AdmittedHost, bounds: &Bounds) -> Result<HttpsConnection, FetchError> {
        let began = Instant::now();
        let deadline = began + bounds.connect();
        let opened = timeout_at(deadline, async {
            let stream = self.dial(host, deadline).await?;
            self.open(host, stream, bounds).await
        });
        let mut connection = opened.await.unwrap_or_else(|_| {
            Err(FetchError::ConnectDeadline { host: host.host().to_owned(), after: bounds.connect() })
        })?;
        connection.spent = began.elapsed();
        Ok(connection)
    }
}

/// A connection of [`HttpsFetch`]. Nothing runs on it in the background: it moves when it is asked to.
pub struct HttpsConnection {
    host: AdmittedHost,
    /// Gone once the connection can carry nothing more; taken out while a request is under way.
    http: Option<Http>,
    tls: Arc<Tls>,
    tap: Arc<Tap>,
    clock: Arc<dyn Clock>,
    /// The bounds of a head that hyper was told.
    head_bytes_max: usize,
    header_count_max: usize,
    /// How long connecting took; it counts towards the first request's whole.
    spent: Duration,
}

/// hyper's two ends of a connection: where requests go in, and what moves bytes.
struct Http {
    sender: http1::SendRequest<Empty<Bytes>>,
    driver: http1::Connection<TokioIo<Stream>, Empty<Bytes>>,
}

impl Connection for HttpsConnection {
    fn is_open(&mut self) -> bool {
        let open = self.http.as_mut().is_some_and(|http| {
            // An idle connection reads: the end of the stream and bytes that nobody asked for both finish it.
            let finished =
                Pin::new(&mut http.driver).poll(&mut Context::from_waker(Waker::noop())).is_ready();
            !finished && http.sender.is_ready()
        });
        if !open {
            self.http = None;
        }
        open
    }

    async fn send(&mut self, request: Request<'_>) -> Exchange {
        let unsent = |error| Exchange { sent_at: None, outcome: Err(error) };
        let message = match self.message(&request) {
            Ok(message) => message,
            Err(error) => return unsent(error),
        };
        if !self.is_open() {
            return unsent(FetchError::Closed);
        }
        let Some(http) = self.http.take() else { return unsent(FetchError::Closed) };
        let outcome = self.exchange(http, message, &request).await;
        Exchange { sent_at: self.tap.sent_at(), outcome }
    }

    fn last_sent_at(&self) -> Option<Timestamp> {
        self.tap.sent_at()
    }
}

impl HttpsConnection {
    /// The request as it will be written, if it may be sent here at all.
    fn message(&self, request: &Request<'_>) -> Result<http::Request<Empty<Bytes>>, FetchError> {
        belongs(&self.host, request)?;
        let url = request.url;
        let value = |what, text: &str| {
            HeaderValue::from_str(text).map_err(|_| FetchError::RequestNotWritable { what })
        };
        let target = Uri::try_from(url.path_and_query())
            .map_err(|_| FetchError::RequestNotWritable { what: "the address" })?;
        let mut message = http::Request::new(Empty::new());
        *message.method_mut() = Method::GET;
        *message.uri_mut() = target;
        let headers = message.headers_mut();
        headers.insert(HOST, value("the host", url.authority())?);
        headers.insert(USER_AGENT, value("User-Agent", request.user_agent.as_str())?);
        headers.insert(ACCEPT, value("Accept", request.accept)?);
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if let Some(access) = request.access {
            let (name, value) = access.header();
            headers.insert(name, value);
        }
        let tap = Arc::clone(&self.tap);
        hyper::ext::on_informational(&mut message, move |_| tap.interim());
        Ok(message)
    }

    /// Sends the message and reads the response. The connection is kept only if the response came whole.
    async fn exchange(
        &mut self,
        mut http: Http,
        message: http::Request<Empty<Bytes>>,
        request: &Request<'_>,
    ) -> Result<Response, FetchError> {
        let bounds = request.bounds;
        self.tap.begin(self.socket_bytes_max(bounds), bounds.interim_responses());
        let began = Instant::now();
        let whole = Deadline {
            at: began + bounds.whole().saturating_sub(std::mem::take(&mut self.spent)),
            error: || FetchError::WholeDeadline { after: bounds.whole() },
        };
        let head = Deadline {
            at: began + bounds.head(),
            error: || FetchError::HeadDeadline { after: bounds.head() },
        };

        let sending = http.sender.send_request(message);
        let sent = if head.at < whole.at {
            drive(&mut http.driver, sending, &self.tap, &head, bounds.between_bytes()).await?
        } else {
            drive(&mut http.driver, sending, &self.tap, &whole, bounds.between_bytes()).await?
        };
        let (parts, incoming) = sent.map_err(|error| self.head_error(&error, bounds))?.into_parts();
        if self.tap.refused().is_some() {
            return Err(self.refused(bounds));
        }
        let status = parts.status.as_u16();
        if status > 599 {
            return Err(FetchError::StatusUnknown { status });
        }
        let headers: Headers = parts.headers.iter().map(|(name, value)| (name, value.as_bytes())).collect();

        let wanted = (request.wanted)(status, &headers);
        let read = if status == 101 {
            Err(FetchError::Switched)
        } else {
            self.read(&mut http, &headers, incoming, wanted, bounds, &whole).await
        };
        let read_at = self.clock.now();
        let body = match read {
            Ok((coding, received)) => {
                self.http = Some(http);
                undo(coding, received, bounds, &whole).await
            }
            Err(error) => Err(error),
        };
        if request.access.is_some_and(|access| access.is_echoed(&headers, body.as_ref().ok())) {
            self.http = None;
            return Err(FetchError::SecretEchoed);
        }
        Ok(Response { status, headers, body, tls: Arc::clone(&self.tls), read_at })
    }

    /// Reads the body as it comes, if its framing and coding leave no doubt.
    async fn read(
        &self,
        http: &mut Http,
        headers: &Headers,
        mut incoming: Incoming,
        wanted: bool,
        bounds: &Bounds,
        whole: &Deadline<impl Fn() -> FetchError>,
    ) -> Result<(Coding, Bytes), FetchError> {
        let framing = framing(headers, &incoming)?;
        let short = matches!(framing, Framing::Length(length) if length <= UNWANTED_BYTES_MAX);
        if !wanted && !short {
            return Err(FetchError::Unwanted);
        }
        let coding = decode::declared(headers)?;
        let too_large = || FetchError::ReceivedTooLarge { max: bounds.received_bytes() };
        let announced = match framing {
            Framing::Length(length) => usize::try_from(length).unwrap_or(usize::MAX),
            Framing::Chunked | Framing::UntilEnd => 0,
        };
        if announced > bounds.received_bytes() {
            return Err(too_large());
        }
        let mut received = BytesMut::with_capacity(announced);
        let mut frames = 0_usize;
        loop {
            let frame =
                drive(&mut http.driver, incoming.frame(), &self.tap, whole, bounds.between_bytes()).await?;
            let data = match frame {
                None => return Ok((coding, received.freeze())),
                Some(Err(_)) => return Err(self.body_error(framing, received.len(), bounds)),
                Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            };
            frames = frames.saturating_add(1);
            if frames > bounds.frames() {
                return Err(FetchError::TooManyFrames { max: bounds.frames() });
            }
            if received.len().saturating_add(data.len()) > bounds.received_bytes() {
                return Err(too_large());
            }
            received.extend_from_slice(&data);
        }
    }

    /// The most that may come over the socket in one exchange: every head at its largest, trailers as large, the body,
    /// and the framing of its pieces. The finer bounds are counted where hyper hands things over; this one holds for
    /// what it does not hand over.
    fn socket_bytes_max(&self, bounds: &Bounds) -> usize {
        let heads = bounds.interim_responses().saturating_add(2).saturating_mul(self.head_bytes_max);
        let framing = bounds.frames().saturating_mul(CHUNK_FRAMING_BYTES);
        heads.saturating_add(framing).saturating_add(bounds.received_bytes())
    }

    fn refused(&self, bounds: &Bounds) -> FetchError {
        match self.tap.refused() {
            Some(Refused::Interim) => FetchError::TooManyInterim { max: bounds.interim_responses() },
            Some(Refused::Bytes) | None => FetchError::ReceivedTooLarge { max: bounds.received_bytes() },
        }
    }

    /// Why no head came.
    fn head_error(&self, error: &hyper::Error, bounds: &Bounds) -> FetchError {
        if self.tap.refused().is_some() {
            self.refused(bounds)
        } else if error.is_parse() && error.to_string().contains("too large") {
            // hyper's predicate for this comes with its server alone; a test holds it to its words.
            FetchError::HeadTooLarge { bytes_max: self.head_bytes_max, headers_max: self.header_count_max }
        } else if error.is_parse() {
            FetchError::HeadMalformed
        } else if error.is_canceled() && self.tap.sent_at().is_none() {
            FetchError::Closed
        } else {
            self.lost()
        }
    }

    /// Why a body ended before it was whole: what the framing still expected, and how the connection ended.
    fn body_error(&self, framing: Framing, received: usize, bounds: &Bounds) -> FetchError {
        if self.tap.refused().is_some() {
            return self.refused(bounds);
        }
        match (self.tap.end(), framing) {
            (End::Open, Framing::Chunked) => FetchError::ChunkedMalformed,
            (End::Open | End::Broken(_), _) => self.lost(),
            (End::Notified | End::Unnotified, Framing::Length(announced)) => {
                FetchError::LengthShort { announced, received: u64::try_from(received).unwrap_or(u64::MAX) }
            }
            (End::Notified | End::Unnotified, Framing::Chunked) => FetchError::ChunkedCut,
            (End::Notified | End::Unnotified, Framing::UntilEnd) => FetchError::EndNotAuthentic,
        }
    }

    fn lost(&self) -> FetchError {
        match self.tap.end() {
            End::Broken(kind) => FetchError::ConnectionLost { source: Some(io::Error::from(kind)) },
            End::Open | End::Notified | End::Unnotified => FetchError::ConnectionLost { source: None },
        }
    }
}

/// Refuses a request that does not belong on a connection to this host, and a credential that does not belong there.
pub(crate) fn belongs(host: &AdmittedHost, request: &Request<'_>) -> Result<(), FetchError> {
    let asked = || request.url.authority().to_owned();
    if request.url.authority() != host.authority() {
        return Err(FetchError::OtherHost { asked: asked(), connected: host.authority().to_owned() });
    }
    match request.access {
        Some(access) if !access.is_for(host.host(), host.port()) => {
            Err(FetchError::AccessElsewhere { given_for: access.given_for(), asked: asked() })
        }
        _ => Ok(()),
    }
}

/// An instant that must not pass, and what it is called if it does.
struct Deadline<E> {
    at: Instant,
    error: E,
}

/// Runs hyper's connection and a future that waits for it, until the future is done, the deadline passes, or nothing
/// more comes for too long once something came.
async fn drive<F: Future>(
    driver: &mut http1::Connection<TokioIo<Stream>, Empty<Bytes>>,
    future: F,
    tap: &Tap,
    deadline: &Deadline<impl Fn() -> FetchError>,
    still: Duration,
) -> Result<F::Output, FetchError> {
    let mut future = pin!(future);
    let mut seen = tap.read_bytes();
    let mut still_at = if seen > 0 { Instant::now() + still } else { deadline.at };
    let mut sleep = pin!(tokio::time::sleep_until(still_at.min(deadline.at)));
    let mut finished = false;
    poll_fn(|cx| {
        // How hyper's side ends does not matter here: the future is told, and the tap knows why.
        finished = finished || Pin::new(&mut *driver).poll(cx).is_ready();
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(Ok(output));
        }
        if tap.read_bytes() != seen {
            seen = tap.read_bytes();
            still_at = Instant::now() + still;
            sleep.as_mut().reset(still_at.min(deadline.at));
        }
        std::task::ready!(sleep.as_mut().poll(cx));
        Poll::Ready(Err(if still_at < deadline.at {
            FetchError::SilenceDeadline { after: still }
        } else {
            (deadline.error)()
        }))
    })
    .await
}

/// How the end of a body is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    Length(u64),
    Chunked,
    UntilEnd,
}

/// The framing of a body: chunked where the headers say so and nothing else of the kind, or the length that hyper found
/// (one, whole, and none beside chunked; zero where the status allows no body), or none.
fn framing(headers: &Headers, incoming: &Incoming) -> Result<Framing, FetchError> {
    let mut codings = headers.all(TRANSFER_ENCODING.as_str());
    match (codings.next(), codings.next(), incoming.size_hint().exact()) {
        (Some(coding), None, _) if coding.trim_ascii().eq_ignore_ascii_case(b"chunked") => {
            Ok(Framing::Chunked)
        }
        (Some(_), ..) => Err(FetchError::TransferCoding),
        (None, _, Some(length)) => Ok(Framing::Length(length)),
        (None, ..) => Ok(Framing::UntilEnd),
    }
}

/// The body that came. Undoing a coding is work, so that it is done where work may block; a decoder that panics over
/// what it was given has not decoded it.
async fn undo(
    coding: Coding,
    received: Bytes,
    bounds: &Bounds,
    whole: &Deadline<impl Fn() -> FetchError>,
) -> Result<Body, FetchError> {
    let decoded_bytes_max = bounds.decoded_bytes();
    if coding == Coding::Identity {
        return finish(coding, &received, decoded_bytes_max);
    }
    let work = tokio::task::spawn_blocking(move || finish(coding, &received, decoded_bytes_max));
    match timeout_at(whole.at, work).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => Err(FetchError::CodingBroken { coding: coding.as_str() }),
        Err(_) => Err((whole.error)()),
    }
}

/// Digest, length and decoded bytes of what came.
pub(crate) fn finish(coding: Coding, received: &Bytes, decoded_bytes_max: usize) -> Result<Body, FetchError> {
    let decoded = decode::decode(coding, received, decoded_bytes_max)?;
    let digest = ring::digest::digest(&ring::digest::SHA256, received);
    let mut received_sha256 = [0_u8; 32];
    received_sha256.copy_from_slice(digest.as_ref());
    let received_len = u64::try_from(received.len()).unwrap_or(u64::MAX);
    Ok(Body { received_sha256, received_len, coding, decoded })
}

/// What is offered in a handshake, and what is recognised: everything of a connection but its own tap.
fn client_config(network: &Network, clock: &Arc<dyn Clock>) -> ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let time = Arc::new(Now(Arc::clone(clock)));
    let mut config = ClientConfig::builder_with_details(provider, time)
        .with_safe_default_protocol_versions()
        .expect("ring has cipher suites for both versions of TLS")
        .with_root_certificates(Arc::clone(&network.roots))
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    config
}

/// The clock as rustls asks it.
struct Now(Arc<dyn Clock>);

impl std::fmt::Debug for Now {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Now")
    }
}

impl TimeProvider for Now {
    fn current_time(&self) -> Option<UnixTime> {
        let seconds = u64::try_from(self.0.now().as_second()).ok()?;
        Some(UnixTime::since_unix_epoch(Duration::from_secs(seconds)))
    }
}

/// A connector's lower half that has its connection already: dialling was done, and checked, before.
struct Dialled(Option<TokioIo<Socket<TcpStream>>>);

impl Service<Uri> for Dialled {
    type Response = TokioIo<Socket<TcpStream>>;
    type Error = io::Error;
    type Future = Ready<io::Result<Self::Response>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _uri: Uri) -> Self::Future {
        ready(self.0.take().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected)))
    }
}

/// Whether the other end of a stream is the address that was dialled. A scope or flow label of IPv6 is none of it.
fn leads_to(stream: &TcpStream, dialled: SocketAddr) -> bool {
    stream.peer_addr().is_ok_and(|peer| (peer.ip(), peer.port()) == (dialled.ip(), dialled.port()))
}

/// Why TLS was not agreed on. rustls' error lies inside the connector's, inside one or two of `io`.
fn handshake_error(host: &str, error: &(dyn Error + 'static)) -> FetchError {
    let host = host.to_owned();
    let mut current = Some(error);
    while let Some(error) = current {
        if let Some(rustls::Error::InvalidCertificate(error)) = error.downcast_ref() {
            return certificate_error(host, error);
        }
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            return FetchError::Tls { host, why: error.to_string() };
        }
        current = match error.downcast_ref::<io::Error>() {
            Some(error) => error.get_ref().map(|inner| -> &(dyn Error + 'static) { inner }),
            None => error.source(),
        };
    }
    FetchError::Tls { host, why: error.to_string() }
}

fn certificate_error(host: String, error: &CertificateError) -> FetchError {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            FetchError::CertificateExpired { host }
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            FetchError::CertificateNotYetValid { host }
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            FetchError::CertificateName { host }
        }
        CertificateError::UnknownIssuer => FetchError::CertificateAuthority { host },
        other => {
            // What webpki says of most certificates that somebody signed himself; it has no variant in rustls.
            let why = other.to_string();
            let why = if why.contains("CaUsedAsEndEntity") {
                "it is the certificate of an authority, as one that signed itself is".to_owned()
            } else {
                why
            };
            FetchError::CertificateInvalid { host, why }
        }
    }
}
