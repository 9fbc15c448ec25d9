//! Where the next page of a list is, and whether the list has shifted since the page before.
//!
//! A list that is counted in items is read with an overlap: each page begins with the last item of the one before
//! that is dated after the very last one. Items of one date need not come in the same order in two answers, and
//! what follows that item is all there is to come. If nothing like it comes up again, items have vanished and
//! others moved up to where the walk has been, and the walk steps back until it meets what it knows. A list that is
//! counted in pages can have no overlap; there the total that the server tells is watched, and where it has shrunk
//! as many pages are read again.

use std::collections::{BTreeSet, HashSet};

use jiff::Timestamp;
use releve_feed::{Announcement, Feed};
use releve_url_canon::{HttpsUrl, NecessaryParameters, Removed, canonicalise};
use serde::{Deserialize, Serialize};

use crate::fall::Fall;
use crate::fingerprint::Fingerprint;
use crate::list::{Numbering, Pagination};
use crate::wire::WireAddress;
use crate::{link, report, wire};

/// How often a walk steps back in all. Each step is met by a change at the publisher's within the second or so
/// between two pages, so a list that needs more is none that holds still.
const STEPS_BACK_MAX: u32 = 200;

/// How many pages in a row may bring nothing new.
const REPEATS_MAX: u8 = 3;

/// Where a walk over pages stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pages {
    at: At,
    /// How often the read of this page has failed.
    pub(crate) attempts: u8,
    /// What stood on the page before, in its order.
    #[serde(with = "wire::fingerprints")]
    before: Vec<Fingerprint>,
    /// How many of these at its end have the date of the last one.
    tied: usize,
    /// Whether this page should begin with something of the page before.
    is_overlapping: bool,
    /// The most items that a page has had.
    size: u64,
    /// How many items the list had when the page before was read.
    total: Option<u64>,
    /// How many pages were different from the one before.
    distinct: u32,
    /// How many pages in a row brought nothing new.
    repeats: u8,
    /// The address of the page before, where pages say what comes next.
    previous: Option<WireAddress>,
    steps_back: u32,
    /// How many steps back lead here.
    steps_back_now: u32,
    /// The pages whose addresses were said by others, to meet none twice.
    #[serde(with = "wire::fingerprints")]
    seen: BTreeSet<Fingerprint>,
    by_date: Fall,
    by_modification: Fall,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum At {
    Number(u64),
    Address(WireAddress),
}

/// What is known of a page besides its items.
pub(crate) struct Around<'a> {
    pub(crate) address: &'a HttpsUrl,
    pub(crate) links: &'a [&'a str],
    pub(crate) total: Option<u64>,
    pub(crate) total_pages: Option<u64>,
}

/// What is made of a page.
pub(crate) struct Turned {
    /// What on it did not stand on the page before.
    pub(crate) fresh: Vec<Announcement>,
    /// By which date the list goes from the newest to the oldest, as far as that can be known.
    pub(crate) order: Option<fn(&Announcement) -> Option<Timestamp>>,
    /// What comes after it.
    pub(crate) then: Then,
}

/// What comes after a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    Page(Box<Pages>),
    ListEnd,
    Broken(String),
}

/// The date that counts: publication, else modification (R9).
pub(crate) fn date_of(announcement: &Announcement) -> Option<Timestamp> {
    announcement.published.or(announcement.modified)
}

fn key(announcement: &Announcement) -> Fingerprint {
    let part = |text: &Option<String>| text.as_deref().unwrap_or_default().to_owned();
    let key = Fingerprint::of(&part(&announcement.id)).and(&part(&announcement.link));
    announcement.fields.iter().fold(key, |key, (_, text)| key.and(text))
}

impl Pages {
    pub(crate) fn first(pages: &Pagination) -> Self {
        let at = match pages {
            Pagination::Numbered { numbering: Numbering::Pages { first }, .. } => At::Number(*first),
            Pagination::Numbered { numbering: Numbering::Items { .. }, .. } => At::Number(0),
            _ => At::Address(WireAddress(pages.first())),
        };
        Self {
            at,
            attempts: 0,
            before: Vec::new(),
            tied: 0,
            is_overlapping: false,
            size: 0,
            total: None,
            distinct: 0,
            repeats: 0,
            previous: None,
            steps_back: 0,
            steps_back_now: 0,
            seen: BTreeSet::new(),
            by_date: Fall::default(),
            by_modification: Fall::default(),
        }
    }

    pub(crate) fn address(&self, pages: &Pagination) -> HttpsUrl {
        match (&self.at, pages) {
            (At::Number(number), Pagination::Numbered { address, .. }) => address.page(*number),
            (At::Address(address), _) => address.0.clone(),
            (At::Number(_), _) => pages.first(),
        }
    }

    /// Whether this is the list's first page, after which alone another can be past the end.
    pub(crate) fn is_first(&self, pages: &Pagination) -> bool {
        *self == Self { attempts: self.attempts, ..Self::first(pages) }
    }

    /// Whether the list goes from the newest to the oldest, by the date that counts or by modification; then
    /// which of them.
    fn order(&self) -> Option<fn(&Announcement) -> Option<Timestamp>> {
        if self.by_date.holds() {
            Some(date_of)
        } else if self.by_modification.holds() {
            Some(|announcement| announcement.modified)
        } else {
            None
        }
    }

    /// What of the page that was read did not stand on the page before, and what comes after it. The walk goes on
    /// there once the page is done with.
    pub(crate) fn turn(
        &self,
        pages: &Pagination,
        feed: Feed,
        around: &Around<'_>,
        keep: &NecessaryParameters,
    ) -> Turned {
        let items = u64::try_from(feed.items).unwrap_or(u64::MAX);
        // A total that the page itself exceeds is none, and what comes with it is believed no more.
        let is_exceeded = around.total.is_some_and(|total| total < items);
        let around = if is_exceeded { &Around { total: None, total_pages: None, ..*around } } else { around };
        let next = feed.next;
        let keys: Vec<_> = feed.announcements.iter().map(key).collect();
        let known: HashSet<_> = self.before.iter().copied().collect();
        let tied = tied(&feed.announcements);
        let left_out = feed.items.saturating_sub(feed.announcements.len());
        let mut fresh = feed.announcements;
        let mut is_new = keys.iter().map(|key| !known.contains(key));
        fresh.retain(|_| is_new.next().unwrap_or(true));
        let mut here = self.clone();
        for announcement in &fresh {
            if let Some(date) = date_of(announcement) {
                here.by_date.take(date);
            }
            if let Some(date) = announcement.modified {
                here.by_modification.take(date);
            }
        }
        // Of items with one date any may come first, so only one before them shows that nothing is missed.
        let anchors: HashSet<_> = self.before.iter().rev().skip(self.tied).copied().collect();
        let anchors = if anchors.is_empty() { &known } else { &anchors };
        let is_met = known.is_empty() || keys.iter().any(|key| anchors.contains(key));
        let overlap = tied + 1 + left_out;
        let overlap = u64::try_from(overlap).unwrap_or(u64::MAX);
        let page = Page { items, keys, has_fresh: !fresh.is_empty(), is_met, tied, overlap };
        let then = match pages {
            Pagination::Numbered { numbering: Numbering::Items { page_size }, .. } => {
                here.after_items(page, *page_size, around)
            }
            Pagination::Numbered { numbering: Numbering::Pages { first }, .. } => {
                here.after_page(page, *first, around)
            }
            Pagination::One(_) => Then::ListEnd,
            Pagination::LinkHeader { .. } => {
                let next = around.links.iter().find_map(|header| link::next(header));
                here.after_said(page, pages, next, around, keep)
            }
            Pagination::Next { .. } => here.after_said(page, pages, next.as_deref(), around, keep),
            Pagination::Cursor { first, parameter, .. } => {
                let next = next.map(|cursor| with_parameter(first, parameter, &cursor));
                let keep = NecessaryParameters::new([parameter.as_str()]).with_names_of(first);
                here.after_said(page, pages, next.as_deref(), around, &keep)
            }
        };
        Turned { fresh, order: here.order(), then }
    }

    /// What comes after an answer that there is no such page.
    pub(crate) fn past_the_end(&self, pages: &Pagination) -> Then {
        let address = self.address(pages);
        let around = Around { address: &address, links: &[], total: None, total_pages: None };
        self.turn(pages, Feed::default(), &around, &NecessaryParameters::none()).then
    }

    fn number(&self) -> u64 {
        if let At::Number(number) = self.at { number } else { 0 }
    }

    /// How many pages in a row have brought nothing new with this one. A step back is not meant to.
    fn repeats_after(&self, page: &Page) -> u8 {
        if page.has_fresh || self.steps_back_now > 0 { 0 } else { self.repeats.saturating_add(1) }
    }

    /// The place after a page that was as it should be.
    fn on(&self, at: At, page: Page, around: &Around<'_>) -> Self {
        Self {
            at,
            attempts: 0,
            size: self.size.max(page.items),
            total: around.total.or(self.total),
            distinct: self.distinct.saturating_add(u32::from(page.has_fresh)),
            repeats: self.repeats_after(&page),
            before: page.keys,
            tied: page.tied,
            is_overlapping: false,
            steps_back_now: 0,
            ..self.clone()
        }
    }

    /// The place some steps back, if there may be another one.
    fn back(&self, at: At, around: &Around<'_>) -> Then {
        if self.steps_back >= STEPS_BACK_MAX {
            return Then::Broken(report::LIST_UNSTEADY.to_owned());
        }
        let mut back = Self {
            at,
            attempts: 0,
            total: around.total.or(self.total),
            is_overlapping: false,
            steps_back: self.steps_back.saturating_add(1),
            steps_back_now: self.steps_back_now.saturating_add(1),
            ..self.clone()
        };
        back.by_date.restart();
        back.by_modification.restart();
        Then::Page(Box::new(back))
    }

    /// By how many items the list has shrunk since the page before.
    fn vanished(&self, around: &Around<'_>) -> u64 {
        self.total.zip(around.total).map_or(0, |(before, now)| before.saturating_sub(now))
    }

    fn after_items(&self, page: Page, page_size: u64, around: &Around<'_>) -> Then {
        let offset = self.number();
        if offset > 0 && !page.is_met {
            if page.items == 0 && !self.is_overlapping && self.steps_back_now == 0 {
                return Then::ListEnd;
            }
            let step = self.size.max(page_size).max(1);
            let step = step.saturating_mul(1 << self.steps_back_now.min(20));
            return self.back(At::Number(offset.saturating_sub(step)), around);
        }
        let end = offset.saturating_add(page.items);
        if page.items == 0 || around.total.is_some_and(|total| end >= total) {
            return Then::ListEnd;
        }
        if !page.has_fresh && page.items < self.size {
            // Nothing but the overlap is left.
            return Then::ListEnd;
        }
        if self.repeats_after(&page) >= REPEATS_MAX {
            return Then::Broken(report::LIST_REPEATS.to_owned());
        }
        // Each page goes on, by half of its items at least unless it is a short one, as the last one is.
        let limit = if page.items < self.size { page.items - 1 } else { page.items / 2 };
        let (overlap, is_limited) = (page.overlap.min(limit), page.overlap > limit);
        let mut next = self.on(At::Number(end - overlap), page, around);
        next.is_overlapping = overlap > 0;
        if is_limited {
            // More items of one date than can be read again: none of them can be asked for.
            next.tied = 0;
        }
        Then::Page(Box::new(next))
    }

    fn after_page(&self, page: Page, first: u64, around: &Around<'_>) -> Then {
        let number = self.number().max(first);
        let vanished = self.vanished(around);
        if vanished > 0 && number > first {
            let pages = vanished.div_ceil(self.size.max(1)).min(number - first);
            return self.back(At::Number(number - pages), around);
        }
        // The page before said that there would be something on this one.
        let was_expected = self.total.is_some_and(|total| total > (number - first).saturating_mul(self.size));
        if page.items == 0 && number > first && was_expected {
            return self.back(At::Number(number - 1), around);
        }
        let total_pages = around.total_pages.filter(|pages| *pages > 0);
        let is_last = total_pages.is_some_and(|pages| number - first >= pages - 1);
        if page.items == 0 || is_last {
            return Then::ListEnd;
        }
        if self.repeats_after(&page) >= REPEATS_MAX {
            // Some servers answer with the last page where there is no more. One that has only ever answered
            // with the same page may have passed over the number.
            let is_last_again = self.distinct > 1 && total_pages.is_none();
            return if is_last_again { Then::ListEnd } else { Then::Broken(report::LIST_REPEATS.to_owned()) };
        }
        Then::Page(Box::new(self.on(At::Number(number.saturating_add(1)), page, around)))
    }

    /// After a page that says itself what comes next.
    fn after_said(
        &self,
        page: Page,
        pages: &Pagination,
        next: Option<&str>,
        around: &Around<'_>,
        keep: &NecessaryParameters,
    ) -> Then {
        let here = self.address(pages);
        if self.vanished(around) > 0
            && let Some(previous) = &self.previous
        {
            let back = self.back(At::Address(previous.clone()), around);
            let Then::Page(mut back) = back else { return back };
            back.seen.remove(&Fingerprint::of_file(&previous.0));
            back.previous = None;
            return Then::Page(back);
        }
        let Some(next) = next else { return Then::ListEnd };
        let keep = keep.clone().with_names_of(&pages.first()).with_names_of(around.address);
        let canonical = match canonicalise(next, Some(around.address), &keep) {
            Ok(canonical) => canonical,
            Err(refusal) => return Then::Broken(refusal.code().to_owned()),
        };
        let next = canonical.url.into_https();
        let mut seen = self.seen.clone();
        seen.insert(Fingerprint::of_file(&here));
        if seen.contains(&Fingerprint::of_file(&next)) {
            let is_short = canonical.removed.iter().any(|part| matches!(part, Removed::Parameter { .. }));
            let code = if is_short { report::PARAMETER_UNDECLARED } else { report::LIST_CYCLE };
            return Then::Broken(code.to_owned());
        }
        if self.repeats_after(&page) >= REPEATS_MAX {
            return Then::Broken(report::LIST_REPEATS.to_owned());
        }
        let previous = Some(WireAddress(here));
        Then::Page(Box::new(Self { previous, seen, ..self.on(At::Address(WireAddress(next)), page, around) }))
    }
}

/// What counts of a page for where the next one is.
struct Page {
    items: u64,
    keys: Vec<Fingerprint>,
    has_fresh: bool,
    /// Whether something of the page before stands on it too.
    is_met: bool,
    /// How many items at its end have the date of the last one.
    tied: usize,
    /// How many items at its end are read again: those that have the date of the last one and one more, and as
    /// many as were left out, which may be any.
    overlap: u64,
}

/// How many announcements at the end have the date of the last one. One is a tie as well as several: others of that date
/// may stand on the next page.
fn tied(announcements: &[Announcement]) -> usize {
    let last = announcements.last().and_then(date_of);
    let is_tied = |announcement: &&Announcement| last.is_some() && date_of(announcement) == last;
    announcements.iter().rev().take_while(is_tied).count()
}

/// An address with a parameter of this value, in the place of any of its name.
fn with_parameter(address: &HttpsUrl, name: &str, value: &str) -> String {
    let pairs = address.query().unwrap_or_default().split('&');
    let is_other = |pair: &&str| !pair.is_empty() && pair.split('=').next() != Some(name);
    let mut query: Vec<String> = pairs.filter(is_other).map(str::to_owned).collect();
    query.push(format!("{}={}", escaped(name), escaped(value)));
    format!("https://{}{}?{}", address.authority(), address.path(), query.join("&"))
}

/// A text with everything escaped but unreserved characters (RFC 3986, section 2.3).
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => escaped.push(byte.into()),
            _ => {
                escaped.push('%');
                for digit in [byte >> 4, byte & 0xf] {
                    escaped
                        .extend(char::from_digit(digit.into(), 16).map(|digit| digit.to_ascii_uppercase()));
                }
            }
        }
    }
    escaped
}
