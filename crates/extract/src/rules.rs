//! What a source's configuration says of its articles, parsed.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{Field, IdentifierRule, Pointer, Selector, SelectorError};

/// How the articles of a source are read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rules {
    /// HTML pages.
    Page(PageRules),
    /// Posts of the WordPress REST API, one a response.
    WordPress(WordPressRules),
    /// Any other JSON, field by field as agreed with the publisher (R5).
    Json(JsonRules),
}

/// How pages are read. The default leaves everything to what pages declare and how they are built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageRules {
    /// The elements that hold the body: all that match, in document order.
    pub body: Option<Selector>,
    /// Elements within the body that are no part of it.
    pub drop: Option<Selector>,
    /// Where fields of the descriptor stand. A rule goes before everything that the page declares; where it matches nothing the field is absent.
    pub fields: BTreeMap<Field, ElementRule>,
    /// Where the article's identifier stands.
    pub identifier: Option<IdentifierRule>,
    /// Where the page names the original that it is a translation of.
    pub original: Option<ElementRule>,
}

/// How WordPress posts are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordPressRules {
    /// Where the article's identifier stands.
    pub identifier: Option<IdentifierRule>,
    /// Where the post names the original that it is a translation of; core WordPress has no such field, multilingual plugins do.
    pub original: Option<FieldRule>,
}

/// How mapped JSON is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonRules {
    /// Where the body stands and how it is written.
    pub body: Option<BodyRule>,
    /// Where the fields of the descriptor stand.
    pub fields: BTreeMap<Field, FieldRule>,
    /// Where the article's identifier stands.
    pub identifier: Option<IdentifierRule>,
    /// Where the article names the original that it is a translation of.
    pub original: Option<FieldRule>,
}

/// An element of a page and what of it is read, as in `h1.title` or `time.published@datetime`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementRule {
    /// Which element: the first that matches, or for lists all.
    pub selector: Selector,
    /// The attribute that holds the value. Without one it is the `content` of a `meta`, the `href` of a `link`, else the element's text.
    pub attribute: Option<String>,
}

/// A field of a JSON response: a string, or for the original an identifier, which may be a whole number. `null` and the empty string are absence; a value
/// of another type stops the read (R5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRule {
    /// Where it stands.
    pub at: Pointer,
    /// Where, in each element of the array at that place, the value stands; the empty pointer is the element itself.
    pub each: Option<Pointer>,
    /// How the text is written. A place that several fields are read from is HTML if one of them says so.
    pub format: TextFormat,
}

/// How the text of a JSON field is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextFormat {
    /// As it is to be read.
    #[default]
    Plain,
    /// With HTML tags and character references in it.
    Html,
}

/// Where the body stands in a JSON response, and how it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyRule {
    /// Where.
    pub at: Pointer,
    /// How.
    pub format: BodyFormat,
}

/// How a body is written in JSON. Documents of blocks may also stand in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BodyFormat {
    /// HTML in a string.
    Html,
    /// CommonMark in a string, with the tables and strikethrough of GitHub's dialect.
    Markdown,
    /// Plain text in a string: empty lines part paragraphs.
    Plain,
    /// WordPress block mark-up in a string: HTML with `<!-- wp:… -->` comments.
    Gutenberg,
    /// An array of Portable Text blocks (Sanity).
    PortableText,
    /// An Editor.js document: `{"blocks": […]}`.
    EditorJs,
    /// Blocks of Strapi's rich text field.
    StrapiBlocks,
    /// Slate nodes.
    Slate,
    /// A Lexical editor state: `{"root": {…}}`.
    Lexical,
}

impl Default for Rules {
    fn default() -> Self {
        Self::Page(PageRules::default())
    }
}

impl Rules {
    /// Where the article's identifier stands, in any of the ways to read.
    pub fn identifier(&self) -> Option<&IdentifierRule> {
        match self {
            Self::Page(rules) => rules.identifier.as_ref(),
            Self::WordPress(rules) => rules.identifier.as_ref(),
            Self::Json(rules) => rules.identifier.as_ref(),
        }
    }
}

impl FromStr for ElementRule {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let (selector, attribute) = crate::place::split_attribute(text);
        Ok(Self { selector: selector.parse()?, attribute: attribute.map(Into::into) })
    }
}

impl fmt::Display for ElementRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.selector)?;
        match &self.attribute {
            Some(attribute) => write!(f, "@{attribute}"),
            None => Ok(()),
        }
    }
}

impl FieldRule {
    /// The text at this place, as it is.
    pub fn plain(at: Pointer) -> Self {
        Self { at, each: None, format: TextFormat::Plain }
    }
}

impl BodyFormat {
    const ALL: [Self; 9] = [
        Self::Html,
        Self::Markdown,
        Self::Plain,
        Self::Gutenberg,
        Self::PortableText,
        Self::EditorJs,
        Self::StrapiBlocks,
        Self::Slate,
        Self::Lexical,
    ];

    /// The format's name in configurations.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Plain => "plain",
            Self::Gutenberg => "gutenberg",
            Self::PortableText => "portable-text",
            Self::EditorJs => "editor-js",
            Self::StrapiBlocks => "strapi-blocks",
            Self::Slate => "slate",
            Self::Lexical => "lexical",
        }
    }
}

impl fmt::Display for BodyFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(Box<str>);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no format of a body; they are", self.0)?;
        for (index, format) in BodyFormat::ALL.iter().enumerate() {
            write!(f, "{} {format}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for BodyFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|format| format.as_str() == name).ok_or_else(|| UnknownFormat(name.into()))
    }
}
