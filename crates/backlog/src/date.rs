//! The dates of sitemaps.

use jiff::Timestamp;
use jiff::civil::Date;

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
    let days = days_of(year, number(m0, m1)?, number(d0, d1)?)?;
    let seconds = match rest {
        [] => 0,
        [b'T', h0, h1, b':', m0, m1, b':', s0, s1, zone @ ..] => {
            let (hour, minute, second) = (number(*h0, *h1)?, number(*m0, *m1)?, number(*s0, *s1)?);
            if hour > 23 || minute > 59 || second > 59 {
                return None;
            }
            let ahead = match zone {
                b"Z" => 0,
                [sign @ (b'+' | b'-'), h0, h1, b':', m0, m1] => {
                    let (hours, minutes) = (number(*h0, *h1)?, number(*m0, *m1)?);
                    if hours > 23 || minutes > 59 {
                        return None;
                    }
                    let ahead = i64::from(hours) * 3_600 + i64::from(minutes) * 60;
                    if *sign == b'-' { -ahead } else { ahead }
                }
                _ => return None,
            };
            i64::from(hour) * 3_600 + i64::from(minute) * 60 + i64::from(second) - ahead
        }
        _ => return None,
    };
    Timestamp::from_second(days * 86_400 + seconds).ok()
}

fn number(tens: u8, ones: u8) -> Option<i8> {
    let digit = |byte: u8| i8::try_from(byte.wrapping_sub(b'0')).ok().filter(|digit| (0..=9).contains(digit));
    Some(digit(tens)? * 10 + digit(ones)?)
}

/// Days since 1970-01-01.
fn days_of(year: i16, month: i8, day: i8) -> Option<i64> {
    let date = Date::new(year, month, day).ok()?;
    let epoch = jiff::civil::date(1970, 1, 1);
    Some(date.duration_since(epoch).as_hours() / 24)
}
