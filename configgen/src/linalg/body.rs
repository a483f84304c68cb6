//! What the body of a reduction does: how it combines, and what it computes of the inputs before.

use std::cmp::Ordering;

use super::header::{BodySyntax, OperationHeader};
use super::operands::LinalgOperand;
use crate::ElementType;
use crate::comparator::{
    BlockKind, ComparatorError, Cursor, Opcode, Region, RegionOperation, ScalarType, Scopes, Value,
    body_with_arguments, braced, payload,
};
use crate::reduction::{Combining, Fold};

/// What is made of the accumulator and the elements at a place.
pub(super) struct ReductionBody {
    combining: Combining,
    /// Whether integers are read without a sign where they are combined.
    unsigned: bool,
    /// What is combined: a region of an argument for each input. Canonical.
    function: Region,
}

/// Reads the body of an operation with these inputs and this output.
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

/// Takes the last operation of a body off, which combines what it has of the last argument, the accumulator, and of the others.
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
    let all = body.operations().iter().flat_map(|it| &it.operands);
    let uses = all.filter(|it| **it == accumulator).count();
    let other = last.operands.iter().find(|it| **it != accumulator);
    let (1, true, Some(&other)) = (uses, last.operands.contains(&accumulator), other) else {
        return Err(place.error(
            "only the operation whose result is yielded may use the accumulator, the last argument, and only once",
        ));
    };
    let mut function = Region::of(body.types()[..accumulator.index()].iter().copied());
    // Values behind the accumulator are counted without it.
    let moved = |value: Value| match value > accumulator {
        true => Value(value.0 - 1),
        false => value,
    };
    for (value, operation) in body.definitions() {
        // What nobody uses may stand behind; the canonical region has none of it.
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

/// The same function where this input is the first one. Canonical.
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

/// An operation of other values.
fn renumbered(operation: &RegionOperation, moved: impl Fn(Value) -> Value) -> RegionOperation {
    let operands = operation.operands.iter().map(|&it| moved(it));
    RegionOperation {
        operands: operands.collect(),
        ..operation.clone()
    }
}

impl ReductionBody {
    /// The first of so many inputs of which nothing is computed.
    pub(super) fn unused(&self, inputs: usize) -> Option<usize> {
        let function = &self.function;
        let is_used = |value: Value| {
            let mut operations = function.operations().iter();
            function.result() == value || operations.any(|it| it.operands.contains(&value))
        };
        (0..inputs).find(|&input| !is_used(Value(input as u32)))
    }

    /// The same where this input is the first one.
    pub(super) fn beginning_with(self, first: usize) -> ReductionBody {
        ReductionBody {
            function: beginning_with(&self.function, first),
            ..self
        }
    }

    /// What stands before the dimensions in the text of a problem of these elements and this accumulator, such as `sum`, or
    /// `sum(math.absf(0))`.
    pub(super) fn name(&self, element: ElementType, accumulator: ElementType) -> String {
        let function = &self.function;
        let named = |unsigned: bool| {
            let sign = if unsigned { "u" } else { "" };
            format!("{sign}{}", self.combining.name())
        };
        match function.operations() {
            [] => named(self.unsigned),
            [cast] => match self.plainly(cast.opcode, element, accumulator) {
                Some(unsigned) if function.arguments() == 1 => named(unsigned),
                _ => format!("{}({})", named(self.unsigned), function.compact()),
            },
            _ => format!("{}({})", named(self.unsigned), function.compact()),
        }
    }

    /// Whether integers are read without a sign by the plain reduction that does this to its elements first; `None` where there is
    /// no such one.
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
        // Truth values have no sign.
        found.map(|unsigned| unsigned && element != ElementType::I1)
    }

    /// The bits that change nothing for an accumulator of this type.
    pub(super) fn identity(&self, accumulator: ElementType) -> Option<u64> {
        let fold = Fold::new(self.combining, accumulator, self.unsigned, None);
        fold.ok().map(|fold| fold.identity())
    }
}
