//! Dates as they are met.

use jiff::Timestamp;
use releve_feed::NoticeKind;

use crate::{atom_entry, feed, notices, rss_item};

#[track_caller]
fn check(date: &str, instant: Option<&str>) {
    let item = rss_item(&format!("<pubDate>{date}</pubDate>"));
    let expected = instant.map(|instant| instant.parse::<Timestamp>().unwrap());
    assert_eq!(item.published, expected, "{date:?}");
}

#[test]
fn dates_in_the_manner_of_rfc_822() {
    let ten = Some("2026-11-03T10:00:00Z");
    let nine = Some("2026-11-03T09:00:00Z");
    check("Tue, 03 Nov 2026 10:00:00 GMT", ten);
    check("Tue, 3 Nov 2026 10:00:00 +0000", ten);
    check("Tue, 03 Nov 2026 10:00:00 -0000", ten);
    check("Tue,03 Nov 2026 10:00:00 UT", ten);
    check(" Tue, 03 Nov 2026\n 10:00:00 Z ", ten);
    check("03 Nov 2026 10:00:00 UTC", ten);
    check("03 Nov 26 10:00 GMT", ten);
    check("Tue, 03 November 2026 10:00:00 GMT", ten);
    check("Tuesday, November 3, 2026 10:00:00 GMT", ten);
    check("Tue, 03-Nov-2026 10:00:00 GMT", ten);
    check("Tue Nov  3 10:00:00 2026", ten);
    check("Tue Nov  3 10:00:00 UTC 2026", ten);
    check("Tue, 03 Nov 2026 10:00:00", ten);
    check("3 Nov 2026", Some("2026-11-03T00:00:00Z"));
    check("Tue, 03 Nov 2026 10:00:00 +0100", nine);
    check("Tue, 03 Nov 2026 10:00:00 +01:00", nine);
    check("Tue, 03 Nov 2026 10:00:00+01:00", nine);
    check("Tue, 03 Nov 2026 10:00:00 GMT+0100", nine);
    check("Tue, 03 Nov 2026 10:00:00 GMT+1", nine);
    check("Tue, 03 Nov 2026 10:00:00 +0100 (CET)", nine);
    check("Tue, 03 Nov 2026 10:00:00 CET", nine);
    check("Tue, 03 Nov 2026 11:00:00 CEST", nine);
    check("Tue, 03 Nov 2026 10:00:00 EST", Some("2026-11-03T15:00:00Z"));
    check("Tue, 03 Nov 2026 10:00:00 PDT", Some("2026-11-03T17:00:00Z"));
    check("Tue, 03 Nov 2026 10:00:00 +0530", Some("2026-11-03T04:30:00Z"));
    check("Tue, 03 Nov 2026 09:00:00 PM", Some("2026-11-03T21:00:00Z"));
    check("Tue, 03 Nov 2026 12:00:00 AM", Some("2026-11-03T00:00:00Z"));
    check("Tue, 03 Nov 2026 24:00:00 GMT", Some("2026-11-04T00:00:00Z"));
    check("Tue, 03 Nov 2026 23:59:60 GMT", Some("2026-11-03T23:59:59Z"));
    check("Thu, 01 Jan 70 00:00:00 GMT", Some("1970-01-01T00:00:00Z"));
    // The weekday may be wrong, or in another language, as long as the month is in English.
    check("Fri, 03 Nov 2026 10:00:00 GMT", ten);
    check("mar, 03 nov 2026 10:00:00 +0100", nine);
}

#[test]
fn dates_in_the_manner_of_iso_8601() {
    check("2026-11-03T10:00:00Z", Some("2026-11-03T10:00:00Z"));
    check("2026-11-03t10:00:00z", Some("2026-11-03T10:00:00Z"));
    check("2026-11-03T10:00Z", Some("2026-11-03T10:00:00Z"));
    check("2026-11-03T10:00:00.123+01:00", Some("2026-11-03T09:00:00.123Z"));
    check("2026-11-03T10:00:00,5Z", Some("2026-11-03T10:00:00.5Z"));
    check("2026-11-03T10:00:00.1234567891Z", Some("2026-11-03T10:00:00.123456789Z"));
    check("2026-11-03T10:00:00+0100", Some("2026-11-03T09:00:00Z"));
    check("2026-11-03T10:00:00-05", Some("2026-11-03T15:00:00Z"));
    check("2026-11-03 10:00:00 +0100", Some("2026-11-03T09:00:00Z"));
    check("2026-11-03 10:00:00 UTC", Some("2026-11-03T10:00:00Z"));
    check("2026-11-03 10:00:00", Some("2026-11-03T10:00:00Z"));
    check("2026-11-03", Some("2026-11-03T00:00:00Z"));
    check("2026-11", Some("2026-11-01T00:00:00Z"));
    check("2026-1-3", Some("2026-01-03T00:00:00Z"));
    check("20261103", Some("2026-11-03T00:00:00Z"));
    check("20261103T100000Z", Some("2026-11-03T10:00:00Z"));
}

#[test]
fn what_is_no_date() {
    for text in [
        "",
        "Tomorrow",
        "1793613600",
        "2026-02-31",
        "2026-13-01",
        "2026-11-03T25:00:00Z",
        "2026-11-03T10:61:00Z",
        "2026-11-03T10:00:00+99:00",
        "2026-11-03T10:00:00+24:00",
        "2026-11-03T10:00:00+1999999999",
        "2026-11-03T10:00:00-1999999999:00",
        "Tue, 03 Nov 2026 10:00:00 GMT+214748364700",
        "2026-11-03T10:00:00 IST",
        "2026-11-03T10:00:00Z and more",
        "Thu, 31 Feb 2026 10:00:00 GMT",
        "Tue, 03 Nov 2026 10:00:00 XYZ",
        "Tue, 03 Nov 2026 10:00:00:00 GMT",
        "Tue, 03 Foo 2026 10:00:00 GMT",
        "Tue, 03 Nov 10:00:00 GMT",
        "03/11/2026",
        "11.03.2026 10:00",
        "－２０２６",
        "99999999999999999999",
        "Nov Nov Nov",
        "+",
        "-",
        ":",
    ] {
        check(text, None);
    }
    check(&"2026-11-03T10:00:00Z ".repeat(20), None);
}

/// How software writes that there is no date: Go's zero time, MySQL's, and what WordPress makes of it.
#[test]
fn dates_of_the_year_one_and_before_are_none() {
    for text in [
        "Mon, 01 Jan 0001 00:00:00 +0000",
        "0001-01-01T00:00:00Z",
        "0000-00-00 00:00:00",
        "0000-01-01T00:00:00Z",
        "-0001-11-30T00:00:00",
    ] {
        check(text, None);
    }
}

#[test]
fn the_dates_of_an_item_have_their_ranks() {
    let at = |day: u8| format!("2026-11-{day:02}");
    let instant = |day: u8| format!("2026-11-{day:02}T00:00:00Z").parse::<Timestamp>().ok();
    let item = rss_item(&format!(
        "<dcterms:issued>{}</dcterms:issued><dc:date>{}</dc:date><pubDate>{}</pubDate>\
         <dcterms:modified>{}</dcterms:modified><atom:updated>{}</atom:updated><dcterms:created>{}</dcterms:created>",
        at(1),
        at(2),
        at(3),
        at(4),
        at(5),
        at(6),
    ));
    assert_eq!((item.published, item.modified), (instant(3), instant(5)));
    // One that is not understood gives way to the next, and of two alike the first counts.
    let item =
        rss_item(&format!("<pubDate>soon</pubDate><dc:date>{}</dc:date><dc:date>{}</dc:date>", at(2), at(3)));
    assert_eq!(item.published, instant(2));
    let entry = atom_entry(&format!(
        "<created>{}</created><published>{}</published><updated>{}</updated>",
        at(1),
        at(2),
        at(3)
    ));
    assert_eq!((entry.published, entry.modified), (instant(2), instant(3)));
    let entry = atom_entry(&format!("<modified>{}</modified><issued>{}</issued>", at(1), at(2)));
    assert_eq!((entry.published, entry.modified), (instant(2), instant(1)));
}

#[test]
fn a_date_that_is_not_understood_is_noted() {
    let feed = feed("<rss><channel><item/><item><pubDate>soon</pubDate></item></channel></rss>");
    assert_eq!(notices(&feed), [(2, NoticeKind::DateNotUnderstood)]);
}
