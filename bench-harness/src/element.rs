//! Host elements: each element type as a Rust type, with the edge values that hostile inputs are made of.

use configgen::Operation;
use half::{bf16, f16};
use rand::{Rng, RngExt};

/// An element type of the host. `PartialOrd` is IEEE 754's order on floats: NaN compares false with everything.
pub(crate) trait Element:
    bytemuck::Pod + PartialOrd + std::fmt::Display + Send + Sync
{
    /// The least value: no other is below it (negative infinity on floats).
    const LEAST: Self;
    /// The greatest value (positive infinity on floats).
    const GREATEST: Self;
    /// Values that are NaN: quiet, signalling, negative. Empty on integers.
    const NANS: &'static [Self];
    /// Zeros that compare equal but differ in their bits. Empty on integers.
    const ZEROS: &'static [Self];
    /// Subnormal values, the smallest first. Empty on integers.
    const DENORMALS: &'static [Self];

    /// The value nearest to `value`; integers saturate.
    fn nearest(value: f64) -> Self;

    /// A random value: any finite float by its bits, any integer.
    fn random(rng: &mut impl Rng) -> Self;

    /// The initial value of the fold: the one that every other value beats.
    fn worst(operation: Operation) -> Self {
        match operation {
            Operation::Argmax => Self::LEAST,
            Operation::Argmin => Self::GREATEST,
        }
    }

    /// The value that no other beats.
    fn best(operation: Operation) -> Self {
        match operation {
            Operation::Argmax => Self::GREATEST,
            Operation::Argmin => Self::LEAST,
        }
    }

    /// The strict comparator of `operation`: whether `a` beats `b`.
    fn beats(operation: Operation, a: Self, b: Self) -> bool {
        match operation {
            Operation::Argmax => a > b,
            Operation::Argmin => a < b,
        }
    }
}

macro_rules! float {
    ($type:ty, $bits:ty, nan: $quiet:expr, $signalling:expr, denormals: $denormals:expr,
     zeros: $zeros:expr, from: $from:expr) => {
        impl Element for $type {
            const LEAST: Self = <$type>::NEG_INFINITY;
            const GREATEST: Self = <$type>::INFINITY;
            const NANS: &'static [Self] = &[
                <$type>::from_bits($quiet),
                <$type>::from_bits($signalling),
                <$type>::from_bits($quiet | 1 << (<$bits>::BITS - 1)),
            ];
            const ZEROS: &'static [Self] = &$zeros;
            const DENORMALS: &'static [Self] = &$denormals;

            fn nearest(value: f64) -> Self {
                let from: fn(f64) -> $type = $from;
                from(value)
            }

            fn random(rng: &mut impl Rng) -> Self {
                loop {
                    let value = <$type>::from_bits(rng.random::<$bits>());
                    if value.is_finite() {
                        return value;
                    }
                }
            }
        }
    };
}

float!(f64, u64, nan: 0x7ff8_0000_0000_0000, 0x7ff0_0000_0000_0001,
    denormals: [f64::from_bits(1), f64::from_bits(2), f64::from_bits(0x000f_ffff_ffff_ffff)],
    zeros: [0.0, -0.0], from: |value| value);
float!(f32, u32, nan: 0x7fc0_0000, 0x7f80_0001,
    denormals: [f32::from_bits(1), f32::from_bits(2), f32::from_bits(0x007f_ffff)],
    zeros: [0.0, -0.0], from: |value| value as f32);
float!(f16, u16, nan: 0x7e00, 0x7c01,
    denormals: [f16::from_bits(1), f16::from_bits(2), f16::from_bits(0x03ff)],
    zeros: [f16::ZERO, f16::NEG_ZERO], from: f16::from_f64);
float!(bf16, u16, nan: 0x7fc0, 0x7f81,
    denormals: [bf16::from_bits(1), bf16::from_bits(2), bf16::from_bits(0x007f)],
    zeros: [bf16::ZERO, bf16::NEG_ZERO], from: bf16::from_f64);

macro_rules! integer {
    ($type:ty) => {
        impl Element for $type {
            const LEAST: Self = <$type>::MIN;
            const GREATEST: Self = <$type>::MAX;
            const NANS: &'static [Self] = &[];
            const ZEROS: &'static [Self] = &[];
            const DENORMALS: &'static [Self] = &[];

            fn nearest(value: f64) -> Self {
                value as $type
            }

            fn random(rng: &mut impl Rng) -> Self {
                rng.random()
            }
        }
    };
}

integer!(i64);
integer!(i32);
integer!(i16);
integer!(i8);

/// Calls a function that is generic over [`Element`] with the host type of an element type.
macro_rules! with_element {
    ($element:expr, $function:ident :: <_>($($argument:expr),* $(,)?)) => {
        match $element {
            configgen::ElementType::F64 => $function::<f64>($($argument),*),
            configgen::ElementType::F32 => $function::<f32>($($argument),*),
            configgen::ElementType::F16 => $function::<half::f16>($($argument),*),
            configgen::ElementType::Bf16 => $function::<half::bf16>($($argument),*),
            configgen::ElementType::I64 => $function::<i64>($($argument),*),
            configgen::ElementType::I32 => $function::<i32>($($argument),*),
            configgen::ElementType::I16 => $function::<i16>($($argument),*),
            configgen::ElementType::I8 => $function::<i8>($($argument),*),
        }
    };
}
pub(crate) use with_element;
