//! One choice by itself: what a study would make of it, without a study.

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

/// Builds a choice, verifies it on every input and times it, as a trial of a study is. It need not be legal: that is for
/// whoever chooses it to ask.
///
/// # Errors
///
/// [`TuneError::Inputs`], [`TuneError::Device`], [`TuneError::Environment`]: what is no fault of the choice. What happens to
/// its kernel is in the trial.
pub fn try_configuration(
    rig: &mut dyn Rig,
    builder: &dyn Builder,
    problem: &Problem,
    choice: Choice,
) -> Result<Trial, TuneError> {
    bench_harness::Inputs::bytes_of(problem)?;
    let job = StudySetup {
        problem: problem.clone(),
        generator: builder.generator().name().to_owned(),
        input_seed: INPUT_SEED,
        // A device whose times vary is watched by the choice itself.
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

/// Brings one batch of one choice, and keeps what is told of it.
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
        let candidate = Candidate { ordinal: 0, choice };
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
