//! Which addresses are dialled (R31): those that were checked, and none where one of them may not be.

use std::future::{pending, ready};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::process::Command;
use std::sync::{Arc, Mutex};

use releve_fetch::{Dial, Fetch as _, FetchError, HttpsFetch, Network, Resolve, SystemDialler};
use releve_lab::{Host, Reply};
use tokio::net::TcpStream;

use crate::support::{Bench, Ticking, admitted, short};

type Later<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// Answers each look-up with the next of these answers, and the last of them from then on.
struct Answers {
    answers: Vec<Vec<IpAddr>>,
    asked: Mutex<Vec<String>>,
}

impl Answers {
    fn of(answers: &[&[&str]]) -> Arc<Self> {
        let answers =
            answers.iter().map(|answer| answer.iter().map(|ip| ip.parse().unwrap()).collect()).collect();
        Arc::new(Self { answers, asked: Mutex::default() })
    }
}

impl Resolve for Answers {
    fn resolve<'a>(&'a self, host: &'a str) -> Later<'a, Vec<IpAddr>> {
        let mut asked = self.asked.lock().unwrap();
        let answer = self.answers.get(asked.len()).or(self.answers.last()).cloned();
        asked.push(host.to_owned());
        Box::pin(ready(answer.ok_or_else(|| io::Error::other("no such name"))))
    }
}

/// Writes down what it is told to dial and reaches nothing, or something else.
#[derive(Default)]
struct Diary {
    dialled: Mutex<Vec<SocketAddr>>,
    leads_to: Option<SocketAddr>,
    silent: Option<IpAddr>,
}

impl Dial for Diary {
    fn dial(&self, address: SocketAddr) -> Later<'_, TcpStream> {
        self.dialled.lock().unwrap().push(address);
        if self.silent == Some(address.ip()) {
            return Box::pin(pending());
        }
        match self.leads_to {
            Some(elsewhere) => Box::pin(TcpStream::connect(elsewhere)),
            None => Box::pin(ready(Err(io::Error::from(io::ErrorKind::ConnectionRefused)))),
        }
    }
}

fn fetch(resolver: Arc<Answers>, dialler: Arc<Diary>) -> HttpsFetch {
    HttpsFetch::new(
        Network::internet_through(resolver, dialler),
        Arc::new(Ticking::from("2026-03-01T12:00:00Z")),
    )
}

async fn connect(fetch: &HttpsFetch) -> FetchError {
    fetch.connect(&admitted("https://www.example.org/"), &short()).await.err().unwrap()
}

#[tokio::test]
async fn r31_an_answer_with_one_private_address_is_not_dialled_at_all() {
    let rows: [&[&str]; 16] = [
        &["127.0.0.1"],
        &["10.1.2.3"],
        &["169.254.169.254"],
        &["0.0.0.0"],
        &["::1"],
        &["fe80::1"],
        &["fc00::1"],
        &["::ffff:127.0.0.1"],
        &["::ffff:93.184.216.34"],
        &["64:ff9b::7f00:1"],
        &["64:ff9b::a9fe:a9fe"],
        &["2002:7f00:1::"],
        &["93.184.216.34", "127.0.0.1"],
        &["192.168.0.1", "93.184.216.34"],
        &["2606:2800:220:1::1", "fe80::1"],
        &["93.184.216.34", "2606:2800:220:1::1", "::ffff:10.0.0.1"],
    ];
    for answer in rows {
        let dialler = Arc::new(Diary::default());
        let error = connect(&fetch(Answers::of(&[answer]), Arc::clone(&dialler))).await;
        assert_eq!(error.code(), "not-public-address", "{answer:?}");
        assert!(dialler.dialled.lock().unwrap().is_empty(), "{answer:?}");
    }
}

/// Dials with the system's own dialler; the one connection that is made afterwards shows that the log sees connections.
#[tokio::test]
#[ignore = "a part for a child"]
async fn dial_what_is_not_public() {
    let answers: [&[&str]; 4] =
        [&["127.0.0.1"], &["::1"], &["93.184.216.34", "10.1.2.3"], &["::ffff:127.0.0.1", "169.254.169.254"]];
    for answer in answers {
        let fetch = HttpsFetch::new(
            Network::internet_through(Answers::of(&[answer]), Arc::new(SystemDialler)),
            Arc::new(Ticking::from("2026-03-01T12:00:00Z")),
        );
        assert_eq!(connect(&fetch).await.code(), "not-public-address", "{answer:?}");
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
}

#[test]
#[allow(clippy::disallowed_methods)] // A test asks whether it runs in CI.
fn r31_no_socket_is_connected_before_the_addresses_are_checked() {
    if !Command::new("strace").arg("--version").output().is_ok_and(|strace| strace.status.success()) {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "strace is not installed");
        println!("skipped: strace is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("strace");
    let status = Command::new("strace")
        .args(["-f", "-e", "trace=connect", "-o"])
        .arg(&log)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "address::dial_what_is_not_public", "--ignored"])
        .status()
        .unwrap();
    assert!(status.success());
    let calls = std::fs::read_to_string(&log).unwrap();
    let connected: Vec<&str> = calls.lines().filter(|call| call.contains("sa_family=AF_INET")).collect();
    assert_eq!(connected.len(), 1, "{calls}");
}

#[tokio::test]
async fn r31_exactly_the_checked_addresses_are_dialled_in_their_order() {
    let (resolver, dialler) =
        (Answers::of(&[&["2606:2800:220:1::1", "93.184.216.34"]]), Arc::new(Diary::default()));
    let error = connect(&fetch(Arc::clone(&resolver), Arc::clone(&dialler))).await;
    assert_eq!(error.code(), "not-connected");
    let expected: [SocketAddr; 2] =
        ["[2606:2800:220:1::1]:443".parse().unwrap(), "93.184.216.34:443".parse().unwrap()];
    assert_eq!(*dialler.dialled.lock().unwrap(), expected);
    assert_eq!(*resolver.asked.lock().unwrap(), ["www.example.org"]);
}

/// One silent address of two leaves time for the other; where all are silent it is the deadline that ends it.
#[tokio::test(start_paused = true)]
async fn r32_a_silent_address_does_not_use_up_the_time_of_the_others() {
    let silent = "93.184.216.34".parse().ok();
    let both = Arc::new(Diary { silent, ..Diary::default() });
    let began = tokio::time::Instant::now();
    let error = connect(&fetch(Answers::of(&[&["93.184.216.34", "93.184.216.35"]]), Arc::clone(&both))).await;
    assert_eq!(error.code(), "not-connected");
    assert_eq!(both.dialled.lock().unwrap().len(), 2);
    assert_eq!(began.elapsed().as_secs(), short().connect().as_secs() / 2);
    let one = Arc::new(Diary { silent, ..Diary::default() });
    let error = connect(&fetch(Answers::of(&[&["93.184.216.34"]]), one)).await;
    assert_eq!(error.code(), "connect-deadline");
}

/// A name that answers with a public address to the check and with a private one to whoever asks again: it is asked
/// once, and what it said then is dialled. The next connection asks again, and is refused.
#[tokio::test]
async fn r32_of_a_name_with_a_thousand_addresses_a_few_are_dialled() {
    let many: Vec<String> = (0..1_000).map(|at| format!("93.184.{}.{}", at / 250, at % 250)).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let dialler = Arc::new(Diary::default());
    let error = connect(&fetch(Answers::of(&[&many]), Arc::clone(&dialler))).await;
    assert_eq!(error.code(), "not-connected");
    assert_eq!(dialler.dialled.lock().unwrap().len(), 8);
}

#[tokio::test]
async fn r31_a_name_that_is_rebound_between_check_and_dial_gains_nothing() {
    let (resolver, dialler) =
        (Answers::of(&[&["93.184.216.34"], &["127.0.0.1"], &["93.184.216.34"]]), Arc::new(Diary::default()));
    let fetch = fetch(Arc::clone(&resolver), Arc::clone(&dialler));
    let codes = [connect(&fetch).await.code(), connect(&fetch).await.code(), connect(&fetch).await.code()];
    assert_eq!(codes, ["not-connected", "not-public-address", "not-connected"]);
    let public: SocketAddr = "93.184.216.34:443".parse().unwrap();
    assert_eq!(*dialler.dialled.lock().unwrap(), [public, public]);
    assert_eq!(resolver.asked.lock().unwrap().len(), 3);
}

/// A stream that leads elsewhere than where it was dialled to is dropped before a byte is written to it.
#[tokio::test]
async fn r31_a_stream_with_another_peer_is_dropped() {
    let bench = Bench::with(Host::new("www.example.test").at("/", Reply::ok("text/html", "x")));
    let leads_to = Some(bench.lab.addresses()["www.example.test"]);
    let dialler = Arc::new(Diary { leads_to, ..Diary::default() });
    let error = connect(&fetch(Answers::of(&[&["93.184.216.34"]]), dialler)).await;
    assert_eq!(error.code(), "other-peer");
    assert!(bench.lab.requests().is_empty());
}

#[tokio::test]
async fn r31_a_name_without_an_address_is_an_error_of_its_own() {
    let dialler = Arc::new(Diary::default());
    assert_eq!(connect(&fetch(Answers::of(&[&[]]), Arc::clone(&dialler))).await.code(), "no-address");
    assert_eq!(connect(&fetch(Answers::of(&[]), Arc::clone(&dialler))).await.code(), "name-not-resolved");
    assert!(dialler.dialled.lock().unwrap().is_empty());
}

/// A lab is no way around: nothing but its own names is reached, and not even they on another port.
#[tokio::test]
async fn r31_a_lab_reaches_what_its_file_lists_and_nothing_else() {
    let bench = Bench::with(Host::new("www.example.test"));
    for address in
        ["https://www.example.org/", "https://other.example.test/", "https://www.example.test:8443/"]
    {
        let error = bench.connect(address).await.err().unwrap();
        assert_eq!(error.code(), "not-in-lab", "{address}");
    }
    assert!(bench.connect("https://www.example.test/").await.is_ok());
    assert_eq!(bench.lab.connections(), 1);
}

/// The test that looks at the bytes of a request, run again where the environment names proxies: it still passes, so
/// that no proxy was asked.
#[test]
fn r31_no_proxy_of_the_environment_is_used() {
    let nowhere = "http://127.0.0.1:9";
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "request::r26_the_bytes_of_a_request_are_exactly_those_promised"]);
    for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"] {
        command.env(variable, nowhere);
    }
    let output = command.output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}
