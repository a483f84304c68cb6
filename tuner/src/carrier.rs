//! Carriers: what brings batches from directors to agents, and events back.

use async_trait::async_trait;
use codegen::CompiledKernel;

use crate::build::BuildError;
use crate::error::TuneError;
use crate::message::{Batch, Event, Job};

/// Kernels that were built for a batch, in the order of its choices, or why they were not.
pub struct Built {
    /// A kernel, or why there is none, for each choice.
    pub kernels: Vec<Result<CompiledKernel, BuildError>>,
    /// What each took, in milliseconds.
    pub compile_ms: f64,
    /// Whether they were built on another machine, whose word alone there is that they are of these choices.
    pub elsewhere: bool,
}

/// A batch, with its kernels where somebody has built them already.
pub struct Given {
    /// What is to be done.
    pub batch: Batch,
    /// Its kernels.
    pub built: Option<Built>,
}

/// The agent's end of a carrier.
pub trait Carrier {
    /// What is to be done next; waits for it. None when there will be nothing more. The agent has its device open for
    /// `open`, and changes to another job at a cost.
    fn next(&mut self, open: Option<&Job>) -> Option<Given>;

    /// Whether anybody listens: if not, the rest of the batch need not be done.
    fn tell(&mut self, event: Event) -> bool;
}

/// The director's end of a carrier.
#[async_trait]
pub trait Dispatch: Send {
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
    async fn next(&mut self) -> Option<Event>;
}
