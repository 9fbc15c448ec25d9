//! The pace of many visits, played in a moment: the runtime's clock is paused and jumps from one wait to the next.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use releve_bounds::Bounds;
use releve_fetch::{
    Clock, Connection, Exchange, Fetch, FetchError, MemoryAnswer, MemoryAsked, MemoryFetch, Request,
};
use releve_ledger::{Holder, Hosts, Life, Machine, MemoryLedger, RobotsCopy};
use releve_pace::HostInterval;
use releve_redirect_policy::{AdmittedHost, AdmittedHosts};
use releve_robots::{RobotsPolicy, Standing};
use releve_url_canon::NecessaryParameters;
use releve_visit::{Expected, Interrupt, Leaves, Order, Refusal, Terms, VisitError, Visited, Visitor};
use tokio::time::Instant;

/// The runtime's time as a clock on the wall, which can be set.
struct Wall {
    began: Instant,
    set_off_seconds: AtomicI64,
}

impl Wall {
    fn new() -> Arc<Self> {
        Arc::new(Self { began: Instant::now(), set_off_seconds: AtomicI64::new(0) })
    }

    fn set(&self, seconds: i64) {
        self.set_off_seconds.store(seconds, Ordering::SeqCst);
    }
}

impl Clock for Wall {
    fn now(&self) -> Timestamp {
        let noon: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        let set_off = SignedDuration::from_secs(self.set_off_seconds.load(Ordering::SeqCst));
        noon + self.began.elapsed() + set_off
    }
}

/// The machine that everything runs on: its own clock cannot be set.
#[derive(Debug)]
struct OneMachine(Instant);

impl Machine for OneMachine {
    fn holder(&self) -> Holder {
        Holder { boot: "one".to_owned(), view: String::new(), pid: 1, started: 1 }
    }

    fn life(&self, _: &Holder) -> Life {
        Life::Alive
    }

    fn since_boot(&self) -> Option<Duration> {
        Some(Duration::from_secs(100) + self.0.elapsed())
    }
}

/// A publisher's server whose own clock nobody sets, and visitors to it that share a ledger.
struct World {
    server: MemoryFetch,
    ledger: Arc<dyn Hosts>,
    wall: Arc<Wall>,
}

impl World {
    fn new(robots: &str, hosts: usize) -> Self {
        let server = MemoryFetch::new(Wall::new());
        for host in 0..hosts {
            let robots = MemoryAnswer::new(200, "text/plain", robots.to_owned());
            server.put(&format!("https://h{host}.example.org/robots.txt"), robots);
            for article in 0..8 {
                let page = MemoryAnswer::new(200, "text/html", "<p>x");
                server.put(&format!("https://h{host}.example.org/{article}"), page);
            }
        }
        let ledger = MemoryLedger::new().seen_from(Arc::new(OneMachine(Instant::now())));
        Self { server, ledger: Arc::new(ledger), wall: Wall::new() }
    }

    fn visitor<F: Fetch>(&self, fetch: F) -> Arc<Visitor<F>> {
        let agent = "Example/1 (+https://example.org; contact@example.org)".parse().unwrap();
        let wall: Arc<dyn Clock> = self.wall.clone();
        Arc::new(Visitor::new(fetch, Arc::clone(&self.ledger), wall, agent, RobotsPolicy::releve()))
    }

    /// When each host was asked, by the server's own clock.
    fn sent(&self) -> BTreeMap<String, Vec<Timestamp>> {
        let mut sent: BTreeMap<String, Vec<Timestamp>> = BTreeMap::new();
        for MemoryAsked { url, sent_at, .. } in self.server.asked() {
            let host = url.split('/').nth(2).unwrap().to_owned();
            sent.entry(host).or_default().push(sent_at);
        }
        sent
    }

    /// Asserts that no two requests to a host were closer than `least`, and returns how many there were to each.
    fn check(&self, least: Duration) -> Vec<usize> {
        let sent = self.sent();
        for (host, instants) in &sent {
            for pair in instants.windows(2) {
                let gap = Duration::try_from(pair[1].duration_since(pair[0])).unwrap();
                assert!(gap >= least, "{host}: {gap:?}");
            }
        }
        sent.values().map(Vec::len).collect()
    }
}

async fn read<F: Fetch>(visitor: &Visitor<F>, host: usize, article: usize) {
    visit(visitor, host, article, Timestamp::MAX, &|_| Ok(())).await.unwrap();
}

async fn visit<F: Fetch>(
    visitor: &Visitor<F>,
    host: usize,
    article: usize,
    until: Timestamp,
    leaves: &Leaves<'_>,
) -> Result<Visited, VisitError> {
    let terms = Terms {
        hosts: AdmittedHosts::parse(["*.example.org"]).unwrap(),
        necessary: NecessaryParameters::none(),
        interval: HostInterval::default(),
        bounds: Bounds::default(),
        until,
    };
    let order = Order {
        address: format!("https://h{host}.example.org/{article}").parse().unwrap(),
        expected: Expected::Page,
        access_for: None,
        disallow_lifted: false,
    };
    visitor.visit_noting(&order, &terms, None, &Interrupt::never(), leaves).await
}

#[tokio::test(start_paused = true)]
async fn r21_two_thousand_hosts_side_by_side_each_once_a_second_and_none_slower_for_it() {
    const HOSTS: usize = 2_000;
    let world = World::new("", HOSTS);
    let visitor = world.visitor(world.server.clone());
    let began = Instant::now();
    let tasks: Vec<_> = (0..HOSTS)
        .map(|host| {
            let visitor = Arc::clone(&visitor);
            tokio::spawn(async move {
                for article in 0..5 {
                    read(&visitor, host, article).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    // robots.txt and five articles at each: five intervals, of which 97 % are made use of.
    assert_eq!(world.check(Duration::from_secs(1)), [6; HOSTS]);
    assert!(began.elapsed() <= Duration::from_secs(5).mul_f64(1.0 / 0.97), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn r21_a_crawl_delay_of_seven_seconds_binds_every_process() {
    let world = World::new("User-agent: *\nCrawl-delay: 7\n", 1);
    let (one, two) = (world.visitor(world.server.clone()), world.visitor(world.server.clone()));
    tokio::join!(
        async {
            for article in 0..4 {
                read(&one, 0, article).await;
            }
        },
        async {
            for article in 4..8 {
                read(&two, 0, article).await;
            }
        }
    );
    assert_eq!(world.check(Duration::from_secs(7)), [9]);
}

#[tokio::test(start_paused = true)]
async fn r21_a_clock_set_back_an_hour_or_forward_a_day_never_shortens_the_interval() {
    for set_off in [-3_600, 86_400] {
        let world = World::new("", 1);
        let visitor = world.visitor(world.server.clone());
        read(&visitor, 0, 0).await;
        world.wall.set(set_off);
        let began = Instant::now();
        for article in 1..4 {
            read(&visitor, 0, article).await;
        }
        // robots.txt is read again: a day has gone by, or it cannot be told any more how old the copy is.
        assert_eq!(world.check(Duration::from_secs(1)), [6]);
        assert!(began.elapsed() < Duration::from_secs(10), "{set_off}: {:?}", began.elapsed());
    }
}

/// A sender that is held up between its stamp and its request.
#[derive(Clone)]
struct Late(MemoryFetch);

struct LateConnection<C>(C);

impl Fetch for Late {
    type Connection = LateConnection<<MemoryFetch as Fetch>::Connection>;

    fn connect(
        &self,
        host: &AdmittedHost,
        bounds: &Bounds,
    ) -> impl Future<Output = Result<Self::Connection, FetchError>> + Send {
        let connecting = self.0.connect(host, bounds);
        async move { connecting.await.map(LateConnection) }
    }
}

impl<C: Connection> Connection for LateConnection<C> {
    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    async fn send(&mut self, request: Request<'_>) -> Exchange {
        tokio::time::sleep(Duration::from_secs(2)).await;
        self.0.send(request).await
    }

    fn last_sent_at(&self) -> Option<Timestamp> {
        self.0.last_sent_at()
    }
}

#[tokio::test(start_paused = true)]
async fn r21_a_sender_that_is_two_seconds_late_moves_everybody_behind_it() {
    let world = World::new("", 1);
    let (late, punctual) = (world.visitor(Late(world.server.clone())), world.visitor(world.server.clone()));
    tokio::join!(
        async {
            for article in 0..3 {
                read(&late, 0, article).await;
            }
        },
        async {
            for article in 3..6 {
                read(&punctual, 0, article).await;
            }
        }
    );
    assert_eq!(world.check(Duration::from_secs(1)), [7]);
}

/// A publisher to which it takes nine seconds to connect.
#[derive(Clone)]
struct Far(MemoryFetch);

impl Fetch for Far {
    type Connection = <MemoryFetch as Fetch>::Connection;

    async fn connect(&self, host: &AdmittedHost, bounds: &Bounds) -> Result<Self::Connection, FetchError> {
        tokio::time::sleep(Duration::from_secs(9)).await;
        self.0.connect(host, bounds).await
    }
}

#[tokio::test(start_paused = true)]
async fn r22_a_robots_txt_that_gets_too_old_while_a_connection_is_made_is_read_again() {
    let world = World::new("", 1);
    let visitor = world.visitor(Far(world.server.clone()));
    read(&visitor, 0, 0).await;
    let robots = world.server.asked()[0].sent_at;
    // Five seconds before a day has gone by since it was read.
    let day = SignedDuration::from_hours(24);
    let early = robots + day - SignedDuration::from_secs(5);
    tokio::time::sleep(Duration::try_from(early.duration_since(world.wall.now())).unwrap()).await;
    read(&visitor, 0, 1).await;
    let asked = world.server.asked();
    let asked: Vec<_> = asked.iter().map(|asked| asked.url.rsplit('/').next().unwrap()).collect();
    assert_eq!(asked, ["robots.txt", "0", "robots.txt", "1"]);
}

#[tokio::test(start_paused = true)]
async fn r22_rules_that_another_process_reads_while_a_connection_is_made_are_followed() {
    let world = World::new("", 1);
    let visitor = world.visitor(Far(world.server.clone()));
    read(&visitor, 0, 0).await;
    // Its connection is not used again by then.
    tokio::time::sleep(Duration::from_secs(60)).await;
    let other = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        let fetched_at = world.wall.now();
        let standing = Standing::Rules { until: fetched_at + SignedDuration::from_hours(24) };
        let body = b"User-agent: *\nDisallow: /\n".to_vec();
        let copy = RobotsCopy { fetched_at, standing, body, crawl_delay: None };
        world.ledger.keep_robots("h0.example.org", &copy).unwrap();
    };
    let (visited, ()) = tokio::join!(visit(&visitor, 0, 1, Timestamp::MAX, &|_| Ok(())), other);
    let refused = matches!(visited, Err(VisitError::Refused(Refusal::RobotsDisallowed { .. })));
    assert!(refused, "{visited:?}");
    assert_eq!(world.server.asked().len(), 2);
}

/// A source's trigger counts as asked for from then on: not for a robots.txt that was read for a trigger whose turn comes too late.
#[tokio::test(start_paused = true)]
async fn r18_only_a_request_for_the_address_itself_leaves() {
    let world = World::new("", 1);
    let visitor = world.visitor(world.server.clone());
    let left = AtomicUsize::new(0);
    let leaves: &Leaves<'_> = &|_| {
        left.fetch_add(1, Ordering::SeqCst);
        Ok(())
    };
    let soon = world.wall.now() + SignedDuration::from_millis(500);
    let visited = visit(&visitor, 0, 0, soon, leaves).await;
    assert!(matches!(visited, Err(VisitError::Refused(Refusal::OutOfTime { .. }))), "{visited:?}");
    assert_eq!((world.server.asked().len(), left.load(Ordering::SeqCst)), (1, 0));
    visit(&visitor, 0, 0, Timestamp::MAX, leaves).await.unwrap();
    assert_eq!((world.server.asked().len(), left.load(Ordering::SeqCst)), (2, 1));
}

/// Counts the connections that are open.
#[derive(Clone)]
struct Counted(MemoryFetch, Arc<AtomicUsize>);

struct CountedConnection<C>(C, Arc<AtomicUsize>);

impl<C> Drop for CountedConnection<C> {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Fetch for Counted {
    type Connection = CountedConnection<<MemoryFetch as Fetch>::Connection>;

    fn connect(
        &self,
        host: &AdmittedHost,
        bounds: &Bounds,
    ) -> impl Future<Output = Result<Self::Connection, FetchError>> + Send {
        let (connecting, open) = (self.0.connect(host, bounds), Arc::clone(&self.1));
        async move {
            let connection = connecting.await?;
            open.fetch_add(1, Ordering::SeqCst);
            Ok(CountedConnection(connection, open))
        }
    }
}

impl<C: Connection> Connection for CountedConnection<C> {
    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    async fn send(&mut self, request: Request<'_>) -> Exchange {
        self.0.send(request).await
    }

    fn last_sent_at(&self) -> Option<Timestamp> {
        self.0.last_sent_at()
    }
}

#[tokio::test(start_paused = true)]
async fn r40_hosts_that_are_no_longer_asked_cost_no_connection() {
    const HOSTS: usize = 100;
    let world = World::new("", HOSTS);
    let open = Arc::new(AtomicUsize::new(0));
    let visitor = world.visitor(Counted(world.server.clone(), Arc::clone(&open)));
    for host in 0..HOSTS {
        // robots.txt, and a second later the article.
        read(&visitor, host, 0).await;
        // Those of the last four seconds may be used again, and are looked through every four.
        assert!(open.load(Ordering::SeqCst) <= 9, "{host}: {open:?}");
    }
}
