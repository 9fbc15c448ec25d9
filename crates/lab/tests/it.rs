//! The lab as a client sees it: what was scripted is what comes, and what came is what is recorded.

#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use releve_lab::{Answer, Certificate, Host, Lab, LabError, Reply};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

type Client = StreamOwned<ClientConnection, TcpStream>;

/// A plain, blocking client: the lab must serve one that is no part of this project.
fn client(lab: &Lab, name: &str) -> Client {
    let mut roots = RootCertStore::empty();
    roots.add(lab.ca_der().to_vec().into()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let session = ClientConnection::new(Arc::new(config), name.to_owned().try_into().unwrap()).unwrap();
    let stream = TcpStream::connect(lab.addresses()[name]).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    StreamOwned::new(session, stream)
}

fn ask(client: &mut Client, target: &str) {
    write!(client, "GET {target} HTTP/1.1\r\nhOST: www.example.test\r\nX-Odd:  value \r\n\r\n").unwrap();
}

fn read(client: &mut Client, length: usize) -> String {
    let mut bytes = vec![0; length];
    client.read_exact(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_request_is_recorded_as_it_came() {
    let lab = Lab::start().unwrap();
    lab.add(Host::new("www.example.test").at("/a?b", Answer::raw("!"))).unwrap();
    let mut client = client(&lab, "www.example.test");
    ask(&mut client, "/a?b");
    assert_eq!(read(&mut client, 1), "!");
    let asked = &lab.requests()[0];
    assert_eq!(asked.head, b"GET /a?b HTTP/1.1\r\nhOST: www.example.test\r\nX-Odd:  value \r\n\r\n");
    assert_eq!((asked.method(), asked.target()), ("GET", "/a?b"));
    assert_eq!(asked.headers(), [("hOST", "www.example.test"), ("X-Odd", "value")]);
    assert_eq!(asked.header("x-odd"), Some("value"));
    assert_eq!(asked.server_name.as_deref(), Some("www.example.test"));
    assert_eq!((asked.host.as_str(), asked.connection, asked.resumed), ("www.example.test", 1, false));
    assert_eq!(lab.connections(), 1);
}

#[test]
fn an_answer_is_sent_step_by_step() {
    let lab = Lab::start().unwrap();
    let host = Host::new("www.example.test")
        .at(
            "/steps",
            Answer::raw("a").then("bc").repeat("de", 3).wait(Duration::from_millis(1)).then("f").close(),
        )
        .at("/many", Answer::default().repeat("xyz", 100_000).close())
        .at("/drip", Answer::default().drip("x", 3, Duration::from_millis(1)).close());
    lab.add(host).unwrap();
    for (target, expected) in
        [("/steps", "abcdededef".to_owned()), ("/many", "xyz".repeat(100_000)), ("/drip", "xxx".to_owned())]
    {
        let mut client = client(&lab, "www.example.test");
        ask(&mut client, target);
        let mut came = String::new();
        client.read_to_string(&mut came).unwrap();
        assert_eq!(came, expected, "{target}");
    }
}

#[test]
fn an_end_is_orderly_or_not_as_it_was_told() {
    let lab = Lab::start().unwrap();
    lab.add(
        Host::new("www.example.test")
            .at("/close", Answer::raw("x").close())
            .at("/cut", Answer::raw("x").cut()),
    )
    .unwrap();
    for (target, orderly) in [("/close", true), ("/cut", false)] {
        let mut client = client(&lab, "www.example.test");
        ask(&mut client, target);
        let mut came = Vec::new();
        assert_eq!(client.read_to_end(&mut came).is_ok(), orderly, "{target}");
        assert_eq!(came, b"x");
    }
}

#[test]
fn a_script_goes_on_with_its_last_answer_until_it_is_replaced() {
    let lab = Lab::start().unwrap();
    let host = Host::new("www.example.test")
        .script("/a", [Answer::raw("1"), Answer::raw("2")])
        .otherwise(|asked| Answer::raw(format!("{}?", asked.target().len())));
    lab.add(host).unwrap();
    let mut client = client(&lab, "www.example.test");
    let mut next = |target: &str, length| {
        ask(&mut client, target);
        read(&mut client, length)
    };
    assert_eq!([next("/a", 1), next("/a", 1), next("/a", 1)], ["1", "2", "2"]);
    assert_eq!(next("/four", 2), "5?");
    lab.put("www.example.test", "/a", Answer::raw("3")).unwrap();
    assert_eq!(next("/a", 1), "3");
    assert_eq!(lab.connections(), 1);
}

#[test]
fn a_reply_is_framed_as_it_says() {
    let check =
        |reply: Reply, expected: &str| assert_eq!(String::from_utf8(reply.to_bytes()).unwrap(), expected);
    check(
        Reply::ok("text/plain", "hello").header("X-A", "b"),
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello",
    );
    check(Reply::status(404), "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    check(
        Reply::redirect(301, "/b"),
        "HTTP/1.1 301 Moved Permanently\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
    );
    check(
        Reply::status(200).coded("br", "xx").chunked(),
        "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxx\r\n0\r\n\r\n",
    );
    check(Reply::status(200).body("xx").unannounced(), "HTTP/1.1 200 OK\r\n\r\nxx");
}

#[test]
fn only_test_names_are_served_and_each_once() {
    let lab = Lab::start().unwrap();
    for name in ["www.example.org", "test", ".test", "WWW.example.test", "a b.test", "www.example.test.", ""]
    {
        assert!(matches!(lab.add(Host::new(name)), Err(LabError::NotATestName { .. })), "{name:?}");
    }
    lab.add(Host::new("www.example.test")).unwrap();
    assert!(matches!(lab.add(Host::new("www.example.test")), Err(LabError::Twice { .. })));
    assert!(matches!(lab.put("ww.example.test", "/", Reply::status(200)), Err(LabError::UnknownHost { .. })));
}

#[test]
fn each_host_has_a_place_of_its_own_on_loopback() {
    let lab = Lab::start().unwrap();
    let places: std::collections::BTreeSet<_> =
        (0..300).map(|number| lab.add(Host::new(&format!("h{number}.test"))).unwrap()).collect();
    assert_eq!(places.len(), 300);
    assert!(places.iter().all(|place| place.ip().is_loopback()));
}

#[test]
fn a_lab_file_names_root_clock_and_hosts() {
    let lab = Lab::start().unwrap();
    let address = lab.add(Host::new("www.example.test")).unwrap();
    assert_eq!(
        lab.lab_file("a \"b\"\\c.pem", Some("+16m")),
        format!(
            "root = \"a \\\"b\\\"\\\\c.pem\"\nclock = \"+16m\"\n\n[hosts]\n\"www.example.test\" = \"{address}\"\n"
        )
    );
    let folder = tempfile::tempdir().unwrap();
    let path = lab.write_files(folder.path(), None).unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), lab.lab_file("ca.pem", None));
    assert_eq!(std::fs::read_to_string(folder.path().join("ca.pem")).unwrap(), lab.ca_pem());
    assert!(matches!(lab.write_files(&folder.path().join("none"), None), Err(LabError::Write { .. })));
}

/// A lab can be started and dropped inside a runtime, which forbids what would block.
#[test]
fn a_lab_lives_inside_a_runtime_too() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let lab = Lab::start().unwrap();
        lab.add(Host::new("www.example.test").certificate(Certificate::Expired)).unwrap();
    });
}
