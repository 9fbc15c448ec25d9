//! The text of a piece of HTML that is all article: what a CMS gives as the body of a post.

use html5ever::local_name;

use super::build::Builder;
use super::survey::{is_code, is_media};
use super::vocabulary::{Role, role};
use crate::Block;
use crate::dom::{Document, Node};
use crate::text::{Flow, flow_of};

/// The blocks of a fragment. All of it is the article, so that nothing is searched for; left out is what belongs to pictures, players and embedded
/// posts (R13), and what plugins put around a text: forms, share bars, lists of other articles.
pub(crate) fn blocks(fragment: &Document) -> Vec<Block> {
    blocks_of(&[fragment.root()], &|_| false)
}

/// The blocks of elements that are known to hold the article, or to be its blocks, without the elements that are dropped. None of them is in another.
pub(super) fn blocks_of(tops: &[Node<'_>], is_dropped: &dyn Fn(Node<'_>) -> bool) -> Vec<Block> {
    let survey = Survey::of(tops);
    Builder::new(&|node| is_dropped(node) || survey.is_left_out(node), &|_| false).build_each(tops)
}

/// What stands below each element.
struct Survey {
    sums: Vec<Sum>,
    all: u32,
}

#[derive(Clone, Copy, Default)]
struct Sum {
    /// Characters, white space not counted.
    chars: u32,
    /// Those of them that stand in links.
    link_chars: u32,
    has_media: bool,
}

/// A caption with the credits of several pictures stays below this; a text that merely has a picture in it does not.
const CAPTION_CHARS_MAX: u32 = 500;

impl Survey {
    fn of(tops: &[Node<'_>]) -> Self {
        let mut sums = vec![Sum::default(); tops.first().map_or(0, |top| top.document().len())];
        let nodes: Vec<Node<'_>> = tops.iter().flat_map(|top| top.descendants()).collect();
        for node in nodes.into_iter().rev() {
            let sum = &mut sums[node.id().index()];
            if let Some(text) = node.as_text() {
                let chars = text.chars().filter(|c| !c.is_whitespace()).count();
                sum.chars = u32::try_from(chars).unwrap_or(u32::MAX);
            } else if flow_of(node).is_none_or(|flow| flow == Flow::Absent) {
                *sum = Sum { has_media: is_media(node), ..Sum::default() };
            } else if node.is(&local_name!("a")) {
                sum.link_chars = sum.chars;
            }
            let below = *sum;
            if let Some(parent) = node.parent() {
                let sum = &mut sums[parent.id().index()];
                sum.chars = sum.chars.saturating_add(below.chars);
                sum.link_chars = sum.link_chars.saturating_add(below.link_chars);
                sum.has_media |= below.has_media;
            }
        }
        let all = tops.iter().map(|top| sums[top.id().index()].chars).fold(0, u32::saturating_add);
        Self { sums, all }
    }

    fn is_left_out(&self, node: Node<'_>) -> bool {
        let sum = self.sums[node.id().index()];
        if sum.chars == 0 {
            return false;
        }
        let is_small = u64::from(sum.chars) * 100 < u64::from(self.all) * 40;
        let is_links = sum.link_chars > sum.chars / 2;
        let is_in = |is: &dyn Fn(Node<'_>) -> bool| node.ancestors().any(is);
        match node.name() {
            Some(&local_name!("nav") | &local_name!("form") | &local_name!("dialog")) => true,
            // Questions that unfold their answers are headings with a button in them.
            Some(&local_name!("button")) => !is_in(&is_heading),
            // Where the figure holds a table or a quotation, this is what is said about that.
            Some(&local_name!("figcaption")) => !is_in(&|above| above.is(&local_name!("figure"))),
            Some(&local_name!("figure")) => is_embedded(node) || role(node).0 == Role::Beside,
            Some(&local_name!("blockquote")) if is_embedded(node) => true,
            Some(&local_name!("aside") | &local_name!("footer") | &local_name!("label")) => is_links,
            _ => match role(node).0 {
                Role::Hidden => true,
                // A heading's id is made of its words; they name what follows, not what it is.
                _ if is_heading(node) => false,
                Role::Beside | Role::Apart => is_small && !is_in(&is_code),
                Role::Around => is_links,
                Role::Picture | Role::Player => sum.has_media && sum.chars < CAPTION_CHARS_MAX,
                Role::Plain | Role::Paid | Role::Teaser => is_small && is_embedded(node),
            },
        }
    }
}

fn is_heading(node: Node<'_>) -> bool {
    super::heading_level(node).is_some()
}

/// Whether an element holds a post of another site, by the class names that the sites' own embed codes and WordPress write.
fn is_embedded(node: Node<'_>) -> bool {
    const POSTS: [&str; 6] =
        ["twitter-tweet", "twitter-video", "instagram-media", "fb-post", "fb-video", "reddit-card"];
    let Some(classes) = node.attribute("class") else { return false };
    classes.split_ascii_whitespace().any(|class| {
        POSTS.contains(&class)
            || !class.starts_with("has-")
                && class.split(['-', '_']).any(|part| matches!(part, "embed" | "embedded" | "embedly"))
    })
}
