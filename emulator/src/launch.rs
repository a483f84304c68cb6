//! A launch: a kernel with its grid and its arguments, and what came of it.

use crate::code_object::{CodeObject, Kernel};
use crate::error::Fault;
use crate::memory::Memory;

/// What to run.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// A kernel of the code object.
    pub kernel: &'a Kernel,
    /// Workgroups in x, y and z.
    pub workgroups: [u32; 3],
    /// Work-items of a workgroup in x, y and z.
    pub workgroup_size: [u32; 3],
    /// Bytes of LDS beyond the kernel's own.
    pub dynamic_lds_bytes: u32,
    /// The argument block as the kernel's arguments lay it out. Hidden arguments may be left out: they are filled in.
    pub kernarg: &'a [u8],
    /// Linear ids (x fastest) of the workgroups to run; None runs all of them.
    pub only: Option<&'a [u32]>,
    /// Most instructions that one wave may execute.
    pub instruction_limit: u64,
}

/// What a launch did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Execution {
    /// Waves that ran.
    pub waves: u64,
    /// Instructions that they executed, one per wave.
    pub wave_instructions: u64,
    /// Bytes that lanes read from memory (not from LDS or scratch).
    pub bytes_read: u64,
    /// Bytes that lanes wrote to memory.
    pub bytes_written: u64,
}

/// Runs a launch to its end, or to its first fault.
///
/// Workgroups run one after the other in the order of their ids (or of `launch.only`), so the result is
/// deterministic. After a fault, memory holds what was written before it.
///
/// # Errors
/// [`Fault`]: the launch does not fit the kernel, or a wave did what the device would not survive.
pub fn run(
    code: &CodeObject,
    memory: &mut Memory,
    launch: &Launch<'_>,
) -> Result<Execution, Fault> {
    let _ = (code, memory);
    Err(Fault::Launch {
        kernel: launch.kernel.name.clone(),
        reason: "execution is not built yet".into(),
    })
}
