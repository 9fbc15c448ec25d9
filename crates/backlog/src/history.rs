use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::Backlog;
use crate::fingerprint::Fingerprint;

/// What earlier walks of a list have come to, as far as the next one depends on it. The caller keeps it from
/// [`Walk::history`](crate::Walk::history) to [`Walk::begin`](crate::Walk::begin), as the text that [`Display`](fmt::Display)
/// writes and [`FromStr`] reads.
///
/// [`Default`] is that of a list that was never walked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// Of which list, as it was configured. Of another one it says nothing.
    list: Option<Fingerprint>,
    /// By which rule what stands on it was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule: Option<Fingerprint>,
    /// How far back a complete walk has gone.
    reached: Option<Reached>,
    /// When the last complete walk began.
    began: Option<Timestamp>,
    /// Files that the last complete walk could not read because they were absent or may not be read. No early
    /// end passes over them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Fingerprint>,
    /// Whether the last walk met a file with something newer than the date that its index says of it. The next one, which
    /// passes over most files, would not meet it, and so believes none of these dates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    are_lastmods_wrong: bool,
}

/// How far back a complete walk has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reached {
    /// To the list's end.
    End,
    /// To this date.
    Floor(Date),
}

impl Reached {
    fn covers(self, floor: Option<Date>) -> bool {
        match (self, floor) {
            (Self::End, _) => true,
            (Self::Floor(_), None) => false,
            (Self::Floor(reached), Some(floor)) => reached <= floor,
        }
    }

    fn or_farther(self, other: Self) -> Self {
        match (self, other) {
            (Self::End, _) | (_, Self::End) => Self::End,
            (Self::Floor(one), Self::Floor(other)) => Self::Floor(one.min(other)),
        }
    }
}

impl History {
    /// The history under the rule by which the caller takes and [refuses](crate::Walk::refuse) what stands on the list now,
    /// as any text that is another one when the rule is. What walks came to under another rule is forgotten: they may have
    /// refused what is taken now, and left it behind what is known.
    #[must_use]
    pub fn under(self, rule: &str) -> Self {
        let rule = Some(Fingerprint::of(rule));
        if self.rule == rule { self } else { Self { rule, ..Self::default() } }
    }

    /// Whether a walk of this list, as it is configured now, has reached its floor, so that the next one may end where
    /// everything is known (R9).
    pub fn has_reached_floor_of(&self, backlog: &Backlog) -> bool {
        self.of(backlog).has_reached(backlog.floor)
    }

    /// Forgets what is about another list than this one.
    pub(crate) fn of(&self, backlog: &Backlog) -> Self {
        let list = Some(Fingerprint::of_list(backlog));
        if self.list == list { self.clone() } else { Self { list, rule: self.rule, ..Self::default() } }
    }

    /// Whether a walk has once reached the floor now configured, so that there is no tail left behind (R9).
    pub(crate) fn has_reached(&self, floor: Option<Date>) -> bool {
        self.reached.is_some_and(|reached| reached.covers(floor))
    }

    pub(crate) fn last_began(&self) -> Option<Timestamp> {
        self.began
    }

    pub(crate) fn was_unread(&self, file: Fingerprint) -> bool {
        self.unread.contains(&file)
    }

    pub(crate) fn are_lastmods_wrong(&self) -> bool {
        self.are_lastmods_wrong
    }

    /// With what a walk that is not complete has learnt.
    pub(crate) fn with_lastmods(&self, are_wrong: bool) -> Self {
        Self { are_lastmods_wrong: self.are_lastmods_wrong || are_wrong, ..self.clone() }
    }

    /// With a complete walk, which went as far as `reached` unless it ended early.
    pub(crate) fn with(
        &self,
        began: Timestamp,
        reached: Option<Reached>,
        unread: Vec<Fingerprint>,
        are_lastmods_wrong: bool,
    ) -> Self {
        let reached = match (self.reached, reached) {
            (Some(before), Some(now)) => Some(before.or_farther(now)),
            (before, now) => before.or(now),
        };
        Self { list: self.list, rule: self.rule, reached, began: Some(began), unread, are_lastmods_wrong }
    }
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}

impl FromStr for History {
    type Err = HistoryError;

    fn from_str(text: &str) -> Result<Self, HistoryError> {
        serde_json::from_str(text).map_err(|_| HistoryError)
    }
}

/// A text is none that a [`History`] has written. Who meets it may begin with the default one: the next walk
/// then goes all the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryError;

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "what is kept of earlier walks of the backlog cannot be read; the next walk goes all the way",
        )
    }
}

impl std::error::Error for HistoryError {}
