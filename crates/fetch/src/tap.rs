//! What is seen of one connection from outside the libraries that run it: below TLS the handshake and the moment a
//! request leaves, above TLS how much comes in and how it ends.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::{Connected, Connection};
use jiff::Timestamp;
use releve_proof::{HANDSHAKE_BYTES_MAX, Wire};
use rustls::KeyLog;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::Clock;

/// The label under which rustls hands out the one secret that opens the server's handshake records.
const SERVER_HANDSHAKE_SECRET: &str = "SERVER_HANDSHAKE_TRAFFIC_SECRET";

/// The notes on one connection. Everything that writes them runs within the connection's own polls.
pub(crate) struct Tap {
    clock: Arc<dyn Clock>,
    notes: Mutex<Notes>,
}

#[derive(Default)]
struct Notes {
    handshake: Option<Handshake>,
    armed: bool,
    sent_at: Option<Timestamp>,
    read_bytes: usize,
    read_bytes_max: usize,
    interim: usize,
    interim_max: usize,
    end: End,
    refused: Option<Refused>,
}

/// The handshake as it went over the wire.
#[derive(Default)]
pub(crate) struct Handshake {
    pub(crate) sent: Vec<u8>,
    pub(crate) received: Vec<u8>,
    pub(crate) server_secret: Option<Vec<u8>>,
}

impl Handshake {
    pub(crate) fn wire(&self) -> Wire<'_> {
        Wire {
            sent: &self.sent,
            received: &self.received,
            server_handshake_traffic_secret: self.server_secret.as_deref(),
        }
    }
}

/// How the incoming side of a connection stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// More may come.
    #[default]
    Open,
    /// The server said that nothing more comes (close_notify).
    Notified,
    /// TCP ended without the server's having said so over TLS.
    Unnotified,
    /// The connection broke.
    Broken(io::ErrorKind),
}

/// Why the tap stopped the reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Bytes,
    Interim,
}

impl Tap {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        let notes = Notes { handshake: Some(Handshake::default()), ..Notes::default() };
        Arc::new(Self { clock, notes: Mutex::new(notes) })
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The handshake, once; nothing of what follows is recorded.
    pub(crate) fn take_handshake(&self) -> Handshake {
        self.notes().handshake.take().unwrap_or_default()
    }

    /// Begins an exchange: from here on bytes are counted, and the moment of the next write is kept.
    pub(crate) fn begin(&self, read_bytes_max: usize, interim_max: usize) {
        let mut notes = self.notes();
        notes.armed = true;
        notes.sent_at = None;
        notes.read_bytes = 0;
        notes.read_bytes_max = read_bytes_max;
        notes.interim = 0;
        notes.interim_max = interim_max;
    }

    /// When the last request left, if one did.
    pub(crate) fn sent_at(&self) -> Option<Timestamp> {
        self.notes().sent_at
    }

    /// How much came in this exchange so far.
    pub(crate) fn read_bytes(&self) -> usize {
        self.notes().read_bytes
    }

    /// How the incoming side stands.
    pub(crate) fn end(&self) -> End {
        self.notes().end
    }

    /// Why the reading was stopped, if it was.
    pub(crate) fn refused(&self) -> Option<Refused> {
        self.notes().refused
    }

    /// Counts an interim response; over the bound nothing more is read.
    pub(crate) fn interim(&self) {
        let mut notes = self.notes();
        notes.interim = notes.interim.saturating_add(1);
        if notes.interim > notes.interim_max {
            notes.refused.get_or_insert(Refused::Interim);
        }
    }
}

impl std::fmt::Debug for Tap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tap").finish_non_exhaustive()
    }
}

impl KeyLog for Tap {
    fn log(&self, label: &str, _client_random: &[u8], secret: &[u8]) {
        if let (SERVER_HANDSHAKE_SECRET, Some(handshake)) = (label, &mut self.notes().handshake) {
            handshake.server_secret = Some(secret.to_vec());
        }
    }

    fn will_log(&self, label: &str) -> bool {
        label == SERVER_HANDSHAKE_SECRET
    }
}

/// The socket, below TLS.
pub(crate) struct Socket<S> {
    stream: S,
    tap: Arc<Tap>,
}

impl<S> Socket<S> {
    pub(crate) fn new(stream: S, tap: Arc<Tap>) -> Self {
        Self { stream, tap }
    }
}

impl<S> Connection for Socket<S> {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Socket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        if let (Poll::Ready(Ok(())), Some(handshake)) = (&polled, &mut self.tap.notes().handshake) {
            record(&mut handshake.received, buf.filled().get(before..).unwrap_or_default());
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Socket<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, buf);
        if let Poll::Ready(Ok(written @ 1..)) = polled {
            let mut notes = self.tap.notes();
            if notes.armed {
                // Stamped after the system took the bytes, and again with each further piece: late rather than early.
                notes.sent_at = Some(self.tap.clock.now());
            }
            if let Some(handshake) = &mut notes.handshake {
                record(&mut handshake.sent, buf.get(..written).unwrap_or_default());
            }
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

fn record(tape: &mut Vec<u8>, bytes: &[u8]) {
    let room = HANDSHAKE_BYTES_MAX.saturating_sub(tape.len());
    tape.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
}

/// The plain text, above TLS.
pub(crate) struct Plain<S> {
    stream: S,
    tap: Arc<Tap>,
}

impl<S> Plain<S> {
    pub(crate) fn new(stream: S, tap: Arc<Tap>) -> Self {
        Self { stream, tap }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Plain<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.tap.refused().is_some() {
            return Poll::Ready(Err(io::Error::other("over a bound")));
        }
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        let mut notes = self.tap.notes();
        match &polled {
            Poll::Pending => {}
            Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                notes.end = End::Unnotified;
            }
            Poll::Ready(Err(error)) => notes.end = End::Broken(error.kind()),
            Poll::Ready(Ok(())) => {
                let came = buf.filled().len().saturating_sub(before);
                if came == 0 && buf.remaining() > 0 {
                    notes.end = End::Notified;
                } else {
                    notes.armed = false;
                    notes.read_bytes = notes.read_bytes.saturating_add(came);
                    if notes.read_bytes > notes.read_bytes_max {
                        notes.refused.get_or_insert(Refused::Bytes);
                        buf.set_filled(before);
                        return Poll::Ready(Err(io::Error::other("over a bound")));
                    }
                }
            }
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Plain<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
