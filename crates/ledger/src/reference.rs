//! What is known of a reference, and what an announcement or a read changes of it. All transitions are here; an adapter
//! loads an [`Entry`], calls one of them, and stores the entry again, in one transaction.
//!
//! | state | event | next state |
//! |---|---|---|
//! | not known | announced | queued |
//! | queued, refused | announced | the same; address and dates as last announced |
//! | sealed | announced with a later modification than the one read | queued |
//! | sealed | announced otherwise | sealed |
//! | set aside | announced | set aside (R6) |
//! | not known, queued, refused | announced as not to be read before an instant | refused: waits for that instant (R41) |
//! | refused, for an instant that was announced | announced by the trigger without one | queued |
//! | any | read and sealed, or read and found unchanged | sealed; queued where a later modification was announced since |
//! | any | the read refused | refused: waits for the next pass (R23), or for an instant |
//! | any | set aside | set aside |
//! | refused, set aside | retry | queued |

use jiff::{SignedDuration, Timestamp};
use releve_url_canon::HttpsUrl;

use crate::PassId;

/// A SHA-256, as its 32 bytes.
pub type Digest = [u8; 32];

/// Where a reference was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SeenIn {
    /// In the trigger. What it announces is read before what only the backlog holds.
    Trigger,
    /// In the backlog's list.
    Backlog,
}

/// A reference as a trigger or a list announces it. Nothing else of an announcement is kept (R1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    /// The identifier that the CMS gives the article.
    pub identifier: String,
    /// Its address in canonical form, where the announcement has one.
    pub address: Option<HttpsUrl>,
    /// Which of the two announced it.
    pub seen_in: SeenIn,
    /// When it was published, as announced.
    pub published: Option<Timestamp>,
    /// When it was last modified, as announced.
    pub modified: Option<Timestamp>,
}

/// What announcements brought. The answer of [`Ledger::announce`](crate::Ledger::announce).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// References that were not known before.
    pub new: usize,
    /// Known ones that are to be read now: sealed ones that were announced with a later modification, and those whose
    /// embargo is over.
    pub modified: usize,
    /// Those that were known, and of which nothing new was said.
    pub known: usize,
    /// When the last of them all came to be known: now, where one is new. `None`: there are none.
    pub all_known_since: Option<Timestamp>,
}

impl Heard {
    pub(crate) fn known_since(&mut self, first_seen: Timestamp) {
        self.all_known_since = self.all_known_since.max(Some(first_seen));
    }
}

/// Where a reference stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// To be read.
    Queued,
    /// To be read again: the last read was refused.
    Refused,
    /// Read and sealed, and nothing later was announced.
    Sealed,
    /// Not read until somebody lifts it.
    SetAside,
}

/// Which references a pass reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Those that nobody has tried to read since they were queued: what a pass that was cut off has left, and what was
    /// [put back](crate::Ledger::retry).
    Untried,
    /// Those whose last read was refused as well (R23).
    All,
}

impl Choice {
    /// The last state, in their order, that is among the choice.
    pub(crate) fn last_state(self) -> State {
        match self {
            Self::Untried => State::Queued,
            Self::All => State::Refused,
        }
    }
}

/// What is known of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The identifier, unique in its source.
    pub identifier: String,
    /// The address that was last announced.
    pub address: Option<HttpsUrl>,
    /// Where it was seen; the trigger, if both announced it since it was last read.
    pub seen_in: SeenIn,
    /// When it was seen first.
    pub first_seen: Timestamp,
    /// When it was published, as last announced.
    pub published: Option<Timestamp>,
    /// The latest modification that was announced.
    pub modified: Option<Timestamp>,
    /// Where it stands.
    pub state: State,
    /// The last refusal, where the state is refused or set aside.
    pub refusal: Option<Refusal>,
    /// What was last sealed of it.
    pub sealed: Option<Sealed>,
    /// The modification that was announced when it was last read with success, whether that sealed a version or found
    /// none.
    pub read_under: Option<Timestamp>,
    /// When it was last read with success.
    pub read_at: Option<Timestamp>,
    /// The last pass that tried to read it.
    pub tried_in: Option<PassId>,
}

/// Why a reference is announced and not to be read yet: an embargo (R41).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutOff {
    /// A stable word.
    pub code: String,
    /// The whole reason, for a person.
    pub detail: String,
    /// The instant from which it may be read. `None`: not before the trigger announces it without an embargo, or with one
    /// that is over, or somebody lifts it.
    pub until: Option<Timestamp>,
}

/// Why a reference was not sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A stable word: `robots-disallowed`, `length-short`.
    pub code: String,
    /// The whole reason, for a person, cut off at [4 KiB](DETAIL_BYTES_MAX). Never a word of the trigger's content.
    pub detail: String,
    /// When it was refused.
    pub at: Timestamp,
    /// How many times in a row its read was tried; 0 where it was [put off](PutOff).
    pub attempts: u32,
    /// It is not to be read before this instant, whatever pass comes.
    pub not_before: Option<Timestamp>,
}

/// The last sealed version of an article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The vault's receipt.
    pub receipt: Receipt,
    /// Tells whether a later read differs: see the deposit's content key.
    pub content_key: Digest,
    /// The final address that it was read at.
    pub address: HttpsUrl,
}

/// What a vault answered when it sealed a unit. Receipts are kept for ever: a vault that was cut off shows against them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The vault, by the name that it bears in itself.
    pub vault: String,
    /// The unit's place in the chain of seals.
    pub sequence: u64,
    /// The unit.
    pub unit: Digest,
    /// The seal, that is: the head of the chain when the unit was the last.
    pub seal: Digest,
    /// When the vault received it.
    pub received_at: Timestamp,
}

/// What came of reading a reference. Recorded after a deposit was acknowledged, never before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A version was sealed, now or by an earlier try whose acknowledgement was lost.
    Sealed {
        /// What was sealed.
        sealed: Sealed,
        /// The instant of the read.
        read_at: Timestamp,
    },
    /// It was read, and neither text nor descriptor differ from what is sealed.
    Unchanged {
        /// The instant of the read.
        read_at: Timestamp,
    },
    /// It was not read, or not sealed. The next pass tries again.
    Refused {
        /// A stable word.
        code: String,
        /// The whole reason, for a person.
        detail: String,
        /// Not before this instant, where the next pass is too early.
        not_before: Option<Timestamp>,
    },
    /// It is not to be tried again until somebody lifts it (R6).
    SetAside {
        /// A stable word.
        code: String,
        /// The whole reason, for a person.
        detail: String,
    },
}

/// How many references of a source stand where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// To be read, and not tried yet.
    pub queued: u64,
    /// To be read again after a refusal.
    pub refused: u64,
    /// Sealed.
    pub sealed: u64,
    /// Set aside.
    pub set_aside: u64,
}

impl Counts {
    /// How many are known in all.
    pub fn known(&self) -> u64 {
        self.queued + self.refused + self.sealed + self.set_aside
    }

    pub(crate) fn of(&mut self, state: State) -> &mut u64 {
        match state {
            State::Queued => &mut self.queued,
            State::Refused => &mut self.refused,
            State::Sealed => &mut self.sealed,
            State::SetAside => &mut self.set_aside,
        }
    }
}

/// How long the reason of a refusal may be, in bytes: enough for a sentence that quotes an address and two identifiers.
/// A backlog of a million references may be refused for one reason each.
pub const DETAIL_BYTES_MAX: usize = 4 * 1024;

/// How far ahead of now an announced modification may lie. Zones that were mixed up put it up to 14 hours ahead; a
/// year such as 2099 would make every later modification look like an earlier one.
const MODIFIED_AHEAD_MAX: SignedDuration = SignedDuration::from_hours(24);

/// Stands for an instant that was not said: the last second that there is.
const NO_INSTANT: Timestamp = Timestamp::constant(253_402_207_200, 0);

impl Entry {
    /// A reference that was not known.
    pub(crate) fn new(announced: &Announced, now: Timestamp) -> Self {
        Self {
            identifier: announced.identifier.clone(),
            address: announced.address.clone(),
            seen_in: announced.seen_in,
            first_seen: now,
            published: announced.published,
            modified: believed(announced.modified, now),
            state: State::Queued,
            refusal: None,
            sealed: None,
            read_under: None,
            read_at: None,
            tried_in: None,
        }
    }

    /// A known reference was announced again. Returns whether that queues it.
    pub(crate) fn hear(&mut self, announced: &Announced, now: Timestamp) -> bool {
        if announced.address.is_some() {
            self.address.clone_from(&announced.address);
        }
        self.published = announced.published.or(self.published);
        self.modified = believed(announced.modified, now).max(self.modified);
        // A list need not say of an embargo what the trigger says of it.
        let is_lifted = announced.seen_in == SeenIn::Trigger && self.is_put_off();
        let queues = is_lifted || self.state == State::Sealed && self.modified_since_read();
        if is_lifted {
            self.refusal = None;
        }
        if queues {
            self.state = State::Queued;
            self.seen_in = announced.seen_in;
        } else if matches!(self.state, State::Queued | State::Refused) {
            self.seen_in = self.seen_in.min(announced.seen_in);
        }
        queues
    }

    /// It was announced, and is not to be read yet.
    pub(crate) fn put_off(&mut self, why: &PutOff, now: Timestamp) {
        if matches!(self.state, State::Queued | State::Refused) {
            self.state = State::Refused;
            self.refusal = Some(Refusal {
                code: why.code.clone(),
                detail: cut_off(&why.detail).to_owned(),
                at: now,
                attempts: 0,
                not_before: Some(why.until.unwrap_or(NO_INSTANT)),
            });
        }
    }

    fn is_put_off(&self) -> bool {
        self.state == State::Refused && self.refusal.as_ref().is_some_and(|refusal| refusal.attempts == 0)
    }

    /// Whether a modification was announced that the last read cannot have seen. Where that read was of an article
    /// without a date, it saw everything up to its own instant.
    fn modified_since_read(&self) -> bool {
        match (self.modified, self.read_under.or(self.read_at)) {
            (Some(modified), Some(read)) => modified > read,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }

    /// This entry was handed out as `read` and this came of it.
    pub(crate) fn apply(&mut self, read: &Self, outcome: &Outcome, pass: PassId, now: Timestamp) {
        self.tried_in = Some(pass);
        match outcome {
            Outcome::Sealed { sealed, read_at } => {
                self.sealed = Some(sealed.clone());
                self.settle(read, *read_at);
            }
            Outcome::Unchanged { read_at } => self.settle(read, *read_at),
            Outcome::Refused { code, detail, not_before } => {
                self.refuse(State::Refused, code, detail, *not_before, now);
            }
            Outcome::SetAside { code, detail } => self.refuse(State::SetAside, code, detail, None, now),
        }
    }

    fn settle(&mut self, read: &Self, read_at: Timestamp) {
        self.refusal = None;
        self.read_under = read.modified;
        self.read_at = Some(read_at);
        self.state = if self.modified_since_read() { State::Queued } else { State::Sealed };
    }

    fn refuse(
        &mut self,
        state: State,
        code: &str,
        detail: &str,
        not_before: Option<Timestamp>,
        now: Timestamp,
    ) {
        let before = self.refusal.as_ref().map_or(0, |refusal| refusal.attempts);
        self.state = state;
        self.refusal = Some(Refusal {
            code: code.to_owned(),
            detail: cut_off(detail).to_owned(),
            at: now,
            attempts: before.saturating_add(1),
            not_before,
        });
    }

    /// Somebody wants it read again, by the next pass: one that runs and has tried it does not try again (R23). Returns
    /// whether there was anything to lift.
    pub(crate) fn lift(&mut self) -> bool {
        // An embargo with its instant is the publisher's word, and nobody else's to lift (R41).
        let is_embargoed = self.is_put_off()
            && self.refusal.as_ref().and_then(|refusal| refusal.not_before) != Some(NO_INSTANT);
        let lifts = matches!(self.state, State::Refused | State::SetAside) && !is_embargoed;
        if lifts {
            self.state = State::Queued;
            self.refusal = None;
        }
        lifts
    }

    /// Whether `pass` may read it at `now`.
    pub(crate) fn is_for(&self, pass: PassId, choice: Choice, now: Timestamp) -> bool {
        (self.state == State::Queued || choice == Choice::All && self.state == State::Refused)
            && self.tried_in.is_none_or(|tried| tried < pass)
            && self.refusal.as_ref().and_then(|refusal| refusal.not_before).is_none_or(|at| at <= now)
    }

    /// The date it is ordered by: the publication's, else the modification's, else that of the first sight.
    pub(crate) fn date(&self) -> Timestamp {
        self.published.or(self.modified).unwrap_or(self.first_seen)
    }
}

/// As much of a text as may be kept, whole characters only.
fn cut_off(detail: &str) -> &str {
    let mut ends = (0..=detail.len().min(DETAIL_BYTES_MAX)).rev();
    ends.find_map(|end| detail.get(..end)).unwrap_or_default()
}

fn believed(modified: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    modified.filter(|modified| modified.duration_since(now) <= MODIFIED_AHEAD_MAX)
}
