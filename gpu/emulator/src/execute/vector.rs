//! The vector unit: it fetches sources, runs the loop, and writes under EXEC.

use super::lane_mask::write;
use super::modified_operands;
use super::step::{Fetch, PreparedProgram, ProgramStep, VectorStep};
use super::wave::{Wave, WaveRegisters};
use crate::instruction::{SCALAR_REGISTERS, VECTOR_MASK, VECTOR_REGISTERS};
use crate::operation::Lanes;
use crate::operation::host::for_host;
use crate::operation::lanes::{
    CarryLoop, CompareLoop, NarrowLoop, WideCarryLoop, WideCompareLoop, WideLoop, WideSources,
};

/// Returns the sources as registers, after spreading scalars over the lanes.
#[inline(always)]
fn sources<'a>(
    vector: &'a [Lanes; VECTOR_REGISTERS],
    scalar: &[u32; SCALAR_REGISTERS],
    temporary: &'a mut [Lanes; 3],
    constants: &'a [Lanes],
    from: &[Fetch; 3],
) -> [&'a Lanes; 3] {
    for (place, fetch) in temporary.iter_mut().zip(from) {
        if let Fetch::Scalar(register) = fetch {
            place.0 = [scalar[usize::from(*register)]; 64];
        }
    }
    // The mutable borrow ends here, so that the sources can borrow it again.
    let temporary = &*temporary;
    let pick = |index: usize| match from[index] {
        Fetch::Vector(register) => &vector[usize::from(register) & VECTOR_MASK],
        Fetch::Scalar(_) => &temporary[index],
        Fetch::Constant(constant) => &constants[constant as usize],
    };
    [pick(0), pick(1), pick(2)]
}

/// Returns both words of each source, as [`sources`] does for one.
#[inline(always)]
fn wide_sources<'a>(
    vector: &'a [Lanes; VECTOR_REGISTERS],
    scalar: &[u32; SCALAR_REGISTERS],
    [low, high]: &'a mut [[Lanes; 3]; 2],
    constants: &'a [Lanes],
    [from_low, from_high]: &[[Fetch; 3]; 2],
) -> WideSources<'a> {
    [
        sources(vector, scalar, low, constants, from_low),
        sources(vector, scalar, high, constants, from_high),
    ]
}

#[inline(always)]
pub(super) fn narrow(code: &PreparedProgram, wave: &mut Wave, step: &VectorStep<NarrowLoop>) {
    let mask = narrow_values(code, wave, step);
    let to = usize::from(step.to) & VECTOR_MASK;
    write(&mut wave.vector[to], &wave.result[0], mask);
}

/// Computes the result into `wave.result` and returns the lanes to write.
#[inline(always)]
fn narrow_values(code: &PreparedProgram, wave: &mut Wave, step: &VectorStep<NarrowLoop>) -> u64 {
    if step.care & wave.care != 0 {
        return modified_operands::narrow(wave, step);
    }
    let (mode, exec) = (wave.mode, wave.exec());
    let WaveRegisters {
        vector,
        scalar,
        temporary,
        result,
    } = wave.registers_mut();
    let from = sources(
        vector,
        scalar,
        &mut temporary[0],
        &code.constants,
        &step.from[0],
    );
    // SAFETY: `prepare` selected a version of the loop that this host supports.
    unsafe { (step.run)(&from, mode, &mut result[0]) };
    exec
}

#[inline(always)]
pub(super) fn compare(code: &PreparedProgram, wave: &mut Wave, step: &VectorStep<CompareLoop>) {
    if step.care & wave.care != 0 {
        return modified_operands::compare(wave, step);
    }
    let (mode, exec) = (wave.mode, wave.exec());
    let WaveRegisters {
        vector,
        scalar,
        temporary,
        ..
    } = wave.registers_mut();
    let from = sources(
        vector,
        scalar,
        &mut temporary[0],
        &code.constants,
        &step.from[0],
    );
    // SAFETY: `prepare` selected a version of the loop that this host supports.
    let truth = unsafe { (step.run)(&from, mode) };
    finish_compare(wave, &step.action, truth, exec);
}

/// Writes the result of a comparison to its register pair, and to EXEC if the instruction
/// requires it.
#[inline(always)]
fn finish_compare(
    wave: &mut Wave,
    action: &crate::instruction::VectorAction,
    truth: u64,
    exec: u64,
) {
    let result = (if action.negated { !truth } else { truth }) & exec;
    wave.set_mask(action.to_mask, result);
    if action.sets_exec {
        wave.set_exec(result);
    }
}

#[inline(always)]
pub(super) fn carry(code: &PreparedProgram, wave: &mut Wave, step: &VectorStep<CarryLoop>) {
    let mask = carry_values(code, wave, step);
    let to = usize::from(step.to) & VECTOR_MASK;
    write(&mut wave.vector[to], &wave.result[0], mask);
}

/// Does the same as [`narrow_values`] and also writes the carries.
#[inline(always)]
fn carry_values(code: &PreparedProgram, wave: &mut Wave, step: &VectorStep<CarryLoop>) -> u64 {
    if step.care & wave.care != 0 {
        return modified_operands::carry(wave, step);
    }
    let (mode, exec) = (wave.mode, wave.exec());
    let carries = wave.mask(step.action.from_mask);
    let WaveRegisters {
        vector,
        scalar,
        temporary,
        result,
    } = wave.registers_mut();
    let from = sources(
        vector,
        scalar,
        &mut temporary[0],
        &code.constants,
        &step.from[0],
    );
    // SAFETY: `prepare` selected a version of the loop that this host supports.
    let out = unsafe { (step.run)(&from, mode, carries, &mut result[0]) };
    if writes_mask(&step.action) {
        wave.set_mask(step.action.to_mask, out & exec);
    }
    exec
}

for_host! {
    /// Executes two instructions at once. Both read their sources before the first result is
    /// written.
    pub(super) fn dual(code: &PreparedProgram, wave: &mut Wave, steps: &[ProgramStep; 2]) {
        let mut results = [(0, 0, Lanes([0; 64])); 2];
        for (step, result) in steps.iter().zip(&mut results) {
            let (mask, to) = match step {
                ProgramStep::Narrow(step) => (narrow_values(code, wave, step), step.to),
                ProgramStep::Carry(step) => (carry_values(code, wave, step), step.to),
                // No encoding pairs other instructions.
                _ => (0, 0),
            };
            *result = (mask, to, wave.result[0]);
        }
        for (mask, to, values) in &results {
            write(&mut wave.vector[usize::from(*to) & VECTOR_MASK], values, *mask);
        }
    }
}

for_host! {
    /// Writes one value to a scalar register.
    pub(super) fn uniform(code: &PreparedProgram, wave: &mut Wave, step: &VectorStep<NarrowLoop>) {
        // Scalar sources make all lanes equal, so lane 0 has the result.
        narrow_values(code, wave, step);
        let value = wave.result[0].0[0];
        let half = step.action.operation.to.is_half();
        wave.set_scalar(step.to as u8, if half { value & 0xffff } else { value });
    }
}

#[inline(always)]
fn writes_mask(action: &crate::instruction::VectorAction) -> bool {
    use crate::operation::OperationLoop;
    matches!(
        action.operation.body,
        OperationLoop::Carry { writes: true, .. } | OperationLoop::WideCarry { writes: true, .. }
    )
}

#[inline(always)]
pub(super) fn wide(code: &PreparedProgram, wave: &mut Wave, step: &VectorStep<WideLoop>) {
    if step.care & wave.care != 0 {
        return modified_operands::wide(wave, step);
    }
    let (mode, exec) = (wave.mode, wave.exec());
    let WaveRegisters {
        vector,
        scalar,
        temporary,
        result,
    } = wave.registers_mut();
    let from = wide_sources(vector, scalar, temporary, &code.constants, &step.from);
    // SAFETY: `prepare` selected a version of the loop that this host supports.
    unsafe { (step.run)(&from, mode, result) };
    wave.write_result(step.to, step.action.operation.to.registers(), exec);
}

#[inline(always)]
pub(super) fn wide_compare(
    code: &PreparedProgram,
    wave: &mut Wave,
    step: &VectorStep<WideCompareLoop>,
) {
    if step.care & wave.care != 0 {
        return modified_operands::wide_compare(wave, step);
    }
    let (mode, exec) = (wave.mode, wave.exec());
    let WaveRegisters {
        vector,
        scalar,
        temporary,
        ..
    } = wave.registers_mut();
    let from = wide_sources(vector, scalar, temporary, &code.constants, &step.from);
    // SAFETY: `prepare` selected a version of the loop that this host supports.
    let truth = unsafe { (step.run)(&from, mode) };
    finish_compare(wave, &step.action, truth, exec);
}

#[inline(always)]
pub(super) fn wide_carry(
    code: &PreparedProgram,
    wave: &mut Wave,
    step: &VectorStep<WideCarryLoop>,
) {
    if step.care & wave.care != 0 {
        return modified_operands::wide_carry(wave, step);
    }
    let (mode, exec) = (wave.mode, wave.exec());
    let carries = wave.mask(step.action.from_mask);
    let WaveRegisters {
        vector,
        scalar,
        temporary,
        result,
    } = wave.registers_mut();
    let from = wide_sources(vector, scalar, temporary, &code.constants, &step.from);
    // SAFETY: `prepare` selected a version of the loop that this host supports.
    let out = unsafe { (step.run)(&from, mode, carries, result) };
    wave.write_result(step.to, step.action.operation.to.registers(), exec);
    if writes_mask(&step.action) {
        wave.set_mask(step.action.to_mask, out & exec);
    }
}
