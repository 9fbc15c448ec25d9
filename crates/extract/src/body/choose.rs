//! Where on the page the article's text is to be found.

use html5ever::local_name;

use super::survey::{Looks, Survey};
use super::titles::Titles;
use crate::descriptor::fold;
use crate::text;

/// The headline of the article and the element that holds its text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// The leaf that says what the page is called.
    pub(super) headline: Option<usize>,
    /// The element that holds the text.
    pub(super) container: usize,
}

/// A headline is a line or two; a longer heading is a caption or a whole text set large.
const HEADLINE_CHARS_MAX: u32 = 400;
/// How far below a headline it is looked for again: pictures, menus and shares may stand between.
const LEAVES_MAX: usize = 64;
/// So much text belongs to the headline itself: a standfirst, a byline. The search goes on above it in any case.
const HEADER_WEIGHT: f32 = 150.0;
/// How much more text than links must be gained for a larger part of the page to be searched. Lists of links and their
/// teasers weigh about as much as each other.
const LINKS_FACTOR: f32 = 2.5;
/// A child that holds so much of the text of an element is looked into.
const MAIN_SHARE: f32 = 0.75;
/// Paragraphs directly in an element are part of the text if they weigh so much of it.
const OWN_SHARE: f32 = 0.05;
/// An element around the text is part of it if it adds no more of anything else than this part of the text that it adds.
const OTHER_SHARE: f32 = 0.2;
/// An `article` element with less prose than this holds a header only.
const ARTICLE_CHARS_MIN: u32 = 200;
/// A heading that hardly any of the prose follows is not this article's.
const FOLLOWING_SHARE: u32 = 4;
/// A lone paragraph of this length is no teaser.
const PARAGRAPH_CHARS: u32 = 250;
/// A line of this length is text, also where it is no sentence.
const LINE_CHARS: u32 = 40;

/// Finds the headline and, from it, the text. `None` where the page shows no text at all.
pub(super) fn choose(survey: &mut Survey<'_>, titles: &Titles) -> Option<Choice> {
    let headline = headline(survey, titles).map(|first| last_of_same(survey, first));
    if let Some(headline) = headline {
        set_other_articles_aside(survey, headline);
        super::standfirst::admit(survey, headline);
    }
    let weights = Weights::of(survey, headline);
    let container = weights.container(headline)?;
    Some(Choice { headline, container })
}

/// How surely a heading is the headline, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    /// It says what the page declares to be called.
    Same,
    /// It says most of that, or a little more.
    Like,
    /// So does a heading of a lower level.
    LowerLike,
    /// It says so, and stands beside the article: the end of a breadcrumb trail, which some pages make their `h1`.
    Beside,
    /// It is a heading of the first level.
    First,
}

/// Which leaf says what the page is called.
fn headline(survey: &Survey<'_>, titles: &Titles) -> Option<usize> {
    let candidates = (0..survey.leaves.len()).filter_map(|at| {
        let owner = survey.owner(at);
        let is_first = owner.level == 1;
        if owner.level == 0 || owner.beside && !is_first || survey.leaves[at].chars > HEADLINE_CHARS_MAX {
            return None;
        }
        // The last line of a heading with several.
        let heading = survey.heading(at)?;
        if at + 1 < survey.leaves.len() && survey.is_within(at + 1, heading) {
            return None;
        }
        let own = fold(&text::of(survey.elements[heading].node));
        let (is_same, is_like) = (titles.has(&own), titles.has_like(&own));
        let likeness = match (is_same, is_like) {
            (true, _) | (_, true) if owner.beside => Likeness::Beside,
            (true, _) => Likeness::Same,
            (_, true) if is_first => Likeness::Like,
            (_, true) => Likeness::LowerLike,
            _ if is_first && own.len() > 3 => Likeness::First,
            _ => return None,
        };
        // A teaser of the article, say in a list of what is new, may stand before it.
        Some((likeness, !is_first, at))
    });
    candidates.min().map(|(.., at)| at)
}

/// Pages may show a headline above a picture and again below it; the one nearest to the text is where the text begins.
fn last_of_same(survey: &Survey<'_>, first: usize) -> usize {
    let said = |at: usize| survey.heading(at).map(|heading| fold(&text::of(survey.elements[heading].node)));
    let own = said(first);
    let before_text = (first + 1..survey.leaves.len()).take_while(|&at| !survey.is_good(at)).take(LEAVES_MAX);
    let again = before_text.filter(|&at| own.is_some() && said(at) == own).last();
    again.unwrap_or(first)
}

/// Sets `article` elements aside that are others than the one around the headline, if that one holds a text. Another article has a headline of
/// its own: a heading of the first level, or one that leads to it.
fn set_other_articles_aside(survey: &mut Survey<'_>, headline: usize) {
    let is_article = |at: usize| survey.elements[at].node.is(&local_name!("article"));
    let Some(own) = survey.outward(survey.leaves[headline].owner).find(|&at| is_article(at)) else { return };
    if survey.elements[own].prose < ARTICLE_CHARS_MIN {
        return;
    }
    let own = own..survey.elements[own].end;
    // A headline is the first heading of its article.
    let mut others = Vec::new();
    let mut last = None;
    for leaf in survey.leaves.iter().filter(|leaf| survey.elements[leaf.owner].level > 0) {
        let Some(other) = survey.outward(leaf.owner).find(|&at| is_article(at)) else { continue };
        if last.replace(other) == Some(other) {
            continue;
        }
        let leads_to_it = leaf.looks == Looks::Links || survey.elements[leaf.owner].level == 1;
        // Neither in this article nor around it.
        if leads_to_it && (other >= own.end || survey.elements[other].end <= own.start) {
            others.push(other);
        }
    }
    for at in others {
        for inner in at..survey.elements[at].end {
            survey.elements[inner].beside = true;
        }
    }
}

/// How much each element speaks for holding the article.
struct Weights<'s, 'a> {
    survey: &'s Survey<'a>,
    elements: Vec<Weight>,
}

#[derive(Clone, Copy, Default)]
struct Weight {
    /// What the leaves below weigh that are not beside the article and come after its headline.
    below: f32,
    /// Paragraphs that stand here side by side.
    paragraphs: u32,
    /// Their characters.
    paragraph_chars: u32,
    /// Characters of the leaves below that weigh nothing, or little: what is beside the article does not count.
    other: f32,
    /// The last paragraph below.
    last: usize,
}

impl<'s, 'a> Weights<'s, 'a> {
    fn of(survey: &'s Survey<'a>, headline: Option<usize>) -> Self {
        let mut weights = Self { survey, elements: vec![Weight::default(); survey.elements.len()] };
        let prose = |from: usize| -> u32 {
            let leaves = &survey.leaves[from..];
            leaves.iter().filter(|leaf| leaf.looks == Looks::Prose).map(|leaf| leaf.chars).sum()
        };
        let after = headline.map_or(0, |at| at + 1);
        let after = if prose(after) * FOLLOWING_SHARE < prose(0) { 0 } else { after };
        let places = after..survey.leaves.len();
        let company: Vec<Option<usize>> = places
            .clone()
            .map(|at| survey.is_good(at).then(|| weights.company(survey.leaves[at].owner)))
            .collect();
        for (at, company) in places.clone().zip(&company) {
            if let Some(company) = company {
                weights.elements[*company].paragraphs += 1;
                weights.elements[*company].paragraph_chars += survey.leaves[at].chars;
            }
        }
        for (at, company) in places.zip(company) {
            let leaf = &survey.leaves[at];
            if survey.owner(at).beside {
                continue;
            }
            let share = match (leaf.looks, company) {
                (Looks::Heading | Looks::Links, _) => 0.0,
                // A short paragraph with no other beside it is a teaser as often as not.
                (_, Some(company))
                    if weights.elements[company].paragraphs < 2 && leaf.chars < PARAGRAPH_CHARS =>
                {
                    0.5
                }
                (Looks::Prose, _) => 1.0,
                (Looks::Fragment, _) if leaf.chars >= LINE_CHARS => 0.5,
                (Looks::Fragment, _) => 0.3,
            };
            weights.elements[leaf.owner].below += share * leaf.chars as f32;
            if share < 1.0 {
                weights.elements[leaf.owner].other += leaf.chars as f32;
            } else {
                weights.elements[leaf.owner].last = at;
            }
        }
        for at in (1..survey.elements.len()).rev() {
            let Weight { below, other, last, .. } = weights.elements[at];
            let above = &mut weights.elements[survey.elements[at].parent];
            above.below += below;
            above.other += other;
            above.last = above.last.max(last);
        }
        weights
    }

    /// The nearest element around a paragraph that holds anything else.
    fn company(&self, owner: usize) -> usize {
        let chars = self.survey.elements[owner].chars;
        self.survey.outward(owner).find(|&above| self.survey.elements[above].chars > chars).unwrap_or(0)
    }

    fn container(&self, headline: Option<usize>) -> Option<usize> {
        if self.elements[0].below == 0.0 {
            return None;
        }
        let mut at = headline.map_or(0, |headline| self.scope(headline));
        // Down as long as one child holds most of it.
        loop {
            let heaviest = self
                .survey
                .children(at)
                .max_by(|&one, &other| self.elements[one].below.total_cmp(&self.elements[other].below));
            let Weight { below, paragraphs, paragraph_chars, .. } = self.elements[at];
            let has_own = paragraphs > 1 && paragraph_chars as f32 >= OWN_SHARE * below;
            match heaviest {
                Some(child) if self.elements[child].below >= MAIN_SHARE * below && !has_own => at = child,
                _ => break,
            }
        }
        // And up again as long as that adds paragraphs before it and next to nothing else: some pages show the beginning of their text in
        // a box of its own. What is added after a text is as often said about it.
        let mut outward = self.survey.outward(at).skip(1);
        while let Some(above) = outward.next().filter(|&above| self.only_adds_text(at, above)) {
            at = above;
        }
        Some(at)
    }

    /// Whether an element holds more of the text than the one in it that holds most of it, and little else.
    fn only_adds_text(&self, inner: usize, outer: usize) -> bool {
        let (inner, outer) = (&self.elements[inner], &self.elements[outer]);
        let (gain, other) = (outer.below - inner.below, outer.other - inner.other);
        outer.last == inner.last && other <= gain * OTHER_SHARE
    }

    /// The element around a headline within which its article is to be found: up from the headline as long as that adds more of an article
    /// than of anything else.
    fn scope(&self, headline: usize) -> usize {
        let mut scope = self.survey.leaves[headline].owner;
        for above in self.survey.outward(scope).skip(1) {
            let (inner, outer) = (&self.survey.elements[scope], &self.survey.elements[above]);
            let gain = self.elements[above].below - self.elements[scope].below;
            let links = (outer.links - inner.links) as f32;
            let other = (outer.chars - inner.chars) as f32 - gain;
            // What a `header` holds only introduces the text.
            let is_header = inner.node.is(&local_name!("header"));
            if is_header
                || self.elements[scope].below < HEADER_WEIGHT
                || gain >= LINKS_FACTOR * links && gain >= other
            {
                scope = above;
            }
        }
        scope
    }
}
