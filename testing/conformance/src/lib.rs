//! Checks that output matches its committed JSON schema, and that the schema would reject an
//! unknown field.
//!
//! The crate reads the schema files and does not know the Rust types, so its verdict is the
//! verdict of a program in another language.

mod openapi;

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::Value;

pub use openapi::{JsonRequest, OpenApi, Response};

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
    static SCHEMA_FILES: ValidatorCache = ValidatorCache::new();
    let read = || {
        let path = format!("{SCHEMAS}/{schema}.json");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let validator = SCHEMA_FILES.validator(schema, read);
    hold(&format!("{schema}.json"), &validator, answer);
}

/// The validators of some schemas. To compile one takes a hundred times as long as to use it.
#[derive(Debug, Default)]
struct ValidatorCache(Mutex<BTreeMap<String, Arc<Validator>>>);

impl ValidatorCache {
    const fn new() -> ValidatorCache {
        ValidatorCache(Mutex::new(BTreeMap::new()))
    }

    /// Returns the validator of the schema with this key.
    #[track_caller]
    fn validator(&self, key: &str, schema: impl FnOnce() -> Value) -> Arc<Validator> {
        // A test that failed elsewhere leaves whole entries.
        let mut validators = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = validators.get(key) {
            return Arc::clone(known);
        }
        let validator = jsonschema::draft202012::new(&schema());
        let validator = Arc::new(validator.unwrap_or_else(|error| panic!("{key}: {error}")));
        validators.insert(key.to_owned(), Arc::clone(&validator));
        validator
    }
}

/// Checks an answer with a validator, as [`check`] does.
#[track_caller]
fn hold(name: &str, validator: &Validator, answer: &Value) {
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
    let mut more = answer.clone();
    for place in places {
        let fields = more.pointer_mut(&place).and_then(Value::as_object_mut);
        let fields = fields.expect("it is there");
        fields.insert(UNKNOWN.to_owned(), Value::Null);
        // One object that accepts unknown fields would hide every field without a description.
        assert!(
            !validator.is_valid(&more),
            "{name} takes any field at {place:?}"
        );
        let fields = more.pointer_mut(&place).and_then(Value::as_object_mut);
        fields.expect("it is there").remove(UNKNOWN);
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
