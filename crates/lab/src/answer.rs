use std::time::Duration;

/// What a host does with its connection once a request is in: bytes, waits, and how it ends.
///
/// Unless it ends in [`close`](Self::close), [`cut`](Self::cut) or [`hang`](Self::hang), the connection stays open and
/// the next request on it is read.
///
/// ```
/// use std::time::Duration;
/// use releve_lab::Answer;
///
/// let slow = Answer::raw("HTTP/1.1 200 OK\r\n")
///     .wait(Duration::from_secs(1))
///     .then("Content-Length: 2\r\n\r\nok")
///     .close();
/// # let _ = slow;
/// ```
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub(crate) steps: Vec<Step>,
}

/// One thing a host does.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Send(Vec<u8>),
    Repeat { unit: Vec<u8>, times: u64, pause: Duration },
    Wait(Duration),
    Close,
    Cut,
    Hang,
}

impl Answer {
    /// These bytes and no others.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::default().then(bytes)
    }

    /// Nothing at all, for ever: the request is read and never answered.
    pub fn silence() -> Self {
        Self::default().hang()
    }

    /// Then these bytes, in TLS records of their own.
    #[must_use]
    pub fn then(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.and(Step::Send(bytes.into()))
    }

    /// Then the same bytes so many times, as fast as the reader takes them.
    #[must_use]
    pub fn repeat(self, unit: impl Into<Vec<u8>>, times: u64) -> Self {
        self.and(Step::Repeat { unit: unit.into(), times, pause: Duration::ZERO })
    }

    /// Then the same bytes so many times, with a pause after each.
    #[must_use]
    pub fn drip(self, unit: impl Into<Vec<u8>>, times: u64, pause: Duration) -> Self {
        self.and(Step::Repeat { unit: unit.into(), times, pause })
    }

    /// Then nothing for this long, in real time.
    #[must_use]
    pub fn wait(self, pause: Duration) -> Self {
        self.and(Step::Wait(pause))
    }

    /// Then the orderly end: close_notify, then the end of the TCP stream.
    #[must_use]
    pub fn close(self) -> Self {
        self.and(Step::Close)
    }

    /// Then the end of the TCP stream without close_notify, as an attacker on the path could make it.
    #[must_use]
    pub fn cut(self) -> Self {
        self.and(Step::Cut)
    }

    /// Then nothing more, with the connection left open.
    #[must_use]
    pub fn hang(self) -> Self {
        self.and(Step::Hang)
    }

    fn and(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

/// An ordinary response: status, headers in the order given, body.
///
/// Its length is announced by `Content-Length` unless [`chunked`](Self::chunked) or
/// [`unannounced`](Self::unannounced) says otherwise. `Into<Answer>` makes it something that a host can do.
#[derive(Clone, Debug)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    framing: Framing,
}

#[derive(Clone, Copy, Debug)]
enum Framing {
    Length,
    Chunked,
    Unannounced,
}

impl Reply {
    /// A `200` with this media type and body.
    pub fn ok(media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::status(200).header("Content-Type", media_type).body(body)
    }

    /// This status with no header and an empty body.
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new(), framing: Framing::Length }
    }

    /// A redirect with this status to this location, byte for byte.
    pub fn redirect(status: u16, location: impl Into<Vec<u8>>) -> Self {
        Self::status(status).header("Location", location)
    }

    /// One more header, after those there are.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// This body, already coded, under this `Content-Encoding`.
    #[must_use]
    pub fn coded(self, coding: &str, body: impl Into<Vec<u8>>) -> Self {
        self.header("Content-Encoding", coding).body(body)
    }

    /// This body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The body in chunks of at most 4 KiB instead of an announced length.
    #[must_use]
    pub fn chunked(mut self) -> Self {
        self.framing = Framing::Chunked;
        self
    }

    /// The body without any announcement: it ends where the connection is closed, which this does in order.
    #[must_use]
    pub fn unannounced(mut self) -> Self {
        self.framing = Framing::Unannounced;
        self
    }

    /// The response as it goes over the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status)).into_bytes();
        for (name, value) in &self.headers {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\n");
        }
        match self.framing {
            Framing::Length => {
                out.extend_from_slice(format!("Content-Length: {}\r\n\r\n", self.body.len()).as_bytes());
                out.extend_from_slice(&self.body);
            }
            Framing::Chunked => {
                out.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
                for chunk in self.body.chunks(4096) {
                    out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                    out.extend_from_slice(chunk);
                    out.extend_from_slice(b"\r\n");
                }
                out.extend_from_slice(b"0\r\n\r\n");
            }
            Framing::Unannounced => {
                out.extend_from_slice(b"\r\n");
                out.extend_from_slice(&self.body);
            }
        }
        out
    }
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        let answer = Self::raw(reply.to_bytes());
        match reply.framing {
            Framing::Length | Framing::Chunked => answer,
            Framing::Unannounced => answer.close(),
        }
    }
}

/// The reason phrase of the statuses that publishers send; nothing reads it.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
