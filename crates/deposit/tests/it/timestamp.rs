//! Timestamps beside the units that they are of.

use std::fs;

use jiff::Timestamp;
use releve_deposit::testing::{Specimen, timestamp};
use releve_deposit::{Since, Vault as _, reindex};
use releve_proof::Sha256;

use crate::tools::{assert_clean, open, open_small, seal, sealed_bytes, segments, verified};

fn instant(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn a_timestamp_is_sealed_beside_its_unit_which_does_not_change() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let units = ["1", "2", "3"].map(|identifier| seal(&vault, &Specimen::new(identifier)));
    let before = sealed_bytes(folder.path());
    let waiting = |after| -> Vec<Sha256> {
        let found = vault.without_timestamp(after, 2).unwrap();
        found.into_iter().map(|(_, digest)| digest).collect()
    };
    assert_eq!(waiting(0), [units[0].digest, units[1].digest]);
    assert_eq!(waiting(units[1].sequence), [units[2].digest]);

    let first = timestamp(&units[1].digest, instant("2026-05-05T00:00:00Z"));
    let second = timestamp(&units[1].digest, instant("2027-05-05T00:00:00Z"));
    let receipt = vault.seal_timestamp(&first).unwrap().unwrap();
    assert_eq!(receipt.sequence, units[2].sequence + 1);
    // Another authority may state the same again, later.
    vault.seal_timestamp(&second).unwrap().unwrap();
    let stranger = timestamp(&Sha256::of(b"another"), instant("2026-05-05T00:00:00Z"));
    assert_eq!(vault.seal_timestamp(&stranger).unwrap(), None);

    assert_eq!(vault.timestamps(units[1].digest).unwrap(), [first.clone(), second.clone()]);
    assert_eq!(vault.timestamps(units[0].digest).unwrap(), []);
    assert_eq!(waiting(0), [units[0].digest, units[2].digest]);
    // It is no unit: nothing that lists or counts units sees it.
    assert_eq!(vault.list(&Since::default(), 10).unwrap().len(), 3);
    assert_eq!(&sealed_bytes(folder.path())[..before.len()], before, "bit for bit");
    assert_clean(folder.path(), 3);
    assert_eq!(verified(folder.path(), &[receipt.seal]).timestamps, 2);
    // The chain goes on behind it.
    seal(&vault, &Specimen::new("4"));
    assert_clean(folder.path(), 4);

    drop(vault);
    fs::remove_file(folder.path().join("index.sqlite")).unwrap();
    reindex(folder.path(), &mut |_| {}).unwrap();
    let vault = open(folder.path());
    assert_eq!(vault.timestamps(units[1].digest).unwrap(), [first, second]);
}

/// What is whole is kept though the index never learned of it, and what is not is cut.
#[test]
fn a_timestamp_that_was_cut_off_is_cut_and_a_whole_one_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let unit = seal(&vault, &Specimen::new("1"));
    drop(vault);
    let index = fs::read(folder.path().join("index.sqlite")).unwrap();
    let segment = segments(folder.path()).pop().unwrap();
    let start = fs::metadata(&segment).unwrap().len();
    let vault = open(folder.path());
    let token = timestamp(&unit.digest, instant("2026-05-05T00:00:00Z"));
    vault.seal_timestamp(&token).unwrap();
    drop(vault);
    let whole = fs::read(&segment).unwrap();

    for (bytes, kept) in [(whole.len(), true), (whole.len() - 1, false)] {
        fs::write(&segment, &whole[..bytes]).unwrap();
        for suffix in ["-wal", "-shm"] {
            drop(fs::remove_file(folder.path().join(format!("index.sqlite{suffix}"))));
        }
        fs::write(folder.path().join("index.sqlite"), &index).unwrap();
        let vault = open(folder.path());
        assert_eq!(vault.timestamps(unit.digest).unwrap().len(), usize::from(kept));
        let end = if kept { whole.len() as u64 } else { start };
        assert_eq!(fs::metadata(&segment).unwrap().len(), end);
        assert_clean(folder.path(), 1);
    }
}

#[test]
fn a_changed_bit_of_a_sealed_timestamp_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let unit = seal(&vault, &Specimen::new("1"));
    let segment = segments(folder.path()).pop().unwrap();
    let start = fs::read(&segment).unwrap().len();
    vault.seal_timestamp(&timestamp(&unit.digest, instant("2026-05-05T00:00:00Z"))).unwrap();
    seal(&vault, &Specimen::new("2"));
    let whole = fs::read(&segment).unwrap();
    let end = start + 5_000;
    assert!(end < whole.len());
    // Every fifth byte, each time in another bit.
    for at in (start..end).step_by(5) {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&segment, changed).unwrap();
        assert_ne!(verified(folder.path(), &[]).fault_count, 0, "byte {at}");
    }
}

#[test]
fn a_timestamp_may_begin_a_segment() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open_small(folder.path());
    let units: Vec<_> = (0..4).map(|number| seal(&vault, &Specimen::new(&number.to_string()))).collect();
    let before = segments(folder.path()).len();
    for unit in &units {
        vault.seal_timestamp(&timestamp(&unit.digest, instant("2026-05-05T00:00:00Z"))).unwrap().unwrap();
    }
    assert!(segments(folder.path()).len() > before);
    assert_clean(folder.path(), 4);
    assert_eq!(verified(folder.path(), &[]).timestamps, 4);
    assert_eq!(vault.without_timestamp(0, 10).unwrap(), []);
}
