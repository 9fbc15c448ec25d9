//! The public suite on both adapters, and what only one of them, or only real processes, can break.

#![allow(clippy::unwrap_used)]

mod file;
mod interleavings;
mod processes;

use std::{path::Path, sync::Arc};

use releve_ledger::{Ledger, Machine, MemoryLedger, Realm, SqliteLedger};

mod memory {
    releve_ledger::ledger_suite!(super::in_memory);
}

mod sqlite {
    releve_ledger::ledger_suite!(super::in_a_file);
}

fn in_memory() -> impl Fn(Arc<dyn Machine>) -> Box<dyn Ledger> {
    let store = MemoryLedger::new();
    move |machine| Box::new(store.seen_from(machine))
}

fn in_a_file() -> impl Fn(Arc<dyn Machine>) -> Box<dyn Ledger> {
    let folder = tempfile::tempdir().unwrap();
    move |machine| Box::new(open(folder.path(), machine))
}

/// The ledger in a folder, made if need be.
fn open(folder: &Path, machine: Arc<dyn Machine>) -> SqliteLedger {
    SqliteLedger::open_or_create(&folder.join("ledger.sqlite"), Realm::Publishers, machine).unwrap()
}
