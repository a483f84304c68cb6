//! The rung `predicted`: the time model's first choice for the requested problem.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use answers::lookup::ExpectedTime;
use configgen::{Configuration, Device, Generator, Target};
use prediction::{Prediction, predict};

use super::LookupRequest;
use crate::answer::part;
use crate::device::EMULATED;

/// The most predictions that are kept.
const KEPT: usize = 4096;

/// The predictions so far, by problem and device; `None` for a problem that the model does not
/// know. A ranking takes milliseconds, and a popular shape is requested many times before somebody
/// tunes it.
static CACHE: LazyLock<Mutex<KnownPredictions>> = LazyLock::new(Mutex::default);

/// Predictions by problem and device.
type KnownPredictions = HashMap<(String, &'static str), Option<Prediction>>;

/// A predicted configuration.
pub(super) struct PredictedConfiguration {
    pub(super) configuration: Configuration,
    pub(super) generator: Generator,
    pub(super) expected: ExpectedTime,
}

/// Returns the predicted configuration with its expected time.
///
/// # Errors
///
/// The reason that there is no prediction.
pub(super) fn predicted(
    request: &LookupRequest,
    target: &'static Target,
) -> Result<PredictedConfiguration, String> {
    let generator = Generator::NATIVE;
    if !request.takes(generator) {
        return Err(format!("the time model knows only kernels of {generator}"));
    }
    let device = request.device.as_deref().and_then(part);
    let device = device
        .filter(|device| device.target() == target)
        .or_else(|| Device::of_target(target));
    let device = device.ok_or_else(|| format!("the time model knows no device of {target}"))?;
    let prediction = kept(request, device).ok_or_else(|| {
        format!(
            "the time model was not trained on problems like this one for {}",
            device.name
        )
    })?;
    let [low_us, high_us] = prediction.interval_us;
    let expected = ExpectedTime {
        time_us: prediction.time_us,
        low_us,
        high_us,
        device: format!("{EMULATED}{}", device.name),
    };
    Ok(PredictedConfiguration {
        configuration: prediction.configuration,
        generator,
        expected,
    })
}

/// Returns the configuration that the rung `predicted` serves, whatever was tried.
pub fn predicted_configuration(request: &LookupRequest) -> Option<Configuration> {
    let found = predicted(request, request.target?).ok()?;
    Some(found.configuration)
}

fn kept(request: &LookupRequest, device: &'static Device) -> Option<Prediction> {
    let key = (request.problem.to_string(), device.name);
    let lock = || CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(&key) {
        return known.clone();
    }
    // Without the lock: others need not wait for this ranking.
    let prediction = predict(&request.problem, device);
    let mut cache = lock();
    // A bound without an order of use: a full cache is rare, and fills again in seconds.
    if cache.len() >= KEPT {
        cache.clear();
    }
    cache.insert(key, prediction.clone());
    prediction
}
