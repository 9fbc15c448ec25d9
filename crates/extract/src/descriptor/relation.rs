//! The original that an article says to be a translation of (R14).

use super::subject::{Known, Subject};
use crate::declared::Declared;
use crate::look_up::element_value;
use crate::page::Page;
use crate::{Notice, NoticeCode, Place, Relation, RelationKind, Value};

use super::locate::locate;

/// Originals that are looked at. One is a relation, two are none.
const ORIGINALS_MAX: usize = 8;

/// Reads the original: where the configuration says it stands, else where schema.org's `translationOfWork` names it.
///
/// Alternate versions (`hreflang`, `workTranslation`) declare no original, nor does a work that is named without an address.
pub(crate) fn read(
    page: Page<'_>,
    declared: &Declared<'_>,
    subject: &Subject<'_>,
    known: &Known<'_>,
    notices: &mut Vec<Notice>,
) -> Option<Relation> {
    let mut originals: Vec<Value> = Vec::new();
    let mut nameless = 0;
    if let Some(rule) = &page.rules.original {
        let elements = page.document.select(&rule.selector).take(ORIGINALS_MAX);
        originals.extend(elements.filter_map(|node| {
            let text = element_value(node, rule.attribute.as_deref());
            Some(Value::new(text, Place::element(locate(node)?, rule.attribute.as_deref())))
        }));
    } else {
        for work in subject.things.iter().flat_map(|thing| thing.each("translationOfWork", ORIGINALS_MAX)) {
            let address = if work.json.is_object() {
                // One that is only a reference has its address where it is described, or is it.
                let described = declared.linked_data.resolve(work.clone(), "url");
                described.and_then(|work| work.get("url")).or_else(|| work.get("@id"))
            } else {
                Some(work)
            };
            match address.and_then(|address| address.text()) {
                Some((text, place)) if is_address(&text) => originals.push(Value::new(text, place)),
                _ => nameless += 1,
            }
        }
        for property in
            subject.items.iter().flat_map(|item| &item.properties).filter(|own| own.is("translationOfWork"))
        {
            match property.attribute() {
                Some((name, value)) if property.item.is_none() && is_address(value) => {
                    let place = property
                        .meta_place()
                        .or_else(|| Some(Place::element(locate(property.node)?, Some(name))));
                    originals.extend(place.map(|place| Value::new(value.trim(), place)));
                }
                _ => nameless += 1,
            }
        }
    }
    // The article itself, which some systems put there when it is the original.
    originals.retain(|original| !original.text.is_empty() && !known.is_address(&original.text));
    let distinct = |one: &Value| originals.first().is_some_and(|first| first.text != one.text);
    if nameless > 0 || originals.iter().any(distinct) {
        let what = format!(
            "{} originals are named, {nameless} of them without an address",
            originals.len() + nameless
        );
        notices.push(Notice::new(NoticeCode::RelationAmbiguous, what));
        return None;
    }
    let original = originals.into_iter().next()?;
    Some(Relation { kind: RelationKind::TranslationOf, original })
}

fn is_address(text: &str) -> bool {
    ["https://", "http://", "/"].iter().any(|beginning| text.trim().starts_with(beginning))
}
