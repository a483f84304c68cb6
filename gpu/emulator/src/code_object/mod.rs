//! The file of a code object: the ELF file that a compiler creates for one instruction set, with
//! its kernels.
//!
//! The *image* is the content of the file's segments in memory, from address 0. A *descriptor* is
//! the 64-byte structure `NAME.kd` with the initial state of a wave. The *metadata* is a msgpack
//! note that describes arguments. The source is LLVM's AMDGPUUsage, code object version 5. This
//! module decodes and executes no instruction.

mod debug_lines;
mod descriptor;
mod elf;
mod kernel;
mod metadata;

use std::ops::Range;

use crate::error::LoadError;
use crate::image::Image;
use crate::isa::Isa;

pub use debug_lines::SourceLine;
use debug_lines::{DebugLines, DebugSections};
pub use descriptor::{FloatMode, UserRegisters};
pub use kernel::LoadedKernel;
pub use metadata::{ArgumentKind, ArgumentLayout};

/// The content of a code object's file.
pub(crate) struct Contents {
    pub(crate) isa: Isa,
    pub(crate) kernels: Vec<LoadedKernel>,
    pub(crate) image: Image,
    /// Start and end addresses of the code, ascending.
    pub(crate) code: Vec<(u64, u64)>,
    /// The start addresses of its functions.
    pub(crate) functions: Vec<u64>,
    /// Name, address and size of every variable.
    variables: Vec<(String, u64, u64)>,
    debug: DebugSections,
}

impl Contents {
    /// Reads a linked ELF of type ET_DYN.
    pub(crate) fn read(elf: &[u8]) -> Result<Contents, LoadError> {
        let file = elf::CodeObjectElf::parse(elf)?;
        let image = file.image()?;
        let described = metadata::kernels(file.metadata()?)?;
        let kernels = described
            .into_iter()
            .map(|metadata| kernel::LoadedKernel::new(file.isa, metadata, &file, &image))
            .collect::<Result<Vec<LoadedKernel>, LoadError>>()?;
        let variables = file.symbols.iter().filter(|symbol| !symbol.is_function);
        Ok(Contents {
            variables: variables
                .map(|symbol| (symbol.name.clone(), symbol.address, symbol.bytes))
                .collect(),
            isa: file.isa,
            kernels,
            image,
            code: file.code()?,
            functions: file.functions(),
            debug: file.debug_sections(),
        })
    }

    /// Returns the number of lanes of the waves at an address. A function outside all kernels has
    /// the wave size of the first kernel.
    pub(crate) fn lanes_at(&self, address: u64) -> u8 {
        let has = |kernel: &&LoadedKernel| {
            (kernel.entry..kernel.entry.saturating_add(kernel.code_bytes)).contains(&address)
        };
        let kernel = self.kernels.iter().find(has).or(self.kernels.first());
        kernel.map_or(self.isa.default_wave_size(), |one| one.wavefront_size as u8)
    }

    /// Returns the address range of the variable called `name` in the image.
    pub(crate) fn variable(&self, name: &str) -> Option<Range<u64>> {
        let (_, start, bytes) = self.variables.iter().find(|one| one.0 == name)?;
        let end = start.checked_add(*bytes)?;
        (end <= self.image.bytes.len() as u64).then_some(*start..end)
    }

    /// Returns the lines of the source, if the file has readable debug information.
    pub(crate) fn lines(&self) -> Option<DebugLines<'_>> {
        self.debug.lines()
    }
}
