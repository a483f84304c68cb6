//! The finals of an agent: it measures the best few of a search and the default again in turn.
//!
//! Each sample is the median of a separate measurement with its own buffers. The influence of a
//! buffer's address on the time is thus part of the noise, and not of the result.

use bench_harness::BenchOutcome;
use bench_harness::timing::{Entrant, Finals, SampleError, finals};
use codegen::CompiledKernel;
use configgen::seeded_random::generator;

use super::AgentSession;
use crate::build::BuildError;
use crate::message::Failure;
use crate::transport::BatchKernels;

/// The stream of random numbers for the order of the samples. Strategies have their own streams.
const STREAM: u64 = 0x66696e616c;

/// The reason why the finals have no winner.
enum AbandonedFinals {
    Study(Failure),
    /// A kernel that had been correct is not correct any more.
    Kernel(String),
}

impl AgentSession<'_> {
    /// Runs the finals of `finalists` finalists. `built` has the default's kernel first. The
    /// inner error is the reason, if a kernel that was correct before is not correct any more.
    pub(super) fn hold_finals(
        &mut self,
        finalists: usize,
        built: BatchKernels,
        seed: u64,
    ) -> Result<Result<Finals, String>, Failure> {
        let kernels: Result<Vec<CompiledKernel>, BuildError> = built.kernels.into_iter().collect();
        let kernels = match kernels {
            Ok(kernels) => kernels,
            // The compiler built this kernel in the search. A failure now abandons the finals,
            // not the study.
            Err(BuildError::Failed(_, message)) => return Ok(Err(message)),
            Err(BuildError::Environment(message)) => return Err(Failure::Environment(message)),
        };
        let sample = |entrant| {
            let kernel = match entrant {
                Entrant::Default => &kernels[0],
                Entrant::Finalist(place) => &kernels[place + 1],
            };
            let outcome = self.evaluator.evaluate(kernel);
            median_us(outcome.map_err(|error| AbandonedFinals::Study(error.into()))?)
        };
        match finals(&mut generator(seed, STREAM), finalists, sample) {
            Ok(finals) => Ok(Ok(finals)),
            Err(SampleError::Device(AbandonedFinals::Study(failure))) => Err(failure),
            Err(SampleError::Device(AbandonedFinals::Kernel(reason))) => Ok(Err(reason)),
            Err(SampleError::NotATime(time)) => Ok(Err(format!("a kernel took {time} us"))),
        }
    }
}

fn median_us(outcome: BenchOutcome) -> Result<f64, AbandonedFinals> {
    match outcome {
        BenchOutcome::Right(measured, _)
        | BenchOutcome::SignOfZero(measured, _)
        | BenchOutcome::Tie(measured, _) => Ok(measured.median_us()),
        BenchOutcome::Wrong(difference) | BenchOutcome::Unstable(difference) => {
            Err(AbandonedFinals::Kernel(difference.to_string()))
        }
        BenchOutcome::Failed(error) => Err(AbandonedFinals::Kernel(error.to_string())),
        BenchOutcome::Timed(_) => unreachable!("finals verify every kernel"),
    }
}
