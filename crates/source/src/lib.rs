//! Parses the configuration of the connector and its sources once, into types that can't be wrong.
//!
//! A configuration is TOML: one file for the connector, and one for each source. What comes out has been
//! checked as a whole: each address in it is https at a host that the publisher admitted, no pace is faster
//! and no bound larger than promised, an identifier can be read wherever the configuration says that it
//! stands, and selectors, pointers and patterns are compiled.
//!
//! ```
//! use releve_bounds::Bounds;
//! use releve_source::{File, Way, parse_source};
//!
//! let text = br#"
//!     name = "example"
//!     hosts = ["www.example.org"]
//!     preset = "wordpress"
//! "#;
//! let source = parse_source(File { name: "sources/example.toml", text }, &Bounds::default())?.value;
//!
//! let Way::PublicApi { template } = source.way() else { panic!("the preset reads by the public API") };
//! assert!(template.address("4711")?.as_str().starts_with("https://www.example.org/wp-json/wp/v2/posts/4711"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Errors
//!
//! All errors of a file come at once, each with file, line, column and what to do. A key that is not known is
//! one: a slip of the pen must not switch a rule off.
//!
//! ```
//! # use releve_bounds::Bounds;
//! # use releve_source::{File, parse_source};
//! let text = br#"
//! name = "example"
//! hosts = ["www.example.org"]
//! preset = "wordpress"
//! pase = { trigger = "5m" }
//! "#;
//! let problems = parse_source(File { name: "example.toml", text }, &Bounds::default()).unwrap_err();
//! assert_eq!(problems.to_string(), "example.toml:5:1: unknown key `pase`\n    did you mean `pace`?");
//! ```
//!
//! # Describing a source
//!
//! Where no preset fits, a source says what announces its articles, how an article is read, and where its
//! identifier stands:
//!
//! ```
//! # use releve_bounds::Bounds;
//! # use releve_source::{File, Identifier, Trigger, parse_source};
//! let text = br#"
//!     name = "example"
//!     hosts = ["www.example.org", "cms.example.org"]
//!
//!     [trigger]
//!     feed = "https://www.example.org/rss.xml"
//!
//!     [article]
//!     by = "cms-api"
//!     address = "https://cms.example.org/items/articles/{id}?fields=id,title,body"
//!     access = { header = "Authorization", prefix = "Bearer ", from_env = "EXAMPLE_TOKEN" }
//!
//!     [article.fields]
//!     headline = "/data/title"
//!     body = { at = "/data/body", format = "html" }
//!
//!     [identifier]
//!     trigger = { at = "guid", pattern = "^urn:art:(.+)$" }
//!     article = "/data/id"
//! "#;
//! let source = parse_source(File { name: "example.toml", text }, &Bounds::default())?.value;
//! assert!(matches!(source.trigger(), Trigger::Feed(_)));
//! assert!(matches!(source.identifier(), Identifier::Rules { backlog: None, .. }));
//! # Ok::<(), releve_source::Problems>(())
//! ```
//!
//! What each key means is said by the JSON Schema ([`source_schema`], [`connector_schema`]), which is made of
//! the same tables that the parser reads by.
//!
//! # Secrets
//!
//! A secret is never in a configuration. A source says which environment variable or file holds it;
//! [`SecretFrom::read`] gets it through look-ups that the caller gives, and nothing shows a [`Secret`] but
//! [`Secret::expose`].
//!
//! # What this crate does not do
//!
//! It opens no file and reads no environment; paths are handed on as they were written. It requests nothing:
//! whether a feed answers, or a selector matches, shows when the source is read.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod access;
mod amount;
mod article;
mod article_path;
mod connector;
mod fields;
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
pub use article::Way;
pub use article_path::ArticlePath;
pub use connector::{Connector, VaultAt, parse_connector};
pub use identifier::Identifier;
pub use list::{DateField, ListFields, Trigger};
pub use problem::{Problem, Problems};
pub use schema::{connector_schema, source_schema};
pub use source::{Embargo, Source, SourceName, SourceNameError, parse_source, parse_sources};
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
        _ => {
            if !document.has_problems() {
                // Whoever gives nothing has noted why; should that ever fail, an error must still say
                // something.
                document.problem(
                    0..0,
                    "this configuration cannot be used, and it is our mistake not to say why",
                    None,
                );
            }
            Err(Problems::new(document.finish().0))
        }
    }
}
