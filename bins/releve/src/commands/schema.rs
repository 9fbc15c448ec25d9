//! `releve schema`: the JSON Schema of a configuration file.

use std::io::Write;

use anyhow::Result;
use releve_source::{connector_schema, source_schema};

use crate::cli::SchemaOf;
use crate::exit::Exit;

pub(crate) fn run(of: SchemaOf, out: &mut dyn Write) -> Result<Exit> {
    let schema = match of {
        SchemaOf::Source => source_schema(),
        SchemaOf::Connector => connector_schema(),
    };
    serde_json::to_writer_pretty(&mut *out, &schema)?;
    writeln!(out)?;
    Ok(Exit::Done)
}
