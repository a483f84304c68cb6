//! Instruction sets: what the final stage has to know of a target, one table each.

use std::ops::RangeInclusive;

use configgen::Target;

use super::cross_lane::CrossLane;
use super::gfx942::GFX942;

/// An instruction set with native kernels.
#[derive(Debug)]
pub struct Isa {
    /// LLVM's processor name.
    pub name: &'static str,
    /// Bytes of the widest load of one lane.
    pub load_bytes: u32,
    /// Immediate offsets of global loads, in bytes.
    pub offsets: RangeInclusive<i64>,
    /// Exchanges between lanes.
    pub cross_lane: CrossLane,
}

impl Isa {
    /// The instruction set of `target`, if there are native kernels for it.
    pub fn of(target: &Target) -> Option<&'static Isa> {
        [&GFX942].into_iter().find(|isa| isa.name == target.name)
    }
}
