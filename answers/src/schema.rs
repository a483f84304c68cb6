//! The table of all types that programs read, their JSON schemas, and the functions that print
//! them.
//!
//! schemars derives each schema from the type, in the dialect 2020-12, which OpenAPI 3.1 accepts.
//! A test compares the files in `answers/schema/` with [`SCHEMAS`].

use configgen::Configuration;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    attempt, check, columns, db, devices, doctor, emulate, explanations, foreign_schema, http,
    iree_kernels, kernels, lookup, model, models, problems, profile, records, regressions, replay,
    rule, runs, space, stages, status, tables, tokens, tune, tuned_list, wishes,
};

/// A type that programs read. Only the table implements the trait.
pub trait AnswerSchema: Serialize {
    /// The name of the schema.
    const SCHEMA: &'static str;
}

/// A row of the table.
pub struct SchemaRow {
    /// The name of the schema: its file name without `.json`.
    pub name: &'static str,
    /// The command or endpoint that prints the value.
    pub place: &'static str,
    root: SchemaMaker,
    part: SchemaMaker,
}

/// A function that makes the schema of a type.
type SchemaMaker = fn(&mut SchemaGenerator) -> Schema;

/// Defines the rows, and implements [`AnswerSchema`] for their types, so that they can be
/// printed.
macro_rules! table {
    ($($name:literal, $place:literal: $type:ty $(, as $schema:ty)?;)*) => {
        $(impl AnswerSchema for $type {
            const SCHEMA: &'static str = $name;
        })*

        /// The types that programs read.
        pub const SCHEMAS: &[SchemaRow] = &[$(SchemaRow {
            name: $name,
            place: $place,
            root: table!(@make root_schema_for, $type $(, $schema)?),
            part: table!(@make subschema_for, $type $(, $schema)?),
        }),*];
    };
    // A type of another crate has no schema of its own: its stand-in follows `as`.
    (@make $make:ident, $type:ty) => { SchemaGenerator::$make::<$type> };
    (@make $make:ident, $type:ty, $schema:ty) => { SchemaGenerator::$make::<$schema> };
}

table! {
    "agents", "GET /api/v1/agents": runs::Agents;
    "backup", "wavetune db backup --output-format json": db::Backup;
    "batch", "POST /api/v1/configurations:batch": http::BatchAnswers;
    "best", "GET /api/v1/best": http::Best;
    "candidates", "GET /api/v1/rankings": lookup::Candidates;
    "check", "wavetune check --output-format json": check::Legality;
    "columns", "GET /api/v1/studies/{id}/columns": columns::Columns;
    "configuration", "a line of wavetune space --sample and --list": Configuration, as foreign_schema::Configuration;
    "database", "wavetune db info --output-format json": db::Info;
    "database-check", "wavetune db check --output-format json": db::Verification;
    "comparison", "the field `comparison` of GET /api/v1/models/{id}": models::ModelComparison;
    "deleted", "a line of wavetune studies delete --output-format json; DELETE /api/v1/studies/{id}": records::DeletedStudy;
    "deleted-model", "DELETE /api/v1/models/{id}": models::DeletedModel;
    "devices", "wavetune devices --output-format json": devices::Devices;
    "doctor", "wavetune doctor --output-format json": doctor::DoctorReport;
    "emulate", "wavetune emulate --output-format json": emulate::Emulation;
    "explained-kernel", "POST /api/v1/explanations:kernel": stages::ExplainedKernel;
    "explanation", "POST /api/v1/explanations": explanations::Explanation;
    "gain", "the field `gain` of a submitted model": models::ModelGain;
    "imported", "POST /api/v1/imports": db::ImportReport;
    "iree-kernels", "wavetune export iree-kernels --output-format json": iree_kernels::IreeKernelExport;
    "judged-model", "GET /api/v1/models/{id}": models::JudgedModel;
    "left-out", "the last line of GET /api/v1/studies/{id}/trials and of GET /api/v1/trials as NDJSON, where there is something": records::LeftOutTrials;
    "lookup", "wavetune lookup --output-format json; wavetune table lookup --output-format json; GET /api/v1/configurations, 200 and 404": lookup::LookupAnswer;
    "manifest", "manifest.json of wavetune export kernels and of GET /api/v1/exports/kernels": kernels::Manifest;
    "merged", "wavetune db merge --output-format json": db::MergeReport;
    "migrated", "wavetune db migrate --output-format json": db::MigrationReport;
    "model", "wavetune problems --output-format json": model::Model;
    "parameter-configuration", "a line of wavetune space --t1 --list": space::ParameterConfiguration;
    "parameter-space", "wavetune space --t1 --count --output-format json": space::ParameterSpaceCount;
    "problem", "every error answer over HTTP: application/problem+json": http::ProblemDetails;
    "problem-checked", "POST /api/v1/problems:check": problems::ProblemCheck;
    "problems", "GET /api/v1/problems": problems::Problems;
    "profile", "wavetune profile --output-format json": profile::ModelProfile;
    "pruned", "wavetune db prune --output-format json": db::PruneReport;
    "record", "GET /api/v1/records/{id}": records::RecordedStudy;
    "regression", "a line of wavetune regressions --output-format json": regressions::Regression;
    "regressions", "GET /api/v1/regressions": regressions::Regressions;
    "replay", "a line of wavetune replay --output-format json": replay::Replay;
    "requeued", "a line of wavetune studies requeue --output-format json; POST /api/v1/studies/{id}/requeue": records::RequeueReport;
    "restored", "wavetune db restore --output-format json": db::RestoreReport;
    "rule", "wavetune rule --output-format json": rule::Rule;
    "run", "GET /api/v1/studies/{id}; POST /api/v1/studies/{id}/pause, /resume and /cancel; a line of wavetune \
            studies --output-format json for a study that waits for an agent": runs::Run;
    "run_event", "data of an event of GET /api/v1/studies/{id}/events": runs::RunEvent;
    "runs", "GET /api/v1/studies, and POST": runs::Runs;
    "space", "wavetune space --count --output-format json": space::Count;
    "status", "GET /api/v1/status": status::ServiceStatus;
    "studies", "GET /api/v1/records": records::ListedStudies;
    "study", "a line of wavetune studies --output-format json": records::StudySummary;
    "submitted-model", "POST /api/v1/models; data of an event of GET /api/v1/models/{id}/events": models::SubmittedModel;
    "submitted-models", "GET /api/v1/models": models::SubmittedModels;
    "table-change", "a line of wavetune table diff --output-format json": tables::TableChange;
    "table-entry", "a line of wavetune table dump --output-format json": tables::TableEntry;
    "token", "a line of wavetune token list --output-format json": tokens::TokenInfo;
    "token-new", "wavetune token create --output-format json": tokens::NewToken;
    "trial", "a line of wavetune trials --output-format json, and of GET /api/v1/studies/{id}/trials and GET /api/v1/trials as NDJSON; \
        GET /api/v1/studies/{id}/trials/{ordinal}": records::Trial;
    "trials", "GET /api/v1/studies/{id}/trials; GET /api/v1/trials": records::ListedTrials;
    "try", "wavetune try --output-format json": attempt::Attempt;
    "tune", "a line of wavetune tune --output-format json": tune::TuneOutcome;
    "tuned", "GET /api/v1/tuned": tuned_list::ListedTuned;
    "tuned-map", "GET /api/v1/tuned:map": tuned_list::TunedMap;
    "wishes", "a line of wavetune wishes --output-format json": wishes::Wish;
    "wishes-page", "GET /api/v1/wishes": wishes::Wishes;
}

impl SchemaRow {
    /// Adds the schema and the schemas that it refers to, each under its name.
    pub(crate) fn add(&self, schemas: &mut SchemaGenerator) {
        (self.part)(schemas);
    }

    /// Returns the text of the schema, as it is committed.
    pub fn schema(&self) -> String {
        let settings = SchemaSettings::draft2020_12()
            // Output has every field that is not skipped. Input may omit fields with a default,
            // which would make them optional here.
            .for_serialize()
            .with_transform(SchemaCleanup);
        let mut schema = (self.root)(&mut settings.into_generator());
        // The title of schemars is the Rust type. Readers of the file look for the command or
        // endpoint.
        schema.insert("title".to_owned(), self.place.into());
        format!("{:#}\n", Value::from(schema))
    }
}

/// A transform that corrects the schemas that schemars derives.
#[derive(Debug, Clone)]
pub(crate) struct SchemaCleanup;

impl Transform for SchemaCleanup {
    fn transform(&mut self, schema: &mut Schema) {
        // Line breaks of a doc comment come from the width of the source, so they are no part of
        // the text.
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = text.replace('\n', " ");
        }
        // schemars lets an `Option` be `null`, but a field with `skip_serializing_if` is absent
        // instead.
        let required = schema.get("required").cloned().unwrap_or(json!([]));
        let required = required.as_array().map_or(&[][..], Vec::as_slice);
        if let Some(Value::Object(fields)) = schema.get_mut("properties") {
            let left_out = fields
                .iter_mut()
                .filter(|(name, _)| !required.iter().any(|one| one == *name));
            for (_, field) in left_out {
                without_null(field);
            }
        }
        transform_subschemas(self, schema);
    }
}

/// Removes `null` from the types that a field's schema allows.
fn without_null(field: &mut Value) {
    // schemars writes an optional simple type as a list of two types.
    if let Some(Value::Array(types)) = field.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = &types[..] {
            field["type"] = one.clone();
        }
    }
    // An optional reference has another form than an optional simple type: `anyOf` of the
    // reference and `null`.
    let any = field.get("anyOf").and_then(Value::as_array);
    let [one, null] = any.map_or(&[][..], Vec::as_slice) else {
        return;
    };
    if *null == json!({ "type": "null" }) {
        field["$ref"] = one["$ref"].clone();
        field.as_object_mut().map(|field| field.remove("anyOf"));
    }
}

/// Prints an answer on one line, without the newline.
pub fn line(answer: &impl AnswerSchema) -> String {
    serde_json::to_string(answer).expect("every key of an answer is a string")
}

/// Prints an answer on many lines, without the last newline.
pub fn pretty(answer: &impl AnswerSchema) -> String {
    serde_json::to_string_pretty(answer).expect("every key of an answer is a string")
}
