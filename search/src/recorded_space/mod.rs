//! Recorded spaces: trials that another tuner stored, for replays.
//!
//! Two formats are read: cache files of Kernel Tuner and T4 results, plain or compressed by gzip.
//! A cache file may end early, because Kernel Tuner closes it only at the end of a run.

mod json_repair;
mod kernel_tuner;
mod t4;

use std::collections::HashMap;
use std::io::Read;

use serde_json::Value as Json;

use crate::listed_space::ListedSpace;
use crate::parameters::{Parameter, ParameterValue};

/// The maximum number of bytes of a file, after decompression.
// A small compressed file may expand without limit, and its text is kept in memory.
const MAX_BYTES: u64 = 1 << 30;

/// A space with a trial for each configuration.
#[derive(Debug, Clone)]
pub struct RecordedSpace {
    /// The configurations. Those of a cache file are in the order of their keys.
    pub space: ListedSpace,
    /// The trial of each configuration, by rank.
    pub trials: Vec<RecordedTrial>,
}

/// A recorded trial.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordedTrial {
    /// The time in milliseconds, or none if the trial failed.
    pub time_ms: Option<f64>,
    /// The samples behind the time, in milliseconds; empty if the file has none.
    pub samples_ms: Vec<f64>,
    /// The duration of the trial in milliseconds: compilation, verification and timing.
    pub cost_ms: f64,
}

/// A fault of a recorded space.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be read or decompressed.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// The file is too large.
    #[error("the file has more than {MAX_BYTES} bytes")]
    TooLarge,
    /// The text is no JSON, or has another form.
    #[error("neither a cache file of Kernel Tuner nor T4 results: {0}")]
    Json(#[from] serde_json::Error),
    /// A configuration lacks a parameter, or has a value that is no number and no text.
    #[error("configuration {number}: parameter {name:?} is no number and no text")]
    Parameter {
        /// The number of the configuration, from 1.
        number: usize,
        /// The parameter's name.
        name: String,
    },
    /// No trial succeeded.
    #[error("no trial of the file has a time")]
    NoTime,
}

impl RecordedSpace {
    /// Reads a cache file of Kernel Tuner or T4 results.
    ///
    /// # Errors
    ///
    /// The first fault of the file.
    pub fn read(file: impl Read) -> Result<RecordedSpace, RecordError> {
        let mut bytes = Vec::new();
        // One byte beyond the limit tells a longer file from one of the full size.
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        // The magic number of gzip (RFC 1952): a name need not end in ".gz".
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let packed = std::mem::take(&mut bytes);
            let unpacked = flate2::read::MultiGzDecoder::new(&packed[..]);
            unpacked.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        }
        if bytes.len() as u64 > MAX_BYTES {
            return Err(RecordError::TooLarge);
        }
        // An interrupted file may end within a character.
        let text = String::from_utf8_lossy(&bytes);
        let file = json_repair::parse(&text)?;
        let rows = match file.get("results") {
            Some(_) => t4::rows(file)?,
            None => kernel_tuner::rows(file)?,
        };
        RecordedSpace::new(rows)
    }

    fn new(rows: Vec<RecordedRow>) -> Result<RecordedSpace, RecordError> {
        let names: Vec<String> = match rows.first() {
            Some((configuration, _)) => configuration.keys().cloned().collect(),
            None => return Err(RecordError::NoTime),
        };
        let mut columns = vec![Vec::with_capacity(rows.len()); names.len()];
        for (number, (configuration, _)) in rows.iter().enumerate() {
            for (name, column) in names.iter().zip(&mut columns) {
                let value = configuration.get(name).and_then(value);
                let fault = || RecordError::Parameter {
                    number: number + 1,
                    name: name.clone(),
                };
                column.push(value.ok_or_else(fault)?);
            }
        }
        let mut configurations = vec![Vec::with_capacity(names.len()); rows.len()];
        let mut parameters = Vec::with_capacity(names.len());
        for (name, column) in names.into_iter().zip(columns) {
            let (values, places) = distinct(column);
            for (configuration, place) in configurations.iter_mut().zip(places) {
                configuration.push(place);
            }
            parameters.push(Parameter { name, values });
        }
        // The first trial of a repeated configuration counts.
        let mut trials: Vec<RecordedTrial> = Vec::with_capacity(rows.len());
        let space = ListedSpace::new(parameters, configurations.clone());
        for (configuration, (_, trial)) in configurations.iter().zip(rows) {
            if space.rank_of(configuration) == Some(trials.len() as u64) {
                trials.push(trial);
            }
        }
        match trials.iter().any(|trial| trial.time_ms.is_some()) {
            true => Ok(RecordedSpace { space, trials }),
            false => Err(RecordError::NoTime),
        }
    }

    /// Returns the shortest time in milliseconds.
    pub fn optimum_ms(&self) -> f64 {
        let times = self.trials.iter().filter_map(|trial| trial.time_ms);
        times.fold(f64::INFINITY, f64::min)
    }
}

/// A configuration with its trial.
type RecordedRow = (serde_json::Map<String, Json>, RecordedTrial);

fn value(json: &Json) -> Option<ParameterValue> {
    match json {
        Json::Number(number) => match number.as_i64() {
            // Integers beyond 64 bits become reals, like fractions.
            Some(integer) => Some(ParameterValue::Integer(integer)),
            None => number.as_f64().map(ParameterValue::Real),
        },
        Json::String(text) => Some(ParameterValue::Text(text.clone())),
        Json::Bool(is_true) => Some(ParameterValue::Boolean(*is_true)),
        _ => None,
    }
}

/// Returns the distinct values, numbers in ascending order and then texts, and the position of
/// each value among them.
fn distinct(column: Vec<ParameterValue>) -> (Vec<ParameterValue>, Vec<u32>) {
    let mut values: Vec<ParameterValue> = Vec::new();
    // Reals have no hash, so their text is the key.
    let mut known = HashMap::new();
    for value in &column {
        known.entry(format!("{value:?}")).or_insert_with(|| {
            values.push(value.clone());
        });
    }
    // The positions of values must not depend on the order of the trials.
    values.sort_by(|a, b| match (a, b) {
        (ParameterValue::Text(a), ParameterValue::Text(b)) => a.cmp(b),
        _ => match (a.number(), b.number()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        },
    });
    let places = values.iter().enumerate();
    let places: HashMap<String, u32> = places
        .map(|(place, value)| (format!("{value:?}"), place as u32))
        .collect();
    let column = column.iter().map(|value| places[&format!("{value:?}")]);
    let column = column.collect();
    (values, column)
}

#[cfg(test)]
mod tests;
