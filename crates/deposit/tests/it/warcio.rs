//! A reader that is not ours.

use std::process::Command;

use releve_deposit::testing::Specimen;

use crate::tools::{open_small, seal, segments};

/// `warcio check` recomputes every digest of every record.
#[test]
fn warcio_finds_every_record_whole() {
    let installed = Command::new("python3").args(["-c", "import warcio"]).output();
    if !installed.is_ok_and(|python| python.status.success()) {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "warcio is not installed");
        println!("skipped: warcio is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let vault = open_small(folder.path());
    for number in 0..6 {
        seal(&vault, &Specimen::new(&number.to_string()));
    }
    let segments = segments(folder.path());
    assert!(segments.len() > 1);
    let warcio = |command: &str| {
        let check = "import sys, warcio.cli; sys.exit(warcio.cli.main())";
        Command::new("python3").args(["-c", check, command]).args(&segments).output().unwrap()
    };
    let checked = warcio("check");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    assert!(checked.stdout.is_empty(), "{}", String::from_utf8_lossy(&checked.stdout));
    // It reads them all: a warcinfo record for each segment, four records for each unit, two for the set of
    // roots.
    let index = warcio("index");
    let lines = String::from_utf8(index.stdout).unwrap().lines().count();
    assert_eq!(lines, segments.len() + 4 * 6 + 2);
}
