//! Classes of instructions, by the checker's work for them.

use crate::execute::Wave;

/// The class of an instruction for the checker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Computes registers from registers.
    Compute,
    /// Computes registers from registers in all lanes, whatever EXEC is.
    Matrix,
    /// Reads registers that decide the next instruction of the wave.
    Branch,
    /// Writes EXEC.
    Exec,
    /// Writes one lane of a vector register.
    WriteLane,
    /// Accesses registers with numbers from M0.
    Relative,
    ScalarMemory,
    Memory,
    /// Loads to LDS without passing through registers.
    Direct,
    /// Accesses LDS.
    Lds,
    /// Exchanges values of lanes through the crossbar of LDS.
    Permute,
    Wait,
    /// Flushes or invalidates caches, which other workgroups notice.
    Fence,
    /// Has no effect on registers.
    Nothing,
}

impl Class {
    /// Returns the lanes of vector registers that an instruction of this class writes.
    #[inline(always)]
    pub(crate) fn written_lanes(self, wave: &Wave) -> u64 {
        match self {
            Class::Matrix => u64::MAX,
            _ => wave.exec(),
        }
    }
}
