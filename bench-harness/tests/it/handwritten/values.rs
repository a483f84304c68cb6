//! Numbers of the three element types, with their bytes.

use configgen::ElementType;
use half::{bf16, f16};

/// Returns the precision of a type: the relative error of a rounded number, and the absolute
/// error of its smallest.
pub(crate) fn rounding(element: ElementType) -> [f64; 2] {
    let powers = match element {
        ElementType::F16 => [-11, -25],
        ElementType::Bf16 => [-8, -134],
        _ => [-24, -150],
    };
    powers.map(|power| 2f64.powi(power))
}

/// Encodes rounded numbers as bytes.
pub(crate) fn encode(element: ElementType, values: impl Iterator<Item = f32>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        match element {
            ElementType::F16 => bytes.extend(f16::from_f32(value).to_le_bytes()),
            ElementType::Bf16 => bytes.extend(bf16::from_f32(value).to_le_bytes()),
            _ => bytes.extend(value.to_le_bytes()),
        }
    }
    bytes
}

/// Decodes numbers from bytes.
pub(crate) fn decode(element: ElementType, bytes: &[u8]) -> Vec<f64> {
    let halves = bytes.as_chunks::<2>().0.iter().copied();
    let singles = bytes.as_chunks::<4>().0.iter().copied();
    match element {
        ElementType::F16 => halves
            .map(|half| f16::from_le_bytes(half).to_f64())
            .collect(),
        ElementType::Bf16 => halves
            .map(|half| bf16::from_le_bytes(half).to_f64())
            .collect(),
        _ => singles
            .map(|single| f64::from(f32::from_le_bytes(single)))
            .collect(),
    }
}

/// Returns `count` random numbers, the same for a seed: between -4 and 4 around a middle.
pub(crate) fn random(seed: u64, middle: f32, count: usize) -> impl Iterator<Item = f32> {
    let mut state = seed;
    (0..count).map(move |_| {
        // splitmix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        middle + (mixed >> 40) as f32 / (1 << 21) as f32 - 4.0
    })
}
