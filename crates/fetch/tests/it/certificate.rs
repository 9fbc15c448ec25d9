//! What is asked of a certificate, and what is kept of the handshake (R15, R28).

use std::sync::Arc;

use releve_fetch::{Fetch as _, HttpsFetch, Network};
use releve_lab::{Answer, Certificate, Host, Lab, Reply};
use releve_proof::Protocol;

use crate::support::{Bench, Ticking, admitted, short};

const ADDRESS: &str = "https://www.example.test/a";

fn host() -> Host {
    Host::new("www.example.test").at("/a", Reply::ok("text/html", "x"))
}

#[tokio::test]
async fn r15_a_certificate_that_is_not_good_carries_no_request() {
    for (certificate, code) in [
        (Certificate::Expired, "certificate-expired"),
        (Certificate::NotYetValid, "certificate-not-yet-valid"),
        (Certificate::WrongName, "certificate-name"),
        (Certificate::SelfSigned, "certificate-authority"),
        (Certificate::UnknownAuthority, "certificate-authority"),
        (Certificate::WithoutIntermediate, "certificate-authority"),
    ] {
        for host in [host().tls12(), host().tls13()] {
            let bench = Bench::with(host.certificate(certificate));
            let error = bench.connect(ADDRESS).await.err().unwrap();
            assert_eq!(error.code(), code, "{certificate:?}");
            assert!(bench.lab.requests().is_empty());
        }
    }
}

/// A certificate is judged by the clock that the instants of a read are taken from.
#[tokio::test]
async fn r15_a_certificate_is_judged_at_the_instant_of_the_read() {
    for (start, code) in [
        ("2019-12-31T00:00:00Z", Some("certificate-not-yet-valid")),
        ("2020-01-02T00:00:00Z", None),
        ("2097-12-31T00:00:00Z", None),
        ("2098-01-02T00:00:00Z", Some("certificate-expired")),
    ] {
        let mut bench = Bench::with(host());
        bench.set_clock(Arc::new(Ticking::from(start)));
        assert_eq!(bench.connect(ADDRESS).await.err().map(|error| error.code()), code, "{start}");
    }
}

/// A root of one lab is recognised in that lab alone.
#[tokio::test]
async fn r15_the_root_of_another_lab_is_not_recognised() {
    let (ours, theirs) = (Lab::start().unwrap(), Lab::start().unwrap());
    theirs.add(host()).unwrap();
    let file = theirs.lab_file("ca.pem", None).parse().unwrap();
    let network = Network::lab(&file, ours.ca_pem().as_bytes()).unwrap();
    let fetch = HttpsFetch::new(network, Arc::new(Ticking::from("2026-03-01T12:00:00Z")));
    let error = fetch.connect(&admitted(ADDRESS), &short()).await.err().unwrap();
    assert_eq!(error.code(), "certificate-authority");
}

#[tokio::test]
async fn r15_the_chain_is_kept_as_the_server_presented_it() {
    for (certificate, length) in
        [(Certificate::Direct, 1), (Certificate::Valid, 2), (Certificate::WithRoot, 3)]
    {
        for (host, protocol) in [(host().tls12(), Protocol::Tls12), (host().tls13(), Protocol::Tls13)] {
            let bench = Bench::with(host.certificate(certificate).staple(b"a stapled response".to_vec()));
            let response = bench.get(ADDRESS).await.outcome.unwrap();
            let tls = &response.tls;
            assert_eq!(tls.protocol, protocol);
            assert_eq!(tls.cipher_suite.protocol(), protocol);
            assert_eq!(tls.server_name, "www.example.test");
            assert_eq!(tls.presented.len(), length, "{certificate:?} {protocol}");
            if certificate == Certificate::WithRoot {
                assert_eq!(tls.presented[2], bench.lab.ca_der());
            }
            assert_eq!(tls.ocsp.as_deref(), Some(&b"a stapled response"[..]));
            assert!(tls.evidence.is_some());
        }
    }
}

#[tokio::test]
async fn r15_the_name_asked_for_is_the_name_of_the_host() {
    let bench = Bench::with(host());
    bench.get(ADDRESS).await.outcome.unwrap();
    assert_eq!(bench.lab.requests()[0].server_name.as_deref(), Some("www.example.test"));
}

/// A resumed session presents no certificate. The server would resume, and is never asked to.
#[tokio::test]
async fn r15_no_session_is_resumed() {
    for host in [host().tls12(), host().tls13()] {
        let bench = Bench::with(host);
        let mut seen = Vec::new();
        for _ in 0..3 {
            let response = bench.get(ADDRESS).await.outcome.unwrap();
            assert_eq!(response.tls.presented.len(), 2);
            seen.push(response.tls);
        }
        assert!(bench.lab.requests().iter().all(|asked| !asked.resumed));
        // Each connection has a handshake of its own, with evidence of its own.
        assert_ne!(seen[0].evidence, seen[1].evidence);
        assert_ne!(seen[1].evidence, seen[2].evidence);
    }
}

#[tokio::test]
async fn r28_a_server_without_tls_gets_no_request() {
    for (name, answer) in [
        ("plain HTTP", Answer::from(Reply::ok("text/html", "x"))),
        ("closed", Answer::default().close()),
        ("greeting", Answer::raw("220 mail.example.test ESMTP\r\n").hang()),
    ] {
        let bench = Bench::with(host().instead_of_tls(answer));
        let error = bench.connect(ADDRESS).await.err().unwrap();
        assert_eq!(error.code(), "tls-failed", "{name}");
        assert!(bench.lab.requests().is_empty());
    }
}
