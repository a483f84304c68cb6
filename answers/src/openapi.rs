//! The description of the service's API, an OpenAPI document: its paths are the service's, its schemas those of the table.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Serializer, Value};

use crate::schema::{SCHEMAS, SchemaCleanup};

/// Where a document has its schemas.
const PLACE: &str = "#/components/schemas/";

/// Schemas by name, which a document may refer to.
pub struct Schemas(Map<String, Value>);

impl Schemas {
    /// Those of all that is printed.
    pub fn printed() -> Self {
        let mut generator = generator(SchemaSettings::draft2020_12().for_serialize());
        for row in SCHEMAS {
            row.add(&mut generator);
        }
        Schemas(generator.take_definitions(true))
    }

    /// These, and that of the body of a request.
    #[must_use]
    pub fn with_request<T: JsonSchema>(self) -> Self {
        self.and_of::<T>(SchemaSettings::draft2020_12().for_deserialize())
    }

    /// These, and that of a message as one of our own programs writes it: with `null` where there is nothing.
    #[must_use]
    pub fn with_message<T: JsonSchema>(self) -> Self {
        self.and_of::<T>(SchemaSettings::draft2020_12().for_serialize())
    }

    fn and_of<T: JsonSchema>(mut self, settings: SchemaSettings) -> Self {
        let mut generator = generator(settings);
        generator.subschema_for::<T>();
        for (name, schema) in generator.take_definitions(true) {
            self.0.entry(name).or_insert(schema);
        }
        self
    }

    /// The document that has these paths, with all schemas that are referred to.
    pub fn document(&self, paths: &impl Serialize) -> String {
        let mut document =
            serde_json::to_value(paths).expect("every key of a document is a string");
        let mut wanted = Vec::new();
        references(&document, &mut wanted);
        let mut schemas = Map::new();
        while let Some(name) = wanted.pop() {
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

/// JSON with a line for each value, for those who compare two of them, and without an indent: of what nests so deep a quarter
/// would be spaces.
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
        settings.definitions_path = PLACE.into();
        settings.meta_schema = None;
    });
    settings.with_transform(SchemaCleanup).into_generator()
}

/// The names of the schemas that something refers to.
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
