//! One polite retrieval, as a machine without I/O. All its transitions are here.
//!
//! ```text
//! state        event                            goes to      and asks the runner to
//! ───────────  ───────────────────────────────  ───────────  ─────────────────────────────
//! (new)        host admitted                    Recalling    recall the host's robots.txt
//!              host not admitted                Over         finish: refused
//! Recalling    one that still holds             ┐
//!              none, or one that has run out    Reading      request robots.txt
//! Reading      a redirect that is followed      Reading      request its target
//!              somebody else has read it        ┐
//!              anything else                    ┐            keep what it means
//!                                               │
//!              ┌────────────────────────────────┘
//!              allowed, or lifted               Asking       request the address
//!              the robots.txt was all           Over         finish: it is kept
//!              disallowed, or blocked           Over         finish: refused
//! Asking       the robots.txt ran out meanwhile Recalling    recall the host's robots.txt
//!              a redirect that is followed      Recalling    recall the new host's robots.txt
//!              200, whole, of an expected type  Over         finish: read
//!              anything else                    Over         finish: refused
//! ```
//!
//! A redirect begins again at the robots.txt of its target's host, so no host is asked for anything before its
//! robots.txt was (R33), and every request is built anew.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use releve_bounds::Bounds;
use releve_pace::HostInterval;
use releve_redirect_policy::{AdmittedHost, Hop, Journey, REDIRECTS_MAX};
use releve_robots::{
    ProductToken, RobotsOutcome, RobotsPolicy, RobotsTxt, Standing, Verdict as RobotsVerdict, standing,
};
use releve_url_canon::{HttpsUrl, NecessaryParameters};

use crate::{Expected, Order, Refusal, Terms};

/// What is known of a host's robots.txt.
#[derive(Clone, Debug)]
pub struct Robots {
    /// What it amounts to, and until when.
    pub standing: Standing,
    /// The rules, where the standing is [`Standing::Rules`].
    pub rules: Option<Arc<RobotsTxt>>,
}

/// What the runner is to do next.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Step {
    /// Look up what is known of this host's robots.txt and answer with [`Visit::recalled`].
    Recall(AdmittedHost),
    /// Wait for the host's turn, send this request, answer with [`Visit::answered`].
    Request(Request),
    /// The visit is over. `Ok`: the last response is the one to take.
    Finish(Result<(), Refusal>),
}

/// A request that the runner is to send.
#[derive(Clone, Debug)]
pub struct Request {
    /// The host, admitted.
    pub host: AdmittedHost,
    /// The address.
    pub url: HttpsUrl,
    /// What is asked for.
    pub purpose: Purpose,
    /// The media types that are taken; any, where a robots.txt is asked for.
    pub expected: Option<Expected>,
    /// Whether the source's access header goes with it.
    pub access: bool,
    /// The host's interval as far as is known: the source's own, lengthened by a Crawl-delay.
    pub interval: HostInterval,
    /// Bounds on time and size.
    pub bounds: Bounds,
}

impl Request {
    /// What is sent as `Accept`.
    pub fn accept(&self) -> &'static str {
        self.expected.map_or(ROBOTS_ACCEPT, Expected::accept)
    }

    /// Whether the body of such a response decides anything. What is not read for it need not be served.
    pub fn wants(&self, status: u16, media_type: Option<&str>) -> bool {
        match self.expected {
            None => (200..300).contains(&status),
            Some(expected) => status == 200 && media_type.is_some_and(|given| expected.takes(given)),
        }
    }
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The robots.txt of the host that is being looked into, at its own address. Once the turn is there the runner looks
    /// whether somebody else has read it meanwhile; if so it sends nothing and answers with [`Visit::recalled`].
    Robots,
    /// An address that a robots.txt redirects to.
    RobotsElsewhere,
    /// The address that the visit is for, or one redirected to. Once the turn is there the runner looks whether the
    /// robots.txt that it was judged by still stands; if not it sends nothing and calls [`Visit::reconsider`].
    Target,
}

/// What the machine needs to know of a response or of a failure.
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    /// When it was whole, or failed.
    pub at: Timestamp,
    /// The head, or why there is none.
    pub head: Result<Head<'a>, Failure>,
}

/// Status, the headers that decide, and the body.
#[derive(Clone, Debug)]
pub struct Head<'a> {
    /// The status.
    pub status: u16,
    /// The values of every `Location` header.
    pub locations: Vec<&'a [u8]>,
    /// The `Content-Type`, where there is exactly one and it is text.
    pub media_type: Option<&'a str>,
    /// The wait that `Retry-After` asks for.
    pub retry_after: Option<Duration>,
    /// The body after undoing a content coding, or why it is not whole.
    pub body: Result<&'a [u8], Failure>,
}

/// Why a request brought no whole response, in the words of the fetch port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// A stable word.
    pub code: &'static str,
    /// A sentence.
    pub message: String,
}

/// One redirect that was followed, for the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The status.
    pub status: u16,
    /// The address that it led to.
    pub address: HttpsUrl,
}

/// What a step leaves behind besides the next one.
#[derive(Clone, Debug)]
pub struct Stepped {
    /// The robots.txt of a host as it now stands, to be kept for everybody, with the bytes of the file.
    pub keep: Option<(AdmittedHost, Robots, Vec<u8>)>,
    /// What to do next.
    pub step: Step,
}

impl From<Step> for Stepped {
    fn from(step: Step) -> Self {
        Self { keep: None, step }
    }
}

/// A visit: see the [module](self).
#[derive(Debug)]
pub struct Visit<'a> {
    order: &'a Order,
    terms: &'a Terms,
    agent: &'a ProductToken,
    policy: &'a RobotsPolicy,
    journey: Journey,
    redirects: Vec<Redirect>,
    /// Whether the access header may still be sent: not after a redirect to another host.
    at_home: bool,
    verdict: Option<RobotsVerdict>,
    /// What kept robots.txt from being read, where this visit asked for it.
    obstacle: Option<String>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Waiting for what is known of the robots.txt of the host that is asked next.
    Recalling {
        host: AdmittedHost,
    },
    /// The robots.txt of `host` was requested; `journey` is on its redirects.
    Reading {
        host: AdmittedHost,
        journey: Journey,
        before: Option<Standing>,
        interval: HostInterval,
    },
    /// The address itself was requested.
    Asking {
        host: AdmittedHost,
    },
    Over,
}

/// Where RFC 9309 (2.3) has a host's robots.txt. A visit to it ends once it is known: nothing is asked for twice.
const ROBOTS_PATH: &str = "/robots.txt";

/// RFC 9309 (2.3) has robots.txt served as plain text. Whatever type it bears, it is read.
const ROBOTS_ACCEPT: &str = "text/plain";

impl<'a> Visit<'a> {
    /// Begins a visit and says what to do first.
    pub fn begin(
        order: &'a Order,
        terms: &'a Terms,
        agent: &'a ProductToken,
        policy: &'a RobotsPolicy,
    ) -> (Self, Step) {
        let mut visit = Self {
            order,
            terms,
            agent,
            policy,
            journey: Journey::new(&order.address, REDIRECTS_MAX),
            redirects: Vec::new(),
            at_home: true,
            verdict: None,
            obstacle: None,
            state: State::Over,
        };
        let step = match terms.hosts.admit(&order.address) {
            Ok(host) => visit.recall(host),
            Err(refusal) => {
                Step::Finish(Err(Refusal::HostNotAdmitted { authority: refusal.authority().to_owned() }))
            }
        };
        (visit, step)
    }

    /// The address asked last: the final one, once the visit is over.
    pub fn address(&self) -> &HttpsUrl {
        self.journey.asked()
    }

    /// The redirects that were followed, in order.
    pub fn redirects(&self) -> &[Redirect] {
        &self.redirects
    }

    /// What robots.txt said of the address asked last.
    pub fn verdict(&self) -> Option<&RobotsVerdict> {
        self.verdict.as_ref()
    }

    /// Tells what is known of the robots.txt that [`Step::Recall`] asked for.
    pub fn recalled(&mut self, known: Option<&Robots>, now: Timestamp) -> Step {
        let (State::Recalling { host } | State::Reading { host, .. }) =
            std::mem::replace(&mut self.state, State::Over)
        else {
            return Step::Finish(Err(Refusal::OutOfOrder));
        };
        if let Some(robots) = known
            && robots.standing.holds(now, self.policy)
        {
            return self.judge(host, robots);
        }
        let url = match robots_address(&host) {
            Ok(url) => url,
            Err(refusal) => return Step::Finish(Err(refusal)),
        };
        let journey = Journey::new(&url, REDIRECTS_MAX);
        // A copy that has run out still says how fast its host wants to be asked.
        let interval = self.interval(known.and_then(|robots| robots.rules.as_deref()));
        let request = self.robots_request(Purpose::Robots, host.clone(), url, interval);
        let before = known.map(|robots| robots.standing);
        self.state = State::Reading { host, journey, before, interval };
        Step::Request(request)
    }

    /// Tells that the robots.txt that the address was judged by does not stand any more: it ran out, or somebody has read
    /// another, while the request waited for its turn.
    pub fn reconsider(&mut self) -> Step {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Asking { host } => self.recall(host),
            _ => Step::Finish(Err(Refusal::OutOfOrder)),
        }
    }

    /// Tells what came of the request that [`Step::Request`] asked for.
    pub fn answered(&mut self, answer: &Answer<'_>) -> Stepped {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Reading { host, journey, before, interval } => {
                self.read_robots(host, journey, before, interval, answer)
            }
            State::Asking { host } => self.judge_answer(&host, answer).into(),
            State::Recalling { .. } | State::Over => Step::Finish(Err(Refusal::OutOfOrder)).into(),
        }
    }

    fn recall(&mut self, host: AdmittedHost) -> Step {
        self.state = State::Recalling { host: host.clone() };
        Step::Recall(host)
    }

    /// Reading: an answer to a request for robots.txt.
    fn read_robots(
        &mut self,
        host: AdmittedHost,
        mut journey: Journey,
        before: Option<Standing>,
        interval: HostInterval,
        answer: &Answer<'_>,
    ) -> Stepped {
        let mut file = Vec::new();
        let outcome = match &answer.head {
            Err(failure) => {
                self.obstacle = Some(failure.message.clone());
                RobotsOutcome::Unreachable
            }
            Ok(head) if is_redirect(head.status) => {
                let hop = journey.judge(
                    head.status,
                    &head.locations,
                    &self.terms.hosts,
                    &NecessaryParameters::none(),
                );
                match hop {
                    // At another host only its own robots.txt may be asked for without having read that.
                    Hop::Follow { to, host: at }
                        if at == host || to.as_https().path_and_query() == ROBOTS_PATH =>
                    {
                        let request =
                            self.robots_request(Purpose::RobotsElsewhere, at, to.into_https(), interval);
                        self.state = State::Reading { host, journey, before, interval };
                        return Step::Request(request).into();
                    }
                    Hop::Follow { to, .. } => {
                        self.obstacle = Some(format!("it redirects to {to}, which is no robots.txt"));
                        RobotsOutcome::RedirectRefused
                    }
                    Hop::Stop(reason) => {
                        self.obstacle = Some(reason.to_string());
                        RobotsOutcome::RedirectRefused
                    }
                }
            }
            Ok(head) => match &head.body {
                Ok(body) => {
                    file = body.to_vec();
                    RobotsOutcome::Answered { status: head.status, retry_after: head.retry_after }
                }
                // What is no robots.txt says nothing in its body, so whether that came whole does not matter.
                Err(_) if !(200..300).contains(&head.status) => {
                    RobotsOutcome::Answered { status: head.status, retry_after: head.retry_after }
                }
                Err(failure) => {
                    self.obstacle = Some(failure.message.clone());
                    RobotsOutcome::CutOff
                }
            },
        };
        let standing = standing(&outcome, before.as_ref(), answer.at, self.policy);
        let rules = matches!(standing, Standing::Rules { .. }).then(|| Arc::new(RobotsTxt::parse(&file)));
        if rules.is_none() {
            file.clear();
        }
        let robots = Robots { standing, rules };
        let step = self.judge(host.clone(), &robots);
        Stepped { keep: Some((host, robots, file)), step }
    }

    /// Recalling and Reading end here: may the address be asked for?
    fn judge(&mut self, host: AdmittedHost, robots: &Robots) -> Step {
        match (&robots.standing, &robots.rules) {
            (Standing::Blocked { retry_at, why }, _) => {
                return Step::Finish(Err(Refusal::RobotsBlocked {
                    host: host.authority().to_owned(),
                    why: *why,
                    obstacle: self.obstacle.take(),
                    retry_at: *retry_at,
                }));
            }
            (Standing::Absent { .. }, _) | (_, None) => self.verdict = None,
            (Standing::Rules { .. }, Some(rules)) => {
                let verdict = self.policy.judge(rules, self.agent, self.address().path_and_query());
                let lifted = self.order.disallow_lifted && self.redirects.is_empty();
                if !verdict.allowed && !lifted {
                    let refusal = Refusal::RobotsDisallowed {
                        host: host.authority().to_owned(),
                        line: verdict.line,
                        verdict: verdict.to_string(),
                    };
                    self.verdict = Some(verdict);
                    return Step::Finish(Err(refusal));
                }
                self.verdict = Some(verdict);
            }
        }
        if self.address().path_and_query() == ROBOTS_PATH && self.redirects.is_empty() {
            return Step::Finish(Ok(()));
        }
        let access = self.at_home && self.order.access_for.as_deref() == Some(host.authority());
        let request = Request {
            host: host.clone(),
            url: self.address().clone(),
            purpose: Purpose::Target,
            expected: Some(self.order.expected),
            access,
            interval: self.interval(robots.rules.as_deref()),
            bounds: self.terms.bounds,
        };
        self.state = State::Asking { host };
        Step::Request(request)
    }

    /// Asking: an answer to the request for the address (R30, R37).
    fn judge_answer(&mut self, host: &AdmittedHost, answer: &Answer<'_>) -> Step {
        let head = match &answer.head {
            Ok(head) => head,
            Err(failure) => return Step::Finish(Err(Refusal::Fetch(failure.clone()))),
        };
        if is_redirect(head.status) {
            let hop =
                self.journey.judge(head.status, &head.locations, &self.terms.hosts, &self.terms.necessary);
            return match hop {
                Hop::Follow { to, host: at } => {
                    self.redirects.push(Redirect { status: head.status, address: to.into_https() });
                    self.at_home &= at == *host;
                    self.recall(at)
                }
                Hop::Stop(reason) => Step::Finish(Err(Refusal::Redirect(reason))),
            };
        }
        if head.status != 200 {
            let (status, retry_after) = (head.status, head.retry_after);
            return Step::Finish(Err(Refusal::Status { status, retry_after }));
        }
        match (head.media_type, &head.body) {
            (Some(media_type), body) if self.order.expected.takes(media_type) => {
                Step::Finish(body.as_ref().map(|_| ()).map_err(|failure| Refusal::Fetch(failure.clone())))
            }
            (found, _) => Step::Finish(Err(Refusal::MediaType {
                found: found.map(str::to_owned),
                expected: self.order.expected,
            })),
        }
    }

    fn robots_request(
        &self,
        purpose: Purpose,
        host: AdmittedHost,
        url: HttpsUrl,
        interval: HostInterval,
    ) -> Request {
        Request { host, url, purpose, expected: None, access: false, interval, bounds: self.terms.bounds }
    }

    /// The source's interval, lengthened by the Crawl-delay that these rules ask of us.
    fn interval(&self, rules: Option<&RobotsTxt>) -> HostInterval {
        let delay = rules.and_then(|rules| self.policy.crawl_delay(rules, self.agent));
        delay.map_or(self.terms.interval, |delay| self.terms.interval.lengthen(delay.length))
    }
}

fn is_redirect(status: u16) -> bool {
    (300..400).contains(&status)
}

/// The address of a host's robots.txt.
pub fn robots_address(host: &AdmittedHost) -> Result<HttpsUrl, Refusal> {
    format!("https://{}{ROBOTS_PATH}", host.authority())
        .parse()
        .map_err(|_| Refusal::HostNotAdmitted { authority: host.authority().to_owned() })
}
