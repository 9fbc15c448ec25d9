//! Where the body and the fields of the descriptor stand, in each of the ways to read.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use releve_extract::{
    BodyRule, ElementRule, Field, FieldRule, JsonRules, PageRules, Pointer, Selector, TextFormat,
    WordPressRules,
};

use crate::section::{Noted, Section, TextOrSection};
use crate::{keys, preset};

pub(crate) fn page(table: &Section<'_>) -> Result<PageRules, Noted> {
    if !table.has("fields") {
        return Ok(PageRules::default());
    }
    let fields = table.section("fields", &keys::FIELDS).ok_or(Noted)?;
    let selector = |key: &str| on_page::<Selector>(&fields, key);
    let element = |key: &str| on_page::<ElementRule>(&fields, key);
    let (body, drop, original) = (selector("body"), selector("drop"), element("original"));
    let mut of_fields = BTreeMap::new();
    for field in Field::ALL {
        if let Ok(Some(rule)) = element(field.as_str()) {
            of_fields.insert(field, rule);
        }
    }
    Ok(PageRules { body: body?, drop: drop?, fields: of_fields, original: original?, ..PageRules::default() })
}

/// A CSS selector, with an attribute where that is wanted: a text, never a table.
fn on_page<T: FromStr>(fields: &Section<'_>, key: &str) -> Result<Option<T>, Noted>
where
    T::Err: fmt::Display,
{
    match fields.text_or_section(key, &keys::FIELD_TABLE) {
        None if fields.has(key) => Err(Noted),
        None => Ok(None),
        Some(TextOrSection::Text(text)) => fields.parse(key, &text).map(Some).ok_or(Noted),
        Some(TextOrSection::Section(section)) => {
            section.problem(
                section.span.clone(),
                format!("`{key}` is a table"),
                "on a page, give a CSS selector, as in \"h1.title\" or \"time@datetime\"",
            );
            Err(Noted)
        }
    }
}

pub(crate) fn wordpress(table: &Section<'_>) -> Result<WordPressRules, Noted> {
    if !table.has("fields") {
        return Ok(WordPressRules::default());
    }
    let fields = table.section("fields", &keys::FIELDS).ok_or(Noted)?;
    let names = keys::FIELDS.keys.iter().map(|key| key.name);
    let refused: Vec<&str> = names.filter(|name| *name != "original").collect();
    fields.refuse(&refused, preset::SAID, preset::LEAVE_OUT);
    Ok(WordPressRules { original: in_json(&fields, "original")?, ..WordPressRules::default() })
}

pub(crate) fn json(table: &Section<'_>) -> Result<JsonRules, Noted> {
    if !table.has("fields") {
        table.missing(
            "[article.fields] is missing",
            "say where the agreed fields stand, as in body = { at = \"/data/body\", format = \"html\" }",
        );
    }
    let fields = table.section("fields", &keys::FIELDS).ok_or(Noted)?;
    fields.refuse(&["drop"], "is for pages", "leave it out");
    let (body, original) = (body_rule(&fields), in_json(&fields, "original"));
    let mut of_fields = BTreeMap::new();
    for field in Field::ALL {
        if let Ok(Some(rule)) = in_json(&fields, field.as_str()) {
            of_fields.insert(field, rule);
        }
    }
    let body = Some(body.ok_or(Noted)?);
    Ok(JsonRules { body, fields: of_fields, original: original?, ..JsonRules::default() })
}

/// Where a field stands in a response.
fn in_json(fields: &Section<'_>, key: &str) -> Result<Option<FieldRule>, Noted> {
    match fields.text_or_section(key, &keys::FIELD_TABLE) {
        None if fields.has(key) => Err(Noted),
        None => Ok(None),
        Some(TextOrSection::Text(text)) => {
            fields.parse(key, &text).map(FieldRule::plain).map(Some).ok_or(Noted)
        }
        Some(TextOrSection::Section(section)) => {
            let (at, each, format) = (pointer_at(&section), section.parsed("each"), text_format(&section));
            if section.has("each") && each.is_none() {
                return Err(Noted);
            }
            Ok(Some(FieldRule { at: at.ok_or(Noted)?, each, format: format? }))
        }
    }
}

fn text_format(section: &Section<'_>) -> Result<TextFormat, Noted> {
    let Some(text) = section.text("format") else {
        return if section.has("format") { Err(Noted) } else { Ok(TextFormat::Plain) };
    };
    match text.text {
        "plain" => Ok(TextFormat::Plain),
        "html" => Ok(TextFormat::Html),
        _ => {
            section.problem(text.span, "`format` has no such value", "it is \"plain\" or \"html\"");
            Err(Noted)
        }
    }
}

fn body_rule(fields: &Section<'_>) -> Option<BodyRule> {
    const HINT: &str =
        "say where it stands and how it is written, as in body = { at = \"/data/body\", format = \"html\" }";
    if !fields.has("body") {
        fields.missing("`body` is missing in [article.fields]", HINT);
    }
    match fields.text_or_section("body", &keys::FIELD_TABLE)? {
        TextOrSection::Text(text) => {
            fields.problem(text.span, "`body` does not say how it is written", HINT);
            None
        }
        TextOrSection::Section(section) => {
            section.refuse(&["each"], "has no meaning for the body", "leave it out");
            let (at, format) = (pointer_at(&section), section.parsed("format"));
            if !section.has("format") {
                section.missing("`format` is missing in `body`", HINT);
            }
            Some(BodyRule { at: at?, format: format? })
        }
    }
}

fn pointer_at(section: &Section<'_>) -> Option<Pointer> {
    if !section.has("at") {
        section.missing("`at` is missing", "say where it stands, as in at = \"/data/title\"");
    }
    section.parsed("at")
}
