use std::sync::Arc;

use super::{
    Realm, SqliteLedger,
    rows::{AT_ADDRESS, FIND, NEXT_TO_READ, list},
};
use crate::{ScriptedMachine, State};

/// Every statement over the references goes by an index that leads to what it wants: a scan of ten million takes seconds.
#[test]
fn no_statement_scans_the_references() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite");
    let machine = Arc::new(ScriptedMachine::new("boot-1", 1));
    let ledger = SqliteLedger::open_or_create(&path, Realm::Publishers, machine).unwrap();
    let connection = ledger.durable.lock().unwrap();
    let check = |sql: &str, index: &str, sorts: bool| {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let plan: Vec<String> =
            statement.raw_query().mapped(|row| row.get(3)).collect::<Result<_, _>>().unwrap();
        let plan = plan.join("; ");
        assert!(plan.contains(&format!("SEARCH r USING INDEX {index} (source=?")), "{sql}: {plan}");
        assert_eq!(plan.contains("TEMP B-TREE"), sorts, "{sql}: {plan}");
    };
    check(FIND, "reference_by_identifier", false);
    check(AT_ADDRESS, "reference_by_address", true);
    check(NEXT_TO_READ, "reference_to_read", false);
    check(list(State::Queued), "reference_to_read", true);
    check(list(State::Refused), "reference_by_state", false);
    check(list(State::SetAside), "reference_by_state", false);
    check(list(State::Sealed), "reference_by_identifier", false);
}
