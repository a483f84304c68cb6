//! What is reduced of the elements of several inputs.

use configgen::comparator::{Evaluator, ScalarType};
use configgen::{ElementType, Function};
use rand::Rng;

use super::made::tame;
use super::{Needed, Operands, SETS, Seen, Streams, append, made};
use crate::numbers::nearest;
use crate::row::Packed;

/// A function with its inputs.
pub(crate) struct Computed {
    evaluator: Evaluator,
    /// Of which type patterns make rows, and the type of the elements.
    types: [ScalarType; 2],
    element: ElementType,
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
            element,
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
            false => SETS,
        }
    }

    /// What the operands of a set hold.
    pub(crate) fn operands(&self, needed: &[Needed], set: usize) -> Vec<Vec<u8>> {
        made(self.streams, &needed[..self.operands.len()], set)
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

    /// The tensor that has the elements of these rows where a view has its places, and the rows that are seen then: where several
    /// are at one element, the last one stays.
    pub(crate) fn tensor(&self, seen: &Seen, rows: &mut [Vec<u64>], rng: &mut impl Rng) -> Vec<u8> {
        let kind = self.types[1];
        // Whoever takes an element that no row sees finds a number that counts.
        let mut tensor: Vec<u64> = (0..seen.elements).map(|_| tame(kind, rng)).collect();
        for (place, row) in rows.iter().enumerate() {
            for (column, &bits) in row.iter().enumerate() {
                if let Some(number) = seen.element(place, column) {
                    tensor[number] = bits;
                }
            }
        }
        for (place, row) in rows.iter_mut().enumerate() {
            for (column, bits) in row.iter_mut().enumerate() {
                let number = seen.element(place, column);
                *bits = number.map_or(seen.outside, |number| tensor[number]);
            }
        }
        let mut bytes = Vec::with_capacity(tensor.len() * self.element.bytes() as usize);
        append(&mut bytes, self.element, &tensor, rng);
        bytes
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
                let bits = match needed.element(place, column) {
                    None => needed.outside(),
                    Some(number) => packed.get(number).expect("each element is there"),
                };
                *argument = bits & mask;
            }
            self.evaluator.result(&arguments)
        });
        computed.collect()
    }
}
