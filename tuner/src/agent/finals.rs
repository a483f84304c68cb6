//! Finals: the best few of a search and the default, measured again in turn.
//!
//! A sample is the median of a measurement of its own, with buffers of its own: what the place of a buffer does to a
//! kernel's time is part of the noise, and not of the result.

use bench_harness::Outcome;
use bench_harness::timing::{Entrant, Finals, SampleError, finals};
use codegen::CompiledKernel;
use configgen::draw::generator;

use super::At;
use crate::build::BuildError;
use crate::carrier::Built;
use crate::message::Failure;

/// Stream of random numbers of the order in which kernels are measured; strategies have their own.
const STREAM: u64 = 0x66696e616c;

/// Why there is no winner.
enum Abandoned {
    Study(Failure),
    /// A kernel that had been right was not right any more.
    Kernel(String),
}

impl At<'_> {
    /// Holds the finals of so many finalists, whose kernels come after the default's; none, with the reason, where a kernel
    /// that was right before is not any more.
    pub(super) fn hold_finals(
        &mut self,
        finalists: usize,
        built: Built,
        seed: u64,
    ) -> Result<Result<Finals, String>, Failure> {
        let kernels: Result<Vec<CompiledKernel>, BuildError> = built.kernels.into_iter().collect();
        let kernels = match kernels {
            Ok(kernels) => kernels,
            Err(BuildError::Failed(_, message)) => return Ok(Err(message)),
            Err(BuildError::Environment(message)) => return Err(Failure::Environment(message)),
        };
        let sample = |entrant| {
            let kernel = match entrant {
                Entrant::Default => &kernels[0],
                Entrant::Finalist(place) => &kernels[place + 1],
            };
            let outcome = self.evaluator.evaluate(kernel);
            median_us(outcome.map_err(|error| Abandoned::Study(error.into()))?)
        };
        match finals(&mut generator(seed, STREAM), finalists, sample) {
            Ok(finals) => Ok(Ok(finals)),
            Err(SampleError::Device(Abandoned::Study(failure))) => Err(failure),
            Err(SampleError::Device(Abandoned::Kernel(reason))) => Ok(Err(reason)),
            Err(SampleError::NotATime(time)) => Ok(Err(format!("a kernel took {time} us"))),
        }
    }
}

fn median_us(outcome: Outcome) -> Result<f64, Abandoned> {
    match outcome {
        Outcome::Right(measured, _)
        | Outcome::SignOfZero(measured, _)
        | Outcome::Tie(measured, _) => Ok(measured.median_us()),
        Outcome::Wrong(difference) | Outcome::Unstable(difference) => {
            Err(Abandoned::Kernel(difference.to_string()))
        }
        Outcome::Failed(error) => Err(Abandoned::Kernel(error.to_string())),
    }
}
