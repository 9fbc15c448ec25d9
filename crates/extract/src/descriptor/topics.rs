//! The category an article stands in, and its tags.

use super::subject::Subject;
use crate::Value;
use crate::declared::plain::plain;
use crate::declared::{Declared, Property};

/// Names of `meta` elements that hold a category, the surest first.
const CATEGORIES: &[&str] = &[
    "article:section",
    "og:article:section",
    "parsely-section",
    "category",
    "section",
    "cXenseParse:recs:category",
];

/// Names of `meta` elements that hold tags, the surest first. `keywords` goes last: many sites fill it once for all pages.
const TAGS: &[&str] =
    &["article:tag", "og:article:tag", "parsely-tags", "sailthru.tags", "news_keywords", "keywords"];

/// A longer tag is no tag but a sentence, or a list whose commas are missing.
const TAG_CHARS_MAX: usize = 80;
/// Tags of one article that are kept. The most that one of 867 pages has is 146.
const TAGS_MAX: usize = 512;

/// The readings of the category, the surest first.
pub(crate) fn categories(declared: &Declared<'_>, subject: &Subject<'_>) -> Vec<Value> {
    let sections = subject.things.iter().flat_map(|thing| thing.each("articleSection", TAGS_MAX));
    let mut categories: Vec<_> =
        sections.filter_map(|section| section.text()).map(|(text, place)| Value::new(text, place)).collect();
    for item in &subject.items {
        categories.extend(
            item.properties
                .iter()
                .filter(|own| own.is("articleSection"))
                .take(TAGS_MAX)
                .filter_map(Property::value),
        );
    }
    for name in CATEGORIES {
        let metas = declared.metas(name);
        categories.extend(metas.map(|meta| Value::new(plain(meta.content), meta.place())));
    }
    categories.retain(|category| is_tag(&category.text));
    categories
}

/// The tags of the surest source that has any, one by one.
pub(crate) fn tags(declared: &Declared<'_>, subject: &Subject<'_>) -> Vec<Value> {
    let metas = |names: &[&str]| -> Vec<Vec<Value>> {
        names
            .iter()
            .map(|name| {
                declared.metas(name).map(|meta| Value::new(plain(meta.content), meta.place())).collect()
            })
            .collect()
    };
    let (sure, last) = TAGS.split_at(2);
    let described = subject.things.iter().map(|thing| {
        let keywords = thing.each("keywords", TAGS_MAX).into_iter();
        keywords.filter_map(|keyword| keyword.text()).map(|(text, place)| Value::new(text, place)).collect()
    });
    let sources = metas(sure).into_iter().chain(described).chain(metas(last));
    for source in sources {
        let mut tags: Vec<Value> = Vec::new();
        for tag in source.iter().flat_map(split) {
            if tags.len() < TAGS_MAX && is_tag(&tag.text) && !tags.iter().any(|known| known.text == tag.text)
            {
                tags.push(tag);
            }
        }
        if !tags.is_empty() {
            return tags;
        }
    }
    Vec::new()
}

/// The parts of a list in one text. Each has a place of its own within that of the text.
fn split(list: &Value) -> Vec<Value> {
    let separator = if list.text.contains(';') { ';' } else { ',' };
    if !list.text.contains(separator) {
        return vec![list.clone()];
    }
    let mut start = 0;
    let parts = list.text.split(separator).map(|part| {
        let before = start + part.chars().take_while(|c| c.is_whitespace()).count();
        start += part.chars().count() + 1;
        let part = part.trim();
        Value::new(part, list.place.clone().characters(before..before + part.chars().count()))
    });
    parts.collect()
}

fn is_tag(text: &str) -> bool {
    text.contains(char::is_alphanumeric) && text.chars().nth(TAG_CHARS_MAX).is_none() && !text.contains("://")
}
