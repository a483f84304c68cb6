//! The types of operands: `tensor<4x?xf32>`, and lists of typed values.

use super::super::error::ComparatorError;
use super::super::scalar::ScalarType;
use super::cursor::{Cursor, MlirToken};
use super::literal::bits;

/// The element type of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperandType {
    /// An integer or a float.
    Scalar(ScalarType),
    /// MLIR's `index`.
    Index,
}

/// A `tensor` or `memref` type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// The sizes, outermost first, or none for a dynamic size (`?`).
    pub sizes: Vec<Option<u64>>,
    /// The type of the elements.
    pub element: OperandType,
}

/// Parses a natural number.
pub(crate) fn natural(cursor: &mut Cursor<'_>) -> Result<usize, ComparatorError> {
    let start = *cursor;
    let number = match cursor.next() {
        MlirToken::Number(digits) => digits.parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| start.expected("a number from 0 on"))
}

/// Parses `dense<0.0> : tensor<4xf32>` behind `arith.constant`.
///
/// It returns the bits of each element, their type and the sizes, or none for other text.
pub(crate) fn splat(cursor: &mut Cursor<'_>) -> Option<(u64, ScalarType, Vec<Option<u64>>)> {
    (cursor.accept("dense") && cursor.accept("<")).then_some(())?;
    // The sign is a token of its own.
    let negative = cursor.accept("-");
    let MlirToken::Number(digits) = cursor.next() else {
        return None;
    };
    (cursor.accept(">") && cursor.accept(":")).then_some(())?;
    let tensor = tensor_type(cursor).ok()?;
    let OperandType::Scalar(scalar) = tensor.element else {
        return None;
    };
    Some((bits(digits, negative, scalar).ok()?, scalar, tensor.sizes))
}

/// Parses `(%x, %y : tensor<…>, tensor<…>)`, and returns the types.
pub(super) fn typed_values(cursor: &mut Cursor<'_>) -> Result<Vec<TensorType>, ComparatorError> {
    cursor.expect("(", "before the operands")?;
    let mut count = 0;
    loop {
        let start = *cursor;
        let MlirToken::Value(_) = cursor.next() else {
            return Err(start.expected("a value, such as \"%x\""));
        };
        count += 1;
        if !cursor.accept(",") {
            break;
        }
    }
    cursor.expect(":", "and the types of the operands")?;
    let mut types = vec![tensor_type(cursor)?];
    while cursor.accept(",") {
        types.push(tensor_type(cursor)?);
    }
    match types.len() == count {
        true => cursor.expect(")", "after the types")?,
        false => {
            return Err(cursor.error(format!(
                "{count} operands need {count} types, not {}",
                types.len()
            )));
        }
    }
    Ok(types)
}

/// Parses `tensor<4x?xf32>` or `memref<4x?xf32, …>`.
pub(crate) fn tensor_type(cursor: &mut Cursor<'_>) -> Result<TensorType, ComparatorError> {
    let start = *cursor;
    if !cursor.accept("tensor") && !cursor.accept("memref") {
        return Err(cursor.expected("a type, such as \"tensor<4x32000xf32>\""));
    }
    cursor.expect("<", "after \"tensor\" or \"memref\"")?;
    let inside = cursor.angled()?;
    // A memref may have a layout and a memory space behind the element type.
    let mut rest = inside.split(',').next().unwrap_or_default().trim();
    let mut sizes = Vec::new();
    while let Some((size, after)) = rest.split_once('x') {
        let size = size.trim();
        let digits = size.bytes().all(|byte| byte.is_ascii_digit());
        match (size, digits.then(|| size.parse().ok()).flatten()) {
            ("?", _) => sizes.push(None),
            (_, Some(size)) => sizes.push(Some(size)),
            // `index` contains an x too, so the sizes end at the first part that is no number.
            _ => break,
        }
        rest = after.trim_start();
    }
    let element = match (rest, ScalarType::from_name(rest)) {
        ("index", _) => OperandType::Index,
        (_, Some(scalar)) => OperandType::Scalar(scalar),
        _ => {
            return Err(start.error(format!(
                "in a type such as tensor<4x?xf32> sizes and an integer or floating-point type are expected, not {:?}",
                inside.chars().take(40).collect::<String>()
            )));
        }
    };
    Ok(TensorType { sizes, element })
}
