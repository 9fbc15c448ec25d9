//! Building the index anew from the segments.

use std::path::Path;

use super::append::lock_exclusive;
use super::index::{Head, Index, Writing};
use super::manifest::Manifest;
use super::segment::Content;
use super::verify::{FAULT_COUNT_MAX, Fault, Progress};
use super::walk::{Event, Listing, Tail, walk};
use super::{index, open_lock, remove_index};
use crate::VaultError;

/// What a reindex found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reindexed {
    /// How many units are in the index now.
    pub units: u64,
    /// What could not be put there; the first thousand. The segments were not touched: what is damaged in
    /// them stays for a verification to see.
    pub faults: Vec<Fault>,
}

/// Builds the index of the vault in `folder` anew. Deposits wait meanwhile; who reads sees the old index
/// until the new one is whole.
///
/// A damaged vault can be used again after it: what is whole is found, and what is sealed from then on goes
/// into a new segment, so that not a byte of the damaged one changes.
///
/// An index that is no whole database any more is replaced. For that alone, no other process may have the vault
/// open.
pub fn reindex(folder: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Reindexed, VaultError> {
    let manifest = Manifest::read(folder)?.ok_or_else(|| VaultError::Missing { path: folder.to_owned() })?;
    let lock = open_lock(folder)?;
    let _guard = lock_exclusive(&lock, folder)?;
    let path = folder.join(index::FILE);
    let (whole, acknowledged) = match Index::create(&path) {
        Err(VaultError::Index { .. }) => (None, None),
        opened => {
            let index = opened?;
            let acknowledged = index.head_of(&manifest.id)?;
            (index.is_whole()?.then_some(index), acknowledged)
        }
    };
    if whole.is_none() {
        remove_index(folder)?;
    }
    let mut index = whole.map_or_else(|| Index::create(&path), Ok)?;
    let writing = index.write()?;
    writing.reset(&manifest.id)?;
    let (reindexed, head) = rebuild(folder, &manifest, &writing, acknowledged.as_ref(), progress)?;
    writing.commit(&head)?;
    Ok(reindexed)
}

/// Fills an empty index. `acknowledged` is the head of the old one, if that could still be read.
fn rebuild(
    folder: &Path,
    manifest: &Manifest,
    writing: &Writing<'_>,
    acknowledged: Option<&Head>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Reindexed, Head), VaultError> {
    let listing = Listing::read(folder)?;
    let bytes_all = listing.segments.iter().map(|(_, bytes)| bytes).sum();
    let mut bytes_before = 0;
    let mut reindexed = Reindexed::default();
    let mut head = Head::default();
    walk(folder, manifest, &listing, &mut |event| {
        match event {
            Event::Segment { number, bytes, digest } => {
                head.segment = number;
                head.opening = Some(digest);
                head.end = bytes;
                head.is_closed = false;
            }
            Event::Sealed { sealed, .. } => {
                let is_new = match &sealed.content {
                    Content::Unit(unit) => writing.receipt(&unit.digest())?.is_none(),
                    Content::Roots(_) | Content::Timestamp(_) => true,
                };
                // One that stands in the vault twice was put there by nobody who deposits; the first counts.
                if is_new {
                    writing.add(&mut head, sealed)?;
                } else {
                    head.advance(sealed);
                }
                progress(Progress { bytes: bytes_before + sealed.end, bytes_all, units: head.units });
            }
            Event::Skipped(later) => {
                head.sequence = later.receipt.sequence;
                head.seal = Some(later.receipt.seal);
                head.end = later.end;
            }
            Event::Fault(fault) if reindexed.faults.len() < FAULT_COUNT_MAX => reindexed.faults.push(fault),
            Event::Fault(_) => {}
            Event::End { number, bytes, tail } => {
                bytes_before += bytes;
                // A write that came to no end is left for the next opening to cut; whatever else there is
                // stays.
                let was_acknowledged =
                    acknowledged.is_some_and(|old| old.segment == number && old.end > head.end);
                if tail == Tail::Altered || (tail == Tail::CutOff && was_acknowledged) {
                    head.segment = number;
                    head.end = bytes;
                    head.is_closed = true;
                }
            }
        }
        Ok(())
    })?;
    reindexed.units = head.units;
    Ok((reindexed, head))
}
