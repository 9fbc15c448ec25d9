//! Bad input: each with a message that says where and what to do, and with its exit code.

use releve_lab::{Certificate, Host, Reply};

use crate::support::{PAGES, Ran, Sandbox, article, example, feed, releve};

#[track_caller]
fn says(ran: &Ran, code: i32, parts: &[&str]) {
    assert_eq!(ran.code, code, "{ran:#?}");
    for part in parts {
        assert!(ran.stderr.contains(part), "{part:?} is missing in {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

#[test]
fn a_configuration_that_is_not_there_or_broken() {
    let sandbox = Sandbox::of_pages(example());
    let ran = Ran::of(
        &releve().current_dir("/").args(["check", "--config", "/nowhere/releve.toml"]).output().unwrap(),
    );
    says(&ran, 2, &["/nowhere/releve.toml", "releve init"]);

    sandbox.write("releve.toml", "user_agent = \"x\"\nvalut = \"here\"\n");
    sandbox.write("sources/example.toml", &PAGES.replace("guid", "gid").replace("necessary", "neccessary"));
    // Everything that is wrong, in both files, at once.
    let ran = sandbox.run(&["check"]);
    says(
        &ran,
        2,
        &[
            "releve.toml:1:",
            "releve.toml:2:1",
            "vault",
            "sources/example.toml:4:1",
            "sources/example.toml:13:",
        ],
    );
}

#[test]
fn a_source_that_is_not_there() {
    let sandbox = Sandbox::of_pages(example());
    says(&sandbox.run(&["pass", "exmaple"]), 2, &["no source `exmaple`", "example"]);
}

#[test]
fn a_secret_that_is_missing() {
    let sandbox = Sandbox::of_pages(example());
    sandbox.write(
        "sources/example.toml",
        "name = \"example\"\nhosts = [\"www.example.test\"]\npreset = \"wordpress\"\n[article]\nby = \"cms-api\"\n\
         access = { header = \"Authorization\", from_env = \"RELEVE_TEST_NOT_SET\" }\n",
    );
    says(&sandbox.run(&["pass"]), 2, &["example", "RELEVE_TEST_NOT_SET"]);
    assert_eq!(sandbox.lab.connections(), 0);
    // It keeps no other source from being read.
    sandbox.lab.put("www.example.test", "/feed.xml", feed([])).unwrap();
    sandbox.write("sources/other.toml", &PAGES.replace("\"example\"", "\"other\""));
    let reports = sandbox.run(&["pass", "--json"]).expect(1).json();
    assert_eq!(
        (&reports[0]["end"], &reports[1]["end"]),
        (&"no-credential".into(), &"done".into()),
        "{reports}"
    );
}

#[test]
fn a_vault_or_ledger_that_cannot_be_used() {
    let sandbox = Sandbox::of_pages(example().at("/feed.xml", feed([])));
    sandbox.pass();
    let manifest = std::fs::read_to_string(sandbox.path("vault/vault.json")).unwrap();

    sandbox.write(
        "vault/vault.json",
        &manifest.replace("\"format\":1", "\"format\":99").replace("\"format\": 1", "\"format\": 99"),
    );
    says(&sandbox.run(&["pass"]), 2, &["vault", "format 99"]);
    sandbox.write("vault/vault.json", "{");
    says(&sandbox.run(&["verify"]), 2, &["vault.json"]);
    sandbox.write("vault/vault.json", &manifest);

    // What a lab made is used by nothing else.
    let ran = Ran::of(&releve().current_dir(sandbox.dir.path()).arg("verify").output().unwrap());
    says(&ran, 2, &["lab"]);
    let ran = Ran::of(&releve().current_dir(sandbox.dir.path()).arg("status").output().unwrap());
    says(&ran, 2, &["ledger.sqlite", "lab"]);

    sandbox.write("ledger.sqlite", "this is no database, and never was one: it is a letter to the editor");
    says(&sandbox.run(&["status"]), 2, &["ledger.sqlite"]);
}

#[test]
fn a_lab_run_reaches_only_what_its_file_lists() {
    let sandbox = Sandbox::of_pages(example());
    sandbox.write("sources/example.toml", &PAGES.replace("example.test", "example.org"));
    says(&sandbox.run(&["pass"]), 2, &["www.example.org", "lab file"]);
}

fn refused(host: Host, code: &str) {
    let sandbox = Sandbox::of_pages(host);
    let ran = sandbox.run(&["pass", "--json"]).expect(1);
    let refusals = ran.json()[0]["refusals"].clone();
    assert!(refusals.to_string().contains(code), "{code} is missing in {refusals}");
    assert!(sandbox.sealed().is_empty());
}

#[test]
fn a_feed_that_is_a_page() {
    refused(
        example().at("/feed.xml", Reply::ok("application/xml", "<!doctype html><html><body><p>Not found")),
        "feed",
    );
    refused(example().at("/feed.xml", article("a")), "media-type-unexpected");
}

#[test]
fn r16_certificates_that_do_not_convince() {
    // robots.txt cannot be had over such a connection, so nothing of the host is read.
    for (certificate, says) in [
        (Certificate::Expired, "expired"),
        (Certificate::SelfSigned, "no recognised authority"),
        (Certificate::WrongName, "does not cover that name"),
        (Certificate::NotYetValid, "not valid yet"),
    ] {
        let sandbox = Sandbox::of_pages(example().certificate(certificate));
        let ran = sandbox.run(&["pass", "--json"]).expect(1);
        let report = &ran.json()[0];
        assert_eq!(report["end"], "trigger-refused", "{report}");
        assert_eq!(report["refusals"][0]["code"], "robots-unreachable");
        assert!(report["refusals"][0]["reason"].as_str().unwrap().contains(says), "{says}: {report}");
        assert!(
            sandbox.lab.requests().is_empty(),
            "a request was sent over a connection that does not convince"
        );
    }
}

#[test]
fn r31_names_and_addresses_of_private_networks_are_no_hosts() {
    let sandbox = Sandbox::of_pages(example());
    for host in ["localhost", "192.168.0.7", "[::1]", "2130706433"] {
        sandbox.write("sources/example.toml", &PAGES.replace("www.example.test", host));
        says(&sandbox.run(&["pass"]), 2, &["sources/example.toml:3:"]);
    }
}

#[test]
fn output_that_nobody_reads_any_more_is_no_failure() {
    use std::process::Stdio;
    let sandbox = Sandbox::of_pages(example());
    let mut child =
        sandbox.command(&["schema"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    Ran::of(&child.wait_with_output().unwrap()).expect(0);
}

#[test]
fn a_vault_that_is_not_the_one_that_was_filled_is_not_begun_anew() {
    let sandbox = Sandbox::of_pages(
        example().at("/feed.xml", feed([("a", "https://www.example.test/a")])).at("/a", article("a")),
    );
    assert_eq!(sandbox.pass()["sealed"], 1);
    let old = sandbox.path("old");
    let copy =
        std::process::Command::new("cp").arg("-a").arg(sandbox.path("vault")).arg(&old).status().unwrap();
    assert!(copy.success());

    // Not mounted: an empty folder where the vault was. It stays empty.
    std::fs::rename(sandbox.path("vault"), sandbox.path("moved")).unwrap();
    std::fs::create_dir(sandbox.path("vault")).unwrap();
    sandbox.at_clock("+16m");
    says(&sandbox.run(&["pass"]), 2, &["there is no vault in", "mounted"]);
    std::fs::remove_dir(sandbox.path("vault")).unwrap();

    // Another vault, which is whole in itself.
    let ledger = sandbox.path("ledger.sqlite");
    std::fs::rename(&ledger, sandbox.path("ledger.away")).unwrap();
    sandbox.run(&["vault", "source", "activate", "example"]).expect(0);
    sandbox.run(&["verify"]).expect(0);
    std::fs::rename(sandbox.path("ledger.away"), &ledger).unwrap();
    for command in ["pass", "verify"] {
        says(&sandbox.run(&[command]), 2, &["another vault", "mounted"]);
    }
    std::fs::remove_dir_all(sandbox.path("vault")).unwrap();
    std::fs::rename(sandbox.path("moved"), sandbox.path("vault")).unwrap();

    // Restored from a copy that is older than the last deposit.
    sandbox.lab.put("www.example.test", "/feed.xml", feed([("b", "https://www.example.test/b")])).unwrap();
    sandbox.lab.put("www.example.test", "/b", article("b")).unwrap();
    assert_eq!(sandbox.pass()["sealed"], 1);
    std::fs::remove_dir_all(sandbox.path("vault")).unwrap();
    std::fs::rename(&old, sandbox.path("vault")).unwrap();
    sandbox.at_clock("+32m");
    says(&sandbox.run(&["pass"]), 2, &["older copy", "releve verify"]);
}

#[test]
fn what_would_steer_a_terminal_is_not_repeated() {
    let page = crate::support::article_html("a").replace("content='a'", "content='\u{1b}[31mred'");
    let sandbox = Sandbox::of_pages(
        example()
            .at("/feed.xml", feed([("a", "https://www.example.test/a")]))
            .at("/a", Reply::ok("text/html; charset=utf-8", page)),
    );
    for args in [["pass", "example"].as_slice(), &["status"]] {
        let ran = sandbox.run(args);
        assert!(ran.stdout.contains("red") && !ran.stdout.contains('\u{1b}'), "{ran:#?}");
    }
}
