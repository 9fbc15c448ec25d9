//! The descriptor of a page: of everything that is declared and shown, what is this article's.

mod authors;
mod date;
mod headline;
mod lines;
mod locate;
mod months;
mod names;
mod subject;
mod when;

use crate::body::Body;
use crate::declared::Declared;
use crate::page::Page;
use crate::{Descriptor, Field, Notice, NoticeCode, Place, Reading, Relation, Value};
pub(crate) use locate::locate;
use subject::{Known, Subject};

pub(crate) fn read(
    page: Page<'_>,
    declared: &Declared<'_>,
    body: &Body,
    notices: &mut Vec<Notice>,
) -> (Descriptor, Option<Relation>) {
    let _ = body;
    let known = Known::new(page, declared);
    let subject = Subject::find(&known, declared);
    if subject.is_ambiguous {
        let what = "several articles are described, and none names this page's address or headline";
        notices.push(Notice::new(NoticeCode::ArticleAmbiguous, what));
    }
    let mut descriptor = Descriptor::default();
    let headline = headline::read(page, declared, &subject);
    fill(&mut descriptor, Field::Headline, headline.readings);
    let lines = headline.node.map(lines::around).unwrap_or_default();
    let when = when::read(declared, &subject, &lines);
    let published = when.published.into_iter().map(|dated| dated.value);
    if when.is_doubtful {
        descriptor.others.extend(published.map(|value| Reading { field: Field::Published, value }));
    } else {
        fill(&mut descriptor, Field::Published, published);
    }
    fill(&mut descriptor, Field::Modified, when.modified.into_iter().map(|dated| dated.value));
    let authors = authors::read(page, declared, &subject, &lines);
    descriptor.authors = authors.chosen;
    descriptor
        .others
        .extend(authors.others.into_iter().map(|value| Reading { field: Field::Authors, value }));
    let canonical = declared.links.iter().filter(|link| link.is("canonical"));
    let canonical = canonical.filter_map(|link| {
        Some(Value::new(link.href.trim(), Place::element(locate(link.node)?, Some("href"))))
    });
    fill(&mut descriptor, Field::Canonical, canonical.filter(|value| !value.text.is_empty()));
    let language = declared.html.and_then(|html| {
        Some(Value::new(html.attribute("lang")?.trim(), Place::element(locate(html)?, Some("lang"))))
    });
    fill(&mut descriptor, Field::Language, language.filter(|value| !value.text.is_empty()));
    (descriptor, None)
}

/// The first reading is the value, the others stand beside it where they say something else.
fn fill(descriptor: &mut Descriptor, field: Field, readings: impl IntoIterator<Item = Value>) {
    for value in readings {
        let known = descriptor
            .values(field)
            .iter()
            .chain(descriptor.others.iter().filter(|other| other.field == field).map(|other| &other.value));
        if !known.clone().any(|known| known.text == value.text) {
            if descriptor.values(field).is_empty() {
                descriptor.add(field, value);
            } else {
                descriptor.others.push(Reading { field, value });
            }
        }
    }
}
