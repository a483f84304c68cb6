//! The committed schemas are those of the types, all of them and no others.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use answers::schema::SCHEMAS;
use configgen::{Accumulators, Generator, Space, Target};
use expect_test::{expect, expect_file};
use serde_json::Value;
use testing_conformance as conformance;

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    for row in SCHEMAS {
        let file = Path::new(conformance::SCHEMAS).join(format!("{}.json", row.name));
        expect_file![file].assert_eq(&row.schema());
    }
    // In one test, as blessing writes what these read.
    no_schema_is_left_behind();
    configurations_are_what_their_schema_says();
}

fn no_schema_is_left_behind() {
    let files = fs::read_dir(conformance::SCHEMAS).unwrap();
    let files: BTreeSet<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    let named = SCHEMAS.iter().map(|row| format!("{}.json", row.name));
    assert_eq!(files, named.collect());
}

/// All fields that may be left out, so that one more is seen in review.
#[test]
fn few_fields_may_be_left_out() {
    let mut left_out = BTreeSet::new();
    for row in SCHEMAS {
        let schema: Value = serde_json::from_str(&row.schema()).unwrap();
        each(&schema, &mut |schema| {
            let Some(Value::Object(fields)) = schema.get("properties") else {
                return;
            };
            let required = schema.get("required").and_then(Value::as_array);
            let is_required =
                |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
            for (name, field) in fields.iter().filter(|(name, _)| !is_required(name)) {
                assert!(!field.to_string().contains("null"), "{name}: {field}");
                left_out.insert(format!("{} {name}", row.name));
            }
        });
    }
    let left_out: Vec<String> = left_out.into_iter().collect();
    expect![[r#"
        agents control
        agents noise
        agents quarantine
        agents slowdown
        batch accumulators
        batch expected
        batch given
        batch lazy_index
        batch limit
        batch parameter
        batch position
        batch rule
        batch split
        batch tried
        batch tuned
        batch unreadable
        best accumulators
        best lazy_index
        best split
        best unreadable
        candidates unreadable
        check message
        check rule
        columns unreadable
        comparison least_us
        comparison time_unknown
        configuration accumulators
        configuration lazy_index
        configuration split
        emulate dumps
        emulate time_unknown
        explanation accumulators
        explanation lazy_index
        explanation split
        judged-model gain
        judged-model least_us
        judged-model reason
        judged-model time_unknown
        lookup accumulators
        lookup expected
        lookup lazy_index
        lookup split
        lookup tried
        lookup tuned
        lookup unreadable
        manifest accumulators
        manifest count
        manifest lazy_index
        manifest notice
        manifest split
        manifest waiting_workgroups
        manifest zero
        merged unreadable
        problem given
        problem limit
        problem parameter
        problem position
        problem rule
        problem-checked accumulators
        problem-checked given
        problem-checked lazy_index
        problem-checked limit
        problem-checked parameter
        problem-checked position
        problem-checked rule
        problem-checked split
        problems unreadable
        profile least_us
        profile time_unknown
        record accumulators
        record lazy_index
        record progress
        record reason
        record split
        record submitter
        regression accumulators
        regression lazy_index
        regression split
        regressions accumulators
        regressions lazy_index
        regressions split
        regressions unreadable
        run progress
        run reason
        run submitter
        run_event failure
        run_event progress
        run_event reason
        run_event time_us
        runs progress
        runs reason
        runs submitter
        runs unreadable
        runs warning
        studies accumulators
        studies lazy_index
        studies split
        studies unreadable
        study accumulators
        study lazy_index
        study split
        submitted-model gain
        submitted-model reason
        submitted-models gain
        submitted-models reason
        submitted-models unreadable
        table-change accumulators
        table-change expected
        table-change lazy_index
        table-change split
        table-change tried
        table-change tuned
        table-change unreadable
        table-entry accumulators
        table-entry expected
        table-entry lazy_index
        table-entry split
        table-entry tried
        table-entry tuned
        table-entry unreadable
        trial accumulators
        trial lazy_index
        trial split
        trials accumulators
        trials lazy_index
        trials split
        trials unreadable
        try accumulators
        try lazy_index
        try message
        try rule
        try split
        tune accumulators
        tune faster_tie
        tune finals
        tune lazy_index
        tune message
        tune split
        tuned accumulators
        tuned lazy_index
        tuned split
        tuned unreadable
        tuned-map unreadable
        wishes-page unreadable"#]]
    .assert_eq(&left_out.join("\n"));
}

/// Every field says what it is.
#[test]
fn every_field_is_described() {
    for row in SCHEMAS {
        let schema: Value = serde_json::from_str(&row.schema()).unwrap();
        each(&schema, &mut |schema| {
            let Some(Value::Object(fields)) = schema.get("properties") else {
                return;
            };
            for (name, field) in fields {
                let is_said = field.get("description").is_some() || field.get("const").is_some();
                assert!(is_said, "{}: {name}: {field}", row.name);
            }
        });
    }
}

/// Calls `visit` with a value and all that are in it.
fn each(value: &Value, visit: &mut impl FnMut(&Value)) {
    visit(value);
    match value {
        Value::Object(fields) => fields.values().for_each(|value| each(value, visit)),
        Value::Array(elements) => elements.iter().for_each(|value| each(value, visit)),
        _ => {}
    }
}

/// The configurations of spaces, with each knob at its default and not.
fn configurations_are_what_their_schema_says() {
    let target: &'static Target = "gfx942".parse().unwrap();
    let mut seen = BTreeSet::new();
    for (problem, generator) in [
        ("argmax:4x[32000]xf32", Generator::NATIVE),
        ("argmax:2x3x[500]xi64", Generator::NATIVE),
        ("argmax:4x[4096]xf32", Generator::IREE),
    ] {
        let space = Space::new(&problem.parse().unwrap(), target, generator);
        for configuration in space.sample(40, 1) {
            let line = answers::line(&configuration) + "\n";
            conformance::answer("configuration", line.as_bytes());
            let knobs = configuration.knobs;
            seen.insert(format!("split {}", knobs.split != 1));
            seen.insert(format!("lazy {}", knobs.lazy_index));
            seen.insert(format!("one {}", knobs.accumulators == Accumulators::One));
        }
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
}
