//! The line before one host: whoever wants to ask it waits here, and one request is under way at a time.
//!
//! The order is fixed, because the promise hangs on it: take the turn, connect, wait until it is time, stamp, send, give
//! the turn back. The interval is counted from the end of an exchange to the beginning of the next. Some
//! servers log a request when it arrives, others when it is answered; neither log shows two within a second (R21).

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use releve_fetch::{AccessHeader, Clock, Connection, Exchange, Fetch, FetchError};
use releve_ledger::{Hosts, LedgerError, Stamp, Taking};
use releve_robots::UserAgent;
use tokio::time::sleep;

use crate::{Interrupt, Request};

/// How long before its time a turn is taken, so that the connection is open when it comes. A TLS handshake takes two or
/// three round trips; whoever holds a turn longer than that keeps it from the others for nothing.
const LEAD: Duration = Duration::from_secs(2);

/// How often a turn that another process holds is asked for again. Its holder gives it back unannounced.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// How long an idle connection is used again. Apache closes one after 5 seconds by default, and a request that
/// crosses the close is lost; opening a new one costs less than an article that has to wait for the next pass.
const IDLE_MAX: SignedDuration = SignedDuration::from_secs(4);

/// What a lease has beyond what its holder may need. A holder that was stopped for longer than this sends nothing.
const LEASE_SLACK: Duration = Duration::from_secs(10);

/// A host's line within this process. The turn that the ledger keeps makes one line of all processes'.
#[derive(Debug)]
pub(crate) struct Line<C> {
    idle: Option<(C, Timestamp)>,
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
    /// The turn came, and there was no need to ask any more.
    NotNeeded,
    /// An interruption came first. Nothing was sent.
    Interrupted,
}

/// What a line works with.
pub(crate) struct Means<'a, F> {
    pub(crate) fetch: &'a F,
    pub(crate) hosts: &'a dyn Hosts,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) user_agent: &'a UserAgent,
    pub(crate) interrupt: &'a Interrupt,
}

impl<C: Connection> Line<C> {
    /// Waits for the host's turn and sends the request. `needed` is asked once the turn is there.
    pub(crate) async fn ask<F: Fetch<Connection = C>>(
        &mut self,
        means: &Means<'_, F>,
        request: &Request,
        access: Option<&AccessHeader>,
        needed: impl Fn() -> Result<bool, LedgerError>,
    ) -> Result<Stood, LedgerError> {
        let Means { fetch, hosts, clock, user_agent, interrupt } = means;
        let (host, bounds) = (request.host.host(), &request.bounds);
        loop {
            // Wait without holding anything while the turn is far.
            let at = hosts.next_turn(host, request.interval, clock.now())?;
            if !wait(*clock, interrupt, earlier(at, LEAD)).await {
                return Ok(Stood::Interrupted);
            }
            let ttl = LEAD + bounds.connect() + bounds.whole() + LEASE_SLACK;
            let turn = match hosts.take_turn(host, request.interval, clock.now(), ttl)? {
                Taking::Taken(turn) => turn,
                Taking::Held { .. } => {
                    if !wait(*clock, interrupt, later(clock.now(), LOOK_AGAIN)).await {
                        return Ok(Stood::Interrupted);
                    }
                    continue;
                }
            };
            if !needed()? {
                hosts.give_back(&turn, None, clock.now())?;
                return Ok(Stood::NotNeeded);
            }
            if turn.not_before() > later(clock.now(), LEAD + LEAD) {
                // Somebody sent meanwhile, or the host asks for a longer interval than was known.
                hosts.give_back(&turn, None, clock.now())?;
                continue;
            }
            let mut connection = match self.reuse(clock.now()) {
                Some(connection) => connection,
                None => match fetch.connect(&request.host, bounds).await {
                    Ok(connection) => connection,
                    Err(error) => {
                        // A host that does not let us in is not asked faster than one that does.
                        let now = clock.now();
                        hosts.give_back(&turn, Some(now), now)?;
                        return Ok(Stood::Asked(failed(error)));
                    }
                },
            };
            let mut at = turn.not_before();
            let stamped = loop {
                if !wait(*clock, interrupt, at).await {
                    hosts.give_back(&turn, None, clock.now())?;
                    self.keep(connection, clock.now());
                    return Ok(Stood::Interrupted);
                }
                match hosts.stamp(&turn, clock.now(), bounds.whole() + LEASE_SLACK)? {
                    Stamp::Send => break true,
                    Stamp::Wait { at: then } => at = then,
                    Stamp::Lost => break false,
                }
            };
            if !stamped {
                self.keep(connection, clock.now());
                continue;
            }
            let exchange = connection
                .send(releve_fetch::Request {
                    url: &request.url,
                    user_agent,
                    accept: request.accept,
                    access,
                    bounds,
                })
                .await;
            let over = clock.now();
            hosts.give_back(&turn, Some(over), over)?;
            self.keep(connection, over);
            return Ok(Stood::Asked(exchange));
        }
    }

    fn reuse(&mut self, now: Timestamp) -> Option<C> {
        let (mut connection, since) = self.idle.take()?;
        let idle = now.duration_since(since);
        (idle < IDLE_MAX && !idle.is_negative() && connection.is_open()).then_some(connection)
    }

    fn keep(&mut self, mut connection: C, now: Timestamp) {
        self.idle = connection.is_open().then_some((connection, now));
    }
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

/// Waits until `at` by the clock, which may be set meanwhile. `false`: an interruption came.
pub async fn wait(clock: &dyn Clock, interrupt: &Interrupt, at: Timestamp) -> bool {
    /// The longest sleep without a look at the clock: a clock set forward is noticed within this.
    const LOOK: Duration = Duration::from_secs(60);
    loop {
        if interrupt.came() {
            return false;
        }
        let left = at.duration_since(clock.now());
        let Ok(left) = Duration::try_from(left) else { return true };
        if left.is_zero() {
            return true;
        }
        tokio::select! {
            () = sleep(left.min(LOOK)) => {}
            () = interrupt.comes() => return false,
        }
    }
}
