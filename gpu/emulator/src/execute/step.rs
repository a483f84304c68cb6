//! Instructions that are ready to run: constants spread over the lanes, loops chosen for the
//! host.

use super::dpp::Permutation;
use super::instruction_cost::InstructionCost;
use crate::instruction::{
    Action, Condition, LdsAction, MatrixAction, MemoryAction, SourceOperand, VectorAction,
};
use crate::operation::lanes::{
    CarryLoop, CompareLoop, NarrowLoop, WideCarryLoop, WideCompareLoop, WideLoop,
};
use crate::operation::{Lanes, ScalarOperation};

/// A program that is ready to run on this host.
pub(crate) struct PreparedProgram {
    pub(crate) steps: Vec<ProgramStep>,
    /// The cost of each step, for the time model.
    pub(crate) timings: Vec<InstructionCost>,
    /// Constants, one register each; the first is [`LANE_NUMBERS`].
    pub(crate) constants: Vec<Lanes>,
    /// Addresses of the steps, ascending.
    pub(crate) addresses: Vec<u64>,
    /// True if some step is [`ProgramStep::Sleep`].
    pub(crate) sleeps: bool,
}

/// The value of a source that an operation lacks: the lane numbers.
pub(super) static LANE_NUMBERS: Lanes = {
    let mut lanes = Lanes([0; 64]);
    let mut lane = 0;
    while lane < 64 {
        lanes.0[lane] = lane as u32;
        lane += 1;
    }
    lanes
};

/// An instruction that is ready to run. The common variants come first.
pub(crate) enum ProgramStep {
    Narrow(VectorStep<NarrowLoop>),
    Compare(VectorStep<CompareLoop>),
    Carry(VectorStep<CarryLoop>),
    Scalar(ScalarStep),
    /// A branch to a step index, or to an address without an instruction (`Err`).
    Branch {
        condition: Condition,
        target: Result<u32, u64>,
    },
    Nothing,
    Sleep,
    Memory(Box<MemoryAction>),
    Lds(Box<LdsAction>),
    Wide(VectorStep<WideLoop>),
    WideCompare(VectorStep<WideCompareLoop>),
    WideCarry(VectorStep<WideCarryLoop>),
    /// Two vector instructions at once.
    Dual(Box<[ProgramStep; 2]>),
    /// A vector instruction with scalar sources and a scalar result.
    Uniform(Box<VectorStep<NarrowLoop>>),
    /// A vector instruction with indexed registers; `uses` selects the indexed operands.
    Indexed {
        step: Box<ProgramStep>,
        uses: u8,
    },
    Matrix(Box<MatrixAction>),
    /// A rare instruction.
    Other(Box<Action>),
}

/// An instruction of the vector unit.
pub(crate) struct VectorStep<F> {
    pub(crate) run: F,
    /// The sources: lower words, and the upper words of 64-bit operations.
    pub(crate) from: [[Fetch; 3]; 2],
    pub(crate) to: u16,
    /// The conditions for the slow path: it runs if the wave has one of these bits too.
    pub(crate) care: u8,
    /// True if a 16-bit result keeps the other half of its register.
    pub(crate) keeps_half: bool,
    /// The source lanes of the first operand.
    pub(crate) permutation: Option<Box<Permutation>>,
    pub(crate) action: Box<VectorAction>,
}

/// The location of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fetch {
    Vector(u16),
    Scalar(u8),
    /// Index of a constant.
    Constant(u32),
}

impl Fetch {
    /// Returns the location of the next register.
    pub(super) fn next(self) -> Fetch {
        match self {
            Fetch::Vector(register) => Fetch::Vector(register + 1),
            Fetch::Scalar(register) => Fetch::Scalar(register.wrapping_add(1)),
            constant => constant,
        }
    }
}

/// An instruction of the scalar unit.
pub(crate) struct ScalarStep {
    pub(crate) operation: &'static ScalarOperation,
    pub(crate) to: u8,
    pub(crate) from: [SourceOperand; 3],
    /// True for each source with 64 bits.
    pub(crate) wide: [bool; 3],
}

impl PreparedProgram {
    /// Returns the index of the step at `address`.
    pub(crate) fn index_of(&self, address: u64) -> Option<usize> {
        self.addresses.binary_search(&address).ok()
    }
}
