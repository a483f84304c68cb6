//! Tests of formats against their definitions: sign, exponent and mantissa; rounding over all
//! values.

use super::super::scalar::ScalarType;
use super::random::Random;

const SMALL: [ScalarType; 6] = [
    ScalarType::F8E4M3FN,
    ScalarType::F8E4M3FNUZ,
    ScalarType::F8E5M2,
    ScalarType::F8E5M2FNUZ,
    ScalarType::F16,
    ScalarType::Bf16,
];

/// Returns the value of a number's bits by definition, for this mantissa width and this bias.
fn defined(bits: u64, scalar: ScalarType, mantissa_bits: i32, bias: i32) -> f64 {
    let magnitude = bits & (scalar.sign_bit() - 1);
    let (exponent, mantissa) = (
        magnitude >> mantissa_bits,
        magnitude & ((1 << mantissa_bits) - 1),
    );
    let fraction = mantissa as f64 / f64::from(mantissa_bits).exp2();
    let value = match exponent {
        0 => fraction * f64::from(1 - bias).exp2(),
        _ => (1.0 + fraction) * f64::from(exponent as i32 - bias).exp2(),
    };
    if bits & scalar.sign_bit() == 0 {
        value
    } else {
        -value
    }
}

#[track_caller]
fn check_format(scalar: ScalarType, mantissa_bits: i32, bias: i32, largest: f64, nans: u64) {
    let mut found_nans = 0;
    let mut found_largest: f64 = 0.0;
    for bits in 0..=scalar.mask() {
        if scalar.is_nan(bits) {
            found_nans += 1;
            assert!(scalar.to_f64(bits).is_nan(), "{bits:#x}");
            continue;
        }
        let value = scalar.to_f64(bits);
        if value.is_finite() {
            found_largest = found_largest.max(value);
            assert_eq!(
                value.to_bits(),
                defined(bits, scalar, mantissa_bits, bias).to_bits(),
                "{bits:#x}"
            );
        }
        assert_eq!(scalar.round(value), bits, "{value}");
    }
    assert_eq!((found_largest, found_nans), (largest, nans));
    assert!(scalar.is_nan(scalar.canonical_nan()));
    assert_eq!(scalar.round(f64::NAN), scalar.canonical_nan());
}

/// Checks the largest numbers and NaN.
///
/// Sources: OCP 8-bit floating point specification 1.0, table 1; IEEE 754; 2^8 - 2 and 2^10 - 2
/// NaN.
#[test]
fn formats() {
    check_format(ScalarType::F8E4M3FN, 3, 7, 448.0, 2);
    check_format(ScalarType::F8E5M2, 2, 15, 57344.0, 6);
    check_format(ScalarType::F8E4M3FNUZ, 3, 8, 240.0, 1);
    check_format(ScalarType::F8E5M2FNUZ, 2, 16, 57344.0, 1);
    check_format(ScalarType::F16, 10, 15, 65504.0, 2046);
    check_format(ScalarType::Bf16, 7, 127, 3.3895313892515355e38, 254);
}

/// Finds the nearest finite value among all; of two equally near, the one with an even mantissa.
#[test]
fn rounding_finds_the_nearest() {
    for scalar in SMALL {
        let numbers: Vec<u64> = (0..scalar.sign_bit())
            .filter(|&bits| scalar.to_f64(bits).is_finite())
            .collect();
        let values: Vec<f64> = numbers.iter().map(|&bits| scalar.to_f64(bits)).collect();
        let mut check = |value: f64| {
            let above = values.partition_point(|&number| number < value);
            let nearest = match (above.checked_sub(1), values.get(above)) {
                (None, _) => 0,
                (_, None) => return,
                (Some(below), Some(&upper)) => {
                    let (down, up) = (value - values[below], upper - value);
                    if down < up || down == up && numbers[below] & 1 == 0 {
                        below
                    } else {
                        above
                    }
                }
            };
            assert_eq!(scalar.round(value), numbers[nearest], "{scalar} {value:e}");
        };
        for pair in values.windows(2) {
            let middle = (pair[0] + pair[1]) / 2.0;
            [pair[0], middle, middle.next_down(), middle.next_up()]
                .into_iter()
                .for_each(&mut check);
        }
        let mut random = Random::new(1);
        for _ in 0..2000 {
            let bits = random.bits(ScalarType::F64) >> 1;
            check(f64::from_bits(bits % f64::INFINITY.to_bits()));
        }
        // Halfway to the next number, or beyond, there is no number any more.
        let [.., before, largest] = values[..] else {
            unreachable!()
        };
        let limit = largest + (largest - before) / 2.0;
        let too_large = match scalar.has_infinity() {
            true => scalar.greatest(),
            false => scalar.canonical_nan(),
        };
        let last = *numbers.last().unwrap();
        assert_eq!(scalar.round(limit.next_down()), last, "{scalar}");
        assert_eq!(
            scalar.round(limit),
            if last & 1 == 0 { last } else { too_large },
            "{scalar}"
        );
        assert_eq!(scalar.round(limit.next_up()), too_large, "{scalar}");
        assert_eq!(scalar.round(1e300), too_large, "{scalar}");
    }
}
