//! The instruction sets of the emulator, and their numbers in an ELF header.

use std::fmt;

/// An instruction set that the emulator executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Isa {
    /// Vega 20 (MI50, MI60), waves of 64 lanes.
    Gfx906,
    /// CDNA 2 (MI200 series), waves of 64 lanes.
    Gfx90a,
    /// CDNA 3 (MI300 series), waves of 64 lanes.
    Gfx942,
    /// CDNA 4 (MI350 series), waves of 64 lanes.
    Gfx950,
    /// RDNA 2 (RX 6000 series), waves of 32 or 64 lanes, as on all later ones.
    Gfx1030,
    /// RDNA 3 (RX 7900).
    Gfx1100,
    /// RDNA 3.5 (Strix Halo).
    Gfx1151,
    /// RDNA 4 (RX 9070).
    Gfx1201,
}

/// Instruction sets that share an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EncodingFamily {
    Gfx9,
    Gfx10,
    Gfx11,
    Gfx12,
}

impl Isa {
    /// Every instruction set, oldest first.
    pub const ALL: [Isa; 8] = [
        Isa::Gfx906,
        Isa::Gfx90a,
        Isa::Gfx942,
        Isa::Gfx950,
        Isa::Gfx1030,
        Isa::Gfx1100,
        Isa::Gfx1151,
        Isa::Gfx1201,
    ];

    /// Returns LLVM's name, such as `gfx942`.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Gfx906 => "gfx906",
            Isa::Gfx90a => "gfx90a",
            Isa::Gfx942 => "gfx942",
            Isa::Gfx950 => "gfx950",
            Isa::Gfx1030 => "gfx1030",
            Isa::Gfx1100 => "gfx1100",
            Isa::Gfx1151 => "gfx1151",
            Isa::Gfx1201 => "gfx1201",
        }
    }

    /// Returns the number of lanes of a wave if the kernel does not choose it.
    pub(crate) fn default_wave_size(self) -> u8 {
        if self.family() == EncodingFamily::Gfx9 {
            64
        } else {
            32
        }
    }

    pub(crate) const fn family(self) -> EncodingFamily {
        match self {
            Isa::Gfx906 | Isa::Gfx90a | Isa::Gfx942 | Isa::Gfx950 => EncodingFamily::Gfx9,
            Isa::Gfx1030 => EncodingFamily::Gfx10,
            Isa::Gfx1100 | Isa::Gfx1151 => EncodingFamily::Gfx11,
            Isa::Gfx1201 => EncodingFamily::Gfx12,
        }
    }

    /// Returns true if the hardware knows the base of private memory. On older sets, registers
    /// hold it.
    pub(crate) fn has_architected_scratch(self) -> bool {
        self.family() >= EncodingFamily::Gfx11 || matches!(self, Isa::Gfx942 | Isa::Gfx950)
    }

    /// Returns the instruction set for the machine field of the ELF flags. The numbers are
    /// `EF_AMDGPU_MACH` in LLVM's AMDGPUUsage, table "AMDGPU ELF Header e_flags".
    pub(crate) fn from_elf_flags(flags: u32) -> Option<Isa> {
        Some(match flags & 0xff {
            0x2f => Isa::Gfx906,
            0x3f => Isa::Gfx90a,
            0x4c => Isa::Gfx942,
            0x4f => Isa::Gfx950,
            0x36 => Isa::Gfx1030,
            0x41 => Isa::Gfx1100,
            0x4a => Isa::Gfx1151,
            0x4e => Isa::Gfx1201,
            _ => return None,
        })
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
