//! Preparation of instructions as program steps.

use std::collections::HashMap;

use super::dpp::Permutation;
use super::instruction_cost::timings;
use super::register_indexing;
use super::step::{Fetch, LANE_NUMBERS, PreparedProgram, ProgramStep, ScalarStep, VectorStep};
use super::wave::{CARE_ALWAYS, CARE_DENORMALS, CARE_OVERFLOW};
use crate::instruction::{Action, Instruction, Modifiers, SourceOperand, VectorAction};
use crate::isa::{EncodingFamily, Isa};
use crate::operation::{Lanes, OperationLoop, Type};
use crate::program::Program;

impl PreparedProgram {
    pub(crate) fn new(program: &Program) -> PreparedProgram {
        let instructions = program.instructions();
        let mut constants = Constants {
            known: HashMap::new(),
            lanes: vec![LANE_NUMBERS],
        };
        let mut steps: Vec<ProgramStep> = instructions
            .iter()
            .map(|one| step(program, &mut constants, one))
            .collect();
        // This needs the steps: it wraps those between two indexing instructions.
        register_indexing::mark(instructions, &mut steps);
        PreparedProgram {
            steps,
            timings: timings(instructions),
            constants: constants.lanes,
            addresses: instructions.iter().map(|one| one.address).collect(),
            sleeps: instructions.iter().any(sleeps),
        }
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

/// Returns true if the instruction lets time pass, so that other workgroups get a turn.
fn sleeps(instruction: &Instruction) -> bool {
    matches!(instruction.name, "s_sleep" | "s_sleep_var")
}

fn step(program: &Program, constants: &mut Constants, instruction: &Instruction) -> ProgramStep {
    match &instruction.action {
        _ if sleeps(instruction) => ProgramStep::Sleep,
        Action::Vector(action) => vector_step(instruction.isa, constants, action),
        Action::Dual(actions) => ProgramStep::Dual(Box::new(
            actions
                .each_ref()
                .map(|action| vector_step(instruction.isa, constants, action)),
        )),
        Action::Uniform(action) => match vector_step(instruction.isa, constants, action) {
            ProgramStep::Narrow(step) => ProgramStep::Uniform(Box::new(step)),
            // No encoding has another form.
            _ => ProgramStep::Nothing,
        },
        Action::Scalar {
            operation,
            to,
            from,
        } => {
            let wide = |index: usize| operation.from.get(index) == Some(&64);
            let wide = [wide(0), wide(1), wide(2)];
            ProgramStep::Scalar(ScalarStep {
                operation,
                to: *to,
                from: *from,
                wide,
            })
        }
        // Branch offsets count words from the next instruction.
        Action::Branch { condition, words } => {
            let next = instruction.address + instruction.bytes();
            let target = next.wrapping_add_signed(4 * i64::from(*words));
            let index = program
                .index_of(target)
                .map(|index| index as u32)
                .ok_or(target);
            ProgramStep::Branch {
                condition: *condition,
                target: index,
            }
        }
        Action::Memory(action) => ProgramStep::Memory(action.clone()),
        Action::Lds(action) => ProgramStep::Lds(action.clone()),
        Action::Matrix(action) => ProgramStep::Matrix(action.clone()),
        // Each instruction completes before the next one starts, so waits have no effect.
        Action::Nothing | Action::Wait(_) | Action::IndexOff => ProgramStep::Nothing,
        other => ProgramStep::Other(Box::new(other.clone())),
    }
}

/// Returns the location of each word of the sources. The upper word of a one-register source is
/// 0.
fn fetches(constants: &mut Constants, action: &VectorAction) -> [[Fetch; 3]; 2] {
    let low = action.from.map(|operand| match operand {
        SourceOperand::Vector(register) => Fetch::Vector(register),
        SourceOperand::Scalar(register) => Fetch::Scalar(register),
        SourceOperand::Constant(value) => Fetch::Constant(constants.index(value as u32)),
        SourceOperand::None | SourceOperand::Special(_) => Fetch::Constant(0),
    });
    let mut high = [Fetch::Constant(constants.index(0)); 3];
    for (index, from) in action.operation.from.iter().enumerate() {
        if from.registers() == 2 {
            high[index] = match action.from[index] {
                SourceOperand::Constant(value) => {
                    Fetch::Constant(constants.index((value >> 32) as u32))
                }
                _ => low[index].next(),
            };
        }
    }
    [low, high]
}

fn vector_step(isa: Isa, constants: &mut Constants, action: &VectorAction) -> ProgramStep {
    let operation = action.operation;
    let special = |operand: &SourceOperand| matches!(operand, SourceOperand::Special(_));
    let fetchable = !action.from.iter().any(special);
    let from = fetches(constants, action);
    // The usual selection of packed sources (low for low, high for high) needs no work.
    let packed_as_is = Modifiers {
        select_high: 7,
        packed: true,
        ..Modifiers::default()
    };
    let usual = |modifiers: &Modifiers| {
        let mut modifiers = *modifiers;
        // Bits of absent sources vary between encodings and have no meaning.
        let sources = (1u8 << operation.from.len()) - 1;
        if modifiers.packed && modifiers.select_high & sources == sources {
            modifiers.select_high = 7;
        }
        if !modifiers.packed && !modifiers.mixed {
            modifiers.select_high = 0;
        }
        modifiers == Modifiers::default() || modifiers == packed_as_is
    };
    // From gfx10 on, a 16-bit result keeps the upper half of its register.
    let keeps_half =
        operation.to.is_half() && (operation.keeps_half || isa.family() >= EncodingFamily::Gfx10);
    let plain = fetchable
        && usual(&action.modifiers)
        && !keeps_half
        && !operation.approximate
        && operation.to != Type::PB32;
    let floats =
        operation.to.has_denormals() || operation.from.iter().any(|from| from.has_denormals());
    // FP16_OVFL concerns these only; conversions to 8 bits read MODE themselves.
    let halves = matches!(operation.to, Type::F16 | Type::PF16);
    // The slow path is necessary if the step or the wave's mode needs care.
    let care = if plain { 0 } else { CARE_ALWAYS }
        | if floats { CARE_DENORMALS } else { 0 }
        | if halves { CARE_OVERFLOW } else { 0 };
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
        OperationLoop::Narrow(versions) => ProgramStep::Narrow(step!(versions)),
        OperationLoop::Wide(versions) => ProgramStep::Wide(step!(versions)),
        OperationLoop::Compare(versions) => ProgramStep::Compare(step!(versions)),
        OperationLoop::WideCompare(versions) => ProgramStep::WideCompare(step!(versions)),
        OperationLoop::Carry { versions, .. } => ProgramStep::Carry(step!(versions)),
        OperationLoop::WideCarry { versions, .. } => ProgramStep::WideCarry(step!(versions)),
    }
}
