//! The reader of `iree_linalg_ext.arg_compare` operations in a file.
//!
//! It skips the surrounding text as tokens, with one exception. A comparator may use constants
//! from outside, because MLIR's canonicaliser puts them there.

use super::super::error::ComparatorError;
use super::super::region::Region;
use super::MAX_FILE_BYTES;
use super::block::{BlockKind, braced};
use super::cursor::{Cursor, MlirToken};
use super::scopes::Scopes;
use super::tensor::{OperandType, TensorType, natural, tensor_type, typed_values};

/// The name of the operation.
pub(crate) const ARG_COMPARE: &str = "iree_linalg_ext.arg_compare";

/// A parsed `iree_linalg_ext.arg_compare` operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedOperation {
    /// The line of the operation's name, counted from 1.
    pub line: usize,
    /// The character of that line, counted from 1.
    pub column: usize,
    /// The reduced dimension, counted from 0 at the outermost; less than the rank of the values.
    pub dimension: usize,
    /// The type of the compared values.
    pub values: TensorType,
    /// The type of the explicit indices, if the operation has them.
    pub indices: Option<TensorType>,
    /// The types of the two outputs: values, indices.
    pub outputs: [TensorType; 2],
    /// Set if an index base is added to every index.
    pub has_index_base: bool,
    /// The comparator as written; see [`Comparator::new`](super::super::Comparator::new).
    pub region: Region,
}

/// Returns all `iree_linalg_ext.arg_compare` operations of a text, in order.
///
/// # Errors
/// Returns an error with its position and the expected text, if the text is too large or an
/// operation is malformed.
pub fn parse_operations(text: &str) -> Result<Vec<ParsedOperation>, ComparatorError> {
    let mut cursor = Cursor::new(text);
    if text.len() > MAX_FILE_BYTES {
        let message = format!(
            "a file has at most {MAX_FILE_BYTES} bytes, not {}",
            text.len()
        );
        return Err(ComparatorError::at(text, 0, message));
    }
    let mut operations = Vec::new();
    let mut scopes = Scopes::default();
    let mut places = SourcePositions::new(text);
    loop {
        let start = cursor;
        match cursor.next() {
            MlirToken::End => return Ok(operations),
            MlirToken::Symbol("{") => scopes.open(),
            MlirToken::Symbol("}") => scopes.close(),
            MlirToken::Value(name) => {
                scopes.define(name, cursor);
            }
            MlirToken::Word(ARG_COMPARE) => {
                let parts = custom(&mut cursor, &scopes)?;
                operations.push(finish(start, places.advance(start.offset()), parts)?);
            }
            MlirToken::Quoted(ARG_COMPARE) => {
                // Constants are looked up in the scopes at the operation.
                let parts = generic(start, &mut cursor, &scopes)?;
                operations.push(finish(start, places.advance(start.offset()), parts)?);
            }
            _ => {}
        }
    }
}

/// Lines and columns of ascending offsets, found in one pass over the text.
struct SourcePositions<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
    column: usize,
}

impl<'a> SourcePositions<'a> {
    fn new(text: &'a str) -> Self {
        SourcePositions {
            text,
            offset: 0,
            line: 1,
            column: 1,
        }
    }

    /// Returns the line and column of this byte offset, counted from 1.
    ///
    /// The offset must not lie before the last one.
    fn advance(&mut self, offset: usize) -> (usize, usize) {
        let passed = &self.text[self.offset..offset];
        self.offset = offset;
        match passed.rfind('\n') {
            Some(newline) => {
                // A column counts characters, not bytes.
                self.line += passed.matches('\n').count();
                self.column = 1 + passed[newline + 1..].chars().count();
            }
            None => self.column += passed.chars().count(),
        }
        (self.line, self.column)
    }
}

/// The operands of an operation by role.
#[derive(Default)]
struct Operands {
    dimension: Option<usize>,
    inputs: Vec<TensorType>,
    outputs: Vec<TensorType>,
    has_index_base: bool,
}

/// Parses the custom form behind the name.
fn custom<'a>(
    cursor: &mut Cursor<'a>,
    scopes: &Scopes<'a>,
) -> Result<(Operands, Region), ComparatorError> {
    let mut operands = Operands::default();
    loop {
        let clause = *cursor;
        match cursor.next() {
            MlirToken::Word("dimension") => {
                cursor.expect("(", "after \"dimension\"")?;
                operands.dimension = Some(natural(cursor)?);
                cursor.expect(")", "after the dimension")?;
            }
            MlirToken::Word("ins") => operands.inputs = typed_values(cursor)?,
            MlirToken::Word("outs") => operands.outputs = typed_values(cursor)?,
            MlirToken::Word("index_base") => {
                cursor.skip_brackets()?;
                operands.has_index_base = true;
            }
            // A block begins with a label; braces without one are attributes.
            MlirToken::Symbol("{") if !matches!(cursor.peek(), MlirToken::Label(_)) => {
                *cursor = clause;
                cursor.skip_brackets()?;
            }
            MlirToken::Symbol("{") => {
                *cursor = clause;
                let region = braced(cursor, BlockKind::Comparator, &|name| scopes.constant(name))?;
                return Ok((operands, region));
            }
            _ => {
                return Err(clause.expected(
                    "\"dimension\", \"ins\", \"outs\", \"index_base\" or the block in braces",
                ));
            }
        }
    }
}

/// Parses the generic form behind the name: `(%x, …) <{…}> ({…}) : (…) -> (…)`.
///
/// The attributes are `dimension = 1 : i64` and `operandSegmentSizes = array<i32: 1, 0, 1, 1,
/// 0>`.
fn generic<'a>(
    start: Cursor<'a>,
    cursor: &mut Cursor<'a>,
    scopes: &Scopes<'a>,
) -> Result<(Operands, Region), ComparatorError> {
    cursor.skip_brackets()?;
    cursor.expect("<", "and the attributes")?;
    cursor.expect("{", "and the attributes")?;
    let mut operands = Operands::default();
    let mut segments = Vec::new();
    loop {
        match cursor.next() {
            MlirToken::Symbol("}") => break,
            MlirToken::Word("dimension") => {
                cursor.expect("=", "and the dimension")?;
                operands.dimension = Some(natural(cursor)?);
            }
            MlirToken::Word("operandSegmentSizes") => {
                cursor.expect("=", "and the numbers of operands")?;
                cursor.expect("array", "of the numbers of operands")?;
                cursor.expect("<", "after \"array\"")?;
                cursor.expect("i32", "as the type of the numbers")?;
                cursor.expect(":", "and the numbers of operands")?;
                segments.push(natural(cursor)?);
                while cursor.accept(",") && segments.len() < 5 {
                    segments.push(natural(cursor)?);
                }
                cursor.expect(">", "after five numbers of operands")?;
            }
            MlirToken::End => return Err(start.error("attributes that never end")),
            _ => {}
        }
    }
    cursor.expect(">", "after the attributes")?;
    cursor.expect("(", "before the region")?;
    let region = braced(cursor, BlockKind::Comparator, &|name| scopes.constant(name))?;
    cursor.expect(")", "after the region")?;
    cursor.expect(":", "and the types of the operands")?;
    // MLIR's segments: values, indices, value outputs, index outputs, index bases.
    let &[values, indices, value_outputs, index_outputs, bases] = &segments[..] else {
        return Err(start.error("the attribute operandSegmentSizes has five numbers"));
    };
    cursor.expect("(", "before the types of the operands")?;
    let place = *cursor;
    for (count, list) in [
        (values.saturating_add(indices), &mut operands.inputs),
        (
            value_outputs.saturating_add(index_outputs),
            &mut operands.outputs,
        ),
    ] {
        // A large number in the attribute must not make the loop long.
        if count > 2 {
            return Err(place.error("the operation has one or two inputs and two outputs"));
        }
        for _ in 0..count {
            list.push(tensor_type(cursor)?);
            cursor.accept(",");
        }
    }
    operands.has_index_base = bases > 0;
    Ok((operands, region))
}

/// Returns the operation at `start`, with its line and column.
fn finish(
    start: Cursor<'_>,
    (line, column): (usize, usize),
    (operands, region): (Operands, Region),
) -> Result<ParsedOperation, ComparatorError> {
    let error = |message: &str| Err(start.error(message));
    let Some(dimension) = operands.dimension else {
        return error("the operation has no \"dimension(…)\"");
    };
    let mut inputs = operands.inputs.into_iter();
    let (Some(values), indices, None) = (inputs.next(), inputs.next(), inputs.next()) else {
        return error("the operation has one input, the values, or two: values and indices");
    };
    let Ok(outputs) = <[TensorType; 2]>::try_from(operands.outputs) else {
        return error("the operation has two outputs: values and indices");
    };
    if dimension >= values.sizes.len() {
        return error("the reduced dimension is less than the rank of the values");
    }
    // The region's own types must agree with the operands, as MLIR's verifier demands.
    if values.element != OperandType::Scalar(region.element()) {
        return error("the comparator's arguments are not of the type of the values");
    }
    if outputs[0].element != values.element {
        return error("the values and the first output are of one type");
    }
    if indices
        .as_ref()
        .is_some_and(|indices| indices.sizes != values.sizes)
    {
        return error("values and indices are of one shape");
    }
    Ok(ParsedOperation {
        line,
        column,
        dimension,
        values,
        indices,
        outputs,
        has_index_base: operands.has_index_base,
        region,
    })
}
