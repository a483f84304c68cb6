//! Tests of the readers.

use std::io::Write;

use super::*;
use crate::space::SearchSpace;

const CACHE: &str = r#"{"kernel_name": "k", "tune_params_keys": ["x", "y"], "tune_params": {},
"cache": {
"2,a": {"x": 2, "y": "a", "time": 3.5, "times": [3.0, 4.0], "compile_time": 10.0, "benchmark_time": 7.0},
"1,b": {"x": 1, "y": "b", "time": "CompilationFailedConfig", "compile_time": 5.0},
"1,a": {"x": 1, "y": "a", "time": 2.5, "times": [2.5], "verification_time": 1.0}"#;

#[track_caller]
fn check(bytes: &[u8], times: &[Option<f64>]) -> RecordedSpace {
    let recorded = RecordedSpace::read(bytes).unwrap();
    let found: Vec<_> = recorded.trials.iter().map(|trial| trial.time_ms).collect();
    assert_eq!(found, times);
    assert_eq!(recorded.space.len(), times.len() as u64);
    recorded
}

#[test]
fn a_cache_file_may_end_anywhere_behind_its_first_trial() {
    let all = [Some(2.5), None, Some(3.5)];
    let whole = format!("{CACHE}}}}}");
    let recorded = check(whole.as_bytes(), &all);
    assert_eq!(recorded.optimum_ms(), 2.5);
    let costs: Vec<f64> = recorded.trials.iter().map(|trial| trial.cost_ms).collect();
    assert_eq!(costs, [1.0, 5.0, 17.0]);
    assert_eq!(recorded.trials[2].samples_ms, [3.0, 4.0]);
    let names: Vec<_> = recorded
        .space
        .parameters()
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["x", "y"]);
    // Numbers are in ascending order.
    assert_eq!(
        recorded.space.parameters()[0].values,
        [ParameterValue::Integer(1), ParameterValue::Integer(2)]
    );
    assert_eq!(recorded.space.configuration(2), [1, 0]);
    check(format!("{CACHE},").as_bytes(), &all);
    let first = CACHE.find("\n\"1,b\"").unwrap();
    for end in first..CACHE.len() {
        let found = RecordedSpace::read(&CACHE.as_bytes()[..end]).unwrap();
        assert!((1..=3).contains(&found.trials.len()), "{end}");
    }
}

#[test]
fn a_compressed_file_is_read() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(format!("{CACHE}}}}}").as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    check(&packed, &[Some(2.5), None, Some(3.5)]);
    assert!(RecordedSpace::read(&packed[..packed.len() / 2]).is_err());
}

#[test]
fn numbers_of_python_are_no_times() {
    let text = format!("{CACHE}}}}}");
    let text = text
        .replace("2.5", "NaN")
        .replace("\"a\"", "\"NaN \\\"Infinity\"");
    let recorded = check(text.as_bytes(), &[None, None, Some(3.5)]);
    let texts = &recorded.space.parameters()[1].values;
    assert!(
        texts.contains(&ParameterValue::Text("NaN \"Infinity".to_owned())),
        "{texts:?}"
    );
}

#[test]
fn results_in_t4_are_read() {
    let text = r#"{"schema_version": "1.0.0", "results": [
        {"configuration": {"x": 1}, "times": {"compilation_time": 3, "runtimes": [1.0, 3.0], "validation": 2},
         "invalidity": "correct", "correctness": 1, "objectives": ["time"],
         "measurements": [{"name": "power", "value": 9}, {"name": "time", "value": 1.5, "unit": "ms"}]},
        {"configuration": {"x": 2}, "times": {"compilation": 5, "runtimes": [4.0]}, "invalidity": "correct", "correctness": 1},
        {"configuration": {"x": 1}, "times": {"runtimes": [8.0]}, "invalidity": "correct", "correctness": 1},
        {"configuration": {"x": 3}, "times": {"runtimes": [1.0]}, "invalidity": "runtime", "correctness": 0}]}"#;
    let recorded = check(text.as_bytes(), &[Some(1.5), Some(4.0), None]);
    assert_eq!(recorded.trials[0].cost_ms, 9.0);
    assert_eq!(recorded.trials[1].cost_ms, 9.0);
}

#[test]
fn bad_files_are_errors() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = RecordedSpace::read(text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
    check("", "EOF while parsing");
    check("[1]", "invalid type");
    check("{\"results\": 3}", "expected a sequence");
    check("{\"results\": []}", "no trial of the file has a time");
    check(r#"{"tune_params_keys": ["x"], "cache": {}}"#, "no trial");
    check(
        r#"{"tune_params_keys": ["x"], "cache": {"1": {"x": 1, "time": 1.0}, "2": {"time": 2.0}}}"#,
        "configuration 2: parameter \"x\" is no number and no text",
    );
    check(
        r#"{"tune_params_keys": ["x"], "cache": {"1": {"x": 1, "time": "Failed"}}}"#,
        "no trial of the file has a time",
    );
}
