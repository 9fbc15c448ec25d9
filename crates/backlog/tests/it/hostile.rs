//! Publishers that lie, and lists that are made to be large.

use std::fmt::Write as _;

use releve_backlog::{
    Answer, End, Entrance, History, NumberedAddress, Numbering, Page, Pagination, Step, Walk,
};
use releve_feed::ListShape;

use crate::{Files, Noted, Publisher, Reply, backlog, codes, first_walk, now, sitemap, url, urlset};

const SITE: &str = "https://www.example.org";

#[test]
fn r10_a_file_that_redirects_is_asked_for_again_where_it_was_cut_off() {
    let list = sitemap(&format!("{SITE}/s.xml"));
    let moved = url(&format!("{SITE}/moved.xml"));
    let addresses: Vec<String> = (0..1_500).map(|n| format!("{SITE}/a/{n}")).collect();
    let body = urlset(addresses.iter().map(|address| (address.as_str(), None)));
    let mut walk = Walk::begin(&list, &History::default(), now());
    walk.answered(Answer::Page(Page::new(&moved, body.as_bytes())));
    walk.noted(Noted { known: 0, new: 1_000 });

    let mut walk = Walk::resume(&list, &walk.place().unwrap()).unwrap();
    walk.answered(Answer::Page(Page::new(&moved, body.as_bytes())));
    let mut found = 0;
    while let Step::Batch(batch) = walk.next() {
        found += batch.announcements.len();
        walk.noted(Noted { known: 0, new: batch.announcements.len() });
    }
    assert_eq!((found, walk.next()), (1_500, Step::End(End::ListEnd)), "{:?}", walk.report());
}

/// An address of 8 KiB and short ones that are relative to it.
#[test]
fn r32_relative_addresses_do_not_make_a_list_larger() {
    let long = format!("{SITE}/{}/", "a".repeat(8_000));
    let mut files = String::from("<sitemapindex>");
    for number in 0..50_000 {
        write!(files, "<sitemap><loc>{number}</loc></sitemap>").unwrap();
    }
    let body = files + "</sitemapindex>";
    let at = url(&format!("{long}s.xml"));
    let mut walk = Walk::begin(&sitemap(at.as_str()), &History::default(), now());
    walk.answered(Answer::Page(Page::new(&at, body.as_bytes())));
    assert!(codes(&walk.report().gaps).iter().any(|(code, _)| *code == "index-too-long"));

    // Entries are made absolute where they are handed out.
    let body = "<urlset><url><loc>1</loc></url><url><loc>/2</loc></url><url><loc>//3:x</loc></url></urlset>";
    let site = Files::default().with(at.as_str(), body.to_owned());
    let walked = first_walk(&sitemap(at.as_str()), &mut site.clone());
    assert_eq!(walked.links(), [format!("{long}1"), format!("{SITE}/2")]);
    assert_eq!(walked.report.refused.len(), 1, "{:?}", walked.report);
}

/// Indexes whose files may not be asked for cost no request, so nothing else would end them.
#[test]
fn r32_a_walk_hears_of_so_many_files_and_no_more() {
    let list = sitemap(&format!("{SITE}/s.xml"));
    let mut walk = Walk::begin(&list, &History::default(), now());
    let mut heard_of = 0;
    for number in 0..5 {
        let Step::Request(request) = walk.next() else { break };
        let mut files = String::from("<sitemapindex>");
        for other in 0..49_000 {
            write!(files, "<sitemap><loc>https://elsewhere.org/{number}/{other}</loc></sitemap>").unwrap();
        }
        let last = format!("<sitemap><loc>{SITE}/s{number}.xml</loc></sitemap></sitemapindex>");
        let body = files + &last;
        walk.answered(Answer::Page(Page::new(&request.address, body.as_bytes())));
        while let Step::Request(request) = walk.next()
            && request.address.host() == "elsewhere.org"
        {
            heard_of += 1;
            walk.answered(Answer::Barred { code: "host-not-admitted" });
        }
    }
    assert!((100_000..200_000).contains(&heard_of), "{heard_of}");
    assert!(!walk.report().is_complete());
}

/// A list of 25 items whose totals say otherwise.
struct Lying {
    numbering: Numbering,
    total: u64,
    total_pages: u64,
}

impl Publisher for Lying {
    fn get(&mut self, address: &releve_url_canon::HttpsUrl) -> Reply {
        let number: u64 = address.as_str().rsplit('=').next().unwrap().parse().unwrap();
        let from = if matches!(self.numbering, Numbering::Pages { .. }) { (number - 1) * 10 } else { number };
        let item = |number: u64| format!("{{\"link\": \"{SITE}/{number}\"}}");
        let items: Vec<String> = (from..(from + 10).min(25)).map(item).collect();
        if items.is_empty() {
            return Reply::Status(400);
        }
        Reply::Body {
            body: format!("[{}]", items.join(",")).into_bytes(),
            link: None,
            total: Some(self.total),
            total_pages: Some(self.total_pages),
        }
    }
}

/// What a page shows to be untrue ends no walk.
#[test]
fn r09_a_total_that_a_page_exceeds_ends_nothing() {
    for numbering in [Numbering::Items { page_size: 10 }, Numbering::Pages { first: 1 }] {
        for (total, total_pages) in [(1, 1), (0, 0), (9, 1)] {
            let list = backlog(Entrance::List {
                pages: Pagination::Numbered {
                    address: NumberedAddress::new(&format!("{SITE}/api?n={{n}}"), "{n}").unwrap(),
                    numbering,
                    past_the_end: Some(400),
                },
                shape: ListShape {
                    items: "".parse().unwrap(),
                    id: None,
                    address: Some("/link".parse().unwrap()),
                    published: None,
                    modified: None,
                    fields: Vec::new(),
                },
            });
            let walked = first_walk(&list, &mut Lying { numbering, total, total_pages });
            assert_eq!(walked.set().len(), 25, "{numbering:?}, {total}: {:?}", walked.report);
            assert_eq!(walked.end(), &End::ListEnd);
        }
    }
}
