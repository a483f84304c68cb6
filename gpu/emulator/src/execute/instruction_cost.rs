//! The cost of each instruction for the time model, computed once with the prepared program.
//!
//! Costs are in *passes*: a 32-bit vector instruction of a wave is one pass. The device
//! determines the cycles per pass. *Tightness* measures the closeness of a vector instruction to
//! the one that produces its operand.

use crate::instruction::{Action, Instruction, LdsOperation, SourceOperand, VectorAction, Wait};
use crate::isa::Isa;
use crate::operation::matrix::{MatrixElement, MatrixLayout, MatrixOperation};
use crate::operation::{MemoryOperation, OperationLoop, Type};

/// The cost of one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InstructionCost {
    /// A vector instruction.
    Vector {
        /// Passes at the rate that all devices share.
        passes: u8,
        /// Passes at the rate of double precision.
        double: u8,
        /// [`WINDOW`] minus the number of vector instructions since the last one that it depends
        /// on. It is 0 if that distance exceeds the window.
        tightness: u8,
    },
    /// A product of matrices.
    Matrix {
        /// Cycles that it occupies its unit.
        cycles: u16,
        /// True if that unit works beside the vector unit.
        apart: bool,
    },
    Scalar,
    Branch,
    VectorMemory {
        kind: AccessKind,
    },
    ScalarMemory,
    /// An LDS access with this number of addresses per lane.
    Lds {
        accesses: u8,
    },
    Wait(Wait),
    Barrier,
    /// An instruction that only the sequencer executes.
    Free,
}

/// The effect of an access on memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum AccessKind {
    Load,
    Store,
    /// An atomic, with or without the old value as its result.
    Atomic {
        returns: bool,
    },
}

/// The number of vector instructions after which a result is available without a wait, on every
/// device.
pub(crate) const WINDOW: u8 = 4;

/// Returns the costs of all instructions, in program order.
pub(super) fn timings(instructions: &[Instruction]) -> Vec<InstructionCost> {
    // The register ranges of earlier vector results, the latest last.
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
            // No register dependency within the window means no stall.
            *tightness = distance.map_or(0, |distance| WINDOW - distance as u8);
            // A comparison writes a scalar register, so it adds no vector result.
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

/// Returns true if the instruction reads one of `count` vector registers from `first` on.
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
            // Devices differ in the rate of double precision, so these passes count separately.
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
        Action::Matrix(action) => matrix(instruction.isa, &action.operation),
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
        // The choice of factors is a part of the product's instruction.
        Action::Nothing | Action::End | Action::MatrixScale { .. } => InstructionCost::Free,
        _ => InstructionCost::Scalar,
    }
}

/// Returns the cost of a product. Sources: AMD's matrix instruction calculator ("Execution
/// statistics") and, for gfx950, LLVM's scheduling model (`SISchedule.td`); both agree on gfx90a
/// and gfx942. A pass of LLVM is 4 cycles.
fn matrix(isa: Isa, operation: &MatrixOperation) -> InstructionCost {
    let shape = &operation.shape;
    let [element, _] = shape.from;
    let double = shape.to == MatrixElement::F64;
    let single = element == MatrixElement::F32;
    let cycles = match (isa, shape.rows) {
        // RDNA: products of bytes and nibbles run at twice the rate on gfx12, of nibbles on gfx11.
        (Isa::Gfx1100 | Isa::Gfx1151, _) if element.bits() == 4 => 16,
        (Isa::Gfx1100 | Isa::Gfx1151, _) => 32,
        (Isa::Gfx1201, _) if element.bits() < 16 => 8,
        (Isa::Gfx1201, _) => 16,
        // Two passes, and four for doubles.
        (_, 4) if double => 16,
        (_, 4) => 8,
        // CDNA 4 takes twice the cycles of CDNA 3 for 16 rows of doubles.
        (Isa::Gfx950, _) if double => 64,
        // Formats of 8 bits halve the rate of these products.
        (_, rows) if operation.is_scalable() && shape.from.iter().any(|it| it.bits() == 8) => {
            2 * rows
        }
        // From gfx942 on, the narrow types with a single block run at twice the rate.
        (_, rows) if isa > Isa::Gfx90a && shape.blocks == 1 && !double && !single => rows,
        // The base rate is 8 passes for 16 rows, and 16 passes for 32.
        (_, rows) => 2 * rows,
    };
    // The matrix cores work beside the vector unit, except on doubles and, from gfx942 on, on
    // singles. RDNA's products run in the vector unit.
    let apart =
        operation.layout == MatrixLayout::Blocks && !double && !(single && isa > Isa::Gfx90a);
    InstructionCost::Matrix {
        cycles: cycles as u16,
        apart,
    }
}

#[cfg(test)]
mod tests {
    use super::{InstructionCost, cost};
    use crate::instruction::Instruction;
    use crate::isa::Isa;

    #[track_caller]
    fn check(isa: Isa, words: [u32; 2], text: &str, expected: (u16, bool)) {
        let instruction = Instruction::decode(isa, 0, [words[0], words[1], 0]);
        let written = instruction.to_string();
        assert!(written.starts_with(text), "{written}");
        let (cycles, apart) = expected;
        assert_eq!(
            cost(&instruction),
            InstructionCost::Matrix { cycles, apart }
        );
    }

    /// The cycles are those of AMD's matrix instruction calculator and of LLVM's scheduling models.
    #[test]
    fn products_have_the_published_cycles() {
        let operands = 0x0402_2910;
        let mfma = |isa, number: u32, text, cycles, apart| {
            check(
                isa,
                [0xd380_0000 | (number << 16), operands],
                text,
                (cycles, apart),
            );
        };
        mfma(Isa::Gfx90a, 0x4d, "v_mfma_f32_16x16x16f16 ", 32, true);
        mfma(Isa::Gfx90a, 0x45, "v_mfma_f32_16x16x4f32 ", 32, true);
        mfma(Isa::Gfx90a, 0x6e, "v_mfma_f64_16x16x4f64 ", 32, false);
        mfma(Isa::Gfx942, 0x4d, "v_mfma_f32_16x16x16_f16 ", 16, true);
        mfma(Isa::Gfx942, 0x4c, "v_mfma_f32_32x32x8_f16 ", 32, true);
        mfma(Isa::Gfx942, 0x48, "v_mfma_f32_32x32x4_2b_f16 ", 64, true);
        mfma(Isa::Gfx942, 0x4a, "v_mfma_f32_4x4x4_16b_f16 ", 8, true);
        mfma(Isa::Gfx942, 0x45, "v_mfma_f32_16x16x4_f32 ", 32, false);
        mfma(Isa::Gfx942, 0x6f, "v_mfma_f64_4x4x4_4b_f64 ", 16, false);
        mfma(Isa::Gfx950, 0x54, "v_mfma_f32_16x16x32_f16 ", 16, true);
        mfma(Isa::Gfx950, 0x6e, "v_mfma_f64_16x16x4_f64 ", 64, false);
        let wmma = |number: u32| [0xcc00_4000 | (number << 16), 0x1c02_2910];
        check(
            Isa::Gfx1100,
            wmma(0x40),
            "v_wmma_f32_16x16x16_f16 ",
            (32, false),
        );
        check(
            Isa::Gfx1100,
            wmma(0x45),
            "v_wmma_i32_16x16x16_iu4 ",
            (16, false),
        );
        check(
            Isa::Gfx1201,
            wmma(0x40),
            "v_wmma_f32_16x16x16_f16 ",
            (16, false),
        );
        check(
            Isa::Gfx1201,
            wmma(0x44),
            "v_wmma_i32_16x16x16_iu8 ",
            (8, false),
        );
    }
}
