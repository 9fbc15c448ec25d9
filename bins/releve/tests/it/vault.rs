//! Withdrawals: what they hide, what they leave, and what is on record of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Sandbox, article, example, feed};

const A: &str = "https://www.example.test/a";
const B: &str = "https://www.example.test/b";

/// A sandbox with two articles sealed.
fn with_two_sealed() -> Sandbox {
    let host =
        example().at("/feed.xml", feed([("a", A), ("b", B)])).at("/a", article("a")).at("/b", article("b"));
    let sandbox = Sandbox::of_pages(host);
    assert_eq!(sandbox.pass()["sealed"], 2);
    sandbox
}

fn segments(sandbox: &Sandbox) -> BTreeMap<PathBuf, Vec<u8>> {
    let folder = fs::read_dir(sandbox.path("vault/segments")).unwrap();
    folder
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let bytes = fs::read(&path).unwrap();
            (path, bytes)
        })
        .collect()
}

#[test]
fn r39_a_withdrawal_hides_an_article_and_leaves_what_is_sealed_bit_for_bit() {
    let sandbox = with_two_sealed();
    let before = segments(&sandbox);
    let shown = sandbox.run(&["show", "a"]).expect(0).stdout;

    let args = ["vault", "withdraw", "a", "--reason", "the publisher asked", "--by", "A. Archivist"];
    let ran = sandbox.run(&args).expect(0);
    assert!(ran.stdout.contains("`a` of `example` is withdrawn\n"), "{}", ran.stdout);
    for reference in ["a", A, "example:a"] {
        for format in ["markdown", "envelope", "proof"] {
            let ran = sandbox.run(&["show", reference, "--format", format]).expect(2);
            assert!(ran.stderr.contains("was withdrawn on"), "{}", ran.stderr);
            assert!(ran.stderr.contains("the publisher asked"), "{}", ran.stderr);
            assert_eq!(ran.stdout, "");
        }
    }
    sandbox.run(&["show", "b"]).expect(0);

    // It is hidden, and not gone: the whole vault verifies as it did, and so does the article.
    assert_eq!(segments(&sandbox), before);
    assert_eq!(sandbox.run(&["verify", "--json"]).expect(0).json()["units"], 2);
    assert_eq!(sandbox.run(&["verify", "a", "--json"]).expect(0).json()[0]["accepted"], true);
    // A reindex does not bring it back: the decision is not in the index.
    sandbox.run(&["vault", "reindex"]).expect(0);
    sandbox.run(&["show", "a"]).expect(2);

    let args = ["vault", "reinstate", "a", "--reason", "it was b", "--by", "A. Archivist"];
    sandbox.run(&args).expect(0);
    assert_eq!(sandbox.run(&["show", "a"]).expect(0).stdout, shown);
    assert_eq!(segments(&sandbox), before);
    let ran = sandbox.run(&args).expect(2);
    assert!(ran.stderr.contains("is not withdrawn"), "{}", ran.stderr);
}

#[test]
fn a_withdrawal_is_on_record_with_who_when_and_why() {
    let sandbox = with_two_sealed();
    let told = |args: &[&str]| {
        let mut command = sandbox.command(args);
        crate::support::Ran::of(&command.env("LOGNAME", "archivist").output().unwrap()).expect(0)
    };
    told(&["vault", "withdraw", "b", "--reason", "letter of 3 May", "--by", "A. Archivist"]);
    told(&["vault", "reinstate", "b", "--reason", "letter of 5 May"]);
    told(&["vault", "withdraw", "b", "--reason", "court order"]);
    // Once more changes nothing, and says so.
    let again = told(&["vault", "withdraw", "b", "--reason", "another reason"]);
    assert!(again.stdout.contains("already") && again.stdout.contains("court order"), "{}", again.stdout);
    told(&["vault", "withdraw", "a", "--reason", "an\nold \u{1b}[8mreason"]);

    let list = sandbox.run(&["vault", "withdrawals", "--json"]).expect(0).json();
    let parts: Vec<Value> = list["withdrawals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let (withdrawn, lifted) = (&one["withdrawn"], &one["lifted"]);
            assert!(withdrawn["at"].as_str().unwrap().ends_with('Z'), "{one}");
            json!([one["identifier"], withdrawn["by"], withdrawn["reason"], lifted["by"], lifted["reason"]])
        })
        .collect();
    assert_eq!(
        parts,
        [
            json!(["b", "A. Archivist", "letter of 3 May", "archivist", "letter of 5 May"]),
            json!(["b", "archivist", "court order", null, null]),
            json!(["a", "archivist", "an\nold \u{1b}[8mreason", null, null]),
        ]
    );
    let text = sandbox.run(&["vault", "withdrawals"]).expect(0).stdout;
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.contains(r"an\u000aold \u001b[8mreason"), "{text}");
    assert_eq!(sandbox.run(&["vault", "stats", "--json"]).expect(0).json()["withdrawn"], 2);
}

#[test]
fn what_is_withdrawn_is_named_beyond_doubt() {
    // Two sources with an article of the same identifier.
    let sandbox = with_two_sealed();
    let other = releve_lab::Host::new("other.example.test")
        .at("/robots.txt", releve_lab::Reply::status(404))
        .at("/feed.xml", feed([("a", "https://other.example.test/a")]))
        .at("/a", article("a"));
    sandbox.lab.add(other).unwrap();
    let configuration = crate::support::PAGES.replace("www.", "other.").replace("\"example\"", "\"other\"");
    sandbox.write("sources/other.toml", &configuration);
    sandbox.at_clock("+16m");
    sandbox.run(&["pass", "other"]).expect(0);

    let ran = sandbox.run(&["vault", "withdraw", "a", "--reason", "why"]).expect(2);
    assert!(ran.stderr.contains("example:a") && ran.stderr.contains("other:a"), "{}", ran.stderr);
    sandbox.run(&["vault", "withdraw", "z", "--reason", "why"]).expect(2);
    for reason in [&["--reason", ""][..], &[]] {
        sandbox.run(&[&["vault", "withdraw", "example:a"], reason].concat()).expect(2);
    }
    sandbox.run(&["vault", "withdraw", "example:a", "--reason", "why"]).expect(0);
    // The other one is shown, and what is not shown is not kept quiet about.
    let ran = sandbox.run(&["show", "a"]).expect(0);
    assert!(ran.stdout.contains("`a` of `other`") && !ran.stdout.contains("`a` of `example`"), "{ran:?}");
    assert!(ran.stderr.contains("`a` of `example` was withdrawn"), "{ran:?}");
}
