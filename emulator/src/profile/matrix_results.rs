//! The instructions that wait for a product of matrices.
//!
//! A product runs beside later instructions of its wave, until one of them needs or overwrites its
//! result. A product that only adds to the same D follows without a gap, because the unit works
//! in order.

use crate::instruction::{Action, Instruction, MatrixAction};
use crate::loaded_code_object::CodeObject;

/// Returns true for each instruction that waits for an earlier product, in program order; empty
/// without products.
pub(super) fn waits(code: &CodeObject, lanes: u32) -> Vec<bool> {
    let instructions = code.program.instructions();
    if !instructions.iter().any(|one| product(one).is_some()) {
        return Vec::new();
    }
    let effects = code.effects(lanes);
    // The results in flight, as first register and count.
    let mut results: Vec<(u16, u16)> = Vec::new();
    let mut waits = Vec::with_capacity(instructions.len());
    for (index, instruction) in instructions.iter().enumerate() {
        let (_, reads, writes) = effects.effect(index);
        let action = product(instruction);
        let is_in_flight = |register: &u16| {
            let chained = action.is_some_and(|action| adds_to(action, *register));
            let within = |(first, count): &(u16, u16)| (*first..first + count).contains(register);
            !chained && results.iter().any(within)
        };
        let wait = reads.iter().chain(writes).any(is_in_flight);
        if wait {
            results.clear();
        }
        results.extend(action.map(MatrixAction::writes));
        waits.push(wait);
    }
    waits
}

fn product(instruction: &Instruction) -> Option<&MatrixAction> {
    match &instruction.action {
        Action::Matrix(action) => Some(action),
        _ => None,
    }
}

/// Returns true if a product uses a register as C and D only.
fn adds_to(action: &MatrixAction, register: u16) -> bool {
    let within = |(first, count): (u16, u16)| (first..first + count).contains(&register);
    within(action.writes()) && !action.factors().into_iter().any(within)
}
