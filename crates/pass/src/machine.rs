//! One pass over one source, as a machine without I/O. All its transitions are here.
//!
//! ```text
//! state       event                                    goes to     asks the runner to
//! ──────────  ───────────────────────────────────────  ──────────  ─────────────────────────────────────
//! (new)       the source is inactive                   Over        finish, having asked for nothing
//!             it is active                             Locking     take the source's lock
//! Locking     held by another pass                     Over        finish
//!             taken, the trigger is due                Triggering  read the trigger, at its time
//!             taken, it is not due                     Choosing    choose among what a cut-off pass left
//! Triggering  read                                     Choosing    choose among all that is queued
//!             refused by robots.txt                    Over        finish: nothing more is asked of the source
//!             refused or failed otherwise              Choosing    choose among all that is queued
//! Choosing    a reference                              Reading     read the article
//!             the backlog's list goes first            Walking     take a step of its walk
//!             the time is up                           Over        finish
//!             none left                                Over        finish; not as done, if the trigger failed
//!                                                                  or something comes too late
//! Walking     a step was taken                         Choosing    choose
//! Reading     ready to be deposited                    Depositing  offer it to the vault
//!             refused                                  Choosing    record it; choose
//!             its identifiers differ                   Over        record it; finish at once
//! Depositing  sealed, or sealed already                Choosing    record it; choose
//!             refused for good                         Choosing    record it; choose
//!             refused: key revoked, source inactive    Over        finish at once
//!             failed, and not yet three times          Depositing  offer it again, after a pause
//!             failed for the third time                Choosing    record it; choose
//!             failed, for the tenth time in a row      Over        record it; finish at once
//! these three let go, interrupted                      Over        finish
//!             let go, the turn comes too late          Choosing    choose what is at other hosts
//! any         interrupted                              —           finish after what is in hand
//! ```
//!
//! A request is let go, before it is sent, by an interruption or because its turn comes after the end of the pass. One host
//! that asks to be left alone for a day keeps nobody from what is at others.
//!
//! The machine counts and decides; what a trigger, an article or a deposit is, it does not know.

use std::time::Duration;

use jiff::Timestamp;
use releve_pace::Due;

use crate::report::{End, Tally};

/// After how many failed deposit attempts in a row a pass stops (R24).
pub const DEPOSIT_FAILURES_MAX: u32 = 10;

/// How often one deposit is offered within a pass. The bytes are held meanwhile, so that each article is read once
/// where R23 would allow three reads.
pub const DEPOSIT_ATTEMPTS_MAX: u32 = 3;

/// The pause before the second attempt; doubled before the third. A vault that restarts is back within seconds, and
/// whoever waits longer holds up the rest of the source.
const DEPOSIT_PAUSE: Duration = Duration::from_secs(1);

/// What the runner is to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Take the source's lock; answer with [`Pass::locked`].
    Lock,
    /// Wait until then, read the trigger and queue what it announces; answer with [`Pass::triggered`].
    Trigger {
        /// The first instant at which it is due.
        at: Timestamp,
    },
    /// Choose the next reference; answer with [`Pass::chosen`].
    Choose {
        /// Whether references whose read failed in an earlier pass are among the choice. They wait for the next pass
        /// that is due (R23); what a cut-off pass has left is read by whichever comes next.
        again: bool,
    },
    /// Take one step of the walk over the backlog's list; answer with [`Pass::walked`].
    Walk,
    /// Read and judge the article; answer with [`Pass::read`].
    Read,
    /// Wait, then offer the deposit in hand to the vault; answer with [`Pass::offered`].
    Deposit {
        /// How long to wait first.
        pause: Duration,
    },
    /// The pass is over: release the lock, if it was taken.
    Finish(End),
}

/// What is to be put on record about the reference in hand, before the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// It is sealed: the vault acknowledged it.
    Sealed,
    /// It was read, and the vault has the same content already.
    Unchanged,
    /// The read was refused or failed; the reason is the runner's.
    Refused,
    /// Its identifiers differ; it is set aside until the operator lifts it (R6).
    SetAside,
    /// The vault refused it, or could not be reached, for this pass.
    NotDeposited,
}

/// A step, and what goes on record before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stepped {
    /// What goes on record about the reference in hand.
    pub record: Option<Record>,
    /// What to do next.
    pub step: Step,
}

impl From<Step> for Stepped {
    fn from(step: Step) -> Self {
        Self { record: None, step }
    }
}

/// What came of taking the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locked {
    /// It is ours, and this is when the trigger is due.
    Taken(Due),
    /// Another pass has it.
    Held,
}

/// What came of reading the trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triggered {
    /// It was read, and what it announces is queued.
    Read {
        /// How many references it announces.
        announced: usize,
        /// How many of them are to be read: new, or modified since they were sealed.
        queued: usize,
        /// How many more are under embargo.
        embargoed: usize,
    },
    /// robots.txt forbids it or cannot be had (R35, R36).
    RefusedByRobots,
    /// It was refused or failed otherwise.
    Failed,
    /// Its request was not sent.
    LetGo(LetGo),
}

/// Why a request was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetGo {
    /// An interruption came first.
    Interrupted,
    /// Its turn comes after the end of the pass. Nothing else at its host is chosen.
    OutOfTime,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// A reference is to be read.
    Reference,
    /// The walk over the backlog's list goes on: the trigger announced nothing that is still to be read.
    Walk,
    /// Something is left, and the time of this pass is up.
    TimeUp,
    /// Nothing is left.
    Nothing,
}

/// What came of a step of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walked {
    /// A file of the list was read, or could not be; the walk goes on or has ended.
    Step {
        /// How many references it added to what is queued.
        queued: usize,
    },
    /// Its request was not sent.
    LetGo(LetGo),
}

/// What came of reading an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// It was read, and is ready to be deposited.
    Ready,
    /// It was refused, or failed.
    Refused,
    /// The identifiers read in different places differ (R6).
    IdentifiersDiffer,
    /// Its request was not sent.
    LetGo(LetGo),
}

/// What the vault answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// Sealed.
    Sealed {
        /// Whether an earlier version of the article was there.
        version: bool,
    },
    /// The same content is sealed already.
    AlreadySealed,
    /// Refused, and would be again.
    Refused,
    /// The key is revoked or the source is inactive (R39).
    Closed,
    /// It failed, and may not the next time.
    Failed,
}

/// A pass: see the [module](self).
#[derive(Debug)]
pub struct Pass {
    state: State,
    again: bool,
    interrupted: bool,
    /// Whether a turn comes after the end of the pass, so that something is left.
    is_late: bool,
    failures_in_a_row: u32,
    tally: Tally,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Locking,
    Triggering,
    Choosing,
    Walking,
    Reading,
    Depositing { attempts: u32 },
    Over,
}

impl Pass {
    /// Begins a pass over a source and says what to do first.
    pub fn begin(active: bool) -> (Self, Step) {
        let mut pass = Self {
            state: State::Locking,
            again: false,
            interrupted: false,
            is_late: false,
            failures_in_a_row: 0,
            tally: Tally::default(),
        };
        if active {
            (pass, Step::Lock)
        } else {
            let step = pass.finish(End::Inactive);
            (pass, step)
        }
    }

    /// What was counted so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Asks the pass to end after what is in hand.
    pub fn interrupt(&mut self) {
        self.interrupted = true;
    }

    /// Answers [`Step::Lock`].
    pub fn locked(&mut self, locked: Locked) -> Step {
        match locked {
            _ if self.state != State::Locking => self.finish(End::OutOfOrder),
            Locked::Held => self.finish(End::LockHeld),
            Locked::Taken(Due::Now) => self.trigger(Timestamp::MIN),
            Locked::Taken(Due::Soon { at }) => self.trigger(at),
            Locked::Taken(Due::Later { .. }) => self.choose(),
        }
    }

    /// Answers [`Step::Trigger`].
    pub fn triggered(&mut self, triggered: Triggered) -> Step {
        if self.state != State::Triggering {
            return self.finish(End::OutOfOrder);
        }
        self.again = true;
        match triggered {
            Triggered::Read { announced, queued, embargoed } => {
                self.tally.trigger_read = true;
                self.tally.announced = announced;
                self.tally.queued = queued;
                self.tally.embargoed = embargoed;
                self.choose()
            }
            Triggered::RefusedByRobots => self.finish(End::TriggerRefused),
            Triggered::LetGo(why) => self.let_go(why),
            Triggered::Failed => {
                self.tally.trigger_failed = true;
                self.choose()
            }
        }
    }

    /// Answers [`Step::Choose`].
    pub fn chosen(&mut self, chosen: Chosen) -> Step {
        if self.state != State::Choosing {
            return self.finish(End::OutOfOrder);
        }
        match chosen {
            Chosen::Reference => {
                self.state = State::Reading;
                Step::Read
            }
            Chosen::Walk => {
                self.state = State::Walking;
                Step::Walk
            }
            Chosen::Nothing | Chosen::TimeUp if self.tally.trigger_failed => self.finish(End::TriggerFailed),
            Chosen::TimeUp => self.finish(End::TimeUp),
            Chosen::Nothing if self.is_late => self.finish(End::TimeUp),
            Chosen::Nothing => self.finish(End::Done),
        }
    }

    /// Answers [`Step::Walk`].
    pub fn walked(&mut self, walked: Walked) -> Step {
        match walked {
            _ if self.state != State::Walking => self.finish(End::OutOfOrder),
            Walked::Step { queued } => {
                self.tally.found += queued;
                self.choose()
            }
            Walked::LetGo(why) => self.let_go(why),
        }
    }

    /// Answers [`Step::Read`].
    pub fn read(&mut self, read: Read) -> Stepped {
        if self.state != State::Reading {
            return self.finish(End::OutOfOrder).into();
        }
        match read {
            Read::Ready => {
                self.tally.read += 1;
                self.state = State::Depositing { attempts: 1 };
                Step::Deposit { pause: Duration::ZERO }.into()
            }
            Read::Refused => {
                self.tally.refused += 1;
                Stepped { record: Some(Record::Refused), step: self.choose() }
            }
            Read::IdentifiersDiffer => {
                self.tally.read += 1;
                self.tally.refused += 1;
                Stepped { record: Some(Record::SetAside), step: self.finish(End::IdentifiersDiffer) }
            }
            Read::LetGo(why) => self.let_go(why).into(),
        }
    }

    /// Answers [`Step::Deposit`].
    pub fn offered(&mut self, offered: Offered) -> Stepped {
        let State::Depositing { attempts } = self.state else {
            return self.finish(End::OutOfOrder).into();
        };
        match offered {
            Offered::Sealed { version } => {
                self.failures_in_a_row = 0;
                self.tally.sealed += 1;
                self.tally.new_versions += usize::from(version);
                Stepped { record: Some(Record::Sealed), step: self.choose() }
            }
            Offered::AlreadySealed => {
                self.failures_in_a_row = 0;
                self.tally.unchanged += 1;
                Stepped { record: Some(Record::Unchanged), step: self.choose() }
            }
            Offered::Refused => {
                self.tally.not_deposited += 1;
                Stepped { record: Some(Record::NotDeposited), step: self.choose() }
            }
            Offered::Closed => {
                self.tally.not_deposited += 1;
                Stepped { record: Some(Record::NotDeposited), step: self.finish(End::VaultClosed) }
            }
            Offered::Failed => {
                self.failures_in_a_row += 1;
                let over = self.failures_in_a_row >= DEPOSIT_FAILURES_MAX;
                if !over && !self.interrupted && attempts < DEPOSIT_ATTEMPTS_MAX {
                    self.state = State::Depositing { attempts: attempts + 1 };
                    return Step::Deposit { pause: DEPOSIT_PAUSE * attempts }.into();
                }
                self.tally.not_deposited += 1;
                let step = if over { self.finish(End::DepositsFail) } else { self.choose() };
                Stepped { record: Some(Record::NotDeposited), step }
            }
        }
    }

    fn trigger(&mut self, at: Timestamp) -> Step {
        if self.interrupted {
            return self.finish(End::Interrupted);
        }
        self.state = State::Triggering;
        Step::Trigger { at }
    }

    fn choose(&mut self) -> Step {
        if self.interrupted {
            return self.finish(End::Interrupted);
        }
        self.state = State::Choosing;
        Step::Choose { again: self.again }
    }

    fn let_go(&mut self, why: LetGo) -> Step {
        match why {
            LetGo::Interrupted => self.finish(End::Interrupted),
            LetGo::OutOfTime => {
                self.is_late = true;
                self.choose()
            }
        }
    }

    fn finish(&mut self, end: End) -> Step {
        self.state = State::Over;
        Step::Finish(end)
    }
}
