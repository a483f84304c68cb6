//! The constants of MLIR: booleans, integers, and floats as decimals or as bits.

use super::super::error::ComparatorError;
use super::super::scalar::ScalarType;
use super::cursor::{Cursor, MlirToken};

/// Parses a literal and its type behind `arith.constant`, and returns its bits.
pub(crate) fn constant(cursor: &mut Cursor<'_>) -> Result<(u64, ScalarType), ComparatorError> {
    let start = *cursor;
    for (word, bits) in [("false", 0), ("true", 1)] {
        if cursor.accept(word) {
            if cursor.accept(":") {
                cursor.expect("i1", "as the type of a truth value")?;
            }
            return Ok((bits, ScalarType::I1));
        }
    }
    let negative = cursor.accept("-");
    let MlirToken::Number(digits) = cursor.peek() else {
        return Err(cursor.expected("a number, \"true\" or \"false\" as the constant"));
    };
    cursor.next();
    cursor.expect(":", "and the type after a constant")?;
    let scalar = scalar_type(cursor)?;
    match bits(digits, negative, scalar) {
        Ok(bits) => Ok((bits, scalar)),
        Err(message) => Err(start.error(message)),
    }
}

/// Parses the name of a type.
pub(crate) fn scalar_type(cursor: &mut Cursor<'_>) -> Result<ScalarType, ComparatorError> {
    let what = "a type: i1 i8 i16 i32 i64 f16 bf16 f32 f64 f8E4M3FN f8E4M3FNUZ f8E5M2 f8E5M2FNUZ";
    let start = *cursor;
    let name = cursor.word(what)?;
    ScalarType::from_name(name).ok_or_else(|| start.expected(what))
}

pub(super) fn bits(digits: &str, negative: bool, scalar: ScalarType) -> Result<u64, String> {
    let hexadecimal = digits.strip_prefix("0x");
    if scalar.is_integer() {
        let magnitude = match hexadecimal {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => digits.parse::<u64>().ok(),
        };
        // Both readings of an integer are allowed: signed from the smallest, unsigned up to the
        // largest.
        let least = scalar.sign_bit();
        return match (magnitude, negative) {
            _ if digits.contains('.') => Err(format!(
                "an integer is expected as a constant of type {scalar}"
            )),
            (Some(magnitude), false) if magnitude <= scalar.mask() => Ok(magnitude),
            (Some(magnitude), true) if magnitude <= least => {
                Ok(magnitude.wrapping_neg() & scalar.mask())
            }
            _ => Err(format!("the constant does not fit {scalar}")),
        };
    }
    // A float in hexadecimal is its bits, which include the sign.
    match hexadecimal {
        Some(_) if negative => Err("the bits of a float have no sign before them".to_string()),
        Some(hex) => u64::from_str_radix(hex, 16)
            .ok()
            .filter(|bits| *bits <= scalar.mask())
            .ok_or_else(|| format!("{scalar} has fewer bits than this constant")),
        None if !digits.contains('.') => Err(format!(
            "a constant of type {scalar} has a decimal point, as {digits}.0, or is hexadecimal: its bits"
        )),
        None => {
            let value: f64 = digits
                .parse()
                .map_err(|_| "this is no number".to_string())?;
            // MLIR reads the decimal as a binary64 first, and then rounds that.
            Ok(scalar.round(if negative { -value } else { value }))
        }
    }
}
