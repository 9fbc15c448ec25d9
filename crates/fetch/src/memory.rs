use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use releve_bounds::Bounds;
use releve_proof::{CipherSuite, Protocol, Tls};
use releve_redirect_policy::AdmittedHost;
use tokio::time::{sleep, timeout};

use crate::https::{UNWANTED_BYTES_MAX, belongs, finish};
use crate::{Clock, Connection, Exchange, Fetch, FetchError, Headers, Request, Response, decode};

/// The port without a network: each address is answered with what was put there, after the time it was told to take.
///
/// It opens no socket and waits by the runtime's timers alone, so that a test with a paused runtime plays hours in a
/// moment. It refuses what every fetch refuses (see [`suite`](crate::suite)). A publisher that changes while time goes by
/// is a function of address and instant ([`answer_with`](Self::answer_with)).
///
/// Its connections have a certificate chain of one made-up certificate without evidence, of which nothing can be proved,
/// unless a host was given a handshake that was recorded elsewhere ([`present`](Self::present)).
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// use std::sync::Arc;
/// use releve_fetch::{Clock, Connection, Fetch, MemoryAnswer, MemoryFetch, Request, every_body};
/// # use jiff::Timestamp;
/// # struct Stopped;
/// # impl Clock for Stopped { fn now(&self) -> Timestamp { Timestamp::UNIX_EPOCH } }
///
/// let fetch = MemoryFetch::new(Arc::new(Stopped));
/// fetch.put("https://www.example.org/a", MemoryAnswer::new(200, "text/html", "<p>hello</p>"));
///
/// let url = "https://www.example.org/a".parse()?;
/// let host = releve_redirect_policy::AdmittedHosts::parse(["www.example.org"])?.admit(&url)?;
/// let user_agent = "Example/1 (+https://example.org; bot@example.org)".parse()?;
/// let bounds = Default::default();
/// let request = Request {
///     url: &url,
///     user_agent: &user_agent,
///     accept: "text/html",
///     access: None,
///     bounds: &bounds,
///     wanted: &every_body,
/// };
/// let exchange = fetch.connect(&host, &bounds).await?.send(request).await;
/// assert_eq!(exchange.outcome?.body?.decoded, "<p>hello</p>");
/// assert_eq!(fetch.asked()[0].url, "https://www.example.org/a");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct MemoryFetch {
    clock: Arc<dyn Clock>,
    world: Arc<Mutex<World>>,
}

/// What a publisher answers at an address at an instant, if it has anything there.
type Publisher = dyn Fn(&str, Timestamp) -> Option<MemoryAnswer> + Send + Sync;

#[derive(Default)]
struct World {
    answers: BTreeMap<String, MemoryAnswer>,
    publisher: Option<Arc<Publisher>>,
    presented: BTreeMap<String, Arc<Tls>>,
    unreachable: BTreeMap<String, fn(String) -> FetchError>,
    asked: Vec<MemoryAsked>,
    connections: u64,
}

impl MemoryFetch {
    /// A fetch that answers `404` everywhere, and takes its instants from this clock.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, world: Arc::default() }
    }

    /// Answers an address so from now on.
    pub fn put(&self, url: &str, answer: MemoryAnswer) {
        self.world().answers.insert(url.to_owned(), answer);
    }

    /// Asks `publisher` for every answer that was not [put](Self::put), with the address and the instant at which the
    /// request is sent; `None` is a `404`. It is the last one given that is asked.
    pub fn answer_with(
        &self,
        publisher: impl Fn(&str, Timestamp) -> Option<MemoryAnswer> + Send + Sync + 'static,
    ) {
        self.world().publisher = Some(Arc::new(publisher));
    }

    /// Presents this handshake on every connection to the host that it names, from now on.
    pub fn present(&self, tls: Tls) {
        self.world().presented.insert(tls.server_name.clone(), Arc::new(tls));
    }

    /// Lets no connection to a host be made from now on; the error is made of the host's name.
    pub fn unreachable(&self, host: &str, error: fn(String) -> FetchError) {
        self.world().unreachable.insert(host.to_owned(), error);
    }

    /// Every request that was sent, in the order of sending.
    pub fn asked(&self) -> Vec<MemoryAsked> {
        self.world().asked.clone()
    }

    /// How many connections were made.
    pub fn connections(&self) -> u64 {
        self.world().connections
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MemoryFetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryFetch").finish_non_exhaustive()
    }
}

/// A request that a [`MemoryFetch`] was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryAsked {
    /// The address.
    pub url: String,
    /// The User-Agent.
    pub user_agent: String,
    /// The media types that were accepted.
    pub accept: String,
    /// The name of the access header, if one was sent.
    pub access: Option<String>,
    /// Which connection it came over, counted from 1.
    pub connection: u64,
    /// When it was sent, by the fetch's clock.
    pub sent_at: Timestamp,
}

/// What a [`MemoryFetch`] answers: a response, how long it takes, and whether the connection outlives it.
#[derive(Clone, Debug)]
pub struct MemoryAnswer {
    status: u16,
    headers: Headers,
    received: Bytes,
    cut: bool,
    takes: Duration,
    closes: bool,
}

impl MemoryAnswer {
    /// This status with this media type and body, at once.
    pub fn new(status: u16, media_type: &str, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            headers: [("content-type", media_type)].into_iter().collect(),
            received: body.into(),
            cut: false,
            takes: Duration::ZERO,
            closes: false,
        }
    }

    /// One more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let more = [(name, value.as_bytes())];
        self.headers = self.headers.iter().chain(more).collect();
        self
    }

    /// The head comes after this time; the body with it.
    #[must_use]
    pub fn takes(mut self, time: Duration) -> Self {
        self.takes = time;
        self
    }

    /// The connection ends before the body is whole.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.cut = true;
        self
    }

    /// The connection ends after the body.
    #[must_use]
    pub fn closes(mut self) -> Self {
        self.closes = true;
        self
    }
}

/// A connection of a [`MemoryFetch`].
pub struct MemoryConnection {
    fetch: MemoryFetch,
    host: AdmittedHost,
    number: u64,
    tls: Arc<Tls>,
    open: bool,
    last_sent_at: Option<Timestamp>,
}

impl Fetch for MemoryFetch {
    type Connection = MemoryConnection;

    async fn connect(&self, host: &AdmittedHost, _bounds: &Bounds) -> Result<MemoryConnection, FetchError> {
        let mut world = self.world();
        if let Some(error) = world.unreachable.get(host.host()) {
            return Err(error(host.host().to_owned()));
        }
        world.connections = world.connections.saturating_add(1);
        let tls = match world.presented.get(host.host()) {
            Some(recorded) => Arc::clone(recorded),
            None => Arc::new(made_up(host.host())?),
        };
        Ok(MemoryConnection {
            fetch: self.clone(),
            host: host.clone(),
            number: world.connections,
            tls,
            open: true,
            last_sent_at: None,
        })
    }
}

fn made_up(host: &str) -> Result<Tls, FetchError> {
    let cipher_suite = CipherSuite::from_code(0x1301)
        .ok_or_else(|| FetchError::HandshakeNotProvable { host: host.to_owned(), why: String::new() })?;
    Ok(Tls {
        protocol: Protocol::Tls13,
        cipher_suite,
        server_name: host.to_owned(),
        presented: vec![b"made up".to_vec()],
        ocsp: None,
        evidence: None,
    })
}

impl Connection for MemoryConnection {
    fn is_open(&mut self) -> bool {
        self.open
    }

    async fn send(&mut self, request: Request<'_>) -> Exchange {
        if let Err(error) = belongs(&self.host, &request) {
            return Exchange { sent_at: None, outcome: Err(error) };
        }
        if !std::mem::take(&mut self.open) {
            return Exchange { sent_at: None, outcome: Err(FetchError::Closed) };
        }
        let sent_at = self.fetch.clock.now();
        self.last_sent_at = Some(sent_at);
        let url = request.url.as_str();
        let (put, publisher) = {
            let mut world = self.fetch.world();
            world.asked.push(MemoryAsked {
                url: url.to_owned(),
                user_agent: request.user_agent.as_str().to_owned(),
                accept: request.accept.to_owned(),
                access: request.access.map(|access| access.name().to_owned()),
                connection: self.number,
                sent_at,
            });
            (world.answers.get(url).cloned(), world.publisher.clone())
        };
        let answer = put.or_else(|| publisher?(url, sent_at));
        let answer = answer.unwrap_or_else(|| MemoryAnswer::new(404, "text/plain", ""));
        let after = request.bounds.head();
        let outcome = match timeout(after, sleep(answer.takes)).await {
            Err(_) => Err(FetchError::HeadDeadline { after }),
            Ok(()) => self.respond(answer, &request),
        };
        Exchange { sent_at: Some(sent_at), outcome }
    }

    fn last_sent_at(&self) -> Option<Timestamp> {
        self.last_sent_at
    }
}

impl MemoryConnection {
    fn respond(&mut self, answer: MemoryAnswer, request: &Request<'_>) -> Result<Response, FetchError> {
        let MemoryAnswer { status, headers, received, cut, closes, .. } = answer;
        let bounds = request.bounds;
        let announced = u64::try_from(received.len()).unwrap_or(u64::MAX);
        let body = decode::declared(&headers).and_then(|coding| {
            if !(request.wanted)(status, &headers) && announced > UNWANTED_BYTES_MAX {
                Err(FetchError::Unwanted)
            } else if received.len() > bounds.received_bytes() {
                Err(FetchError::ReceivedTooLarge { max: bounds.received_bytes() })
            } else if cut {
                Err(FetchError::LengthShort { announced, received: 0 })
            } else {
                self.open = !closes;
                finish(coding, &received, bounds.decoded_bytes())
            }
        });
        if request.access.is_some_and(|access| access.is_echoed(&headers, body.as_ref().ok())) {
            self.open = false;
            return Err(FetchError::SecretEchoed);
        }
        let read_at = self.fetch.clock.now();
        Ok(Response { status, headers, body, tls: Arc::clone(&self.tls), read_at })
    }
}
