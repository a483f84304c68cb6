//! What the inputs behind the first hold where they are numbers.

use std::ops::Range;

use configgen::comparator::ScalarType;
use configgen::reduction::Scalar;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use rand_pcg::Pcg64Mcg;

use super::{OperandSubset, Stream, Streams, append};
use crate::numbers::{denormals, nans, nearest, random};

/// Small numbers, by which whole ones are multiplied and stay whole.
const TAME: [f64; 6] = [1.0, 1.0, -1.0, 2.0, -2.0, 3.0];

/// How many sets of such operands there are.
pub(crate) const SETS: usize = 2;

/// What operands of elements hold in a set: in the first small whole numbers, in the second what is special among them.
pub(crate) fn make_operands<'a>(
    streams: Streams,
    needed: impl IntoIterator<Item = &'a OperandSubset>,
    set: usize,
) -> Vec<Vec<u8>> {
    let operands = needed.into_iter().enumerate();
    operands
        .map(|operand| {
            draw_operand(streams, operand, set, |kind, rng| match set {
                0 => tame(kind, rng),
                _ => wild(kind, rng),
            })
        })
        .collect()
}

/// What the operand with this number holds where it is one of indices in this range; in the second set half of them are any.
pub(super) fn indices(
    streams: Streams,
    operand: (usize, &OperandSubset),
    range: &Range<i64>,
    set: usize,
) -> Vec<u8> {
    draw_operand(streams, operand, set, |kind, rng| {
        index(kind, range, set > 0 && rng.random(), rng)
    })
}

/// What the operand with this number holds in a set, where `draw` gives each element.
pub(crate) fn draw_operand(
    streams: Streams,
    (number, needed): (usize, &OperandSubset),
    set: usize,
    mut draw: impl FnMut(ScalarType, &mut Pcg64Mcg) -> u64,
) -> Vec<u8> {
    let Scalar::Element(element) = needed.scalar() else {
        unreachable!("indices are made with their problem")
    };
    let kind = ScalarType::from(element);
    let mut bytes = Vec::with_capacity(needed.bytes() as usize);
    for &row in &needed.rows {
        let mut rng = streams.rng(Stream::Operands, row, set << 4 | number);
        let elements = (0..needed.length).map(|_| draw(kind, &mut rng));
        let elements: Vec<u64> = elements.collect();
        append(&mut bytes, element, &elements, &mut rng);
    }
    bytes
}

/// A small whole number that is not 0.
pub(super) fn tame(kind: ScalarType, rng: &mut impl Rng) -> u64 {
    nearest(kind, *TAME.choose(rng).expect("there are some"))
}

/// An index: most often one of these, and else one beyond their ends, minus one, or any at all, as it is where `is_any`.
pub(crate) fn index(kind: ScalarType, range: &Range<i64>, is_any: bool, rng: &mut impl Rng) -> u64 {
    if is_any {
        return random(kind, rng);
    }
    let index = match rng.random_range(0..16) {
        0 => *[range.start - 1, range.end, -1, i64::MIN, i64::MAX]
            .choose(rng)
            .expect("there are some"),
        1 => range.start,
        2 => range.end - 1,
        _ => rng.random_range(range.clone()),
    };
    index as u64 & kind.mask()
}

/// Of floats now and then a zero, a number near it or a large one, and rarely what is no number.
fn wild(kind: ScalarType, rng: &mut impl Rng) -> u64 {
    if kind.is_integer() {
        return random(kind, rng);
    }
    match rng.random_range(0..4096) {
        0 => *nans(kind).choose(rng).expect("floats have a NaN"),
        1 => kind.greatest(),
        2..500 => {
            let small = denormals(kind);
            let sign = if rng.random() { kind.sign_bit() } else { 0 };
            let all = [0, sign, small[0], small[2], small[2] + 1];
            *all.choose(rng).expect("there are some")
        }
        500..1000 => nearest(kind, rng.random_range(-1000.0..1000.0)),
        _ => tame(kind, rng),
    }
}
