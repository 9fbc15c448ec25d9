//! Documents that nobody wrote.

use proptest::collection::vec;
use proptest::prelude::*;
use releve_feed::{FIELD_BYTES_MAX, ListShape, Wanted, read, read_list};

use crate::BASE;

/// Pieces of documents in any order.
fn document() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<rss>"),
        Just("</rss>"),
        Just("<channel>"),
        Just("</channel>"),
        Just("<item>"),
        Just("</item>"),
        Just("<item/>"),
        Just("<guid isPermaLink='false'>"),
        Just("</guid>"),
        Just("<link>"),
        Just("</link>"),
        Just("<link href='/a' rel='alternate'/>"),
        Just("<feed xmlns='http://www.w3.org/2005/Atom'>"),
        Just("</feed>"),
        Just("<entry xml:base='/b/'>"),
        Just("</entry>"),
        Just("<pubDate>Tue, 03 Nov 2026 10:00:00 GMT</pubDate>"),
        Just("<![CDATA["),
        Just("]]>"),
        Just("<!--"),
        Just("-->"),
        Just("&"),
        Just("&amp;"),
        Just("&#x41;"),
        Just(";"),
        Just("<"),
        Just(">"),
        Just("'"),
        Just("<?xml encoding='utf-16'?>"),
        Just("<!DOCTYPE x ["),
        Just("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":["),
        Just("{\"id\":"),
        Just("\"a\""),
        Just("7"),
        Just("}"),
        Just("]"),
        Just(","),
        Just("\u{FEFF}"),
        Just("é"),
        Just(" "),
        Just("text"),
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn whatever_comes_is_answered_within_bounds(document in document()) {
        if let Ok(feed) = read(document.as_bytes(), None, BASE, &Wanted::fields(["guid"])) {
            for item in feed.announcements {
                for text in item.id.iter().chain(&item.link).chain(item.fields.iter().map(|(_, text)| text)) {
                    prop_assert!(text.len() <= FIELD_BYTES_MAX);
                    prop_assert_eq!(text.trim(), text.as_str());
                }
            }
        }
        let _ = read_list(document.as_bytes(), BASE, &ListShape::wordpress());
    }

    #[test]
    fn no_bytes_panic(bytes in vec(any::<u8>(), 0..200), begin in "(<rss>|<feed>|\\[|\\{|\u{FEFF}|)", charset in "[a-z0-9-]{0,12}") {
        let document = [begin.as_bytes(), &bytes].concat();
        let _ = read(&document, Some(&format!("text/xml; charset={charset}")), BASE, &Wanted::nothing());
        let _ = read_list(&document, BASE, &ListShape::wordpress());
    }

    #[test]
    fn no_number_in_a_date_panics(digits in vec("[0-9]{1,12}", 9), form in 0_usize..4) {
        let mut number = digits.iter().map(String::as_str);
        let form = ["#-#-#T#:#:#.#+#:#", "#T#+#", "Tue, # Nov # #:#:# +#", "# Nov # #:# GMT-#:#"][form];
        let date: String = form.split_inclusive('#').map(|part| part.replace('#', number.next().unwrap_or("1"))).collect();
        let document = format!("<rss><channel><item><pubDate>{date}</pubDate></item></channel></rss>");
        prop_assert_eq!(read(document.as_bytes(), None, BASE, &Wanted::nothing()).unwrap().announcements.len(), 1);
    }

    #[test]
    fn no_date_panics(date in "[0-9a-zA-Z:,.+ -]{0,40}") {
        let document = format!("<rss><channel><item><pubDate>{date}</pubDate></item></channel></rss>");
        prop_assert_eq!(read(document.as_bytes(), None, BASE, &Wanted::nothing()).unwrap().announcements.len(), 1);
    }
}
