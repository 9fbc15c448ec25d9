//! Going through all segments, past whatever is damaged: what verifying and reindexing have in common.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use releve_proof::Sha256;

use super::manifest::Manifest;
use super::segment::{self, Cause, FoundSeal, Reader, Sealed, find_seal};
use super::verify::Fault;
use crate::VaultError;

/// What lies in the folder of segments at one moment, when nobody is in the middle of an append.
pub(super) struct Listing {
    /// Number and length of each segment, in order.
    pub(super) segments: Vec<(u32, u64)>,
    /// What else is there.
    pub(super) strangers: Vec<PathBuf>,
}

impl Listing {
    pub(super) fn read(folder: &Path) -> Result<Self, VaultError> {
        let path = folder.join(segment::FOLDER);
        let read = || {
            let mut listing = Self { segments: Vec::new(), strangers: Vec::new() };
            for entry in fs::read_dir(&path)? {
                let entry = entry?;
                let name = PathBuf::from(entry.file_name());
                let number = name.to_str().and_then(|name| name.strip_suffix(".warc.gz")?.parse().ok());
                match number.filter(|number| segment::path(folder, *number) == entry.path()) {
                    Some(number) => listing.segments.push((number, entry.metadata()?.len())),
                    None => listing.strangers.push(name),
                }
            }
            listing.segments.sort_unstable();
            listing.strangers.sort_unstable();
            Ok(listing)
        };
        read().map_err(|error| VaultError::io("read", &path, error))
    }

    /// The same, waiting until an append that is going on has ended.
    pub(super) fn read_between_appends(folder: &Path) -> Result<Self, VaultError> {
        let path = folder.join(super::LOCK_FILE);
        // A copy of a vault need not have the lock, nor a reader the right to open it.
        let lock = File::open(&path).ok();
        if let Some(lock) = &lock {
            lock.lock_shared().map_err(|error| VaultError::io("lock", &path, error))?;
        }
        Self::read(folder)
    }
}

/// What is met on the way. Lengths and digests of a segment's beginning are those of its warcinfo record.
pub(super) enum Event<'a> {
    /// A segment begins.
    Segment { number: u32, bytes: u64, digest: Sha256 },
    /// A whole unit or set of roots with its seal.
    Sealed { segment: u32, sealed: &'a Sealed },
    /// Something is wrong. If it is the chain alone, the seal concerned comes all the same.
    Fault(Fault),
    /// Something could not be read, and it goes on behind this seal.
    Skipped(&'a FoundSeal),
    /// A segment ends.
    End { number: u32, bytes: u64, tail: Tail },
}

/// How a segment ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    /// With a seal, or with the warcinfo record.
    Whole,
    /// Within something: a write that came to no end, or the rest of what was cut off.
    CutOff,
    /// With something that is not as it was written.
    Altered,
}

/// What the next seal has to follow on.
#[derive(Clone, Copy)]
enum Chain {
    At {
        sequence: u64,
        seal: Option<Sha256>,
    },
    /// Broken before, and said so: the next seal is taken as it comes.
    Lost,
}

/// Goes through the segments of `listing` in order, and tells `visit` what is there.
///
/// Errors: those of `visit`. A segment that cannot be read is an event like any other fault.
pub(super) fn walk(
    folder: &Path,
    manifest: &Manifest,
    listing: &Listing,
    visit: &mut dyn FnMut(Event<'_>) -> Result<(), VaultError>,
) -> Result<(), VaultError> {
    for name in &listing.strangers {
        visit(Event::Fault(fault("file-unknown", 0, 0, &format!("`{}` is not a segment", name.display()))))?;
    }
    let mut walker = Walker { folder, manifest, chain: Chain::At { sequence: 0, seal: None }, visit };
    let mut expected = 1;
    for &(number, bytes) in &listing.segments {
        if number != expected {
            walker.chain = Chain::Lost;
            (walker.visit)(Event::Fault(fault("segment-missing", expected, 0, "the segment is missing")))?;
        }
        expected = number.saturating_add(1);
        let tail = walker.segment(number, bytes)?;
        (walker.visit)(Event::End { number, bytes, tail })?;
    }
    Ok(())
}

struct Walker<'a> {
    folder: &'a Path,
    manifest: &'a Manifest,
    chain: Chain,
    visit: &'a mut dyn FnMut(Event<'_>) -> Result<(), VaultError>,
}

impl Walker<'_> {
    fn segment(&mut self, number: u32, bytes: u64) -> Result<Tail, VaultError> {
        if bytes == 0 {
            // Begun, and the program ended before anything was in it.
            return Ok(Tail::Whole);
        }
        let mut reader = match Reader::open(self.folder, number, 0, bytes) {
            Ok(reader) => reader,
            Err(error) => return self.unreadable(number, 0, &error),
        };
        let (opening, digest) = match reader.opening() {
            Ok(found) => found,
            Err(found) => {
                self.chain = Chain::Lost;
                self.fault(fault(found.cause.code(), number, 0, &found.cause.to_string()))?;
                return Ok(found.cause.tail());
            }
        };
        if opening.vault != self.manifest.id || opening.lab != self.manifest.lab {
            self.chain = Chain::Lost;
            self.fault(fault("segment-foreign", number, 0, "the segment is another vault's"))?;
            return Ok(Tail::Altered);
        }
        let follows = match self.chain {
            Chain::At { seal, .. } => opening.previous == seal,
            Chain::Lost => true,
        };
        if opening.number != number || !follows {
            self.fault(fault("segment-order", number, 0, "the segment does not follow on the one before"))?;
        }
        (self.visit)(Event::Segment { number, bytes: opening.encode().len() as u64, digest })?;
        loop {
            match reader.next() {
                Ok(None) => return Ok(Tail::Whole),
                Ok(Some(sealed)) => self.sealed(number, &digest, &sealed)?,
                Err(found) => {
                    // Behind the next seal, things may be whole again.
                    let later = find_seal(self.folder, number, found.offset, bytes, &digest).ok().flatten();
                    let sequence = match self.chain {
                        Chain::At { sequence, .. } => Some(sequence + 1),
                        Chain::Lost => None,
                    };
                    // Whatever cannot be read, the seal behind it may be its own.
                    let its_own = later.as_ref().filter(|later| Some(later.seal.sequence) == sequence);
                    self.fault(Fault {
                        code: found.cause.code(),
                        segment: number,
                        offset: found.offset,
                        sequence,
                        unit: its_own.map(|later| later.seal.unit).or(found.unit),
                        why: found.cause.to_string(),
                    })?;
                    let Some(later) = later else {
                        self.chain = Chain::Lost;
                        return Ok(found.cause.tail());
                    };
                    self.chain = Chain::At { sequence: later.seal.sequence, seal: Some(later.receipt.seal) };
                    (self.visit)(Event::Skipped(&later))?;
                    reader = match Reader::open(self.folder, number, later.end, bytes) {
                        Ok(behind) => behind,
                        Err(error) => return self.unreadable(number, later.end, &error),
                    };
                }
            }
        }
    }

    fn sealed(&mut self, number: u32, opening: &Sha256, sealed: &Sealed) -> Result<(), VaultError> {
        let follows = match self.chain {
            Chain::At { sequence, seal } => sealed.seal.follows(sequence, seal, opening),
            Chain::Lost => sealed.seal.segment == *opening,
        };
        if !follows {
            self.fault(Fault {
                code: "chain-broken",
                segment: number,
                offset: sealed.offset,
                sequence: Some(sealed.seal.sequence),
                unit: Some(sealed.seal.unit),
                why: "the seal does not follow on the one before it".to_owned(),
            })?;
        }
        self.chain = Chain::At { sequence: sealed.seal.sequence, seal: Some(sealed.receipt.seal) };
        (self.visit)(Event::Sealed { segment: number, sealed })
    }

    fn unreadable(&mut self, number: u32, offset: u64, error: &VaultError) -> Result<Tail, VaultError> {
        self.chain = Chain::Lost;
        self.fault(fault("unreadable", number, offset, &error.to_string()))?;
        Ok(Tail::Altered)
    }

    fn fault(&mut self, fault: Fault) -> Result<(), VaultError> {
        (self.visit)(Event::Fault(fault))
    }
}

fn fault(code: &'static str, segment: u32, offset: u64, why: &str) -> Fault {
    Fault { code, segment, offset, sequence: None, unit: None, why: why.to_owned() }
}

impl Cause {
    fn code(&self) -> &'static str {
        match self {
            Self::Truncated => "cut-off",
            Self::Malformed(_) => "altered",
            Self::Io(_) => "unreadable",
        }
    }

    fn tail(&self) -> Tail {
        match self {
            Self::Truncated => Tail::CutOff,
            Self::Malformed(_) | Self::Io(_) => Tail::Altered,
        }
    }
}
