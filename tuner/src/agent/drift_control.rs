//! A steady device: is it still what it was when the default was first measured?
//!
//! After each batch of trials the default is measured again, and within a large one. Where it does not take the time
//! that it took before the batch, the batch is measured again, and only then are its trials told. See [`DriftWatch`].

use bench_harness::timing::{DriftDecision, DriftWatch, median};
use bench_harness::{BenchOutcome, DeviceError, Evaluator};
use codegen::CompiledKernel;
use tracing::{debug, info, warn};

use crate::transport::{ControlMeasurement, DriftStatus};

/// What watches a device: the default's kernel, and how long it took.
pub(crate) struct DriftControl {
    default: CompiledKernel,
    watch: DriftWatch<usize>,
}

impl DriftControl {
    /// Measures the default for the first time; none where it is not right, and there is nothing to go by.
    pub(crate) fn new(
        evaluator: &mut dyn Evaluator,
        default: CompiledKernel,
    ) -> Result<Option<DriftControl>, DeviceError> {
        let outcome = evaluator.evaluate(&default)?;
        let watch = samples(&outcome).map(DriftWatch::new);
        Ok(watch.map(|watch| DriftControl { default, watch }))
    }

    /// Something was evaluated since the default was, with this outcome; it will be at this place when it settles.
    pub(crate) fn record_evaluation(&mut self, place: usize, outcome: &BenchOutcome) {
        if samples(outcome).is_some() {
            self.watch.record_trial(place);
        }
    }

    /// Whether the default is to be measured before anything else is.
    pub(crate) fn is_due(&self) -> bool {
        self.watch.is_due()
    }

    /// Measures the default, and what was evaluated since again as often as the device was not steady; what the device was
    /// like.
    pub(crate) fn remeasure_default(
        &mut self,
        evaluator: &mut dyn Evaluator,
        since: &mut [(&CompiledKernel, &mut BenchOutcome)],
    ) -> Result<DriftStatus, DeviceError> {
        loop {
            let again = evaluator.evaluate(&self.default)?;
            let Some(samples) = samples(&again) else {
                let trials = self.watch.skip_default().len();
                warn!(
                    trials,
                    "the default is not right any more: there is nothing to go by"
                );
                return Ok(DriftStatus::Wrong);
            };
            let default_us = median(samples);
            let places = match self.watch.record_default(samples) {
                DriftDecision::Repeat(places) => places,
                DriftDecision::Steady(places) => {
                    debug!(trials = places.len(), default_us, "the device is steady");
                    return Ok(DriftStatus::Steady(self.control()));
                }
                DriftDecision::Unsteady(places) => {
                    let trials = places.len();
                    warn!(
                        trials,
                        default_us, "the device drifts on: its trials are repeated no more"
                    );
                    return Ok(DriftStatus::Unsteady(self.control()));
                }
            };
            info!(
                trials = places.len(),
                default_us, "the device drifted: its trials are repeated"
            );
            for place in places {
                let (kernel, outcome) = &mut since[place];
                **outcome = evaluator.evaluate(kernel)?;
                self.record_evaluation(place, outcome);
            }
        }
    }

    fn control(&self) -> ControlMeasurement {
        ControlMeasurement {
            noise: self.watch.noise(),
            slowdown: 1.0 / self.watch.correction(),
        }
    }
}

/// The samples of a kernel that is right.
pub(crate) fn samples(outcome: &BenchOutcome) -> Option<&[f64]> {
    match outcome {
        BenchOutcome::Right(timing, _)
        | BenchOutcome::SignOfZero(timing, _)
        | BenchOutcome::Tie(timing, _) => Some(&timing.samples_us),
        BenchOutcome::Wrong(_) | BenchOutcome::Unstable(_) | BenchOutcome::Failed(_) => None,
    }
}
