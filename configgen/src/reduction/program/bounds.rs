//! The operations of row programs: those with bounds of their results.

use crate::comparator::{Opcode, OpcodeSignature, ScalarType};

/// Returns whether the results of an operation of these types have bounds, so that a program may
/// have it.
///
/// Truth values are 0 and 1, and other integers have a sign. Floats of 8 bits are only converted.
/// Sums of integers wrap around.
pub(super) fn has_bounds(opcode: Opcode, operands: &[ScalarType], result: ScalarType) -> bool {
    use Opcode::{
        Absf, Absi, Addf, Addi, Andi, Ceil, Cmpf, Cmpi, Divf, Extf, Extsi, Extui, Floor, Fptosi,
        Maximumf, Maxnumf, Maxsi, Minimumf, Minnumf, Minsi, Mulf, Negf, Ori, Roundeven, Select,
        Sitofp, Sqrt, Subf, Subi, Trunc, Truncf, Uitofp, Xori,
    };
    let is_float = |it: ScalarType| it.is_row_float() || it.is_float() && it.bits() == 8;
    let are_floats = || result.is_row_float() && operands.iter().all(|it| it.is_row_float());
    match opcode {
        Addf | Subf | Mulf | Divf | Maximumf | Minimumf | Maxnumf | Minnumf | Negf | Absf
        | Sqrt | Floor | Ceil | Trunc | Roundeven => are_floats(),
        Extf => result.is_row_float() && is_float(operands[0]),
        Truncf => operands[0].is_row_float() && is_float(result),
        Fptosi => operands[0].is_row_float() && result == ScalarType::I8,
        Sitofp => result.is_row_float() && operands[0] != ScalarType::I1,
        Uitofp => result.is_row_float() && operands[0] == ScalarType::I1,
        Cmpf(_) => operands[0].is_row_float(),
        // The sign of a truth value is none of its number's.
        Cmpi(predicate) => match predicate.signed() {
            None => true,
            Some(is_signed) => is_signed && operands[0] != ScalarType::I1,
        },
        Extsi => operands[0] != ScalarType::I1,
        Extui => operands[0] == ScalarType::I1,
        // A position or an index is such an integer.
        Addi | Subi | Absi | Maxsi | Minsi => matches!(result, ScalarType::I32 | ScalarType::I64),
        Andi | Ori | Xori => result == ScalarType::I1,
        Select => result.is_row_float() || result.is_integer(),
        _ if opcode.rounded().is_some() => are_floats(),
        _ => opcode.signature() == OpcodeSignature::Constant,
    }
}
