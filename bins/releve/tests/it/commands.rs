//! What each command answers, and what it leaves alone.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use releve_lab::Reply;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{ADDRESSES, PAGES, Ran, Sandbox, article, example, feed, releve};

const A: &str = "https://www.example.test/a";

/// A sandbox whose one article is sealed.
fn with_a_sealed() -> Sandbox {
    let sandbox = Sandbox::of_pages(example().at("/feed.xml", feed([("a", A)])).at("/a", article("a")));
    assert_eq!(sandbox.pass()["sealed"], 1);
    sandbox
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn r16_one_article_is_verified_as_the_whole_vault_is() {
    let sandbox = with_a_sealed();
    let check = |code| {
        let one = sandbox.run(&["verify", "a", "--json"]).expect(code).json();
        let whole = sandbox.run(&["verify", "--json"]).expect(code).json();
        assert_eq!(one[0]["accepted"], whole["clean"], "{one}\n{whole}");
        one[0].clone()
    };
    check(0);

    // Another authority stands in for one that has gone from today's list: the set that was sealed still knows it.
    let other = releve_lab::Lab::start().unwrap();
    let elsewhere = TempDir::new().unwrap();
    other.write_files(elsewhere.path(), None).unwrap();
    fs::copy(elsewhere.path().join("ca.pem"), sandbox.path("ca.pem")).unwrap();
    check(0);
    assert_eq!(sandbox.run(&["verify", "--json"]).json()["by_roots_sealed"], 1);

    // A seal is not part of the proof, and counts all the same.
    let segment = sandbox.path("vault/segments/000001.warc.gz");
    let mut bytes = fs::read(&segment).unwrap();
    let at = bytes.windows(13).rposition(|window| window == b"\"received_at\"").unwrap();
    bytes[at + 16] ^= 1;
    fs::write(&segment, bytes).unwrap();
    assert_eq!(check(1)["refused"], "vault-damaged");
}

#[test]
fn r16_a_bare_copy_of_a_vault_is_verified_without_index_and_ledger() {
    let sandbox = with_a_sealed();
    for name in names(sandbox.dir.path()) {
        if name.starts_with("ledger.sqlite") {
            fs::remove_file(sandbox.path(&name)).unwrap();
        }
    }
    for name in names(&sandbox.path("vault")) {
        if !matches!(name.as_str(), "vault.json" | "segments") {
            fs::remove_file(sandbox.path("vault").join(name)).unwrap();
        }
    }
    let ran = sandbox.run(&["verify"]).expect(0);
    assert!(
        ran.stdout.contains("1 units in 1 segments") && ran.stdout.contains("nothing is wrong"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("no head was known from elsewhere"), "{ran:?}");
    assert_eq!(names(&sandbox.path("vault")), ["segments", "vault.json"]);
    assert!(!sandbox.path("ledger.sqlite").exists());
}

#[test]
fn what_only_looks_makes_neither_ledger_nor_vault() {
    let sandbox = Sandbox::of_pages(example());
    let before = names(sandbox.dir.path());
    let status = sandbox.run(&["status"]).expect(0);
    assert!(status.stdout.contains("Nothing was read yet"), "{}", status.stdout);
    let explained = sandbox.run(&["explain", A]).expect(0);
    assert!(explained.stdout.contains("nothing was read yet"), "{}", explained.stdout);
    for args in
        [&["verify"][..], &["verify", "a"], &["show", "a"], &["vault", "stats"], &["vault", "reindex"]]
    {
        let ran = sandbox.run(args).expect(2);
        assert!(ran.stderr.contains("there is no vault"), "{args:?}: {}", ran.stderr);
    }
    sandbox.run(&["retry", "example", "a"]).expect(2);
    assert_eq!(names(sandbox.dir.path()), before);
}

#[test]
fn an_index_that_is_lost_is_built_anew() {
    let sandbox = with_a_sealed();
    let stats = sandbox.run(&["vault", "stats", "--json"]).expect(0).json();
    assert_eq!(stats["sources"][0]["source"], "example");
    assert_eq!(stats["sources"][0]["units"], 1);
    for name in names(&sandbox.path("vault")) {
        if name.starts_with("index.sqlite") {
            fs::remove_file(sandbox.path("vault").join(name)).unwrap();
        }
    }
    let ran = sandbox.run(&["show", "a"]).expect(2);
    assert!(ran.stderr.contains("reindex"), "{}", ran.stderr);
    let reindexed = sandbox.run(&["vault", "reindex", "--json"]).expect(0).json();
    assert_eq!(reindexed, serde_json::json!({ "units": 1, "faults": [] }));
    assert_eq!(sandbox.run(&["vault", "stats", "--json"]).expect(0).json(), stats);
    let stats = sandbox.run(&["vault", "stats"]).expect(0).stdout;
    assert!(stats.contains("example  1         1"), "{stats}");
    sandbox.run(&["show", "a"]).expect(0);
}

#[track_caller]
fn explains(sandbox: &Sandbox, address: &str, says: &[&str], does_not_say: &[&str]) -> Value {
    let text = sandbox.run(&["explain", address]).expect(0).stdout;
    for part in says {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    for part in does_not_say {
        assert!(!text.contains(part), "{part:?} is in\n{text}");
    }
    let json = sandbox.run(&["explain", address, "--json"]).expect(0).json();
    assert_eq!(json.as_array().unwrap().len(), 1, "{json}");
    json[0].clone()
}

#[test]
fn r28_r40_explain_names_the_reason_why_an_address_is_never_requested() {
    let sandbox = Sandbox::of_pages(example());
    let json = explains(&sandbox, "http://www.example.test/a", &["only https"], &["no source admits"]);
    assert_eq!(json["address"]["refused"], "address-not-https");
    let json = explains(
        &sandbox,
        "https://elsewhere.example.org/a?b=c",
        &["no source admits elsewhere.example.org", "example"],
        &[],
    );
    assert_eq!(json["host"]["code"], "host-not-admitted");
}

const CMS: &str = r#"
name = "example"
hosts = ["www.example.test", "cms.example.test"]

[trigger]
feed = "https://www.example.test/feed.xml?format=rss"

[article]
by = "cms-api"
address = "https://cms.example.test/items/{id}?fields=id,title,body"
access = { header = "X-Api-Key", from_file = "key" }
agreement = "letter of 3 May"

[article.fields]
headline = "/title"
body = { at = "/body", format = "html" }

[identifier]
trigger = "guid"
article = "/id"
"#;

#[test]
fn explain_recognises_the_addresses_that_the_configuration_writes() {
    let item = r#"{"id":"a/1","title":"On a","body":"<p>The town council met on Tuesday evening.</p>"}"#;
    let sandbox = Sandbox::new([
        example().at("/feed.xml?format=rss", feed([("a/1", A), ("a/2", A)])),
        releve_lab::Host::new("cms.example.test")
            .at("/robots.txt", Reply::ok("text/plain", "User-agent: *\nDisallow: /items/\n"))
            .at("/items/a%2F1?fields=id,title,body", Reply::ok("application/json", item)),
    ]);
    sandbox.write("sources/example.toml", CMS);
    sandbox.write("key", "not-a-secret\n");
    sandbox.pass();

    // As the publisher finds it in the log, with parameters that no foreign address would keep.
    let json = explains(
        &sandbox,
        "https://www.example.test/feed.xml?format=rss",
        &["the trigger: it announces"],
        &["announced it", "without"],
    );
    assert_eq!(json["what"], "trigger");
    assert_eq!(json["requests"][0]["address"], "https://www.example.test/feed.xml?format=rss");

    let read_at = "https://cms.example.test/items/a%2F1?fields=id,title,body";
    let json = explains(
        &sandbox,
        read_at,
        &["where the article `a/1` is read", "sealed as number", "lifted by agreement: letter of 3 May"],
        &["announced it", "without"],
    );
    assert_eq!(json["known"][0]["identifier"], "a/1");
    assert_eq!(json["requests"][0]["address"], read_at);
    let robots = &json["requests"][0]["robots"];
    assert_eq!((&robots["allowed"], &robots["line"]), (&Value::from(false), &Value::from(2)));
    assert_eq!(robots["agreement"], "letter of 3 May");

    // Two articles at one address: both, and neither in the place of the other.
    let json = explains(&sandbox, A, &["a/1: sealed", "a/2: refused"], &[]);
    let asked: Vec<&str> =
        json["requests"].as_array().unwrap().iter().map(|asked| asked["address"].as_str().unwrap()).collect();
    assert_eq!(asked.len(), 2);
    assert!(asked[0].contains("a%2F1") && asked[1].contains("a%2F2"), "{asked:?}");

    let json =
        explains(&sandbox, "https://cms.example.test/robots.txt", &["a robots.txt"], &["announced it"]);
    assert_eq!(json["what"], "robots");
    explains(
        &sandbox,
        "https://cms.example.test/items/z?fields=id,title,body",
        &["`z`", "announced it"],
        &[],
    );
}

#[test]
fn r21_a_host_that_asks_to_be_left_alone_is_asked_for_nothing() {
    const B: &str = "https://www.example.test/b";
    let busy = |wait: &str| Reply::status(429).header("Retry-After", wait);
    let sandbox = Sandbox::of_pages(
        example().at("/feed.xml", feed([("b", B), ("a", A)])).at("/a", busy("36000")).at("/b", busy("36000")),
    );
    let report = sandbox.pass();
    assert_eq!(report["end"], "time-up", "{report}");
    // Nothing else is asked for at this host either, in whatever pass: not the trigger, not the other article.
    let asked = sandbox.asked();
    assert_eq!(asked.len(), 3, "{asked:?}");
    explains(&sandbox, A, &["which asks to be left alone until then"], &[]);
    let status = sandbox.run(&["status"]).stdout;
    assert!(status.contains("www.example.test asks to be left alone until"), "{status}");
    for clock in ["+16m", "+9h"] {
        sandbox.at_clock(clock);
        assert_eq!(sandbox.pass()["end"], "time-up");
        assert_eq!(sandbox.asked(), asked, "{clock}");
    }
}

/// What was refused once is not read before its own wait is over, which is a day at most.
#[test]
fn explain_says_until_when_an_article_is_left_alone() {
    for (wait, hours) in [("36000", 10), ("99999999999999", 24)] {
        let busy = Reply::status(429).header("Retry-After", wait);
        let sandbox = Sandbox::of_pages(example().at("/feed.xml", feed([("a", A)])).at("/a", busy));
        sandbox.pass();
        let json = explains(&sandbox, A, &["a: refused; tried again by the pass that is due after"], &[]);
        let refusal = &json["known"][0]["refusal"];
        assert_eq!(refusal["code"], "status-429", "{json}");
        let instant = |name: &str| refusal[name].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
        let waits = instant("not_before").duration_since(instant("at")).as_secs();
        // What was asked for counts from the answer, which came a little before it was recorded.
        assert!((hours * 3_600 - 60..=hours * 3_600).contains(&waits), "{waits} s: {json}");
    }
}

#[test]
fn r18_a_pass_that_ends_before_the_trigger_is_due_does_not_wait_for_it() {
    let sandbox = Sandbox::of_pages(example().at("/feed.xml", feed([])));
    sandbox.pass();
    let asked = sandbox.asked();
    // Less than the minute for which a pass waits.
    sandbox.at_clock("+14m15s");
    let began = Instant::now();
    let report = sandbox.run(&["pass", "--for", "1s", "--json"]).expect(0).json();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(report[0]["trigger_due_at"].is_string(), "{report}");
    assert_eq!(sandbox.asked(), asked);
}

#[test]
fn explain_says_which_addresses_are_left_out_by_their_path() {
    let sandbox = Sandbox::of_pages(example().at("/feed.xml", feed([("a", A)])));
    sandbox.write("sources/example.toml", &format!("article_path = \"^/[0-9]+/\"\n{PAGES}"));
    let json = explains(&sandbox, A, &["does not match ^/[0-9]+/ (address-other-path)"], &[]);
    assert_eq!(json["article_path"]["code"], "address-other-path");
    explains(&sandbox, "https://www.example.test/2026/a", &[], &["article_path"]);
}

#[test]
fn r39_explain_promises_no_read_of_an_inactive_source() {
    let sandbox = Sandbox::of_pages(example().at("/feed.xml", feed([("a", A)])));
    sandbox.pass();
    sandbox.write("sources/example.toml", &format!("active = false\n{PAGES}"));
    let json = explains(
        &sandbox,
        A,
        &["inactive, so nothing is requested", "a: refused; not read as long as the source is inactive"],
        &["next pass", "due now", "due at"],
    );
    assert!(json["trigger"]["due_at"].is_null(), "{json}");
}

#[test]
fn output_that_nobody_reads_does_not_change_the_exit_code() {
    let run = |sandbox: &Sandbox, args: &[&str]| {
        let mut child = sandbox.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        Ran::of(&child.wait_with_output().unwrap())
    };
    let sandbox = Sandbox::of_pages(example().at("/feed.xml", feed([("a", A)])));
    // The article is not there.
    assert_eq!(run(&sandbox, &["pass", "--json"]).expect(1).stderr, "");
    assert_eq!(run(&sandbox, &["canon", "http://www.example.test/"]).expect(1).stderr, "");
    run(&sandbox, &["status"]).expect(0);
    run(&sandbox, &["show", "a"]).expect(2);
}

#[test]
fn json_is_one_value_whatever_the_command() {
    let sandbox = with_a_sealed();
    sandbox.write("robots.txt", "User-agent: *\nDisallow: /b\n");
    sandbox.write("a.html", &crate::support::article_html("a"));
    let two = "https://www.example.test/b";
    for args in [
        &["check"][..],
        &["status"],
        &["status", "--all"],
        &["explain", A],
        &["show", "a"],
        &["show", "a", "--format", "proof"],
        &["show", "a", "--format", "envelope"],
        &["verify"],
        &["verify", "a", A],
        &["vault", "stats"],
        &["vault", "reindex"],
        &["canon", A, two],
        &["robots", "robots.txt", "--agent", "Example", A, two],
        &["extract", "a.html", "--address", A],
        &["schema"],
        &["schema", "connector"],
        &["init", "fresh"],
        &["pass"],
    ] {
        let ran = sandbox.run(&[args, &["--json"]].concat()).expect(0);
        assert!(matches!(ran.json(), Value::Object(_) | Value::Array(_)), "{args:?}: {ran:?}");
    }
    let canon = sandbox.run(&["canon", "--json", A, "http://a.test"]).expect(1).json();
    assert_eq!(
        (&canon[0]["canonical"], &canon[1]["refused"]),
        (&Value::from(A), &Value::from("address-not-https"))
    );
    let verified = sandbox.run(&["verify", "--json", "a", A]).json();
    assert_eq!(verified.as_array().unwrap().len(), 2);
}

#[test]
fn status_says_how_much_it_leaves_out() {
    let articles: Vec<(String, String)> =
        (0..23).map(|number| (format!("n{number}"), format!("https://www.example.test/n{number}"))).collect();
    let items = articles.iter().map(|(identifier, address)| (identifier.as_str(), address.as_str()));
    // No article can be read where robots.txt forbids them all, and none is asked for: that is quick.
    let host = releve_lab::Host::new("www.example.test")
        .at("/robots.txt", Reply::ok("text/plain", "User-agent: *\nDisallow: /n\n"))
        .at("/feed.xml", feed(items));
    let sandbox = Sandbox::of_pages(host);
    sandbox.write("sources/example.toml", ADDRESSES);
    assert_eq!(sandbox.pass()["refused"], 23);
    let listed = |text: &str| text.lines().filter(|line| line.contains("robots-disallowed")).count();

    let text = sandbox.run(&["status"]).expect(0).stdout;
    assert_eq!(listed(&text), 20, "{text}");
    assert!(text.contains("and 3 more; `releve status --all` lists them"), "{text}");
    let json = sandbox.run(&["status", "--json"]).expect(0).json();
    assert_eq!(json[0]["refusals_left_out"], 3);

    let text = sandbox.run(&["status", "--all"]).expect(0).stdout;
    assert_eq!(listed(&text), 23, "{text}");
    assert!(!text.contains("more"), "{text}");
    let json = sandbox.run(&["status", "--all", "--json"]).expect(0).json();
    assert_eq!(json[0]["refusals"].as_array().unwrap().len(), 23);
    assert_eq!(json[0]["refusals_left_out"], 0);
}

#[test]
fn init_writes_all_or_nothing() {
    let dir = TempDir::new().unwrap();
    let init =
        |args: &[&str]| Ran::of(&releve().current_dir(dir.path()).arg("init").args(args).output().unwrap());
    fs::create_dir_all(dir.path().join("here/sources")).unwrap();
    fs::write(dir.path().join("here/sources/example.toml"), "mine").unwrap();
    let ran = init(&["here"]).expect(2);
    assert!(ran.stderr.contains("example.toml is there already; nothing was written"), "{}", ran.stderr);
    assert_eq!(names(&dir.path().join("here")), ["sources"]);

    let wrote = init(&["there", "--json"]).expect(0).json();
    assert_eq!(wrote["wrote"], serde_json::json!(["there/releve.toml", "there/sources/example.toml"]));
}

#[test]
fn the_demo_takes_no_other_lab_for_its_own() {
    let sandbox = with_a_sealed();
    let before = sandbox.files();
    let ran = Ran::of(&releve().args(["demo", "--dir"]).arg(sandbox.dir.path()).output().unwrap());
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("holds something else than a demo"), "{}", ran.stderr);
    assert!(sandbox.files() == before, "something was written");
}

#[test]
fn as_many_sources_are_read_at_once_as_the_system_allows_connections() {
    // More sources than files may be open, as the shell that starts the program has it.
    let names: Vec<String> = (0..40).map(|number| format!("s{number}")).collect();
    let host =
        |name: &String| releve_lab::Host::new(&format!("{name}.example.test")).at("/feed.xml", feed([]));
    let sandbox = Sandbox::new(names.iter().map(host));
    for name in &names {
        let source = PAGES.replace("www.", &format!("{name}.")).replace("\"example\"", &format!("{name:?}"));
        sandbox.write(&format!("sources/{name}.toml"), &source);
    }
    let shell = std::process::Command::new("sh")
        .args(["-c", "ulimit -S -n 48 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_releve")])
        .args(["--lab", "lab.toml", "pass"])
        .current_dir(sandbox.dir.path())
        .output()
        .unwrap();
    let ran = Ran::of(&shell).expect(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    assert_eq!(sandbox.asked().iter().filter(|asked| asked.ends_with("/feed.xml")).count(), names.len());
}

#[test]
fn status_says_what_stopped_the_last_pass() {
    let sandbox = Sandbox::of_pages(example().at("/feed.xml", Reply::status(404)));
    sandbox.run(&["pass"]).expect(1);
    let told = sandbox.run(&["status"]).expect(0).stdout;
    assert!(told.contains("example: the last pass: the trigger could not be read"), "{told}");
    assert!(told.contains("(status-404)"), "{told}");

    // What is over is told no more; and an article that is refused stops nothing.
    sandbox.lab.put("www.example.test", "/feed.xml", feed([("a", A)])).unwrap();
    sandbox.at_clock("+16m");
    sandbox.run(&["pass"]).expect(1);
    let told = sandbox.run(&["status"]).expect(0).stdout;
    assert!(!told.contains("the last pass:") && told.contains("example: a: "), "{told}");
}

#[test]
fn explain_quotes_the_line_of_robots_txt_after_its_number() {
    let robots = Reply::ok("text/plain", "User-agent: *\nDisallow: /a\n");
    let sandbox = Sandbox::of_pages(example().at("/robots.txt", robots).at("/feed.xml", feed([("a", A)])));
    sandbox.run(&["pass"]).expect(1);
    let told = sandbox.run(&["explain", A]).expect(0).stdout;
    assert!(told.contains("disallowed by line 2, in the general group: Disallow: /a\n"), "{told}");
}

#[test]
fn what_is_neither_an_address_nor_a_reason_is_not_explained() {
    let sandbox = with_a_sealed();
    for asked in ["robots-disallow", "www.example.test/a", "/a", ""] {
        let ran = sandbox.run(&["explain", asked]).expect(2);
        assert!(ran.stdout.is_empty() && ran.stderr.contains("neither a whole address"), "{ran:?}");
    }
}

#[test]
fn output_that_cannot_be_written_is_told_as_that() {
    let sandbox = with_a_sealed();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ran = Ran::of(&sandbox.command(&["status"]).stdout(full).output().unwrap()).expect(2);
    assert!(ran.stderr.starts_with("releve: cannot write to standard output: "), "{ran:?}");
}
