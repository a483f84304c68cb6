//! What each instruction of a program costs, as the time model counts it: found once, when a program is prepared.
//!
//! Costs are in *passes*, a 32-bit vector instruction of a wave being one; how many cycles a pass takes is the
//! device's matter. *Tightness* is how close a vector instruction stands behind the one whose result it needs.

use crate::instruction::{Action, Instruction, LdsOperation, SourceOperand, VectorAction, Wait};
use crate::operation::{MemoryOperation, OperationLoop, Type};

/// What an instruction costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InstructionCost {
    /// A vector instruction.
    Vector {
        /// Passes, of those that every device has at the same rate.
        passes: u8,
        /// Passes at the rate of double precision.
        double: u8,
        /// [`WINDOW`] less the vector instructions between it and the last one that it depends on; 0 where that one is
        /// further away.
        tightness: u8,
    },
    Scalar,
    Branch,
    VectorMemory {
        kind: AccessKind,
    },
    ScalarMemory,
    /// LDS, at so many addresses for each lane.
    Lds {
        accesses: u8,
    },
    Wait(Wait),
    Barrier,
    /// Internal to the sequencer.
    Free,
}

/// What an access does to memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum AccessKind {
    Load,
    Store,
    /// An atomic whose old value is returned, or is not.
    Atomic {
        returns: bool,
    },
}

/// Instructions behind which a result is there without waiting, on every device.
pub(crate) const WINDOW: u8 = 4;

/// Of all instructions, in the order of the program.
pub(super) fn timings(instructions: &[Instruction]) -> Vec<InstructionCost> {
    // What the last vector instructions wrote, the latest last.
    let mut written: Vec<(u16, u16)> = Vec::new();
    let mut timings = Vec::with_capacity(instructions.len());
    for instruction in instructions {
        let mut timing = cost(instruction);
        if let (Action::Vector(action), InstructionCost::Vector { tightness, .. }) =
            (&instruction.action, &mut timing)
        {
            let distance = written
                .iter()
                .rev()
                .take(usize::from(WINDOW))
                .position(|range| reads(action, *range));
            *tightness = distance.map_or(0, |distance| WINDOW - distance as u8);
            // Comparisons write to scalar registers.
            if !matches!(
                action.operation.body,
                OperationLoop::Compare(_) | OperationLoop::WideCompare(_)
            ) {
                written.push((action.to, action.operation.to.registers()));
            }
        }
        timings.push(timing);
    }
    timings
}

/// Whether the instruction reads one of `count` vector registers from `first` on.
fn reads(action: &VectorAction, (first, count): (u16, u16)) -> bool {
    let types = action.operation.from.iter();
    action.from.iter().zip(types).any(|(operand, kind)| {
        matches!(operand, SourceOperand::Vector(register)
            if *register < first + count && first < register + kind.registers())
    })
}

fn cost(instruction: &Instruction) -> InstructionCost {
    let plain = |passes| InstructionCost::Vector {
        passes,
        double: 0,
        tightness: 0,
    };
    match &instruction.action {
        Action::Vector(action) | Action::Uniform(action) => {
            let operation = action.operation;
            let is_double = |kind: &Type| matches!(kind, Type::F64);
            let wide = matches!(
                operation.body,
                OperationLoop::Wide(_)
                    | OperationLoop::WideCompare(_)
                    | OperationLoop::WideCarry { .. }
            );
            // Transcendental functions run at a quarter of the rate.
            let slow = 1 + 3 * u8::from(operation.approximate);
            if is_double(&operation.to) || operation.from.iter().any(is_double) {
                InstructionCost::Vector {
                    passes: 0,
                    double: slow,
                    tightness: 0,
                }
            } else {
                plain(slow.max(1 + u8::from(wide)))
            }
        }
        Action::Lane { .. } | Action::Dual(_) => plain(1),
        Action::Memory(action) => InstructionCost::VectorMemory {
            kind: match action.operation {
                MemoryOperation::Atomic { .. } => AccessKind::Atomic {
                    returns: action.returns.is_some(),
                },
                MemoryOperation::Store { .. } | MemoryOperation::StorePart { .. } => {
                    AccessKind::Store
                }
                _ => AccessKind::Load,
            },
        },
        Action::ScalarMemory(_) => InstructionCost::ScalarMemory,
        Action::Lds(action) => InstructionCost::Lds {
            accesses: match action.operation {
                LdsOperation::ReadTwo { .. }
                | LdsOperation::WriteTwo { .. }
                | LdsOperation::ExchangeTwo { .. } => 2,
                _ => 1,
            },
        },
        Action::Wait(wait) => InstructionCost::Wait(*wait),
        Action::Barrier => InstructionCost::Barrier,
        Action::Branch { .. } | Action::Jump { .. } => InstructionCost::Branch,
        Action::Nothing | Action::End => InstructionCost::Free,
        _ => InstructionCost::Scalar,
    }
}
