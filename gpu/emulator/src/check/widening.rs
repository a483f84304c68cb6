//! Widening of partly undefined results to whole ones. Trials may agree on some bits of a float,
//! or of a selected value, by chance: different floats often end in the same zeros.

use super::Checker;
use super::undefined_registers::UndefinedRegisters;
use crate::execute::Wave;
use crate::instruction::{Action, VECTOR_MASK, VectorAction};
use crate::operation::{BitDependence, Type};

impl Checker<'_> {
    /// Widens the undefined bits that the trials found for the wave's current instruction.
    pub(super) fn widen(&mut self, wave: &Wave) {
        let instructions = self.code.program.instructions();
        let action = instructions.get(wave.current).map(|one| &one.action);
        let registers = &mut self.waves[wave.number as usize].registers;
        match action {
            Some(Action::Vector(action)) => widen(registers, wave, action),
            Some(Action::Dual(actions)) => actions
                .iter()
                .for_each(|action| widen(registers, wave, action)),
            Some(Action::Scalar { operation, to, .. }) => {
                let chosen = registers.scc() && operation.pattern == BitDependence::Choice;
                let count = usize::from(operation.to / 32);
                for register in (usize::from(*to)..).take(count) {
                    if chosen && registers.scalar(register) != 0 {
                        registers.set_scalar(register, u32::MAX);
                    }
                }
            }
            _ => {}
        }
    }
}

fn widen(registers: &mut UndefinedRegisters, wave: &Wave, action: &VectorAction) {
    let operation = action.operation;
    let lanes = match operation.to {
        _ if operation.pattern == BitDependence::Choice => registers.pair(action.from_mask.into()),
        Type::F16 | Type::F32 | Type::F64 => u64::MAX,
        _ => 0,
    };
    let lanes = lanes & wave.exec();
    // SDWA writes parts of a register; the other parts keep their state.
    if lanes == 0 || action.modifiers.sdwa.is_some() {
        return;
    }
    let high = action.modifiers.select & 8 != 0;
    // A 16-bit result occupies one half of its register.
    let bytes = match (operation.to.is_half(), high) {
        (true, false) => 0..2,
        (true, true) => 2..4,
        (false, _) => 0..4,
    };
    let each = (0..operation.to.registers()).map(|index| (action.to + index) & VECTOR_MASK as u16);
    let any = each.clone().fold(0, |any, register| {
        (registers.vector(register)[bytes.clone()].iter()).fold(any, |any, byte| any | byte)
    }) & lanes;
    for register in each {
        let mut all = registers.vector(register);
        all[bytes.clone()].iter_mut().for_each(|byte| *byte |= any);
        registers.set_vector(register, u64::MAX, all);
    }
}
