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
            // The model waits for the last product, and takes the earlier ones as done.
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

#[cfg(test)]
mod tests {
    use super::adds_to;
    use crate::instruction::{Action, Instruction};
    use crate::isa::Isa;

    /// Checks whether `v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]` only adds to a
    /// register.
    #[track_caller]
    fn check(register: u16, expected: bool) {
        let words = [0xd3cd_0000, 0x0402_0d04, 0];
        let instruction = Instruction::decode(Isa::Gfx942, 0, words);
        let text = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]";
        assert_eq!(instruction.to_string(), text);
        let Action::Matrix(action) = &instruction.action else {
            panic!("{instruction}");
        };
        assert_eq!(adds_to(action, register), expected);
    }

    #[test]
    fn only_c_and_d_are_chained() {
        check(0, true);
        check(3, true);
        check(4, false);
        check(8, false);
    }
}
