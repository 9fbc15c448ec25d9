//! The JSON Schema for editors, made of the same tables that the parser reads by.

use serde_json::{Map, Value, json};

use crate::keys::{self, Kind, Table};

/// The JSON Schema (draft 7, which editors of TOML know) of a source's file.
pub fn source_schema() -> Value {
    let mut schema = schema("A source of releve", &keys::SOURCE);
    let rule = Value::Object(table(&keys::RULE_TABLE));
    schema.insert("definitions".to_owned(), json!({ "identifierRule": rule }));
    Value::Object(schema)
}

/// The JSON Schema (draft 7) of the connector's own file.
pub fn connector_schema() -> Value {
    Value::Object(schema("The connector releve", &keys::CONNECTOR))
}

fn schema(title: &str, top: &'static Table) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
    schema.insert("title".to_owned(), json!(title));
    schema.extend(table(top));
    schema
}

fn table(table: &'static Table) -> Map<String, Value> {
    let mut properties = Map::new();
    for key in table.keys {
        let mut property = value_of(&key.kind);
        property.insert("description".to_owned(), json!(key.doc));
        properties.insert(key.name.to_owned(), Value::Object(property));
    }
    let required: Vec<&str> = table.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("additionalProperties".to_owned(), json!(false));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema
}

fn value_of(kind: &'static Kind) -> Map<String, Value> {
    let value = match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Word(words) => json!({ "type": "string", "enum": words }),
        Kind::Truth => json!({ "type": "boolean" }),
        Kind::Whole { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Length => json!({ "type": "string", "pattern": "^[0-9]+ *(ms|s|m|h|d)$" }),
        Kind::Size => json!({ "type": "string", "pattern": "^[0-9]+ *(B|KiB|MiB)$" }),
        Kind::Date => json!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" }),
        Kind::RulePair => json!({ "type": "array", "minItems": 2, "maxItems": 2, "items": {
            "anyOf": [{ "type": "string" }, { "$ref": "#/definitions/identifierRule" }]
        } }),
        // The one table that holds itself, by way of `join`.
        Kind::Table(below) if std::ptr::eq(*below, &raw const keys::RULE_TABLE) => {
            json!({ "$ref": "#/definitions/identifierRule" })
        }
        Kind::Table(below) => return table(below),
        Kind::Either(either) => {
            let any: Vec<Value> = either.iter().map(|below| Value::Object(value_of(below))).collect();
            json!({ "anyOf": any })
        }
    };
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
