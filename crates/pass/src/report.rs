//! What a pass has to say for itself.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How many refusals a report lists. A pass over a publisher whose server is down may have thousands, all alike; the
/// ledger has each.
pub const REFUSALS_MAX: usize = 1_000;

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum End {
    /// Everything that was due is done.
    Done,
    /// The operator deactivated the source; nothing was requested (R39).
    Inactive,
    /// Another pass over the source is under way (R10).
    LockHeld,
    /// robots.txt forbids the trigger or cannot be had (R35, R36).
    TriggerRefused,
    /// The trigger could not be read; what was queued was worked off.
    TriggerFailed,
    /// An article bears different identifiers in different places (R6).
    IdentifiersDiffer,
    /// Ten deposits in a row failed (R24).
    DepositsFail,
    /// The vault accepts nothing more for this source: key revoked, or source inactive (R23, R39).
    VaultClosed,
    /// Its time is up, or the trigger is due again; something is left for the next pass.
    TimeUp,
    /// The process was asked to stop.
    Interrupted,
    /// Another process has taken the source's lock over, because this one was stopped for too long.
    LockLost,
    /// The source's credential cannot be read; nothing was requested.
    NoCredential,
    /// The ledger failed; what was acknowledged before is on record.
    LedgerFailed,
    /// The runner answered what was not asked. A bug.
    OutOfOrder,
}

impl End {
    /// Whether the pass did all that it came for, as far as this goes.
    pub fn is_done(self) -> bool {
        matches!(self, Self::Done | Self::Inactive | Self::TimeUp)
    }

    /// One sentence for the operator.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Inactive => "the source is inactive; nothing was requested",
            Self::LockHeld => "another pass over this source is under way",
            Self::TriggerRefused => {
                "robots.txt forbids the trigger or cannot be had; nothing more was requested"
            }
            Self::TriggerFailed => "the trigger could not be read, so nothing new is known",
            Self::IdentifiersDiffer => {
                "an article bears different identifiers in different places; it is set aside until `releve retry`"
            }
            Self::DepositsFail => "ten deposits in a row failed; see to the vault, nothing is lost",
            Self::VaultClosed => "the vault takes nothing more of this source",
            Self::TimeUp => "the time is up; the next pass goes on from here",
            Self::Interrupted => "interrupted; the next pass goes on from here",
            Self::LockLost => "another process works on the source now; it goes on from here",
            Self::NoCredential => "the source's credential cannot be read; nothing was requested",
            Self::LedgerFailed => "the ledger failed; what the vault acknowledged is safe",
            Self::OutOfOrder => "the pass lost its place; please report this",
        }
    }
}

/// What a pass counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Whether the trigger was due and was read.
    pub trigger_read: bool,
    /// Whether it was due and could not be read.
    pub trigger_failed: bool,
    /// How many references the trigger announced.
    pub announced: usize,
    /// How many of them were new, or modified since they were sealed.
    pub queued: usize,
    /// How many announced references are under embargo still, and so are not queued (R41).
    pub embargoed: usize,
    /// How many references the walk over the backlog's list added.
    #[serde(default)]
    pub found: usize,
    /// Articles read whole.
    pub read: usize,
    /// Articles sealed.
    pub sealed: usize,
    /// How many of those are a further version of an article.
    pub new_versions: usize,
    /// Articles whose text and descriptor are as sealed before.
    pub unchanged: usize,
    /// Articles whose read was refused or failed.
    pub refused: usize,
    /// Articles that were read and that the vault did not take.
    pub not_deposited: usize,
}

/// One refusal, as the report and `status` show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusalLine {
    /// The reference as far as it is known: identifier or address; empty for the trigger.
    pub reference: String,
    /// The address that was to be read.
    pub address: String,
    /// A stable word.
    pub code: String,
    /// A sentence.
    pub reason: String,
}

/// What a pass did, as the ledger keeps it and `--json` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The source.
    pub source: String,
    /// When the pass began.
    pub started_at: Timestamp,
    /// When it was over.
    pub finished_at: Timestamp,
    /// How it ended.
    pub end: End,
    /// What went wrong, where the end alone does not say it.
    pub detail: Option<String>,
    /// When the trigger is due again, where this pass found it not due.
    pub trigger_due_at: Option<Timestamp>,
    /// What the trigger's reader left out or did not understand, at most a hundred; none of it quotes the trigger (R1).
    pub notices: Vec<String>,
    /// What the walk over the backlog's list has done so far, where one was under way.
    #[serde(default)]
    pub walk: Option<releve_backlog::Report>,
    /// What was counted.
    #[serde(flatten)]
    pub tally: Tally,
    /// The first refusals, the trigger's among them.
    pub refusals: Vec<RefusalLine>,
}

impl Report {
    /// A report of a pass that could not begin.
    pub fn not_begun(source: &str, end: End, detail: String, at: Timestamp) -> Self {
        Self {
            source: source.to_owned(),
            started_at: at,
            finished_at: at,
            end,
            detail: Some(detail),
            trigger_due_at: None,
            notices: Vec::new(),
            walk: None,
            tally: Tally::default(),
            refusals: Vec::new(),
        }
    }

    /// Whether nothing was refused and nothing failed.
    pub fn is_clean(&self) -> bool {
        self.end.is_done() && self.refusals.is_empty() && !self.tally.trigger_failed
    }
}
