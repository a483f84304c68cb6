//! What can go wrong: loading a code object, using memory, running a kernel.

use thiserror::Error;

/// Why a code object could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes are not a 64-bit little-endian ELF that can be read.
    #[error("not a readable 64-bit ELF: {0}")]
    Elf(String),
    /// The ELF is for another machine (`e_machine` 224 is EM_AMDGPU).
    #[error("ELF machine {machine} is not AMDGPU (224)")]
    Machine {
        /// `e_machine` of the file.
        machine: u16,
    },
    /// The ELF is for an AMD GPU, but for an instruction set that the emulator does not know.
    #[error("the code object is for machine {flags:#04x} (EF_AMDGPU_MACH), which is not emulated")]
    Isa {
        /// The low 8 bits of `e_flags`.
        flags: u32,
    },
    /// The metadata note is absent.
    #[error("no AMDGPU metadata note (NT_AMDGPU_METADATA, type 32) in the code object")]
    NoMetadata,
    /// The metadata note is not what AMDGPUUsage describes.
    #[error("metadata: {0}")]
    Metadata(String),
    /// The descriptor of a kernel is absent or outside of the image.
    #[error("kernel {kernel}: {reason}")]
    Descriptor {
        /// The kernel's name.
        kernel: String,
        /// What is wrong with its descriptor.
        reason: String,
    },
    /// An image larger than the loader accepts.
    #[error("the loaded image would have {bytes} bytes; the limit is {limit}")]
    TooLarge {
        /// Bytes from address 0 to the end of the last segment.
        bytes: u64,
        /// The loader's limit.
        limit: u64,
    },
}

/// Why memory could not be allocated or freed.
#[derive(Debug, Error, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryError {
    /// The host or the address space cannot hold an allocation of this size.
    #[error("cannot allocate {bytes} bytes (largest allocation: {limit})")]
    TooLarge {
        /// Bytes asked for.
        bytes: u64,
        /// Largest allocation.
        limit: u64,
    },
    /// All slots of the address space are in use.
    #[error("{count} allocations are live, no further one fits the address space")]
    TooMany {
        /// Live allocations.
        count: usize,
    },
    /// The address is not the start of a live allocation.
    #[error("{address:#x} is not the start of a live allocation")]
    NotAllocated {
        /// The address given.
        address: u64,
    },
}

/// Where in a launch a fault occurred.
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

/// Why a launch ended before the kernel did.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LaunchFault {
    /// The launch does not fit the kernel.
    #[error("kernel {kernel}: {reason}")]
    Launch {
        /// The kernel's name.
        kernel: String,
        /// What does not fit, with the numbers.
        reason: String,
    },
    /// The emulator does not execute this instruction.
    #[error("{place}: {reason}")]
    Unsupported {
        /// Where.
        place: Box<FaultLocation>,
        /// The instruction's name or encoding and why it is refused.
        reason: String,
    },
    /// A lane accessed memory that is not allocated.
    #[error(
        "{place}: lane {lane} {action} {bytes} bytes at {address:#x}, outside of every allocation{nearest}"
    )]
    OutOfBounds {
        /// Where.
        place: Box<FaultLocation>,
        /// First lane whose address is outside; 0 for a scalar access.
        lane: u32,
        /// `reads` or `writes`.
        action: &'static str,
        /// First byte of the access.
        address: u64,
        /// Bytes accessed by the lane.
        bytes: u32,
        /// Relation to the allocation that the address belongs to, or empty.
        nearest: String,
    },
    /// A lane accessed LDS beyond what the workgroup has.
    #[error(
        "{place}: lane {lane} accesses {bytes} bytes at LDS offset {offset}; the workgroup has {lds_bytes}"
    )]
    Lds {
        /// Where.
        place: Box<FaultLocation>,
        /// First lane whose offset is outside.
        lane: u32,
        /// First byte of the access.
        offset: u64,
        /// Bytes accessed by the lane.
        bytes: u32,
        /// Bytes of LDS that the workgroup has.
        lds_bytes: u32,
    },
    /// A lane accessed its private memory beyond what the kernel declared.
    #[error(
        "{place}: lane {lane} accesses {bytes} bytes at scratch offset {offset}; a lane has {scratch_bytes}"
    )]
    Scratch {
        /// Where.
        place: Box<FaultLocation>,
        /// First lane whose offset is outside.
        lane: u32,
        /// First byte of the access.
        offset: u64,
        /// Bytes accessed by the lane.
        bytes: u32,
        /// Bytes of private memory that a lane has.
        scratch_bytes: u32,
    },
    /// The program counter left the code.
    #[error("{place}: jumps to {target:#x}, where no instruction starts")]
    Jump {
        /// Where.
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
    /// Some waves of a workgroup wait at a barrier and the others have no way to it.
    #[error("{place}: {waiting} of {waves} waves wait at this barrier; {ended} ended without it")]
    Barrier {
        /// Where the first waiting wave is.
        place: Box<FaultLocation>,
        /// Waves that wait.
        waiting: u32,
        /// Waves that ended while others still waited.
        ended: u32,
        /// Waves of the workgroup.
        waves: u32,
    },
    /// A wave executed more instructions than the launch allows.
    #[error("{place}: the wave executed {limit} instructions without ending")]
    InstructionLimit {
        /// Where the wave was.
        place: Box<FaultLocation>,
        /// The launch's limit.
        limit: u64,
    },
    /// All workgroups that are resident wait, and none gets further: what they wait for is done by nobody, or by one that has
    /// not begun.
    #[error(
        "{place}: waits for what nobody does: all {resident} workgroups that are resident wait, and {unbegun} have not begun"
    )]
    Standstill {
        /// Where a wave of the first of them sleeps.
        place: Box<FaultLocation>,
        /// Workgroups that have begun and not ended.
        resident: u64,
        /// Workgroups that have not begun.
        unbegun: u64,
    },
    /// Another thread ended the launch: see [`Progress::stop`](crate::Progress::stop).
    #[error("stopped after {workgroups} of {of} workgroups and {instructions} instructions")]
    Stopped {
        /// Workgroups that had ended.
        workgroups: u64,
        /// Workgroups of the launch.
        of: u64,
        /// Instructions that waves had executed, one per wave.
        instructions: u64,
    },
    /// The emulated device has no memory left for the launch.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}
