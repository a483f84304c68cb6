//! Answers over HTTP, held against an OpenAPI document: is this one of the answers that it promises?

use serde_json::{Value, json};

/// An answer over HTTP.
#[derive(Debug, Clone, Copy)]
pub struct Response<'a> {
    /// Method of the request.
    pub method: &'a str,
    /// Its address, without the query.
    pub path: &'a str,
    /// Status of the answer.
    pub status: &'a str,
    /// Its media type; empty where it has none.
    pub kind: &'a str,
    /// Its body.
    pub body: &'a str,
}

/// A request whose body is JSON.
#[derive(Debug, Clone, Copy)]
pub struct JsonRequest<'a> {
    /// Its method.
    pub method: &'a str,
    /// Its address, without the query.
    pub path: &'a str,
    /// Its body.
    pub body: &'a str,
}

impl JsonRequest<'_> {
    /// Holds a request that a service has taken against its document.
    ///
    /// # Panics
    ///
    /// Where the document does not describe the body.
    #[track_caller]
    pub fn check(&self, document: &Value) {
        let name = format!("{} {}", self.method, self.path);
        let operation = operation(document, self.method, self.path);
        let operation = operation.unwrap_or_else(|| panic!("{name} is not documented"));
        let mut schema = operation["requestBody"]["content"]["application/json"]["schema"].clone();
        assert!(!schema.is_null(), "the body of {name} is not documented");
        schema["components"] = document["components"].clone();
        let body = serde_json::from_str(self.body).unwrap_or_else(|error| panic!("{error}"));
        super::hold(&name, &schema, &body);
    }
}

/// The kind of every error.
const PROBLEM: &str = "application/problem+json";

impl Response<'_> {
    /// Holds it against a document.
    ///
    /// # Panics
    ///
    /// Where the document does not promise this answer to this request. Addresses and methods that are not in the document
    /// are answered with a problem.
    #[track_caller]
    pub fn check(&self, document: &Value) {
        let Response { kind, body, .. } = self;
        let name = format!("{} {} {}", self.method, self.path, self.status);
        let schema = match operation(document, self.method, self.path) {
            None => {
                assert_eq!(*kind, PROBLEM, "{name}");
                json!({ "$ref": "#/components/schemas/ProblemDetails" })
            }
            Some(operation) => {
                let response = meant(document, &operation["responses"][self.status]);
                assert!(!response.is_null(), "{name} is not documented: {body}");
                match &response["content"] {
                    Value::Null => {
                        assert_eq!(*body, "", "{name}");
                        return;
                    }
                    content => content[*kind]["schema"].clone(),
                }
            }
        };
        assert!(
            !schema.is_null(),
            "{name}, {kind} is not documented: {body}"
        );
        // Any object, as that of the document itself.
        if schema == json!({ "type": "object" }) {
            return;
        }
        if *kind != "application/json" && *kind != PROBLEM {
            assert_eq!(schema["type"], "string", "{name}");
            return;
        }
        let mut schema = schema;
        schema["components"] = document["components"].clone();
        let answer = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"));
        super::hold(&name, &schema, &answer);
    }
}

/// What the document says of the request; none where it says nothing.
fn operation<'d>(document: &'d Value, method: &str, path: &str) -> Option<&'d Value> {
    let paths = document["paths"].as_object()?;
    let item = paths.get(path).or_else(|| {
        let mut templates = paths.iter();
        templates.find_map(|(template, item)| is_of(path, template).then_some(item))
    })?;
    item.get(method.to_ascii_lowercase())
}

/// What a reference of the document refers to; what is none is meant itself.
fn meant<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let place = value["$ref"].as_str().and_then(|it| it.strip_prefix('#'));
    place.map_or(value, |place| {
        document.pointer(place).unwrap_or(&Value::Null)
    })
}

/// Whether a path is of a template such as `/problems/{kind}`. OpenAPI has no word for a parameter that takes the rest of an
/// address, and `{path}` at the end is one.
fn is_of(path: &str, template: &str) -> bool {
    if let Some(folder) = template.strip_suffix("{path}") {
        return path
            .strip_prefix(folder)
            .is_some_and(|rest| !rest.is_empty());
    }
    let (path, template) = (path.split('/'), template.split('/'));
    path.clone().count() == template.clone().count()
        && path
            .zip(template)
            .all(|(part, of)| part == of || of.starts_with('{') && !part.is_empty())
}
