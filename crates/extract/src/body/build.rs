//! From elements to blocks.

use std::ops::Range;

use html5ever::{LocalName, local_name};

use crate::dom::Node;
use crate::text::{self, Flow, Step, flow, flow_of, is_shown, push_normal, push_space, trim_end};
use crate::{Block, Cell, Mark, MarkKind, Text};

/// Lists within lists and quotations within quotations beyond this depth are put in the one above: JSON readers stop at some depth (serde_json at 128 levels),
/// and no article goes beyond four.
const NESTING_MAX: u32 = 12;

/// What a text may hold, by [`size`]: the longest novels have three and a half million letters, the longest of 867 pages from everywhere a hundred
/// thousand. A page that opens a link and then begins a hundred thousand paragraphs would otherwise hold its address as many times.
pub(crate) const SIZE_MAX: usize = 4 << 20;

/// How large blocks are: the bytes of their text and of the addresses of their links, and so many more for each block and cell.
pub(crate) fn size(blocks: &[Block]) -> usize {
    blocks.iter().map(|block| size_of_block(block).saturating_add(BLOCK_SIZE)).fold(0, usize::saturating_add)
}

/// What a block costs beside its text.
const BLOCK_SIZE: usize = 32;

fn size_of_block(block: &Block) -> usize {
    match block {
        Block::Heading { text, .. } | Block::Paragraph(text) => size_of_text(text),
        Block::List { items, .. } => items.iter().map(|item| size(item)).sum(),
        Block::Quotation(blocks) => size(blocks),
        Block::Preformatted(text) => text.len(),
        Block::Table(rows) => rows.iter().flatten().map(|cell| size_of_text(&cell.text) + BLOCK_SIZE).sum(),
        Block::Separator => 0,
    }
}

fn size_of_text(text: &Text) -> usize {
    let marks = text.marks.iter().map(|mark| match &mark.kind {
        MarkKind::Link(address) => address.len(),
        _ => 0,
    });
    text.text.len() + marks.sum::<usize>()
}

/// Makes blocks of elements, without those that `omit` names.
pub(super) struct Builder<'f> {
    /// Whether this element is left out, with all that is in it.
    omit: &'f dyn Fn(Node<'_>) -> bool,
    /// Whether the stretch of text that begins with this text node is left out.
    omit_leaf: &'f dyn Fn(Node<'_>) -> bool,
    blocks: Vec<Block>,
    run: Run,
    /// How the current run ends: as a block of its own, or as part of a heading or a cell.
    flat: bool,
    nesting: u32,
    breaks: u32,
    /// What was made so far, counted as in [`size`]; beyond the limit nothing is added, and the text is refused.
    size: usize,
}

/// A stretch of text that is being collected.
#[derive(Default)]
struct Run {
    text: Text,
    /// Marks whose elements have not ended.
    open: Vec<(usize, MarkKind)>,
    omitted: bool,
    /// Whether any text stood in the run, also omitted text.
    begun: bool,
}

impl<'f> Builder<'f> {
    pub(super) fn new(omit: &'f dyn Fn(Node<'_>) -> bool, omit_leaf: &'f dyn Fn(Node<'_>) -> bool) -> Self {
        Self {
            omit,
            omit_leaf,
            blocks: Vec::new(),
            run: Run::default(),
            flat: false,
            nesting: 0,
            breaks: 0,
            size: 0,
        }
    }

    /// The blocks of what is below `top`.
    pub(super) fn build(mut self, top: Node<'_>) -> Vec<Block> {
        self.children(top);
        self.flush();
        self.blocks
    }

    /// The blocks of several elements, each of which may be one itself.
    pub(super) fn build_each(mut self, tops: &[Node<'_>]) -> Vec<Block> {
        for top in tops {
            match top.name().filter(|name| flow(name) == Flow::Block) {
                Some(name) => self.block(*top, name),
                None => self.children(*top),
            }
            self.flush();
        }
        self.blocks
    }

    fn children(&mut self, node: Node<'_>) {
        for child in node.children() {
            if self.size > SIZE_MAX {
                return;
            }
            if let Some(text) = child.as_text() {
                self.text(child, text);
            } else if let (Some(name), Some(flow)) = (child.name(), flow_of(child)) {
                if (self.omit)(child) {
                    if flow == Flow::Block && !self.flat {
                        self.flush();
                    }
                    continue;
                }
                match flow {
                    Flow::Absent => {}
                    Flow::Inline => self.inline(child, name),
                    Flow::Block => self.block(child, name),
                }
            }
        }
    }

    /// Text whose white space counts, without the line breaks around it.
    fn preformatted(&self, top: Node<'_>) -> String {
        let mut text = String::new();
        // What a button says is no line of a program.
        let enters =
            |node: Node<'_>| is_shown(node) && !node.is(&local_name!("button")) && !(self.omit)(node);
        text::walk(top, enters, &mut |step| match step {
            Step::Text(_, own) => text.push_str(own),
            Step::Edge(node) if node.is(&local_name!("br")) || !text.is_empty() && !text.ends_with('\n') => {
                text.push('\n');
            }
            Step::Edge(_) => {}
        });
        let text = text.trim_end();
        // Empty lines at the beginning go, the indentation of the first line stays.
        let body = text.len() - text.trim_start().len();
        text[text[..body].rfind('\n').map_or(0, |line| line + 1)..].to_owned()
    }

    fn text(&mut self, node: Node<'_>, text: &str) {
        if !text.trim_start().is_empty() {
            self.breaks = 0;
            if !self.run.begun {
                self.run.begun = true;
                self.run.omitted = !self.flat && (self.omit_leaf)(node);
            }
        }
        if !self.run.omitted {
            push_normal(&mut self.run.text.text, text);
        }
    }

    fn inline(&mut self, node: Node<'_>, name: &LocalName) {
        let mark = match *name {
            local_name!("a") => node.attribute("href").map(|href| MarkKind::Link(href.trim().to_owned())),
            local_name!("em") | local_name!("i") | local_name!("cite") | local_name!("dfn") => {
                Some(MarkKind::Emphasis)
            }
            local_name!("strong") | local_name!("b") => Some(MarkKind::Strong),
            local_name!("code") | local_name!("kbd") | local_name!("samp") => Some(MarkKind::Code),
            local_name!("del") | local_name!("s") | local_name!("strike") => Some(MarkKind::Deleted),
            local_name!("sub") => Some(MarkKind::Subscript),
            local_name!("sup") => Some(MarkKind::Superscript),
            _ => None,
        };
        // An element within another of its kind marks nothing new.
        let Some(mark) = mark.filter(|mark| !self.run.open.iter().any(|(_, open)| open == mark)) else {
            return self.children(node);
        };
        self.run.open.push((self.run.text.text.len(), mark));
        self.children(node);
        if let Some((start, kind)) = self.run.open.pop() {
            self.run.close(start, kind);
        }
    }

    fn block(&mut self, node: Node<'_>, name: &LocalName) {
        if self.flat {
            push_space(&mut self.run.text.text);
            self.children(node);
            push_space(&mut self.run.text.text);
            return;
        }
        if *name == local_name!("br") {
            self.breaks += 1;
            if self.breaks == 2 {
                self.flush();
            } else {
                push_space(&mut self.run.text.text);
            }
            return;
        }
        self.flush();
        match *name {
            local_name!("h1") => self.heading(node, 1),
            local_name!("h2") => self.heading(node, 2),
            local_name!("h3") => self.heading(node, 3),
            local_name!("h4") => self.heading(node, 4),
            local_name!("h5") => self.heading(node, 5),
            local_name!("h6") => self.heading(node, 6),
            local_name!("hr") => self.separator(),
            local_name!("ul") | local_name!("menu") | local_name!("dir") => self.list(node, false),
            local_name!("ol") => self.list(node, true),
            local_name!("blockquote") => {
                let inner = self.nested(node);
                if !inner.is_empty() {
                    self.push_or_splice(Block::Quotation(inner));
                }
            }
            local_name!("pre") | local_name!("listing") | local_name!("xmp") | local_name!("plaintext") => {
                let text = self.preformatted(node);
                if !text.trim().is_empty() && !numbers_lines(node, &text) {
                    self.size = self.size.saturating_add(text.len()).saturating_add(BLOCK_SIZE);
                    self.blocks.push(Block::Preformatted(text));
                }
            }
            local_name!("table") => self.table(node),
            _ => self.children(node),
        }
        self.flush();
    }

    /// Ends the run, as a paragraph if it says anything.
    fn flush(&mut self) {
        self.breaks = 0;
        if let Some(text) = self.finish() {
            self.blocks.push(Block::Paragraph(text));
        }
    }

    fn finish(&mut self) -> Option<Text> {
        let text = self.run.finish()?;
        self.size = self.size.saturating_add(size_of_text(&text)).saturating_add(BLOCK_SIZE);
        Some(text)
    }

    fn heading(&mut self, node: Node<'_>, level: u8) {
        if let Some(text) = self.flat(node) {
            self.blocks.push(Block::Heading { level, text });
        }
    }

    /// The text of an element without the blocks in it.
    fn flat(&mut self, node: Node<'_>) -> Option<Text> {
        let first = node
            .descendants()
            .find(|node| node.as_text().is_some_and(|text| !text.trim_start().is_empty()))?;
        if (self.omit_leaf)(first) {
            return None;
        }
        let outer = std::mem::replace(&mut self.flat, true);
        self.children(node);
        self.flat = outer;
        self.finish()
    }

    /// The blocks of what is below `node`.
    fn nested(&mut self, node: Node<'_>) -> Vec<Block> {
        let outer = std::mem::take(&mut self.blocks);
        self.nesting += 1;
        self.children(node);
        self.flush();
        self.nesting -= 1;
        std::mem::replace(&mut self.blocks, outer)
    }

    /// Puts a block that holds others, or at the greatest depth those others.
    fn push_or_splice(&mut self, block: Block) {
        match block {
            Block::Quotation(blocks) if self.nesting >= NESTING_MAX => self.blocks.extend(blocks),
            Block::List { items, .. } if self.nesting >= NESTING_MAX => {
                self.blocks.extend(items.into_iter().flatten());
            }
            block => self.blocks.push(block),
        }
    }

    fn separator(&mut self) {
        if !matches!(self.blocks.last(), None | Some(Block::Separator)) {
            self.blocks.push(Block::Separator);
        }
    }

    fn list(&mut self, node: Node<'_>, ordered: bool) {
        let mut items: Vec<Vec<Block>> = Vec::new();
        for child in node.children() {
            let in_list = matches!(child.name(), Some(&local_name!("ul") | &local_name!("ol")));
            if child.name().is_some() && (self.omit)(child) {
                continue;
            }
            let wrapped = self.nested_node(child);
            match items.last_mut() {
                // A list directly in a list belongs to the item before it.
                Some(item) if in_list => item.extend(wrapped),
                _ if wrapped.is_empty() => {}
                _ => items.push(wrapped),
            }
        }
        if !items.is_empty() {
            self.push_or_splice(Block::List { ordered, items });
        }
    }

    /// The blocks of one node.
    fn nested_node(&mut self, node: Node<'_>) -> Vec<Block> {
        match node.name() {
            Some(&local_name!("li")) => self.nested(node),
            Some(name) if flow(name) != Flow::Absent => {
                let outer = std::mem::take(&mut self.blocks);
                self.nesting += 1;
                match flow(name) {
                    Flow::Block => self.block(node, name),
                    _ => self.inline(node, name),
                }
                self.flush();
                self.nesting -= 1;
                std::mem::replace(&mut self.blocks, outer)
            }
            _ => {
                if let Some(text) = node.as_text() {
                    let outer = std::mem::take(&mut self.blocks);
                    self.text(node, text);
                    self.flush();
                    return std::mem::replace(&mut self.blocks, outer);
                }
                Vec::new()
            }
        }
    }

    fn table(&mut self, node: Node<'_>) {
        if is_layout(node) {
            // What a table lays out is read cell by cell.
            return self.children(node);
        }
        let mut rows = Vec::new();
        for row in node.descendants().filter(|row| row.is(&local_name!("tr")) && is_of(*row, node)) {
            if (self.omit)(row) {
                continue;
            }
            let mut cells = Vec::new();
            for cell in row.children() {
                let header = cell.is(&local_name!("th"));
                if header || cell.is(&local_name!("td")) {
                    cells.push(Cell { header, text: self.flat(cell).unwrap_or_default() });
                }
            }
            if cells.iter().any(|cell| !cell.text.is_empty()) {
                rows.push(cells);
            }
        }
        if !rows.is_empty() {
            self.blocks.push(Block::Table(rows));
        }
    }
}

/// Whether a preformatted text is the numbers of the lines of the one in the next cell.
fn numbers_lines(node: Node<'_>, text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || c.is_ascii_whitespace())
        && node
            .ancestors()
            .find(|cell| cell.is(&local_name!("td")))
            .and_then(Node::parent)
            .is_some_and(is_listing)
}

/// Whether a row holds two cells with one preformatted text each: code, and the numbers of its lines.
fn is_listing(row: Node<'_>) -> bool {
    let is_preformatted = |cell: Node<'_>| {
        std::iter::successors(only_child(cell), |node| only_child(*node))
            .any(|node| node.is(&local_name!("pre")))
    };
    let mut cells = row.children().filter(|cell| cell.is(&local_name!("td")));
    let two = [cells.next(), cells.next()];
    cells.next().is_none() && two.into_iter().all(|cell| cell.is_some_and(is_preformatted))
}

/// The only thing in an element, white space aside.
fn only_child(node: Node<'_>) -> Option<Node<'_>> {
    let says_something = |node: &Node<'_>| {
        node.name().is_some() || node.as_text().is_some_and(|text| !text.trim_start().is_empty())
    };
    let mut children = node.children().filter(says_something);
    children.next().filter(|_| children.next().is_none())
}

/// Whether a table only lays out the page: it holds another, or no row has two cells that say something, or it is code beside the numbers of
/// its lines, or it is declared so.
fn is_layout(table: Node<'_>) -> bool {
    if matches!(table.attribute("role"), Some("presentation" | "none")) {
        return true;
    }
    let mut wide = false;
    for node in table.descendants() {
        match node.name() {
            Some(&local_name!("table")) => return true,
            Some(&local_name!("tr")) if is_listing(node) => return true,
            Some(&local_name!("tr")) => {
                let cells = node.children().filter(|cell| {
                    matches!(cell.name(), Some(&local_name!("td") | &local_name!("th"))) && has_text(*cell)
                });
                wide |= cells.take(2).count() == 2;
            }
            _ => {}
        }
    }
    !wide
}

fn has_text(node: Node<'_>) -> bool {
    node.descendants().any(|node| node.as_text().is_some_and(|text| !text.trim_start().is_empty()))
}

/// Whether the nearest table around a row is this one.
fn is_of(row: Node<'_>, table: Node<'_>) -> bool {
    row.ancestors().find(|above| above.is(&local_name!("table"))) == Some(table)
}

impl Run {
    fn close(&mut self, start: usize, kind: MarkKind) {
        let text = &self.text.text;
        let range = trimmed(text, start.min(text.len())..text.len());
        if !range.is_empty() {
            self.text.marks.push(Mark { range, kind });
        }
    }

    /// Takes what was collected, if it says anything. Elements that have not ended go on in the next run.
    fn finish(&mut self) -> Option<Text> {
        trim_end(&mut self.text.text);
        let mut open = std::mem::take(&mut self.open);
        for (start, kind) in &mut open {
            // The address of a link may be long, and nothing may have been said since it was opened.
            if !self.text.text.is_empty() {
                self.close(*start, kind.clone());
            }
            *start = 0;
        }
        self.open = open;
        self.begun = false;
        self.omitted = false;
        let mut text = std::mem::take(&mut self.text);
        let length = text.text.len();
        text.marks.retain_mut(|mark| {
            mark.range.end = mark.range.end.min(length);
            !mark.range.is_empty()
        });
        text.marks.sort_by_key(|mark| (mark.range.start, std::cmp::Reverse(mark.range.end)));
        (!text.is_empty()).then_some(text)
    }
}

/// The range without the spaces at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    let end = range.end - (part.len() - part.trim_end().len());
    start..end.max(start)
}
