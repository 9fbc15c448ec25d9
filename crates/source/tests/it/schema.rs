//! The schema describes what the parser takes.

use releve_extract::Field;
use releve_source::{connector_schema, source_schema};
use serde_json::{Map, Value, json};

use super::{fixtures, parse, read_fixture};

/// What keeps a value from fitting a schema: the part of JSON Schema that ours is made of, and nothing else.
fn misfit(value: &Value, schema: &Value, root: &Value) -> Option<String> {
    let object = schema.as_object().unwrap();
    for (keyword, wanted) in object {
        let misfits = match keyword.as_str() {
            "$schema" | "title" | "description" | "definitions" => continue,
            "$ref" => {
                let at = wanted.as_str().unwrap().strip_prefix('#').unwrap();
                if let Some(why) = misfit(value, root.pointer(at).unwrap(), root) {
                    return Some(why);
                }
                false
            }
            "type" => match wanted.as_str().unwrap() {
                "object" => !value.is_object(),
                "array" => !value.is_array(),
                "string" => !value.is_string(),
                "boolean" => !value.is_boolean(),
                "integer" => !value.is_i64(),
                other => panic!("type {other}"),
            },
            "enum" => !wanted.as_array().unwrap().contains(value),
            "minimum" => value.as_i64() < wanted.as_i64(),
            "maximum" => value.as_i64() > wanted.as_i64(),
            "minItems" => {
                value.as_array().is_some_and(|items| (items.len() as u64) < wanted.as_u64().unwrap())
            }
            "maxItems" => value.as_array().is_some_and(|items| items.len() as u64 > wanted.as_u64().unwrap()),
            "pattern" => {
                let regex = regex::Regex::new(wanted.as_str().unwrap()).unwrap();
                value.as_str().is_some_and(|text| !regex.is_match(text))
            }
            "anyOf" => wanted.as_array().unwrap().iter().all(|any| misfit(value, any, root).is_some()),
            "items" => {
                let mut items = value.as_array().into_iter().flatten();
                if let Some(why) = items.find_map(|item| misfit(item, wanted, root)) {
                    return Some(why);
                }
                false
            }
            "required" => {
                let has = |key: &Value| value.get(key.as_str().unwrap()).is_some();
                !wanted.as_array().unwrap().iter().all(has)
            }
            "additionalProperties" => {
                assert_eq!(wanted, &json!(false));
                let known = object["properties"].as_object().unwrap();
                value.as_object().is_some_and(|value| value.keys().any(|key| !known.contains_key(key)))
            }
            "properties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    let below = wanted.get(key).and_then(|below| misfit(value, below, root));
                    if let Some(why) = below {
                        return Some(format!("{key}: {why}"));
                    }
                }
                false
            }
            other => panic!("the schema has a keyword that this test does not know: {other}"),
        };
        if misfits {
            return Some(format!("{value} misfits {keyword} {wanted}"));
        }
    }
    None
}

/// A configuration as an editor hands it to a schema: dates are texts there.
fn as_json(text: &str) -> Value {
    fn convert(value: toml::Value) -> Value {
        match value {
            toml::Value::String(text) => json!(text),
            toml::Value::Integer(number) => json!(number),
            toml::Value::Float(number) => json!(number),
            toml::Value::Boolean(truth) => json!(truth),
            toml::Value::Datetime(datetime) => json!(datetime.to_string()),
            toml::Value::Array(array) => array.into_iter().map(convert).collect(),
            toml::Value::Table(table) => Value::Object(
                table.into_iter().map(|(key, value)| (key, convert(value))).collect::<Map<_, _>>(),
            ),
        }
    }
    convert(toml::Value::Table(text.parse().unwrap()))
}

fn check_file(path: &str, schema: &Value) {
    let text = String::from_utf8(read_fixture(path)).unwrap();
    assert_eq!(misfit(&as_json(&text), schema, schema), None, "{path}");
}

#[test]
fn every_example_fits_its_schema() {
    for entry in std::fs::read_dir(fixtures().join("sources")).unwrap() {
        let name = entry.unwrap().file_name();
        check_file(&format!("sources/{}", name.display()), &source_schema());
    }
    check_file("releve.toml", &connector_schema());
    check_file("releve-full.toml", &connector_schema());
    for text in [super::PAGE, super::PUBLIC, super::CMS, super::WORDPRESS] {
        assert_eq!(misfit(&as_json(text), &source_schema(), &source_schema()), None);
    }
}

#[test]
fn the_schema_refuses_what_the_parser_refuses_for_its_shape() {
    let schema = source_schema();
    let wordpress = super::WORDPRESS;
    for (text, what) in [
        ("name = \"a\"".to_owned(), "required"),
        (format!("{wordpress}nme = 1"), "additionalProperties"),
        (format!("{wordpress}active = 1"), "type"),
        (format!("{wordpress}pace = {{ trigger = \"15\" }}"), "pattern"),
        (super::with(wordpress, "\"wordpress\"", "\"drupal\""), "enum"),
        (format!("{wordpress}bounds = {{ frames = 0 }}"), "minimum"),
        (format!("{wordpress}bounds = {{ frames = 2000000 }}"), "maximum"),
        (super::with(super::PAGE, "\"guid\"", "{ join = [\"id\"] }"), "anyOf"),
    ] {
        let why = misfit(&as_json(&text), &schema, &schema).unwrap_or_else(|| panic!("{text} fits"));
        assert!(why.contains(what), "{why}");
        assert!(parse(&text).is_err(), "{text}");
    }
}

/// Each key of the schema, put where it stands, is one that the parser knows.
#[test]
fn the_parser_knows_each_key_of_the_schema() {
    fn walk(schema: &Value, path: &mut Vec<String>, check: &mut dyn FnMut(&[String])) {
        for (key, below) in schema["properties"].as_object().into_iter().flatten() {
            path.push(key.clone());
            check(path);
            walk(below, path, check);
            for any in below["anyOf"].as_array().into_iter().flatten() {
                walk(any, path, check);
            }
            path.pop();
        }
    }
    let mut count = 0;
    walk(&source_schema(), &mut Vec::new(), &mut |path| {
        count += 1;
        // A truth is the wrong kind almost everywhere; what counts is that the key is not unknown.
        let said = parse(&format!("{} = true", path.join(".")))
            .map_or_else(|problems| problems.to_string(), |_| String::new());
        assert!(!said.contains("unknown key"), "{}: {said}", path.join("."));
    });
    assert!(count > 80, "{count}");
}

#[test]
fn each_field_of_a_descriptor_has_a_key() {
    let schema = source_schema();
    let fields = &schema["properties"]["article"]["properties"]["fields"]["properties"];
    for field in Field::ALL {
        assert!(fields.get(field.as_str()).is_some(), "{}", field.as_str());
    }
}

#[test]
fn every_key_is_described() {
    fn walk(schema: &Value) {
        for (key, below) in schema["properties"].as_object().into_iter().flatten() {
            assert!(below["description"].as_str().is_some_and(|text| text.ends_with('.')), "{key}: {below}");
            walk(below);
        }
    }
    walk(&source_schema());
    walk(&source_schema()["definitions"]["identifierRule"]);
    walk(&connector_schema());
}
