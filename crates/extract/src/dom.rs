//! The page as a tree: one arena, built by html5ever straight from the decoded text.
//!
//! Nothing is parsed a second time. Text stays in the tokenizer's own buffer, shared; the values of attributes, each of which the tokenizer makes a
//! string of, are copied behind one another and those strings freed at once, to be used again for the next. Everything that reads the page (declared data,
//! body, descriptor, selectors) walks this one tree through [`Node`], a copyable reference.

mod attributes;
mod guard;
mod raw;
mod select;
mod sink;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use html5ever::tendril::StrTendril;
use html5ever::{LocalName, Namespace, QualName, local_name, ns};

pub(crate) use guard::{Kind, TooManyNodes, parse};
pub use select::{Selector, SelectorError};
use sink::{Attributes, List};

/// The index of a node in its document's arena. Ids follow the order of creation, which is document order except where the parser moves
/// something (text foster-parented out of a table).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// The document itself.
    pub(crate) const DOCUMENT: Self = Self(0);
    const NONE: Self = Self(u32::MAX);

    /// The id as an index into a table beside the arena.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    fn some(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }
}

#[derive(Debug)]
enum Data {
    /// The document, a template's content: holds children and nothing else.
    Holder,
    Element {
        name: QualName,
        attributes: List,
    },
    Text(StrTendril),
    Comment,
}

#[derive(Debug)]
struct Slot {
    parent: NodeId,
    previous: NodeId,
    next: NodeId,
    first: NodeId,
    last: NodeId,
    /// Levels below the document.
    depth: u32,
    data: Data,
}

/// A parsed page.
#[derive(Debug)]
pub(crate) struct Document {
    slots: Vec<Slot>,
    attributes: Attributes,
    simplified: bool,
    firsts: OnceCell<Firsts>,
}

/// The first elements of a name and of an id, found once.
#[derive(Debug, Default)]
struct Firsts {
    named: HashMap<LocalName, First>,
    with_id: HashMap<Box<str>, First>,
}

/// The first element of its kind.
#[derive(Clone, Copy, Debug)]
struct First {
    id: NodeId,
    is_only: bool,
}

impl Document {
    /// The document node, parent of the `html` element.
    pub(crate) fn root(&self) -> Node<'_> {
        self.node(NodeId::DOCUMENT)
    }

    /// The node with this id. Ids are only handed out by the document they belong to.
    pub(crate) fn node(&self, id: NodeId) -> Node<'_> {
        Node { document: self, id }
    }

    /// How many nodes there are: the length of a table indexed by [`NodeId::index`].
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether nesting or attributes over the limits were left out of the tree (no text ever is).
    pub(crate) fn is_simplified(&self) -> bool {
        self.simplified
    }

    /// The first element that matches, in document order.
    pub(crate) fn select_first<'a>(&'a self, selector: &Selector) -> Option<Node<'a>> {
        selector.find(self.root()).next()
    }

    /// Whether an element is the first of its name in document order, and whether it is the only one.
    pub(crate) fn is_first_named(&self, node: Node<'_>) -> (bool, bool) {
        let first = node.qualified_name().and_then(|name| self.firsts().named.get(&name.local));
        first.map_or((false, false), |first| (first.id == node.id, first.id == node.id && first.is_only))
    }

    /// Whether an element is the first with its `id` in document order, and whether it is the only one.
    pub(crate) fn is_first_with_id(&self, node: Node<'_>) -> (bool, bool) {
        let first = node.attribute("id").and_then(|id| self.firsts().with_id.get(id));
        first.map_or((false, false), |first| (first.id == node.id, first.id == node.id && first.is_only))
    }

    fn firsts(&self) -> &Firsts {
        self.firsts.get_or_init(|| {
            let mut firsts = Firsts::default();
            // A page has few names and many elements of each; most are of a name that was seen before, and again.
            let mut seen: [Option<&LocalName>; 64] = [None; 64];
            for node in self.root().descendants() {
                let Some(name) = node.qualified_name().map(|name| &name.local) else { continue };
                let place = &mut seen[usize::from(name.get_hash().to_le_bytes()[0] % 64)];
                if *place != Some(name) {
                    match firsts.named.entry(name.clone()) {
                        Entry::Vacant(entry) => {
                            entry.insert(First { id: node.id, is_only: true });
                        }
                        Entry::Occupied(mut entry) => {
                            entry.get_mut().is_only = false;
                            *place = Some(name);
                        }
                    }
                }
                let id = node.attributes().find(|attribute| *attribute.name == local_name!("id"));
                let Some(id) = id.map(|attribute| attribute.value) else { continue };
                if let Some(first) = firsts.with_id.get_mut(id) {
                    first.is_only = false;
                } else {
                    firsts.with_id.insert(id.into(), First { id: node.id, is_only: true });
                }
            }
            firsts
        })
    }

    /// Every element that matches, in document order.
    pub(crate) fn select<'s, 'a>(
        &'a self,
        selector: &'s Selector,
    ) -> impl Iterator<Item = Node<'a>> + use<'s, 'a> {
        selector.find(self.root())
    }
}

/// An attribute of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute<'a> {
    namespace: &'a Namespace,
    pub(crate) name: &'a LocalName,
    pub(crate) value: &'a str,
}

/// A node of a [`Document`].
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    document: &'a Document,
    id: NodeId,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.document, other.document)
    }
}

impl Eq for Node<'_> {}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.slot().data {
            Data::Holder => write!(f, "#document({})", self.id.0),
            Data::Element { name, .. } => write!(f, "<{}>({})", name.local, self.id.0),
            Data::Text(text) => write!(f, "{:?}({})", &**text, self.id.0),
            Data::Comment => write!(f, "#comment({})", self.id.0),
        }
    }
}

impl<'a> Node<'a> {
    fn slot(self) -> &'a Slot {
        &self.document.slots[self.id.index()]
    }

    fn at(self, id: NodeId) -> Option<Self> {
        id.some().map(|id| Self { id, ..self })
    }

    pub(crate) fn id(self) -> NodeId {
        self.id
    }

    pub(crate) fn document(self) -> &'a Document {
        self.document
    }

    pub(crate) fn parent(self) -> Option<Self> {
        self.at(self.slot().parent)
    }

    pub(crate) fn previous(self) -> Option<Self> {
        self.at(self.slot().previous)
    }

    pub(crate) fn next(self) -> Option<Self> {
        self.at(self.slot().next)
    }

    pub(crate) fn first_child(self) -> Option<Self> {
        self.at(self.slot().first)
    }

    /// Levels below the document.
    pub(crate) fn depth(self) -> u32 {
        self.slot().depth
    }

    /// The children, text and comments included.
    pub(crate) fn children(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.first_child(), |node| node.next())
    }

    /// The nearest ancestor first; the document node last.
    pub(crate) fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// Everything below this node in document order, without the node itself and without the content of `template` elements.
    pub(crate) fn descendants(self) -> Descendants<'a> {
        Descendants { top: self, next: self.first_child() }
    }

    /// The node that follows this whole subtree in document order, within `top`.
    pub(crate) fn after(self, top: Self) -> Option<Self> {
        let mut node = self;
        while node.id != top.id {
            if let Some(next) = node.next() {
                return Some(next);
            }
            node = node.parent()?;
        }
        None
    }

    /// The next node in document order below `top`: first child, else what follows.
    pub(crate) fn following(self, top: Self) -> Option<Self> {
        self.first_child().or_else(|| self.after(top))
    }

    /// The name of an HTML element; `None` for text, comments and elements of SVG and MathML.
    pub(crate) fn name(self) -> Option<&'a LocalName> {
        match &self.slot().data {
            Data::Element { name, .. } if name.ns == ns!(html) => Some(&name.local),
            _ => None,
        }
    }

    /// The name of an element of any namespace.
    pub(crate) fn qualified_name(self) -> Option<&'a QualName> {
        match &self.slot().data {
            Data::Element { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Whether this is the HTML element of that name (lower case).
    pub(crate) fn is(self, name: &LocalName) -> bool {
        self.name() == Some(name)
    }

    pub(crate) fn is_element(self) -> bool {
        matches!(self.slot().data, Data::Element { .. })
    }

    /// An attribute's value as it stands, character references resolved by the parser. The name is lower case.
    pub(crate) fn attribute(self, name: &str) -> Option<&'a str> {
        self.attributes().find(|attribute| &**attribute.name == name).map(|attribute| attribute.value)
    }

    /// Every attribute of an element, in source order.
    pub(crate) fn attributes(self) -> impl Iterator<Item = Attribute<'a>> {
        let list = match self.slot().data {
            Data::Element { attributes, .. } => attributes,
            _ => List::default(),
        };
        self.document.attributes.of(list)
    }

    /// A text node's own text, as it stands.
    pub(crate) fn as_text(self) -> Option<&'a str> {
        match &self.slot().data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What the node says: the text below it, white space normalised, the boundaries of blocks ending words, without what is never shown
    /// (`script`, `style`, `template`, `noscript` …).
    pub(crate) fn text(self) -> String {
        crate::text::of(self)
    }

    /// The text directly in a `script`, `style` or `title` element, as it stands.
    pub(crate) fn raw_text(self) -> std::borrow::Cow<'a, str> {
        let mut texts = self.children().filter_map(Self::as_text);
        match (texts.next(), texts.next()) {
            (None, _) => "".into(),
            (Some(only), None) => only.into(),
            (Some(first), Some(second)) => {
                [first, second].into_iter().chain(texts).collect::<String>().into()
            }
        }
    }
}

/// The iterator behind [`Node::descendants`].
pub(crate) struct Descendants<'a> {
    top: Node<'a>,
    next: Option<Node<'a>>,
}

impl<'a> Iterator for Descendants<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let node = self.next?;
        self.next = node.following(self.top);
        Some(node)
    }
}
