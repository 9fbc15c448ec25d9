//! Whole or not at all (R37): every way in which a response can fall short, and what must be told apart from it.
//!
//! A row says what the server does, what is made of it, and whether the connection can carry another request. The
//! interpretation chosen for R37: a status and its headers are handed over as soon as they are unambiguous, also where
//! the body is not whole, because a `404` is a `404`; what can be deposited is for the caller to judge, and a body that
//! is not whole is no body.

use std::time::{Duration, Instant};

use releve_fetch::{Connection as _, HttpsConnection};
use releve_lab::{Answer, Host, Reply};

use crate::support::Bench;

#[derive(Debug, PartialEq)]
pub(crate) enum Made {
    /// A response with a whole body.
    Whole(u16, String),
    /// A response whose body is an error with this code.
    Bodiless(u16, String),
    /// No response.
    Nothing(String),
}

pub(crate) fn whole(status: u16, body: &str) -> Made {
    Made::Whole(status, body.to_owned())
}

pub(crate) fn bodiless(status: u16, code: &str) -> Made {
    Made::Bodiless(status, code.to_owned())
}

pub(crate) fn nothing(code: &str) -> Made {
    Made::Nothing(code.to_owned())
}

const OPEN: bool = true;
const SHUT: bool = false;

/// One row: sends one request and compares what is made of the answer, within what the bounds allow.
#[allow(clippy::disallowed_methods)] // the time it took is what is tested
pub(crate) async fn check(bench: &Bench, name: &str, answer: impl Into<Answer>, expected: Made, open: bool) {
    let target = format!("/{}", name.replace([' ', ',', ':'], "-"));
    bench.lab.put("www.example.test", &target, answer).unwrap();
    let mut connection = bench.connect("https://www.example.test/").await.unwrap();
    let began = Instant::now();
    let exchange = bench.send(&mut connection, &format!("https://www.example.test{target}")).await;
    let took = began.elapsed();
    // What is read after the deadline is at most what a busy machine is late by.
    let limit = bench.bounds.whole() + Duration::from_secs(5);
    assert!(took < limit, "{name}: took {took:?}");
    assert!(exchange.sent_at.is_some(), "{name}: no stamp");
    let made = match exchange.outcome {
        Err(error) => Made::Nothing(error.code().to_owned()),
        Ok(response) => match response.body {
            Err(error) => Made::Bodiless(response.status, error.code().to_owned()),
            Ok(body) => Made::Whole(response.status, String::from_utf8_lossy(&body.decoded).into_owned()),
        },
    };
    assert_eq!(made, expected, "{name}");
    if open {
        assert!(connection.is_open(), "{name}: shut");
    } else {
        assert!(shuts(&mut connection).await, "{name}: open");
    }
}

/// Whether the connection is found closed; what closes it may come a moment after the body.
async fn shuts(connection: &mut HttpsConnection) -> bool {
    for _ in 0..500 {
        if !connection.is_open() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

pub(crate) fn host() -> Host {
    Host::new("www.example.test")
}

fn head(lines: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{lines}\r\n")
}

#[tokio::test]
async fn r37_a_body_of_announced_length_is_whole_or_an_error() {
    let bench = Bench::with(host());
    let length = |lines: &str, body: &str| Answer::raw(head(lines) + body);
    let rows = [
        ("equal", length("Content-Length: 4\r\n", "four"), whole(200, "four"), OPEN),
        ("none", length("Content-Length: 0\r\n", ""), whole(200, ""), OPEN),
        (
            "short and closed",
            length("Content-Length: 10\r\n", "four").close(),
            bodiless(200, "length-short"),
            SHUT,
        ),
        (
            "short and cut",
            length("Content-Length: 10\r\n", "four").cut(),
            bodiless(200, "length-short"),
            SHUT,
        ),
        (
            "short and silent",
            length("Content-Length: 10\r\n", "four").hang(),
            bodiless(200, "silence-deadline"),
            SHUT,
        ),
        (
            "nothing and closed",
            length("Content-Length: 10\r\n", "").close(),
            bodiless(200, "length-short"),
            SHUT,
        ),
        // The surplus could be anything, also the start of a response that nobody asked for.
        ("surplus", length("Content-Length: 2\r\n", "foursix"), whole(200, "fo"), SHUT),
        (
            "late surplus",
            length("Content-Length: 2\r\n", "fo").then("HTTP/1.1 200 OK\r\n"),
            whole(200, "fo"),
            SHUT,
        ),
        (
            "whole without close_notify",
            length("Content-Length: 4\r\n", "four").cut(),
            whole(200, "four"),
            SHUT,
        ),
        ("whole and closed", length("Content-Length: 4\r\n", "four").close(), whole(200, "four"), SHUT),
        (
            "twice the same",
            length("Content-Length: 4\r\nContent-Length: 4\r\n", "four"),
            whole(200, "four"),
            OPEN,
        ),
        ("twice in one", length("Content-Length: 4, 4\r\n", "four"), whole(200, "four"), OPEN),
        (
            "two different",
            length("Content-Length: 4\r\nContent-Length: 2\r\n", "four"),
            nothing("head-malformed"),
            SHUT,
        ),
        ("two different in one", length("Content-Length: 4, 2\r\n", "four"), nothing("head-malformed"), SHUT),
        ("signed", length("Content-Length: +4\r\n", "four"), nothing("head-malformed"), SHUT),
        ("negative", length("Content-Length: -1\r\n", "four"), nothing("head-malformed"), SHUT),
        ("hexadecimal", length("Content-Length: 0x4\r\n", "four"), nothing("head-malformed"), SHUT),
        (
            "over 64 bits",
            length("Content-Length: 99999999999999999999\r\n", "four"),
            nothing("head-malformed"),
            SHUT,
        ),
        ("empty", length("Content-Length:\r\n", "four"), nothing("head-malformed"), SHUT),
    ];
    for (name, answer, expected, open) in rows {
        check(&bench, name, answer, expected, open).await;
    }
}

#[tokio::test]
async fn r37_a_chunked_body_is_whole_or_an_error() {
    let bench = Bench::with(host());
    let chunked = |body: &str| Answer::raw(head("Transfer-Encoding: chunked\r\n") + body);
    let extension = format!("4;{}\r\nfour\r\n0\r\n\r\n", "x".repeat(64 * 1024));
    let trailers = format!("4\r\nfour\r\n0\r\nX-Trailer: {}\r\n\r\n", "x".repeat(128 * 1024));
    let rows = [
        ("whole", chunked("4\r\nfour\r\n3\r\nsix\r\n0\r\n\r\n"), whole(200, "foursix"), OPEN),
        ("empty", chunked("0\r\n\r\n"), whole(200, ""), OPEN),
        ("trailers", chunked("4\r\nfour\r\n0\r\nX-Sum: 1\r\n\r\n"), whole(200, "four"), OPEN),
        ("whole without close_notify", chunked("4\r\nfour\r\n0\r\n\r\n").cut(), whole(200, "four"), SHUT),
        ("surplus", chunked("4\r\nfour\r\n0\r\n\r\nmore"), whole(200, "four"), SHUT),
        ("no last chunk, closed", chunked("4\r\nfour\r\n").close(), bodiless(200, "chunked-cut"), SHUT),
        ("no last chunk, cut", chunked("4\r\nfour\r\n").cut(), bodiless(200, "chunked-cut"), SHUT),
        ("no last chunk, silent", chunked("4\r\nfour\r\n").hang(), bodiless(200, "silence-deadline"), SHUT),
        ("no last line", chunked("4\r\nfour\r\n0\r\n").close(), bodiless(200, "chunked-cut"), SHUT),
        ("inside a chunk", chunked("9\r\nfour").close(), bodiless(200, "chunked-cut"), SHUT),
        ("inside a size", chunked("9").close(), bodiless(200, "chunked-cut"), SHUT),
        ("no size", chunked("zz\r\nfour\r\n0\r\n\r\n"), bodiless(200, "chunked-malformed"), SHUT),
        ("size too small", chunked("2\r\nfour\r\n0\r\n\r\n"), bodiless(200, "chunked-malformed"), SHUT),
        ("size over 64 bits", chunked("fffffffffffffffff\r\nfour"), bodiless(200, "chunked-malformed"), SHUT),
        ("negative size", chunked("-4\r\nfour\r\n0\r\n\r\n"), bodiless(200, "chunked-malformed"), SHUT),
        ("long extension", chunked(&extension), bodiless(200, "chunked-malformed"), SHUT),
        ("long trailers", chunked(&trailers), bodiless(200, "chunked-malformed"), SHUT),
        // Chunked wins, and a length beside it says nothing (RFC 9112, section 6.3).
        (
            "length beside it",
            Answer::raw(
                head("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n") + "4\r\nfour\r\n0\r\n\r\n",
            ),
            whole(200, "four"),
            OPEN,
        ),
    ];
    for (name, answer, expected, open) in rows {
        check(&bench, name, answer, expected, open).await;
    }
}

#[tokio::test]
async fn r37_a_transfer_coding_other_than_chunked_is_an_error() {
    let bench = Bench::with(host());
    let zipped = crate::encode::gzip(b"four");
    let mut chunk = format!("{:x}\r\n", zipped.len()).into_bytes();
    chunk.extend_from_slice(&zipped);
    chunk.extend_from_slice(b"\r\n0\r\n\r\n");
    let coded = |lines: &str| Answer::raw(head(lines)).then(chunk.clone());
    let rows = [
        (
            "gzip, chunked",
            coded("Transfer-Encoding: gzip, chunked\r\n"),
            bodiless(200, "transfer-coding"),
            SHUT,
        ),
        (
            "in two lines",
            coded("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"),
            bodiless(200, "transfer-coding"),
            SHUT,
        ),
        (
            "in two lines, chunked first",
            coded("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n").close(),
            bodiless(200, "transfer-coding"),
            SHUT,
        ),
        ("gzip alone", coded("Transfer-Encoding: gzip\r\n").close(), bodiless(200, "transfer-coding"), SHUT),
        (
            "chunked twice",
            coded("Transfer-Encoding: chunked, chunked\r\n"),
            bodiless(200, "transfer-coding"),
            SHUT,
        ),
        (
            "identity",
            coded("Transfer-Encoding: identity\r\n").close(),
            bodiless(200, "transfer-coding"),
            SHUT,
        ),
        (
            "chunked, capitals",
            Answer::raw(head("Transfer-Encoding: Chunked\r\n") + "0\r\n\r\n"),
            whole(200, ""),
            OPEN,
        ),
    ];
    for (name, answer, expected, open) in rows {
        check(&bench, name, answer, expected, open).await;
    }
}

#[tokio::test]
async fn r37_a_body_without_announced_length_needs_close_notify() {
    let bench = Bench::with(host());
    let plain = || Answer::raw(head("") + "<p>four</p>");
    let old = || Answer::raw("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>four</p>");
    let rows = [
        ("closed", plain().close(), whole(200, "<p>four</p>"), SHUT),
        ("cut", plain().cut(), bodiless(200, "end-not-authentic"), SHUT),
        ("silent", plain().hang(), bodiless(200, "silence-deadline"), SHUT),
        ("HTTP 1.0 closed", old().close(), whole(200, "<p>four</p>"), SHUT),
        ("HTTP 1.0 cut", old().cut(), bodiless(200, "end-not-authentic"), SHUT),
        // HTTP/1.0 knows no chunks, and so their end is none (RFC 9112, section 6.1).
        (
            "HTTP 1.0 chunked",
            Answer::raw("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n"),
            nothing("head-malformed"),
            SHUT,
        ),
        ("empty and cut", Answer::raw(head("")).cut(), bodiless(200, "end-not-authentic"), SHUT),
    ];
    for (name, answer, expected, open) in rows {
        check(&bench, name, answer, expected, open).await;
    }
}

/// What the status means is for the caller, who is told it with certainty; what cannot be a response at all is refused here.
#[tokio::test]
async fn r37_a_status_is_handed_over_as_it_came() {
    let bench = Bench::with(host());
    let with = |line: &str, rest: &str| Answer::raw(format!("HTTP/1.1 {line}\r\n{rest}"));
    let rows = [
        ("203", with("203 Non-Authoritative", "Content-Length: 1\r\n\r\nx"), whole(203, "x"), OPEN),
        ("204", with("204 No Content", "\r\n"), whole(204, ""), OPEN),
        ("204 with a body", with("204 No Content", "Content-Length: 4\r\n\r\nfour"), whole(204, ""), SHUT),
        (
            "206",
            with("206 Partial", "Content-Range: bytes 0-0/9\r\nContent-Length: 1\r\n\r\nx"),
            whole(206, "x"),
            OPEN,
        ),
        ("304", with("304 Not Modified", "Content-Length: 999999999\r\n\r\n"), whole(304, ""), OPEN),
        ("404", with("404 Not Found", "Content-Length: 1\r\n\r\nx"), whole(404, "x"), OPEN),
        (
            "404 cut",
            with("404 Not Found", "Content-Length: 9\r\n\r\nx").close(),
            bodiless(404, "length-short"),
            SHUT,
        ),
        ("410", with("410 Gone", "Content-Length: 0\r\n\r\n"), whole(410, ""), OPEN),
        ("429", with("429 Too Many", "Retry-After: 9\r\nContent-Length: 0\r\n\r\n"), whole(429, ""), OPEN),
        (
            "503 cut",
            with("503 Unavailable", "Transfer-Encoding: chunked\r\n\r\n").cut(),
            bodiless(503, "chunked-cut"),
            SHUT,
        ),
        ("599", with("599 Odd", "Content-Length: 0\r\n\r\n"), whole(599, ""), OPEN),
        (
            "101",
            with("101 Switching", "Upgrade: h2c\r\nConnection: upgrade\r\n\r\n"),
            bodiless(101, "protocol-switched"),
            SHUT,
        ),
        ("600", with("600 Odd", "Content-Length: 0\r\n\r\n"), nothing("status-unknown"), SHUT),
        ("999", with("999 Denied", "Content-Length: 0\r\n\r\n"), nothing("status-unknown"), SHUT),
        ("099", with("099 Odd", "Content-Length: 0\r\n\r\n"), nothing("head-malformed"), SHUT),
        ("no reason", with("200", "Content-Length: 1\r\n\r\nx"), whole(200, "x"), OPEN),
        (
            "asked to close",
            with("200 OK", "Connection: close\r\nContent-Length: 1\r\n\r\nx"),
            whole(200, "x"),
            SHUT,
        ),
    ];
    for (name, answer, expected, open) in rows {
        check(&bench, name, answer, expected, open).await;
    }
}

#[tokio::test]
async fn r37_a_head_is_well_formed_or_an_error() {
    let bench = Bench::with(host());
    let whole_one = "Content-Length: 1\r\n\r\nx";
    let rows = [
        (
            "interim first",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n",
            whole(200, "x"),
            OPEN,
        ),
        ("latin-1 value", "HTTP/1.1 200 OK\r\nX-Name: Andr\u{e9}\r\n", whole(200, "x"), OPEN),
        ("bare line feeds", "HTTP/1.1 200 OK\nX: y\n", whole(200, "x"), OPEN),
        ("folded line", "HTTP/1.1 200 OK\r\nX: y\r\n z\r\n", nothing("head-malformed"), SHUT),
        ("blank before colon", "HTTP/1.1 200 OK\r\nX : y\r\n", nothing("head-malformed"), SHUT),
        ("no colon", "HTTP/1.1 200 OK\r\nhello\r\n", nothing("head-malformed"), SHUT),
        ("HTTP 0.9", "<p>hello</p>\r\n", nothing("head-malformed"), SHUT),
        ("HTTP 2", "HTTP/2.0 200 OK\r\n", nothing("head-malformed"), SHUT),
        ("no HTTP", "SSH-2.0-OpenSSH\r\n", nothing("head-malformed"), SHUT),
        ("NUL in a value", "HTTP/1.1 200 OK\r\nX: a\0b\r\n", nothing("head-malformed"), SHUT),
    ];
    for (name, lines, expected, open) in rows {
        check(&bench, name, Answer::raw(format!("{lines}{whole_one}")), expected, open).await;
    }
    for (name, answer) in [
        ("closed at once", Answer::default().close()),
        ("cut at once", Answer::default().cut()),
        ("half a head closed", Answer::raw("HTTP/1.1 200 OK\r\nContent-Le").close()),
        ("half a head cut", Answer::raw("HTTP/1.1 200 OK\r\nContent-Le").cut()),
    ] {
        check(&bench, name, answer, nothing("connection-lost"), SHUT).await;
    }
}

/// An ordinary response of each kind, and many of them over one connection.
#[tokio::test]
async fn r37_a_connection_carries_many_whole_responses() {
    let bench = Bench::with(
        host()
            .at("/length", Reply::ok("text/html", vec![b'a'; 100_000]))
            .at("/chunked", Reply::ok("text/html", vec![b'b'; 100_000]).chunked())
            .at("/empty", Reply::ok("text/html", "")),
    );
    let mut connection = bench.connect("https://www.example.test/").await.unwrap();
    for _ in 0..5 {
        for (target, length) in [("/length", 100_000), ("/chunked", 100_000), ("/empty", 0), ("/none", 0)] {
            assert!(connection.is_open());
            let exchange = bench.send(&mut connection, &format!("https://www.example.test{target}")).await;
            let body = exchange.outcome.unwrap().body.unwrap();
            assert_eq!(body.decoded.len(), length);
            assert_eq!(body.received_len, u64::try_from(length).unwrap());
        }
    }
    assert_eq!(bench.lab.connections(), 1);
}

/// The server went away while the caller waited for its turn: noticed before anything is sent.
#[tokio::test]
async fn r37_a_connection_that_the_server_closed_is_not_open() {
    let answer = || Answer::raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx").wait(Duration::from_secs(1));
    for answer in [answer().close(), answer().cut()] {
        let bench = Bench::with(host().at("/a", answer));
        let mut connection = bench.connect("https://www.example.test/").await.unwrap();
        bench.send(&mut connection, "https://www.example.test/a").await.outcome.unwrap();
        assert!(connection.is_open());
        tokio::time::sleep(Duration::from_millis(1500)).await;
        let exchange = bench.send(&mut connection, "https://www.example.test/a").await;
        assert_eq!(exchange.outcome.unwrap_err().code(), "connection-closed");
        assert_eq!(exchange.sent_at, None);
        assert!(!connection.is_open());
        assert_eq!(bench.lab.requests().len(), 1);
    }
}
