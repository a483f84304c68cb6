//! Looking on while waves execute: what the profile and the checker are to the run loop.
//!
//! The run loop is compiled once for each watcher, so that one that does nothing costs nothing. A watcher knows
//! registers, memory and the instruction at hand; execution knows nothing of what it is watched for.

use super::step::PreparedProgram;
use super::wave::{Wave, WorkgroupContext};
use crate::error::LaunchFault;
use crate::operation::MemoryOperation;

/// What an access moves.
pub(crate) struct AccessOperands {
    pub(crate) operation: MemoryOperation,
    /// First register of the data (to load into, or to store from), and of an atomic's second operand.
    pub(crate) data: [u16; 2],
    /// First register of what an atomic returns.
    pub(crate) returns: Option<u16>,
}

impl AccessOperands {
    /// Whether memory changes.
    pub(crate) fn writes(&self) -> bool {
        !matches!(
            self.operation,
            MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. }
        )
    }
}

/// A watcher. What it does not define does nothing.
pub(crate) trait ExecutionObserver {
    /// Whether the addresses in `device.access` must be right after a step.
    const LOOKS_AT_ACCESSES: bool;

    /// Whether it matters that waves go on from a barrier to which others, that have ended, never came. A device does
    /// not mind.
    const MINDS_ENDED_WAVES: bool = false;

    /// What it knows of the workgroup that runs, and of no other.
    type SuspendedState;

    /// The workgroup that runs is set aside until [`Watch::resume`]; another one begins or goes on.
    fn suspend(&mut self) -> Self::SuspendedState;

    /// A workgroup goes on that was set aside.
    fn resume(&mut self, kept: Self::SuspendedState);

    /// The workgroup `id` (`linear`: x fastest) starts; the registers of its waves are set.
    fn begin(&mut self, _linear: u32, _id: [u32; 3], _waves: &[Wave]) {}

    /// The wave comes to the step `wave.current`. Returns whether the step is to be executed.
    #[inline(always)]
    fn before(
        &mut self,
        _code: &PreparedProgram,
        _wave: &mut Wave,
        _device: &mut WorkgroupContext<'_>,
    ) -> bool {
        true
    }

    /// The wave has executed the step `wave.current`, or has stopped at it.
    #[inline(always)]
    fn after(
        &mut self,
        _code: &PreparedProgram,
        _wave: &mut Wave,
        _device: &mut WorkgroupContext<'_>,
    ) {
    }

    /// Lanes are about to access memory where `device.access` says. Returns those that do; the others neither load nor
    /// store.
    #[inline(always)]
    fn access(
        &mut self,
        _wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
        _moved: &AccessOperands,
    ) -> u64 {
        device.access.mask
    }

    /// Scalar registers from `to` on are about to be loaded from where `device.access` says. Returns whether they
    /// are; otherwise they become 0.
    #[inline(always)]
    fn load_scalars(
        &mut self,
        _wave: &mut Wave,
        _device: &mut WorkgroupContext<'_>,
        _to: u8,
    ) -> bool {
        true
    }

    /// All waves of the workgroup that have not ended wait at a barrier, and go on.
    fn barrier(&mut self) {}

    /// Whether the launch goes on after a fault that a device survives.
    fn survives(&mut self, _fault: &LaunchFault) -> bool {
        false
    }
}

/// Nobody looks on.
pub(crate) struct NoObserver;

impl ExecutionObserver for NoObserver {
    const LOOKS_AT_ACCESSES: bool = false;
    type SuspendedState = ();

    fn suspend(&mut self) {}

    fn resume(&mut self, (): ()) {}
}
