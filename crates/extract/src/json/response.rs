//! A response in JSON, and what stands where in it.

use serde_json::Value as Json;

use super::Pointer;
use super::markup::{LeftOut, markup};
use super::wordpress;
use crate::dom::{self, Document};
use crate::error::kind_of;
use crate::{
    Block, BodyRule, Envelope, ExtractError, FieldRule, IdentifierAt, IdentifierRule, JsonRules, Notice,
    NoticeCode, Place, Relation, RelationKind, TextFormat, Value, WordPressRules, body, text,
};

/// A parsed response, with what was agreed about it.
pub(super) struct Response<'a> {
    envelope: &'a Envelope<'a>,
    document: Json,
    agreed: Agreed<'a>,
}

/// Where fields stand, and how they are written.
#[derive(Clone, Copy)]
pub(super) enum Agreed<'a> {
    WordPress(&'a WordPressRules),
    Mapped(&'a JsonRules),
}

/// The article's text as read.
#[derive(Default)]
pub(super) struct Body {
    pub(super) blocks: Vec<Block>,
    pub(super) place: Option<Place>,
    /// All that is said there, what was left out included.
    pub(super) whole: String,
}

/// How deep responses may be nested is serde_json's own limit (128 levels); how long they are is bounded where they are fetched.
fn parse(bytes: &[u8]) -> Result<Json, ExtractError> {
    // Some servers write a byte order mark, which RFC 8259 allows to ignore.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes)
        .map_err(|error| ExtractError::JsonBroken { line: error.line(), column: error.column() })
}

fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(essence.as_str(), "application/json" | "text/json") || essence.ends_with("+json")
}

/// A piece of HTML from a response.
pub(super) fn fragment(html: &str) -> Result<Document, ExtractError> {
    dom::parse(html, dom::Kind::Fragment).map_err(|dom::TooManyNodes| ExtractError::PageTooComplex)
}

impl<'a> Response<'a> {
    pub(super) fn parse(envelope: &'a Envelope<'a>, agreed: Agreed<'a>) -> Result<Self, ExtractError> {
        if !is_json(envelope.content_type) {
            return Err(ExtractError::MediaType { found: envelope.content_type.into(), expected: "JSON" });
        }
        Ok(Self { envelope, document: parse(envelope.bytes)?, agreed })
    }

    /// What stands at a place; `None` where that is nothing or `null`.
    pub(super) fn get(&self, at: &Pointer) -> Option<&Json> {
        at.get(&self.document).filter(|found| !found.is_null())
    }

    /// What an agreed field holds. A value on the way to it in which nothing can stand is of another type than agreed; `null` and the empty string
    /// are absence there too.
    fn agreed(&self, name: &'static str, at: &Pointer) -> Result<Option<&Json>, ExtractError> {
        let mut above = at.as_str();
        while let Some((shorter, _)) = above.rsplit_once('/') {
            above = shorter;
            match self.document.pointer(above) {
                None | Some(Json::Null | Json::Object(_) | Json::Array(_)) => {}
                Some(Json::String(text)) if text.is_empty() => {}
                Some(other) => {
                    return Err(wrong_type(name, &above.parse().unwrap_or_default(), "an object", other));
                }
            }
        }
        Ok(self.get(at))
    }

    /// What is said at a place, of whatever the rules read there.
    pub(super) fn look_up(&self, at: &Pointer) -> Option<String> {
        let found = self.get(at)?;
        match self.agreed.body_at(at) {
            Some(rule) => self.body(&rule, &mut Vec::new()).ok().map(|body| body.whole),
            None => self.said(found, at).ok()?,
        }
    }

    /// The text of a string or a whole number, and `None` of anything else.
    fn said(&self, found: &Json, at: &Pointer) -> Result<Option<String>, ExtractError> {
        Ok(match found {
            Json::String(text) => Some(match self.agreed.format_at(at) {
                None => text.clone(),
                Some(TextFormat::Plain) => text::normalise(text),
                Some(TextFormat::Html) => said_in_html(text)?,
            }),
            // A whole number has one way to be written; of others the response's own is not known any more.
            Json::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
            _ => None,
        })
    }

    /// The values of a field, which are strings.
    pub(super) fn values(&self, name: &'static str, rule: &FieldRule) -> Result<Vec<Value>, ExtractError> {
        self.read(name, rule, "a string", Json::is_string)
    }

    fn read(
        &self,
        name: &'static str,
        rule: &FieldRule,
        expected: &'static str,
        is_expected: impl Fn(&Json) -> bool,
    ) -> Result<Vec<Value>, ExtractError> {
        let Some(found) = self.agreed(name, &rule.at)? else { return Ok(Vec::new()) };
        let places: Vec<Pointer> = match (&rule.each, found) {
            (None, _) => vec![rule.at.clone()],
            (Some(each), Json::Array(items)) => {
                (0..items.len()).map(|index| rule.at.index(index).then(each)).collect()
            }
            (Some(_), other) => return Err(wrong_type(name, &rule.at, "an array", other)),
        };
        let mut values = Vec::new();
        for place in places {
            let Some(found) = self.agreed(name, &place)? else { continue };
            let text = if is_expected(found) { self.said(found, &place)? } else { None };
            match text {
                Some(text) if text.is_empty() => {}
                Some(text) => values.push(Value::new(text, Place::json(place))),
                None => return Err(wrong_type(name, &place, expected, found)),
            }
        }
        Ok(values)
    }

    /// The article's text.
    pub(super) fn body(&self, rule: &BodyRule, notices: &mut Vec<Notice>) -> Result<Body, ExtractError> {
        let place = Place::json(rule.at.clone());
        let Some(found) = self.agreed("body", &rule.at)? else {
            notices.push(Notice::new(NoticeCode::BodyNotFound, "nothing stands there").at(place));
            return Ok(Body::default());
        };
        let mut left_out = LeftOut::default();
        let html = markup(found, rule, &mut left_out)?;
        let fragment = fragment(&html)?;
        if fragment.is_simplified() {
            let what = "tags nested too deep or attributes beyond a number were skipped";
            notices.push(Notice::new(NoticeCode::PageSimplified, what).at(place.clone()));
        }
        notices.extend(left_out.notices());
        let blocks = body::fragment::blocks(&fragment);
        if blocks.is_empty() {
            notices.push(Notice::new(NoticeCode::BodyNotFound, "no text stands there").at(place));
            return Ok(Body { whole: fragment.root().text(), ..Body::default() });
        }
        Ok(Body { blocks, place: Some(place), whole: fragment.root().text() })
    }

    /// The identifier (R6), where the rules say that the article has one.
    pub(super) fn identifier(&self, rule: Option<&IdentifierRule>) -> Result<Option<Value>, ExtractError> {
        let Some(rule) = rule else { return Ok(None) };
        for at in rule.places() {
            if let IdentifierAt::Pointer(at) = at
                && let Some(found) = self.agreed("identifier", at)?
                && self.said(found, at)?.is_none()
            {
                return Err(wrong_type("identifier", at, IDENTIFIER, found));
            }
        }
        let value = |at: &IdentifierAt| match at {
            IdentifierAt::Address => Some(Value::new(self.envelope.address.as_str(), Place::address())),
            IdentifierAt::Pointer(at) => {
                Some(Value::new(self.said(self.get(at)?, at).ok()??, Place::json(at.clone())))
            }
            // These stand in triggers, lists and pages.
            _ => None,
        };
        rule.read_value(&mut |at| value(at).into_iter().collect()).map(Some)
    }

    /// The original that the article names (R14), unless it names several or itself.
    pub(super) fn relation(
        &self,
        rule: Option<&FieldRule>,
        own: [Option<&Value>; 2],
        notices: &mut Vec<Notice>,
    ) -> Result<Option<Relation>, ExtractError> {
        let Some(rule) = rule else { return Ok(None) };
        let mut named =
            self.read("original", rule, IDENTIFIER, |found| found.is_string() || found.is_number())?;
        named.dedup_by(|one, other| one.text == other.text);
        if named.len() > 1 {
            let what = format!("{} originals are named", named.len());
            notices.push(Notice::new(NoticeCode::RelationAmbiguous, what).at(Place::json(rule.at.clone())));
            return Ok(None);
        }
        let is_own = |text: &str| {
            text == self.envelope.address.as_str() || own.iter().flatten().any(|value| value.text == text)
        };
        let original = named.pop().filter(|value| !is_own(&value.text));
        Ok(original.map(|original| Relation { kind: RelationKind::TranslationOf, original }))
    }
}

const IDENTIFIER: &str = "a string or a whole number";

/// What a piece of HTML says.
pub(super) fn said_in_html(html: &str) -> Result<String, ExtractError> {
    if html.contains(['<', '&']) { Ok(fragment(html)?.root().text()) } else { Ok(text::normalise(html)) }
}

pub(super) fn wrong_type(
    field: &'static str,
    place: &Pointer,
    expected: &'static str,
    found: &Json,
) -> ExtractError {
    ExtractError::WrongType { field, place: place.clone(), expected, found: kind_of(found) }
}

impl Agreed<'_> {
    /// The rule by which the body stands at this place.
    fn body_at(self, at: &Pointer) -> Option<BodyRule> {
        match self {
            Self::WordPress(_) => Some(wordpress::body()).filter(|rule| rule.at == *at),
            Self::Mapped(rules) => rules.body.clone().filter(|rule| rule.at == *at),
        }
    }

    /// How the text at a place is written; `None` where no field is read there, so that it is taken as it stands. A place that several fields
    /// are read from is read in one way: as HTML if that was said of any of them.
    fn format_at(self, at: &Pointer) -> Option<TextFormat> {
        let formats = |rules: &mut dyn Iterator<Item = &FieldRule>| {
            rules
                .filter(|rule| rule.reads(at))
                .map(|rule| rule.format)
                .max_by_key(|format| *format == TextFormat::Html)
        };
        match self {
            Self::WordPress(rules) => {
                formats(&mut rules.original.iter()).or_else(|| wordpress::format_at(at))
            }
            Self::Mapped(rules) => formats(&mut rules.fields.values().chain(&rules.original)),
        }
    }
}

impl FieldRule {
    /// Whether a value at this place is one that the rule reads.
    fn reads(&self, at: &Pointer) -> bool {
        let Some(each) = &self.each else { return self.at == *at };
        at.as_str()
            .strip_prefix(self.at.as_str())
            .and_then(|rest| rest.strip_suffix(each.as_str()))
            .and_then(|index| index.strip_prefix('/'))
            .is_some_and(|index| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()))
    }
}
