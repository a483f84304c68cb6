//! From instructions to steps.

use std::collections::HashMap;

use super::indexed;
use super::permute::Permutation;
use super::timing::{Timing, timings};
use crate::instruction::{
    Action, Condition, Instruction, MemoryAction, Modifiers, Operand, ShareAction, VectorAction,
};
use crate::isa::{Family, Isa};
use crate::operation::lanes::{
    CarryLoop, CompareLoop, NarrowLoop, WideCarryLoop, WideCompareLoop, WideLoop,
};
use crate::operation::{Body, Lanes, ScalarOperation, Type};
use crate::program::Program;

/// A program that is ready to run on this host.
pub(crate) struct Prepared {
    pub(crate) steps: Vec<Step>,
    /// What each step costs, for the time model.
    pub(crate) timings: Vec<Timing>,
    /// Constants, one register each; the first is [`LANE_NUMBERS`].
    pub(crate) constants: Vec<Lanes>,
    /// Addresses of the steps, ascending.
    pub(crate) addresses: Vec<u64>,
}

/// The source that an operation does not name.
pub(super) static LANE_NUMBERS: Lanes = {
    let mut lanes = Lanes([0; 64]);
    let mut lane = 0;
    while lane < 64 {
        lanes.0[lane] = lane as u32;
        lane += 1;
    }
    lanes
};

/// An instruction that is ready to run. The common ones come first.
pub(crate) enum Step {
    Narrow(VectorStep<NarrowLoop>),
    Compare(VectorStep<CompareLoop>),
    Carry(VectorStep<CarryLoop>),
    Scalar(ScalarStep),
    /// The target is an index, or an address where no instruction starts.
    Branch {
        condition: Condition,
        target: Result<u32, u64>,
    },
    Nothing,
    Memory(Box<MemoryAction>),
    Share(Box<ShareAction>),
    Wide(VectorStep<WideLoop>),
    WideCompare(VectorStep<WideCompareLoop>),
    WideCarry(VectorStep<WideCarryLoop>),
    /// Two vector instructions at once.
    Dual(Box<[Step; 2]>),
    /// One value from scalar sources into a scalar register.
    Uniform(Box<VectorStep<NarrowLoop>>),
    /// A vector instruction where registers are indexed, and by which of its operands.
    Indexed {
        step: Box<Step>,
        uses: u8,
    },
    /// Everything that is rare.
    Other(Box<Action>),
}

/// Bits of [`VectorStep::care`] and of [`Wave::care`](super::Wave): something modifies sources or result.
pub(super) const CARE_ALWAYS: u8 = 1;
/// The result depends on the denormal mode; of a wave, not all denormals are on.
pub(super) const CARE_DENORMALS: u8 = 2;

/// An instruction of the vector unit.
pub(crate) struct VectorStep<F> {
    pub(crate) run: F,
    /// The sources: lower words, and the upper ones of 64-bit operations.
    pub(crate) from: [[Fetch; 3]; 2],
    pub(crate) to: u16,
    /// What keeps the step from the fast path: any of these bits that the wave has too.
    pub(crate) care: u8,
    /// A 16-bit result leaves the other half of its register as it is.
    pub(crate) keeps_half: bool,
    /// The lanes that the first source comes from.
    pub(crate) permutation: Option<Box<Permutation>>,
    pub(crate) action: Box<VectorAction>,
}

/// Where a source lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fetch {
    Vector(u16),
    Scalar(u8),
    /// Index of a constant.
    Constant(u32),
}

impl Fetch {
    /// The register after it.
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
    pub(crate) from: [Operand; 3],
    /// Whether each source has 64 bits.
    pub(crate) wide: [bool; 3],
}

impl Prepared {
    pub(crate) fn new(program: &Program) -> Prepared {
        let instructions = program.instructions();
        let mut constants = Constants {
            known: HashMap::new(),
            lanes: vec![LANE_NUMBERS],
        };
        let mut steps: Vec<Step> = instructions
            .iter()
            .map(|one| step(program, &mut constants, one))
            .collect();
        indexed::mark(instructions, &mut steps);
        Prepared {
            steps,
            timings: timings(instructions),
            constants: constants.lanes,
            addresses: instructions.iter().map(|one| one.address).collect(),
        }
    }

    /// The step of the instruction at `address`.
    pub(crate) fn index_of(&self, address: u64) -> Option<usize> {
        self.addresses.binary_search(&address).ok()
    }
}

struct Constants {
    known: HashMap<u32, u32>,
    lanes: Vec<Lanes>,
}

impl Constants {
    fn index(&mut self, value: u32) -> u32 {
        let lanes = &mut self.lanes;
        *self.known.entry(value).or_insert_with(|| {
            lanes.push(Lanes([value; 64]));
            lanes.len() as u32 - 1
        })
    }
}

fn step(program: &Program, constants: &mut Constants, instruction: &Instruction) -> Step {
    match &instruction.action {
        Action::Vector(action) => vector_step(instruction.isa, constants, action),
        Action::Dual(actions) => Step::Dual(Box::new(
            actions
                .each_ref()
                .map(|action| vector_step(instruction.isa, constants, action)),
        )),
        Action::Uniform(action) => match vector_step(instruction.isa, constants, action) {
            Step::Narrow(step) => Step::Uniform(Box::new(step)),
            // No encoding has another.
            _ => Step::Nothing,
        },
        Action::Scalar {
            operation,
            to,
            from,
        } => {
            let wide = |index: usize| operation.from.get(index) == Some(&64);
            let wide = [wide(0), wide(1), wide(2)];
            Step::Scalar(ScalarStep {
                operation,
                to: *to,
                from: *from,
                wide,
            })
        }
        Action::Branch { condition, words } => {
            let next = instruction.address + instruction.bytes();
            let target = next.wrapping_add_signed(4 * i64::from(*words));
            let index = program
                .index_of(target)
                .map(|index| index as u32)
                .ok_or(target);
            Step::Branch {
                condition: *condition,
                target: index,
            }
        }
        Action::Memory(action) => Step::Memory(action.clone()),
        Action::Share(action) => Step::Share(action.clone()),
        Action::Nothing | Action::Wait(_) | Action::IndexOff => Step::Nothing,
        other => Step::Other(Box::new(other.clone())),
    }
}

/// Where the words of the sources lie. A source of one register has upper words of 0.
fn fetches(constants: &mut Constants, action: &VectorAction) -> [[Fetch; 3]; 2] {
    let low = action.from.map(|operand| match operand {
        Operand::Vector(register) => Fetch::Vector(register),
        Operand::Scalar(register) => Fetch::Scalar(register),
        Operand::Constant(value) => Fetch::Constant(constants.index(value as u32)),
        Operand::None | Operand::Special(_) => Fetch::Constant(0),
    });
    let mut high = [Fetch::Constant(constants.index(0)); 3];
    for (index, from) in action.operation.from.iter().enumerate() {
        if from.registers() == 2 {
            high[index] = match action.from[index] {
                Operand::Constant(value) => Fetch::Constant(constants.index((value >> 32) as u32)),
                _ => low[index].next(),
            };
        }
    }
    [low, high]
}

fn vector_step(isa: Isa, constants: &mut Constants, action: &VectorAction) -> Step {
    let operation = action.operation;
    let special = |operand: &Operand| matches!(operand, Operand::Special(_));
    let fetchable = !action.from.iter().any(special);
    let from = fetches(constants, action);
    // The usual selection of packed sources (low for low, high for high) modifies nothing.
    let packed_as_is = Modifiers {
        select_high: 7,
        packed: true,
        ..Modifiers::default()
    };
    let usual = |modifiers: &Modifiers| {
        let mut modifiers = *modifiers;
        let sources = (1u8 << operation.from.len()) - 1;
        if modifiers.packed && modifiers.select_high & sources == sources {
            modifiers.select_high = 7;
        }
        if !modifiers.packed && !modifiers.mixed {
            modifiers.select_high = 0;
        }
        modifiers == Modifiers::default() || modifiers == packed_as_is
    };
    let keeps_half =
        operation.to.is_half() && (operation.keeps_half || isa.family() >= Family::Gfx10);
    let plain = fetchable
        && usual(&action.modifiers)
        && !keeps_half
        && !operation.approximate
        && operation.to != Type::PB32;
    let floats =
        operation.to.has_denormals() || operation.from.iter().any(|from| from.has_denormals());
    let care = if plain { 0 } else { CARE_ALWAYS } | if floats { CARE_DENORMALS } else { 0 };
    let permutation = action.modifiers.dpp.as_ref();
    let permutation = permutation.map(|dpp| Box::new(Permutation::new(dpp)));
    let action = Box::new(action.clone());
    let to = action.to;
    macro_rules! step {
        ($versions:expr) => {
            VectorStep {
                run: $versions.choose(),
                from,
                to,
                care,
                keeps_half,
                permutation,
                action,
            }
        };
    }
    match &operation.body {
        Body::Narrow(versions) => Step::Narrow(step!(versions)),
        Body::Wide(versions) => Step::Wide(step!(versions)),
        Body::Compare(versions) => Step::Compare(step!(versions)),
        Body::WideCompare(versions) => Step::WideCompare(step!(versions)),
        Body::Carry { versions, .. } => Step::Carry(step!(versions)),
        Body::WideCarry { versions, .. } => Step::WideCarry(step!(versions)),
    }
}
