//! It accepts no explicit indices and no index base. [`comparator`](crate::comparator) reads
//! those operations by themselves.

use super::operands::{LinalgOperand, clause};
use crate::comparator::{BlockKind, Cursor, MlirToken, Region, Scopes, braced, natural};

/// The parts of an `arg_compare` operation.
pub(super) struct ArgCompare<'a> {
    pub(super) dimension: usize,
    /// The comparator as written.
    pub(super) region: Region,
    /// The input, then the outputs: values and indices.
    pub(super) operands: Vec<LinalgOperand<'a>>,
}

/// Parses the custom form behind the name; returns none if it has another form.
pub(super) fn arg_compare<'a>(
    cursor: &mut Cursor<'a>,
    scopes: &Scopes<'a>,
) -> Option<ArgCompare<'a>> {
    // The caller tries other forms from the same place, so the cursor moves only on success.
    let mut ahead = *cursor;
    ahead.accept_all(&["dimension", "("]).then_some(())?;
    let dimension = natural(&mut ahead).ok()?;
    ahead.accept_all(&[")", "ins"]).then_some(())?;
    let mut operands = clause(&mut ahead).ok()?;
    ahead.accept("outs").then_some(())?;
    operands.extend(clause(&mut ahead).ok()?);
    let [input, values, indices] = &operands[..] else {
        return None;
    };
    // The outputs have every dimension of the input but the compared one.
    let rank = input.sizes.len();
    let is_row = |sizes: &[Option<u64>]| {
        let mut kept = input.sizes.to_vec();
        kept.remove(dimension);
        kept == sizes
    };
    let is_one = dimension < rank
        && values.element == input.element
        && is_row(&values.sizes)
        && is_row(&indices.sizes);
    let is_block = ahead.peek() == MlirToken::Symbol("{");
    (is_one && is_block).then_some(())?;
    let constant = |name: &str| scopes.constant(name);
    let region = braced(&mut ahead, BlockKind::Comparator, &constant).ok()?;
    *cursor = ahead;
    Some(ArgCompare {
        dimension,
        region,
        operands,
    })
}
