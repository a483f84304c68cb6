//! The body of a reduction: the combination, and the function of the inputs before it.

use std::cmp::Ordering;

use super::header::{BodySyntax, OperationHeader};
use super::operands::LinalgOperand;
use crate::ElementType;
use crate::comparator::{
    BlockKind, ComparatorError, Cursor, Opcode, Region, RegionOperation, ScalarType, Scopes, Value,
    body_with_arguments, braced, payload,
};
use crate::reduction::{Combining, Fold};

/// The computation of a reduction from its accumulator and the elements of its inputs.
pub(super) struct ReductionBody {
    combining: Combining,
    /// Set if the combination reads integers as unsigned.
    unsigned: bool,
    /// The combined value: a canonical region with one argument per input.
    function: Region,
}

/// Parses the body of an operation with these inputs and this output.
pub(super) fn combined(
    header: &OperationHeader<'_>,
    scopes: &Scopes<'_>,
    inputs: &[LinalgOperand<'_>],
    output: &LinalgOperand<'_>,
) -> Result<ReductionBody, ComparatorError> {
    let types = inputs.iter().chain([output]).map(|it| it.element);
    let outer = |name: &str| scopes.constant(name);
    let (place, body) = match header.body {
        BodySyntax::Block(place) => (place, braced(&mut { place }, BlockKind::Body, &outer)?),
        BodySyntax::Arguments(place) => (place, body_with_arguments(&mut { place }, &outer)?),
        BodySyntax::Payload(place) => {
            let mut cursor = place;
            let opcode = payload(&mut cursor)?;
            // `linalg.reduce` with a payload operation has only one input and no further
            // operations.
            cursor.expect("}", "after the operation")?;
            let mut region = Region::of(types.clone());
            let operands = [Value(inputs.len() as u32), Value(0)];
            let result = region.append(opcode, operands.into_iter().collect(), output.element);
            region.set_result(result.map_err(|message| place.error(message))?);
            (place, region)
        }
    };
    if !types.clone().eq(body.types().iter().copied()) {
        let types: Vec<&str> = types.map(ScalarType::name).collect();
        return Err(place.error(format!(
            "the body must have one argument per operand, of the operand's element type: {}",
            types.join(", ")
        )));
    }
    split(place, &body)
}

/// Separates the last operation of a body, which combines the accumulator with another value.
///
/// The accumulator is the last argument.
pub(super) fn split(place: Cursor<'_>, body: &Region) -> Result<ReductionBody, ComparatorError> {
    let accumulator = Value(body.arguments() - 1);
    let last = body.definition(body.result());
    let combining = last.and_then(|it| Some((it, Combining::from_opcode(it.opcode)?)));
    let Some((last, (combining, unsigned))) = combining else {
        return Err(place.error(
            "the body must combine the accumulator, its last argument, with another value by one of these, and yield \
             the result: arith.addf, addi, mulf, muli, maximumf, maxsi, maxui, minimumf, minsi, minui, maxnumf, \
             minnumf, andi, ori, xori",
        ));
    };
    // One use only: an accumulator that is used twice is no fold.
    let all = body.operations().iter().flat_map(|it| &it.operands);
    let uses = all.filter(|it| **it == accumulator).count();
    let other = last.operands.iter().find(|it| **it != accumulator);
    let (1, true, Some(&other)) = (uses, last.operands.contains(&accumulator), other) else {
        return Err(place.error(
            "only the operation whose result is yielded may use the accumulator, the last argument, and only once",
        ));
    };
    let mut function = Region::of(body.types()[..accumulator.index()].iter().copied());
    // The function has no accumulator, so later values move down by one.
    let moved = |value: Value| match value > accumulator {
        true => Value(value.0 - 1),
        false => value,
    };
    for (value, operation) in body.definitions() {
        // Operations behind the result are unused, and the canonical region has none of them.
        if value == body.result() {
            break;
        }
        function.push(renumbered(operation, moved));
    }
    function.set_result(moved(other));
    Ok(ReductionBody {
        combining,
        unsigned,
        function: function.canonical(),
    })
}

/// Returns the same function with input `first` as the first one, in canonical form.
pub(super) fn beginning_with(function: &Region, first: usize) -> Region {
    let moved = |argument: usize| match argument.cmp(&first) {
        Ordering::Less => argument + 1,
        Ordering::Equal => 0,
        Ordering::Greater => argument,
    };
    let mut types = function.types().to_vec();
    types[..=first].rotate_right(1);
    let mut of_moved = Region::of(types);
    let arguments = of_moved.arguments();
    let moved = |value: Value| match value.0 < arguments {
        true => Value(moved(value.index()) as u32),
        false => value,
    };
    for operation in function.operations() {
        of_moved.push(renumbered(operation, moved));
    }
    of_moved.set_result(moved(function.result()));
    of_moved.canonical()
}

/// Returns an operation with renumbered operands.
fn renumbered(operation: &RegionOperation, moved: impl Fn(Value) -> Value) -> RegionOperation {
    let operands = operation.operands.iter().map(|&it| moved(it));
    RegionOperation {
        operands: operands.collect(),
        ..operation.clone()
    }
}

impl ReductionBody {
    /// Returns the first of the inputs that the function does not use.
    pub(super) fn unused(&self, inputs: usize) -> Option<usize> {
        let function = &self.function;
        let is_used = |value: Value| {
            let mut operations = function.operations().iter();
            function.result() == value || operations.any(|it| it.operands.contains(&value))
        };
        (0..inputs).find(|&input| !is_used(Value(input as u32)))
    }

    /// Returns the same body with input `first` as the first one.
    pub(super) fn beginning_with(self, first: usize) -> ReductionBody {
        ReductionBody {
            function: beginning_with(&self.function, first),
            ..self
        }
    }

    /// Returns the text before the dimensions of a problem, such as `sum` or `sum(math.absf(0))`.
    pub(super) fn name(&self, element: ElementType, accumulator: ElementType) -> String {
        let function = &self.function;
        let named = |unsigned: bool| {
            let sign = if unsigned { "u" } else { "" };
            format!("{sign}{}", self.combining.name())
        };
        match function.operations() {
            [] => named(self.unsigned),
            // A fold widens its elements itself, so a lone widening is no function.
            [cast] => match self.plainly(cast.opcode, element, accumulator) {
                Some(unsigned) if function.arguments() == 1 => named(unsigned),
                _ => format!("{}({})", named(self.unsigned), function.compact()),
            },
            _ => format!("{}({})", named(self.unsigned), function.compact()),
        }
    }

    /// Returns whether the function is the product of two inputs of this type, which are added.
    pub(super) fn is_sum_of_products(&self, element: ElementType) -> bool {
        let function = &self.function;
        let is_product = |it: &RegionOperation| {
            let [one, other] = it.operands[..] else {
                return false;
            };
            it.opcode == Opcode::Mulf && one != other && it.result == element.into()
        };
        self.combining == Combining::Sum
            && function.arguments() == 2
            && matches!(function.operations(), [only] if is_product(only))
    }

    /// Returns the signedness of the plain fold that widens its elements by `cast`.
    ///
    /// It is none if no plain fold does.
    fn plainly(
        &self,
        cast: Opcode,
        element: ElementType,
        accumulator: ElementType,
    ) -> Option<bool> {
        let allowed = Fold::accumulators(self.combining, element);
        let found = [false, true].into_iter().find(|&unsigned| {
            let fold = Fold::new(self.combining, element, unsigned, Some(accumulator));
            let widening = fold.ok().and_then(|fold| fold.widening());
            allowed.contains(&accumulator) && widening == Some(cast)
        });
        // Truth values have no sign, so their text has no `u`.
        found.map(|unsigned| unsigned && element != ElementType::I1)
    }

    /// Returns the neutral bits of an accumulator of this type.
    pub(super) fn identity(&self, accumulator: ElementType) -> Option<u64> {
        let fold = Fold::new(self.combining, accumulator, self.unsigned, None);
        fold.ok().map(|fold| fold.identity())
    }
}
