//! The undefined bits of a wave's registers.
//!
//! A vector register has a bit for each lane and byte, a scalar register one for each bit. A
//! register is *dirty* if any lane has an undefined bit; most checks look no further. Registers
//! have the numbers of [`crate::effects`].

use crate::effects::{REGISTERS, SCALAR, SCC};
use crate::execute::lanes;
use crate::instruction::{SCALAR_REGISTERS, VECTOR_REGISTERS};

/// The undefined lanes of a vector register, for each of its bytes.
pub(super) type UndefinedLanes = [u64; 4];

/// The undefined bits of a wave's registers.
#[derive(Clone)]
pub(super) struct UndefinedRegisters {
    vector: Box<[UndefinedLanes]>,
    scalar: [u32; SCALAR_REGISTERS],
    scc: bool,
    dirty: [u64; REGISTERS.div_ceil(64)],
    /// Vector registers that were set since all of them were undefined.
    touched: [u64; VECTOR_REGISTERS / 64],
}

impl UndefinedRegisters {
    /// Creates a file with all registers defined.
    pub(super) fn new() -> UndefinedRegisters {
        UndefinedRegisters {
            vector: vec![[0; 4]; VECTOR_REGISTERS].into(),
            scalar: [0; SCALAR_REGISTERS],
            scc: false,
            dirty: [0; REGISTERS.div_ceil(64)],
            touched: [u64::MAX; VECTOR_REGISTERS / 64],
        }
    }

    /// Makes every vector register undefined.
    pub(super) fn undefine(&mut self) {
        // Only touched registers differ: a kernel uses few of the 512.
        for (index, word) in self.touched.iter_mut().enumerate() {
            for bit in lanes(std::mem::take(word)) {
                self.vector[64 * index + bit] = [u64::MAX; 4];
            }
        }
        // Scalar registers keep their state: the caller sets each of them.
        self.dirty[..VECTOR_REGISTERS / 64].fill(u64::MAX);
    }

    /// Returns true if the register (any number) has an undefined bit.
    #[inline(always)]
    pub(super) fn is_dirty(&self, register: u16) -> bool {
        (self.dirty[usize::from(register) / 64] >> (register % 64)) & 1 != 0
    }

    fn set_dirty(&mut self, register: u16, dirty: bool) {
        let bit = 1 << (register % 64);
        let word = &mut self.dirty[usize::from(register) / 64];
        *word = if dirty { *word | bit } else { *word & !bit };
    }

    /// Returns the undefined lanes of a vector register.
    #[inline(always)]
    pub(super) fn vector(&self, register: u16) -> UndefinedLanes {
        self.vector[usize::from(register) & (VECTOR_REGISTERS - 1)]
    }

    /// Returns the lanes of a vector register with any undefined byte.
    #[inline(always)]
    pub(super) fn lanes(&self, register: u16) -> u64 {
        let [a, b, c, d] = self.vector(register);
        a | b | c | d
    }

    /// Sets the undefined bytes of the lanes in `mask`.
    pub(super) fn set_vector(&mut self, register: u16, mask: u64, bytes: UndefinedLanes) {
        let register = register & (VECTOR_REGISTERS as u16 - 1);
        let place = &mut self.vector[usize::from(register)];
        let mut any = 0;
        for (old, new) in place.iter_mut().zip(bytes) {
            *old = (*old & !mask) | (new & mask);
            any |= *old;
        }
        self.touched[usize::from(register) / 64] |= 1 << (register % 64);
        self.set_dirty(register, any != 0);
    }

    /// Makes the vector registers from `first` on defined in the lanes of `mask`; returns their
    /// old state.
    pub(super) fn keep<const N: usize>(&mut self, first: u16, mask: u64) -> [UndefinedLanes; N] {
        std::array::from_fn(|index| {
            let register = first + index as u16;
            let kept = self.vector(register);
            self.define(register, mask);
            kept
        })
    }

    /// Restores the result of [`UndefinedRegisters::keep`].
    pub(super) fn restore(&mut self, first: u16, kept: &[UndefinedLanes]) {
        for (register, bytes) in (first..).zip(kept) {
            self.set_vector(register, u64::MAX, *bytes);
        }
    }

    /// Returns the undefined bits of a scalar register.
    pub(super) fn scalar(&self, register: usize) -> u32 {
        self.scalar.get(register).copied().unwrap_or(0)
    }

    /// Returns the undefined bits of a register pair.
    pub(super) fn pair(&self, register: usize) -> u64 {
        u64::from(self.scalar(register)) | (u64::from(self.scalar(register + 1)) << 32)
    }

    pub(super) fn set_scalar(&mut self, register: usize, bits: u32) {
        // A write to the null register has no effect.
        if register == usize::from(crate::instruction::NULL) {
            return;
        }
        if let Some(place) = self.scalar.get_mut(register) {
            *place = bits;
            self.set_dirty(SCALAR + register as u16, bits != 0);
        }
    }

    pub(super) fn set_pair(&mut self, register: usize, bits: u64) {
        if register == usize::from(crate::instruction::NULL) {
            return;
        }
        self.set_scalar(register, bits as u32);
        self.set_scalar(register + 1, (bits >> 32) as u32);
    }

    pub(super) fn scc(&self) -> bool {
        self.scc
    }

    pub(super) fn set_scc(&mut self, undefined: bool) {
        self.scc = undefined;
        self.set_dirty(SCC, undefined);
    }

    /// Makes the register (any number) defined; a vector register only in the lanes of `mask`.
    #[inline(always)]
    pub(super) fn define(&mut self, register: u16, mask: u64) {
        if !self.is_dirty(register) {
            return;
        }
        match register {
            0..SCALAR => self.set_vector(register, mask, [0; 4]),
            SCALAR..SCC => self.set_scalar(usize::from(register - SCALAR), 0),
            _ => self.set_scc(false),
        }
    }
}
