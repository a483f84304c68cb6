//! From instructions to steps.

use std::collections::HashMap;

use super::indexed;
use super::permute::Permutation;
use super::step::{Fetch, LANE_NUMBERS, Prepared, ScalarStep, Step, VectorStep};
use super::timing::timings;
use super::wave::{CARE_ALWAYS, CARE_DENORMALS};
use crate::instruction::{Action, Instruction, Modifiers, Operand, VectorAction};
use crate::isa::{Family, Isa};
use crate::operation::{Body, Lanes, Type};
use crate::program::Program;

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

/// Whether the wave lets time pass.
fn sleeps(instruction: &Instruction) -> bool {
    matches!(instruction.name, "s_sleep" | "s_sleep_var")
}

fn step(program: &Program, constants: &mut Constants, instruction: &Instruction) -> Step {
    match &instruction.action {
        _ if sleeps(instruction) => Step::Sleep,
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
        Action::Lds(action) => Step::Lds(action.clone()),
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
