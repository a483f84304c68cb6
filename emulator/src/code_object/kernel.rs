//! One kernel of a code object: what a launch needs to know of it.

use super::descriptor::Descriptor;
use super::elf::{File, Image};
use super::metadata::KernelMetadata;
use crate::error::LoadError;
use crate::isa::Isa;

/// Bytes between a kernel's entry and where firmware enters that has preloaded arguments (AMDGPUUsage, "Preloaded
/// Kernel Arguments").
const PRELOAD_PROLOGUE_BYTES: u64 = 256;

/// A kernel: its interface, its resources and how a wave of it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kernel {
    /// The name without the suffix of the descriptor's symbol.
    pub name: String,
    /// Bytes of the argument block, hidden arguments included.
    pub kernarg_bytes: u32,
    /// Arguments in the order of their offsets.
    pub arguments: Vec<Argument>,
    /// Bytes of LDS that a workgroup has before dynamic LDS.
    pub lds_bytes: u32,
    /// Vector registers per lane, accumulation registers included, as the compiler counts them.
    pub vgprs: u32,
    /// Accumulation registers per lane among them.
    pub agprs: u32,
    /// Vector registers per lane that the device allocates (both kinds, rounded to its granule).
    pub allocated_vgprs: u32,
    /// Scalar registers per wave.
    pub sgprs: u32,
    /// Bytes of private memory per lane.
    pub scratch_bytes: u32,
    /// Lanes of a wave.
    pub wavefront_size: u32,
    /// The waves of a workgroup may be spread over a pair of compute units (WGP mode, gfx10 and later).
    pub spans_units: bool,
    /// Largest number of work-items in a workgroup.
    pub max_workgroup_size: u32,
    /// The only workgroup size that the kernel accepts, if it says so.
    pub required_workgroup_size: Option<[u32; 3]>,
    /// Rounding, denormals and NaN handling at the start of a wave.
    pub float_mode: FloatMode,
    /// Scalar registers that the dispatcher fills.
    pub user_registers: UserRegisters,
    /// Address of the first instruction in the file.
    pub(crate) entry: u64,
    /// Bytes of code from the entry on.
    pub(crate) code_bytes: u64,
    /// Registers v0.. that exist before the accumulation registers.
    pub(crate) plain_vgprs: u32,
}

/// One argument of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Byte offset in the argument block.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// What the argument is.
    pub kind: ArgumentKind,
}

/// What an argument is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A value, copied.
    Value,
    /// The address of a buffer.
    Buffer,
    /// Filled by the runtime (the emulator's [`run`](crate::run) fills it); the name in the metadata, such as
    /// `hidden_block_count_x`.
    Hidden(String),
    /// Any other kind that the metadata names.
    Other(String),
}

/// The MODE register at the start of a wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatMode {
    /// Bits 3:0 rounding, 7:4 denormals, 8 DX10_CLAMP, 9 IEEE, 23 FP16_OVFL.
    pub bits: u32,
}

/// Scalar registers that the dispatcher fills before a wave starts, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserRegisters {
    /// Registers before the workgroup ids.
    pub count: u32,
    /// Four registers: buffer resource of private memory.
    pub private_segment_buffer: bool,
    /// Two registers: address of the dispatch packet.
    pub dispatch_pointer: bool,
    /// Two registers: address of the queue.
    pub queue_pointer: bool,
    /// Two registers: address of the arguments.
    pub kernarg_pointer: bool,
    /// Two registers: number of the dispatch.
    pub dispatch_id: bool,
    /// Two registers: flat scratch initialisation.
    pub flat_scratch: bool,
    /// One register: bytes of private memory per lane.
    pub private_segment_size: bool,
    /// Registers that hold arguments, copied by the firmware.
    pub preload_dwords: u32,
    /// First argument dword that is copied.
    pub preload_offset_dwords: u32,
    /// Whether the wave has private memory.
    pub private_segment: bool,
    /// Which workgroup ids follow the user registers, one register each.
    pub workgroup_id: [bool; 3],
    /// Whether a register with wave number and wave count follows.
    pub workgroup_info: bool,
    /// Dimensions of which each lane has its number in the workgroup: x, y, z.
    pub workitem_ids: u32,
}

impl Kernel {
    pub(super) fn new(
        isa: Isa,
        metadata: KernelMetadata,
        file: &File<'_>,
        image: &Image,
    ) -> Result<Kernel, LoadError> {
        let refuse = |reason: String| LoadError::Descriptor {
            kernel: metadata.name.clone(),
            reason,
        };
        let symbol = file
            .symbol(&metadata.symbol)
            .ok_or_else(|| refuse(format!("no symbol {}", metadata.symbol)))?;
        let descriptor: &[u8; 64] = usize::try_from(symbol.address)
            .ok()
            .and_then(|start| image.bytes.get(start..start.checked_add(64)?))
            .and_then(|bytes| bytes.try_into().ok())
            .ok_or_else(|| {
                refuse(format!(
                    "descriptor at {:#x} outside of the image",
                    symbol.address
                ))
            })?;
        let descriptor = Descriptor::read(isa, descriptor);
        let lanes = if descriptor.wave32 { 32 } else { 64 };
        if metadata.wavefront_size != lanes {
            return Err(refuse(format!(
                "the metadata has waves of {} lanes, the descriptor of {lanes}",
                metadata.wavefront_size
            )));
        }
        let entry = symbol.address.wrapping_add_signed(descriptor.entry_offset);
        if image.word(entry).is_none() || entry % 4 != 0 {
            return Err(refuse(format!("entry {entry:#x} outside of the image")));
        }
        let function = file
            .symbols
            .iter()
            .find(|one| one.is_function && one.address == entry);
        let agprs = metadata.agprs;
        Ok(Kernel {
            kernarg_bytes: metadata.kernarg_bytes.max(descriptor.kernarg_bytes),
            arguments: metadata.arguments,
            lds_bytes: descriptor.lds_bytes,
            vgprs: metadata.vgprs,
            agprs,
            allocated_vgprs: descriptor.vector_registers,
            sgprs: metadata.sgprs,
            scratch_bytes: descriptor.scratch_bytes,
            wavefront_size: metadata.wavefront_size,
            spans_units: descriptor.spans_units,
            max_workgroup_size: metadata.max_workgroup_size,
            required_workgroup_size: metadata.required_workgroup_size,
            float_mode: descriptor.float_mode,
            user_registers: descriptor.user,
            entry,
            code_bytes: function.map_or(0, |one| one.bytes),
            plain_vgprs: descriptor
                .accumulation_offset
                .map_or(descriptor.vector_registers, |offset| {
                    offset.min(descriptor.vector_registers)
                }),
            name: metadata.name,
        })
    }

    /// Vector registers per lane of both kinds, as the compiler counts them or, where it does not, as they are allocated.
    pub(crate) fn counted_vgprs(&self) -> u32 {
        match self.vgprs {
            0 => self.allocated_vgprs,
            counted => counted,
        }
    }

    /// Where a wave starts: behind the compatibility prologue if arguments are preloaded.
    pub(crate) fn start(&self) -> u64 {
        let preloads = self.user_registers.preload_dwords > 0;
        self.entry + if preloads { PRELOAD_PROLOGUE_BYTES } else { 0 }
    }
}
