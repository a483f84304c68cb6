//! Operations in flight: the issue of an operation, and the early use of its result.

use super::Checker;
use super::finding::FindingKind;
use crate::effects::{Class, name};
use crate::execute::{WAY, Wave};

impl Checker<'_> {
    /// Checks the registers that the instruction reads and writes for outstanding operations.
    pub(super) fn check_waits(&mut self, wave: &Wave, reads: &[u16], writes: &[u16]) {
        let waits = &mut self.waves[wave.number as usize].waits;
        if waits.is_idle() {
            return;
        }
        let counter = self.effects.counts(wave.current).counter;
        let missing = |waits: &super::WaitCounters, register: u16, written: bool| {
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
        // One finding per operation is enough; later uses would repeat it.
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

    /// Records the issue of an instruction with outstanding results.
    pub(super) fn issue(&mut self, wave: &Wave) {
        let (class, _, writes) = self.effects.effect(wave.current);
        // Without active lanes, a vector access returns no data. Scalar loads ignore EXEC.
        let active = wave.exec() != 0 || class == Class::ScalarMemory;
        let writes = if active { writes } else { &[] };
        let counts = self.effects.counts(wave.current);
        let state = &mut self.waves[wave.number as usize];
        for counter in counts.counter.into_iter().chain(counts.also) {
            let flat = counts.also.is_some();
            state.waits.issue(counter, wave.current, writes, flat);
        }
        if let Some(kept) = self.kept.take() {
            state.registers.restore(WAY, &kept);
        }
    }
}
