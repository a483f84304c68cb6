//! What is reduced of the elements of several inputs, and what the inputs behind the first hold.

use configgen::comparator::{Evaluator, ScalarType};
use configgen::{ElementType, Function};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use super::{Needed, Operands, Stream, Streams, append};
use crate::numbers::{denormals, nans, nearest, random};
use crate::row::Packed;

/// Small numbers, by which whole ones are multiplied and stay whole.
const TAME: [f64; 6] = [1.0, 1.0, -1.0, 2.0, -2.0, 3.0];

/// A function with its inputs.
pub(crate) struct Computed {
    evaluator: Evaluator,
    /// Of which type patterns make rows, and the type of the elements.
    types: [ScalarType; 2],
    operands: Vec<ElementType>,
    streams: Streams,
}

impl Computed {
    /// Of these elements, of which patterns make rows as ones of type `shown`.
    pub(crate) fn new(
        function: &Function,
        element: ElementType,
        shown: ElementType,
        streams: Streams,
    ) -> Computed {
        let operands = function.operands().iter();
        Computed {
            evaluator: function.evaluator(),
            types: [shown, element].map(ScalarType::from),
            operands: operands.map(|operand| operand.element).collect(),
            streams,
        }
    }

    /// How many operands there are.
    pub(crate) fn count(&self) -> usize {
        self.operands.len()
    }

    /// How many sets of them, as [`Maker::sets`](super::Maker::sets) has it.
    pub(crate) fn sets(&self) -> usize {
        match self.operands.is_empty() {
            true => 1,
            false => 2,
        }
    }

    /// What the operands of a set hold: in the first small whole numbers, in the second what is special among them.
    pub(crate) fn operands(&self, needed: &[Needed], set: usize) -> Vec<Vec<u8>> {
        let operands = needed.iter().zip(&self.operands).enumerate();
        operands
            .map(|(number, (needed, &element))| {
                let mut bytes = Vec::with_capacity(needed.bytes() as usize);
                for &row in &needed.rows {
                    let launch = set << 4 | number;
                    let mut rng = self.streams.rng(Stream::Operands, row, launch);
                    let kind = ScalarType::from(element);
                    let elements: Vec<u64> = (0..needed.length)
                        .map(|_| match set {
                            0 => tame(kind, &mut rng),
                            _ => wild(kind, &mut rng),
                        })
                        .collect();
                    append(&mut bytes, element, &elements, &mut rng);
                }
                bytes
            })
            .collect()
    }

    /// Makes a row of the elements' type.
    pub(crate) fn convert(&self, row: &mut [u64]) {
        let [from, to] = self.types;
        if from == to {
            return;
        }
        for bits in row {
            *bits = match (from.is_float(), to.is_float()) {
                (true, true) if from.is_nan(*bits) => to.canonical_nan(),
                (true, _) => nearest(to, from.to_f64(*bits)),
                (false, true) => nearest(to, from.signed(*bits) as f64),
                (false, false) => *bits & to.mask(),
            };
        }
    }

    /// What is reduced in the checked row at `place`, whose elements these are.
    pub(crate) fn row(
        &mut self,
        elements: &[u64],
        place: usize,
        operands: &Operands<'_>,
    ) -> Vec<u64> {
        let operands: Vec<(&Needed, Packed<'_>, u64)> = (operands.needed.iter())
            .zip(operands.bytes)
            .zip(&self.operands)
            .map(|((needed, bytes), &element)| {
                let packed = Packed::new(bytes, element.bytes());
                (needed, packed, ScalarType::from(element).mask())
            })
            .collect();
        let mut arguments = vec![0; 1 + operands.len()];
        let computed = elements.iter().enumerate().map(|(column, &element)| {
            arguments[0] = element;
            for (argument, (needed, packed, mask)) in arguments[1..].iter_mut().zip(&operands) {
                let bits = packed.get(needed.element(place, column));
                *argument = bits.expect("each element is there") & mask;
            }
            self.evaluator.result(&arguments)
        });
        computed.collect()
    }
}

fn tame(kind: ScalarType, rng: &mut impl Rng) -> u64 {
    nearest(kind, *TAME.choose(rng).expect("there are some"))
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
