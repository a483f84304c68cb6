//! The IR's types of a comparator's types, and its constants.

use configgen::comparator::{FloatPredicate, ScalarType};

use crate::native::ir::{Builder, Type, Value};

/// Whether values are held as the bits of an integer, because not every LLVM and target computes with the type.
pub(super) fn is_narrow(scalar: ScalarType) -> bool {
    scalar.is_float() && (scalar.bits() == 8 || scalar == ScalarType::Bf16)
}

/// The type as which a value is held.
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

/// The type of a value's number.
pub(super) fn number(scalar: ScalarType) -> Type {
    match is_narrow(scalar) {
        true => Type::F32,
        false => held(scalar),
    }
}

/// A constant as it is held.
pub(super) fn constant(scalar: ScalarType, bits: u64) -> Value {
    Value::bits(held(scalar), bits)
}

/// A constant of type f32.
pub(super) fn single(number: f64) -> Value {
    constant(ScalarType::F32, ScalarType::F32.round(number))
}

/// The same number, but a negative zero as the positive one. Not a sum with zero, which LLVM may fold wrongly.
pub(super) fn with_positive_zero(ir: &mut Builder, number: Value) -> Value {
    let zero = Value::bits(number.kind, 0);
    let is_zero = ir.compare(FloatPredicate::Oeq, number, zero);
    ir.select(is_zero, zero, number)
}
