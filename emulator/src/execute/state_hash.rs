//! What the next instructions of a wave depend on, but for memory: a wave that is twice in one state while memory stays as it
//! is comes to it again and again.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::wave::Wave;
use crate::instruction::SCALAR_REGISTERS;

impl Wave {
    /// Hashes its state; its vector registers are those in `registers`. What it has done counts, too: who changed
    /// something is not where he was.
    pub(crate) fn hash_state(&self, registers: &[Range<usize>], hasher: &mut impl Hasher) {
        (self.next, self.scc, self.mode.register()).hash(hasher);
        (
            self.arrived,
            self.waits,
            self.side_effects,
            self.scratch_base,
        )
            .hash(hasher);
        for register in 0..SCALAR_REGISTERS {
            self.scalar_at(register).hash(hasher);
        }
        for range in registers {
            for register in &self.vector[range.clone()] {
                register.0.hash(hasher);
            }
        }
        for row in &self.scratch.0 {
            row.0.hash(hasher);
        }
    }
}
