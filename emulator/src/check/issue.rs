//! Operations in flight: what an instruction issues, and what it uses too early.

use super::Checker;
use super::effect::Class;
use super::finding::FindingKind;
use super::waits::{Counter, name};
use crate::execute::Wave;
use crate::instruction::{Action, Space};
use crate::operation::MemoryOperation;

impl Checker<'_> {
    /// Some register of the instruction is waited for.
    pub(super) fn check_waits(&mut self, wave: &Wave) {
        let (class, reads, writes) = self.effects.of(wave.current);
        let waits = &mut self.waves[wave.number as usize].waits;
        let counter = counter(class);
        let missing = |waits: &super::Waits, register: u16, written: bool| {
            // Operations of one class write their registers in order.
            let ordered =
                written && counter.is_some_and(|counter| waits.only_of(counter, register));
            waits.is_pending(register) && !ordered
        };
        let read = reads
            .iter()
            .find(|&&register| missing(waits, register, false));
        let found = read.map(|&register| (register, false)).or_else(|| {
            let written = writes
                .iter()
                .find(|&&register| missing(waits, register, true));
            written.map(|&register| (register, true))
        });
        let Some((register, written)) = found else {
            return;
        };
        let writer = waits.writer(register);
        for &register in reads.iter().chain(writes) {
            waits.forget(register);
        }
        let Some((counter, operation, after)) = writer else {
            return;
        };
        let what = self.describe(operation.step);
        self.report(FindingKind::MissingWait, wave, None, None, || {
            format!(
                "{} is {} while {what} may be outstanding: no wait for {} lets at most {after} operations remain",
                name(register),
                if written { "written" } else { "read" },
                counter.name(),
            )
        });
    }

    /// The instruction has been issued: what it writes may be outstanding.
    pub(super) fn issue(&mut self, wave: &Wave) {
        let (class, _, writes) = self.effects.of(wave.current);
        let active = wave.exec() != 0;
        let writes = if active || class == Class::ScalarMemory {
            writes
        } else {
            &[]
        };
        let waits = &mut self.waves[wave.number as usize].waits;
        let (mut load, mut flat) = (true, false);
        let instructions = self.code.program().instructions();
        if let Some(Action::Memory(action)) = instructions.get(wave.current).map(|one| &one.action)
        {
            flat = action.space == Space::Flat;
            load = matches!(
                action.operation,
                MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. }
            ) || action.returns.is_some();
        }
        match counter(class) {
            Some(Counter::Scalar) if writes.is_empty() => {}
            Some(Counter::Load) if !load && !self.stores_with_loads => {}
            Some(counter) => waits.issue(counter, wave.current, writes),
            None => {}
        }
        // It may lead to LDS, and is counted there too: stores as well.
        if flat {
            waits.issue(Counter::Share, wave.current, writes);
        }
    }
}

/// The counter of an instruction's class.
fn counter(class: Class) -> Option<Counter> {
    match class {
        Class::Memory => Some(Counter::Load),
        Class::Share | Class::Permute => Some(Counter::Share),
        Class::ScalarMemory => Some(Counter::Scalar),
        _ => None,
    }
}
