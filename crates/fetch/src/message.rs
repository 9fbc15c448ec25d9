use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use releve_bounds::Bounds;
use releve_proof::Tls;
use releve_robots::UserAgent;
use releve_url_canon::HttpsUrl;

use crate::{AccessHeader, FetchError};

/// One request: a `GET` for one address, with the headers that were promised and no others.
///
/// On the wire it bears, in this order, `Host`, `User-Agent`, `Accept`, `Accept-Encoding: identity` and the access
/// header if there is one.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The address. Its host and port must be those of the connection.
    pub url: &'a HttpsUrl,
    /// Who asks.
    pub user_agent: &'a UserAgent,
    /// The value of `Accept`: the media types that the caller expects.
    pub accept: &'a str,
    /// The credential, if this request needs one. It is refused for another host or port than its own.
    pub access: Option<&'a AccessHeader>,
    /// How long the exchange may take and how large the response may get.
    pub bounds: &'a Bounds,
    /// Asked once the head is there: whether the body is of use.
    pub wanted: Wanted<'a>,
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("url", &self.url)
            .field("user_agent", &self.user_agent)
            .field("accept", &self.accept)
            .field("access", &self.access)
            .field("bounds", &self.bounds)
            .finish_non_exhaustive()
    }
}

/// Whether the body of a response with this status and these headers is to be read.
///
/// One that is not is left with the publisher, and the connection closed: a link that leads to a film costs its head.
/// Where it is announced to be shorter than a new handshake would be, it is read and let go, and the connection kept.
pub type Wanted<'a> = &'a (dyn Fn(u16, &Headers) -> bool + Sync);

/// Wants every body.
pub fn every_body(_status: u16, _headers: &Headers) -> bool {
    true
}

/// What came of a request.
#[derive(Debug)]
pub struct Exchange {
    /// When the last byte of the request was handed to the socket, by the fetch's clock; nothing if no byte was.
    ///
    /// It is there whenever the publisher may have seen the request, also where `outcome` is an error, because the
    /// pace is measured from it.
    pub sent_at: Option<Timestamp>,
    /// The response, or why there is none.
    pub outcome: Result<Response, FetchError>,
}

/// A response: a status and headers for certain, and a body if it came whole.
#[derive(Debug)]
pub struct Response {
    /// The status, 101 or from 200 to 599. No status is followed or tried again here.
    pub status: u16,
    /// The headers, without any `Set-Cookie`.
    pub headers: Headers,
    /// The body, or why it is not whole. The status holds either way: a `404` with a broken body is a `404`.
    pub body: Result<Body, FetchError>,
    /// The TLS connection that carried it. Every response over one connection has the same.
    pub tls: Arc<Tls>,
    /// When the last byte was in, or the attempt to read it over, by the fetch's clock.
    pub read_at: Timestamp,
}

/// The headers of a response: names in lower case, values as the bytes that came.
///
/// `Set-Cookie` is not among them: no cookie is kept anywhere, so it is dropped before anyone could.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, Vec<u8>)>);

impl Headers {
    /// Every header in the order in which its name first came; values of one name stand together, in theirs.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// Every value of this name, which is given in lower case.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        self.iter().filter(move |(given, _)| *given == name).map(|(_, value)| value)
    }

    /// The first value of this name, which is given in lower case.
    pub fn first(&self, name: &str) -> Option<&[u8]> {
        self.all(name).next()
    }
}

impl<N: AsRef<str>, V: AsRef<[u8]>> FromIterator<(N, V)> for Headers {
    /// Puts names into lower case and drops `Set-Cookie`.
    fn from_iter<I: IntoIterator<Item = (N, V)>>(headers: I) -> Self {
        let kept = headers
            .into_iter()
            .map(|(name, value)| (name.as_ref().to_ascii_lowercase(), value.as_ref().to_vec()))
            .filter(|(name, _)| name != "set-cookie" && name != "set-cookie2");
        Self(kept.collect())
    }
}

/// A body that came whole.
#[derive(Clone, PartialEq, Eq)]
pub struct Body {
    /// The SHA-256 of the bytes that came, after the framing was taken off and before a coding was undone.
    pub received_sha256: [u8; 32],
    /// How many bytes these were.
    pub received_len: u64,
    /// The content coding that was undone.
    pub coding: Coding,
    /// The bytes after the coding was undone; those that came, where there was none.
    pub decoded: Bytes,
}

impl fmt::Debug for Body {
    /// Says how much there is and nothing of what it says.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body")
            .field("received_len", &self.received_len)
            .field("coding", &self.coding)
            .field("decoded_len", &self.decoded.len())
            .finish_non_exhaustive()
    }
}

/// A content coding that this crate undoes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Coding {
    /// None: what was asked for.
    Identity,
    /// `gzip` or `x-gzip` (RFC 1952).
    Gzip,
    /// `deflate`: zlib (RFC 1950), or bare deflate (RFC 1951) as some servers send it.
    Deflate,
    /// `br` (RFC 7932).
    Br,
    /// `zstd` (RFC 8878).
    Zstd,
}

impl Coding {
    /// The name in the HTTP registry of content codings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Br => "br",
            Self::Zstd => "zstd",
        }
    }
}

impl fmt::Display for Coding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
