//! When an article was published and modified.

use std::sync::LazyLock;

use html5ever::local_name;
use regex::Regex;

use super::date::{self, Day, Label};
use super::lines::{Line, any_of, is_named};
use super::locate::locate;
use super::subject::Subject;
use crate::declared::json_ld::Thing;
use crate::declared::plain::plain;
use crate::declared::{Declared, Property};
use crate::dom::Node;
use crate::look_up::element_value;
use crate::{Place, Value};

/// Names of `meta` elements that hold the instant of publication, the surest first. A name counts whichever attribute holds it.
const PUBLISHED: &str = "article:published_time og:article:published_time article:published article:published:time \
    article.published http://ogp.me/ns/article#published_time og:published_time og:publish_date \
    datePublished rnews:datePublished parsely-pub-date sailthru.date cXenseParse:recs:publishtime \
    cXenseParse:publishtime prism.publicationDate citation_publication_date citation_online_date \
    citation_date bepress_citation_date DC.date.issued DC.date.published DCTERMS.issued \
    DCTERMS.published iso-8601-publish-date pubdate publish-date publish_date publishdate published-date \
    published_date publisheddate published published_time published_at publication_date publication-date \
    publicationdate content:publishdate shareaholic:article_published_time article_published_time \
    article-published_time article_date_original originalpublicationdate vr:published_time \
    date:published_time bt:pubdate w-published-date date.issued";

/// Names of `meta` elements that hold a date without saying whose or which: of publication on many sites, but of the last change, the print
/// edition or the making of the page on others. They count where the page shows the same day.
const UNSPECIFIC: &str =
    "dc.date dcterms.date date dc.date.created dcterms.created date.created date.available";

/// Names of `meta` elements that hold the instant of the last modification, the surest first.
const MODIFIED: &str = "article:modified_time og:article:modified_time article:modified article:modified:time \
    article.updated article:updated_time http://ogp.me/ns/article#modified_time og:modified_time \
    dateModified rnews:dateModified og:updated_time parsely-modified-date DC.date.modified \
    DCTERMS.modified last-modified lastmod last_modified modified modified_time modified_at \
    date.modified date.updated shareaholic:article_modified_time bt:moddate revised last-updated updated";

/// Dates of one kind that are read of one item, or of the page outside any: each is written twice or thrice, for several layouts.
const PROPERTIES_MAX: usize = 8;

/// A reading of a date.
#[derive(Clone, Debug)]
pub(crate) struct Dated {
    pub(crate) value: Value,
    pub(crate) day: Day,
}

/// What is read of both dates, the surest first.
#[derive(Debug, Default)]
pub(crate) struct When {
    pub(crate) published: Vec<Dated>,
    pub(crate) modified: Vec<Dated>,
    /// The readings of the publication's date contradict each other, so that none of them is chosen.
    pub(crate) is_doubtful: bool,
}

pub(crate) fn read(declared: &Declared<'_>, subject: &Subject<'_>, lines: &[Line<'_>]) -> When {
    let mut published = specific(declared, subject, "datePublished", PUBLISHED);
    let mut modified = specific(declared, subject, "dateModified", MODIFIED);
    let mut unspecific = metas(declared, UNSPECIFIC);
    unspecific.extend(
        declared
            .loose
            .iter()
            .filter(|own| own.is("datePublished"))
            .take(PROPERTIES_MAX)
            .filter_map(in_property),
    );
    // `dc:created` is what Drupal writes.
    let marked = declared.loose.iter().chain(subject.items.iter().flat_map(|item| &item.properties));
    unspecific.extend(marked.filter(|own| own.is("created")).take(PROPERTIES_MAX).filter_map(in_property));
    unspecific.extend(subject.pages.iter().filter_map(|thing| in_thing(thing, "datePublished")));
    let shown = shown(lines);
    let is_near = |dates: &[Dated], day: Day| dates.iter().any(|own| own.day.is_near(day));
    // Where declarations differ, one that names the day of the last change was filled with the wrong one of the two.
    if published.iter().any(|other| !is_near(&published[..1], other.day)) {
        let (changes, rest): (Vec<_>, Vec<_>) =
            published.into_iter().partition(|own| is_near(&modified, own.day));
        published = rest.into_iter().chain(changes).collect();
    }
    published.extend(unspecific.into_iter().filter(|own| is_near(&shown.published, own.day)));
    // Shown and declared differ, and not because the change is shown for the publication: neither is certain.
    let contradicts = |shown: &Dated| {
        !published.is_empty() && !is_near(&published[..1], shown.day) && !is_near(&modified, shown.day)
    };
    let is_doubtful = shown.published.iter().any(contradicts);
    published.extend(shown.published.iter().cloned());
    modified.extend(
        declared
            .loose
            .iter()
            .filter(|own| own.is("dateModified"))
            .take(PROPERTIES_MAX)
            .filter_map(in_property),
    );
    modified.extend(subject.pages.iter().filter_map(|thing| in_thing(thing, "dateModified")));
    modified.extend(shown.modified);
    When { published, modified, is_doubtful }
}

/// The dates that are declared as this article's. Microdata goes last: it is written around what is shown, and templates that show the
/// last change call it the publication as often as not.
fn specific(declared: &Declared<'_>, subject: &Subject<'_>, property: &str, names: &str) -> Vec<Dated> {
    let mut dates: Vec<_> = subject.things.iter().filter_map(|thing| in_thing(thing, property)).collect();
    dates.extend(metas(declared, names));
    for item in &subject.items {
        dates.extend(
            item.properties
                .iter()
                .filter(|own| own.is(property))
                .take(PROPERTIES_MAX)
                .filter_map(in_property),
        );
    }
    dates
}

fn metas(declared: &Declared<'_>, names: &str) -> Vec<Dated> {
    let metas = names.split_ascii_whitespace().flat_map(|name| declared.metas(name));
    metas.filter_map(|meta| dated(plain(meta.content), || Some(meta.place()))).collect()
}

fn in_thing(thing: &Thing<'_>, property: &str) -> Option<Dated> {
    let (text, place) = thing.get(property)?.text()?;
    dated(text, || Some(place))
}

fn in_property(property: &Property<'_>) -> Option<Dated> {
    in_element(property.node, property.attribute().map(|(name, _)| name), || property.meta_place())
}

fn in_element(
    node: Node<'_>,
    attribute: Option<&str>,
    meta: impl FnOnce() -> Option<Place>,
) -> Option<Dated> {
    let text = attribute.map(|name| element_value(node, Some(name)));
    match text.filter(|text| date::declared(text).is_some()) {
        Some(text) => dated(text, || meta().or_else(|| Some(Place::element(locate(node)?, attribute)))),
        None => dated(node.text(), || Some(Place::element(locate(node)?, None))),
    }
}

fn dated(text: String, place: impl FnOnce() -> Option<Place>) -> Option<Dated> {
    let day = date::declared(&text)?;
    Some(Dated { day, value: Value::new(text, place()?) })
}

/// The dates shown around the headline.
///
/// One that is called the publication's counts if no other such date says another day; one that nothing names counts if it is the only one.
fn shown(lines: &[Line<'_>]) -> When {
    let (mut published, mut unnamed, mut modified) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines.iter().filter(|line| !line.is_teaser) {
        let found = date::shown(&line.text);
        for (at, shown) in found.dates.iter().enumerate() {
            let before = found.dates.iter().take(at).filter(|other| other.text == shown.text).count();
            let Some((node, number)) = smallest(line.node, shown.text, before) else { continue };
            if is_in_teaser(node, shown.text) || is_today(node) {
                continue;
            }
            let called = shown.label != Label::None && found.other_words <= OTHER_WORDS_MAX;
            if !called && !is_marked_up(node, shown.text) {
                continue;
            }
            let Some(dated) = copy(node, shown, number) else { continue };
            let label = if shown.label == Label::None { marked(node, line.node) } else { shown.label };
            match label {
                Label::Published => published.push(dated),
                Label::Modified => modified.push(dated),
                Label::None => unnamed.push(dated),
            }
        }
    }
    When {
        published: agreed(if published.is_empty() { unnamed } else { published }),
        modified: agreed(modified),
        is_doubtful: false,
    }
}

/// Whether an element is part of a table or of a list of names and values.
fn is_tabular(node: Node<'_>) -> bool {
    let mut near = std::iter::once(node).chain(node.ancestors().take(3));
    near.any(|own| matches!(own.name(), Some(&local_name!("td") | &local_name!("dd") | &local_name!("dt"))))
}

/// Whether an element is within a link that says more than the date: a teaser, or the article that something was taken from.
fn is_in_teaser(node: Node<'_>, text: &str) -> bool {
    let link = std::iter::once(node).chain(node.ancestors()).find(|own| own.is(&local_name!("a")));
    link.is_some_and(|link| link.text() != text)
}

/// Whether an element, or one close around it, is named for the day on which the page is looked at.
fn is_today(node: Node<'_>) -> bool {
    std::iter::once(node).chain(node.ancestors().take(TODAY_LEVELS)).any(|own| is_named(own, &TODAY))
}

/// How far above a date what shows the day may be named.
const TODAY_LEVELS: usize = 3;

/// Parts of class names and ids for that day: `today-date`, `todaysDate`, `currentTime`, `live-date`, or a clock that is no icon.
static TODAY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        "(?x) (?:^|[^a-zA-Z]) today (?:[^a-z]|s|date|$) | [a-z]Today (?:[^a-z]|s|$) \
        | (?i-u: current[-_]?(?:date|day|time) | (?:date|time)[-_]?now | (?:live|server)[-_]?(?:date|clock)) \
        | (?:^|\\s) (?:(?:digital|header|site|top)[-_])? clock (?:$|\\s)",
    )
    .expect("the parts are a pattern")
});

/// Words beside a date in its line with which it still stands by itself: a name, a place, a reading time.
const OTHER_WORDS_MAX: usize = 8;

/// The readings, if all mean the same day.
fn agreed(dates: Vec<Dated>) -> Vec<Dated> {
    match dates.first() {
        Some(first) if dates.iter().all(|other| first.day.may_equal(other.day)) => {
            dates.into_iter().take(1).collect()
        }
        _ => Vec::new(),
    }
}

/// The smallest element of a line that holds the text, at its occurrence of that number; and the number of that occurrence within it.
fn smallest<'a>(line: Node<'a>, text: &str, number: usize) -> Option<(Node<'a>, usize)> {
    let occurrences = |node: Node<'_>| node.text().matches(text).count();
    let (mut node, mut number) = (line, number);
    (number < occurrences(node)).then_some(())?;
    'down: loop {
        let mut before = 0;
        for child in node.children() {
            let within = occurrences(child);
            if number < before + within {
                if !child.is_element() {
                    break;
                }
                (node, number) = (child, number - before);
                continue 'down;
            }
            before += within;
        }
        return Some((node, number));
    }
}

/// Whether mark-up makes a date of the text: a `time` element, or one that holds nothing else and is named for it. In a table or a list of
/// names and values a date is as often a fact about what the article is about.
fn is_marked_up(node: Node<'_>, text: &str) -> bool {
    let mut near = std::iter::once(node).chain(node.ancestors().take(2));
    let named = || std::iter::once(node).chain(node.parent()).any(|own| is_named(own, &DATE_NAMES));
    near.any(|own| own.is(&local_name!("time"))) || node.text() == text && named() && !is_tabular(node)
}

/// Parts of class names and ids of elements that hold a date.
static DATE_NAMES: LazyLock<Regex> = LazyLock::new(|| any_of("date datum fecha posted publi stamp time"));

/// Parts of those that hold the date of publication, and of those that hold that of a change.
static PUBLISHED_NAMES: LazyLock<Regex> =
    LazyLock::new(|| any_of("created entry-date posted pubdate publish"));
static MODIFIED_NAMES: LazyLock<Regex> = LazyLock::new(|| any_of("changed edited modif revis update"));

/// What mark-up calls the date: of its element, and of those around it within the line.
fn marked(node: Node<'_>, line: Node<'_>) -> Label {
    let parent = line.parent();
    for own in std::iter::once(node)
        .chain(node.ancestors())
        .take_while(|own| Some(*own) != parent.and_then(Node::parent))
    {
        let property = own.attribute("itemprop").or(own.attribute("property")).unwrap_or_default();
        if property.contains("datePublished")
            || own.attribute("pubdate").is_some()
            || is_named(own, &PUBLISHED_NAMES)
        {
            return Label::Published;
        }
        if property.contains("dateModified") || is_named(own, &MODIFIED_NAMES) {
            return Label::Modified;
        }
    }
    Label::None
}

/// Copies a shown date: from the machine's side of a `time` element if it says the same day, else as shown, if programs can read that.
fn copy(node: Node<'_>, shown: &date::Shown<'_>, number: usize) -> Option<Dated> {
    let time = std::iter::once(node).chain(node.ancestors().take(2)).find(|own| own.is(&local_name!("time")));
    if let Some((time, machine)) = time.map(|time| (time, element_value(time, Some("datetime"))))
        && let Some(day) = date::declared(&machine)
        && day.is_near(shown.day)
    {
        let place = Place::element(locate(time)?, Some("datetime"));
        return Some(Dated { value: Value::new(machine, place), day });
    }
    let text = shown.text;
    if !date::is_international(text) {
        return None;
    }
    let whole = node.text();
    let place = Place::element(locate(node)?, None);
    let place = if whole == text {
        place
    } else {
        let (at, _) = whole.match_indices(text).nth(number)?;
        let start = whole.get(..at)?.chars().count();
        place.characters(start..start + text.chars().count())
    };
    Some(Dated { value: Value::new(text, place), day: shown.day })
}
