//! The article's text among everything else that a page shows.

mod build;
mod leaves;
mod vocabulary;

use html5ever::local_name;

use crate::declared::Declared;
use crate::dom::{Node, NodeId};
use crate::page::Page;
use crate::{Block, Notice, NoticeCode, Place, text};

use leaves::{Cutter, Leaf, Step, ends_sentence, walk};
use vocabulary::{Role, role};

/// The text that was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) blocks: Vec<Block>,
    /// The element that holds all of it; `None` where the text was read from elsewhere, or not found.
    pub(crate) container: Option<NodeId>,
    /// The first text of the first block.
    pub(crate) first: Option<NodeId>,
    pub(crate) place: Option<Place>,
}

pub(crate) fn find(page: Page<'_>, declared: &Declared<'_>, notices: &mut Vec<Notice>) -> Body {
    let survey = Survey::of(page.document.root());
    let Some(container) = survey.container() else {
        notices.push(Notice::new(NoticeCode::BodyNotFound, "no text was found that could be the article's"));
        return Body::default();
    };
    let titles = titles(declared);
    let (root, omitted) = survey.select(container, &titles);
    let blocks = survey.blocks(root, &omitted);
    Body { blocks, container: Some(root.id()), first: None, place: None }
}

/// What the page declares its headline to be, folded for comparison.
fn titles(declared: &Declared<'_>) -> Vec<String> {
    let metas = declared
        .metas
        .iter()
        .filter(|meta| ["og:title", "twitter:title", "title"].iter().any(|name| meta.is(name)));
    let mut titles: Vec<String> = metas.map(|meta| fold(meta.content)).collect();
    titles.extend(declared.title.map(|title| fold(&title.raw_text())));
    titles.retain(|title| !title.is_empty());
    titles
}

/// Letters and digits in lower case: what is left when two writings of a headline differ in nothing that matters.
fn fold(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What is known of an element.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// Characters below it.
    chars: u32,
    link_chars: u32,
    /// What the leaves below it are worth that are prose, whatever their surroundings.
    prose: i64,
    /// The same, without what is beside the article.
    good: i64,
    beside: bool,
}

struct Survey<'a> {
    top: Node<'a>,
    leaves: Vec<Leaf>,
    sums: Vec<Sum>,
    /// The elements that are shown, in document order.
    elements: Vec<NodeId>,
}

impl<'a> Survey<'a> {
    fn of(top: Node<'a>) -> Self {
        let document = top.document();
        let mut sums = vec![Sum::default(); document.len()];
        let mut elements = vec![top.id()];
        let mut leaves = Vec::new();
        let mut cutter = Cutter::new(top.id());
        walk(top, |step| {
            if let Step::Enter(node) = step {
                elements.push(node.id());
            }
            leaves.extend(cutter.take(step));
            true
        });
        leaves.extend(cutter.finish());
        for leaf in &leaves {
            let sum = &mut sums[leaf.owner.index()];
            sum.chars += leaf.chars;
            sum.link_chars += leaf.link_chars;
            sum.prose += worth(*leaf, document.node(leaf.owner));
        }
        let mut survey = Self { top, leaves, sums, elements };
        survey.accumulate(|sum, below| {
            sum.chars += below.chars;
            sum.link_chars += below.link_chars;
            sum.prose += below.prose;
        });
        survey.mark_beside();
        survey.weigh();
        survey
    }

    fn sum(&self, node: Node<'_>) -> &Sum {
        &self.sums[node.id().index()]
    }

    /// Adds to each element what is below it, from the inside out.
    fn accumulate(&mut self, add: impl Fn(&mut Sum, Sum)) {
        let document = self.top.document();
        for &id in self.elements.iter().rev() {
            let below = self.sums[id.index()];
            if let Some(parent) = document.node(id).parent() {
                add(&mut self.sums[parent.id().index()], below);
            }
        }
    }

    fn mark_beside(&mut self) {
        let document = self.top.document();
        let all = self.sums[self.top.id().index()].prose;
        for &id in &self.elements {
            let node = document.node(id);
            let above = node.parent().is_some_and(|parent| self.sum(parent).beside);
            let sum = self.sums[id.index()];
            let most = match role(node) {
                _ if sum.chars == 0 => 0,
                Role::Plain => 0,
                Role::Hidden | Role::Beside => 40,
                Role::Around => 15,
            };
            self.sums[id.index()].beside = above || most > 0 && sum.prose * 100 < (all * most).max(1);
        }
    }

    fn weigh(&mut self) {
        for leaf in &self.leaves {
            let sum = &mut self.sums[leaf.owner.index()];
            if !sum.beside {
                sum.good += worth(*leaf, self.top.document().node(leaf.owner)).max(0);
            }
        }
        self.accumulate(|sum, below| sum.good += below.good);
    }

    /// The element that holds the article's text: down from the top as long as one child holds nearly all that is good.
    fn container(&self) -> Option<Node<'a>> {
        let mut node = self.top;
        if self.sum(node).good == 0 {
            return None;
        }
        loop {
            let best = node
                .children()
                .filter(|child| child.name().is_some())
                .max_by_key(|child| self.sum(*child).good);
            match best {
                Some(child) if self.sum(child).good * 100 >= self.sum(node).good * 80 => node = child,
                _ => return Some(node),
            }
        }
    }

    /// Which leaves are the article's, and the element that holds them all.
    fn select(&self, container: Node<'a>, titles: &[String]) -> (Node<'a>, Vec<NodeId>) {
        let document = self.top.document();
        let within = |leaf: &Leaf, top: Node<'_>| {
            leaf.owner == top.id() || document.node(leaf.owner).ancestors().any(|above| above == top)
        };
        let mut inside: Vec<usize> =
            (0..self.leaves.len()).filter(|&at| within(&self.leaves[at], container)).collect();
        let (Some(&first), Some(&end)) = (inside.first(), inside.last()) else {
            return (container, Vec::new());
        };
        let first_good = inside.iter().copied().find(|&at| self.is_good(at)).unwrap_or(first);
        // The headline: the last heading before the text that says what the page is called.
        let headline = (0..first_good.max(first)).rev().find(|&at| self.is_headline(at, titles));
        let mut root = container;
        if let Some(headline) = headline {
            let node = document.node(self.leaves[headline].owner);
            if !within(&self.leaves[headline], container) {
                root = container
                    .ancestors()
                    .find(|above| node.ancestors().any(|other| other == *above))
                    .unwrap_or(container);
                inside = (headline + 1..=end).filter(|&at| within(&self.leaves[at], root)).collect();
            }
        }
        let start = headline.map_or(first, |headline| headline + 1);
        let mut keep: Vec<bool> = inside
            .iter()
            .map(|&at| {
                if at < start || self.sum(document.node(self.leaves[at].owner)).beside {
                    return false;
                }
                let leaf = &self.leaves[at];
                if at < first_good {
                    return heading_level(document.node(leaf.owner)).is_some() && at >= first
                        || self.is_standfirst(leaf);
                }
                !self.is_link(leaf) && !self.in_link_list(leaf)
            })
            .collect();
        // After the last good leaf nothing follows but what belongs to it.
        let last = inside.iter().rposition(|&at| self.is_good(at));
        if let Some(last) = last {
            for at in last + 1..keep.len() {
                let owner = document.node(self.leaves[inside[at]].owner);
                keep[at] &= self.ends(inside[at])
                    || matches!(owner.name(), Some(&local_name!("li") | &local_name!("td")));
            }
        }
        // A heading with nothing under it is a heading of what was left out.
        let mut under = None;
        for at in (0..keep.len()).rev() {
            if !keep[at] {
                continue;
            }
            match heading_level(document.node(self.leaves[inside[at]].owner)) {
                None => under = Some(u8::MAX),
                Some(level) if under.is_some_and(|below| below > level) => under = Some(level),
                Some(_) => keep[at] = false,
            }
        }
        let mut omitted: Vec<NodeId> = Vec::new();
        for (index, leaf) in self.leaves.iter().enumerate() {
            let kept = inside.binary_search(&index).is_ok_and(|at| keep[at]);
            if !kept {
                omitted.push(leaf.first);
            }
        }
        omitted.sort_unstable();
        (root, omitted)
    }

    fn is_good(&self, at: usize) -> bool {
        let leaf = &self.leaves[at];
        let owner = self.top.document().node(leaf.owner);
        !self.sum(owner).beside && worth(*leaf, owner) > 0
    }

    fn ends(&self, at: usize) -> bool {
        let leaf = &self.leaves[at];
        leaf.sentences > 0 || ends_sentence(leaf.last)
    }

    fn is_link(&self, leaf: &Leaf) -> bool {
        leaf.link_chars * 10 >= leaf.chars * 9
    }

    fn in_link_list(&self, leaf: &Leaf) -> bool {
        let owner = self.top.document().node(leaf.owner);
        std::iter::once(owner).chain(owner.ancestors()).take_while(|node| *node != self.top).any(|node| {
            matches!(node.name(), Some(&local_name!("ul") | &local_name!("ol")))
                && self.sum(node).link_chars * 10 >= self.sum(node).chars * 7
        })
    }

    fn is_standfirst(&self, leaf: &Leaf) -> bool {
        let sentences = leaf.sentences + u32::from(ends_sentence(leaf.last));
        leaf.link_chars * 3 < leaf.chars && leaf.chars >= 40 && sentences > 0
            || leaf.link_chars == 0 && leaf.chars >= 80
    }

    fn is_headline(&self, at: usize, titles: &[String]) -> bool {
        let leaf = &self.leaves[at];
        let owner = self.top.document().node(leaf.owner);
        let Some(level) = heading_level(owner) else { return false };
        if level == 1 {
            return true;
        }
        let own = fold(&text::of(owner));
        own.len() > 8 && titles.iter().any(|title| title.starts_with(&own))
    }

    fn blocks(&self, root: Node<'a>, omitted: &[NodeId]) -> Vec<Block> {
        let omit = |node: Node<'_>| self.sum(node).beside;
        let omit_leaf = |node: Node<'_>| omitted.binary_search(&node.id()).is_ok();
        build::Builder::new(&omit, &omit_leaf).build(root)
    }
}

/// The level of the heading that an element is, or is in.
fn heading_level(node: Node<'_>) -> Option<u8> {
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

/// What a leaf is worth as a sign of an article.
fn worth(leaf: Leaf, owner: Node<'_>) -> i64 {
    let chars = i64::from(leaf.chars);
    let links = i64::from(leaf.link_chars);
    let sentences = i64::from(leaf.sentences) + i64::from(ends_sentence(leaf.last));
    if heading_level(owner).is_some() || links * 2 > chars || sentences == 0 || chars < 40 {
        0
    } else {
        chars
    }
}
