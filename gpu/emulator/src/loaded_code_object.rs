//! A code object that is ready to run: its file, its instructions, and the data derived from
//! them.

use std::ops::Range;
use std::sync::OnceLock;

use crate::code_object::{Contents, LoadedKernel};
use crate::effects::Effects;
use crate::error::LoadError;
use crate::execute::PreparedProgram;
use crate::hazards::{Hazards, hazards};
use crate::instruction::Instruction;
use crate::isa::Isa;
use crate::program::Program;

/// A loaded and decoded code object.
pub struct CodeObject {
    pub(crate) contents: Contents,
    pub(crate) program: Program,
    pub(crate) prepared: PreparedProgram,
    /// Register effects for the checker, for waves of 32 and of 64 lanes.
    effects: [OnceLock<Effects>; 2],
    /// Missing wait states for the checker. Only targets with one size of waves have any.
    hazards: OnceLock<Hazards>,
}

impl CodeObject {
    /// Reads a code object (`.hsaco`, a linked ELF of type ET_DYN) and decodes its code.
    ///
    /// An unknown instruction is no error here: it faults when a wave reaches it.
    ///
    /// # Errors
    /// Returns a [`LoadError`] if the file is not such an ELF or lacks the kernels' descriptions.
    pub fn load(elf: &[u8]) -> Result<CodeObject, LoadError> {
        let contents = Contents::read(elf)?;
        let program = Program::decode(
            contents.isa,
            |address| contents.lanes_at(address),
            &contents.image,
            &contents.code,
            &contents.functions,
        );
        let prepared = PreparedProgram::new(&program);
        Ok(CodeObject {
            contents,
            program,
            prepared,
            effects: Default::default(),
            hazards: OnceLock::new(),
        })
    }

    /// Returns the instruction set of the code.
    pub fn isa(&self) -> Isa {
        self.contents.isa
    }

    /// Returns the kernels, in the order of the metadata.
    pub fn kernels(&self) -> &[LoadedKernel] {
        &self.contents.kernels
    }

    /// Returns the kernel called `name`.
    pub fn kernel(&self, name: &str) -> Option<&LoadedKernel> {
        self.kernels().iter().find(|kernel| kernel.name == name)
    }

    /// Returns the address range in the image of the variable called `name`. See
    /// [`EmulatedMemory::place`](crate::EmulatedMemory::place).
    pub fn variable(&self, name: &str) -> Option<Range<u64>> {
        self.contents.variable(name)
    }

    /// Returns the machine code of `kernel`. Equal kernels of two code objects have equal code,
    /// unless they use addresses of data.
    pub fn machine_code(&self, kernel: &LoadedKernel) -> &[u8] {
        let start = kernel.entry as usize;
        let end = start.saturating_add(kernel.code_bytes as usize);
        self.contents
            .image
            .bytes
            .get(start..end)
            .unwrap_or_default()
    }

    /// Returns the decoded instructions of `kernel`, in the order of their addresses.
    pub fn instructions(&self, kernel: &LoadedKernel) -> impl Iterator<Item = &Instruction> {
        let end = kernel.entry.saturating_add(kernel.code_bytes);
        self.program.instructions_between(kernel.entry, end)
    }

    /// Returns the registers that each instruction reads and writes in waves of `lanes` lanes.
    /// Computes them on the first call.
    pub(crate) fn effects(&self, lanes: u32) -> &Effects {
        self.effects[usize::from(lanes == 64)].get_or_init(|| {
            let instructions = self.program.instructions();
            Effects::new(instructions, &self.prepared, self.isa(), lanes)
        })
    }

    /// Returns the instructions with too few wait states before them. Finds them on the first
    /// call.
    pub(crate) fn hazards(&self, lanes: u32) -> &Hazards {
        self.hazards.get_or_init(|| {
            let effects = self.effects(lanes);
            hazards(self.isa(), &self.program, &self.prepared, effects)
        })
    }
}
