//! The article's text among everything else that a page shows.

mod build;
pub(crate) mod fragment;
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
    let mut survey = Survey::of(page.document.root());
    let headline = survey.headline(&titles(declared));
    if let Some(headline) = headline {
        survey.admit_teaser(headline);
    }
    survey.weigh(headline);
    let Some(container) = survey.container(headline) else {
        notices.push(Notice::new(NoticeCode::BodyNotFound, "no text was found that could be the article's"));
        return Body::default();
    };
    let (root, omitted) = survey.select(container, headline);
    let blocks = survey.blocks(root, &omitted);
    Body { blocks, container: Some(root.id()), first: None, place: None }
}

/// What the page declares its headline to be.
struct Title {
    /// Letters and digits, folded for comparison.
    folded: String,
}

fn titles(declared: &Declared<'_>) -> Vec<Title> {
    let named = ["og:title", "twitter:title", "title", "headline"];
    let metas = declared
        .metas
        .iter()
        .filter(|meta| named.iter().any(|name| meta.is(name)))
        .map(|meta| fold(meta.content));
    let title = declared.title.map(|title| fold(&title.raw_text()));
    metas.chain(title).filter(|folded| !folded.is_empty()).map(|folded| Title { folded }).collect()
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
    /// Those of them that stand in links.
    link_chars: u32,
    /// Characters of prose below it.
    prose: u32,
    /// Leaves of prose whose nearest company is here.
    paragraphs: u32,
    own_prose: u32,
    /// What speaks for an article below it, beside it not counted.
    weight: f32,
    /// Characters in leaves that are mostly links.
    links: u32,
    /// Pictures and players below it.
    media: u32,
    beside: bool,
}

/// What a leaf looks like by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    Heading,
    /// Mostly links.
    Links,
    /// A sentence at least.
    Prose,
    /// A label, an item of a list, a line.
    Fragment,
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
            match step {
                Step::Enter(node) => elements.push(node.id()),
                Step::Media(node) => {
                    if let Some(parent) = node.parent() {
                        sums[parent.id().index()].media += 1;
                    }
                }
                Step::Text(node, text) => {
                    if let Some(parent) = node.parent() {
                        sums[parent.id().index()].chars += leaves::chars(text);
                    }
                }
                Step::Leave(_) => {}
            }
            leaves.extend(cutter.take(step));
            true
        });
        leaves.extend(cutter.finish());
        for leaf in &leaves {
            let sum = &mut sums[leaf.owner.index()];
            sum.link_chars += leaf.link_chars;
            match looks(leaf, document.node(leaf.owner)) {
                Looks::Prose => sum.prose += leaf.chars,
                Looks::Links => sum.links += leaf.chars,
                Looks::Heading | Looks::Fragment => {}
            }
        }
        let mut survey = Self { top, leaves, sums, elements };
        survey.accumulate(|sum, below| {
            sum.chars += below.chars;
            sum.link_chars += below.link_chars;
            sum.prose += below.prose;
            sum.links += below.links;
            sum.media += below.media;
        });
        survey.mark_beside();
        survey
    }

    fn sum(&self, node: Node<'_>) -> &Sum {
        &self.sums[node.id().index()]
    }

    fn owner(&self, at: usize) -> Node<'a> {
        self.top.document().node(self.leaves[at].owner)
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
        let all = u64::from(self.sum(self.top).prose);
        let roles: Vec<(Role, u16)> =
            self.elements
                .iter()
                .map(|&id| {
                    if self.sums[id.index()].chars == 0 { (Role::Plain, 0) } else { role(document.node(id)) }
                })
                .collect();
        // How much prose stands under each word, counted once where elements of the same word are nested.
        let mut under = [0u64; 65536 / 64];
        let mut covered = vec![0u16; self.sums.len()];
        {
            for (&id, &(_, word)) in self.elements.iter().zip(&roles) {
                let above = document.node(id).parent().map_or(0, |parent| covered[parent.id().index()]);
                covered[id.index()] = if word != 0 { word } else { above };
                if word != 0 && above != word {
                    let own = u64::from(self.sums[id.index()].prose);
                    under[usize::from(word)] = own.max(under[usize::from(word)]);
                }
            }
        }
        for (&id, &(role, word)) in self.elements.iter().zip(&roles) {
            let node = document.node(id);
            let above = node.parent().is_some_and(|parent| self.sum(parent).beside);
            let sum = self.sums[id.index()];
            let most = match role {
                _ if sum.chars == 0 => 0,
                Role::Plain => 0,
                // Within a line, words name what is said more often than what it is.
                Role::Picture | Role::Player | Role::Around | Role::Teaser if !is_block(node) => 0,
                Role::Beside if !is_block(node) && !node.is(&local_name!("span")) => 0,
                // A word that stands over most of the text says nothing on this page.
                Role::Around
                    if under[usize::from(word)] * 10 > all * 6 && !vocabulary::is_of_readers(word) =>
                {
                    0
                }
                Role::Hidden | Role::Beside => 40,
                Role::Around if sum.prose == sum.chars && sum.chars > 250 => 0,
                Role::Around | Role::Player | Role::Teaser => 15,
                Role::Picture if sum.media > 0 && sum.chars < 500 => 15,
                Role::Picture => 0,
            };
            self.sums[id.index()].beside =
                above || most > 0 && u64::from(sum.prose) * 100 < (all * most).max(1);
        }
    }

    /// Which leaf says what the page is called.
    fn headline(&self, titles: &[Title]) -> Option<usize> {
        let mut best: Option<(u8, usize)> = None;
        for at in 0..self.leaves.len() {
            let owner = self.owner(at);
            let level = heading_level(owner);
            let leaf = &self.leaves[at];
            if self.sum(owner).beside && level != Some(1) || leaf.chars > 400 {
                continue;
            }
            let rank = match level {
                Some(level) => {
                    let own = fold(&text::of(owner));
                    let like = |title: &Title| {
                        let (short, long) = if own.len() < title.folded.len() {
                            (&own, &title.folded)
                        } else {
                            (&title.folded, &own)
                        };
                        short.len() > 8 && short.len() * 10 >= long.len() * 6 && long.contains(short.as_str())
                    };
                    if own.len() < 4 {
                        9
                    } else if titles.iter().any(|title| title.folded == own) {
                        0
                    } else if titles.iter().any(like) {
                        if level == 1 { 1 } else { 2 }
                    } else if level == 1 {
                        3
                    } else {
                        9
                    }
                }
                None => 9,
            };
            if rank < 9 && best.is_none_or(|(known, _)| rank < known) {
                best = Some((rank, at));
            }
        }
        best.map(|(_, at)| at)
    }

    /// Takes back that a teaser is beside the article where it stands right under the headline: there it is the standfirst.
    fn admit_teaser(&mut self, headline: usize) {
        let document = self.top.document();
        for at in headline + 1..self.leaves.len().min(headline + 4) {
            let leaf = &self.leaves[at];
            let owner = document.node(leaf.owner);
            let way: Vec<_> = std::iter::once(owner)
                .chain(owner.ancestors())
                .take_while(|node| self.sum(*node).beside)
                .collect();
            let Some(outermost) = way.last() else { continue };
            if role(*outermost).0 == Role::Teaser && self.is_standfirst(leaf) {
                for node in way.into_iter().chain(owner.descendants()) {
                    self.sums[node.id().index()].beside = false;
                }
                return;
            }
        }
    }

    /// Weighs the leaves that are not beside the article and come after its headline, and with them the elements.
    fn weigh(&mut self, headline: Option<usize>) {
        let document = self.top.document();
        let after = headline.map_or(0, |at| at + 1);
        // A heading that hardly anything follows is none of this article's.
        let prose = |leaves: &[Leaf]| {
            leaves
                .iter()
                .filter(|leaf| looks(leaf, document.node(leaf.owner)) == Looks::Prose)
                .map(|leaf| leaf.chars)
                .sum::<u32>()
        };
        let after = if prose(&self.leaves[after..]) * 4 < prose(&self.leaves) { 0 } else { after };
        let groups: Vec<Option<NodeId>> = self
            .leaves
            .iter()
            .map(|leaf| {
                let owner = document.node(leaf.owner);
                let counts = !self.sum(owner).beside && looks(leaf, owner) == Looks::Prose;
                counts.then(|| self.company(owner).id())
            })
            .collect();
        for (leaf, group) in self.leaves.iter().zip(&groups).skip(after) {
            if let Some(group) = group {
                self.sums[group.index()].paragraphs += 1;
                self.sums[group.index()].own_prose += leaf.chars;
            }
        }
        for (leaf, group) in self.leaves.iter().zip(groups).skip(after) {
            let owner = document.node(leaf.owner);
            if self.sum(owner).beside {
                continue;
            }
            let share = match (looks(leaf, owner), group) {
                (Looks::Heading | Looks::Links, _) => 0.0,
                // A short paragraph with no other beside it is a teaser as often as not.
                (_, Some(group)) if self.sums[group.index()].paragraphs < 2 && leaf.chars < 250 => 0.5,
                (Looks::Prose, _) => 1.0,
                (Looks::Fragment, _) if leaf.chars >= 40 => 0.5,
                (Looks::Fragment, _) => 0.3,
            };
            self.sums[leaf.owner.index()].weight += share * leaf.chars as f32;
        }
        self.accumulate(|sum, below| sum.weight += below.weight);
    }

    /// The nearest element around a paragraph that holds anything else.
    fn company(&self, owner: Node<'a>) -> Node<'a> {
        let chars = self.sum(owner).chars;
        owner.ancestors().find(|above| self.sum(*above).chars > chars).unwrap_or(self.top)
    }

    /// The element that holds the article's text.
    fn container(&self, headline: Option<usize>) -> Option<Node<'a>> {
        if self.sum(self.top).weight == 0.0 {
            return None;
        }
        let mut node = headline.map_or(self.top, |at| self.scope(at));
        // Down as long as one child holds most of it.
        loop {
            let heaviest = node
                .children()
                .filter(|child| child.name().is_some())
                .max_by(|one, other| self.sum(*one).weight.total_cmp(&self.sum(*other).weight));
            match heaviest {
                Some(child)
                    if self.sum(child).weight >= 0.75 * self.sum(node).weight
                        && !(self.sum(node).paragraphs > 1
                            && self.sum(node).own_prose as f32 >= 0.05 * self.sum(node).weight) =>
                {
                    node = child;
                }
                _ => return Some(node),
            }
        }
    }

    /// The element around a headline within which its article is to be found: up from the headline as long as that adds more of an article
    /// than of links.
    fn scope(&self, headline: usize) -> Node<'a> {
        let mut scope = self.owner(headline);
        for above in scope.ancestors() {
            let (inner, outer) = (self.sum(scope), self.sum(above));
            let gain = outer.weight - inner.weight;
            let links = (outer.links - inner.links) as f32;
            let other = (outer.chars - inner.chars) as f32 - gain;
            if inner.weight < 150.0 || gain >= 2.5 * links && gain >= other {
                scope = above;
            }
        }
        scope
    }

    /// Which leaves are left out, and the element that holds all the others.
    fn select(&self, container: Node<'a>, headline: Option<usize>) -> (Node<'a>, Vec<NodeId>) {
        let within = |at: usize, top: Node<'_>| {
            let owner = self.owner(at);
            owner == top || owner.ancestors().any(|above| above == top)
        };
        let mut inside: Vec<usize> = (0..self.leaves.len()).filter(|&at| within(at, container)).collect();
        let (Some(&first), Some(&end)) = (inside.first(), inside.last()) else {
            return (container, Vec::new());
        };
        let headline = headline.filter(|&at| at < end);
        let mut root = container;
        if let Some(headline) = headline
            && !within(headline, container)
            && headline < first
        {
            let node = self.owner(headline);
            root = container
                .ancestors()
                .find(|above| node.ancestors().any(|other| other == *above))
                .unwrap_or(container);
            inside = (headline + 1..=end).filter(|&at| within(at, root)).collect();
        }
        let start = headline.map_or(first, |headline| headline + 1);
        let first_good = inside
            .iter()
            .copied()
            .find(|&at| at >= start && at >= first && self.is_good(at))
            .unwrap_or(first);
        let mut keep: Vec<bool> = inside
            .iter()
            .map(|&at| {
                let (leaf, owner) = (&self.leaves[at], self.owner(at));
                if at < start || self.sum(owner).beside {
                    return false;
                }
                if at < first {
                    return self.is_standfirst(leaf);
                }
                if at < first_good
                    && !(heading_level(owner).is_some()
                        || self.ends(at)
                        || leaf.chars >= 60
                        || owner.is(&local_name!("li")))
                {
                    return false;
                }
                (heading_level(owner).is_some() || !self.is_link(leaf))
                    && !self.in_link_list(at)
                    && !self.is_label(at)
                    && !self.is_caption(at)
            })
            .collect();
        // After the last good leaf nothing follows but what belongs to it.
        if let Some(last) = inside.iter().rposition(|&at| self.is_good(at)) {
            let of = |range: std::ops::Range<usize>| {
                range.filter(|&at| keep[at]).map(|at| self.leaves[inside[at]].chars).sum::<u32>()
            };
            let after =
                if of(last + 1..keep.len()) * 100 > of(0..last + 1) * 25 { keep.len() } else { last + 1 };
            for at in after..keep.len() {
                let (leaf, owner) = (&self.leaves[inside[at]], self.owner(inside[at]));
                keep[at] &= self.ends(inside[at])
                    || leaf.chars >= 60 && leaf.link_chars == 0
                    || matches!(owner.name(), Some(&local_name!("li") | &local_name!("td")));
            }
        }
        // A heading with nothing under it is a heading of what was left out.
        let mut under = None;
        for at in (0..keep.len()).rev() {
            if !keep[at] {
                continue;
            }
            match heading_level(self.owner(inside[at])) {
                None => under = Some(u8::MAX),
                // A second line of the headline needs none.
                Some(_) if inside[at] < first => {}
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
        let owner = self.owner(at);
        !self.sum(owner).beside && looks(&self.leaves[at], owner) == Looks::Prose
    }

    fn ends(&self, at: usize) -> bool {
        let leaf = &self.leaves[at];
        leaf.sentences > 0 || ends_sentence(leaf.last)
    }

    /// Whether a leaf is a link to elsewhere, perhaps with a label before it.
    fn is_link(&self, leaf: &Leaf) -> bool {
        leaf.link_chars * 10 >= leaf.chars * 9
            || leaf.links == 1 && leaf.link_chars * 2 > leaf.chars && leaf.chars - leaf.link_chars < 25
    }

    fn in_link_list(&self, at: usize) -> bool {
        let owner = self.owner(at);
        std::iter::once(owner).chain(owner.ancestors()).take_while(|node| *node != self.top).any(|node| {
            matches!(node.name(), Some(&local_name!("ul") | &local_name!("ol")))
                && self.sum(node).link_chars * 10 >= self.sum(node).chars * 7
        })
    }

    /// Whether a leaf is all that is said in the box of a picture, and no sentence.
    fn is_caption(&self, at: usize) -> bool {
        let (leaf, owner) = (&self.leaves[at], self.owner(at));
        if leaf.chars > 150 || self.ends(at) || heading_level(owner).is_some() {
            return false;
        }
        let boxed = std::iter::once(owner).chain(owner.ancestors()).find(|node| self.sum(*node).media > 0);
        boxed.is_some_and(|boxed| boxed != owner && self.sum(boxed).chars == leaf.chars)
    }

    /// Whether a leaf only labels what is left out: an advertisement, a picture's source.
    fn is_label(&self, at: usize) -> bool {
        let leaf = &self.leaves[at];
        leaf.chars < 120
            && vocabulary::is_label(
                self.top.document().node(leaf.first).as_text().unwrap_or_default(),
                leaf.chars,
            )
    }

    fn is_standfirst(&self, leaf: &Leaf) -> bool {
        let sentences = leaf.sentences + u32::from(ends_sentence(leaf.last));
        leaf.link_chars * 3 < leaf.chars && leaf.chars >= 40 && sentences > 0
            || leaf.link_chars == 0 && leaf.chars >= 60
    }

    fn blocks(&self, root: Node<'a>, omitted: &[NodeId]) -> Vec<Block> {
        let omit = |node: Node<'_>| self.sum(node).beside;
        let omit_leaf = |node: Node<'_>| omitted.binary_search(&node.id()).is_ok();
        build::Builder::new(&omit, &omit_leaf).build(root)
    }
}

fn is_block(node: Node<'_>) -> bool {
    node.name().is_some_and(|name| text::flow(name) == text::Flow::Block)
}

/// The level of the heading that an element is.
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

/// What a leaf looks like by itself.
fn looks(leaf: &Leaf, owner: Node<'_>) -> Looks {
    let sentences = leaf.sentences + u32::from(ends_sentence(leaf.last));
    if leaf.link_chars * 2 > leaf.chars {
        Looks::Links
    } else if heading_level(owner).is_some() {
        Looks::Heading
    } else if sentences > 0 && leaf.chars >= 40 {
        Looks::Prose
    } else {
        Looks::Fragment
    }
}
