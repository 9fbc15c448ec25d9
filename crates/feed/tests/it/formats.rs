//! Identifier and link in each format, and what is no feed.

use releve_feed::{FeedError, Instead, NoticeKind, Wanted, read};

use crate::{BASE, atom_entry, feed, notices, rss_item};

fn error(document: impl AsRef<[u8]>) -> FeedError {
    read(document.as_ref(), None, BASE, &Wanted::nothing()).unwrap_err()
}

#[test]
fn rss_takes_link_then_permalink_then_atom_link() {
    #[track_caller]
    fn check(children: &str, link: Option<&str>, id: Option<&str>, is_permalink: bool) {
        let item = rss_item(children);
        assert_eq!(
            (item.link.as_deref(), item.id.as_deref(), item.id_is_permalink),
            (link, id, is_permalink),
            "{children}"
        );
    }
    let guid = "https://www.example.org/g";
    check("<link>https://www.example.org/l</link>", Some("https://www.example.org/l"), None, false);
    check("<link> \n /l\n</link>", Some("https://www.example.org/l"), None, false);
    check("<link>l?a=1&amp;b=2</link>", Some("https://www.example.org/feeds/l?a=1&b=2"), None, false);
    check("<link>l?a=1&b=2</link>", Some("https://www.example.org/feeds/l?a=1&b=2"), None, false);
    check("<link><![CDATA[/l?a&b]]></link>", Some("https://www.example.org/l?a&b"), None, false);
    check("<link>//cdn.example.org/l</link>", Some("https://cdn.example.org/l"), None, false);
    check("<link>HTTP://WWW.Example.org</link>", Some("HTTP://WWW.Example.org"), None, false);
    check("<guid>https://www.example.org/g</guid>", Some(guid), Some(guid), true);
    check("<guid isPermaLink='true'>https://www.example.org/g</guid>", Some(guid), Some(guid), true);
    check("<guid ispermalink=' FALSE '>https://www.example.org/g</guid>", None, Some(guid), false);
    check("<guid>4711</guid>", None, Some("4711"), true);
    check("<guid> a  b\n</guid><guid>c</guid>", None, Some("a  b"), true);
    check("<guid/><guid isPermaLink='false'></guid>", None, None, false);
    check(
        "<guid>https://www.example.org/g</guid><link>/l</link>",
        Some("https://www.example.org/l"),
        Some(guid),
        true,
    );
    check(
        "<link/><atom:link href='/a'/><guid isPermaLink='false'>1</guid>",
        Some("https://www.example.org/a"),
        Some("1"),
        false,
    );
    check(
        "<atom:link rel='self' href='/self'/><atom:link rel='alternate' href='/a'/>",
        Some("https://www.example.org/a"),
        None,
        false,
    );
    check("<atom:link href='/a'/><link>/l</link>", Some("https://www.example.org/l"), None, false);
    // What stands deeper, or in another vocabulary, is not the item's.
    check(
        "<source><guid>1</guid><link>/s</link></source><media:link xmlns:media='urn:m'>/m</media:link>",
        None,
        None,
        false,
    );
    check("<guid>a<b>c</b>d</guid>", None, Some("ad"), true);
}

#[test]
fn atom_takes_the_first_alternate_but_a_page_before_others() {
    #[track_caller]
    fn check(children: &str, link: Option<&str>) {
        assert_eq!(atom_entry(children).link.as_deref(), link, "{children}");
    }
    let a = Some("https://www.example.org/a");
    check("<link href='/a'/><link href='/b'/>", a);
    check("<link rel='' href='/a'/>", a);
    check("<link rel='ALTERNATE' href='/a'/>", a);
    check("<link rel='http://www.iana.org/assignments/relation/alternate' href='/a'/>", a);
    check(
        "<link rel='self' href='/s'/><link rel='enclosure' href='/e'/><link rel='alternate' href='/a'/>",
        a,
    );
    check(
        "<link type='application/pdf' href='/p'/><link type='text/html; charset=utf-8' href='/a'/><link type='text/html' href='/b'/>",
        a,
    );
    check("<link href='?x=1&amp;y=&#50;'/>", Some("https://www.example.org/feeds/news.xml?x=1&y=2"));
    check("<link>/a</link>", None);
    check("<link href=''/>", None);
    check("<link rel='related' href='/r'/>", None);
    check("<id>https://www.example.org/i</id>", None);
    check("<source><link href='/s'/></source>", None);
    assert_eq!(
        atom_entry("<id>\n tag:example.org,2026:1 </id>").id.as_deref(),
        Some("tag:example.org,2026:1")
    );
    assert_eq!(atom_entry("<id>HTTP://EXAMPLE.org/%7e</id>").id.as_deref(), Some("HTTP://EXAMPLE.org/%7e"));
    // A single entry is a document too.
    let entry = feed("<entry xmlns='http://www.w3.org/2005/Atom'><id>1</id><link href='/a'/></entry>");
    assert_eq!(entry.announcements[0].link.as_deref(), a);
}

#[test]
fn rdf_takes_link_then_about() {
    let feed = feed(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>
           <channel rdf:about='https://www.example.org/'><items><rdf:Seq><rdf:li resource='https://www.example.org/1'/></rdf:Seq></items></channel>
           <item rdf:about='https://www.example.org/1'><link>/l</link></item>
           <item rdf:about='https://www.example.org/2'/>
           <item rdf:about='urn:3'/>
         </rdf:RDF>",
    );
    let found: Vec<_> =
        feed.announcements.iter().map(|item| (item.id.as_deref(), item.link.as_deref())).collect();
    assert_eq!(
        found,
        [
            (Some("https://www.example.org/1"), Some("https://www.example.org/l")),
            (Some("https://www.example.org/2"), Some("https://www.example.org/2")),
            (Some("urn:3"), None),
        ]
    );
}

#[test]
fn json_feed_takes_url_then_external_url() {
    let feed = feed(
        r#"{"items": [
            {"id": "1", "url": "/1", "external_url": "https://other.example/1", "date_published": "2026-11-03T10:00:00+01:00"},
            {"id": 22222222222222222, "external_url": "https://other.example/2", "date_modified": "2026-11-03T10:00:00Z"},
            {"id": 1.5, "url": null, "attachments": [{"id": "x", "url": "/x"}]},
            {"id": ["4"], "date_published": "soon"},
            "5"
        ], "version": "https://jsonfeed.org/version/1.1", "title": "T"}"#,
    );
    let found: Vec<_> =
        feed.announcements.iter().map(|item| (item.id.as_deref(), item.link.as_deref())).collect();
    assert_eq!(
        found,
        [
            (Some("1"), Some("https://www.example.org/1")),
            (Some("22222222222222222"), Some("https://other.example/2")),
            (None, None),
            (None, None),
        ]
    );
    assert_eq!(feed.announcements[0].published, "2026-11-03T09:00:00Z".parse().ok());
    assert_eq!(feed.announcements[1].modified, "2026-11-03T10:00:00Z".parse().ok());
    use NoticeKind as K;
    assert_eq!(
        notices(&feed),
        [(3, K::WrongType), (4, K::WrongType), (4, K::DateNotUnderstood), (5, K::NotAnItem)]
    );
}

#[test]
fn the_base_is_the_nearest_one() {
    let link = |document: &str| feed(document).announcements[0].link.clone();
    let atom = |root: &str, entry: &str, link: &str| {
        format!(
            "<feed xmlns='http://www.w3.org/2005/Atom' {root}><entry {entry}><link {link}/></entry><entry/></feed>"
        )
    };
    assert_eq!(link(&atom("xml:base='/x/'", "", "href='a'")).as_deref(), Some("https://www.example.org/x/a"));
    assert_eq!(
        link(&atom("xml:base='/x/'", "xml:base='y/'", "href='a'")).as_deref(),
        Some("https://www.example.org/x/y/a")
    );
    assert_eq!(
        link(&atom("xml:base='/x/'", "xml:base='y/'", "xml:base='z/' href='a'")).as_deref(),
        Some("https://www.example.org/x/y/z/a")
    );
    assert_eq!(
        link(&atom("xml:base='http://other.example/x/'", "", "href='/a'")).as_deref(),
        Some("http://other.example/a")
    );
    // What is no base leaves relative links without one.
    assert_eq!(link(&atom("xml:base='http://['", "", "href='a'")), None);
    assert_eq!(link(&atom("xml:base='http://['", "xml:base='/x/'", "href='a'")), None);
    assert_eq!(
        link(&atom("xml:base=''", "", "href='a'")).as_deref(),
        Some("https://www.example.org/feeds/a")
    );
    // A base ends with its element.
    let feed = feed(
        "<rss><channel xml:base='/c/'><item xml:base='i/'><link xml:base='l/'>1</link></item><item><link>2</link></item></channel></rss>",
    );
    let links: Vec<_> = feed.announcements.iter().map(|item| item.link.as_deref().unwrap()).collect();
    assert_eq!(links, ["https://www.example.org/c/i/l/1", "https://www.example.org/c/2"]);
}

#[test]
fn a_relative_link_without_a_base_is_none() {
    let feed =
        read(b"<rss><channel><item><link>/a</link></item></channel></rss>", None, "", &Wanted::nothing())
            .unwrap();
    assert_eq!(feed.announcements[0].link, None);
    assert_eq!(notices(&feed), [(1, NoticeKind::LinkNotAbsolute)]);
}

#[test]
fn slips_in_names_and_namespaces_are_forgiven() {
    let id = |document: &str| feed(document).announcements.first().and_then(|item| item.id.clone());
    for atom in [
        "xmlns='http://www.w3.org/2005/Atom'",
        "xmlns='https://www.w3.org/2005/Atom/'",
        "xmlns='http://www.w3.org/2005/atom'",
        "xmlns='http://purl.org/atom/ns#'",
        "xmlns='http://purl.org/atom/ns#draft-ietf-atompub-format-06'",
        "xmlns='http://example.org/my-atom'",
        "",
    ] {
        assert_eq!(
            id(&format!("<feed {atom}><entry><id>1</id></entry></feed>")).as_deref(),
            Some("1"),
            "{atom}"
        );
    }
    assert_eq!(
        id("<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:id>1</a:id></a:entry></a:feed>")
            .as_deref(),
        Some("1")
    );
    for rss in [
        "<rss xmlns='http://backend.userland.com/rss2'><channel><item><guid>1</guid></item></channel></rss>",
        "<r:rss xmlns:r='urn:r'><r:channel><r:item><r:guid>1</r:guid></r:item></r:channel></r:rss>",
        "<RSS><channel><item><guid>1</guid></item></channel></RSS>",
        "<rss><item><guid>1</guid></item></rss>",
        "<rss><channel/><item><guid>1</guid></item></rss>",
        "<!DOCTYPE rss PUBLIC '-//Netscape Communications//DTD RSS 0.91//EN' 'http://my.netscape.com/publish/formats/rss-0.91.dtd'><rss><channel><item><guid>1</guid></item></channel></rss>",
        "<rdf:RDF xmlns='http://example.org/none'><item rdf:about='1'/></rdf:RDF>",
    ] {
        assert_eq!(id(rss).as_deref(), Some("1"), "{rss}");
    }
    // Without a declaration a usual prefix is what it usually is.
    let item = feed(
        "<rss><channel><item><dc:date>2026-11-03</dc:date><atom:link href='/a'/></item></channel></rss>",
    );
    assert!(item.announcements[0].published.is_some() && item.announcements[0].link.is_some());
    // An embedded page's link is not the item's, nor is Atom's the text of RSS's.
    let item = feed(
        "<rss><channel><item><link xmlns='http://www.w3.org/1999/xhtml'>/x</link><link xmlns='http://www.w3.org/2005/Atom' rel='self'>/y</link></item></channel></rss>",
    );
    assert_eq!(item.announcements[0].link, None);
}

#[test]
fn entities_of_xml_and_html_are_known_and_others_stand_for_themselves() {
    let id = |guid: &str| rss_item(&format!("<guid>{guid}</guid>")).id.unwrap();
    assert_eq!(id("&lt;&amp;&gt;&quot;&apos;"), "<&>\"'");
    assert_eq!(id("&#65;&#x42;&#X43;"), "ABC");
    assert_eq!(id("&eacute;&nbsp;&euro;"), "é\u{A0}€");
    assert_eq!(id("&amp;lt;"), "&lt;");
    assert_eq!(id("a & b"), "a & b");
    assert_eq!(id("&unheard;"), "&unheard;");
    assert_eq!(id("&#0;&#xD800;&#99999999999;"), "&#0;&#xD800;&#99999999999;");
    assert_eq!(id("<![CDATA[&amp;]]>&amp;"), "&amp;&");
    assert_eq!(id("a<!-- -->b<?x y?>c"), "abc");
}

#[test]
fn wanted_fields_are_taken_by_the_name_as_written() {
    let wanted = Wanted::fields(["dc:identifier", "embargo", "guid"]);
    let document = b"<rss xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><item>
        <guid>g</guid><dc:identifier> 4711 </dc:identifier><identifier>no</identifier>
        <embargo/><embargo>2026-11-03</embargo><deeper><embargo>no</embargo></deeper>
      </item></channel></rss>";
    let feed = read(document, None, BASE, &wanted).unwrap();
    let fields: Vec<_> = feed.announcements[0].fields.iter().map(|(name, text)| (&**name, &**text)).collect();
    assert_eq!(
        fields,
        [("guid", "g"), ("dc:identifier", "4711"), ("embargo", ""), ("embargo", "2026-11-03")]
    );
    assert_eq!(feed.announcements[0].id.as_deref(), Some("g"));

    let document = br#"{"version": "https://jsonfeed.org/version/1", "items": [
        {"id": "1", "embargo": "2026-11-03T00:00:00Z"}, {"id": "2", "embargo": null}, {"id": "3", "embargo": {}}, {"id": "4"}
    ]}"#;
    let feed = read(document, None, BASE, &wanted).unwrap();
    let found: Vec<_> =
        feed.announcements.iter().map(|item| (item.id.as_deref().unwrap(), item.fields.len())).collect();
    assert_eq!(found, [("1", 1), ("2", 0), ("4", 0)]);
    assert_eq!(notices(&feed), [(3, NoticeKind::FieldOfWrongType)]);
}

#[test]
fn what_is_no_feed_is_told_apart() {
    #[track_caller]
    fn check(document: &str, expected: &FeedError, code: &str) {
        let error = error(document);
        assert_eq!(error, *expected, "{document:?}");
        assert_eq!(error.code(), code);
        assert!(!error.to_string().is_empty());
    }
    check("", &FeedError::Empty, "feed-empty");
    check("\u{FEFF} \n\0", &FeedError::Empty, "feed-empty");
    let html = FeedError::NotAFeed(Instead::Html);
    check("<!DOCTYPE html><title>x</title><p>", &html, "feed-is-html");
    check(" <!-- --> <!doctype HTML PUBLIC \"-//W3C//DTD XHTML 1.0\"><html/>", &html, "feed-is-html");
    check("<html xmlns='http://www.w3.org/1999/xhtml'/>", &html, "feed-is-html");
    let sitemap = FeedError::NotAFeed(Instead::Sitemap);
    check("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'/>", &sitemap, "feed-is-sitemap");
    check("<sitemapindex/>", &sitemap, "feed-is-sitemap");
    for other in [
        "<catalog/>",
        "<?xml version='1.0'?>",
        "<!-- -->",
        "<feed xmlns='urn:other'/>",
        "<rdf:RDF xmlns:rdf='urn:other'/>",
    ] {
        check(other, &FeedError::NotAFeed(Instead::Xml), "feed-not-a-feed");
    }
    for other in
        ["[]", "{}", "{\"items\": []}", "{\"version\": \"https://jsonfeed.org/version/1\"}", "[{\"id\": 1}]"]
    {
        check(other, &FeedError::NotAFeed(Instead::Json), "feed-not-a-feed");
    }
    check("Not found", &FeedError::NotAFeed(Instead::Text), "feed-not-a-feed");
    check("<rss>\n <channel></rss>", &FeedError::Malformed { line: 2, column: 11 }, "feed-malformed");
    check("{\"items\": [\n nonsense]}", &FeedError::Malformed { line: 2, column: 3 }, "feed-malformed");
    check("{} {}", &FeedError::Malformed { line: 1, column: 4 }, "feed-malformed");
}

#[test]
fn empty_feeds_are_feeds() {
    for document in [
        "<rss/>",
        "<rss><channel><title>x</title></channel></rss>",
        "<feed xmlns='http://www.w3.org/2005/Atom'/>",
        "{\"version\": \"https://jsonfeed.org/version/1.1\", \"items\": []}",
    ] {
        assert_eq!(feed(document).announcements, [], "{document}");
    }
    // An item without anything is an announcement without anything.
    assert_eq!(feed("<rss><channel><item/></channel></rss>").announcements.len(), 1);
}

/// R41: what is missing from a feed that was cut off may be the element that says not to read yet. So nothing
/// of it is taken.
#[test]
fn r41_a_feed_that_is_cut_off_announces_nothing() {
    let rss =
        "<rss><channel><item><guid>1</guid><embargo>2026-11-03T00:00:00Z</embargo></item></channel></rss>";
    let json = r#"{"version": "https://jsonfeed.org/version/1", "items": [{"id": "1", "embargo": "x"}]}"#;
    for document in [rss, json] {
        assert_eq!(feed(document).announcements.len(), 1);
        for end in 1..document.len() - 1 {
            let error = error(&document[..end]);
            assert!(
                matches!(error, FeedError::CutOff | FeedError::NotAFeed(Instead::Xml)),
                "{end}: {error:?}"
            );
        }
    }
    assert_eq!(error(&rss[..60]).code(), "feed-cut-off");
}
