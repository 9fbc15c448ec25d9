//! The listening end: connections, and what bounds them.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use releve_deposit::LocalVault;
use rustls::ServerConfig;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;

use crate::bounds::{HEAD_BYTES_MAX, HEADER_COUNT_MAX};
use crate::handler::Handler;
use crate::{Access, Bounds, SetupError};

/// What writes the access log. It is called once for every request, and must not block for long.
pub type AccessLog = Arc<dyn Fn(&Access) + Send + Sync>;

/// Serves a vault on disk over HTTPS, to those who have one of its connector keys.
///
/// The vault checks every deposit by its own clock and the authorities it was opened with, and asks its
/// [`Control`](releve_deposit::Control) at every request, so that what the operator decides holds from the next one on.
pub struct Server {
    acceptor: TlsAcceptor,
    handler: Arc<Handler>,
    bounds: Bounds,
}

impl Server {
    /// A server of `vault` that presents this certificate chain, whose first certificate this private key belongs to.
    /// Both are PEM text.
    pub fn new(
        vault: LocalVault,
        certificate_pem: &[u8],
        private_key_pem: &[u8],
        bounds: Bounds,
        log: AccessLog,
    ) -> Result<Self, SetupError> {
        let certificate = |why: String| SetupError::Certificate { why };
        let chain = CertificateDer::pem_slice_iter(certificate_pem)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| certificate(error.to_string()))?;
        if chain.is_empty() {
            return Err(certificate("there is none in the PEM text".to_owned()));
        }
        let key = PrivateKeyDer::from_pem_slice(private_key_pem)
            .map_err(|error| SetupError::PrivateKey { why: error.to_string() })?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| certificate(error.to_string()))?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| SetupError::PrivateKey { why: error.to_string() })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            handler: Arc::new(Handler::new(vault, bounds, log).map_err(SetupError::Thread)?),
            bounds,
        })
    }

    /// Serves what connects to `listener` until `stop` is there. Then nothing more is accepted, requests that are under
    /// way are finished, within [`Bounds::stop`], and idle connections closed.
    ///
    /// Returns whether everything was finished. It has to run on a runtime of several threads, which the vault's work
    /// does not block: that is done on threads of its own.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()>) -> bool {
        let connections = Arc::new(Semaphore::new(self.bounds.connections));
        let (stopping, is_stopping) = watch::channel(false);
        let mut stop = pin!(stop);
        loop {
            let accepted = tokio::select! {
                () = &mut stop => break,
                accepted = accept(&listener, &connections) => accepted,
            };
            let Some((stream, peer, place)) = accepted else { break };
            let (acceptor, handler) = (self.acceptor.clone(), Arc::clone(&self.handler));
            let (bounds, is_stopping) = (self.bounds, is_stopping.clone());
            tokio::spawn(async move {
                let _place = place;
                connection(&acceptor, stream, peer, handler, bounds, is_stopping).await;
            });
        }
        drop(listener);
        stopping.send_replace(true);
        // Whoever has all places knows that nobody is left.
        let places = u32::try_from(self.bounds.connections).unwrap_or(u32::MAX);
        timeout(self.bounds.stop, connections.acquire_many(places)).await.is_ok()
    }
}

/// The next connection, once there is a place for it. `None` cannot be: the places are never taken away.
async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(connections).acquire_owned().await.ok()?;
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return Some((stream, peer, place)),
            // The connection is gone already, or no file can be opened: either way it is better later.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn connection(
    acceptor: &TlsAcceptor,
    stream: TcpStream,
    peer: SocketAddr,
    handler: Arc<Handler>,
    bounds: Bounds,
    mut is_stopping: watch::Receiver<bool>,
) {
    // Answers are small; waiting for more to send with them would only delay them.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let Ok(Ok(stream)) = timeout(bounds.handshake, acceptor.accept(stream)).await else { return };

    let (busy, mut until) = watch::channel(None);
    let service = service_fn(|request| {
        let busy = Busy::new(&busy, bounds);
        let handler = Arc::clone(&handler);
        async move { Ok::<_, Infallible>(handler.handle(peer, request, busy).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(bounds.head)
        .max_headers(HEADER_COUNT_MAX)
        .max_header_size(HEAD_BYTES_MAX)
        .max_buf_size(HEAD_BYTES_MAX);
    let mut serving = pin!(http.serve_connection(TokioIo::new(stream), service));
    let mut stopping = false;
    loop {
        tokio::select! {
            ended = serving.as_mut() => {
                if let Err(error) = ended && error.is_parse() {
                    handler.tell_malformed(peer);
                }
                return;
            }
            () = passes(&mut until) => return,
            _ = is_stopping.wait_for(|stopping| *stopping), if !stopping => {
                stopping = true;
                serving.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Waits until the instant in `until` is there, whichever it is by then.
async fn passes(until: &mut watch::Receiver<Option<Instant>>) {
    loop {
        let at = *until.borrow_and_update();
        let passed = async {
            match at {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = passed => return,
            changed = until.changed() => if changed.is_err() {
                // Nobody is left to begin a request.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// A request that is under way. Its connection is cut off if this is kept for longer than a request may take.
pub(crate) struct Busy {
    until: watch::Sender<Option<Instant>>,
    bounds: Bounds,
}

impl Busy {
    fn new(until: &watch::Sender<Option<Instant>>, bounds: Bounds) -> Self {
        until.send_replace(Some(Instant::now() + bounds.whole));
        Self { until: until.clone(), bounds }
    }

    /// From now on the client has an answer of so many bytes to read. It gets as long as it would for sending them:
    /// places and room are kept for the answer meanwhile.
    pub(crate) fn answers(&self, bytes: usize) {
        let at = Instant::now() + self.bounds.body(bytes);
        self.until.send_modify(|until| *until = until.map(|until| until.min(at)));
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.until.send_replace(None);
    }
}
