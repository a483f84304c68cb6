//! Elements: a few ranks, mapped to values in the same order, so that rows are full of ties.

/// The type of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    F32,
    F16,
    Bf16,
    I32,
    I8,
    I1,
}

pub(crate) use Element::{Bf16, F16, F32, I1, I8, I32};

/// An element, as the fold sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Value {
    /// NaN if it is no number.
    pub(crate) number: f64,
}

impl Element {
    pub(crate) fn name(self) -> &'static str {
        match self {
            F32 => "f32",
            F16 => "f16",
            Bf16 => "bf16",
            I32 => "i32",
            I8 => "i8",
            I1 => "i1",
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, F32 | F16 | Bf16)
    }

    /// Returns the bytes of a number that the type can represent.
    pub(crate) fn bytes(self, number: f64) -> Vec<u8> {
        let single = (number as f32).to_bits();
        match self {
            F32 => single.to_le_bytes().into(),
            // All numbers of the tests have few significant bits.
            Bf16 => ((single >> 16) as u16).to_le_bytes().into(),
            F16 => half(number).to_le_bytes().into(),
            I32 => (number as i32).to_le_bytes().into(),
            I8 => vec![number as i8 as u8],
            I1 => vec![number as u8],
        }
    }

    /// Returns the number of these bytes.
    pub(crate) fn number(self, bytes: &[u8]) -> f64 {
        let word = |bytes: &[u8]| u16::from_le_bytes([bytes[0], bytes[1]]);
        match self {
            F32 => f64::from(f32::from_le_bytes(bytes.try_into().expect("four bytes"))),
            Bf16 => f64::from(f32::from_bits(u32::from(word(bytes)) << 16)),
            F16 => number_of_half(word(bytes)),
            I32 => f64::from(i32::from_le_bytes(bytes.try_into().expect("four bytes"))),
            I8 => f64::from(bytes[0] as i8),
            I1 => f64::from(bytes[0]),
        }
    }

    pub(crate) fn size(self) -> usize {
        match self {
            F32 | I32 => 4,
            F16 | Bf16 => 2,
            I8 | I1 => 1,
        }
    }

    /// Returns the worst value, if the greatest wins or the least.
    pub(crate) fn worst(self, greatest_wins: bool) -> f64 {
        let least = match self {
            F32 | F16 | Bf16 => f64::NEG_INFINITY,
            I32 => f64::from(i32::MIN),
            I8 => f64::from(i8::MIN),
            I1 => 0.0,
        };
        match (greatest_wins, self) {
            (true, _) => least,
            (false, F32 | F16 | Bf16) => f64::INFINITY,
            (false, I1) => 1.0,
            (false, I32 | I8) => -least - 1.0,
        }
    }

    /// Formats a number as MLIR's constant.
    pub(crate) fn constant(self, number: f64) -> String {
        match self.is_float() {
            false if self == I1 => format!("{}", number > 0.0),
            false => format!("{number}"),
            true => {
                let digits = self.bytes(number).into_iter().rev();
                let digits: String = digits.map(|byte| format!("{byte:02X}")).collect();
                format!("0x{digits}")
            }
        }
    }

    /// Returns rows with many ties. The first has only numbers, the second of floats some NaN,
    /// the third only NaN, and the fourth only infinities, on the losing side. Then it repeats.
    pub(crate) fn elements(
        self,
        count: usize,
        row_of: impl Fn(usize) -> usize,
        greatest_wins: bool,
    ) -> Vec<f64> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let element = |number: usize| {
            let drawn = draw();
            let ordinary = (drawn % 23) as f64 - 11.0;
            match (self.is_float(), row_of(number) % 4) {
                (true, 1) if drawn % 40 == 0 => f64::NAN,
                (true, 2) => f64::NAN,
                (true, 3) => self.worst(greatest_wins),
                // Few truth values are true.
                _ if self == I1 => f64::from(ordinary > 10.0),
                _ => ordinary,
            }
        };
        (0..count).map(element).collect()
    }
}

/// Returns the bits of a number that f16 has: a small integer, infinite or NaN.
fn half(number: f64) -> u16 {
    let single = (number as f32).to_bits();
    let sign = (single >> 16 & 0x8000) as u16;
    let exponent = (single >> 23 & 0xff) as i32 - 127;
    let digits = (single >> 13 & 0x3ff) as u16;
    match exponent {
        128 if number.is_nan() => sign | 0x7e00,
        128 => sign | 0x7c00,
        -127 => sign,
        _ => sign | ((exponent + 15) as u16) << 10 | digits,
    }
}

fn number_of_half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, digits) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    match exponent {
        31 if digits != 0.0 => f64::NAN,
        31 => sign * f64::INFINITY,
        0 => sign * digits * 2f64.powi(-24),
        _ => sign * (1.0 + digits / 1024.0) * 2f64.powi(exponent - 15),
    }
}
