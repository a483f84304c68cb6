//! Transports: they bring batches from directors to agents, and events back.

use async_trait::async_trait;
use codegen::CompiledKernel;
use serde::{Deserialize, Serialize};

use crate::build::BuildError;
use crate::error::TuneError;
use crate::message::{Batch, BatchEvent, StudySetup};

/// The kernels of a batch, in the order of its choices.
pub struct BatchKernels {
    /// A kernel, or the reason for its absence, for each choice.
    pub kernels: Vec<Result<CompiledKernel, BuildError>>,
    /// The build time per kernel in milliseconds.
    pub compile_ms: f64,
    /// True if another machine built the kernels. Only that machine claims that they belong to
    /// these choices.
    pub elsewhere: bool,
}

/// A batch, with its kernels if they are built already.
pub struct AssignedBatch {
    /// The batch.
    pub batch: Batch,
    /// Its kernels.
    pub built: Option<BatchKernels>,
}

/// The state of a device with varying times during a batch. The control kernel shows it: the
/// study's default, measured before and after the batch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase", deny_unknown_fields)]
pub enum DriftStatus {
    /// The control kernel took the same time, if necessary after repeats of the batch.
    Steady(ControlMeasurement),
    /// The control kernel's time changed at every allowed repeat of the batch.
    Unsteady(ControlMeasurement),
    /// The control kernel's results are not correct any more.
    Wrong,
}

/// The last measurement of the control kernel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ControlMeasurement {
    /// The relative uncertainty of its median: half of the interval.
    pub noise: f64,
    /// Its median over that of its first measurement for the study.
    pub slowdown: f64,
}

/// The agent's end of a transport.
pub trait BatchSource {
    /// Waits for the next batch. `None` means that no more will follow. The agent's device is
    /// open for `open`, and another study costs time to set up.
    fn next(&mut self, open: Option<&StudySetup>) -> Option<AssignedBatch>;

    /// Sends an event. Returns false if nobody listens, so that the rest of the batch is
    /// pointless.
    fn tell(&mut self, event: BatchEvent) -> bool;

    /// Reports the device's state during the batch, before the batch is done.
    fn report_drift(&mut self, _: DriftStatus) {}
}

/// The director's end of a transport.
#[async_trait]
pub trait BatchDispatcher: Send {
    /// Returns the number of agents.
    fn agents(&self) -> usize;

    /// Returns the number of outstanding batches that keeps all agents busy.
    fn slots(&self) -> usize;

    /// Dispatches a batch to an agent.
    ///
    /// # Errors
    ///
    /// [`TuneError::Dispatch`].
    async fn give(&mut self, batch: Batch) -> Result<(), TuneError>;

    /// Waits for the next event. `None` means that no agent lives. Dropping the future loses no
    /// event.
    async fn next(&mut self) -> Option<BatchEvent>;
}
