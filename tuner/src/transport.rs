//! Carriers: what brings batches from directors to agents, and events back.

use async_trait::async_trait;
use codegen::CompiledKernel;
use serde::{Deserialize, Serialize};

use crate::build::BuildError;
use crate::error::TuneError;
use crate::message::{Batch, BatchEvent, StudySetup};

/// Kernels that were built for a batch, in the order of its choices, or why they were not.
pub struct BatchKernels {
    /// A kernel, or why there is none, for each choice.
    pub kernels: Vec<Result<CompiledKernel, BuildError>>,
    /// What each took, in milliseconds.
    pub compile_ms: f64,
    /// Whether they were built on another machine, whose word alone there is that they are of these choices.
    pub elsewhere: bool,
}

/// A batch, with its kernels where somebody has built them already.
pub struct AssignedBatch {
    /// What is to be done.
    pub batch: Batch,
    /// Its kernels.
    pub built: Option<BatchKernels>,
}

/// What a device whose times vary was like during a batch, as its control kernel tells: the job's default, measured before
/// the batch and after it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase", deny_unknown_fields)]
pub enum DriftStatus {
    /// It took the same time, at the latest when the batch was measured again.
    Steady(ControlMeasurement),
    /// It took another time each time, as often as the batch was measured again.
    Unsteady(ControlMeasurement),
    /// It does not give the right results any more.
    Wrong,
}

/// How the control kernel was measured last.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ControlMeasurement {
    /// By how much its median may be wrong, as a part of it: half of the interval.
    pub noise: f64,
    /// Its median over that of its first measurement for the job.
    pub slowdown: f64,
}

/// The agent's end of a carrier.
pub trait BatchSource {
    /// What is to be done next; waits for it. None when there will be nothing more. The agent has its device open for
    /// `open`, and changes to another job at a cost.
    fn next(&mut self, open: Option<&StudySetup>) -> Option<AssignedBatch>;

    /// Whether anybody listens: if not, the rest of the batch need not be done.
    fn tell(&mut self, event: BatchEvent) -> bool;

    /// What the device was like during the batch; said before the batch is done.
    fn report_drift(&mut self, _: DriftStatus) {}
}

/// The director's end of a carrier.
#[async_trait]
pub trait BatchDispatcher: Send {
    /// Agents behind it.
    fn agents(&self) -> usize;

    /// Batches that can be under way at once, so that nobody waits for work.
    fn slots(&self) -> usize;

    /// Gives somebody something to do.
    ///
    /// # Errors
    ///
    /// [`TuneError::Dispatch`].
    async fn give(&mut self, batch: Batch) -> Result<(), TuneError>;

    /// What happens next; none when no agent lives. Who drops the future has lost no event.
    async fn next(&mut self) -> Option<BatchEvent>;
}
