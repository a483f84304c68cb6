//! A kernel of a code object, with everything that a launch needs.

use super::descriptor::{Descriptor, FloatMode, UserRegisters};
use super::elf::CodeObjectElf;
use super::metadata::{ArgumentLayout, KernelMetadata};
use crate::error::LoadError;
use crate::image::Image;
use crate::isa::Isa;

/// The distance from a kernel's entry to the entry for firmware that preloads arguments, in bytes
/// (AMDGPUUsage, "Preloaded Kernel Arguments").
const PRELOAD_PROLOGUE_BYTES: u64 = 256;

/// A kernel: its interface, its resources and the initial state of its waves.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadedKernel {
    /// The name without the suffix of the descriptor's symbol.
    pub name: String,
    /// Bytes of the argument block, including hidden arguments.
    pub kernarg_bytes: u32,
    /// Arguments in the order of their offsets.
    pub arguments: Vec<ArgumentLayout>,
    /// Bytes of LDS of a workgroup before dynamic LDS.
    pub lds_bytes: u32,
    /// Vector registers per lane, including accumulation registers, as the compiler counts them.
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
    /// True if the waves of a workgroup may use two compute units (WGP mode, gfx10 and later).
    pub spans_units: bool,
    /// The largest number of work-items in a workgroup.
    pub max_workgroup_size: u32,
    /// The only workgroup size that the kernel accepts, if it declares one.
    pub required_workgroup_size: Option<[u32; 3]>,
    /// Rounding, denormals and NaN handling at the start of a wave.
    pub float_mode: FloatMode,
    /// The scalar registers that the dispatcher fills.
    pub user_registers: UserRegisters,
    /// The address of the first instruction in the file.
    pub(crate) entry: u64,
    /// Bytes of code from the entry on.
    pub code_bytes: u64,
    /// The number of registers v0.. before the accumulation registers.
    pub(crate) plain_vgprs: u32,
}

impl LoadedKernel {
    pub(super) fn new(
        isa: Isa,
        metadata: KernelMetadata,
        file: &CodeObjectElf<'_>,
        image: &Image,
    ) -> Result<LoadedKernel, LoadError> {
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
        // A disagreement would decode the code for the wrong wave size.
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
        Ok(LoadedKernel {
            // If metadata and descriptor differ, the larger block is the safe one.
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

    /// Returns the compiler's count of vector registers per lane, both kinds, or the allocated
    /// number if there is no count.
    pub(crate) fn counted_vgprs(&self) -> u32 {
        match self.vgprs {
            0 => self.allocated_vgprs,
            counted => counted,
        }
    }

    /// Returns the first address of a wave: after the compatibility prologue if arguments are
    /// preloaded.
    pub(crate) fn start(&self) -> u64 {
        let preloads = self.user_registers.preload_dwords > 0;
        self.entry + if preloads { PRELOAD_PROLOGUE_BYTES } else { 0 }
    }
}
