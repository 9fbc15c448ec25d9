//! Lists that come in pages.

use std::fmt::Write as _;

use jiff::Timestamp;
use releve_backlog::{
    Backlog, End, Entrance, Expected, History, NumberedAddress, Numbering, Pagination, Step, Walk,
};
use releve_feed::{DateField, ListShape};
use releve_url_canon::HttpsUrl;

use crate::{Publisher, Reply, backlog, first_walk, hours_ago, now, url, with_floor};

pub(crate) const LIST: &str = "https://api.example.org/articles";

/// An API that gives its items in pages, and changes as it is told.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    pub(crate) items: Vec<(u64, Timestamp)>,
    pub(crate) per_page: usize,
    pub(crate) has_totals: bool,
    /// What happens before the request of this number.
    pub(crate) changes: Vec<(usize, Change)>,
    pub(crate) requests: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// One more at the top.
    Insert(u64),
    /// The item at this place goes.
    Remove(usize),
}

impl Api {
    /// So many items, one every twelve hours.
    pub(crate) fn new(items: u64, per_page: usize) -> Self {
        let items = (0..items).map(|n| (n, hours_ago(i64::try_from(n).unwrap() * 12))).collect();
        Self { items, per_page, has_totals: false, changes: Vec::new(), requests: 0 }
    }

    /// Lets happen what happens before the next request.
    fn change(&mut self) {
        for (_, change) in self.changes.iter().filter(|(before, _)| *before == self.requests) {
            match *change {
                Change::Insert(id) => self.items.insert(0, (id, now())),
                Change::Remove(at) if at < self.items.len() => drop(self.items.remove(at)),
                Change::Remove(_) => {}
            }
        }
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        self.items.iter().map(|(id, _)| link(*id)).collect()
    }

    fn page(&self, from: usize, next: Option<&str>) -> Reply {
        let mut body = String::from("{\"items\": [");
        let page = self.items.get(from..).unwrap_or_default();
        for (n, (id, date)) in page.iter().take(self.per_page).enumerate() {
            let comma = if n > 0 { "," } else { "" };
            write!(body, "{comma}{{\"id\": {id}, \"url\": \"{}\", \"date\": \"{date}\"}}", link(*id))
                .unwrap();
        }
        write!(body, "], \"next\": {}}}", next.map_or("null".to_owned(), |next| format!("\"{next}\"")))
            .unwrap();
        let total = self.has_totals.then_some(self.items.len());
        Reply::Body {
            body: body.into_bytes(),
            link: next.map(|next| {
                format!("<{LIST}>; rel=\"first\", <{next}>; rel=\"prefetch next\"; title=\"a, b\"")
            }),
            total: total.map(|total| total as u64),
            total_pages: total.map(|total| total.div_ceil(self.per_page) as u64),
        }
    }
}

pub(crate) fn link(id: u64) -> String {
    format!("https://www.example.org/{id}")
}

impl Publisher for Api {
    fn get(&mut self, address: &HttpsUrl) -> Reply {
        self.change();
        self.requests += 1;
        let number = |name: &str| {
            let pairs = address.query().unwrap_or_default().split('&');
            pairs
                .filter_map(|pair| pair.split_once('='))
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.parse::<usize>().unwrap())
        };
        let is_last = |end: usize| end >= self.items.len();
        if let Some(page) = number("page") {
            let from = (page - 1) * self.per_page;
            if from > 0 && from >= self.items.len() {
                return Reply::Status(400);
            }
            return self.page(from, None);
        }
        if let Some(offset) = number("offset") {
            return self.page(offset, None);
        }
        // A cursor is the last item that was given: what comes after it does not shift.
        let after = number("after");
        let from = after.map_or(0, |after| {
            let bound = self.items.iter().position(|(id, _)| *id == after as u64);
            bound.map_or(self.items.len(), |at| at + 1)
        });
        let end = from + self.per_page;
        let next = (!is_last(end)).then(|| format!("{LIST}?after={}", self.items[end - 1].0));
        match (address.path(), next) {
            ("/cursor", Some(next)) => {
                let cursor = next.rsplit('=').next().unwrap().to_owned();
                self.page(from, Some(&cursor))
            }
            (_, next) => self.page(from, next.as_deref()),
        }
    }
}

pub(crate) fn shape() -> ListShape {
    let at = |text: &str| text.parse().unwrap();
    ListShape {
        items: at("/items"),
        address: Some(at("/url")),
        published: Some(DateField { at: at("/date"), is_utc: false }),
        fields: vec![at("/id")],
        ..ListShape::default()
    }
}

pub(crate) fn list(pages: Pagination) -> Backlog {
    let parameters = releve_url_canon::NecessaryParameters::new(["after"]);
    Backlog { necessary_parameters: parameters, ..backlog(Entrance::List { pages, shape: shape() }) }
}

pub(crate) fn by_offset(page_size: u64) -> Backlog {
    let address = NumberedAddress::new(&format!("{LIST}?offset={{offset}}"), "{offset}").unwrap();
    let numbering = Numbering::Items { page_size };
    list(Pagination::Numbered { address, numbering, past_the_end: None })
}

pub(crate) fn by_page() -> Backlog {
    let address = NumberedAddress::new(&format!("{LIST}?page={{page}}"), "{page}").unwrap();
    list(Pagination::Numbered { address, numbering: Numbering::Pages { first: 1 }, past_the_end: Some(400) })
}

pub(crate) fn all_ways() -> Vec<Backlog> {
    let at = || "/next".parse().unwrap();
    vec![
        by_offset(10),
        by_page(),
        list(Pagination::Next { first: url(LIST), at: at() }),
        list(Pagination::LinkHeader { first: url(LIST) }),
        list(Pagination::Cursor {
            first: url("https://api.example.org/cursor"),
            at: at(),
            parameter: "after".to_owned(),
        }),
    ]
}

/// Lists of all lengths are found whole and once, whichever way the pages follow.
#[test]
fn a_list_is_found_whole_however_its_pages_follow() {
    for backlog in all_ways() {
        for items in [0, 1, 2, 9, 10, 11, 19, 20, 21, 25] {
            for has_totals in [false, true] {
                let mut api = Api { has_totals, ..Api::new(items, 10) };
                let walked = first_walk(&backlog, &mut api);
                assert_eq!(walked.links(), api.ids(), "{items} items, {backlog:?}");
                assert_eq!(walked.end(), &End::ListEnd);
                assert!(walked.report.is_complete());
                let pages = walked.found.len().div_ceil(8).max(1);
                assert!(walked.requested.len() <= pages + 1, "{items} items: {:?}", walked.requested);
            }
        }
    }
}

#[test]
fn a_request_says_what_is_expected() {
    let Step::Request(request) = Walk::begin(&by_page(), &History::default(), now()).next() else { panic!() };
    assert_eq!(
        (request.address.as_str(), request.expected),
        ("https://api.example.org/articles?page=1", Expected::Json)
    );
}

/// What the server tells of its totals saves the request after the last page.
#[test]
fn totals_save_the_request_past_the_end() {
    for backlog in [by_page(), by_offset(10)] {
        let requests =
            |has_totals| first_walk(&backlog, &mut Api { has_totals, ..Api::new(20, 10) }).requested.len();
        assert_eq!(requests(false), requests(true) + 1);
    }
}

/// A server that gives fewer items than it was asked for loses none.
#[test]
fn a_page_may_be_shorter_than_configured() {
    let mut api = Api::new(35, 7);
    assert_eq!(first_walk(&by_offset(100), &mut api).links(), api.ids());
}

/// A server that always gives the same.
struct Same(String);

impl Publisher for Same {
    fn get(&mut self, _: &HttpsUrl) -> Reply {
        Reply::Body {
            body: self.0.clone().into_bytes(),
            link: Some(format!("<{LIST}?after=7>; rel=next")),
            total: None,
            total_pages: None,
        }
    }
}

#[test]
fn a_list_that_leads_in_circles_ends_with_an_error() {
    let page = |next: &str| {
        let items: Vec<_> = (0..10).map(|n| format!("{{\"id\": {n}, \"url\": \"{}\"}}", link(n))).collect();
        format!("{{\"items\": [{}], \"next\": \"{next}\"}}", items.join(","))
    };
    let ends = ["list-repeats", "list-repeats", "list-cycle", "list-cycle", "list-cycle"];
    for (backlog, code) in all_ways().iter().zip(ends) {
        let cursor = if matches!(&backlog.entrance, Entrance::List { pages: Pagination::Cursor { .. }, .. }) {
            "7".to_owned()
        } else {
            format!("{LIST}?after=7")
        };
        let walked = first_walk(backlog, &mut Same(page(&cursor)));
        assert_eq!(walked.end(), &End::Broken { code: code.to_owned() });
        assert!(walked.requested.len() <= 4, "{:?}", walked.requested);
        assert_eq!(walked.set().len(), 10);
        assert!(!walked.report.is_complete());
    }
}

/// A server whose pages never end, each of another address and with the same items.
struct Endless(u64);

impl Publisher for Endless {
    fn get(&mut self, _: &HttpsUrl) -> Reply {
        self.0 += 1;
        Reply::body(format!(
            "{{\"items\": [{{\"id\": 1, \"url\": \"{}\"}}], \"next\": \"?after={}\"}}",
            link(1),
            self.0
        ))
    }
}

#[test]
fn pages_that_bring_nothing_new_end_with_an_error() {
    let walked = first_walk(&all_ways()[2], &mut Endless(0));
    assert_eq!(walked.end(), &End::Broken { code: "list-repeats".to_owned() });
    assert_eq!(walked.requested.len(), 4);
}

/// Some servers answer with their last page where there is no more, which is an end and no error.
struct Clamped(Api);

impl Publisher for Clamped {
    fn get(&mut self, address: &HttpsUrl) -> Reply {
        let page: usize = address.as_str().rsplit('=').next().unwrap().parse().unwrap();
        let last = self.0.items.len().div_ceil(self.0.per_page);
        self.0.get(&url(&format!("{LIST}?page={}", page.min(last))))
    }
}

#[test]
fn the_last_page_again_and_again_is_the_lists_end() {
    let mut api = Clamped(Api::new(25, 10));
    let walked = first_walk(&by_page(), &mut api);
    assert_eq!(walked.links(), api.0.ids());
    assert_eq!(walked.end(), &End::ListEnd);
}

/// A page that fails is asked for again by the next passes, and given up after the third time.
struct Flaky(Api, Vec<usize>);

impl Publisher for Flaky {
    fn get(&mut self, address: &HttpsUrl) -> Reply {
        if self.1.contains(&self.0.requests) {
            self.0.requests += 1;
            return Reply::Status(503);
        }
        self.0.get(address)
    }
}

#[test]
fn r10_a_page_that_failed_is_where_the_walk_goes_on() {
    for backlog in all_ways() {
        let mut api = Flaky(Api::new(35, 10), vec![1, 2]);
        let walked = first_walk(&backlog, &mut api);
        assert_eq!(walked.links(), api.0.ids());
        assert!(walked.report.is_complete());

        let mut api = Flaky(Api::new(35, 10), vec![1, 2, 3]);
        let walked = first_walk(&backlog, &mut api);
        assert_eq!((walked.found.len(), walked.end()), (10, &End::Broken { code: "status-5xx".to_owned() }));
    }
}

/// R10: items that vanish while the list is walked move others up to where the walk has been.
#[test]
fn r10_what_moves_up_while_the_list_is_walked_is_found() {
    for (backlog, has_totals) in [(by_offset(10), false), (by_offset(10), true), (by_page(), true)] {
        for vanished in [1, 2, 5, 9, 10, 15] {
            // Before the third request the first items go.
            let changes = vec![(2, Change::Remove(0)); vanished];
            let mut api = Api { has_totals, changes, ..Api::new(60, 10) };
            let walked = first_walk(&backlog, &mut api);
            assert!(walked.report.is_complete());
            for id in api.ids() {
                assert!(walked.set().contains(id.as_str()), "{id} is lost: {:?}", walked.requested);
            }
        }
    }
}

/// R10: new ones push others to the next page, where they come up again; nothing is lost, and nothing is taken for the end.
#[test]
fn r10_what_is_pushed_down_while_the_list_is_walked_is_found() {
    for backlog in all_ways() {
        for inserted in [1, 5, 9, 10, 11, 25] {
            let changes = (0..inserted).map(|n| (2, Change::Insert(1_000 + n))).collect();
            let mut api = Api { changes, has_totals: true, ..Api::new(60, 10) };
            let before = api.ids();
            let walked = first_walk(&backlog, &mut api);
            assert!(walked.report.is_complete(), "{:?}", walked.report);
            for id in before {
                assert!(walked.set().contains(id.as_str()), "{id} is lost: {:?}", walked.requested);
            }
        }
    }
}

/// Nor is it a repetition, however often it has to be done.
#[test]
fn r10_steps_back_are_no_repetition() {
    let changes = vec![(1, Change::Remove(8)), (3, Change::Remove(8)), (5, Change::Remove(8))];
    let mut api = Api { changes, has_totals: true, ..Api::new(60, 3) };
    let walked = first_walk(&by_page(), &mut api);
    assert!(walked.report.is_complete(), "{:?}", walked.report);
}

/// A step back is no disorder: the walk still ends at the floor.
#[test]
fn r10_a_step_back_does_not_hide_that_the_list_is_in_order() {
    let backlog = with_floor(by_offset(10), "2026-11-10");
    let mut api = Api { changes: vec![(3, Change::Remove(0))], ..Api::new(200, 10) };
    let walked = first_walk(&backlog, &mut api);
    assert_eq!(walked.end(), &End::Floor);
    assert!(walked.requested.len() < 10, "{:?}", walked.requested);
}

/// Items of one date, whose order among themselves is another in each answer.
#[derive(Debug)]
pub(crate) struct Unsteady(pub(crate) Api);

impl Publisher for Unsteady {
    fn get(&mut self, address: &HttpsUrl) -> Reply {
        // Another order in each answer, and with everything that happens before it.
        self.0.change();
        let mut ordered = Api { changes: Vec::new(), ..self.0.clone() };
        for group in ordered.items.chunk_by_mut(|(_, one), (_, other)| one == other) {
            let len = group.len();
            group.rotate_left(self.0.requests % len);
        }
        self.0.requests += 1;
        ordered.get(address)
    }
}

/// R10: ties are in no order, and a page must not begin amid them.
#[test]
fn r10_items_of_one_date_are_found_whatever_their_order() {
    let mut api = Api::new(60, 10);
    for (n, (_, date)) in api.items.iter_mut().enumerate() {
        *date = hours_ago(i64::try_from(n / 4).unwrap() * 24);
    }
    let mut publisher = Unsteady(api);
    let walked = first_walk(&by_offset(10), &mut publisher);
    let mut found = walked.links();
    found.sort_unstable();
    let mut all = publisher.0.ids();
    all.sort_unstable();
    assert_eq!(found, all);
}
