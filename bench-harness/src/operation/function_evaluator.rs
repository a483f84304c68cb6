//! The evaluator of a problem's function: it computes the reduced values from the elements of
//! several inputs.

use configgen::comparator::{Evaluator, Opcode, ScalarType, Value};
use configgen::{ElementType, Function, Problem, Shape};
use rand::Rng;

use super::gather_indices::GatherIndices;
use super::operand_values::{indices, tame};
use super::{
    OperandSubset, Operands, SETS, Slot, Stream, Streams, ViewAddressing, append, make_operands,
};
use crate::numbers::nearest;
use crate::packed_elements::PackedElements;

/// A function with its inputs.
pub(crate) struct FunctionEvaluator {
    evaluator: Evaluator,
    shape: Shape,
    /// The type of the patterns' rows, and the type of the input's elements.
    types: [ScalarType; 2],
    element: ElementType,
    /// The inputs after the first.
    arguments: Vec<FunctionArgument>,
    /// For each input, including the problem's own at 0, its indices if a view is gathered by it.
    indices: Vec<Option<GatherIndices>>,
    streams: Streams,
    /// The positions of both f32 factors among the function's values, if its result is their
    /// product.
    factors: Option<[usize; 2]>,
}

/// An input after the first.
enum FunctionArgument {
    /// A tensor: its element type and its number among the tensors.
    Tensor(ElementType, usize),
    /// The coordinate along a dimension.
    Place(usize),
}

/// The contents of such an input in one launch.
enum LaunchArgument<'a> {
    Tensor(&'a OperandSubset, PackedElements<'a>, ScalarType),
    Place(usize),
}

impl LaunchArgument<'_> {
    /// Returns the element at a column of the checked row at `place`. `held` returns the gather
    /// index of an input.
    fn element(&self, place: usize, column: usize, held: impl Fn(usize) -> i64) -> u64 {
        let LaunchArgument::Tensor(needed, packed, kind) = self else {
            unreachable!("a place is no tensor")
        };
        let bits = match needed.element(place, column, held) {
            None => needed.outside(),
            Some(number) => packed.get(number).expect("each element is there"),
        };
        bits & kind.mask()
    }

    /// Returns the gather index at a column of the checked row at `place`.
    fn index(&self, place: usize, column: usize) -> i64 {
        let bits = self.element(place, column, |_| unreachable!("indices are not gathered"));
        match self {
            LaunchArgument::Tensor(_, _, kind) => kind.signed(bits),
            LaunchArgument::Place(_) => unreachable!("a place is no tensor"),
        }
    }
}

impl FunctionEvaluator {
    /// Creates the evaluator of a problem's function. Patterns make rows of type `shown`.
    pub(crate) fn new(
        problem: &Problem,
        function: &Function,
        shown: ElementType,
        streams: Streams,
    ) -> FunctionEvaluator {
        // Coordinates need no operand, so tensors have numbers of their own.
        let mut tensors = 0;
        let operands = function.operands().iter();
        let arguments = operands.map(|operand| {
            if let Some(dimension) = operand.map.dimensions().next().filter(|_| operand.is_place) {
                return FunctionArgument::Place(dimension);
            }
            tensors += 1;
            FunctionArgument::Tensor(operand.element, tensors - 1)
        });
        let arguments: Vec<FunctionArgument> = arguments.collect();
        let inputs = 0..=arguments.len();
        let indices = inputs
            .map(|input| GatherIndices::of(problem, input))
            .collect();
        FunctionEvaluator {
            evaluator: function.evaluator(),
            shape: problem.shape.clone(),
            types: [shown, problem.element].map(ScalarType::from),
            element: problem.element,
            arguments,
            indices,
            streams,
            factors: factors(function),
        }
    }

    /// Returns the number of operands.
    pub(crate) fn count(&self) -> usize {
        self.tensors().count()
    }

    /// Iterates over the operands' element types and their numbers among the inputs.
    fn tensors(&self) -> impl Iterator<Item = (ElementType, usize)> {
        let arguments = self.arguments.iter().zip(1..);
        arguments.filter_map(|(argument, number)| match argument {
            FunctionArgument::Tensor(element, _) => Some((*element, number)),
            FunctionArgument::Place(_) => None,
        })
    }

    /// Returns the number of operand sets, as in [`Maker::sets`](super::Maker::sets).
    pub(crate) fn sets(&self) -> usize {
        match self.count() {
            0 => 1,
            _ => SETS,
        }
    }

    /// Returns the contents of the operands in a set.
    pub(crate) fn operands(&self, needed: &[OperandSubset], set: usize) -> Vec<Vec<u8>> {
        let mut all = make_operands(self.streams, &needed[..self.count()], set);
        // Operands that gather others hold indices.
        for (place, (_, number)) in self.tensors().enumerate() {
            if let Some(own) = &self.indices[number] {
                all[place] = indices(self.streams, (place, &needed[place]), own, set);
            }
        }
        all
    }

    /// Converts a pattern's row to the elements' type. An input that gathers others gets indices
    /// instead.
    pub(crate) fn convert(&self, row: &mut [u64], rng: &mut impl Rng) {
        let [from, to] = self.types;
        if let Some(indices) = &self.indices[0] {
            for bits in row {
                *bits = indices.draw(false, rng);
            }
            return;
        }
        if from == to {
            return;
        }
        for bits in row {
            *bits = match (from.is_float(), to.is_float()) {
                // A NaN of one type has no meaning as bits of another.
                (true, true) if from.is_nan(*bits) => to.canonical_nan(),
                (true, _) => nearest(to, from.to_f64(*bits)),
                (false, true) => nearest(to, from.signed(*bits) as f64),
                (false, false) => *bits & to.mask(),
            };
        }
    }

    /// Returns the tensor of the problem's own view in launch `number`, and the rows that the view
    /// sees, if the input is a view. `make` makes a row.
    ///
    /// A view shows elements to several rows, so all rows must be made before the first result is
    /// known.
    pub(crate) fn viewed(
        &self,
        operands: &Operands<'_>,
        (number, slots): (usize, &[Slot]),
        make: impl FnMut((usize, &Slot)) -> Vec<u64>,
    ) -> Option<(Vec<u8>, Vec<Vec<u64>>)> {
        let own = operands.own?;
        let mut rows: Vec<Vec<u64>> = slots.iter().enumerate().map(make).collect();
        let mut rng = self.streams.rng(Stream::Tensor, 0, number);
        let tensor = self.tensor((own, operands), &mut rows, &mut rng);
        Some((tensor, rows))
    }

    /// Builds the held elements of the tensor of the problem's own view from `rows`. Updates `rows`
    /// to the elements that the view sees.
    ///
    /// If the view shows one element to several rows, the last one wins. Positions outside of the
    /// tensor become the view's outside value.
    fn tensor(
        &self,
        (seen, operands): (&ViewAddressing, &Operands<'_>),
        rows: &mut [Vec<u64>],
        rng: &mut impl Rng,
    ) -> Vec<u8> {
        let kind = self.types[1];
        // A kernel that reads an element outside of every row gets a number that changes its
        // result.
        let mut tensor: Vec<u64> = (0..seen.elements).map(|_| tame(kind, rng)).collect();
        let arguments = self.held(operands);
        let held = |place: usize, column: usize| {
            let arguments = &arguments;
            // An input never gathers its own view, so the index skips input 0.
            move |input: usize| arguments[input - 1].index(place, column)
        };
        for (place, row) in rows.iter().enumerate() {
            for (column, &bits) in row.iter().enumerate() {
                if let Some(number) = seen.element(place, column, held(place, column)) {
                    tensor[number] = bits;
                }
            }
        }
        // The second pass reads the final tensor, because later rows may have overwritten shared
        // elements.
        for (place, row) in rows.iter_mut().enumerate() {
            for (column, bits) in row.iter_mut().enumerate() {
                let number = seen.element(place, column, held(place, column));
                *bits = number.map_or(seen.outside, |number| tensor[number]);
            }
        }
        let mut bytes = Vec::with_capacity(tensor.len() * self.element.bytes() as usize);
        append(&mut bytes, self.element, &tensor, rng);
        bytes
    }

    /// Returns the launch's contents of the inputs after the first.
    fn held<'b>(&self, operands: &Operands<'b>) -> Vec<LaunchArgument<'b>> {
        let arguments = self.arguments.iter();
        let held = arguments.map(|argument| match *argument {
            FunctionArgument::Tensor(element, number) => LaunchArgument::Tensor(
                &operands.needed[number],
                PackedElements::new(&operands.bytes[number], element.bytes()),
                element.into(),
            ),
            FunctionArgument::Place(dimension) => LaunchArgument::Place(dimension),
        });
        held.collect()
    }

    /// Returns the values to reduce in the checked row at `place` with these elements.
    pub(crate) fn row(
        &mut self,
        elements: &[u64],
        place: usize,
        operands: &Operands<'_>,
    ) -> Vec<u64> {
        self.each(elements, place, operands, |result, _| result)
    }

    /// Returns the values as exact products of two f32 numbers, if the function is such a
    /// product. A double holds all digits of the product.
    pub(crate) fn products(
        &mut self,
        elements: &[u64],
        place: usize,
        operands: &Operands<'_>,
    ) -> Option<Vec<f64>> {
        let factors = self.factors?;
        Some(self.each(elements, place, operands, |_, values| {
            let [one, other] = factors.map(|at| ScalarType::F32.to_f64(values[at]));
            one * other
        }))
    }

    /// Calls `take` with each result of the function and with all values of its computation.
    fn each<T>(
        &mut self,
        elements: &[u64],
        place: usize,
        operands: &Operands<'_>,
        take: impl Fn(u64, &[u64]) -> T,
    ) -> Vec<T> {
        let (held, own) = (self.held(operands), self.types[1]);
        let mut arguments = vec![0; 1 + held.len()];
        let computed = elements.iter().enumerate().map(|(column, &element)| {
            arguments[0] = element;
            for (argument, of) in arguments[1..].iter_mut().zip(&held) {
                *argument = match of {
                    // Input 0 is the problem's own, whose element may itself be the gather index.
                    LaunchArgument::Tensor(..) => of.element(place, column, |input| match input {
                        0 => own.signed(element),
                        _ => held[input - 1].index(place, column),
                    }),
                    LaunchArgument::Place(dimension) => {
                        coordinate(&self.shape, *dimension, (operands.rows[place], column))
                    }
                };
            }
            let result = self.evaluator.result(&arguments);
            take(result, self.evaluator.values())
        });
        computed.collect()
    }
}

/// Returns the positions of two f32 values if the function's result is their product.
fn factors(function: &Function) -> Option<[usize; 2]> {
    let region = function.region();
    let product = region.definition(region.result())?;
    let is_product = product.opcode == Opcode::Mulf && product.result == ScalarType::F32;
    is_product.then(|| [product.operands[0], product.operands[1]].map(Value::index))
}

/// Returns the coordinate along a dimension at a column of a row.
pub(crate) fn coordinate(shape: &Shape, dimension: usize, (row, column): (u64, usize)) -> u64 {
    let is_reduced = shape.is_reduced(dimension);
    // Reduced dimensions vary with the column, parallel ones with the row.
    let number = if is_reduced { column as u64 } else { row };
    let inner = (dimension + 1..shape.rank()).filter(|&d| shape.is_reduced(d) == is_reduced);
    let inner: u64 = inner.map(|d| u64::from(shape.sizes()[d])).product();
    number / inner % u64::from(shape.sizes()[dimension])
}
