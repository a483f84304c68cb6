//! Floating-point formats as bits: decoding to the host's floats, and rounding from them.
//!
//! It knows formats, not operations. Every format up to binary32 is exact in binary64, so one
//! pair of functions serves them all.

use super::ScalarType;

/// A format's use of its largest exponent and of its negative zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FloatEncoding {
    /// Infinities and NaN at the largest exponent.
    Ieee,
    /// No infinities; NaN has all bits set.
    Finite,
    /// No infinities; NaN has the bits of a negative zero.
    FiniteUnsignedZero,
}

#[derive(Clone, Copy)]
struct FloatFormat {
    exponent_bits: u32,
    mantissa_bits: u32,
    bias: i64,
    kind: FloatEncoding,
}

impl FloatFormat {
    /// Returns the bits of infinity: the largest exponent, with a mantissa of 0.
    fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.mantissa_bits
    }

    /// Returns the largest finite magnitude.
    fn largest(self) -> u64 {
        let magnitudes = 1 << (self.exponent_bits + self.mantissa_bits);
        match self.kind {
            // The bit pattern below infinity is the largest number.
            FloatEncoding::Ieee => self.infinity() - 1,
            FloatEncoding::Finite => magnitudes - 2,
            FloatEncoding::FiniteUnsignedZero => magnitudes - 1,
        }
    }
}

/// Returns the format of a floating-point type.
///
/// Sources: IEEE 754-2019 table 3.5; OCP 8-bit floating point specification 1.0 for E4M3FN and
/// E5M2. The FNUZ types have a bias one larger.
fn format(float: ScalarType) -> FloatFormat {
    let (exponent_bits, mantissa_bits, bias, kind) = match float {
        ScalarType::F64 => (11, 52, 1023, FloatEncoding::Ieee),
        ScalarType::F32 => (8, 23, 127, FloatEncoding::Ieee),
        ScalarType::Bf16 => (8, 7, 127, FloatEncoding::Ieee),
        ScalarType::F16 => (5, 10, 15, FloatEncoding::Ieee),
        ScalarType::F8E5M2 => (5, 2, 15, FloatEncoding::Ieee),
        ScalarType::F8E4M3FN => (4, 3, 7, FloatEncoding::Finite),
        ScalarType::F8E5M2FNUZ => (5, 2, 16, FloatEncoding::FiniteUnsignedZero),
        ScalarType::F8E4M3FNUZ => (4, 3, 8, FloatEncoding::FiniteUnsignedZero),
        ScalarType::I1 | ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
            unreachable!("{float} is no floating-point type")
        }
    };
    FloatFormat {
        exponent_bits,
        mantissa_bits,
        bias,
        kind,
    }
}

impl ScalarType {
    /// Returns whether these bits are a NaN; false for integers.
    pub fn is_nan(self, bits: u64) -> bool {
        if self.is_integer() {
            return false;
        }
        let format = format(self);
        match format.kind {
            FloatEncoding::FiniteUnsignedZero => bits == self.sign_bit(),
            FloatEncoding::Ieee | FloatEncoding::Finite => {
                // Above the largest number there are only NaNs, since magnitudes order as
                // integers.
                bits & !self.sign_bit() > format.highest_number()
            }
        }
    }

    /// Returns the NaN of every computing operation: positive, quiet and without payload.
    ///
    /// The type must be a float.
    pub fn canonical_nan(self) -> u64 {
        let format = format(self);
        match format.kind {
            FloatEncoding::Ieee => format.infinity() | 1 << (format.mantissa_bits - 1),
            FloatEncoding::Finite => format.largest() + 1,
            FloatEncoding::FiniteUnsignedZero => self.sign_bit(),
        }
    }

    /// Returns whether the type has infinities.
    pub fn has_infinity(self) -> bool {
        self.is_float() && format(self).kind == FloatEncoding::Ieee
    }

    /// Returns whether zero has a sign.
    pub fn has_negative_zero(self) -> bool {
        self.is_float() && format(self).kind != FloatEncoding::FiniteUnsignedZero
    }

    /// Returns the bits of the largest value of a float: infinity if the type has one.
    pub fn greatest(self) -> u64 {
        format(self).highest_number()
    }

    /// Returns the bits of the largest finite value of a float.
    pub(crate) fn greatest_finite(self) -> u64 {
        format(self).largest()
    }

    /// Returns the bits of the smallest positive normal value of a float.
    pub fn least_normal(self) -> u64 {
        1 << format(self).mantissa_bits
    }

    /// Returns the exact value of these bits of a float.
    pub fn to_f64(self, bits: u64) -> f64 {
        match self {
            Self::F64 => f64::from_bits(bits),
            Self::F32 => f64::from(f32::from_bits(bits as u32)),
            // A bfloat16 is the upper half of a binary32.
            Self::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
            _ if self.is_nan(bits) => f64::NAN,
            _ => {
                let format = format(self);
                let magnitude = bits & !self.sign_bit();
                let sign = u64::from(bits & self.sign_bit() != 0) << 63;
                let value = if magnitude >> format.mantissa_bits == 0 {
                    // A subnormal is a multiple of the smallest positive value.
                    let quantum = 1 - format.bias - i64::from(format.mantissa_bits);
                    magnitude as f64 * f64::from_bits(((1023 + quantum) as u64) << 52)
                } else if format.kind == FloatEncoding::Ieee && magnitude == format.infinity() {
                    f64::INFINITY
                } else {
                    // Exponent and mantissa move to binary64's place, and the biases differ.
                    let wide = magnitude << (52 - format.mantissa_bits);
                    f64::from_bits(wide + (((1023 - format.bias) as u64) << 52))
                };
                f64::from_bits(value.to_bits() | sign)
            }
        }
    }

    /// Returns the bits of this float type nearest to `value`, with ties to even.
    ///
    /// An overflow becomes infinity, or NaN in a type without infinity. A NaN becomes the
    /// canonical one.
    pub fn round(self, value: f64) -> u64 {
        if value.is_nan() {
            return self.canonical_nan();
        }
        match self {
            Self::F64 => value.to_bits(),
            Self::F32 => u64::from((value as f32).to_bits()),
            _ => self.round_small(value),
        }
    }

    fn round_small(self, value: f64) -> u64 {
        let format = format(self);
        let bits = value.to_bits();
        let magnitude = bits & (u64::MAX >> 1);
        let exponent = (magnitude >> 52) as i64 - 1023;
        let significand = magnitude & ((1 << 52) - 1) | 1 << 52;
        let least = 1 - format.bias;
        let mantissa = i64::from(format.mantissa_bits);
        // The unit of the result's last place is 2^(max(exponent, least) - mantissa).
        let shift = exponent.max(least) - mantissa - exponent + 52;
        let units = match shift {
            ..=53 => {
                let kept = significand >> shift;
                let rest = significand & ((1 << shift) - 1);
                let half = 1 << (shift - 1);
                kept + u64::from(rest > half || rest == half && kept & 1 == 1)
            }
            // The value is less than half a unit, or a subnormal binary64, which is even smaller.
            _ => 0,
        };
        // A carry out of the mantissa increments the exponent.
        let rounded = match exponent >= least {
            true => (((exponent - least) as u64) << mantissa) + units,
            false => units,
        };
        let sign = match bits >> 63 {
            1 if rounded != 0 || format.kind != FloatEncoding::FiniteUnsignedZero => {
                self.sign_bit()
            }
            _ => 0,
        };
        match (rounded > format.largest(), format.kind) {
            (false, _) => sign | rounded,
            (true, FloatEncoding::Ieee) => sign | format.infinity(),
            (true, FloatEncoding::Finite | FloatEncoding::FiniteUnsignedZero) => {
                self.canonical_nan()
            }
        }
    }
}

impl FloatFormat {
    /// Returns the largest magnitude that is not NaN.
    fn highest_number(self) -> u64 {
        match self.kind {
            FloatEncoding::Ieee => self.infinity(),
            FloatEncoding::Finite | FloatEncoding::FiniteUnsignedZero => self.largest(),
        }
    }
}
