//! Kinds of instructions, by what somebody has to do who follows values through them.

/// What an instruction is, to the checker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Computes registers from registers.
    Compute,
    /// What it reads decides where the wave goes.
    Branch,
    /// Writes EXEC.
    Exec,
    /// Writes one lane of a vector register.
    WriteLane,
    /// M0 tells the numbers of registers.
    Relative,
    ScalarMemory,
    Memory,
    /// Loads to LDS, past the registers.
    Direct,
    /// LDS.
    Lds,
    /// Lanes exchange values through the crossbar of LDS.
    Permute,
    Wait,
    /// Others see what it does to caches.
    Fence,
    /// Has no effect on registers.
    Nothing,
}
