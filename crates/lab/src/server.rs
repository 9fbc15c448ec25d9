use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::answer::{Answer, Reply, Step};
use crate::authority::{Always, Authority};
use crate::host::{Host, Otherwise, Versions};
use crate::record::Asked;
use crate::{LabError, lock};

/// No client under test sends a longer head; what does is cut off.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// How much of a repeated unit is written at once, so that a million small ones are not a million records.
const BATCH_BYTES: usize = 16 * 1024;

/// What a lab has seen, over all its hosts.
#[derive(Default)]
pub(crate) struct Log {
    connections: AtomicU64,
    requests: Mutex<Vec<Asked>>,
}

impl Log {
    pub(crate) fn requests(&self) -> Vec<Asked> {
        lock(&self.requests).clone()
    }

    pub(crate) fn connections(&self) -> u64 {
        self.connections.load(Ordering::SeqCst)
    }
}

/// A host as it is served.
pub(crate) struct Served {
    name: String,
    acceptor: TlsAcceptor,
    instead_of_tls: Option<Answer>,
    answers: Mutex<BTreeMap<String, VecDeque<Answer>>>,
    otherwise: Option<Otherwise>,
    log: Arc<Log>,
}

impl Served {
    pub(crate) fn new(host: Host, authority: &Authority, log: Arc<Log>) -> Result<Self, LabError> {
        let name = host.name().to_owned();
        let key = authority.issue(&name, host.certificate, &host.staple)?;
        let versions = match host.versions {
            Versions::Both => rustls::ALL_VERSIONS,
            Versions::Tls12 => &[&rustls::version::TLS12],
            Versions::Tls13 => &[&rustls::version::TLS13],
        };
        // Sessions can be resumed, as at most servers: a client that must not resume has to see to it itself.
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(versions)
            .map_err(|error| LabError::Certificate { name: name.clone(), reason: error.to_string() })?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(Always(Arc::new(key))));
        Ok(Self {
            name,
            acceptor: TlsAcceptor::from(Arc::new(config)),
            instead_of_tls: host.instead_of_tls,
            answers: Mutex::new(host.answers),
            otherwise: host.otherwise,
            log,
        })
    }

    pub(crate) fn put(&self, target: &str, answer: Answer) {
        lock(&self.answers).insert(target.to_owned(), VecDeque::from([answer]));
    }

    fn answer(&self, asked: &Asked) -> Answer {
        if let Some(script) = lock(&self.answers).get_mut(asked.target()) {
            let next = if script.len() > 1 { script.pop_front() } else { script.front().cloned() };
            if let Some(answer) = next {
                return answer;
            }
        }
        match &self.otherwise {
            Some(otherwise) => otherwise(asked),
            None => Reply::status(404).into(),
        }
    }
}

/// Accepts connections until the lab is dropped.
pub(crate) async fn accept(listener: TcpListener, host: Arc<Served>) {
    while let Ok((stream, _)) = listener.accept().await {
        let number = host.log.connections.fetch_add(1, Ordering::SeqCst).saturating_add(1);
        let host = Arc::clone(&host);
        // An error is the client's going away, which is what many tests are about.
        tokio::spawn(async move { drop(serve(stream, number, &host).await) });
    }
}

/// Serves one connection to its end.
async fn serve(stream: TcpStream, number: u64, host: &Served) -> io::Result<()> {
    stream.set_nodelay(true)?;
    if let Some(answer) = &host.instead_of_tls {
        let mut stream = stream;
        perform(&mut stream, &answer.steps).await?;
        return Ok(());
    }
    let mut stream = host.acceptor.accept(stream).await?;
    let (server_name, resumed) = {
        let (_, session) = stream.get_ref();
        (
            session.server_name().map(str::to_owned),
            session.handshake_kind() == Some(rustls::HandshakeKind::Resumed),
        )
    };
    let mut read = Vec::new();
    while let Some((head, arrived, arrived_at)) = head(&mut stream, &mut read).await? {
        let asked = Asked {
            host: host.name.clone(),
            server_name: server_name.clone(),
            connection: number,
            resumed,
            head,
            arrived,
            arrived_at,
        };
        lock(&host.log.requests).push(asked.clone());
        match perform(&mut stream, &host.answer(&asked).steps).await? {
            Next::Request => {}
            Next::Close => break,
            Next::Cut => return stream.into_inner().0.shutdown().await,
        }
    }
    stream.shutdown().await
}

/// What follows an answer.
enum Next {
    Request,
    Close,
    Cut,
}

/// Does one thing after the other.
async fn perform<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, steps: &[Step]) -> io::Result<Next> {
    for step in steps {
        match step {
            Step::Send(bytes) => {
                stream.write_all(bytes).await?;
                stream.flush().await?;
            }
            Step::Repeat { unit, times, pause } => repeat(stream, unit, *times, *pause).await?,
            Step::Wait(pause) => tokio::time::sleep(*pause).await,
            Step::Close => return Ok(Next::Close),
            Step::Cut => return Ok(Next::Cut),
            Step::Hang => {
                until_gone(stream).await?;
                return Ok(Next::Cut);
            }
        }
    }
    Ok(Next::Request)
}

/// The next request's head and when its first byte was read, or nothing where the client closed instead.
#[allow(clippy::disallowed_methods)] // the moment of arrival is what a publisher's log would say
async fn head(
    stream: &mut TlsStream<TcpStream>,
    read: &mut Vec<u8>,
) -> io::Result<Option<(Vec<u8>, Instant, Timestamp)>> {
    let mut arrived = (!read.is_empty()).then(|| (Instant::now(), Timestamp::now()));
    loop {
        if let (Some(end), Some((instant, at))) =
            (read.windows(4).position(|four| four == b"\r\n\r\n"), arrived)
        {
            let rest = read.split_off(end.saturating_add(4));
            return Ok(Some((std::mem::replace(read, rest), instant, at)));
        }
        if read.len() > HEAD_BYTES_MAX || stream.read_buf(read).await? == 0 {
            return Ok(None);
        }
        arrived.get_or_insert_with(|| (Instant::now(), Timestamp::now()));
    }
}

async fn repeat<S: AsyncWrite + Unpin>(
    stream: &mut S,
    unit: &[u8],
    times: u64,
    pause: Duration,
) -> io::Result<()> {
    if !pause.is_zero() {
        for _ in 0..times {
            stream.write_all(unit).await?;
            stream.flush().await?;
            tokio::time::sleep(pause).await;
        }
        return Ok(());
    }
    let in_batch = u64::try_from(BATCH_BYTES / unit.len().max(1)).unwrap_or(1).clamp(1, times.max(1));
    let batch = unit.repeat(usize::try_from(in_batch).unwrap_or(1));
    for _ in 0..times / in_batch {
        stream.write_all(&batch).await?;
    }
    for _ in 0..times % in_batch {
        stream.write_all(unit).await?;
    }
    stream.flush().await
}

/// Says nothing until the client gives up.
async fn until_gone<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<()> {
    let mut ignored = [0_u8; 1024];
    while stream.read(&mut ignored).await? > 0 {}
    Ok(())
}
