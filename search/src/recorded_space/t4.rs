//! T4 results: the autotuning community's format of trials. Times are in milliseconds.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{RecordedRow, RecordedTrial};

#[derive(Deserialize)]
struct T4File {
    results: Vec<TrialResult>,
}

#[derive(Deserialize)]
struct TrialResult {
    configuration: Map<String, Value>,
    #[serde(default)]
    times: TrialTimes,
    invalidity: String,
    #[serde(default)]
    objectives: Vec<String>,
    #[serde(default)]
    measurements: Vec<Measurement>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct TrialTimes {
    // Kernel Tuner's writer and its schema have different names.
    #[serde(alias = "compilation")]
    compilation_time: f64,
    #[serde(alias = "benchmark_time")]
    benchmark: f64,
    validation: f64,
    runtimes: Vec<f64>,
}

#[derive(Deserialize)]
struct Measurement {
    name: String,
    value: Value,
}

pub(super) fn rows(file: Value) -> serde_json::Result<Vec<RecordedRow>> {
    let file: T4File = serde_json::from_value(file)?;
    let row = |result: TrialResult| {
        let objective = result.objectives.first().map_or("time", String::as_str);
        let measured = result.measurements.iter().find(|one| one.name == objective);
        let time = measured.and_then(|one| one.value.as_f64());
        let runs = &result.times.runtimes;
        // Without a measurement, the mean of the runs is the time, as in Kernel Tuner.
        let mean = (!runs.is_empty()).then(|| runs.iter().sum::<f64>() / runs.len() as f64);
        // Any other word names a failure, such as "compile" or "timeout".
        let is_correct = result.invalidity == "correct";
        // The runs took this long if the file does not say how long timing took.
        let timing = match result.times.benchmark {
            0.0 => runs.iter().sum(),
            benchmark => benchmark,
        };
        let trial = RecordedTrial {
            time_ms: time.or(mean).filter(|&time| is_correct && time > 0.0),
            cost_ms: result.times.compilation_time + result.times.validation + timing,
            samples_ms: result.times.runtimes,
        };
        (result.configuration, trial)
    };
    Ok(file.results.into_iter().map(row).collect())
}
