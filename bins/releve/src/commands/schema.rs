//! `releve schema`: the JSON Schema of a configuration file.

use std::io::Write;

use anyhow::Result;
use releve_source::{connector_schema, source_schema};

use super::print_json;
use crate::cli::{Global, SchemaOf};
use crate::exit::Exit;

pub(crate) fn run(global: &Global, of: SchemaOf, out: &mut dyn Write) -> Result<Exit> {
    let schema = match of {
        SchemaOf::Source => source_schema(),
        SchemaOf::Connector => connector_schema(),
    };
    if global.json {
        print_json(out, &schema)?;
    } else {
        writeln!(out, "{schema:#}")?;
    }
    Ok(Exit::Done)
}
