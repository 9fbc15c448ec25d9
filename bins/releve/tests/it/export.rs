//! `releve export`: what the field's own tools make of it.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Ran, Sandbox, article, example, feed};

const A: &str = "https://www.example.test/a";
const B: &str = "https://www.example.test/News/B/?id=7";

fn with_two_sealed() -> Sandbox {
    let host = example()
        .at("/feed.xml", feed([("a", A), ("b", B)]))
        .at("/a", article("a"))
        .at("/News/B/?id=7", article("b"));
    let sandbox = Sandbox::of_pages(host);
    assert_eq!(sandbox.pass()["sealed"], 2);
    sandbox
}

/// Whether the tools are there that are asked for their opinion. Continuous integration has them.
fn has(tools: &[&str]) -> bool {
    for tool in tools {
        let runs = Command::new(tool).arg("--help").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !runs.is_ok_and(|status| status.success()) {
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{tool} is not installed");
            println!("skipped: {tool} is not installed");
            return false;
        }
    }
    true
}

/// Takes a file apart with an unpacker that is not ours.
fn unpack(wacz: &Path) -> TempDir {
    let folder = TempDir::new().unwrap();
    let script = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
    let ran =
        Ran::of(&Command::new("python3").args(["-c", script]).arg(wacz).arg(folder.path()).output().unwrap());
    ran.expect(0);
    folder
}

fn pages(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("pages/pages.jsonl")).unwrap();
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_is_exported_is_what_is_sealed() {
    let sandbox = with_two_sealed();
    let ran = sandbox.run(&["export", "--wacz", "all.wacz", "--json"]).expect(0).json();
    assert_eq!(ran["units"], 2);
    assert_eq!(ran["bytes"], fs::metadata(sandbox.path("all.wacz")).unwrap().len());
    let folder = unpack(&sandbox.path("all.wacz"));

    // Byte for byte: the units lie in the segment in the same order, with their seals between.
    let sealed = fs::read(sandbox.path("vault/segments/000001.warc.gz")).unwrap();
    let exported = fs::read(folder.path().join("archive/data.warc.gz")).unwrap();
    let shown = sandbox.run(&["show", "a", "--json"]).expect(0).json();
    let pages = pages(folder.path());
    assert_eq!(pages.len(), 2);
    for (page, (identifier, address)) in pages.iter().zip([("a", A), ("b", B)]) {
        assert_eq!((&page["identifier"], &page["url"]), (&json!(identifier), &json!(address)));
        assert_eq!(page["title"], format!("On {identifier}"));
    }
    assert_eq!(pages[0]["receipt"], shown[0]["receipt"]);
    let head = b"WARC/1.1\r\nWARC-Type: resource";
    let mut whole = Vec::new();
    flate2::read::MultiGzDecoder::new(exported.as_slice()).read_to_end(&mut whole).unwrap();
    assert_eq!(whole.windows(head.len()).filter(|window| window == head).count(), 2);
    // Behind the warcinfo record, the first unit: as in the segment behind the sealed set of roots.
    let tail = &exported[exported.len() - 2_000..];
    assert!(sealed.windows(tail.len()).any(|window| window == tail));
}

#[test]
fn only_what_is_asked_for_is_exported_and_nothing_withdrawn() {
    let sandbox = with_two_sealed();
    let count = |args: &[&str], file: &str| {
        sandbox.run(&[&["export", "--json", "--wacz", file], args].concat()).expect(0).json()["units"].clone()
    };
    assert_eq!(count(&["--source", "example", "--since", "2020-01-01"], "1.wacz"), 2);
    for args in
        [&["--source", "other"][..], &["--since", "2999-01-01"], &["--since", "2999-01-01T10:00:00+02:00"]]
    {
        let ran = sandbox.run(&[&["export", "--wacz", "none.wacz"], args].concat()).expect(2);
        assert!(ran.stderr.contains("nothing to export"), "{args:?}: {}", ran.stderr);
    }
    sandbox.run(&["export", "--wacz", "none.wacz", "--since", "yesterday"]).expect(2);
    sandbox.run(&["vault", "withdraw", "a", "--reason", "asked"]).expect(0);
    assert_eq!(count(&[], "2.wacz"), 1);
    let folder = unpack(&sandbox.path("2.wacz"));
    assert_eq!(pages(folder.path())[0]["identifier"], "b");
    for (path, bytes) in files(folder.path()) {
        assert!(!String::from_utf8_lossy(&bytes).contains(A), "{path}");
    }
    sandbox.run(&["vault", "withdraw", "b", "--reason", "asked"]).expect(0);
    sandbox.run(&["export", "--wacz", "none.wacz"]).expect(2);

    // Nothing is written over, and nothing half-written is left.
    fs::write(sandbox.path("mine.wacz"), "mine").unwrap();
    sandbox.run(&["vault", "reinstate", "b", "--reason", "asked"]).expect(0);
    let ran = sandbox.run(&["export", "--wacz", "mine.wacz"]).expect(2);
    assert!(ran.stderr.contains("mine.wacz"), "{}", ran.stderr);
    assert_eq!(fs::read(sandbox.path("mine.wacz")).unwrap(), b"mine");
    let left: Vec<_> = fs::read_dir(sandbox.dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("wacz"))
        .collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

/// Every file below, unpacked where it is packed.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            let mut bytes = Vec::new();
            if path.extension().is_some_and(|extension| extension == "gz") {
                flate2::read::MultiGzDecoder::new(File::open(&path).unwrap())
                    .read_to_end(&mut bytes)
                    .unwrap();
            } else {
                bytes = fs::read(&path).unwrap();
            }
            files.push((path.display().to_string(), bytes));
        }
    }
    files
}

#[test]
fn wacz_and_warcio_find_nothing_wrong() {
    if !has(&["wacz", "warcio"]) {
        return;
    }
    let sandbox = with_two_sealed();
    sandbox.run(&["export", "--wacz", "all.wacz"]).expect(0);
    let validate =
        Command::new("wacz").args(["validate", "-f"]).arg(sandbox.path("all.wacz")).output().unwrap();
    let ran = Ran::of(&validate).expect(0);
    assert!(ran.stdout.contains("the passed WACZ is valid"), "{ran:?}");
    // It lets a missing index pass, and with it a damaged one.
    let folder = unpack(&sandbox.path("all.wacz"));
    let names: Vec<Value> = {
        let text = fs::read_to_string(folder.path().join("datapackage.json")).unwrap();
        let package: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(package["wacz_version"], "1.1.1");
        package["resources"].as_array().unwrap().iter().map(|one| one["path"].clone()).collect()
    };
    assert_eq!(
        names,
        ["archive/data.warc.gz", "indexes/index.cdx.gz", "indexes/index.idx", "pages/pages.jsonl"]
    );
    let archive = folder.path().join("archive/data.warc.gz");
    let checked =
        Ran::of(&Command::new("warcio").args(["check", "-v"]).arg(&archive).output().unwrap()).expect(0);
    assert_eq!(checked.stdout.matches("digest pass").count(), 7, "{checked:?}");

    // The index is the one that the field's indexer makes of the same records, in what both say.
    let made = Command::new("cdxj-indexer").arg("--sort").arg(&archive).output().unwrap();
    let made = Ran::of(&made).expect(0).stdout;
    let ours = files(&folder.path().join("indexes"));
    let (_, ours) = ours.iter().find(|(path, _)| path.ends_with("index.cdx.gz")).unwrap();
    let lines = |text: &str| -> Vec<(String, Value)> {
        let lines = text.lines().map(|line| {
            let at = line.find('{').unwrap();
            let fields: Value = serde_json::from_str(&line[at..]).unwrap();
            (
                line[..at].to_owned(),
                json!([fields["url"], fields["mime"], fields["length"], fields["offset"], fields["digest"]]),
            )
        });
        lines.filter(|(_, fields)| fields[1] == "text/html").collect()
    };
    let ours = lines(std::str::from_utf8(ours).unwrap());
    assert_eq!(ours.len(), 2);
    assert_eq!(ours, lines(&made));
}

/// A server of somebody else's, ended with the test.
struct Replay(Child);

impl Drop for Replay {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The body of an answer, if there is one and it is a success.
fn get(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost:{port}\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n")?;
    head.lines().next()?.contains(" 200 ").then(|| body.to_owned())
}

#[test]
fn a_page_opens_in_a_replay_tool() {
    if !has(&["wb-manager", "wayback"]) {
        return;
    }
    let sandbox = with_two_sealed();
    sandbox.run(&["export", "--wacz", "all.wacz"]).expect(0);
    let folder = TempDir::new().unwrap();
    let manage = |args: &[&str]| {
        Ran::of(&Command::new("wb-manager").current_dir(folder.path()).args(args).output().unwrap()).expect(0)
    };
    manage(&["init", "exported"]);
    manage(&["add", "--unpack-wacz", "exported", sandbox.path("all.wacz").to_str().unwrap()]);

    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = Command::new("wayback")
        .current_dir(folder.path())
        .args(["--bind", "127.0.0.1", "--port", &port.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _server = Replay(server);
    let began = Instant::now();
    while get(port, "/").is_none() {
        assert!(began.elapsed() < Duration::from_secs(60), "the replay tool does not answer");
        std::thread::sleep(Duration::from_millis(100));
    }
    let pages = pages(unpack(&sandbox.path("all.wacz")).path());
    for (page, identifier) in pages.iter().zip(["a", "b"]) {
        let digits: String =
            page["ts"].as_str().unwrap().chars().filter(char::is_ascii_digit).take(14).collect();
        // `mp_` is the page itself, without the tool's frame around it; `id_` the bytes without its rewriting.
        let path = |how: &str| format!("/exported/{digits}{how}/{}", page["url"].as_str().unwrap());
        let shown = get(port, &path("mp_")).unwrap();
        assert!(shown.contains(&format!("<h1>On {identifier}</h1>")), "{shown}");
        assert!(shown.contains("The town council met on Tuesday evening"), "{shown}");
        assert_eq!(get(port, &path("id_")).unwrap(), crate::support::article_html(identifier));
    }
    assert_eq!(get(port, "/exported/mp_/https://www.example.test/nowhere"), None);
}
