//! Execution: waves step through prepared programs.
//!
//! Vocabulary: a *step* is an instruction prepared for execution (loops chosen for the host, constants spread over
//! the lanes, branch targets as indices); a *wave* is the state of 32 or 64 lanes; a *stop* is why a wave does not go on by
//! itself. All sources of an instruction are read before its destination is written.

mod access;
mod hardware;
mod indexed;
mod lane;
mod lanes;
mod lds;
mod memory;
mod modifiers;
mod modify;
mod permute;
mod prepare;
mod private;
mod scalar;
mod state;
mod step;
mod stop;
mod store;
#[cfg(test)]
mod tests;
mod timing;
mod transfer;
mod vector;
mod watch;
mod wave;

pub(crate) use access::{Access, Region};
pub(crate) use hardware::check_mode;
pub(crate) use lanes::lanes;
pub(crate) use memory::WAY;
pub(crate) use step::{Prepared, Step};
pub(crate) use stop::{Stop, Trouble};
pub(crate) use timing::{Timing, Traffic, WINDOW};
pub(crate) use watch::{Moved, Unwatched, Watch};
pub(crate) use wave::{APERTURE_PRIVATE, APERTURE_SHARED, Device, PRIVATE_RESOURCE, Wave};

use crate::instruction::{Condition, VCC};
use crate::operation::host::for_host;

for_host! {
    /// Runs a wave until it ends, waits at a barrier, sleeps or faults, while `watch` looks on.
    pub(crate) fn run[W: Watch](
        code: &Prepared,
        wave: &mut Wave,
        device: &mut Device<'_>,
        watch: &mut W,
    ) -> Stop {
        loop {
            let Some(step) = code.steps.get(wave.next) else {
                return Stop::Fault(Trouble::end_of_code());
            };
            wave.current = wave.next;
            wave.next += 1;
            wave.executed += 1;
            if wave.executed > device.instruction_limit {
                return Stop::Fault(Box::new(Trouble::InstructionLimit(
                    device.instruction_limit,
                )));
            }
            if !watch.before(code, wave, device) {
                continue;
            }
            let result = match step {
                Step::Narrow(step) => {
                    vector::narrow(code, wave, step);
                    Ok(())
                }
                Step::Compare(step) => {
                    vector::compare(code, wave, step);
                    Ok(())
                }
                Step::Carry(step) => {
                    vector::carry(code, wave, step);
                    Ok(())
                }
                Step::Scalar(step) => {
                    scalar::compute(wave, step);
                    Ok(())
                }
                Step::Branch { condition, target } => {
                    if taken(wave, *condition) {
                        match target {
                            Ok(index) => wave.next = *index as usize,
                            Err(address) => return Stop::Fault(Box::new(Trouble::Jump(*address))),
                        }
                    }
                    Ok(())
                }
                Step::Nothing => Ok(()),
                Step::Sleep => Err(Stop::Sleep),
                Step::Memory(action) => memory::access(wave, device, action, watch),
                Step::Lds(action) => lds::access(wave, device, action, watch),
                Step::Wide(step) => {
                    vector::wide(code, wave, step);
                    Ok(())
                }
                Step::WideCompare(step) => {
                    vector::wide_compare(code, wave, step);
                    Ok(())
                }
                Step::WideCarry(step) => {
                    vector::wide_carry(code, wave, step);
                    Ok(())
                }
                Step::Dual(steps) => {
                    vector::dual(code, wave, steps);
                    Ok(())
                }
                Step::Uniform(step) => {
                    vector::uniform(code, wave, step);
                    Ok(())
                }
                Step::Indexed { step, uses } => indexed::execute(code, wave, step, *uses),
                Step::Other(action) => scalar::other(code, wave, device, action, watch),
            };
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
