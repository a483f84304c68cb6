//! Instructions with register numbers from M0.

use super::Checker;
use super::instruction_check::probe;
use crate::effects::of_vector;
use crate::effects::{SCALAR, SCC};
use crate::execute::{PreparedProgram, ProgramStep, Wave, WorkgroupContext};
use crate::instruction::{Action, LaneOperation, M0, SourceOperand, VectorAction};

impl Checker<'_> {
    /// Resolves the registers that M0 selects, then checks the instruction.
    pub(super) fn relative(
        &mut self,
        code: &PreparedProgram,
        wave: &Wave,
        device: &mut WorkgroupContext<'_>,
    ) {
        let by = wave.scalar(M0);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        // The significant bits of M0.
        let mut index = u32::MAX;
        match self.action(wave) {
            Some(Action::MoveRelative {
                to,
                from,
                wide,
                relative_source,
            }) => {
                let [by_to, by_from] = if *relative_source { [0, by] } else { [by, 0] };
                for part in 0..1 + u16::from(*wide) {
                    if let SourceOperand::Scalar(register) = from {
                        reads.push(SCALAR + at(u16::from(*register), by_from) + part);
                    }
                    writes.push(SCALAR + at(u16::from(*to), by_to) + part);
                }
            }
            Some(Action::Lane {
                operation,
                to,
                from,
                ..
            }) => {
                // The distances follow the moves in `execute/cross_lane.rs`.
                let [by_to, by_from] = match operation {
                    LaneOperation::MoveRelativeSource => [0, by],
                    LaneOperation::MoveRelativeDestination => [by, 0],
                    LaneOperation::MoveRelativeBoth => [by, by],
                    _ => [(by >> 16) & 0x3ff, by & 0x3ff],
                };
                let to = at(*to, by_to);
                writes.push(to);
                if let SourceOperand::Vector(register) = from[0] {
                    reads.push(at(register, by_from));
                    if *operation == LaneOperation::SwapRelative {
                        reads.push(to);
                        writes.push(at(register, by_from));
                    }
                }
            }
            Some(Action::Vector(action)) => {
                let uses = match code.steps.get(wave.current) {
                    Some(ProgramStep::Indexed { uses, .. }) => *uses,
                    _ => 0,
                };
                index = 0xff;
                let moved = moved(action, by & index, uses);
                let lanes = self.launch.kernel.wavefront_size;
                (reads, writes) = of_vector(&moved, self.code.isa(), lanes);
            }
            _ => {}
        }
        let exists = |register: &u16| {
            let vector = *register < SCALAR;
            vector || (SCALAR..SCC).contains(register)
        };
        if !reads.iter().chain(&writes).all(exists) {
            // The run loop will refuse the instruction.
            return;
        }
        self.check_waits(wave, &reads, &writes);
        let registers = &mut self.waves[wave.number as usize].registers;
        let exec = wave.exec();
        let clean = |&register: &u16| match register {
            0..SCALAR => registers.lanes(register) & exec == 0,
            _ => !registers.is_dirty(register),
        };
        if registers.scalar(M0.into()) & index == 0 && reads.iter().all(clean) {
            writes
                .iter()
                .for_each(|&register| registers.define(register, exec));
        } else {
            reads.push(SCALAR + u16::from(M0));
            let lists = (&reads[..], &writes[..]);
            probe(&mut self.probe, self.code, wave).run(code, wave, device, registers, lists, &[]);
        }
    }
}

/// Returns a vector instruction with its indexed registers resolved.
fn moved(action: &VectorAction, by: u32, uses: u8) -> VectorAction {
    let mut moved = action.clone();
    let used = |bit: usize| by * u32::from((uses >> bit) & 1);
    for (index, operand) in moved.from.iter_mut().enumerate() {
        if let SourceOperand::Vector(register) = operand {
            *register = at(*register, used(index));
        }
    }
    moved.to = at(moved.to, used(3));
    moved
}

/// Returns the register at distance `by`; beyond the file, one that does not exist.
fn at(register: u16, by: u32) -> u16 {
    register.saturating_add(by.min(0xfff) as u16)
}
