//! Conversions of every half, and the fused multiply-add against integers.

use super::*;

#[test]
fn every_half_survives_the_way_through_single() {
    for a in 0..=0xffffu32 {
        let expected = if is_nan(a) { a | QUIET } else { a };
        assert_eq!(from_single(to_single(a)), expected, "{a:#x}");
        assert_eq!(from_single_toward_zero(to_single(a)), expected, "{a:#x}");
    }
}

/// Each midpoint of two halves rounds to the even one, and its neighbours round to the nearer
/// one.
#[test]
fn rounding_to_half_is_to_nearest_even() {
    for a in 0..0x7bffu32 {
        let (low, high) = (value(a), value(a + 1));
        let middle = ((f64::from(low) + f64::from(high)) / 2.0) as f32;
        let even = if a & 1 == 0 { a } else { a + 1 };
        assert_eq!(from_single(middle.to_bits()), even, "{a:#x}");
        assert_eq!(from_single(middle.to_bits() - 1), a, "{a:#x}");
        assert_eq!(from_single(middle.to_bits() + 1), a + 1, "{a:#x}");
        assert_eq!(from_single_toward_zero(high.to_bits() - 1), a, "{a:#x}");
    }
    assert_eq!(from_single(65520f32.to_bits()), INFINITY);
    assert_eq!(from_single(65519f32.to_bits()), 0x7bff);
}

/// The reference is an exact computation in integers of 2^-48.
#[test]
fn fused_multiply_add_rounds_once() {
    let fixed = |a: u32| {
        let magnitude = a & 0x7fff;
        let exponent = (magnitude >> 10).max(1);
        let fraction = (magnitude & 0x3ff) | if magnitude >= 0x400 { 0x400 } else { 0 };
        let sign = if a & SIGN != 0 { -1 } else { 1 };
        (sign * i128::from(fraction)) << (exponent - 1)
    };
    let mut state = 3u64;
    for _ in 0..300_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let [a, b, c] = [state >> 48, state >> 32, state >> 16].map(|x| x as u32 & 0xffff);
        if [a, b, c].iter().any(|x| x & INFINITY == INFINITY) {
            continue;
        }
        let exact = fixed(a) * fixed(b) + (fixed(c) << 24);
        let got = fma(a, b, c);
        if got & INFINITY == INFINITY {
            assert!(exact.unsigned_abs() >= 65520u128 << 48);
            continue;
        }
        let distance = |candidate: u32| (exact - (fixed(candidate) << 24)).unsigned_abs();
        let best = distance(got);
        for other in [got.wrapping_sub(1), got + 1] {
            if other & 0x7fff < INFINITY && other & SIGN == got & SIGN {
                let closer = distance(other) < best || (distance(other) == best && got & 1 == 1);
                assert!(!closer, "{a:#x} {b:#x} {c:#x} {got:#x}");
            }
        }
    }
}
