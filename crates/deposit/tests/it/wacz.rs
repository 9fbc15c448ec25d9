//! Exports: how much they hold, and of which vaults.

use std::fs;
use std::path::Path;
use std::process::Command;

use releve_deposit::testing::{Specimen, admission};
use releve_deposit::{Exported, MemoryVault, Since, Vault, VaultError, export_wacz};

use crate::tools::{Random, clock, open, seal};

fn export(vault: &dyn Vault, path: &Path) -> Result<Exported, VaultError> {
    export_wacz(vault, &Since::default(), clock()(), path)
}

#[test]
fn a_vault_of_another_make_is_exported_byte_for_byte_alike() {
    let folder = tempfile::tempdir().unwrap();
    let local = open(&folder.path().join("vault"));
    let memory = MemoryVault::new(admission(), clock());
    for number in 0..5 {
        let specimen = Specimen::new(&number.to_string());
        seal(&local, &specimen);
        memory.deposit(&specimen.unit()).unwrap();
    }
    let (one, other) = (folder.path().join("1.wacz"), folder.path().join("2.wacz"));
    let exported = export(&local, &one).unwrap();
    assert_eq!(exported.units, 5);
    assert_eq!(exported.bytes, fs::metadata(&one).unwrap().len());
    assert_eq!(export(&memory, &other).unwrap().units, 5);
    // Their receipts differ, since each has a chain of its own; they are in the list of pages alone.
    let archive = |path| {
        let bytes = fs::read(path).unwrap();
        let end = bytes.windows(20).position(|window| window == b"indexes/index.cdx.gz").unwrap();
        bytes[..end].to_vec()
    };
    assert!(archive(&one) == archive(&other));
}

#[test]
fn a_file_that_cannot_be_written_is_no_half_export() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(&folder.path().join("vault"));
    let path = folder.path().join("none.wacz");
    assert_eq!(export(&vault, &path).unwrap(), Exported::default());
    seal(&vault, &Specimen::new("1"));
    let error = export(&vault, &folder.path().join("missing/1.wacz")).unwrap_err();
    assert_eq!(error.code(), "vault-io");
    fs::write(&path, "mine").unwrap();
    assert_eq!(export(&vault, &path).unwrap_err().code(), "vault-io");
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    // Nor is anything lost that has the name of what an export is before it is whole.
    let partial = folder.path().join("1.wacz.partial");
    fs::write(&partial, "mine too").unwrap();
    assert_eq!(export(&vault, &folder.path().join("1.wacz")).unwrap_err().code(), "vault-io");
    assert_eq!(fs::read(&partial).unwrap(), b"mine too");
    fs::remove_file(&partial).unwrap();
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["none.wacz", "vault"]);
}

/// Where the child finds the vault; a test run without it has no child to be.
const FOLDER: &str = "RELEVE_EXPORT_FOLDER";

/// Not a test: what the next one starts, to have a process of its own to measure.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let vault = open(&folder.join("vault"));
    let peak = || -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    };
    let before = peak();
    assert_eq!(export(&vault, &folder.join("all.wacz")).unwrap().units, UNITS);
    println!("grown by {} kB", peak() - before);
}

const UNITS: u64 = 48;

#[test]
fn an_export_holds_one_unit_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(&folder.path().join("vault"));
    let mut random = Random(7);
    for number in 0..UNITS {
        // Hardly compressible: a unit is a megabyte, all of them are 48.
        let envelope = (0..1 << 20).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
        seal(&vault, &Specimen { envelope, ..Specimen::new(&number.to_string()) });
    }
    drop(vault);
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "wacz::child", "--nocapture"])
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&child.stdout);
    let grown = out.split("grown by ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    println!("an export of {UNITS} units of 1 MiB grew the process by {grown} kB");
    // A unit is held as bytes, as records and as envelope, and SQLite has 2 MiB of its own.
    assert!(grown.parse::<u64>().unwrap() < 12 * 1024, "{out}");
}
