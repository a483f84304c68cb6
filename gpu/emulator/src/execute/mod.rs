//! Execution: waves step through prepared programs.
//!
//! A *step* is an instruction prepared for execution: loops chosen for the host, constants spread
//! over the lanes, branch targets as indices. A *wave* is the state of 32 or 64 lanes. A *stop*
//! is the reason why a wave does not continue by itself. An instruction reads all its sources
//! before it writes its destination.

mod access;
mod cross_lane;
mod dpp;
mod half_overflow;
mod hardware_register;
mod instruction_cost;
mod lane_mask;
mod lane_storage;
mod lds;
mod memory;
mod modified_operands;
mod modifiers;
mod observer;
mod prepare;
mod private;
mod register_indexing;
mod scalar;
mod state_hash;
mod step;
mod stop;
#[cfg(test)]
mod tests;
mod transfer;
mod vector;
mod wave;

pub(crate) use access::{MemoryAccess, Region};
pub(crate) use hardware_register::check_mode;
pub(crate) use instruction_cost::{AccessKind, InstructionCost, WINDOW};
pub(crate) use lane_mask::lanes;
pub(crate) use lds::transpose;
pub(crate) use memory::WAY;
pub(crate) use observer::{AccessOperands, ExecutionObserver, NoObserver};
pub(crate) use step::{PreparedProgram, ProgramStep};
pub(crate) use stop::{FaultCause, WaveStop};
pub(crate) use wave::{
    APERTURE_PRIVATE, APERTURE_SHARED, PRIVATE_RESOURCE, Wave, WorkgroupContext,
};

use crate::instruction::{Condition, VCC};
use crate::operation::host::for_host;
use crate::operation::matrix::multiply;

for_host! {
    /// Runs a wave until it ends, waits at a barrier, sleeps or faults. `watch` observes each
    /// step.
    pub(crate) fn run[W: ExecutionObserver](
        code: &PreparedProgram,
        wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
        watch: &mut W,
    ) -> WaveStop {
        loop {
            let Some(step) = code.steps.get(wave.next) else {
                return WaveStop::Fault(FaultCause::end_of_code());
            };
            wave.current = wave.next;
            wave.next += 1;
            wave.executed += 1;
            // The check precedes the step, so that a higher limit can resume the wave
            // (`Wave::repeat`).
            if wave.executed > device.instruction_limit {
                return WaveStop::Fault(Box::new(FaultCause::InstructionLimit(
                    device.instruction_limit,
                )));
            }
            // An observer may skip the step; the wave then continues behind it.
            if !watch.before(code, wave, device) {
                continue;
            }
            let result = match step {
                ProgramStep::Narrow(step) => {
                    vector::narrow(code, wave, step);
                    Ok(())
                }
                ProgramStep::Compare(step) => {
                    vector::compare(code, wave, step);
                    Ok(())
                }
                ProgramStep::Carry(step) => {
                    vector::carry(code, wave, step);
                    Ok(())
                }
                ProgramStep::Scalar(step) => {
                    scalar::compute(wave, step);
                    Ok(())
                }
                ProgramStep::Branch { condition, target } => {
                    if taken(wave, *condition) {
                        match target {
                            Ok(index) => wave.next = *index as usize,
                            Err(address) => return WaveStop::Fault(Box::new(FaultCause::Jump(*address))),
                        }
                    }
                    Ok(())
                }
                ProgramStep::Nothing => Ok(()),
                ProgramStep::Sleep => Err(WaveStop::Sleep),
                ProgramStep::Memory(action) => memory::access(wave, device, action, watch),
                ProgramStep::Lds(action) => lds::access(wave, device, action, watch),
                ProgramStep::Wide(step) => {
                    vector::wide(code, wave, step);
                    Ok(())
                }
                ProgramStep::WideCompare(step) => {
                    vector::wide_compare(code, wave, step);
                    Ok(())
                }
                ProgramStep::WideCarry(step) => {
                    vector::wide_carry(code, wave, step);
                    Ok(())
                }
                ProgramStep::Dual(steps) => {
                    vector::dual(code, wave, steps);
                    Ok(())
                }
                ProgramStep::Uniform(step) => {
                    vector::uniform(code, wave, step);
                    Ok(())
                }
                ProgramStep::Matrix(action) => {
                    // A product counts once for the wave, whatever its lanes.
                    wave.approximate += u64::from(action.operation.is_approximate());
                    let factors = wave.factors.take();
                    let registers = &mut wave.vector[..];
                    multiply(&action.operation, &action.operands, registers, factors.as_deref());
                    Ok(())
                }
                ProgramStep::Indexed { step, uses } => register_indexing::execute(code, wave, step, *uses),
                ProgramStep::Other(action) => scalar::other(code, wave, device, action, watch),
            };
            // Observers must also see the step that stops the wave.
            watch.after(code, wave, device);
            if let Err(stop) = result {
                return stop;
            }
        }
    }
}

#[inline(always)]
fn taken(wave: &Wave, condition: Condition) -> bool {
    match condition {
        Condition::Always => true,
        Condition::Never => false,
        Condition::Scc(value) => wave.scc == value,
        Condition::VccZero(zero) => (wave.mask(VCC) == 0) == zero,
        Condition::ExecZero(zero) => (wave.exec() == 0) == zero,
    }
}
