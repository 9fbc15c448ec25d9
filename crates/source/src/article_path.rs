use std::fmt;

use regex::{Regex, RegexBuilder};
use releve_url_canon::HttpsUrl;

use crate::section::{Noted, Section};

/// What the address of an article looks like, where a feed or a sitemap has other pages too: sections, tags, authors.
#[derive(Clone)]
pub struct ArticlePath(Regex);

/// A pattern is compiled once and matched against texts that others write; its size is bounded all the same.
const PATTERN_BYTES_MAX: usize = 1 << 20;

impl ArticlePath {
    /// Whether the path and query of this canonical address are an article's.
    pub fn matches(&self, address: &HttpsUrl) -> bool {
        self.0.is_match(address.path_and_query())
    }
}

impl fmt::Display for ArticlePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

impl fmt::Debug for ArticlePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0.as_str(), f)
    }
}

impl PartialEq for ArticlePath {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for ArticlePath {}

pub(crate) fn article_path(section: &Section<'_>) -> Result<Option<ArticlePath>, Noted> {
    let Some(text) = section.words("article_path") else { return Ok(None) };
    match RegexBuilder::new(text.text).size_limit(PATTERN_BYTES_MAX).build() {
        Ok(regex) => Ok(Some(ArticlePath(regex))),
        Err(error) => {
            section.document.problem(
                text.span,
                format!("`article_path` is no regular expression: {error}"),
                Some("as in article_path = \"^/[0-9]{4}/[0-9]{2}/\"".to_owned()),
            );
            Err(Noted)
        }
    }
}
