//! A disk that is full: said clearly, given up on in time, and forgotten when there is space.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read as _, copy, repeat};
use std::path::Path;
use std::process::Command;

use releve_lab::Reply;

use crate::support::{ADDRESSES, Sandbox, example, feed};

/// A small file system, as long as it lives.
struct Mounted<'a>(&'a Path);

impl<'a> Mounted<'a> {
    /// `None` where this process has no right to mount one.
    fn new(at: &'a Path, size: &str) -> Option<Self> {
        let options = format!("size={size}");
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "none"]).arg(at).output().ok()?;
        mount.status.success().then_some(Self(at))
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}

/// Runs a test again as the root of a name space of its own, who may mount there.
fn again_in_a_name_space(test: &str) {
    const IS_AGAIN: &str = "RELEVE_TEST_AGAIN";
    let unshare = || {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "--"]);
        command
    };
    let may = std::env::var_os(IS_AGAIN).is_none()
        && unshare().arg("true").status().is_ok_and(|status| status.success());
    if !may {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "a file system could not be mounted");
        println!("skipped: neither mount nor unshare is allowed here");
        return;
    }
    let this = std::env::current_exe().unwrap();
    let again =
        unshare().arg(this).args(["--exact", test, "--nocapture"]).env(IS_AGAIN, "1").output().unwrap();
    let out = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success() && out.contains("1 passed") && !out.contains("skipped:"), "{again:?}");
}

/// An article of words that hardly compress: a unit of it is some 200 KB.
fn long_article(number: u32) -> Reply {
    let mut state = u64::from(number) + 1;
    let mut text = String::new();
    while text.len() < 400_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let _ =
            write!(text, "{:016x}{}", state ^ (state >> 31), if state % 9 == 0 { "</p><p>" } else { " " });
    }
    let html = format!(
        "<!doctype html><title>Number {number}</title><article><h1>Number {number}</h1><p>{text}</p></article>"
    );
    Reply::ok("text/html", html)
}

#[test]
fn r24_a_full_disk_stops_the_pass_and_the_next_one_goes_on() {
    let addresses: Vec<String> = (0..5).map(|number| format!("https://www.example.test/{number}")).collect();
    let announced = |count: usize| feed(addresses.iter().take(count).map(|address| ("", address.as_str())));
    let mut host = example().at("/feed.xml", announced(1));
    for number in 0..5 {
        host = host.at(&format!("/{number}"), long_article(number));
    }
    let sandbox = Sandbox::of_pages(host);
    sandbox.write("sources/example.toml", ADDRESSES);
    let vault = sandbox.path("vault");
    fs::create_dir(&vault).unwrap();
    let Some(mounted) = Mounted::new(&vault, "4m") else {
        return again_in_a_name_space("full_disk::r24_a_full_disk_stops_the_pass_and_the_next_one_goes_on");
    };
    assert_eq!(sandbox.pass()["sealed"], 1);
    // There is room for the vault to be opened, and none for an article.
    let ballast = vault.join("ballast");
    let bytes = free_bytes(&vault) - 150_000;
    copy(&mut repeat(1).take(bytes), &mut File::create(&ballast).unwrap()).unwrap();

    sandbox.lab.put("www.example.test", "/feed.xml", announced(5)).unwrap();
    sandbox.at_clock("+16m");
    let ran = sandbox.run(&["pass", "--json"]).expect(1);
    let report = &ran.json()[0];
    assert_eq!(report["end"], "deposits-fail", "{report:#}");
    assert!(
        ran.stdout.contains("no space is left on the disk") && ran.stdout.contains("free some"),
        "{ran:?}"
    );
    // Nothing is lost, and nothing is wrong with what is there.
    sandbox.run(&["show", &addresses[0]]).expect(0);
    assert_eq!(sandbox.run(&["verify", "--json"]).expect(0).json()["units"], 1);

    fs::remove_file(&ballast).unwrap();
    sandbox.at_clock("+32m");
    assert_eq!(sandbox.pass()["sealed"], 4);
    let verified = sandbox.run(&["verify", "--json"]).expect(0).json();
    assert_eq!((&verified["units"], &verified["clean"]), (&5.into(), &true.into()));
    drop(mounted);
}

fn free_bytes(at: &Path) -> u64 {
    let df = Command::new("df").args(["--output=avail", "-B1"]).arg(at).output().unwrap();
    let text = String::from_utf8(df.stdout).unwrap();
    text.lines().nth(1).unwrap().trim().parse().unwrap()
}
