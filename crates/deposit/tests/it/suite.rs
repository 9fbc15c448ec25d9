//! The public suite, over both vaults of this crate.

use std::cell::Cell;

use releve_deposit::testing::suite;
use releve_deposit::{Admission, Clock, LocalOptions, LocalVault, MemoryVault, Vault};

#[test]
fn memory_vault() {
    suite(&|admission, clock| Box::new(MemoryVault::new(admission, clock)));
}

#[test]
fn local_vault() {
    let folder = tempfile::tempdir().unwrap();
    let next = Cell::new(0);
    let open = |admission: Admission, clock: Clock| -> Box<dyn Vault> {
        next.set(next.get() + 1);
        let path = folder.path().join(next.get().to_string());
        Box::new(LocalVault::open_or_create(&path, LocalOptions::new(admission, clock)).unwrap())
    };
    suite(&open);
}
