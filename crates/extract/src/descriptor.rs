//! The descriptor of a page: of everything that is declared and shown, what is this article's.
//!
//! Each field has a file of its own that orders its readings, the surest first. What all of them build on is in `subject` (which of the
//! things described on a page is the article), `lines` (what is shown around the headline) and `locate` (how a place is written).

mod authors;
mod date;
mod headline;
mod lines;
mod locate;
mod months;
mod names;
mod relation;
mod standfirst;
mod subject;
#[cfg(test)]
mod tests;
mod topics;
mod when;

use url::Url;

use crate::declared::Declared;
use crate::declared::plain::plain;
use crate::look_up::element_value;
use crate::page::Page;
use crate::{Descriptor, Field, Notice, NoticeCode, Place, Reading, Relation, Value, text};
pub(crate) use locate::locate;
pub(crate) use subject::{Known, Subject, fold};

/// Elements that a rule for a list is given, at most; a selector that matches more is not one for names or tags.
const RULE_VALUES_MAX: usize = 256;

/// Readings of a field that stand beside its value; a person looks at them.
const OTHERS_MAX: usize = 32;
/// `link` elements that are looked at for the canonical address. One is right, two are already one too many.
const CANONICALS_MAX: usize = 8;

pub(crate) fn read(
    page: Page<'_>,
    declared: &Declared<'_>,
    known: &Known<'_>,
    subject: &Subject<'_>,
    notices: &mut Vec<Notice>,
) -> (Descriptor, Option<Relation>) {
    if subject.is_ambiguous {
        let what = "several articles are described, and none names this page's address or headline";
        notices.push(Notice::new(NoticeCode::ArticleAmbiguous, what));
    }
    let headline = headline::read(page, declared, subject);
    let lines = headline.node.map(lines::around).unwrap_or_default();
    let when = when::read(declared, subject, &lines);
    let authors = authors::read(page, declared, subject, &lines);
    let standfirst = standfirst::read(declared, subject, &lines, &headline.readings, &authors.chosen);

    let mut draft = Draft::default();
    draft.choose(Field::Headline, headline.is_chosen, headline.readings);
    draft.choose(Field::Standfirst, true, standfirst.chosen);
    draft.choose(Field::Standfirst, false, standfirst.others);
    draft.list(Field::Authors, authors.chosen);
    draft.choose(Field::Authors, false, authors.others);
    draft.choose(Field::Published, !when.is_doubtful, when.published.into_iter().map(|dated| dated.value));
    draft.choose(Field::Modified, true, when.modified.into_iter().map(|dated| dated.value));
    draft.choose(Field::Category, true, topics::categories(declared, subject));
    draft.list(Field::Tags, topics::tags(declared, subject));
    let canonical = canonical(page, declared);
    draft.choose(Field::Canonical, canonical.is_one, canonical.readings);
    let language = language(declared, subject);
    draft.choose(Field::Language, true, language.chosen);
    draft.choose(Field::Language, false, language.others);
    let mut descriptor = draft.0;
    for (&field, rule) in &page.rules.fields {
        let mut nodes = page.document.select(&rule.selector).take(RULE_VALUES_MAX).peekable();
        let is_matched = nodes.peek().is_some();
        if !is_matched {
            let what = format!("`{}` for {field}", rule.selector.as_str());
            notices.push(Notice::new(NoticeCode::SelectorUnmatched, what));
        }
        let values = nodes.filter_map(|node| {
            let text = element_value(node, rule.attribute.as_deref());
            Some(Value::new(text, Place::element(locate(node)?, rule.attribute.as_deref())))
        });
        configure(&mut descriptor, field, values.filter(|value| !value.text.is_empty()).collect());
        if is_matched && descriptor.values(field).is_empty() {
            let what = format!("`{rule}` for {field} is there and says nothing");
            notices.push(Notice::new(NoticeCode::SelectorUnmatched, what));
        }
    }
    let relation = relation::read(page, declared, subject, known, notices);
    (descriptor, relation)
}

/// Whether a word is one of a list that white space separates.
fn is_one_of(word: &str, list: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

/// Gives a field the values that the source's configuration points at. What was read otherwise stands beside them.
fn configure(descriptor: &mut Descriptor, field: Field, values: Vec<Value>) {
    let mut draft = Draft(std::mem::take(descriptor));
    let before = draft.clear(field);
    if field == Field::Authors {
        let names = |value: &Value| names::names(&value.text, &value.place);
        draft.list(field, values.iter().flat_map(names).collect());
    } else if field.is_list() {
        draft.list(field, values);
    } else {
        draft.choose(field, true, values);
    }
    draft.choose(field, false, before);
    *descriptor = draft.0;
}

/// The descriptor being put together.
#[derive(Default)]
struct Draft(Descriptor);

impl Draft {
    /// Adds readings of a field: the first becomes its value, if there may be one and is none yet; the others stand beside it where they say
    /// something else.
    fn choose(&mut self, field: Field, may: bool, readings: impl IntoIterator<Item = Value>) {
        for value in readings {
            let descriptor = &mut self.0;
            let others =
                descriptor.others.iter().filter(|other| other.field == field).map(|other| &other.value);
            if descriptor.values(field).iter().chain(others.clone()).any(|known| known.text == value.text) {
                continue;
            }
            if others.count() == OTHERS_MAX {
                break;
            }
            if may && descriptor.values(field).is_empty() {
                descriptor.add(field, value);
            } else {
                descriptor.others.push(Reading { field, value });
            }
        }
    }

    fn list(&mut self, field: Field, values: Vec<Value>) {
        for value in values {
            self.0.add(field, value);
        }
    }

    /// Takes away what a field has been given.
    fn clear(&mut self, field: Field) -> Vec<Value> {
        let descriptor = &mut self.0;
        let mut readings = descriptor.values(field).to_vec();
        match field {
            Field::Headline => descriptor.headline = None,
            Field::Standfirst => descriptor.standfirst = None,
            Field::Authors => descriptor.authors.clear(),
            Field::Published => descriptor.published = None,
            Field::Modified => descriptor.modified = None,
            Field::Category => descriptor.category = None,
            Field::Tags => descriptor.tags.clear(),
            Field::Canonical => descriptor.canonical = None,
            Field::Language => descriptor.language = None,
        }
        descriptor.others.retain(|other| {
            let own = other.field == field;
            if own {
                readings.push(other.value.clone());
            }
            !own
        });
        readings
    }
}

/// The readings of the canonical address.
struct Canonical {
    readings: Vec<Value>,
    /// Whether the page's `link` elements agree on one.
    is_one: bool,
}

/// The canonical address is what a `link` with `rel=canonical` says. Several that differ say nothing, as for search engines.
fn canonical(page: Page<'_>, declared: &Declared<'_>) -> Canonical {
    let links = declared.links.iter().filter(|link| link.is("canonical") && !link.href.trim().is_empty());
    let links = links.take(CANONICALS_MAX);
    let values = links.filter_map(|link| {
        Some(Value::new(text::normalise(link.href), Place::element(locate(link.node)?, Some("href"))))
    });
    let mut readings: Vec<Value> = values.collect();
    let base = Url::parse(page.envelope.address.as_str()).ok();
    let resolved = |value: &Value| base.as_ref().and_then(|base| base.join(&value.text).ok());
    let is_one =
        !readings.is_empty() && readings.windows(2).all(|two| resolved(&two[0]) == resolved(&two[1]));
    let shared = declared.metas("og:url");
    readings.extend(
        shared
            .map(|meta| Value::new(plain(meta.content), meta.place()))
            .filter(|value| !value.text.is_empty()),
    );
    Canonical { readings, is_one }
}

/// The language is what the root element says, which is what browsers go by.
struct Language {
    chosen: Option<Value>,
    /// What descriptions and `meta` elements say of it.
    others: Vec<Value>,
}

fn language(declared: &Declared<'_>, subject: &Subject<'_>) -> Language {
    let chosen = declared.html.and_then(|html| {
        let language = html.attribute("lang").map(text::normalise).filter(|language| !language.is_empty())?;
        Some(Value::new(language, Place::element(locate(html)?, Some("lang"))))
    });
    let described = subject.things.iter().filter_map(|thing| thing.get("inLanguage")?.text());
    let mut others: Vec<Value> = described.map(|(text, place)| Value::new(text, place)).collect();
    for name in ["content-language", "dc.language", "dcterms.language", "language", "og:locale"] {
        let metas = declared.metas(name);
        others.extend(metas.map(|meta| Value::new(plain(meta.content), meta.place())));
    }
    others.retain(|value| !value.text.is_empty());
    Language { chosen, others }
}
