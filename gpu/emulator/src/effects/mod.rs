//! The registers that instructions read and write, computed once for each instruction of a
//! program.

mod access_registers;
mod cache_effect;
mod class;
mod counter_increments;
mod register_number;
mod usage;

pub(crate) use cache_effect::{ALL, CacheEffect, CacheMask, needs_flush};
pub(crate) use class::Class;
pub(crate) use counter_increments::{Counter, CounterIncrements};
pub(crate) use register_number::{REGISTERS, SCALAR, SCC, name};

use counter_increments::counts;
use usage::RegisterUsage;

use crate::execute::{PreparedProgram, ProgramStep};
use crate::instruction::{Action, Instruction, VectorAction};
use crate::isa::Isa;
use crate::operation::MemoryOperation;

/// The registers of one instruction, as a range of [`Effects::registers`]: first the read ones,
/// then the written ones.
#[derive(Clone, Copy)]
struct Effect {
    start: u32,
    reads: u16,
    writes: u16,
    class: Class,
    counts: CounterIncrements,
    scope: CacheEffect,
}

/// The effects of a program's instructions.
pub(crate) struct Effects {
    registers: Vec<u16>,
    effects: Vec<Effect>,
    /// True if some instruction can publish stores to other workgroups.
    pub(crate) hands_over: bool,
}

impl Effects {
    pub(crate) fn new(
        instructions: &[Instruction],
        code: &PreparedProgram,
        isa: Isa,
        lanes: u32,
    ) -> Effects {
        let mut all = Effects {
            registers: Vec::new(),
            effects: Vec::with_capacity(instructions.len()),
            hands_over: false,
        };
        for (instruction, step) in instructions.iter().zip(&code.steps) {
            let mut list = RegisterUsage::new(isa, lanes);
            let mut class = list.action(&instruction.action);
            // The checker resolves indexed registers itself, so their list must stay empty.
            if matches!(step, ProgramStep::Indexed { .. }) {
                class = Class::Relative;
                list = RegisterUsage::new(isa, lanes);
            }
            let scope = CacheEffect::of(instruction);
            if matches!(scope, CacheEffect::Flush | CacheEffect::Invalidate(_)) {
                class = Class::Fence;
            }
            all.hands_over |= scope == CacheEffect::Bypass || is_atomic(&instruction.action);
            all.effects.push(Effect {
                start: all.registers.len() as u32,
                reads: list.reads.len() as u16,
                writes: list.writes.len() as u16,
                class,
                counts: counts(class, &instruction.action, isa),
                scope,
            });
            all.registers.append(&mut list.reads);
            all.registers.append(&mut list.writes);
        }
        all
    }

    /// Returns the counter increments of the instruction `index`.
    pub(crate) fn counts(&self, index: usize) -> CounterIncrements {
        self.effects[index].counts
    }

    /// Returns the effect of the instruction `index` on the caches between workgroups.
    pub(crate) fn scope(&self, index: usize) -> CacheEffect {
        self.effects[index].scope
    }

    /// Returns the class of the instruction `index`, and the registers that it reads and writes.
    #[inline(always)]
    pub(crate) fn effect(&self, index: usize) -> (Class, &[u16], &[u16]) {
        let effect = &self.effects[index];
        let start = effect.start as usize;
        let middle = start + usize::from(effect.reads);
        let end = middle + usize::from(effect.writes);
        (
            effect.class,
            &self.registers[start..middle],
            &self.registers[middle..end],
        )
    }
}

fn is_atomic(action: &Action) -> bool {
    matches!(action, Action::Memory(action) if matches!(action.operation, MemoryOperation::Atomic { .. }))
}

/// Returns the registers that a vector instruction reads and writes.
pub(crate) fn of_vector(action: &VectorAction, isa: Isa, lanes: u32) -> (Vec<u16>, Vec<u16>) {
    let mut list = RegisterUsage::new(isa, lanes);
    list.vector(action);
    (list.reads, list.writes)
}
