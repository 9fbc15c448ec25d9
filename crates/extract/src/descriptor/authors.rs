//! Who wrote an article.
//!
//! JSON-LD goes first, then microdata, then `meta` elements, then the names shown around the headline. Three things are known to be
//! declared as the author that are not: the account that put the article into the CMS, the publisher, and whatever a template was filled with.
//! So an account counts only if its name is shown too, the publisher only if it is expressly declared as an organisation and nobody else is
//! named, and where the page shows one person and declares another that it shows nowhere, the one shown counts.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::LazyLock;

use html5ever::local_name;
use regex::Regex;

use super::is_one_of;
use super::lines::{Line, any_of, is_named};
use super::locate::locate;
use super::names::{
    behind_joint, is_account, is_domain, is_full_name, is_lead, names, starts_with_lead, without_lead, words,
};
use super::subject::{Subject, fold};
use crate::declared::json_ld::Thing;
use crate::declared::plain::plain;
use crate::declared::{Declared, Item, Property};
use crate::dom::Node;
use crate::page::Page;
use crate::{Place, Value};

/// Authors of one article that are looked at. Some have dozens, none hundreds.
const AUTHORS_MAX: usize = 64;
/// More names shown around a headline are not one article's.
const SHOWN_MAX: usize = 6;
/// A longer text is no byline, and a line that holds one among other things is not much longer.
const BYLINE_BYTES_MAX: usize = 240;
const BYLINE_LINE_BYTES_MAX: usize = 480;
/// A line of that length with more elements in it is made by a machine for no reader.
const DESCENDANTS_MAX: usize = 256;

/// Names of `meta` elements that hold an author, the surest first.
const METAS: &[&str] = &[
    "article:author",
    "author",
    "sailthru.author",
    "parsely-author",
    "byl",
    "dc.creator",
    "dcterms.creator",
    "cXenseParse:author",
    "og:article:author",
    "article:author_name",
    "articleAuthor",
    "authors",
    "citation_author",
];

/// Names of `meta` elements that hold what the site or its publisher calls itself.
const PUBLISHER_METAS: &[&str] =
    &["og:site_name", "publisher", "dc.publisher", "dcterms.publisher", "application-name"];

/// Parts of class names and ids of elements that hold an author's name.
static AUTHOR_NAMES: LazyLock<Regex> = LazyLock::new(|| {
    any_of(
        "auteur author autor byline byln contributor journalist redakteur reporter signature vcard verfasser \
        writer",
    )
});

/// Words of roles, of publishers' names and of calls for action, which elements named for authors hold as well.
const NO_NAME_WORDS: &str = "about advertisement agency ago all analyst associate author authors blog by checked chief columnist comment comments \
    contact contributor contributors correspondent department director editor editorial editors email expert fact follow \
    guest image journalist journaliste journalistin magazine manager media medically min minutes more news newsletter \
    newsroom online our photo photographer photos post posts press profile published read redakteur redakteurin redaktion \
    reporter reporters researcher reviewed senior share sponsored staff subscribe team the times tweet university updated \
    verified view writer writers you your";

/// The readings of the authors.
#[derive(Debug, Default)]
pub(crate) struct Authors {
    pub(crate) chosen: Vec<Value>,
    pub(crate) others: Vec<Value>,
}

/// The authors that one source names.
#[derive(Debug, Default)]
struct Named {
    names: Vec<Value>,
    /// They stand in a thing of their own and are only referred to: accounts of the CMS, as its plugins write them.
    are_accounts: bool,
    /// Each is expressly an organisation.
    are_organisations: bool,
    /// Each is expressly a person.
    are_persons: bool,
}

pub(crate) fn read(
    page: Page<'_>,
    declared: &Declared<'_>,
    subject: &Subject<'_>,
    lines: &[Line<'_>],
) -> Authors {
    let site = Site::new(page, declared, subject);
    let described: Vec<Named> = subject.things.iter().map(|thing| in_thing(declared, thing)).collect();
    let marked: Vec<Named> = subject.items.iter().map(|item| in_item(declared, item)).collect();
    let metas: Vec<Named> = METAS.iter().map(|name| in_metas(declared, name)).collect();
    let evidence = Evidence { shown: shown(lines, &site), site };

    let mut chosen = described.iter().find(|source| evidence.confirms(source));
    chosen = chosen
        .or_else(|| marked.iter().find(|source| evidence.confirms(source) && !source.has_no_name_word()));
    chosen = chosen.or_else(|| metas.iter().find(|source| evidence.confirms_meta(source)));
    let mut chosen = chosen.map(|source| &source.names);
    chosen = chosen.or_else(|| Some(&evidence.shown).filter(|shown| !shown.is_empty()));
    chosen = chosen.or_else(|| Some(&described.iter().find(|source| source.are_organisations)?.names));
    let mut authors = Authors { chosen: chosen.cloned().unwrap_or_default(), others: Vec::new() };
    // Lists that are put together from several fields name the same person twice.
    let mut named = HashSet::new();
    authors.chosen.retain(|name| named.insert(fold(&name.text)));

    let sources = described.into_iter().chain(marked).chain(metas).flat_map(|source| source.names);
    for other in sources.chain(evidence.shown) {
        if !authors.chosen.iter().chain(&authors.others).any(|known| known.text == other.text) {
            authors.others.push(other);
        }
    }
    authors
}

impl Named {
    fn are_full(&self) -> bool {
        self.names.iter().all(|name| is_full_name(&name.text))
    }

    fn has_no_name_word(&self) -> bool {
        self.names.iter().any(|name| has_no_name_word(&name.text))
    }
}

/// What the page shows of its authors.
struct Evidence<'a> {
    site: Site<'a>,
    /// The full names around the headline.
    shown: Vec<Value>,
}

impl Evidence<'_> {
    /// Whether what a source names may be the authors: not the publisher alone, not an account that is not shown, and not somebody whom the
    /// page shows nowhere while it shows others.
    fn confirms(&self, source: &Named) -> bool {
        if source.names.iter().all(|name| self.is_nobody(source, name)) {
            return false;
        }
        let somewhere = || source.names.iter().any(|name| self.site.shows(&name.text));
        source.names.iter().any(|name| self.is_shown(name))
            || if self.shown.is_empty() {
                !source.names.iter().all(|name| is_account(&name.text))
                    && (!source.are_accounts || somewhere())
            } else {
                source.are_full() && somewhere()
            }
    }

    /// What stands in a `meta` element is as often the site's owner or an account, so all of it has to be full names that are shown.
    fn confirms_meta(&self, source: &Named) -> bool {
        self.confirms(source)
            && source.are_full()
            && source.names.iter().all(|name| {
                !self.site.is_named_in(&name.text) && (self.is_shown(name) || self.site.shows(&name.text))
            })
    }

    fn is_shown(&self, name: &Value) -> bool {
        self.shown.iter().any(|shown| fold(&shown.text) == fold(&name.text))
    }

    /// Whether a name is the publisher's. A person may well have a host of that name.
    fn is_nobody(&self, source: &Named, Value { text, .. }: &Value) -> bool {
        let is_person = source.are_persons && is_full_name(text);
        let is_person = is_person && !self.site.is_called(text) && !self.site.is_named_in(text);
        self.site.is_publisher(text) && !is_person
    }
}

/// What is known of the page as a whole.
struct Site<'a> {
    page: Page<'a>,
    /// What the site and its publisher call themselves, folded.
    publishers: Vec<String>,
    host: String,
    /// All that the page shows, folded; made only if it is asked for.
    text: OnceCell<String>,
}

impl<'a> Site<'a> {
    fn new(page: Page<'a>, declared: &Declared<'_>, subject: &Subject<'_>) -> Self {
        let mut publishers: Vec<String> = Vec::new();
        for publisher in subject.things.iter().flat_map(|thing| thing.each("publisher", 4)) {
            let publisher = declared
                .linked_data
                .resolve(publisher, "name")
                .and_then(|publisher| publisher.get("name")?.text());
            publishers.extend(publisher.map(|(name, _)| fold(&name)));
        }
        let metas = PUBLISHER_METAS.iter().flat_map(|name| declared.metas(name));
        publishers.extend(metas.map(|meta| fold(meta.content)));
        publishers.retain(|name| !name.is_empty());
        Self { page, publishers, host: fold(page.envelope.address.host()), text: OnceCell::new() }
    }

    /// Whether a name is the site's or its publisher's.
    fn is_publisher(&self, name: &str) -> bool {
        self.is_called(name) || self.host.contains(&fold(name)) || is_domain(name)
    }

    /// Whether a name is what the site or its publisher calls itself.
    fn is_called(&self, name: &str) -> bool {
        self.publishers.contains(&fold(name))
    }

    /// Whether a word of the name is a part of the host's name.
    fn is_named_in(&self, name: &str) -> bool {
        let labels = self
            .page
            .envelope
            .address
            .host()
            .split(['.', '-'])
            .filter(|label| label.len() > 2 && !matches!(*label, "www" | "com"));
        words(name).any(|word| labels.clone().any(|label| label == fold(word)))
    }

    fn shows(&self, name: &str) -> bool {
        self.text.get_or_init(|| fold(&self.page.document.root().text())).contains(&fold(name))
    }
}

fn in_thing(declared: &Declared<'_>, thing: &Thing<'_>) -> Named {
    for property in ["author", "creator"] {
        let mut named =
            Named { names: Vec::new(), are_accounts: true, are_organisations: true, are_persons: true };
        for author in thing.each(property, AUTHORS_MAX) {
            if !author.json.is_object() {
                named.names.extend(in_text(&author));
                (named.are_accounts, named.are_organisations, named.are_persons) = (false, false, false);
                continue;
            }
            named.are_accounts &= author.json.get("name").is_none();
            let Some(author) = declared.linked_data.resolve(author, "name") else { continue };
            let is = |kind: &str| author.has_type(|name| name.to_ascii_lowercase().ends_with(kind));
            // Sites that are a person's are both.
            named.are_organisations &= is("organization") && !is("person");
            named.are_persons &= is("person");
            for name in author.each("name", AUTHORS_MAX) {
                named.names.extend(in_text(&name));
            }
        }
        if !named.names.is_empty() {
            return named;
        }
    }
    Named::default()
}

fn in_text(thing: &Thing<'_>) -> Vec<Value> {
    let Some((text, place)) = thing.text() else { return Vec::new() };
    in_lines(thing.json.as_str().unwrap_or_default(), &text, &place)
}

/// The names in a declared text, `written` in lines as it stands. A full name in one of several lines ends there, and the others are names too, or nothing is
/// certain.
fn in_lines(written: &str, text: &str, place: &Place) -> Vec<Value> {
    let lines: Vec<String> = written.lines().map(plain).filter(|line| !line.is_empty()).collect();
    if lines.len() < 2 || !lines.iter().any(|line| is_full_name(line)) {
        return names(text, place);
    }
    if !lines.iter().all(|line| is_full_name(line)) || lines.len() > AUTHORS_MAX {
        return Vec::new();
    }
    let mut start = 0;
    let copy = |line: String| {
        let end = start + line.chars().count();
        let place = place.clone().characters(start..end);
        start = end + 1;
        Value::new(line, place)
    };
    lines.into_iter().map(copy).collect()
}

fn in_item(declared: &Declared<'_>, item: &Item<'_>) -> Named {
    let authors = item.properties.iter().filter(|property| property.is("author")).take(AUTHORS_MAX);
    let value = |property: &Property<'_>| {
        let item = property.item.and_then(|item| declared.items.get(item));
        let name = item.and_then(|item| item.properties.iter().find(|property| property.is("name")));
        name.unwrap_or(property).value()
    };
    let names = authors.filter_map(value).flat_map(|value| names(&value.text, &value.place)).collect();
    Named { names, ..Named::default() }
}

fn in_metas(declared: &Declared<'_>, name: &str) -> Named {
    let metas = declared.metas(name).take(AUTHORS_MAX);
    let names = metas.flat_map(|meta| in_lines(meta.content, &plain(meta.content), &meta.place())).collect();
    Named { names, ..Named::default() }
}

/// The full names shown around the headline: in elements named for authors, and behind a word such as `By`.
fn shown(lines: &[Line<'_>], site: &Site<'_>) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    // `Author` on a line of its own says what the next one is.
    let mut is_labelled = false;
    let lines = lines.iter().filter(|line| !line.is_teaser && line.text.len() <= BYLINE_LINE_BYTES_MAX);
    for line in lines {
        let nodes = byline_elements(line, is_labelled);
        is_labelled = is_lead(&line.text);
        for node in nodes {
            let Some(selector) = locate(node) else { continue };
            for name in names(&node.text(), &Place::element(selector, None)) {
                let known = found.iter().any(|known| fold(&known.text) == fold(&name.text));
                let is_other = site.is_publisher(&name.text) || site.is_named_in(&name.text);
                if is_persons(&name.text) && !known && !is_other {
                    found.push(name);
                }
            }
        }
    }
    if found.len() > SHOWN_MAX {
        found.clear();
    }
    found
}

/// The elements of a line that hold names and little else.
fn byline_elements<'a>(line: &Line<'a>, is_labelled: bool) -> Vec<Node<'a>> {
    let within = || line.node.descendants().take(DESCENDANTS_MAX);
    let named = within().filter(|node| is_author_element(*node)).take(AUTHORS_MAX);
    let mut nodes: Vec<Node<'_>> = named.filter(|node| holds_names(*node)).collect();
    // Of elements within each other the innermost: it holds the name alone.
    let around: Vec<_> =
        nodes.iter().flat_map(|node| node.ancestors().take_while(|own| *own != line.node)).collect();
    nodes.retain(|node| !around.contains(node));
    if !nodes.is_empty() {
        return nodes;
    }
    let mut boxes = std::iter::once(line.node).chain(line.node.ancestors().take(2));
    let leads = starts_with_lead(&line.text);
    if (leads || is_labelled || boxes.any(is_author_element)) && holds_names(line.node) {
        return vec![line.node];
    }
    if leads {
        // `By A Name, 5 March 2024`: the name is a link, or said to be a person's.
        let is_person = |node: &Node<'_>| {
            let kind = node.attribute("typeof").or(node.attribute("itemtype"));
            kind.is_some_and(|kind| kind.ends_with("Person")) && holds_names(*node)
        };
        let links = leading_links(line);
        let found = if links.is_empty() { within().filter(is_person).take(1).collect() } else { links };
        if !found.is_empty() {
            return found;
        }
    }
    // `By A Name` within a line that holds something else.
    within().filter(|node| node.name().is_some() && starts_with_lead(&own_text(*node))).collect()
}

/// The links of a line that follow its first word, and each other with nothing but `and` between them: those are the names.
fn leading_links<'a>(line: &Line<'a>) -> Vec<Node<'a>> {
    let mut rest = without_lead(&line.text);
    let links = line.node.descendants().take(DESCENDANTS_MAX).filter(|node| node.is(&local_name!("a")));
    let mut names = Vec::new();
    for link in links {
        let text = link.text();
        let Some(behind) = rest.strip_prefix(&*text).filter(|_| is_persons(&text)) else { break };
        names.push(link);
        let Some(next) = behind_joint(behind) else { break };
        rest = next;
    }
    names
}

/// Whether an element holds the name of a person and little else.
fn holds_names(node: Node<'_>) -> bool {
    let text = node.text();
    text.len() <= BYLINE_BYTES_MAX
        && !is_glued(node)
        && names(&text, &Place::address()).iter().any(|name| is_persons(&name.text))
}

/// Whether a word goes on from one element into the next: nothing but a style sheet parts a name from a role there.
fn is_glued(node: Node<'_>) -> bool {
    let texts = node.descendants().filter_map(Node::as_text).filter(|text| !text.is_empty());
    let mut before: Option<&str> = None;
    texts.take(DESCENDANTS_MAX).any(|text| {
        let ends_within =
            before.replace(text).is_some_and(|text| text.ends_with(char::is_alphanumeric) && !is_lead(text));
        ends_within && text.starts_with(char::is_alphanumeric)
    })
}

/// Whether a text is the full name of a person, and no word of it is a role's or a call's for action.
fn is_persons(text: &str) -> bool {
    is_full_name(text) && !has_no_name_word(text)
}

/// The text directly in an element.
fn own_text(node: Node<'_>) -> String {
    node.children().filter_map(Node::as_text).collect()
}

pub(crate) fn is_author_element(node: Node<'_>) -> bool {
    let property = node.attribute("itemprop").or(node.attribute("property"));
    property.is_some_and(|property| property.contains("author"))
        || node.attribute("rel").is_some_and(|rel| rel.split_ascii_whitespace().any(|rel| rel == "author"))
        || is_named(node, &AUTHOR_NAMES)
}

fn has_no_name_word(text: &str) -> bool {
    words(text).flat_map(|word| word.split('-')).any(|word| is_one_of(&word.to_lowercase(), NO_NAME_WORDS))
}
