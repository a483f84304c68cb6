//! The first choice for a problem that nobody tuned.

use configgen::{Configuration, Device, Generator, Problem, Space, native_default};

use crate::ranking::shortest_of;
use crate::time_model::TimeModel;

/// The number of configurations that a prediction considers beside starts and neighbours.
// A lookup waits for the prediction, so it is eight times smaller than that of a search.
const SAMPLE: u64 = 1024;

/// A configuration that nobody tried, with its expected time.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The configuration of a native kernel, canonical.
    pub configuration: Configuration,
    /// The expected time in microseconds.
    pub time_us: f64,
    /// The interval that has the time of nine configurations out of ten.
    pub interval_us: [f64; 2],
}

/// A model's first choice for a problem, beside the default.
#[derive(Debug, Clone)]
pub struct FirstChoice {
    /// The generator's default.
    pub default: Configuration,
    /// The configuration with the shortest estimated time.
    pub first: Configuration,
    /// The logarithm of the default's estimated time over that of the first choice.
    pub gain: f32,
}

impl FirstChoice {
    /// Ranks the space of a problem. Returns `None` without a legal default.
    pub fn new(model: &TimeModel, problem: &Problem, device: &'static Device) -> Option<Self> {
        let target = device.target();
        let log_time = |it: &Configuration| model.estimate(problem, device, it);
        let default = native_default(problem, target).ok()?;
        let space = Space::new(problem, target, Generator::NATIVE);
        let first = shortest_of(&space, SAMPLE, log_time);
        let first = first.first().and_then(|&rank| space.nth(rank));
        let first = first.unwrap_or_else(|| default.clone());
        Some(FirstChoice {
            gain: log_time(&default) - log_time(&first),
            default,
            first,
        })
    }
}

/// Returns the configuration with the shortest estimated time on a device, or the default.
///
/// The default stays unless the expected gain over it is enough. The gain is enough if no such
/// expectation failed for similar problems of the training. Returns `None` for a problem outside of
/// the families of the training, or without a legal default.
pub fn predict(problem: &Problem, device: &'static Device) -> Option<Prediction> {
    let model = TimeModel::stored();
    let least = model.least_gain(problem, device)?;
    let choice = FirstChoice::new(model, problem, device)?;
    let configuration = match choice.gain > least {
        true => choice.first,
        false => choice.default,
    };
    let configuration = configuration.canonical(problem);
    let log_us = model.estimate(problem, device, &configuration);
    // Tenths of a nanosecond: more digits would only differ between platforms.
    let us = |log_us: f32| (1e4 * f64::from(log_us.exp())).round() / 1e4;
    Some(Prediction {
        configuration,
        time_us: us(log_us),
        interval_us: model.error.map(|error| us(log_us + error)),
    })
}
