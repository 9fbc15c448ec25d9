//! How long and how large (R32): each bound ends what passes it, in time, under its own name.

use std::sync::Arc;
use std::time::Duration;

use releve_bounds::Bounds;
use releve_fetch::{Fetch as _, FetchError, HttpsFetch, Network};
use releve_lab::{Answer, Host, Reply};
use tokio::task::JoinSet;

use crate::support::{Bench, Ticking, admitted, short};
use crate::whole::{bodiless, check, host, nothing, whole};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";

/// Deadlines that are far enough apart to tell which of them it was.
fn deadlines() -> Bounds {
    Bounds::default()
        .with_head(Duration::from_secs(4))
        .and_then(|bounds| bounds.with_between_bytes(Duration::from_secs(2)))
        .and_then(|bounds| bounds.with_whole(Duration::from_secs(6)))
        .unwrap()
}

#[tokio::test]
async fn r32_silence_ends_at_its_deadline() {
    let tick = Duration::from_millis(100);
    let rows = [
        ("silent", Answer::silence(), nothing("head-deadline")),
        ("half a head", Answer::raw("HTTP/1.1 200 OK\r\nConte").hang(), nothing("silence-deadline")),
        ("dripping head", Answer::raw(OK).drip("X-A: b\r\n", 99, tick), nothing("head-deadline")),
        (
            "interim and silence",
            Answer::raw("HTTP/1.1 102 Processing\r\n\r\n").hang(),
            nothing("silence-deadline"),
        ),
        (
            "half a body",
            Answer::raw(format!("{OK}Content-Length: 9\r\n\r\nfour")).hang(),
            bodiless(200, "silence-deadline"),
        ),
        (
            "dripping body",
            Answer::raw(format!("{OK}Content-Length: 9999\r\n\r\n")).drip("x", 9999, tick),
            bodiless(200, "whole-deadline"),
        ),
        (
            "dripping chunks",
            Answer::raw(format!("{OK}Transfer-Encoding: chunked\r\n\r\n")).drip("1\r\nx\r\n", 9999, tick),
            bodiless(200, "whole-deadline"),
        ),
        (
            "dripping without length",
            Answer::raw(format!("{OK}\r\n")).drip("x", 9999, tick),
            bodiless(200, "whole-deadline"),
        ),
    ];
    let mut bench = Bench::with(host());
    bench.bounds = deadlines();
    let bench = Arc::new(bench);
    let mut running = JoinSet::new();
    for (name, answer, expected) in rows {
        let bench = Arc::clone(&bench);
        running.spawn(async move { check(&bench, name, answer, expected, false).await });
    }
    while let Some(row) = running.join_next().await {
        row.unwrap();
    }
}

/// A pause that every bound allows is no reason to stop.
#[tokio::test]
async fn r32_what_is_slow_within_its_bounds_is_read() {
    let mut bench = Bench::with(host());
    bench.bounds = deadlines();
    let pause = Duration::from_millis(500);
    let answer = Answer::default()
        .wait(pause)
        .then(OK)
        .wait(pause)
        .then("Content-Length: 4\r\n\r\n")
        .wait(pause)
        .then("fo")
        .wait(pause)
        .then("ur");
    check(&bench, "slow", answer, whole(200, "four"), true).await;
}

#[tokio::test]
async fn r32_connecting_ends_at_its_deadline() {
    let mut bench = Bench::with(Host::new("www.example.test").instead_of_tls(Answer::silence()));
    bench.bounds = short().with_connect(Duration::from_millis(300)).unwrap();
    let error = bench.connect("https://www.example.test/").await.err().unwrap();
    assert!(matches!(error, FetchError::ConnectDeadline { .. }), "{error}");
    assert_eq!(bench.lab.connections(), 1);
}

/// What connecting took counts towards the whole, but waiting for the turn does not.
#[tokio::test]
async fn r32_the_whole_leaves_out_the_wait_for_the_turn() {
    let mut bench = Bench::with(host().at("/a", Reply::ok("text/html", "x")));
    bench.bounds = short().with_whole(Duration::from_secs(2)).unwrap();
    let mut connection = bench.connect("https://www.example.test/").await.unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    let exchange = bench.send(&mut connection, "https://www.example.test/a").await;
    assert_eq!(exchange.outcome.unwrap().status, 200);
}

#[tokio::test]
async fn r32_the_head_is_bounded() {
    let mut bench = Bench::with(host());
    bench.bounds =
        short().with_head_bytes(16 * 1024).and_then(|bounds| bounds.with_header_count(20)).unwrap();
    let end = "Content-Length: 1\r\n\r\nx";
    let headers = |count: usize| "X: y\r\n".repeat(count);
    let long = |bytes: usize| format!("X-Long: {}\r\n", "y".repeat(bytes));
    let rows = [
        (
            "20 headers",
            Answer::raw(format!("HTTP/1.1 200 OK\r\n{}{end}", headers(19))),
            whole(200, "x"),
            true,
        ),
        (
            "21 headers",
            Answer::raw(format!("HTTP/1.1 200 OK\r\n{}{end}", headers(20))),
            nothing("head-too-large"),
            false,
        ),
        ("15 KiB", Answer::raw(format!("{OK}{}{end}", long(15 * 1024))), whole(200, "x"), true),
        ("17 KiB", Answer::raw(format!("{OK}{}{end}", long(17 * 1024))), nothing("head-too-large"), false),
        ("500 KiB", Answer::raw(format!("{OK}{}{end}", long(500 * 1024))), nothing("head-too-large"), false),
        ("without end", Answer::raw(OK).repeat("X: y\r\n", 10_000_000), nothing("head-too-large"), false),
        (
            "one line without end",
            Answer::raw("HTTP/1.1 200 ").repeat("y", 10_000_000),
            nothing("head-too-large"),
            false,
        ),
    ];
    for (name, answer, expected, open) in rows {
        check(&bench, name, answer, expected, open).await;
    }
}

/// A bound below the buffer that hyper reads into holds as well.
#[tokio::test]
async fn r32_a_small_bound_on_the_head_holds() {
    let mut bench = Bench::with(host());
    bench.bounds = short().with_head_bytes(1024).unwrap();
    let of =
        |bytes: usize| Answer::raw(format!("{OK}X: {}\r\nContent-Length: 1\r\n\r\nx", "y".repeat(bytes)));
    check(&bench, "900 bytes", of(900), whole(200, "x"), true).await;
    check(&bench, "1 KiB", of(1024), nothing("head-too-large"), false).await;
}

#[tokio::test]
async fn r32_interim_responses_are_counted() {
    let bench = Bench::with(host());
    let interim = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n";
    let end = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
    for (name, count, expected, open) in [
        ("ten", 10, whole(200, "x"), true),
        ("eleven", 11, nothing("too-many-interim"), false),
        ("a hundred thousand", 100_000, nothing("too-many-interim"), false),
    ] {
        check(&bench, name, Answer::default().repeat(interim, count).then(end), expected, open).await;
    }
}

#[tokio::test]
async fn r32_the_body_as_received_is_bounded() {
    let mut bench = Bench::with(host());
    bench.bounds = short().with_received_bytes(100_000).unwrap();
    let length = |bytes: u64| Answer::raw(format!("{OK}Content-Length: {bytes}\r\n\r\n")).repeat("x", bytes);
    let chunked = |count: u64| {
        let chunk = format!("3e8\r\n{}\r\n", "x".repeat(1000));
        Answer::raw(format!("{OK}Transfer-Encoding: chunked\r\n\r\n")).repeat(chunk, count).then("0\r\n\r\n")
    };
    let ended = |bytes: u64| Answer::raw(format!("{OK}\r\n")).repeat("x", bytes).close();
    let full = "x".repeat(100_000);
    let rows = [
        ("length at the bound", length(100_000), whole(200, &full), true),
        ("length over", length(100_001), bodiless(200, "received-too-large"), false),
        ("length far over", length(1 << 40), bodiless(200, "received-too-large"), false),
        ("chunks at the bound", chunked(100), whole(200, &full), true),
        ("chunks over", chunked(101), bodiless(200, "received-too-large"), false),
        ("chunks for ever", chunked(1 << 30), bodiless(200, "received-too-large"), false),
        // A size may have any number of zeros before it, of which nothing is handed over.
        (
            "a size without end",
            Answer::raw(format!("{OK}Transfer-Encoding: chunked\r\n\r\n")).repeat("0", 1 << 40),
            bodiless(200, "received-too-large"),
            false,
        ),
        ("unannounced at the bound", ended(100_000), whole(200, &full), false),
        ("unannounced for ever", ended(1 << 40), bodiless(200, "received-too-large"), false),
    ];
    for (name, answer, expected, open) in rows {
        check(&bench, name, answer, expected, open).await;
    }
}

/// The announced length alone is reason enough: not a byte of the body is awaited.
#[tokio::test]
async fn r32_an_announced_length_over_the_bound_is_refused_before_the_body() {
    let mut bench = Bench::with(host());
    bench.bounds = short().with_received_bytes(1000).unwrap();
    let answer = Answer::raw(format!("{OK}Content-Length: 1001\r\n\r\n")).hang();
    check(&bench, "announced", answer, bodiless(200, "received-too-large"), false).await;
}

#[tokio::test]
async fn r32_the_pieces_of_a_body_are_counted() {
    let bench = Bench::with(host());
    let start = format!("{OK}Transfer-Encoding: chunked\r\n\r\n");
    let end = "0\r\n\r\n";
    let bounded = || {
        let mut bench = Bench::with(host());
        bench.bounds = short().with_frames(1000).unwrap();
        bench
    };
    let chunks = |count| Answer::raw(start.clone()).repeat("1\r\nx\r\n", count).then(end);
    check(&bounded(), "a thousand", chunks(1000), whole(200, &"x".repeat(1000)), true).await;
    check(&bounded(), "a thousand and one", chunks(1001), bodiless(200, "too-many-frames"), false).await;
    check(&bench, "a million", chunks(1_000_000), bodiless(200, "too-many-frames"), false).await;
}

/// A host that refuses the connection is no deadline's business.
#[tokio::test]
async fn r32_a_host_that_refuses_ends_at_once() {
    let bench = Bench::with(host());
    // A port that was free a moment ago, and that nothing listens on.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let file = format!("root = \"ca.pem\"\n[hosts]\n\"www.example.test\" = \"{free}\"\n");
    let network = Network::lab(&file.parse().unwrap(), bench.lab.ca_pem().as_bytes()).unwrap();
    let fetch = HttpsFetch::new(network, Arc::new(Ticking::from("2026-03-01T12:00:00Z")));
    let error = fetch.connect(&admitted("https://www.example.test/"), &short()).await.err().unwrap();
    assert_eq!(error.code(), "not-connected");
}
