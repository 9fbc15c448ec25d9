//! What a server lets its clients take.

use std::time::Duration;

/// What all clients together, and each of them, may take of a server.
///
/// The defaults suit a vault with a few dozen connectors. Whatever they are, memory stays near
/// [`memory_bytes`](Self::memory_bytes) and about 200 KiB for each connection, since nothing that a client sends is
/// held before there is room for all that it will become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// How many connections are open at once; others wait to be accepted. 256: every connector has one for each
    /// deposit that it has in hand, and each costs a buffer of 64 KiB and what TLS needs.
    pub connections: usize,
    /// From the accepted connection to the end of its TLS handshake. 10 s: three round trips, ten times over.
    pub handshake: Duration,
    /// For the head of a request to be in, counted from the end of the answer before; so it is also how long an idle
    /// connection is kept. 10 s.
    pub head: Duration,
    /// From one piece of a body to the next. 30 s: what is silent for longer is gone. Whoever reads an answer gets as long,
    /// and a second for each mebibyte of it.
    pub between_bytes: Duration,
    /// How long a request waits for room in memory before it is told to come again. 60 s: as long as the largest unit
    /// takes on a good line.
    pub room_wait: Duration,
    /// A request from its head to the last byte of its answer. 10 min: the waits above, the largest unit at a mebibyte
    /// a second each way, and a disk that is slow to sync.
    pub whole: Duration,
    /// What deposits that are under way may take in memory together. Half of it is given out, an eighth for bodies and
    /// three eighths for what is unpacked of them: the other half is for what allocators keep between large pieces, and
    /// for what is written at once. 2 GiB: the largest unit that there can be takes 700 MiB while it is checked.
    pub memory_bytes: usize,
    /// How long what is under way when the server is asked to stop is waited for. 60 s; service managers kill after 90.
    pub stop: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections: 256,
            handshake: Duration::from_secs(10),
            head: Duration::from_secs(10),
            between_bytes: Duration::from_secs(30),
            room_wait: Duration::from_secs(60),
            whole: Duration::from_secs(600),
            memory_bytes: 2 << 30,
            stop: Duration::from_secs(60),
        }
    }
}

impl Bounds {
    /// How long a body of so many bytes may take on the line, either way: a mebibyte a second, so that nobody keeps the
    /// room of a large one for long by announcing it, or by not reading it.
    pub(crate) fn body(&self, bytes: usize) -> Duration {
        self.between_bytes + per_mebibyte(bytes)
    }
}

/// A second for every mebibyte begun: eight megabits a second.
pub(crate) fn per_mebibyte(bytes: usize) -> Duration {
    Duration::from_secs((bytes >> 20) as u64 + 1)
}

/// Bytes of a request's head, at most: an identifier and an address of 8 KiB, every byte of them percent-encoded, and
/// room for the headers.
pub(crate) const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Headers of a request, at most. A connector sends six, proxies add a few.
pub(crate) const HEADER_COUNT_MAX: usize = 32;

/// How much of a body that is not wanted is read all the same, so that the sender gets to read the refusal: closing
/// at once would reset the connection under it.
pub(crate) const DRAIN_BYTES_MAX: u64 = 1 << 20;

/// How long that is waited for: what is on its way is there by then.
pub(crate) const DRAIN: Duration = Duration::from_secs(1);

/// How many threads wait for the disk at once. Deposits that wait together share a sync, and more than 32 gain little by
/// it; an allocator keeps some memory for each thread.
pub(crate) const THREADS_MAX: usize = 32;

/// How many threads unpack units. 2: an allocator keeps for each thread what it took at its worst moment, and what
/// is given out for unpacking is three eighths of all memory. A unit of an article is unpacked in less than a millisecond.
pub(crate) const UNPACKERS: usize = 2;

/// How many look-ups are made, and their answers held, at once. They take no time to speak of.
pub(crate) const READS_MAX: usize = 8;
