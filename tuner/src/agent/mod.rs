//! Agents: they build and evaluate batches on their device, watch for drift and run finals.

mod drift_control;
mod finals;
mod input_cache;
mod trial;

use std::sync::Arc;
use std::time::Instant;

use bench_harness::{Evaluator, Inputs, Rig};
use configgen::Target;
use tracing::{debug, error_span};

use crate::build::{BuildError, Builder, Choice};
use crate::message::{
    Batch, BatchContent, BatchEvent, BatchEventKind, BatchId, Failure, StudySetup,
};
use crate::transport::{AssignedBatch, BatchKernels, BatchSource, DriftStatus};
use drift_control::DriftControl;
pub use input_cache::InputCache;

/// An agent: one device, with a builder of kernels for it.
pub struct Agent<'a> {
    /// The device.
    pub rig: &'a mut dyn Rig,
    /// The builder of kernels for the device.
    pub builder: &'a dyn Builder,
    /// The inputs, which the agents of a process share.
    pub shelf: &'a InputCache,
}

/// The reason why a batch stops early.
enum BatchStop {
    /// Nobody listens any more.
    Unheard,
    Failed(Failure),
}

impl<E: Into<Failure>> From<E> for BatchStop {
    fn from(failure: E) -> BatchStop {
        BatchStop::Failed(failure.into())
    }
}

/// The agent's session for one study, with its device open.
struct AgentSession<'a> {
    job: &'a StudySetup,
    target: &'static Target,
    builder: &'a dyn Builder,
    evaluator: Box<dyn Evaluator + 'a>,
    /// The drift control. `None` if times repeat exactly or the default is not correct.
    steady: Option<DriftControl>,
    /// The drift status since the last report.
    watched: Option<DriftStatus>,
}

impl Agent<'_> {
    /// Works on batches until no more follow.
    pub fn work(&mut self, carrier: &mut dyn BatchSource) {
        let mut given = carrier.next(None);
        while let Some(next) = given {
            let mut batch = next.batch.id.clone();
            given = match self.stay_at(next, &mut batch, carrier) {
                Ok(next) => next,
                Err(failure) => {
                    let news = BatchEventKind::Failed(failure);
                    carrier.tell(BatchEvent { batch, news });
                    // The open inputs may be the cause of the failure.
                    carrier.next(None)
                }
            };
        }
    }

    /// Opens the device for the study of a batch and works on batches of this study. Returns the
    /// first batch of another study. `id` is updated to the current batch.
    fn stay_at(
        &mut self,
        given: AssignedBatch,
        id: &mut BatchId,
        carrier: &mut dyn BatchSource,
    ) -> Result<Option<AssignedBatch>, Failure> {
        let job = given.batch.job.clone();
        let inputs = self.inputs(&job)?;
        let mut at = AgentSession::new(&job, self.builder, self.rig, &inputs)?;
        let mut next = Some(given);
        while let Some(given) = next {
            if given.batch.job != job {
                // The session ends here, which frees the device's buffers before the next one
                // opens.
                return Ok(Some(given));
            }
            *id = given.batch.id.clone();
            if let Err(BatchStop::Failed(failure)) = at.do_batch(given, carrier) {
                return Err(failure);
            }
            carrier.tell(BatchEvent {
                batch: id.clone(),
                news: BatchEventKind::Done,
            });
            next = carrier.next(Some(&job));
        }
        Ok(None)
    }

    /// Returns the inputs of a study, if this agent can build for it.
    fn inputs(&self, job: &StudySetup) -> Result<Arc<Inputs>, Failure> {
        let has = self.builder.generator().name();
        // A wrong builder would make kernels that no verdict can tell from the study's.
        if has != job.generator {
            return Err(Failure::Builder(has.to_owned()));
        }
        let inputs = self.shelf.inputs(job);
        inputs.map_err(|too_large| Failure::Job(too_large.to_string()))
    }
}

impl<'a> AgentSession<'a> {
    fn new(
        job: &'a StudySetup,
        builder: &'a dyn Builder,
        rig: &'a mut dyn Rig,
        inputs: &'a Inputs,
    ) -> Result<AgentSession<'a>, Failure> {
        let (target, is_exact) = (rig.identity().row.target(), rig.identity().is_exact());
        // Opening copies the inputs to the device, which is slow, so it is done once per study.
        let mut evaluator = rig.open(inputs)?;
        let mut steady = None;
        // Drift control is needed only if a clock measures the times.
        if !is_exact {
            let choices = [job.default.clone()];
            steady = match builder.build(&job.problem, target, &choices).pop() {
                Some(Ok(kernel)) => DriftControl::new(evaluator.as_mut(), kernel)?,
                Some(Err(BuildError::Environment(message))) => {
                    return Err(Failure::Environment(message));
                }
                // Without a default kernel there is no reference for drift.
                Some(Err(BuildError::Failed(..))) | None => None,
            };
        }
        Ok(AgentSession {
            job,
            target,
            builder,
            evaluator,
            steady,
            watched: None,
        })
    }

    fn do_batch(
        &mut self,
        given: AssignedBatch,
        carrier: &mut dyn BatchSource,
    ) -> Result<(), BatchStop> {
        let (study, number) = (given.batch.id.study, given.batch.id.number);
        let _at = error_span!("batch", study, number).entered();
        let ahead = given.built.is_some();
        let elsewhere = given.built.as_ref().is_some_and(|built| built.elsewhere);
        // Another builder may have built the kernels ahead. The trials state the build time in
        // either case.
        let built = match given.built {
            Some(built) => built,
            None => build(self.builder, self.target, &given.batch),
        };
        let (kernels, compile_ms) = (built.kernels.len(), built.compile_ms);
        debug!(kernels, compile_ms, ahead, elsewhere, "batch built");
        let Batch { id, work, .. } = given.batch;
        let mut tell = |news| {
            let batch = id.clone();
            match carrier.tell(BatchEvent { batch, news }) {
                true => Ok(()),
                false => Err(BatchStop::Unheard),
            }
        };
        match work {
            BatchContent::Try(candidates) => self.try_all(candidates, built, &mut tell)?,
            BatchContent::Finals {
                finalists, seed, ..
            } => {
                let finals = self.hold_finals(finalists.len(), built, seed)?;
                tell(BatchEventKind::Finals(finals.map(Box::new)))?;
            }
        }
        // The transport expects the report before the batch is done.
        if let Some(watched) = self.watched.take() {
            carrier.report_drift(watched);
        }
        Ok(())
    }
}

/// Returns the choices to build for a batch: for finals, the default before the finalists.
pub(crate) fn choices(batch: &Batch) -> Vec<Choice> {
    match &batch.work {
        BatchContent::Try(candidates) => candidates.iter().map(|one| one.choice.clone()).collect(),
        BatchContent::Finals { finalists, .. } => {
            let default = std::iter::once(&batch.job.default);
            let finalists = finalists.iter().map(|one| &one.choice);
            default.chain(finalists).cloned().collect()
        }
    }
}

/// Builds the kernels of a batch.
pub(crate) fn build(builder: &dyn Builder, target: &Target, batch: &Batch) -> BatchKernels {
    let choices = choices(batch);
    let began = Instant::now();
    let kernels = builder.build(&batch.job.problem, target, &choices);
    BatchKernels {
        kernels,
        compile_ms: began.elapsed().as_secs_f64() * 1e3 / choices.len().max(1) as f64,
        elsewhere: false,
    }
}
