//! The dates of sitemaps.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// A date as sitemaps write it, without white space around it. A partial one is its first instant, one without
/// a zone is in UTC.
///
/// A million dates are read in one walk, and nearly all of them are written in one of three ways, which are
/// read digit by digit. All others are left to the reader of feeds' dates.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    if text.is_empty() { None } else { usual(text.as_bytes()).or_else(|| releve_feed::parse_date(text)) }
}

/// `2026-03-01`, `2026-03-01T10:00:00Z`, `2026-03-01T10:00:00+01:00`. Anything else is none, be it a date.
fn usual(text: &[u8]) -> Option<Timestamp> {
    let (date, rest) = text.split_first_chunk::<10>()?;
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = *date else { return None };
    let year = i16::from(number(y0, y1)?) * 100 + i16::from(number(y2, y3)?);
    if year <= 1 {
        return None;
    }
    let (clock, ahead) = match *rest {
        [] => ([0; 3], 0),
        [b'T', h0, h1, b':', m0, m1, b':', s0, s1, ref zone @ ..] => {
            ([number(h0, h1)?, number(m0, m1)?, number(s0, s1)?], ahead(zone)?)
        }
        _ => return None,
    };
    let [hour, minute, second] = clock;
    let local = DateTime::new(year, number(m0, m1)?, number(d0, d1)?, hour, minute, second, 0).ok()?;
    Offset::from_seconds(ahead).ok()?.to_timestamp(local).ok()
}

/// How many seconds a zone is ahead of UTC.
fn ahead(zone: &[u8]) -> Option<i32> {
    let [sign @ (b'+' | b'-'), h0, h1, b':', m0, m1] = *zone else {
        return (zone == b"Z").then_some(0);
    };
    let (hours, minutes) = (number(h0, h1)?, number(m0, m1)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    let ahead = i32::from(hours) * 3_600 + i32::from(minutes) * 60;
    Some(if sign == b'-' { -ahead } else { ahead })
}

fn number(tens: u8, ones: u8) -> Option<i8> {
    let digit = |byte: u8| i8::try_from(byte.wrapping_sub(b'0')).ok().filter(|digit| (0..=9).contains(digit));
    Some(digit(tens)? * 10 + digit(ones)?)
}
