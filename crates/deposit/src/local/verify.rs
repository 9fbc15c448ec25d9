//! Everything that can be checked about a vault on disk, from its segments alone.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use releve_proof::{Context, Proof, RootSet, Sha256};

use super::manifest::Manifest;
use super::segment::{self, Content, FaultKind, Reader, Sealed, find_seal};
use crate::{Unit, VaultError};

/// How many faults are described; the others are counted. A vault with more is not read fault by fault.
const FAULT_COUNT_MAX: usize = 1_000;

/// What to verify, and against what.
#[derive(Clone, Copy)]
pub struct Verify<'a> {
    /// The vault's folder. It is only read.
    pub folder: &'a Path,
    /// The certificate authorities recognised today. Without them, or where one has gone from among them, the sets sealed in the
    /// vault are used, and the result says so.
    pub roots: Option<&'a RootSet>,
    /// How long before its receipt an article may have been read.
    pub window: Duration,
    /// Digests of seals that are known to have been in the vault, from receipts that were kept elsewhere. Only against such a one
    /// does it show that the end of a vault was cut off.
    pub heads: &'a [Sha256],
}

/// How far a verification has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of segments read.
    pub bytes: u64,
    /// Bytes of segments there are.
    pub bytes_all: u64,
    /// Units found.
    pub units: u64,
}

/// What a verification read and found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verification {
    /// How many segments were read.
    pub segments: u32,
    /// Their bytes.
    pub bytes: u64,
    /// How many whole units there are, each with its digests, its seal and its proof.
    pub units: u64,
    /// How many whole sets of roots.
    pub root_sets: u64,
    /// How many proofs were checked against the authorities recognised today.
    pub by_roots_today: u64,
    /// How many against a set sealed in the vault, because today's lack the proof's.
    pub by_roots_sealed: u64,
    /// The last seal: sequence and digest. Kept elsewhere, it is the known head for the next verification.
    pub head: Option<(u64, Sha256)>,
    /// What is wrong, in the order of the segments; the first thousand.
    pub faults: Vec<Fault>,
    /// How many things are wrong.
    pub fault_count: u64,
}

impl Verification {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.fault_count == 0
    }
}

/// One thing that is wrong with a vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// A short name that does not change between releases: that of the check, if it was a check of a proof.
    pub code: &'static str,
    /// In which segment.
    pub segment: u32,
    /// At which byte of it.
    pub offset: u64,
    /// The sequence of the unit concerned, where it is known.
    pub sequence: Option<u64>,
    /// The digest of the unit concerned, where it is known.
    pub unit: Option<Sha256>,
    /// What was found, for a reader.
    pub why: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "segment {}, byte {}", self.segment, self.offset)?;
        if let Some(sequence) = self.sequence {
            write!(f, ", sequence {sequence}")?;
        }
        if let Some(unit) = self.unit {
            write!(f, ", unit {unit}")?;
        }
        write!(f, ": {} ({})", self.why, self.code)
    }
}

/// Reads every segment of a vault and checks what is in it: every record's digests, every unit's, the chain of seals across the
/// segments, and every proof as of the instant of its read.
///
/// Index and operator's decisions play no part. Others may deposit meanwhile: what is verified is what was there at the start. Memory
/// is bounded by the largest unit. `progress` is told after each unit.
///
/// Errors: there is no vault, or its folder cannot be read. What is wrong within the vault is no error but a [`Fault`].
pub fn verify(options: &Verify<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Verification, VaultError> {
    let folder = options.folder;
    let manifest = Manifest::read(folder)?.ok_or_else(|| VaultError::Missing { path: folder.to_owned() })?;
    let mut verifier = Verifier {
        options,
        manifest,
        progress,
        bytes_all: 0,
        sealed_roots: Vec::new(),
        chain: Chain::At { sequence: 0, seal: None },
        heads: options.heads.iter().copied().collect(),
        found: Verification::default(),
    };
    let (segments, strangers) = segments(folder)?;
    verifier.bytes_all = segments.iter().map(|(_, bytes)| bytes).sum();
    for name in strangers {
        verifier.fault("file-unknown", 0, 0, format!("`{}` is not a segment", name.display()));
    }
    let mut expected = 1;
    for &(number, bytes) in &segments {
        if number != expected {
            verifier.fault("segment-missing", expected, 0, "the segment is missing".to_owned());
            verifier.chain = Chain::Lost;
        }
        expected = number + 1;
        verifier.segment(number, bytes);
    }
    let last = segments.last().copied().unwrap_or_default();
    for head in std::mem::take(&mut verifier.heads) {
        verifier.fault("head-missing", last.0, last.1, format!("the known seal {head} is not in the vault"));
    }
    Ok(verifier.found)
}

/// The segments with their lengths at this moment, when nobody is in the middle of an append, and what else lies beside them.
#[expect(clippy::type_complexity, reason = "one caller, right above")]
fn segments(folder: &Path) -> Result<(Vec<(u32, u64)>, Vec<PathBuf>), VaultError> {
    let path = folder.join(segment::FOLDER);
    // A copy of a vault need not have the lock, nor a reader the right to open it.
    let lock = File::open(folder.join(super::LOCK_FILE)).ok();
    if let Some(lock) = &lock {
        lock.lock_shared().map_err(|error| VaultError::io("lock", &folder.join(super::LOCK_FILE), error))?;
    }
    let read = || {
        let (mut segments, mut strangers) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(&path)? {
            let entry = entry?;
            let name = PathBuf::from(entry.file_name());
            let number = name.to_str().and_then(|name| name.strip_suffix(".warc.gz")?.parse().ok());
            match number.filter(|number| segment::path(folder, *number) == entry.path()) {
                Some(number) => segments.push((number, entry.metadata()?.len())),
                None => strangers.push(name),
            }
        }
        segments.sort_unstable();
        strangers.sort_unstable();
        Ok((segments, strangers))
    };
    read().map_err(|error| VaultError::io("read", &path, error))
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

struct Verifier<'a> {
    options: &'a Verify<'a>,
    manifest: Manifest,
    progress: &'a mut dyn FnMut(Progress),
    bytes_all: u64,
    sealed_roots: Vec<RootSet>,
    chain: Chain,
    /// Those not found yet.
    heads: BTreeSet<Sha256>,
    found: Verification,
}

impl Verifier<'_> {
    fn segment(&mut self, number: u32, bytes: u64) {
        self.found.segments += 1;
        let before = self.found.bytes;
        self.read_segment(number, bytes);
        self.found.bytes = before + bytes;
    }

    fn read_segment(&mut self, number: u32, bytes: u64) {
        let folder = self.options.folder;
        let mut reader = match Reader::open(folder, number, 0, bytes) {
            Ok(reader) => reader,
            Err(error) => {
                self.chain = Chain::Lost;
                return self.fault("unreadable", number, 0, error.to_string());
            }
        };
        let opening = match reader.opening() {
            // Begun, and the program died before anything was put in it.
            Err(_) if bytes == 0 => return,
            Err(fault) => {
                self.chain = Chain::Lost;
                return self.fault(code(&fault.what), number, 0, fault.what.to_string());
            }
            Ok((opening, digest)) => {
                if opening.vault != self.manifest.id || opening.lab != self.manifest.lab {
                    self.fault("segment-foreign", number, 0, "the segment is another vault's".to_owned());
                }
                let follows = match self.chain {
                    Chain::At { seal, .. } => opening.previous == seal,
                    Chain::Lost => true,
                };
                if opening.number != number || !follows {
                    self.fault(
                        "segment-order",
                        number,
                        0,
                        "the segment does not follow on the one before".to_owned(),
                    );
                }
                digest
            }
        };
        let before = self.found.bytes;
        loop {
            match reader.next() {
                Ok(None) => return,
                Ok(Some(sealed)) => {
                    self.sealed(number, &opening, &sealed);
                    self.found.bytes = before + sealed.end;
                    (self.progress)(Progress {
                        bytes: self.found.bytes,
                        bytes_all: self.bytes_all,
                        units: self.found.units,
                    });
                }
                Err(fault) => {
                    // Behind the next seal, things may be whole again.
                    let later = find_seal(folder, number, fault.offset, bytes, &opening).ok().flatten();
                    self.push(Fault {
                        code: code(&fault.what),
                        segment: number,
                        offset: fault.offset,
                        sequence: later.as_ref().map(|later| later.seal.sequence),
                        unit: later.as_ref().map(|later| later.seal.unit).or(fault.unit),
                        why: fault.what.to_string(),
                    });
                    let Some(later) = later else {
                        self.chain = Chain::Lost;
                        return;
                    };
                    self.head(later.seal.sequence, later.receipt.seal);
                    match Reader::open(folder, number, later.end, bytes) {
                        Ok(behind) => reader = behind,
                        Err(error) => return self.fault("unreadable", number, later.end, error.to_string()),
                    }
                }
            }
        }
    }

    fn sealed(&mut self, number: u32, opening: &Sha256, sealed: &Sealed) {
        let at = |code, why| Fault {
            code,
            segment: number,
            offset: sealed.offset,
            sequence: Some(sealed.seal.sequence),
            unit: Some(sealed.seal.unit),
            why,
        };
        let follows = match self.chain {
            Chain::At { sequence, seal } => sealed.seal.follows(sequence, seal, opening),
            Chain::Lost => sealed.seal.segment == *opening,
        };
        if !follows {
            self.push(at("chain-broken", "the seal does not follow on the one before it".to_owned()));
        }
        self.head(sealed.seal.sequence, sealed.receipt.seal);
        match &sealed.content {
            Content::Roots(sealed) => {
                self.found.root_sets += 1;
                self.sealed_roots.push(sealed.roots.clone());
            }
            Content::Unit(unit) => {
                self.found.units += 1;
                if let Err((code, why)) = self.check(unit, sealed.seal.received_at) {
                    self.push(at(code, why));
                }
            }
        }
    }

    fn check(&mut self, unit: &Unit, received_at: Timestamp) -> Result<(), (&'static str, String)> {
        let (roots, is_today) = choose_roots(unit.proof(), self.options.roots, &self.sealed_roots)
            .ok_or(("roots-missing", "no set of roots was sealed before the unit".to_owned()))?;
        let context = Context { received_at, window: self.options.window, lab: self.manifest.lab };
        let report = releve_proof::check(unit.proof(), unit.envelope(), roots, &context);
        if is_today {
            self.found.by_roots_today += 1;
        } else {
            self.found.by_roots_sealed += 1;
        }
        match report.refusal() {
            None => Ok(()),
            Some(refusal) => Err((refusal.reason().code(), refusal.detail().to_owned())),
        }
    }

    fn head(&mut self, sequence: u64, seal: Sha256) {
        self.chain = Chain::At { sequence, seal: Some(seal) };
        self.heads.remove(&seal);
        self.found.head = Some((sequence, seal));
    }

    fn fault(&mut self, code: &'static str, segment: u32, offset: u64, why: String) {
        self.push(Fault { code, segment, offset, sequence: None, unit: None, why });
    }

    fn push(&mut self, fault: Fault) {
        self.found.fault_count += 1;
        if self.found.faults.len() < FAULT_COUNT_MAX {
            self.found.faults.push(fault);
        }
    }
}

/// The set of roots to check a proof against, and whether it is today's: today's as long as it has the proof's root, else the sealed
/// one that the proof names, else the last sealed one that has it, else whatever there is.
pub(super) fn choose_roots<'a>(
    proof: &Proof,
    today: Option<&'a RootSet>,
    sealed: &'a [RootSet],
) -> Option<(&'a RootSet, bool)> {
    let root = proof.verified().last().map(Vec::as_slice).unwrap_or_default();
    let today = today.map(|set| (set, true));
    let mut sealed = sealed.iter().rev().map(|set| (set, false));
    let named = sealed.clone().find(|(set, _)| set.digest() == proof.roots().sha256);
    let with_root = sealed.clone().find(|(set, _)| set.contains(root));
    today.filter(|(set, _)| set.contains(root)).or(named).or(with_root).or(today).or_else(|| sealed.next())
}

fn code(what: &FaultKind) -> &'static str {
    match what {
        FaultKind::Truncated => "cut-off",
        FaultKind::Malformed(_) => "altered",
        FaultKind::Io(_) => "unreadable",
    }
}
