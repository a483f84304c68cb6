//! Finals: the best few of a search and the default, measured again in turn.
//!
//! A sample is the median of a measurement of its own, with buffers of its own: what the place of a buffer does to a
//! kernel's time is part of the noise, and not of the result.

use bench_harness::timing::{Entrant, Finals, SampleError, finals, short_list};
use bench_harness::{Evaluator, Outcome};
use codegen::CompiledKernel;
use configgen::Generator;
use configgen::draw::generator;
use lookup::{Merit, is_behind};
use store::{Role, Status, Ties, Trial};

use crate::build::{BuildError, Choice};
use crate::study::TuneError;
use crate::worker::Job;

/// Stream of random numbers of the order in which kernels are measured; strategies have their own.
const STREAM: u64 = 0x66696e616c;

/// The trials that are worth a place in the finals, the fastest first: of those that are right alone, where there are such
/// and the fold's index is wanted on ties. None where the default alone is right.
pub(crate) fn finalists(generator: Generator, ties: Ties, trials: &[Trial]) -> Vec<&Trial> {
    // A default that is no configuration is never the best.
    let takes_part = |trial: &&Trial| trial.configuration.is_some();
    let scored = |trial| Some((trial, Merit::of(trial, generator, ties)?));
    let scored: Vec<(&Trial, Merit)> = (trials.iter().filter(takes_part))
        .filter_map(scored)
        .collect();
    let are_behind = scored.iter().all(|(_, score)| score.is_behind);
    let (trials, times): (Vec<&Trial>, Vec<f64>) = (scored.iter())
        .filter(|(trial, score)| trial.role == Role::Candidate && score.is_behind == are_behind)
        .map(|(trial, score)| (*trial, score.time_us))
        .unzip();
    short_list(&times)
        .into_iter()
        .map(|place| trials[place])
        .collect()
}

/// Who is to be taken: who won, unless the default won with another index on ties than the one that is wanted, and a
/// finalist is right.
pub(crate) fn taken(finals: &Finals, ties: Ties, default: Status, finalists: &[&Trial]) -> Entrant {
    let first = finalists
        .get(finals.first)
        .map(|first| first.outcome.status());
    let is_first_better =
        first.is_some_and(|first| is_behind(default, ties) && !is_behind(first, ties));
    match is_first_better {
        true => Entrant::Finalist(finals.first),
        false => finals.winner(),
    }
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
        Outcome::Right(measured) | Outcome::SignOfZero(measured, _) | Outcome::Tie(measured, _) => {
            Ok(measured.median_us())
        }
        Outcome::Wrong(difference) | Outcome::Unstable(difference) => {
            Err(Abandoned::Kernel(difference.to_string()))
        }
        Outcome::Failed(error) => Err(Abandoned::Kernel(error.to_string())),
    }
}
