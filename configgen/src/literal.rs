//! Values in the text of a problem, such as the initial values of folds.

use std::fmt;

use crate::comparator::ScalarType;

/// A value in a problem's text.
///
/// It prints a decimal if that is short and exact, or `inf`, `-inf` or `nan`. Otherwise it prints
/// the bits, as in `0x7f800001`. `nan` stands for the NaN that operations compute.
pub(crate) struct Literal(pub(crate) ScalarType, pub(crate) u64);

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Literal(scalar, bits) = *self;
        if scalar.is_integer() {
            return f.write_str(&scalar.show(bits));
        }
        if bits == scalar.canonical_nan() {
            return f.write_str("nan");
        }
        // Only short decimals are exact for sure; other values print as bits and so survive
        // parsing.
        let number = scalar.to_f64(bits);
        let decimal = format!("{number:?}");
        let is_short = number.is_infinite() || decimal.len() <= 12 && !decimal.contains('e');
        match is_short && !scalar.is_nan(bits) {
            true => f.write_str(&decimal),
            false => {
                let digits = scalar.bits() as usize / 4;
                write!(f, "0x{bits:0digits$x}")
            }
        }
    }
}

/// Parses a value to its bits: a number, `inf`, `-inf`, `nan`, or the bits in hexadecimal.
///
/// Returns none if the type has no such value.
pub(crate) fn bits_of(scalar: ScalarType, text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x") {
        // `from_str_radix` accepts a sign, which bits cannot have.
        let is_plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let bits = u64::from_str_radix(digits, 16).ok().filter(|_| is_plain)?;
        return (bits <= scalar.mask()).then_some(bits);
    }
    if scalar.is_integer() {
        let number: i128 = text.parse().ok()?;
        // Integers are sign-less in MLIR, so both the signed and the unsigned decimals name bits.
        let least = -i128::from(scalar.sign_bit());
        let fits = (least..=i128::from(scalar.mask())).contains(&number);
        return fits.then_some(number as u64 & scalar.mask());
    }
    match text {
        "nan" => return Some(scalar.canonical_nan()),
        "inf" | "-inf" if !scalar.has_infinity() => return None,
        "inf" | "-inf" => {}
        // Rust's parser also accepts words such as `infinity`; the grammar does not.
        _ if !text.ends_with(|last: char| last.is_ascii_digit()) => return None,
        _ => {}
    }
    let number: f64 = text.parse().ok()?;
    let bits = scalar.round(number);
    // Refuses a finite number that rounds to infinity or to NaN in a narrow type.
    let is_number = number.is_finite() == scalar.to_f64(bits).is_finite() && !scalar.is_nan(bits);
    is_number.then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_read_as_it_is_written() {
        for scalar in ScalarType::ALL {
            let shift = scalar.bits().saturating_sub(16);
            for bits in 0..=scalar.mask() >> shift {
                for bits in [bits, bits << shift, !bits & scalar.mask()] {
                    let text = Literal(scalar, bits).to_string();
                    assert_eq!(bits_of(scalar, &text), Some(bits), "{scalar} {text}");
                }
            }
        }
    }

    #[test]
    fn values_as_they_are_written() {
        #[track_caller]
        fn check(scalar: ScalarType, text: &str, expected: Option<&str>) {
            let bits = bits_of(scalar, text);
            let found = bits.map(|bits| Literal(scalar, bits).to_string());
            assert_eq!(found.as_deref(), expected);
        }
        use ScalarType::{F8E4M3FN, F16, F32, I1, I8};
        check(F32, "1", Some("1.0"));
        check(F32, "-0", Some("-0.0"));
        check(F32, "1e-3", Some("0x3a83126f"));
        check(F32, "0x7fc00000", Some("nan"));
        check(F32, "0xffc00000", Some("0xffc00000"));
        check(F32, "0xff800000", Some("-inf"));
        check(F32, "1e39", None);
        check(F16, "65504", Some("65504.0"));
        check(F16, "70000", None);
        check(F8E4M3FN, "inf", None);
        check(F8E4M3FN, "448.0", Some("448.0"));
        check(I8, "255", Some("-1"));
        check(I8, "-128", Some("-128"));
        check(I8, "-129", None);
        check(I8, "0x100", None);
        check(I8, "0x-1", None);
        check(I1, "1", Some("1"));
        check(I1, "-1", Some("1"));
        check(I1, "2", None);
        check(F32, "infinity", None);
        check(F32, "NaN", None);
        check(F32, "", None);
    }
}
