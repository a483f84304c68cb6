//! The C++ types of values, and constants.

use configgen::comparator::ScalarType;

use crate::native::ir::{AddressSpace, Scalar, Type, Value};

/// Returns the name of a type, which also converts values to it.
pub(super) fn type_name(kind: Type) -> String {
    match kind {
        Type::Scalar(scalar) => scalar_name(scalar).to_owned(),
        Type::Vector(scalar, count) => format!("Vector<{}, {count}>", scalar_name(scalar)),
        Type::Pointer(AddressSpace::Global) => "Global".to_owned(),
        Type::Pointer(AddressSpace::Lds) => "Local".to_owned(),
    }
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I1 => "bool",
        Scalar::I8 => "Byte",
        Scalar::I16 => "Half",
        Scalar::I32 => "unsigned",
        Scalar::I64 => "Size",
        Scalar::F16 => "_Float16",
        Scalar::Bf16 => "__bf16",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// Returns the signed integer type with as many bits.
pub(super) fn signed_name(kind: Type) -> &'static str {
    match kind.bits() {
        8 => "SignedByte",
        16 => "short",
        1 | 32 => "int",
        _ => "SignedSize",
    }
}

/// Returns the text of a constant.
pub(super) fn constant(value: Value) -> String {
    let bits = value.constant().unwrap_or(0);
    match value.scalar() {
        Scalar::I1 => (bits == 1).to_string(),
        Scalar::I8 => format!("Byte({bits})"),
        Scalar::I16 => format!("Half({})", number(bits)),
        Scalar::I32 => format!("{}u", number(bits)),
        Scalar::I64 => format!("{}ull", number(bits)),
        Scalar::F64 => float(ScalarType::F64, bits, ""),
        Scalar::F32 => float(ScalarType::F32, bits, "f"),
        Scalar::F16 => float(ScalarType::F16, bits, "f16"),
        Scalar::Bf16 => as_bits("__bf16", "Half", bits),
    }
}

/// Returns the text of a constant as a signed number.
pub(super) fn signed_constant(value: Value) -> Option<String> {
    let number = value.signed()?;
    match value.kind.bits() {
        1 | 8 | 16 => Some(number.to_string()),
        // The least numbers have no literals in C++.
        32 if number > i64::from(i32::MIN) => Some(number.to_string()),
        64 if number > i64::MIN => Some(format!("{number}ll")),
        _ => None,
    }
}

/// Formats an integer: small numbers as decimal counts, large ones as hexadecimal bits.
fn number(bits: u64) -> String {
    match bits < 1 << 31 {
        true => bits.to_string(),
        false => format!("{bits:#x}"),
    }
}

/// Returns the shortest digits that give this number, or its bits if it has none.
fn float(scalar: ScalarType, bits: u64, suffix: &str) -> String {
    let number = scalar.to_f64(bits);
    let sign = if number < 0.0 { "-" } else { "" };
    match scalar {
        _ if scalar.is_nan(bits) => match scalar {
            ScalarType::F64 => as_bits("double", "Size", bits),
            ScalarType::F32 => as_bits("float", "unsigned", bits),
            _ => as_bits("_Float16", "Half", bits),
        },
        _ if number.is_infinite() => format!("{sign}__builtin_inf{suffix}()"),
        ScalarType::F32 => format!("{:?}{suffix}", number as f32),
        _ => format!("{number:?}{suffix}"),
    }
}

fn as_bits(name: &str, integer: &str, bits: u64) -> String {
    format!("__builtin_bit_cast({name}, {integer}({bits:#x}))")
}
