//! The IR types of a comparator's types, and constants.

use configgen::comparator::{FloatPredicate, ScalarType};

use crate::native::ir::{Builder, Type, Value};

/// Returns true if values are held as integer bits, because not every LLVM and target computes
/// with the type.
pub(super) fn is_narrow(scalar: ScalarType) -> bool {
    scalar.is_float() && (scalar.bits() == 8 || scalar == ScalarType::Bf16)
}

/// Returns the type of a held value.
pub(in crate::native) fn held(scalar: ScalarType) -> Type {
    match scalar {
        ScalarType::F64 => Type::F64,
        ScalarType::F32 => Type::F32,
        ScalarType::F16 => Type::F16,
        _ => match scalar.bits() {
            1 => Type::I1,
            8 => Type::I8,
            16 => Type::I16,
            32 => Type::I32,
            _ => Type::I64,
        },
    }
}

/// Returns the type of a value's number.
pub(super) fn number(scalar: ScalarType) -> Type {
    match is_narrow(scalar) {
        true => Type::F32,
        false => held(scalar),
    }
}

/// Returns a constant in its held form.
pub(super) fn constant(scalar: ScalarType, bits: u64) -> Value {
    Value::bits(held(scalar), bits)
}

/// Returns a constant of type f32.
pub(super) fn single(number: f64) -> Value {
    constant(ScalarType::F32, ScalarType::F32.round(number))
}

/// Replaces a negative zero by the positive one. Does not add zero, because LLVM may fold that
/// wrongly.
pub(super) fn with_positive_zero(ir: &mut Builder, number: Value) -> Value {
    let zero = Value::bits(number.kind, 0);
    let is_zero = ir.compare(FloatPredicate::Oeq, number, zero);
    ir.select(is_zero, zero, number)
}
