//! Which of the things described on a page is the article the page is about.
//!
//! Pages describe other articles too: related ones, the next one of an endless scroll, the series. A description counts as this page's if
//! it names the page's address or bears its headline; one that names another address and another headline never does; and one
//! that says neither counts only if it is the only one.

use url::Url;

use super::locate::locate;
use crate::declared::json_ld::Thing;
use crate::declared::{Declared, Item, Property};
use crate::dom::Node;
use crate::page::Page;
use crate::{Place, Value};

/// Descriptions of articles that are looked at; lists of more are no description of their page.
const CANDIDATES_MAX: usize = 128;
/// Descriptions of one article that are read from; plugins that write the same thing twice or thrice are common.
const DESCRIPTIONS_MAX: usize = 8;
/// Titles of a page that descriptions are compared with.
const TITLES_MAX: usize = 64;
/// Shorter titles are compared whole only: the first words of two headlines may well be the same.
const TITLE_PART_CHARS_MIN: usize = 16;

/// What is known of the page before any description is looked at.
pub(crate) struct Known<'a> {
    addresses: Vec<Url>,
    /// Folded titles: those shown in an `h1` and those declared for the page as a whole.
    titles: Vec<String>,
    h1s: &'a [Node<'a>],
}

/// The descriptions of the page's article.
#[derive(Debug, Default)]
pub(crate) struct Subject<'a> {
    /// In JSON-LD, as an article.
    pub(crate) things: Vec<Thing<'a>>,
    /// In JSON-LD, as a page.
    pub(crate) pages: Vec<Thing<'a>>,
    /// In microdata or RDFa, as an article.
    pub(crate) items: Vec<&'a Item<'a>>,
    /// Several articles are described, and none is clearly this page's.
    pub(crate) is_ambiguous: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    Contrary,
    Unknown,
    Headline,
    Address,
}

impl<'a> Known<'a> {
    pub(crate) fn new(page: Page<'a>, declared: &'a Declared<'a>) -> Self {
        let own = Url::parse(page.envelope.address.as_str()).ok();
        let canonical = declared.links.iter().filter(|link| link.is("canonical")).map(|link| link.href);
        let shared = declared.metas("og:url").map(|meta| meta.content);
        let named = canonical.chain(shared).filter_map(|address| resolve(own.as_ref(), address));
        // The front page's address, left in by mistake, would make every article of the site this page's.
        let addresses: Vec<_> = named.filter(|address| address.path().len() > 1).chain(own.clone()).collect();
        let shown = declared.h1s.iter().take(TITLES_MAX).map(|h1| h1.text());
        let titles = declared.metas("og:title").chain(declared.metas("twitter:title"));
        let titles = titles
            .map(|meta| meta.content.to_owned())
            .chain(declared.title.map(|title| title.raw_text().into_owned()));
        let titles = shown.chain(titles).map(|title| fold(&title)).filter(|title| !title.is_empty());
        Self { addresses, titles: titles.take(2 * TITLES_MAX).collect(), h1s: &declared.h1s }
    }

    /// Whether the address is this page's own.
    pub(crate) fn is_address(&self, address: &str) -> bool {
        resolve(self.addresses.last(), address)
            .is_some_and(|address| self.addresses.iter().any(|own| is_same(own, &address)))
    }

    /// Whether a title is one the page bears.
    pub(crate) fn is_title(&self, title: &str) -> bool {
        let title = fold(title);
        self.titles.iter().any(|own| same_title(own, &title))
    }

    fn judge<'t>(
        &self,
        addresses: impl Iterator<Item = &'t str>,
        titles: impl Iterator<Item = String>,
    ) -> Agreement {
        let (mut address_given, mut title_given) = (false, false);
        for address in addresses {
            if self.is_address(address) {
                return Agreement::Address;
            }
            address_given = true;
        }
        for title in titles {
            if self.is_title(&title) {
                return Agreement::Headline;
            }
            title_given = true;
        }
        if address_given && (title_given || self.titles.is_empty()) {
            Agreement::Contrary
        } else {
            Agreement::Unknown
        }
    }

    fn judge_item(&self, item: &Item<'_>) -> Agreement {
        let holds = |h1: &Node<'_>| h1.ancestors().any(|node| node == item.node);
        if self.h1s.len() == 1 && self.h1s.iter().any(holds) {
            return Agreement::Headline;
        }
        let named = |names: &'static [&str]| {
            item.properties.iter().filter(move |own| names.iter().any(|name| own.is(name)))
        };
        let addresses =
            named(&["url", "mainEntityOfPage"]).filter_map(Property::attribute).map(|(_, value)| value);
        self.judge(addresses, named(&["headline", "name"]).map(|title| title.text().0))
    }
}

impl<'a> Subject<'a> {
    pub(crate) fn find(known: &Known<'a>, declared: &'a Declared<'a>) -> Self {
        let (mut articles, mut works, mut pages) = (Vec::new(), Vec::new(), Vec::new());
        for thing in declared.linked_data.things() {
            let list = if thing.has_type(is_article) {
                &mut articles
            } else if thing.has_type(is_work) {
                &mut works
            } else if thing.has_type(is_page) {
                &mut pages
            } else {
                continue;
            };
            if list.len() >= CANDIDATES_MAX {
                continue;
            }
            let agreement = known.judge(addresses(&thing).iter().map(String::as_str), titles(&thing));
            list.push((agreement, thing));
        }
        // Works that are no articles are what their page is about only where there is none.
        let candidates = if articles.is_empty() { works } else { articles };
        let is_contested = candidates.len() > 1;
        let things = best(candidates);
        let items = declared.items.iter().filter(|item| is_own_article(declared, item)).take(CANDIDATES_MAX);
        let items = items.map(|item| (known.judge_item(item), item)).collect();
        Self {
            is_ambiguous: is_contested && things.is_empty(),
            things,
            pages: best(pages),
            items: best(items),
        }
    }
}

/// Whether an item is an article, and no part of another one: comments and quoted articles are.
fn is_own_article(declared: &Declared<'_>, item: &Item<'_>) -> bool {
    let parent = |number: Option<usize>| declared.items.get(number?);
    let mut around = std::iter::successors(parent(item.parent), |outer| parent(outer.parent));
    item.has_type(is_article) && !around.any(|outer| outer.has_type(is_article))
}

impl Property<'_> {
    /// The value as text, with its place.
    pub(crate) fn value(&self) -> Option<Value> {
        let (text, attribute) = self.text();
        let place = self.meta_place().or_else(|| Some(Place::element(locate(self.node)?, attribute)))?;
        (!text.is_empty()).then(|| Value::new(text, place))
    }

    /// The value as a text, and the attribute it stands in if it is not the element's own text.
    pub(crate) fn text(&self) -> (String, Option<&'static str>) {
        match self.attribute() {
            Some(("content", value)) => (crate::declared::plain::plain(value), Some("content")),
            _ => (self.node.text(), None),
        }
    }
}

/// The candidates that agree with the page, the surest first; or the only one there is, if it contradicts nothing.
fn best<T>(mut candidates: Vec<(Agreement, T)>) -> Vec<T> {
    if candidates.len() > 1 {
        candidates.retain(|(agreement, _)| *agreement >= Agreement::Headline);
    } else {
        candidates.retain(|(agreement, _)| *agreement > Agreement::Contrary);
    }
    candidates.sort_by_key(|(agreement, _)| std::cmp::Reverse(*agreement));
    candidates.into_iter().take(DESCRIPTIONS_MAX).map(|(_, candidate)| candidate).collect()
}

/// Where a description says that its subject stands.
fn addresses(thing: &Thing<'_>) -> Vec<String> {
    let mut addresses = Vec::new();
    for name in ["url", "mainEntityOfPage", "@id"] {
        for value in thing.each(name, 4) {
            let value = match (value.get("@id"), value.get("url")) {
                (None, None) => value,
                (Some(id), None) => id,
                (_, Some(url)) => url,
            };
            // An identifier that is no address (`#article`, `_:b0`), or `true`, says nothing.
            if let Some((text, _)) =
                value.text().filter(|(text, _)| text.starts_with("http") || text.starts_with('/'))
            {
                addresses.push(text);
            }
        }
    }
    addresses
}

fn titles(thing: &Thing<'_>) -> impl Iterator<Item = String> {
    ["headline", "name", "alternativeHeadline"]
        .into_iter()
        .filter_map(|name| Some(thing.get(name)?.text()?.0))
}

fn is_article(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // `Item` and `BlogPost` are SIOC's, which Drupal writes.
    name.ends_with("article")
        || matches!(&*name, "blogposting" | "liveblogposting" | "report" | "item" | "blogpost")
}

/// Other works that are what their page is about, if it has no article.
fn is_work(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(
        &*name,
        "creativework"
            | "recipe"
            | "howto"
            | "review"
            | "criticreview"
            | "discussionforumposting"
            | "socialmediaposting"
    )
}

fn is_page(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(&*name, "webpage" | "itempage" | "medicalwebpage" | "faqpage" | "aboutpage" | "newspage")
}

fn resolve(base: Option<&Url>, address: &str) -> Option<Url> {
    let address = address.trim();
    match base {
        Some(base) => base.join(address).ok(),
        None => Url::parse(address).ok(),
    }
}

/// Whether two addresses are the same page's, whichever variant of a site they name.
fn is_same(one: &Url, other: &Url) -> bool {
    let host = |address: &Url| {
        let host = address.host_str().unwrap_or_default().to_owned();
        let bare = ["www.", "m.", "amp.", "mobile."].iter().find_map(|prefix| host.strip_prefix(prefix));
        bare.map_or(host.clone(), str::to_owned)
    };
    let path = |address: &Url| address.path().trim_end_matches('/').to_lowercase();
    let different = || {
        let others: Vec<_> = other.query_pairs().collect();
        one.query_pairs()
            .any(|(name, value)| others.iter().any(|(other, theirs)| *other == name && *theirs != value))
    };
    host(one) == host(other) && path(one) == path(other) && !different()
}

/// The letters and digits of a text, in lower case: what is left when two writings differ in nothing that matters.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            folded.push(c.to_ascii_lowercase());
        } else if !c.is_ascii() && c.is_alphanumeric() {
            folded.extend(c.to_lowercase());
        }
    }
    folded
}

/// Whether two folded titles are the same, or one is the other cut off or with the site's name behind.
pub(crate) fn same_title(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short == long && !short.is_empty()
        || (short.chars().take(TITLE_PART_CHARS_MIN).count() == TITLE_PART_CHARS_MIN
            && long.starts_with(short))
}
