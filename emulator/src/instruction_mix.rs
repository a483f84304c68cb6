//! What the instructions of a kernel are, as they stand in its code: how often each runs is the profile's matter.

use crate::code_object::LoadedKernel;
use crate::instruction::{Action, Instruction, LaneOperation, LdsOperation};
use crate::loaded_code_object::CodeObject;

/// The instructions of a kernel, counted by what executes them; each is in one of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct InstructionMix {
    /// Vector arithmetic, moves and comparisons.
    pub valu: u64,
    /// The scalar unit's.
    pub salu: u64,
    /// Vector loads, stores and atomics.
    pub vmem: u64,
    /// Scalar loads.
    pub smem: u64,
    /// LDS accesses.
    pub lds: u64,
    /// Those with which lanes exchange values, also where they compute besides.
    pub cross_lane: u64,
    /// Branches and jumps.
    pub branch: u64,
    /// Waits for memory, and barriers.
    pub wait: u64,
    /// What is left: hints, the end, and what is not executed here.
    pub other: u64,
}

impl CodeObject {
    /// What the instructions of a kernel are.
    pub fn instruction_mix(&self, kernel: &LoadedKernel) -> InstructionMix {
        let mut mix = InstructionMix::default();
        for instruction in self.instructions(kernel) {
            *mix.of(instruction) += 1;
        }
        mix
    }
}

impl InstructionMix {
    /// The number of what an instruction is.
    fn of(&mut self, instruction: &Instruction) -> &mut u64 {
        use LaneOperation as Lane;
        match &instruction.action {
            Action::Vector(action) => match action.modifiers.dpp {
                Some(_) => &mut self.cross_lane,
                None => &mut self.valu,
            },
            Action::Uniform(_) | Action::Dual(_) => &mut self.valu,
            Action::Lane { operation, .. } => match operation {
                Lane::Swap
                | Lane::SwapHalf
                | Lane::MoveRelativeSource
                | Lane::MoveRelativeDestination
                | Lane::MoveRelativeBoth
                | Lane::MoveRelativeTwo
                | Lane::SwapRelative => &mut self.valu,
                _ => &mut self.cross_lane,
            },
            Action::Memory(_) | Action::LoadLds(_) => &mut self.vmem,
            Action::ScalarMemory(_) => &mut self.smem,
            Action::Lds(action) => match action.operation {
                LdsOperation::Permute
                | LdsOperation::PermuteBackward
                | LdsOperation::PermuteBackwardInactive
                | LdsOperation::Swizzle => &mut self.cross_lane,
                _ => &mut self.lds,
            },
            Action::Branch { .. } | Action::Jump { .. } => &mut self.branch,
            Action::Wait(_) | Action::Barrier | Action::Signal { .. } => &mut self.wait,
            Action::Nothing | Action::End | Action::Refused(_) | Action::Trap { .. } => {
                &mut self.other
            }
            _ => &mut self.salu,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        let InstructionMix {
            valu,
            salu,
            vmem,
            smem,
            lds,
            cross_lane,
            branch,
            wait,
            other,
        } = self;
        valu + salu + vmem + smem + lds + cross_lane + branch + wait + other
    }
}
