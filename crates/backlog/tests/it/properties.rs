//! What holds whatever is received.

use std::collections::BTreeSet;

use proptest::prelude::*;
use releve_backlog::{Answer, File, History, Noted, Page, Step, Walk};

use crate::links_and_pages::{Api, Change, Unsteady, all_ways, by_offset, by_page, link, list};
use crate::{first_walk, hours_ago, index, now, sitemap, url, urlset};

fn change() -> impl Strategy<Value = (usize, bool, usize)> {
    (0..12_usize, any::<bool>(), 0..60_usize)
}

proptest! {
    /// R10: whatever is inserted at the top and whatever vanishes while a list is walked, what was there from the
    /// beginning to the end is found.
    #[test]
    fn r10_a_list_that_shifts_loses_nothing(
        changes in prop::collection::vec(change(), 0..25),
        per_page in 3..12_usize,
        has_totals: bool,
        is_by_page: bool,
    ) {
        let changes = (1_000..).zip(&changes).map(|(id, (before, is_insert, at))| {
            (*before, if *is_insert { Change::Insert(id) } else { Change::Remove(*at) })
        });
        // Pages can have no overlap: there the totals are what shows that a list has shrunk.
        let has_totals = has_totals || is_by_page;
        let mut api = Api { changes: changes.collect(), has_totals, ..Api::new(60, per_page) };
        let before: BTreeSet<String> = api.ids().into_iter().collect();
        let backlog = if is_by_page { by_page() } else { by_offset(per_page as u64) };
        let walked = first_walk(&backlog, &mut api);
        // Where as many are inserted from page to page as a page brings, three times in a row, the walk says that it is
        // not complete, and the next one goes all the way.
        prop_assume!(walked.report.is_complete());
        let after: BTreeSet<String> = api.ids().into_iter().collect();
        let found: BTreeSet<String> = walked.set().into_iter().map(str::to_owned).collect();
        let lost: Vec<_> = before.intersection(&after).filter(|id| !found.contains(*id)).collect();
        prop_assert!(lost.is_empty(), "{lost:?} are lost: {:?}", walked.requested);
    }

    /// R10: nor where some items share a date and come in another order each time.
    #[test]
    fn r10_a_list_with_ties_that_shifts_loses_nothing(
        changes in prop::collection::vec((0..20_usize, 0..60_usize), 0..12),
        per_page in 9..15_usize,
        tied in 1..4_usize,
    ) {
        let changes = changes.into_iter().map(|(before, at)| (before, Change::Remove(at))).collect();
        let mut api = Api { changes, ..Api::new(60, per_page) };
        for (n, (_, date)) in api.items.iter_mut().enumerate() {
            *date = hours_ago(i64::try_from(n / tied).unwrap() * 24);
        }
        let mut publisher = Unsteady(api);
        let before: BTreeSet<String> = publisher.0.ids().into_iter().collect();
        let walked = first_walk(&by_offset(per_page as u64), &mut publisher);
        prop_assert!(walked.report.is_complete(), "{:?}", walked.report);
        let after: BTreeSet<String> = publisher.0.ids().into_iter().collect();
        let found: BTreeSet<String> = walked.set().into_iter().map(str::to_owned).collect();
        let lost: Vec<_> = before.intersection(&after).filter(|id| !found.contains(*id)).collect();
        prop_assert!(lost.is_empty(), "{lost:?} are lost: {:?}", walked.requested);
    }

    /// Nothing that is received makes a walk panic, or last for ever.
    #[test]
    fn no_bytes_break_a_walk(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        at in any::<prop::sample::Index>(),
        which in 0..6_usize,
    ) {
        let address = "https://www.example.org/s.xml";
        let mut documents = vec![
            urlset([(address, Some(now())), ("https://www.example.org/a", None)]).into_bytes(),
            index([(address, Some(now())), ("https://www.example.org/2026/s1.xml", None)]).into_bytes(),
            b"https://www.example.org/1\nhttps://www.example.org/2".to_vec(),
            b"<rss><channel><item><link>https://www.example.org/1</link></item></channel></rss>".to_vec(),
            br#"{"items": [{"id": 1, "url": "https://www.example.org/1", "date": "2026-03-01T00:00:00Z"}], "next": "?after=7"}"#
                .to_vec(),
            Vec::new(),
        ];
        let mut document = documents.swap_remove(which);
        let at = at.index(document.len() + 1);
        document.splice(at..(at + bytes.len() / 2).min(document.len()), bytes);
        let _ = File::open(&document, None, address).map(|file| file.entries().count());

        let mut backlogs = all_ways();
        backlogs.push(sitemap(address));
        backlogs.push(list(releve_backlog::Pagination::One(url("https://api.example.org/articles"))));
        for backlog in backlogs {
            let mut walk = Walk::begin(&backlog, &History::default(), now());
            for _ in 0..40 {
                match walk.next() {
                    Step::Request(request) => walk.answered(Answer::Page(Page::new(&request.address, &document))),
                    Step::Batch(batch) => walk.noted(Noted { known: 0, new: batch.announcements.len() }),
                    _ => break,
                }
                if let Some(place) = walk.place() {
                    prop_assert!(Walk::resume(&backlog, &place).is_ok());
                }
            }
        }
    }

    /// A place that was changed is refused or resumed, and neither panics.
    #[test]
    fn no_place_breaks_a_walk(at in any::<prop::sample::Index>(), byte in 0x20..0x7f_u8) {
        let backlog = sitemap("https://www.example.org/s.xml");
        let mut walk = Walk::begin(&backlog, &History::default(), now());
        let Step::Request(request) = walk.next() else { panic!() };
        let list = index([("https://www.example.org/é1.xml", None), (&*link(2), None), (&*link(3), Some(now()))]);
        walk.answered(Answer::Page(Page::new(&request.address, list.as_bytes())));
        let mut place = walk.place().unwrap().into_bytes();
        let at = at.index(place.len());
        place[at] = byte;
        let place = String::from_utf8_lossy(&place).into_owned();
        if let Ok(walk) = Walk::resume(&backlog, &place) {
            let _ = (walk.next(), walk.place());
        }
    }
}
