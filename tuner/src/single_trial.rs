//! A single trial: a study's evaluation of one choice, without a study.

use bench_harness::Rig;
use configgen::Problem;
use store::Trial;

use crate::agent::{Agent, InputCache};
use crate::build::{Builder, Choice};
use crate::error::TuneError;
use crate::message::{
    Batch, BatchContent, BatchEvent, BatchEventKind, BatchId, Candidate, Failure, INPUT_SEED,
    StudySetup,
};
use crate::transport::{AssignedBatch, BatchSource};

/// Builds a choice, verifies it on every input and times it, as a study does for a trial. The
/// choice need not be legal: the caller checks that.
///
/// # Errors
///
/// [`TuneError::Inputs`], [`TuneError::Device`] or [`TuneError::Environment`], which are no fault
/// of the choice. The trial contains failures of its kernel.
pub fn try_configuration(
    rig: &mut dyn Rig,
    builder: &dyn Builder,
    problem: &Problem,
    choice: Choice,
) -> Result<Trial, TuneError> {
    // An agent reports inputs that are too large as a fault of the machine, so this check comes
    // first.
    bench_harness::Inputs::bytes_of(problem)?;
    let job = StudySetup {
        problem: problem.clone(),
        generator: builder.generator().name().to_owned(),
        input_seed: INPUT_SEED,
        // On a device with varying times, the choice is its own control kernel.
        default: choice.clone(),
    };
    let mut one = SingleTrial::new(job, choice);
    let shelf = InputCache::default();
    let mut agent = Agent {
        rig,
        builder,
        shelf: &shelf,
    };
    agent.work(&mut one);
    match (one.trial, one.failure) {
        (Some(trial), _) => Ok(*trial),
        (None, Some(failure)) => Err(failure.error(builder.generator().name())),
        (None, None) => Err(TuneError::Lost(1)),
    }
}

/// A transport of one batch with one choice, which keeps the results.
struct SingleTrial {
    given: Option<AssignedBatch>,
    trial: Option<Box<Trial>>,
    failure: Option<Failure>,
}

impl SingleTrial {
    fn new(job: StudySetup, choice: Choice) -> SingleTrial {
        let id = BatchId {
            owner: String::new(),
            study: 0,
            number: 0,
        };
        let candidate = Candidate {
            ordinal: 0,
            choice,
            verified_below_us: None,
        };
        let work = BatchContent::Try(vec![candidate]);
        SingleTrial {
            given: Some(AssignedBatch {
                batch: Batch { id, job, work },
                built: None,
            }),
            trial: None,
            failure: None,
        }
    }
}

impl BatchSource for SingleTrial {
    fn next(&mut self, _: Option<&StudySetup>) -> Option<AssignedBatch> {
        self.given.take()
    }

    fn tell(&mut self, event: BatchEvent) -> bool {
        match event.news {
            BatchEventKind::Trial(trial) => self.trial = Some(trial),
            BatchEventKind::Failed(failure) => self.failure = Some(failure),
            _ => {}
        }
        true
    }
}
