//! A pass that is killed, asked to stop, or met by another one.

use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{PAGES, Ran, Sandbox, article, example, feed};

const ARTICLES: [&str; 5] = ["a", "b", "c", "d", "e"];

fn sandbox() -> Sandbox {
    let addresses = ARTICLES.map(|name| format!("https://www.example.test/{name}"));
    let items = ARTICLES.iter().copied().zip(addresses.iter().map(String::as_str));
    Sandbox::of_pages(
        example()
            .at("/feed.xml", feed(items))
            .otherwise(|asked| article(asked.target().trim_start_matches('/')).into()),
    )
}

/// Waits until so many requests have arrived.
fn until_asked(sandbox: &Sandbox, count: usize) {
    let began = Instant::now();
    while sandbox.asked().len() < count {
        assert!(began.elapsed() < Duration::from_secs(30), "only {:?}", sandbox.asked());
        sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, name: &str) {
    let status = std::process::Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn a_pass_killed_anywhere_and_made_again_seals_each_article_once() {
    // Ten points in the life of a pass, from before its first request to about its last; side by side.
    let undisturbed = std::thread::spawn(|| {
        let sandbox = sandbox();
        assert_eq!(sandbox.pass()["sealed"], 5);
        sandbox.sealed()
    });
    let killed: Vec<_> = (0..10)
        .map(|point| {
            std::thread::spawn(move || {
                let sandbox = sandbox();
                let mut child = sandbox.spawn(&["pass"]);
                // Between two whole seconds requests, deposits and records happen at once: spread over that moment.
                until_asked(&sandbox, point * 7 / 10);
                sleep(Duration::from_millis([0, 3, 8, 15, 30, 60, 120, 250, 500, 900][point]));
                signal(&child, "-KILL");
                child.wait().unwrap();
                // The next pass that is due: a trigger whose request may have left is not asked again before (R18).
                sandbox.at_clock("+16m");
                let report = sandbox.pass();
                assert_eq!(report["end"], "done", "{report}");
                let verified = sandbox.run(&["verify"]).expect(0);
                assert!(verified.stdout.contains("nothing is wrong"), "{}", verified.stdout);
                let requests = sandbox.lab.requests();
                for pair in requests.windows(2) {
                    let gap = pair[1].arrived - pair[0].arrived;
                    assert!(gap.as_secs_f64() >= 1.0, "{gap:?} after a kill at point {point}");
                }
                sandbox.sealed()
            })
        })
        .collect();
    let undisturbed = undisturbed.join().unwrap();
    for (point, sealed) in killed.into_iter().enumerate() {
        assert_eq!(sealed.join().unwrap(), undisturbed, "killed at point {point}");
    }
}

#[test]
fn sigterm_finishes_what_is_in_hand_and_releases_the_lock() {
    let sandbox = sandbox();
    let child = sandbox.spawn(&["pass", "--json"]);
    until_asked(&sandbox, 3);
    signal(&child, "-TERM");
    let ran = Ran::of(&child.wait_with_output().unwrap()).expect(130);
    let report = &ran.json()[0];
    assert_eq!(report["end"], "interrupted");
    assert_eq!(report["sealed"], sandbox.sealed().len());
    assert!(sandbox.sealed().len() < ARTICLES.len());
    // The next pass goes on from there, though the trigger is not due.
    let report = sandbox.pass();
    assert_eq!(report["end"], "done");
    assert_eq!(sandbox.sealed().len(), ARTICLES.len());
    assert_eq!(sandbox.asked().iter().filter(|asked| asked.ends_with("/feed.xml")).count(), 1);
}

#[test]
fn r10_two_passes_never_run_at_once_for_a_source() {
    let sandbox = sandbox();
    let mut child = sandbox.spawn(&["pass"]);
    until_asked(&sandbox, 2);
    let ran = sandbox.run(&["pass", "example", "--json"]).expect(3);
    assert_eq!(ran.json()[0]["end"], "lock-held");
    // Cron names no source: somebody else being at work is no failure.
    assert_eq!(sandbox.run(&["pass"]).expect(0).stdout, "");
    // A killed pass frees its source at once.
    signal(&child, "-KILL");
    child.wait().unwrap();
    sandbox.run(&["pass", "example"]).expect(0);
    assert_eq!(sandbox.sealed().len(), ARTICLES.len());
}

#[test]
fn the_daemon_reads_what_is_due_and_ends_cleanly_on_sigterm() {
    let sandbox = sandbox();
    let child = sandbox.spawn(&["run"]);
    until_asked(&sandbox, 2 + ARTICLES.len());
    // It holds no lock while it waits: cron may work beside it, and finds nothing due.
    sleep(Duration::from_millis(500));
    sandbox.run(&["pass", "example"]).expect(0);
    assert_eq!(sandbox.asked().len(), 2 + ARTICLES.len());
    let began = Instant::now();
    signal(&child, "-TERM");
    let ran = Ran::of(&child.wait_with_output().unwrap()).expect(0);
    assert!(began.elapsed() < Duration::from_secs(3));
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    assert_eq!(sandbox.sealed().len(), ARTICLES.len());
}

#[test]
fn r10_of_two_at_once_exactly_one_reads_in_every_combination() {
    let pairs = [("pass", "pass"), ("pass", "run"), ("run", "pass"), ("run", "run")];
    let tried: Vec<_> = pairs
        .into_iter()
        .map(|pair| {
            let (first, second) = pair;
            std::thread::spawn(move || {
                let sandbox = sandbox();
                let mut one = sandbox.spawn(&[first]);
                until_asked(&sandbox, 1);
                let mut two = sandbox.spawn(&[second]);
                until_asked(&sandbox, 2 + ARTICLES.len());
                // A daemon that found the source taken looks again, and finds nothing due.
                sleep(Duration::from_secs(2));
                for child in [&mut one, &mut two] {
                    drop(child.kill());
                    child.wait().unwrap();
                }
                (pair, sandbox.asked())
            })
        })
        .collect();
    for pair in tried {
        let (pair, asked) = pair.join().unwrap();
        let mut once = asked.clone();
        once.sort();
        once.dedup();
        assert_eq!(asked.len(), once.len(), "{pair:?}: {asked:?}");
        assert_eq!(asked.len(), 2 + ARTICLES.len(), "{pair:?}: {asked:?}");
    }
}

#[test]
fn r39_a_source_that_is_deactivated_meanwhile_is_left_alone_at_once() {
    let deactivated: Vec<_> = ["pass", "run"]
        .into_iter()
        .map(|command| {
            std::thread::spawn(move || {
                let sandbox = sandbox();
                let child = sandbox.spawn(&[command]);
                until_asked(&sandbox, 3);
                sandbox.write("sources/example.toml", &format!("active = false\n{PAGES}"));
                let ran = Ran::of(&child.wait_with_output().unwrap()).expect(0);
                // The look at the configuration takes a second, in which one request may leave, and what is in hand is
                // finished.
                assert!(sandbox.asked().len() <= 5, "{command}: {:?} {ran:?}", sandbox.asked());
                assert!(ran.stderr.contains("inactive"), "{ran:?}");
                // What was read before is sealed, and stays.
                let sealed = sandbox.sealed();
                assert!(!sealed.is_empty());
                sandbox.run(&["pass", "example"]).expect(0);
                assert_eq!(sandbox.sealed(), sealed);
            })
        })
        .collect();
    for command in deactivated {
        command.join().unwrap();
    }
}

#[test]
fn r39_a_configuration_that_is_being_written_stops_nothing() {
    let sandbox = sandbox();
    let child = sandbox.spawn(&["pass", "--json"]);
    until_asked(&sandbox, 2);
    sandbox.write("sources/example.toml", "name = ");
    sleep(Duration::from_secs(2));
    sandbox.write("sources/example.toml", PAGES);
    // Nor does another source that cannot be used, for however long.
    sandbox.write("sources/other.toml", "name = ");
    let ran = Ran::of(&child.wait_with_output().unwrap()).expect(0);
    assert_eq!(ran.json()[0]["end"], "done");
    assert_eq!(sandbox.sealed().len(), ARTICLES.len());
}

#[test]
fn a_pass_ends_when_its_time_is_up_and_the_next_goes_on() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["pass", "--for", "2500ms", "--json"]).expect(0);
    assert_eq!(ran.json()[0]["end"], "time-up", "{ran:?}");
    let asked = sandbox.asked().len();
    assert!((3..=4).contains(&asked), "{:?}", sandbox.asked());
    let report = sandbox.pass();
    assert_eq!(report["end"], "done");
    assert_eq!(sandbox.sealed().len(), ARTICLES.len());
    let refused = sandbox.run(&["pass", "--for", "soon"]);
    assert_eq!(refused.code, 2, "{refused:?}");
}
