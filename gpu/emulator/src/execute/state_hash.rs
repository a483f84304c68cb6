//! The hash of a wave's state without memory. If memory stays unchanged and a wave reaches the
//! same state twice, it is in an endless loop.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::wave::Wave;
use crate::instruction::SCALAR_REGISTERS;

impl Wave {
    /// Hashes the state of the wave, with the vector registers in `registers`. Includes the
    /// counters of side effects, because a wave that changed something is in a new state.
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
