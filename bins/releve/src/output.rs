//! Standard output, whose reader may leave before a command is over.

use std::io::{self, ErrorKind, Write};

/// A writer that goes on in silence once nobody reads it any more: what a command does, and its exit code, do not depend on
/// that.
pub(crate) struct WhileRead<W> {
    inner: W,
    is_read: bool,
}

impl<W: Write> WhileRead<W> {
    /// Writes to `inner` as long as it is read.
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, is_read: true }
    }

    fn attempt<T>(&mut self, unread: T, write: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if !self.is_read {
            return Ok(unread);
        }
        match write(&mut self.inner) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_read = false;
                Ok(unread)
            }
            written => written,
        }
    }
}

impl<W: Write> Write for WhileRead<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), W::flush)
    }
}
