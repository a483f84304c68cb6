//! The instruction sets that the emulator knows, and how an ELF names them.

use std::fmt;

/// An instruction set for which code objects can be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Isa {
    /// CDNA 3 (MI300 series), waves of 64 lanes.
    Gfx942,
}

impl Isa {
    /// The name that LLVM uses, such as `gfx942`.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Gfx942 => "gfx942",
        }
    }

    /// The set for the machine field of the ELF flags (`EF_AMDGPU_MACH`, LLVM's AMDGPUUsage, table "AMDGPU ELF
    /// Header e_flags").
    pub(crate) fn from_elf_flags(flags: u32) -> Option<Isa> {
        match flags & 0xff {
            0x4c => Some(Isa::Gfx942),
            _ => None,
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
