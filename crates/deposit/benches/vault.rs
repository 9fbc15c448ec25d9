//! How fast a vault on disk seals and verifies, and what the field's own library takes for the like.
//!
//! Units are of a page of 113 KiB, encoded beforehand where nothing else is said: what a connector does before it
//! deposits is not the vault's. The vault's own work is all in: the check of the proof, the index, and the sync,
//! whose bare rate on the same disk is beside it. Set `TMPDIR` to choose the disk.
//!
//! The peer is warcio (PyPI): a WARC file and an index in SQLite, both synced for each deposit, and `warcio check`
//! over our own segments. It checks no proof and keeps no chain. Without it those two say that they are skipped.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use releve_deposit::testing::{Specimen, TestClock, admission, roots};
use releve_deposit::{LocalOptions, LocalVault, Unit, Vault as _, Verify, verify};
use releve_proof::Context;

fn main() {
    divan::main();
}

const PAGE_BYTES: usize = 113 * 1024;

/// A page that compresses as pages do, to a quarter or so: words of no language.
fn page(number: u64) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::from("<!doctype html><title>A page</title>");
    while text.len() < PAGE_BYTES {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = (state >> 48) % 4_096;
        let _ = write!(text, "<p class=\"text\">w{word:x} ");
        for part in 0..8 {
            let _ = write!(text, "{:x} ", (state >> (part * 6)) % 700);
        }
    }
    text.truncate(PAGE_BYTES);
    text.into_bytes()
}

fn unit(number: u64) -> Unit {
    Specimen { envelope: page(number), ..Specimen::new(&number.to_string()) }.unit()
}

fn open(folder: &Path) -> LocalVault {
    let options = LocalOptions::new(admission(), TestClock::new().clock());
    LocalVault::open_or_create(folder, options).unwrap()
}

/// One depositor, which waits for each receipt.
#[divan::bench(sample_count = 20, sample_size = 10)]
fn deposits_one_waiting(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let next = Cell::new(0);
    bencher
        .counter(ItemsCount::new(1_usize))
        .with_inputs(|| {
            next.set(next.get() + 1);
            unit(next.get())
        })
        .bench_local_values(|unit| vault.deposit(&unit).unwrap());
}

/// The same from the parts of each deposit on: encoded, sealed, acknowledged.
#[divan::bench(sample_count = 20, sample_size = 10)]
fn deposits_one_waiting_from_parts(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let next = Cell::new(0);
    bencher
        .counter(ItemsCount::new(1_usize))
        .with_inputs(|| {
            next.set(next.get() + 1);
            let specimen = Specimen { envelope: page(next.get()), ..Specimen::new(&next.get().to_string()) };
            let proof = specimen.proof();
            (specimen, proof)
        })
        .bench_local_values(|(specimen, proof)| vault.deposit(&specimen.unit_with(&proof)).unwrap());
}

/// What the peer takes for the same.
#[divan::bench(sample_count = 20, sample_size = 10)]
fn deposits_one_waiting_from_parts_by_warcio(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut peer) = Peer::start(folder.path()) else { return };
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| peer.deposit(1));
}

/// Thirty-two depositors at once, each of which waits for each receipt.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn deposits_32_waiting(bencher: Bencher<'_, '_>) {
    const EACH: u64 = 8;
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    let next = Cell::new(0);
    bencher
        .counter(ItemsCount::new(32 * EACH))
        .with_inputs(|| {
            let from = next.replace(next.get() + 32 * EACH);
            (from..from + 32 * EACH).map(unit).collect::<Vec<_>>()
        })
        .bench_local_values(|units| {
            thread::scope(|scope| {
                for own in units.chunks(units.len() / 32) {
                    scope.spawn(|| own.iter().all(|unit| vault.deposit(unit).is_ok()));
                }
            });
        });
}

/// What the disk can do at best for one who waits: a unit's bytes appended, and synced.
#[divan::bench(sample_count = 20, sample_size = 10)]
fn syncs_alone(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().unwrap();
    let mut file = File::create(folder.path().join("file")).unwrap();
    let unit = unit(1);
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| {
        file.write_all(unit.bytes()).unwrap();
        file.sync_data().unwrap();
    });
}

/// From a deposit's parts to the bytes of its unit.
#[divan::bench(sample_count = 20, sample_size = 10)]
fn encode(bencher: Bencher<'_, '_>) {
    let specimen = Specimen { envelope: page(1), ..Specimen::new("1") };
    let proof = specimen.proof();
    bencher.counter(ItemsCount::new(1_usize)).bench_local(|| specimen.unit_with(&proof));
}

/// Everything that a verification checks, on one core.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn verified_units(bencher: Bencher<'_, '_>) {
    const UNITS: u64 = 500;
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    for number in 0..UNITS {
        vault.deposit(&unit(number)).unwrap();
    }
    let roots = roots();
    let options = Verify { folder: folder.path(), roots: Some(&roots), window: Context::WINDOW, heads: &[] };
    bencher.counter(ItemsCount::new(UNITS)).counter(BytesCount::new(UNITS * PAGE_BYTES as u64)).bench_local(
        || {
            let found = verify(&options, &mut |_| {}).unwrap();
            assert!(found.is_clean());
            assert_eq!(found.units, UNITS);
        },
    );
}

/// What the peer takes to recompute the digests of the same segments, its start included. It checks nothing else.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn checked_units_by_warcio(bencher: Bencher<'_, '_>) {
    const UNITS: u64 = 500;
    if !has_warcio() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let vault = open(folder.path());
    for number in 0..UNITS {
        vault.deposit(&unit(number)).unwrap();
    }
    let segment = folder.path().join("segments/000001.warc.gz");
    bencher.counter(ItemsCount::new(UNITS)).counter(BytesCount::new(UNITS * PAGE_BYTES as u64)).bench_local(
        || {
            let check = "import sys, warcio.cli; sys.exit(warcio.cli.main())";
            let checked =
                Command::new("python3").args(["-c", check, "check"]).arg(&segment).status().unwrap();
            assert!(checked.success());
        },
    );
}

/// Opening a vault whose index has a million units, and asking it for one of them. (The index then takes 344
/// bytes a unit.)
#[divan::bench(sample_count = 20, sample_size = 1)]
fn opens_with_a_million_units(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).deposit(&unit(0)).unwrap();
    // The one unit's row, a million times over, each under an identifier of its own.
    let index = rusqlite::Connection::open(folder.path().join("index.sqlite")).unwrap();
    let copied = index
        .execute(
            "WITH RECURSIVE more (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM more LIMIT 1000000)
             INSERT INTO unit
             SELECT sequence + at, source, at, 1, address || at, randomblob(32), previous, content, read_at, received_at,
                 seal, segment, offset, bytes
             FROM unit, more",
            [],
        )
        .unwrap();
    assert_eq!(copied, 1_000_000);
    drop(index);
    let key = Specimen::new("654321").key();
    bencher.bench_local(|| open(folder.path()).last_version(&key).unwrap().unwrap());
}

fn has_warcio() -> bool {
    let imported = Command::new("python3").args(["-c", "import warcio"]).stderr(Stdio::null()).status();
    let installed = imported.is_ok_and(|python| python.success());
    if !installed {
        println!("skipped: warcio is not installed");
    }
    installed
}

/// A process that keeps deposits in another way.
struct Peer {
    process: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    fn start(folder: &Path) -> Option<Self> {
        if !has_warcio() {
            return None;
        }
        let parts = folder.join("parts");
        fs::create_dir(&parts).unwrap();
        let specimen = Specimen { envelope: page(1), ..Specimen::new("1") };
        fs::write(parts.join("envelope"), &specimen.envelope).unwrap();
        fs::write(parts.join("article.json"), specimen.unit().article_json().to_string()).unwrap();
        fs::write(parts.join("proof.json"), specimen.proof().to_json()).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/warcio_vault.py");
        let mut process = Command::new("python3")
            .arg(script)
            .args([&parts, folder])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let asks = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut peer = Self { process, asks, answers };
        assert_eq!(peer.answer(), "ready");
        Some(peer)
    }

    fn deposit(&mut self, count: u64) {
        writeln!(self.asks, "{count}").unwrap();
        assert_eq!(self.answer(), "done");
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
