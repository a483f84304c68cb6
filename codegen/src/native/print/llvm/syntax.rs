//! LLVM's names of types, and its constants.

use crate::native::ir::Scalar;
use crate::native::ir::{AddressSpace, Type};

/// Returns the name of a type.
pub(super) fn type_name(kind: Type) -> String {
    match kind {
        Type::Scalar(scalar) => scalar_name(scalar).to_owned(),
        Type::Vector(scalar, count) => format!("<{count} x {}>", scalar_name(scalar)),
        Type::Pointer(space) => format!("ptr addrspace({})", number(space)),
    }
}

/// Returns the number of an address space.
fn number(space: AddressSpace) -> u32 {
    match space {
        AddressSpace::Global => 1,
        AddressSpace::Lds => 3,
    }
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I1 => "i1",
        Scalar::I8 => "i8",
        Scalar::I16 => "i16",
        Scalar::I32 => "i32",
        Scalar::I64 => "i64",
        Scalar::F16 => "half",
        Scalar::Bf16 => "bfloat",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// Returns the text of a constant.
pub(super) fn constant(scalar: Scalar, bits: u64) -> String {
    let number = match scalar {
        Scalar::I1 => return (bits == 1).to_string(),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            let unused = 64 - scalar.bits();
            return (((bits << unused) as i64) >> unused).to_string();
        }
        Scalar::F16 => return format!("0xH{bits:04X}"),
        Scalar::Bf16 => return format!("0xR{bits:04X}"),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        Scalar::F64 => f64::from_bits(bits),
    };
    // Numbers that are exact in decimal are printed in decimal, for readability.
    if number.fract() == 0.0 && number.abs() < f64::from(1 << 24) {
        return format!("{number:?}");
    }
    match scalar {
        Scalar::F32 if number.is_nan() => {
            // LLVM writes an f32 NaN as the f64 with this sign and payload; a conversion would
            // make it quiet.
            let (sign, payload) = (bits >> 31 << 63, (bits & 0x7f_ffff) << 29);
            format!("0x{:016X}", sign | 0x7ff << 52 | payload)
        }
        _ => format!("0x{:016X}", number.to_bits()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(scalar: Scalar, bits: u64, expected: &str) {
        assert_eq!(constant(scalar, bits), expected);
    }

    #[test]
    fn constants() {
        check(Scalar::I1, 1, "true");
        check(Scalar::I32, 0xffff_ffff, "-1");
        check(Scalar::I16, 0x7fff, "32767");
        check(Scalar::F16, 0xfc00, "0xHFC00");
        check(Scalar::F32, 0x3f80_0000, "1.0");
        check(Scalar::F32, 0x8000_0000, "-0.0");
        check(Scalar::F32, 0xff80_0000, "0xFFF0000000000000");
        check(Scalar::F32, 0x7f80_0001, "0x7FF0000020000000");
        check(Scalar::F64, 0x3fb9_9999_9999_999a, "0x3FB999999999999A");
    }
}
