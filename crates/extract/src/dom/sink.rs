//! html5ever's tree sink over the arena.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, Ref, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, local_name};

use super::attributes::ATTRIBUTES_MAX;
use super::{Data, Document, NodeId, Slot};

/// The attributes of all elements, one behind the other.
#[derive(Debug)]
pub(super) struct Attributes {
    entries: Vec<Entry>,
    values: String,
    /// Bytes of values that may still be taken.
    room: usize,
}

#[derive(Clone, Debug)]
struct Entry {
    namespace: Namespace,
    name: LocalName,
    /// Where its value begins and ends in [`Attributes::values`].
    start: u32,
    end: u32,
}

/// The attributes of one element, by their numbers: the first, and how many.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct List {
    first: u32,
    count: u32,
}

impl List {
    fn end(self) -> usize {
        self.first as usize + self.count as usize
    }
}

impl Attributes {
    /// The attributes of a list.
    pub(super) fn of(&self, list: List) -> impl Iterator<Item = super::Attribute<'_>> {
        let entries = self.entries.get(list.first as usize..list.end()).unwrap_or_default();
        entries.iter().map(|entry| super::Attribute {
            namespace: &entry.namespace,
            name: &entry.name,
            value: self.values.get(entry.start as usize..entry.end as usize).unwrap_or_default(),
        })
    }

    /// A list with no attributes, to which they can be added.
    fn begin(&self) -> List {
        List { first: place(self.entries.len()), count: 0 }
    }

    /// Adds one to a list, which is moved behind all others if it is not there; `false` where there is no room for it.
    fn add(&mut self, list: &mut List, Attribute { name, value }: Attribute) -> bool {
        let Some(room) = self.room.checked_sub(value.len()) else { return false };
        self.room = room;
        if list.end() != self.entries.len() {
            let first = place(self.entries.len());
            self.entries.extend_from_within(list.first as usize..list.end());
            list.first = first;
        }
        let start = place(self.values.len());
        self.values.push_str(&value);
        let end = place(self.values.len());
        self.entries.push(Entry { namespace: name.ns, name: name.local, start, end });
        list.count += 1;
        true
    }
}

/// A place in a buffer that a page fills. The tokenizer itself takes no text of 4 GiB.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Takes the parser's orders and keeps the tree.
#[derive(Debug)]
pub(super) struct Sink {
    slots: RefCell<Vec<Slot>>,
    attributes: RefCell<Attributes>,
    simplified: Cell<bool>,
    /// Nodes and attributes that may still be made.
    budget: Cell<usize>,
    deepest: Cell<u32>,
    /// The last element whose text nobody reads.
    mute: Cell<NodeId>,
    keeps_programs: bool,
    /// Whether an element was made in which white space counts.
    keeps_space: Cell<bool>,
}

impl Sink {
    /// A sink that makes at most `budget` nodes and attributes, together, with so many bytes of `values`, and expects so many nodes.
    pub(super) fn new(budget: usize, values: usize, expected: usize, keeps_programs: bool) -> Self {
        let sink = Self {
            slots: RefCell::new(Vec::with_capacity(expected)),
            attributes: RefCell::new(Attributes {
                entries: Vec::with_capacity(expected / 4),
                values: String::with_capacity(expected * 2),
                room: values,
            }),
            simplified: Cell::new(false),
            budget: Cell::new(budget),
            deepest: Cell::new(0),
            mute: Cell::new(NodeId::NONE),
            keeps_programs,
            keeps_space: Cell::new(false),
        };
        sink.make(Data::Holder);
        sink
    }

    /// Whether the budget is used up; what was asked for since then was not made whole.
    pub(super) fn is_exhausted(&self) -> bool {
        self.budget.get() == 0
    }

    /// The depth at which the last element was put.
    pub(super) fn last_depth(&self) -> u32 {
        self.deepest.get()
    }

    /// Whether nobody reads the text of the last element that was made.
    pub(super) fn is_last_mute(&self) -> bool {
        self.slots.borrow().len().checked_sub(1) == Some(self.mute.get().index())
    }

    fn make(&self, data: Data) -> NodeId {
        let mut slots = self.slots.borrow_mut();
        // The budget keeps the arena far below 2³² nodes; once it is used up the page is refused, so any id will do.
        let id = u32::try_from(slots.len()).map_or(NodeId::DOCUMENT, NodeId);
        slots.push(Slot {
            parent: NodeId::NONE,
            previous: NodeId::NONE,
            next: NodeId::NONE,
            first: NodeId::NONE,
            last: NodeId::NONE,
            depth: 0,
            data,
        });
        self.budget.set(self.budget.get().saturating_sub(1));
        id
    }

    fn detach(slots: &mut [Slot], id: NodeId) {
        let Slot { parent, previous, next, .. } = slots[id.index()];
        if let Some(previous) = previous.some() {
            slots[previous.index()].next = next;
        } else if let Some(parent) = parent.some() {
            slots[parent.index()].first = next;
        }
        if let Some(next) = next.some() {
            slots[next.index()].previous = previous;
        } else if let Some(parent) = parent.some() {
            slots[parent.index()].last = previous;
        }
        let slot = &mut slots[id.index()];
        (slot.parent, slot.previous, slot.next) = (NodeId::NONE, NodeId::NONE, NodeId::NONE);
    }

    fn attach_last(&self, slots: &mut [Slot], parent: NodeId, id: NodeId) {
        Self::detach(slots, id);
        let (last, depth) = (slots[parent.index()].last, slots[parent.index()].depth + 1);
        let slot = &mut slots[id.index()];
        (slot.parent, slot.previous, slot.depth) = (parent, last, depth);
        if matches!(slot.data, Data::Element { .. }) {
            self.deepest.set(depth);
        }
        slots[parent.index()].last = id;
        match last.some() {
            Some(last) => slots[last.index()].next = id,
            None => slots[parent.index()].first = id,
        }
    }

    fn attach_before(slots: &mut [Slot], sibling: NodeId, id: NodeId) {
        Self::detach(slots, id);
        let Slot { parent, previous, depth, .. } = slots[sibling.index()];
        let slot = &mut slots[id.index()];
        (slot.parent, slot.previous, slot.next, slot.depth) = (parent, previous, sibling, depth);
        slots[sibling.index()].previous = id;
        match previous.some() {
            Some(previous) => slots[previous.index()].next = id,
            None => {
                if let Some(parent) = parent.some() {
                    slots[parent.index()].first = id;
                }
            }
        }
    }

    /// Adds text to the text node `id`, if it is one.
    fn extend_text(&self, id: NodeId, more: &StrTendril) -> bool {
        let mut slots = self.slots.borrow_mut();
        let Some(Data::Text(text)) = id.some().map(|id| &mut slots[id.index()].data) else { return false };
        // The tokenizer gives line ends and indentation one by one; except in preformatted text the first says what all of them say.
        let is_space = |text: &StrTendril| text.bytes().all(|byte| byte.is_ascii_whitespace());
        if self.keeps_space.get() || !is_space(more) || !is_space(text) {
            text.push_tendril(more);
        }
        true
    }
}

/// Whether the text of an element is a style sheet or a program, rather than data or something to be read.
fn is_mute(name: &QualName, attributes: &[Attribute]) -> bool {
    let is_data = |attribute: &Attribute| {
        attribute.name.local == local_name!("type")
            && attribute.value.as_bytes().windows(4).any(|part| part.eq_ignore_ascii_case(b"json"))
    };
    name.local == local_name!("style")
        || name.local == local_name!("script") && !attributes.iter().any(is_data)
}

/// A borrowed element name: the parser looks at it and lets it go at once.
#[derive(Debug)]
pub(super) struct Name<'a>(Ref<'a, QualName>);

impl ElemName for Name<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = Document;
    type ElemName<'a> = Name<'a>;

    fn finish(self) -> Document {
        Document {
            slots: self.slots.into_inner(),
            attributes: self.attributes.into_inner(),
            simplified: self.simplified.get(),
            firsts: OnceCell::new(),
        }
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        NodeId::DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Name<'a> {
        Name(Ref::map(self.slots.borrow(), |slots| match &slots[target.index()].data {
            Data::Element { name, .. } => name,
            _ => unreachable!("the parser asks for the names of elements only"),
        }))
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> NodeId {
        let is_mute = !self.keeps_programs && is_mute(&name, &attributes);
        let attributes = if self.is_exhausted() { Vec::new() } else { attributes };
        self.budget.set(self.budget.get().saturating_sub(attributes.len()));
        let mut all = self.attributes.borrow_mut();
        let mut list = all.begin();
        for attribute in attributes {
            if !all.add(&mut list, attribute) {
                self.simplified.set(true);
            }
        }
        if [local_name!("pre"), local_name!("listing"), local_name!("xmp"), local_name!("plaintext")]
            .contains(&name.local)
        {
            self.keeps_space.set(true);
        }
        let id = self.make(Data::Element { name, attributes: list });
        if is_mute {
            self.mute.set(id);
        }
        if flags.template {
            // The content of a template is made right after it, so that it needs no link of its own.
            self.make(Data::Holder);
        }
        id
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.make(Data::Comment)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.make(Data::Comment)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        match child {
            NodeOrText::AppendNode(id) => self.attach_last(&mut self.slots.borrow_mut(), *parent, id),
            // Style sheets and programs are a third of many a page; keeping them would be most of the work.
            NodeOrText::AppendText(_) if *parent == self.mute.get() => {}
            NodeOrText::AppendText(text) => {
                let last = self.slots.borrow()[parent.index()].last;
                if !self.extend_text(last, &text) {
                    let id = self.make(Data::Text(text));
                    self.attach_last(&mut self.slots.borrow_mut(), *parent, id);
                }
            }
        }
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let has_parent = self.slots.borrow()[element.index()].parent.some().is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        NodeId(target.0 + 1)
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, new: NodeOrText<NodeId>) {
        match new {
            NodeOrText::AppendNode(id) => Self::attach_before(&mut self.slots.borrow_mut(), *sibling, id),
            NodeOrText::AppendText(text) => {
                let previous = self.slots.borrow()[sibling.index()].previous;
                if !self.extend_text(previous, &text) {
                    let id = self.make(Data::Text(text));
                    Self::attach_before(&mut self.slots.borrow_mut(), *sibling, id);
                }
            }
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, more: Vec<Attribute>) {
        if let Data::Element { attributes: list, .. } = &mut self.slots.borrow_mut()[target.index()].data {
            let mut all = self.attributes.borrow_mut();
            for attribute in more {
                if all.of(*list).any(|known| *known.name == attribute.name.local) {
                    continue;
                }
                // Each is compared with those before it, and a page may have any number of `body` tags.
                let is_full = list.count as usize >= ATTRIBUTES_MAX || self.is_exhausted();
                if is_full || !all.add(list, attribute) {
                    self.simplified.set(true);
                    return;
                }
                self.budget.set(self.budget.get() - 1);
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        Self::detach(&mut self.slots.borrow_mut(), *target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut slots = self.slots.borrow_mut();
        while let Some(child) = slots[node.index()].first.some() {
            self.attach_last(&mut slots, *new_parent, child);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, _: &NodeId) -> bool {
        false
    }
}
