//! Which rule of a group decides about a path, found without trying them all.
//!
//! Patterns without a star are sorted. The greatest one that is not after the path shares with it every
//! prefix that is itself a pattern, so one binary search and a walk to its ancestors find the longest that
//! matches. Patterns with a star are tried by rank, the longest first, each by finding its parts one after
//! the other, leftmost first. No choice is ever taken back: a test costs at most the lengths of pattern and
//! path.

use std::cell::OnceCell;
use std::cmp::Reverse;

use memchr::memmem;

use crate::octets::{END, STAR, push_path};

/// A rule's place in the ranking and in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// The length of its pattern, by which it is ranked.
    pub(crate) octets: u32,
    pub(crate) allow: bool,
    pub(crate) line: u32,
}

impl Rule {
    /// Whether it decides where `other` matches as well: the longer one does, of two equally long ones the
    /// one that allows, and of two that say the same the first.
    pub(crate) fn outranks(&self, other: &Self) -> bool {
        let rank = |rule: &Self| (rule.octets, rule.allow, Reverse(rule.line));
        rank(self) > rank(other)
    }
}

/// A path in the form of [`octets`](crate::octets), closed by [`END`].
pub(crate) struct Path {
    octets: Vec<u8>,
    trigrams: OnceCell<Trigrams>,
}

impl Path {
    pub(crate) fn new(path_and_query: &str) -> Self {
        let mut octets = Vec::new();
        push_path(path_and_query, &mut octets);
        Self { octets, trigrams: OnceCell::new() }
    }

    /// Whether it is that of the robots.txt itself.
    pub(crate) fn is_robots_txt(&self) -> bool {
        self.octets.strip_suffix(&[END]) == Some(b"/robots.txt")
    }

    fn trigrams(&self) -> &Trigrams {
        self.trigrams.get_or_init(|| Trigrams::of(&self.octets))
    }
}

/// A pattern in the form of [`octets`](crate::octets) and the rule that it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    pub(crate) start: u32,
    pub(crate) len: u32,
    pub(crate) rule: Rule,
}

impl Pattern {
    fn text<'a>(&self, arena: &'a [u8]) -> &'a [u8] {
        slice(arena, self.start, self.len)
    }
}

/// The rules of one group, ready to be asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matcher {
    /// The [`head`]s of the prefixes, which decide most comparisons and lie close together.
    heads: Vec<u64>,
    prefixes: Vec<Prefix>,
    wildcards: Vec<Wildcard>,
}

#[derive(Clone, Copy, Debug)]
struct Prefix {
    start: u32,
    len: u32,
    /// The longest other prefix that this one begins with, by index; [`NONE`] if there is none.
    parent: u32,
    /// The rule that decides where this prefix matches: its own, or that of an ancestor with more stars at
    /// its end.
    best: Rule,
}

#[derive(Clone, Copy, Debug)]
struct Wildcard {
    start: u32,
    len: u32,
    rule: Rule,
    /// The last three octets of its longest part, hashed; a path without them cannot match.
    trigram: Option<u16>,
}

impl Prefix {
    fn text<'a>(&self, arena: &'a [u8]) -> &'a [u8] {
        slice(arena, self.start, self.len)
    }
}

const NONE: u32 = u32::MAX;

/// From how many wildcards on it pays to note the path's trigrams first.
const TRIGRAMS_FROM: usize = 16;

impl Matcher {
    /// Compiles the patterns of one group, which it takes out. Their order does not matter.
    pub(crate) fn new(arena: &[u8], patterns: &mut Vec<Pattern>) -> Self {
        let (mut prefixes, mut wildcards) = (Vec::with_capacity(patterns.len()), vec![]);
        for mut pattern in patterns.drain(..) {
            // Stars at the end match whatever follows, which a prefix does anyway. They keep their rank.
            while let [.., STAR] = pattern.text(arena) {
                pattern.len -= 1;
            }
            let text = pattern.text(arena);
            if memchr::memchr(STAR, text).is_some() {
                let Pattern { start, len, rule } = pattern;
                wildcards.push(Wildcard { start, len, rule, trigram: last_trigram(text) });
            } else {
                prefixes.push((head(text), pattern));
            }
        }
        wildcards.sort_unstable_by_key(|wildcard| {
            (Reverse((wildcard.rule.octets, wildcard.rule.allow)), wildcard.rule.line)
        });
        prefixes.sort_unstable_by(|(a_head, a), (b_head, b)| {
            a_head.cmp(b_head).then_with(|| a.text(arena).cmp(b.text(arena)))
        });
        let mut matcher = Self { wildcards, ..Self::default() };
        matcher.link(arena, &prefixes);
        matcher
    }

    /// The rule that decides about `path`, if any matches.
    pub(crate) fn decide(&self, arena: &[u8], path: &Path) -> Option<Rule> {
        let best = self.longest_prefix(arena, &path.octets).map(|prefix| prefix.best);
        for wildcard in &self.wildcards {
            if best.is_some_and(|best| best.outranks(&wildcard.rule)) {
                break;
            }
            if let Some(trigram) = wildcard.trigram
                && self.wildcards.len() >= TRIGRAMS_FROM
                && !path.trigrams().holds(trigram)
            {
                continue;
            }
            if is_match(slice(arena, wildcard.start, wildcard.len), &path.octets) {
                return Some(wildcard.rule);
            }
        }
        best
    }

    /// Makes of sorted patterns prefixes that know their ancestors, one for each text.
    fn link(&mut self, arena: &[u8], sorted: &[(u64, Pattern)]) {
        let mut parent = NONE;
        for (head, pattern) in sorted {
            let text = pattern.text(arena);
            // `parent` is the prefix before this one. Climb until it is one that this one begins with.
            while let Some(candidate) = self.prefixes.get(parent as usize)
                && !text.starts_with(candidate.text(arena))
            {
                parent = candidate.parent;
            }
            let inherited = self.prefixes.get_mut(parent as usize);
            let best = match &inherited {
                Some(inherited) if inherited.best.outranks(&pattern.rule) => inherited.best,
                _ => pattern.rule,
            };
            match inherited {
                Some(same) if same.len == pattern.len => same.best = best,
                _ => {
                    let index = u32::try_from(self.prefixes.len()).unwrap_or(NONE);
                    let Pattern { start, len, .. } = *pattern;
                    self.heads.push(*head);
                    self.prefixes.push(Prefix { start, len, parent, best });
                    parent = index;
                }
            }
        }
    }

    fn longest_prefix(&self, arena: &[u8], path: &[u8]) -> Option<&Prefix> {
        let sought = head(path);
        let begin = self.heads.partition_point(|&head| head < sought);
        let same = self.heads[begin..].partition_point(|&head| head == sought);
        let among = self.prefixes.get(begin..begin + same).unwrap_or_default();
        let after = begin + among.partition_point(|prefix| prefix.text(arena) <= path);
        let mut prefix = self.prefixes.get(after.checked_sub(1)?)?;
        let common = prefix.text(arena).iter().zip(path).take_while(|(a, b)| a == b).count();
        while prefix.len as usize > common {
            prefix = self.prefixes.get(prefix.parent as usize)?;
        }
        Some(prefix)
    }
}

/// The first eight octets as a number that sorts as they do; less than eight are filled up with the least
/// octet.
fn head(text: &[u8]) -> u64 {
    let mut head = [0; 8];
    let len = text.len().min(8);
    head[..len].copy_from_slice(&text[..len]);
    u64::from_be_bytes(head)
}

/// Whether a pattern with stars matches. The first part stands at the beginning; each other one is taken
/// where it first occurs, which leaves the most room to those after it.
fn is_match(pattern: &[u8], path: &[u8]) -> bool {
    let mut parts = pattern.split(|&byte| byte == STAR);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    for part in parts.filter(|part| !part.is_empty()) {
        let Some(at) = memmem::find(rest, part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// Which trigrams a path holds, by their hashes. It may claim one too many, never one too few.
struct Trigrams([u64; 64]);

impl Trigrams {
    fn of(path: &[u8]) -> Self {
        let mut bits = [0; 64];
        for window in path.windows(3) {
            let hash = trigram_hash(window);
            bits[usize::from(hash >> 6)] |= 1 << (hash & 63);
        }
        Self(bits)
    }

    fn holds(&self, hash: u16) -> bool {
        self.0[usize::from(hash >> 6)] >> (hash & 63) & 1 == 1
    }
}

/// Twelve bits: a path of a hundred octets leaves 39 of 40 bits clear.
fn trigram_hash(window: &[u8]) -> u16 {
    let value = window.iter().fold(0_u32, |value, &byte| value << 8 | u32::from(byte));
    (value.wrapping_mul(0x9E37_79B1) >> 20) as u16
}

fn last_trigram(pattern: &[u8]) -> Option<u16> {
    let longest = pattern.split(|&byte| byte == STAR).max_by_key(|part| part.len())?;
    longest.last_chunk::<3>().map(|chunk| trigram_hash(chunk))
}

fn slice(arena: &[u8], start: u32, len: u32) -> &[u8] {
    arena.get(start as usize..).and_then(|tail| tail.get(..len as usize)).unwrap_or_default()
}
