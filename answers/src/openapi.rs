//! The OpenAPI document of the service: its paths come from the service, its schemas from the
//! table of [`crate::schema`].

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Serializer, Value};

use crate::schema::{SCHEMAS, SchemaCleanup};

/// The path of the schemas within a document.
const PLACE: &str = "#/components/schemas/";

/// Schemas by name, to which a document may refer.
pub struct Schemas(Map<String, Value>);

impl Schemas {
    /// Returns the schemas of all printed types.
    pub fn printed() -> Self {
        let mut generator = generator(SchemaSettings::draft2020_12().for_serialize());
        for row in SCHEMAS {
            row.add(&mut generator);
        }
        // `true` applies `SchemaCleanup` to the definitions too.
        Schemas(generator.take_definitions(true))
    }

    /// Adds the schema of a request body.
    #[must_use]
    pub fn with_request<T: JsonSchema>(self) -> Self {
        self.and_of::<T>(SchemaSettings::draft2020_12().for_deserialize())
    }

    /// Adds the schema of a message that our own programs write: a field without a value is
    /// `null`.
    #[must_use]
    pub fn with_message<T: JsonSchema>(self) -> Self {
        self.and_of::<T>(SchemaSettings::draft2020_12().for_serialize())
    }

    fn and_of<T: JsonSchema>(mut self, settings: SchemaSettings) -> Self {
        let mut generator = generator(settings);
        generator.subschema_for::<T>();
        for (name, schema) in generator.take_definitions(true) {
            // A type that is also printed keeps the schema of its printed form.
            self.0.entry(name).or_insert(schema);
        }
        self
    }

    /// Returns the document with these paths, and with every schema that they refer to, directly
    /// or not.
    pub fn document(&self, paths: &impl Serialize) -> String {
        let mut document =
            serde_json::to_value(paths).expect("every key of a document is a string");
        let mut wanted = Vec::new();
        references(&document, &mut wanted);
        let mut schemas = Map::new();
        while let Some(name) = wanted.pop() {
            // Schemas may refer to each other in a cycle, so each name is added only once.
            if let Some(schema) = self.0.get(&name)
                && !schemas.contains_key(&name)
            {
                references(schema, &mut wanted);
                schemas.insert(name, schema.clone());
            }
        }
        document["components"]["schemas"] = Value::Object(schemas);
        in_lines(&document) + "\n"
    }
}

/// Returns JSON with one value on each line, for diffs, and without indentation. The document
/// nests so deeply that a quarter of its bytes would be spaces.
fn in_lines(value: &Value) -> String {
    let mut text = Vec::new();
    let form = PrettyFormatter::with_indent(b"");
    let mut serializer = Serializer::with_formatter(&mut text, form);
    let written = value.serialize(&mut serializer);
    written.expect("every key of a document is a string");
    String::from_utf8(text).expect("JSON is UTF-8")
}

fn generator(settings: SchemaSettings) -> SchemaGenerator {
    let settings = settings.with(|settings| {
        // OpenAPI has its schemas under `components`, and a JSON schema has them under `$defs`.
        settings.definitions_path = PLACE.into();
        // The dialect is a property of the whole document, so a part of it has no `$schema`.
        settings.meta_schema = None;
    });
    settings.with_transform(SchemaCleanup).into_generator()
}

/// Appends the names of the schemas that a value refers to.
fn references(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let name = fields.get("$ref").and_then(Value::as_str);
            names.extend(
                name.and_then(|it| it.strip_prefix(PLACE))
                    .map(str::to_owned),
            );
            fields.values().for_each(|field| references(field, names));
        }
        Value::Array(elements) => elements.iter().for_each(|one| references(one, names)),
        _ => {}
    }
}
