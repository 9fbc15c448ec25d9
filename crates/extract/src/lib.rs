//! Copies structured text and descriptor out of an article as it was read, each value with its place.
//!
//! An *envelope* is the body of a response, byte for byte, with the media type it bore and the address it was read at. What is copied out of it is an
//! [`Article`]: the text in blocks, and a descriptor of headline, standfirst, authors, dates, category, canonical address and language. Every value
//! is verbatim and names its [`Place`]; [`look_up`] reads that place again and finds the same. Nothing is completed or guessed: what is not
//! there is absent.
//!
//! ```
//! use releve_extract::{Envelope, Rules, extract, look_up};
//!
//! let page = "<!doctype html><html lang=en><title>Bees | Example</title>
//!     <article><h1>Bees</h1><p>They came back in <em>April</em>, and stayed.</p></article>";
//! let address = "https://www.example.org/bees".parse()?;
//! let envelope = Envelope { bytes: page.as_bytes(), content_type: "text/html; charset=utf-8", address: &address };
//!
//! let article = extract(&envelope, &Rules::default())?;
//! let language = article.descriptor.language.expect("the page declares one");
//! assert_eq!(language.text, "en");
//! assert_eq!(language.place.to_string(), "html@lang");
//! assert_eq!(look_up(&envelope, &Rules::default(), &language.place).as_deref(), Some("en"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this crate does not do
//!
//! It fetches nothing, neither the images of a page nor the addresses it names. It does not judge an article, shorten it, translate it, or tell what it
//! is about. It knows no site: where the general rules are not enough, a source's configuration names selectors or JSON Pointers.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod article;
mod body;
mod charset;
mod declared;
mod descriptor;
mod dom;
mod error;
mod identifier;
mod json;
mod look_up;
mod markdown;
mod notice;
mod page;
mod place;
mod rules;
mod text;
mod wire;

#[doc = include_str!("../FIELDS.md")]
pub mod fields {}

use releve_url_canon::HttpsUrl;

pub use article::{
    Article, Block, Cell, Descriptor, Field, Mark, MarkKind, Reading, Relation, RelationKind, Text,
    UnknownField, Value,
};
pub use dom::{Selector, SelectorError};
pub use error::ExtractError;
pub use identifier::{IdentifierAt, IdentifierRule, MissingIdentifier, PatternError};
pub use json::{Pointer, PointerError};
pub use look_up::look_up;
pub use notice::{Notice, NoticeCode};
pub use place::{Place, PlaceError};
pub use rules::{
    BodyFormat, BodyRule, ElementRule, FieldRule, JsonRules, PageRules, Rules, TextFormat, UnknownFormat,
    WordPressRules,
};
pub use wire::WireError;

/// An article as it was read.
#[derive(Clone, Copy, Debug)]
pub struct Envelope<'a> {
    /// The body of the response, after undoing a content coding.
    pub bytes: &'a [u8],
    /// The `Content-Type` header as the server sent it.
    pub content_type: &'a str,
    /// The address at which it was read, after redirects.
    pub address: &'a HttpsUrl,
}

/// Copies text and descriptor out of an envelope.
///
/// A text of more than four mebibytes, counting the addresses of its links, is refused: no article is as long, and a part of it would be a
/// wrong one.
pub fn extract(envelope: &Envelope<'_>, rules: &Rules) -> Result<Article, ExtractError> {
    let article = match rules {
        Rules::Page(rules) => page::extract(envelope, rules),
        Rules::WordPress(rules) => json::wordpress(envelope, rules),
        Rules::Json(rules) => json::mapped(envelope, rules),
    }?;
    if body::build::size(&article.blocks) > body::build::SIZE_MAX {
        return Err(ExtractError::TextTooLong);
    }
    Ok(article)
}
