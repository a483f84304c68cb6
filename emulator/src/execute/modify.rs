//! Sources and results with modifiers: other lanes (DPP), parts of words (SDWA, halves), signs, saturation, denormals.

use super::modifiers::{each, finish, flush, flushes, insert, modify_all, modify_wide};
use super::permute::permute;
use super::prepare::{LANE_NUMBERS, VectorStep};
use super::vector::write_wide;
use super::wave::Wave;
use crate::instruction::{Operand, Selection, VectorAction};
use crate::operation::float::f64_bits;
use crate::operation::lanes::{
    CarryLoop, CompareLoop, NarrowLoop, WideCarryLoop, WideCompareLoop, WideLoop,
};
use crate::operation::{Body, Lanes, Mode, Type};

/// Reads a source into `wave.wide[index]`, without modifiers.
#[inline(always)]
pub(super) fn fetch_wide(wave: &mut Wave, index: usize, operand: Operand, pair: bool) {
    match operand {
        Operand::Vector(register) => {
            let low = usize::from(register) & 511;
            let high = if pair { (low + 1) & 511 } else { low };
            let (low, high) = (&wave.vector[low].0, &wave.vector[high].0);
            let keep = if pair { u64::MAX } else { 0xffff_ffff };
            for (lane, value) in wave.wide[index].0.iter_mut().enumerate() {
                *value = (u64::from(low[lane]) | (u64::from(high[lane]) << 32)) & keep;
            }
        }
        other => wave.wide[index].0 = [wave.read(other, pair); 64],
    }
}

/// The mode, with saturation of integers if the instruction asks for it.
fn step_mode(wave: &Wave, action: &VectorAction) -> Mode {
    let clamp = action.modifiers.clamp && !action.operation.to.is_float();
    let modifiers = &action.modifiers;
    // Where `v_bitop3` has its truth table; other operations do not look at it.
    let table = modifiers.negate | (modifiers.absolute << 3) | (modifiers.output << 6);
    Mode(wave.mode.0 | if clamp { Mode::CLAMP } else { 0 }).with_truth_table(table)
}

/// Fetches and modifies all sources of 32 bits into the temporaries; returns the lanes that may write.
fn prepare_narrow(wave: &mut Wave, action: &VectorAction) -> u64 {
    let exec = wave.exec();
    let mut mask = exec;
    for (index, &from) in action.operation.from.iter().enumerate() {
        let mut values = match action.from[index] {
            Operand::Vector(register) => wave.vector[usize::from(register) & 511].0,
            other => [wave.read(other, false) as u32; 64],
        };
        if let (Some(dpp), 0) = (&action.modifiers.dpp, index) {
            let (permuted, written) = permute(dpp, exec, &values);
            values = permuted;
            mask &= written;
        }
        modify_all(&action.modifiers, index, from, &mut values);
        // Mixed-precision sources are singles after their selection.
        if flushes(wave.mode, from, 0) {
            each(&mut values, |value| {
                flush(wave.mode, from, 0, u64::from(value)) as u32
            });
        }
        wave.temporary[index] = Lanes(values);
    }
    mask
}

/// As [`prepare_narrow`], for sources of up to 64 bits.
fn prepare_wide(wave: &mut Wave, action: &VectorAction) -> u64 {
    let exec = wave.exec();
    let mut mask = exec;
    for (index, &from) in action.operation.from.iter().enumerate() {
        fetch_wide(wave, index, action.from[index], from.registers() == 2);
        let mut values = wave.wide[index].0;
        if let (Some(dpp), 0) = (&action.modifiers.dpp, index) {
            let (permuted, written) = permute(dpp, exec, &values);
            values = permuted;
            mask &= written;
        }
        let modifiers = &action.modifiers;
        if from == Type::F64 {
            let set = |mask: u8| (mask >> index) & 1 != 0;
            let keep = if set(modifiers.absolute) {
                f64_bits::MAGNITUDE
            } else {
                u64::MAX
            };
            let turn = u64::from(set(modifiers.negate)) << 63;
            each(&mut values, |value| (value & keep) ^ turn);
        } else if !matches!(from, Type::B64 | Type::I64) {
            each(&mut values, |value| {
                modify_wide(modifiers, index, from, value)
            });
        }
        if flushes(wave.mode, from, 0) {
            each(&mut values, |value| flush(wave.mode, from, 0, value));
        }
        wave.wide[index].0 = values;
    }
    mask
}

/// Finishes the values in `wave.result`.
fn finish_narrow(wave: &mut Wave, action: &VectorAction, keeps_half: bool) {
    let to = action.operation.to;
    let register = usize::from(action.to) & 511;
    let old = wave.vector[register];
    let high = action.modifiers.select & 8 != 0 && to.is_half();
    let result = &mut wave.result.0;
    if flushes(wave.mode, to, 1) {
        each(result, |value| {
            flush(wave.mode, to, 1, u64::from(value)) as u32
        });
    }
    if action.modifiers.clamp || action.modifiers.output > 0 {
        each(result, |value| {
            finish(wave.mode, &action.modifiers, to, u64::from(value)) as u32
        });
    }
    let pairs = result.iter_mut().zip(&old.0);
    match &action.modifiers.sdwa {
        Some(sdwa) if sdwa.to != Selection::Whole => {
            pairs.for_each(|(value, old)| *value = insert(sdwa, *old, *value));
        }
        Some(_) => {}
        None if high => pairs.for_each(|(value, old)| *value = (old & 0xffff) | (*value << 16)),
        None if keeps_half => {
            pairs.for_each(|(value, old)| *value = (old & 0xffff_0000) | (*value & 0xffff));
        }
        None => {}
    }
}

fn finish_wide(wave: &mut Wave, action: &VectorAction, mask: u64) {
    let to = action.operation.to;
    let result = &mut wave.wide_result.0;
    if flushes(wave.mode, to, 1) {
        each(result, |value| flush(wave.mode, to, 1, value));
    }
    if action.modifiers.clamp || action.modifiers.output > 0 {
        each(result, |value| {
            finish(wave.mode, &action.modifiers, to, value)
        });
    }
    write_wide(wave, action.to, to.registers() == 2, mask);
}

/// The bits of a comparison or carry: lanes that may not write keep theirs.
fn finish_bits(wave: &mut Wave, action: &VectorAction, bits: u64, mask: u64) {
    let exec = wave.exec();
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
        Body::Carry { writes: true, .. } | Body::WideCarry { writes: true, .. }
    )
}

#[inline(never)]
pub(super) fn narrow(wave: &mut Wave, step: &VectorStep<NarrowLoop>) -> u64 {
    let mask = prepare_narrow(wave, &step.action);
    let mode = step_mode(wave, &step.action);
    wave.approximate += u64::from(step.action.operation.approximate);
    let from = narrow_sources(&wave.temporary, &step.action);
    // SAFETY: `prepare` chose the version of the loop for this host.
    unsafe { (step.run)(&from, mode, &mut wave.result) };
    finish_narrow(wave, &step.action, step.keeps_half);
    mask
}

/// The temporaries; the number of the lane where the operation has no third source.
fn narrow_sources<'a>(temporary: &'a [Lanes; 3], action: &VectorAction) -> [&'a Lanes; 3] {
    let [a, b, c] = temporary;
    let third = action.operation.from.len() > 2;
    [a, b, if third { c } else { &LANE_NUMBERS }]
}

#[inline(never)]
pub(super) fn compare(wave: &mut Wave, step: &VectorStep<CompareLoop>) {
    let mask = prepare_narrow(wave, &step.action);
    let [a, b, c] = &wave.temporary;
    // SAFETY: `prepare` chose the version of the loop for this host.
    let truth = unsafe { (step.run)(&[a, b, c], wave.mode) };
    let truth = if step.action.negated { !truth } else { truth };
    finish_bits(wave, &step.action, truth, mask);
}

#[inline(never)]
pub(super) fn carry(wave: &mut Wave, step: &VectorStep<CarryLoop>) -> u64 {
    let mask = prepare_narrow(wave, &step.action);
    let mode = step_mode(wave, &step.action);
    let carries = wave.mask(step.action.from_mask);
    let [a, b, c] = &wave.temporary;
    // SAFETY: `prepare` chose the version of the loop for this host.
    let bits = unsafe { (step.run)(&[a, b, c], mode, carries, &mut wave.result) };
    finish_narrow(wave, &step.action, step.keeps_half);
    if writes_bits(&step.action) {
        finish_bits(wave, &step.action, bits, mask);
    }
    mask
}

#[inline(never)]
pub(super) fn wide(wave: &mut Wave, step: &VectorStep<WideLoop>) {
    let mask = prepare_wide(wave, &step.action);
    let mode = step_mode(wave, &step.action);
    wave.approximate += u64::from(step.action.operation.approximate);
    // SAFETY: `prepare` chose the version of the loop for this host.
    unsafe { (step.run)(&wave.wide, mode, &mut wave.wide_result) };
    finish_wide(wave, &step.action, mask);
}

#[inline(never)]
pub(super) fn wide_compare(wave: &mut Wave, step: &VectorStep<WideCompareLoop>) {
    let mask = prepare_wide(wave, &step.action);
    // SAFETY: `prepare` chose the version of the loop for this host.
    let truth = unsafe { (step.run)(&wave.wide, wave.mode) };
    let truth = if step.action.negated { !truth } else { truth };
    finish_bits(wave, &step.action, truth, mask);
}

#[inline(never)]
pub(super) fn wide_carry(wave: &mut Wave, step: &VectorStep<WideCarryLoop>) {
    let mask = prepare_wide(wave, &step.action);
    let mode = step_mode(wave, &step.action);
    let carries = wave.mask(step.action.from_mask);
    // SAFETY: `prepare` chose the version of the loop for this host.
    let bits = unsafe { (step.run)(&wave.wide, mode, carries, &mut wave.wide_result) };
    finish_wide(wave, &step.action, mask);
    if writes_bits(&step.action) {
        finish_bits(wave, &step.action, bits, mask);
    }
}
