//! Vector registers with an index in M0, between `s_set_gpr_idx_on` and `s_set_gpr_idx_off`
//! (gfx9).
//!
//! Compilers keep both instructions in one straight line, so the indexed instructions are known
//! before execution. Otherwise the instruction that turns indexing on is refused.

use super::step::{Fetch, PreparedProgram, ProgramStep, VectorStep};
use super::stop::{WaveStop, unsupported};
use super::vector;
use super::wave::Wave;
use crate::instruction::{Action, Instruction, M0, SourceOperand};

/// The bit of `uses` for the result.
const RESULT: u8 = 8;

/// Converts the steps between each pair into indexed steps.
pub(super) fn mark(instructions: &[Instruction], steps: &mut [ProgramStep]) {
    for (first, instruction) in instructions.iter().enumerate() {
        let Action::IndexOn { uses, .. } = instruction.action else {
            continue;
        };
        match region(instructions, first) {
            Ok(length) => {
                for place in first + 1..first + 1 + length {
                    if matches!(instructions[place].action, Action::Vector(_)) {
                        let step =
                            Box::new(std::mem::replace(&mut steps[place], ProgramStep::Nothing));
                        steps[place] = ProgramStep::Indexed { step, uses };
                    }
                }
            }
            Err(reason) => steps[first] = ProgramStep::Other(Box::new(Action::Refused(reason))),
        }
    }
}

/// Returns the number of instructions between the one at `first`, which turns indexing on, and
/// the one that turns it off.
///
/// # Errors
/// Refuses branches into or out of the region, and instructions without a defined index.
fn region(instructions: &[Instruction], first: usize) -> Result<usize, String> {
    let rest = &instructions[first + 1..];
    for (length, instruction) in rest.iter().enumerate() {
        match &instruction.action {
            Action::IndexOff => {
                // A branch into the region would execute its instructions without the index.
                let inside = instructions[first].address + 1..=instruction.address;
                let enters = |one: &Instruction| match one.action {
                    Action::Branch { words, .. } => {
                        let next = one.address + one.bytes();
                        inside.contains(&next.wrapping_add_signed(4 * i64::from(words)))
                    }
                    _ => false,
                };
                return match instructions.iter().find(|one| enters(one)) {
                    Some(branch) => Err(format!(
                        "the branch at {:#x} jumps into a register-indexing region",
                        branch.address
                    )),
                    None => Ok(length),
                };
            }
            Action::Vector(_) | Action::Scalar { .. } | Action::Nothing | Action::Wait(_) => {}
            _ => {
                return Err(format!("{instruction} in a register-indexing region"));
            }
        }
    }
    Err("the register-indexing region has no end".into())
}

/// Writes the index and its uses to M0.
pub(super) fn turn_on(wave: &mut Wave, by: u32, uses: u8) {
    // The index has bits 0 to 7 of M0, and its uses bits 12 to 15.
    let kept = wave.scalar(M0) & !0xf0ff;
    wave.set_scalar(M0, kept | (by & 0xff) | (u32::from(uses) << 12));
}

/// Executes a vector step with indexed registers.
#[inline(never)]
pub(super) fn execute(
    code: &PreparedProgram,
    wave: &mut Wave,
    step: &ProgramStep,
    uses: u8,
) -> Result<(), WaveStop> {
    let by = (wave.scalar(M0) & 0xff) as u16;
    match step {
        ProgramStep::Narrow(step) => vector::narrow(code, wave, &moved(step, by, uses)?),
        ProgramStep::Compare(step) => vector::compare(code, wave, &moved(step, by, uses)?),
        ProgramStep::Carry(step) => vector::carry(code, wave, &moved(step, by, uses)?),
        ProgramStep::Wide(step) => vector::wide(code, wave, &moved(step, by, uses)?),
        ProgramStep::WideCompare(step) => vector::wide_compare(code, wave, &moved(step, by, uses)?),
        ProgramStep::WideCarry(step) => vector::wide_carry(code, wave, &moved(step, by, uses)?),
        _ => return Err(unsupported("it cannot be indexed".into())),
    }
    Ok(())
}

/// Returns the step with its registers advanced by the index.
fn moved<F: Copy>(step: &VectorStep<F>, by: u16, uses: u8) -> Result<VectorStep<F>, WaveStop> {
    let used = |bit: usize| (uses >> bit) & 1 != 0;
    // The copy is necessary because the index may differ on each execution.
    let mut action = step.action.clone();
    let [mut low, mut high] = step.from;
    for (index, operand) in action.from.iter_mut().enumerate() {
        let registers = action
            .operation
            .from
            .get(index)
            .map_or(1, |one| one.registers());
        if let SourceOperand::Vector(register) = operand
            && used(index)
        {
            *register = reach(*register, by, registers)?;
            low[index] = Fetch::Vector(*register);
            if registers == 2 {
                high[index] = low[index].next();
            }
        }
    }
    if uses & RESULT != 0 {
        action.to = reach(action.to, by, action.operation.to.registers())?;
    }
    Ok(VectorStep {
        run: step.run,
        from: [low, high],
        to: action.to,
        care: step.care,
        keeps_half: step.keeps_half,
        permutation: step.permutation.clone(),
        action,
    })
}

/// Returns the first of `registers` registers, `by` after `first`. An index never leaves the
/// accumulation or the architectural registers.
fn reach(first: u16, by: u16, registers: u16) -> Result<u16, WaveStop> {
    // Accumulation registers are 256 and up, so the remainder is the number within the kind.
    let place = first % 256 + by;
    match place + registers {
        0..=256 => Ok(first / 256 * 256 + place),
        _ => Err(unsupported(format!(
            "M0 selects the register {by} beyond v{first}, which does not exist"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Isa;
    use crate::program::Program;

    const ON: u32 = 0xbf11_0104; // s_set_gpr_idx_on s4, gpr_idx(SRC0)
    const MOVE: u32 = 0x7e06_0302; // v_mov_b32_e32 v3, v2
    const OFF: u32 = 0xbf9c_0000;
    const BRANCH_BACK: u32 = 0xbf82_fffd; // s_branch to two words before itself
    const END: u32 = 0xbf81_0000;

    fn prepared(words: &[u32]) -> PreparedProgram {
        PreparedProgram::new(&Program::of_words(Isa::Gfx942, words))
    }

    #[track_caller]
    fn check_refused(words: &[u32], expected: &str) {
        match &prepared(words).steps[0] {
            ProgramStep::Other(action) => match &**action {
                Action::Refused(reason) => assert_eq!(reason, expected),
                _ => panic!("not refused"),
            },
            _ => panic!("not refused"),
        }
    }

    #[test]
    fn registers_between_are_indexed() {
        let code = prepared(&[ON, MOVE, OFF, MOVE, END]);
        assert!(matches!(
            code.steps[1],
            ProgramStep::Indexed { uses: 1, .. }
        ));
        assert!(matches!(code.steps[3], ProgramStep::Narrow(_)));
    }

    #[test]
    fn a_region_that_is_not_one_straight_line_is_refused() {
        let target = "the branch at 0xc jumps into a register-indexing region";
        check_refused(&[ON, MOVE, OFF, BRANCH_BACK, END], target);
        check_refused(&[ON, MOVE, END], "s_endpgm in a register-indexing region");
        check_refused(&[ON, MOVE], "the register-indexing region has no end");
    }

    #[test]
    fn the_index_moves_sources_or_the_result() {
        for (uses, from, to) in [(1, 7, 3), (8, 2, 8), (9, 7, 8), (0, 2, 3)] {
            let code = prepared(&[ON & !0xf00 | uses << 8, MOVE, OFF]);
            let mut wave = Wave::new(Isa::Gfx942, 64);
            for register in 0..16 {
                wave.vector[register].0 = [100 + register as u32; 64];
            }
            wave.set_exec(1 << 9);
            turn_on(&mut wave, 5, uses as u8);
            let ProgramStep::Indexed { step, uses } = &code.steps[1] else {
                panic!("not indexed");
            };
            assert!(execute(&code, &mut wave, step, *uses).is_ok());
            assert_eq!(wave.vector[to].0[9], 100 + from);
            assert_eq!(wave.vector[to].0[8], 100 + to as u32);
        }
    }

    #[test]
    fn the_index_is_refused_beyond_the_registers() {
        let code = prepared(&[ON, MOVE, OFF]);
        let mut wave = Wave::new(Isa::Gfx942, 64);
        turn_on(&mut wave, 254, 1);
        let ProgramStep::Indexed { step, uses } = &code.steps[1] else {
            panic!("not indexed");
        };
        assert!(execute(&code, &mut wave, step, *uses).is_err());
    }
}
