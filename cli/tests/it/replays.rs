//! `wavetune replay` and `wavetune space --t1`: answers, schemas and bad files.

use std::path::Path;

use testing_conformance as conformance;

use crate::offline::{check_output, run, text};

const SPACE: &str = r#"{"ConfigurationSpace": {"TuningParameters": [
    {"Name": "x", "Type": "int", "Values": "[1, 2, 4]"}, {"Name": "word", "Type": "string", "Values": "['a', 'b']"}],
    "Conditions": [{"Expression": "x < 4 or word == 'a'", "Parameters": ["x", "word"]}]}}"#;

fn write(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.display().to_string()
}

#[test]
fn a_t1_file_is_counted_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "space.json", SPACE);
    let counted = run(folder.path(), &["space", "--t1", &file, "--count"]);
    check_output(&counted, 0, "5\n");
    let json = ["space", "--t1", &file, "--count", "--output-format", "json"];
    let answer = conformance::answer("parameter-space", &run(folder.path(), &json).stdout);
    assert_eq!(
        (&answer["configurations"], &answer["checksum"]),
        (&5.into(), &().into())
    );
    let listed = run(folder.path(), &["space", "--t1", &file, "--list"]);
    let mut all = conformance::answers("parameter-configuration", &listed.stdout);
    all.sort_by_key(ToString::to_string);
    assert_eq!(all.len(), 5);
    assert_eq!(all[4].to_string(), r#"{"word":"b","x":2}"#);
    // Without texts, it has the checksum: FNV-1a of the words 1, 2 and 4, by hand in Python.
    let numbers = SPACE.replace(
        ", {\"Name\": \"word\", \"Type\": \"string\", \"Values\": \"['a', 'b']\"}",
        "",
    );
    let numbers = numbers.replace("x < 4 or word == 'a'", "x in (1, 2, 4)");
    let file = write(folder.path(), "numbers.json", &numbers);
    let counted = run(folder.path(), &["space", "--t1", &file, "--count"]);
    check_output(&counted, 0, "3 checksum 14859491169471490174\n");
}

#[test]
fn bad_spaces_are_errors_with_a_caret() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(
        folder.path(),
        "space.json",
        &SPACE.replace("x < 4", "y < 4"),
    );
    let output = run(folder.path(), &["space", "--t1", &file, "--count"]);
    check_output(
        &output,
        2,
        "condition 1, character 1: unknown parameter \"y\"",
    );
    assert!(text(&output.stderr).ends_with("\n  y < 4 or word == 'a'\n  ^\n"));
    let none = write(
        folder.path(),
        "none.json",
        &SPACE.replace("x < 4 or", "x > 4 and"),
    );
    check_output(
        &run(folder.path(), &["space", "--t1", &none, "--count"]),
        1,
        "0\n",
    );
    let absent = run(folder.path(), &["space", "--t1", "/nonexistent", "--count"]);
    check_output(&absent, 2, "/nonexistent");
    check_output(&run(folder.path(), &["space", "--count"]), 2, "<PROBLEM>");
    let both = ["space", "argmax:4x[8]xf32", "--t1", &file, "--count"];
    check_output(&run(folder.path(), &both), 2, "cannot be used with");
}

/// Returns a cache file of 300 configurations without its end; the optimum is at 160.
fn cache() -> String {
    let entry = |x: i64| {
        let time = 1.0 + (x - 160).abs() as f64 / 100.0;
        format!(
            r#""{x}": {{"x": {x}, "time": {time}, "times": [{time}], "compile_time": 100.0, "benchmark_time": 7.0}}"#
        )
    };
    let entries: Vec<String> = (1..=300).map(entry).collect();
    format!(
        r#"{{"tune_params_keys": ["x"], "cache": {{{},"#,
        entries.join(",\n")
    )
}

#[test]
fn strategies_are_compared_on_a_recorded_space() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "cache.json", &cache());
    let both = [
        "replay",
        &file,
        &file,
        "--strategy",
        "random,grey-wolf",
        "--seeds",
        "5",
    ];
    let json = [&both[..], &["--output-format", "json"]].concat();
    let answers = conformance::answers("replay", &run(folder.path(), &json).stdout);
    assert_eq!(answers.len(), 4);
    let (random, wolf) = (&answers[0], &answers[1]);
    assert_eq!(random["configurations"], 300);
    assert_eq!(random["best"].as_array().unwrap().len(), 4);
    let ratio = |answer: &serde_json::Value| answer["best"][1]["ratio"].as_f64().unwrap();
    assert!(ratio(wolf) < ratio(random), "{wolf} {random}");
    assert!(wolf["score_by_time"].as_f64().unwrap() > 0.0, "{wolf}");
    let output = run(folder.path(), &both);
    check_output(&output, 0, "P BY TIME");
    let told = text(&output.stdout);
    assert!(told.lines().last().unwrap().starts_with("(all)"), "{told}");
    // The same seeds give the same answer.
    assert_eq!(told, text(&run(folder.path(), &both).stdout));
}

#[test]
fn bad_records_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "cache.json", "{\"results\": [");
    check_output(
        &run(folder.path(), &["replay", &file]),
        2,
        "cache.json: neither a cache file",
    );
    check_output(
        &run(folder.path(), &["replay", "/nonexistent"]),
        2,
        "/nonexistent: ",
    );
    check_output(&run(folder.path(), &["replay"]), 2, "<FILE>");
    let budget = ["replay", &file, "--budget", "0"];
    check_output(&run(folder.path(), &budget), 2, "--budget");
}
