//! The static instruction mix of a kernel. The profile counts executions; this module counts
//! code.

use crate::code_object::LoadedKernel;
use crate::instruction::{Action, Instruction, LaneOperation, LdsOperation};
use crate::loaded_code_object::CodeObject;

/// The number of instructions of a kernel by execution unit. Each instruction counts once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct InstructionMix {
    /// Vector arithmetic, moves, comparisons and products of matrices.
    pub valu: u64,
    /// Scalar arithmetic and moves.
    pub salu: u64,
    /// Vector loads, stores and atomics.
    pub vmem: u64,
    /// Scalar loads.
    pub smem: u64,
    /// LDS accesses.
    pub lds: u64,
    /// Exchanges of values between lanes, including arithmetic with DPP.
    pub cross_lane: u64,
    /// Branches and jumps.
    pub branch: u64,
    /// Waits for memory, and barriers.
    pub wait: u64,
    /// The rest: hints, program ends, traps and refused instructions.
    pub other: u64,
}

impl CodeObject {
    /// Returns the instruction mix of a kernel.
    pub fn instruction_mix(&self, kernel: &LoadedKernel) -> InstructionMix {
        let mut mix = InstructionMix::default();
        for instruction in self.instructions(kernel) {
            *mix.of(instruction) += 1;
        }
        mix
    }
}

impl InstructionMix {
    /// Returns the counter for an instruction.
    fn of(&mut self, instruction: &Instruction) -> &mut u64 {
        use LaneOperation as Lane;
        match &instruction.action {
            // DPP reads another lane, so it counts as an exchange even if it also computes.
            Action::Vector(action) => match action.modifiers.dpp {
                Some(_) => &mut self.cross_lane,
                None => &mut self.valu,
            },
            Action::Uniform(_)
            | Action::Dual(_)
            | Action::Matrix(_)
            | Action::MatrixScale { .. } => &mut self.valu,
            Action::Lane { operation, .. } => match operation {
                // These move registers within one lane, although `Lane` holds them.
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

    /// Returns the total number of instructions.
    pub fn total(&self) -> u64 {
        // The full pattern makes the compiler report a new field that the sum would miss.
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
