//! Parses the configuration of the connector and its sources once, into types that can't be wrong.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod access;
mod amount;
mod connector;
mod identifier;
mod keys;
mod list;
mod preset;
mod problem;
mod schema;
mod section;
mod source;
mod template;

pub use access::{AccessHeaderName, AccessSpec, HeaderNameError, Secret, SecretError, SecretFrom};
pub use connector::{Connector, VaultAt, parse_connector};
pub use identifier::Identifier;
pub use list::{Backlog, DateField, Entrance, ListFields, Pagination, Trigger};
pub use problem::{Problem, Problems};
pub use schema::{connector_schema, source_schema};
pub use source::{Embargo, Source, SourceName, SourceNameError, Way, parse_source, parse_sources};
pub use template::{AddressTemplate, IdentifierUnfit, TemplateError};

/// A configuration file: what the caller calls it, for messages, and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File<'a> {
    /// The name, such as `sources/example.toml`.
    pub name: &'a str,
    /// The content.
    pub text: &'a [u8],
}

/// What a file says, and what in it was likely not meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed<T> {
    /// What it says.
    pub value: T,
    /// Nothing that keeps it from being used.
    pub warnings: Vec<Problem>,
}

/// The largest file taken. The longest real configuration has a few KiB; a larger file is another file.
const FILE_BYTES_MAX: usize = 1 << 20;

/// Reads a file by the tables of keys that it may have.
fn read<T>(
    file: File<'_>,
    tables: &'static [&'static keys::Table],
    top: &'static keys::Table,
    take: impl FnOnce(&section::Section<'_>) -> Option<T>,
) -> Result<Parsed<T>, Problems> {
    let refuse = |message: String| {
        let file = file.name.to_owned();
        Err(Problems::new(vec![Problem { file, line: 1, column: 1, message, hint: None }]))
    };
    if file.text.len() > FILE_BYTES_MAX {
        return refuse(format!("the file has more than {FILE_BYTES_MAX} bytes"));
    }
    let Ok(text) = str::from_utf8(file.text) else {
        return refuse("the file is not written in UTF-8".to_owned());
    };
    let mut document = section::Document::new(file.name, text, tables);
    let table = document.parse();
    let value = take(&section::Section::open(&document, 0..0, table.get_ref(), top));
    match value {
        Some(value) if !document.has_problems() => {
            let (_, warnings) = document.finish();
            Ok(Parsed { value, warnings })
        }
        _ => Err(Problems::new(document.finish().0)),
    }
}
