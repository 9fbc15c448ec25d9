//! The entries of a file that are held at once, the newest first.

use jiff::Timestamp;
use releve_feed::Announcement;
use releve_url_canon::HttpsUrl;

use crate::file::{Entry, EntryFlaw, File};
use crate::frontier::newest_first;

/// How many entries are held at once: as many as sitemaps.org lets a file have. A file with more is read in
/// runs of as many.
pub const RUN_ENTRIES_MAX: usize = 50_000;

/// Entries in the memory that they need and no more: their addresses stand in one text, as the file has them. Relative
/// ones made absolute would be as long as the file's own address each, and come to a hundred times the file.
#[derive(Debug, Default)]
pub(crate) struct Run {
    addresses: String,
    entries: Vec<Held>,
    /// Of the entries from this one on it is known that they are dated before the floor.
    end: usize,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    begin: usize,
    end: usize,
    published: Option<Timestamp>,
    modified: Option<Timestamp>,
}

impl Held {
    fn date(&self) -> Option<Timestamp> {
        self.published.or(self.modified)
    }
}

/// A run, and what of the file is not in it.
pub(crate) struct Read {
    pub(crate) run: Run,
    /// What was left out of it, with an example each: a code and an address or nothing.
    pub(crate) left_out: Vec<(&'static str, String)>,
    /// How many entries of the file have been looked at, from its beginning.
    pub(crate) looked_at: usize,
    /// Whether there are more.
    pub(crate) has_more: bool,
    /// Why the file ends before it is complete, if it has ended.
    pub(crate) broken: Option<(&'static str, String)>,
}

impl Run {
    /// Reads a run of a file from its `skip`-th entry on.
    pub(crate) fn read(file: &File<'_>, base: &HttpsUrl, skip: usize, floor: Option<Timestamp>) -> Read {
        let mut run = Self::default();
        let mut left_out = Vec::new();
        let mut looked_at = skip;
        let mut has_more = false;
        let mut entries = file.entries();
        if skip > 0 {
            entries.by_ref().take(skip).for_each(drop);
        }
        for entry in entries.by_ref() {
            if looked_at == skip + RUN_ENTRIES_MAX {
                has_more = true;
                break;
            }
            looked_at += 1;
            let flaw = |flaw: EntryFlaw| (flaw.code(), String::new());
            if let Err(why) = entry.map_err(flaw).and_then(|entry| run.hold(&entry, base)) {
                left_out.push(why);
            }
        }
        let broken = entries.broken().filter(|_| !has_more);
        let broken = broken.map(|broken| (broken.code(), broken.to_string()));
        run.sort(floor);
        Read { run, left_out, looked_at, has_more, broken }
    }

    fn hold(&mut self, entry: &Entry<'_>, base: &HttpsUrl) -> Result<(), (&'static str, String)> {
        if !has_scheme(&entry.address) {
            base.join(&entry.address).map_err(|refusal| (refusal.code(), String::new()))?;
        }
        let begin = self.addresses.len();
        self.addresses.push_str(&entry.address);
        let (published, modified) = (entry.published, entry.modified);
        self.entries.push(Held { begin, end: self.addresses.len(), published, modified });
        Ok(())
    }

    /// Sorts the newest first, and before them those without a date.
    fn sort(&mut self, floor: Option<Timestamp>) {
        let key = |entry: &Held| newest_first(entry.date());
        if !self.entries.is_sorted_by_key(key) {
            self.entries.sort_by_key(key);
        }
        let is_before = |entry: &Held| entry.date().zip(floor).is_some_and(|(date, floor)| date < floor);
        self.end = self.entries.partition_point(|entry| !is_before(entry));
    }

    /// How many entries are not dated before the floor.
    pub(crate) fn len(&self) -> usize {
        self.end
    }

    /// How many are.
    pub(crate) fn before_floor(&self) -> usize {
        self.entries.len() - self.end
    }

    /// The newest of all dates, which a date of the file has to be as new as.
    pub(crate) fn newest_change(&self) -> Option<Timestamp> {
        self.entries.iter().map(|entry| entry.published.max(entry.modified)).max().flatten()
    }

    /// The newest of the dates that count.
    pub(crate) fn newest(&self) -> Option<Timestamp> {
        self.entries.iter().map(Held::date).max().flatten()
    }

    /// The newest date of some entries, if all of them have one.
    pub(crate) fn newest_if_dated(&self, from: usize, to: usize) -> Option<Timestamp> {
        let entries = self.entries.get(from..to)?;
        // They are sorted, and those without a date go first.
        entries.first().and_then(Held::date)
    }

    /// Some entries, with absolute addresses. `base` is what relative ones are relative to.
    pub(crate) fn announcements(&self, from: usize, to: usize, base: &HttpsUrl) -> Vec<Announcement> {
        let entries = self.entries.get(from..to).unwrap_or_default();
        let announcement = |entry: &Held| {
            let mut announcement = Announcement::default();
            let address = self.addresses.get(entry.begin..entry.end);
            announcement.link = address.and_then(|address| {
                let is_whole = has_scheme(address);
                if is_whole {
                    Some(address.to_owned())
                } else {
                    base.join(address).ok().map(|url| url.to_string())
                }
            });
            announcement.published = entry.published;
            announcement.modified = entry.modified;
            announcement
        };
        entries.iter().map(announcement).collect()
    }
}

/// RFC 3986, 3.1.
fn has_scheme(address: &str) -> bool {
    address.starts_with("https://")
        || address.split_once(':').is_some_and(|(scheme, _)| {
            scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        })
}
