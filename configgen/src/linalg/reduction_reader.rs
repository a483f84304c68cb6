//! The step from an operation's parts to a problem.

use std::fmt::{self, Display, Formatter};

use arrayvec::ArrayVec;

use super::body::{ReductionBody, combined};
use super::dimension_order::DimensionOrder;
use super::header::{LinalgName, OperationHeader};
use super::map::{OperandMap, dimensions, iterators, maps};
use super::operands::{LinalgOperand, operands};
use super::operation_context::OperationContext;
use super::sizes::ProblemSizes;
use crate::comparator::{ComparatorError, Cursor, MlirToken, ScalarType, Scopes, constant};
use crate::shape::MAX_RANK;
use crate::{ElementType, Problem, ProblemError};

/// The problem of a single reduction.
pub(super) struct PlainProblem {
    pub(super) problem: Problem,
    /// The number of the input that is the problem's first one; the others follow in order.
    pub(super) first: usize,
}

/// Returns the problem of an operation.
pub(super) fn problem(
    header: &OperationHeader<'_>,
    around: &OperationContext<'_>,
) -> Result<PlainProblem, ComparatorError> {
    let (inputs, output) = operands(header)?;
    let body = combined(header, &around.scopes, &inputs, &output)?;
    let (reduced, maps) = iteration(header, &inputs, &output, around)?;
    let reduction = Reduction {
        start: header.start,
        inputs: &inputs,
        output: &output,
        body,
        reduced,
        maps,
    };
    reduction.problem(&around.scopes)
}

/// The parts of a reducing operation.
pub(super) struct Reduction<'o, 'a> {
    pub(super) start: Cursor<'a>,
    pub(super) inputs: &'o [LinalgOperand<'a>],
    pub(super) output: &'o LinalgOperand<'a>,
    pub(super) body: ReductionBody,
    pub(super) reduced: ArrayVec<bool, MAX_RANK>,
    /// The maps of the inputs, then of the output.
    pub(super) maps: Vec<OperandMap<'a>>,
}

impl Reduction<'_, '_> {
    /// Returns its problem.
    pub(super) fn problem(self, scopes: &Scopes<'_>) -> Result<PlainProblem, ComparatorError> {
        let Reduction {
            start,
            inputs,
            output,
            body,
            reduced,
            maps,
        } = self;
        let (output_map, input_maps) = maps.split_last().ok_or_else(|| no_maps(start))?;
        check_output(output_map, &reduced)?;
        let operands = || inputs.iter().zip(input_maps).chain([(output, output_map)]);
        let iterated = sizes(operands(), reduced.len())?;
        let read: Vec<&[usize]> = input_maps.iter().map(|it| &it.dimensions[..]).collect();
        let order = DimensionOrder::of(&iterated, &reduced, &read, &output_map.dimensions);
        let Some(order) = order else {
            let all: Vec<String> = (0..reduced.len()).map(|d| format!("d{d}")).collect();
            return Err(input_maps[0].place.error(format!(
                "no input has all dimensions of the iteration, ({}), with the parallel ones in the order of the \
                 output. The first input of a problem must have all but those of size 1",
                all.join(", ")
            )));
        };
        let first = order.first;
        // An unused input would make a problem that the parser refuses.
        if let Some(unused) = body.unused(inputs.len()) {
            let unused = &inputs[unused];
            let message = format!("the body does not use %{}", unused.name);
            return Err(unused.place.error(message));
        }
        let body = body.beginning_with(first);
        let sizes = order.sizes(&iterated, &reduced);
        let sizes = sizes.map_err(|it| inputs[first].type_place.error(it.message("")))?;
        let elements = [inputs[first].element, output.element].map(ScalarType::element);
        let [Some(element), Some(accumulator)] = elements else {
            return Err(start.error("elements of a type that problems cannot have"));
        };
        let operands = inputs.iter().zip(input_maps).enumerate();
        let others = operands.filter(|(number, _)| *number != first);
        let others = others.map(|(_, (input, map))| {
            let dimensions = sizes.dimensions(&order.of_input(&map.dimensions));
            let dimensions = dimensions.ok_or_else(|| {
                let message = "this operand has a part of the dimensions up to the last dynamic one; it must have all of \
                               them, or none";
                input.type_place.error(message)
            });
            Ok((input.element, dimensions?))
        });
        let others = others.collect::<Result<_, ComparatorError>>()?;
        let written = FoldDescription {
            body,
            inputs: Inputs {
                sizes,
                element,
                operands: others,
            },
            accumulator,
            initial: initial(output, scopes)?,
        };
        // A position in the problem's text does not help the author of the MLIR.
        let refused = |error: ProblemError| {
            start.error(format!("{} (the problem {:?})", error.message, error.text))
        };
        let problem = written.problem().map_err(refused)?;
        Ok(PlainProblem { problem, first })
    }
}

/// The inputs in a problem's syntax: `64x[32000]xf32,f32(),f32(0,1)`.
pub(super) struct Inputs {
    pub(super) sizes: ProblemSizes,
    pub(super) element: ElementType,
    /// The element types and the problem's dimensions of the inputs behind the first.
    pub(super) operands: Vec<(ScalarType, Vec<usize>)>,
}

impl Display for Inputs {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.sizes.text, self.element)?;
        for (element, dimensions) in &self.operands {
            let numbers: Vec<String> = dimensions.iter().map(|d| d.to_string()).collect();
            write!(f, ",{element}({})", numbers.join(","))?;
        }
        Ok(())
    }
}

/// A fold in a problem's syntax.
pub(super) struct FoldDescription {
    pub(super) body: ReductionBody,
    pub(super) inputs: Inputs,
    pub(super) accumulator: ElementType,
    /// The bits of the initial value.
    pub(super) initial: u64,
}

impl FoldDescription {
    /// Parses the problem with this text.
    pub(super) fn problem(&self) -> Result<Problem, ProblemError> {
        let (inputs, accumulator) = (&self.inputs, self.accumulator);
        if self.is_narrow_product() {
            // As in all programs of a model, a narrow sum is one of f32 that is rounded once.
            return format!("rows({accumulator}(sum(f32(x*x1)))):{inputs}").parse();
        }
        let name = self.body.name(inputs.element, accumulator);
        let mut text = format!("{name}:{inputs}:{accumulator}");
        if self.body.identity(accumulator) != Some(self.initial) {
            // Bits are exact for every type, and the parser canonicalises them.
            text += &format!(":initial=0x{:x}", self.initial);
        }
        text.parse()
    }
}

impl FoldDescription {
    /// Returns whether it adds products of 16-bit floats in their own type, as the products of
    /// JAX's narrow models do.
    fn is_narrow_product(&self) -> bool {
        let accumulator = ScalarType::from(self.accumulator);
        let is_narrow = accumulator.is_float() && accumulator.bits() == 16;
        // A zero of either sign.
        let begins_at_zero = || self.initial & !accumulator.sign_bit() == 0;
        is_narrow && begins_at_zero() && self.body.is_sum_of_products(self.accumulator)
    }
}

fn no_maps(start: Cursor<'_>) -> ComparatorError {
    start.error("the operation has no indexing_maps or no iterator_types")
}

/// Returns the reduced dimensions, and the dimensions of each operand.
fn iteration<'a>(
    header: &OperationHeader<'a>,
    inputs: &[LinalgOperand<'a>],
    output: &LinalgOperand<'a>,
    around: &OperationContext<'a>,
) -> Result<(ArrayVec<bool, MAX_RANK>, Vec<OperandMap<'a>>), ComparatorError> {
    match header.name {
        LinalgName::Generic => {
            let attributes = &header.attributes;
            let (Some(all), Some(list)) = (attributes.maps, attributes.iterators) else {
                return Err(no_maps(header.start));
            };
            let reduced = iterators(list)?;
            let maps = maps(all, inputs.len() + 1, reduced.len(), &around.maps, true)?;
            Ok((reduced, maps))
        }
        LinalgName::Reduce => {
            let (Some(list), [input]) = (header.attributes.dimensions, inputs) else {
                let message = "expected a linalg.reduce with dimensions, one input and one output";
                return Err(header.start.error(message));
            };
            let reduced = dimensions(list, input.sizes.len())?;
            // A `linalg.reduce` has no maps: its output keeps the parallel dimensions in order.
            let all = |operand: &LinalgOperand<'a>, keep: &dyn Fn(usize) -> bool| OperandMap {
                place: operand.type_place,
                dimensions: (0..reduced.len()).filter(|&d| keep(d)).collect(),
                zeros: ArrayVec::new(),
            };
            let maps = vec![all(input, &|_| true), all(output, &|d| !reduced[d])];
            Ok((reduced, maps))
        }
    }
}

/// Checks that the output has exactly the parallel dimensions.
fn check_output(map: &OperandMap<'_>, reduced: &[bool]) -> Result<(), ComparatorError> {
    let parallel = || (0..reduced.len()).filter(|&d| !reduced[d]);
    let has = |d: &usize| map.dimensions.contains(d);
    if map.dimensions.len() == parallel().count() && parallel().all(|d| has(&d)) {
        return Ok(());
    }
    let names: Vec<String> = parallel().map(|d| format!("d{d}")).collect();
    Err(map.place.error(format!(
        "the output must have the parallel dimensions, which are ({})",
        names.join(", ")
    )))
}

/// Returns the sizes of the iteration's dimensions, or none for a size that no operand gives.
fn sizes<'o, 'a: 'o>(
    operands: impl Iterator<Item = (&'o LinalgOperand<'a>, &'o OperandMap<'a>)>,
    rank: usize,
) -> Result<Vec<Option<u64>>, ComparatorError> {
    let mut sizes: Vec<Option<u64>> = vec![None; rank];
    for (operand, map) in operands {
        let found = operand.sizes.len();
        let dimensions = map.dimensions.len() + map.zeros.len();
        if found != dimensions {
            return Err(operand.type_place.error(format!(
                "this operand has rank {found}, and its map gives it rank {dimensions}"
            )));
        }
        // A wrong rank would shift all sizes, so it is an error of its own.
        let places = operand.sizes.iter().enumerate();
        // A constant 0 in a map broadcasts a dimension of size 1.
        let (zeros, followed): (Vec<_>, Vec<_>) =
            places.partition(|(place, _)| map.zeros.contains(place));
        if let Some((place, _)) = zeros.iter().find(|(_, size)| **size != Some(1)) {
            return Err(operand.type_place.error(format!(
                "dimension {place} of this operand is longer than 1, and its map reads only the first position"
            )));
        }
        for ((_, &size), &d) in followed.into_iter().zip(&map.dimensions) {
            match (sizes[d], size) {
                (Some(known), Some(size)) if known != size => {
                    return Err(operand.type_place.error(format!(
                        "dimension {d} of the iteration has size {size} here, and {known} elsewhere"
                    )));
                }
                (None, Some(_)) => sizes[d] = size,
                _ => {}
            }
        }
    }
    Ok(sizes)
}

/// Returns the bits that the output holds before the reduction.
fn initial(output: &LinalgOperand<'_>, scopes: &Scopes<'_>) -> Result<u64, ComparatorError> {
    let value = scopes
        .find(output.name)
        .and_then(|fill| filled(fill, scopes));
    let Some(literal) = value else {
        return Err(output.place.error(format!(
            "the initial value of the fold is not known: set %{} by a linalg.fill with an arith.constant, both in \
             this text",
            output.name
        )));
    };
    let (bits, scalar) = constant(&mut { literal })?;
    match scalar == output.element {
        true => Ok(bits),
        false => Err(output.place.error(format!(
            "the fill of the output is {scalar}, and its elements are {}",
            output.element
        ))),
    }
}

/// Returns the position of the literal that a `linalg.fill` writes.
pub(super) fn filled<'a>(mut operation: Cursor<'a>, scopes: &Scopes<'a>) -> Option<Cursor<'a>> {
    match operation.next() {
        MlirToken::Word("linalg.fill") => {
            // The custom form may have attributes before its operands.
            if operation.peek() == MlirToken::Symbol("{") {
                operation.skip_brackets().ok()?;
            }
            if !operation.accept("ins") {
                return None;
            }
        }
        MlirToken::Quoted("linalg.fill") => {}
        _ => return None,
    }
    if !operation.accept("(") {
        return None;
    }
    match operation.next() {
        MlirToken::Value(name) => scopes.constant(name),
        _ => None,
    }
}
