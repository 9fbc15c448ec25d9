//! What is copied out of an envelope.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::{Notice, Place};

/// An article as copied out of its envelope (R12): nothing in it is completed, guessed or translated, and what is not there is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Article {
    /// The structured text, in reading order. Empty where no text was found.
    pub blocks: Vec<Block>,
    /// Where the text stands: the smallest element, or the JSON value, that holds all of it.
    pub body: Option<Place>,
    /// What is known about the article, each value with its place.
    pub descriptor: Descriptor,
    /// The identifier, where the rules say that the article has one.
    pub identifier: Option<Value>,
    /// The original that this article says to be a translation of.
    pub relation: Option<Relation>,
    /// What was left out or not found, for the person who looks after the source.
    pub notices: Vec<Notice>,
}

/// A text copied verbatim, and where it stands.
///
/// White space and character references are normalised; nothing else is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The text.
    pub text: String,
    /// Where it was copied from.
    pub place: Place,
}

/// What an article says about itself. Which places of a page each field is copied from, in which order, is said in [`fields`](crate::fields).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// The title that readers see.
    pub headline: Option<Value>,
    /// The short text between headline and body.
    pub standfirst: Option<Value>,
    /// Names, one each.
    pub authors: Vec<Value>,
    /// When the article was first published, as written: a date or an instant, with the zone that was given or none.
    pub published: Option<Value>,
    /// When it was last modified, as written.
    pub modified: Option<Value>,
    /// The section or category it stands in.
    pub category: Option<Value>,
    /// Keywords.
    pub tags: Vec<Value>,
    /// The address that the article calls its own, as written. It is never requested.
    pub canonical: Option<Value>,
    /// The language of the text, as declared.
    pub language: Option<Value>,
    /// What else the envelope says of the same fields, so that a curator sees what disagrees.
    pub others: Vec<Reading>,
}

/// A field of the [`Descriptor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Field {
    /// [`Descriptor::headline`].
    Headline,
    /// [`Descriptor::standfirst`].
    Standfirst,
    /// [`Descriptor::authors`].
    Authors,
    /// [`Descriptor::published`].
    Published,
    /// [`Descriptor::modified`].
    Modified,
    /// [`Descriptor::category`].
    Category,
    /// [`Descriptor::tags`].
    Tags,
    /// [`Descriptor::canonical`].
    Canonical,
    /// [`Descriptor::language`].
    Language,
}

/// One more reading of a field, beside the one that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The field it is a reading of.
    pub field: Field,
    /// What stands there, and where.
    pub value: Value,
}

/// A relation to another article (R14).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// What the other article is to this one.
    pub kind: RelationKind,
    /// What names the other article: its address or identifier, as written.
    pub original: Value,
}

/// What another article is to this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RelationKind {
    /// This article is a translation of the other.
    TranslationOf,
}

/// A block of the structured text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Block {
    /// A heading within the text; the headline is not one of them.
    Heading {
        /// 1 to 6, as marked up.
        level: u8,
        /// What it says.
        text: Text,
    },
    /// A paragraph.
    Paragraph(Text),
    /// A list; an item may hold further lists.
    List {
        /// Whether the items are numbered.
        ordered: bool,
        /// The items, each of blocks.
        items: Vec<Vec<Block>>,
    },
    /// A quotation.
    Quotation(Vec<Block>),
    /// Text whose white space counts.
    Preformatted(String),
    /// A table, row by row.
    Table(Vec<Vec<Cell>>),
    /// A thematic break.
    Separator,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Whether it is a header cell.
    pub header: bool,
    /// What it says.
    pub text: Text,
}

/// Text with marks on ranges of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The text, white space normalised.
    pub text: String,
    /// Links and emphasis, by where they begin, longer ones first.
    pub marks: Vec<Mark>,
}

/// A mark on a range of a [`Text`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The bytes of the text that are marked; on character boundaries, never empty.
    pub range: Range<usize>,
    /// What the mark says of them.
    pub kind: MarkKind,
}

/// What a mark says of a range of text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MarkKind {
    /// A link, with its address as written: relative to the article's, and of any scheme, `javascript:` included. Whoever shows it decides which
    /// of them can be followed.
    Link(String),
    /// Stressed (`em`, `i`, `cite` …).
    Emphasis,
    /// Important (`strong`, `b`).
    Strong,
    /// Computer code.
    Code,
    /// Taken out (`del`, `s`).
    Deleted,
    /// Set below the line.
    Subscript,
    /// Set above the line.
    Superscript,
}

impl Value {
    /// A text and where it stands.
    pub fn new(text: impl Into<String>, place: Place) -> Self {
        Self { text: text.into(), place }
    }
}

impl Field {
    /// Every field, in the order of [`Descriptor`].
    pub const ALL: [Self; 9] = [
        Self::Headline,
        Self::Standfirst,
        Self::Authors,
        Self::Published,
        Self::Modified,
        Self::Category,
        Self::Tags,
        Self::Canonical,
        Self::Language,
    ];

    /// The field's name in configurations and in `article.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Headline => "headline",
            Self::Standfirst => "standfirst",
            Self::Authors => "authors",
            Self::Published => "published",
            Self::Modified => "modified",
            Self::Category => "category",
            Self::Tags => "tags",
            Self::Canonical => "canonical",
            Self::Language => "language",
        }
    }

    /// Whether the field holds several values.
    pub fn is_list(self) -> bool {
        matches!(self, Self::Authors | Self::Tags)
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that names no field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownField(Box<str>);

impl fmt::Display for UnknownField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no field of the descriptor; they are", self.0)?;
        for (index, field) in Field::ALL.iter().enumerate() {
            write!(f, "{} {field}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownField {}

impl FromStr for Field {
    type Err = UnknownField;

    fn from_str(name: &str) -> Result<Self, UnknownField> {
        Self::ALL.into_iter().find(|field| field.as_str() == name).ok_or_else(|| UnknownField(name.into()))
    }
}

impl Descriptor {
    /// The values chosen for a field: none, one, or for a list as many as there are.
    pub fn values(&self, field: Field) -> &[Value] {
        match field {
            Field::Headline => self.headline.as_slice(),
            Field::Standfirst => self.standfirst.as_slice(),
            Field::Authors => &self.authors,
            Field::Published => self.published.as_slice(),
            Field::Modified => self.modified.as_slice(),
            Field::Category => self.category.as_slice(),
            Field::Tags => &self.tags,
            Field::Canonical => self.canonical.as_slice(),
            Field::Language => self.language.as_slice(),
        }
    }

    /// Puts a value in a field: as its value where it has none or is a list, else among the other readings.
    pub fn add(&mut self, field: Field, value: Value) {
        let single = match field {
            Field::Headline => &mut self.headline,
            Field::Standfirst => &mut self.standfirst,
            Field::Published => &mut self.published,
            Field::Modified => &mut self.modified,
            Field::Category => &mut self.category,
            Field::Canonical => &mut self.canonical,
            Field::Language => &mut self.language,
            Field::Authors => return self.authors.push(value),
            Field::Tags => return self.tags.push(value),
        };
        match single {
            None => *single = Some(value),
            Some(_) => self.others.push(Reading { field, value }),
        }
    }
}

impl Block {
    /// What the block says, without marks and structure: the texts of its parts with a space between.
    pub fn text(&self) -> String {
        fn push<'b>(blocks: &'b [Block], texts: &mut Vec<&'b str>) {
            for block in blocks {
                match block {
                    Block::Heading { text, .. } | Block::Paragraph(text) => texts.push(&text.text),
                    Block::List { items, .. } => items.iter().for_each(|item| push(item, texts)),
                    Block::Quotation(blocks) => push(blocks, texts),
                    Block::Preformatted(text) => texts.push(text),
                    Block::Table(rows) => {
                        texts.extend(rows.iter().flatten().map(|cell| cell.text.text.as_str()));
                    }
                    Block::Separator => {}
                }
            }
        }
        let mut texts = Vec::new();
        push(std::slice::from_ref(self), &mut texts);
        texts.retain(|text| !text.is_empty());
        texts.join(" ")
    }
}

impl Text {
    /// Text without marks.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), marks: Vec::new() }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}
