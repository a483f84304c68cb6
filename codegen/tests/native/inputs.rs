//! Inputs that find wrong kernels: each kind is a way to be wrong.

use configgen::ElementType;

use crate::fold::{Operation, from_f32, worst};

/// A generator of numbers (splitmix64), so that a failure can be repeated from its seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// Kinds of input, by what they catch.
pub(crate) const KINDS: [Kind; 13] = [
    // Any bits: NaN of both kinds, infinities, denormals among them.
    Kind::Bits,
    // Three values: a tie in nearly every pair of lanes.
    Kind::Ties,
    Kind::AllEqual,
    Kind::Ascending,
    Kind::Descending,
    Kind::MostlyNan,
    Kind::AllNan,
    Kind::Zeros,
    Kind::Worst,
    Kind::Denormals,
    Kind::LastOnly,
    Kind::OneTwice,
    // Some of the best: a tie in nearly every lane that has many elements, and rarely at the beginning.
    Kind::OneOften,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bits,
    Ties,
    AllEqual,
    Ascending,
    Descending,
    MostlyNan,
    AllNan,
    Zeros,
    Worst,
    Denormals,
    LastOnly,
    OneTwice,
    OneOften,
}

/// Better than what most kinds of input hold.
pub(crate) fn top(operation: Operation, element: ElementType) -> u32 {
    match operation {
        Operation::Argmax => from_f32(element, 1000.0),
        Operation::Argmin => from_f32(element, -1000.0),
    }
}

/// A row of `length` elements as bits.
pub(crate) fn row(
    kind: Kind,
    operation: Operation,
    element: ElementType,
    length: usize,
    random: &mut Random,
) -> Vec<u32> {
    let mask = if element.bytes() == 2 {
        0xffff
    } else {
        u32::MAX
    };
    let number = |n: i64| from_f32(element, n as f32);
    let nan = |random: &mut Random| match (element, random.below(4)) {
        (ElementType::F16, n) => [0x7e00, 0xfe01, 0x7c01, 0xffff][n as usize],
        (ElementType::Bf16, n) => [0x7fc0, 0xffc1, 0x7f81, 0xffff][n as usize],
        (_, n) => [0x7fc0_0000, 0xffc0_0001, 0x7f80_0001, 0xffff_ffff][n as usize],
    };
    let negative_zero = match element {
        ElementType::I32 => 0,
        ElementType::F32 => 0x8000_0000,
        _ => 0x8000,
    };
    let top = top(operation, element);
    let places = [random.below(length as u64), random.below(length as u64)];
    (0..length)
        .map(|index| match kind {
            Kind::Bits => random.next() as u32 & mask,
            Kind::Ties => number(random.below(3) as i64 - 1),
            Kind::AllEqual => number(7),
            Kind::Ascending => number(index as i64 - length as i64 / 2),
            Kind::Descending => number(length as i64 / 2 - index as i64),
            Kind::MostlyNan => match random.below(8) {
                0 => number(random.below(4) as i64),
                _ => nan(random),
            },
            Kind::AllNan => nan(random),
            Kind::Zeros => [0, negative_zero][random.below(2) as usize],
            Kind::Worst => worst(operation, element),
            Kind::Denormals => {
                [0, negative_zero, 1, 2, negative_zero | 1][random.below(5) as usize]
            }
            Kind::LastOnly if index + 1 == length => top,
            Kind::OneTwice if places.contains(&(index as u64)) => top,
            Kind::OneOften if random.below(length as u64) < 8 => top,
            Kind::LastOnly | Kind::OneTwice | Kind::OneOften => {
                number(random.below(200) as i64 - 100)
            }
        })
        .collect()
}
