//! Elements in registers: loads of adjacent elements and the conversion to memory, in any
//! [`RegisterForm`](super::RegisterForm).

use configgen::ElementType;
use configgen::comparator::IntegerPredicate;

use super::RegisterForm;
use crate::native::ir::Scalar;
use crate::native::ir::{Builder, Conversion, Type, Value};

/// Converts a value of this form to its memory type.
pub(crate) fn memory(
    ir: &mut Builder,
    form: RegisterForm,
    element: ElementType,
    value: Value,
) -> Value {
    use ElementType::*;
    match (element, form) {
        (_, RegisterForm::Plain) | (F64 | F32 | F16 | I64 | I32 | I16, _) => value,
        (I8, _) => ir.convert(Conversion::Truncate, value, Type::I8),
        (I1, _) => {
            // A signed truth value has all bits set.
            let truth = ir.masked(value, 1);
            ir.convert(Conversion::Truncate, truth, Type::I8)
        }
        (Bf16, _) => {
            let bits = ir.bits(value, Type::I32);
            let upper = ir.shifted_right(bits, 16);
            ir.convert(Conversion::Truncate, upper, Type::I16)
        }
        (F8E5M2, _) => {
            let bits = ir.bits(value, Type::I16);
            let upper = ir.shifted_right(bits, 8);
            ir.convert(Conversion::Truncate, upper, Type::I8)
        }
        (F8E4M3FN | F8E4M3FNUZ | F8E5M2FNUZ, _) => {
            let bits = ir.bits(value, Type::I16);
            let magnitude = ir.shifted_right(bits, 7);
            let sign = ir.shifted_right(bits, 8);
            let sign = ir.masked(sign, 128);
            // The truncation drops bit 8 of the magnitude, which is the sign.
            let byte = ir.or(magnitude, sign);
            ir.convert(Conversion::Truncate, byte, Type::I8)
        }
    }
}

/// Converts an element's plain value to the ordered form.
pub(crate) fn ordered(
    ir: &mut Builder,
    element: ElementType,
    is_signed: bool,
    plain: Value,
) -> Value {
    use ElementType::*;
    match element {
        F64 | F32 | F16 | I64 | I32 | I16 => plain,
        I8 => extended(ir, is_signed, plain),
        I1 => {
            let truth = truth(ir, plain);
            extended(ir, is_signed, truth)
        }
        Bf16 => {
            let wide = ir.convert(Conversion::ZeroExtend, plain, Type::I32);
            let upper = ir.shifted_left(wide, 16);
            ir.bits(upper, Type::F32)
        }
        F8E5M2 | F8E4M3FN | F8E4M3FNUZ | F8E5M2FNUZ => {
            let wide = ir.convert(Conversion::ZeroExtend, plain, Type::I16);
            ordered_byte(ir, element, wide)
        }
    }
}

/// Returns bit 0 of a truth value in memory as `i1`. A computed one is unchanged.
pub(crate) fn truth(ir: &mut Builder, value: Value) -> Value {
    match value.kind {
        Type::I1 => value,
        _ => ir.convert(Conversion::Truncate, value, Type::I1),
    }
}

/// Converts an 8-bit float, in the low bits of an i16 with any upper bits, to an f16 with the
/// same order.
///
/// An f16 orders the magnitudes of all float formats like its own, wherever their exponent ends.
/// Shifted down by one bit, they stay clear of the exponent of infinity and NaN. Only f8E5M2
/// keeps its place: its exponent has the width of an f16's, and so its infinity and NaN are those
/// of an f16.
fn ordered_byte(ir: &mut Builder, element: ElementType, byte: Value) -> Value {
    let constant = |bits| Value::bits(Type::I16, bits);
    let top = ir.shifted_left(byte, 8);
    if element == ElementType::F8E5M2 {
        return ir.bits(top, Type::F16);
    }
    let sign = ir.masked(top, 0x8000);
    let magnitude = ir.shifted_right(top, 1);
    let magnitude = ir.masked(magnitude, 0x3f80);
    let both = ir.or(sign, magnitude);
    // The NaN is the greatest magnitude, or the bits of negative zero.
    let is_nan = match element {
        ElementType::F8E4M3FN => ir.compare(IntegerPredicate::Eq, magnitude, constant(0x3f80)),
        _ => ir.compare(IntegerPredicate::Eq, both, constant(0x8000)),
    };
    let bits = ir.select(is_nan, constant(0x7e00), both);
    ir.bits(bits, Type::F16)
}

/// Widens a register to a key of 32 or 64 bits.
pub(crate) fn widened(ir: &mut Builder, is_signed: bool, value: Value) -> Value {
    match value.scalar() {
        Scalar::F16 | Scalar::Bf16 => ir.convert(Conversion::Extend, value, Type::F32),
        Scalar::I1 | Scalar::I8 | Scalar::I16 => extended(ir, is_signed, value),
        Scalar::I32 | Scalar::I64 | Scalar::F32 | Scalar::F64 => value,
    }
}

/// Extends a small integer to 32 bits.
fn extended(ir: &mut Builder, is_signed: bool, value: Value) -> Value {
    let conversion = match is_signed {
        true => Conversion::SignExtend,
        false => Conversion::ZeroExtend,
    };
    ir.convert(conversion, value, Type::I32)
}

/// Loads `count` elements, a power of two, with one load.
pub(crate) fn load(ir: &mut Builder, element: ElementType, count: u32, address: Value) -> Value {
    let align = element.bytes();
    ir.load(register(element, count * align), address, align)
}

/// Returns the type that loads `bytes` bytes. Elements that shifts extract from a register come
/// in whole registers.
fn register(element: ElementType, bytes: u32) -> Type {
    let plain = RegisterForm::Plain.scalar(element);
    // Shifts extract bytes and bf16, which not every target has as register types.
    let packed = plain == Scalar::I8 || element == ElementType::Bf16;
    match (packed, bytes) {
        (true, 1) => Type::I8,
        (true, 2) => Type::I16,
        (true, _) => Type::scalar_or_vector(Scalar::I32, bytes / 4),
        (false, _) => Type::scalar_or_vector(plain, bytes / element.bytes()),
    }
}

/// Extracts the loaded elements, in this form.
pub(crate) fn elements(
    ir: &mut Builder,
    loaded: Value,
    element: ElementType,
    form: RegisterForm,
) -> Vec<Value> {
    let words = ir.elements(loaded);
    let of_word = |word: Value| match (element, form) {
        (ElementType::Bf16, RegisterForm::Ordered { .. }) => upper_halves(ir, word),
        (ElementType::Bf16, RegisterForm::Plain) => parts(ir, Type::I16, word),
        _ if RegisterForm::Plain.scalar(element) == Scalar::I8 => bytes(ir, element, form, word),
        _ => vec![word],
    };
    words.into_iter().flat_map(of_word).collect()
}

/// Extracts the bf16 of a word, each as the f32 with these upper bits.
fn upper_halves(ir: &mut Builder, word: Value) -> Vec<Value> {
    let wide = ir.resized(word, Type::I32);
    let first = ir.shifted_left(wide, 16);
    let mut halves = vec![ir.bits(first, Type::F32)];
    // A single bf16 is loaded as an i16 and has no second half.
    if word.kind == Type::I32 {
        let second = ir.masked(wide, 0xffff_0000);
        halves.push(ir.bits(second, Type::F32));
    }
    halves
}

/// Splits a word into integers of type `part`, the lowest first.
fn parts(ir: &mut Builder, part: Type, word: Value) -> Vec<Value> {
    let shifts = (0..word.kind.bits()).step_by(part.bits() as usize);
    shifts
        .map(|shift| {
            let shifted = match shift {
                0 => word,
                _ => ir.shifted_right(word, shift),
            };
            ir.resized(shifted, part)
        })
        .collect()
}

/// Extracts the elements of one byte of a word.
fn bytes(ir: &mut Builder, element: ElementType, form: RegisterForm, word: Value) -> Vec<Value> {
    let parts = parts(ir, Type::I8, word);
    match form {
        RegisterForm::Plain if element == ElementType::I1 => {
            parts.into_iter().map(|part| ir.masked(part, 1)).collect()
        }
        RegisterForm::Plain => parts,
        RegisterForm::Ordered { is_signed } => parts
            .into_iter()
            .map(|part| ordered(ir, element, is_signed, part))
            .collect(),
    }
}
