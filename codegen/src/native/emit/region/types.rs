//! LLVM's names of a comparator's types, its constants, and calls of intrinsics.

use configgen::comparator::ScalarType;

use crate::native::ir::{Ir, Value};

/// Whether values are held as the bits of an integer, because not every LLVM and target computes with the type.
pub(super) fn is_narrow(scalar: ScalarType) -> bool {
    scalar.is_float() && (scalar.bits() == 8 || scalar == ScalarType::Bf16)
}

/// The type as which a value is held.
pub(super) fn held(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::F64 => "double",
        ScalarType::F32 => "float",
        ScalarType::F16 => "half",
        _ => match scalar.bits() {
            1 => "i1",
            8 => "i8",
            16 => "i16",
            32 => "i32",
            _ => "i64",
        },
    }
}

/// The type of a value's number.
pub(super) fn number(scalar: ScalarType) -> &'static str {
    match is_narrow(scalar) {
        true => "float",
        false => held(scalar),
    }
}

/// A constant as it is held.
pub(super) fn constant(scalar: ScalarType, bits: u64) -> Value {
    if scalar == ScalarType::I1 {
        return Value::text(if bits == 0 { "false" } else { "true" });
    }
    if scalar.is_integer() || is_narrow(scalar) {
        return Value::Int(scalar.signed(bits));
    }
    let number = scalar.to_f64(bits);
    // Numbers that are exact in decimal are readable so.
    if number.fract() == 0.0 && number.abs() < f64::from(1 << 24) {
        return Value::text(format!("{number:?}"));
    }
    Value::text(match scalar {
        ScalarType::F16 => format!("0xH{bits:04X}"),
        ScalarType::F32 if number.is_nan() => {
            // LLVM writes the f64 with this sign and payload; a conversion would make it quiet.
            let (sign, payload) = (bits >> 31 << 63, (bits & 0x7f_ffff) << 29);
            format!("0x{:016X}", sign | 0x7ff << 52 | payload)
        }
        _ => format!("0x{:016X}", number.to_bits()),
    })
}

/// A constant of type `float`.
pub(super) fn single(number: f64) -> Value {
    constant(ScalarType::F32, ScalarType::F32.round(number))
}

/// A call of an intrinsic whose operands and result are of one type: `call float @llvm.fabs.f32(float %x)`.
pub(super) fn call(ir: &mut Ir, name: &str, kind: &str, operands: &[&Value]) -> Value {
    let suffix = suffix(kind);
    let operands: Vec<String> = operands.iter().map(|x| format!("{kind} {x}")).collect();
    let operands = operands.join(", ");
    ir.value(format_args!(
        "call {kind} @llvm.{name}.{suffix}({operands})"
    ))
}

/// A type in the name of an intrinsic.
pub(super) fn suffix(kind: &str) -> &str {
    match kind {
        "half" => "f16",
        "float" => "f32",
        "double" => "f64",
        integer => integer,
    }
}

/// The same number, but a negative zero as the positive one. Not a sum with zero, which LLVM may fold wrongly.
pub(super) fn with_positive_zero(ir: &mut Ir, kind: &str, number: Value) -> Value {
    let is_zero = ir.value(format_args!("fcmp oeq {kind} {number}, 0.0"));
    ir.value(format_args!(
        "select i1 {is_zero}, {kind} 0.0, {kind} {number}"
    ))
}
