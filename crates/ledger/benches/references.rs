//! A ledger with many references: what it weighs, how fast it opens, notes, looks up and hands out.
//!
//! `cargo bench -p releve-ledger -- [REFERENCES]` (200,000 unless said otherwise; ten million take some minutes and
//! 5 GB beside the target folder).

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods)]

use std::{
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use releve_ledger::{
    Announced, Choice, Ledger, Outcome, Realm, Receipt, Sealed, SeenIn, SqliteLedger, Taking, ThisMachine,
};

const TTL: Duration = Duration::from_secs(24 * 60 * 60);
const BATCH: u64 = 1_000;

/// Spreads numbers over all 64 bits (the finaliser of splitmix64), so that references come in no order.
fn spread(number: u64) -> u64 {
    let mut bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

fn identifier(number: u64) -> String {
    format!("urn:article:{:016x}", spread(number))
}

fn announced(number: u64) -> Announced {
    let name = identifier(number);
    let address =
        format!("https://www.example.org/2026/03/politics/a-headline-of-some-length-{}.html", &name[12..]);
    Announced {
        identifier: name,
        address: Some(address.parse().unwrap()),
        seen_in: SeenIn::Backlog,
        published: Timestamp::from_second(1_700_000_000 - i64::try_from(number).unwrap()).ok(),
        modified: None,
    }
}

fn main() {
    let references = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(200_000_u64);
    let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let path = folder.path().join("ledger.sqlite");
    let open =
        || SqliteLedger::open_or_create(&path, Realm::Publishers, Arc::new(ThisMachine::look())).unwrap();
    let weight = || fs::metadata(&path).unwrap().len();
    let now = Timestamp::now();

    let ledger = open();
    let Taking::Taken(lock) = ledger.lock("example", now, TTL).unwrap() else { panic!("somebody has it") };
    let pass = ledger.begin_pass(&lock, now).unwrap();
    let start = Instant::now();
    for first in (0..references).step_by(usize::try_from(BATCH).unwrap()) {
        let batch: Vec<Announced> = (first..references.min(first + BATCH)).map(announced).collect();
        ledger.announce(&pass, &batch, now).unwrap();
    }
    let took = start.elapsed();
    println!("{references} references noted in {took:.1?}: {:.0} a second, each batch of {BATCH} synced", {
        f64::from(u32::try_from(references).unwrap()) / took.as_secs_f64()
    });

    let start = Instant::now();
    let sealed_count = 1_000.min(references);
    let mut entries = Vec::new();
    for _ in 0..sealed_count / 100 {
        let next = ledger.next_to_read(&pass, Choice::All, &[], now, 100).unwrap();
        for entry in next {
            let digest = std::array::from_fn(|_| 7);
            let sealed = Sealed {
                receipt: Receipt {
                    vault: "bench".to_owned(),
                    sequence: u64::try_from(entries.len()).unwrap(),
                    unit: digest,
                    seal: digest,
                    received_at: now,
                },
                content_key: digest,
                address: entry.address.clone().unwrap(),
            };
            ledger.record(&pass, &entry, &Outcome::Sealed { sealed, read_at: now }, now).unwrap();
            entries.push(entry);
        }
    }
    println!("{} handed out and recorded in {:.1?}, each synced", entries.len(), start.elapsed());
    println!("counts: {:?}", ledger.counts("example").unwrap());
    drop(ledger);

    let start = Instant::now();
    let ledger = open();
    println!("opened in {:.1?}", start.elapsed());
    for (what, offset) in [("known", 0), ("unknown", references)] {
        let names: Vec<String> = (0..BATCH).map(|n| identifier(offset + spread(n) % references)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let start = Instant::now();
        let known = ledger.known("example", &names).unwrap();
        println!("looked up {BATCH} {what} ones in {:.1?} ({known} known)", start.elapsed());
    }
    let batch: Vec<Announced> = (0..BATCH).map(|n| announced(spread(n + BATCH) % references)).collect();
    let start = Instant::now();
    let heard = ledger.announce(&pass, &batch, now).unwrap();
    println!("heard {BATCH} known ones again in {:.1?} ({heard:?})", start.elapsed());
    let start = Instant::now();
    let found = ledger.entries_at("example", batch[0].address.as_ref().unwrap()).unwrap();
    println!("found {} by address in {:.1?}", found.len(), start.elapsed());
    let start = Instant::now();
    let next = ledger.next_to_read(&pass, Choice::All, &[], now, 100).unwrap();
    println!("handed out {} in {:.1?}", next.len(), start.elapsed());
    drop(ledger);
    println!("{} bytes a queued reference", weight() / references);
}
