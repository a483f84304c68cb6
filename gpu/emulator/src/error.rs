//! Errors of loading a code object, of using memory and of running a kernel.

use thiserror::Error;

/// The reason why a code object cannot be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes are not a readable 64-bit little-endian ELF.
    #[error("not a readable 64-bit ELF: {0}")]
    Elf(String),
    /// The ELF is for another machine (`e_machine` 224 is EM_AMDGPU).
    #[error("ELF machine {machine} is not AMDGPU (224)")]
    Machine {
        /// `e_machine` of the file.
        machine: u16,
    },
    /// The ELF is for an AMD GPU, but for an instruction set without an emulation.
    #[error(
        "the code object is for machine {flags:#04x} (EF_AMDGPU_MACH), which the emulator does not support"
    )]
    Isa {
        /// The low 8 bits of `e_flags`.
        flags: u32,
    },
    /// The metadata note is absent.
    #[error("no AMDGPU metadata note (NT_AMDGPU_METADATA, type 32) in the code object")]
    NoMetadata,
    /// The metadata note differs from LLVM's AMDGPUUsage.
    #[error("metadata: {0}")]
    Metadata(String),
    /// The descriptor of a kernel is missing or outside the image.
    #[error("kernel {kernel}: {reason}")]
    Descriptor {
        /// The kernel's name.
        kernel: String,
        /// The fault of its descriptor.
        reason: String,
    },
    /// The image is larger than the loader accepts.
    #[error("the loaded image would have {bytes} bytes; the limit is {limit}")]
    TooLarge {
        /// Bytes from address 0 to the end of the last segment.
        bytes: u64,
        /// The loader's limit.
        limit: u64,
    },
}

/// The reason why an allocation or a release fails.
#[derive(Debug, Error, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryError {
    /// The host or the address space cannot hold an allocation of this size.
    #[error("cannot allocate {bytes} bytes (largest allocation: {limit})")]
    TooLarge {
        /// Requested bytes.
        bytes: u64,
        /// The largest allocation in bytes.
        limit: u64,
    },
    /// All slots of the address space are in use.
    #[error("{count} allocations are live, and the address space has no room for another")]
    TooMany {
        /// Live allocations.
        count: usize,
    },
    /// The address is not the start of a live allocation.
    #[error("{address:#x} is not the start of a live allocation")]
    NotAllocated {
        /// The given address.
        address: u64,
    },
}

/// The place of a fault within a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultLocation {
    /// Kernel name.
    pub kernel: String,
    /// Address of the instruction in the code object.
    pub pc: u64,
    /// The instruction's disassembly.
    pub instruction: String,
    /// Workgroup id in x, y and z.
    pub workgroup: [u32; 3],
    /// Wave within the workgroup.
    pub wave: u32,
}

impl std::fmt::Display for FaultLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.workgroup;
        write!(
            f,
            "kernel {}, workgroup ({x}, {y}, {z}), wave {}, at {:#x} `{}`",
            self.kernel, self.wave, self.pc, self.instruction
        )
    }
}

/// The reason why a launch ended before its kernel did.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LaunchFault {
    /// The launch does not fit the kernel.
    #[error("kernel {kernel}: {reason}")]
    Launch {
        /// The kernel's name.
        kernel: String,
        /// The mismatch, with its numbers.
        reason: String,
    },
    /// The emulator does not execute this instruction.
    #[error("{place}: {reason}")]
    Unsupported {
        /// The place of the instruction.
        place: Box<FaultLocation>,
        /// The instruction's name or encoding, and the reason why the emulator refuses it.
        reason: String,
    },
    /// A lane accessed memory that is not allocated.
    #[error(
        "{place}: lane {lane} {action} {bytes} bytes at {address:#x}, outside of every allocation{nearest}"
    )]
    OutOfBounds {
        /// The place of the access.
        place: Box<FaultLocation>,
        /// The first lane with an address outside; 0 for a scalar access.
        lane: u32,
        /// `reads` or `writes`.
        action: &'static str,
        /// First byte of the access.
        address: u64,
        /// Bytes that the lane accesses.
        bytes: u32,
        /// The position relative to the allocation of the address's slot, or empty.
        nearest: String,
    },
    /// A lane accessed LDS beyond the end of its workgroup's allocation.
    #[error(
        "{place}: lane {lane} accesses {bytes} bytes at LDS offset {offset}; the workgroup has {lds_bytes}"
    )]
    Lds {
        /// The place of the access.
        place: Box<FaultLocation>,
        /// The first lane with an offset outside.
        lane: u32,
        /// First byte of the access.
        offset: u64,
        /// Bytes that the lane accesses.
        bytes: u32,
        /// Bytes of LDS of the workgroup.
        lds_bytes: u32,
    },
    /// A lane accessed private memory beyond the size that the kernel declares.
    #[error(
        "{place}: lane {lane} accesses {bytes} bytes at scratch offset {offset}; a lane has {scratch_bytes}"
    )]
    Scratch {
        /// The place of the access.
        place: Box<FaultLocation>,
        /// The first lane with an offset outside.
        lane: u32,
        /// First byte of the access.
        offset: u64,
        /// Bytes that the lane accesses.
        bytes: u32,
        /// Bytes of private memory of each lane.
        scratch_bytes: u32,
    },
    /// The program counter left the code.
    #[error("{place}: jumps to {target:#x}, where no instruction starts")]
    Jump {
        /// The place of the jump.
        place: Box<FaultLocation>,
        /// Address of the jump's target.
        target: u64,
    },
    /// `s_trap`.
    #[error("{place}: trap {id}")]
    Trap {
        /// Where.
        place: Box<FaultLocation>,
        /// The trap's number.
        id: u32,
    },
    /// Some waves of a workgroup wait at a barrier that the others cannot reach.
    #[error("{place}: {waiting} of {waves} waves wait at this barrier; {ended} ended without it")]
    Barrier {
        /// The place of the first waiting wave.
        place: Box<FaultLocation>,
        /// Number of waves that wait.
        waiting: u32,
        /// Number of waves that ended while others still waited.
        ended: u32,
        /// Number of waves of the workgroup.
        waves: u32,
    },
    /// A wave executed more instructions than the launch allows.
    #[error("{place}: the wave did not end within {limit} instructions")]
    InstructionLimit {
        /// The last place of the wave.
        place: Box<FaultLocation>,
        /// The launch's limit.
        limit: u64,
    },
    /// All resident workgroups wait and none makes progress. No workgroup produces the awaited
    /// value, or one that has not begun would.
    #[error(
        "{place}: deadlock: all {resident} resident workgroups wait, and {unbegun} others cannot start"
    )]
    Standstill {
        /// The place of a sleeping wave of the first resident workgroup.
        place: Box<FaultLocation>,
        /// Number of workgroups that have begun and not ended.
        resident: u64,
        /// Number of workgroups that have not begun.
        unbegun: u64,
    },
    /// Another thread ended the launch: see
    /// [`LaunchProgress::stop`](crate::LaunchProgress::stop).
    #[error("stopped after {workgroups} of {of} workgroups and {instructions} instructions")]
    Stopped {
        /// Number of workgroups that had ended.
        workgroups: u64,
        /// Number of workgroups of the launch.
        of: u64,
        /// Number of executed instructions, one per wave.
        instructions: u64,
    },
    /// The emulated device has no memory left for the launch.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}
