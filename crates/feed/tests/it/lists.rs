//! Lists that an API gives as JSON.

use releve_feed::{
    DateField, Feed, FeedError, Instead, ListShape, NoticeKind, Pointer, read_list, read_list_page,
};

use crate::notices;

const BASE: &str = "https://www.example.org/wp-json/wp/v2/posts?page=1";

fn pointer(text: &str) -> Pointer {
    text.parse().unwrap()
}

fn read(list: &str, shape: &ListShape) -> Feed {
    read_list(list.as_bytes(), BASE, shape).unwrap()
}

#[test]
fn wordpress_dates_are_utc_because_its_shape_says_so() {
    let list = r#"[{"id": 4711, "date": "2026-11-03T11:00:00", "date_gmt": "2026-11-03T10:00:00", "modified_gmt": "2026-11-04T10:00:00",
                    "link": "https:\/\/www.example.org\/2026\/a\/", "title": {"rendered": "T"}, "id_": 1}]"#;
    let feed = read(list, &ListShape::wordpress());
    let [post] = &feed.announcements[..] else { panic!("one post") };
    assert_eq!(post.id.as_deref(), Some("4711"));
    assert_eq!(post.link.as_deref(), Some("https://www.example.org/2026/a/"));
    assert_eq!(post.published, "2026-11-03T10:00:00Z".parse().ok());
    assert_eq!(post.modified, "2026-11-04T10:00:00Z".parse().ok());
    assert_eq!(feed.notices, []);

    let zoned = |date: &str, is_utc| {
        let published = Some(DateField { at: pointer("/date"), is_utc });
        let shape = ListShape { published, ..ListShape::default() };
        read(&format!("[{{\"date\": \"{date}\"}}]"), &shape).announcements[0].published
    };
    assert_eq!(zoned("2026-11-03T10:00:00", true), "2026-11-03T10:00:00Z".parse().ok());
    assert_eq!(zoned("2026-11-03T10:00:00", false), None);
    assert_eq!(zoned("2026-11-03", false), None);
    assert_eq!(zoned("2026-11-03T10:00:00+01:00", false), "2026-11-03T09:00:00Z".parse().ok());
    assert_eq!(zoned("2026-11-03T10:00:00+01:00", true), "2026-11-03T09:00:00Z".parse().ok());
}

#[test]
fn the_dates_of_undated_posts_are_none() {
    for date in
        ["-0001-11-30T00:00:00", "0000-00-00T00:00:00", "0000-01-01T00:00:00", "0001-01-01T00:00:00", ""]
    {
        let feed = read(&format!("[{{\"id\": 1, \"date_gmt\": \"{date}\"}}]"), &ListShape::wordpress());
        assert_eq!(feed.announcements[0].published, None, "{date}");
    }
    assert_eq!(
        read(r#"[{"id": 1, "date_gmt": null}]"#, &ListShape::wordpress()).announcements[0].published,
        None
    );
}

/// R6: an identifier is the same string wherever it stands, so a number is taken as it is written or not at
/// all.
#[test]
fn r06_an_identifier_is_taken_as_it_is_written() {
    let id = |value: &str| {
        let feed = read(&format!("[{{\"id\": {value}}}]"), &ListShape::wordpress());
        (feed.announcements[0].id.clone(), feed.notices.len())
    };
    let taken = |text: &str| (Some(text.to_owned()), 0);
    assert_eq!(id("7"), taken("7"));
    assert_eq!(id("-7"), taken("-7"));
    assert_eq!(id("18446744073709551615"), taken("18446744073709551615"));
    assert_eq!(id("\"007\""), taken("007"));
    assert_eq!(id("\" a\\u00e9 \""), taken("aé"));
    assert_eq!(id("\"\""), (None, 0));
    assert_eq!(id("null"), (None, 0));
    for other in ["18446744073709551616", "7.0", "1e3", "-0", "true", "[7]", "{}"] {
        assert_eq!(id(other), (None, 1), "{other}");
    }
}

#[test]
fn places_are_found_by_pointer() {
    let shape = ListShape {
        items: pointer("/data/0/list"),
        id: Some(pointer("/meta/a~1b")),
        address: Some(pointer("/links/1")),
        published: None,
        modified: Some(DateField { at: pointer("/meta/m~0n"), is_utc: true }),
        fields: vec![pointer("/meta/a~1b"), pointer("/embargo"), pointer("")],
    };
    let feed = read(
        r#"{"data": [{"list": [
            {"links": ["/0", "/1", "/2"], "meta": {"a/b": "7", "m~n": "2026-11-03", "ab": "no"}, "embargo": 5},
            {"links": {"1": "2"}}
        ]}, {"list": [{}]}]}"#,
        &ListShape { fields: shape.fields[..2].to_vec(), ..shape.clone() },
    );
    let first = &feed.announcements[0];
    assert_eq!((first.id.as_deref(), first.link.as_deref()), (Some("7"), Some("https://www.example.org/1")));
    assert_eq!(first.modified, "2026-11-03T00:00:00Z".parse().ok());
    assert_eq!(
        first.fields,
        [("/meta/a~1b".to_owned(), "7".to_owned()), ("/embargo".to_owned(), "5".to_owned())]
    );
    assert_eq!(feed.announcements[1].link.as_deref(), Some("https://www.example.org/wp-json/wp/v2/2"));
    assert_eq!(feed.announcements.len(), 2);
    // A whole item is no field.
    let feed = read(r#"{"data": [{"list": [{}, 3]}]}"#, &shape);
    assert_eq!(notices(&feed), [(1, NoticeKind::FieldOfWrongType), (2, NoticeKind::NotAnItem)]);
}

#[test]
fn pointers_are_those_of_rfc_6901() {
    for text in ["", "/", "/a", "/a/b/0", "/a~1b", "/~0", "//", "/é"] {
        assert_eq!(pointer(text).to_string(), text);
    }
    for text in ["a", "a/b", "/~", "/~2", "/a~"] {
        assert!(text.parse::<Pointer>().is_err(), "{text}");
    }
    assert!("a".parse::<Pointer>().unwrap_err().to_string().contains("RFC 6901"));
}

#[test]
fn what_is_no_list_is_told_apart() {
    let error = |list: &str, shape: &ListShape| read_list(list.as_bytes(), BASE, shape).unwrap_err();
    let wordpress = ListShape::wordpress();
    let nested = ListShape { items: pointer("/data"), ..ListShape::default() };
    assert_eq!(error("{\"code\": \"rest_no_route\"}", &wordpress), FeedError::NoItems);
    assert_eq!(error("[]", &nested), FeedError::NoItems);
    assert_eq!(error("{\"data\": {}}", &nested), FeedError::NoItems);
    assert_eq!(error("{\"data\": null}", &nested).code(), "list-without-items");
    assert_eq!(error("<!DOCTYPE html>", &wordpress), FeedError::NotAFeed(Instead::Html));
    assert_eq!(error("false", &wordpress), FeedError::NotAFeed(Instead::Text));
    assert_eq!(error("", &wordpress), FeedError::Empty);
    assert_eq!(error("[{\"id\": 1}", &wordpress), FeedError::CutOff);
    assert_eq!(error("[{\"id\": 1}]]", &wordpress), FeedError::Malformed { line: 1, column: 12 });
    assert_eq!(read("[]", &wordpress).announcements, []);
}

/// An item whose embargo cannot be read as text may be one that must not be read.
#[test]
fn r41_an_item_with_a_wanted_field_of_another_type_is_left_out() {
    let shape = ListShape { fields: vec![pointer("/embargo")], ..ListShape::wordpress() };
    let feed = read(
        r#"[{"id": 1, "embargo": null}, {"id": 2}, {"id": 3, "embargo": {"until": 1}}, {"id": 4, "embargo": false}, {"id": 5, "embargo": "2026"}]"#,
        &shape,
    );
    let ids: Vec<_> = feed.announcements.iter().map(|item| item.id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["1", "2", "5"]);
    assert_eq!(notices(&feed), [(3, NoticeKind::FieldOfWrongType), (4, NoticeKind::FieldOfWrongType)]);
}

#[test]
fn what_leads_to_the_next_page_is_read_beside_the_items() {
    let shape = ListShape { items: pointer("/data"), id: Some(pointer("/id")), ..ListShape::default() };
    let read = |next: &str| {
        let list =
            format!("{{\"data\": [{{\"id\": 1, \"next\": \"no\"}}, 7], \"links\": {{\"next\": {next}}}}}");
        read_list_page(list.as_bytes(), BASE, &shape, Some(&pointer("/links/next"))).unwrap()
    };
    for (next, is_read) in [
        ("\"?page=2\"", Some("?page=2")),
        ("\" https://www.example.org/2 \"", Some("https://www.example.org/2")),
        ("4711", Some("4711")),
        ("null", None),
        ("\"\"", None),
    ] {
        let feed = read(next);
        assert_eq!(feed.next.as_deref(), is_read, "{next}");
        // An item that is left out is one all the same, by which an offset is reckoned.
        assert_eq!((feed.items, feed.announcements.len()), (2, 1));
        assert_eq!(notices(&feed), [(2, NoticeKind::NotAnItem)]);
    }
    // What can't lead on is no end, and is said.
    for next in ["true", "{}", "[1]", "1.5"] {
        let feed = read(next);
        assert_eq!((feed.next.as_deref(), feed.notices[1].item), (None, None), "{next}");
        assert_eq!(feed.notices[1].kind, NoticeKind::WrongType);
    }
}
