//! The lab file: what it may list, and where an error in it is.

use std::path::Path;
use std::time::Duration;

use releve_fetch::{LabFile, LabRootError, Network};
use releve_lab::{Host, Lab};

#[test]
fn what_a_lab_writes_is_read() {
    let lab = Lab::start().unwrap();
    let www = lab.add(Host::new("www.example.test")).unwrap();
    let cms = lab.add(Host::new("cms.example.test")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = lab.write_files(folder.path(), Some("+16m")).unwrap();
    let file: LabFile = std::fs::read_to_string(path).unwrap().parse().unwrap();
    assert_eq!(file.address("www.example.test", 443), Some(www));
    assert_eq!(file.address("cms.example.test", 443), Some(cms));
    assert_eq!(file.address("www.example.test", 8443), None);
    assert_eq!(file.hosts().count(), 2);
    assert_eq!(Duration::try_from(file.clock()).unwrap(), Duration::from_secs(16 * 60));
    let root = std::fs::read(folder.path().join(file.root())).unwrap();
    assert!(Network::lab(&file, &root).unwrap().is_lab());
}

fn check(text: &str, line: usize, words: &str) {
    let error = text.parse::<LabFile>().unwrap_err();
    assert_eq!(error.line(), line, "{text}\n{error}");
    assert!(error.why().contains(words), "{text}\n{error}");
}

fn host(entry: &str) -> String {
    format!("root = \"ca.pem\"\n\n[hosts]\n\"fine.example.test\" = \"127.0.0.1:4443\"\n{entry}\n")
}

#[test]
fn r31_a_lab_file_lists_test_names_on_loopback_alone() {
    for name in [
        "www.example.org",
        "test",
        ".test",
        "a..test",
        "WWW.example.test",
        "*.example.test",
        "127.0.0.1",
        "www.example.test.",
        "www.example.test:",
        "www.example.test:0",
        "www.example.test:65536",
        "test.example.org",
        "a_b.test",
        "www.example.test/path",
        "user@www.example.test",
        "",
    ] {
        check(&host(&format!("\"{name}\" = \"127.0.0.1:4443\"")), 5, "not a name under .test");
    }
    for address in [
        "10.0.0.1:443",
        "93.184.216.34:443",
        "0.0.0.0:443",
        "[::]:443",
        "[::ffff:127.0.0.1]:443",
        "127.0.0.1:0",
    ] {
        check(&host(&format!("\"www.example.test\" = \"{address}\"")), 5, "not on loopback");
    }
    for address in ["127.0.0.1", "localhost:443", "https://127.0.0.1:443", ""] {
        check(&host(&format!("\"www.example.test\" = \"{address}\"")), 5, "not an address with a port");
    }
    for entry in ["\"www.example.test\" = \"127.99.0.7:1\"", "\"www.example.test:8443\" = \"[::1]:65535\""] {
        assert!(host(entry).parse::<LabFile>().is_ok(), "{entry}");
    }
}

#[test]
fn an_error_in_a_lab_file_names_its_line() {
    check("root = \"ca.pem\"\nroots = \"x\"\n", 2, "unknown field");
    check("root = \"ca.pem\"\nclock = \"soon\"\n[hosts]\n\"a.test\" = \"127.0.0.1:1\"", 2, "offset");
    check("root = \"ca.pem\"\nclock = 16\n", 2, "invalid type");
    check("root = \"ca.pem\"\n\n[hosts\n", 3, "");
    check("root = \"ca.pem\"\n", 1, "no host");
    check("[hosts]\n\"a.test\" = \"127.0.0.1:1\"\n", 1, "missing field `root`");
    check(&host("\"fine.example.test:443\" = \"127.0.0.1:1\""), 5, "twice");
    check(&host("\"www.example.test\" = 4443"), 5, "invalid type");
}

#[test]
fn a_clock_can_be_set_off_both_ways_or_not_at_all() {
    let clock = |line: &str| {
        let file: LabFile =
            format!("root = \"ca.pem\"\n{line}\n[hosts]\n\"a.test\" = \"127.0.0.1:1\"").parse().unwrap();
        assert_eq!(file.root(), Path::new("ca.pem"));
        file.clock().as_secs()
    };
    assert_eq!(clock(""), 0);
    assert_eq!(clock("clock = \"+16m\""), 960);
    assert_eq!(clock("clock = \"-1h\""), -3600);
    assert_eq!(clock("clock = \"+24h\""), 86400);
    assert_eq!(clock("clock = \"15m 30s\""), 930);
}

#[test]
fn a_root_that_is_none_is_refused() {
    let file: LabFile = "root = \"ca.pem\"\n[hosts]\n\"a.test\" = \"127.0.0.1:1\"".parse().unwrap();
    assert_eq!(Network::lab(&file, b"").unwrap_err(), LabRootError::Empty);
    assert_eq!(Network::lab(&file, b"not PEM at all").unwrap_err(), LabRootError::Empty);
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(matches!(Network::lab(&file, broken.as_bytes()).unwrap_err(), LabRootError::Pem { .. }));
}
