//! Carries out what the machine asks for: looks up, waits, sends, keeps.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use releve_fetch::{AccessHeader, Clock, Exchange, Fetch, Headers, Response};
use releve_ledger::{Hosts, LedgerError, RobotsCopy};
use releve_pace::retry_after;
use releve_redirect_policy::AdmittedHost;
use releve_robots::{RobotsPolicy, RobotsTxt, Standing, UserAgent, Verdict};
use releve_url_canon::HttpsUrl;

use crate::line::{IDLE_MAX, Line, Means, Stood};
use crate::machine::{Answer, Head, Purpose, Redirect, Robots, Step, Stepped, Visit, robots_address};
use crate::{Expected, Failure, Interrupt, Order, Refusal, Terms};

/// Makes polite visits. One serves a whole process: sources run side by side on it, and within one host everything
/// is in line.
pub struct Visitor<F: Fetch> {
    fetch: F,
    hosts: Arc<dyn Hosts>,
    clock: Arc<dyn Clock>,
    user_agent: UserAgent,
    policy: RobotsPolicy,
    lines: Mutex<Lines<F::Connection>>,
    /// The rules of each authority, parsed once for as long as the ledger's copy is the same.
    parsed: Mutex<HashMap<String, (Timestamp, Arc<RobotsTxt>)>>,
}

/// A host's line; who holds it is the first in it.
type SharedLine<C> = Arc<tokio::sync::Mutex<Line<C>>>;

/// The lines of all hosts that are in use.
struct Lines<C> {
    of: HashMap<String, SharedLine<C>>,
    /// When they were last looked through for those that are not.
    tidied_at: Option<Timestamp>,
}

impl<C> Default for Lines<C> {
    fn default() -> Self {
        Self { of: HashMap::new(), tidied_at: None }
    }
}

/// What is told that a request is about to be sent, and when. If it fails, nothing is sent.
pub type Leaves<'a> = dyn Fn(Timestamp) -> Result<(), LedgerError> + Sync + 'a;

/// A visit that brought a complete response of an expected type.
#[derive(Debug)]
pub struct Visited {
    /// The response: 200, received whole.
    pub response: Response,
    /// The address that was asked first.
    pub requested: HttpsUrl,
    /// The address that answered.
    pub address: HttpsUrl,
    /// The redirects between the two.
    pub redirects: Vec<Redirect>,
    /// What robots.txt said of the address that answered, where there are rules.
    pub robots: Option<Verdict>,
}

/// Why a visit has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VisitError {
    /// The visit was refused, by a rule of ours or by what the publisher answered.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The ledger failed. Without it no pace can be kept, so nothing more may be asked.
    #[error("the ledger failed, so nothing more can be asked politely")]
    Ledger(#[from] LedgerError),
}

impl<F: Fetch> Visitor<F> {
    /// A visitor under one name and one policy.
    pub fn new(
        fetch: F,
        hosts: Arc<dyn Hosts>,
        clock: Arc<dyn Clock>,
        user_agent: UserAgent,
        policy: RobotsPolicy,
    ) -> Self {
        Self { fetch, hosts, clock, user_agent, policy, lines: Mutex::default(), parsed: Mutex::default() }
    }

    /// What the robots.txt of `host` says, asked for unless what is known of it holds. `None`: it has none.
    pub async fn robots(
        &self,
        host: &AdmittedHost,
        terms: &Terms,
        interrupt: &Interrupt,
    ) -> Result<Option<Arc<RobotsTxt>>, VisitError> {
        let order = Order {
            address: robots_address(host)?,
            expected: Expected::Page,
            access_for: None,
            disallow_lifted: false,
        };
        self.carry_out(&order, terms, None, interrupt, &|_| Ok(())).await?;
        let known = self.recall(host.authority(), self.clock.now())?.map(|(robots, _)| robots);
        let rules = known.filter(|robots| matches!(robots.standing, Standing::Rules { .. }));
        Ok(rules.and_then(|robots| robots.rules))
    }

    /// Makes one visit. `access` is the source's access header, which goes where the order says.
    pub async fn visit(
        &self,
        order: &Order,
        terms: &Terms,
        access: Option<&AccessHeader>,
        interrupt: &Interrupt,
    ) -> Result<Visited, VisitError> {
        self.visit_noting(order, terms, access, interrupt, &|_| Ok(())).await
    }

    /// Makes one visit, and tells `leaves` of each request for the address, or for where it redirects to, when it is about to
    /// be sent: what has to be on record once it was, and even if the process dies of it, is put there.
    pub async fn visit_noting(
        &self,
        order: &Order,
        terms: &Terms,
        access: Option<&AccessHeader>,
        interrupt: &Interrupt,
        leaves: &Leaves<'_>,
    ) -> Result<Visited, VisitError> {
        let (visit, last) = self.carry_out(order, terms, access, interrupt, leaves).await?;
        Ok(Visited {
            response: last.ok_or(Refusal::OutOfOrder)?,
            requested: order.address.clone(),
            address: visit.address().clone(),
            redirects: visit.redirects().to_vec(),
            robots: visit.verdict().copied(),
        })
    }

    /// Goes through a visit to its end: the machine as it is then, and the last response.
    async fn carry_out<'a>(
        &'a self,
        order: &'a Order,
        terms: &'a Terms,
        access: Option<&AccessHeader>,
        interrupt: &Interrupt,
        leaves: &Leaves<'_>,
    ) -> Result<(Visit<'a>, Option<Response>), VisitError> {
        let (mut visit, mut step) = Visit::begin(order, terms, self.user_agent.product(), &self.policy);
        let mut last = None;
        // When the robots.txt was read that the visit was last judged by.
        let mut basis = None;
        loop {
            step = match step {
                Step::Recall(host) => {
                    let now = self.clock.now();
                    let known = self.recall(host.authority(), now)?;
                    basis = known.as_ref().map(|(_, fetched_at)| *fetched_at);
                    visit.recalled(known.as_ref().map(|(robots, _)| robots), now)
                }
                Step::Request(request) => {
                    let authority = request.host.authority().to_owned();
                    let stands = || {
                        let now = self.clock.now();
                        let known = self.recall(&authority, now)?;
                        let holds = known.filter(|(robots, _)| robots.standing.holds(now, &self.policy));
                        Ok(match request.purpose {
                            Purpose::Robots => holds.is_none(),
                            Purpose::RobotsElsewhere => true,
                            Purpose::Target => holds.is_some_and(|(_, fetched_at)| basis == Some(fetched_at)),
                        })
                    };
                    let line = self.line(request.host.host());
                    let stood = {
                        let mut line = line.lock().await;
                        let nothing: &Leaves<'_> = &|_| Ok(());
                        let means = Means {
                            fetch: &self.fetch,
                            hosts: self.hosts.as_ref(),
                            clock: self.clock.as_ref(),
                            user_agent: &self.user_agent,
                            interrupt,
                            until: terms.until,
                            leaves: if request.purpose == Purpose::Target { leaves } else { nothing },
                        };
                        line.ask(&means, &request, access.filter(|_| request.access), stands).await?
                    };
                    match stood {
                        Stood::OutOfTime(at) => return Err(Refusal::OutOfTime { at }.into()),
                        Stood::Interrupted => return Err(Refusal::Interrupted.into()),
                        Stood::Overtaken if request.purpose == Purpose::Target => visit.reconsider(),
                        Stood::Overtaken => {
                            let now = self.clock.now();
                            let known = self.recall(&authority, now)?;
                            basis = known.as_ref().map(|(_, fetched_at)| *fetched_at);
                            visit.recalled(known.as_ref().map(|(robots, _)| robots), now)
                        }
                        Stood::Asked(exchange) => {
                            tracing::debug!(
                                address = %request.url,
                                status = exchange.outcome.as_ref().map_or(0, |response| response.status),
                                "asked"
                            );
                            let now = self.clock.now();
                            let Stepped { keep, step } = visit.answered(&answer(&exchange, now));
                            if let Some((host, robots, body)) = keep {
                                self.keep(host.authority(), &robots, body, now)?;
                                basis = self.recall(host.authority(), now)?.map(|(_, fetched_at)| fetched_at);
                            }
                            last = exchange.outcome.ok();
                            step
                        }
                    }
                }
                Step::Finish(Err(refusal)) => return Err(refusal.into()),
                Step::Finish(Ok(())) => return Ok((visit, last)),
            };
        }
    }

    fn line(&self, host: &str) -> SharedLine<F::Connection> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let line = Arc::clone(lines.of.entry(host.to_owned()).or_default());
        self.tidy(&mut lines);
        line
    }

    /// Lets go of what belongs to hosts that nobody asks any more: their connections, and their rules. One name under `*.`
    /// stands for as many hosts as a publisher cares to redirect to.
    fn tidy(&self, lines: &mut Lines<F::Connection>) {
        let now = self.clock.now();
        if lines.tidied_at.is_some_and(|at| now.duration_since(at).abs() < IDLE_MAX) {
            return;
        }
        lines.tidied_at = Some(now);
        // Who stands in a line holds it; nobody new can, as long as `lines` is locked.
        lines.of.retain(|_, line| {
            Arc::strong_count(line) > 1 || !line.try_lock().is_ok_and(|line| line.is_done(now))
        });
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        parsed.retain(|authority, _| {
            lines.of.contains_key(authority.split_once(':').map_or(authority.as_str(), |(host, _)| host))
        });
    }

    /// What is known of the robots.txt of `authority`, and when it was read.
    fn recall(&self, authority: &str, now: Timestamp) -> Result<Option<(Robots, Timestamp)>, LedgerError> {
        let Some(copy) = self.hosts.robots(authority, now)? else { return Ok(None) };
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = match parsed.get(authority) {
            Some((fetched_at, rules)) if *fetched_at == copy.fetched_at => Arc::clone(rules),
            _ => {
                let rules = Arc::new(RobotsTxt::parse(&copy.body));
                parsed.insert(authority.to_owned(), (copy.fetched_at, Arc::clone(&rules)));
                rules
            }
        };
        Ok(Some((Robots { standing: copy.standing, rules: Some(rules) }, copy.fetched_at)))
    }

    fn keep(
        &self,
        authority: &str,
        robots: &Robots,
        body: Vec<u8>,
        now: Timestamp,
    ) -> Result<(), LedgerError> {
        let rules = robots.rules.as_deref();
        let delay = rules.and_then(|rules| self.policy.crawl_delay(rules, self.user_agent.product()));
        let copy = RobotsCopy {
            fetched_at: now,
            standing: robots.standing,
            body,
            crawl_delay: delay.map(|delay| delay.length),
        };
        self.hosts.keep_robots(authority, &copy)
    }
}

/// An exchange as the machine sees it.
fn answer(exchange: &Exchange, now: Timestamp) -> Answer<'_> {
    let head = match &exchange.outcome {
        Err(error) => Err(Failure { code: error.code(), message: sentence(error) }),
        Ok(response) => Ok(Head {
            status: response.status,
            locations: response.headers.all("location").collect(),
            media_type: media_type(&response.headers),
            retry_after: asked_wait(&response.headers, now),
            body: match &response.body {
                Ok(body) => Ok(&body.decoded),
                Err(error) => Err(Failure { code: error.code(), message: sentence(error) }),
            },
        }),
    };
    Answer { at: now, head }
}

/// The wait that `Retry-After` asks for; the longest, where a proxy has added its own.
pub(crate) fn asked_wait(headers: &Headers, now: Timestamp) -> Option<Duration> {
    headers.all("retry-after").filter_map(|value| retry_after(value, now)).max()
}

/// The `Content-Type`, where there is exactly one and it is text.
pub(crate) fn media_type(headers: &Headers) -> Option<&str> {
    let mut types = headers.all("content-type");
    let only = types.next().filter(|_| types.next().is_none())?;
    str::from_utf8(only).ok()
}

/// An error and what it came from, in one line.
pub fn sentence(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
