//! What the names of files say of their order.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;

use crate::fingerprint::Fingerprint;

/// The end of the latest day, month or year that an address names, of the shapes `2026-03-01`, `2026_03`, `2026/3`,
/// `20260301`, `202603` and `2026`.
pub(crate) fn date_in(address: &str) -> Option<Timestamp> {
    let mut latest = None;
    let mut groups = digit_groups(address).peekable();
    while let Some((at, group)) = groups.next() {
        let date = match group.len() {
            8 => day(&group[..4], &group[4..6], &group[6..]),
            6 => month(&group[..4], &group[4..]),
            4 => {
                let mut end = at + group.len();
                let mut next = |rest: &mut dyn Iterator<Item = (usize, &str)>| {
                    let (at, part) = rest.next()?;
                    let is_joined = at == end + 1 && address[end..at].starts_with(['-', '_', '/', '.']);
                    end = at + part.len();
                    (is_joined && part.len() <= 2).then(|| part.to_owned())
                };
                let mut rest = groups.clone();
                let first = next(&mut rest);
                let second = first.as_ref().and_then(|_| next(&mut rest));
                match (first, second) {
                    (Some(m), Some(d)) => day(group, &m, &d).or_else(|| month(group, &m)),
                    (Some(m), None) => month(group, &m).or_else(|| year(group)),
                    _ => year(group),
                }
            }
            _ => None,
        };
        latest = latest.max(date);
    }
    latest
}

/// The last number in an address, and what the address is without it. An address without one has no number, and
/// counts as the first of its series: `post-sitemap.xml` goes before `post-sitemap2.xml`.
pub(crate) fn number_in(address: &str) -> (Fingerprint, Option<u64>) {
    let Some((at, group)) = digit_groups(address).last() else { return (Fingerprint::of(address), None) };
    let Ok(number) = group.parse() else { return (Fingerprint::of(address), None) };
    let mut stem = address[..at].to_owned();
    stem.push_str(&address[at + group.len()..]);
    (Fingerprint::of(&stem), Some(number))
}

/// The runs of digits in the path and query of an address, with the byte at which each begins.
fn digit_groups(address: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    let host_end = address.find("://").and_then(|at| address[at + 3..].find('/').map(|end| at + 3 + end));
    let mut at = host_end.unwrap_or(0);
    std::iter::from_fn(move || {
        let begin = at + address[at..].find(|c: char| c.is_ascii_digit())?;
        let rest = &address[begin..];
        let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        at = begin + len;
        Some((begin, &rest[..len]))
    })
}

/// No archive is older than the first newspapers, and none is of the future.
fn year(year: &str) -> Option<Timestamp> {
    let year: i16 = year.parse().ok().filter(|year| (1600..=2200).contains(year))?;
    midnight(Date::new(year + 1, 1, 1).ok()?)
}

fn month(of_year: &str, month: &str) -> Option<Timestamp> {
    year(of_year)?;
    let first = Date::new(of_year.parse().ok()?, month.parse().ok()?, 1).ok()?;
    midnight(first.last_of_month().tomorrow().ok()?)
}

fn day(of_year: &str, month: &str, day: &str) -> Option<Timestamp> {
    year(of_year)?;
    let date = Date::new(of_year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()?;
    midnight(date.tomorrow().ok()?)
}

pub(crate) fn midnight(date: Date) -> Option<Timestamp> {
    Offset::UTC.to_timestamp(date.to_datetime(jiff::civil::Time::midnight())).ok()
}
