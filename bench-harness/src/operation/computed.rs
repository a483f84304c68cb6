//! What is reduced of the elements of several inputs.

use configgen::comparator::{Evaluator, ScalarType};
use configgen::{ElementType, Function};

use super::{Needed, Operands, SETS, Streams, made};
use crate::numbers::nearest;
use crate::row::Packed;

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
