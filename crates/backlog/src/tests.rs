//! The small decisions, row by row.

use jiff::Timestamp;

use crate::fall::Fall;
use crate::fingerprint::Fingerprint;
use crate::{NumberedAddress, link, names};

#[test]
fn the_next_link_is_found_in_a_header() {
    for (header, next) in [
        (r#"<https://a.example/?page=2>; rel="next""#, Some("https://a.example/?page=2")),
        ("<?page=2>;rel=next", Some("?page=2")),
        (r#"<?page=9>; rel="last", <?page=2>; rel="next""#, Some("?page=2")),
        (
            r#"<?a,b;c>; rel="prev", <?page=2> ; title="a; rel=\"no\", <b>" ; REL = "first NEXT""#,
            Some("?page=2"),
        ),
        // Of several relations of one link the first counts (RFC 8288, section 3.3).
        (r#"<?page=2>; rel="prev"; rel="next""#, None),
        (r#"<?page=2>; rev="next""#, None),
        ("<?page=2>", None),
        (r##"<?page=9>; anchor="#comments"; rel=next, <?page=2>; rel=next; anchor="""##, Some("?page=2")),
        ("<?page=9>; rel=next; anchor=/other", None),
        ("<?page=2; rel=next", None),
        ("?page=2; rel=next", None),
        (r#", , <?page=2>; foo; rel="next"#, Some("?page=2")),
        ("", None),
    ] {
        assert_eq!(link::next(header), next, "{header}");
    }
}

#[test]
fn a_date_in_a_name_ends_with_its_day_month_or_year() {
    for (path, end) in [
        ("/sitemap-2026-03-01.xml", Some("2026-03-02T00:00:00Z")),
        ("/sitemap_2026_3.xml", Some("2026-04-01T00:00:00Z")),
        ("/2026/12/sitemap.xml", Some("2027-01-01T00:00:00Z")),
        ("/sitemap20260301.xml", Some("2026-03-02T00:00:00Z")),
        ("/sitemap-202603-17.xml", Some("2026-04-01T00:00:00Z")),
        ("/sitemap-2026-p3.xml", Some("2027-01-01T00:00:00Z")),
        ("/sitemap?year=2026&n=4", Some("2027-01-01T00:00:00Z")),
        ("/2026-03-99/a.xml", Some("2026-04-01T00:00:00Z")),
        // The latest of several.
        ("/2024-to-2026.xml", Some("2027-01-01T00:00:00Z")),
        ("/sitemap-2026-13.xml", Some("2027-01-01T00:00:00Z")),
        ("/sitemap-12345678.xml", None),
        ("/sitemap-7.xml", None),
        ("/sitemap-1024x9999.xml", None),
        ("/sitemap.xml", None),
    ] {
        // Digits of the host say nothing.
        let date = names::date_in(&format!("https://www2020.example.org{path}"));
        assert_eq!(date, end.map(|end| end.parse::<Timestamp>().unwrap()), "{path}");
    }
}

#[test]
fn the_last_number_of_a_name_tells_its_series() {
    let series = |path: &str| names::number_in(&format!("https://www1.example.org{path}"));
    assert_eq!(series("/post-sitemap12.xml").1, Some(12));
    assert_eq!(series("/post-sitemap12.xml").0, series("/post-sitemap3.xml").0);
    assert_eq!(series("/post-sitemap12.xml").0, series("/post-sitemap.xml").0);
    assert_ne!(series("/post-sitemap12.xml").0, series("/page-sitemap12.xml").0);
    assert_eq!(series("/s.xml"), (Fingerprint::of("https://www1.example.org/s.xml"), None));
    assert_eq!(series("/99999999999999999999999.xml").1, None);
}

#[test]
fn dates_fall_where_they_have_fallen_by_a_day_and_risen_by_none() {
    for (hours, holds) in [
        (&[][..], false),
        (&[0], false),
        (&[0, 10, 20], false),
        (&[0, 10, 24], true),
        (&[0, 30, 10, 60], true),
        (&[0, 30, 5, 60], false),
        (&[48, 0], false),
        (&[48, 0, 100], false),
    ] {
        let mut fall = Fall::default();
        for hour in hours {
            fall.take(Timestamp::from_second(1_000_000_000 - hour * 3_600).unwrap());
        }
        assert_eq!(fall.holds(), holds, "{hours:?}");
    }
}

#[test]
fn a_numbered_address_has_its_number_once_and_not_in_the_host() {
    let new = |text: &str| NumberedAddress::new(text, "{page}").map_err(|error| error.to_string());
    let address = new("https://a.example/{page}/list?x=0").unwrap();
    assert_eq!(address.page(0).as_str(), "https://a.example/0/list?x=0");
    assert_eq!(address.page(u64::MAX).as_str(), "https://a.example/18446744073709551615/list?x=0");
    for (text, says) in [
        ("https://{page}.example/", "nowhere else"),
        ("https://a.example/", "nowhere else"),
        ("https://a.example/#{page}", "nowhere else"),
        ("https://a.example/{page}?p={page}", "once"),
        ("http://a.example/{page}", "only https"),
    ] {
        let error = new(text).unwrap_err();
        assert!(error.contains(says), "{text}: {error}");
    }
}
