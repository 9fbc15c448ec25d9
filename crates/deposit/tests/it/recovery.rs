//! What an opening makes of what a crash left behind.
//!
//! A crash is played by putting an older index beside newer segments: the bytes got onto the disk, and
//! nothing else.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::thread;
use std::time::Duration;

use releve_deposit::testing::Specimen;
use releve_deposit::{DepositErrorKind, LocalVault, Outcome, Receipt, Since, Vault as _, reindex};

use crate::tools::{
    assert_clean, copy, open, open_small, options, seal, sealed_bytes, segment, segments, verified,
};

/// Puts the index of `older` beside the segments of `folder`.
fn forget(folder: &Path, older: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let name = format!("index.sqlite{suffix}");
        let _ = fs::remove_file(folder.join(&name));
        if older.join(&name).exists() {
            fs::copy(older.join(&name), folder.join(&name)).unwrap();
        }
    }
}

fn cut(path: &Path, bytes: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(bytes).unwrap();
}

fn flip(path: &Path, offset: u64) {
    let mut bytes = fs::read(path).unwrap();
    bytes[usize::try_from(offset).unwrap()] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn bytes(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

/// A vault with one unit acknowledged, and a copy of it, in which two more were sealed.
struct Torn {
    folder: tempfile::TempDir,
    receipts: [Receipt; 3],
    /// Where in the segment each ends.
    ends: [u64; 3],
}

impl Torn {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (older, newer) = (folder.path().join("older"), folder.path().join("newer"));
        let sealed = |path: &Path, identifier| {
            let receipt = seal(&open(path), &Specimen::new(identifier));
            (receipt, bytes(&segment(path, 1)))
        };
        let one = sealed(&older, "1");
        copy(&older, &newer);
        let (two, three) = (sealed(&newer, "2"), sealed(&newer, "3"));
        Self { folder, receipts: [one.0, two.0, three.0], ends: [one.1, two.1, three.1] }
    }

    fn older(&self) -> std::path::PathBuf {
        self.folder.path().join("older")
    }

    /// The newer one's segments with the older one's index.
    fn crashed(&self) -> std::path::PathBuf {
        let path = self.folder.path().join("crashed");
        let _ = fs::remove_dir_all(&path);
        copy(&self.folder.path().join("newer"), &path);
        forget(&path, &self.older());
        path
    }
}

fn read_back(vault: &LocalVault, identifier: &str) -> bool {
    let Some(version) = vault.last_version(&Specimen::new(identifier).key()).unwrap() else { return false };
    vault.read(version.receipt.digest).unwrap().unwrap() == Specimen::new(identifier).unit()
}

#[test]
fn whole_units_that_the_index_forgot_are_kept() {
    let torn = Torn::new();
    let crashed = torn.crashed();
    let before = sealed_bytes(&crashed);
    let vault = open(&crashed);
    assert_eq!(sealed_bytes(&crashed), before);
    assert!(["1", "2", "3"].into_iter().all(|identifier| read_back(&vault, identifier)));
    // Whoever did not hear the answer asks again, and gets it.
    assert_eq!(vault.deposit(&Specimen::new("3").unit()).unwrap(), Outcome::AlreadySealed(torn.receipts[2]));
    assert_clean(&crashed, 3);
}

#[test]
fn a_torn_tail_is_cut_at_the_last_whole_unit() {
    let torn = Torn::new();
    let [acknowledged, second, all] = torn.ends;
    let around = |place: u64| (place - 3)..(place + 3);
    let places = (acknowledged..all)
        .step_by(97)
        .chain(around(second))
        .chain(around(acknowledged + 3))
        .chain(around(all - 3));
    for place in places {
        let crashed = torn.crashed();
        cut(&segment(&crashed, 1), place);
        if place > acknowledged {
            let faults = verified(&crashed, &[]).faults;
            assert!(faults.iter().all(|fault| fault.code == "cut-off"), "{place}: {faults:?}");
        }
        let vault = open(&crashed);
        assert!(read_back(&vault, "1"), "{place}");
        assert!(!read_back(&vault, "3"), "{place}");
        assert_eq!(read_back(&vault, "2"), place >= second, "{place}");
        assert_clean(&crashed, if place >= second { 2 } else { 1 });
        vault.deposit(&Specimen::new("2").unit()).unwrap();
        vault.deposit(&Specimen::new("3").unit()).unwrap();
        assert_clean(&crashed, 3);
    }
}

#[test]
fn damage_to_what_may_have_been_acknowledged_is_never_cut() {
    let torn = Torn::new();
    let acknowledged = torn.ends[0];
    for offset in [20, 400, 900] {
        // The third unit's seal says that the second was on disk when it was written: that is no torn write.
        let crashed = torn.crashed();
        flip(&segment(&crashed, 1), acknowledged + offset);
        let before = sealed_bytes(&crashed);
        let vault = open(&crashed);
        let error = vault.deposit(&Specimen::new("4").unit()).unwrap_err();
        assert_eq!((error.kind(), error.code()), (DepositErrorKind::Failed, "vault-damaged"));
        assert!(read_back(&vault, "1"), "what is whole can be read");
        drop(vault);
        assert_eq!(sealed_bytes(&crashed), before, "not a byte of it was changed");

        // A reindex finds what is whole, and it goes on.
        let reindexed = reindex(&crashed, &mut |_| {}).unwrap();
        assert_eq!((reindexed.units, reindexed.faults.len()), (2, 1));
        let vault = open(&crashed);
        assert!(read_back(&vault, "1") && !read_back(&vault, "2") && read_back(&vault, "3"));
        seal(&vault, &Specimen::new("4"));
        assert_eq!(&sealed_bytes(&crashed)[..before.len()], before, "not a byte of it was changed");
        let found = verified(&crashed, &[torn.receipts[2].seal]);
        let faults: Vec<_> =
            found.faults.iter().map(|fault| (fault.code, fault.offset, fault.unit)).collect();
        assert_eq!(faults, [("altered", acknowledged, Some(torn.receipts[1].digest))]);
        assert_eq!(found.units, 3);
    }
}

#[test]
fn a_batch_that_was_torn_in_its_middle_is_cut() {
    // A power loss can keep later pages of a write and lose earlier ones. Nothing of the batch was
    // acknowledged, though a whole seal lies behind the hole.
    let folder = tempfile::tempdir().unwrap();
    let (older, newer) = (folder.path().join("older"), folder.path().join("newer"));
    seal(&open(&older), &Specimen::new("1"));
    copy(&older, &newer);
    let vault = open(&newer);
    let lock = fs::File::open(newer.join("lock")).unwrap();
    lock.lock().unwrap();
    thread::scope(|scope| {
        let deposit = |identifier: &'static str| {
            let vault = &vault;
            scope.spawn(move || vault.deposit(&Specimen::new(identifier).unit()).unwrap());
            thread::sleep(Duration::from_millis(300));
        };
        // The first waits for the lock; the others meanwhile wait for it, and then share one sync.
        for identifier in ["2", "3", "4", "5"] {
            deposit(identifier);
        }
        lock.unlock().unwrap();
    });
    assert_clean(&newer, 5);
    let third = vault.last_version(&Specimen::new("3").key()).unwrap().unwrap();
    let fifth = vault.last_version(&Specimen::new("5").key()).unwrap().unwrap();
    assert_eq!(third.receipt.sequence + 2, fifth.receipt.sequence);
    drop(vault);
    forget(&newer, &older);

    let path = segment(&newer, 1);
    let mut torn = fs::read(&path).unwrap();
    let unit = Specimen::new("3").unit();
    let at = torn.windows(unit.bytes().len()).position(|window| window == unit.bytes()).unwrap();
    torn[at..at + 512].fill(0);
    fs::write(&path, &torn).unwrap();

    let vault = open(&newer);
    assert_eq!(bytes(&path), at as u64);
    assert_clean(&newer, 2);
    for identifier in ["3", "4", "5"] {
        seal(&vault, &Specimen::new(identifier));
    }
    assert_clean(&newer, 5);
}

#[test]
fn a_segment_that_is_shorter_than_acknowledged_takes_no_deposits() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let one = seal(&vault, &Specimen::new("1"));
    let older = bytes(&segment(folder.path(), 1));
    let two = seal(&vault, &Specimen::new("2"));
    cut(&segment(folder.path(), 1), older);
    let error = vault.deposit(&Specimen::new("3").unit()).unwrap_err();
    assert_eq!(error.code(), "vault-damaged");
    assert_eq!(open(folder.path()).deposit(&Specimen::new("3").unit()).unwrap_err().code(), "vault-damaged");
    // The operator decides to go on with the older copy. That something is missing shows against the known
    // head for ever.
    reindex(folder.path(), &mut |_| {}).unwrap();
    seal(&open(folder.path()), &Specimen::new("3"));
    assert_clean(folder.path(), 2);
    assert!(verified(folder.path(), &[one.seal]).is_clean());
    assert_eq!(verified(folder.path(), &[two.seal]).faults[0].code, "head-missing");
}

#[test]
fn a_segment_that_was_begun_and_not_finished_is_begun_again() {
    let folder = tempfile::tempdir().unwrap();
    let older = folder.path().join("older");
    let vault = open_small(&older);
    let mut sealed = 0;
    while sealed == 0 || bytes(&segment(&older, 1)) < 6_000 {
        sealed += 1;
        seal(&vault, &Specimen::new(&sealed.to_string()));
    }
    drop(vault);
    let newer = folder.path().join("newer");
    copy(&older, &newer);
    seal(&open_small(&newer), &Specimen::new("next"));
    let opening = {
        let text = fs::read(segment(&newer, 2)).unwrap();
        // The second gzip member begins where the warcinfo record ends.
        text.windows(10).skip(1).position(|window| window == &text[..10]).unwrap() as u64 + 1
    };
    for length in [0, 1, 9, opening / 2, opening - 1, opening, opening + 1, bytes(&segment(&newer, 2)) - 1] {
        let crashed = folder.path().join("crashed");
        let _ = fs::remove_dir_all(&crashed);
        copy(&newer, &crashed);
        forget(&crashed, &older);
        cut(&segment(&crashed, 2), length);
        let vault = open_small(&crashed);
        assert_clean(&crashed, sealed);
        seal(&vault, &Specimen::new("next"));
        assert_clean(&crashed, sealed + 1);
        assert!(read_back(&vault, "1") && read_back(&vault, "next"), "{length}");
    }
}

#[test]
fn a_reindex_finds_what_the_index_had() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open_small(folder.path());
    for number in 0..4 {
        let one = seal(&vault, &Specimen::new(&number.to_string()));
        seal(&vault, &Specimen::new(&number.to_string()).saying("Corrected.").after(one.digest));
    }
    let all = |vault: &LocalVault| (vault.list(&Since::default(), 100).unwrap(), vault.stats().unwrap());
    let before = all(&vault);
    // Others may have the vault open, and go on with the new index.
    let mut told = 0;
    reindex(folder.path(), &mut |progress| told = progress.units).unwrap();
    assert_eq!(told, 8);
    assert_eq!(all(&vault), before);
    seal(&vault, &Specimen::new("later"));
    fs::remove_file(folder.path().join("index.sqlite")).unwrap();
    drop(vault);
    reindex(folder.path(), &mut |_| {}).unwrap();
    let vault = LocalVault::open(folder.path(), options()).unwrap();
    assert_eq!(all(&vault).0.len(), 9);
    assert_eq!(all(&vault).0[..8], before.0);
}

#[test]
fn a_reindex_passes_over_what_is_not_the_vaults() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, others) = (folder.path().join("ours"), folder.path().join("others"));
    let vaults = [&ours, &others].map(|path| {
        let vault = open_small(path);
        for number in 0..5 {
            seal(&vault, &Specimen::new(&format!("{number}")));
        }
        vault
    });
    let versions = vaults[0].list(&Since::default(), 100).unwrap();
    drop(vaults);
    // Another vault's segment in the place of one; and a unit of ours once more, at the end.
    fs::copy(segment(&others, 2), segment(&ours, 2)).unwrap();
    let last = segments(&ours).pop().unwrap();
    let mut bytes = fs::read(&last).unwrap();
    let unit = usize::try_from(versions.last().unwrap().bytes).unwrap();
    let sealed = bytes.len() - (unit + 900)..bytes.len();
    let start = bytes[sealed.clone()].windows(4).position(|four| four == [0x1f, 0x8b, 8, 0]).unwrap();
    bytes.extend_from_within(sealed.start + start..);
    fs::write(&last, &bytes).unwrap();

    assert_eq!(
        LocalVault::open(&ours, options()).unwrap().deposit(&Specimen::new("new").unit()).unwrap_err().code(),
        "vault-damaged"
    );
    let reindexed = reindex(&ours, &mut |_| {}).unwrap();
    let codes: Vec<_> = reindexed.faults.iter().map(|fault| fault.code).collect();
    assert_eq!(codes, ["segment-foreign", "chain-broken"]);
    let vault = open_small(&ours);
    let kept = vault.list(&Since::default(), 100).unwrap();
    assert_eq!(kept.len() as u64, reindexed.units);
    assert!(kept.len() < 5 && kept.iter().all(|version| versions.contains(version)));
    seal(&vault, &Specimen::new("new"));
    assert!(read_back(&vault, "new"));
}
