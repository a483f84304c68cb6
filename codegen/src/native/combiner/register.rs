//! Elements in registers: loads of neighbours, and the way back to memory, in any [`Form`].

use configgen::ElementType;
use configgen::comparator::IntegerPredicate;

use super::RegisterForm;
use crate::native::ir::Scalar;
use crate::native::ir::{Builder, Conversion, Type, Value};

/// A value of this form as it lies in memory.
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
            // Of a signed one all bits are set.
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
            // The sign in bit 8 of the magnitude is cut off.
            let byte = ir.or(magnitude, sign);
            ir.convert(Conversion::Truncate, byte, Type::I8)
        }
    }
}

/// An element's plain value in the ordered form.
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

/// `i1`: bit 0 of a truth value as it lies in memory; one that is computed stays as it is.
pub(crate) fn truth(ir: &mut Builder, value: Value) -> Value {
    match value.kind {
        Type::I1 => value,
        _ => ir.convert(Conversion::Truncate, value, Type::I1),
    }
}

/// A float of 8 bits, in the low bits of an i16 with anything above it, as a half in the same order.
///
/// A half orders the magnitudes of all kinds of floats as it does its own, wherever their exponent ends. One bit further
/// down they stay clear of the exponent that means infinity or NaN; only f8E5M2, whose exponent has a half's width, has
/// these where a half has them.
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
    // The NaN: the greatest magnitude, or what would be the negative zero.
    let is_nan = match element {
        ElementType::F8E4M3FN => ir.compare(IntegerPredicate::Eq, magnitude, constant(0x3f80)),
        _ => ir.compare(IntegerPredicate::Eq, both, constant(0x8000)),
    };
    let bits = ir.select(is_nan, constant(0x7e00), both);
    ir.bits(bits, Type::F16)
}

/// A register as a key of 32 or 64 bits.
pub(crate) fn widened(ir: &mut Builder, is_signed: bool, value: Value) -> Value {
    match value.scalar() {
        Scalar::F16 | Scalar::Bf16 => ir.convert(Conversion::Extend, value, Type::F32),
        Scalar::I1 | Scalar::I8 | Scalar::I16 => extended(ir, is_signed, value),
        Scalar::I32 | Scalar::I64 | Scalar::F32 | Scalar::F64 => value,
    }
}

/// A small integer as one of 32 bits.
fn extended(ir: &mut Builder, is_signed: bool, value: Value) -> Value {
    let conversion = match is_signed {
        true => Conversion::SignExtend,
        false => Conversion::ZeroExtend,
    };
    ir.convert(conversion, value, Type::I32)
}

/// Loads `count` elements, a power of two, at once.
pub(crate) fn load(ir: &mut Builder, element: ElementType, count: u32, address: Value) -> Value {
    let align = element.bytes();
    ir.load(register(element, count * align), address, align)
}

/// The type as which `bytes` bytes are loaded. Elements that are taken out of a register by shifts come in whole registers.
fn register(element: ElementType, bytes: u32) -> Type {
    let plain = RegisterForm::Plain.scalar(element);
    let packed = plain == Scalar::I8 || element == ElementType::Bf16;
    match (packed, bytes) {
        (true, 1) => Type::I8,
        (true, 2) => Type::I16,
        (true, _) => Type::scalar_or_vector(Scalar::I32, bytes / 4),
        (false, _) => Type::scalar_or_vector(plain, bytes / element.bytes()),
    }
}

/// The elements that were loaded, in this form.
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

/// The bf16 of a word, each as the f32 whose upper half it is.
fn upper_halves(ir: &mut Builder, word: Value) -> Vec<Value> {
    let wide = ir.resized(word, Type::I32);
    let first = ir.shifted_left(wide, 16);
    let mut halves = vec![ir.bits(first, Type::F32)];
    if word.kind == Type::I32 {
        let second = ir.masked(wide, 0xffff_0000);
        halves.push(ir.bits(second, Type::F32));
    }
    halves
}

/// The integers of type `part` that a word is made of, the lowest first.
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

/// The elements of one byte of a word.
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
