//! Carries out what the machine of a pass asks for.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use releve_deposit::{ArticleKey, Deposit, DepositError, DepositErrorKind, Outcome, Unit, Vault};
use releve_fetch::{AccessHeader, Clock, Fetch};
use releve_ledger::{
    Announced, Choice, Entry, Ledger, LedgerError, LedgerErrorKind, Outcome as Came, Pass as LedgerPass,
    PutOff, Round, Sealed, SeenIn, SourceLock, Taking,
};
use releve_pace::{Backoff, Due, SLACK};
use releve_proof::{Connector, RootSet};
use releve_source::{AccessSpec, Source, Trigger, Way};
use releve_url_canon::HttpsUrl;
use releve_visit::{
    Expected, Interrupt, Interrupter, Order, Refusal, Terms, VisitError, Visited, Visitor, sentence, wait,
};

use crate::announce::{Unqueued, announced, read_trigger, shown};
use crate::article::{Ready, Under, Unfit, prepare};
use crate::machine::{Chosen, LetGo, Locked, Offered, Pass, Read, Record, Step, Stepped, Triggered};
use crate::report::{End, REFUSALS_MAX, RefusalLine, Report, Tally};
use crate::rhythm::{trigger_due, trigger_every};
use crate::walk::Walking;

/// How long a source's lock is held without being renewed. It only matters to other machines: on this one a dead
/// holder is noticed at once.
pub(crate) const LOCK_TTL: Duration = Duration::from_secs(120);

/// What a pass tells whoever watches, as it happens.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The trigger was read.
    Announced {
        /// How many references it announces.
        announced: usize,
        /// How many of them are to be read.
        queued: usize,
    },
    /// An article is about to be read.
    Reading {
        /// Its identifier, or its address where that stands for it.
        reference: &'a str,
    },
    /// An article is sealed, or was already.
    Deposited {
        /// Its identifier.
        reference: &'a str,
        /// Whether something was sealed.
        sealed: bool,
    },
    /// Something was refused.
    Refused(&'a RefusalLine),
    /// A batch of the backlog's list was taken note of.
    Listed {
        /// How many entries it has.
        entries: usize,
        /// How many references it added to what is to be read.
        queued: usize,
    },
}

/// Watches passes. The calls come from whichever task makes the pass and must not block.
pub trait Watch: Send + Sync {
    /// Something happened in the pass over `source`.
    fn saw(&self, source: &str, event: Event<'_>);
}

/// Watches nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn saw(&self, _: &str, _: Event<'_>) {}
}

/// Makes passes. One serves a whole process, and passes over several sources run side by side on it.
pub struct Runner<F: Fetch> {
    /// Makes the visits.
    pub visitor: Visitor<F>,
    /// What is known.
    pub ledger: Arc<dyn Ledger>,
    /// Where deposits go.
    pub vault: Arc<dyn Vault>,
    /// The vault's name, under which the ledger keeps its receipts.
    pub vault_name: String,
    /// The roots that are recognised.
    pub roots: RootSet,
    /// The program that reads.
    pub connector: Connector,
    /// How long an article is tried that fails each time.
    pub give_up_after: Duration,
    /// Whether it is a lab's run.
    pub lab: bool,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Who watches.
    pub watch: Arc<dyn Watch>,
}

/// What a pass has in hand.
pub(crate) struct Hand<'a> {
    pub(crate) source: &'a Source,
    pub(crate) access: Option<&'a AccessHeader>,
    pub(crate) terms: Terms,
    lock: Option<SourceLock>,
    pub(crate) pass: Option<LedgerPass>,
    /// Whether this pass has read the trigger.
    pub(crate) heard: bool,
    pub(crate) walking: Walking,
    /// How many files of the list failed in a row.
    pub(crate) list_failures: u32,
    /// How many files the walk has asked for since its place was kept.
    pub(crate) files_unkept: usize,
    /// The hosts whose turn comes after the end of the pass. What is left there is not for this pass.
    late_hosts: Vec<String>,
    entry: Option<Entry>,
    /// The address that is asked for it, where there is one.
    asked: Option<HttpsUrl>,
    ready: Option<Arc<Ready>>,
    sealed: Option<Sealed>,
    refusal: Option<Refused>,
    pub(crate) report: Report,
}

/// Why the reference in hand is not sealed.
struct Refused {
    code: String,
    reason: String,
    /// How long it is left alone, where the next pass would be too early.
    wait: Option<Duration>,
}

impl<F: Fetch> Runner<F> {
    /// Makes one pass over one source and reports. It asks for nothing unless something is due.
    ///
    /// It sends no request after `until`, nor once the trigger is due again: a backlog of a million articles takes many
    /// passes, and each begins with what is new.
    pub async fn pass(
        &self,
        source: &Source,
        access: Option<&AccessHeader>,
        interrupt: &Interrupt,
        until: Timestamp,
    ) -> Report {
        let started_at = self.clock.now();
        let mut hand = Hand {
            source,
            access,
            terms: Self::terms(source, until),
            lock: None,
            pass: None,
            heard: false,
            walking: Walking::Unknown,
            list_failures: 0,
            files_unkept: 0,
            late_hosts: Vec::new(),
            entry: None,
            asked: None,
            ready: None,
            sealed: None,
            refusal: None,
            report: Report {
                source: source.name().to_string(),
                started_at,
                finished_at: started_at,
                end: End::Done,
                detail: None,
                trigger_due_at: None,
                notices: Vec::new(),
                walk: None,
                tally: Tally::default(),
                refusals: Vec::new(),
            },
        };
        let (mut machine, step) = Pass::begin(source.is_active());
        hand.report.end = match self.run(&mut machine, step, &mut hand, interrupt).await {
            Ok(end) => end,
            Err(error) => hand.report.fail(&error),
        };
        if let Err(error) = self.leave_walk(&hand) {
            hand.report.end = hand.report.fail(&error);
        }
        hand.report.tally = *machine.tally();
        hand.report.finished_at = self.clock.now();
        if let Err(error) = self.let_go(&hand) {
            hand.report.end = hand.report.fail(&error);
        }
        hand.report
    }

    /// What the source asks of every visit to an article.
    pub(crate) fn terms(source: &Source, until: Timestamp) -> Terms {
        Terms {
            hosts: source.hosts().clone(),
            necessary: source.necessary_parameters().clone(),
            interval: source.rhythm().host(),
            bounds: *source.bounds(),
            until,
        }
    }

    /// Puts the report on record and frees the lock.
    fn let_go(&self, hand: &Hand<'_>) -> Result<(), LedgerError> {
        let finished = hand.pass.as_ref().map_or(Ok(()), |pass| {
            let report = serde_json::to_string(&hand.report).unwrap_or_default();
            self.ledger.finish_pass(pass, hand.report.finished_at, &report)
        });
        // Whatever came of that, the next pass must not wait for a lock that nobody needs.
        let released = hand.lock.as_ref().map_or(Ok(()), |lock| self.ledger.release(lock));
        finished.and(released)
    }

    async fn run(
        &self,
        machine: &mut Pass,
        mut step: Step,
        hand: &mut Hand<'_>,
        interrupt: &Interrupt,
    ) -> Result<End, LedgerError> {
        let (lost, lock_lost) = Interrupter::pair();
        let interrupt = &interrupt.clone().or(lock_lost.clone());
        let mut _renewing = None;
        loop {
            if lock_lost.came() {
                return Ok(End::LockLost);
            }
            if interrupt.came() {
                machine.interrupt();
            }
            step = match step {
                Step::Lock => {
                    let locked = self.lock(hand)?;
                    if let Some(lock) = &hand.lock {
                        _renewing = Some(self.keep_renewing(lock.clone(), lost.clone()));
                    }
                    machine.locked(locked)
                }
                Step::Trigger { at } => {
                    if wait(self.clock.as_ref(), interrupt, at).await {
                        machine.triggered(self.trigger(hand, interrupt).await?)
                    } else {
                        return Ok(End::Interrupted);
                    }
                }
                Step::Choose { again } => machine.chosen(self.choose(hand, again)?),
                Step::Walk => machine.walked(self.walk(hand, interrupt).await?),
                Step::Read => {
                    let read = self.read(hand, interrupt).await?;
                    self.recorded(machine.read(read), hand)?
                }
                Step::Deposit { pause } => {
                    let at = self.clock.now().checked_add(pause).unwrap_or(Timestamp::MAX);
                    // An interruption ends the pause, not the deposit: the article was read.
                    wait(self.clock.as_ref(), interrupt, at).await;
                    let offered = self.offer(hand).await;
                    self.recorded(machine.offered(offered), hand)?
                }
                Step::Finish(end) => return Ok(end),
            };
        }
    }

    fn lock(&self, hand: &mut Hand<'_>) -> Result<Locked, LedgerError> {
        let now = self.clock.now();
        let name = hand.source.name().as_str();
        match self.ledger.lock(name, now, LOCK_TTL)? {
            Taking::Held { .. } => Ok(Locked::Held),
            Taking::Taken(lock) => {
                hand.lock = Some(lock.clone());
                let due = match trigger_due(self.ledger.as_ref(), hand.source, now)? {
                    // Waiting for it would only use up the time that is left.
                    Due::Soon { at } if at > hand.terms.until => Due::Later { at },
                    due => due,
                };
                let later = due.at(now);
                if later > now {
                    hand.report.trigger_due_at = Some(later);
                }
                let again = if matches!(due, Due::Later { .. }) {
                    Some(later)
                } else {
                    later.checked_add(trigger_every(self.ledger.as_ref(), hand.source, now)?).ok()
                };
                hand.terms.until = again.map_or(hand.terms.until, |again| hand.terms.until.min(again));
                // A start that finds nothing to do is no pass: what the last one had to say stays the last word.
                let idle = matches!(due, Due::Later { .. })
                    && self.ledger.counts(name)?.queued == 0
                    && self.walk_at(hand, now)?.is_none();
                if !idle {
                    hand.pass = Some(self.ledger.begin_pass(&lock, now)?);
                }
                Ok(Locked::Taken(due))
            }
        }
    }

    /// Renews the lock until what it returns is dropped.
    pub(crate) fn keep_renewing(&self, lock: SourceLock, lost: Interrupter) -> Renewing {
        let (ledger, clock) = (Arc::clone(&self.ledger), Arc::clone(&self.clock));
        Renewing(tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOCK_TTL / 3).await;
                match ledger.renew(&lock, clock.now(), LOCK_TTL) {
                    Ok(true) => {}
                    Ok(false) => break lost.interrupt(),
                    Err(error) => tracing::warn!(%error, "the lock could not be renewed"),
                }
            }
        }))
    }

    async fn trigger(&self, hand: &mut Hand<'_>, interrupt: &Interrupt) -> Result<Triggered, LedgerError> {
        let source = hand.source;
        let Some(pass) = hand.pass.clone() else { return Ok(Triggered::Failed) };
        let address = source.trigger().address();
        let order = Order {
            address: address.clone(),
            expected: match source.trigger() {
                Trigger::Feed(_) => Expected::Feed,
                Trigger::List { .. } => Expected::Json,
            },
            access_for: hand.access_for(|spec| spec.also_for_trigger),
            disallow_lifted: false,
        };
        let read = |at: Timestamp| self.ledger.mark(&pass, Round::Trigger, at);
        let visited = self.visitor.visit_noting(&order, &hand.terms, hand.access, interrupt, &read).await;
        if let Err(VisitError::Refused(refusal)) = &visited
            && let Some(why) = let_go(refusal)
        {
            if let Refusal::OutOfTime { at } = refusal {
                self.is_late(hand, address, *at)?;
            }
            return Ok(Triggered::LetGo(why));
        }
        // Where no request could be sent, it was tried for.
        read(self.clock.now())?;
        let visited = match visited {
            Ok(visited) => visited,
            Err(VisitError::Ledger(error)) => return Err(error),
            Err(VisitError::Refused(refusal)) => {
                self.refused(hand, "", address.as_str(), refusal.code(), &refusal.to_string());
                let by_robots =
                    matches!(refusal, Refusal::RobotsDisallowed { .. } | Refusal::RobotsBlocked { .. });
                return Ok(if by_robots { Triggered::RefusedByRobots } else { Triggered::Failed });
            }
            Err(other) => {
                self.refused(hand, "", address.as_str(), "visit-failed", &sentence(&other));
                return Ok(Triggered::Failed);
            }
        };
        let feed = match read_trigger(source, &visited) {
            Ok(feed) => feed,
            Err((code, reason)) => {
                self.refused(hand, "", address.as_str(), code, &reason);
                return Ok(Triggered::Failed);
            }
        };
        hand.report.notices = feed.notices.iter().map(ToString::to_string).collect();
        let now = self.clock.now();
        let mut batch = Vec::with_capacity(feed.announcements.len());
        let mut embargoed = 0;
        for announcement in &feed.announcements {
            match announced(source, announcement, SeenIn::Trigger, now) {
                Ok(announced) => batch.push(announced),
                Err(Unqueued::OtherPath) => {}
                Err(unqueued) => {
                    if let Unqueued::Embargo { until, reference } = &unqueued {
                        self.put_off(&pass, reference, *until, &unqueued, now)?;
                        if until.is_some() {
                            // Nothing is wrong: it is read after the embargo.
                            embargoed += 1;
                            continue;
                        }
                    }
                    let link = shown(announcement.link.as_deref());
                    self.refused(hand, "", &link, unqueued.code(), &unqueued.to_string());
                }
            }
        }
        let heard = self.ledger.announce(&pass, &batch, now)?;
        hand.heard = true;
        let queued = heard.new + heard.modified;
        self.watch.saw(&hand.report.source, Event::Announced { announced: batch.len(), queued });
        Ok(Triggered::Read { announced: batch.len(), queued, embargoed })
    }

    /// Takes note of an article under embargo, so that nothing else that announces it has it read before that is
    /// lifted (R41).
    pub(crate) fn put_off(
        &self,
        pass: &LedgerPass,
        reference: &Announced,
        until: Option<Timestamp>,
        why: &Unqueued,
        now: Timestamp,
    ) -> Result<(), LedgerError> {
        let why = PutOff { code: why.code().to_owned(), detail: why.to_string(), until };
        self.ledger.put_off(pass, reference, &why, now)
    }

    fn choose(&self, hand: &mut Hand<'_>, again: bool) -> Result<Chosen, LedgerError> {
        let Some(pass) = &hand.pass else { return Ok(Chosen::Nothing) };
        let choice = if again { Choice::All } else { Choice::Untried };
        let now = self.clock.now();
        // Where articles are read by a template, all of them are at its host, wherever they were announced.
        let (is_late, but_at) = match hand.source.way().address() {
            Some(template) => (hand.late_hosts.iter().any(|host| host == template.host()), &[][..]),
            None => (false, hand.late_hosts.as_slice()),
        };
        let most = usize::from(!is_late);
        let next = self.ledger.next_to_read(pass, choice, but_at, now, most)?.into_iter().next();
        let time_is_up = now > hand.terms.until;
        // What the trigger announces goes before the list, and the list before what it has found.
        if next.as_ref().is_none_or(|entry| entry.seen_in == SeenIn::Backlog)
            && self.is_walking(hand, next.is_some())?
        {
            return Ok(if time_is_up { Chosen::TimeUp } else { Chosen::Walk });
        }
        hand.entry = next;
        Ok(match hand.entry {
            Some(_) if !time_is_up => Chosen::Reference,
            None if hand.late_hosts.is_empty() => Chosen::Nothing,
            _ => Chosen::TimeUp,
        })
    }

    async fn read(&self, hand: &mut Hand<'_>, interrupt: &Interrupt) -> Result<Read, LedgerError> {
        let Some(entry) = hand.entry.clone() else { return Ok(Read::Refused) };
        let source = hand.source;
        self.watch.saw(&hand.report.source, Event::Reading { reference: &entry.identifier });
        let address = match source.way().address() {
            None => entry.address.clone().ok_or_else(|| "the reference has no address".to_owned()),
            Some(template) => template.address(&entry.identifier).map_err(|error| error.to_string()),
        };
        hand.asked = address.as_ref().ok().cloned();
        let address = match address {
            Ok(address) => address,
            Err(reason) => return Ok(hand.refuse("identifier-unfit", reason)),
        };
        let order = Order {
            expected: if matches!(source.way(), Way::Page) { Expected::Page } else { Expected::Json },
            access_for: hand.access_for(|_| true),
            disallow_lifted: source.way().agreement_for(&address).is_some(),
            address,
        };
        let visited = match self.visitor.visit(&order, &hand.terms, hand.access, interrupt).await {
            Ok(visited) => visited,
            Err(VisitError::Ledger(error)) => return Err(error),
            Err(VisitError::Refused(refusal)) => {
                let wait = match (let_go(&refusal), &refusal) {
                    (Some(LetGo::OutOfTime), Refusal::OutOfTime { at }) => {
                        if self.is_late(hand, &order.address, *at)? {
                            return Ok(Read::LetGo(LetGo::OutOfTime));
                        }
                        // It redirects to a host that is, and was asked for.
                        Duration::try_from(at.duration_since(self.clock.now())).ok()
                    }
                    (Some(why), _) => return Ok(Read::LetGo(why)),
                    (None, _) => refusal.retry_after().map(|wait| wait.min(DAY)),
                };
                hand.refusal =
                    Some(Refused { code: refusal.code().to_owned(), reason: refusal.to_string(), wait });
                return Ok(Read::Refused);
            }
            Err(other) => return Ok(hand.refuse("visit-failed", sentence(&other))),
        };
        if let Some(other) = self.leads_elsewhere(hand.source, &entry, &visited)? {
            return Ok(hand.refuse("other-article", other));
        }
        let under =
            Under { roots: &self.roots, connector: &self.connector, access: hand.access, lab: self.lab };
        match prepare(source, &entry, &visited, under) {
            Ok(ready) => {
                hand.ready = Some(Arc::new(ready));
                Ok(Read::Ready)
            }
            Err(unfit) => {
                hand.refusal = Some(Refused {
                    code: unfit.code().to_owned(),
                    reason: unfit.to_string(),
                    wait: unfit.wait(),
                });
                let differ = matches!(unfit, Unfit::IdentifiersDiffer { .. });
                Ok(if differ { Read::IdentifiersDiffer } else { Read::Refused })
            }
        }
    }

    /// Whether it is the host of this address whose turn, at `at`, comes after the end of the pass. It is noted then, and
    /// said where that is longer than a pass waits for anything: nobody would know else why nothing is read.
    pub(crate) fn is_late(
        &self,
        hand: &mut Hand<'_>,
        address: &HttpsUrl,
        at: Timestamp,
    ) -> Result<bool, LedgerError> {
        let (host, now) = (address.host(), self.clock.now());
        let is_late = self.ledger.next_turn(host, hand.terms.interval, now)? > hand.terms.until;
        if is_late {
            hand.late_hosts.push(host.to_owned());
            if at.duration_since(now).unsigned_abs() > SLACK {
                hand.report
                    .detail
                    .get_or_insert_with(|| format!("{host} is asked for nothing before {at:.0}"));
            }
        }
        Ok(is_late)
    }

    /// Whether redirects led to something that is known not to be the article: the front page, or the address of another
    /// reference. Publishers send readers of what they took down there; sealed, it would be a lie about what was
    /// published. The answer is the reason.
    fn leads_elsewhere(
        &self,
        source: &Source,
        entry: &Entry,
        visited: &Visited,
    ) -> Result<Option<String>, LedgerError> {
        let final_address = &visited.address;
        if visited.redirects.is_empty() || *final_address == visited.requested {
            return Ok(None);
        }
        if final_address.path_and_query() == "/" {
            return Ok(Some(format!("it redirects to the front page {final_address}")));
        }
        if source.article_path().is_some_and(|path| !path.matches(final_address)) {
            return Ok(Some(format!(
                "it redirects to {final_address}, which does not match the source's article_path"
            )));
        }
        let there = self.ledger.entries_at(source.name().as_str(), final_address)?;
        let other = there.iter().find(|other| other.identifier != entry.identifier);
        Ok(other.map(|other| {
            format!("it redirects to {final_address}, where the article {:?} stands", other.identifier)
        }))
    }

    /// Offers what is in hand to the vault, on a thread that may block.
    async fn offer(&self, hand: &mut Hand<'_>) -> Offered {
        let Some(ready) = hand.ready.clone() else { return Offered::Refused };
        let (vault, source) = (Arc::clone(&self.vault), hand.report.source.clone());
        let offered = tokio::task::spawn_blocking(move || deposit(vault.as_ref(), &source, &ready)).await;
        let (code, reason, offered) = match offered {
            Ok(Ok(given)) => {
                let Given { outcome, content, versions, address } = given;
                let receipt = outcome.receipt();
                hand.sealed = Some(Sealed {
                    receipt: releve_ledger::Receipt {
                        vault: self.vault_name.clone(),
                        sequence: receipt.sequence,
                        unit: *receipt.digest.as_bytes(),
                        seal: *receipt.seal.as_bytes(),
                        received_at: receipt.received_at,
                    },
                    content_key: content,
                    address,
                });
                return match outcome {
                    Outcome::Sealed(_) => Offered::Sealed { version: versions },
                    Outcome::AlreadySealed(_) => Offered::AlreadySealed,
                };
            }
            Ok(Err(NotGiven::Key(reason))) => ("identifier-unfit".to_owned(), reason, Offered::Refused),
            Ok(Err(NotGiven::Vault(error))) => {
                let offered = match error.kind() {
                    DepositErrorKind::Refused => Offered::Refused,
                    DepositErrorKind::EndsPass => Offered::Closed,
                    DepositErrorKind::Superseded | DepositErrorKind::Failed => Offered::Failed,
                };
                (error.code().to_owned(), sentence(&error), offered)
            }
            Err(error) => ("deposit-failed".to_owned(), error.to_string(), Offered::Failed),
        };
        hand.refusal = Some(Refused { code, reason, wait: None });
        offered
    }

    /// Puts on record what the machine wants recorded about the reference in hand, and goes on.
    fn recorded(&self, stepped: Stepped, hand: &mut Hand<'_>) -> Result<Step, LedgerError> {
        let Some(record) = stepped.record else { return Ok(stepped.step) };
        let (Some(entry), Some(pass)) = (hand.entry.take(), hand.pass.clone()) else {
            return Ok(stepped.step);
        };
        let (ready, sealed) = (hand.ready.take(), hand.sealed.take());
        let refusal = hand.refusal.take();
        let came = match (record, sealed, ready) {
            (Record::Sealed, Some(sealed), Some(ready)) => {
                self.watch.saw(
                    &hand.report.source,
                    Event::Deposited { reference: &ready.identifier, sealed: true },
                );
                Came::Sealed { sealed, read_at: ready.proof.read_at() }
            }
            (Record::Unchanged, sealed, Some(ready)) => {
                self.watch.saw(
                    &hand.report.source,
                    Event::Deposited { reference: &ready.identifier, sealed: false },
                );
                match sealed {
                    // The receipt of an earlier deposit whose acknowledgement was never put on record.
                    Some(sealed)
                        if entry.sealed.as_ref().is_none_or(|kept| kept.receipt != sealed.receipt) =>
                    {
                        Came::Sealed { sealed, read_at: ready.proof.read_at() }
                    }
                    _ => Came::Unchanged { read_at: ready.proof.read_at() },
                }
            }
            (record, ..) => {
                let Some(Refused { code, reason, wait }) = refusal else { return Ok(stepped.step) };
                let reason = cut(&reason);
                let asked = hand.asked.take().or_else(|| entry.address.clone());
                let address = asked.as_ref().map_or("", |address| address.as_str()).to_owned();
                self.refused(hand, &entry.identifier, &address, &code, &reason);
                let now = self.clock.now();
                let (failures, pass_every) = (failures(&entry), hand.source.rhythm().trigger());
                if record == Record::SetAside || is_given_up(failures, pass_every, self.give_up_after) {
                    Came::SetAside { code, detail: reason }
                } else {
                    let wait = backoff(failures, pass_every).max(wait.unwrap_or_default());
                    let not_before =
                        (!wait.is_zero()).then(|| now.checked_add(wait).unwrap_or(Timestamp::MAX));
                    Came::Refused { code, detail: reason, not_before }
                }
            }
        };
        self.ledger.record(&pass, &entry, &came, self.clock.now())?;
        Ok(stepped.step)
    }

    pub(crate) fn refused(
        &self,
        hand: &mut Hand<'_>,
        reference: &str,
        address: &str,
        code: &str,
        reason: &str,
    ) {
        let line = RefusalLine {
            reference: cut(reference),
            address: cut(address),
            code: code.to_owned(),
            reason: cut(reason),
        };
        self.watch.saw(&hand.report.source, Event::Refused(&line));
        if hand.report.refusals.len() < REFUSALS_MAX {
            hand.report.refusals.push(line);
        }
    }
}

impl Hand<'_> {
    fn refuse(&mut self, code: &str, reason: String) -> Read {
        self.refusal = Some(Refused { code: code.to_owned(), reason, wait: None });
        Read::Refused
    }

    /// The `host[:port]` that the access header goes to with a request, if it goes with it.
    fn access_for(&self, with: impl Fn(&AccessSpec) -> bool) -> Option<String> {
        self.access.filter(|_| self.source.way().access().is_some_and(with)).map(AccessHeader::given_for)
    }
}

/// Renews a lock until it is dropped.
pub(crate) struct Renewing(tokio::task::JoinHandle<()>);

impl Drop for Renewing {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A deposit that the vault acknowledged.
struct Given {
    outcome: Outcome,
    content: [u8; 32],
    /// Whether the article had a version before.
    versions: bool,
    address: HttpsUrl,
}

enum NotGiven {
    Key(String),
    Vault(DepositError),
}

/// Encodes a deposit on top of the article's last version and offers it.
fn deposit(vault: &dyn Vault, source: &str, ready: &Ready) -> Result<Given, NotGiven> {
    let key = ArticleKey::new(source, &ready.identifier).map_err(|error| NotGiven::Key(error.to_string()))?;
    let last = vault.last_version(&key).map_err(|error| NotGiven::Vault(error.into()))?;
    let unit = Unit::encode(&Deposit {
        key: &key,
        previous: last.as_ref().map(|version| version.receipt.digest),
        envelope: &ready.envelope,
        article: &ready.article,
        proof: &ready.proof,
    })
    .map_err(|error| NotGiven::Vault(error.into()))?;
    let outcome = vault.deposit(&unit).map_err(NotGiven::Vault)?;
    Ok(Given {
        outcome,
        content: *unit.content_key().content.as_bytes(),
        versions: last.is_some(),
        address: ready.proof.address().clone(),
    })
}

/// Why a request was not sent, where that says nothing of what was asked for.
pub(crate) fn let_go(refusal: &Refusal) -> Option<LetGo> {
    match refusal {
        Refusal::Interrupted => Some(LetGo::Interrupted),
        Refusal::OutOfTime { .. } => Some(LetGo::OutOfTime),
        _ => None,
    }
}

/// How often in a row the read of an article failed, this time included.
fn failures(entry: &Entry) -> u32 {
    entry.refusal.as_ref().map_or(0, |refusal| refusal.attempts).saturating_add(1)
}

/// After how many failures in a row an article is asked for less often than at every pass.
const PATIENCE: u32 = 3;

/// The longest that an article is left alone after a failure, whatever its publisher asks for: as long as one answer keeps a whole
/// host from being asked. Whoever wants it left alone for longer says so again; whoever wrote seconds for milliseconds has not
/// lost it for years.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How long an article is left alone after so many failures in a row: until the next pass at first, then twice as long each
/// time, a day at most. The page promises less (R23); a publisher's log shows a dead link once a day.
fn backoff(failures: u32, pass: Duration) -> Duration {
    match failures.checked_sub(PATIENCE) {
        None => Duration::ZERO,
        Some(more) => Backoff::new(pass.saturating_mul(2), DAY).after(more.saturating_add(1)),
    }
}

/// Whether so many failures in a row took `length` or longer, going by the waits between them. How long an article is
/// known says nothing: it may have stood in a long queue, have been sealed long ago, or have been lifted.
fn is_given_up(failures: u32, pass: Duration, length: Duration) -> bool {
    let mut failed_for = Duration::ZERO;
    let mut waits = (1..failures).map(|failures| backoff(failures, pass).max(pass));
    failures > PATIENCE
        && waits.any(|wait| {
            failed_for = failed_for.saturating_add(wait);
            failed_for >= length
        })
}

/// As much of a text as a report keeps, without what would steer a terminal: addresses may have 8 KiB, and reasons
/// quote what a publisher sent.
fn cut(text: &str) -> String {
    const BYTES_MAX: usize = 1_024;
    let plain = |letter: char| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter };
    match text.char_indices().find(|(at, letter)| at + letter.len_utf8() > BYTES_MAX) {
        Some((at, _)) => text[..at].chars().map(plain).chain(['…']).collect(),
        None => text.chars().map(plain).collect(),
    }
}

impl Report {
    /// Notes that the ledger failed, and returns how the pass ends by it.
    fn fail(&mut self, error: &LedgerError) -> End {
        self.detail.get_or_insert_with(|| sentence(error));
        if error.kind() == LedgerErrorKind::LockLost { End::LockLost } else { End::LedgerFailed }
    }
}
