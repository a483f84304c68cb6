//! A code object: the ELF file that a compiler makes for one instruction set, with its kernels.
//!
//! Vocabulary: the *image* is what the file's segments look like in memory, address 0 first; a *descriptor* is the
//! 64-byte structure `NAME.kd` that says how a wave starts; the *metadata* is a msgpack note that describes
//! arguments. Facts come from LLVM's AMDGPUUsage, code object version 5. This module does not execute anything.

mod descriptor;
mod elf;
mod kernel;
mod lines;
mod metadata;

use std::ops::Range;
use std::sync::OnceLock;

use crate::check::Effects;
use crate::error::LoadError;
use crate::execute::Prepared;
use crate::instruction::Instruction;
use crate::isa::Isa;
use crate::program::Program;

pub(crate) use elf::Image;
pub use kernel::{Argument, ArgumentKind, FloatMode, Kernel, UserRegisters};
pub use lines::SourceLine;
use lines::{DebugSections, Lines};

/// A loaded and decoded code object.
pub struct CodeObject {
    isa: Isa,
    kernels: Vec<Kernel>,
    image: Image,
    /// Name, address and size of every variable.
    variables: Vec<(String, u64, u64)>,
    program: Program,
    prepared: Prepared,
    debug: DebugSections,
    /// For the checker, with waves of 32 and of 64 lanes.
    effects: [OnceLock<Effects>; 2],
}

impl CodeObject {
    /// Reads a code object (`.hsaco`, a linked ELF of type ET_DYN) and decodes its code.
    ///
    /// An instruction that is not known does not fail here: it faults when a wave reaches it.
    ///
    /// # Errors
    /// [`LoadError`], when the file is not such an ELF or its kernels are not described.
    pub fn load(elf: &[u8]) -> Result<CodeObject, LoadError> {
        let file = elf::File::parse(elf)?;
        let image = file.image()?;
        let described = metadata::kernels(file.metadata()?)?;
        let kernels = described
            .into_iter()
            .map(|metadata| kernel::Kernel::new(file.isa, metadata, &file, &image))
            .collect::<Result<Vec<Kernel>, LoadError>>()?;
        // A function that is no kernel is taken to belong to the kernels.
        let lanes = |address: u64| {
            let has = |kernel: &&Kernel| {
                (kernel.entry..kernel.entry.saturating_add(kernel.code_bytes)).contains(&address)
            };
            let kernel = kernels.iter().find(has).or(kernels.first());
            kernel.map_or(file.isa.usual_lanes(), |one| one.wavefront_size as u8)
        };
        let program = Program::decode(file.isa, lanes, &image, &file.code()?, &file.functions());
        let prepared = Prepared::new(&program);
        let variables = file.symbols.iter().filter(|symbol| !symbol.is_function);
        Ok(CodeObject {
            variables: variables
                .map(|symbol| (symbol.name.clone(), symbol.address, symbol.bytes))
                .collect(),
            isa: file.isa,
            kernels,
            image,
            program,
            prepared,
            debug: file.debug_sections(),
            effects: Default::default(),
        })
    }

    /// The instruction set of the code.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The kernels, in the order of the metadata.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The kernel called `name`.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// Where the variable called `name` lies in the image, and its bytes: see [`Memory::place`](crate::Memory::place).
    pub fn variable(&self, name: &str) -> Option<Range<u64>> {
        let (_, start, bytes) = self.variables.iter().find(|one| one.0 == name)?;
        let end = start.checked_add(*bytes)?;
        (end <= self.image.bytes.len() as u64).then_some(*start..end)
    }

    /// The decoded instructions of `kernel`, in the order of their addresses.
    pub fn instructions(&self, kernel: &Kernel) -> impl Iterator<Item = &Instruction> {
        let end = kernel.entry.saturating_add(kernel.code_bytes);
        self.program.instructions_between(kernel.entry, end)
    }

    /// What each instruction reads and writes in waves of so many lanes; worked out the first time.
    pub(crate) fn effects(&self, lanes: u32) -> &Effects {
        self.effects[usize::from(lanes == 64)].get_or_init(|| {
            let instructions = self.program.instructions();
            Effects::new(instructions, &self.prepared, self.isa, lanes)
        })
    }

    /// The lines of the source, if the file has debug information that can be read.
    pub(crate) fn lines(&self) -> Option<Lines<'_>> {
        self.debug.lines()
    }

    pub(crate) fn image(&self) -> &Image {
        &self.image
    }

    pub(crate) fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }
}
