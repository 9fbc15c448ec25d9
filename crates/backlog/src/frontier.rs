//! The files of a list of sitemaps that are still to be read, and in which order.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use jiff::Timestamp;
use releve_url_canon::HttpsUrl;
use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::names;
use crate::report::{Lastmods, Order, OrderBy};

/// A file that is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) address: HttpsUrl,
    pub(crate) marks: Marks,
}

/// What is known of a file before it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marks {
    /// How many indexes lead to it.
    #[serde(rename = "d", default, skip_serializing_if = "is_zero")]
    pub(crate) depth: u8,
    /// How often its read has failed.
    #[serde(rename = "a", default, skip_serializing_if = "is_zero")]
    pub(crate) attempts: u8,
    /// Its `lastmod`, where that can be believed: nothing in it is newer.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub(crate) lastmod: Option<Timestamp>,
    /// The end of the day, month or year in its name, where names tell the order.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub(crate) named: Option<Timestamp>,
    /// The series in which its name has a number, where numbers tell the order.
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    pub(crate) series: Option<Fingerprint>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u8) -> bool {
    *number == 0
}

impl Pending {
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of_file(&self.address)
    }

    /// The file, to be read behind those that come after it. Their numbers say nothing of it then, nor does its number of them.
    pub(crate) fn out_of_order(mut self) -> Self {
        self.marks.series = None;
        self
    }
}

/// How far apart the dates of an index must lie to say anything. Those of one day tell when the index was made.
const LASTMODS_APART: Duration = Duration::from_secs(24 * 3_600);

/// Puts files in order, the newest first.
///
/// Their `lastmod` tells the order where it can be believed: where at least two differ by more than a day.
/// Else dates in the names do, else numbers in them, of which the highest is taken for the newest, since lists
/// grow at their end. A file of which that says nothing goes before those of which it says something.
pub(crate) fn in_order(files: Vec<(HttpsUrl, Option<Timestamp>)>, depth: u8) -> (Vec<Pending>, Order) {
    let dates = || files.iter().filter_map(|(_, lastmod)| *lastmod);
    let lastmods = match (dates().min(), dates().max()) {
        (Some(first), Some(last)) if last.duration_since(first).unsigned_abs() > LASTMODS_APART => {
            Lastmods::Believed
        }
        (Some(_), _) => Lastmods::WithinADay,
        _ => Lastmods::Absent,
    };
    let mut pending: Vec<Pending> = files
        .into_iter()
        .map(|(address, lastmod)| Pending { address, marks: Marks { depth, lastmod, ..Marks::default() } })
        .collect();
    if lastmods == Lastmods::Believed {
        pending.sort_by_key(|file| newest_first(file.marks.lastmod));
        return (pending, Order { by: OrderBy::Lastmod, lastmods });
    }
    for file in &mut pending {
        file.marks.lastmod = None;
    }

    let dates: Vec<_> = pending.iter().map(|file| names::date_in(file.address.as_str())).collect();
    if dates.iter().flatten().min() < dates.iter().flatten().max() {
        for (file, date) in pending.iter_mut().zip(dates) {
            file.marks.named = date;
        }
        pending.sort_by_key(|file| newest_first(file.marks.named));
        return (pending, Order { by: OrderBy::NameDates, lastmods });
    }

    let numbers: Vec<_> = pending.iter().map(|file| names::number_in(file.address.as_str())).collect();
    let mut series: HashMap<Fingerprint, (usize, BTreeSet<u64>)> = HashMap::new();
    for (at, (stem, number)) in numbers.iter().enumerate() {
        let (_, of_stem) = series.entry(*stem).or_insert_with(|| (at, BTreeSet::new()));
        of_stem.insert(number.unwrap_or_default());
    }
    if series.values().all(|(_, numbers)| numbers.len() < 2) {
        return (pending, Order { by: OrderBy::AsGiven, lastmods });
    }
    let mut numbered: Vec<_> = pending.into_iter().zip(numbers).collect();
    numbered.sort_by_key(|(_, (stem, number))| {
        (series.get(stem).map(|(first, _)| *first), Reverse(number.unwrap_or_default()))
    });
    let numbered = numbered.into_iter().map(|(mut file, (stem, _))| {
        file.marks.series = Some(stem);
        file
    });
    (numbered.collect(), Order { by: OrderBy::NameNumbers, lastmods })
}

/// A key that sorts the newest first, and before it what has no date.
pub(crate) fn newest_first(date: Option<Timestamp>) -> (bool, Reverse<Option<Timestamp>>) {
    (date.is_some(), Reverse(date))
}
