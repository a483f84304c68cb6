//! Cache files of Kernel Tuner: a JSON object with a trial for each configuration. Times are in
//! milliseconds. A failed trial has a text in place of its time.

use serde_json::{Map, Value};

use super::{RecordedRow, RecordedTrial};

/// The parts of a trial's duration.
// Kernel Tuner's own overheads (`strategy_time`, `framework_time`) are no part of a trial.
const COSTS: [&str; 3] = ["compile_time", "verification_time", "benchmark_time"];

pub(super) fn rows(file: Value) -> serde_json::Result<Vec<RecordedRow>> {
    let mut file: Map<String, Value> = serde_json::from_value(file)?;
    let field = |file: &mut Map<String, Value>, name| file.remove(name).unwrap_or(Value::Null);
    let keys: Vec<String> = serde_json::from_value(field(&mut file, "tune_params_keys"))?;
    let cache: Map<String, Value> = serde_json::from_value(field(&mut file, "cache"))?;
    let mut rows = Vec::with_capacity(cache.len());
    // A key has the values as text only; its entry has them with their types.
    for (_, entry) in cache {
        let mut entry: Map<String, Value> = serde_json::from_value(entry)?;
        let number = |name: &str| entry.get(name).and_then(Value::as_f64);
        let samples = entry.get("times").and_then(Value::as_array);
        let samples = samples.map_or(&[][..], Vec::as_slice).iter();
        let trial = RecordedTrial {
            time_ms: number("time").filter(|&time| time > 0.0),
            samples_ms: samples.filter_map(Value::as_f64).collect(),
            cost_ms: COSTS.iter().filter_map(|name| number(name)).sum(),
        };
        let parameters = keys.iter();
        let parameters = parameters.filter_map(|key| Some((key.clone(), entry.remove(key)?)));
        rows.push((parameters.collect(), trial));
    }
    Ok(rows)
}
