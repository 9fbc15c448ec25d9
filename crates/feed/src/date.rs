//! Dates as they are met.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;

/// What a date without a zone means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zoneless {
    Utc,
    NoDate,
}

/// No date that is written anywhere takes more.
const DATE_BYTES_MAX: usize = 100;

/// A date as feeds and sitemaps write it, in the manner of RFC 822 or ISO 8601 (W3CDTF); a partial one (`2026`,
/// `2026-03`) is its first instant.
///
/// One without a zone is taken as UTC. None if it is not understood, or if its year is 1 or less, which is how
/// software writes that there is none.
pub fn parse_date(text: &str) -> Option<Timestamp> {
    parse(text, Zoneless::Utc)
}

/// A date in the manner of RFC 822 or ISO 8601. None if it is not understood, or if its year is 1 or less,
/// which is how software writes that there is none.
pub(crate) fn parse(text: &str, zoneless: Zoneless) -> Option<Timestamp> {
    let text = text.trim();
    if text.is_empty() || text.len() > DATE_BYTES_MAX || !text.is_ascii() {
        return None;
    }
    let (local, offset) = iso(text).or_else(|| rfc_822(text))?;
    let offset = match (offset, zoneless) {
        (Some(offset), _) => offset,
        (None, Zoneless::Utc) => Offset::UTC,
        (None, Zoneless::NoDate) => return None,
    };
    if local.year() <= 1 {
        return None;
    }
    offset.to_timestamp(local).ok()
}

/// A date as it stands in the text, and how far it is from UTC where that is said.
type Local = (DateTime, Option<Offset>);

/// `2026-03-01T10:00:00.5+01:00`, and what W3CDTF and ISO 8601 let be left out of it.
fn iso(text: &str) -> Option<Local> {
    let (date, rest) = iso_date(text)?;
    if rest.is_empty() {
        return Some((date.to_datetime(Time::midnight()), None));
    }
    let rest = rest.strip_prefix(['T', 't', ' ', '_']).map(str::trim_start)?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.' | ',')).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(end);
    let local = at(date, &clock_parts(clock)?)?;
    let zone = zone.trim();
    Some((local, if zone.is_empty() { None } else { Some(offset(zone)?) }))
}

fn iso_date(text: &str) -> Option<(Date, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (year, mut rest) = text.split_at(4.min(digits));
    let mut numbers = [number(year).filter(|_| year.len() == 4)?, 1, 1];
    if digits == 8 {
        numbers[1] = number(&text[4..6])?;
        numbers[2] = number(&text[6..8])?;
        rest = &text[8..];
    } else if digits == 4 {
        for slot in &mut numbers[1..] {
            let Some(tail) = rest.strip_prefix('-') else { break };
            let end = tail.bytes().take_while(u8::is_ascii_digit).count();
            *slot = number(&tail[..end]).filter(|_| (1..=2).contains(&end))?;
            rest = &tail[end..];
        }
    } else {
        return None;
    }
    Some((civil(numbers[0], numbers[1], numbers[2])?, rest))
}

/// `Tue, 3 Mar 2026 10:00:00 +0100`: words in nearly any order, as long as each can be told by itself.
fn rfc_822(text: &str) -> Option<Local> {
    let mut words = Words::default();
    for word in text.split([' ', '\t', '\r', '\n', ',']).filter(|word| !word.is_empty()) {
        words.take(word)?;
    }
    let date = civil(words.year?, words.month?, words.day?)?;
    let mut clock = words.clock.unwrap_or_default();
    if let Some(is_afternoon) = words.is_afternoon {
        clock.hour = clock.hour % 12 + if is_afternoon { 12 } else { 0 };
    }
    Some((at(date, &clock)?, words.offset))
}

/// What the words of a date have said so far.
#[derive(Default)]
struct Words {
    year: Option<i32>,
    month: Option<i32>,
    day: Option<i32>,
    clock: Option<Clock>,
    is_afternoon: Option<bool>,
    offset: Option<Offset>,
}

impl Words {
    /// Takes a word, or gives the date up.
    fn take(&mut self, word: &str) -> Option<()> {
        if word.contains(':') && !word.starts_with(['+', '-']) && self.clock.is_none() {
            // A zone may follow the clock without a space: 10:00:00Z, 10:00:00+01:00.
            let end =
                word.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.')).unwrap_or(word.len());
            self.clock = Some(clock_parts(&word[..end])?);
            return if end < word.len() { self.take(&word[end..]) } else { Some(()) };
        }
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            return self.take_number(word);
        }
        if self.clock.is_some() {
            if let Some(is_afternoon) = meridiem(word) {
                self.is_afternoon = Some(is_afternoon);
            } else if !word.starts_with('(') || self.offset.is_none() {
                // Of "GMT+0100" the later part says more; what stands in parentheses after an offset repeats
                // it.
                self.offset = Some(offset(word.trim_matches(['(', ')']))?);
            }
            return Some(());
        }
        if word.contains('-') {
            // 03-Mar-2026
            return word.split('-').try_for_each(|part| self.take(part));
        }
        // A word before the day is the weekday, unless it turns out to be the month: "Tue Mar 3", "mar, 03
        // nov".
        let letters = word.trim_end_matches('.');
        match month(letters) {
            Some(month) => self.month = Some(month),
            None if self.day.is_none() && letters.bytes().all(|byte| byte.is_ascii_alphabetic()) => {}
            None => return None,
        }
        Some(())
    }

    fn take_number(&mut self, word: &str) -> Option<()> {
        let value = number(word)?;
        if word.len() <= 2 && self.day.is_none() {
            self.day = Some(value);
        } else if self.year.is_none() {
            self.year = Some(match word.len() {
                // RFC 2822, 4.3.
                2 if value < 50 => 2000 + value,
                2 | 3 => 1900 + value,
                4 => value,
                _ => return None,
            });
        } else {
            return None;
        }
        Some(())
    }
}

/// Hours, minutes, seconds and nanoseconds.
#[derive(Default)]
struct Clock {
    hour: i32,
    minute: i32,
    second: i32,
    nanosecond: i32,
}

/// `10:00`, `10:00:00`, `10:00:00.123`, `1000`, `100000`, `10`.
fn clock_parts(text: &str) -> Option<Clock> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let mut parts = [0; 3];
    if whole.contains(':') {
        let mut slots = parts.iter_mut();
        for part in whole.split(':') {
            *slots.next()? = number(part).filter(|_| part.len() <= 2)?;
        }
    } else {
        if !matches!(whole.len(), 2 | 4 | 6) {
            return None;
        }
        for (slot, at) in parts.iter_mut().zip((0..whole.len()).step_by(2)) {
            *slot = number(&whole[at..at + 2])?;
        }
    }
    let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    let [hour, minute, second] = parts;
    Some(Clock { hour, minute, second, nanosecond: number(&digits)? })
}

fn at(date: Date, clock: &Clock) -> Option<DateTime> {
    let &Clock { hour, minute, second, nanosecond } = clock;
    if (hour, minute, second, nanosecond) == (24, 0, 0, 0) {
        return Some(date.tomorrow().ok()?.to_datetime(Time::midnight()));
    }
    // A leap second is the one before it.
    let second = if second == 60 { 59 } else { second };
    let [hour, minute, second] = [hour, minute, second].map(i8::try_from);
    Some(date.to_datetime(Time::new(hour.ok()?, minute.ok()?, second.ok()?, nanosecond).ok()?))
}

fn civil(year: i32, month: i32, day: i32) -> Option<Date> {
    let year = i16::try_from(year).ok()?;
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn number(text: &str) -> Option<i32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

fn month(word: &str) -> Option<i32> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let head = word.get(..3)?;
    let index = MONTHS.iter().position(|month| head.eq_ignore_ascii_case(month))?;
    i32::try_from(index + 1).ok()
}

fn meridiem(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "am" | "a.m." => Some(false),
        "pm" | "p.m." => Some(true),
        _ => None,
    }
}

/// `Z`, `+0100`, `+01:00`, `+01`, `GMT+1`, and names as RFC 822 and the usage of Europe and East Asia have
/// them.
fn offset(word: &str) -> Option<Offset> {
    let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, rest) = word.split_at(letters);
    let named = match name.to_ascii_uppercase().as_str() {
        "" | "Z" | "UT" | "UTC" | "GMT" | "WET" => 0,
        "CET" | "MEZ" | "BST" | "WEST" => 60,
        "CEST" | "MESZ" | "EET" => 120,
        "EEST" | "MSK" => 180,
        "JST" | "KST" => 540,
        "EDT" => -240,
        "EST" | "CDT" => -300,
        "CST" | "MDT" => -360,
        "MST" | "PDT" => -420,
        "PST" => -480,
        _ => return None,
    };
    if rest.is_empty() {
        return if name.is_empty() { None } else { minutes(named) };
    }
    let sign = match rest.as_bytes()[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits = &rest[1..];
    let (hours, rest) = match digits.split_once(':') {
        Some((hours, rest)) => (hours, rest),
        None if digits.len() <= 2 => (digits, "0"),
        None => digits.split_at_checked(digits.len() - 2)?,
    };
    // No place is a whole day away.
    let hours = number(hours).filter(|&hours| hours < 24)?;
    minutes(sign * (hours * 60 + number(rest).filter(|&rest| rest < 60)?))
}

fn minutes(minutes: i32) -> Option<Offset> {
    Offset::from_seconds(minutes * 60).ok()
}
