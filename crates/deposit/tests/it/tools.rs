//! What the tests of the vault on disk share.

use std::fs;
use std::path::{Path, PathBuf};

use releve_deposit::testing::{Specimen, TestClock, admission, roots};
use releve_deposit::{
    Clock, LocalOptions, LocalVault, Outcome, Receipt, Vault as _, Verification, Verify, verify,
};
use releve_proof::{Context, Sha256};

pub(crate) fn clock() -> Clock {
    TestClock::new().clock()
}

pub(crate) fn options() -> LocalOptions {
    LocalOptions::new(admission(), clock())
}

pub(crate) fn open(folder: &Path) -> LocalVault {
    LocalVault::open_or_create(folder, options()).unwrap()
}

/// Opens it with so small segments that each holds one unit or two.
pub(crate) fn open_small(folder: &Path) -> LocalVault {
    LocalVault::open_or_create(folder, LocalOptions { segment_bytes_max: 6_000, ..options() }).unwrap()
}

pub(crate) fn seal(vault: &LocalVault, specimen: &Specimen) -> Receipt {
    match vault.deposit(&specimen.unit()).unwrap() {
        Outcome::Sealed(receipt) => receipt,
        Outcome::AlreadySealed(receipt) => panic!("already sealed as {receipt:?}"),
    }
}

pub(crate) fn verified(folder: &Path, heads: &[Sha256]) -> Verification {
    let roots = roots();
    let options = Verify { folder, roots: Some(&roots), window: Context::WINDOW, heads };
    verify(&options, &mut |_| {}).unwrap()
}

#[track_caller]
pub(crate) fn assert_clean(folder: &Path, units: u64) {
    let found = verified(folder, &[]);
    assert_eq!(found.faults, []);
    assert_eq!(found.units, units);
}

pub(crate) fn segment(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("segments/{number:06}.warc.gz"))
}

/// Those that there are, from the first on.
pub(crate) fn segments(folder: &Path) -> Vec<PathBuf> {
    (1..1_000).map(|number| segment(folder, number)).take_while(|path| path.exists()).collect()
}

/// All segments, one after the other.
pub(crate) fn sealed_bytes(folder: &Path) -> Vec<u8> {
    segments(folder).iter().flat_map(|path| fs::read(path).unwrap()).collect()
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Randomness that comes again: xorshift64*, by Vigna.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let value = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d);
        usize::try_from(value % bound as u64).unwrap()
    }
}
