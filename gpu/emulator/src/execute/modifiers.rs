//! Modifiers of the values of all lanes: parts of words, signs, denormals, saturation.
//!
//! Decisions that do not depend on the lane stay outside the loops, and loop bodies stay small.
//! Otherwise the compiler does not vectorize the loops.

use crate::instruction::{Modifiers, Sdwa, Selection, UnusedBits};
use crate::operation::float::{f32_bits, f64_bits};
use crate::operation::{Lanes, Mode, Type, half};

/// Replaces the value of each lane.
#[inline(always)]
fn each(values: &mut Lanes, function: impl Fn(u32) -> u32) {
    for value in &mut values.0 {
        *value = function(*value);
    }
}

/// Replaces the 64-bit value of each lane, which spans two registers.
#[inline(always)]
fn each_pair(low: &mut Lanes, high: &mut Lanes, function: impl Fn(u64) -> u64) {
    for (low, high) in low.0.iter_mut().zip(&mut high.0) {
        let value = function(u64::from(*low) | (u64::from(*high) << 32));
        *low = value as u32;
        *high = (value >> 32) as u32;
    }
}

/// Replaces the value of each lane; the function also receives the register's old value.
#[inline(always)]
fn each_with(values: &mut Lanes, old: &Lanes, function: impl Fn(u32, u32) -> u32) {
    for (value, old) in values.0.iter_mut().zip(&old.0) {
        *value = function(*value, *old);
    }
}

/// Selects a byte or half of each word.
#[inline(always)]
fn select(selection: Selection, sign_extend: bool, values: &mut Lanes) {
    let (shift, bits) = match selection {
        Selection::Byte(index) => (8 * u32::from(index), 8),
        Selection::Half(index) => (16 * u32::from(index), 16),
        Selection::Whole => return,
    };
    // Two shifts extract the field: the first removes the higher bits, the second the lower ones.
    let (up, down) = (32 - bits - shift, 32 - bits);
    if sign_extend {
        each(values, |value| (((value << up) as i32) >> down) as u32);
    } else {
        each(values, |value| (value << up) >> down);
    }
}

/// Inserts a part of the destination and clears, extends or keeps the rest.
#[inline(always)]
pub(super) fn insert(sdwa: &Sdwa, old: &Lanes, values: &mut Lanes) {
    let (shift, bits) = match sdwa.to {
        Selection::Byte(index) => (8 * u32::from(index), 8),
        Selection::Half(index) => (16 * u32::from(index), 16),
        Selection::Whole => return,
    };
    let field = ((1u32 << bits) - 1) << shift;
    match sdwa.unused {
        UnusedBits::Zero => each(values, |value| (value << shift) & field),
        UnusedBits::Preserve => each_with(values, old, |value, old| {
            (old & !field) | ((value << shift) & field)
        }),
        UnusedBits::SignExtend => {
            let up = 32 - bits;
            each(values, |value| {
                ((((value << up) as i32) >> up) as u32) << shift
            });
        }
    }
}

/// Applies absolute value, then negation, to a float with the sign bit `sign`.
#[inline(always)]
fn signs(values: &mut Lanes, sign: u32, absolute: bool, negate: bool) {
    let keep = if absolute { !sign } else { u32::MAX };
    let turn = if negate { sign } else { 0 };
    if keep != u32::MAX || turn != 0 {
        each(values, |value| (value & keep) ^ turn);
    }
}

/// Applies selection, negation and absolute value to a 32-bit source, or to the upper word of a
/// double, which has its sign there.
#[inline(always)]
pub(super) fn modify(modifiers: &Modifiers, index: usize, from: Type, values: &mut Lanes) {
    let set = |mask: u8| (mask >> index) & 1 != 0;
    // SDWA describes only the first two sources.
    if let (Some(sdwa), 0 | 1) = (&modifiers.sdwa, index) {
        select(sdwa.from[index], sdwa.sign_extend[index], values);
    }
    let shift = |high: bool| if high { 16 } else { 0 };
    // In mixed precision, `select_high` marks a 16-bit source and `select` its half.
    if modifiers.mixed && set(modifiers.select_high) {
        let shift = shift(set(modifiers.select));
        each(values, |value| half::to_single((value >> shift) & 0xffff));
    }
    if modifiers.packed {
        let turn = |negate: bool, sign: u32| if negate { sign } else { 0 };
        // A packed dot product has a 32-bit accumulator with one sign.
        if !from.is_packed() {
            return signs(values, 1 << 31, false, set(modifiers.negate));
        }
        let (low, high) = (
            shift(set(modifiers.select)),
            shift(set(modifiers.select_high)),
        );
        let turn = turn(set(modifiers.negate), 0x8000) | turn(set(modifiers.negate_high), 1 << 31);
        return each(values, |value| {
            (((value >> low) & 0xffff) | ((value >> high) << 16)) ^ turn
        });
    }
    if !modifiers.mixed && from.is_half() && set(modifiers.select) {
        each(values, |value| value >> 16);
    }
    let sign = match from {
        _ if modifiers.mixed => 1 << 31,
        Type::F16 | Type::M16 => 0x8000,
        Type::F32 | Type::M32 => 1 << 31,
        _ => return,
    };
    signs(values, sign, set(modifiers.absolute), set(modifiers.negate));
}

/// Selects the words of a pair and applies their signs.
#[inline(always)]
pub(super) fn modify_pair(
    modifiers: &Modifiers,
    index: usize,
    from: Type,
    low: &mut Lanes,
    high: &mut Lanes,
) {
    if !modifiers.packed {
        return;
    }
    let set = |mask: u8| (mask >> index) & 1 != 0;
    let singles = from == Type::PF32;
    // A packed move selects one word of each source for each half of the result.
    let second = if singles {
        modifiers.select_high
    } else {
        modifiers.select
    };
    let pick = |upper: bool| if upper { *high } else { *low };
    (*low, *high) = (pick(set(modifiers.select)), pick(set(second)));
    if singles {
        signs(low, 1 << 31, false, set(modifiers.negate));
        signs(high, 1 << 31, false, set(modifiers.negate_high));
    }
}

/// Flushes denormals if the mode requires it. `bit` is 0 for sources, 1 for results.
#[inline(always)]
pub(super) fn flush(mode: Mode, of: Type, bit: u32, low: &mut Lanes, high: &mut Lanes) {
    let single = mode.denormals_32() & (1 << bit) == 0;
    let other = mode.denormals_16_64() & (1 << bit) == 0;
    match of {
        Type::F32 if single => each(low, f32_bits::flush),
        Type::PF32 if single => {
            each(low, f32_bits::flush);
            each(high, f32_bits::flush);
        }
        Type::F16 if other => each(low, |value| half::flush(value & 0xffff)),
        Type::PF16 if other => each(low, |value| {
            half::flush(value & 0xffff) | (half::flush(value >> 16) << 16)
        }),
        Type::F64 if other => each_pair(low, high, f64_bits::flush),
        _ => {}
    }
}

/// Applies the output modifier of a float result.
#[inline(always)]
pub(super) fn scale(mode: Mode, by: u8, to: Type, low: &mut Lanes, high: &mut Lanes) {
    // The hardware ignores output modifiers if denormal results or IEEE mode are on (manual,
    // 6.2.2).
    if mode.ieee() || by == 0 {
        return;
    }
    let scale = [1.0f32, 2.0, 4.0, 0.5][usize::from(by & 3)];
    match to {
        Type::F32 if mode.denormals_32() & 2 == 0 => each(low, |value| {
            let scaled = f32_bits::mul(f32_bits::flush(value), scale.to_bits());
            // A zero result loses its sign.
            if f32_bits::is_zero(scaled) { 0 } else { scaled }
        }),
        Type::F16 if mode.denormals_16_64() & 2 == 0 => {
            let scale = half::from_single(scale.to_bits());
            each(low, |value| {
                let scaled = half::mul(half::flush(value), scale);
                if scaled & 0x7fff == 0 { 0 } else { scaled }
            });
        }
        Type::F64 if mode.denormals_16_64() & 2 == 0 => {
            let scale = f64::from(scale).to_bits();
            each_pair(low, high, |value| {
                let scaled = f64_bits::mul(f64_bits::flush(value), scale);
                if f64_bits::is_zero(scaled) { 0 } else { scaled }
            });
        }
        _ => {}
    }
}

/// Saturates a float result to the range 0 to 1.
#[inline(always)]
pub(super) fn saturate(mode: Mode, to: Type, low: &mut Lanes, high: &mut Lanes) {
    let dx10 = mode.dx10_clamp();
    match to {
        Type::F32 => each(low, |value| f32_bits::clamp(dx10, value)),
        Type::F16 => each(low, |value| half::clamp(dx10, value)),
        Type::F64 => each_pair(low, high, |value| f64_bits::clamp(dx10, value)),
        Type::PF16 => each(low, |value| {
            half::clamp(dx10, value & 0xffff) | (half::clamp(dx10, value >> 16) << 16)
        }),
        Type::PF32 => {
            each(low, |value| f32_bits::clamp(dx10, value));
            each(high, |value| f32_bits::clamp(dx10, value));
        }
        _ => {}
    }
}

/// Puts a 16-bit result into one half of its register and keeps the other half.
#[inline(always)]
pub(super) fn into_half(upper: bool, old: &Lanes, values: &mut Lanes) {
    if upper {
        each_with(values, old, |value, old| (old & 0xffff) | (value << 16));
    } else {
        each_with(values, old, |value, old| {
            (old & 0xffff_0000) | (value & 0xffff)
        });
    }
}
