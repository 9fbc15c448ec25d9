//! What parsing and judging cost, beside the crates `robotstxt` and `texting_robots`.
//!
//! The goals, on one core of an ordinary server: a file of 500 KiB parsed in 3 ms, a path judged by a real
//! file in 2 µs, by 17,000 prefixes in 250 ns, by 14,000 patterns with stars in 1 ms, and 8 KiB of path by a
//! pattern with a hundred stars in 1 ms.
//!
//! `robotstxt` cannot keep a file that it parsed, so it parses it for each question. `texting_robots` keeps
//! one agent's rules. The real files are read from the folder that `RELEVE_CASES` names; without it their
//! benchmark is left out.
#![allow(clippy::unwrap_used, clippy::wildcard_imports)]
#![allow(clippy::disallowed_methods, reason = "the environment says where the real files lie")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;

use divan::{Bencher, black_box};
use releve_robots::{AccessScope, BYTES_MAX, ProductToken, RobotsTxt};
use robotstxt::DefaultMatcher;
use texting_robots::Robot;

fn main() {
    divan::main();
}

const AGENT: &str = "Example-Bot";
const HOST: &str = "https://www.example.org";

static TOKEN: LazyLock<ProductToken> = LazyLock::new(|| AGENT.parse().unwrap());

fn judge_ours(robots: &RobotsTxt, path: &str) -> bool {
    robots.judge(&TOKEN, AccessScope::NamedElseGeneral, path).allowed
}

fn judge_robotstxt(file: &str, address: &str) -> bool {
    DefaultMatcher::default().one_agent_allowed_by_robots(file, AGENT, address)
}

/// Numbers that look like chance and are the same each time (a linear congruential generator of Knuth's).
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn word(&mut self) -> String {
        let letter = |number: u64| b"etaoinshrdlu".get(usize::try_from(number).unwrap());
        (0..3 + self.below(6))
            .filter_map(|_| letter(self.below(12)))
            .map(|&letter| char::from(letter))
            .collect()
    }
}

/// A file as large as is read: groups for many bots and one for all, prefixes, stars, comments, delays.
static LARGE: LazyLock<String> = LazyLock::new(|| {
    let mut chance = Chance(1);
    let mut file = String::new();
    while file.len() < BYTES_MAX - 100 {
        match chance.below(40) {
            0 => write!(file, "\nUser-agent: {}\nUser-agent: {}-bot\n", chance.word(), chance.word()),
            1 => writeln!(file, "\nUser-agent: *"),
            2 => writeln!(file, "Crawl-delay: {}", chance.below(10)),
            3 => writeln!(file, "# {} {}", chance.word(), chance.word()),
            4 => writeln!(file, "Disallow: /*?{}=", chance.word()),
            5 => writeln!(file, "Allow: /{}/*.{}$", chance.word(), chance.word()),
            _ => writeln!(file, "Disallow: /{}/{}/", chance.word(), chance.word()),
        }
        .unwrap();
    }
    file
});

/// 17,000 prefixes in the general group.
static PREFIXES: LazyLock<String> = LazyLock::new(|| {
    let mut chance = Chance(2);
    let rules = (0..17_000).flat_map(|_| {
        ["Disallow: /".to_owned(), chance.word(), "/".to_owned(), chance.word(), "\n".to_owned()]
    });
    std::iter::once("User-agent: *\n".to_owned()).chain(rules).collect()
});

/// 14,000 patterns with stars in the general group, none of which matches.
static WILDCARDS: LazyLock<String> = LazyLock::new(|| {
    let mut chance = Chance(3);
    let rules = (0..14_000).flat_map(|_| {
        ["Disallow: /*/".to_owned(), chance.word(), "-x*/".to_owned(), chance.word(), "\n".to_owned()]
    });
    std::iter::once("User-agent: *\n".to_owned()).chain(rules).collect()
});

/// An article's path, as long as they are.
const ARTICLE: &str = "/tests/hereunto/2026/03/the-old-house-at-the-river-is-sold-1234567.html?ref=start";

/// A pattern with a hundred stars, and a path of 8 KiB that it fails to match at its very end.
static STARS: LazyLock<(String, String)> = LazyLock::new(|| {
    (format!("User-agent: *\nDisallow: /{}b$\n", "*a".repeat(100)), format!("/{}", "a".repeat(8 * 1024 - 1)))
});

static REAL: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let Some(cases) = std::env::var_os("RELEVE_CASES") else { return vec![] };
    let entries = std::fs::read_dir(PathBuf::from(cases).join("robots/real")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
    files.map(|path| std::fs::read(path).unwrap()).collect()
});

mod parse_500_kib {
    use super::*;

    #[divan::bench]
    fn releve(bencher: Bencher<'_, '_>) {
        bencher.bench(|| RobotsTxt::parse(black_box(LARGE.as_bytes())));
    }

    /// Parsing and one question, as there is no other way.
    #[divan::bench]
    fn robotstxt(bencher: Bencher<'_, '_>) {
        let file = LARGE.as_str();
        bencher.bench(|| judge_robotstxt(black_box(file), "https://www.example.org/a"));
    }

    #[divan::bench(sample_count = 10)]
    fn texting_robots(bencher: Bencher<'_, '_>) {
        bencher.bench(|| Robot::new(AGENT, black_box(LARGE.as_bytes())).is_ok());
    }
}

/// One question to each real file; the time is that of all of them (73 in the cases).
mod match_real_files {
    use super::*;

    #[divan::bench]
    fn releve(bencher: Bencher<'_, '_>) {
        let files: Vec<_> = REAL.iter().map(|file| RobotsTxt::parse(file)).collect();
        bencher
            .counter(divan::counter::ItemsCount::new(files.len()))
            .bench(|| files.iter().filter(|file| judge_ours(file, black_box(ARTICLE))).count());
    }

    #[divan::bench(sample_count = 10)]
    fn robotstxt(bencher: Bencher<'_, '_>) {
        let files: Vec<_> = REAL.iter().map(|file| String::from_utf8_lossy(file)).collect();
        let address = format!("{HOST}{ARTICLE}");
        bencher
            .counter(divan::counter::ItemsCount::new(files.len()))
            .bench(|| files.iter().filter(|file| judge_robotstxt(file, &address)).count());
    }

    #[divan::bench]
    fn texting_robots(bencher: Bencher<'_, '_>) {
        let files: Vec<_> = REAL.iter().filter_map(|file| Robot::new(AGENT, file).ok()).collect();
        let address = format!("{HOST}{ARTICLE}");
        bencher
            .counter(divan::counter::ItemsCount::new(files.len()))
            .bench(|| files.iter().filter(|file| file.allowed(&address)).count());
    }
}

/// Defines the three benchmarks of one question to one file.
macro_rules! one_question {
    ($name:ident, $file:expr, $path:expr, robotstxt: $($option:ident $(= $value:literal)?),+) => {
        mod $name {
            use super::*;

            #[divan::bench]
            fn releve(bencher: Bencher<'_, '_>) {
                let robots = RobotsTxt::parse($file.as_bytes());
                bencher.bench(|| judge_ours(&robots, black_box($path)));
            }

            #[divan::bench($($option $(= $value)?),+)]
            fn robotstxt(bencher: Bencher<'_, '_>) {
                let address = format!("{HOST}{}", $path);
                bencher.bench(|| judge_robotstxt(&$file, black_box(&address)));
            }

            #[divan::bench(sample_count = 10)]
            fn texting_robots(bencher: Bencher<'_, '_>) {
                // It refuses the hundred stars.
                let Ok(robots) = Robot::new(AGENT, $file.as_bytes()) else { return };
                let address = format!("{HOST}{}", $path);
                bencher.bench(|| robots.allowed(black_box(&address)));
            }
        }
    };
}

one_question!(match_17_000_prefixes, PREFIXES, ARTICLE, robotstxt: sample_count = 10);
one_question!(match_14_000_wildcards, WILDCARDS, ARTICLE, robotstxt: sample_count = 10);
// One answer takes it more than five minutes; `--include-ignored` shows it.
one_question!(match_100_stars_in_8_kib, STARS.0, &STARS.1, robotstxt: ignore, sample_count = 1, sample_size = 1);
