//! The C++ types of a region's values, and the way to what is computed with and back.

use configgen::comparator::ScalarType;

/// The type that holds a value.
pub(super) fn cpp(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::F64 => "double",
        ScalarType::F32 => "float",
        ScalarType::F16 => "_Float16",
        ScalarType::I1 => "bool",
        _ => bits(scalar),
    }
}

/// The unsigned integer with as many bits.
pub(super) fn bits(scalar: ScalarType) -> &'static str {
    match scalar.bits() {
        64 => "Size",
        32 => "unsigned",
        16 => "unsigned short",
        8 => "unsigned char",
        _ => "bool",
    }
}

/// An integer of any of these types as what is computed with: unsigned, of 32 or 64 bits.
pub(super) fn unsigned(scalar: ScalarType) -> &'static str {
    match scalar.bits() {
        64 => "Size",
        _ => "unsigned",
    }
}

/// The same for signed numbers.
pub(super) fn signed(scalar: ScalarType) -> &'static str {
    match scalar.bits() {
        64 => "long long",
        _ => "int",
    }
}

/// The value of an integer as a signed number.
pub(super) fn as_signed(scalar: ScalarType, value: &str) -> String {
    match scalar {
        ScalarType::I1 => format!("-int({value})"),
        ScalarType::I8 => format!("int((signed char)({value}))"),
        ScalarType::I16 => format!("int(short({value}))"),
        ScalarType::I32 => format!("int({value})"),
        _ => format!("(long long)({value})"),
    }
}

/// An integer cut to its type.
pub(super) fn cut(scalar: ScalarType, value: &str) -> String {
    match scalar {
        ScalarType::I1 => format!("bool(({value}) & 1)"),
        _ => format!("{}({value})", parenthesized(cpp(scalar))),
    }
}

/// A type's name as the function that converts to it.
pub(super) fn parenthesized(name: &str) -> String {
    match name.contains(' ') {
        true => format!("({name})"),
        false => name.to_owned(),
    }
}

/// The type that a float is computed with.
pub(super) fn wide_type(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::F64 => "double",
        _ => "float",
    }
}

/// A float as what is computed with, exactly.
pub(super) fn wide(scalar: ScalarType, value: &str) -> String {
    match scalar {
        ScalarType::F64 | ScalarType::F32 => value.to_owned(),
        ScalarType::F16 => format!("float({value})"),
        ScalarType::Bf16 => format!("of_bf16({value})"),
        ScalarType::F8E5M2 => format!("of_f8<2, 15, ieee>({value})"),
        ScalarType::F8E4M3FN => format!("of_f8<3, 7, finite>({value})"),
        ScalarType::F8E5M2FNUZ => format!("of_f8<2, 16, one_zero>({value})"),
        ScalarType::F8E4M3FNUZ => format!("of_f8<3, 8, one_zero>({value})"),
        _ => value.to_owned(),
    }
}

/// What was computed, of type [`wide_type`], as a float of the type: rounded to nearest even.
pub(super) fn narrow(scalar: ScalarType, value: &str) -> String {
    match scalar {
        ScalarType::F64 | ScalarType::F32 => value.to_owned(),
        ScalarType::F16 => format!("_Float16({value})"),
        ScalarType::Bf16 => format!("to_bf16({value})"),
        ScalarType::F8E5M2 => format!("to_f8<2, 15, ieee>({value})"),
        ScalarType::F8E4M3FN => format!("to_f8<3, 7, finite>({value})"),
        ScalarType::F8E5M2FNUZ => format!("to_f8<2, 16, one_zero>({value})"),
        ScalarType::F8E4M3FNUZ => format!("to_f8<3, 8, one_zero>({value})"),
        _ => value.to_owned(),
    }
}

/// Whether a float is held as its bits.
pub(super) fn is_held_as_bits(scalar: ScalarType) -> bool {
    scalar.is_float() && !matches!(scalar, ScalarType::F64 | ScalarType::F32 | ScalarType::F16)
}

/// The literal of a constant.
pub(super) fn literal(scalar: ScalarType, bits: u64) -> String {
    if scalar == ScalarType::I1 {
        return (bits == 1).to_string();
    }
    if scalar.is_integer() || is_held_as_bits(scalar) {
        return match scalar.bits() {
            64 => format!("{bits:#x}ull"),
            _ => format!("{bits:#x}u"),
        };
    }
    let value = scalar.to_f64(bits);
    let (suffix, is_exact) = match scalar {
        ScalarType::F64 => ("", true),
        _ => ("f", scalar.round(value) == bits),
    };
    match value.is_finite() && is_exact {
        // The shortest digits that give this double, and so, rounded, this float.
        true => format!("{value:?}{suffix}"),
        false => format!(
            "__builtin_bit_cast({}, {}({bits:#x}ull))",
            cpp(scalar),
            parenthesized(self::bits(scalar))
        ),
    }
}
