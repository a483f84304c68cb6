//! From the parts of an operation to a problem.

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

/// What an operation is.
pub(super) struct PlainProblem {
    pub(super) problem: Problem,
    /// Which of its inputs is the first one of the problem; the others follow in their order.
    pub(super) first: usize,
}

/// The problem that an operation is.
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

/// The parts of an operation that reduces.
pub(super) struct Reduction<'o, 'a> {
    pub(super) start: Cursor<'a>,
    pub(super) inputs: &'o [LinalgOperand<'a>],
    pub(super) output: &'o LinalgOperand<'a>,
    pub(super) body: ReductionBody,
    pub(super) reduced: ArrayVec<bool, MAX_RANK>,
    /// Of the inputs, and of the output.
    pub(super) maps: Vec<OperandMap<'a>>,
}

impl Reduction<'_, '_> {
    /// The problem that it is.
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
        let written = FoldDescription {
            body,
            inputs: Inputs {
                sizes,
                element,
                operands: others
                    .map(|(_, (input, map))| (input.element, order.of_input(&map.dimensions)))
                    .collect(),
            },
            accumulator,
            initial: initial(output, scopes)?,
        };
        // The place in the problem's text says nothing to someone who wrote MLIR.
        let refused = |error: ProblemError| {
            start.error(format!("{} (the problem {:?})", error.message, error.text))
        };
        let problem = written.problem().map_err(refused)?;
        Ok(PlainProblem { problem, first })
    }
}

/// What is read, in words of problems: `64x[32000]xf32,f32(),f32(0,1)`.
pub(super) struct Inputs {
    pub(super) sizes: ProblemSizes,
    pub(super) element: ElementType,
    /// Of the inputs behind the first the elements and the dimensions, as the tensors of the sizes have them.
    pub(super) operands: Vec<(ScalarType, Vec<usize>)>,
}

impl Display for Inputs {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.sizes.text, self.element)?;
        for (element, dimensions) in &self.operands {
            let numbers = dimensions.iter().filter_map(|&d| self.sizes.dimension(d));
            let numbers: Vec<String> = numbers.map(|d| d.to_string()).collect();
            write!(f, ",{element}({})", numbers.join(","))?;
        }
        Ok(())
    }
}

/// A reduction in words of problems.
pub(super) struct FoldDescription {
    pub(super) body: ReductionBody,
    pub(super) inputs: Inputs,
    pub(super) accumulator: ElementType,
    /// The bits that it begins with.
    pub(super) initial: u64,
}

impl FoldDescription {
    /// The problem with this text.
    pub(super) fn problem(&self) -> Result<Problem, ProblemError> {
        let (inputs, accumulator) = (&self.inputs, self.accumulator);
        let name = self.body.name(inputs.element, accumulator);
        let mut text = format!("{name}:{inputs}:{accumulator}");
        if self.body.identity(accumulator) != Some(self.initial) {
            text += &format!(":initial=0x{:x}", self.initial);
        }
        text.parse()
    }
}

fn no_maps(start: Cursor<'_>) -> ComparatorError {
    start.error("the operation has no indexing_maps or no iterator_types")
}

/// Which dimensions are reduced, and which of them the operands have.
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

/// The output has the parallel dimensions.
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

/// The sizes of the iteration's dimensions, as the operands say them; `None` where none of them knows it.
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
        let places = operand.sizes.iter().enumerate();
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

/// The bits that the output holds before.
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

/// Where the literal of what a `linalg.fill` writes stands.
pub(super) fn filled<'a>(mut operation: Cursor<'a>, scopes: &Scopes<'a>) -> Option<Cursor<'a>> {
    match operation.next() {
        MlirToken::Word("linalg.fill") => {
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
