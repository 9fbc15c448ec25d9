//! The line before one host: whoever wants to ask it waits here, and one request is under way at a time.
//!
//! The order is fixed, because the promise hangs on it: take the turn, connect, wait until it is time, stamp, send, give
//! the turn back. The interval is counted from the end of an exchange to the beginning of the next. Some
//! servers log a request when it arrives, others when it is answered; neither log shows two within a second (R21).

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use releve_fetch::{AccessHeader, Clock, Connection, Exchange, Fetch, FetchError};
use releve_ledger::{Hosts, LedgerError, Stamp, Taking, Turn};
use releve_pace::left_alone;
use releve_robots::UserAgent;
use tokio::time::sleep;

use crate::runner::{asked_wait, media_type};
use crate::{Interrupt, Leaves, Request};

/// How long before its time a turn is taken where a connection has to be opened first. A TLS handshake takes two or three
/// round trips. It is less than half an interval, so that the process that gave the turn back is not the
/// only one that is ever there to take it.
const LEAD: Duration = Duration::from_millis(400);

/// How often a turn that another process holds is asked for again. Its holder gives it back unannounced.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// How long an idle connection is used again. Apache closes one after 5 seconds by default, and a request that
/// crosses the close is lost; opening a new one costs less than an article that has to wait for the next pass.
pub(crate) const IDLE_MAX: SignedDuration = SignedDuration::from_secs(4);

/// What a lease has beyond what its holder may need. A holder that was stopped for longer than this sends nothing.
const LEASE_SLACK: Duration = Duration::from_secs(10);

/// A host's line within this process. The turn that the ledger keeps makes one line of all processes'.
#[derive(Debug)]
pub(crate) struct Line<C> {
    idle: Option<Idle<C>>,
}

/// A connection that is open and has nothing to do.
#[derive(Debug)]
struct Idle<C> {
    connection: C,
    /// The promise is about hosts, so a host has one line; a connection is to one of its ports.
    authority: String,
    since: Timestamp,
}

impl<C> Default for Line<C> {
    fn default() -> Self {
        Self { idle: None }
    }
}

/// What came of standing in line.
#[derive(Debug)]
pub(crate) enum Stood {
    /// The request was sent, or could not be.
    Asked(Exchange),
    /// The turn came, and the request is not to be sent as it is. Nothing was sent.
    Overtaken,
    /// An interruption came first. Nothing was sent.
    Interrupted,
    /// The turn would have come at this instant, which is too late. Nothing was sent.
    OutOfTime(Timestamp),
}

/// What a line works with.
pub(crate) struct Means<'a, F> {
    pub(crate) fetch: &'a F,
    pub(crate) hosts: &'a dyn Hosts,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) user_agent: &'a UserAgent,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) until: Timestamp,
    /// Called when the request was stamped and is about to be sent.
    pub(crate) leaves: &'a Leaves<'a>,
}

impl<C: Connection> Line<C> {
    /// Waits for the host's turn and sends the request. `stands` is asked once the turn is there, and again before it is
    /// sent: whether the request is still to be sent.
    pub(crate) async fn ask<F: Fetch<Connection = C>>(
        &mut self,
        means: &Means<'_, F>,
        request: &Request,
        access: Option<&AccessHeader>,
        stands: impl Fn() -> Result<bool, LedgerError>,
    ) -> Result<Stood, LedgerError> {
        let Means { hosts, clock, interrupt, .. } = means;
        let host = request.host.host();
        loop {
            // Wait without holding anything while the turn is far.
            let at = hosts.next_turn(host, request.interval, clock.now())?;
            if at > means.until {
                return Ok(Stood::OutOfTime(at));
            }
            let lead = if self.reusable(request, at) { Duration::ZERO } else { LEAD };
            if !wait(*clock, interrupt, earlier(at, lead)).await {
                return Ok(Stood::Interrupted);
            }
            let ttl = LEAD + request.bounds.connect() + request.bounds.whole() + LEASE_SLACK;
            match hosts.take_turn(host, request.interval, clock.now(), ttl)? {
                Taking::Held { .. } => {
                    if !wait(*clock, interrupt, later(clock.now(), LOOK_AGAIN)).await {
                        return Ok(Stood::Interrupted);
                    }
                }
                Taking::Taken(turn) => {
                    let used = self.use_turn(means, request, access, &stands, &turn).await;
                    // Where the ledger fails now, the lease runs out by itself; what the publisher has served is not
                    // thrown away for it.
                    let sent = matches!(used, Ok(Some(Stood::Asked(_)))).then(|| clock.now());
                    if let Ok(Some(Stood::Asked(exchange))) = &used
                        && let Some(length) = asks_to_be_left_alone(exchange, clock.now())
                    {
                        tracing::info!(host, seconds = length.as_secs(), "the host asks to be left alone");
                        // Noted before the turn is free for the next.
                        if let Err(error) = hosts.leave_alone(host, length, clock.now()) {
                            tracing::warn!(host, %error, "it could not be noted that the host asks to be left alone");
                        }
                    }
                    if let Err(error) = hosts.give_back(&turn, sent, clock.now()) {
                        tracing::warn!(host, %error, "the turn could not be given back");
                    }
                    if let Some(stood) = used? {
                        return Ok(stood);
                    }
                }
            }
        }
    }

    /// Everything between taking a turn and giving it back. `None`: the turn was of no use, take another.
    async fn use_turn<F: Fetch<Connection = C>>(
        &mut self,
        means: &Means<'_, F>,
        request: &Request,
        access: Option<&AccessHeader>,
        stands: &impl Fn() -> Result<bool, LedgerError>,
        turn: &Turn,
    ) -> Result<Option<Stood>, LedgerError> {
        let Means { fetch, hosts, clock, user_agent, interrupt, .. } = means;
        let bounds = &request.bounds;
        if !stands()? {
            return Ok(Some(Stood::Overtaken));
        }
        if turn.not_before() > later(clock.now(), LEAD + LEAD) {
            // Somebody sent meanwhile, or the host asks for a longer interval than was known.
            return Ok(None);
        }
        let mut at = turn.not_before();
        let mut connection = match self.reuse(request, at) {
            Some(connection) => connection,
            None => match fetch.connect(&request.host, bounds).await {
                Ok(connection) => connection,
                // Given back as if it had been sent: who does not let us in is not asked faster than who does.
                Err(error) => return Ok(Some(Stood::Asked(failed(error)))),
            },
        };
        loop {
            if !wait(*clock, interrupt, at).await {
                self.keep(request, connection, clock.now());
                return Ok(Some(Stood::Interrupted));
            }
            if !connection.is_open() {
                // The server has closed it while it waited. No request was sent, so this is no second try.
                connection = match fetch.connect(&request.host, bounds).await {
                    Ok(connection) => connection,
                    Err(error) => return Ok(Some(Stood::Asked(failed(error)))),
                };
            }
            if !stands()? {
                // It took so long to connect that robots.txt is too old by now (R22).
                self.keep(request, connection, clock.now());
                return Ok(Some(Stood::Overtaken));
            }
            match hosts.stamp(turn, clock.now(), bounds.whole() + LEASE_SLACK)? {
                Stamp::Send => break,
                Stamp::Wait { at: then } if then <= later(clock.now(), LEAD + LEAD) => at = then,
                Stamp::Wait { .. } => {
                    // The host asks to be left alone by now. Nobody waits that long with the turn in hand.
                    self.keep(request, connection, clock.now());
                    return Ok(None);
                }
                Stamp::Lost => {
                    self.keep(request, connection, clock.now());
                    return Ok(None);
                }
            }
        }
        (means.leaves)(clock.now())?;
        let exchange = connection
            .send(releve_fetch::Request {
                url: &request.url,
                user_agent,
                accept: request.accept(),
                access,
                bounds,
                wanted: &|status, headers| request.wants(status, media_type(headers)),
            })
            .await;
        self.keep(request, connection, clock.now());
        Ok(Some(Stood::Asked(exchange)))
    }

    /// Whether the idle connection is one to the request's authority that will not have been idle for too long at `at`.
    fn reusable(&self, request: &Request, at: Timestamp) -> bool {
        self.idle.as_ref().is_some_and(|idle| {
            let idle_then = at.duration_since(idle.since);
            idle.authority == request.host.authority() && idle_then < IDLE_MAX && !idle_then.is_negative()
        })
    }

    /// Whether nothing of it will be used again: it has no connection, or one that has been idle for too long.
    pub(crate) fn is_done(&self, now: Timestamp) -> bool {
        self.idle.as_ref().is_none_or(|idle| now.duration_since(idle.since).abs() >= IDLE_MAX)
    }

    fn reuse(&mut self, request: &Request, at: Timestamp) -> Option<C> {
        let reusable = self.reusable(request, at);
        let mut idle = self.idle.take().filter(|_| reusable)?;
        idle.connection.is_open().then_some(idle.connection)
    }

    fn keep(&mut self, request: &Request, mut connection: C, since: Timestamp) {
        let authority = request.host.authority().to_owned();
        self.idle = connection.is_open().then_some(Idle { connection, authority, since });
    }
}

/// How long the host is to be left alone after this answer.
fn asks_to_be_left_alone(exchange: &Exchange, now: Timestamp) -> Option<Duration> {
    let response = exchange.outcome.as_ref().ok()?;
    left_alone(response.status, asked_wait(&response.headers, now))
}

fn failed(error: FetchError) -> Exchange {
    Exchange { sent_at: None, outcome: Err(error) }
}

fn earlier(at: Timestamp, by: Duration) -> Timestamp {
    at.checked_sub(by).unwrap_or(Timestamp::MIN)
}

fn later(at: Timestamp, by: Duration) -> Timestamp {
    at.checked_add(by).unwrap_or(Timestamp::MAX)
}

/// Waits until `at` by the clock on the wall, but no longer than that seemed to be when the wait began: a clock that is set
/// back meanwhile does not hold anybody up, and whoever waited for the right to send still asks for it. `false`: an
/// interruption came.
pub async fn wait(clock: &dyn Clock, interrupt: &Interrupt, at: Timestamp) -> bool {
    /// The longest sleep without a look at the clock: a clock set forward is noticed within this.
    const LOOK: Duration = Duration::from_secs(60);
    let left = |now: Timestamp| Duration::try_from(at.duration_since(now)).unwrap_or_default();
    let mut most = left(clock.now());
    loop {
        if interrupt.came() {
            return false;
        }
        let sleeps = left(clock.now()).min(most).min(LOOK);
        if sleeps.is_zero() {
            return true;
        }
        tokio::select! {
            () = sleep(sleeps) => most -= sleeps,
            () = interrupt.comes() => return false,
        }
    }
}
