//! A segment: a warcinfo record, then units, sets of roots and timestamps, each followed by its seal.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use memchr::memmem;
use releve_proof::{RootSet, Sha256, TimestampToken};

use crate::seal::{SEAL_BYTES_MAX, Seal};
use crate::unit::{MalformedUnit, Unit, UnitFault};
use crate::warc::{self, MemberError, Packing, Parsed, Record, RecordId};
use crate::{Receipt, VaultError};

/// What a warcinfo record or a set of roots may hold. Mozilla's list is about 220 KiB of PEM.
const SMALL_RECORD_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The target address of a sealed set of roots, before its digest.
const ROOTS_ADDRESS: &str = "urn:releve:roots:";

/// The target address of a sealed timestamp, before the digest of the unit that it is of.
const TIMESTAMP_ADDRESS: &str = "urn:releve:timestamp:";

/// How much of a segment is read at once.
const BUFFER_BYTES: usize = 256 * 1024;

/// The folder of the segments, within a vault's.
pub(super) const FOLDER: &str = "segments";

/// Where the segment `number` of the vault in `folder` lies. Numbers begin at 1.
pub(super) fn path(folder: &Path, number: u32) -> PathBuf {
    folder.join(FOLDER).join(file_name(number))
}

fn file_name(number: u32) -> String {
    format!("{number:06}.warc.gz")
}

/// The warcinfo record that begins a segment. It is stored, not compressed, and follows from these fields
/// alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Opening {
    pub(super) vault: String,
    pub(super) number: u32,
    pub(super) lab: bool,
    pub(super) begun_at: Timestamp,
    /// The last seal of the segment before; none for the first.
    pub(super) previous: Option<Sha256>,
}

impl Opening {
    pub(super) fn encode(&self) -> Vec<u8> {
        let block = format!(
            "software: releve-deposit\r\n\
             format: WARC File Format 1.1\r\n\
             conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n\
             vault: {}\r\n\
             segment: {}\r\n\
             lab: {}\r\n{}",
            self.vault,
            self.number,
            self.lab,
            self.previous.map(|seal| format!("previous: {seal}\r\n")).unwrap_or_default(),
        );
        let mut bytes = Vec::with_capacity(1024);
        let digest = Sha256::of(block.as_bytes());
        Record {
            kind: "warcinfo",
            id: RecordId::from_digest(&digest),
            date: self.begun_at,
            fields: vec![("WARC-Filename", file_name(self.number))],
            media_type: "application/warc-fields",
            block: block.as_bytes(),
            digest,
        }
        .append_to(&mut bytes, Packing::Stored);
        bytes
    }

    fn decode(record: &[u8], raw: &[u8]) -> Result<Self, &'static str> {
        const WRONG: &str = "the warcinfo record is not one that a vault writes";
        let parsed = Parsed::of(record)?;
        let block = std::str::from_utf8(parsed.block).map_err(|_| WRONG)?;
        let field =
            |name: &str| block.split("\r\n").find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let opening = Self {
            vault: field("vault").ok_or(WRONG)?.to_owned(),
            number: field("segment").and_then(|number| number.parse().ok()).ok_or(WRONG)?,
            lab: field("lab").and_then(|lab| lab.parse().ok()).ok_or(WRONG)?,
            begun_at: parsed.field("WARC-Date").and_then(|date| date.parse().ok()).ok_or(WRONG)?,
            previous: field("previous").map(|seal| seal.parse().map_err(|_| WRONG)).transpose()?,
        };
        if opening.encode() == raw { Ok(opening) } else { Err(WRONG) }
    }
}

/// A set of roots as it is sealed: PEM, in a resource record of its own.
#[derive(Debug, Clone)]
pub(super) struct SealedRoots {
    pub(super) bytes: Vec<u8>,
    pub(super) roots: RootSet,
}

impl SealedRoots {
    pub(super) fn new(roots: &RootSet, at: Timestamp) -> Self {
        let pem = roots.to_pem();
        let mut bytes = Vec::with_capacity(pem.len());
        Self::record(roots.name(), &roots.digest(), at, &pem).append_to(&mut bytes, Packing::Deflated);
        Self { bytes, roots: roots.clone() }
    }

    fn record<'a>(name: &str, digest: &Sha256, at: Timestamp, pem: &'a str) -> Record<'a> {
        Record {
            kind: "resource",
            id: RecordId::from_digest(digest),
            date: at,
            fields: vec![
                ("WARC-Target-URI", format!("{ROOTS_ADDRESS}{}:{digest}", name.replace(' ', "%20"))),
                ("WARC-Payload-Digest", format!("sha256:{digest}")),
            ],
            media_type: "application/x-pem-file",
            block: pem.as_bytes(),
            digest: Sha256::of(pem.as_bytes()),
        }
    }

    /// Reads a set of roots from its record. `None` if the record is none.
    fn decode(record: &[u8], raw: &[u8]) -> Result<Option<Self>, &'static str> {
        let parsed = Parsed::of(record)?;
        let Some(address) = parsed.field("WARC-Target-URI").and_then(|uri| uri.strip_prefix(ROOTS_ADDRESS))
        else {
            return Ok(None);
        };
        let wrong = "the sealed set of roots is not as a vault writes it";
        let (name, digest) = address.rsplit_once(':').ok_or(wrong)?;
        let name = name.replace("%20", " ");
        let digest: Sha256 = digest.parse().map_err(|_| wrong)?;
        let at = parsed.field("WARC-Date").and_then(|date| date.parse().ok()).ok_or(wrong)?;
        let pem = std::str::from_utf8(parsed.block).map_err(|_| wrong)?;
        if Self::record(&name, &digest, at, pem).head() != parsed.head {
            return Err(wrong);
        }
        let roots = RootSet::from_pem(&name, parsed.block).map_err(|_| wrong)?;
        if roots.digest() != digest {
            return Err(wrong);
        }
        Ok(Some(Self { bytes: raw.to_vec(), roots }))
    }
}

/// An authority's timestamp of a unit, as it is sealed. It is stored, not compressed, and follows from the token
/// alone.
#[derive(Debug, Clone)]
pub(super) struct SealedTimestamp {
    pub(super) bytes: Vec<u8>,
    pub(super) token: TimestampToken,
}

impl SealedTimestamp {
    pub(super) fn new(token: TimestampToken) -> Self {
        let mut bytes = Vec::with_capacity(8192);
        Self::record(&token).append_to(&mut bytes, Packing::Stored);
        Self { bytes, token }
    }

    fn record(token: &TimestampToken) -> Record<'_> {
        let digest = Sha256::of(token.as_der());
        Record {
            kind: "resource",
            id: RecordId::from_digest(&digest),
            date: token.at(),
            fields: vec![("WARC-Target-URI", format!("{TIMESTAMP_ADDRESS}{}", token.digest()))],
            media_type: "application/cms",
            block: token.as_der(),
            digest,
        }
    }

    /// Reads a timestamp from its record. `None` if the record is none.
    fn decode(record: &[u8], raw: &[u8]) -> Result<Option<Self>, &'static str> {
        let parsed = Parsed::of(record)?;
        if !parsed.field("WARC-Target-URI").is_some_and(|uri| uri.starts_with(TIMESTAMP_ADDRESS)) {
            return Ok(None);
        }
        let wrong = "the sealed timestamp is not as a vault writes it";
        let sealed = Self::new(TimestampToken::from_der(parsed.block).map_err(|_| wrong)?);
        if sealed.bytes == raw { Ok(Some(sealed)) } else { Err(wrong) }
    }
}

/// What a seal follows on.
#[derive(Debug)]
pub(super) enum Content {
    Unit(Unit),
    Roots(SealedRoots),
    Timestamp(SealedTimestamp),
}

impl Content {
    pub(super) fn digest(&self) -> Sha256 {
        match self {
            Self::Unit(unit) => unit.digest(),
            Self::Roots(SealedRoots { bytes, .. }) | Self::Timestamp(SealedTimestamp { bytes, .. }) => {
                Sha256::of(bytes)
            }
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Unit(unit) => unit.bytes(),
            Self::Roots(SealedRoots { bytes, .. }) | Self::Timestamp(SealedTimestamp { bytes, .. }) => bytes,
        }
    }
}

/// A unit, a set of roots or a timestamp, with its seal, as they lie in a segment.
#[derive(Debug)]
pub(super) struct Sealed {
    pub(super) offset: u64,
    pub(super) content: Content,
    pub(super) seal: Seal,
    pub(super) receipt: Receipt,
    /// Where the seal ends.
    pub(super) end: u64,
}

/// Why the next thing in a segment could not be read.
#[derive(Debug)]
pub(super) struct Unreadable {
    /// Where the thing begins.
    pub(super) offset: u64,
    /// The unit's digest, where it could still be computed.
    pub(super) unit: Option<Sha256>,
    pub(super) cause: Cause,
}

#[derive(Debug)]
pub(super) enum Cause {
    /// The segment ends within it.
    Truncated,
    Malformed(String),
    Io(io::Error),
}

/// Reads a segment from front to back, one unit at a time.
pub(super) struct Reader<R> {
    input: BufReader<R>,
    offset: u64,
}

impl Reader<io::Take<File>> {
    /// Reads the segment `number` from `offset` on, and no further than `end`.
    pub(super) fn open(folder: &Path, number: u32, offset: u64, end: u64) -> Result<Self, VaultError> {
        let path = path(folder, number);
        let mut file = File::open(&path).map_err(|error| VaultError::io("open", &path, error))?;
        file.seek(SeekFrom::Start(offset)).map_err(|error| VaultError::io("read", &path, error))?;
        Ok(Self::new(file.take(end.saturating_sub(offset)), offset))
    }
}

impl<R: Read> Reader<R> {
    pub(super) fn new(input: R, offset: u64) -> Self {
        Self { input: BufReader::with_capacity(BUFFER_BYTES, input), offset }
    }

    /// The segment's warcinfo record and its digest. To be called first, at offset 0.
    pub(super) fn opening(&mut self) -> Result<(Opening, Sha256), Unreadable> {
        let mut raw = Vec::new();
        let at = |cause| Unreadable { offset: 0, unit: None, cause };
        let record = warc::read_member(&mut self.input, &mut raw, SMALL_RECORD_BYTES_MAX)
            .map_err(|error| at(error.into()))?
            .ok_or_else(|| at(Cause::Truncated))?;
        let opening = Opening::decode(&record, &raw).map_err(|why| at(Cause::Malformed(why.to_owned())))?;
        self.offset += raw.len() as u64;
        Ok((opening, Sha256::of(&raw)))
    }

    /// The next unit, set of roots or timestamp with its seal; `None` at the end.
    ///
    /// It is whole and its seal is its own; whether the seal follows on the one before is for the caller to
    /// see.
    pub(super) fn next(&mut self) -> Result<Option<Sealed>, Unreadable> {
        let offset = self.offset;
        let unreadable = |unit, cause| Unreadable { offset, unit, cause };
        let malformed = |why: &str| Cause::Malformed(why.to_owned());

        let mut raw = Vec::new();
        let bytes_max = crate::unit::ENVELOPE_BYTES_MAX + SMALL_RECORD_BYTES_MAX;
        let first = warc::read_member(&mut self.input, &mut raw, bytes_max);
        let Some(first) = first.map_err(|error| unreadable(None, error.into()))? else { return Ok(None) };
        let wrong = |why| unreadable(None, malformed(why));
        let content = if let Some(roots) = SealedRoots::decode(&first, &raw).map_err(wrong)? {
            Content::Roots(roots)
        } else if let Some(timestamp) = SealedTimestamp::decode(&first, &raw).map_err(wrong)? {
            Content::Timestamp(timestamp)
        } else {
            Unit::read_after(&first, &mut self.input, raw)
                .map(Content::Unit)
                .map_err(|error| unreadable(None, error.into()))?
        };
        let digest = content.digest();

        let mut raw = Vec::with_capacity(1024);
        let record = warc::read_member(&mut self.input, &mut raw, SEAL_BYTES_MAX)
            .map_err(|error| unreadable(Some(digest), error.into()))?
            .ok_or_else(|| unreadable(Some(digest), Cause::Truncated))?;
        let seal = Seal::decode(&record, &raw).map_err(|why| unreadable(Some(digest), malformed(why)))?;
        if seal.unit != digest {
            return Err(unreadable(
                Some(digest),
                malformed("the seal is another unit's, or the unit was altered"),
            ));
        }
        self.offset += (content.bytes().len() + raw.len()) as u64;
        Ok(Some(Sealed { offset, content, receipt: seal.receipt(&raw), seal, end: self.offset }))
    }
}

/// A seal that was found without reading what lies before it.
#[derive(Debug)]
pub(super) struct FoundSeal {
    pub(super) seal: Seal,
    pub(super) receipt: Receipt,
    /// Where it ends.
    pub(super) end: u64,
}

/// The first seal of the segment `number` that begins at `from` or later and ends before `end`.
///
/// Seals are stored as they are, so they can be found without reading what lies between. One counts only if
/// it names the segment's warcinfo record by `opening`, its digest: no page can hold what would pass for a
/// seal of this vault, since nobody outside knows it.
pub(super) fn find_seal(
    folder: &Path,
    number: u32,
    from: u64,
    end: u64,
    opening: &Sha256,
) -> io::Result<Option<FoundSeal>> {
    let mut file = File::open(path(folder, number))?;
    file.seek(SeekFrom::Start(from))?;
    let mut input = file.take(end.saturating_sub(from));
    let finder = memmem::Finder::new(warc::METADATA_HEAD);

    // `window` holds the bytes from `base` on; those before `searched` hold no seal.
    let (mut window, mut base, mut searched) = (Vec::new(), from, 0);
    loop {
        let read = input.by_ref().take(BUFFER_BYTES as u64).read_to_end(&mut window)?;
        let ended = read == 0;
        while let Some(at) = finder.find(window.get(searched..).unwrap_or_default()) {
            let head = searched + at;
            let start = head.checked_sub(warc::STORED_PREFIX_BYTES);
            let Some(mut rest) = start.and_then(|start| window.get(start..)) else {
                searched = head + 1;
                continue;
            };
            if rest.len() < SEAL_BYTES_MAX && !ended {
                break;
            }
            searched = head + 1;
            let mut raw = Vec::new();
            if let Ok(Some(record)) = warc::read_member(&mut rest, &mut raw, SEAL_BYTES_MAX)
                && let Ok(seal) = Seal::decode(&record, &raw)
                && seal.segment == *opening
            {
                let end = base + (head - warc::STORED_PREFIX_BYTES + raw.len()) as u64;
                return Ok(Some(FoundSeal { receipt: seal.receipt(&raw), seal, end }));
            }
        }
        if ended {
            return Ok(None);
        }
        let done = window.len().saturating_sub(SEAL_BYTES_MAX);
        window.drain(..done);
        base += done as u64;
        searched = searched.saturating_sub(done);
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("the segment ends within a unit"),
            Self::Malformed(why) => f.write_str(why),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl From<MemberError> for Cause {
    fn from(error: MemberError) -> Self {
        match error {
            MemberError::Truncated => Self::Truncated,
            MemberError::Malformed(why) => Self::Malformed(why.to_owned()),
            MemberError::TooLarge => {
                Self::Malformed("a record is larger than any that a vault writes".to_owned())
            }
            MemberError::Io(error) => Self::Io(error),
        }
    }
}

impl From<UnitFault> for Cause {
    fn from(fault: UnitFault) -> Self {
        match fault {
            UnitFault::Io(error) => Self::Io(error),
            UnitFault::Malformed(MalformedUnit::Truncated) => Self::Truncated,
            UnitFault::Malformed(other) => Self::Malformed(other.to_string()),
        }
    }
}
