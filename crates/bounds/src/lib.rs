//! Decides how long a request may take and how large a response may get: each bound with its default and its
//! ceiling.
//!
//! A server that is slow, broken or hostile costs at most what stands here, and no configuration can allow it
//! more than the ceilings. Whoever reads a response counts against these values and stops at the first that
//! is passed.
//!
//! ```
//! use releve_bounds::Bounds;
//! use std::time::Duration;
//!
//! let bounds = Bounds::default().with_whole(Duration::from_secs(120))?.with_decoded_bytes(32 << 20)?;
//! assert_eq!(bounds.whole(), Duration::from_secs(120));
//! assert_eq!(bounds.connect(), Bounds::CONNECT.default);
//!
//! let error = Bounds::default().with_whole(Duration::from_secs(3_600)).unwrap_err();
//! assert_eq!(error.to_string(), "`whole` may be at most 600 s, not 3600 s");
//! # Ok::<(), releve_bounds::BoundError>(())
//! ```
//!
//! # The bounds
//!
//! | bound | default | ceiling | what is counted |
//! |---|---|---|---|
//! | `connect` | 10 s | 60 s | dialling and TLS handshake, one address after the other included |
//! | `head` | 30 s | 120 s | from the request sent to the end of the response's head |
//! | `between_bytes` | 10 s | 60 s | silence while a head or body is under way |
//! | `whole` | 60 s | 600 s | all of it, from the first dial to the last byte; waiting for a turn does not count |
//! | `head_bytes` | 64 KiB | 256 KiB | the response's head, and trailers likewise |
//! | `header_count` | 100 | 200 | fields in the head |
//! | `interim_responses` | 10 | 100 | answers 1xx before the real one |
//! | `received_bytes` | 8 MiB | 64 MiB | the body as it comes, before a content coding is undone |
//! | `decoded_bytes` | 16 MiB | 64 MiB | the body once a content coding is undone |
//! | `frames` | 65,536 | 1,048,576 | pieces in which a body arrives, so that it is not sent byte by byte |
//!
//! Where each number comes from stands beside its constant at [`Bounds`].
//!
//! # What this crate does not do
//!
//! It measures nothing and holds no clock. How often a host is asked is not a bound but pace (`releve-pace`),
//! and how many redirects are followed is for `releve-redirect-policy`.
#![cfg_attr(test, allow(clippy::unwrap_used))]

use std::fmt;
use std::time::Duration;

#[cfg(test)]
mod tests;

/// The bounds of one request; [`Default`] gives those of the table above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    connect: Duration,
    head: Duration,
    between_bytes: Duration,
    whole: Duration,
    head_bytes: usize,
    header_count: usize,
    interim_responses: usize,
    received_bytes: usize,
    decoded_bytes: usize,
    frames: usize,
}

/// One bound: what it is called, what it is if nothing is said, and what configuration cannot pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limit<T> {
    /// The name, as it stands in configuration and messages.
    pub name: &'static str,
    /// The value where nothing is said.
    pub default: T,
    /// The largest value.
    pub ceiling: T,
}

impl Bounds {
    /// A lost SYN is sent again after 1, 3 and 7 seconds (RFC 6298): ten seconds survive three losses. The
    /// ceiling is half of what Linux by itself spends on a silent address (tcp(7), `tcp_syn_retries`: 127 s).
    pub const CONNECT: Limit<Duration> = seconds("connect", 10, 60);
    /// A content management system with a cold cache takes seconds, not half a minute. The ceiling is twice
    /// the 60 seconds after which common reverse proxies give up on the server behind them.
    pub const HEAD: Limit<Duration> = seconds("head", 30, 120);
    /// A connection that is alive and silent for ten seconds has lost its peer, or the peer is slow on
    /// purpose.
    pub const BETWEEN_BYTES: Limit<Duration> = seconds("between_bytes", 10, 60);
    /// The default body at 140 KB/s. The ceiling is the largest body at 110 KB/s.
    pub const WHOLE: Limit<Duration> = seconds("whole", 60, 600);
    /// Between what Node's client takes (16 KiB) and what Chrome does (256 KiB, the ceiling); hyper by itself
    /// would take 400 KiB.
    pub const HEAD_BYTES: Limit<usize> = count("head_bytes", 64 << 10, 256 << 10);
    /// What hyper allows by itself; pages of publishers have 20 to 60.
    pub const HEADER_COUNT: Limit<usize> = count("header_count", 100, 200);
    /// 103 Early Hints comes once or twice; a hundred is a flood.
    pub const INTERIM_RESPONSES: Limit<usize> = count("interim_responses", 10, 100);
    /// Articles have 50 KiB to 2 MiB of HTML. The ceiling lets the largest sitemap through that its protocol
    /// allows (50 MiB), and is what fits into memory on a small machine.
    pub const RECEIVED_BYTES: Limit<usize> = count("received_bytes", 8 << 20, 64 << 20);
    /// Twice what may be received: text sent with a coding that nobody asked for is rarely larger than that,
    /// and a bomb (1 KiB that unfolds to 1 GiB) stops there. The ceiling is as above: 50 MiB is the limit of
    /// a sitemap once unpacked.
    pub const DECODED_BYTES: Limit<usize> = count("decoded_bytes", 16 << 20, 64 << 20);
    /// The default body in pieces of 128 bytes; networks deliver about 1,400 at a time.
    pub const FRAMES: Limit<usize> = count("frames", 1 << 16, 1 << 20);
}

const fn seconds(name: &'static str, default: u64, ceiling: u64) -> Limit<Duration> {
    Limit { name, default: Duration::from_secs(default), ceiling: Duration::from_secs(ceiling) }
}

const fn count(name: &'static str, default: usize, ceiling: usize) -> Limit<usize> {
    Limit { name, default, ceiling }
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connect: Self::CONNECT.default,
            head: Self::HEAD.default,
            between_bytes: Self::BETWEEN_BYTES.default,
            whole: Self::WHOLE.default,
            head_bytes: Self::HEAD_BYTES.default,
            header_count: Self::HEADER_COUNT.default,
            interim_responses: Self::INTERIM_RESPONSES.default,
            received_bytes: Self::RECEIVED_BYTES.default,
            decoded_bytes: Self::DECODED_BYTES.default,
            frames: Self::FRAMES.default,
        }
    }
}

/// A getter and a setter for each bound; the setter refuses zero, under which nothing could be read, and what
/// passes the ceiling.
macro_rules! accessors {
    ($($get:ident, $set:ident, $limit:ident: $type:ty, $what:literal;)*) => {
        impl Bounds {
            $(
                #[doc = $what]
                pub fn $get(&self) -> $type {
                    self.$get
                }

                #[doc = concat!("Sets [`", stringify!($get), "`](Self::", stringify!($get), "): more than zero, up to the ceiling.")]
                pub fn $set(mut self, value: $type) -> Result<Self, BoundError> {
                    self.$get = admit(Self::$limit, value)?;
                    Ok(self)
                }
            )*
        }
    };
}

accessors! {
    connect, with_connect, CONNECT: Duration, "How long dialling and the TLS handshake may take.";
    head, with_head, HEAD: Duration, "How long the response's head may take, from the request sent.";
    between_bytes, with_between_bytes, BETWEEN_BYTES: Duration, "How long the server may be silent in the middle.";
    whole, with_whole, WHOLE: Duration, "How long all of it may take.";
    head_bytes, with_head_bytes, HEAD_BYTES: usize, "How many bytes the response's head may have.";
    header_count, with_header_count, HEADER_COUNT: usize, "How many fields the head may have.";
    interim_responses, with_interim_responses, INTERIM_RESPONSES: usize, "How many answers 1xx may come first.";
    received_bytes, with_received_bytes, RECEIVED_BYTES: usize, "How many bytes the body may have as it comes.";
    decoded_bytes, with_decoded_bytes, DECODED_BYTES: usize, "How many bytes the body may have once decoded.";
    frames, with_frames, FRAMES: usize, "In how many pieces the body may arrive.";
}

/// A value that a bound can take, and how it is written in a message.
trait Measure: Copy + PartialOrd {
    const ZERO: Self;
    fn written(self) -> String;
}

impl Measure for Duration {
    const ZERO: Self = Self::ZERO;

    fn written(self) -> String {
        format!("{} s", self.as_secs_f64())
    }
}

impl Measure for usize {
    const ZERO: Self = 0;

    fn written(self) -> String {
        self.to_string()
    }
}

fn admit<T: Measure>(limit: Limit<T>, value: T) -> Result<T, BoundError> {
    if value > limit.ceiling {
        Err(BoundError::Ceiling {
            name: limit.name,
            asked: value.written(),
            ceiling: limit.ceiling.written(),
        })
    } else if value == T::ZERO {
        Err(BoundError::Zero { name: limit.name })
    } else {
        Ok(value)
    }
}

/// A value that a bound cannot take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoundError {
    /// More than the ceiling.
    Ceiling {
        /// The bound.
        name: &'static str,
        /// The value, written with its unit.
        asked: String,
        /// The ceiling, likewise.
        ceiling: String,
    },
    /// Zero, under which nothing could be read.
    Zero {
        /// The bound.
        name: &'static str,
    },
}

impl fmt::Display for BoundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ceiling { name, asked, ceiling } => {
                write!(f, "`{name}` may be at most {ceiling}, not {asked}")
            }
            Self::Zero { name } => write!(f, "`{name}` must be more than zero"),
        }
    }
}

impl std::error::Error for BoundError {}
