//! `releve show`: every version, what differs between them, and nothing that a terminal would act on.

use std::fs;
use std::path::Path;
use std::process::Command;

use releve_lab::Reply;
use serde_json::json;

use crate::support::{Sandbox, example};

/// A feed that announces the article `a` as modified at this minute.
fn announced(minute: u32) -> Reply {
    let text = format!(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>a</id><link href='https://www.example.test/a'/>\
         <published>2026-01-01T00:00:00Z</published><updated>2026-01-01T00:{minute:02}:00Z</updated></entry></feed>"
    );
    Reply::ok("application/atom+xml", text)
}

fn page(headline: &str, text: &[&str]) -> Reply {
    let html = format!(
        "<!doctype html><html lang=en><meta name=article-id content=a><title>{headline}</title>\
         <article><h1>{headline}</h1><p>{}</p></article></html>",
        text.join("</p><p>")
    );
    Reply::ok("text/html; charset=utf-8", html)
}

const FIRST: &str = "The town council met on Tuesday evening, and for once everybody stayed until the end.";
const SECOND: &str =
    "What was decided will be known to all before the year is over, said the mayor, who was in haste.";
const CORRECTED: &str =
    "What was decided is known to all since yesterday, said the mayor, who was not in haste at all.";

/// A sandbox whose article is sealed in three versions.
fn with_three_versions() -> Sandbox {
    let sandbox = Sandbox::of_pages(
        example().at("/feed.xml", announced(0)).at("/a", page("On the council", &[FIRST, SECOND])),
    );
    assert_eq!(sandbox.pass()["sealed"], 1);
    let next = [
        page("On the council, again", &[FIRST, SECOND]),
        page("On the council, again", &[FIRST, CORRECTED, FIRST]),
    ];
    for (minute, page) in (1..).zip(next) {
        sandbox.lab.put("www.example.test", "/feed.xml", announced(minute)).unwrap();
        sandbox.lab.put("www.example.test", "/a", page).unwrap();
        sandbox.at_clock(&format!("+{}m", 16 * minute));
        assert_eq!(sandbox.pass()["sealed"], 1);
    }
    sandbox
}

#[test]
fn every_version_is_shown_with_what_differs_from_the_one_before() {
    let sandbox = with_three_versions();
    let text = sandbox.run(&["show", "a"]).expect(0).stdout;
    assert!(text.starts_with("# On the council, again\n"), "{text}");
    assert!(text.contains("`a` of `example`, version 3 of 3"), "{text}");
    let (_, history) = text.split_once("\n\nversion 3, read on ").unwrap();
    let parts: Vec<&str> = history.split("\n\n").collect();
    assert_eq!(parts.len(), 3, "{history}");
    let behind_the_date = |part: &str| part.split_once('\n').unwrap().1.to_owned();
    assert_eq!(behind_the_date(parts[0]), format!("  text\n  - {SECOND}\n  + {CORRECTED}\n  + {FIRST}"));
    assert!(parts[1].starts_with("version 2, read on "), "{history}");
    assert!(
        behind_the_date(parts[1]).contains("  headline\n  - On the council\n  + On the council, again"),
        "{history}"
    );
    assert!(!parts[1].contains("  text\n"), "{history}");
    assert!(parts[2].starts_with("version 1, read on "), "{history}");
    assert_eq!(behind_the_date(parts[2]), "  the first\n");

    let shown = sandbox.run(&["show", "a", "--json"]).expect(0).json();
    let versions = shown[0]["versions"].as_array().unwrap();
    let numbers: Vec<u64> = versions.iter().map(|version| version["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert_eq!(versions[0]["differences"], json!(null));
    assert_eq!(
        versions[2]["differences"],
        json!([{ "part": "text", "removed": [SECOND], "added": [CORRECTED, FIRST] }])
    );
    assert_eq!(versions[2]["receipt"], shown[0]["receipt"]);
}

#[test]
fn an_earlier_version_can_be_shown_in_every_format() {
    let sandbox = with_three_versions();
    let text = sandbox.run(&["show", "a", "--number", "1"]).expect(0).stdout;
    assert!(text.starts_with("# On the council\n") && text.contains("version 1 of 3"), "{text}");
    let envelope = sandbox.run(&["show", "a", "--number", "1", "--format", "envelope"]).expect(0).stdout;
    assert!(envelope.contains("<h1>On the council</h1>"), "{envelope}");
    let proofs = ["1", "3"].map(|number| {
        sandbox.run(&["show", "a", "--number", number, "--format", "proof", "--json"]).expect(0).json()
    });
    assert_ne!(proofs[0][0]["envelope"]["sha256"], proofs[1][0]["envelope"]["sha256"]);
    let ran = sandbox.run(&["show", "a", "--number", "4"]).expect(2);
    assert!(ran.stderr.contains("has 3 versions, and none of number 4"), "{}", ran.stderr);
}

/// What is given out for others to check is what their tools take: byte for byte what is sealed, with the program and without.
#[test]
fn r16_what_shows_that_a_proof_holds_is_given_out_byte_for_byte() {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/proof/tools");
    let sandbox = with_three_versions();
    let given = |number: &str, format: &str| {
        let output =
            sandbox.command(&["show", "a", "--number", number, "--format", format]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    let python = |script: &str, args: &[&Path]| {
        Command::new("python3").arg(tools.join(script)).args(args).current_dir(sandbox.path(".")).output()
    };
    let segment = sandbox.path("vault/segments/000001.warc.gz");
    let Ok(output) = python("read_segments.py", &[Path::new("https://www.example.test/a"), &segment]) else {
        assert!(std::env::var_os("CI").is_none(), "python3 is not installed");
        println!("skipped: python3 is not installed");
        return;
    };
    assert!(output.status.success(), "{output:?}");
    let written = String::from_utf8(output.stdout).unwrap();
    let [roots, files @ ..] = written.lines().collect::<Vec<_>>().try_into().unwrap_or([""; 7]);
    assert_eq!(
        files,
        ["1.envelope", "1.proof.json", "2.envelope", "2.proof.json", "3.envelope", "3.proof.json"]
    );
    for number in ["1", "2", "3"] {
        let [envelope, proof, roots] =
            [format!("{number}.envelope"), format!("{number}.proof.json"), roots.to_owned()];
        for (format, file) in [("envelope", &envelope), ("proof", &proof), ("roots", &roots)] {
            assert!(given(number, format) == fs::read(sandbox.path(file)).unwrap(), "{number} {format}");
        }
        let args = [&proof, "--envelope", &envelope, "--roots", &roots].map(Path::new);
        let said = String::from_utf8(python("check_evidence.py", &args).unwrap().stdout).unwrap();
        // A lab's proof shows nothing; that apart, everything holds.
        let failed: Vec<&str> = said.lines().filter(|line| line.starts_with("FAILED")).collect();
        assert_eq!(failed, ["FAILED   document: it is a proof from the lab and attests nothing"], "{said}");
    }
}

/// A stranger can follow the chain of seals without our code, and sees where it was cut or changed.
#[test]
fn r16_the_chain_of_seals_is_checked_without_the_program() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/proof/tools/check_chain.py");
    let sandbox = with_three_versions();
    let segment = sandbox.path("vault/segments/000001.warc.gz");
    let said = |args: &[&str]| {
        let ran = Command::new("python3").arg(&script).args(args).arg(&segment).output();
        ran.map(|output| {
            String::from_utf8(if output.status.success() { output.stdout } else { output.stderr }).unwrap()
        })
    };
    let Ok(whole) = said(&[]) else {
        assert!(std::env::var_os("CI").is_none(), "python3 is not installed");
        println!("skipped: python3 is not installed");
        return;
    };
    // The set of authorities has a seal of its own.
    assert!(whole.starts_with("4 seals, each behind the one before"), "{whole}");
    let head = whole.trim().rsplit(' ').next().unwrap();
    assert!(!said(&["--head", head]).unwrap().contains("FAILED"));
    assert!(sandbox.run(&["verify", "--head", head]).expect(0).stdout.contains("nothing is wrong"));
    assert!(
        said(&["--head", &head.replace(|digit: char| digit.is_ascii_digit(), "a")])
            .unwrap()
            .contains("FAILED")
    );

    let bytes = fs::read(&segment).unwrap();
    let mut changed = bytes.clone();
    // In the middle of a text that is stored and not compressed: the seal's own.
    let at = bytes.windows(10).rposition(|window| window == b"received_a").unwrap();
    changed[at - 20] ^= 1;
    fs::write(&segment, &changed).unwrap();
    let refused = said(&[]).unwrap();
    assert!(refused.contains("FAILED") || refused.contains("rror"), "{refused}");
    fs::write(&segment, &bytes[..bytes.len() - 10]).unwrap();
    assert!(said(&[]).unwrap().contains("is cut off"));
}

/// What a publisher writes reaches the terminal of whoever runs the vault: it is text there, and nothing else. The bytes
/// that were asked for as bytes are as they were sealed.
#[test]
fn what_a_terminal_acts_on_is_never_printed() {
    let hostile = "&#x1b;[2J\u{9b}31m&#x202e;evil&#x2066; gnp.exe\u{7f}&#8;";
    let text = format!("{FIRST} \u{1b}]0;owned\u{7} {hostile}");
    let sandbox = Sandbox::of_pages(
        example()
            .at("/feed.xml", announced(0))
            .at("/a", page(&format!("On {hostile} the council"), &[&text, SECOND])),
    );
    assert_eq!(sandbox.pass()["sealed"], 1);
    sandbox.lab.put("www.example.test", "/feed.xml", announced(1)).unwrap();
    sandbox.lab.put("www.example.test", "/a", page("On the council", &[FIRST, SECOND])).unwrap();
    sandbox.at_clock("+16m");
    assert_eq!(sandbox.pass()["sealed"], 1);

    let acts = |char: char| {
        char.is_control() && char != '\n' || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    for args in [
        &["show", "a"][..],
        &["show", "a", "--number", "1"],
        &["show", "a", "--json"],
        &["show", "a", "--number", "1", "--json"],
        &["verify"],
        &["verify", "a"],
        &["status"],
        &["vault", "stats"],
        &["show", "\u{1b}[2J\u{202e}"],
        &["explain", "https://www.example.test/\u{202e}\u{1b}[2J"],
    ] {
        let ran = sandbox.run(args);
        assert!(!ran.stdout.contains(acts) && !ran.stderr.contains(acts), "{args:?}: {ran:?}");
    }
    let shown = sandbox.run(&["show", "a", "--number", "1"]).expect(0).stdout;
    assert!(shown.contains(r"\u202eevil\u2066"), "{shown}");
    // JSON says the same as what is sealed, escaped or not.
    let json = sandbox.run(&["show", "a", "--number", "1", "--json"]).expect(0).json();
    assert!(json[0]["article"].to_string().contains('\u{202e}'), "{json}");
    let envelope = sandbox.run(&["show", "a", "--number", "1", "--format", "envelope"]).expect(0).stdout;
    assert!(envelope.contains('\u{9b}') && envelope.contains("\u{1b}]0;owned\u{7}"), "{envelope}");
}
