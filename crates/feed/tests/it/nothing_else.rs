//! R1: of a trigger's text nothing is kept. Words planted wherever a feed may have text turn up in no
//! announcement, no notice and no error.

use releve_feed::{ListShape, Wanted, read, read_list};

use crate::BASE;

/// The word that is planted.
const CANARY: &str = "kanarienvogel";

#[track_caller]
fn check(said: &str) {
    assert!(!said.to_ascii_lowercase().contains(CANARY), "{said}");
}

#[test]
fn r01_nothing_but_references_and_dates_is_kept() {
    let text = format!("<![CDATA[{CANARY} <b>{CANARY}</b>]]> {CANARY} &amp; {CANARY}");
    let rss = format!(
        "<?xml version='1.0'?><!DOCTYPE rss [<!ENTITY canary '{CANARY}'>]><!-- {CANARY} --><?{CANARY} {CANARY}?>
         <rss xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:content='http://purl.org/rss/1.0/modules/content/' xmlns:x='urn:{CANARY}'>
         <channel><title>{text}</title><description>{text}</description>
         <item><title>{text}</title><description>{text}</description><content:encoded>{text}</content:encoded><author>{text}</author>
           <dc:creator>{text}</dc:creator><category>{text}</category><enclosure url='/{CANARY}'/><comments>/{CANARY}</comments>
           <source url='/{CANARY}'>{text}</source><x:{CANARY} {CANARY}='{CANARY}'>{text}</x:{CANARY}>
           <guid isPermaLink='false' {CANARY}='{CANARY}'>urn:1<{CANARY}>{text}</{CANARY}></guid>
           <link>https://www.example.org/1</link><pubDate>{CANARY}</pubDate></item>{CANARY}</channel></rss>"
    );
    let atom = format!(
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>{text}</title><entry><id>urn:1</id><title>{text}</title>
         <summary>{text}</summary><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p>{text}</p></div></content>
         <author><name>{text}</name></author><link title='{CANARY}' href='https://www.example.org/1'/><link rel='{CANARY}' href='/{CANARY}'/>
         <updated>{CANARY}</updated></entry></feed>"
    );
    let json = format!(
        r#"{{"version": "https://jsonfeed.org/version/1.1", "title": "{CANARY}", "{CANARY}": ["{CANARY}"], "items": [
            {{"id": "urn:1", "url": "https://www.example.org/1", "title": "{CANARY}", "summary": "{CANARY}", "content_text": "{CANARY}",
              "authors": [{{"name": "{CANARY}"}}], "tags": ["{CANARY}"], "date_published": "{CANARY}", "{CANARY}": {{"{CANARY}": "{CANARY}"}}}}]}}"#
    );
    let wanted = Wanted::fields(["embargo"]);
    for document in [&rss, &atom, &json] {
        let feed = read(document.as_bytes(), None, BASE, &wanted).unwrap();
        assert_eq!(feed.announcements[0].id.as_deref(), Some("urn:1"));
        assert_eq!(feed.announcements[0].link.as_deref(), Some("https://www.example.org/1"));
        check(&format!("{feed:?}"));
        feed.notices.iter().for_each(|notice| check(&notice.to_string()));
    }
    let list = format!(
        r#"[{{"id": 1, "link": "https://www.example.org/1", "title": {{"rendered": "{CANARY}"}}, "content": {{"rendered": "{CANARY}"}},
             "excerpt": "{CANARY}", "date_gmt": "{CANARY}", "{CANARY}": "{CANARY}"}}]"#
    );
    let feed = read_list(list.as_bytes(), BASE, &ListShape::wordpress()).unwrap();
    assert_eq!(feed.announcements[0].id.as_deref(), Some("1"));
    check(&format!("{feed:?}"));
}

#[test]
fn r01_no_error_quotes_the_document() {
    let wordpress = ListShape::wordpress();
    for document in [
        CANARY.to_owned(),
        format!("<{CANARY}>{CANARY}</{CANARY}>"),
        format!("<!DOCTYPE html><title>{CANARY}</title>"),
        format!("<rss><{CANARY}></{CANARY}{CANARY}></rss>"),
        format!("<rss></{CANARY}>"),
        format!("<rss><channel><item><title>{CANARY}"),
        format!("<rss xmlns:xml='{CANARY}'/>"),
        format!("<rss><title>{CANARY}</title> <! {CANARY}></rss>"),
        format!("{{\"{CANARY}\": {CANARY}}}"),
        format!("{{\"{CANARY}\": \"{CANARY}\"}}"),
        format!("{{\"items\": [{{\"id\": \"{CANARY}\", \"title\": \"{CANARY}"),
        format!("[\"{CANARY}\" \"{CANARY}\"]"),
        format!("{{\"title\": \"{CANARY}\\x\"}}"),
    ] {
        let wanted = Wanted::nothing();
        for error in [
            read(document.as_bytes(), None, BASE, &wanted).unwrap_err(),
            read_list(document.as_bytes(), BASE, &wordpress).unwrap_err(),
        ] {
            check(&format!("{error} {error:?} {}", error.code()));
        }
    }
}
