//! A TOML file read section by section; what is wrong is noted with its place, and reading goes on.

use std::cell::RefCell;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use jiff::civil::Date;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::keys::{Kind, Table};
use crate::{Problem, amount};

/// Where in the text something stands, in bytes.
pub(crate) type Span = Range<usize>;

/// One file, and what was found wrong in it.
pub(crate) struct Document<'a> {
    file: &'a str,
    text: &'a str,
    tables: &'static [&'static Table],
    /// Whether the TOML itself is broken, so that what seems missing may stand in what was not understood.
    is_broken: bool,
    problems: RefCell<Vec<(usize, Problem)>>,
    warnings: RefCell<Vec<(usize, Problem)>>,
}

/// A text with its place.
#[derive(Clone)]
pub(crate) struct Text<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}

impl<'a> Document<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str, tables: &'static [&'static Table]) -> Self {
        let (problems, warnings) = (RefCell::default(), RefCell::default());
        Self { file, text, tables, is_broken: false, problems, warnings }
    }

    /// Parses the file as TOML, noting all that is wrong with it as such.
    pub(crate) fn parse(&mut self) -> Spanned<DeTable<'a>> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        self.is_broken = !errors.is_empty();
        for error in errors {
            self.problem(
                error.span().unwrap_or_default(),
                format!("this is not TOML: {}", error.message()),
                None,
            );
        }
        table
    }

    pub(crate) fn problem(&self, span: Span, message: impl Into<String>, hint: Option<String>) {
        self.problems.borrow_mut().push(self.at(span, message.into(), hint));
    }

    pub(crate) fn warning(&self, span: Span, message: impl Into<String>, hint: Option<String>) {
        self.warnings.borrow_mut().push(self.at(span, message.into(), hint));
    }

    pub(crate) fn has_problems(&self) -> bool {
        !self.problems.borrow().is_empty()
    }

    /// Problems and warnings in the order of the text.
    pub(crate) fn finish(self) -> (Vec<Problem>, Vec<Problem>) {
        let sort = |notes: RefCell<Vec<(usize, Problem)>>| {
            let mut notes = notes.into_inner();
            notes.sort_by_key(|(offset, _)| *offset);
            notes.into_iter().map(|(_, problem)| problem).collect()
        };
        (sort(self.problems), sort(self.warnings))
    }

    fn at(&self, span: Span, message: String, hint: Option<String>) -> (usize, Problem) {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        (span.start, Problem { file: self.file.to_owned(), line, column, message, hint })
    }
}

/// A table of the file, of which it is known what keys it may have.
#[derive(Clone)]
pub(crate) struct Section<'a> {
    pub(crate) document: &'a Document<'a>,
    /// Where the table's header stands.
    pub(crate) span: Span,
    table: &'a DeTable<'a>,
    keys: &'static Table,
}

impl<'a> Section<'a> {
    /// Opens a table and notes the keys that it may not have.
    pub(crate) fn open(
        document: &'a Document<'a>,
        span: Span,
        table: &'a DeTable<'a>,
        keys: &'static Table,
    ) -> Self {
        let section = Self { document, span, table, keys };
        for key in table.keys() {
            if keys.key(key.get_ref()).is_none() {
                section.unknown(key);
            }
        }
        section
    }

    fn unknown(&self, key: &Spanned<std::borrow::Cow<'_, str>>) {
        let name = key.get_ref().as_ref();
        let elsewhere = || self.document.tables.iter().find(|table| table.key(name).is_some());
        let hint = if self.keys.key("from_env").is_some() && SECRET_KEYS.contains(&name) {
            "a secret is never written into a configuration; name the environment variable that holds it with `from_env`, \
             or the file with `from_file`"
                .to_owned()
        } else if let Some(near) = nearest(name, self.keys) {
            format!("did you mean `{near}`?")
        } else if let Some(table) = elsewhere() {
            let place = if table.name.is_empty() {
                "the top of the file".to_owned()
            } else {
                format!("[{}]", table.name)
            };
            format!("`{name}` belongs at {place}")
        } else {
            let names: Vec<String> = self.keys.keys.iter().map(|key| format!("`{}`", key.name)).collect();
            format!("known here are {}", names.join(", "))
        };
        let place =
            if self.keys.name.is_empty() { String::new() } else { format!(" in `{}`", self.keys.name) };
        self.document.problem(key.span(), format!("unknown key `{name}`{place}"), Some(hint));
    }

    pub(crate) fn problem(&self, span: Span, message: impl Into<String>, hint: &str) {
        self.document.problem(span, message, Some(hint.to_owned()));
    }

    /// Notes that the table lacks something, unless the file is broken and it may stand in what was not
    /// understood.
    pub(crate) fn missing(&self, message: impl Into<String>, hint: &str) {
        if !self.document.is_broken {
            self.document.problem(self.span.clone(), message, Some(hint.to_owned()));
        }
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Whether somebody wrote the secret itself here, which is noted as an unknown key.
    pub(crate) fn writes_secret(&self) -> bool {
        SECRET_KEYS.iter().any(|key| self.has(key))
    }

    /// Where the key stands, if it does.
    pub(crate) fn key_span(&self, key: &str) -> Option<Span> {
        self.table.get_key_value(key).map(|(key, _)| key.span())
    }

    /// Notes each of these keys that is there: what it says has no meaning here.
    pub(crate) fn refuse(&self, keys: &[&str], why: &str, hint: &str) {
        for key in keys {
            if let Some(span) = self.key_span(key) {
                self.problem(span, format!("`{key}` {why}"), hint);
            }
        }
    }

    fn value(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        debug_assert!(self.keys.key(key).is_some(), "`{key}` is in no table of keys");
        self.table.get(key)
    }

    fn wrong_kind(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) {
        let found = value.get_ref().type_str();
        self.document.problem(value.span(), format!("`{key}` is {expected}, not of type {found}"), None);
    }

    pub(crate) fn text(&self, key: &str) -> Option<Text<'a>> {
        let value = self.value(key)?;
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.wrong_kind(key, value, "a text in quotation marks");
        }
        Some(Text { text: text?, span: value.span() })
    }

    /// A text that must not be empty.
    pub(crate) fn words(&self, key: &str) -> Option<Text<'a>> {
        let text = self.text(key)?;
        if text.text.trim().is_empty() {
            self.document.problem(text.span, format!("`{key}` is empty"), None);
            return None;
        }
        Some(text)
    }

    /// A text that parses as what is wanted.
    pub(crate) fn parsed<T: FromStr>(&self, key: &str) -> Option<T>
    where
        T::Err: std::fmt::Display,
    {
        let text = self.text(key)?;
        self.parse(key, &text)
    }

    pub(crate) fn parse<T: FromStr>(&self, key: &str, text: &Text<'_>) -> Option<T>
    where
        T::Err: std::fmt::Display,
    {
        match text.text.parse() {
            Ok(value) => Some(value),
            Err(error) => {
                self.document.problem(text.span.clone(), format!("`{key}`: {error}"), None);
                None
            }
        }
    }

    /// One of the words that the key may have.
    pub(crate) fn word(&self, key: &str) -> Option<&'static str> {
        let text = self.text(key)?;
        let Some(Kind::Word(words)) = self.keys.key(key).map(|key| &key.kind) else { return None };
        let found = words.iter().find(|word| **word == text.text);
        if found.is_none() {
            let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            self.document.problem(
                text.span,
                format!("`{key}` has no such value"),
                Some(format!("it is {}", words.join(" or "))),
            );
        }
        found.copied()
    }

    pub(crate) fn truth(&self, key: &str) -> Option<bool> {
        let value = self.value(key)?;
        let truth = value.get_ref().as_bool();
        if truth.is_none() {
            self.wrong_kind(key, value, "true or false");
        }
        truth
    }

    /// A whole number within the limits that stand in the table of keys.
    pub(crate) fn whole(&self, key: &str) -> Option<u32> {
        let value = self.value(key)?;
        let Some(Kind::Whole { min, max }) = self.keys.key(key).map(|key| &key.kind) else { return None };
        let Some(number) = value.get_ref().as_integer() else {
            self.wrong_kind(key, value, "a whole number");
            return None;
        };
        let number = u32::from_str_radix(number.as_str(), number.radix()).ok();
        let number = number.filter(|number| (*min..=*max).contains(number));
        if number.is_none() {
            self.document.problem(value.span(), format!("`{key}` is from {min} to {max}"), None);
        }
        number
    }

    pub(crate) fn length(&self, key: &str) -> Option<(Duration, Span)> {
        let text = self.text(key)?;
        let length = amount::length(text.text);
        if length.is_none() {
            self.problem(
                text.span.clone(),
                format!("`{key}` is no length of time"),
                "write a whole number with ms, s, m, h or d, such as \"15m\"",
            );
        }
        Some((length?, text.span))
    }

    pub(crate) fn size(&self, key: &str) -> Option<(usize, Span)> {
        let text = self.text(key)?;
        let size = amount::size(text.text);
        if size.is_none() {
            self.problem(
                text.span.clone(),
                format!("`{key}` is no number of bytes"),
                "write a whole number with B, KiB or MiB, such as \"8 MiB\"",
            );
        }
        Some((size?, text.span))
    }

    /// A date, as TOML has it or as a text.
    pub(crate) fn date(&self, key: &str) -> Option<Date> {
        let value = self.value(key)?;
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Datetime(datetime) => datetime.to_string(),
            _ => {
                self.wrong_kind(key, value, "a date");
                return None;
            }
        };
        // More than a date is not cut down to one: its zone would decide which day it is.
        let date = if text.len() == "2015-01-01".len() { text.parse().ok() } else { None };
        if date.is_none() {
            self.problem(value.span(), format!("`{key}` is no date"), "write it as \"2015-01-01\"");
        }
        date
    }

    /// A list of texts; one that is not there is empty.
    pub(crate) fn texts(&self, key: &str) -> Vec<Text<'a>> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let Some(array) = value.get_ref().as_array() else {
            self.wrong_kind(key, value, "a list of texts in brackets");
            return Vec::new();
        };
        let mut texts = Vec::new();
        for element in array {
            match element.get_ref().as_str() {
                Some(text) => texts.push(Text { text, span: element.span() }),
                None => self.wrong_kind(key, element, "a list of texts in brackets"),
            }
        }
        texts
    }

    /// A table below this one.
    pub(crate) fn section(&self, key: &str, keys: &'static Table) -> Option<Self> {
        let value = self.value(key)?;
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong_kind(key, value, "a table");
        }
        Some(Self::open(self.document, value.span(), table?, keys))
    }

    /// A text or a table below this one.
    pub(crate) fn text_or_section(&self, key: &str, keys: &'static Table) -> Option<TextOrSection<'a>> {
        let value = self.value(key)?;
        self.either(key, value, keys)
    }

    fn either(
        &self,
        key: &str,
        value: &'a Spanned<DeValue<'a>>,
        keys: &'static Table,
    ) -> Option<TextOrSection<'a>> {
        match value.get_ref() {
            DeValue::String(text) => Some(TextOrSection::Text(Text { text, span: value.span() })),
            DeValue::Table(table) => {
                Some(TextOrSection::Section(Self::open(self.document, value.span(), table, keys)))
            }
            _ => {
                self.wrong_kind(key, value, "a text or a table");
                None
            }
        }
    }

    /// The elements of a list, each a text or a table, with the place of the list.
    pub(crate) fn elements(&self, key: &str, keys: &'static Table) -> Option<(Vec<TextOrSection<'a>>, Span)> {
        let value = self.value(key)?;
        let Some(array) = value.get_ref().as_array() else {
            self.wrong_kind(key, value, "a list in brackets");
            return None;
        };
        let elements = array.iter().filter_map(|element| self.either(key, element, keys)).collect();
        Some((elements, value.span()))
    }

    /// Whether what stands after the key is a list.
    pub(crate) fn is_list(&self, key: &str) -> bool {
        self.value(key).is_some_and(|value| value.get_ref().is_array())
    }
}

/// Something was wrong, and has been noted.
///
/// `Result<Option<T>, Noted>` is what a key says that may be left out: nothing, something wrong, or a value.
#[derive(Clone, Copy)]
pub(crate) struct Noted;

/// What some keys may have.
pub(crate) enum TextOrSection<'a> {
    Text(Text<'a>),
    Section(Section<'a>),
}

/// Keys under which people write a secret.
const SECRET_KEYS: [&str; 6] = ["value", "secret", "token", "key", "password", "credential"];

/// The key that was probably meant.
fn nearest(name: &str, keys: &Table) -> Option<&'static str> {
    let allowed = if name.len() > 4 { 2 } else { 1 };
    let near = keys.keys.iter().map(|key| (distance(name, key.name), key.name));
    near.filter(|(distance, _)| *distance <= allowed).min().map(|(_, name)| name)
}

/// How many characters must be added, removed, changed or swapped with their neighbour to make one of the
/// other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().take(64).collect(), to.chars().collect());
    // Three rows of the usual table: the one before last, the last, and the one being filled.
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let changed = last[j] + usize::from(a != b);
            let mut steps = changed.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && from[i - 1] == *b && *a == to[j - 1] {
                steps = steps.min(before_last[j - 1] + 1);
            }
            row.push(steps);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn a_distance_counts_what_a_hand_gets_wrong() {
        for (from, to, expected) in [
            ("", "", 0),
            ("host", "hosts", 1),
            ("hsots", "hosts", 1),
            ("feeds", "feed", 1),
            ("artcle", "article", 1),
            ("abc", "xyz", 3),
            ("ü", "u", 1),
        ] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }
}
