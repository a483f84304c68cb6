//! Drift control: repeated measurements of the default, which show if the device has changed.
//!
//! The agent measures the default again after each batch of trials, and within a large one. If
//! its time differs from that before the batch, the agent measures the batch again, and only then
//! reports its trials. See [`DriftWatch`].

use bench_harness::timing::{DriftDecision, DriftWatch, median};
use bench_harness::{BenchOutcome, DeviceError, Evaluator};
use codegen::CompiledKernel;
use tracing::{debug, info, warn};

use crate::transport::{ControlMeasurement, DriftStatus};

/// The default's kernel and its times.
pub(crate) struct DriftControl {
    default: CompiledKernel,
    watch: DriftWatch<usize>,
}

impl DriftControl {
    /// Measures the default for the first time. Returns `None` if its results are wrong, because
    /// there is no reference then.
    pub(crate) fn new(
        evaluator: &mut dyn Evaluator,
        default: CompiledKernel,
    ) -> Result<Option<DriftControl>, DeviceError> {
        let outcome = evaluator.evaluate(&default)?;
        let watch = samples(&outcome).map(DriftWatch::new);
        Ok(watch.map(|watch| DriftControl { default, watch }))
    }

    /// Records that a kernel was evaluated since the last measurement of the default. `place` is
    /// its position in the argument of [`remeasure_default`](Self::remeasure_default).
    pub(crate) fn record_evaluation(&mut self, place: usize, outcome: &BenchOutcome) {
        // An outcome without a time cannot drift.
        if samples(outcome).is_some() {
            self.watch.record_trial(place);
        }
    }

    /// Returns true if the default must be measured before anything else.
    pub(crate) fn is_due(&self) -> bool {
        self.watch.is_due()
    }

    /// Measures the default. While the device drifts, this repeats the evaluations since the last
    /// measurement, up to the limit. Returns the drift status.
    pub(crate) fn remeasure_default(
        &mut self,
        evaluator: &mut dyn Evaluator,
        since: &mut [(&CompiledKernel, &mut BenchOutcome)],
    ) -> Result<DriftStatus, DeviceError> {
        loop {
            let again = evaluator.evaluate(&self.default)?;
            let Some(samples) = samples(&again) else {
                // These trials are reported all the same, although nothing confirms their times.
                let trials = self.watch.skip_default().len();
                warn!(
                    trials,
                    "the default is no longer correct, so drift cannot be detected"
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
                        default_us, "the device keeps drifting: its trials are not repeated again"
                    );
                    // Repeating on a device that never settles would not end, so the trials
                    // stand.
                    return Ok(DriftStatus::Unsteady(self.control()));
                }
            };
            info!(
                trials = places.len(),
                default_us, "the device drifted: its trials are repeated"
            );
            for place in places {
                // A repeated evaluation counts as a new trial, because the device may drift
                // again.
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

/// Returns the samples of a kernel with correct results or another tie-break.
pub(crate) fn samples(outcome: &BenchOutcome) -> Option<&[f64]> {
    match outcome {
        BenchOutcome::Right(timing, _)
        | BenchOutcome::SignOfZero(timing, _)
        | BenchOutcome::Tie(timing, _) => Some(&timing.samples_us),
        BenchOutcome::Wrong(_)
        | BenchOutcome::Unstable(_)
        | BenchOutcome::Failed(_)
        | BenchOutcome::Timed(_) => None,
    }
}
