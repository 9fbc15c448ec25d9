//! The headline, and the element that shows it.
//!
//! What readers see goes before what is declared, since declared titles are written for other places: shortened for a card, lengthened for a
//! search engine, with the site's name behind. But pages show many headings, and it is the declared titles that tell which of them
//! is the article's.

use html5ever::local_name;

use super::lines::is_aside;
use super::locate::locate;
use super::subject::{Subject, fold};
use crate::declared::plain::plain;
use crate::declared::{Declared, Property};
use crate::dom::Node;
use crate::page::Page;
use crate::{Place, Value};

/// Headings of lower rank that are looked at where no `h1` bears a declared title.
const HEADINGS_MAX: usize = 64;
/// `meta` elements of one name that are looked at for titles; a page has one, and each is compared with each heading.
const TITLES_MAX: usize = 8;
/// A longer text is no title, and is compared with none. It is as long as a headline of the text may be.
const TITLE_CHARS_MAX: usize = 400;
/// Part of a longer title, a heading of so many letters is certainly the same one.
const PART_CHARS_MIN: usize = 16;
/// The only `h1` of a text is its headline, whatever is declared, if it has so many words; shorter ones may be a section's name.
const WORDS_MIN: usize = 4;

/// What parts a headline in a title from what stands beside it.
const MARKS: &[char] = &['|', '-', '–', '—', '·', '•', '»', '«', ':', '/'];

#[derive(Debug, Default)]
pub(crate) struct Headline<'a> {
    /// The readings, the surest first.
    pub(crate) readings: Vec<Value>,
    /// Whether the first of them is the headline.
    pub(crate) is_chosen: bool,
    /// The element that shows it, if one certainly does.
    pub(crate) node: Option<Node<'a>>,
}

pub(crate) fn read<'a>(page: Page<'a>, declared: &'a Declared<'a>, subject: &Subject<'_>) -> Headline<'a> {
    let mut readings = described_titles(subject);
    let is_described = !readings.is_empty();
    readings.append(&mut card_titles(declared));
    let page_title = declared.title.map(|title| plain(&title.raw_text())).unwrap_or_default();
    let declared_part = |text: &str| readings.iter().filter_map(|value| part(text, &value.text)).max();
    let any_part = |text: &str| declared_part(text).max(part(text, &page_title));
    let site = Site::new(page, declared);
    let is_akin = |text: &str| {
        readings.iter().any(|value| site.is_akin(text, &value.text)) || site.is_akin(text, &page_title)
    };

    let mut h1s: Vec<_> = shown(&declared.h1s).collect();
    // The page above is the article's own where this is a further page or another form of it, and then bears its title.
    let is_titled = |text: &str| declared_part(text) >= Some(Part::Beginning);
    h1s.retain(|(node, text)| {
        !site.is_shown_by(*node, text) && (is_titled(text) || !site.is_below(*node, |path| path != "/"))
    });
    let best = first_best(&h1s, any_part).or_else(|| {
        let mut akin = h1s.iter().filter(|(_, text)| is_akin(text));
        akin.next().filter(|_| akin.next().is_none()).or(match &*h1s {
            [only] if is_placed(only) => Some(only),
            _ => None,
        })
    });
    if let Some((node, text)) = best {
        let readings = with_shown(&readings, *node, text);
        // The end of a breadcrumb trail may be an `h1`; what stands around the article's head is told from the heading in that.
        let in_trail = node.ancestors().any(is_aside);
        let head = || shown(&declared.headings).map(|(heading, _)| heading).find(|heading| is_head(*heading));
        let shown_at = if in_trail { head().unwrap_or(*node) } else { *node };
        return Headline { is_chosen: true, node: Some(shown_at), readings };
    }
    // One that says more than a title, as the section before it, shows the headline without being it.
    let says_more = |text: &str| {
        readings.iter().any(|value| part(&value.text, text).is_some()) || part(&page_title, text).is_some()
    };
    if let Some((node, _)) = h1s.iter().find(|(_, text)| says_more(text)) {
        return Headline { is_chosen: true, node: Some(*node), readings };
    }
    let lower: Vec<_> = shown(&declared.headings).collect();
    // Of a title of two parts that both are shown, either may be the headline: `The Lamplighters – Evening Song` is a song by a band,
    // `Snow in June – Weather` a text of that section.
    let ends_title = |h1: &str, title: &str| !fold(h1).is_empty() && fold(title).ends_with(&fold(h1));
    let is_one_of_two = |text: &str| {
        readings.iter().any(|value| {
            part(text, &value.text) == Some(Part::Beginning)
                && h1s.iter().any(|(_, h1)| ends_title(h1, &value.text))
        })
    };
    if let Some((node, text)) = first_best(&lower, declared_part).filter(|(_, text)| !is_one_of_two(text)) {
        return Headline { is_chosen: true, node: Some(*node), readings: with_shown(&readings, *node, text) };
    }
    // What no heading bears is declared only. A description's headline is the article's. A card's title is one if the page's own title says
    // it too, if the site's name is no part of it, and if nothing else is shown that is.
    let is_certain = |card: &Value| {
        !is_no_title(&card.text)
            && fold(&page_title).contains(&fold(&card.text))
            && !site.is_called(&fold(&card.text))
            && site.without_name(&card.text) == card.text
            && !h1s.iter().any(|(_, h1)| ends_title(h1, &card.text))
    };
    let is_chosen = is_described || readings.first().is_some_and(is_certain);
    // Where nothing is declared a lower heading may as well be one of the text's, so it only stands beside.
    let beside = first_best(&lower, any_part);
    let node = beside.map(|(node, _)| *node);
    let beside =
        beside.and_then(|(node, text)| Some(Value::new(text.clone(), Place::element(locate(*node)?, None))));
    Headline { is_chosen, node, readings: readings.into_iter().chain(beside).collect() }
}

/// The first of the headings that match best.
fn first_best<'h, 'a>(
    headings: &'h [(Node<'a>, String)],
    part: impl Fn(&str) -> Option<Part>,
) -> Option<&'h (Node<'a>, String)> {
    let matches = headings.iter().filter_map(|heading| Some((part(&heading.1)?, heading)));
    let best = matches
        .fold(None, |best: Option<(Part, _)>, next| best.filter(|best| best.0 >= next.0).or(Some(next)));
    best.map(|(_, heading)| heading)
}

/// What the site calls itself.
struct Site<'a> {
    page: Page<'a>,
    /// The names that it declares, folded.
    names: Vec<String>,
    /// The host's name, folded.
    host: String,
}

impl<'a> Site<'a> {
    fn new(page: Page<'a>, declared: &Declared<'_>) -> Self {
        let names = declared.metas("og:site_name").map(|meta| fold(meta.content));
        Self { page, names: names.collect(), host: fold(page.envelope.address.host()) }
    }

    /// Whether a folded text is the site's name.
    fn is_called(&self, folded: &str) -> bool {
        !folded.is_empty() && (self.host.contains(folded) || self.names.iter().any(|name| name == folded))
    }

    /// Whether a heading is the site's name rather than a headline: it links to the front page, or is what the site calls itself.
    fn is_shown_by(&self, node: Node<'_>, text: &str) -> bool {
        self.is_below(node, |path| path == "/") || self.is_called(&fold(text))
    }

    /// Whether a heading links to a page above this one, with such a path.
    fn is_below(&self, heading: Node<'_>, is_meant: impl Fn(&str) -> bool) -> bool {
        let address = self.page.envelope.address;
        let links = heading.descendants().chain(heading.ancestors().take(2));
        let targets = links.filter_map(|node| address.join(node.attribute("href")?).ok());
        let is_above = |target: &str| {
            let below = address.path().strip_prefix(target.trim_end_matches('/'));
            is_meant(target) && below.is_some_and(|below| below.starts_with('/') && below != "/")
        };
        targets
            .filter(|target| target.host() == address.host())
            .any(|target| is_above(target.path_and_query()))
    }

    /// A title without the site's name behind its last mark, if that is what stands there.
    fn without_name<'t>(&self, title: &'t str) -> &'t str {
        let parts = title.rsplit_once(MARKS).filter(|(_, last)| self.is_called(&fold(last)));
        parts.map_or(title, |(before, _)| before)
    }

    /// Whether a text and a title, the site's name aside, have most of their words in common, and the text is not just what the title ends
    /// with.
    fn is_akin(&self, text: &str, title: &str) -> bool {
        if is_no_title(text) || is_no_title(title) || fold(title).ends_with(&fold(text)) {
            return false;
        }
        let (one, other) = (words(text), words(self.without_name(title)));
        let common = one.iter().filter(|word| other.binary_search(word).is_ok()).count();
        common >= 3 && 2 * common >= one.len().min(other.len())
    }
}

/// Whether a heading is that of a group, which HTML has for a heading with what belongs to it, and of no group beside the article.
fn is_head(heading: Node<'_>) -> bool {
    let is_group = |node: Node<'_>| node.is(&local_name!("hgroup"));
    heading.ancestors().any(is_group) && !heading.ancestors().any(is_aside)
}

/// Whether a heading stands at the head of the text and is long enough to be a sentence.
fn is_placed((node, text): &(Node<'_>, String)) -> bool {
    let within = node
        .ancestors()
        .any(|node| matches!(node.name(), Some(&local_name!("article") | &local_name!("main"))));
    within
        && (text.split(' ').count() >= WORDS_MIN
            || text.chars().filter(|c| !c.is_ascii()).count() >= PART_CHARS_MIN)
}

/// What the article's descriptions call it.
fn described_titles(subject: &Subject<'_>) -> Vec<Value> {
    let mut titles = Vec::new();
    for thing in &subject.things {
        let text = thing.get("headline").or_else(|| thing.get("name")).and_then(|text| text.text());
        titles.extend(text.map(|(text, place)| Value::new(text, place)));
    }
    for item in &subject.items {
        titles.extend(
            item.properties
                .iter()
                .filter(|property| property.is("headline"))
                .take(1)
                .filter_map(Property::value),
        );
    }
    titles.retain(|value| !value.text.is_empty());
    titles
}

/// What the page is called on the cards that other sites show of it.
fn card_titles(declared: &Declared<'_>) -> Vec<Value> {
    let metas =
        ["og:title", "twitter:title"].into_iter().flat_map(|name| declared.metas(name).take(TITLES_MAX));
    let titles = metas.map(|meta| Value::new(plain(meta.content), meta.place()));
    titles.filter(|value| !value.text.is_empty()).collect()
}

fn shown<'a>(headings: &[Node<'a>]) -> impl Iterator<Item = (Node<'a>, String)> {
    let headings = headings.iter().take(HEADINGS_MAX).map(|heading| (*heading, heading.text()));
    headings.filter(|(_, text)| !text.is_empty())
}

fn with_shown(readings: &[Value], node: Node<'_>, text: &str) -> Vec<Value> {
    let shown = locate(node).map(|selector| Value::new(text, Place::element(selector, None)));
    shown.into_iter().chain(readings.iter().cloned()).collect()
}

/// How much of a title a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    End,
    Beginning,
    Whole,
}

/// Whether a text is a title, or its beginning or end up to a mark that parts it from something else (`… | Example News`).
fn part(text: &str, title: &str) -> Option<Part> {
    if is_no_title(text) || is_no_title(title) {
        return None;
    }
    let (text, whole) = (fold(text), fold(title));
    if text.is_empty() || text.len() > whole.len() {
        return None;
    }
    if text == whole {
        return Some(Part::Whole);
    }
    let long = text.chars().nth(PART_CHARS_MIN - 1).is_some();
    if whole.starts_with(&text) && (long || is_marked_off(title, text.chars().count())) {
        Some(Part::Beginning)
    } else if long && whole.ends_with(&text) {
        // What stands at the end and is short is the site's name.
        Some(Part::End)
    } else {
        None
    }
}

/// Whether a mark stands in a title between its first so many letters and the others.
fn is_marked_off(title: &str, letters: usize) -> bool {
    let mut before = 0;
    for c in title.chars() {
        if before == letters && MARKS.contains(&c) {
            return true;
        }
        before += fold(c.encode_utf8(&mut [0; 4])).chars().count();
        if before > letters {
            return false;
        }
    }
    false
}

fn is_no_title(text: &str) -> bool {
    text.chars().nth(TITLE_CHARS_MAX).is_some()
}

/// The distinct words of three letters and more; of scripts that write no spaces each two characters.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let letters: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
        if letters
            .iter()
            .any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{e00}'..='\u{e7f}'))
        {
            words.extend(letters.windows(2).map(|two| two.iter().collect::<String>()));
        } else if letters.len() > 2 {
            words.push(letters.iter().collect());
        }
    }
    words.sort_unstable();
    words.dedup();
    words
}
