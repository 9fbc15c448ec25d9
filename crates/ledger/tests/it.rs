//! The public suite, on each adapter of this crate.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use releve_ledger::{Ledger, Machine, MemoryLedger, Realm, SqliteLedger, ledger_suite};

mod memory {
    use super::{Arc, Ledger, Machine, MemoryLedger, ledger_suite};

    fn empty() -> impl Fn(Arc<dyn Machine>) -> Box<dyn Ledger> {
        let store = MemoryLedger::new();
        move |machine| Box::new(store.seen_from(machine))
    }

    ledger_suite!(empty);
}

mod sqlite {
    use super::{Arc, Ledger, Machine, Realm, SqliteLedger, ledger_suite};

    fn empty() -> impl Fn(Arc<dyn Machine>) -> Box<dyn Ledger> {
        let folder = tempfile::tempdir().unwrap();
        move |machine| {
            let path = folder.path().join("ledger.sqlite");
            Box::new(SqliteLedger::open_or_create(&path, Realm::Publishers, machine).unwrap())
        }
    }

    ledger_suite!(empty);
}
