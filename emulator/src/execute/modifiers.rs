//! What modifiers make of values: parts of words, signs, denormals, saturation. Lane by lane, and of all lanes.

use crate::instruction::{Modifiers, Sdwa, Selection, Unused};
use crate::operation::float::{f32_bits, f64_bits};
use crate::operation::{Mode, Type, half};

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
pub(super) fn insert(sdwa: &Sdwa, old: u32, value: u32) -> u32 {
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
pub(super) fn modify_wide(modifiers: &Modifiers, index: usize, from: Type, value: u64) -> u64 {
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
pub(super) fn flush(mode: Mode, of: Type, bit: u32, value: u64) -> u64 {
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
pub(super) fn finish(mode: Mode, modifiers: &Modifiers, to: Type, value: u64) -> u64 {
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

/// Replaces the value of each lane. What does not depend on the lane is decided outside, so that this is a loop over
/// vectors.
#[inline(always)]
pub(super) fn each<T: Copy>(values: &mut [T; 64], function: impl Fn(T) -> T) {
    for value in values {
        *value = function(*value);
    }
}

/// Whether [`flush`] does anything to values of this type.
pub(super) fn flushes(mode: Mode, of: Type, bit: u32) -> bool {
    let single = mode.denormals_32() & (1 << bit) == 0;
    let other = mode.denormals_16_64() & (1 << bit) == 0;
    match of {
        Type::F32 | Type::PF32 => single,
        Type::F16 | Type::PF16 | Type::F64 => other,
        _ => false,
    }
}

/// As [`modify_narrow`], of all lanes.
pub(super) fn modify_all(modifiers: &Modifiers, index: usize, from: Type, values: &mut [u32; 64]) {
    let set = |mask: u8| (mask >> index) & 1 != 0;
    let part = match &modifiers.sdwa {
        Some(sdwa) if index < 2 => Some((sdwa.from[index], sdwa.sign_extend[index])),
        _ => None,
    };
    match part {
        Some((Selection::Byte(number), false)) => {
            each(values, |value| (value >> (8 * u32::from(number))) & 0xff);
        }
        Some((Selection::Byte(number), true)) => {
            each(values, |value| {
                (value >> (8 * u32::from(number))) as i8 as u32
            });
        }
        Some((Selection::Half(number), false)) => {
            each(values, |value| (value >> (16 * u32::from(number))) & 0xffff);
        }
        Some((Selection::Half(number), true)) => {
            each(values, |value| {
                (value >> (16 * u32::from(number))) as i16 as u32
            });
        }
        _ => {}
    }
    if modifiers.mixed || modifiers.packed {
        // Their parts of words have been taken.
        let rest = Modifiers {
            sdwa: None,
            ..*modifiers
        };
        each(values, |value| modify_narrow(&rest, index, from, value));
        return;
    }
    if from.is_half() && set(modifiers.select) {
        each(values, |value| value >> 16);
    }
    let sign = match from {
        Type::F16 => 0x8000,
        Type::F32 | Type::M32 => 1 << 31,
        _ => return,
    };
    let keep = if set(modifiers.absolute) {
        !sign
    } else {
        u32::MAX
    };
    let turn = if set(modifiers.negate) { sign } else { 0 };
    if keep != u32::MAX || turn != 0 {
        each(values, |value| (value & keep) ^ turn);
    }
}
