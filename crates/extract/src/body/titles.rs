//! What the page declares its headline to be, for comparison with what it shows.

use crate::declared::Declared;
use crate::descriptor::{Subject, fold};

/// The declared titles, folded.
#[derive(Debug, Default)]
pub(super) struct Titles(Vec<String>);

/// `meta` elements that are looked at; each title is compared with each heading. A page has one of each name.
const METAS_MAX: usize = 32;
/// Shorter titles are found by chance in others.
const LETTERS_MIN: usize = 8;

impl Titles {
    pub(super) fn of(declared: &Declared<'_>, subject: &Subject<'_>) -> Self {
        const NAMES: [&str; 4] = ["og:title", "twitter:title", "title", "headline"];
        let metas = declared.metas.iter().filter(|meta| NAMES.iter().any(|name| meta.is(name)));
        let titles = metas.take(METAS_MAX).map(|meta| fold(meta.content));
        let titles = titles.chain(declared.title.map(|title| fold(&title.raw_text())));
        let described = subject.things.iter().filter_map(|thing| thing.get("headline")?.text());
        let titles = titles.chain(described.map(|(headline, _)| fold(&headline)));
        Self(titles.filter(|title| !title.is_empty()).collect())
    }

    /// Whether a title says just this.
    pub(super) fn has(&self, folded: &str) -> bool {
        folded.len() > 3 && self.0.iter().any(|title| title == folded)
    }

    /// Whether a title says this and little more, or this says a title and little more.
    pub(super) fn has_like(&self, folded: &str) -> bool {
        self.0.iter().any(|title| {
            let (short, long) =
                if folded.len() < title.len() { (folded, title.as_str()) } else { (title.as_str(), folded) };
            short.len() > LETTERS_MIN && short.len() * 10 >= long.len() * 6 && long.contains(short)
        })
    }
}
