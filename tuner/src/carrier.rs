//! Carriers: what brings batches from directors to agents, and events back.

use async_trait::async_trait;
use codegen::CompiledKernel;

use crate::build::BuildError;
use crate::message::{Batch, Event, Job};

/// Kernels that were built for a batch, in the order of its choices, or why they were not.
pub(crate) struct Built {
    pub(crate) kernels: Vec<Result<CompiledKernel, BuildError>>,
    /// What each took, in milliseconds.
    pub(crate) compile_ms: f64,
}

/// A batch, with its kernels where somebody has built them already.
pub(crate) struct Given {
    pub(crate) batch: Batch,
    pub(crate) built: Option<Built>,
}

/// The agent's end of a carrier.
pub(crate) trait Carrier {
    /// What is to be done next; waits for it. None when there will be nothing more. The agent has its device open for
    /// `open`, and changes to another job at a cost.
    fn next(&mut self, open: Option<&Job>) -> Option<Given>;

    /// Whether anybody listens: if not, the rest of the batch need not be done.
    fn tell(&mut self, event: Event) -> bool;
}

/// The director's end of a carrier.
#[async_trait]
pub(crate) trait Dispatch: Send {
    /// Agents behind it.
    fn agents(&self) -> usize;

    /// Batches that can be under way at once, so that nobody waits for work.
    fn slots(&self) -> usize;

    /// Gives somebody something to do.
    fn give(&mut self, batch: Batch);

    /// What happens next; none when no agent lives. Who drops the future has lost no event.
    async fn next(&mut self) -> Option<Event>;
}
