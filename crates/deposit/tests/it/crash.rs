//! Processes that die, and disks that fail, in the middle of an append.
//!
//! The child is this very program, run again. It deposits fifty units and says on its standard output which
//! were acknowledged. Whatever is done to it, afterwards every acknowledged unit is there, nothing that is
//! not whole can be read, and the vault verifies.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use releve_deposit::testing::Specimen;
use releve_deposit::{DepositErrorKind, LocalOptions, LocalVault, Outcome, Since, Vault as _};
use releve_proof::Sha256;

use crate::tools::{Random, assert_clean, open, options, seal};

/// Where the child deposits; a test run without it has no child to be.
const FOLDER: &str = "RELEVE_CRASH_FOLDER";

const UNITS: usize = 50;

/// So small that the child begins five segments or so.
fn open_crashed(folder: &Path) -> Result<LocalVault, releve_deposit::VaultError> {
    LocalVault::open_or_create(folder, LocalOptions { segment_bytes_max: 40_000, ..options() })
}

fn specimens() -> impl Iterator<Item = Specimen> {
    (0..UNITS).map(|number| Specimen::new(&number.to_string()))
}

/// Not a test: what the other tests of this file start.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut out = std::io::stdout();
    let mut vault = None;
    for (number, specimen) in specimens().enumerate() {
        let unit = specimen.unit();
        if number % 10 == 0 {
            vault = None;
        }
        // As a pass does it: three attempts, then on to the next.
        for _ in 0..3 {
            vault = vault.or_else(|| open_crashed(Path::new(&folder)).ok());
            match vault.as_ref().map(|vault| vault.deposit(&unit)) {
                None => {}
                Some(Ok(outcome)) => {
                    // An answer that cannot be given is none.
                    let _ = writeln!(out, "acknowledged {}", outcome.receipt().digest);
                    break;
                }
                Some(Err(error)) => assert_eq!(error.kind(), DepositErrorKind::Failed, "{error:?}"),
            }
        }
    }
}

fn has_strace() -> bool {
    let installed =
        Command::new("strace").arg("--version").output().is_ok_and(|strace| strace.status.success());
    if !installed {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "strace is not installed");
        println!("skipped: strace is not installed");
    }
    installed
}

fn start(mut command: Command, folder: &Path) -> Child {
    command
        .args([
            &std::env::current_exe().unwrap().display().to_string(),
            "--exact",
            "crash::child",
            "--nocapture",
        ])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What the child says was acknowledged, to its end.
fn acknowledged(child: &mut Child) -> BTreeSet<Sha256> {
    let out = BufReader::new(child.stdout.take().unwrap());
    let lines = out.lines().map_while(Result::ok);
    lines.filter_map(|line| line.split_once("acknowledged ")?.1.parse().ok()).collect()
}

#[track_caller]
fn assert_nothing_lost(folder: &Path, acknowledged: &BTreeSet<Sha256>, what: &str) {
    let vault = open_crashed(folder).unwrap_or_else(|error| panic!("{what}: {error:?}"));
    for digest in acknowledged {
        let unit = vault.read(*digest).unwrap();
        assert_eq!(unit.map(|unit| unit.digest()), Some(*digest), "{what}");
    }
    let found = crate::tools::verified(folder, &[]);
    assert_eq!(found.faults, [], "{what}");
    for version in vault.list(&Since::default(), 1_000).unwrap() {
        vault.read(version.receipt.digest).unwrap().unwrap();
    }
    // It goes on where it was, and seals nothing twice.
    for specimen in specimens() {
        let outcome = vault.deposit(&specimen.unit()).unwrap();
        assert!(
            !acknowledged.contains(&specimen.unit().digest()) || matches!(outcome, Outcome::AlreadySealed(_))
        );
    }
    let versions = vault.list(&Since::default(), 1_000).unwrap();
    let keys: BTreeSet<_> = versions.iter().map(|version| version.key.clone()).collect();
    assert_eq!((versions.len(), keys.len()), (UNITS, UNITS), "{what}");
    assert_clean(folder, UNITS as u64);
}

#[test]
fn a_killed_process_loses_nothing_acknowledged() {
    let mut random = Random(0xdead);
    let mut counts = Vec::new();
    for _ in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let mut child = start(Command::new("env"), folder.path());
        let patience = Duration::from_millis(20 + random.below(400) as u64);
        let started = Instant::now();
        while started.elapsed() < patience && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        let acknowledged = acknowledged(&mut child);
        child.wait().unwrap();
        counts.push(acknowledged.len());
        assert_nothing_lost(folder.path(), &acknowledged, "killed at a random moment");
    }
    println!("acknowledged when killed: {counts:?}");
}

#[test]
fn processes_that_are_killed_beside_others_disturb_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let mut children: Vec<Child> = (0..3).map(|_| start(Command::new("env"), folder.path())).collect();
    std::thread::sleep(Duration::from_millis(150));
    children[0].kill().unwrap();
    let acknowledged: BTreeSet<Sha256> = children.iter_mut().flat_map(acknowledged).collect();
    for mut child in children {
        child.wait().unwrap();
    }
    assert_eq!(acknowledged.len(), UNITS);
    assert_nothing_lost(folder.path(), &acknowledged, "killed beside others");
}

/// Every call that changes what is on disk, and what is made of it: the process dies in it, or it fails once,
/// or it fails from then on.
///
/// The whole matrix takes a while (`RELEVE_CRASH=full`); a sample is taken otherwise.
#[test]
fn a_call_that_fails_or_kills_loses_nothing_acknowledged() {
    if !has_strace() {
        return;
    }
    let is_full = std::env::var("RELEVE_CRASH").as_deref() == Ok("full");
    let calls = ["write", "pwrite64", "fdatasync", "fsync", "ftruncate", "rename", "unlink"];
    // What fails for good fails from somewhere on; the full matrix need not begin it at every place.
    let faults = [
        ("signal=KILL", "", 1),
        ("error=EIO", "", 1),
        ("error=ENOSPC", "", 1),
        ("error=EIO", "+", 11),
        ("error=ENOSPC", "+", 11),
    ];
    let mut runs = 0;
    for call in calls {
        for (fault, from_then_on, step) in faults {
            let step = if is_full { step } else { 89 };
            let mut nth = if is_full { 1 } else { 3 };
            loop {
                let what = format!("{call}:{fault}:when={nth}{from_then_on}");
                let folder = tempfile::tempdir().unwrap();
                let log = folder.path().join("strace");
                let mut command = Command::new("strace");
                command.args(["-f", "-qq", "--seccomp-bpf", "-o"]).arg(&log);
                command.args(["-e", &format!("trace={call}"), "-e", &format!("inject={what}")]);
                let vault = folder.path().join("vault");
                let mut child = start(command, &vault);
                let acknowledged = acknowledged(&mut child);
                child.wait().unwrap();
                let log = fs::read_to_string(&log).unwrap();
                if !log.contains("INJECTED") && !log.contains("killed by SIGKILL") {
                    // The child made fewer such calls than that.
                    break;
                }
                assert_nothing_lost(&vault, &acknowledged, &what);
                runs += 1;
                nth += step;
            }
        }
    }
    println!("{runs} runs of {UNITS} deposits, each with one kind of fault");
    assert!(runs > 30);
}

/// An acknowledgement is worth what was on disk before it was given.
#[test]
fn an_acknowledgement_follows_on_the_sync() {
    if !has_strace() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("strace");
    let mut command = Command::new("strace");
    command
        .args(["-f", "-qq", "-y", "--seccomp-bpf", "-s", "20", "-e", "trace=write,fdatasync", "-o"])
        .arg(&log);
    let mut child = start(command, &folder.path().join("vault"));
    let acknowledged = acknowledged(&mut child);
    child.wait().unwrap();
    assert_eq!(acknowledged.len(), UNITS);
    let (mut unsynced, mut synced, mut answers) = (0, 0, 0);
    for line in fs::read_to_string(&log).unwrap().lines() {
        let call = line.split_whitespace().nth(1).unwrap_or_default();
        if line.contains(".warc.gz") && call.starts_with("write(") {
            unsynced += 1;
        } else if line.contains(".warc.gz") && call.starts_with("fdatasync(") && line.ends_with("= 0") {
            synced += unsynced;
            unsynced = 0;
        } else if line.contains("\"acknowledged ") {
            answers += 1;
            assert_eq!(unsynced, 0, "answer {answers} came before the sync: {line}");
            assert!(synced >= answers, "answer {answers} came before the write: {line}");
        }
    }
    assert_eq!(answers, UNITS);
}

#[test]
fn r24_a_full_disk_is_said_clearly_and_forgotten_when_there_is_space() {
    let folder = tempfile::tempdir().unwrap();
    let mount = folder.path().join("full");
    fs::create_dir(&mount).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=700k", "none"]).arg(&mount).status();
    if !mounted.is_ok_and(|status| status.success()) {
        return again_in_a_name_space(
            "crash::r24_a_full_disk_is_said_clearly_and_forgotten_when_there_is_space",
        );
    }
    let _unmount = Unmount(&mount);
    let ballast = mount.join("ballast");
    std::io::copy(&mut std::io::repeat(1).take(300_000), &mut File::create(&ballast).unwrap()).unwrap();

    let path = mount.join("vault");
    let vault = open(&path);
    let mut sealed = 0;
    let error = loop {
        match vault.deposit(&Specimen::new(&sealed.to_string()).unit()) {
            Ok(_) => sealed += 1,
            Err(error) => break error,
        }
    };
    assert!(sealed > 0);
    assert_eq!((error.kind(), error.code()), (DepositErrorKind::Failed, "disk-full"));
    let text = std::error::Error::source(&error).unwrap().to_string();
    assert!(text.contains("no space is left on the disk") && text.contains("free some"), "{text}");
    // It stays so, nothing is lost, and what is there can be read and verified.
    for _ in 0..10 {
        assert_eq!(vault.deposit(&Specimen::new("another").unit()).unwrap_err().code(), "disk-full");
    }
    assert!(vault.list(&Since::default(), 100).unwrap().len() >= sealed);
    let found = crate::tools::verified(&path, &[]);
    assert_eq!(found.faults, []);

    fs::remove_file(ballast).unwrap();
    for number in sealed..sealed + 5 {
        vault.deposit(&Specimen::new(&number.to_string()).unit()).unwrap();
    }
    seal(&vault, &Specimen::new("last"));
    drop(vault);
    assert!(open(&path).list(&Since::default(), 1_000).unwrap().len() >= sealed + 6);
    assert_eq!(crate::tools::verified(&path, &[]).faults, []);
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

struct Unmount<'a>(&'a Path);

impl Drop for Unmount<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}
