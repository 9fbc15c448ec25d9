use jiff::Timestamp;

/// What is kept of the walks over a source's backlog (R8 to R10). Of its texts the ledger understands none: they are those of
/// whoever walks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkRecord {
    /// When the walk began that is under way or was the last.
    pub began_at: Timestamp,
    /// Where it is. `None`: it has ended.
    pub place: Option<String>,
    /// What the walks that were complete have found out together: how far down everything is known.
    pub history: Option<String>,
    /// What the last walk has to say of itself.
    pub report: Option<String>,
}
