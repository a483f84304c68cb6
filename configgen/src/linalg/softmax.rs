//! MLIR does not define the type of its computation; the problem computes in f32. The prior
//! contents of the output do not matter.

use super::header::Operands;
use super::map::named_number;
use super::operands::{LinalgOperand, operands_of};
use super::sizes::ProblemSizes;
use crate::comparator::{ComparatorError, Cursor, MlirToken, OperandType, natural, tensor_type};
use crate::shape::MAX_RANK;
use crate::{Problem, ProblemError};

/// The name of the operation.
pub(super) const NAME: &str = "linalg.softmax";

/// A parsed softmax: the problem, the dimension, and its input and output.
pub(super) struct Softmax<'a> {
    pub(super) problem: Problem,
    pub(super) dimension: usize,
    pub(super) operands: Vec<LinalgOperand<'a>>,
}

/// Parses a softmax behind its name at `start`.
pub(super) fn softmax<'a>(
    start: Cursor<'a>,
    cursor: &mut Cursor<'a>,
    is_generic: bool,
) -> Result<Softmax<'a>, ComparatorError> {
    let (dimension, operands, result) = match is_generic {
        true => generic(cursor)?,
        false => custom(cursor)?,
    };
    let (inputs, outputs) = operands_of(start, operands)?;
    let ([input], [output]) = (&inputs[..], &outputs[..]) else {
        return Err(start.error("a softmax must have one input and one output"));
    };
    let same = |operand: &LinalgOperand<'_>| {
        (operand.sizes == input.sizes && operand.element == input.element)
            .then_some(())
            .ok_or_else(|| {
                operand.type_place.error(
                    "the input, the output and the result of a softmax must have the same type",
                )
            })
    };
    same(output)?;
    if let Some(mut place) = result {
        let start = place;
        let result = tensor_type(&mut place)?;
        let element = OperandType::Scalar(input.element);
        if result.sizes != input.sizes || result.element != element {
            return Err(start.error(
                "the input, the output and the result of a softmax must have the same type",
            ));
        }
    }
    let rank = input.sizes.len();
    // The problem's dimensions are limited, but those of MLIR's tensors are not.
    if rank > MAX_RANK {
        return Err(input
            .type_place
            .error(format!("a problem may have at most {MAX_RANK} dimensions")));
    }
    let (place, dimension) = dimension;
    if dimension >= rank {
        return Err(place.error(format!(
            "the input has {rank} dimensions, counted from 0, and one of them must be reduced"
        )));
    }
    let problem = text(input, dimension)?.parse();
    let problem = problem.map_err(|error: ProblemError| start.error(error.to_string()))?;
    Ok(Softmax {
        problem,
        dimension,
        operands: inputs.into_iter().chain(outputs).collect(),
    })
}

/// Returns the text of the problem.
fn text(input: &LinalgOperand<'_>, dimension: usize) -> Result<String, ComparatorError> {
    let element = input.element;
    if !element.is_row_float() {
        let message = format!("softmax takes f32, f16, bf16, and these are {element}");
        return Err(input.type_place.error(message));
    }
    let sizes = ProblemSizes::joined(&input.sizes, |d| d == dimension);
    let sizes = sizes.map_err(|it| input.type_place.error(it.message("")))?;
    Ok(format!("softmax:{}{element}", sizes.text))
}

/// The dimension with its position, the operands, and the position of the result type if there is
/// one.
type SoftmaxSyntax<'a> = ((Cursor<'a>, usize), Operands<'a>, Option<Cursor<'a>>);

fn custom<'a>(cursor: &mut Cursor<'a>) -> Result<SoftmaxSyntax<'a>, ComparatorError> {
    if cursor.peek() == MlirToken::Symbol("{") {
        cursor.skip_brackets()?;
    }
    cursor.expect("dimension", "and the reduced dimension")?;
    cursor.expect("(", "before the dimension")?;
    let place = *cursor;
    let dimension = natural(cursor)?;
    cursor.expect(")", "after the dimension")?;
    cursor.expect("ins", "and the input")?;
    let inputs = *cursor;
    cursor.skip_brackets()?;
    cursor.expect("outs", "and the output")?;
    let outputs = *cursor;
    cursor.skip_brackets()?;
    let result = cursor.accept("->").then_some(*cursor);
    let operands = Operands::Clauses {
        inputs: Some(inputs),
        outputs,
    };
    Ok(((place, dimension), operands, result))
}

fn generic<'a>(cursor: &mut Cursor<'a>) -> Result<SoftmaxSyntax<'a>, ComparatorError> {
    let values = *cursor;
    cursor.skip_brackets()?;
    let attributes = *cursor;
    // Properties stand in `<{…}>`, older attributes in `{…}`.
    let braced = match cursor.accept("<") {
        true => *cursor,
        false => attributes,
    };
    let dimension = named_number(braced, "dimension")?;
    *cursor = attributes;
    cursor.skip_brackets()?;
    if cursor.peek() == MlirToken::Symbol("{") {
        cursor.skip_brackets()?;
    }
    cursor.expect(":", "and the types of the operands")?;
    let types = *cursor;
    cursor.skip_brackets()?;
    let result = cursor.accept("->").then_some(*cursor);
    Ok((dimension, Operands::List { values, types }, result))
}
