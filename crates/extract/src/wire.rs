//! `article.json`: how what was copied out of an envelope is written down.
//!
//! Ranges of marks are counted in Unicode scalar values here, so that they mean the same in every language; in memory they are bytes.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::article::{
    Article, Block, Cell, Descriptor, Mark, MarkKind, Reading, Relation, RelationKind, Text, Value,
};
use crate::{Notice, NoticeCode};

/// Why a JSON value is no article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireError(String);

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not an article as this crate writes it: {}", self.0)
    }
}

impl std::error::Error for WireError {}

impl Article {
    /// The article as `article.json` holds it: `body` (its place and blocks), `descriptor`, and where there are any `identifier`, `relation`
    /// and `notices`.
    ///
    /// What an article says is `body` and `descriptor`; two readings whose parts there are equal differ in nothing that a reader sees.
    pub fn to_json(&self) -> Json {
        // Strings, numbers and maps with string keys only: nothing that serialisation could refuse.
        serde_json::to_value(WireArticle::from(self)).unwrap_or_default()
    }

    /// The article that [`to_json`](Self::to_json) wrote.
    pub fn from_json(json: &Json) -> Result<Self, WireError> {
        let wire = WireArticle::deserialize(json).map_err(|error| WireError(error.to_string()))?;
        wire.try_into()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireArticle {
    body: WireBody,
    descriptor: WireDescriptor,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    identifier: Option<WireValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relation: Option<WireRelation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notices: Vec<WireNotice>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    blocks: Vec<WireBlock>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
enum WireBlock {
    Heading {
        level: u8,
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        marks: Vec<WireMark>,
    },
    Paragraph {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        marks: Vec<WireMark>,
    },
    List {
        ordered: bool,
        items: Vec<Vec<WireBlock>>,
    },
    Quotation {
        blocks: Vec<WireBlock>,
    },
    Preformatted {
        text: String,
    },
    Table {
        rows: Vec<Vec<WireCell>>,
    },
    Separator {},
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCell {
    #[serde(default, skip_serializing_if = "is_false")]
    header: bool,
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    marks: Vec<WireMark>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireMark {
    from: usize,
    to: usize,
    #[serde(rename = "type")]
    kind: WireMarkKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WireMarkKind {
    Link,
    Emphasis,
    Strong,
    Code,
    Deleted,
    Subscript,
    Superscript,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireValue {
    text: String,
    place: String,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WireDescriptor {
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<WireValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standfirst: Option<WireValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    authors: Vec<WireValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<WireValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<WireValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<WireValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<WireValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<WireValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<WireValue>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<WireReading>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireReading {
    field: String,
    text: String,
    place: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireRelation {
    kind: WireRelationKind,
    original: WireValue,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WireRelationKind {
    TranslationOf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireNotice {
    code: String,
    detail: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_false(value: &bool) -> bool {
    !value
}

impl From<&Article> for WireArticle {
    fn from(article: &Article) -> Self {
        Self {
            body: WireBody {
                place: article.body.as_ref().map(ToString::to_string),
                blocks: article.blocks.iter().map(WireBlock::from).collect(),
            },
            descriptor: WireDescriptor::from(&article.descriptor),
            identifier: article.identifier.as_ref().map(WireValue::from),
            relation: article.relation.as_ref().map(|relation| WireRelation {
                kind: match relation.kind {
                    RelationKind::TranslationOf => WireRelationKind::TranslationOf,
                },
                original: WireValue::from(&relation.original),
            }),
            notices: article
                .notices
                .iter()
                .map(|notice| WireNotice {
                    code: notice.code.as_str().into(),
                    detail: notice.detail.clone(),
                    place: notice.place.as_ref().map(ToString::to_string),
                })
                .collect(),
        }
    }
}

impl From<&Block> for WireBlock {
    fn from(block: &Block) -> Self {
        let all = |blocks: &[Block]| blocks.iter().map(Self::from).collect();
        match block {
            Block::Heading { level, text } => {
                Self::Heading { level: *level, text: text.text.clone(), marks: marks_out(text) }
            }
            Block::Paragraph(text) => Self::Paragraph { text: text.text.clone(), marks: marks_out(text) },
            Block::List { ordered, items } => {
                Self::List { ordered: *ordered, items: items.iter().map(|item| all(item)).collect() }
            }
            Block::Quotation(blocks) => Self::Quotation { blocks: all(blocks) },
            Block::Preformatted(text) => Self::Preformatted { text: text.clone() },
            Block::Table(rows) => Self::Table {
                rows: rows
                    .iter()
                    .map(|row| {
                        let cell = |cell: &Cell| WireCell {
                            header: cell.header,
                            text: cell.text.text.clone(),
                            marks: marks_out(&cell.text),
                        };
                        row.iter().map(cell).collect()
                    })
                    .collect(),
            },
            Block::Separator => Self::Separator {},
        }
    }
}

/// The marks of a text, their ranges in characters.
fn marks_out(text: &Text) -> Vec<WireMark> {
    if text.marks.is_empty() {
        return Vec::new();
    }
    let starts: Vec<usize> = text.text.char_indices().map(|(at, _)| at).collect();
    let characters = |byte: usize| starts.partition_point(|&start| start < byte);
    text.marks
        .iter()
        .map(|mark| {
            let (kind, address) = match &mark.kind {
                MarkKind::Link(address) => (WireMarkKind::Link, Some(address.clone())),
                MarkKind::Emphasis => (WireMarkKind::Emphasis, None),
                MarkKind::Strong => (WireMarkKind::Strong, None),
                MarkKind::Code => (WireMarkKind::Code, None),
                MarkKind::Deleted => (WireMarkKind::Deleted, None),
                MarkKind::Subscript => (WireMarkKind::Subscript, None),
                MarkKind::Superscript => (WireMarkKind::Superscript, None),
            };
            WireMark { from: characters(mark.range.start), to: characters(mark.range.end), kind, address }
        })
        .collect()
}

/// A text with its marks, their ranges in bytes again.
fn text_in(text: String, marks: Vec<WireMark>) -> Result<Text, WireError> {
    let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    starts.push(text.len());
    let marks = marks
        .into_iter()
        .map(|mark| {
            let range = match (starts.get(mark.from), starts.get(mark.to)) {
                (Some(&from), Some(&to)) if from < to => from..to,
                _ => {
                    return Err(WireError(format!("no characters {} to {} in {text:?}", mark.from, mark.to)));
                }
            };
            let kind = match (mark.kind, mark.address) {
                (WireMarkKind::Link, Some(address)) => MarkKind::Link(address),
                (WireMarkKind::Emphasis, None) => MarkKind::Emphasis,
                (WireMarkKind::Strong, None) => MarkKind::Strong,
                (WireMarkKind::Code, None) => MarkKind::Code,
                (WireMarkKind::Deleted, None) => MarkKind::Deleted,
                (WireMarkKind::Subscript, None) => MarkKind::Subscript,
                (WireMarkKind::Superscript, None) => MarkKind::Superscript,
                _ => return Err(WireError("a link needs an address, and nothing else has one".into())),
            };
            Ok(Mark { range, kind })
        })
        .collect::<Result<_, _>>()?;
    Ok(Text { text, marks })
}

impl From<&Value> for WireValue {
    fn from(value: &Value) -> Self {
        Self { text: value.text.clone(), place: value.place.to_string() }
    }
}

impl From<&Descriptor> for WireDescriptor {
    fn from(descriptor: &Descriptor) -> Self {
        let one = |value: &Option<Value>| value.as_ref().map(WireValue::from);
        let many = |values: &[Value]| values.iter().map(WireValue::from).collect();
        Self {
            headline: one(&descriptor.headline),
            standfirst: one(&descriptor.standfirst),
            authors: many(&descriptor.authors),
            published: one(&descriptor.published),
            modified: one(&descriptor.modified),
            category: one(&descriptor.category),
            tags: many(&descriptor.tags),
            canonical: one(&descriptor.canonical),
            language: one(&descriptor.language),
            others: descriptor
                .others
                .iter()
                .map(|Reading { field, value }| WireReading {
                    field: field.as_str().into(),
                    text: value.text.clone(),
                    place: value.place.to_string(),
                })
                .collect(),
        }
    }
}

impl TryFrom<WireArticle> for Article {
    type Error = WireError;

    fn try_from(wire: WireArticle) -> Result<Self, WireError> {
        let place = |text: Option<String>| text.map(|text| text.parse().map_err(broken)).transpose();
        Ok(Self {
            blocks: blocks_in(wire.body.blocks)?,
            body: place(wire.body.place)?,
            descriptor: wire.descriptor.try_into()?,
            identifier: one_in(wire.identifier)?,
            relation: match wire.relation {
                Some(relation) => Some(Relation {
                    kind: match relation.kind {
                        WireRelationKind::TranslationOf => RelationKind::TranslationOf,
                    },
                    original: relation.original.try_into()?,
                }),
                None => None,
            },
            notices: wire
                .notices
                .into_iter()
                .map(|notice| {
                    let code = NoticeCode::parse(&notice.code)
                        .ok_or_else(|| WireError(format!("no notice is called `{}`", notice.code)))?;
                    Ok(Notice { code, detail: notice.detail, place: place(notice.place)? })
                })
                .collect::<Result<_, _>>()?,
        })
    }
}

impl TryFrom<WireDescriptor> for Descriptor {
    type Error = WireError;

    fn try_from(wire: WireDescriptor) -> Result<Self, WireError> {
        let many =
            |values: Vec<WireValue>| values.into_iter().map(Value::try_from).collect::<Result<Vec<_>, _>>();
        let others = wire.others.into_iter().map(|WireReading { field, text, place }| {
            let value = WireValue { text, place }.try_into()?;
            Ok(Reading { field: field.parse().map_err(broken)?, value })
        });
        let others = others.collect::<Result<_, _>>()?;
        Ok(Self {
            headline: one_in(wire.headline)?,
            standfirst: one_in(wire.standfirst)?,
            authors: many(wire.authors)?,
            published: one_in(wire.published)?,
            modified: one_in(wire.modified)?,
            category: one_in(wire.category)?,
            tags: many(wire.tags)?,
            canonical: one_in(wire.canonical)?,
            language: one_in(wire.language)?,
            others,
        })
    }
}

impl TryFrom<WireValue> for Value {
    type Error = WireError;

    fn try_from(wire: WireValue) -> Result<Self, WireError> {
        Ok(Self { text: wire.text, place: wire.place.parse().map_err(broken)? })
    }
}

fn one_in(wire: Option<WireValue>) -> Result<Option<Value>, WireError> {
    wire.map(Value::try_from).transpose()
}

fn blocks_in(blocks: Vec<WireBlock>) -> Result<Vec<Block>, WireError> {
    blocks.into_iter().map(Block::try_from).collect()
}

impl TryFrom<WireBlock> for Block {
    type Error = WireError;

    fn try_from(wire: WireBlock) -> Result<Self, WireError> {
        Ok(match wire {
            WireBlock::Heading { level, text, marks } => Self::Heading { level, text: text_in(text, marks)? },
            WireBlock::Paragraph { text, marks } => Self::Paragraph(text_in(text, marks)?),
            WireBlock::List { ordered, items } => {
                Self::List { ordered, items: items.into_iter().map(blocks_in).collect::<Result<_, _>>()? }
            }
            WireBlock::Quotation { blocks } => Self::Quotation(blocks_in(blocks)?),
            WireBlock::Preformatted { text } => Self::Preformatted(text),
            WireBlock::Table { rows } => Self::Table(
                rows.into_iter()
                    .map(|row| {
                        let cell = |cell: WireCell| {
                            Ok(Cell { header: cell.header, text: text_in(cell.text, cell.marks)? })
                        };
                        row.into_iter().map(cell).collect()
                    })
                    .collect::<Result<_, _>>()?,
            ),
            WireBlock::Separator {} => Self::Separator,
        })
    }
}

fn broken(error: impl fmt::Display) -> WireError {
    WireError(error.to_string())
}

#[cfg(test)]
mod tests;
