//! Observation of execution: the interface of the profile and the checker to the run loop.
//!
//! The run loop is compiled once for each observer, so that [`NoObserver`] costs nothing. An
//! observer sees registers, memory and the current instruction. Execution does not know the
//! purpose of an observer.

use super::step::PreparedProgram;
use super::wave::{Wave, WorkgroupContext};
use crate::error::LaunchFault;
use crate::operation::MemoryOperation;

/// The operands of a memory access.
pub(crate) struct AccessOperands {
    pub(crate) operation: MemoryOperation,
    /// First register of the data to load or store, and of the second operand of an atomic.
    pub(crate) data: [u16; 2],
    /// First register of an atomic's result.
    pub(crate) returns: Option<u16>,
}

impl AccessOperands {
    /// Returns true if the access changes memory.
    pub(crate) fn writes(&self) -> bool {
        !matches!(
            self.operation,
            MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. }
        )
    }
}

/// An observer of execution. The default methods do nothing.
pub(crate) trait ExecutionObserver {
    /// True if the addresses in `device.access` must be valid after a step.
    const LOOKS_AT_ACCESSES: bool;

    /// True if a barrier that ended waves never reached is an error. A device accepts it.
    const MINDS_ENDED_WAVES: bool = false;

    /// The observer's knowledge of one suspended workgroup.
    type SuspendedState;

    /// Suspends the current workgroup until [`ExecutionObserver::resume`]; another one begins or
    /// resumes.
    fn suspend(&mut self) -> Self::SuspendedState;

    /// Resumes a suspended workgroup.
    fn resume(&mut self, kept: Self::SuspendedState);

    /// Observes the start of workgroup `id` (`linear`: x fastest), after its registers are set.
    fn begin(&mut self, _linear: u32, _id: [u32; 3], _waves: &[Wave]) {}

    /// Observes the wave before the step `wave.current`. Returns false to skip the step.
    #[inline(always)]
    fn before(
        &mut self,
        _code: &PreparedProgram,
        _wave: &mut Wave,
        _device: &mut WorkgroupContext<'_>,
    ) -> bool {
        true
    }

    /// Observes the wave after the step `wave.current`, even if the wave stops there.
    #[inline(always)]
    fn after(
        &mut self,
        _code: &PreparedProgram,
        _wave: &mut Wave,
        _device: &mut WorkgroupContext<'_>,
    ) {
    }

    /// Observes an access of the lanes in `device.access` before it happens. Returns the lanes
    /// that may perform it.
    #[inline(always)]
    fn access(
        &mut self,
        _wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
        _moved: &AccessOperands,
    ) -> u64 {
        device.access.mask
    }

    /// Observes that elements of `bits` bits have moved between the lanes of registers from `to`
    /// on.
    #[inline(always)]
    fn transposed(&mut self, _wave: &Wave, _to: u16, _registers: u8, _bits: u8) {}

    /// Observes a load into scalar registers from `to` on before it happens. If the result is
    /// false, the registers become 0.
    #[inline(always)]
    fn load_scalars(
        &mut self,
        _wave: &mut Wave,
        _device: &mut WorkgroupContext<'_>,
        _to: u8,
    ) -> bool {
        true
    }

    /// Observes that all live waves of the workgroup have reached a barrier.
    fn barrier(&mut self) {}

    /// Returns true if the launch continues after a fault that a device survives.
    fn survives(&mut self, _fault: &LaunchFault) -> bool {
        false
    }
}

/// The observer of a plain run, which observes nothing.
pub(crate) struct NoObserver;

impl ExecutionObserver for NoObserver {
    const LOOKS_AT_ACCESSES: bool = false;
    type SuspendedState = ();

    fn suspend(&mut self) {}

    fn resume(&mut self, (): ()) {}
}
