//! The page as a sequence of leaves: stretches of text that no block boundary interrupts, in reading order.

use html5ever::local_name;

use crate::dom::{Node, NodeId};
use crate::text::{Flow, flow};

/// A stretch of text without a block boundary in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// The nearest element around it that makes a block.
    pub(super) owner: NodeId,
    /// The first text node of it that says something.
    pub(super) first: NodeId,
    /// Characters, white space not counted, those of Chinese, Japanese and Korean twice.
    pub(super) chars: u32,
    /// Those of them that stand in links.
    pub(super) link_chars: u32,
    /// How many links begin in it.
    pub(super) links: u32,
    /// Sentences that end in it.
    pub(super) sentences: u32,
    /// The last character.
    pub(super) last: char,
}

/// What a walk over the elements is told at each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// An element begins. Answered with whether to go into it.
    Enter(Node<'a>),
    /// Text that is shown.
    Text(Node<'a>, &'a str),
    /// Something that is no text: a picture, a player, a drawing.
    Media(Node<'a>),
    /// An element ends that was gone into.
    Leave(Node<'a>),
}

/// Walks over what is shown below `top`, in document order. `visit` says for each element that begins whether to go into it.
pub(super) fn walk<'a>(top: Node<'a>, mut visit: impl FnMut(Step<'a>) -> bool) {
    let Some(mut node) = top.first_child() else { return };
    loop {
        let mut inside = false;
        if let Some(text) = node.as_text() {
            visit(Step::Text(node, text));
        } else if is_shown(node) {
            inside = visit(Step::Enter(node));
        } else if is_media(node) {
            visit(Step::Media(node));
        }
        if inside && let Some(child) = node.first_child() {
            node = child;
            continue;
        }
        if inside {
            visit(Step::Leave(node));
        }
        while node.next().is_none() {
            match node.parent() {
                Some(parent) if parent != top => {
                    visit(Step::Leave(parent));
                    node = parent;
                }
                _ => return,
            }
        }
        match node.next() {
            Some(next) => node = next,
            None => return,
        }
    }
}

/// Whether an element's content is text on the page at all: elements of SVG and MathML, media and controls are not.
fn is_shown(node: Node<'_>) -> bool {
    node.name().is_some_and(|name| flow(name) != Flow::Absent)
}

/// Whether something stands there that has a caption as often as not.
pub(super) fn is_media(node: Node<'_>) -> bool {
    matches!(
        node.name(),
        Some(
            &local_name!("img")
                | &local_name!("picture")
                | &local_name!("video")
                | &local_name!("audio")
                | &local_name!("iframe")
                | &local_name!("object")
                | &local_name!("embed")
                | &local_name!("canvas")
        )
    )
}

/// Cuts what a walk yields into leaves.
#[derive(Debug, Default)]
pub(super) struct Cutter {
    leaf: Option<Leaf>,
    blocks: Vec<NodeId>,
    /// The link that text now stands in.
    link: Option<Link>,
    breaks: u32,
}

/// A link to another page.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// Whether text of it was seen.
    begun: bool,
}

impl Cutter {
    pub(super) fn new(top: NodeId) -> Self {
        Self { blocks: vec![top], ..Self::default() }
    }

    /// Takes one step; gives the leaf that ended with it.
    pub(super) fn take(&mut self, step: Step<'_>) -> Option<Leaf> {
        match step {
            Step::Text(node, text) => {
                self.text(node, text);
                None
            }
            Step::Media(_) => None,
            Step::Enter(node) => match node.name() {
                Some(&local_name!("br")) => {
                    self.breaks += 1;
                    if self.breaks == 2 { self.leaf.take() } else { None }
                }
                Some(&local_name!("a")) => {
                    // A link to a part of the same page leads nowhere else.
                    let address = node.attribute("href").map_or("", str::trim);
                    self.link =
                        (!address.is_empty() && !address.starts_with('#')).then_some(Link { begun: false });
                    None
                }
                Some(name) if flow(name) == Flow::Block => {
                    self.breaks = 0;
                    self.blocks.push(node.id());
                    self.leaf.take()
                }
                _ => None,
            },
            Step::Leave(node) => match node.name() {
                Some(&local_name!("a")) => {
                    self.link = None;
                    None
                }
                Some(&local_name!("br")) => None,
                Some(name) if flow(name) == Flow::Block => {
                    self.breaks = 0;
                    self.blocks.pop();
                    self.leaf.take()
                }
                _ => None,
            },
        }
    }

    /// The leaf that the end of the walk ends.
    pub(super) fn finish(self) -> Option<Leaf> {
        self.leaf
    }

    fn text(&mut self, node: Node<'_>, text: &str) {
        let mut chars = 0;
        let mut sentences = 0;
        let mut last = None;
        for c in text.chars() {
            if c.is_whitespace() {
                if last.is_some_and(ends_sentence) {
                    sentences += 1;
                }
            } else {
                chars += 1;
                if c >= '\u{2e80}' && is_wide(c) {
                    chars += 1;
                    // No space follows a full stop in these scripts.
                    sentences += u32::from(ends_sentence(c));
                }
                // `”` after a full stop ends the same sentence.
                if !(closes(c) && last.is_some_and(ends_sentence)) {
                    last = Some(c);
                }
            }
        }
        let Some(last) = last else { return };
        self.breaks = 0;
        let owner = self.blocks.last().copied().unwrap_or(NodeId::DOCUMENT);
        let leaf = self.leaf.get_or_insert(Leaf {
            owner,
            first: node.id(),
            chars: 0,
            link_chars: 0,
            links: 0,
            sentences: 0,
            last,
        });
        leaf.chars += chars;
        leaf.sentences += sentences;
        leaf.last = last;
        if let Some(link) = &mut self.link {
            leaf.link_chars += chars;
            leaf.links += u32::from(!link.begun);
            link.begun = true;
        }
    }
}

/// The characters of a text, counted as in a [`Leaf`].
pub(super) fn chars(text: &str) -> u32 {
    text.chars().map(|c| if c.is_whitespace() { 0 } else { 1 + u32::from(is_wide(c)) }).sum()
}

/// Whether a character says as much as two letters do: those of Chinese, Japanese and Korean.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a sentence ends with this character.
pub(super) fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '۔' | '؟' | '։' | '።')
}

fn closes(c: char) -> bool {
    matches!(c, '"' | '\'' | '”' | '’' | '“' | '»' | '«' | '›' | ')' | ']' | '」' | '』')
}
