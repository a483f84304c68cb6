//! The state of a wave and of the device around it.

use super::memory::Access;
use crate::instruction::{Operand, Special};
use crate::memory::Memory;
use crate::operation::{Lanes, Mode, Wide};

/// Registers of a lane: v0 to v255, then a0 to a255.
pub(crate) const VECTOR_REGISTERS: usize = 512;
/// The scalar file (general registers, VCC, M0, EXEC) and room for the registers after the last that a wide access
/// names.
const SCALAR_REGISTERS: usize = 160;
const EXEC: usize = 126;

/// Upper halves of flat addresses that lead to LDS and to private memory.
pub(crate) const APERTURE_SHARED: u32 = 0x0001_0000;
pub(crate) const APERTURE_PRIVATE: u32 = 0x0002_0000;

/// Why a wave stopped.
pub(crate) enum Stop {
    End,
    Barrier,
    Fault(Box<Trouble>),
}

/// A fault without its place.
pub(crate) enum Trouble {
    Unsupported(String),
    OutOfBounds {
        lane: u32,
        action: &'static str,
        address: u64,
        bytes: u32,
    },
    Lds {
        lane: u32,
        offset: u64,
        bytes: u32,
    },
    Scratch {
        lane: u32,
        offset: u64,
        bytes: u32,
    },
    Jump(u64),
    Trap(u32),
    InstructionLimit(u64),
}

impl Trouble {
    pub(crate) fn end_of_code() -> Box<Trouble> {
        Box::new(Trouble::Unsupported(
            "execution runs past the end of the code".into(),
        ))
    }
}

/// What waves share while a workgroup runs.
pub(crate) struct Device<'a> {
    pub(crate) memory: &'a mut Memory,
    pub(crate) lds: Vec<u8>,
    pub(crate) instruction_limit: u64,
    /// Where the code object is loaded.
    pub(crate) load_address: u64,
    pub(crate) bytes_read: u64,
    pub(crate) bytes_written: u64,
    /// The last memory access.
    pub(crate) access: Access,
    /// Somebody looks at `access` after a step.
    pub(crate) watched: bool,
}

/// A wave of 64 lanes.
pub(crate) struct Wave {
    pub(crate) vector: Box<[Lanes; VECTOR_REGISTERS]>,
    scalar: [u32; SCALAR_REGISTERS],
    pub(crate) scc: bool,
    pub(crate) mode: Mode,
    /// Denormals of every format are on.
    pub(crate) denormals: bool,
    /// Index of the step that executes, and of the one that follows.
    pub(crate) current: usize,
    pub(crate) next: usize,
    pub(crate) executed: u64,
    /// Instructions whose result is known only to an error bound.
    pub(crate) approximate: u64,
    /// Number of the wave within its workgroup.
    pub(crate) number: u32,
    /// Private memory, lane after lane.
    pub(crate) scratch: Vec<u8>,
    pub(crate) scratch_bytes: u32,
    /// Registers for sources that are spread or modified, and for results.
    pub(crate) temporary: [Lanes; 3],
    pub(crate) result: Lanes,
    pub(crate) wide: [Wide; 3],
    pub(crate) wide_result: Wide,
}

impl Wave {
    pub(crate) fn new() -> Wave {
        let registers: Box<[Lanes]> = vec![Lanes([0; 64]); VECTOR_REGISTERS].into();
        let vector = match registers.try_into() {
            Ok(vector) => vector,
            Err(_) => unreachable!("the slice has the array's length"),
        };
        Wave {
            vector,
            scalar: [0; SCALAR_REGISTERS],
            scc: false,
            mode: Mode(0),
            denormals: true,
            current: 0,
            next: 0,
            executed: 0,
            approximate: 0,
            number: 0,
            scratch: Vec::new(),
            scratch_bytes: 0,
            temporary: [Lanes([0; 64]); 3],
            result: Lanes([0; 64]),
            wide: [Wide([0; 64]); 3],
            wide_result: Wide([0; 64]),
        }
    }

    pub(crate) fn set_mode(&mut self, bits: u32) {
        self.mode = Mode(bits & !Mode::CLAMP);
        self.denormals = bits & 0xf0 == 0xf0;
    }

    /// Everything that the loops of the vector unit use, borrowed separately.
    #[inline(always)]
    pub(crate) fn parts(&mut self) -> Parts<'_> {
        Parts {
            vector: &mut self.vector,
            scalar: &self.scalar,
            temporary: &mut self.temporary,
            result: &mut self.result,
            wide_result: &mut self.wide_result,
        }
    }

    #[inline(always)]
    pub(crate) fn scalar(&self, register: u8) -> u32 {
        self.scalar[usize::from(register) & 127]
    }

    #[inline(always)]
    pub(crate) fn pair(&self, register: u8) -> u64 {
        let low = usize::from(register) & 127;
        u64::from(self.scalar[low]) | (u64::from(self.scalar[low + 1]) << 32)
    }

    #[inline(always)]
    pub(crate) fn set_scalar(&mut self, register: u8, value: u32) {
        self.scalar[usize::from(register) & 127] = value;
    }

    #[inline(always)]
    pub(crate) fn set_pair(&mut self, register: u8, value: u64) {
        let low = usize::from(register) & 127;
        self.scalar[low] = value as u32;
        self.scalar[low + 1] = (value >> 32) as u32;
    }

    /// The register `index` after `register`, of a wide scalar load.
    pub(crate) fn set_scalar_at(&mut self, register: u8, index: usize, value: u32) {
        self.scalar[(usize::from(register) & 127) + index] = value;
    }

    #[inline(always)]
    pub(crate) fn exec(&self) -> u64 {
        u64::from(self.scalar[EXEC]) | (u64::from(self.scalar[EXEC + 1]) << 32)
    }

    #[inline(always)]
    pub(crate) fn set_exec(&mut self, value: u64) {
        self.scalar[EXEC] = value as u32;
        self.scalar[EXEC + 1] = (value >> 32) as u32;
    }

    /// A scalar source of 32 or 64 bits, zero-extended.
    #[inline(always)]
    pub(crate) fn read(&self, operand: Operand, wide: bool) -> u64 {
        match operand {
            Operand::Scalar(register) if wide => self.pair(register),
            Operand::Scalar(register) => u64::from(self.scalar(register)),
            Operand::Constant(value) => value,
            Operand::Special(special) => self.special(special, wide),
            Operand::Vector(register) => u64::from(self.vector[usize::from(register) & 511].0[0]),
            Operand::None => 0,
        }
    }

    fn special(&self, special: Special, wide: bool) -> u64 {
        let aperture = |base: u32, low: u32| {
            if wide {
                (u64::from(base) << 32) | u64::from(low)
            } else {
                u64::from(low)
            }
        };
        match special {
            Special::VccZero => u64::from(self.pair(106) == 0),
            Special::ExecZero => u64::from(self.exec() == 0),
            Special::Scc => u64::from(self.scc),
            Special::SharedBase => aperture(APERTURE_SHARED, 0),
            Special::SharedLimit => aperture(APERTURE_SHARED, u32::MAX),
            Special::PrivateBase => aperture(APERTURE_PRIVATE, 0),
            Special::PrivateLimit => aperture(APERTURE_PRIVATE, u32::MAX),
        }
    }
}

/// See [`Wave::parts`].
pub(crate) struct Parts<'a> {
    pub(crate) vector: &'a mut [Lanes; VECTOR_REGISTERS],
    pub(crate) scalar: &'a [u32; SCALAR_REGISTERS],
    pub(crate) temporary: &'a mut [Lanes; 3],
    pub(crate) result: &'a mut Lanes,
    pub(crate) wide_result: &'a mut Wide,
}
