//! Sources and results with modifiers: other lanes (DPP), parts of words (SDWA, halves), signs, saturation, denormals.

use super::permute::permute;
use super::prepare::{LANE_NUMBERS, VectorStep};
use super::vector::write_wide;
use super::wave::Wave;
use crate::instruction::{Modifiers, Operand, Sdwa, Selection, Unused, VectorAction};
use crate::operation::float::{f32_bits, f64_bits};
use crate::operation::lanes::{
    CarryLoop, CompareLoop, NarrowLoop, WideCarryLoop, WideCompareLoop, WideLoop,
};
use crate::operation::{Body, Lanes, Mode, Type, half};

fn select(selection: Selection, sign_extend: bool, value: u32) -> u32 {
    let (shift, bits) = match selection {
        Selection::Byte(index) => (8 * u32::from(index), 8),
        Selection::Half(index) => (16 * u32::from(index), 16),
        Selection::Whole => (0, 32),
    };
    let up = (value >> shift) << (32 - bits);
    if sign_extend {
        (up as i32 >> (32 - bits)) as u32
    } else {
        up >> (32 - bits)
    }
}

/// A part of the destination is written; the rest is cleared, extended or kept.
fn insert(sdwa: &Sdwa, old: u32, value: u32) -> u32 {
    let (shift, bits) = match sdwa.to {
        Selection::Byte(index) => (8 * u32::from(index), 8),
        Selection::Half(index) => (16 * u32::from(index), 16),
        Selection::Whole => return value,
    };
    let field = ((1u32 << bits) - 1) << shift;
    let placed = (value << shift) & field;
    match sdwa.unused {
        Unused::Zero => placed,
        Unused::Preserve => (old & !field) | placed,
        Unused::SignExtend => {
            let up = value << (32 - bits);
            ((up as i32 >> (32 - bits)) as u32) << shift
        }
    }
}

/// Negation, absolute value and selection of halves of one 32-bit source.
fn modify_narrow(modifiers: &Modifiers, index: usize, from: Type, value: u32) -> u32 {
    let set = |mask: u8| (mask >> index) & 1 != 0;
    let value = match (&modifiers.sdwa, index) {
        (Some(sdwa), 0 | 1) => select(sdwa.from[index], sdwa.sign_extend[index], value),
        _ => value,
    };
    if modifiers.mixed {
        let value = match (set(modifiers.select_high), set(modifiers.select)) {
            (false, _) => value,
            (true, high) => half::to_single(if high { value >> 16 } else { value & 0xffff }),
        };
        return signs(
            value,
            1 << 31,
            set(modifiers.negate),
            set(modifiers.absolute),
        );
    }
    if modifiers.packed {
        if !from.is_packed() {
            return signs(value, 1 << 31, set(modifiers.negate), false);
        }
        let pick = |high: bool| if high { value >> 16 } else { value & 0xffff };
        let (low, high) = (
            pick(set(modifiers.select)),
            pick(set(modifiers.select_high)),
        );
        let low = signs(low, 0x8000, set(modifiers.negate), false);
        return low | (signs(high, 0x8000, set(modifiers.negate_high), false) << 16);
    }
    let value = if from.is_half() && set(modifiers.select) {
        value >> 16
    } else {
        value
    };
    let sign = match from {
        Type::F16 | Type::M16 => 0x8000,
        Type::F32 | Type::M32 => 1 << 31,
        _ => return value,
    };
    signs(value, sign, set(modifiers.negate), set(modifiers.absolute))
}

fn signs(value: u32, sign: u32, negate: bool, absolute: bool) -> u32 {
    let value = if absolute { value & !sign } else { value };
    if negate { value ^ sign } else { value }
}

/// A 64-bit source: signs, and the halves of a pair.
fn modify_wide(modifiers: &Modifiers, index: usize, from: Type, value: u64) -> u64 {
    let set = |mask: u8| (mask >> index) & 1 != 0;
    match from {
        // A packed move selects one word of each source, for either half of the result.
        Type::PB32 if modifiers.packed => {
            let word = if set(modifiers.select) {
                value >> 32
            } else {
                value & 0xffff_ffff
            };
            word | (word << 32)
        }
        Type::PF32 if modifiers.packed => {
            let pick = |high: bool| (if high { value >> 32 } else { value }) as u32;
            let (low, high) = (
                pick(set(modifiers.select)),
                pick(set(modifiers.select_high)),
            );
            let low = signs(low, 1 << 31, set(modifiers.negate), false);
            let high = signs(high, 1 << 31, set(modifiers.negate_high), false);
            u64::from(low) | (u64::from(high) << 32)
        }
        Type::F64 => {
            let value = if set(modifiers.absolute) {
                value & f64_bits::MAGNITUDE
            } else {
                value
            };
            if set(modifiers.negate) {
                value ^ f64_bits::SIGN
            } else {
                value
            }
        }
        Type::B64 | Type::I64 | Type::PF32 | Type::PB32 => value,
        narrow => u64::from(modify_narrow(modifiers, index, narrow, value as u32)),
    }
}

/// Denormals as the mode wants them; `bit` is 0 for sources, 1 for results.
fn flush(mode: Mode, of: Type, bit: u32, value: u64) -> u64 {
    let single = mode.denormals_32() & (1 << bit) == 0;
    let other = mode.denormals_16_64() & (1 << bit) == 0;
    let word = value as u32;
    match of {
        Type::F32 if single => u64::from(f32_bits::flush(word)),
        Type::PF32 if single => {
            u64::from(f32_bits::flush(word))
                | (u64::from(f32_bits::flush((value >> 32) as u32)) << 32)
        }
        Type::F16 if other => u64::from(half::flush(word & 0xffff)),
        Type::PF16 if other => {
            u64::from(half::flush(word & 0xffff) | (half::flush(word >> 16) << 16))
        }
        Type::F64 if other => f64_bits::flush(value),
        _ => value,
    }
}

/// Output modifier and saturation of a float result.
fn finish(mode: Mode, modifiers: &Modifiers, to: Type, value: u64) -> u64 {
    let word = value as u32;
    let dx10 = mode.dx10_clamp();
    // Output modifiers are ignored where denormal results or IEEE mode are on (manual, 6.2.2).
    let output = if mode.ieee() { 0 } else { modifiers.output };
    let scale = [1.0f32, 2.0, 4.0, 0.5][usize::from(output & 3)];
    let value = match to {
        Type::F32 if output > 0 && mode.denormals_32() & 2 == 0 => {
            let scaled = f32_bits::mul(f32_bits::flush(word), scale.to_bits());
            u64::from(if f32_bits::is_zero(scaled) { 0 } else { scaled })
        }
        Type::F16 if output > 0 && mode.denormals_16_64() & 2 == 0 => {
            let scaled = half::mul(half::flush(word), half::from_single(scale.to_bits()));
            u64::from(if scaled & 0x7fff == 0 { 0 } else { scaled })
        }
        Type::F64 if output > 0 && mode.denormals_16_64() & 2 == 0 => {
            let scaled = f64_bits::mul(f64_bits::flush(value), f64::from(scale).to_bits());
            if f64_bits::is_zero(scaled) { 0 } else { scaled }
        }
        _ => value,
    };
    if !modifiers.clamp {
        return value;
    }
    let word = value as u32;
    match to {
        Type::F32 => u64::from(f32_bits::clamp(dx10, word)),
        Type::F16 => u64::from(half::clamp(dx10, word)),
        Type::F64 => f64_bits::clamp(dx10, value),
        Type::PF16 => {
            u64::from(half::clamp(dx10, word & 0xffff) | (half::clamp(dx10, word >> 16) << 16))
        }
        Type::PF32 => {
            let high = f32_bits::clamp(dx10, (value >> 32) as u32);
            u64::from(f32_bits::clamp(dx10, word)) | (u64::from(high) << 32)
        }
        _ => value,
    }
}

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
        for value in &mut values {
            let modified = modify_narrow(&action.modifiers, index, from, *value);
            // Mixed-precision sources are singles after their selection.
            *value = flush(wave.mode, from, 0, u64::from(modified)) as u32;
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
        for value in &mut values {
            *value = flush(
                wave.mode,
                from,
                0,
                modify_wide(&action.modifiers, index, from, *value),
            );
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
    for (lane, value) in wave.result.0.iter_mut().enumerate() {
        let flushed = flush(wave.mode, to, 1, u64::from(*value));
        let finished = finish(wave.mode, &action.modifiers, to, flushed) as u32;
        *value = match &action.modifiers.sdwa {
            Some(sdwa) => insert(sdwa, old.0[lane], finished),
            None if high => (old.0[lane] & 0xffff) | (finished << 16),
            None if keeps_half => (old.0[lane] & 0xffff_0000) | (finished & 0xffff),
            None => finished,
        };
    }
}

fn finish_wide(wave: &mut Wave, action: &VectorAction, mask: u64) {
    let to = action.operation.to;
    for value in &mut wave.wide_result.0 {
        *value = finish(
            wave.mode,
            &action.modifiers,
            to,
            flush(wave.mode, to, 1, *value),
        );
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

#[cold]
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

#[cold]
#[inline(never)]
pub(super) fn compare(wave: &mut Wave, step: &VectorStep<CompareLoop>) {
    let mask = prepare_narrow(wave, &step.action);
    let [a, b, c] = &wave.temporary;
    // SAFETY: `prepare` chose the version of the loop for this host.
    let truth = unsafe { (step.run)(&[a, b, c], wave.mode) };
    let truth = if step.action.negated { !truth } else { truth };
    finish_bits(wave, &step.action, truth, mask);
}

#[cold]
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

#[cold]
#[inline(never)]
pub(super) fn wide(wave: &mut Wave, step: &VectorStep<WideLoop>) {
    let mask = prepare_wide(wave, &step.action);
    let mode = step_mode(wave, &step.action);
    wave.approximate += u64::from(step.action.operation.approximate);
    // SAFETY: `prepare` chose the version of the loop for this host.
    unsafe { (step.run)(&wave.wide, mode, &mut wave.wide_result) };
    finish_wide(wave, &step.action, mask);
}

#[cold]
#[inline(never)]
pub(super) fn wide_compare(wave: &mut Wave, step: &VectorStep<WideCompareLoop>) {
    let mask = prepare_wide(wave, &step.action);
    // SAFETY: `prepare` chose the version of the loop for this host.
    let truth = unsafe { (step.run)(&wave.wide, wave.mode) };
    let truth = if step.action.negated { !truth } else { truth };
    finish_bits(wave, &step.action, truth, mask);
}

#[cold]
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
