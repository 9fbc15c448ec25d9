//! The adapter over hyper and rustls, against a scripted publisher on loopback.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod support;

use releve_lab::{Host, Reply};
use support::{Bench, check_whole};

#[tokio::test]
async fn r26_the_bytes_of_a_request_are_exactly_those_promised() {
    let bench = Bench::with(Host::new("www.example.test").at("/a?b=c", Reply::ok("text/html", "<p>ok</p>")));
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
