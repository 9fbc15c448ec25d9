use std::{str, time::Duration};

use jiff::{Timestamp, civil::DateTime, tz::Offset};

/// The longest value that is looked at, in bytes. The longest form that RFC 9110 knows has 33
/// (`Wednesday, 08-Sep-99 08:49:37 GMT` less one digit); anything beyond twice that is not one of them.
const VALUE_BYTES_MAX: usize = 64;

/// What a `Retry-After` header asks for, as a wait from `now` on (RFC 9110, sections 10.2.3 and 5.6.7).
///
/// Reads seconds and all three forms of an HTTP date. A date that has passed is no wait at all. A value that is neither
/// is `None`: the caller then waits what it would have waited without the header.
///
/// The number of seconds has no bound here but that of the type; who has a longest wait applies it.
///
/// ```
/// use std::time::Duration;
/// use releve_pace::retry_after;
///
/// let now = "1994-11-06T08:49:07Z".parse()?;
/// assert_eq!(retry_after(b"120", now), Some(Duration::from_secs(120)));
/// assert_eq!(retry_after(b"Sun, 06 Nov 1994 08:49:37 GMT", now), Some(Duration::from_secs(30)));
/// assert_eq!(retry_after(b"soon", now), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn retry_after(value: &[u8], now: Timestamp) -> Option<Duration> {
    if value.len() > VALUE_BYTES_MAX {
        return None;
    }
    let value = str::from_utf8(value).ok()?.trim_matches([' ', '\t']);
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than the type holds mean longer than anyone waits; that is what the largest value says.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let at = http_date(value, now)?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or(Duration::ZERO))
}

/// How long a `429` (RFC 6585) without a `Retry-After` is taken to mean. Rate limits are counted by the minute more often than not.
const TOO_MANY_REQUESTS: Duration = Duration::from_secs(60);

/// The longest that one answer keeps a host from being asked. Whoever wants to be left alone for longer says so again after a
/// day; whoever wrote seconds for milliseconds is not lost for years.
const LEFT_ALONE_MAX: Duration = Duration::from_secs(24 * 3_600);

/// How long a host is to be left alone as a whole after an answer with this status, whose `Retry-After` asks for `asked`:
/// after `429 Too Many Requests` and `503 Service Unavailable`, which speak of the server and not of what was asked for.
/// A `503` that names no wait may be about one page, and keeps nobody from the others.
///
/// At most 24 hours; at least a minute after a `429` that names no wait.
///
/// ```
/// use std::time::Duration;
/// use releve_pace::left_alone;
///
/// let asked = Some(Duration::from_secs(120));
/// assert_eq!(left_alone(503, asked), asked);
/// assert_eq!(left_alone(429, None), Some(Duration::from_secs(60)));
/// assert_eq!(left_alone(503, None), None);
/// assert_eq!(left_alone(404, asked), None);
/// ```
pub fn left_alone(status: u16, asked: Option<Duration>) -> Option<Duration> {
    let wait = match status {
        429 => asked.unwrap_or(TOO_MANY_REQUESTS),
        503 => asked?,
        _ => return None,
    };
    Some(wait.min(LEFT_ALONE_MAX)).filter(|wait| !wait.is_zero())
}

/// One of the three forms of an HTTP date. The day's name is not compared with the date: a server that has it wrong
/// still means the date.
fn http_date(value: &str, now: Timestamp) -> Option<Timestamp> {
    let (day, month, year, time) = if let Some((_, rest)) = value.split_once(',') {
        let rest = rest.strip_suffix(" GMT")?;
        if rest.contains('-') {
            // Sunday, 06-Nov-94 08:49:37 GMT
            let [date, time] = exactly(rest.split_ascii_whitespace())?;
            let [day, month, year] = exactly(date.split('-'))?;
            (day, month, century(number::<2>(year)?, now), time)
        } else {
            // Sun, 06 Nov 1994 08:49:37 GMT
            let [day, month, year, time] = exactly(rest.split_ascii_whitespace())?;
            (day, month, number::<4>(year)?, time)
        }
    } else {
        // Sun Nov  6 08:49:37 1994
        let [_, month, day, time, year] = exactly(value.split_ascii_whitespace())?;
        (day, month, number::<4>(year)?, time)
    };
    let month = MONTHS.iter().position(|name| *name == month)?;
    let day = number::<2>(day).or_else(|| number::<1>(day))?;
    let [hour, minute, second] = exactly(time.split(':'))?;
    // RFC 9110 allows a leap second, which no clock here shows; the second before it is the same instant to us.
    let second = number::<2>(second).filter(|second| *second <= 60)?.min(59);
    let at = DateTime::new(
        year,
        i8::try_from(month + 1).ok()?,
        i8::try_from(day).ok()?,
        i8::try_from(number::<2>(hour)?).ok()?,
        i8::try_from(number::<2>(minute)?).ok()?,
        i8::try_from(second).ok()?,
        0,
    );
    Offset::UTC.to_timestamp(at.ok()?).ok()
}

/// The parts, if there are just so many.
fn exactly<'a, const N: usize>(mut parts: impl Iterator<Item = &'a str>) -> Option<[&'a str; N]> {
    let mut found = [""; N];
    for place in &mut found {
        *place = parts.next()?;
    }
    parts.next().is_none().then_some(found)
}

/// The number that exactly so many digits write.
fn number<const DIGITS: usize>(text: &str) -> Option<i16> {
    (text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// The year that two digits mean: RFC 9110 takes the latest that is not more than 50 years ahead.
fn century(two_digits: i16, now: Timestamp) -> i16 {
    let latest = Offset::UTC.to_datetime(now).year().saturating_add(50);
    latest - (latest - two_digits).rem_euclid(100)
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
