//! Everything that can be checked about a vault on disk, from its segments alone.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use releve_proof::{Context, RootSet, Sha256};

use super::manifest::Manifest;
use super::segment::Content;
use super::walk::{Event, Listing, walk};
use crate::{Unit, VaultError};

/// How many faults are described; the others are counted. A vault with more is not read fault by fault.
pub(super) const FAULT_COUNT_MAX: usize = 1_000;

/// What to verify, and against what.
#[derive(Clone, Copy)]
pub struct Verify<'a> {
    /// The vault's folder. It is only read.
    pub folder: &'a Path,
    /// The certificate authorities recognised today. Without them, or where one has gone from among them, the
    /// sets sealed in the vault are used, and the result says so.
    pub roots: Option<&'a RootSet>,
    /// How long before its receipt an article may have been read.
    pub window: Duration,
    /// Digests of seals that are known to have been in the vault, from receipts that were kept elsewhere.
    /// Only against such a one does it show that the end of a vault was cut off.
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
    /// How many whole timestamps. Whether the signatures in them hold is for `openssl ts -verify`.
    pub timestamps: u64,
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

/// Reads every segment of a vault and checks what is in it: every record's digests, every unit's, the chain
/// of seals across the segments, and every proof as of the instant of its read.
///
/// Index and operator's decisions play no part. Others may deposit meanwhile: what is verified is what was
/// there at the start. Memory is bounded by the largest unit. `progress` is told after each unit.
///
/// Errors: there is no vault, or its folder cannot be read. What is wrong within the vault is no error but a
/// [`Fault`].
pub fn verify(options: &Verify<'_>, progress: &mut dyn FnMut(Progress)) -> Result<Verification, VaultError> {
    let folder = options.folder;
    let manifest = Manifest::read(folder)?.ok_or_else(|| VaultError::Missing { path: folder.to_owned() })?;
    let listing = Listing::read_between_appends(folder)?;
    let bytes_all = listing.segments.iter().map(|(_, bytes)| bytes).sum();

    let mut found = Verification::default();
    let mut sealed_roots: Vec<RootSet> = Vec::new();
    let mut heads: BTreeSet<Sha256> = options.heads.iter().copied().collect();
    let mut bytes_before = 0;
    walk(folder, &manifest, &listing, &mut |event| {
        match event {
            Event::Segment { .. } => {}
            Event::Fault(fault) => found.add(fault),
            Event::End { bytes, .. } => {
                bytes_before += bytes;
                found.segments += 1;
                found.bytes = bytes_before;
            }
            Event::Skipped(later) => {
                heads.remove(&later.receipt.seal);
                found.head = Some((later.receipt.sequence, later.receipt.seal));
            }
            Event::Sealed { segment, sealed } => {
                heads.remove(&sealed.receipt.seal);
                found.head = Some((sealed.receipt.sequence, sealed.receipt.seal));
                found.bytes = bytes_before + sealed.end;
                match &sealed.content {
                    Content::Roots(sealed) => {
                        found.root_sets += 1;
                        sealed_roots.push(sealed.roots.clone());
                    }
                    Content::Timestamp(_) => found.timestamps += 1,
                    Content::Unit(unit) => {
                        found.units += 1;
                        if let Err((code, why)) = found.check(
                            options,
                            &sealed_roots,
                            manifest.lab,
                            unit,
                            sealed.receipt.received_at,
                        ) {
                            found.add(Fault {
                                code,
                                segment,
                                offset: sealed.offset,
                                sequence: Some(sealed.receipt.sequence),
                                unit: Some(unit.digest()),
                                why,
                            });
                        }
                        progress(Progress { bytes: found.bytes, bytes_all, units: found.units });
                    }
                }
            }
        }
        Ok(())
    })?;
    let (segment, offset) = listing.segments.last().copied().unwrap_or_default();
    for head in heads {
        let why = format!("the seal {head} is known to have been in the vault, and is not");
        found.add(Fault { code: "head-missing", segment, offset, sequence: None, unit: None, why });
    }
    Ok(found)
}

impl Verification {
    fn check(
        &mut self,
        options: &Verify<'_>,
        sealed_roots: &[RootSet],
        lab: bool,
        unit: &Unit,
        received_at: Timestamp,
    ) -> Result<(), (&'static str, String)> {
        let roots = unit
            .proof()
            .choose_roots(options.roots, sealed_roots)
            .ok_or(("roots-missing", "no set of roots was sealed before the unit".to_owned()))?;
        let context = Context { received_at, window: options.window, lab };
        let report = releve_proof::check(unit.proof(), unit.envelope(), roots, &context);
        if options.roots.is_some_and(|today| today.digest() == roots.digest()) {
            self.by_roots_today += 1;
        } else {
            self.by_roots_sealed += 1;
        }
        match report.refusal() {
            None => Ok(()),
            Some(refusal) => Err((refusal.reason().code(), refusal.detail().to_owned())),
        }
    }

    fn add(&mut self, fault: Fault) {
        self.fault_count += 1;
        if self.faults.len() < FAULT_COUNT_MAX {
            self.faults.push(fault);
        }
    }
}
