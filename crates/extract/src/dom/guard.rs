//! Parsing within bounds: whatever the page, the tree is made in time and memory that grow with its length and no faster.
//!
//! The standard's tree construction is quadratic in places that no ordinary page reaches: every start tag may look through all open elements, every
//! attribute is compared with those before it, and formatting elements left open are made anew in each paragraph. Three limits keep
//! that away, and none of them loses text: tags below a depth are skipped (their text stays, in the element above), attributes
//! beyond a number are skipped, and a page that makes more nodes than its length can account for, or than any article needs, is refused.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::Tracer;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{Rawtext, ScriptData};
use html5ever::tokenizer::{
    CharacterTokens, EndTag, StartTag, TagToken, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{ElementFlags, TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{LocalName, QualName, TokenizerResult, local_name, ns};

use super::attributes::{self, ATTRIBUTES_MAX};
use super::sink::Sink;
use super::{Document, NodeId, raw};

/// Open elements, and formatting elements to be opened again. libxml2 stops at 256 by default; Blink at 512; real articles stay under 80.
const OPEN_ELEMENTS_MAX: u32 = 256;
/// A page makes a node for every two bytes at the very most (`<p>a` repeated) …
const BYTES_A_NODE_MIN: usize = 2;
/// … and so many more, which are the elements that a short page is given without asking.
const NODES_FREE: usize = 65_536;
/// Whatever its length, a page makes no more than this. The largest of 867 pages from everywhere makes 28,000; at a hundred bytes each, this many
/// take a hundred megabytes.
const NODES_MAX: usize = 1_000_000;
/// The values of attributes take so many bytes for each of the page, and some more. More than a few is only made where formatting elements that are
/// left open are made anew, with their attributes, in each paragraph.
const VALUE_BYTES_A_BYTE: usize = 16;
const VALUE_BYTES_FREE: usize = 1024 * 1024;
/// A page of 867 in two has a node for fewer bytes than this; the others make room for more as they go.
const BYTES_A_NODE: usize = 16;
/// The text is handed to the tokenizer in pieces of this size, so that it is noticed soon when the budget is used up, or a tag does not end. A
/// tag of this length has at most 2,000 attributes.
const PIECE_BYTES: u32 = 4 * 1024;

/// What is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A whole page, without the text of style sheets and programs.
    Page,
    /// A whole page, with them.
    PageWithPrograms,
    /// A piece of HTML as it stands in a JSON field, read as the content of a `body`.
    Fragment,
}

/// The page makes more nodes than its length can account for, or than any article needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyNodes;

/// Why a parse was given up.
enum Stop {
    TooManyNodes,
    /// A tag has attributes beyond the limit; the text without them.
    Attributes(String),
}

/// Parses a decoded page, or a fragment of one.
pub(crate) fn parse(text: &str, kind: Kind) -> Result<Document, TooManyNodes> {
    match attempt(text, kind, false) {
        Ok(document) => Ok(document),
        Err(Stop::TooManyNodes) => Err(TooManyNodes),
        Err(Stop::Attributes(text)) => match attempt(&text, kind, true) {
            Ok(document) => Ok(Document { simplified: true, ..document }),
            Err(_) => Err(TooManyNodes),
        },
    }
}

/// Parses once. Whether tags are short is looked at where there is reason to, unless it `is_known`.
fn attempt(text: &str, kind: Kind, mut is_known: bool) -> Result<Document, Stop> {
    let expected = text.len() / BYTES_A_NODE;
    let budget = NODES_MAX.min(NODES_FREE + text.len() / BYTES_A_NODE_MIN);
    let values = VALUE_BYTES_FREE + text.len().saturating_mul(VALUE_BYTES_A_BYTE);
    let sink = Sink::new(budget, values, expected.min(budget), kind == Kind::PageWithPrograms);
    let options = TreeBuilderOpts::default();
    let (builder, initial_state) = match kind {
        Kind::Page | Kind::PageWithPrograms => (TreeBuilder::new(sink, options), None),
        Kind::Fragment => {
            let body = sink.create_element(
                QualName::new(None, ns!(html), local_name!("body")),
                Vec::new(),
                ElementFlags::default(),
            );
            let builder = TreeBuilder::new_for_fragment(sink, body, None, options);
            let state = builder.tokenizer_state_for_context_elem(true);
            (builder, Some(state))
        }
    };
    let tokenizer = Tokenizer::new(
        Guard {
            builder,
            text: StrTendril::from(text),
            handed: Cell::new(0),
            input: BufferQueue::default(),
            skipped: RefCell::default(),
            saturated: Cell::new(false),
            simplified: Cell::new(false),
            silent: Cell::new(true),
            attributes: Cell::new(0),
        },
        TokenizerOpts { initial_state, ..TokenizerOpts::default() },
    );
    let guard = &tokenizer.sink;
    while guard.hand_on() {
        guard.silent.set(true);
        // Scripts and charset declarations pause the tokenizer; neither changes how we go on.
        while !matches!(tokenizer.feed(&guard.input), TokenizerResult::Done) {}
        if guard.builder.sink.is_exhausted() {
            return Err(Stop::TooManyNodes);
        }
        // A piece without a token is within a long tag, or a long comment or attribute.
        if !is_known && (guard.silent.get() || guard.attributes.get() > ATTRIBUTES_MAX) {
            if let Cow::Owned(shorter) = attributes::bounded(text) {
                return Err(Stop::Attributes(shorter));
            }
            is_known = true;
        }
    }
    tokenizer.end();
    if guard.builder.sink.is_exhausted() {
        return Err(Stop::TooManyNodes);
    }
    let simplified = guard.simplified.get();
    let mut document = tokenizer.sink.builder.sink.finish();
    document.simplified |= simplified;
    Ok(document)
}

/// Stands between tokenizer and tree builder, and skips tags that would nest too deep.
struct Guard {
    builder: TreeBuilder<NodeId, Sink>,
    /// The whole text.
    text: StrTendril,
    /// How much of it the tokenizer was handed.
    handed: Cell<u32>,
    /// What the tokenizer was handed and has not read.
    input: BufferQueue,
    /// Names of the elements whose start tags were skipped, innermost last.
    skipped: RefCell<Vec<LocalName>>,
    /// Whether the limit was reached, and nothing was closed since.
    saturated: Cell<bool>,
    simplified: Cell<bool>,
    /// Whether no token came since this was set.
    silent: Cell<bool>,
    /// The most attributes that a tag had.
    attributes: Cell<usize>,
}

impl Guard {
    /// Hands the tokenizer the next piece; `false` where nothing is left.
    fn hand_on(&self) -> bool {
        let at = self.handed.get();
        let left = self.text.len32().saturating_sub(at);
        let is_end = |length: &u32| self.text.is_char_boundary((at + length) as usize);
        let length = (1..=left.min(PIECE_BYTES)).rev().find(is_end).unwrap_or(left);
        self.input.push_back(self.text.subtendril(at, length));
        self.handed.set(at + length);
        length > 0
    }

    /// Reads the text of an element in the tokenizer's stead, from behind its start tag up to its end tag.
    fn take_raw(&self, name: &str, line: u64) {
        let ahead = self.input.pop_front().unwrap_or_default();
        let at = self.handed.get().saturating_sub(ahead.len32());
        let is_kept = !self.builder.sink.is_last_mute();
        let rest = self.text.get(at as usize..).unwrap_or_default();
        let length = raw::length(rest, name, is_kept).and_then(|length| u32::try_from(length).ok());
        let Some(length) = length.filter(|_| self.input.is_empty()) else {
            self.input.push_front(ahead);
            return;
        };
        if is_kept && length > 0 {
            // Text in a raw element asks nothing of the tokenizer.
            let _ = self.builder.process_token(CharacterTokens(self.text.subtendril(at, length)), line);
        }
        let end = at + length;
        if end < self.handed.get() {
            self.input.push_front(self.text.subtendril(end, self.handed.get() - end));
        } else {
            self.handed.set(end);
        }
    }

    /// Whether the builder holds as many open elements as it may. Asked only near the limit, for it counts them.
    fn is_full(&self) -> bool {
        if self.builder.sink.last_depth() < OPEN_ELEMENTS_MAX / 2 {
            return false;
        }
        if !self.saturated.get() {
            let count = Count(Cell::new(0));
            self.builder.trace_handles(&count);
            self.saturated.set(count.0.get() >= OPEN_ELEMENTS_MAX);
        }
        self.saturated.get()
    }

    /// Whether the end tag closes an element whose start tag was skipped.
    fn closes_skipped(&self, name: &LocalName) -> bool {
        let mut skipped = self.skipped.borrow_mut();
        // Looking far back would be quadratic again; end tags out of order that far down close nothing.
        let near = skipped.iter().rev().take(8).position(|open| open == name);
        if let Some(above) = near {
            let length = skipped.len() - above - 1;
            skipped.truncate(length);
        }
        near.is_some()
    }
}

impl TokenSink for Guard {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        self.silent.set(false);
        if let TagToken(tag) = &token {
            self.attributes.set(self.attributes.get().max(tag.attrs.len()));
            match tag.kind {
                // What the tokenizer must treat as raw text is let through: it holds no tags and its end tag comes.
                StartTag if self.is_full() && !is_raw(&tag.name) => {
                    if !tag.self_closing && !is_void(&tag.name) {
                        self.skipped.borrow_mut().push(tag.name.clone());
                    }
                    self.simplified.set(true);
                    return TokenSinkResult::Continue;
                }
                StartTag => {
                    let name = tag.name.clone();
                    let result = self.builder.process_token(token, line);
                    if let TokenSinkResult::RawData(Rawtext | ScriptData) = result {
                        self.take_raw(&name, line);
                    }
                    return result;
                }
                EndTag => {
                    if !self.skipped.borrow().is_empty() && self.closes_skipped(&tag.name) {
                        return TokenSinkResult::Continue;
                    }
                    self.saturated.set(false);
                }
            }
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

fn is_raw(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("noscript")
            | local_name!("plaintext")
            | local_name!("script")
            | local_name!("style")
            | local_name!("textarea")
            | local_name!("title")
            | local_name!("xmp")
    )
}

fn is_void(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("hr")
            | local_name!("img")
            | local_name!("input")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("param")
            | local_name!("source")
            | local_name!("track")
            | local_name!("wbr")
    )
}

/// Counts what the tree builder holds.
struct Count(Cell<u32>);

impl Tracer for Count {
    type Handle = NodeId;

    fn trace_handle(&self, _: &NodeId) {
        self.0.set(self.0.get() + 1);
    }
}
