//! The vault on another machine: served by one process, deposited to by another, decided about by a third.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use releve_deposit::testing::{HOST, Specimen, roots};
use releve_deposit::{Outcome, Vault as _};
use releve_lab::Answer;
use releve_vault_http::{HttpVault, HttpVaultOptions};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{AGENT, Ran, Sandbox, article, example, feed, releve};

/// The machine that has the vault.
struct Machine {
    dir: TempDir,
    serving: Option<Serving>,
}

/// A server that runs, and what it has written.
struct Serving {
    child: Child,
    at: SocketAddr,
    log: Arc<Mutex<String>>,
}

impl Machine {
    /// A vault for the publishers of a lab, of which `write_lab` writes the files, and a certificate for `localhost`.
    fn new(write_lab: impl FnOnce(&Path)) -> Self {
        let dir = TempDir::new().unwrap();
        fs::create_dir(dir.path().join("sources")).unwrap();
        fs::write(dir.path().join("releve.toml"), format!("user_agent = {AGENT:?}\n")).unwrap();
        write_lab(dir.path());
        let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(dir.path().join("certificate.pem"), issued.cert.pem()).unwrap();
        fs::write(dir.path().join("private-key.pem"), issued.signing_key.serialize_pem()).unwrap();
        Self { dir, serving: None }
    }

    /// One for the publishers of a sandbox, an hour ahead of it, so that the connector's clock can be set off meanwhile.
    fn beside(sandbox: &Sandbox) -> Self {
        Self::at_clock(sandbox, "+1h")
    }

    fn at_clock(sandbox: &Sandbox, offset: &str) -> Self {
        Self::new(|folder| drop(sandbox.lab.write_files(folder, Some(offset)).unwrap()))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = releve();
        command.current_dir(self.dir.path()).args(["--lab", "lab.toml"]).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        Ran::of(&self.command(args).output().unwrap())
    }

    /// A new key for what is read of `example` at this host.
    fn key(&self, name: &str, host: &str) -> String {
        let ran = self.run(&["vault", "key", "add", name, "--permit", &format!("example={host}")]).expect(0);
        assert_eq!(ran.stderr, "");
        ran.stdout.trim_end().to_owned()
    }

    fn serve(&mut self, listen: &str, more: &[&str]) -> SocketAddr {
        let files = ["--certificate", "certificate.pem", "--private-key", "private-key.pem"];
        let mut command = self.command(&["vault", "serve", "--listen", listen]);
        let mut child =
            command.args(files).args(more).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        let at = first.strip_prefix("listening at ").unwrap_or_else(|| panic!("{first}")).trim_end().parse();
        let at = at.unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let written = Arc::clone(&log);
        thread::spawn(move || {
            for line in lines.lines() {
                *written.lock().unwrap() += &(line.unwrap() + "\n");
            }
        });
        self.serving = Some(Serving { child, at, log });
        at
    }

    /// Sends a signal to the server and waits for its end: its exit code, and what it has written.
    fn stop(&mut self, signal: &str) -> (Option<i32>, String) {
        let mut serving = self.serving.take().unwrap();
        let kill = Command::new("kill").args([signal, &serving.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let code = serving.child.wait().unwrap().code();
        let log = serving.log.lock().unwrap().clone();
        (code, log)
    }

    fn sealed_bytes(&self) -> Vec<u8> {
        fs::read(self.path("vault/segments/000001.warc.gz")).unwrap_or_default()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(mut serving) = self.serving.take() {
            drop(serving.child.kill());
            drop(serving.child.wait());
        }
    }
}

/// Lets the connector deposit at this address.
fn deposit_to(sandbox: &Sandbox, machine: &Machine, at: SocketAddr, key: &str) {
    fs::copy(machine.path("certificate.pem"), sandbox.path("vault-ca.pem")).unwrap();
    sandbox.write("vault.key", &format!("{key}\n"));
    sandbox.write(
        "releve.toml",
        &format!(
            "user_agent = {AGENT:?}\nvault = \"https://localhost:{}\"\nvault_key = {{ from_file = \"vault.key\" }}\n\
             vault_ca = \"vault-ca.pem\"\n",
            at.port()
        ),
    );
}

/// Five articles, and something done when one is asked for.
fn articles(asked_for: impl Fn(&str) + Send + Sync + 'static) -> Sandbox {
    let names = ["a", "b", "c", "d", "e"];
    let addresses = names.map(|name| format!("https://www.example.test/{name}"));
    let host = example().at("/feed.xml", feed(names.into_iter().zip(addresses.iter().map(String::as_str))));
    Sandbox::of_pages(host.otherwise(move |asked| -> Answer {
        let name = asked.target().trim_start_matches('/');
        asked_for(name);
        article(name).into()
    }))
}

/// A vault that is served and a connector that deposits there; `decide` is run on the vault's machine when `b` is asked for.
fn with_decision(decide: &'static [&'static str]) -> (Sandbox, Machine) {
    let vault_dir = Arc::new(Mutex::new(None::<PathBuf>));
    let at = Arc::clone(&vault_dir);
    let sandbox = articles(move |name| {
        // Once: what is decided later, the test decides.
        let dir = if name == "b" { at.lock().unwrap().take() } else { None };
        if let Some(dir) = dir {
            let ran = releve().current_dir(dir).args(["--lab", "lab.toml", "vault"]).args(decide).output();
            Ran::of(&ran.unwrap()).expect(0);
        }
    });
    let mut machine = Machine::beside(&sandbox);
    *vault_dir.lock().unwrap() = Some(machine.dir.path().to_owned());
    let key = machine.key("north", "www.example.test");
    let at = machine.serve("127.0.0.1:0", &[]);
    deposit_to(&sandbox, &machine, at, &key);
    (sandbox, machine)
}

#[test]
fn a_connector_deposits_to_a_vault_on_another_machine() {
    let sandbox = articles(|_| {});
    let mut machine = Machine::beside(&sandbox);
    let key = machine.key("north", "www.example.test");
    let at = machine.serve("127.0.0.1:0", &[]);
    deposit_to(&sandbox, &machine, at, &key);
    let output = sandbox.command(&["pass", "--json"]).env("RELEVE_LOG", "trace").output().unwrap();
    let ran = Ran::of(&output).expect(0);
    assert_eq!((&ran.json()[0]["sealed"], &ran.json()[0]["end"]), (&5.into(), &"done".into()), "{ran:?}");
    assert!(!sandbox.path("vault").exists(), "there is no vault here");

    // What lies there is checked there, offline, as any other.
    assert!(machine.run(&["verify"]).expect(0).stdout.contains("nothing is wrong"));
    assert!(machine.run(&["show", "a"]).expect(0).stdout.contains("The town council met on Tuesday"));
    let ran = sandbox.run(&["show", "a"]).expect(2);
    assert!(ran.stderr.contains("on the machine that has its folder"), "{}", ran.stderr);

    // The same again seals nothing, and a new text is a version on top of the one that is there.
    let corrected = article("a");
    sandbox.lab.put("www.example.test", "/a", corrected.header("X-Corrected", "yes")).unwrap();
    sandbox.at_clock("+16m");
    assert_eq!(sandbox.pass()["sealed"], 0);

    let (code, log) = machine.stop("-TERM");
    assert_eq!(code, Some(0));
    let lines: Vec<&str> = log.lines().collect();
    let sealed: Vec<_> = lines.iter().filter(|line| line.contains(" 201 sealed ")).collect();
    assert_eq!(sealed.len(), 5, "{log}");
    assert!(lines.iter().all(|line| line.contains(" north ")), "{log}");
    assert!(sealed[0].contains(" PUT /v1/deposits/"), "{log}");
    // The key is in the file that it was put into, and nowhere else.
    let everywhere = format!("{} {} {log}", ran.stdout, String::from_utf8_lossy(&output.stderr));
    assert!(!everywhere.contains(&key));
    let folders = [sandbox.files(), files(machine.dir.path())].concat();
    for (path, bytes) in folders.iter().filter(|(path, _)| !path.ends_with("vault.key")) {
        assert!(!bytes.windows(key.len()).any(|window| window == key.as_bytes()), "in {}", path.display());
    }
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            files.push((path.clone(), fs::read(path).unwrap()));
        }
    }
    files
}

#[test]
fn r16_it_is_the_vaults_clock_that_an_instant_is_held_against() {
    for (offset, code) in [("-5m", "read-after-receipt"), ("+169h", "read-too-long-ago")] {
        let sandbox = articles(|_| {});
        let mut machine = Machine::at_clock(&sandbox, offset);
        let key = machine.key("north", "www.example.test");
        let at = machine.serve("127.0.0.1:0", &[]);
        deposit_to(&sandbox, &machine, at, &key);
        let report = sandbox.pass();
        assert_eq!((&report["end"], &report["sealed"]), (&"done".into(), &0.into()), "{report}");
        // Each is told once: what would be refused again is not offered again (R23).
        assert_eq!(codes(&report), [code; 5]);
        let (_, log) = machine.stop("-TERM");
        assert_eq!(log.lines().filter(|line| line.contains(&format!(" 422 {code} "))).count(), 5, "{log}");
        assert!(machine.sealed_bytes().is_empty());
    }
}

#[test]
fn r39_a_key_that_is_revoked_ends_the_pass_under_way_and_every_later_one() {
    let (sandbox, machine) = with_decision(&["key", "revoke", "north"]);
    let ran = sandbox.run(&["pass", "--json"]).expect(1);
    let report = &ran.json()[0];
    assert_eq!((&report["end"], &report["sealed"]), (&"vault-closed".into(), &1.into()), "{report}");
    assert_eq!(codes(report), ["key-revoked"]);
    assert_eq!(targets(&sandbox), ["/robots.txt", "/feed.xml", "/a", "/b"], "after b nothing is read");
    let sealed = machine.sealed_bytes();

    // Later passes ask nobody anything, and say what to do.
    sandbox.at_clock("+16m");
    let ran = sandbox.run(&["pass"]).expect(2);
    assert!(ran.stderr.contains("`north` is revoked: ask the operator"), "{}", ran.stderr);
    assert_eq!(sandbox.asked().len(), 4);
    assert_eq!(machine.sealed_bytes(), sealed, "bit for bit");
    assert!(machine.run(&["verify"]).expect(0).stdout.contains("nothing is wrong"));

    // With a key in force it goes on where it stopped.
    sandbox.write("vault.key", &machine.key("north-2", "www.example.test"));
    let report = sandbox.pass();
    assert_eq!((&report["end"], &report["sealed"]), (&"done".into(), &4.into()), "{report}");
    assert_eq!(&machine.sealed_bytes()[..sealed.len()], sealed, "what was sealed is where it was");
}

#[test]
fn r39_a_source_that_is_deactivated_in_the_vault_is_deposited_no_more_and_then_not_even_read() {
    let (sandbox, machine) = with_decision(&["source", "deactivate", "example"]);
    let report = sandbox.pass();
    assert_eq!((&report["end"], &report["sealed"]), (&"vault-closed".into(), &1.into()), "{report}");
    assert_eq!(codes(&report), ["source-inactive"]);
    let asked = sandbox.asked().len();
    assert_eq!(asked, 4);
    let sealed = machine.sealed_bytes();

    // Interpretation: the operator of the vault is an operator too, so that his decision has both halves: deposits are
    // refused, and a connector that asks first requests nothing at all.
    sandbox.at_clock("+16m");
    let report = sandbox.pass();
    assert_eq!(report["end"], "vault-closed", "{report}");
    assert!(report["detail"].as_str().unwrap().contains("`example` is inactive"), "{report}");
    assert_eq!(sandbox.asked().len(), asked, "nothing is requested");
    assert_eq!(machine.sealed_bytes(), sealed, "bit for bit");
    let listed = machine.run(&["vault", "source", "list", "--json"]).expect(0).json();
    assert_eq!(listed["sources"][0]["source"], "example");
    assert!(listed["sources"][0]["inactive_since"].is_string(), "{listed}");

    machine.run(&["vault", "source", "activate", "example"]).expect(0);
    let report = sandbox.pass();
    assert_eq!((&report["end"], &report["sealed"]), (&"done".into(), &4.into()), "{report}");
    assert_eq!(&machine.sealed_bytes()[..sealed.len()], sealed);
}

#[test]
fn r39_a_source_that_is_deactivated_in_a_vault_on_disk_is_not_read_either() {
    let sandbox = articles(|_| {});
    sandbox.run(&["vault", "source", "deactivate", "example"]).expect(0);
    let report = sandbox.pass();
    assert_eq!(report["end"], "vault-closed", "{report}");
    assert!(sandbox.asked().is_empty());
    let listed = sandbox.run(&["vault", "source", "list"]).expect(0).stdout;
    assert!(listed.contains("example  inactive since "), "{listed}");
    let again = sandbox.run(&["vault", "source", "deactivate", "example"]).expect(0).stdout;
    assert_eq!(again, "`example` was inactive already\n");
    sandbox.run(&["vault", "source", "activate", "example"]).expect(0);
    assert_eq!(sandbox.pass()["sealed"], 5);
}

fn codes(report: &Value) -> Vec<&str> {
    report["refusals"].as_array().unwrap().iter().map(|refusal| refusal["code"].as_str().unwrap()).collect()
}

fn targets(sandbox: &Sandbox) -> Vec<String> {
    sandbox.lab.requests().iter().map(|asked| asked.target().to_owned()).collect()
}

#[test]
fn r23_a_vault_that_restarts_within_a_pass_is_offered_the_deposit_again() {
    let server = Arc::new(Mutex::new(None::<Machine>));
    let restarting = Arc::clone(&server);
    let sandbox = articles(move |name| {
        if name != "b" {
            return;
        }
        let restarting = Arc::clone(&restarting);
        let mut machine = restarting.lock().unwrap().take().unwrap();
        let listen = machine.serving.as_ref().unwrap().at.to_string();
        machine.stop("-KILL");
        thread::spawn(move || {
            sleep(Duration::from_millis(700));
            machine.serve(&listen, &[]);
            *restarting.lock().unwrap() = Some(machine);
        });
    });
    let mut machine = Machine::beside(&sandbox);
    let key = machine.key("north", "www.example.test");
    let at = machine.serve("127.0.0.1:0", &[]);
    deposit_to(&sandbox, &machine, at, &key);
    *server.lock().unwrap() = Some(machine);
    let report = sandbox.pass();
    assert_eq!((&report["end"], &report["sealed"]), (&"done".into(), &5.into()), "{report}");
    assert_eq!(targets(&sandbox).iter().filter(|target| *target == "/b").count(), 1, "the bytes were held");
    let machine = server.lock().unwrap().take().unwrap();
    let verified = machine.run(&["verify", "--json"]).expect(0).json();
    assert_eq!(verified["units"], 5, "{verified}");
}

#[test]
fn r24_a_vault_that_is_gone_stops_the_pass_after_ten_attempts() {
    let server = Arc::new(Mutex::new(None::<Machine>));
    let stopping = Arc::clone(&server);
    let sandbox = articles(move |name| {
        if name == "a" {
            stopping.lock().unwrap().as_mut().unwrap().stop("-KILL");
        }
    });
    let mut machine = Machine::beside(&sandbox);
    let key = machine.key("north", "www.example.test");
    let at = machine.serve("127.0.0.1:0", &[]);
    deposit_to(&sandbox, &machine, at, &key);
    *server.lock().unwrap() = Some(machine);
    let report = sandbox.pass();
    // Three attempts for each of three articles, and one for the fourth.
    assert_eq!((&report["end"], &report["sealed"]), (&"deposits-fail".into(), &0.into()), "{report}");
    assert_eq!(codes(&report), ["vault-store"; 4]);
    assert_eq!(targets(&sandbox).last().unwrap(), "/d");

    // The next one finds that out before it asks a publisher anything.
    sandbox.at_clock("+16m");
    let asked = sandbox.asked().len();
    let ran = sandbox.run(&["pass"]).expect(2);
    assert!(ran.stderr.contains("could not use the vault https://localhost:"), "{}", ran.stderr);
    assert_eq!(sandbox.asked().len(), asked);
}

#[test]
fn a_vault_that_is_not_the_one_that_was_deposited_to_is_not_begun_anew() {
    let sandbox = articles(|_| {});
    assert_eq!(sandbox.pass()["sealed"], 5);
    let mut machine = Machine::beside(&sandbox);
    let key = machine.key("north", "www.example.test");
    let at = machine.serve("127.0.0.1:0", &[]);
    deposit_to(&sandbox, &machine, at, &key);
    let ran = sandbox.run(&["pass"]).expect(2);
    assert!(ran.stderr.contains("is another vault than the one"), "{}", ran.stderr);

    // And a laboratory's is for laboratory runs, on the network as on disk.
    let elsewhere = TempDir::new().unwrap();
    fs::create_dir(elsewhere.path().join("sources")).unwrap();
    for name in ["releve.toml", "vault.key", "vault-ca.pem"] {
        fs::copy(sandbox.path(name), elsewhere.path().join(name)).unwrap();
    }
    let ran = Ran::of(&releve().current_dir(elsewhere.path()).arg("pass").output().unwrap()).expect(2);
    assert!(ran.stderr.contains("is a laboratory's vault"), "{}", ran.stderr);
}

#[test]
fn a_key_that_cannot_be_read_is_told_without_a_word_of_it() {
    let sandbox = articles(|_| {});
    let mut machine = Machine::beside(&sandbox);
    let key = machine.key("north", "www.example.test");
    let at = machine.serve("127.0.0.1:0", &[]);
    for (held, says) in [
        ("", "holds no secret: it is empty"),
        ("s3cret-but-no-key", "the file vault.key holds no connector key: not a connector key"),
    ] {
        deposit_to(&sandbox, &machine, at, held);
        sandbox.write("vault.key", held);
        // `check` says so beforehand, offline.
        assert!(sandbox.run(&["check"]).expect(1).stdout.contains(says));
        let ran = sandbox.run(&["pass"]).expect(2);
        assert!(ran.stderr.contains(says) && !ran.stderr.contains("s3cret"), "{}", ran.stderr);
    }
    fs::remove_file(sandbox.path("vault.key")).unwrap();
    let ran = sandbox.run(&["pass"]).expect(2);
    assert!(ran.stderr.contains("the file vault.key cannot be read"), "{}", ran.stderr);
    // From the environment it works as well.
    let config = fs::read_to_string(sandbox.path("releve.toml")).unwrap();
    sandbox.write(
        "releve.toml",
        &config.replace("from_file = \"vault.key\"", "from_env = \"EXAMPLE_VAULT_KEY\""),
    );
    let output = sandbox.command(&["pass", "--json"]).env("EXAMPLE_VAULT_KEY", &key).output().unwrap();
    assert_eq!(Ran::of(&output).expect(0).json()[0]["sealed"], 5);
    // An authority that did not issue the vault's certificate is none.
    fs::copy(sandbox.path("ca.pem"), sandbox.path("vault-ca.pem")).unwrap();
    let output = sandbox.command(&["pass"]).env("EXAMPLE_VAULT_KEY", &key).output().unwrap();
    let ran = Ran::of(&output).expect(2);
    assert!(ran.stderr.contains("certificate"), "{}", ran.stderr);
}

#[test]
fn keys_are_made_listed_and_revoked() {
    let sandbox = articles(|_| {});
    let machine = Machine::beside(&sandbox);
    let add = [
        "vault",
        "key",
        "add",
        "north",
        "--permit",
        "example=www.example.test,*.example.net:8443",
        "--permit",
    ];
    let made = machine.run(&[add.as_slice(), &["other=www.example.org", "--json"]].concat()).expect(0).json();
    let key = made["key"].as_str().unwrap();
    assert_eq!((made["name"].as_str().unwrap(), key.len()), ("north", 64));
    let again = machine.run(&[add.as_slice(), &["other=www.example.org"]].concat()).expect(2);
    assert!(again.stderr.contains("names are given once"), "{}", again.stderr);
    for (args, says) in [
        (vec!["vault", "key", "add", "south"], "--permit"),
        (vec!["vault", "key", "add", "south", "--permit", "example"], "an equals sign"),
        (vec!["vault", "key", "add", "south", "--permit", "example=192.0.2.1"], "192.0.2.1"),
        (vec!["vault", "key", "add", "south", "--permit", "A B=www.example.org"], "a source's name"),
        (vec!["vault", "key", "add", "a b", "--permit", "example=www.example.org"], "a key's name"),
        (vec!["vault", "key", "revoke", "south"], "no key `south` is in force"),
    ] {
        let ran = machine.run(&args).expect(2);
        assert!(ran.stderr.contains(says), "{args:?}: {}", ran.stderr);
    }
    let revoked = machine.run(&["vault", "key", "revoke", "north", "--json"]).expect(0).json();
    assert_eq!(revoked, serde_json::json!({ "name": "north", "revoked": true }));
    let listed = machine.run(&["vault", "key", "list", "--json"]).expect(0).json();
    assert!(listed["keys"][0]["revoked_at"].is_string() && !listed.to_string().contains(key), "{listed}");
    let permits = &listed["keys"][0]["permits"];
    assert_eq!(
        permits[0]["hosts"],
        serde_json::json!(["*.example.net:8443", "www.example.test"]),
        "{listed}"
    );
    let listed = machine.run(&["vault", "key", "list"]).expect(0).stdout;
    assert!(listed.contains("north") && listed.contains("revoked 2") && !listed.contains(key), "{listed}");
}

#[test]
fn a_vault_that_cannot_be_served_says_why() {
    let sandbox = articles(|_| {});
    let machine = Machine::beside(&sandbox);
    let serve = |listen: &str, certificate: &str, private_key: &str| {
        let files = ["--certificate", certificate, "--private-key", private_key];
        machine.run(&[["vault", "serve", "--listen", listen].as_slice(), &files].concat()).expect(2).stderr
    };
    let missing = serve("127.0.0.1:0", "missing.pem", "private-key.pem");
    assert!(missing.contains("cannot read missing.pem"), "{missing}");
    let none = serve("127.0.0.1:0", "releve.toml", "private-key.pem");
    assert!(none.contains("the certificate cannot be used"), "{none}");
    let exchanged = serve("127.0.0.1:0", "certificate.pem", "certificate.pem");
    assert!(exchanged.contains("private key cannot be used"), "{exchanged}");
    let nowhere = serve("192.0.2.1:1", "certificate.pem", "private-key.pem");
    assert!(nowhere.contains("cannot listen at 192.0.2.1:1"), "{nowhere}");
    // What is served is a folder, and nobody else's vault.
    fs::write(
        machine.path("releve.toml"),
        fs::read_to_string(sandbox.path("releve.toml")).unwrap()
            + "vault = \"https://vault.example.org\"\nvault_key = { from_env = \"X\" }\n",
    )
    .unwrap();
    let network = serve("127.0.0.1:0", "certificate.pem", "private-key.pem");
    assert!(network.contains("on the machine that has its folder"), "{network}");
}

/// The most memory that a process had, in bytes.
fn memory_max(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

#[test]
fn two_hundred_depositors_at_once_take_no_more_memory_than_was_given() {
    const DEPOSITORS: usize = 200;
    const UNIT_BYTES: usize = 1 << 20;
    let mut machine = Machine::new(|folder| {
        fs::write(folder.join("ca.pem"), roots().to_pem()).unwrap();
        let lab = "root = \"ca.pem\"\n[hosts]\n\"www.example.test\" = \"127.0.0.2:4443\"\n";
        fs::write(folder.join("lab.toml"), lab).unwrap();
    });
    let key = machine.key("north", HOST);
    let at = machine.serve("127.0.0.1:0", &["--memory-mib", "64"]);
    let before = memory_max(&machine.serving.as_ref().unwrap().child);
    let vault = HttpVault::new(HttpVaultOptions {
        address: format!("https://localhost:{}", at.port()).parse().unwrap(),
        key: key.parse().unwrap(),
        authority_pem: Some(fs::read(machine.path("certificate.pem")).unwrap()),
        clock: Arc::new(Timestamp::now),
    })
    .unwrap();
    let mut state = 1_u64;
    let noise: Vec<u8> = (0..UNIT_BYTES)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state.to_be_bytes()[0]
        })
        .collect();
    let units: Vec<_> = (0..DEPOSITORS)
        .map(|number| {
            let read_at = Timestamp::from_millisecond(Timestamp::now().as_millisecond() - 60_000).unwrap();
            Specimen { envelope: noise.clone(), lab: true, read_at, ..Specimen::new(&number.to_string()) }
                .unit()
        })
        .collect();
    let began = Instant::now();
    thread::scope(|scope| {
        let depositors: Vec<_> = units.iter().map(|unit| scope.spawn(|| vault.deposit(unit))).collect();
        for depositor in depositors {
            assert!(matches!(depositor.join().unwrap().unwrap(), Outcome::Sealed(_)));
        }
    });
    let took = began.elapsed();
    let after = memory_max(&machine.serving.as_ref().unwrap().child);
    println!(
        "{DEPOSITORS} depositors of {UNIT_BYTES} bytes each in {took:.1?}: VmHWM {} MiB before, {} MiB after, 64 MiB given",
        before >> 20,
        after >> 20
    );
    // Beside what is given stand the buffers and the TLS of two hundred connections. Without a bound it would be 300 MiB.
    assert!(after - before < 192 << 20, "{} MiB", (after - before) >> 20);
    let verified = machine.run(&["verify", "--json"]).expect(0).json();
    assert_eq!(verified["units"], DEPOSITORS, "{verified}");
}
