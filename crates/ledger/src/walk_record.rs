use jiff::Timestamp;
use jiff::civil::Date;

/// What is kept of the walks over a source's backlog (R8 to R10): the one that is under way or was the last, and the last
/// that was complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkRecord {
    /// When it began.
    pub began_at: Timestamp,
    /// Where it is, in the words of whoever walks. `None`: it has ended.
    pub place: Option<String>,
    /// The last walk that was complete; it may be this one.
    pub complete: Option<CompleteWalk>,
    /// What the last walk that ended had to say, a JSON text, byte for byte as it was given.
    pub report: Option<String>,
}

/// A walk that found everything down to its floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompleteWalk {
    /// When it began. What was published since may not have been seen by it.
    pub began_at: Timestamp,
    /// The date down to which it went; `None`: the end of the list.
    pub floor: Option<Date>,
}
