//! WARC 1.1 records, each a gzip member of its own: written in one form, and read back in that form alone.
//!
//! A general reader accepts whatever the standard allows. This one accepts what this crate writes: gzip
//! headers without name, time or comment, and record heads that the caller then compares byte for byte with
//! the one it would have written. So nothing in a record is free to be changed unseen, apart from the
//! compressed stream itself, which the digest of a unit covers.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write as _};

use flate2::{Compression, Crc, Decompress, FlushDecompress, Status};
use jiff::Timestamp;

use releve_proof::Sha256;

/// The head of a record in bytes, at most. The longest line holds an address, which is bounded to 8 KiB by
/// its type; the rest of a head is under 1 KiB.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// The ten bytes before each compressed stream: deflate, no name, no time, no extra flags, unknown system.
/// Always the same, so that a unit's bytes depend on nothing but the deposit.
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Bytes after the compressed stream: its CRC-32 and its length.
const GZIP_TAIL_BYTES: usize = 8;

/// How the record of a seal begins, behind [`STORED_PREFIX_BYTES`]: it can be found in a segment by that.
pub(crate) const METADATA_HEAD: &[u8] = b"WARC/1.1\r\nWARC-Type: metadata\r\n";

/// What lies before the first byte of a stored record: the gzip header and the block's own (RFC 1951, 3.2.4).
pub(crate) const STORED_PREFIX_BYTES: usize = GZIP_HEAD.len() + 5;

/// How far a stored block reaches (RFC 1951, 3.2.4).
const STORED_BLOCK_BYTES_MAX: usize = 65_535;

/// A record to be written. Its length is added by the writer.
pub(crate) struct Record<'a> {
    pub(crate) kind: &'static str,
    pub(crate) id: RecordId,
    pub(crate) date: Timestamp,
    /// Further header lines, in this order, before `Content-Type`.
    pub(crate) fields: Vec<(&'static str, String)>,
    pub(crate) media_type: &'a str,
    pub(crate) block: &'a [u8],
    /// The block's.
    pub(crate) digest: Sha256,
}

/// How a record lies in its gzip member.
#[derive(Clone, Copy)]
pub(crate) enum Packing {
    /// Compressed.
    Deflated,
    /// As it is. Its bytes can then be foretold from its content by any program, today's or a later one's:
    /// what the chain is made of must not depend on a compressor.
    Stored,
}

/// A record's identifier, `<urn:uuid:…>`, derived from what the record holds (RFC 9562, version 8).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordId([u8; 16]);

impl RecordId {
    /// The identifier that follows from `digest`.
    pub(crate) fn from_digest(digest: &Sha256) -> Self {
        let mut bytes = [0; 16];
        for (byte, given) in bytes.iter_mut().zip(digest.as_bytes()) {
            *byte = *given;
        }
        bytes[6] = bytes[6] & 0x0f | 0x80;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Self(bytes)
    }
}

impl std::fmt::Display for RecordId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<urn:uuid:")?;
        for (at, byte) in self.0.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        f.write_str(">")
    }
}

impl Record<'_> {
    /// The record's head, through the empty line that ends it.
    pub(crate) fn head(&self) -> String {
        let mut head = String::with_capacity(512);
        let mut line = |name: &str, value: &dyn std::fmt::Display| {
            // Writing to a string cannot fail.
            let _ = write!(head, "{name}: {value}\r\n");
        };
        line("WARC-Type", &self.kind);
        line("WARC-Record-ID", &self.id);
        line("WARC-Date", &instant(self.date));
        for (name, value) in &self.fields {
            line(name, value);
        }
        line("WARC-Block-Digest", &format_args!("sha256:{}", self.digest));
        line("Content-Type", &self.media_type);
        line("Content-Length", &self.block.len());
        format!("WARC/1.1\r\n{head}\r\n")
    }

    /// Appends the record to `out`, as one gzip member.
    pub(crate) fn append_to(&self, out: &mut Vec<u8>, packing: Packing) {
        let head = self.head();
        let parts: [&[u8]; 3] = [head.as_bytes(), self.block, b"\r\n\r\n"];
        let mut crc = Crc::new();
        for part in parts {
            crc.update(part);
        }

        out.extend_from_slice(&GZIP_HEAD);
        match packing {
            Packing::Deflated => deflate(&parts, out),
            Packing::Stored => store(&parts.concat(), out),
        }
        out.extend_from_slice(&crc_and_length(&crc));
    }
}

/// An instant as every record writes it: UTC, with three digits after the second.
pub(crate) fn instant(at: Timestamp) -> String {
    format!("{at:.3}")
}

/// Whether `at` can be written without losing anything.
pub(crate) fn is_whole_millisecond(at: Timestamp) -> bool {
    at.subsec_nanosecond() % 1_000_000 == 0
}

fn deflate(parts: &[&[u8]], out: &mut Vec<u8>) {
    let mut encoder = flate2::write::DeflateEncoder::new(out, Compression::default());
    for part in parts {
        // Writing to a vector cannot fail, nor can compressing.
        let _ = encoder.write_all(part);
    }
    let _ = encoder.finish();
}

fn store(bytes: &[u8], out: &mut Vec<u8>) {
    let mut chunks = bytes.chunks(STORED_BLOCK_BYTES_MAX).peekable();
    while let Some(chunk) = chunks.next() {
        out.push(u8::from(chunks.peek().is_none()));
        #[expect(clippy::cast_possible_truncation, reason = "a chunk is as long as a u16 can say")]
        let length = chunk.len() as u16;
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&(!length).to_le_bytes());
        out.extend_from_slice(chunk);
    }
}

/// Why the next gzip member could not be read.
#[derive(Debug)]
pub(crate) enum MemberError {
    /// The bytes end within the member.
    Truncated,
    /// The bytes are not a member as this crate writes them.
    Malformed(&'static str),
    /// It holds more than the caller allows.
    TooLarge,
    Io(io::Error),
}

/// Reads one gzip member and returns what it holds: a whole record. The member's own bytes are appended to
/// `raw`.
///
/// `None` at the end of `input`. A member that holds more than `bytes_max` is refused as soon as it does.
pub(crate) fn read_member(
    input: &mut impl BufRead,
    raw: &mut Vec<u8>,
    bytes_max: usize,
) -> Result<Option<Vec<u8>>, MemberError> {
    if fill(input)?.is_empty() {
        return Ok(None);
    }
    if take::<10>(input, raw)? != GZIP_HEAD {
        return Err(MemberError::Malformed("the gzip header is not one that a vault writes"));
    }
    let record = inflate(input, raw, bytes_max)?;
    let tail = take::<GZIP_TAIL_BYTES>(input, raw)?;
    let mut crc = Crc::new();
    crc.update(&record);
    if tail != crc_and_length(&crc) {
        return Err(MemberError::Malformed("checksum or length of the gzip member differ"));
    }
    Ok(Some(record))
}

/// What ends a gzip member (RFC 1952, 2.3.1).
fn crc_and_length(crc: &Crc) -> [u8; GZIP_TAIL_BYTES] {
    (u64::from(crc.sum()) | u64::from(crc.amount()) << 32).to_le_bytes()
}

fn inflate(input: &mut impl BufRead, raw: &mut Vec<u8>, bytes_max: usize) -> Result<Vec<u8>, MemberError> {
    let mut inflater = Decompress::new(false);
    let mut record = Vec::with_capacity(4096);
    loop {
        let compressed = fill(input)?;
        if compressed.is_empty() {
            return Err(MemberError::Truncated);
        }
        if record.len() == record.capacity() {
            record.reserve(record.len());
        }
        let before = inflater.total_in();
        let status = inflater
            .decompress_vec(compressed, &mut record, FlushDecompress::None)
            .map_err(|_| MemberError::Malformed("the compressed stream is damaged"))?;
        let used = usize::try_from(inflater.total_in() - before).unwrap_or(compressed.len());
        raw.extend_from_slice(compressed.get(..used).unwrap_or(compressed));
        input.consume(used);
        if record.len() > bytes_max {
            return Err(MemberError::TooLarge);
        }
        match status {
            Status::StreamEnd => return Ok(record),
            // Neither input used nor room lacking: the stream wants what is not there.
            Status::BufError if used == 0 && record.len() < record.capacity() => {
                return Err(MemberError::Malformed("the compressed stream does not end"));
            }
            Status::Ok | Status::BufError => {}
        }
    }
}

fn fill(input: &mut impl BufRead) -> Result<&[u8], MemberError> {
    input.fill_buf().map_err(MemberError::Io)
}

fn take<const N: usize>(input: &mut impl BufRead, raw: &mut Vec<u8>) -> Result<[u8; N], MemberError> {
    let mut bytes = [0; N];
    io::Read::read_exact(input, &mut bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => MemberError::Truncated,
        _ => MemberError::Io(error),
    })?;
    raw.extend_from_slice(&bytes);
    Ok(bytes)
}

/// A record as it was read: its head, as text, and its block.
pub(crate) struct Parsed<'a> {
    pub(crate) head: &'a str,
    pub(crate) block: &'a [u8],
}

impl<'a> Parsed<'a> {
    /// Takes a record apart. Only what is needed to do so is checked: the caller compares the head with the
    /// one that it would write.
    pub(crate) fn of(record: &'a [u8]) -> Result<Self, &'static str> {
        let window = record.get(..HEAD_BYTES_MAX).unwrap_or(record);
        let end = window.windows(4).position(|four| four == b"\r\n\r\n").ok_or("the record has no head")?;
        let (head, rest) = record.split_at_checked(end + 4).ok_or("the record has no head")?;
        let head = std::str::from_utf8(head).map_err(|_| "the record's head is not UTF-8")?;
        let block = rest.strip_suffix(b"\r\n\r\n").ok_or("the record does not end with two line breaks")?;
        Ok(Self { head, block })
    }

    /// The value of the header line `name`, spelled as this crate spells it.
    pub(crate) fn field(&self, name: &str) -> Option<&'a str> {
        self.head.split("\r\n").find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}
