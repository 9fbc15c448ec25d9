//! Visits over real sockets: what a publisher's server sees.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)]

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use releve_bounds::Bounds;
use releve_fetch::{AccessHeader, Clock, HttpsFetch, LabFile, Network};
use releve_lab::{Answer, Asked, Host, Lab, Reply};
use releve_ledger::{Hosts, MemoryLedger};
use releve_pace::HostInterval;
use releve_redirect_policy::AdmittedHosts;
use releve_robots::RobotsPolicy;
use releve_url_canon::NecessaryParameters;
use releve_visit::{Expected, Interrupt, Order, Refusal, Terms, VisitError, Visited, Visitor};

struct Offset(i64);

impl Clock for Offset {
    fn now(&self) -> Timestamp {
        Timestamp::now() + Duration::from_secs(self.0.unsigned_abs())
    }
}

/// A lab, and visitors to it that share a ledger.
struct World {
    lab: Lab,
    ledger: Arc<MemoryLedger>,
}

fn page(text: &str) -> Reply {
    Reply::ok("text/html; charset=utf-8", format!("<p>{text}"))
}

fn host(name: &str) -> Host {
    Host::new(name).at("/robots.txt", Reply::status(404))
}

fn world<const N: usize>(hosts: [Host; N]) -> World {
    let lab = Lab::start().unwrap();
    for host in hosts {
        lab.add(host).unwrap();
    }
    World { lab, ledger: Arc::new(MemoryLedger::new()) }
}

impl World {
    /// A visitor as a process of its own would have it, `seconds` later.
    fn visitor(&self, seconds: i64) -> Visitor<HttpsFetch> {
        let file: LabFile = self.lab.lab_file("ca.pem", None).parse().unwrap();
        let network = Network::lab(&file, self.lab.ca_pem().as_bytes()).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(Offset(seconds));
        let fetch = HttpsFetch::new(network, Arc::clone(&clock));
        let hosts: Arc<dyn Hosts> = self.ledger.clone();
        let agent = "Example/1 (+https://example.org; contact@example.org)".parse().unwrap();
        Visitor::new(fetch, hosts, clock, agent, RobotsPolicy::releve())
    }

    async fn visit(&self, address: &str) -> Result<Visited, Refusal> {
        self.visit_with(&self.visitor(0), &order(address), None).await
    }

    async fn visit_with(
        &self,
        visitor: &Visitor<HttpsFetch>,
        order: &Order,
        access: Option<&AccessHeader>,
    ) -> Result<Visited, Refusal> {
        match visitor.visit(order, &terms(), access, &Interrupt::never()).await {
            Ok(visited) => Ok(visited),
            Err(VisitError::Refused(refusal)) => Err(refusal),
            Err(error) => panic!("{error}"),
        }
    }

    /// Host and target of every request, in the order of arrival.
    fn asked(&self) -> Vec<String> {
        self.lab.requests().iter().map(|asked| format!("{}{}", asked.host, asked.target())).collect()
    }
}

fn order(address: &str) -> Order {
    Order {
        address: address.parse().unwrap(),
        expected: Expected::Page,
        access_for: None,
        disallow_lifted: false,
    }
}

fn terms() -> Terms {
    Terms {
        hosts: AdmittedHosts::parse(["www.a.test", "b.test"]).unwrap(),
        necessary: NecessaryParameters::new(["id"]),
        interval: HostInterval::default(),
        bounds: Bounds::default(),
        until: Timestamp::MAX,
    }
}

fn code(result: Result<Visited, Refusal>) -> &'static str {
    match result {
        Ok(_) => "read",
        Err(refusal) => refusal.code(),
    }
}

#[tokio::test]
async fn r21_one_request_a_second_at_the_host_over_everything_that_reaches_it() {
    let world = world([host("www.a.test")
        .at("/old", Reply::redirect(301, "/new"))
        .at("/new", page("new"))
        .otherwise(|_| page("other").into())]);
    // Two visitors, as two processes: robots.txt, a redirect with its target, and two more pages make five requests.
    let (one, two) = (world.visitor(0), world.visitor(0));
    let (orders, other) =
        ([order("https://www.a.test/old"), order("https://www.a.test/x")], order("https://www.a.test/y"));
    let first = async {
        for order in &orders {
            assert_eq!(code(world.visit_with(&one, order, None).await), "read");
        }
    };
    let second = async { assert_eq!(code(world.visit_with(&two, &other, None).await), "read") };
    tokio::join!(first, second);

    let requests = world.lab.requests();
    assert_eq!(requests.len(), 5, "{:?}", world.asked());
    for pair in requests.windows(2) {
        let gap = pair[1].arrived - pair[0].arrived;
        assert!(
            gap >= Duration::from_secs(1),
            "{gap:?} between {} and {}",
            pair[0].target(),
            pair[1].target()
        );
    }
}

#[tokio::test]
async fn r21_a_crawl_delay_lengthens_the_interval() {
    let world = world([Host::new("www.a.test")
        .at("/robots.txt", Reply::ok("text/plain", "User-agent: *\nCrawl-delay: 2\n"))
        .otherwise(|_| page("x").into())]);
    let visitor = world.visitor(0);
    for path in ["1", "2"] {
        let order = order(&format!("https://www.a.test/{path}"));
        assert_eq!(code(world.visit_with(&visitor, &order, None).await), "read");
    }
    let requests = world.lab.requests();
    assert_eq!(requests.len(), 3);
    for pair in requests.windows(2) {
        assert!(pair[1].arrived - pair[0].arrived >= Duration::from_secs(2));
    }
}

#[tokio::test]
async fn r21_a_slow_answer_puts_the_next_request_off() {
    // A server that logs when it has answered sees a second between the two as well.
    let world = world([host("www.a.test")
        .at("/slow", Answer::raw("").wait(Duration::from_millis(700)).then(page("slow").to_bytes()))
        .at("/next", page("next"))]);
    let visitor = world.visitor(0);
    for path in ["slow", "next"] {
        let order = order(&format!("https://www.a.test/{path}"));
        assert_eq!(code(world.visit_with(&visitor, &order, None).await), "read");
    }
    let requests = world.lab.requests();
    assert!(requests[2].arrived - requests[1].arrived >= Duration::from_millis(1_700));
}

#[tokio::test]
async fn r22_a_robots_txt_is_kept_for_a_day_across_processes() {
    let world = world([host("www.a.test").otherwise(|_| page("x").into())]);
    for (hours, robots_reads) in [(0, 1), (23, 1), (25, 2)] {
        let visitor = world.visitor(hours * 3_600);
        assert_eq!(code(world.visit_with(&visitor, &order("https://www.a.test/x"), None).await), "read");
        let reads = world.asked().iter().filter(|asked| asked.ends_with("/robots.txt")).count();
        assert_eq!(reads, robots_reads, "after {hours} hours");
    }
}

#[tokio::test]
async fn r22_a_robots_txt_that_is_asked_for_itself_is_asked_for_once() {
    let robots =
        Reply::ok("text/plain", "Sitemap: https://www.a.test/sitemap.xml\nUser-agent: *\nDisallow: /\n");
    let world = world([host("www.a.test").at("/robots.txt", robots), host("b.test")]);
    let visitor = world.visitor(0);
    for (name, sitemaps) in [("www.a.test", Some(1)), ("b.test", None), ("www.a.test", Some(1))] {
        let address = format!("https://{name}/").parse().unwrap();
        let host = terms().hosts.admit(&address).unwrap();
        let rules = visitor.robots(&host, &terms(), &Interrupt::never()).await.unwrap();
        assert_eq!(rules.map(|rules| rules.sitemaps().len()), sitemaps);
    }
    assert_eq!(world.asked(), ["www.a.test/robots.txt", "b.test/robots.txt"]);
}

#[tokio::test]
async fn r22_one_that_failed_is_tried_again_after_15_minutes() {
    let world = world([Host::new("www.a.test")
        .script("/robots.txt", [Reply::status(503).into(), Reply::status(404).into()])
        .otherwise(|_| page("x").into())]);
    for (minutes, expected, requests) in
        [(0, "robots-server-error", 1), (14, "robots-server-error", 1), (16, "read", 3)]
    {
        let visitor = world.visitor(minutes * 60);
        let result = world.visit_with(&visitor, &order("https://www.a.test/x"), None).await;
        assert_eq!(code(result), expected, "after {minutes} minutes");
        assert_eq!(world.asked().len(), requests, "after {minutes} minutes");
    }
}

#[tokio::test]
async fn r30_a_redirect_is_followed_only_where_it_may_be() {
    let to = |location: &str| Reply::redirect(302, location);
    let world = world([
        host("www.a.test")
            .at("/http", to("http://www.a.test/new"))
            .at("/elsewhere", to("https://c.test/"))
            .at("/parameter", to("/new?sid=1"))
            .at("/declared", to("/new?id=1"))
            .at("/loop", to("/loop"))
            .at("/new?id=1", page("declared"))
            .at("/two", to("/new").header("Location", "/other")),
        host("c.test").otherwise(|_| page("never").into()),
    ]);
    let visitor = world.visitor(0);
    for (path, expected) in [
        ("http", "redirect-not-https"),
        ("elsewhere", "redirect-host-not-admitted"),
        ("parameter", "redirect-parameter"),
        ("declared", "read"),
        ("loop", "redirect-loop"),
        ("two", "redirect-many-locations"),
    ] {
        let order = order(&format!("https://www.a.test/{path}"));
        assert_eq!(code(world.visit_with(&visitor, &order, None).await), expected, "{path}");
    }
    assert!(world.asked().iter().all(|asked| asked.starts_with("www.a.test/")), "{:?}", world.asked());
}

#[tokio::test]
async fn r33_robots_txt_before_any_other_request_to_a_host() {
    let world = world([
        host("www.a.test").at("/moved", Reply::redirect(301, "https://b.test/here")),
        host("b.test").at("/here", page("here")),
    ]);
    let visited = world.visit("https://www.a.test/moved").await.unwrap();
    assert_eq!(visited.address.as_str(), "https://b.test/here");
    assert_eq!(visited.redirects.len(), 1);
    assert_eq!(
        world.asked(),
        ["www.a.test/robots.txt", "www.a.test/moved", "b.test/robots.txt", "b.test/here"]
    );
}

#[tokio::test]
async fn r35_a_prohibition_holds_and_an_agreement_lifts_it_for_the_address_alone() {
    let world = world([Host::new("www.a.test")
        .at("/robots.txt", Reply::ok("text/plain", "User-agent: *\nDisallow: /api/\nDisallow: /closed/\n"))
        .at("/api/1", page("agreed"))
        .at("/api/2", Reply::redirect(302, "/closed/2"))
        .at("/closed/2", page("never"))]);
    let visitor = world.visitor(0);
    let lifted = |address| Order { disallow_lifted: true, ..order(address) };
    for (order, expected) in [
        (order("https://www.a.test/api/1"), "robots-disallowed"),
        (lifted("https://www.a.test/api/1"), "read"),
        (lifted("https://www.a.test/api/2"), "robots-disallowed"),
    ] {
        assert_eq!(code(world.visit_with(&visitor, &order, None).await), expected, "{}", order.address);
    }
    assert!(!world.asked().contains(&"www.a.test/closed/2".to_owned()));
}

#[tokio::test]
async fn r36_nothing_of_a_host_is_read_whose_robots_txt_fails() {
    for (robots, expected, requests) in [
        (Answer::from(Reply::status(403)), "read", 2),
        (Reply::status(429).header("Retry-After", "0").into(), "read", 2),
        (Reply::status(410).into(), "read", 2),
        (Reply::status(500).into(), "robots-server-error", 1),
        (Reply::status(599).into(), "robots-server-error", 1),
        (Reply::redirect(301, "https://c.test/robots.txt").into(), "robots-redirect-refused", 1),
        (Reply::redirect(301, "https://b.test/anything").into(), "robots-redirect-refused", 1),
        (
            Answer::raw("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\nUser")
                .cut(),
            "robots-cut-off",
            1,
        ),
    ] {
        let world = world([
            Host::new("www.a.test").at("/robots.txt", robots).at("/x", page("x")),
            host("b.test").otherwise(|_| page("never").into()),
        ]);
        assert_eq!(code(world.visit("https://www.a.test/x").await), expected);
        assert_eq!(world.asked().len(), requests, "{expected}: {:?}", world.asked());
    }
}

/// What a busy server asks for holds for all of it, as its log shows.
#[tokio::test]
async fn r21_a_host_that_names_a_wait_is_left_alone_for_as_long() {
    let world = world([host("www.a.test")
        .at("/busy", Reply::status(503).header("Retry-After", "3"))
        .at("/broken", Reply::status(503))
        .at("/x", page("x"))]);
    let visitor = world.visitor(0);
    for (path, expected) in [("broken", "status-5xx"), ("busy", "status-5xx"), ("x", "read")] {
        let visited = world.visit_with(&visitor, &order(&format!("https://www.a.test/{path}")), None).await;
        assert_eq!(code(visited), expected);
    }
    let requests = world.lab.requests();
    let gaps: Vec<_> = requests.windows(2).map(|pair| pair[1].arrived - pair[0].arrived).collect();
    assert!(gaps[2] >= Duration::from_secs(3), "{gaps:?}");
    assert!(gaps[..2].iter().all(|gap| *gap < Duration::from_secs(3)), "{gaps:?}");
}

/// A head that announces a gigabyte, and then nothing.
fn headed(status: &str, media_type: &str) -> Answer {
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: 1073741824\r\n\r\n");
    Answer::raw(head).hang()
}

#[tokio::test]
async fn r37_only_a_200_of_an_expected_type_received_whole_is_taken() {
    let world = world([host("www.a.test")
        .at("/203", Reply::status(203).header("Content-Type", "text/html").body("x"))
        .at("/204", Reply::status(204))
        .at("/403", Reply::status(403))
        .at("/410", Reply::status(410))
        .at("/503", Reply::status(503))
        .at("/pdf", Reply::ok("application/pdf", "x"))
        .at("/film", headed("200 OK", "video/mp4"))
        .at("/gone-for-long", headed("404 Not Found", "text/html"))
        .at("/untyped", Answer::raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"))
        .at(
            "/short",
            Answer::raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\nx").cut(),
        )]);
    let visitor = world.visitor(0);
    for (path, expected) in [
        ("203", "status-not-200"),
        ("204", "status-not-200"),
        ("403", "status-403"),
        ("410", "status-410"),
        ("503", "status-5xx"),
        ("pdf", "media-type-unexpected"),
        ("untyped", "media-type-missing"),
        ("missing", "status-404"),
    ] {
        let order = order(&format!("https://www.a.test/{path}"));
        assert_eq!(code(world.visit_with(&visitor, &order, None).await), expected, "{path}");
    }
    // Nothing of a body is waited for that would be thrown away: of these the head is all that ever comes.
    for (path, expected) in [("film", "media-type-unexpected"), ("gone-for-long", "status-404")] {
        let began = std::time::Instant::now();
        let order = order(&format!("https://www.a.test/{path}"));
        assert_eq!(code(world.visit_with(&visitor, &order, None).await), expected, "{path}");
        assert!(began.elapsed() < std::time::Duration::from_secs(5), "{path} took {:?}", began.elapsed());
    }
    let short = code(world.visit_with(&visitor, &order("https://www.a.test/short"), None).await);
    assert_eq!(short, "length-short");
}

#[tokio::test]
async fn r40_a_host_that_is_not_admitted_is_never_contacted() {
    let world = world([host("c.test").otherwise(|_| page("never").into())]);
    assert_eq!(code(world.visit("https://c.test/x").await), "host-not-admitted");
    assert_eq!(world.lab.connections(), 0);
}

#[tokio::test]
async fn r04_the_access_header_goes_to_its_host_and_not_after_a_redirect_elsewhere() {
    let world = world([
        host("www.a.test")
            .at("/direct", page("direct"))
            .at("/away", Reply::redirect(302, "https://b.test/back"))
            .at("/home", page("home")),
        host("b.test")
            .at("/back", Reply::redirect(302, "https://www.a.test/home"))
            .at("/elsewhere", page("elsewhere")),
    ]);
    let access =
        AccessHeader::new("Authorization", "Bearer ", "0123456789abcdef", "www.a.test", 443).unwrap();
    let visitor = world.visitor(0);
    for address in ["https://www.a.test/direct", "https://www.a.test/away", "https://b.test/elsewhere"] {
        let order = Order { access_for: Some("www.a.test".to_owned()), ..order(address) };
        assert_eq!(code(world.visit_with(&visitor, &order, Some(&access)).await), "read", "{address}");
    }
    let with_header = |asked: &&Asked| asked.header("authorization").is_some();
    let requests = world.lab.requests();
    let sent: Vec<_> = requests
        .iter()
        .filter(with_header)
        .map(|asked| format!("{}{}", asked.host, asked.target()))
        .collect();
    assert_eq!(sent, ["www.a.test/direct", "www.a.test/away"]);
}

#[tokio::test]
async fn r26_every_request_bears_the_promised_headers_in_their_order() {
    let world = world([host("www.a.test").at("/x", page("x"))]);
    assert_eq!(code(world.visit("https://www.a.test/x").await), "read");
    for asked in world.lab.requests() {
        let names: Vec<_> = asked.headers().iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(names, ["Host", "User-Agent", "Accept", "Accept-Encoding"], "{}", asked.target());
        assert_eq!(asked.header("accept-encoding"), Some("identity"));
    }
}

#[tokio::test]
async fn two_ports_of_one_host_share_its_pace_and_no_connection() {
    let lab = Lab::start().unwrap();
    for name in ["www.a.test", "other.test"] {
        lab.add(host(name).otherwise(|_| page("x").into())).unwrap();
    }
    // The second host of the lab stands in for the other port of the first.
    let addresses = lab.addresses();
    let file = format!(
        "root = \"ca.pem\"\n[hosts]\n\"www.a.test\" = \"{0}\"\n\"www.a.test:8443\" = \"{0}\"\n",
        addresses["www.a.test"]
    );
    let network = Network::lab(&file.parse::<LabFile>().unwrap(), lab.ca_pem().as_bytes()).unwrap();
    let clock: Arc<dyn Clock> = Arc::new(Offset(0));
    let agent = "Example/1 (+https://example.org; contact@example.org)".parse().unwrap();
    let fetch = HttpsFetch::new(network, Arc::clone(&clock));
    let ledger: Arc<dyn Hosts> = Arc::new(MemoryLedger::new());
    let visitor = Visitor::new(fetch, ledger, clock, agent, RobotsPolicy::releve());
    let terms = Terms { hosts: AdmittedHosts::parse(["www.a.test", "www.a.test:8443"]).unwrap(), ..terms() };
    for address in ["https://www.a.test/1", "https://www.a.test:8443/2", "https://www.a.test/3"] {
        visitor.visit(&order(address), &terms, None, &Interrupt::never()).await.unwrap();
    }
    let requests = lab.requests();
    // Each port has a robots.txt of its own.
    assert_eq!(requests.len(), 5);
    for pair in requests.windows(2) {
        assert!(pair[1].arrived - pair[0].arrived >= Duration::from_secs(1));
        let same_port = pair[0].header("host") == pair[1].header("host");
        assert_eq!(pair[0].connection == pair[1].connection, same_port);
    }
}

#[tokio::test]
async fn r22_a_robots_txt_that_runs_out_in_line_is_read_again_before_the_request() {
    let world = world([Host::new("www.a.test")
        .script(
            "/robots.txt",
            [
                Reply::ok("text/plain", "User-agent: *\nCrawl-delay: 3\n").into(),
                Reply::ok("text/plain", "User-agent: *\nDisallow: /\n").into(),
            ],
        )
        .otherwise(|_| page("x").into())]);
    let day = 24 * 3_600;
    assert_eq!(code(world.visit_with(&world.visitor(0), &order("https://www.a.test/1"), None).await), "read");
    // The copy holds when this one gets in line, and not any more when it is its turn.
    let visitor = world.visitor(day - 8);
    assert_eq!(code(world.visit_with(&visitor, &order("https://www.a.test/2"), None).await), "read");
    let mut codes = Vec::new();
    for path in ["3", "4", "5"] {
        codes.push(code(
            world.visit_with(&visitor, &order(&format!("https://www.a.test/{path}")), None).await,
        ));
    }
    assert_eq!(codes.last(), Some(&"robots-disallowed"), "{codes:?}");
    let asked = world.asked();
    assert_eq!(asked.last().unwrap(), "www.a.test/robots.txt", "{asked:?}");
}

#[tokio::test]
async fn r21_a_turn_that_comes_too_late_is_not_waited_for() {
    let robots = Reply::ok("text/plain", "User-agent: *\nCrawl-delay: 3600\n");
    let world = world([host("www.a.test").at("/robots.txt", robots).otherwise(|_| page("x").into())]);
    let visitor = world.visitor(0);
    let order = order("https://www.a.test/x");
    let terms = Terms { until: Timestamp::now() + Duration::from_secs(15 * 60), ..terms() };
    let refused = visitor.visit(&order, &terms, None, &Interrupt::never()).await;
    let Err(VisitError::Refused(refusal)) = refused else { panic!("{refused:?}") };
    assert_eq!(refusal.code(), "out-of-time");
    assert_eq!(world.asked(), ["www.a.test/robots.txt"]);
}

#[tokio::test]
async fn an_interruption_ends_the_wait_and_nothing_is_sent() {
    let world = world([host("www.a.test").otherwise(|_| page("x").into())]);
    let visitor = world.visitor(0);
    let (interrupter, interrupt) = releve_visit::Interrupter::pair();
    let (order, terms) = (order("https://www.a.test/1"), terms());
    let (visited, ()) = tokio::join!(visitor.visit(&order, &terms, None, &interrupt), async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        interrupter.interrupt();
    });
    assert!(matches!(visited, Err(VisitError::Refused(Refusal::Interrupted))));
    assert_eq!(world.asked(), ["www.a.test/robots.txt"]);
    // Whoever comes next is not held up by a turn that was not given back.
    assert_eq!(code(world.visit_with(&world.visitor(0), &order, None).await), "read");
}
