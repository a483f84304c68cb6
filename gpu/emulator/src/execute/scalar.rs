//! The scalar unit, and rare instructions.

use super::cross_lane;
use super::hardware_register;
use super::memory;
use super::observer::ExecutionObserver;
use super::register_indexing;
use super::step::{PreparedProgram, ScalarStep};
use super::stop::{FaultCause, WaveStop, unsupported};
use super::wave::{Wave, WorkgroupContext};
use crate::instruction::{Action, EXEC, JumpKind, M0, SourceOperand};
use crate::isa::EncodingFamily;
use crate::operation::Lanes;
use crate::operation::scalar::{ExecOperation, ScalarInput};

#[inline(always)]
pub(super) fn compute(wave: &mut Wave, step: &ScalarStep) {
    let a = wave.read(step.from[0], step.wide[0]);
    let b = wave.read(step.from[1], step.wide[1]);
    // Many operations have no third source, so their steps skip the read.
    let c = match step.from[2] {
        SourceOperand::None => 0,
        third => wave.read(third, step.wide[2]),
    };
    // Some operations also read their destination, such as `s_bitset`.
    let d = if step.operation.to == 64 {
        wave.pair(step.to)
    } else {
        u64::from(wave.scalar(step.to))
    };
    let input = ScalarInput {
        a,
        b,
        c,
        d,
        scc: wave.scc,
        mode: wave.mode,
    };
    let (value, scc) = (step.operation.function)(&input);
    match step.operation.to {
        64 => wave.set_pair(step.to, value),
        32 => wave.set_scalar(step.to, value as u32),
        _ => {}
    }
    if step.operation.writes_scc {
        wave.scc = scc;
    }
}

/// Executes an instruction that is too rare for its own step.
#[inline(never)]
pub(super) fn other<W: ExecutionObserver>(
    code: &PreparedProgram,
    wave: &mut Wave,
    device: &mut WorkgroupContext<'_>,
    action: &Action,
    watch: &mut W,
) -> Result<(), WaveStop> {
    match action {
        Action::Exec {
            operation,
            to,
            from,
            wide,
        } => exec(wave, operation, *to, *from, *wide),
        Action::Jump { kind, to, from } => {
            return jump(code, wave, device, *kind, *to, wave.read(*from, true));
        }
        Action::HardwareRegister {
            number,
            offset,
            bits,
            access,
        } => {
            return hardware_register::access(wave, *number, *offset, *bits, *access);
        }
        Action::MoveRelative {
            to,
            from,
            wide,
            relative_source,
        } => {
            let by = wave.scalar(M0);
            let reach = |register: u8| {
                u8::try_from(u32::from(register).saturating_add(by))
                    .ok()
                    // Scalar registers 106 to 125 include VCC and M0; 126 is EXEC, which this
                    // move may not reach.
                    .filter(|&to| to < 126)
            };
            let (source, target) = match (*relative_source, *from) {
                (true, SourceOperand::Scalar(register)) => {
                    (reach(register).map(SourceOperand::Scalar), Some(*to))
                }
                // A relative source must be a register: a constant has no successor.
                (true, _) => (None, None),
                (false, constant) => (Some(constant), reach(*to)),
            };
            let (Some(source), Some(target)) = (source, target) else {
                return Err(unsupported(format!(
                    "M0 = {by} selects a register beyond the scalar registers"
                )));
            };
            let value = wave.read(source, *wide);
            if *wide {
                wave.set_pair(target, value)
            } else {
                wave.set_scalar(target, value as u32)
            }
        }
        Action::IndexOn { by, uses } => {
            let by = wave.read(*by, false) as u32;
            register_indexing::turn_on(wave, by, *uses);
        }
        Action::Lane {
            operation,
            to,
            from,
            select,
        } => return cross_lane::execute(wave, *operation, *to, from, *select),
        Action::LoadLds(load) => return memory::load_lds(wave, device, load, watch),
        Action::ScalarMemory(load) => return memory::scalar(wave, device, load, watch),
        Action::Time { to } => {
            let time = wave.time();
            wave.set_pair(*to, time);
        }
        Action::End => return Err(WaveStop::End),
        Action::Barrier => {
            // From gfx12 on, a separate signal instruction counts the arrival.
            wave.arrived += u64::from(wave.isa.family() < EncodingFamily::Gfx12);
            wave.waits += 1;
            return Err(WaveStop::Barrier);
        }
        Action::Signal { first } => {
            wave.arrived += 1;
            if *first {
                // The first wave at the barrier gets SCC = 1.
                wave.scc = device.most_arrived < wave.arrived;
            }
            device.most_arrived = device.most_arrived.max(wave.arrived);
        }
        Action::BarrierState { .. } => {
            return Err(unsupported("the state of a barrier is not emulated".into()));
        }
        Action::Message { to, wide, number } => return message(wave, *to, *wide, *number),
        Action::Trap { id } => {
            return Err(WaveStop::Fault(Box::new(FaultCause::Trap(u32::from(*id)))));
        }
        Action::Refused(reason) => return Err(unsupported(reason.clone())),
        Action::MatrixScale { from, bytes } => {
            let factors = [0, 1].map(|side| {
                let shift = 8 * u32::from(bytes[side]);
                let lanes = wave.lanes_of(from[side]);
                Lanes(lanes.0.map(|word| (word >> shift) & 0xff))
            });
            wave.factors = Some(Box::new(factors));
        }
        // These actions have their own steps.
        Action::Vector(_)
        | Action::Matrix(_)
        | Action::Dual(_)
        | Action::Uniform(_)
        | Action::Scalar { .. }
        | Action::Branch { .. }
        | Action::Memory(_)
        | Action::Lds(_)
        | Action::Wait(_)
        | Action::IndexOff
        | Action::Nothing => {}
    }
    Ok(())
}

fn exec(wave: &mut Wave, operation: &ExecOperation, to: u8, from: SourceOperand, wide: bool) {
    let source = wave.read(from, wide);
    let old = if wide {
        wave.pair(EXEC)
    } else {
        u64::from(wave.scalar(EXEC))
    };
    let new = (operation.function)(source, old);
    // `*_saveexec` returns the old EXEC, `*_wrexec` the new one.
    let returned = if operation.returns_new { new } else { old };
    if wide {
        wave.set_pair(to, returned);
        wave.set_pair(EXEC, new);
        wave.scc = new != 0;
    } else {
        wave.set_scalar(to, returned as u32);
        wave.set_scalar(EXEC, new as u32);
        wave.scc = new as u32 != 0;
    }
}

/// Answers `s_sendmsg_rtn_*` for messages that need no operating system (LLVM, `SIDefines.h`,
/// ID_RTN_GET_REALTIME).
fn message(wave: &mut Wave, to: u8, wide: bool, number: u8) -> Result<(), WaveStop> {
    const REAL_TIME: u8 = 131;
    if number != REAL_TIME {
        return Err(unsupported(format!("the answer to message {number}")));
    }
    let time = wave.time();
    match wide {
        true => wave.set_pair(to, time),
        false => wave.set_scalar(to, time as u32),
    }
    Ok(())
}

fn jump(
    code: &PreparedProgram,
    wave: &mut Wave,
    device: &WorkgroupContext<'_>,
    kind: JumpKind,
    to: u8,
    target: u64,
) -> Result<(), WaveStop> {
    // `wave.next` already names the instruction after the jump.
    // The addresses in the program are relative to the image, but registers hold absolute ones.
    let here = code.addresses.get(wave.next).copied().unwrap_or_default();
    let next = device.load_address + here;
    let target = match kind {
        JumpKind::Here => {
            wave.set_pair(to, next);
            return Ok(());
        }
        JumpKind::Set => target,
        JumpKind::Swap => {
            wave.set_pair(to, next);
            target
        }
        JumpKind::Call(words) => {
            wave.set_pair(to, next);
            next.wrapping_add_signed(4 * i64::from(words))
        }
    };
    let target = target.wrapping_sub(device.load_address);
    match code.index_of(target) {
        Some(index) => {
            wave.next = index;
            Ok(())
        }
        None => Err(WaveStop::Fault(Box::new(FaultCause::Jump(target)))),
    }
}
