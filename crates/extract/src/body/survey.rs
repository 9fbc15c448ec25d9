//! The page measured: its elements in document order, and its leaves, which are stretches of text that no block boundary interrupts.

use std::collections::HashSet;

use html5ever::local_name;

use super::calls;
use super::vocabulary::{self, Role, Word};
use crate::dom::{Node, NodeId};
use crate::text::{Flow, flow_of};

/// Everything that is shown below an element.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    /// In document order, so that what is below an element stands right behind it.
    pub(super) elements: Vec<Element<'a>>,
    pub(super) leaves: Vec<Leaf>,
}

/// An element whose content is text on the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element<'a> {
    pub(super) node: Node<'a>,
    /// The element around it; the first element is around itself.
    pub(super) parent: usize,
    /// The element that follows when everything below this one is over.
    pub(super) end: usize,
    pub(super) is_block: bool,
    /// 1 to 6 for a heading and what is in it, else 0.
    pub(super) level: u8,
    /// Whether it is code, or in code, where a class names a kind of code: a `comment` is not a reader's.
    pub(super) is_code: bool,
    /// Whether it, or an element around it, stands beside the article.
    pub(super) beside: bool,
    /// Characters below it, counted as in [`Leaf::chars`].
    pub(super) chars: u32,
    /// Those of them that stand in links.
    pub(super) link_chars: u32,
    /// Characters in leaves of prose below it.
    pub(super) prose: u32,
    /// Characters in leaves below it that are mostly links.
    pub(super) links: u32,
    /// Pictures and players below it.
    pub(super) media: u32,
}

/// A stretch of text without a block boundary in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// The nearest element around it that makes a block.
    pub(super) owner: usize,
    /// The first text node of it that says something.
    pub(super) first: NodeId,
    pub(super) looks: Looks,
    /// Characters, white space not counted, those of Chinese, Japanese and Korean twice: they say as much as two letters.
    pub(super) chars: u32,
    /// Those of them that stand in links.
    pub(super) link_chars: u32,
    /// Links that begin in it.
    pub(super) links: u32,
    /// Whether a sentence ends in it.
    pub(super) has_sentence: bool,
}

/// What a leaf looks like by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    Heading,
    /// Mostly links.
    Links,
    /// A sentence at least.
    Prose,
    /// A label, an item of a list, a line.
    Fragment,
}

/// A sentence is not much shorter than this; what ends with a full stop below it is an abbreviation or a label.
const PROSE_CHARS_MIN: u32 = 40;
/// A paragraph of this length is no label, whatever its class is called.
const PARAGRAPH_CHARS: u32 = 250;
/// The caption of a picture with the credits of several stays below this; a text that merely has a picture in it does not.
const CAPTION_CHARS_MAX: u32 = 500;
/// An element that is named as being beside the article is believed if it holds less of the page's prose than this: the words that can mean nothing else …
const SURE_PERCENT: u64 = 90;
/// … those that mean little else …
const CERTAIN_PERCENT: u64 = 40;
/// … and those that as often name a layout.
const LIKELY_PERCENT: u64 = 15;
/// An element with more than this of the page's prose is a frame around the article.
const FRAME_PERCENT: u64 = 60;

impl<'a> Survey<'a> {
    /// Measures what is shown below `top`; what is `dropped` counts as beside the article.
    pub(super) fn of(top: Node<'a>, dropped: &HashSet<NodeId>) -> Self {
        let mut walk = Walk::new(top);
        walk.run();
        let Walk { mut elements, leaves, .. } = walk;
        for leaf in &leaves {
            let owner = &mut elements[leaf.owner];
            owner.link_chars += leaf.link_chars;
            match leaf.looks {
                Looks::Prose => owner.prose += leaf.chars,
                Looks::Links => owner.links += leaf.chars,
                Looks::Heading | Looks::Fragment => {}
            }
        }
        let mut survey = Self { elements, leaves };
        survey.sum_up(|sum, below| {
            sum.chars += below.chars;
            sum.link_chars += below.link_chars;
            sum.prose += below.prose;
            sum.links += below.links;
            sum.media += below.media;
        });
        let paid = survey.set_aside(dropped);
        calls::set_aside(&mut survey, &paid);
        survey
    }

    /// Adds to each element what is below it, from the inside out.
    fn sum_up(&mut self, add: impl Fn(&mut Element<'a>, &Element<'a>)) {
        for at in (1..self.elements.len()).rev() {
            let (outer, inner) = self.elements.split_at_mut(at);
            let below = &inner[0];
            add(&mut outer[below.parent], below);
        }
    }

    pub(super) fn owner(&self, leaf: usize) -> &Element<'a> {
        &self.elements[self.leaves[leaf].owner]
    }

    /// The element and those around it, from the inside out.
    pub(super) fn outward(&self, element: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(element), |&at| (at > 0).then(|| self.elements[at].parent))
    }

    /// The heading that a leaf stands in, if it does.
    pub(super) fn heading(&self, leaf: usize) -> Option<usize> {
        self.outward(self.leaves[leaf].owner).take_while(|&at| self.elements[at].level > 0).last()
    }

    /// The elements directly below.
    pub(super) fn children(&self, element: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.elements[element].end;
        let first = Some(element + 1).filter(|&at| at < end);
        std::iter::successors(first, move |&at| Some(self.elements[at].end).filter(|&next| next < end))
    }

    /// Whether the leaf stands within the element.
    pub(super) fn is_within(&self, leaf: usize, element: usize) -> bool {
        (element..self.elements[element].end).contains(&self.leaves[leaf].owner)
    }

    /// Whether a leaf is prose and not beside the article.
    pub(super) fn is_good(&self, leaf: usize) -> bool {
        self.leaves[leaf].looks == Looks::Prose && !self.owner(leaf).beside
    }

    /// Marks what says of itself to be beside the article, and is not most of the page's prose after all. Gives what is named for having to be paid
    /// for.
    fn set_aside(&mut self, dropped: &HashSet<NodeId>) -> Vec<usize> {
        let mut paid = Vec::new();
        let all = u64::from(self.elements[0].prose);
        let share = |element: &Element<'_>| u64::from(element.prose) * 100;
        // A word that stands over most of the text says nothing on this page: `sidebar-grid`.
        let frames = self.elements.iter().filter(|element| share(element) > all * FRAME_PERCENT);
        let frames: Vec<Word> = frames.map(|element| vocabulary::role(element.node).1).collect();
        for at in 1..self.elements.len() {
            let element = &self.elements[at];
            let around = self.elements[element.parent].beside || dropped.contains(&element.node.id());
            if around || element.chars == 0 {
                self.elements[at].beside = around;
                continue;
            }
            let (role, word) = vocabulary::role(element.node);
            let percent = match role {
                Role::Plain => continue,
                role if role != Role::Hidden && self.elements[element.parent].is_code => continue,
                Role::Paid => {
                    paid.push(at);
                    continue;
                }
                Role::Hidden => CERTAIN_PERCENT,
                // Within a line, words name what is said more often than what it is.
                Role::Apart if element.is_block || element.node.is(&local_name!("span")) => SURE_PERCENT,
                Role::Beside if element.is_block || element.node.is(&local_name!("span")) => CERTAIN_PERCENT,
                _ if !element.is_block || frames.contains(&word) => continue,
                Role::Picture if element.media == 0 => continue,
                Role::Picture | Role::Player if element.chars >= CAPTION_CHARS_MAX * element.media.max(1) => {
                    continue;
                }
                // A long paragraph is a paragraph, whatever it is called.
                Role::Around if element.prose == element.chars && element.chars > PARAGRAPH_CHARS => continue,
                Role::Picture | Role::Player | Role::Around | Role::Teaser | Role::Beside | Role::Apart => {
                    LIKELY_PERCENT
                }
            };
            self.elements[at].beside = share(element) < (all * percent).max(1);
        }
        paid
    }
}

/// Cuts the page into elements and leaves, in one walk.
struct Walk<'a> {
    elements: Vec<Element<'a>>,
    leaves: Vec<Leaf>,
    /// The leaf that has begun and not ended.
    leaf: Option<Leaf>,
    /// Its last character that is no closing quotation mark or bracket.
    last: char,
    sentences: u32,
    /// The innermost element that was gone into.
    element: usize,
    /// The innermost of those that makes a block.
    block: usize,
    link: Link,
    /// Line breaks since the last text.
    breaks: u32,
}

/// The link that text stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    None,
    /// None of its text was seen so far.
    Fresh,
    Begun,
}

impl<'a> Walk<'a> {
    fn new(top: Node<'a>) -> Self {
        let first = Element {
            node: top,
            parent: 0,
            end: 0,
            is_block: true,
            level: 0,
            is_code: false,
            beside: false,
            chars: 0,
            link_chars: 0,
            prose: 0,
            links: 0,
            media: 0,
        };
        Self {
            elements: vec![first],
            leaves: Vec::new(),
            leaf: None,
            last: ' ',
            sentences: 0,
            element: 0,
            block: 0,
            link: Link::None,
            breaks: 0,
        }
    }

    fn run(&mut self) {
        let top = self.elements[0].node;
        let mut next = top.first_child();
        while let Some(node) = next {
            let mut inside = None;
            if let Some(text) = node.as_text() {
                self.text(node, text);
            } else if let Some(flow) = flow_of(node) {
                match flow {
                    Flow::Absent if is_media(node) => self.elements[self.element].media += 1,
                    Flow::Absent => {}
                    flow => {
                        self.enter(node, flow == Flow::Block);
                        inside = node.first_child();
                        if inside.is_none() {
                            self.leave();
                        }
                    }
                }
            }
            next = inside.or_else(|| self.after(node, top));
        }
        self.end_leaf();
        self.elements[0].end = self.elements.len();
    }

    /// What follows a node that is over, leaving the elements that are over with it.
    fn after(&mut self, mut node: Node<'a>, top: Node<'a>) -> Option<Node<'a>> {
        loop {
            if let Some(next) = node.next() {
                return Some(next);
            }
            node = node.parent()?;
            if node == top {
                return None;
            }
            self.leave();
        }
    }

    fn enter(&mut self, node: Node<'a>, is_block: bool) {
        match node.name() {
            Some(&local_name!("br")) => {
                // Two line breaks part paragraphs.
                self.breaks += 1;
                if self.breaks == 2 {
                    self.end_leaf();
                }
            }
            Some(&local_name!("a")) => {
                // A link to a part of the same page leads nowhere else.
                let address = node.attribute("href").map_or("", str::trim);
                let elsewhere = !address.is_empty() && !address.starts_with('#');
                self.link = if elsewhere { Link::Fresh } else { Link::None };
            }
            _ if is_block => {
                self.breaks = 0;
                self.end_leaf();
            }
            _ => {}
        }
        let at = self.elements.len();
        self.elements.push(Element {
            node,
            parent: self.element,
            end: at + 1,
            is_block: is_block && !node.is(&local_name!("br")),
            level: heading_level(node).unwrap_or(self.elements[self.element].level),
            is_code: self.elements[self.element].is_code || is_code(node),
            ..self.elements[0]
        });
        self.element = at;
        if self.elements[at].is_block {
            self.block = at;
        }
    }

    fn leave(&mut self) {
        let at = self.element;
        let end = self.elements.len();
        let element = &mut self.elements[at];
        element.end = end;
        let (is_block, is_link) = (element.is_block, element.node.is(&local_name!("a")));
        self.element = element.parent;
        if is_link {
            self.link = Link::None;
        }
        if is_block {
            self.breaks = 0;
            self.end_leaf();
            self.block = self.block_around(self.element);
        }
    }

    fn block_around(&self, mut element: usize) -> usize {
        while !self.elements[element].is_block {
            element = self.elements[element].parent;
        }
        element
    }

    fn text(&mut self, node: Node<'a>, text: &str) {
        let Measure { chars, sentences, last } = Measure::of(text);
        let Some(last) = last else { return };
        self.breaks = 0;
        self.elements[self.element].chars += chars;
        let leaf = self.leaf.get_or_insert(Leaf {
            owner: self.block,
            first: node.id(),
            looks: Looks::Fragment,
            chars: 0,
            link_chars: 0,
            links: 0,
            has_sentence: false,
        });
        leaf.chars += chars;
        self.sentences += sentences;
        self.last = last;
        if self.link != Link::None {
            leaf.link_chars += chars;
            leaf.links += u32::from(self.link == Link::Fresh);
            self.link = Link::Begun;
        }
    }

    fn end_leaf(&mut self) {
        let Some(mut leaf) = self.leaf.take() else { return };
        leaf.has_sentence = self.sentences > 0 || ends_sentence(self.last);
        self.sentences = 0;
        leaf.looks = if leaf.link_chars * 2 > leaf.chars {
            Looks::Links
        } else if self.elements[leaf.owner].level > 0 {
            Looks::Heading
        } else if leaf.has_sentence && leaf.chars >= PROSE_CHARS_MIN {
            Looks::Prose
        } else {
            Looks::Fragment
        };
        self.leaves.push(leaf);
    }
}

/// What a text node adds to its leaf.
struct Measure {
    chars: u32,
    /// Sentences that are followed by another.
    sentences: u32,
    /// The last character that is no closing quotation mark or bracket; `None` where there is only white space.
    last: Option<char>,
}

impl Measure {
    fn of(text: &str) -> Self {
        if text.is_ascii() { Self::of_ascii(text.as_bytes()) } else { Self::of_any(text) }
    }

    fn of_any(text: &str) -> Self {
        let mut measure = Self { chars: 0, sentences: 0, last: None };
        for c in text.chars() {
            if c.is_whitespace() {
                measure.sentences += u32::from(measure.last.is_some_and(ends_sentence));
                continue;
            }
            measure.chars += 1;
            if c >= '\u{2e80}' && is_wide(c) {
                measure.chars += 1;
                // No space follows a full stop in these scripts.
                measure.sentences += u32::from(ends_sentence(c));
            }
            // `”` after a full stop ends the same sentence.
            if !(measure.last.is_some_and(ends_sentence) && closes(c)) {
                measure.last = Some(c);
            }
        }
        measure
    }

    /// The same for ASCII, where counting needs no decoding and full stops can be searched for.
    fn of_ascii(text: &[u8]) -> Self {
        let chars = text.iter().filter(|byte| !is_space(**byte)).count();
        let trimmed = text.trim_ascii_end();
        let closing = trimmed.iter().rev().take_while(|byte| closes(char::from(**byte))).count();
        let (said, closed) = trimmed.split_at(trimmed.len() - closing);
        let last = match (said.last(), closed.first()) {
            (Some(&last), _) if closed.is_empty() || ends_sentence(char::from(last)) => Some(last),
            (_, Some(_)) => closed.last().copied(),
            (last, None) => last.copied(),
        };
        let sentences = memchr::memchr3_iter(b'.', b'!', b'?', text).filter(|&at| {
            let after = text[at + 1..].iter().find(|byte| !closes(char::from(**byte)));
            after.is_some_and(|byte| is_space(*byte))
        });
        let sentences = u32::try_from(sentences.count()).unwrap_or(u32::MAX);
        Self { chars: u32::try_from(chars).unwrap_or(u32::MAX), sentences, last: last.map(char::from) }
    }
}

/// What counts as white space in ASCII.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '۔' | '؟' | '։' | '።')
}

fn closes(c: char) -> bool {
    matches!(c, '"' | '\'' | '”' | '’' | '“' | '»' | '«' | '›' | ')' | ']' | '」' | '』')
}

/// The level of the heading that an element is.
pub(super) fn heading_level(node: Node<'_>) -> Option<u8> {
    match node.name() {
        Some(&local_name!("h1")) => Some(1),
        Some(&local_name!("h2")) => Some(2),
        Some(&local_name!("h3")) => Some(3),
        Some(&local_name!("h4")) => Some(4),
        Some(&local_name!("h5")) => Some(5),
        Some(&local_name!("h6")) => Some(6),
        _ => None,
    }
}

/// Whether an element holds what programs read or say.
pub(super) fn is_code(node: Node<'_>) -> bool {
    matches!(
        node.name(),
        Some(&local_name!("pre") | &local_name!("code") | &local_name!("samp") | &local_name!("kbd"))
    )
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
