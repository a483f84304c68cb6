//! A steady device: is it still what it was when the default was first measured?
//!
//! After each batch of trials the default is measured again. Where it does not take the time that it took before the
//! batch, the batch is measured again, and only then are its trials told. See [`DriftWatch`].

use bench_harness::timing::{DriftWatch, Span};
use bench_harness::{DeviceError, Evaluator, Outcome};
use codegen::CompiledKernel;

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

    /// A batch has been evaluated: repeats what has a time as often as the device was not steady. A kernel is there for
    /// each outcome.
    pub(crate) fn settle(
        &mut self,
        evaluator: &mut dyn Evaluator,
        batch: &mut [(&CompiledKernel, &mut Outcome)],
    ) -> Result<(), DeviceError> {
        let timed = |outcome: &Outcome| samples(outcome).is_some();
        let mut waiting: Vec<usize> = (0..batch.len())
            .filter(|place| timed(batch[*place].1))
            .collect();
        while !waiting.is_empty() {
            for place in waiting.drain(..) {
                self.watch.tried(place);
            }
            let again = evaluator.evaluate(&self.default)?;
            // A default that fails now says nothing of how fast the device is.
            let Some(samples) = samples(&again) else {
                break;
            };
            if let Span::Repeat(places) = self.watch.again(samples) {
                for place in &places {
                    let (kernel, outcome) = &mut batch[*place];
                    **outcome = evaluator.evaluate(kernel)?;
                }
                waiting = places;
            }
        }
        Ok(())
    }
}

/// The samples of a kernel that is right.
pub(crate) fn samples(outcome: &Outcome) -> Option<&[f64]> {
    match outcome {
        Outcome::Right(timing) | Outcome::Tie(timing, _) => Some(&timing.samples_us),
        Outcome::Wrong(_) | Outcome::Unstable(_) | Outcome::Failed(_) => None,
    }
}
