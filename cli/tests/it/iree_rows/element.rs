//! Types of elements: their bytes, and numbers that they can represent.

use half::{bf16, f16};

/// The type of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Element {
    F32,
    F16,
    Bf16,
}

impl Element {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        }
    }

    pub(crate) fn size(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }

    /// Returns the distance from 1 to the next number.
    pub(crate) fn step(self) -> f64 {
        match self {
            Self::F32 => f64::from(f32::EPSILON),
            Self::F16 => f64::from(f16::EPSILON),
            Self::Bf16 => f64::from(bf16::EPSILON),
        }
    }

    /// Returns the least positive normal number.
    pub(crate) fn least(self) -> f64 {
        match self {
            Self::F32 => f64::from(f32::MIN_POSITIVE),
            Self::F16 => f64::from(f16::MIN_POSITIVE),
            Self::Bf16 => f64::from(bf16::MIN_POSITIVE),
        }
    }

    fn bytes(self, number: f64) -> Vec<u8> {
        match self {
            Self::F32 => (number as f32).to_le_bytes().into(),
            Self::F16 => f16::from_f64(number).to_le_bytes().into(),
            Self::Bf16 => bf16::from_f64(number).to_le_bytes().into(),
        }
    }

    fn number(self, bytes: &[u8]) -> f64 {
        let two = || [bytes[0], bytes[1]];
        match self {
            Self::F32 => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into(),
            Self::F16 => f16::from_le_bytes(two()).into(),
            Self::Bf16 => bf16::from_le_bytes(two()).into(),
        }
    }

    /// Returns the numbers in these bytes.
    pub(crate) fn numbers(self, bytes: &[u8]) -> Vec<f64> {
        let each = bytes.chunks_exact(self.size());
        each.map(|bytes| self.number(bytes)).collect()
    }

    /// Returns the bytes of `count` numbers between -4 and 4 in random order, from a seed.
    pub(crate) fn drawn(self, count: usize, seed: u64) -> Vec<u8> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 21) - 4.0
        };
        (0..count).flat_map(|_| self.bytes(draw())).collect()
    }
}
