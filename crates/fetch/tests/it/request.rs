//! What is sent: which bytes, when, to whom, and over which connection.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use releve_fetch::{AccessHeader, Connection as _, FetchError};
use releve_lab::{Answer, Host, Reply};

use crate::support::{Bench, check_whole};

const SECRET: &str = "s3cret-0123456789/abc";

fn page() -> Host {
    Host::new("www.example.test").at("/a?b=c", Reply::ok("text/html", "<p>ok</p>"))
}

fn access(host: &str, port: u16) -> AccessHeader {
    AccessHeader::new("authorization", "Bearer ", SECRET, host, port).unwrap()
}

#[tokio::test]
async fn r26_the_bytes_of_a_request_are_exactly_those_promised() {
    let bench = Bench::with(page());
    let exchange = bench.get("https://www.example.test/a?b=c").await;
    check_whole(&exchange, 200, b"<p>ok</p>");
    assert_eq!(
        String::from_utf8(bench.lab.requests()[0].head.clone()).unwrap(),
        "GET /a?b=c HTTP/1.1\r\n\
         Host: www.example.test\r\n\
         User-Agent: Releve/1 (+https://example.org; contact@example.org)\r\n\
         Accept: text/html\r\n\
         Accept-Encoding: identity\r\n\r\n"
    );
}

#[tokio::test]
async fn r26_the_access_header_is_the_fifth_and_last() {
    let mut bench = Bench::with(page());
    bench.access = Some(access("www.example.test", 443));
    check_whole(&bench.get("https://www.example.test/a?b=c").await, 200, b"<p>ok</p>");
    assert_eq!(
        String::from_utf8(bench.lab.requests()[0].head.clone()).unwrap(),
        "GET /a?b=c HTTP/1.1\r\n\
         Host: www.example.test\r\n\
         User-Agent: Releve/1 (+https://example.org; contact@example.org)\r\n\
         Accept: text/html\r\n\
         Accept-Encoding: identity\r\n\
         Authorization: Bearer s3cret-0123456789/abc\r\n\r\n"
    );
}

/// The second request of a connection is like the first, also where the first response asked for something.
#[tokio::test]
async fn r26_a_second_request_is_written_like_the_first() {
    let answer = Reply::ok("text/html", "<p>ok</p>")
        .header("ETag", "\"1\"")
        .header("Last-Modified", "Sun, 01 Mar 2026 12:00:00 GMT")
        .header("Accept-CH", "Sec-CH-UA")
        .header("Alt-Svc", "h2=\":443\"");
    let bench = Bench::with(page().at("/a?b=c", answer));
    let mut connection = bench.connect("https://www.example.test/").await.unwrap();
    bench.send(&mut connection, "https://www.example.test/a?b=c").await.outcome.unwrap();
    bench.send(&mut connection, "https://www.example.test/a?b=c").await.outcome.unwrap();
    let requests = bench.lab.requests();
    assert_eq!(requests[0].head, requests[1].head);
    assert_eq!(requests[0].connection, requests[1].connection);
}

#[tokio::test]
async fn r26_a_port_other_than_443_stands_in_the_host_header() {
    let bench = Bench::on_port(page(), 8443);
    check_whole(&bench.get("https://www.example.test:8443/a?b=c").await, 200, b"<p>ok</p>");
    assert_eq!(bench.lab.requests()[0].header("host"), Some("www.example.test:8443"));
}

/// Whatever the URL standard lets stand in a path or query is written as it stands.
#[tokio::test]
async fn r26_the_target_is_written_as_the_address_has_it() {
    let bench = Bench::with(Host::new("www.example.test").otherwise(|_| Reply::ok("text/html", "x").into()));
    let mut connection = bench.connect("https://www.example.test/").await.unwrap();
    for target in ["/%C3%A9t%C3%A9", "/a;b=c/d,e!(f)*'", "/a|b[c]?d={e}`f^g\\h|i", "/?", "//double"] {
        let exchange = bench.send(&mut connection, &format!("https://www.example.test{target}")).await;
        assert_eq!(exchange.outcome.unwrap().status, 200, "{target}");
        let expected = target.parse_target();
        assert_eq!(bench.lab.requests().last().unwrap().target(), expected);
    }
}

trait ParseTarget {
    fn parse_target(&self) -> String;
}

impl ParseTarget for str {
    /// As the URL standard serialises it.
    fn parse_target(&self) -> String {
        let url: releve_url_canon::HttpsUrl = format!("https://www.example.test{self}").parse().unwrap();
        url.path_and_query().to_owned()
    }
}

#[tokio::test]
async fn r27_no_cookie_is_kept_or_sent() {
    let answer = Reply::ok("text/html", "x").header("Set-Cookie", "a=b").header("set-cookie2", "c=d");
    let bench = Bench::with(page().at("/a", answer));
    let mut connection = bench.connect("https://www.example.test/").await.unwrap();
    let response = bench.send(&mut connection, "https://www.example.test/a").await.outcome.unwrap();
    let names: Vec<_> = response.headers.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["content-type", "content-length"]);
    bench.send(&mut connection, "https://www.example.test/a").await.outcome.unwrap();
    assert!(bench.lab.requests().iter().all(|asked| asked.header("cookie").is_none()));
}

#[tokio::test]
async fn r04_the_credential_goes_to_its_own_host_and_port_alone() {
    for (host, port) in [("cms.example.test", 443), ("www.example.test", 8443), ("example.test", 443)] {
        let mut bench = Bench::with(page());
        bench.access = Some(access(host, port));
        let mut connection = bench.connect("https://www.example.test/").await.unwrap();
        let exchange = bench.send(&mut connection, "https://www.example.test/a?b=c").await;
        let error = exchange.outcome.unwrap_err();
        assert!(matches!(error, FetchError::AccessElsewhere { .. }), "{host}:{port}: {error}");
        assert!(exchange.sent_at.is_none());
        assert!(!error.to_string().contains(SECRET) && !format!("{error:?}").contains(SECRET));
        assert!(bench.lab.requests().is_empty());
        // Nothing went out, so the connection is as good as before.
        assert!(connection.is_open());
    }
}

#[tokio::test]
async fn r04_a_response_that_echoes_the_credential_is_refused() {
    let json = SECRET.replace('/', "\\/");
    let percent = SECRET.replace('/', "%2f");
    let rows: Vec<(&str, Answer)> = vec![
        ("body", Reply::ok("text/html", format!("you sent {SECRET}")).into()),
        ("body of a 404", Reply::status(404).body(format!("you sent {SECRET}")).into()),
        ("json", Reply::ok("application/json", format!("{{\"sent\": \"{json}\"}}")).into()),
        ("address", Reply::ok("text/html", format!("<a href=/?token={percent}>")).into()),
        ("location", Reply::redirect(302, format!("/?token={percent}")).into()),
        ("header", Reply::ok("text/html", "x").header("X-Debug", SECRET).into()),
        ("gzip", Reply::ok("text/html", "").coded("gzip", crate::encode::gzip(SECRET.as_bytes())).into()),
    ];
    for (name, answer) in rows {
        let mut bench = Bench::with(page().at("/a", answer));
        bench.access = Some(access("www.example.test", 443));
        let mut connection = bench.connect("https://www.example.test/").await.unwrap();
        let exchange = bench.send(&mut connection, "https://www.example.test/a").await;
        assert_eq!(exchange.outcome.unwrap_err().code(), "secret-echoed", "{name}");
        assert!(exchange.sent_at.is_some(), "{name}");
        assert!(!connection.is_open(), "{name}");
    }
}

/// Of the Basic scheme what must not come back is the password, not only its base64.
#[tokio::test]
async fn r04_a_response_that_echoes_a_basic_password_is_refused() {
    let mut bench = Bench::with(page().at("/a", Reply::ok("text/html", "your password is correct-horse")));
    bench.access = Some(
        AccessHeader::new("Authorization", "Basic ", "dXNlcjpjb3JyZWN0LWhvcnNl", "www.example.test", 443)
            .unwrap(),
    );
    let exchange = bench.get("https://www.example.test/a").await;
    assert_eq!(exchange.outcome.unwrap_err().code(), "secret-echoed");
}

#[tokio::test]
async fn r40_a_connection_carries_requests_to_its_own_host_alone() {
    let bench = Bench::of([page(), Host::new("other.example.test")]);
    let mut connection = bench.connect("https://www.example.test/").await.unwrap();
    for address in ["https://other.example.test/a?b=c", "https://www.example.test:8443/a?b=c"] {
        let exchange = bench.send(&mut connection, address).await;
        assert_eq!(exchange.outcome.unwrap_err().code(), "other-host");
        assert!(exchange.sent_at.is_none());
    }
    assert!(bench.lab.requests().is_empty());
}

/// The stamp is taken when the socket took the bytes: after the connection was made and waited with, before the answer.
#[tokio::test]
async fn r21_the_stamp_is_the_moment_the_request_left() {
    let pause = Duration::from_secs(1);
    let slow = Answer::default().wait(pause).then(Reply::ok("text/html", "x").to_bytes());
    let mut bench = Bench::with(page().at("/slow", slow));
    let now = bench.tick_in_real_time();
    let mut connection = bench.connect("https://www.example.test/").await.unwrap();
    tokio::time::sleep(pause).await;
    let before = now();
    let exchange = bench.send(&mut connection, "https://www.example.test/slow").await;
    let sent_at = exchange.sent_at.unwrap();
    let arrived = bench.lab.requests()[0].arrived_at;
    let read_at = exchange.outcome.unwrap().read_at;
    let apart = |from: Timestamp, to: Timestamp| Duration::try_from(to.duration_since(from)).unwrap();
    assert!(apart(before, sent_at) < pause / 2);
    // The server may see the bytes before the stamp is taken, but not long before.
    assert!(arrived.duration_since(sent_at).abs() < SignedDuration::from_millis(500));
    assert!(apart(sent_at, read_at) > pause / 2);
    assert_eq!(connection.last_sent_at(), Some(sent_at));
}

/// Whoever lets go of a request half-way still has to keep the pace for it.
#[tokio::test]
async fn r21_a_request_that_was_let_go_of_has_its_stamp() {
    let bench = Bench::with(page().at("/silent", Answer::silence()));
    let mut connection = bench.connect("https://www.example.test/").await.unwrap();
    assert_eq!(connection.last_sent_at(), None);
    let sending = bench.send(&mut connection, "https://www.example.test/silent");
    assert!(tokio::time::timeout(Duration::from_secs(1), sending).await.is_err());
    assert!(connection.last_sent_at().is_some());
    assert!(!connection.is_open());
    assert_eq!(bench.lab.requests().len(), 1);
}

/// Nothing is tried again by itself, whatever the failure looks like.
#[tokio::test]
async fn r23_a_request_that_failed_is_not_sent_again() {
    for (name, answer) in [
        ("closed", Answer::default().close()),
        ("cut", Answer::default().cut()),
        ("503", Reply::status(503).header("Retry-After", "0").into()),
        (
            "408",
            Answer::raw("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .close(),
        ),
    ] {
        let bench = Bench::with(page().at("/a", answer));
        drop(bench.get("https://www.example.test/a").await);
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(bench.lab.requests().len(), 1, "{name}");
        assert_eq!(bench.lab.connections(), 1, "{name}");
    }
}

#[tokio::test]
async fn r30_a_redirect_is_handed_over_and_not_followed() {
    for status in [300, 301, 302, 303, 307, 308] {
        let answer = Reply::redirect(status, "/b").header("Refresh", "0; url=/c");
        let bench = Bench::with(page().at("/a", answer));
        let exchange = bench.get("https://www.example.test/a").await;
        check_whole(&exchange, status, b"");
        assert_eq!(exchange.outcome.unwrap().headers.first("location"), Some(&b"/b"[..]));
        assert_eq!(bench.lab.requests().len(), 1);
    }
}

/// Both values are there, for whoever judges the hop to stop at them; and bytes that are no UTF-8 stay as they came.
#[tokio::test]
async fn r30_location_headers_are_handed_over_as_they_came() {
    let answer = Reply::redirect(302, "/b").header("Location", b"/\xe9t\xe9".to_vec());
    let bench = Bench::with(page().at("/a", answer));
    let response = bench.get("https://www.example.test/a").await.outcome.unwrap();
    let locations: Vec<_> = response.headers.all("location").collect();
    assert_eq!(locations, [&b"/b"[..], &b"/\xe9t\xe9"[..]]);
}

#[tokio::test]
async fn r15_a_kept_connection_has_the_same_chain_for_every_response() {
    let bench = Bench::with(page());
    let mut connection = bench.connect("https://www.example.test/").await.unwrap();
    let first = bench.send(&mut connection, "https://www.example.test/a?b=c").await.outcome.unwrap();
    assert!(connection.is_open());
    let second = bench.send(&mut connection, "https://www.example.test/a?b=c").await.outcome.unwrap();
    assert!(Arc::ptr_eq(&first.tls, &second.tls));
    assert_eq!(bench.lab.connections(), 1);
}
