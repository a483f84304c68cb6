//! Conformance of output: does it match its schema, and would the schema notice a deviation?
//!
//! The schemas are the committed ones. This crate does not know their types, so its verdict is that
//! of a program in another language.

mod openapi;

use std::fs;

use serde_json::Value;

pub use openapi::{JsonRequest, Response};

/// The folder of the committed schemas.
pub const SCHEMAS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema");

/// A field that no schema has.
const UNKNOWN: &str = "a field that no schema has";

/// The one line of standard output, which is what the schema of this name says.
///
/// # Panics
///
/// Where it is not, or not one line.
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

/// The lines of standard output, each of which is what the schema of this name says.
///
/// # Panics
///
/// Where one is not.
#[track_caller]
pub fn answers(schema: &str, output: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(output).expect("JSON is UTF-8");
    assert!(
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

/// The answer is what the schema of this name says, and would not be with one more field in any of its objects.
///
/// # Panics
///
/// Where it is not, or would be.
#[track_caller]
pub fn check(schema: &str, answer: &Value) {
    let path = format!("{SCHEMAS}/{schema}.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let parsed = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    hold(&format!("{schema}.json"), &parsed, answer);
}

/// The answer is what this schema says, and would not be with one more field in any of its objects.
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
        let mut more = answer.clone();
        more.pointer_mut(&place).expect("it is there")[UNKNOWN] = Value::Null;
        assert!(
            !validator.is_valid(&more),
            "{name} takes any field at {place:?}"
        );
    }
}

/// The places of all objects of a value, as JSON pointers.
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
