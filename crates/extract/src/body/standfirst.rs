//! The lines between the headline and the text.

use super::labels;
use super::survey::{Leaf, Survey};
use super::vocabulary::{Role, role};

/// A sentence of this length between headline and text is one of the article's …
const SENTENCE_CHARS_MIN: u32 = 40;
/// … and so is a line of this length; shorter ones say when and by whom.
const LINE_CHARS_MIN: u32 = 60;
/// It stands right under the headline, with at most a kicker and a date before it.
const LEAVES_MAX: usize = 3;

/// Whether a leaf that stands between headline and text is a line of the article.
pub(super) fn is_line(survey: &Survey<'_>, leaf: &Leaf) -> bool {
    let text = || survey.elements[0].node.document().node(leaf.first).as_text().unwrap_or_default();
    leaf.has_sentence && leaf.chars >= SENTENCE_CHARS_MIN && leaf.link_chars * 3 < leaf.chars
        || leaf.chars >= LINE_CHARS_MIN && leaf.link_chars == 0 && !labels::is_dateline(text())
}

/// Takes back that a teaser is beside the article where it stands right under the headline: there it is the standfirst.
pub(super) fn admit(survey: &mut Survey<'_>, headline: usize) {
    for at in headline + 1..survey.leaves.len().min(headline + 1 + LEAVES_MAX) {
        let leaf = survey.leaves[at];
        let aside: Vec<usize> =
            survey.outward(leaf.owner).take_while(|&element| survey.elements[element].beside).collect();
        let Some(&outermost) = aside.last() else { continue };
        if role(survey.elements[outermost].node).0 == Role::Teaser && is_line(survey, &leaf) {
            let within = leaf.owner..survey.elements[leaf.owner].end;
            for element in aside.into_iter().chain(within) {
                survey.elements[element].beside = false;
            }
            return;
        }
    }
}
