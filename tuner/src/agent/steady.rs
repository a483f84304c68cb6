//! A steady device: is it still what it was when the default was first measured?
//!
//! After each batch of trials the default is measured again, and within a large one. Where it does not take the time
//! that it took before the batch, the batch is measured again, and only then are its trials told. See [`DriftWatch`].

use bench_harness::timing::{DriftWatch, Span, median};
use bench_harness::{DeviceError, Evaluator, Outcome};
use codegen::CompiledKernel;
use tracing::{debug, info, warn};

use crate::carrier::{Control, Watched};

/// What watches a device: the default's kernel, and how long it took.
pub(crate) struct Steady {
    default: CompiledKernel,
    watch: DriftWatch<usize>,
}

impl Steady {
    /// Measures the default for the first time; none where it is not right, and there is nothing to go by.
    pub(crate) fn new(
        evaluator: &mut dyn Evaluator,
        default: CompiledKernel,
    ) -> Result<Option<Steady>, DeviceError> {
        let outcome = evaluator.evaluate(&default)?;
        let watch = samples(&outcome).map(DriftWatch::new);
        Ok(watch.map(|watch| Steady { default, watch }))
    }

    /// Something was evaluated since the default was, with this outcome; it will be at this place when it settles.
    pub(crate) fn evaluated(&mut self, place: usize, outcome: &Outcome) {
        if samples(outcome).is_some() {
            self.watch.tried(place);
        }
    }

    /// Whether the default is to be measured before anything else is.
    pub(crate) fn is_due(&self) -> bool {
        self.watch.is_due()
    }

    /// Measures the default, and what was evaluated since again as often as the device was not steady; what the device was
    /// like.
    pub(crate) fn settle(
        &mut self,
        evaluator: &mut dyn Evaluator,
        since: &mut [(&CompiledKernel, &mut Outcome)],
    ) -> Result<Watched, DeviceError> {
        loop {
            let again = evaluator.evaluate(&self.default)?;
            let Some(samples) = samples(&again) else {
                let trials = self.watch.unmeasured().len();
                warn!(
                    trials,
                    "the default is not right any more: there is nothing to go by"
                );
                return Ok(Watched::Wrong);
            };
            let default_us = median(samples);
            let places = match self.watch.again(samples) {
                Span::Repeat(places) => places,
                Span::Steady(places) => {
                    debug!(trials = places.len(), default_us, "the device is steady");
                    return Ok(Watched::Steady(self.control()));
                }
                Span::Unsteady(places) => {
                    let trials = places.len();
                    warn!(
                        trials,
                        default_us, "the device drifts on: its trials are repeated no more"
                    );
                    return Ok(Watched::Unsteady(self.control()));
                }
            };
            info!(
                trials = places.len(),
                default_us, "the device drifted: its trials are repeated"
            );
            for place in places {
                let (kernel, outcome) = &mut since[place];
                **outcome = evaluator.evaluate(kernel)?;
                self.evaluated(place, outcome);
            }
        }
    }

    fn control(&self) -> Control {
        Control {
            noise: self.watch.noise(),
            slowdown: 1.0 / self.watch.correction(),
        }
    }
}

/// The samples of a kernel that is right.
pub(crate) fn samples(outcome: &Outcome) -> Option<&[f64]> {
    match outcome {
        Outcome::Right(timing, _) | Outcome::SignOfZero(timing, _) | Outcome::Tie(timing, _) => {
            Some(&timing.samples_us)
        }
        Outcome::Wrong(_) | Outcome::Unstable(_) | Outcome::Failed(_) => None,
    }
}
