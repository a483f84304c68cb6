//! Finals: the best few of a search and the default, measured again in turn.
//!
//! A sample is the median of a measurement of its own, with buffers of its own: what the place of a buffer does to a
//! kernel's time is part of the noise, and not of the result.

use bench_harness::timing::{Entrant, Finals, SampleError, finals, short_list};
use bench_harness::{Evaluator, Outcome};
use codegen::CompiledKernel;
use configgen::Generator;
use configgen::draw::generator;
use store::{Role, Trial};

use crate::build::{BuildError, Choice};
use crate::study::TuneError;
use crate::worker::Job;

/// Stream of random numbers of the order in which kernels are measured; strategies have their own.
const STREAM: u64 = 0x66696e616c;

/// The trials that are worth a place in the finals, the fastest first.
pub(crate) fn finalists(generator: Generator, trials: &[Trial]) -> Vec<&Trial> {
    let is_served = |trial: &&Trial| {
        let status = trial.outcome.status();
        trial.role == Role::Candidate && status.is_served(generator)
    };
    let timed = |trial: &'_ Trial| trial.outcome.timing().map(|timing| timing.time_us);
    let (trials, times): (Vec<&Trial>, Vec<f64>) = (trials.iter().filter(is_served))
        .filter_map(|trial| Some((trial, timed(trial)?)))
        .unzip();
    short_list(&times)
        .into_iter()
        .map(|place| trials[place])
        .collect()
}

/// Why there is no winner.
enum Abandoned {
    Study(TuneError),
    /// A kernel that had been right was not right any more.
    Kernel(String),
}

/// Holds the finals; none, with the reason, where a kernel that was right before is not any more.
pub(crate) fn hold(
    job: &Job,
    evaluator: &mut dyn Evaluator,
    finalists: &[Choice],
    seed: u64,
) -> Result<Result<Finals, String>, TuneError> {
    let mut choices = vec![job.default.clone()];
    choices.extend_from_slice(finalists);
    let built = job.builder.build(&job.problem, job.target, &choices);
    let kernels: Result<Vec<CompiledKernel>, BuildError> = built.into_iter().collect();
    let kernels = match kernels {
        Ok(kernels) => kernels,
        Err(BuildError::Failed(_, message)) => return Ok(Err(message)),
        Err(BuildError::Environment(message)) => return Err(TuneError::Environment(message)),
    };
    let sample = |entrant| {
        let kernel = match entrant {
            Entrant::Default => &kernels[0],
            Entrant::Finalist(place) => &kernels[place + 1],
        };
        let outcome = evaluator.evaluate(kernel);
        median_us(outcome.map_err(|error| Abandoned::Study(error.into()))?)
    };
    match finals(&mut generator(seed, STREAM), finalists.len(), sample) {
        Ok(finals) => Ok(Ok(finals)),
        Err(SampleError::Device(Abandoned::Study(error))) => Err(error),
        Err(SampleError::Device(Abandoned::Kernel(reason))) => Ok(Err(reason)),
        Err(SampleError::NotATime(time)) => Ok(Err(format!("a kernel took {time} us"))),
    }
}

fn median_us(outcome: Outcome) -> Result<f64, Abandoned> {
    match outcome {
        Outcome::Right(measured) | Outcome::Tie(measured, _) => Ok(measured.median_us()),
        Outcome::Wrong(difference) | Outcome::Unstable(difference) => {
            Err(Abandoned::Kernel(difference.to_string()))
        }
        Outcome::Failed(error) => Err(Abandoned::Kernel(error.to_string())),
    }
}
