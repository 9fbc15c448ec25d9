//! Bytes that are not UTF-8, and bytes that are not what they are said to be.

use releve_feed::{NoticeKind, Wanted, decode, decode_owned, read};

use crate::{BASE, feed, notices};

const ITEM: &str = "<rss><channel><item><title>Überschrift</title><guid isPermaLink='false'>née-ß</guid></item></channel></rss>";

#[track_caller]
fn check(bytes: &[u8], content_type: Option<&str>) {
    let feed = read(bytes, content_type, BASE, &Wanted::nothing()).unwrap();
    assert_eq!(feed.announcements[0].id.as_deref(), Some("née-ß"));
    // Bytes that are given away make the same text.
    let (text, owned) = (decode(bytes, content_type), decode_owned(bytes.to_vec(), content_type));
    assert_eq!((text.as_str(), text.is_lossy()), (owned.as_str(), owned.is_lossy()));
    assert_eq!(feed.notices, []);
}

fn latin_1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap()).collect()
}

fn utf_16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(order).collect()
}

#[test]
fn the_mark_goes_before_the_header_and_the_header_before_the_declaration() {
    let declared = |charset: &str| format!("<?xml version='1.0' encoding='{charset}'?>{ITEM}");
    check(ITEM.as_bytes(), None);
    check(ITEM.as_bytes(), Some("application/rss+xml"));
    check(&latin_1(ITEM), Some("application/rss+xml; charset=ISO-8859-1"));
    check(&latin_1(ITEM), Some("text/xml; Charset = \"windows-1252\" ; q=1"));
    check(&latin_1(&declared("iso-8859-1")), None);
    check(&latin_1(&declared("iso-8859-1")), Some("text/xml; charset=unheard-of"));
    check(declared("iso-8859-1").as_bytes(), Some("text/xml; charset=utf-8"));
    check(
        &[b"\xEF\xBB\xBF", declared("iso-8859-1").as_bytes()].concat(),
        Some("text/xml; charset=iso-8859-1"),
    );
    check(&[b"\xEF\xBB\xBF\xEF\xBB\xBF \n", ITEM.as_bytes()].concat(), None);
    // Said to be UTF-16 in letters that are not.
    check(declared("utf-16").as_bytes(), None);
    // Said to be UTF-8 in the header, but only fits what the declaration says.
    check(&latin_1(&declared("iso-8859-1")), Some("text/xml; charset=utf-8"));
}

#[test]
fn utf_16_in_either_order_with_a_mark_or_without() {
    for order in [u16::to_be_bytes, u16::to_le_bytes] {
        check(&utf_16(&format!("\u{FEFF}{ITEM}"), order), None);
        check(&utf_16(ITEM, order), None);
    }
}

/// A mangled identifier would differ from the article's, which stops a pass: the item is left out instead.
#[test]
fn items_touched_by_bytes_that_do_not_fit_are_left_out() {
    let feed = feed(
        b"<rss><channel><item><title>\xFF</title><guid>https://www.example.org/1</guid></item>\
          <item><guid>\xFF</guid></item><item><link>/\xFF</link></item></channel></rss>",
    );
    assert_eq!(feed.announcements.len(), 1);
    assert_eq!(
        notices(&feed),
        [(0, NoticeKind::NotOfItsEncoding), (2, NoticeKind::Undecodable), (3, NoticeKind::Undecodable)]
    );
}

/// What looks like a replacement may have been written by the publisher.
#[test]
fn a_replacement_character_that_stands_in_the_feed_is_a_character() {
    let feed = feed("<rss><channel><item><guid>\u{FFFD}</guid></item></channel></rss>");
    assert_eq!(feed.announcements[0].id.as_deref(), Some("\u{FFFD}"));
}
