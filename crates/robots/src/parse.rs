//! From the bytes of a robots.txt to groups, and from groups to verdicts.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use crate::agent::is_token_byte;
use crate::matcher::{Matcher, Path, Pattern, Rule};
use crate::octets::push_pattern;
use crate::{AccessScope, DelayScope, ProductToken};

/// How much of a file is read: 500 KiB, the least that RFC 9309 (2.5) lets a parser stop at.
pub const BYTES_MAX: usize = 500 * 1024;

/// How much of one line is read, as in Google's reference parser: eight times the longest address that
/// browsers once took (2,083 bytes), less the byte that ends it there.
pub const LINE_BYTES_MAX: usize = 8 * 2083 - 1;

/// How many notices are kept: more than anyone reads, and few enough that a file of nonsense costs nothing.
pub const NOTICES_MAX: usize = 1000;

/// A robots.txt, parsed once and asked as often as needed.
///
/// Parsing takes time in proportion to the file (but for sorting its rules), and a question takes at most
/// time in proportion to the rules that apply and the length of the path, whatever stars they hold.
#[derive(Clone, Default)]
pub struct RobotsTxt {
    /// The patterns of all rules, one after the other.
    arena: Vec<u8>,
    groups: Vec<Matcher>,
    delays: Vec<Option<Delay>>,
    named: HashMap<Box<[u8]>, Membership>,
    general: Option<Membership>,
    sitemaps: Vec<Sitemap>,
    notices: Vec<Notice>,
}

/// The groups that an agent belongs to, for access and for delays: two lists, since a Crawl-delay closes a
/// run of User-agent lines for delays alone.
#[derive(Clone, Debug, Default)]
struct Membership {
    groups: Vec<u32>,
    delays: Vec<u32>,
}

/// Whether a path may be read, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether it may be read.
    pub allowed: bool,
    /// What decided.
    pub reason: Reason,
    /// The number of the line that decided, counted from 1, where a rule did.
    pub line: Option<u32>,
}

/// What decided about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// A rule of the applicable group.
    Rule(GroupKind),
    /// A group applies, but none of its rules matches.
    NoRuleMatches(GroupKind),
    /// No group applies.
    NoGroupApplies,
    /// The path is that of the robots.txt, which may always be read.
    RobotsTxtItself,
}

/// Whom a group is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupKind {
    /// It names the bot.
    Named,
    /// It is for all that no group names (`*`).
    General,
}

impl Verdict {
    /// A stable word for records.
    pub fn code(&self) -> &'static str {
        if self.allowed { "robots-allowed" } else { "robots-disallowed" }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.allowed { "allowed" } else { "disallowed" })?;
        let group = |kind: GroupKind| match kind {
            GroupKind::Named => "the group that names us",
            GroupKind::General => "the general group",
        };
        match (self.reason, self.line) {
            (Reason::Rule(kind), Some(line)) => write!(f, " by line {line}, in {}", group(kind)),
            (Reason::Rule(kind), None) => write!(f, " by a rule in {}", group(kind)),
            (Reason::NoRuleMatches(kind), _) => write!(f, ": no rule of {} matches", group(kind)),
            (Reason::NoGroupApplies, _) => f.write_str(": no group applies to us"),
            (Reason::RobotsTxtItself, _) => f.write_str(": robots.txt may always be read"),
        }
    }
}

/// How long to wait from one request to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delay {
    /// The length; of a value with more than nine decimal places the last is rounded up.
    pub length: Duration,
    /// The line that says so, counted from 1.
    pub line: u32,
}

/// A `Sitemap` line. It belongs to no group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sitemap {
    /// What stands there: an absolute address if its author kept to the rules, which is for the caller to
    /// check.
    pub address: String,
    /// The line, counted from 1.
    pub line: u32,
}

/// Something in a robots.txt that was not understood, or understood against its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The line, counted from 1.
    pub line: u32,
    /// What is the matter.
    pub kind: NoticeKind,
}

/// What is the matter with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeKind {
    /// No key and value can be told apart. The line is ignored.
    NotALine,
    /// The key is none that this parser knows. The line is ignored.
    UnknownKey,
    /// The key is a known misspelling. The line counts.
    Misspelled,
    /// The colon is missing between two words. The line counts.
    ColonMissing,
    /// A rule or a Crawl-delay before the first User-agent line. It is ignored.
    OutsideGroup,
    /// The User-agent value does not begin with a product token, nor is it `*`. It names nobody.
    NotAnAgent,
    /// Something follows the User-agent's product token (a digit, a version). Only the token counts.
    AgentCutShort,
    /// The rule begins with neither `/` nor `*`, so no path matches it.
    NeverMatches,
    /// The value is not UTF-8. A rule counts octet by octet; a sitemap is ignored.
    NotUtf8,
    /// The Crawl-delay is no decimal number. It is ignored.
    NotADelay,
    /// The line is longer than [`LINE_BYTES_MAX`]. What goes beyond is ignored.
    LineCut,
    /// The file is longer than [`BYTES_MAX`]. It is read up to the line before this one.
    FileCut,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            NoticeKind::NotALine => "is no line of robots.txt and is ignored",
            NoticeKind::UnknownKey => "has an unknown key and is ignored",
            NoticeKind::Misspelled => "has a misspelt key, which is understood",
            NoticeKind::ColonMissing => "lacks its colon, but is understood",
            NoticeKind::OutsideGroup => "stands before any User-agent line and is ignored",
            NoticeKind::NotAnAgent => "names no agent",
            NoticeKind::AgentCutShort => "has more than a product token, which alone counts",
            NoticeKind::NeverMatches => "matches no path, as it begins with neither / nor *",
            NoticeKind::NotUtf8 => "is not UTF-8, so a rule counts octet by octet and a sitemap not at all",
            NoticeKind::NotADelay => "is no decimal number of seconds and is ignored",
            NoticeKind::LineCut => "is too long and is cut",
            NoticeKind::FileCut => "lies beyond the first 500 KiB, where reading ends",
        };
        write!(f, "line {} {what}", self.line)
    }
}

impl RobotsTxt {
    /// Reads a file. Whatever the bytes are, the result is what a robots.txt of such bytes means.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut parser = Parser::default();
        let (head, is_cut) = cut_to_limit(without_byte_order_mark(bytes));
        parser.robots.arena.reserve(head.len());
        let mut line = 0;
        for text in Lines(Some(head)) {
            line += 1;
            parser.line(line, text);
        }
        if is_cut {
            parser.notice(line, NoticeKind::FileCut);
        }
        parser.finish()
    }

    /// Whether `agent` may read `path_and_query`, an address from its path on (`/path?query`). A fragment in
    /// it is left out of account; a missing slash at its beginning is taken as there.
    pub fn judge(&self, agent: &ProductToken, scope: AccessScope, path_and_query: &str) -> Verdict {
        let allowed = |reason| Verdict { allowed: true, reason, line: None };
        let path = Path::new(path_and_query);
        if path.is_robots_txt() {
            return allowed(Reason::RobotsTxtItself);
        }
        let general = match scope {
            AccessScope::NamedElseGeneral => self.general.as_ref(),
            AccessScope::NamedOnly => None,
        };
        let Some((kind, membership)) = self.membership(agent, general) else {
            return allowed(Reason::NoGroupApplies);
        };
        let mut decided: Option<Rule> = None;
        for matcher in membership.groups.iter().filter_map(|&group| get(&self.groups, group)) {
            if let Some(rule) = matcher.decide(&self.arena, &path)
                && decided.is_none_or(|decided| rule.outranks(&decided))
            {
                decided = Some(rule);
            }
        }
        match decided {
            Some(Rule { allow: allowed, line, .. }) => {
                Verdict { allowed, reason: Reason::Rule(kind), line: Some(line) }
            }
            None => allowed(Reason::NoRuleMatches(kind)),
        }
    }

    /// How long `agent` has to wait between two requests, if the file says so.
    pub fn crawl_delay(&self, agent: &ProductToken, scope: DelayScope) -> Option<Delay> {
        let general = match scope {
            DelayScope::NamedElseGeneral => self.general.as_ref(),
            DelayScope::NamedOnly => None,
            DelayScope::Ignored => return None,
        };
        let (_, membership) = self.membership(agent, general)?;
        let delays = membership.delays.iter().filter_map(|&group| *get(&self.delays, group)?);
        delays.reduce(|longest, next| if next.length > longest.length { next } else { longest })
    }

    /// Whether a group names `agent`.
    pub fn names(&self, agent: &ProductToken) -> bool {
        self.named.contains_key(agent.folded())
    }

    /// The file's Sitemap lines, in their order.
    pub fn sitemaps(&self) -> &[Sitemap] {
        &self.sitemaps
    }

    /// What was not understood, or understood against its letter: the first [`NOTICES_MAX`], in their order.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    fn membership<'a>(
        &'a self,
        agent: &ProductToken,
        general: Option<&'a Membership>,
    ) -> Option<(GroupKind, &'a Membership)> {
        let named = self.named.get(agent.folded()).map(|named| (GroupKind::Named, named));
        named.or(general.map(|general| (GroupKind::General, general)))
    }
}

impl fmt::Debug for RobotsTxt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RobotsTxt")
            .field("groups", &self.groups.len())
            .field("agents", &self.named.len())
            .field("sitemaps", &self.sitemaps.len())
            .field("notices", &self.notices.len())
            .finish_non_exhaustive()
    }
}

/// The text of a line of a robots.txt by its number, as verdicts, delays and notices give it.
pub fn line_text(bytes: &[u8], line: u32) -> Option<&[u8]> {
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    Lines(Some(without_byte_order_mark(bytes))).nth(index)
}

/// The file as it is being read.
#[derive(Default)]
struct Parser {
    robots: RobotsTxt,
    /// The patterns of the group being read, which is the last of `groups`.
    patterns: Vec<Pattern>,
    is_run_open: bool,
    is_delay_run_open: bool,
    /// The token of a User-agent line in lower case, kept for its allocation.
    folded: Vec<u8>,
}

impl Parser {
    fn line(&mut self, line: u32, text: &[u8]) {
        let text = match text.get(..LINE_BYTES_MAX) {
            Some(head) if head.len() < text.len() => {
                self.notice(line, NoticeKind::LineCut);
                head
            }
            _ => text,
        };
        // The reference parser works on C strings, so that an octet 0 ends a line too.
        let text = trim(memchr::memchr2(b'#', 0, text).map_or(text, |at| &text[..at]));
        if text.is_empty() {
            return;
        }
        let (key, value) = match split(text) {
            Some(Split::AtColon(key, value)) => (key, value),
            Some(Split::AtSpace(key, value)) if Key::of(key).is_some() => {
                self.notice(line, NoticeKind::ColonMissing);
                (key, value)
            }
            _ => return self.notice(line, NoticeKind::NotALine),
        };
        let Some((key, is_exact)) = Key::of(key) else {
            return self.notice(line, NoticeKind::UnknownKey);
        };
        if !is_exact {
            self.notice(line, NoticeKind::Misspelled);
        }
        match key {
            Key::UserAgent => self.user_agent(line, value),
            Key::Allow => self.rule(line, value, true),
            Key::Disallow => self.rule(line, value, false),
            Key::CrawlDelay => self.crawl_delay(line, value),
            Key::Sitemap => match std::str::from_utf8(value) {
                Ok("") => {}
                Ok(address) => {
                    self.robots.sitemaps.push(Sitemap { address: address.to_owned(), line });
                }
                Err(_) => self.notice(line, NoticeKind::NotUtf8),
            },
        }
    }

    fn user_agent(&mut self, line: u32, value: &[u8]) {
        if !self.is_run_open {
            self.close_group();
            self.robots.groups.push(Matcher::default());
        }
        if !self.is_delay_run_open {
            self.robots.delays.push(None);
        }
        (self.is_run_open, self.is_delay_run_open) = (true, true);

        let membership = if let [b'*', rest @ ..] = value
            && rest.first().is_none_or(|&byte| is_space(byte))
        {
            self.robots.general.get_or_insert_default()
        } else {
            let end = value.iter().position(|&byte| !is_token_byte(byte)).unwrap_or(value.len());
            if end == 0 {
                return self.notice(line, NoticeKind::NotAnAgent);
            }
            if end < value.len() {
                self.notice(line, NoticeKind::AgentCutShort);
            }
            self.folded.clear();
            self.folded.extend(value[..end].iter().map(u8::to_ascii_lowercase));
            if !self.robots.named.contains_key(&*self.folded) {
                self.robots.named.insert(self.folded.as_slice().into(), Membership::default());
            }
            let Some(membership) = self.robots.named.get_mut(&*self.folded) else { return };
            membership
        };
        note_last(&mut membership.groups, self.robots.groups.len());
        note_last(&mut membership.delays, self.robots.delays.len());
    }

    fn rule(&mut self, line: u32, value: &[u8], allow: bool) {
        if self.robots.groups.is_empty() {
            return self.notice(line, NoticeKind::OutsideGroup);
        }
        (self.is_run_open, self.is_delay_run_open) = (false, false);
        match value.first() {
            None => return,
            Some(b'/' | b'*') => {}
            Some(_) => return self.notice(line, NoticeKind::NeverMatches),
        }
        if !value.is_ascii() && std::str::from_utf8(value).is_err() {
            self.notice(line, NoticeKind::NotUtf8);
        }
        let start = self.robots.arena.len();
        push_pattern(value, &mut self.robots.arena);
        let len = self.robots.arena.len() - start;
        // The file is bounded, so its patterns are far below 4 GiB, even encoded.
        if let (Ok(start), Ok(len)) = (u32::try_from(start), u32::try_from(len)) {
            self.patterns.push(Pattern { start, len, rule: Rule { octets: len, allow, line } });
        }
    }

    fn crawl_delay(&mut self, line: u32, value: &[u8]) {
        let Some(delay) = self.robots.delays.last_mut() else {
            return self.notice(line, NoticeKind::OutsideGroup);
        };
        self.is_delay_run_open = false;
        let Some(length) = seconds(value) else {
            return self.notice(line, NoticeKind::NotADelay);
        };
        if delay.is_none_or(|delay| delay.length < length) {
            *delay = Some(Delay { length, line });
        }
    }

    fn close_group(&mut self) {
        if let Some(group) = self.robots.groups.last_mut() {
            *group = Matcher::new(&self.robots.arena, &mut self.patterns);
        }
    }

    fn notice(&mut self, line: u32, kind: NoticeKind) {
        if self.robots.notices.len() < NOTICES_MAX {
            self.robots.notices.push(Notice { line, kind });
        }
    }

    fn finish(mut self) -> RobotsTxt {
        self.close_group();
        self.robots
    }
}

/// Notes the last of `count` groups, once.
fn note_last(groups: &mut Vec<u32>, count: usize) {
    let Some(last) = count.checked_sub(1).and_then(|last| u32::try_from(last).ok()) else { return };
    if groups.last() != Some(&last) {
        groups.push(last);
    }
}

fn get<T>(list: &[T], index: u32) -> Option<&T> {
    list.get(usize::try_from(index).ok()?)
}

#[derive(Clone, Copy)]
enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
}

impl Key {
    /// The key that a text begins with, and whether it is spelt as it should be.
    fn of(text: &[u8]) -> Option<(Self, bool)> {
        let (key, names): (_, &[&[u8]]) = match text.first()?.to_ascii_lowercase() {
            b'u' => (Self::UserAgent, &[b"user-agent", b"useragent", b"user agent"]),
            b'a' => (Self::Allow, &[b"allow"]),
            b'd' => (
                Self::Disallow,
                &[b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"],
            ),
            b'c' => (Self::CrawlDelay, &[b"crawl-delay", b"crawldelay", b"crawl delay"]),
            b's' => (Self::Sitemap, &[b"sitemap", b"site-map"]),
            _ => return None,
        };
        let begins =
            |name: &&&[u8]| text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
        let found = names.iter().find(begins)?;
        Some((key, *found == names[0] && found.len() == text.len()))
    }
}

enum Split<'a> {
    AtColon(&'a [u8], &'a [u8]),
    AtSpace(&'a [u8], &'a [u8]),
}

/// Key and value of a trimmed line: what a colon parts, or else two words.
fn split(text: &[u8]) -> Option<Split<'_>> {
    if let Some(at) = memchr::memchr(b':', text) {
        return Some(Split::AtColon(trim(&text[..at]), trim(&text[at + 1..])));
    }
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let at = text.iter().position(is_blank)?;
    let value = trim(&text[at..]);
    (!value.iter().any(is_blank)).then_some(Split::AtSpace(&text[..at], value))
}

/// A decimal number of seconds, rounded up to a nanosecond. One too long for a [`Duration`] becomes the
/// longest.
fn seconds(text: &[u8]) -> Option<Duration> {
    let point = memchr::memchr(b'.', text);
    let (whole, fraction) = point.map_or((text, &[][..]), |at| (&text[..at], &text[at + 1..]));
    let is_number = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
    if whole.len() + fraction.len() == 0 || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let number = |digits: &[u8]| {
        digits
            .iter()
            .fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
    };
    let (head, tail) = fraction.split_at(fraction.len().min(9));
    let places = u32::try_from(head.len()).unwrap_or(9);
    let rounding = u64::from(tail.iter().any(|&digit| digit != b'0'));
    let nanos = number(head) * 10_u64.pow(9 - places) + rounding;
    Some(Duration::from_secs(number(whole)).saturating_add(Duration::from_nanos(nanos)))
}

/// The file without a byte order mark, or without as much of one as is there.
fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    let is_there = bytes.iter().zip(b"\xEF\xBB\xBF").take_while(|(a, b)| a == b).count();
    &bytes[is_there..]
}

/// The first [`BYTES_MAX`] bytes up to the last whole line, and whether that is not all.
fn cut_to_limit(bytes: &[u8]) -> (&[u8], bool) {
    let (Some(head), Some(&next)) = (bytes.get(..BYTES_MAX), bytes.get(BYTES_MAX)) else {
        return (bytes, false);
    };
    if matches!(next, b'\n' | b'\r') {
        return (head, true);
    }
    let end = memchr::memrchr2(b'\n', b'\r', head).map_or(0, |at| at + 1);
    (&head[..end], true)
}

/// The lines of a file, each without its end, be that LF, CR or CRLF. There is always one more than there are
/// ends.
struct Lines<'a>(Option<&'a [u8]>);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.0?;
        let Some(at) = memchr::memchr2(b'\n', b'\r', rest) else {
            self.0 = None;
            return Some(rest);
        };
        let end = if rest[at..].starts_with(b"\r\n") { at + 2 } else { at + 1 };
        self.0 = Some(&rest[end..]);
        Some(&rest[..at])
    }
}

/// White space as the reference parser has it: the vertical tab too.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn trim(mut text: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = text
        && is_space(*first)
    {
        text = rest;
    }
    while let [rest @ .., last] = text
        && is_space(*last)
    {
        text = rest;
    }
    text
}
