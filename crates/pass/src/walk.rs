//! Takes the walk over a source's backlog one file further. What the walk asks for and when it ends is decided in
//! `releve-backlog`; here its requests become visits, and what it finds goes into the ledger's queue (R8).

use std::time::Duration;

use jiff::Timestamp;
use releve_backlog::{Answer, Backlog, Batch, History, Noted, Page, Report, Request, Step, Walk};
use releve_bounds::Bounds;
use releve_fetch::{AccessHeader, Fetch, Response};
use releve_ledger::{Announced, LedgerError, Pass as LedgerPass, Round, SeenIn, Taking, WalkRecord};
use releve_pace::{Due, due};
use releve_source::{Identifier, Source};
use releve_visit::{
    Expected, Interrupt, Interrupter, Leaves, Order, Refusal, Terms, VisitError, Visited, sentence, wait,
};

use crate::announce::{Unqueued, announced, shown};
use crate::machine::{LetGo, Walked};
use crate::runner::{Event, Hand, LOCK_TTL, Runner, let_go};

/// The walk, as far as a pass knows of it.
#[derive(Debug, Default)]
pub(crate) enum Walking {
    /// Nobody has looked yet whether one is due.
    #[default]
    Unknown,
    /// One begins, or goes on, at this instant.
    Due(Timestamp),
    /// It is under way.
    UnderWay(Box<Walk>),
    /// None is due, or the rest is for a later pass.
    Over,
}

/// After how many failures in a row a pass asks for no further file of a host. One that is down for an hour fails every file of a
/// list; were the walk told of each, it would give them all up in three passes and end with as many gaps.
const LIST_FAILURES_MAX: u32 = 3;

/// How many files that are left go with one that is asked for, where the place of the walk is written behind it. It has some
/// 60 bytes for each of them: kept behind every file, that of 50,000 would come to 75 GB in the walk. Kept behind every tenth
/// it comes to a tenth of that, and what `status` says of it is ten seconds old at most.
const FILES_LEFT_A_PLACE: usize = 5_000;

/// The longest wait for one request of a walk that only looks. Somebody sits before it.
const LOOK_WAIT_MAX: Duration = Duration::from_secs(3_600);

/// What files of a list are asked for with.
struct Asking<'a> {
    source: &'a Source,
    access: Option<&'a AccessHeader>,
    terms: Terms,
    interrupt: &'a Interrupt,
    /// How many files in a row could not be had of a host that answers otherwise.
    failures: u32,
}

impl<'a> Asking<'a> {
    fn of(
        source: &'a Source,
        backlog: &Backlog,
        access: Option<&'a AccessHeader>,
        terms: &Terms,
        interrupt: &'a Interrupt,
    ) -> Self {
        let terms = Terms {
            necessary: backlog.necessary_parameters.clone(),
            bounds: list_bounds(&terms.bounds),
            ..terms.clone()
        };
        Self { source, access, terms, interrupt, failures: 0 }
    }
}

/// What a file of a list could not be read for.
struct Unread {
    address: String,
    code: &'static str,
    reason: String,
}

/// What came of asking for a file.
enum Asked {
    /// It was answered, and the walk was told.
    Answered(Option<Unread>),
    /// It could not be had, and the walk was told: a later pass asks for it again, three times in all.
    Failed(Unread),
    /// It may not be asked for, so nothing was, and the walk was told.
    Barred(Unread),
    /// Where the list begins cannot be told now.
    NotYet(Unread),
    /// Neither it nor anything else at this `host[:port]` can be had now. The walk was not told.
    Unavailable { authority: String, unread: Unread },
    /// Its turn, or that of what it redirects to, comes at this instant, after the end of the pass. The walk was not told.
    Late(Timestamp),
    /// Its request was not sent.
    LetGo(LetGo),
}

/// What a walk that only looks has found.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Found<'a> {
    /// The reference, as a pass would queue it.
    pub reference: &'a Announced,
    /// Whether the ledger knows it.
    pub is_known: bool,
}

/// Why a walk that only looks ended before the list did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotWalked {
    /// The source has no backlog.
    NoBacklog,
    /// A pass over the source is under way (R10).
    LockHeld,
    /// The process was asked to stop.
    Interrupted,
    /// The host's next turn is more than an hour away: it asks for that by a Crawl-delay or a Retry-After.
    TurnTooFar,
}

impl<F: Fetch> Runner<F> {
    /// Whether the walk has something to do now: one that was cut off goes on at once, another begins 24 hours after the
    /// last one began (R10, R19). One that is due soon is waited for where nothing else `is_left`: a pass that comes once
    /// a day comes a little early every other day, and would else leave it to the next.
    ///
    /// The start of a daemon makes no walk due that is not: the page says "when the connector starts", and a connector that is
    /// restarted every hour would walk every hour. The due time is kept, so the first start of all walks.
    pub(crate) fn is_walking(&self, hand: &mut Hand<'_>, is_left: bool) -> Result<bool, LedgerError> {
        let now = self.clock.now();
        if matches!(hand.walking, Walking::Unknown) {
            let at = if hand.pass.is_some() { self.walk_at(hand, now)? } else { None };
            hand.walking = at.map_or(Walking::Over, Walking::Due);
        }
        Ok(match hand.walking {
            Walking::UnderWay(_) => true,
            Walking::Due(at) => at <= now || !is_left,
            Walking::Unknown | Walking::Over => false,
        })
    }

    /// When a pass walks, if it does: now, where a walk is due or was cut off, or soon.
    pub(crate) fn walk_at(&self, hand: &Hand<'_>, now: Timestamp) -> Result<Option<Timestamp>, LedgerError> {
        let source = hand.source;
        // Of an embargo the trigger alone may say, so nothing is queued that it was not asked about (R41).
        let may_walk = source.embargo().is_none() || hand.heard;
        if source.backlog().is_none() || !may_walk {
            return Ok(None);
        }
        let name = source.name().as_str();
        if self.ledger.walk(name)?.is_some_and(|kept| kept.place.is_some()) {
            return Ok(Some(now));
        }
        let last = self.ledger.schedule(name, now)?.backlog;
        Ok(match due(last, source.rhythm().backlog(), now) {
            Due::Later { .. } => None,
            due => Some(due.at(now)),
        })
    }

    /// Takes up the walk that was cut off, or begins another one.
    fn set_out(&self, source: &Source, backlog: &Backlog, pass: &LedgerPass) -> Result<Walk, LedgerError> {
        let now = self.clock.now();
        let kept = self.ledger.walk(source.name().as_str())?;
        let resumed = kept.as_ref().and_then(|kept| kept.place.as_deref()).and_then(|place| {
            Walk::resume(backlog, place)
                .inspect_err(|error| tracing::warn!(source = pass.source(), "{error}"))
                .ok()
        });
        if let Some(walk) = resumed {
            return Ok(walk);
        }
        let walk = Walk::begin(backlog, &history(source, kept.as_ref()), now);
        self.ledger.mark(pass, Round::Backlog, now)?;
        self.keep_walk(pass, &walk)?;
        Ok(walk)
    }

    /// Keeps the place of a walk that a pass leaves, if that has not been done behind its last file.
    pub(crate) fn leave_walk(&self, hand: &Hand<'_>) -> Result<(), LedgerError> {
        match (&hand.pass, &hand.walking) {
            (Some(pass), Walking::UnderWay(walk)) if hand.files_unkept > 0 => self.keep_walk(pass, walk),
            _ => Ok(()),
        }
    }

    /// Asks for the next file, takes note of what stands in it, and keeps the place behind it, or behind one of many where
    /// it is long: a pass that is killed asks for those again, and what was found in them is known to be found by this walk.
    pub(crate) async fn walk(
        &self,
        hand: &mut Hand<'_>,
        interrupt: &Interrupt,
    ) -> Result<Walked, LedgerError> {
        let (Some(pass), Some(backlog)) = (hand.pass.clone(), hand.source.backlog()) else {
            return Ok(Walked::Step { queued: 0 });
        };
        let mut walk = match std::mem::replace(&mut hand.walking, Walking::Over) {
            Walking::UnderWay(walk) => walk,
            Walking::Due(at) => {
                if at > hand.terms.until {
                    return Ok(Walked::LetGo(LetGo::OutOfTime));
                }
                if !wait(self.clock.as_ref(), interrupt, at).await {
                    return Ok(Walked::LetGo(LetGo::Interrupted));
                }
                Box::new(self.set_out(hand.source, backlog, &pass)?)
            }
            Walking::Unknown | Walking::Over => return Ok(Walked::Step { queued: 0 }),
        };
        let mut asking = Asking::of(hand.source, backlog, hand.access, &hand.terms, interrupt);
        asking.failures = hand.list_failures;
        let (mut queued, mut asked) = (0, false);
        // The 24 hours are counted from when its first request left, not from when it was decided on.
        let is_first = walk.report().requests == 0;
        let leaves = |at| if is_first { self.ledger.mark(&pass, Round::Backlog, at) } else { Ok(()) };
        let goes_on = loop {
            match walk.next() {
                Step::Batch(batch) => {
                    let noted = self.note(hand.source, &pass, &mut walk, &batch)?;
                    queued += noted.new;
                    walk.noted(noted);
                    let entries = batch.announcements.len();
                    self.watch.saw(pass.source(), Event::Listed { entries, queued: noted.new });
                    // A file has fifty batches, each with its sync. Who else has a turn meanwhile does not wait for all of them.
                    tokio::task::yield_now().await;
                }
                // The next walk asks for all that is left, and for what came since.
                Step::Pause { .. } if self.is_next_due(hand.source)? && walk.give_up() => {}
                Step::Pause { .. } | Step::End(_) => break false,
                _ if asked => break true,
                step => match self.ask(&mut walk, &step, &asking, &leaves).await? {
                    Asked::Late(at) => {
                        let Step::Request(Request { address, .. }) = step else { break false };
                        let code = Refusal::OutOfTime { at }.code();
                        if !self.is_late(hand, &address, at)? {
                            // It was asked for, and redirects to a host that is.
                            asked = true;
                            walk.answered(Answer::Failed { code });
                        } else if !walk.put_off(code, |file| file.host() == address.host()) {
                            // What it has found is read all the same, where another host has it.
                            self.keep_walk(&pass, &walk)?;
                            return Ok(Walked::LetGo(LetGo::OutOfTime));
                        }
                    }
                    Asked::Unavailable { authority, unread } => {
                        asking.failures = 0;
                        self.unread(hand, &unread);
                        if !walk.put_off(unread.code, |file| file.authority() == authority) {
                            break false;
                        }
                    }
                    Asked::LetGo(why) => {
                        self.keep_walk(&pass, &walk)?;
                        return Ok(Walked::LetGo(why));
                    }
                    Asked::Answered(unread) => {
                        asked = true;
                        asking.failures = 0;
                        if let Some(unread) = unread {
                            self.unread(hand, &unread);
                        }
                    }
                    Asked::Failed(unread) => {
                        asked = true;
                        asking.failures += 1;
                        self.unread(hand, &unread);
                    }
                    // A list may name 50,000 of them. No turn comes between two, and a place as large is not kept for each.
                    Asked::Barred(unread) => self.unread(hand, &unread),
                    Asked::NotYet(unread) => {
                        self.unread(hand, &unread);
                        break false;
                    }
                },
            }
        };
        hand.list_failures = asking.failures;
        hand.report.walk = Some(walk.report().clone());
        hand.files_unkept += 1;
        if !goes_on || hand.files_unkept > walk.files_left() / FILES_LEFT_A_PLACE {
            self.keep_walk(&pass, &walk)?;
            hand.files_unkept = 0;
        }
        if goes_on {
            hand.walking = Walking::UnderWay(walk);
        }
        Ok(Walked::Step { queued })
    }

    /// Walks the whole list down to the floor and only looks: nothing is queued, no place is kept, and no walk becomes
    /// due sooner or later for it. Its requests are as polite as any, and no pass runs meanwhile.
    pub async fn look_through(
        &self,
        source: &Source,
        access: Option<&AccessHeader>,
        interrupt: &Interrupt,
        found: impl FnMut(Found<'_>),
    ) -> Result<Result<Report, NotWalked>, LedgerError> {
        let Some(backlog) = source.backlog() else { return Ok(Err(NotWalked::NoBacklog)) };
        let Taking::Taken(lock) = self.ledger.lock(source.name().as_str(), self.clock.now(), LOCK_TTL)?
        else {
            return Ok(Err(NotWalked::LockHeld));
        };
        let (lost, lock_lost) = Interrupter::pair();
        let renewing = self.keep_renewing(lock.clone(), lost);
        let ended = self.look(source, backlog, access, &interrupt.clone().or(lock_lost), found).await;
        drop(renewing);
        // Whatever failed, no pass waits for this one.
        let released = self.ledger.release(&lock);
        let ended = ended?;
        released?;
        Ok(ended)
    }

    async fn look(
        &self,
        source: &Source,
        backlog: &Backlog,
        access: Option<&AccessHeader>,
        interrupt: &Interrupt,
        mut found: impl FnMut(Found<'_>),
    ) -> Result<Result<Report, NotWalked>, LedgerError> {
        let name = source.name().as_str();
        let now = self.clock.now();
        let mut asking = Asking::of(source, backlog, access, &Self::terms(source, Timestamp::MAX), interrupt);
        let mut walk = Walk::begin(backlog, &History::default(), now);
        Ok(loop {
            asking.terms.until = self.clock.now().checked_add(LOOK_WAIT_MAX).unwrap_or(Timestamp::MAX);
            match walk.next() {
                Step::Batch(batch) => {
                    for announcement in &batch.announcements {
                        match announced(source, announcement, SeenIn::Backlog, self.clock.now()) {
                            Ok(reference) => {
                                let reference = self.same_article(source, reference)?;
                                let is_known = self.ledger.known(name, &[reference.identifier.as_str()])? > 0;
                                found(Found { reference: &reference, is_known });
                            }
                            Err(unqueued) => {
                                walk.refuse(unqueued.code(), &shown(announcement.link.as_deref()));
                            }
                        }
                    }
                    walk.noted(Noted { known: 0, new: batch.announcements.len() });
                }
                Step::Pause { code } => {
                    // A pass would come back to what has failed.
                    walk.missed(&code, "");
                    break Ok(walk.report().clone());
                }
                Step::End(_) => break Ok(walk.report().clone()),
                step => match self.ask(&mut walk, &step, &asking, &|_| Ok(())).await? {
                    Asked::LetGo(LetGo::Interrupted) => break Err(NotWalked::Interrupted),
                    Asked::LetGo(LetGo::OutOfTime) | Asked::Late(_) => break Err(NotWalked::TurnTooFar),
                    Asked::NotYet(Unread { address, code, .. })
                    | Asked::Unavailable { unread: Unread { address, code, .. }, .. } => {
                        walk.missed(code, &shown(Some(&address)));
                        break Ok(walk.report().clone());
                    }
                    Asked::Answered(_) | Asked::Failed(_) | Asked::Barred(_) => {}
                },
            }
        })
    }

    /// Asks for what the walk wants, and tells it the answer.
    async fn ask(
        &self,
        walk: &mut Walk,
        step: &Step,
        asking: &Asking<'_>,
        leaves: &Leaves<'_>,
    ) -> Result<Asked, LedgerError> {
        let request = match step {
            Step::Request(request) => request.clone(),
            Step::Entrance => return self.entrance(walk, asking).await,
            _ => return Ok(Asked::Answered(None)),
        };
        let access_for = asking
            .access
            .filter(|_| asking.source.way().access().is_some_and(|spec| spec.also_for_backlog))
            .map(AccessHeader::given_for);
        let order = Order {
            address: request.address,
            expected: match request.expected {
                releve_backlog::Expected::Json => Expected::Json,
                _ => Expected::Sitemap,
            },
            access_for,
            disallow_lifted: false,
        };
        let unread = |code, reason| Unread { address: order.address.to_string(), code, reason };
        let Asking { terms, access, interrupt, .. } = asking;
        Ok(match self.visitor.visit_noting(&order, terms, *access, interrupt, leaves).await {
            Ok(visited) => {
                answered(walk, &visited);
                Asked::Answered(None)
            }
            Err(VisitError::Ledger(error)) => return Err(error),
            Err(VisitError::Refused(refusal)) => {
                if let Refusal::OutOfTime { at } = refusal {
                    return Ok(Asked::Late(at));
                }
                if let Some(why) = let_go(&refusal) {
                    return Ok(Asked::LetGo(why));
                }
                let answer = refused(&refusal);
                let unread = unread(refusal.code(), refusal.to_string());
                let fails = matches!(answer, Answer::Failed { .. } | Answer::Status(429 | 500..=599));
                let unavailable = match refusal {
                    Refusal::RobotsBlocked { host, .. } if host == order.address.authority() => Some(host),
                    _ if fails && asking.failures >= LIST_FAILURES_MAX => {
                        Some(order.address.authority().to_owned())
                    }
                    _ => None,
                };
                if let Some(authority) = unavailable {
                    return Ok(Asked::Unavailable { authority, unread });
                }
                walk.answered(answer);
                match answer {
                    Answer::Barred { .. } => Asked::Barred(unread),
                    _ if fails => Asked::Failed(unread),
                    _ => Asked::Answered(Some(unread)),
                }
            }
            Err(other) => {
                walk.answered(Answer::Failed { code: "visit-failed" });
                Asked::Failed(unread("visit-failed", sentence(&other)))
            }
        })
    }

    /// Tells the walk the sitemaps that the robots.txt of the source's hosts name; of a name that stands for many hosts
    /// none can be asked.
    async fn entrance(&self, walk: &mut Walk, asking: &Asking<'_>) -> Result<Asked, LedgerError> {
        let hosts = asking.source.hosts();
        let mut sitemaps = Vec::new();
        let mut unread = Vec::new();
        for entry in hosts.entries() {
            let address = format!("https://{entry}/").parse();
            let Some(host) = address.ok().and_then(|address| hosts.admit(&address).ok()) else { continue };
            match self.visitor.robots(&host, &asking.terms, asking.interrupt).await {
                Ok(rules) => {
                    let named = rules.iter().flat_map(|rules| rules.sitemaps());
                    sitemaps.extend(named.map(|sitemap| sitemap.address.clone()));
                }
                Err(VisitError::Ledger(error)) => return Err(error),
                Err(VisitError::Refused(refusal)) => {
                    if let Some(why) = let_go(&refusal) {
                        return Ok(Asked::LetGo(why));
                    }
                    unread.push((entry, refusal.code(), refusal.to_string()));
                }
                Err(other) => unread.push((entry, "visit-failed", sentence(&other))),
            }
        }
        let first = unread.first().map(|(entry, code, reason)| Unread {
            address: format!("https://{entry}/robots.txt"),
            code,
            reason: reason.clone(),
        });
        if sitemaps.is_empty()
            && let Some(first) = first
        {
            // One that cannot be had now may name some. That there are none is said once each was read.
            return Ok(Asked::NotYet(first));
        }
        walk.entered(sitemaps);
        // What these would have named is missing, so the walk is not complete.
        for (entry, code, _) in &unread {
            walk.missed(code, &format!("{entry}/robots.txt"));
        }
        Ok(Asked::Answered(first))
    }

    /// Whether another walk would begin, if none were under way.
    fn is_next_due(&self, source: &Source) -> Result<bool, LedgerError> {
        let now = self.clock.now();
        let last = self.ledger.schedule(source.name().as_str(), now)?.backlog;
        Ok(matches!(due(last, source.rhythm().backlog(), now), Due::Now))
    }

    fn unread(&self, hand: &mut Hand<'_>, Unread { address, code, reason }: &Unread) {
        self.refused(hand, "", address, code, reason);
    }

    /// Queues what a batch has. Known is what was known before the walk began: what it found itself, before it was cut
    /// off, ends it no sooner (R9).
    fn note(
        &self,
        source: &Source,
        pass: &LedgerPass,
        walk: &mut Walk,
        batch: &Batch,
    ) -> Result<Noted, LedgerError> {
        let now = self.clock.now();
        let mut listed = Vec::with_capacity(batch.announcements.len());
        for announcement in &batch.announcements {
            match announced(source, announcement, SeenIn::Backlog, now) {
                Ok(found) => listed.push(self.same_article(source, found)?),
                Err(unqueued) => {
                    if let Unqueued::Embargo { until, reference } = &unqueued {
                        let reference = self.same_article(source, reference.as_ref().clone())?;
                        self.put_off(pass, &reference, *until, &unqueued, now)?;
                    }
                    walk.refuse(unqueued.code(), &shown(announcement.link.as_deref()));
                }
            }
        }
        let heard = self.ledger.announce(pass, &listed, now)?;
        let is_known = heard.all_known_since.is_none_or(|since| since < walk.began());
        Ok(if is_known {
            Noted { known: listed.len(), new: 0 }
        } else {
            let new = heard.new.max(1);
            Noted { known: listed.len().saturating_sub(new), new }
        })
    }

    /// Where the list has no identifier, its address stands for it; an article that was announced there under its
    /// identifier is the same one.
    fn same_article(&self, source: &Source, found: Announced) -> Result<Announced, LedgerError> {
        let stands_for_it = matches!(source.identifier(), Identifier::Rules { backlog: None, .. });
        let Some(address) = found.address.as_ref().filter(|_| stands_for_it) else { return Ok(found) };
        let there = self.ledger.entries_at(source.name().as_str(), address)?;
        Ok(match there.into_iter().next() {
            Some(entry) => Announced { identifier: entry.identifier, ..found },
            None => found,
        })
    }

    fn keep_walk(&self, pass: &LedgerPass, walk: &Walk) -> Result<(), LedgerError> {
        let place = walk.place();
        let history = if place.is_some() {
            self.ledger.walk(pass.source())?.and_then(|kept| kept.history)
        } else {
            Some(walk.history().to_string())
        };
        let report = serde_json::to_string(walk.report()).ok();
        self.ledger.keep_walk(pass, &WalkRecord { began_at: walk.began(), place, history, report })
    }
}

/// What earlier walks have come to, for the source as it is configured now. Where an address is taken that was refused
/// before, or an identifier is read elsewhere, there may be something behind what is known, as after a floor that was
/// lowered (R9). A history that cannot be read is none: nothing is passed over then.
pub fn history(source: &Source, kept: Option<&WalkRecord>) -> History {
    let history = kept.and_then(|kept| kept.history.as_deref()?.parse::<History>().ok()).unwrap_or_default();
    let taken_by =
        (source.hosts(), source.article_path(), source.identifier(), source.necessary_parameters());
    history.under(&format!("{taken_by:?}"))
}

/// A list may be larger than an article: sitemaps.org allows a sitemap 50 MiB. The ceilings of R32 hold as for every response.
fn list_bounds(bounds: &Bounds) -> Bounds {
    let (received, decoded) = (Bounds::RECEIVED_BYTES.ceiling, Bounds::DECODED_BYTES.ceiling);
    bounds
        .with_received_bytes(received)
        .and_then(|bounds| bounds.with_decoded_bytes(decoded))
        .unwrap_or(*bounds)
}

/// Tells the walk what was answered.
fn answered(walk: &mut Walk, visited: &Visited) {
    let response = &visited.response;
    let body = match &response.body {
        Ok(body) => &body.decoded,
        Err(error) => return walk.answered(Answer::Failed { code: error.code() }),
    };
    let links: Vec<&str> = texts(response, "link").collect();
    let mut page = Page::new(&visited.address, body);
    page.content_type = texts(response, "content-type").next();
    page.links = &links;
    page.total = texts(response, "x-wp-total").next();
    page.total_pages = texts(response, "x-wp-totalpages").next();
    walk.answered(Answer::Page(page));
}

fn texts<'a>(response: &'a Response, name: &'a str) -> impl Iterator<Item = &'a str> {
    response.headers.all(name).filter_map(|value| str::from_utf8(value).ok())
}

/// What a refusal says of a file of the list.
fn refused(refusal: &Refusal) -> Answer<'static> {
    match refusal {
        Refusal::Status { status, .. } => Answer::Status(*status),
        Refusal::RobotsDisallowed { .. } | Refusal::HostNotAdmitted { .. } => {
            Answer::Barred { code: refusal.code() }
        }
        _ => Answer::Failed { code: refusal.code() },
    }
}
