//! The slow path of vector instructions: DPP, SDWA, halves, signs, saturation, denormals.

use super::half_overflow::limit;
use super::modifiers::{flush, insert, into_half, modify, modify_pair, saturate, scale};
use super::step::{LANE_NUMBERS, VectorStep};
use super::wave::Wave;
use crate::instruction::{SourceOperand, VECTOR_MASK, VectorAction};
use crate::operation::host::for_host;
use crate::operation::lanes::{
    CarryLoop, CompareLoop, NarrowLoop, WideCarryLoop, WideCompareLoop, WideLoop, WideSources,
};
use crate::operation::{Lanes, Mode, OperationLoop, Type};

/// Returns the mode for the loop, with integer saturation if the instruction requests it.
fn step_mode(wave: &Wave, action: &VectorAction) -> Mode {
    let clamp = action.modifiers.clamp && !action.operation.to.is_float();
    let modifiers = &action.modifiers;
    // These bits encode the truth table of `v_bitop3`; other operations ignore them.
    let table = modifiers.negate | (modifiers.absolute << 3) | (modifiers.output << 6);
    Mode(wave.mode.0 | if clamp { Mode::CLAMP } else { 0 }).with_truth_table(table)
}

/// Fetches a word of a source into its temporary, with DPP but without other modifiers. The upper
/// word of a one-register source is 0.
#[inline(always)]
fn fetch<F>(wave: &mut Wave, step: &VectorStep<F>, index: usize, word: usize) {
    let action = &*step.action;
    let pair = action.operation.from[index].registers() == 2;
    let exec = wave.exec();
    let to = &mut wave.temporary[word][index];
    match action.from[index] {
        _ if word == 1 && !pair => to.0 = [0; 64],
        SourceOperand::Vector(register) => {
            let from = &wave.vector[(usize::from(register) + word) & VECTOR_MASK];
            match &step.permutation {
                // DPP applies to the first source only.
                Some(permutation) if index == 0 => permutation.apply(exec, from, to),
                _ => *to = *from,
            }
        }
        other => {
            let value = (wave.read(other, pair) >> (32 * word)) as u32;
            let spread = Lanes([value; 64]);
            let to = &mut wave.temporary[word][index];
            match &step.permutation {
                Some(permutation) if index == 0 => permutation.apply(exec, &spread, to),
                _ => *to = spread,
            }
        }
    }
}

/// Returns the lanes that may write.
#[inline(always)]
fn writing<F>(wave: &Wave, step: &VectorStep<F>) -> u64 {
    let exec = wave.exec();
    let permutation = step.permutation.as_ref();
    permutation.map_or(exec, |permutation| permutation.writes(exec))
}

/// Fetches and modifies all 32-bit sources into the temporaries; returns the lanes that may
/// write.
#[inline(always)]
fn prepare_narrow<F>(wave: &mut Wave, step: &VectorStep<F>) -> u64 {
    for (index, &from) in step.action.operation.from.iter().enumerate() {
        fetch(wave, step, index, 0);
        let mode = wave.mode;
        let [low, high] = &mut wave.temporary;
        let (low, high) = (&mut low[index], &mut high[index]);
        modify(&step.action.modifiers, index, from, low);
        // Mixed-precision sources are single precision after the selection, so the flush comes
        // last.
        flush(mode, from, 0, low, high);
    }
    writing(wave, step)
}

/// Does the same as [`prepare_narrow`] for sources of up to 64 bits.
#[inline(always)]
fn prepare_wide<F>(wave: &mut Wave, step: &VectorStep<F>) -> u64 {
    let modifiers = &step.action.modifiers;
    for (index, &from) in step.action.operation.from.iter().enumerate() {
        fetch(wave, step, index, 0);
        fetch(wave, step, index, 1);
        let mode = wave.mode;
        let [low, high] = &mut wave.temporary;
        let (low, high) = (&mut low[index], &mut high[index]);
        match from {
            Type::B64 | Type::I64 => {}
            // The sign bit of a double is in its upper word.
            Type::F64 => modify(modifiers, index, Type::F32, high),
            Type::PF32 | Type::PB32 => modify_pair(modifiers, index, from, low, high),
            narrow => modify(modifiers, index, narrow, low),
        }
        flush(mode, from, 0, low, high);
    }
    writing(wave, step)
}

/// Applies denormal mode, output modifier and saturation to `wave.result`.
#[inline(always)]
fn finish(wave: &mut Wave, action: &VectorAction) {
    let (mode, to) = (wave.mode, action.operation.to);
    let [low, high] = &mut wave.result;
    // The hardware scales the flushed result, and saturates last.
    flush(mode, to, 1, low, high);
    scale(mode, action.modifiers.output, to, low, high);
    if mode.limits_halves() {
        limit(action, &wave.temporary[0], low);
    }
    if action.modifiers.clamp {
        saturate(mode, to, low, high);
    }
}

/// Does the same as [`finish`], then merges the result into its part of the register.
#[inline(always)]
fn finish_narrow(wave: &mut Wave, action: &VectorAction, keeps_half: bool) {
    finish(wave, action);
    let upper = action.modifiers.select & 8 != 0 && action.operation.to.is_half();
    let old = &wave.vector[usize::from(action.to) & VECTOR_MASK];
    let result = &mut wave.result[0];
    // SDWA selects a byte or half itself, so it excludes the other half rules.
    match &action.modifiers.sdwa {
        Some(sdwa) => insert(sdwa, old, result),
        None if upper || keeps_half => into_half(upper, old, result),
        None => {}
    }
}

#[inline(always)]
fn finish_wide(wave: &mut Wave, action: &VectorAction, mask: u64) {
    finish(wave, action);
    wave.write_result(action.to, action.operation.to.registers(), mask);
}

/// Writes the bits of a comparison or carry. Active lanes that may not write keep their old bits.
#[inline(always)]
fn finish_bits(wave: &mut Wave, action: &VectorAction, bits: u64, mask: u64) {
    let exec = wave.exec();
    // Bits of inactive lanes become 0, as the manuals specify.
    let old = wave.mask(action.to_mask) & exec & !mask;
    let result = (bits & mask) | old;
    wave.set_mask(action.to_mask, result);
    if action.sets_exec {
        wave.set_exec(result);
    }
}

fn writes_bits(action: &VectorAction) -> bool {
    matches!(
        action.operation.body,
        OperationLoop::Carry { writes: true, .. } | OperationLoop::WideCarry { writes: true, .. }
    )
}

/// Returns the temporaries as sources. If the operation has no third source, that one is the lane
/// number.
#[inline(always)]
fn narrow_sources<'a>(temporary: &'a [Lanes; 3], action: &VectorAction) -> [&'a Lanes; 3] {
    let [a, b, c] = temporary;
    let third = action.operation.from.len() > 2;
    [a, b, if third { c } else { &LANE_NUMBERS }]
}

#[inline(always)]
fn wide_sources(temporary: &[[Lanes; 3]; 2]) -> WideSources<'_> {
    temporary.each_ref().map(|words| words.each_ref())
}

for_host! {
    pub(super) fn narrow(wave: &mut Wave, step: &VectorStep<NarrowLoop>) -> u64 {
        let mask = prepare_narrow(wave, step);
        let mode = step_mode(wave, &step.action);
        wave.approximate += u64::from(step.action.operation.approximate);
        let from = narrow_sources(&wave.temporary[0], &step.action);
        // SAFETY: `prepare` selected a version of the loop that this host supports.
        unsafe { (step.run)(&from, mode, &mut wave.result[0]) };
        finish_narrow(wave, &step.action, step.keeps_half);
        mask
    }
}

for_host! {
    pub(super) fn compare(wave: &mut Wave, step: &VectorStep<CompareLoop>) {
        let mask = prepare_narrow(wave, step);
        let [a, b, c] = &wave.temporary[0];
        // SAFETY: `prepare` selected a version of the loop that this host supports.
        let truth = unsafe { (step.run)(&[a, b, c], wave.mode) };
        let truth = if step.action.negated { !truth } else { truth };
        finish_bits(wave, &step.action, truth, mask);
    }
}

for_host! {
    pub(super) fn carry(wave: &mut Wave, step: &VectorStep<CarryLoop>) -> u64 {
        let mask = prepare_narrow(wave, step);
        let mode = step_mode(wave, &step.action);
        let carries = wave.mask(step.action.from_mask);
        let [a, b, c] = &wave.temporary[0];
        // SAFETY: `prepare` selected a version of the loop that this host supports.
        let bits = unsafe { (step.run)(&[a, b, c], mode, carries, &mut wave.result[0]) };
        finish_narrow(wave, &step.action, step.keeps_half);
        if writes_bits(&step.action) {
            finish_bits(wave, &step.action, bits, mask);
        }
        mask
    }
}

for_host! {
    pub(super) fn wide(wave: &mut Wave, step: &VectorStep<WideLoop>) {
        let mask = prepare_wide(wave, step);
        let mode = step_mode(wave, &step.action);
        wave.approximate += u64::from(step.action.operation.approximate);
        // SAFETY: `prepare` selected a version of the loop that this host supports.
        unsafe { (step.run)(&wide_sources(&wave.temporary), mode, &mut wave.result) };
        finish_wide(wave, &step.action, mask);
    }
}

for_host! {
    pub(super) fn wide_compare(wave: &mut Wave, step: &VectorStep<WideCompareLoop>) {
        let mask = prepare_wide(wave, step);
        // SAFETY: `prepare` selected a version of the loop that this host supports.
        let truth = unsafe { (step.run)(&wide_sources(&wave.temporary), wave.mode) };
        let truth = if step.action.negated { !truth } else { truth };
        finish_bits(wave, &step.action, truth, mask);
    }
}

for_host! {
    pub(super) fn wide_carry(wave: &mut Wave, step: &VectorStep<WideCarryLoop>) {
        let mask = prepare_wide(wave, step);
        let mode = step_mode(wave, &step.action);
        let carries = wave.mask(step.action.from_mask);
        // SAFETY: `prepare` selected a version of the loop that this host supports.
        let bits = unsafe { (step.run)(&wide_sources(&wave.temporary), mode, carries, &mut wave.result) };
        finish_wide(wave, &step.action, mask);
        if writes_bits(&step.action) {
            finish_bits(wave, &step.action, bits, mask);
        }
    }
}
