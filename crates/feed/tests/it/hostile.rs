//! Documents made to hurt: each is answered at once, within bounds.

use std::fmt::Write as _;

use releve_feed::{DEPTH_MAX, FIELD_BYTES_MAX, FeedError, ITEMS_MAX, NOTICES_MAX, NoticeKind, Wanted, read};

use crate::{BASE, feed, notices, rss_item};

fn error(document: &str) -> FeedError {
    read(document.as_bytes(), None, BASE, &Wanted::nothing()).unwrap_err()
}

#[test]
fn declared_entities_are_not_expanded() {
    let mut bomb = "<!DOCTYPE rss [<!ENTITY e0 'lol'>".to_owned();
    for n in 1..20 {
        write!(bomb, "<!ENTITY e{n} '{}'>", format!("&e{};", n - 1).repeat(10)).unwrap();
    }
    bomb.push_str("<!ENTITY file SYSTEM 'file:///etc/hostname'><!ENTITY % remote SYSTEM 'https://www.example.org/x'> %remote;]>");
    bomb.push_str("<rss><channel><item><title>&e19;</title><guid>&e19;</guid><link>/&file;</link></item></channel></rss>");
    let feed = feed(bomb);
    assert_eq!(feed.announcements[0].id.as_deref(), Some("&e19;"));
    assert_eq!(feed.announcements[0].link.as_deref(), Some("https://www.example.org/&file;"));
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!("<rss>{}{}</rss>", "<a>".repeat(depth - 1), "</a>".repeat(depth - 1));
    assert_eq!(feed(nested(DEPTH_MAX)).announcements, []);
    assert_eq!(error(&nested(DEPTH_MAX + 1)), FeedError::TooDeep);
    assert_eq!(error(&nested(100_000)).code(), "feed-too-deep");
    // What is skipped in JSON may be as deep as it likes.
    let deep = format!(
        "{{\"x\": {}1{}, \"version\": \"https://jsonfeed.org/version/1\", \"items\": []}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert_eq!(feed(deep).announcements, []);
    let bases = format!("<rss>{}", "<channel xml:base='aaaaaaaaaa/'>".repeat(200_000));
    assert_eq!(error(&bases), FeedError::TooDeep);
}

#[test]
fn items_are_bounded() {
    let items = |count: usize| {
        format!("<rss><channel>{}</channel></rss>", "<item><guid>1</guid></item>".repeat(count))
    };
    assert_eq!(feed(items(ITEMS_MAX)).notices, []);
    let many = feed(items(ITEMS_MAX + 1));
    assert_eq!(many.announcements.len(), ITEMS_MAX);
    assert_eq!(notices(&many), [(0, NoticeKind::TooManyItems)]);
    let many = feed(format!(
        "{{\"items\": [{}], \"version\": \"https://jsonfeed.org/version/1\"}}",
        vec!["{}"; ITEMS_MAX + 7].join(",")
    ));
    assert_eq!(many.announcements.len(), ITEMS_MAX);
    assert_eq!(notices(&many), [(0, NoticeKind::TooManyItems)]);
}

#[test]
fn fields_are_bounded() {
    let long = "a".repeat(FIELD_BYTES_MAX);
    for (child, is_taken) in [
        (format!("<guid>{long}</guid>"), true),
        (format!("<guid>{}{long}</guid>", " ".repeat(100_000)), true),
        (format!("<guid>{long}b</guid>"), false),
        (format!("<guid>{long}<![CDATA[b]]></guid>"), false),
        (format!("<guid>{long}&amp;</guid>"), false),
        (format!("<link>https://www.example.org/{long}</link>"), false),
        (format!("<atom:link href='https://www.example.org/{long}'/>"), false),
        (format!("<title>{long}{long}</title>"), true),
    ] {
        let feed = feed(format!("<rss><channel><item>{child}</item></channel></rss>"));
        assert_eq!(feed.announcements.len(), usize::from(is_taken));
        if !is_taken {
            assert_eq!(notices(&feed), [(1, NoticeKind::FieldTooLong)]);
        }
    }
    let json = feed(format!(
        "{{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [{{\"id\": \"{long}b\"}}]}}"
    ));
    assert_eq!(notices(&json), [(1, NoticeKind::FieldTooLong)]);
}

#[test]
fn notices_are_bounded() {
    let feed =
        feed(format!("<rss><channel>{}</channel></rss>", "<item><pubDate>x</pubDate></item>".repeat(1000)));
    assert_eq!(feed.notices.len(), NOTICES_MAX);
}

#[test]
fn ampersands_and_bases_without_end_are_borne() {
    let link = format!("<atom:link href='/a' title='x' rel='{}'/>", "&".repeat(1_000_000));
    assert_eq!(rss_item(&link).link, None);
    let base = format!("xml:base='https://www.example.org/{}/'", "a".repeat(1_000_000));
    let items = "<item><link>b</link></item>".repeat(ITEMS_MAX);
    let feed = feed(format!("<rss {base}><channel>{items}</channel></rss>"));
    assert_eq!(feed.announcements.len(), ITEMS_MAX);
    assert!(feed.announcements.iter().all(|item| item.link.is_none()));
}

#[test]
fn attributes_and_declarations_without_end_are_borne() {
    let attributes: String =
        (0..100_000).flat_map(|n| [" a".to_owned(), n.to_string(), "='1'".to_owned()]).collect();
    assert_eq!(
        feed(format!("<rss><channel><item{attributes}><guid{attributes}>1</guid></item></channel></rss>"))
            .announcements
            .len(),
        1
    );
    let spaces: String =
        (0..100_000).flat_map(|n| [" xmlns:a".to_owned(), n.to_string(), "='urn:1'".to_owned()]).collect();
    assert_eq!(error(&format!("<rss{spaces}/>")).code(), "feed-malformed");
}
