use std::fmt;

use crate::Place;

/// Something that a person who looks after the source should know; it stops nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What kind of thing.
    pub code: NoticeCode,
    /// What exactly: the selector, the block type, the label.
    pub detail: String,
    /// Where, if at one place.
    pub place: Option<Place>,
}

/// The kinds of [`Notice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoticeCode {
    /// A selector of the rules matched nothing, or only what says nothing: elements without the attribute, or without a name.
    SelectorUnmatched,
    /// No text was found that could be the article's.
    BodyNotFound,
    /// A block of a type that is not known, or that holds no text, was left out.
    BlockLeftOut,
    /// The declared character encoding is not one that browsers know; another declaration or UTF-8 was used.
    CharsetUnknown,
    /// Bytes that the character encoding does not allow were replaced by U+FFFD.
    CharactersReplaced,
    /// Tags nested too deep, or attributes beyond a number, were skipped; their text was kept.
    PageSimplified,
    /// A JSON-LD block could not be read.
    JsonLdBroken,
    /// A JSON-LD block was read after a repair that leaves no choice.
    JsonLdRepaired,
    /// Several articles stand on the page, and none of them is clearly this address's.
    ArticleAmbiguous,
    /// The relation to an original was not clear enough to be declared.
    RelationAmbiguous,
}

impl Notice {
    /// A notice that concerns no single place.
    pub fn new(code: NoticeCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), place: None }
    }

    /// The same notice, about this place.
    #[must_use]
    pub fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }
}

impl NoticeCode {
    const ALL: [Self; 10] = [
        Self::SelectorUnmatched,
        Self::BodyNotFound,
        Self::BlockLeftOut,
        Self::CharsetUnknown,
        Self::CharactersReplaced,
        Self::PageSimplified,
        Self::JsonLdBroken,
        Self::JsonLdRepaired,
        Self::ArticleAmbiguous,
        Self::RelationAmbiguous,
    ];

    /// The stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SelectorUnmatched => "selector-unmatched",
            Self::BodyNotFound => "body-not-found",
            Self::BlockLeftOut => "block-left-out",
            Self::CharsetUnknown => "charset-unknown",
            Self::CharactersReplaced => "characters-replaced",
            Self::PageSimplified => "page-simplified",
            Self::JsonLdBroken => "json-ld-broken",
            Self::JsonLdRepaired => "json-ld-repaired",
            Self::ArticleAmbiguous => "article-ambiguous",
            Self::RelationAmbiguous => "relation-ambiguous",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == name)
    }
}

impl fmt::Display for NoticeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)?;
        match &self.place {
            Some(place) => write!(f, " (at {place})"),
            None => Ok(()),
        }
    }
}
