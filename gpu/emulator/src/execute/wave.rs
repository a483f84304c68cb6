//! The state of a wave and of its workgroup.

use super::access::MemoryAccess;
use super::lane_mask::write;
use super::private::Private;
use crate::concurrent_memory::ConcurrentMemory;
use crate::instruction::{
    EXEC, SCALAR_REGISTERS, SourceOperand, SpecialSource, VCC, VECTOR_MASK, VECTOR_REGISTERS,
};
use crate::isa::Isa;
use crate::operation::{Lanes, Mode};

/// Upper halves of flat addresses in LDS and in private memory.
pub(crate) const APERTURE_SHARED: u32 = 0x0001_0000;
pub(crate) const APERTURE_PRIVATE: u32 = 0x0002_0000;

/// The buffer resource of private memory, for parts without scratch instructions in compiled
/// code. Its base has no allocation. The lanes of a wave interleave elements of 4 bytes, and the
/// hardware adds the lane's number. Source: the manuals' buffer resource descriptor, swizzle
/// enable and add tid enable.
pub(crate) const PRIVATE_RESOURCE: [u32; 4] = [0, 0x8000_0080, u32::MAX, 0x00e0_0000 | (1 << 19)];

/// Bit of [`Wave::care`] and of [`VectorStep::care`](super::step::VectorStep): a modifier changes
/// sources or result.
pub(super) const CARE_ALWAYS: u8 = 1;
/// Bit for a result that depends on the denormal mode; for a wave, some denormals are off.
pub(super) const CARE_DENORMALS: u8 = 2;

/// Bit for a half as result; for a wave, an overflow gives the largest half.
pub(super) const CARE_OVERFLOW: u8 = 4;

/// The state that the waves of a running workgroup share.
pub(crate) struct WorkgroupContext<'a> {
    pub(crate) memory: &'a ConcurrentMemory<'a>,
    pub(crate) lds: Vec<u8>,
    /// The largest number of barrier arrivals of a wave in the workgroup.
    pub(crate) most_arrived: u64,
    pub(crate) instruction_limit: u64,
    /// The load address of the code object.
    pub(crate) load_address: u64,
    pub(crate) bytes_read: u64,
    pub(crate) bytes_written: u64,
    /// The last memory access.
    pub(crate) access: MemoryAccess,
    /// True if an observer reads `access` after a step.
    pub(crate) observed: bool,
}

/// A wave of 32 or 64 lanes.
pub(crate) struct Wave {
    pub(crate) vector: Box<[Lanes; VECTOR_REGISTERS]>,
    scalar: [u32; SCALAR_REGISTERS],
    /// The lanes mask of the upper half: 0 for 32 lanes, all ones for 64.
    upper: u32,
    pub(crate) scc: bool,
    pub(crate) mode: Mode,
    /// The reasons for the slow path; see [`VectorStep::care`](super::step::VectorStep).
    pub(super) care: u8,
    pub(crate) isa: Isa,
    /// Index of the executing step, and of the next one.
    pub(crate) current: usize,
    pub(crate) next: usize,
    pub(crate) executed: u64,
    /// Number of instructions with an error bound instead of exact result bits.
    pub(crate) approximate: u64,
    /// Number of barrier arrivals, and of waits at one.
    pub(crate) arrived: u64,
    pub(crate) waits: u64,
    /// Number of actions that may differ the next time: changes of memory, and reads of the time
    /// or of host memory.
    pub(crate) side_effects: u64,
    /// Number of the wave within its workgroup.
    pub(crate) number: u32,
    /// Private memory of the lanes.
    pub(crate) scratch: Private,
    pub(crate) scratch_bytes: u32,
    /// The base of private memory that the program reads.
    pub(super) scratch_base: [u32; 2],
    /// Registers for spread or modified sources, and for results: lower and upper words.
    pub(crate) temporary: [[Lanes; 3]; 2],
    pub(crate) result: [Lanes; 2],
    /// The factors of the next product of matrices: of A and of B.
    pub(super) factors: Option<Box<[Lanes; 2]>>,
}

impl Wave {
    /// Creates a wave of 32 or 64 lanes, with registers of 0.
    pub(crate) fn new(isa: Isa, lanes: u32) -> Wave {
        let registers: Box<[Lanes]> = vec![Lanes([0; 64]); VECTOR_REGISTERS].into();
        let vector = match registers.try_into() {
            Ok(vector) => vector,
            Err(_) => unreachable!("the slice has the array's length"),
        };
        Wave {
            vector,
            scalar: [0; SCALAR_REGISTERS],
            upper: if lanes == 32 { 0 } else { u32::MAX },
            scc: false,
            mode: Mode::new(0, lanes as usize),
            // `restart` sets the mode and the care bits before the wave runs.
            care: CARE_ALWAYS,
            isa,
            current: 0,
            next: 0,
            executed: 0,
            approximate: 0,
            arrived: 0,
            waits: 0,
            side_effects: 0,
            number: 0,
            scratch: Private(Vec::new()),
            scratch_bytes: 0,
            scratch_base: [0; 2],
            temporary: [[Lanes([0; 64]); 3]; 2],
            result: [Lanes([0; 64]); 2],
            factors: None,
        }
    }

    /// Resets the wave for another launch. The vector registers keep their values.
    pub(crate) fn become_new(&mut self, isa: Isa, lanes: u32) {
        self.scalar = [0; SCALAR_REGISTERS];
        self.upper = if lanes == 32 { 0 } else { u32::MAX };
        self.isa = isa;
    }

    /// Starts at the step `entry`, as wave `number` of its workgroup.
    pub(crate) fn restart(&mut self, entry: usize, number: u32, mode: u32) {
        self.number = number;
        self.next = entry;
        self.current = entry;
        self.executed = 0;
        self.approximate = 0;
        self.arrived = 0;
        self.waits = 0;
        self.side_effects = 0;
        self.scc = false;
        self.scratch_base = [0; 2];
        self.factors = None;
        self.set_mode(mode);
    }

    /// Undoes the step that the instruction limit prevented.
    pub(crate) fn repeat(&mut self) {
        self.next = self.current;
        self.executed -= 1;
    }

    /// Returns the device's time, in executed instructions.
    pub(super) fn time(&mut self) -> u64 {
        // A wave that polls the time makes progress, so it is not at a standstill.
        self.side_effects += 1;
        self.executed
    }

    pub(crate) fn set_mode(&mut self, bits: u32) {
        self.mode = Mode::new(bits, self.lanes());
        self.care = CARE_ALWAYS;
        // Bits 4 to 7 of MODE enable denormals; with all of them on, no flush is necessary.
        if bits & 0xf0 != 0xf0 {
            self.care |= CARE_DENORMALS;
        }
        if bits & Mode::LIMITS_HALVES != 0 {
            self.care |= CARE_OVERFLOW;
        }
    }

    /// Copies the scalar registers, the mode and the position of another wave.
    pub(crate) fn stand_in(&mut self, other: &Wave) {
        self.scalar = other.scalar;
        self.upper = other.upper;
        self.scc = other.scc;
        self.mode = other.mode;
        self.care = other.care;
        self.isa = other.isa;
        self.number = other.number;
        self.next = other.current;
        self.executed = 0;
    }

    /// Returns the value of a source in all lanes.
    pub(super) fn lanes_of(&self, operand: SourceOperand) -> Lanes {
        match operand {
            SourceOperand::Vector(register) => self.vector[usize::from(register) & VECTOR_MASK],
            _ => Lanes([self.read(operand, false) as u32; 64]),
        }
    }

    /// Borrows all parts that the loops of the vector unit use, separately.
    #[inline(always)]
    pub(crate) fn registers_mut(&mut self) -> WaveRegisters<'_> {
        WaveRegisters {
            vector: &mut self.vector,
            scalar: &self.scalar,
            temporary: &mut self.temporary,
            result: &mut self.result,
        }
    }

    /// Writes the result to its register, or to two registers.
    #[inline(always)]
    pub(super) fn write_result(&mut self, to: u16, registers: u16, mask: u64) {
        write(
            &mut self.vector[usize::from(to) & VECTOR_MASK],
            &self.result[0],
            mask,
        );
        if registers == 2 {
            write(
                &mut self.vector[usize::from(to + 1) & VECTOR_MASK],
                &self.result[1],
                mask,
            );
        }
    }

    #[inline(always)]
    pub(crate) fn scalar(&self, register: u8) -> u32 {
        self.scalar[usize::from(register)]
    }

    #[inline(always)]
    pub(crate) fn pair(&self, register: u8) -> u64 {
        let low = usize::from(register);
        u64::from(self.scalar[low]) | (u64::from(self.scalar[low + 1]) << 32)
    }

    #[inline(always)]
    pub(crate) fn set_scalar(&mut self, register: u8, value: u32) {
        self.scalar[usize::from(register)] = value;
    }

    #[inline(always)]
    pub(crate) fn set_pair(&mut self, register: u8, value: u64) {
        let low = usize::from(register);
        self.scalar[low] = value as u32;
        self.scalar[low + 1] = (value >> 32) as u32;
    }

    /// Sets the register `index` after `register`, for a wide scalar load.
    pub(crate) fn set_scalar_at(&mut self, register: u8, index: usize, value: u32) {
        self.scalar[usize::from(register) + index] = value;
    }

    /// Returns the scalar register with any index.
    pub(crate) fn scalar_at(&self, index: usize) -> u32 {
        self.scalar[index]
    }

    /// Returns the number of lanes: 32 or 64.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> usize {
        if self.upper == 0 { 32 } else { 64 }
    }

    /// Returns a mask with one bit for each lane.
    #[inline(always)]
    pub(crate) fn mask(&self, register: u8) -> u64 {
        let low = usize::from(register);
        u64::from(self.scalar[low]) | (u64::from(self.scalar[low + 1] & self.upper) << 32)
    }

    /// Sets the bits of all lanes. In a wave of 32 lanes the mask is one register.
    #[inline(always)]
    pub(crate) fn set_mask(&mut self, register: u8, value: u64) {
        let low = usize::from(register);
        self.scalar[low] = value as u32;
        let kept = self.scalar[low + 1] & !self.upper;
        self.scalar[low + 1] = kept | ((value >> 32) as u32 & self.upper);
    }

    #[inline(always)]
    pub(crate) fn exec(&self) -> u64 {
        self.mask(EXEC)
    }

    #[inline(always)]
    pub(crate) fn set_exec(&mut self, value: u64) {
        self.set_mask(EXEC, value);
    }

    /// Returns a scalar source of 32 or 64 bits, zero-extended.
    #[inline(always)]
    pub(crate) fn read(&self, operand: SourceOperand, wide: bool) -> u64 {
        match operand {
            SourceOperand::Scalar(register) if wide => self.pair(register),
            SourceOperand::Scalar(register) => u64::from(self.scalar(register)),
            SourceOperand::Constant(value) => value,
            SourceOperand::Special(special) => self.special(special, wide),
            SourceOperand::Vector(register) => {
                u64::from(self.vector[usize::from(register) & VECTOR_MASK].0[0])
            }
            SourceOperand::None => 0,
        }
    }

    fn special(&self, special: SpecialSource, wide: bool) -> u64 {
        let aperture = |base: u32, low: u32| {
            if wide {
                (u64::from(base) << 32) | u64::from(low)
            } else {
                u64::from(low)
            }
        };
        match special {
            SpecialSource::VccZero => u64::from(self.mask(VCC) == 0),
            SpecialSource::ExecZero => u64::from(self.exec() == 0),
            SpecialSource::Scc => u64::from(self.scc),
            SpecialSource::SharedBase => aperture(APERTURE_SHARED, 0),
            SpecialSource::SharedLimit => aperture(APERTURE_SHARED, u32::MAX),
            SpecialSource::PrivateBase => aperture(APERTURE_PRIVATE, 0),
            // The decoder never produces it for an executed step.
            SpecialSource::Unavailable => 0,
            SpecialSource::PrivateLimit => aperture(APERTURE_PRIVATE, u32::MAX),
        }
    }
}

/// The separately borrowed parts of [`Wave::registers_mut`].
pub(crate) struct WaveRegisters<'a> {
    pub(crate) vector: &'a mut [Lanes; VECTOR_REGISTERS],
    pub(crate) scalar: &'a [u32; SCALAR_REGISTERS],
    pub(crate) temporary: &'a mut [[Lanes; 3]; 2],
    pub(crate) result: &'a mut [Lanes; 2],
}
