//! The state of a wave and of the device around it.

use super::access::MemoryAccess;
use super::lane_mask::write;
use super::private::Private;
use crate::concurrent_memory::ConcurrentMemory;
use crate::instruction::{
    EXEC, SCALAR_REGISTERS, SourceOperand, SpecialSource, VCC, VECTOR_MASK, VECTOR_REGISTERS,
};
use crate::isa::Isa;
use crate::operation::{Lanes, Mode};

/// Upper halves of flat addresses that lead to LDS and to private memory.
pub(crate) const APERTURE_SHARED: u32 = 0x0001_0000;
pub(crate) const APERTURE_PRIVATE: u32 = 0x0002_0000;

/// The buffer resource of private memory on parts without scratch instructions for the compiler's use: its base lies
/// where nothing is allocated, elements of 4 bytes are interleaved by the lanes of a wave, and the lane's number is
/// added (the manuals' buffer resource descriptor: swizzle enable, add tid enable).
pub(crate) const PRIVATE_RESOURCE: [u32; 4] = [0, 0x8000_0080, u32::MAX, 0x00e0_0000 | (1 << 19)];

/// Bits of [`Wave::care`] and of [`VectorStep::care`](super::step::VectorStep): something modifies sources or result.
pub(super) const CARE_ALWAYS: u8 = 1;
/// The result depends on the denormal mode; of a wave, not all denormals are on.
pub(super) const CARE_DENORMALS: u8 = 2;

/// What waves share while a workgroup runs.
pub(crate) struct WorkgroupContext<'a> {
    pub(crate) memory: &'a ConcurrentMemory<'a>,
    pub(crate) lds: Vec<u8>,
    /// Most times that a wave of the workgroup has come to a barrier.
    pub(crate) most_arrived: u64,
    pub(crate) instruction_limit: u64,
    /// Where the code object is loaded.
    pub(crate) load_address: u64,
    pub(crate) bytes_read: u64,
    pub(crate) bytes_written: u64,
    /// The last memory access.
    pub(crate) access: MemoryAccess,
    /// Somebody looks at `access` after a step.
    pub(crate) observed: bool,
}

/// A wave of 32 or 64 lanes.
pub(crate) struct Wave {
    pub(crate) vector: Box<[Lanes; VECTOR_REGISTERS]>,
    scalar: [u32; SCALAR_REGISTERS],
    /// What of the upper half of a mask belongs to lanes: nothing or everything.
    upper: u32,
    pub(crate) scc: bool,
    pub(crate) mode: Mode,
    /// What keeps steps from the fast path; see [`VectorStep::care`](super::step::VectorStep).
    pub(super) care: u8,
    pub(crate) isa: Isa,
    /// Index of the step that executes, and of the one that follows.
    pub(crate) current: usize,
    pub(crate) next: usize,
    pub(crate) executed: u64,
    /// Instructions whose result is known only to an error bound.
    pub(crate) approximate: u64,
    /// Times that it has come to a barrier, and times that it has waited at one.
    pub(crate) arrived: u64,
    pub(crate) waits: u64,
    /// Times that it changed memory, or looked at the time or at memory of the host, which others than waves change: what it
    /// did that it may not do again in the same way.
    pub(crate) side_effects: u64,
    /// Number of the wave within its workgroup.
    pub(crate) number: u32,
    /// Private memory, lane after lane.
    pub(crate) scratch: Private,
    pub(crate) scratch_bytes: u32,
    /// What the program takes for the base of private memory.
    pub(super) scratch_base: [u32; 2],
    /// Registers for sources that are spread or modified, and for results: lower words and upper ones.
    pub(crate) temporary: [[Lanes; 3]; 2],
    pub(crate) result: [Lanes; 2],
}

impl Wave {
    /// A wave of so many lanes, with registers of 0.
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
        }
    }

    /// Becomes as good as new for another launch, but for its vector registers: they keep what they hold.
    pub(crate) fn become_new(&mut self, isa: Isa, lanes: u32) {
        self.scalar = [0; SCALAR_REGISTERS];
        self.upper = if lanes == 32 { 0 } else { u32::MAX };
        self.isa = isa;
    }

    /// Begins at the step `entry`, as wave `number` of its workgroup.
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
        self.set_mode(mode);
    }

    /// Takes back the step that the limit of instructions kept from being executed.
    pub(crate) fn repeat(&mut self) {
        self.next = self.current;
        self.executed -= 1;
    }

    /// The time of the device: counted instructions.
    pub(super) fn time(&mut self) -> u64 {
        self.side_effects += 1;
        self.executed
    }

    pub(crate) fn set_mode(&mut self, bits: u32) {
        self.mode = Mode::new(bits, self.lanes());
        self.care = CARE_ALWAYS;
        if bits & 0xf0 != 0xf0 {
            self.care |= CARE_DENORMALS;
        }
    }

    /// Takes over the scalar registers, the mode and the place of another wave.
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

    /// Everything that the loops of the vector unit use, borrowed separately.
    #[inline(always)]
    pub(crate) fn registers_mut(&mut self) -> WaveRegisters<'_> {
        WaveRegisters {
            vector: &mut self.vector,
            scalar: &self.scalar,
            temporary: &mut self.temporary,
            result: &mut self.result,
        }
    }

    /// Writes the result to its register, or to two of them.
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

    /// The register `index` after `register`, of a wide scalar load.
    pub(crate) fn set_scalar_at(&mut self, register: u8, index: usize, value: u32) {
        self.scalar[usize::from(register) + index] = value;
    }

    /// The scalar register of this index, which may be any.
    pub(crate) fn scalar_at(&self, index: usize) -> u32 {
        self.scalar[index]
    }

    /// Lanes of the wave: 32 or 64.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> usize {
        if self.upper == 0 { 32 } else { 64 }
    }

    /// A bit for each lane.
    #[inline(always)]
    pub(crate) fn mask(&self, register: u8) -> u64 {
        let low = usize::from(register);
        u64::from(self.scalar[low]) | (u64::from(self.scalar[low + 1] & self.upper) << 32)
    }

    /// Sets the bits of all lanes. Of 32 lanes, they are one register.
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

    /// A scalar source of 32 or 64 bits, zero-extended.
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
            // No step has it.
            SpecialSource::Unavailable => 0,
            SpecialSource::PrivateLimit => aperture(APERTURE_PRIVATE, u32::MAX),
        }
    }
}

/// See [`Wave::parts`].
pub(crate) struct WaveRegisters<'a> {
    pub(crate) vector: &'a mut [Lanes; VECTOR_REGISTERS],
    pub(crate) scalar: &'a [u32; SCALAR_REGISTERS],
    pub(crate) temporary: &'a mut [[Lanes; 3]; 2],
    pub(crate) result: &'a mut [Lanes; 2],
}
