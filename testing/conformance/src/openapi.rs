//! Checks answers over HTTP against an OpenAPI document.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::{ValidatorCache, hold};

/// An OpenAPI document.
#[derive(Debug)]
pub struct OpenApi {
    document: Value,
    validators: ValidatorCache,
}

impl OpenApi {
    /// Reads a document.
    ///
    /// # Panics
    ///
    /// If the text is no JSON.
    pub fn new(text: &str) -> OpenApi {
        OpenApi {
            document: serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}")),
            validators: ValidatorCache::new(),
        }
    }

    /// Checks a body against a schema of the document.
    #[track_caller]
    fn hold(&self, name: &str, schema: &Value, body: &str) {
        let body = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"));
        let whole = || {
            // References are relative to the root of the schema, so it needs the components there.
            let mut referenced = BTreeSet::new();
            self.collect_components(schema, &mut referenced);
            let schemas = &self.document["components"]["schemas"];
            let schemas = referenced
                .into_iter()
                .map(|it| (it.clone(), schemas[&it].clone()));
            let mut schema = schema.clone();
            schema["components"] = json!({ "schemas": schemas.collect::<Map<_, _>>() });
            schema
        };
        let validator = self.validators.validator(&schema.to_string(), whole);
        hold(name, &validator, &body);
    }

    /// Collects the names of the components that a schema refers to, directly or not.
    fn collect_components(&self, schema: &Value, found: &mut BTreeSet<String>) {
        match schema {
            Value::Object(fields) => {
                let reference = fields.get("$ref").and_then(Value::as_str);
                let name = reference.and_then(|it| it.strip_prefix("#/components/schemas/"));
                if let Some(name) = name
                    && found.insert(name.to_owned())
                {
                    let component = &self.document["components"]["schemas"][name];
                    self.collect_components(component, found);
                }
                fields
                    .values()
                    .for_each(|it| self.collect_components(it, found));
            }
            Value::Array(elements) => {
                elements
                    .iter()
                    .for_each(|it| self.collect_components(it, found));
            }
            _ => {}
        }
    }
}

/// An answer over HTTP.
#[derive(Debug, Clone, Copy)]
pub struct Response<'a> {
    /// The method of the request.
    pub method: &'a str,
    /// The path of the request, without the query.
    pub path: &'a str,
    /// The status of the answer.
    pub status: &'a str,
    /// The media type of the answer; empty if it has none.
    pub kind: &'a str,
    /// The body of the answer.
    pub body: &'a str,
}

/// A request with a JSON body.
#[derive(Debug, Clone, Copy)]
pub struct JsonRequest<'a> {
    /// The method.
    pub method: &'a str,
    /// The path, without the query.
    pub path: &'a str,
    /// The body.
    pub body: &'a str,
}

impl JsonRequest<'_> {
    /// Checks a request that a service has accepted against the service's document.
    ///
    /// # Panics
    ///
    /// If the document does not describe the body.
    #[track_caller]
    pub fn check(&self, api: &OpenApi) {
        let name = format!("{} {}", self.method, self.path);
        let operation = operation(&api.document, self.method, self.path);
        let operation = operation.unwrap_or_else(|| panic!("{name} is not documented"));
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        assert!(!schema.is_null(), "the body of {name} is not documented");
        api.hold(&name, schema, self.body);
    }
}

/// The media type of every error.
const PROBLEM: &str = "application/problem+json";

impl Response<'_> {
    /// Checks the answer against a document. The answer to an undocumented path or method must be
    /// problem details.
    ///
    /// # Panics
    ///
    /// If the document does not describe this answer to this request.
    #[track_caller]
    pub fn check(&self, api: &OpenApi) {
        let Response { kind, body, .. } = self;
        let document = &api.document;
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
                    // A status without content, such as 204 or 304.
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
        // The document itself is such an answer: an object without further description.
        if schema == json!({ "type": "object" }) {
            return;
        }
        if *kind == "text/event-stream" {
            for event in events(body) {
                api.hold(&name, &schema, &event.to_string());
            }
            return;
        }
        // Other media types are texts to OpenAPI, which does not describe their structure.
        if *kind != "application/json" && *kind != PROBLEM {
            assert_eq!(schema["type"], "string", "{name}");
            return;
        }
        api.hold(&name, &schema, body);
    }
}

/// Returns the server-sent events of a body as objects with their fields. Lines that are no fields,
/// such as comments and the sizes of chunks, do not count.
fn events(body: &str) -> Vec<Value> {
    let mut events = vec![Map::new()];
    for line in body.lines().map(str::trim_end) {
        if line.is_empty() {
            events.push(Map::new());
        }
        let field = line.split_once(": ");
        let field = field.filter(|it| ["event", "data", "id"].contains(&it.0));
        if let (Some((name, value)), Some(event)) = (field, events.last_mut()) {
            event.insert(name.to_owned(), value.into());
        }
    }
    let events = events.into_iter().filter(|it| !it.is_empty());
    events.map(Value::Object).collect()
}

/// Finds the operation of a request in the document; `None` if it has none.
fn operation<'d>(document: &'d Value, method: &str, path: &str) -> Option<&'d Value> {
    let paths = document["paths"].as_object()?;
    let item = paths.get(path).or_else(|| {
        let mut templates = paths.iter();
        templates.find_map(|(template, item)| is_of(path, template).then_some(item))
    })?;
    item.get(method.to_ascii_lowercase())
}

/// Resolves a reference within the document. Returns any other value unchanged.
fn meant<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let place = value["$ref"].as_str().and_then(|it| it.strip_prefix('#'));
    place.map_or(value, |place| {
        document.pointer(place).unwrap_or(&Value::Null)
    })
}

/// Matches a path with a template such as `/problems/{kind}`. OpenAPI cannot express a parameter
/// that takes several segments; here `{path}` at the end does.
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
            // An empty segment is no value of a parameter.
            .all(|(part, of)| part == of || of.starts_with('{') && !part.is_empty())
}
