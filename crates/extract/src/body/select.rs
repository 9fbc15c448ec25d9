//! Which leaves are the article's.

use html5ever::local_name;

use super::choose::Choice;
use super::survey::{Leaf, Looks, Survey};
use super::{labels, standfirst};
use crate::dom::NodeId;

/// What of the page is the article.
pub(super) struct Selection {
    /// The element that holds all of it.
    pub(super) root: usize,
    /// The leaves that are left out of it, by their first text node.
    pub(super) omitted: Vec<NodeId>,
    /// Characters of the others.
    pub(super) chars: usize,
    /// Whether they are teasers of several articles.
    pub(super) is_index: bool,
}

/// A line of this length before the first paragraph is part of the text, a shorter one says when and by whom.
const OPENING_CHARS_MIN: u32 = 60;
/// A line that says when or by whom may also stand so few leaves after the first paragraph, which then is the standfirst.
const HEADER_LEAVES: usize = 2;
/// So is one after the last paragraph, where it holds no link.
const CLOSING_CHARS_MIN: u32 = 60;
/// Where lines after the last paragraph are more than this part of what stands before, they are the text, and the paragraphs only introduce it.
const CLOSING_PERCENT: u32 = 25;
/// A label before a link (`Read more:`) is shorter than this.
const LINK_LABEL_CHARS_MAX: u32 = 25;
/// A label over links (`Read more`) is shorter than this.
const LABEL_CHARS_MAX: u32 = 60;
/// A link of this length is a headline. A shorter one is a button as often as not, and the line over it names what it buys.
const HEADLINE_CHARS_MIN: u32 = 30;
/// A page with so many teasers and little else leads to articles and is none …
const TEASERS_MIN: usize = 3;
/// … where each is no longer than this.
const TEASER_CHARS_MAX: u32 = 500;
/// A heading that is a sentence of this length says something by itself.
const SENTENCE_CHARS_MIN: u32 = 60;
/// The caption of a picture that is no sentence is shorter than this.
const CAPTION_CHARS_MAX: u32 = 150;

pub(super) fn select(survey: &Survey<'_>, choice: Choice) -> Selection {
    let Choice { headline, container } = choice;
    let Some(end) = (0..survey.leaves.len()).rfind(|&at| survey.is_within(at, container)) else {
        return Selection { root: container, omitted: Vec::new(), chars: 0, is_index: false };
    };
    let first = (0..=end).find(|&at| survey.is_within(at, container)).unwrap_or(end);
    let headline = headline.filter(|&at| at < end);
    let start = headline.map_or(first, |headline| headline + 1);
    let root = match headline {
        Some(headline) if headline < first => around_both(survey, container, survey.leaves[headline].owner),
        _ => container,
    };
    let places: Vec<usize> = (start.min(first)..=end).filter(|&at| survey.is_within(at, root)).collect();
    let mut keep: Vec<bool> = {
        let body = Body {
            survey,
            first,
            opening: places
                .iter()
                .copied()
                .find(|&at| at >= start.max(first) && survey.is_good(at))
                .unwrap_or(first),
        };
        places.iter().map(|&at| at >= start && body.holds(at)).collect()
    };
    drop_closing(survey, &places, &mut keep);
    drop_labels(survey, &places, &mut keep);
    drop_headings(survey, &places, &mut keep, first);
    let kept: Vec<usize> = places.into_iter().zip(keep).filter_map(|(at, keep)| keep.then_some(at)).collect();
    let omitted: Vec<NodeId> = (0..survey.leaves.len())
        .filter(|at| kept.binary_search(at).is_err())
        .map(|at| survey.leaves[at].first)
        .collect();
    let chars = kept.iter().map(|&at| survey.leaves[at].chars as usize).sum();
    let is_index = is_index(survey, &kept);
    Selection { root, omitted, chars, is_index }
}

/// Whether a text is nothing but teasers: headings that lead elsewhere, a few sentences under each.
fn is_index(survey: &Survey<'_>, kept: &[usize]) -> bool {
    // The characters under each heading that is a link, and those under none.
    let (mut sections, mut others): (Vec<u32>, u32) = (Vec::new(), 0);
    let mut in_section = false;
    for &at in kept {
        let leaf = &survey.leaves[at];
        if survey.owner(at).level > 0 {
            in_section = leaf.looks == Looks::Links;
            if in_section {
                sections.push(0);
            }
        } else if let Some(section) = sections.last_mut().filter(|_| in_section) {
            *section += leaf.chars;
        } else {
            others += leaf.chars;
        }
    }
    let chars: u32 = sections.iter().sum();
    sections.len() >= TEASERS_MIN
        && sections.iter().all(|section| *section <= TEASER_CHARS_MAX)
        && others * 4 <= chars
}

/// The nearest element around both.
fn around_both(survey: &Survey<'_>, one: usize, other: usize) -> usize {
    survey.outward(one).find(|&above| (above..survey.elements[above].end).contains(&other)).unwrap_or(0)
}

struct Body<'s, 'a> {
    survey: &'s Survey<'a>,
    /// The first leaf in the container.
    first: usize,
    /// The first paragraph in it.
    opening: usize,
}

impl Body<'_, '_> {
    /// Whether a leaf after the headline is part of the text, as far as it can be told from itself and what it stands in.
    fn holds(&self, at: usize) -> bool {
        let (leaf, owner) = (&self.survey.leaves[at], self.survey.owner(at));
        if owner.beside {
            return false;
        }
        if at < self.first {
            return standfirst::is_line(self.survey, leaf);
        }
        let is_heading = owner.level > 0;
        if at < self.opening {
            let says_something = is_heading
                || leaf.has_sentence
                || leaf.chars >= OPENING_CHARS_MIN
                || owner.node.is(&local_name!("li"));
            if !says_something {
                return false;
            }
        }
        if at <= self.opening + HEADER_LEAVES && leaf.looks == Looks::Fragment && self.is_byline(leaf) {
            return false;
        }
        !(is_link(leaf) && (!is_heading || self.is_in_link(leaf)))
            && !self.is_in_link_list(leaf)
            && (is_heading || !self.is_label(leaf))
            && !self.is_caption(leaf)
    }

    /// Whether a leaf is part of what a link is made of, as the heading of a teaser is; a heading of the text has its link in it.
    fn is_in_link(&self, leaf: &Leaf) -> bool {
        self.survey.outward(leaf.owner).any(|at| self.survey.elements[at].node.is(&local_name!("a")))
    }

    fn is_in_link_list(&self, leaf: &Leaf) -> bool {
        self.survey.outward(leaf.owner).map(|at| &self.survey.elements[at]).any(|element| {
            matches!(element.node.name(), Some(&local_name!("ul") | &local_name!("ol")))
                && element.link_chars * 10 >= element.chars * 7
        })
    }

    fn is_label(&self, leaf: &Leaf) -> bool {
        labels::is_label(self.beginning(leaf), leaf.chars)
    }

    fn is_byline(&self, leaf: &Leaf) -> bool {
        leaf.chars < OPENING_CHARS_MIN && labels::is_byline(self.beginning(leaf))
    }

    /// The first text node of a leaf.
    fn beginning(&self, leaf: &Leaf) -> &str {
        self.survey.elements[0].node.document().node(leaf.first).as_text().unwrap_or_default()
    }

    /// Whether a leaf is all that is said in the box of a picture, and no sentence.
    fn is_caption(&self, leaf: &Leaf) -> bool {
        if leaf.chars > CAPTION_CHARS_MAX || leaf.has_sentence || self.survey.elements[leaf.owner].level > 0 {
            return false;
        }
        let boxed = self.survey.outward(leaf.owner).find(|&at| self.survey.elements[at].media > 0);
        boxed.is_some_and(|boxed| boxed != leaf.owner && self.survey.elements[boxed].chars == leaf.chars)
    }
}

/// Whether a leaf is a link to elsewhere, perhaps with a label before it.
fn is_link(leaf: &Leaf) -> bool {
    leaf.link_chars * 10 >= leaf.chars * 9
        || leaf.links == 1
            && leaf.looks == Looks::Links
            && leaf.chars - leaf.link_chars < LINK_LABEL_CHARS_MAX
}

/// Leaves out the lines after the last paragraph that don't belong to it.
fn drop_closing(survey: &Survey<'_>, places: &[usize], keep: &mut [bool]) {
    let Some(last) = places.iter().rposition(|&at| survey.is_good(at)) else { return };
    let chars = |range: std::ops::Range<usize>| -> u32 {
        range.filter(|&index| keep[index]).map(|index| survey.leaves[places[index]].chars).sum()
    };
    if chars(last + 1..places.len()) * 100 > chars(0..last + 1) * CLOSING_PERCENT {
        return;
    }
    for index in last + 1..places.len() {
        let (leaf, owner) = (&survey.leaves[places[index]], survey.owner(places[index]));
        keep[index] &= leaf.has_sentence
            || leaf.chars >= CLOSING_CHARS_MIN && leaf.link_chars == 0
            || matches!(owner.node.name(), Some(&local_name!("li") | &local_name!("td")));
    }
}

/// Leaves out lines that are all that is left of what they stand in, where the rest is links: they say what those lead to.
fn drop_labels(survey: &Survey<'_>, places: &[usize], keep: &mut [bool]) {
    for index in 0..places.len() {
        let leaf = &survey.leaves[places[index]];
        if !keep[index] || leaf.has_sentence || leaf.chars >= LABEL_CHARS_MAX {
            continue;
        }
        let holds_more = |at: &usize| survey.elements[*at].chars > leaf.chars;
        let Some(around) = survey.outward(leaf.owner).find(holds_more) else { continue };
        let is_around = |other: &usize| survey.is_within(places[*other], around);
        let mut others =
            (0..index).rev().take_while(is_around).chain((index + 1..places.len()).take_while(is_around));
        let mut has_headline = false;
        let is_alone = others.all(|other| {
            let link = &survey.leaves[places[other]];
            has_headline |= link.looks == Looks::Links && link.chars >= HEADLINE_CHARS_MIN.max(leaf.chars);
            !keep[other]
        });
        keep[index] = !(is_alone && has_headline);
    }
}

/// Leaves out headings with nothing under them: they head what was left out.
fn drop_headings(survey: &Survey<'_>, places: &[usize], keep: &mut [bool], first: usize) {
    // The level of what follows: 0 for nothing.
    let mut under = 0;
    for index in (0..places.len()).rev() {
        let leaf = &survey.leaves[places[index]];
        let level = survey.elements[leaf.owner].level;
        // What stands before the container is a second line of the headline, and needs nothing under it.
        if !keep[index] || places[index] < first && level > 0 {
            continue;
        }
        // Nor does a line of a heading that has another.
        let heading = survey.heading(places[index]);
        if heading.is_some() && places.get(index + 1).is_some_and(|&next| survey.heading(next) == heading) {
            keep[index] = keep[index + 1];
            continue;
        }
        let is_sentence = leaf.has_sentence && leaf.chars >= SENTENCE_CHARS_MIN;
        match level {
            // Some pages set whole sentences as headings, and pictures under them.
            _ if under > 0 && is_sentence && leaf.looks == Looks::Heading => under = u8::MAX,
            0 => under = u8::MAX,
            level if under > level => under = level,
            _ => keep[index] = false,
        }
    }
}
