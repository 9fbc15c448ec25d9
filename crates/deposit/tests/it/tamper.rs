//! Whatever is done to the segments of a vault shows.

use std::fs;
use std::ops::Range;
use std::path::Path;

use releve_deposit::testing::Specimen;
use releve_deposit::{Receipt, Since, Vault as _};

use crate::tools::{Random, copy, open_small, seal, segment, segments, verified};

struct Sealed {
    folder: tempfile::TempDir,
    receipts: Vec<Receipt>,
    segments: Vec<Vec<u8>>,
    /// Each unit with its seal: the segment's place in `segments`, and the bytes there.
    units: Vec<(usize, Range<usize>)>,
}

impl Sealed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let vault = open_small(folder.path());
        let receipts = (0..6).map(|number| seal(&vault, &Specimen::new(&number.to_string()))).collect();
        let segments: Vec<Vec<u8>> =
            segments(folder.path()).iter().map(|path| fs::read(path).unwrap()).collect();
        let units = vault
            .list(&Since::default(), 100)
            .unwrap()
            .iter()
            .map(|version| {
                let unit = vault.read(version.receipt.digest).unwrap().unwrap();
                let place = |bytes: &Vec<u8>| {
                    bytes.windows(unit.bytes().len()).position(|window| window == unit.bytes())
                };
                let (segment, start) =
                    segments.iter().enumerate().find_map(|(at, bytes)| Some((at, place(bytes)?))).unwrap();
                // The seal is the one gzip member behind the unit; the next member, or the end, ends it.
                let behind = start + unit.bytes().len();
                let next = segments[segment][behind + 1..]
                    .windows(10)
                    .position(|window| window == &unit.bytes()[..10]);
                let end = next.map_or(segments[segment].len(), |next| behind + 1 + next);
                (segment, start..end)
            })
            .collect();
        Self { folder, receipts, segments, units }
    }

    /// Writes `segments` in place of what was there, verifies, and restores what was.
    fn verified_with(&self, segments: &[Vec<u8>]) -> releve_deposit::Verification {
        let write = |segments: &[Vec<u8>]| {
            for at in 0..self.segments.len() {
                let path = segment(self.folder.path(), u32::try_from(at).unwrap() + 1);
                match segments.get(at) {
                    Some(bytes) => fs::write(path, bytes).unwrap(),
                    None => fs::remove_file(path).unwrap(),
                }
            }
        };
        write(segments);
        let found = verified(self.folder.path(), &[self.receipts.last().unwrap().seal]);
        write(&self.segments);
        found
    }
}

#[test]
fn a_thousand_tamperings_are_all_found() {
    let sealed = Sealed::new();
    assert!(sealed.segments.len() > 2);
    assert!(sealed.verified_with(&sealed.segments).is_clean());
    let mut random = Random(0x5eed);
    let mut counts = [0; 7];
    for trial in 0..1_000 {
        let mut segments = sealed.segments.clone();
        let kind = random.below(counts.len());
        let which = random.below(segments.len());
        match kind {
            // A bit is flipped.
            0 => {
                let bit = random.below(segments[which].len() * 8);
                segments[which][bit / 8] ^= 1 << (bit % 8);
            }
            // A segment is cut off.
            1 => {
                let length = random.below(segments[which].len());
                segments[which].truncate(length);
            }
            // A unit is removed with its seal.
            2 => {
                let (at, place) = &sealed.units[random.below(sealed.units.len())];
                segments[*at].drain(place.clone());
            }
            // Two units change places, each with its seal.
            3 => {
                let one = random.below(sealed.units.len());
                let other = (one + 1 + random.below(sealed.units.len() - 1)) % sealed.units.len();
                let bytes = |unit: usize| {
                    sealed.segments[sealed.units[unit].0][sealed.units[unit].1.clone()].to_vec()
                };
                // From behind, so that places before stay right.
                let mut swaps = [(&sealed.units[one], bytes(other)), (&sealed.units[other], bytes(one))];
                swaps.sort_by_key(|((at, place), _)| std::cmp::Reverse((*at, place.start)));
                for ((at, place), bytes) in swaps {
                    segments[*at].splice(place.clone(), bytes);
                }
            }
            // A unit is put in twice.
            4 => {
                let (at, place) = &sealed.units[random.below(sealed.units.len())];
                let again = segments[*at][place.clone()].to_vec();
                segments[*at].splice(place.end..place.end, again);
            }
            // A segment is replaced by an older copy: one that ends with an earlier seal.
            5 => {
                let ends: Vec<usize> = sealed
                    .units
                    .iter()
                    .filter(|(at, _)| *at == which)
                    .map(|(_, place)| place.start)
                    .collect();
                segments[which].truncate(ends[random.below(ends.len())]);
            }
            // Two segments change places.
            _ => {
                let other = (which + 1 + random.below(segments.len() - 1)) % segments.len();
                segments.swap(which, other);
            }
        }
        assert_ne!(segments, sealed.segments);
        counts[kind] += 1;
        let found = sealed.verified_with(&segments);
        assert!(!found.is_clean(), "trial {trial}, kind {kind}");
    }
    println!("found all of 1000 tamperings: {counts:?}");
}

#[test]
fn every_bit_of_the_last_unit_and_seal_counts() {
    // Nothing follows on the last seal but the known head.
    let sealed = Sealed::new();
    let last = sealed.segments.len() - 1;
    let (_, place) = sealed.units.last().unwrap();
    for at in place.clone().step_by(2) {
        let mut segments = sealed.segments.clone();
        segments[last][at] ^= 1 << (at % 8);
        let found = sealed.verified_with(&segments);
        assert!(!found.is_clean(), "byte {at}");
    }
}

#[test]
fn verify_says_where_it_breaks() {
    let sealed = Sealed::new();
    let (at, place) = &sealed.units[3];
    let number = u32::try_from(*at).unwrap() + 1;
    let receipt = &sealed.receipts[3];

    let mut segments = sealed.segments.clone();
    segments[*at][place.start + 300] ^= 1;
    let found = sealed.verified_with(&segments);
    let fault = &found.faults[0];
    assert_eq!((fault.segment, fault.offset), (number, place.start as u64));
    assert_eq!((fault.sequence, fault.unit), (Some(receipt.sequence), Some(receipt.digest)));
    assert_eq!((fault.code, found.fault_count), ("altered", 1), "{:?}", found.faults);
    assert_eq!(found.units, 5, "the others are all found whole");
    let text = fault.to_string();
    assert!(text.contains(&format!("segment {number}, byte {}", place.start)), "{text}");

    let mut segments = sealed.segments.clone();
    segments[*at].drain(place.clone());
    let found = sealed.verified_with(&segments);
    // If the unit was the last of its segment, it is the next one that does not follow.
    assert!(matches!(found.faults[0].code, "chain-broken" | "segment-order"), "{:?}", found.faults);

    let mut segments = sealed.segments.clone();
    segments.pop();
    let found = sealed.verified_with(&segments);
    assert_eq!(found.faults[0].code, "head-missing");
    assert_eq!(found.fault_count, 1);
}

#[test]
fn what_lies_in_the_wrong_place_is_named() {
    let sealed = Sealed::new();
    let other = Sealed::new();
    let codes = |folder: &Path| -> Vec<&str> {
        verified(folder, &[]).faults.iter().map(|fault| fault.code).collect()
    };
    let changed = |change: &dyn Fn(&Path)| {
        let folder = tempfile::tempdir().unwrap();
        copy(sealed.folder.path(), folder.path());
        change(folder.path());
        codes(folder.path())
    };
    assert_eq!(changed(&|_| {}), [""; 0]);
    assert_eq!(
        changed(&|folder| fs::write(folder.join("segments/notes.txt"), "").unwrap()),
        ["file-unknown"]
    );
    assert_eq!(changed(&|folder| fs::remove_file(segment(folder, 2)).unwrap()), ["segment-missing"]);
    let foreign = changed(&|folder| fs::write(segment(folder, 2), &other.segments[1]).unwrap());
    assert_eq!(foreign, ["segment-foreign"]);
    assert_eq!(
        changed(&|folder| drop(fs::copy(segment(folder, 1), folder.join("segments/1.warc.gz")))),
        ["file-unknown"]
    );
}
