//! Floats of 6 and of 4 bits of the Open Compute Project's MX formats (gfx950). They have no
//! infinity and no NaN.
//!
//! Source: OCP Microscaling Formats specification 1.0, section 5.3.

/// Returns the single with the value of a float of this many exponent and fraction bits.
#[inline(always)]
fn widen(exponent_bits: u32, fraction_bits: u32, a: u32) -> u32 {
    let magnitude_bits = exponent_bits + fraction_bits;
    let sign = (a >> magnitude_bits) << 31;
    let magnitude = a & ((1 << magnitude_bits) - 1);
    let bias = (1 << (exponent_bits - 1)) - 1;
    let fraction = magnitude & ((1 << fraction_bits) - 1);
    let exponent = magnitude >> fraction_bits;
    // The unit in the last place of the smallest normal number is also that of denormals.
    let unit = f32::from_bits((127 + 1 - bias - fraction_bits) << 23);
    let bits = match exponent {
        0 => (fraction as f32 * unit).to_bits(),
        _ => ((exponent + 127 - bias) << 23) | (fraction << (23 - fraction_bits)),
    };
    sign | bits
}

/// Widens a float of 2 exponent bits and 3 fraction bits.
#[inline(always)]
pub(crate) fn widen_fp6(a: u32) -> u32 {
    widen(2, 3, a)
}

/// Widens a float of 3 exponent bits and 2 fraction bits.
#[inline(always)]
pub(crate) fn widen_bf6(a: u32) -> u32 {
    widen(3, 2, a)
}

/// Widens a float of 2 exponent bits and 1 fraction bit.
#[inline(always)]
pub(crate) fn widen_fp4(a: u32) -> u32 {
    widen(2, 1, a)
}

#[cfg(test)]
mod tests {
    use super::{widen_bf6, widen_fp4, widen_fp6};

    /// The tables of the specification.
    #[test]
    fn values_are_those_of_the_specification() {
        let value = |bits: u32| f32::from_bits(bits);
        let all = (0..16).map(|bits| value(widen_fp4(bits)));
        let half = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
        let expected = half.iter().copied().chain(half.iter().map(|it| -it));
        assert!(all.eq(expected));
        // The smallest and largest denormal, the smallest normal number, one, and the largest.
        let fp6 = [0x01, 0x07, 0x08, 0x28, 0x1f].map(|bits| value(widen_fp6(bits)));
        assert_eq!(fp6, [0.125, 0.875, 1.0, -1.0, 7.5]);
        let bf6 = [0x01, 0x03, 0x04, 0x2c, 0x1f].map(|bits| value(widen_bf6(bits)));
        assert_eq!(bf6, [0.0625, 0.1875, 0.25, -1.0, 28.0]);
    }
}
