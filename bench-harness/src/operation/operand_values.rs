//! The values of operands, which are the inputs after the first.

use configgen::comparator::ScalarType;
use configgen::reduction::Scalar;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use rand_pcg::Pcg64Mcg;

use super::gather_indices::GatherIndices;
use super::{OperandSubset, Stream, Streams, append};
use crate::numbers::{denormals, nans, nearest, random};

/// Small numbers. Integers stay integers when multiplied by them.
const TAME: [f64; 6] = [1.0, 1.0, -1.0, 2.0, -2.0, 3.0];

/// The number of operand sets.
pub(crate) const SETS: usize = 2;

/// Makes the operands of a set: small integers in the first, and special values among them in the
/// second.
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

/// Makes operand `number` as gather indices. In the second set, half of them are arbitrary.
pub(super) fn indices(
    streams: Streams,
    operand: (usize, &OperandSubset),
    indices: &GatherIndices,
    set: usize,
) -> Vec<u8> {
    draw_operand(streams, operand, set, |_, rng| {
        indices.draw(set > 0 && rng.random(), rng)
    })
}

/// Makes operand `number` of a set. `draw` returns each element.
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
        // Each row has its own stream, so its values do not depend on the other checked rows. An
        // operand's number is less than 16.
        let mut rng = streams.rng(Stream::Operands, row, set << 4 | number);
        let elements = (0..needed.length).map(|_| draw(kind, &mut rng));
        let elements: Vec<u64> = elements.collect();
        append(&mut bytes, element, &elements, &mut rng);
    }
    bytes
}

/// Returns a small integer that is not 0.
pub(super) fn tame(kind: ScalarType, rng: &mut impl Rng) -> u64 {
    nearest(kind, *TAME.choose(rng).expect("there are some"))
}

/// Returns a value with occasional zeros, subnormals and large numbers, and rarely a NaN.
/// Integers are arbitrary.
fn wild(kind: ScalarType, rng: &mut impl Rng) -> u64 {
    if kind.is_integer() {
        return random(kind, rng);
    }
    match rng.random_range(0..4096) {
        // A NaN or a huge value hides all other elements of its row, so both are rare.
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
