use crate::dom::{self, Document, Node};
use crate::place::{At, MetaKey};
use crate::{Envelope, Place, Rules, body, charset, declared, json, text};

/// What stands at a place of an envelope: the check that a value was copied, and from where (R12).
///
/// White space and character references are normalised as in every [`Value`](crate::Value). `None` where there is no such place. For the place of
/// a body it is all the text there, of which the blocks are a part.
pub fn look_up(envelope: &Envelope<'_>, rules: &Rules, place: &Place) -> Option<String> {
    match &place.at {
        At::Address => cut(envelope.address.as_str().to_owned(), place),
        At::Joined(joined) => {
            let first = look_up(envelope, rules, &joined.first)?;
            let second = look_up(envelope, rules, &joined.second)?;
            cut(format!("{first}{}{second}", joined.separator), place)
        }
        At::Json(pointer) => cut(json::look_up(envelope, rules, pointer)?, place),
        At::Script { index, variable, pointer } => {
            let page = charset::decode(envelope, &mut Vec::new());
            cut(body::elsewhere::look_up(&page, *index, variable.as_deref(), pointer)?, place)
        }
        At::JsonLd { .. } | At::Meta { .. } | At::Element { .. } => {
            let page = charset::decode(envelope, &mut Vec::new());
            let document = dom::parse(&page, dom::Kind::Page).ok()?;
            in_page(&document, place)
        }
    }
}

/// The characters of the whole text that a place names.
fn cut(whole: String, place: &Place) -> Option<String> {
    let Some(range) = &place.characters else { return Some(whole) };
    let part: String = whole.chars().skip(range.start).take(range.len()).collect();
    (part.chars().count() == range.len()).then_some(part)
}

/// What stands at a place of a page.
pub(crate) fn in_page(document: &Document, place: &Place) -> Option<String> {
    let whole = match &place.at {
        At::Meta { key, name, index } => element_value(metas(document, *key, name).nth(*index)?, None),
        At::Element { selector, attribute } => {
            element_value(document.select_first(selector)?, attribute.as_deref())
        }
        At::JsonLd { block, path } => declared::json_ld_text(document, *block, path)?,
        At::Script { .. } | At::Address | At::Json(_) | At::Joined(_) => return None,
    };
    cut(whole, place)
}

/// The `meta` elements with this key and name, in document order. Names are compared without regard to case, as browsers do.
pub(crate) fn metas<'a>(
    document: &'a Document,
    key: MetaKey,
    name: &'a str,
) -> impl Iterator<Item = Node<'a>> {
    document.root().descendants().filter(move |node| {
        node.name().is_some_and(|own| &**own == "meta")
            && node.attribute(key.as_str()).is_some_and(|own| own.trim().eq_ignore_ascii_case(name))
    })
}

/// The value of an element: the named attribute, else the `content` of a `meta`, the `href` of a `link`, else its text.
pub(crate) fn element_value(node: Node<'_>, attribute: Option<&str>) -> String {
    match (attribute, node.name().map(|name| &**name)) {
        (None, Some("meta")) => declared::plain::plain(declared::content_of(node).unwrap_or_default()),
        (None, Some("link")) => text::normalise(node.attribute("href").unwrap_or_default()),
        // Its content is HTML that the parser keeps as text.
        (None, Some("noscript")) => dom::parse(&node.raw_text(), dom::Kind::Fragment)
            .map(|inside| inside.root().text())
            .unwrap_or_default(),
        (None, _) => node.text(),
        // What is written for machines to show, like a `meta` element's.
        (Some("content"), _) => declared::plain::plain(node.attribute("content").unwrap_or_default()),
        (Some(attribute), _) => text::normalise(node.attribute(attribute).unwrap_or_default()),
    }
}
