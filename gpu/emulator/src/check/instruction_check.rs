//! The check of instructions that need more than the fast path: waits, undefined bits, branches
//! and EXEC.

use super::Checker;
use super::finding::FindingKind;
use super::probe::Probe;
use crate::effects::Class;
use crate::effects::SCALAR;
use crate::execute::{PreparedProgram, WAY, Wave, WorkgroupContext};
use crate::instruction::{Action, Condition, EXEC, LdsOperation, SourceOperand, VCC, VECTOR_MASK};
use crate::isa::EncodingFamily;
use crate::loaded_code_object::CodeObject;
use crate::operation::OperationLoop;

impl Checker<'_> {
    /// Checks an instruction of any class before it executes.
    #[inline(never)]
    pub(super) fn step(
        &mut self,
        code: &PreparedProgram,
        wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
    ) {
        let (class, reads, writes) = self.effects.effect(wave.current);
        self.check_waits(wave, reads, writes);
        let registers = &mut self.waves[wave.number as usize].registers;
        let dirty = reads.iter().any(|&register| registers.is_dirty(register));
        let exec = class.written_lanes(wave);
        match class {
            Class::Compute | Class::Exec | Class::Matrix if !dirty => {
                for &register in writes {
                    registers.define(register, exec);
                }
            }
            Class::Compute | Class::Matrix => self.compute(code, wave, device),
            Class::Exec => {
                self.compute(code, wave, device);
                self.check_exec(wave);
            }
            Class::Permute => {
                // Only active lanes provide a value.
                let clean = |register: &u16| registers.lanes(*register) & exec == 0;
                let instructions = self.code.program.instructions();
                let inactive = match instructions.get(wave.current).map(|one| &one.action) {
                    Some(Action::Lds(lds)) => {
                        lds.operation == LdsOperation::PermuteBackwardInactive
                    }
                    _ => true,
                };
                if dirty && (inactive || !reads.iter().all(clean)) {
                    self.compute(code, wave, device);
                } else {
                    writes
                        .iter()
                        .for_each(|&register| registers.define(register, exec));
                }
                self.accesses = true;
            }
            Class::WriteLane => self.write_lane(wave),
            Class::Relative => self.relative(code, wave, device),
            Class::Branch => {
                if dirty {
                    self.check_branch(wave);
                }
                let writes = self.effects.effect(wave.current).2;
                let registers = &mut self.waves[wave.number as usize].registers;
                writes
                    .iter()
                    .for_each(|&register| registers.define(register, exec));
            }
            Class::ScalarMemory | Class::Memory | Class::Direct | Class::Lds => {
                // The access methods read this mask later, so each access must reset it.
                self.undefined_address_lanes = 0;
                if dirty {
                    self.check_address(wave);
                }
                let writes = self.effects.effect(wave.current).2;
                let registers = &mut self.waves[wave.number as usize].registers;
                writes
                    .iter()
                    .for_each(|&register| registers.define(register, exec));
                if class == Class::Direct {
                    // Execution passes the values through these registers and restores them.
                    self.kept = Some(registers.keep(WAY, exec));
                }
                self.accesses = true;
            }
            Class::Wait => {
                if let Some(Action::Wait(wait)) = self.action(wave) {
                    let wait = *wait;
                    self.state(wave).waits.wait(wait);
                    self.handover.wait(wave.number as usize, wait);
                }
            }
            Class::Fence => {
                let scope = self.effects.scope(wave.current);
                self.handover.scope(wave.number as usize, scope);
            }
            Class::Nothing => {}
        }
    }

    pub(super) fn action(&self, wave: &Wave) -> Option<&Action> {
        let instructions = self.code.program.instructions();
        instructions.get(wave.current).map(|one| &one.action)
    }

    /// Propagates undefined bits through the instruction.
    fn compute(&mut self, code: &PreparedProgram, wave: &Wave, device: &mut WorkgroupContext<'_>) {
        // The probe executes the instruction many times, so it is the last resort.
        if self.propagate_fast(wave) || self.inactive_only(wave) {
            return;
        }
        let instructions = self.code.program.instructions();
        let constants = instructions
            .get(wave.current)
            .map(|one| constants(&one.action));
        let (_, reads, writes) = self.effects.effect(wave.current);
        let probe = probe(&mut self.probe, self.code, wave);
        probe.run(
            code,
            wave,
            device,
            &mut self.waves[wave.number as usize].registers,
            (reads, writes),
            &constants.unwrap_or_default(),
        );
        self.widen(wave);
    }

    /// Returns true if a plain vector instruction reads only defined bits in its active lanes.
    /// Then it marks the results as defined.
    fn inactive_only(&mut self, wave: &Wave) -> bool {
        let instructions = self.code.program.instructions();
        let Some(Action::Vector(action)) = instructions.get(wave.current).map(|one| &one.action)
        else {
            return false;
        };
        let modifiers = &action.modifiers;
        if modifiers.dpp.is_some_and(|dpp| dpp.fetch_inactive) {
            return false;
        }
        let (_, reads, writes) = self.effects.effect(wave.current);
        let halves_stay = self.code.isa().family() >= EncodingFamily::Gfx10;
        let registers = &mut self.waves[wave.number as usize].registers;
        let exec = wave.exec();
        let clean = |register: u16, wanted: [bool; 2]| {
            let [a, b, c, d] = registers.vector(register);
            let low = if wanted[0] { a | b } else { 0 };
            let high = if wanted[1] { c | d } else { 0 };
            (low | high) & exec == 0
        };
        // If lanes or parts of the destination keep their value, it is among the reads.
        let parts = modifiers.dpp.is_some() || modifiers.sdwa.is_some();
        let vectors = reads.iter().filter(|&&register| register < SCALAR);
        if parts
            && !vectors
                .into_iter()
                .all(|&register| clean(register, [true; 2]))
        {
            return false;
        }
        // A read besides the sources is the destination, which keeps some parts.
        let mut halves = [true; 2];
        if action.operation.to.is_half() {
            let high = modifiers.select & 8 != 0;
            let stays = action.operation.keeps_half || halves_stay;
            halves = if (stays || high) && !parts {
                [!high, high]
            } else {
                halves
            };
        }
        for (index, (operand, of)) in action.from.iter().zip(action.operation.from).enumerate() {
            let SourceOperand::Vector(register) = *operand else {
                continue;
            };
            let high = (modifiers.select >> index) & 1 != 0;
            let wanted = if of.is_half() && !modifiers.mixed {
                [!high, high]
            } else {
                [true; 2]
            };
            // A 16-bit source matters only in the selected half.
            if (0..of.registers())
                .any(|part| !clean((register + part) & VECTOR_MASK as u16, wanted))
            {
                return false;
            }
        }
        let masked = matches!(
            action.operation.body,
            OperationLoop::Carry { reads: true, .. } | OperationLoop::WideCarry { reads: true, .. }
        );
        let scalar = reads
            .iter()
            .any(|&register| register >= SCALAR && registers.is_dirty(register));
        let mask = action.from_mask;
        if scalar && (parts || !(masked && self.mask_is_clean(wave, mask))) {
            return false;
        }
        let registers = &mut self.waves[wave.number as usize].registers;
        let kept = |byte: usize| if halves[byte / 2] { exec } else { 0 };
        for &register in writes {
            if register < SCALAR {
                let old = registers.vector(register);
                let bytes = std::array::from_fn(|byte| old[byte] & !kept(byte));
                registers.set_vector(register, u64::MAX, bytes);
            } else {
                registers.define(register, exec);
            }
        }
        true
    }

    fn check_exec(&mut self, wave: &Wave) {
        let registers = &mut self.state(wave).registers;
        let undefined = registers.pair(EXEC.into());
        if undefined == 0 {
            return;
        }
        // The finding is reported once; a defined EXEC avoids further ones.
        registers.set_pair(EXEC.into(), 0);
        let lane = undefined.trailing_zeros();
        self.report(FindingKind::Uninitialized, wave, Some(lane), None, || {
            format!(
                "a value that was never written decides whether {} lanes are active",
                undefined.count_ones()
            )
        });
    }

    fn check_branch(&mut self, wave: &Wave) {
        let registers = &self.waves[wave.number as usize].registers;
        let what = match self.action(wave) {
            Some(Action::Branch {
                condition: Condition::VccZero(_),
                ..
            }) => {
                let undefined = registers.pair(VCC.into());
                if wave.mask(VCC) & !undefined != 0 {
                    // One defined set bit makes it nonzero, whatever the others are.
                    return;
                }
                "VCC"
            }
            Some(Action::Branch { .. }) => "SCC",
            _ => "its target",
        };
        self.report(FindingKind::Uninitialized, wave, None, None, || {
            format!("the branch depends on {what}, which comes from a value that was never written")
        });
        let reads = self.effects.effect(wave.current).1;
        let registers = &mut self.waves[wave.number as usize].registers;
        reads
            .iter()
            .for_each(|&register| registers.define(register, u64::MAX));
    }

    fn write_lane(&mut self, wave: &Wave) {
        let Some(Action::Lane { to, from, .. }) = self.action(wave) else {
            return;
        };
        let (to, value) = (*to, from[0]);
        let lane = wave.read(from[1], false) as usize & (wave.lanes() - 1);
        let registers = &mut self.state(wave).registers;
        let undefined = match value {
            SourceOperand::Scalar(register) => registers.scalar(register.into()),
            _ => 0,
        };
        // Compilers spill lane masks this way, and the bits of inactive lanes are undefined. A
        // byte therefore counts as defined if any of its bits is.
        let bytes =
            std::array::from_fn(|byte| u64::from((undefined >> (8 * byte)) & 0xff == 0xff) << lane);
        registers.set_vector(to, 1 << lane, bytes);
    }
}

/// Returns the checker's stand-in wave and creates it on first use.
pub(super) fn probe<'a>(
    place: &'a mut Option<Box<Probe>>,
    code: &CodeObject,
    wave: &Wave,
) -> &'a mut Probe {
    place.get_or_insert_with(|| {
        let stand_in = Wave::new(code.isa(), wave.lanes() as u32);
        Box::new(Probe::new(stand_in))
    })
}

/// Returns the constants among the sources.
fn constants(action: &Action) -> Vec<u64> {
    let of = |from: &[SourceOperand]| {
        let constants = from.iter().filter_map(|operand| match operand {
            SourceOperand::Constant(value) => Some(*value),
            _ => None,
        });
        constants.collect()
    };
    match action {
        Action::Vector(action) => of(&action.from),
        Action::Dual(actions) => actions.iter().flat_map(|action| of(&action.from)).collect(),
        Action::Scalar { from, .. } => of(from),
        _ => Vec::new(),
    }
}
