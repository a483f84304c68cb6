//! Checks that output matches its committed JSON schema, and that the schema would reject an
//! unknown field.
//!
//! The crate reads the schema files and does not know the Rust types, so its verdict is the
//! verdict of a program in another language.

mod openapi;

use std::fs;

use serde_json::Value;

pub use openapi::{JsonRequest, Response};

/// The folder of the committed schemas.
// They stand beside the types that write them.
pub const SCHEMAS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../answers/schema");

/// A field name that no schema has.
const UNKNOWN: &str = "a field that no schema has";

/// Returns the only line of standard output, parsed and checked against the named schema.
///
/// # Panics
///
/// If the output is not one line that matches.
#[track_caller]
pub fn answer(schema: &str, output: &[u8]) -> Value {
    let mut all = answers(schema, output);
    assert_eq!(
        all.len(),
        1,
        "{schema}: {}",
        String::from_utf8_lossy(output)
    );
    all.remove(0)
}

/// Returns the lines of standard output, each parsed and checked against the named schema.
///
/// # Panics
///
/// If a line does not match.
#[track_caller]
pub fn answers(schema: &str, output: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(output).expect("JSON is UTF-8");
    assert!(
        // A last line without a newline is an output that was cut off.
        text.is_empty() || text.ends_with('\n'),
        "{schema}: {text:?}"
    );
    let mut all = Vec::new();
    for line in text.lines() {
        let answer = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        check(schema, &answer);
        all.push(answer);
    }
    all
}

/// Checks that an answer matches the named schema, and would not with an unknown field in any of
/// its objects.
///
/// # Panics
///
/// If the answer does not match, or if the schema accepts an unknown field.
#[track_caller]
pub fn check(schema: &str, answer: &Value) {
    let path = format!("{SCHEMAS}/{schema}.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let parsed = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    hold(&format!("{schema}.json"), &parsed, answer);
}

/// Checks an answer against a schema, as [`check`] does.
#[track_caller]
fn hold(name: &str, schema: &Value, answer: &Value) {
    let validator =
        jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    let errors: Vec<String> = validator
        .iter_errors(answer)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(
        errors.is_empty(),
        "not what {name} says:\n{}\n{answer:#}",
        errors.join("\n")
    );
    let mut places = Vec::new();
    objects(answer, String::new(), &mut places);
    for place in places {
        // One object that accepts unknown fields would hide every field without a description.
        let mut more = answer.clone();
        more.pointer_mut(&place).expect("it is there")[UNKNOWN] = Value::Null;
        assert!(
            !validator.is_valid(&more),
            "{name} takes any field at {place:?}"
        );
    }
}

/// Appends the JSON pointers of all objects within a value.
fn objects(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            places.push(place.clone());
            for (name, field) in fields {
                objects(field, format!("{place}/{name}"), places);
            }
        }
        Value::Array(elements) => {
            for (number, element) in elements.iter().enumerate() {
                objects(element, format!("{place}/{number}"), places);
            }
        }
        _ => {}
    }
}
