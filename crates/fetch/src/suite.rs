//! The tests that every adapter must pass, this crate's and others'.
//!
//! An adapter's test target says how answers are put where the adapter finds them, and gets one test a rule:
//!
//! ```
//! use std::sync::Arc;
//! use releve_fetch::suite::Publisher;
//! use releve_fetch::{Clock, MemoryAnswer, MemoryFetch};
//! # use jiff::Timestamp;
//! # struct Stopped;
//! # impl Clock for Stopped { fn now(&self) -> Timestamp { Timestamp::UNIX_EPOCH } }
//!
//! struct Memory(MemoryFetch);
//!
//! impl Publisher for Memory {
//!     type Fetch = MemoryFetch;
//!
//!     fn start() -> Self {
//!         Self(MemoryFetch::new(Arc::new(Stopped)))
//!     }
//!     fn fetch(&self) -> &MemoryFetch {
//!         &self.0
//!     }
//!     fn put(&self, url: &str, status: u16, headers: &[(&str, &str)], body: &[u8]) {
//!         let answer = MemoryAnswer::new(status, "text/html", body.to_vec());
//!         self.0.put(url, headers.iter().fold(answer, |answer, (name, value)| answer.header(name, value)));
//!     }
//!     fn requests(&self) -> usize {
//!         self.0.asked().len()
//!     }
//! }
//!
//! releve_fetch::fetch_suite!(Memory);
//! ```

#![allow(clippy::unwrap_used, clippy::missing_panics_doc)] // A test fails by a panic.

use std::future::Future;
use std::sync::Arc;

use releve_bounds::Bounds;
use releve_redirect_policy::{AdmittedHost, AdmittedHosts};
use releve_url_canon::HttpsUrl;

use crate::{AccessHeader, Connection, Exchange, Fetch, FetchError, Request, every_body};

/// The host that the suite asks.
pub const HOST: &str = "www.example.test";

const SECRET: &str = "a-secret-of-the-suite";

/// A publisher that the adapter under test reaches.
pub trait Publisher {
    /// The adapter.
    type Fetch: Fetch;

    /// A publisher at [`HOST`] that has nothing yet.
    fn start() -> Self;

    /// A fetch that reaches it.
    fn fetch(&self) -> &Self::Fetch;

    /// Answers an address with a response that is whole and leaves the connection open. The media type is `text/html`.
    fn put(&self, url: &str, status: u16, headers: &[(&str, &str)], body: &[u8]);

    /// How many requests reached it.
    fn requests(&self) -> usize;
}

/// Makes a test of each check of the [suite](crate::suite), named after it. The argument is a type that is a
/// [`Publisher`](crate::suite::Publisher); see the module for an example.
#[macro_export]
macro_rules! fetch_suite {
    ($publisher:ty) => {
        $crate::fetch_suite! { $publisher;
            r04_a_credential_for_elsewhere_is_not_sent
            r04_an_echo_of_the_credential_is_refused
            r11_an_unknown_coding_leaves_the_status
            r15_responses_over_one_connection_share_its_chain
            r21_a_request_that_was_sent_has_an_instant
            r21_a_request_that_was_refused_has_none
            r27_cookies_are_dropped
            r30_a_redirect_is_not_followed
            r32_a_body_over_its_bounds_is_an_error
            r32_a_body_that_is_not_wanted_is_not_read
            r37_a_response_is_handed_over_whatever_its_status
        }
    };
    ($publisher:ty; $($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let publisher = <$publisher as $crate::suite::Publisher>::start();
                $crate::suite::run($crate::suite::$name(&publisher));
            }
        )*
    };
}

/// Runs one check to its end.
pub fn run(check: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(check);
}

async fn connect<P: Publisher>(publisher: &P) -> <P::Fetch as Fetch>::Connection {
    publisher.fetch().connect(&host(), &Bounds::default()).await.unwrap()
}

fn host() -> AdmittedHost {
    AdmittedHosts::parse([HOST]).unwrap().admit(&url("/")).unwrap()
}

fn url(target: &str) -> HttpsUrl {
    format!("https://{HOST}{target}").parse().unwrap()
}

async fn send(
    connection: &mut impl Connection,
    url: &HttpsUrl,
    access: Option<&AccessHeader>,
    bounds: &Bounds,
) -> Exchange {
    let user_agent = "Suite/1 (+https://example.org; contact@example.org)".parse().unwrap();
    let request =
        Request { url, user_agent: &user_agent, accept: "text/html", access, bounds, wanted: &every_body };
    connection.send(request).await
}

async fn get(connection: &mut impl Connection, target: &str) -> Exchange {
    send(connection, &url(target), None, &Bounds::default()).await
}

/// Not even the connection learns of it.
pub async fn r04_a_credential_for_elsewhere_is_not_sent<P: Publisher>(publisher: &P) {
    let mut connection = connect(publisher).await;
    for (host, port) in [("cms.example.test", 443), (HOST, 8443)] {
        let access = AccessHeader::new("Authorization", "Bearer ", SECRET, host, port).unwrap();
        let exchange = send(&mut connection, &url("/a"), Some(&access), &Bounds::default()).await;
        assert!(matches!(exchange.outcome, Err(FetchError::AccessElsewhere { .. })));
        assert_eq!(exchange.sent_at, None);
    }
    assert_eq!(publisher.requests(), 0);
    assert!(connection.is_open());
}

/// Neither body nor header may hold it.
pub async fn r04_an_echo_of_the_credential_is_refused<P: Publisher>(publisher: &P) {
    publisher.put(url("/body").as_str(), 200, &[], format!("you sent {SECRET}").as_bytes());
    publisher.put(url("/header").as_str(), 404, &[("X-Sent", SECRET)], b"");
    let access = AccessHeader::new("Authorization", "Bearer ", SECRET, HOST, 443).unwrap();
    for target in ["/body", "/header"] {
        let mut connection = connect(publisher).await;
        let exchange = send(&mut connection, &url(target), Some(&access), &Bounds::default()).await;
        assert!(matches!(exchange.outcome, Err(FetchError::SecretEchoed)), "{target}");
        assert!(!connection.is_open());
    }
}

/// The status is certain though the body is not.
pub async fn r11_an_unknown_coding_leaves_the_status<P: Publisher>(publisher: &P) {
    publisher.put(url("/a").as_str(), 404, &[("Content-Encoding", "rot13")], b"uryyb");
    let response = get(&mut connect(publisher).await, "/a").await.outcome.unwrap();
    assert_eq!(response.status, 404);
    assert!(matches!(response.body, Err(FetchError::CodingUnknown)));
}

/// The same value, not an equal one: there is one handshake.
pub async fn r15_responses_over_one_connection_share_its_chain<P: Publisher>(publisher: &P) {
    publisher.put(url("/a").as_str(), 200, &[], b"<p>a</p>");
    let mut connection = connect(publisher).await;
    let first = get(&mut connection, "/a").await.outcome.unwrap();
    assert!(connection.is_open());
    let second = get(&mut connection, "/a").await.outcome.unwrap();
    assert!(Arc::ptr_eq(&first.tls, &second.tls));
    assert_eq!(first.tls.server_name, HOST);
    assert!(!first.tls.presented.is_empty());
}

/// Whether the response is good or bad.
pub async fn r21_a_request_that_was_sent_has_an_instant<P: Publisher>(publisher: &P) {
    publisher.put(url("/a").as_str(), 200, &[], b"<p>a</p>");
    publisher.put(url("/b").as_str(), 200, &[("Content-Encoding", "rot13")], b"x");
    for target in ["/a", "/b"] {
        let mut connection = connect(publisher).await;
        assert_eq!(connection.last_sent_at(), None);
        let exchange = get(&mut connection, target).await;
        assert!(exchange.sent_at.is_some());
        assert_eq!(connection.last_sent_at(), exchange.sent_at);
        assert!(exchange.sent_at <= Some(exchange.outcome.unwrap().read_at));
    }
}

/// A request for another host than the connection's is the caller's mistake, and reaches nobody.
pub async fn r21_a_request_that_was_refused_has_none<P: Publisher>(publisher: &P) {
    let mut connection = connect(publisher).await;
    let elsewhere = "https://other.example.test/a".parse().unwrap();
    let exchange = send(&mut connection, &elsewhere, None, &Bounds::default()).await;
    assert!(matches!(exchange.outcome, Err(FetchError::OtherHost { .. })));
    assert_eq!(exchange.sent_at, None);
    assert_eq!(connection.last_sent_at(), None);
    assert_eq!(publisher.requests(), 0);
}

/// Before anyone could keep them.
pub async fn r27_cookies_are_dropped<P: Publisher>(publisher: &P) {
    publisher.put(url("/a").as_str(), 200, &[("Set-Cookie", "a=b"), ("X-Kept", "c")], b"x");
    let response = get(&mut connect(publisher).await, "/a").await.outcome.unwrap();
    assert_eq!(response.headers.first("set-cookie"), None);
    assert_eq!(response.headers.first("x-kept"), Some(&b"c"[..]));
}

/// The caller judges the hop.
pub async fn r30_a_redirect_is_not_followed<P: Publisher>(publisher: &P) {
    publisher.put(url("/a").as_str(), 302, &[("Location", "/b")], b"");
    publisher.put(url("/b").as_str(), 200, &[], b"x");
    let response = get(&mut connect(publisher).await, "/a").await.outcome.unwrap();
    assert_eq!(response.status, 302);
    assert_eq!(response.headers.first("location"), Some(&b"/b"[..]));
    assert_eq!(publisher.requests(), 1);
}

/// One byte over either bound.
pub async fn r32_a_body_over_its_bounds_is_an_error<P: Publisher>(publisher: &P) {
    publisher.put(url("/a").as_str(), 200, &[], &[b'x'; 101]);
    let default = Bounds::default();
    for (bounds, code) in [
        (default.with_received_bytes(100).unwrap(), "received-too-large"),
        (default.with_decoded_bytes(100).unwrap(), "decoded-too-large"),
        (default.with_received_bytes(101).unwrap().with_decoded_bytes(101).unwrap(), ""),
    ] {
        let exchange = send(&mut connect(publisher).await, &url("/a"), None, &bounds).await;
        let body = exchange.outcome.unwrap().body;
        assert_eq!(body.err().map_or("", |error| error.code()), code);
    }
}

/// The caller is asked once the head is there. A short body is read all the same, and the connection serves again.
pub async fn r32_a_body_that_is_not_wanted_is_not_read<P: Publisher>(publisher: &P) {
    publisher.put(url("/short").as_str(), 404, &[], b"<p>gone</p>");
    publisher.put(url("/long").as_str(), 404, &[], "x".repeat(100_000).as_bytes());
    let bounds = Bounds::default();
    let user_agent = "Suite/1 (+https://example.org; contact@example.org)".parse().unwrap();
    let mut connection = connect(publisher).await;
    for (target, code, open) in [("/short", "", true), ("/long", "body-unwanted", false)] {
        let request = Request {
            url: &url(target),
            user_agent: &user_agent,
            accept: "text/html",
            access: None,
            bounds: &bounds,
            wanted: &|status, _| status == 200,
        };
        let response = connection.send(request).await.outcome.unwrap();
        assert_eq!(response.status, 404);
        assert_eq!(response.body.err().map_or("", |error| error.code()), code);
        assert_eq!(connection.is_open(), open, "{target}");
    }
}

/// What may be deposited is for the caller to judge.
pub async fn r37_a_response_is_handed_over_whatever_its_status<P: Publisher>(publisher: &P) {
    for status in [200, 203, 206, 301, 403, 404, 410, 429, 500, 503] {
        let url = url(&format!("/{status}"));
        publisher.put(url.as_str(), status, &[("Retry-After", "7")], b"<p>why</p>");
        let response =
            send(&mut connect(publisher).await, &url, None, &Bounds::default()).await.outcome.unwrap();
        assert_eq!(response.status, status);
        assert_eq!(response.headers.first("retry-after"), Some(&b"7"[..]));
        assert_eq!(response.body.unwrap().decoded, &b"<p>why</p>"[..]);
    }
}
