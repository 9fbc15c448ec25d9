//! The kept corpus, and what changing it at random for a while brings.
//!
//! `RELEVE_FUZZ_SECONDS` says for how long in all (a minute where `CI` is set, two seconds elsewhere), `RELEVE_FUZZ_TARGET`
//! keeps to one target, and `RELEVE_FUZZ_SEED` repeats a run. Where `CI` is set the seed is always the same, because chance
//! must not refuse a change that has no part in what it finds. What fails is written to `target/fuzz`, to be put into the
//! corpus once it is mended.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stdout, missing_docs)]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use releve_fuzz::{TARGETS, Target};

/// No input of these sizes may take longer, on a machine that does other things too.
const SLOW: Duration = Duration::from_secs(5);

/// Any number but nought does.
const SEED_IN_CI: u64 = 0x9E37_79B9_7F4A_7C15;

/// The longest input that is made.
const BYTES_MAX: usize = 64 * 1024;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files of a folder and those below it.
fn files(folder: &Path, found: &mut Vec<Vec<u8>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(fs::read(path).unwrap());
        }
    }
}

/// What a target begins with. Where the fixtures have its language, its corpus is a link to them.
fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    files(&root().join("fuzz/corpus").join(target.name), &mut seeds);
    assert!(!seeds.is_empty(), "the target {} has no corpus", target.name);
    seeds
}

/// Runs one input and keeps it if it fails.
fn run(target: &Target, input: &[u8]) {
    let began = Instant::now();
    let ran = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    let took = began.elapsed();
    if ran.is_err() || took > SLOW {
        let folder = root().join("target/fuzz");
        fs::create_dir_all(&folder).unwrap();
        let kept = folder.join(format!("{}-{}", target.name, input.len()));
        fs::write(&kept, input).unwrap();
        panic!("{} fails, or took {took:?}: the input is {}", target.name, kept.display());
    }
}

/// Numbers that look like chance (xorshift64*, Vigna 2016): the same ones for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16;
        usize::try_from(number).unwrap() % bound.max(1)
    }
}

/// Numbers at the edges of what types, calendars and clocks can hold, and beyond.
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "12",
    "24",
    "60",
    "99",
    "255",
    "9999",
    "65536",
    "1999999999",
    "4294967295",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999999",
];

/// An input changed in a few places.
fn change(input: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str], chance: &mut Chance) {
    for _ in 0..=chance.below(6) {
        let at = chance.below(input.len() + 1);
        let length = chance.below(64).min(input.len() - at);
        match chance.below(8) {
            0 if at < input.len() => input[at] ^= 1 << chance.below(8),
            1 if at < input.len() => input[at] = [0, 0xff, b'<', b'"', b'\n', b'{', 0x80][chance.below(7)],
            2 => drop(input.drain(at..at + length)),
            3 => {
                let piece = input[at..at + length].repeat(1 + chance.below(20));
                input.splice(at..at, piece);
            }
            4 => {
                let word = words[chance.below(words.len())];
                input.splice(at..at, word.repeat(1 + chance.below(3)).into_bytes());
            }
            5 => {
                let other = &seeds[chance.below(seeds.len())];
                let from = chance.below(other.len() + 1);
                let piece = other[from..(from + chance.below(512)).min(other.len())].to_vec();
                input.splice(at..at, piece);
            }
            6 => {
                // A number is followed through by what reads it, so another one takes its place.
                let begin = input.iter().skip(at).position(u8::is_ascii_digit).map_or(at, |found| at + found);
                let digits = input.iter().skip(begin).take_while(|byte| byte.is_ascii_digit()).count();
                input.splice(begin..begin + digits, NUMBERS[chance.below(NUMBERS.len())].bytes());
            }
            _ => input.truncate(at),
        }
    }
    input.truncate(BYTES_MAX);
}

#[test]
fn no_input_brings_a_parser_down() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let in_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    let seconds = number("RELEVE_FUZZ_SECONDS").unwrap_or(if in_ci { 60 } else { 2 });
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let chosen = if in_ci { SEED_IN_CI } else { u64::from(now.subsec_nanos()) };
    let seed = number("RELEVE_FUZZ_SEED").unwrap_or(chosen).max(1);
    println!("RELEVE_FUZZ_SEED={seed}");
    let only = std::env::var("RELEVE_FUZZ_TARGET").ok();
    let targets: Vec<_> =
        TARGETS.iter().filter(|target| only.as_deref().is_none_or(|only| only == target.name)).collect();
    assert!(!targets.is_empty(), "there is no target {only:?}");
    let each = Duration::from_secs(seconds) / u32::try_from(targets.len()).unwrap();
    for target in targets {
        let seeds = seeds(target);
        for input in &seeds {
            run(target, input);
        }
        let mut chance = Chance(seed);
        let began = Instant::now();
        let mut inputs = 0_u64;
        while began.elapsed() < each {
            let mut input = seeds[chance.below(seeds.len())].clone();
            change(&mut input, &seeds, target.words, &mut chance);
            run(target, &input);
            inputs += 1;
        }
        println!("{}: {} kept, {inputs} changed", target.name, seeds.len());
    }
}
