//! Files of a list: what they are, and what stands in them.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use releve_backlog::{EntryFlaw, File, FileError, Kind, UNPACKED_BYTES_MAX};

const BASE: &str = "https://www.example.org/sitemap.xml";

/// The addresses of a file with their dates, flaws in their places, and whether it is broken.
fn read(bytes: &[u8]) -> (Kind, Vec<String>, Option<&'static str>) {
    let file = File::open(bytes, None, BASE).unwrap();
    let mut entries = file.entries();
    let read = entries.by_ref().map(|entry| match entry {
        Ok(entry) => {
            let date = entry.published.or(entry.modified);
            date.map_or_else(|| entry.address.to_string(), |date| format!("{} {date}", entry.address))
        }
        Err(flaw) => format!("! {}", flaw.code()),
    });
    let read = read.collect();
    (file.kind(), read, entries.broken().map(releve_backlog::Broken::code))
}

fn check(inner: &str, entries: &[&str]) {
    let (kind, read, broken) = read(format!("<urlset>{inner}</urlset>").as_bytes());
    assert_eq!((kind, broken), (Kind::Sitemap, None), "{inner}");
    assert_eq!(read, entries, "{inner}");
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn addresses_are_read_as_they_stand_but_for_entities() {
    for (inner, entries) in [
        ("<url><loc>https://a.example/1</loc></url>", &["https://a.example/1"][..]),
        ("<url><loc>\n  https://a.example/1\t</loc></url>", &["https://a.example/1"]),
        ("<url><loc>https://a.example/?a=1&amp;b=2</loc></url>", &["https://a.example/?a=1&b=2"]),
        ("<url><loc>https://a.example/?a=1&b=2</loc></url>", &["https://a.example/?a=1&b=2"]),
        ("<url><loc>https://a.example/&#x65;&#101;&eacute;</loc></url>", &["https://a.example/eeé"]),
        ("<url><loc><![CDATA[https://a.example/?a&b]]></loc></url>", &["https://a.example/?a&b"]),
        ("<url><loc> <![CDATA[ https://a.example/1 ]]> </loc></url>", &["https://a.example/1"]),
        ("<url><loc>https://a.example/<!-- no -->1</loc></url>", &["https://a.example/1"]),
        ("<url><loc>/relative</loc></url>", &["/relative"]),
        ("<url><loc>https://a.example/&own;</loc></url>", &["! entry-with-unknown-entity"]),
        (
            "<url><loc></loc></url><url><loc/></url><url></url><url/>",
            &["! entry-without-address", "! entry-without-address", "! entry-without-address"],
        ),
        // The first of two counts.
        ("<url><loc>https://a.example/1</loc><loc>https://a.example/2</loc></url>", &["https://a.example/1"]),
    ] {
        check(inner, entries);
    }
    let long = "x".repeat(9_000);
    check(&format!("<url><loc>https://a.example/{long}</loc></url>"), &["! address-too-long"]);
}

#[test]
fn dates_are_read_in_all_their_ways() {
    for (date, read) in [
        ("2026", "2026-01-01T00:00:00Z"),
        ("2026-03", "2026-03-01T00:00:00Z"),
        ("2026-03-05", "2026-03-05T00:00:00Z"),
        (" 2026-03-05\n", "2026-03-05T00:00:00Z"),
        ("2026-03-05T10:20Z", "2026-03-05T10:20:00Z"),
        ("2026-03-05T10:20:30Z", "2026-03-05T10:20:30Z"),
        ("2026-03-05T10:20:30", "2026-03-05T10:20:30Z"),
        ("2026-03-05 10:20:30", "2026-03-05T10:20:30Z"),
        ("2026-03-05T10:20:30+01:00", "2026-03-05T09:20:30Z"),
        ("2026-03-05T10:20:30-0330", "2026-03-05T13:50:30Z"),
        ("2026-03-05T10:20:30.5Z", "2026-03-05T10:20:30.5Z"),
        ("2024-02-29", "2024-02-29T00:00:00Z"),
        ("Thu, 5 Mar 2026 10:20:30 GMT", "2026-03-05T10:20:30Z"),
        ("2023-02-29", ""),
        ("2026-13-01", ""),
        ("-0001-11-30T00:00:00+00:00", ""),
        ("0001-01-01", ""),
        ("yesterday", ""),
        ("", ""),
    ] {
        let inner = format!("<url><loc>https://a.example/</loc><lastmod>{date}</lastmod></url>");
        check(&inner, &[format!("https://a.example/ {read}").trim_end()]);
    }
}

/// R9: the date that counts is the publication date, and of a sitemap that is the news extension's.
#[test]
fn r09_the_news_extension_says_when_a_page_was_published() {
    let news = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:n='http://www.google.com/schemas/sitemap-news/0.9'>
        <url><loc>https://a.example/1</loc><lastmod>2026-03-05</lastmod><n:news>
            <n:publication><n:name>A title</n:name><n:language>pt-br</n:language></n:publication>
            <n:publication_date>2026-03-01</n:publication_date><n:title>Not kept</n:title></n:news></url></urlset>";
    let file = File::open(news.as_bytes(), None, BASE).unwrap();
    let entry = file.entries().next().unwrap().unwrap();
    assert_eq!(entry.published, "2026-03-01T00:00:00Z".parse().ok());
    assert_eq!(entry.modified, "2026-03-05T00:00:00Z".parse().ok());
    assert_eq!(entry.language.as_deref(), Some("pt-br"));
    assert!(!format!("{entry:?}").contains("Not kept"));
}

#[test]
fn what_belongs_to_a_page_is_no_page() {
    check(
        "<url><loc>https://a.example/1</loc>
            <xhtml:link rel='alternate' hreflang='de' href='https://a.example/de'/>
            <image:image><image:loc>https://a.example/1.jpg</image:loc></image:image>
            <image:loc>https://a.example/2.jpg</image:loc>
            <video:video><video:content_loc>https://a.example/1.mp4</video:content_loc></video:video>
            <image xmlns='urn:i'><loc>https://a.example/3.jpg</loc></image></url>",
        &["https://a.example/1"],
    );
    check("<other><url><loc>https://a.example/1</loc></url></other><loc>https://a.example/2</loc>", &[]);
}

#[test]
fn namespaces_are_of_no_account() {
    for (open, close) in [
        ("<urlset xmlns='http://www.google.com/schemas/sitemap/0.84'>", "</urlset>"),
        ("<urlset xmlns='urn:nothing'>", "</urlset>"),
        ("<URLSET>", "</URLSET>"),
        (
            "\u{FEFF}\n <?xml version='1.0'?><!-- c --><!DOCTYPE urlset SYSTEM 'http://a.example/x.dtd'><urlset>",
            "</urlset>",
        ),
    ] {
        let file = format!("{open}<url xmlns=''><loc>https://a.example/1</loc></url>{close}");
        assert_eq!(read(file.as_bytes()).1, ["https://a.example/1"], "{open}");
    }
    let prefixed =
        "<s:urlset xmlns:s='u'><s:url><s:loc>https://a.example/1</s:loc><loc>no</loc></s:url></s:urlset>";
    assert_eq!(read(prefixed.as_bytes()).1, ["https://a.example/1"]);
}

#[test]
fn a_file_is_known_by_its_content() {
    let urlset = b"<urlset><url><loc>https://a.example/1</loc></url></urlset>";
    let one = vec!["https://a.example/1".to_owned()];
    assert_eq!(read(urlset), (Kind::Sitemap, one.clone(), None));
    assert_eq!(read(&pack(urlset)), (Kind::Sitemap, one.clone(), None));
    assert_eq!(read(&pack(&pack(urlset))), (Kind::Sitemap, one.clone(), None));
    let members = [pack(&urlset[..20]), pack(&urlset[20..])].concat();
    assert_eq!(read(&members), (Kind::Sitemap, one.clone(), None));
    let index = b"<sitemapindex><sitemap><loc>https://a.example/1</loc></sitemap></sitemapindex>";
    assert_eq!(read(index), (Kind::Index, one.clone(), None));
    let utf_16: Vec<u8> = "\u{FEFF}<urlset><url><loc>https://a.example/é</loc></url></urlset>"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    assert_eq!(read(&utf_16).1, ["https://a.example/é"]);
    let latin_1 = b"<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>https://a.example/\xe9</loc></url></urlset>";
    assert_eq!(read(&pack(latin_1)).1, ["https://a.example/é"]);
    let text = "\u{FEFF}# all pages\r\nhttps://a.example/1\r\n\r\n  http://a.example/2\t\nno address\n";
    assert_eq!(
        read(text.as_bytes()),
        (
            Kind::Text,
            vec![
                "https://a.example/1".to_owned(),
                "http://a.example/2".to_owned(),
                "! entry-not-an-address".to_owned()
            ],
            None
        )
    );
    let rss = b"<rss version='2.0'><channel><item><link>/1</link><title>No</title><pubDate>5 Mar 2026 10:00 GMT</pubDate></item><item/></channel></rss>";
    assert_eq!(
        read(rss),
        (
            Kind::Feed,
            vec![
                "https://www.example.org/1 2026-03-05T10:00:00Z".to_owned(),
                "! entry-without-address".to_owned()
            ],
            None
        )
    );
    assert_eq!(read(&rss[..80]), (Kind::Feed, vec![], Some("feed-cut-off")));
}

#[test]
fn other_things_are_no_list() {
    let spaces = pack(&vec![b' '; UNPACKED_BYTES_MAX + 1]);
    for (bytes, error) in [
        (&b""[..], FileError::Empty),
        (b" \n\xef\xbb\xbf ", FileError::Empty),
        (b"<!DOCTYPE html><p>Not found", FileError::Html),
        (b"<html><head><meta charset=utf-8></head></html>", FileError::Html),
        (b"<opml><body/></opml>", FileError::NotAList),
        (b"Not found", FileError::NotAList),
        (b"{\"error\": 404}", FileError::NotAList),
        (b"\x1f\x8b\x08\x00 and no more", FileError::Packing),
        (&spaces, FileError::TooLarge),
    ] {
        assert_eq!(File::open(bytes, None, BASE).unwrap_err(), error, "{:?}", &bytes[..bytes.len().min(30)]);
    }
}

/// What is broken yields what was whole before the break, and says that it is broken.
#[test]
fn a_broken_file_is_read_to_the_break() {
    let whole = "<urlset><url><loc>https://a.example/1</loc></url><url><loc>https://a.example/2</loc><lastmod>2026-03-05</lastmod></url></urlset>";
    for len in whole.len() - "</urlset>".len()..whole.len() {
        let (_, read, broken) = read(&whole.as_bytes()[..len]);
        assert_eq!(read.len(), 2);
        assert_eq!(broken, Some("sitemap-cut-off"), "{len}");
    }
    // Where the address is whole it was found; a date that is not is another date.
    let cut = |at: &str| read(&whole.as_bytes()[..whole.rfind(at).unwrap() + at.len()]).1;
    assert_eq!(cut("example/2"), ["https://a.example/1"]);
    assert_eq!(cut("2</loc>"), ["https://a.example/1", "https://a.example/2"]);
    assert_eq!(cut("2026-03"), ["https://a.example/1", "https://a.example/2"]);
    let (_, read, broken) = read(b"<urlset><url><loc>https://a.example/1</loc></url></url><url><loc>https://a.example/2</loc></url></urlset>");
    assert_eq!((read, broken), (vec!["https://a.example/1".to_owned()], Some("sitemap-malformed")));
}

/// A packed file is read as far as it can be unpacked. What follows after the end of its root is of no account.
#[test]
fn a_packed_file_is_read_to_the_break() {
    let mut list = String::new();
    for n in 0..2_000 {
        write!(list, "<url><loc>https://a.example/{}</loc></url>", n * n).unwrap();
    }
    let packed = pack(format!("<urlset>{list}</urlset>").as_bytes());
    let (_, entries, broken) = read(&packed[..packed.len() / 2]);
    assert!(entries.len() > 100 && entries.len() < 2_000, "{}", entries.len());
    assert_eq!(broken, Some("sitemap-cut-off"));
    for after in [&b"\0\0\0\0"[..], b"</html>"] {
        let (_, entries, broken) = read(&[&packed, after].concat());
        assert_eq!((entries.len(), broken), (2_000, None));
    }
    let text = pack(b"https://a.example/1\nhttps://a.example/2\n");
    let (_, entries, broken) = read(&text[..text.len() - 4]);
    assert_eq!((entries.len(), broken), (2, Some("sitemap-cut-off")));
}

/// No entity that a document declares is expanded, so none can grow or reach for a file.
#[test]
fn declared_entities_are_not_expanded() {
    let bomb = "<!DOCTYPE u [<!ENTITY a 'https://a.example/'><!ENTITY b '&a;&a;'><!ENTITY x SYSTEM 'file:///etc/passwd'>]>
        <urlset><url><loc>&b;</loc></url><url><loc>https://a.example/&x;</loc></url></urlset>";
    assert_eq!(read(bomb.as_bytes()).1, ["! entry-with-unknown-entity"; 2]);
    assert_eq!(
        EntryFlaw::UnknownEntity.to_string(),
        "an address holds an entity that is not known and not expanded"
    );
}
