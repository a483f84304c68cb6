//! The first choice for a problem that nobody tuned.

use configgen::{Configuration, Device, Generator, Problem, Space, native_default};

use crate::ranking::shortest_of;
use crate::time_model::TimeModel;

/// The least expected gain over the default. Below it, the default is chosen.
// The default is known to be sound on every shape, and the order of two estimates this near to
// each other is chance.
const LEAST_GAIN: f32 = 0.02;

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

/// Returns the configuration with the shortest estimated time on a device. This is the generator's
/// default unless another one is expected to gain over it. Returns `None` for a problem outside of
/// the families of the training, or without a legal default.
pub fn predict(problem: &Problem, device: &Device) -> Option<Prediction> {
    if !TimeModel::knows(problem, device) {
        return None;
    }
    let (model, target) = (TimeModel::stored(), device.target());
    let log_time = |it: &Configuration| model.estimate(problem, device, it);
    let default = native_default(problem, target).ok()?;
    let space = Space::new(problem, target, Generator::NATIVE);
    let first = shortest_of(&space, SAMPLE, log_time);
    let first = first.first().and_then(|&rank| space.nth(rank));
    let gains = |it: &Configuration| log_time(it) < log_time(&default) - LEAST_GAIN;
    let configuration = first.filter(gains).unwrap_or(default).canonical(problem);
    let log_us = log_time(&configuration);
    // Tenths of a nanosecond: more digits would only differ between platforms.
    let us = |log_us: f32| (1e4 * f64::from(log_us.exp())).round() / 1e4;
    Some(Prediction {
        configuration,
        time_us: us(log_us),
        interval_us: model.error.map(|error| us(log_us + error)),
    })
}
