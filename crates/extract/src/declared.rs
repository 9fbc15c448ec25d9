//! Everything a page declares about itself, collected in one walk over the tree: JSON-LD, `meta` and `link` elements, microdata,
//! RDFa, and the elements whose mark-up says what they are (`h1`, `time`, `rel=author`). What is chosen from it is decided in
//! [`descriptor`](crate::descriptor).

pub(crate) mod json;
pub(crate) mod json_ld;
pub(crate) mod plain;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use html5ever::{LocalName, local_name};

use crate::dom::{Document, Node};
use crate::page::Page;
use crate::place::{MetaKey, Place, Step, is_meta_name};
use crate::{Notice, NoticeCode};
use json_ld::{LinkedData, Reading};

/// Items of microdata and RDFa that are kept; what comes later on a page is not its article. The most that one of 867 pages has is 102.
const ITEMS_MAX: usize = 4096;

/// `meta` elements of one name that are looked at. The most that one of 867 pages has is 146, of `article:tag`.
const METAS_MAX: usize = 512;

/// Blocks of JSON-LD that are no JSON are noted one by one up to this number; a person looks at them. The most blocks that one of 867 pages has is 9.
const BLOCK_NOTICES_MAX: usize = 32;

/// What a page declares.
#[derive(Debug, Default)]
pub(crate) struct Declared<'a> {
    pub(crate) linked_data: LinkedData<'a>,
    pub(crate) metas: Vec<Meta<'a>>,
    /// `link` elements with a `rel` and an `href`.
    pub(crate) links: Vec<Link<'a>>,
    pub(crate) items: Vec<Item<'a>>,
    /// Properties that no item encloses, of other elements than `meta`.
    pub(crate) loose: Vec<Property<'a>>,
    pub(crate) html: Option<Node<'a>>,
    pub(crate) title: Option<Node<'a>>,
    pub(crate) h1s: Vec<Node<'a>>,
    /// `h2` to `h4`.
    pub(crate) headings: Vec<Node<'a>>,
    /// Elements with `rel=author`.
    pub(crate) rel_authors: Vec<Node<'a>>,
    /// How many `meta` elements there are so far of a key and a name.
    counts: HashMap<(&'static str, String), usize>,
}

/// The content of a `meta` element, once for each attribute that says what it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meta<'a> {
    key: MetaKey,
    /// As written, without white space around it.
    name: &'a str,
    pub(crate) content: &'a str,
    /// How many of that key and name came before.
    index: usize,
}

impl Meta<'_> {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    pub(crate) fn place(&self) -> Place {
        Place::meta(self.key, self.name, self.index)
    }
}

/// A `link` element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'a> {
    rel: &'a str,
    pub(crate) href: &'a str,
    pub(crate) node: Node<'a>,
}

impl Link<'_> {
    pub(crate) fn is(&self, rel: &str) -> bool {
        is_listed(self.rel, rel)
    }
}

/// A thing described in microdata (`itemscope`) or RDFa (`typeof`).
#[derive(Debug)]
pub(crate) struct Item<'a> {
    pub(crate) node: Node<'a>,
    /// The item around it, by its number in [`Declared::items`].
    pub(crate) parent: Option<usize>,
    /// What it is, with its vocabulary.
    types: &'a str,
    pub(crate) properties: Vec<Property<'a>>,
}

impl Item<'_> {
    /// Whether one of the types, without its vocabulary, is among these.
    pub(crate) fn has_type(&self, among: impl Fn(&str) -> bool) -> bool {
        self.types.split_ascii_whitespace().any(|name| among(json_ld::local_name(name)))
    }
}

/// A property in microdata or RDFa.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Property<'a> {
    /// One name or several, as written.
    names: &'a str,
    pub(crate) node: Node<'a>,
    /// The item that is the value, by its number in [`Declared::items`].
    pub(crate) item: Option<usize>,
    /// Set for a `meta` element, whose place is written by its name.
    meta: Option<(MetaKey, usize)>,
}

impl<'a> Property<'a> {
    pub(crate) fn is(&self, name: &str) -> bool {
        let mut names = self.names.split_ascii_whitespace();
        names.any(|own| json_ld::local_name(own).eq_ignore_ascii_case(name))
    }

    /// The attribute that holds the value, where it is not the element's text.
    ///
    /// This is what HTML says of microdata, with two leniencies: `content` counts on any element, which is RDFa's rule, and `title` on
    /// an `abbr`, which is an older habit.
    pub(crate) fn attribute(&self) -> Option<(&'static str, &'a str)> {
        let named = |attribute: &'static str| self.node.attribute(attribute).map(|value| (attribute, value));
        named("content").or_else(|| match self.node.name()? {
            &local_name!("time") => named("datetime"),
            &local_name!("a") | &local_name!("link") | &local_name!("area") => named("href"),
            &local_name!("abbr") => named("title"),
            _ => None,
        })
    }

    /// The place of the `meta` element that the property is, if it is one.
    pub(crate) fn meta_place(&self) -> Option<Place> {
        let (key, index) = self.meta?;
        let names = self.names.trim();
        is_meta_name(names).then(|| Place::meta(key, names, index))
    }
}

/// Collects what the page declares.
pub(crate) fn read<'a>(page: Page<'a>, notices: &mut Vec<Notice>) -> Declared<'a> {
    let mut declared = Declared::default();
    // The items around the node at hand, by number, each with the depth of its element.
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut broken_blocks = 0;
    for node in page.document.root().descendants() {
        let Some(name) = node.name() else { continue };
        while open.last().is_some_and(|(_, depth)| *depth >= node.depth()) {
            open.pop();
        }
        let around = open.last().map(|(item, _)| *item);
        if let Some(item) = declared.take_attributes(node, name, around) {
            open.push((item, node.depth()));
        }
        match *name {
            local_name!("meta") => declared.take_meta(node, around.is_some()),
            local_name!("script") if is_json_ld(node) => {
                let block = Place::json_ld(declared.linked_data.len(), Vec::new());
                let (code, what) = match declared.linked_data.push(node.raw_text()) {
                    Reading::Strict => continue,
                    Reading::Repaired => {
                        (NoticeCode::JsonLdRepaired, "the block was no JSON and was read after a repair")
                    }
                    Reading::None => {
                        (NoticeCode::JsonLdBroken, "the block is no JSON and has no certain repair")
                    }
                };
                broken_blocks += 1;
                if broken_blocks <= BLOCK_NOTICES_MAX {
                    notices.push(Notice::new(code, what).at(block));
                }
            }
            local_name!("link") => {
                if let (Some(rel), Some(href)) = (node.attribute("rel"), node.attribute("href")) {
                    declared.links.push(Link { rel, href, node });
                }
            }
            local_name!("html") => declared.html = declared.html.or(Some(node)),
            local_name!("title") => declared.title = declared.title.or(Some(node)),
            local_name!("h1") => declared.h1s.push(node),
            local_name!("h2") | local_name!("h3") | local_name!("h4") => declared.headings.push(node),
            _ => {}
        }
    }
    declared
}

impl<'a> Declared<'a> {
    /// The `meta` elements of a name, whichever attribute holds it, in document order.
    pub(crate) fn metas(&self, name: &str) -> impl Iterator<Item = &Meta<'a>> {
        self.metas.iter().filter(move |meta| meta.is(name)).take(METAS_MAX)
    }

    /// Takes an element's microdata and RDFa; gives the number of the item that begins here.
    fn take_attributes(&mut self, node: Node<'a>, name: &LocalName, around: Option<usize>) -> Option<usize> {
        let (mut scope, mut types, mut names) = (false, None, None);
        let mut key = MetaKey::ItemProp;
        for attribute in node.attributes() {
            match &**attribute.name {
                "itemscope" => scope = true,
                "itemtype" => types = Some(attribute.value),
                "itemprop" => (names, key) = (Some(attribute.value), MetaKey::ItemProp),
                "typeof" => {
                    scope = true;
                    types = types.or(Some(attribute.value));
                }
                "property" if names.is_none() => (names, key) = (Some(attribute.value), MetaKey::Property),
                "rel" if *name != local_name!("link") && is_listed(attribute.value, "author") => {
                    self.rel_authors.push(node);
                }
                _ => {}
            }
        }
        let item = (scope && self.items.len() < ITEMS_MAX).then_some(self.items.len());
        if item.is_some() {
            let types = types.unwrap_or_default();
            self.items.push(Item { node, parent: around, types, properties: Vec::new() });
        }
        let Some(names) = names else { return item };
        let is_meta = *name == local_name!("meta");
        let meta = is_meta.then(|| (key, self.count(key, names)));
        let property = Property { names, node, item, meta };
        match around.and_then(|around| self.items.get_mut(around)) {
            Some(around) => around.properties.push(property),
            // The page's own `meta` elements are taken as such.
            None if is_meta => {}
            None => self.loose.push(property),
        }
        item
    }

    /// Takes a `meta` element. One that is a property of an item is not the page's.
    fn take_meta(&mut self, node: Node<'a>, in_item: bool) {
        let content = content_of(node);
        for key in MetaKey::ALL {
            let Some(name) = node.attribute(key.as_str()).map(str::trim) else { continue };
            let index = self.count(key, name);
            self.counts.insert((key.as_str(), name.to_ascii_lowercase()), index + 1);
            if let Some(content) = content.filter(|_| !(in_item && key == MetaKey::ItemProp)) {
                self.metas.push(Meta { key, name, content, index });
            }
        }
    }

    fn count(&self, key: MetaKey, name: &str) -> usize {
        let name = name.trim().to_ascii_lowercase();
        self.counts.get(&(key.as_str(), name)).copied().unwrap_or_default()
    }
}

/// The text at a place in a JSON-LD block of the page.
pub(crate) fn json_ld_text(document: &Document, block: usize, path: &[Step]) -> Option<String> {
    let mut scripts =
        document.root().descendants().filter(|node| node.is(&local_name!("script")) && is_json_ld(*node));
    let mut data = LinkedData::default();
    data.push(scripts.nth(block)?.raw_text());
    data.text_at(0, path)
}

/// What a `meta` element says. Some programs write `value` for `content`; both together are not met.
pub(crate) fn content_of(meta: Node<'_>) -> Option<&str> {
    meta.attribute("content").or_else(|| meta.attribute("value"))
}

/// Whether a script holds JSON-LD; with parameters too, as in `application/ld+json; charset=utf-8`.
fn is_json_ld(script: Node<'_>) -> bool {
    script.attribute("type").is_some_and(|kind| {
        let kind = kind.split(';').next().unwrap_or_default();
        kind.trim().eq_ignore_ascii_case("application/ld+json")
    })
}

/// Whether a list of words separated by white space, such as a `rel`, has this one.
fn is_listed(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|own| own.eq_ignore_ascii_case(word))
}
