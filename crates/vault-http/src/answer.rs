use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;

use crate::server::Busy;

/// How much of an answer is handed to the connection at once.
const PIECE_BYTES: usize = 64 * 1024;

/// The body of an answer. Until it is sent, but for its last piece, it keeps the places and the room that were taken for
/// it, and the request counts as under way.
pub(crate) struct Answer {
    rest: Bytes,
    _held: Vec<OwnedSemaphorePermit>,
    _busy: Busy,
}

impl Answer {
    pub(crate) fn new(bytes: Bytes, held: Vec<OwnedSemaphorePermit>, busy: Busy) -> Self {
        busy.answers(bytes.len());
        Self { rest: bytes, _held: held, _busy: busy }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece_bytes = self.rest.len().min(PIECE_BYTES);
        let piece = self.rest.split_to(piece_bytes);
        Poll::Ready((!piece.is_empty()).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}
