//! `releve demo`: what somebody sees who tries it first.

use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Ran, releve};

fn demo(dir: &std::path::Path, args: &[&str]) -> Ran {
    Ran::of(&releve().current_dir(dir).args(["demo"]).args(args).output().unwrap())
}

#[test]
fn the_demo_reads_refuses_seals_and_verifies_within_15_seconds() {
    let dir = TempDir::new().unwrap();
    let began = Instant::now();
    let ran = demo(dir.path(), &[]).expect(0);
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    for expected in [
        "The lighthouse keeps its keeper",
        "Ferry timetable for the winter",
        "A market hall for everyone",
        "Die Möwen zählen mit",
        "Der letzte Kran bleibt stehen",
        "El mercado abre otra vez",
        "La biblioteca del muelle",
        "disallowed by line 2",
        "404",
        "nothing is wrong",
        "Where to look next",
    ] {
        assert!(ran.stdout.contains(expected), "{expected} is missing in\n{}", ran.stdout);
    }
    assert_eq!(ran.stderr, "");
    // The commands that it names work once it is over.
    for line in ran.stdout.lines().filter_map(|line| line.trim().strip_prefix("releve ")) {
        let args: Vec<&str> = line.split(' ').collect();
        Ran::of(&releve().current_dir(dir.path()).args(args).output().unwrap()).expect(0);
    }
}

#[test]
fn the_demo_runs_twice_in_one_folder_and_in_a_fresh_one() {
    let dir = TempDir::new().unwrap();
    let sealed = |ran: &Ran| -> Vec<u64> {
        let line = ran.stdout.lines().next().unwrap();
        let json: Value = serde_json::from_str(line).unwrap();
        json["reports"].as_array().unwrap().iter().map(|report| report["sealed"].as_u64().unwrap()).collect()
    };
    let first = demo(dir.path(), &["--dir", "here", "--json"]).expect(0);
    // In the order of the names: correo, courier, hafenkurier.
    assert_eq!(sealed(&first), [2, 3, 2]);
    let again = demo(dir.path(), &["--dir", "here", "--json"]).expect(0);
    assert_eq!(sealed(&again), [0, 0, 0]);
}

#[test]
fn a_folder_that_holds_something_else_is_left_as_it_is() {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("letter.txt"), "dear reader").unwrap();
    let ran = demo(dir.path(), &["--dir", "."]).expect(2);
    assert!(ran.stderr.contains("holds something else than a demo"), "{}", ran.stderr);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}
