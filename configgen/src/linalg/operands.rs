//! The operands of a reduction: their names and types.

use super::header::{Operands, OperationHeader};
use super::map::list;
use crate::comparator::{
    ComparatorError, Cursor, MAX_ARGUMENTS, MlirToken, OperandType, ScalarType, TensorType,
    tensor_type,
};

/// An operand.
pub(super) struct LinalgOperand<'a> {
    /// The position of its name.
    pub(super) place: Cursor<'a>,
    pub(super) name: &'a str,
    /// The position of its type.
    pub(super) type_place: Cursor<'a>,
    /// Its sizes, outermost first, or none for a dynamic size.
    pub(super) sizes: Vec<Option<u64>>,
    pub(super) element: ScalarType,
}

impl<'a> LinalgOperand<'a> {
    /// Creates the operand with this name and this type.
    pub(super) fn of(
        (place, name): LocatedName<'a>,
        (type_place, tensor): LocatedType<'a>,
    ) -> Result<LinalgOperand<'a>, ComparatorError> {
        // Indices are no elements that a kernel loads.
        let OperandType::Scalar(element) = tensor.element else {
            return Err(type_place.error("elements must be integers or floats, not indices"));
        };
        Ok(LinalgOperand {
            place,
            name,
            type_place,
            sizes: tensor.sizes,
            element,
        })
    }
}

/// The reason for an operation with two outputs that is no comparison.
pub const SECOND_OUTPUT: &str = "a second output is supported only for a value and its index, as argmax has them; \
                                 write other reductions as two operations";

/// Returns the inputs, at least one, and the output.
pub(super) fn operands<'a>(
    header: &OperationHeader<'a>,
) -> Result<(Vec<LinalgOperand<'a>>, LinalgOperand<'a>), ComparatorError> {
    let (inputs, outputs) = operands_of(header.start, header.operands)?;
    let mut outputs = outputs.into_iter();
    match (outputs.next(), outputs.next()) {
        (Some(output), None) if !inputs.is_empty() && inputs.len() <= MAX_ARGUMENTS => {
            Ok((inputs, output))
        }
        (_, Some(second)) => Err(second.place.error(SECOND_OUTPUT)),
        _ => Err(header.start.error(format!(
            "a reduction must have one output and 1 to {MAX_ARGUMENTS} inputs"
        ))),
    }
}

/// Returns the inputs and the outputs of an operation at `start`. In a list, the last is the
/// output.
pub(super) fn operands_of<'a>(
    start: Cursor<'a>,
    operands: Operands<'a>,
) -> Result<(Vec<LinalgOperand<'a>>, Vec<LinalgOperand<'a>>), ComparatorError> {
    match operands {
        Operands::Clauses {
            mut inputs,
            mut outputs,
        } => {
            let inputs = inputs.as_mut().map_or(Ok(Vec::new()), clause)?;
            Ok((inputs, clause(&mut outputs)?))
        }
        Operands::List {
            mut values,
            mut types,
        } => {
            let mut names = Vec::new();
            list(&mut values, |cursor| {
                names.push(value(cursor)?);
                limited(cursor, names.len())
            })?;
            let mut typed = Vec::new();
            list(&mut types, |cursor| {
                typed.push(typed_place(cursor)?);
                limited(cursor, typed.len())
            })?;
            let mut inputs = together(start, names, typed)?;
            // The generic form does not mark outputs; a reduction has its output last.
            let output = inputs.pop().into_iter().collect();
            Ok((inputs, output))
        }
    }
}

/// Parses `(%a, %b : tensor<…>, tensor<…>)`.
pub(super) fn clause<'a>(
    cursor: &mut Cursor<'a>,
) -> Result<Vec<LinalgOperand<'a>>, ComparatorError> {
    let start = *cursor;
    cursor.expect("(", "before the operands")?;
    let mut names = Vec::new();
    while !cursor.accept(":") {
        if !names.is_empty() {
            cursor.expect(",", "or \":\" and the types of the operands")?;
        }
        names.push(value(cursor)?);
        // The limit is checked in the loop, so that a hostile text cannot grow the list.
        limited(cursor, names.len())?;
    }
    let mut types = vec![typed_place(cursor)?];
    while cursor.accept(",") {
        types.push(typed_place(cursor)?);
        limited(cursor, types.len())?;
    }
    cursor.expect(")", "after the types")?;
    together(start, names, types)
}

fn limited(cursor: &Cursor<'_>, count: usize) -> Result<(), ComparatorError> {
    match count > MAX_ARGUMENTS + 1 {
        true => Err(cursor.error(format!("a problem may have at most {MAX_ARGUMENTS} inputs"))),
        false => Ok(()),
    }
}

/// A value's name with its position.
pub(super) type LocatedName<'a> = (Cursor<'a>, &'a str);

/// Parses the name of a value.
pub(super) fn value<'a>(cursor: &mut Cursor<'a>) -> Result<LocatedName<'a>, ComparatorError> {
    let start = *cursor;
    match cursor.next() {
        MlirToken::Value(name) => Ok((start, name)),
        _ => Err(start.expected("a value, such as \"%x\"")),
    }
}

pub(super) type LocatedType<'a> = (Cursor<'a>, TensorType);

pub(super) fn typed_place<'a>(cursor: &mut Cursor<'a>) -> Result<LocatedType<'a>, ComparatorError> {
    let place = *cursor;
    let mut ahead = place;
    // The prior contents of a buffer (memref) are unknown, and an encoding changes the memory
    // layout.
    if !ahead.accept("tensor") {
        return Err(place.expected("a tensor, such as \"tensor<4x32000xf32>\""));
    }
    if ahead.accept("<") && ahead.angled()?.contains(',') {
        return Err(place.error("expected a tensor in row-major layout, without an encoding"));
    }
    Ok((place, tensor_type(cursor)?))
}

fn together<'a>(
    start: Cursor<'a>,
    names: Vec<LocatedName<'a>>,
    types: Vec<LocatedType<'a>>,
) -> Result<Vec<LinalgOperand<'a>>, ComparatorError> {
    let (count, typed) = (names.len(), types.len());
    if count != typed {
        return Err(start.error(format!("{count} operands need {count} types, not {typed}")));
    }
    let both = names.into_iter().zip(types);
    both.map(|(name, of)| LinalgOperand::of(name, of)).collect()
}
