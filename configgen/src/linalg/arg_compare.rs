//! `iree_linalg_ext.arg_compare` of a module, where it begins at what is filled in.
//!
//! ```text
//! %r:2 = iree_linalg_ext.arg_compare dimension(1) ins(%x : tensor<8x32000xf32>) outs(%v, %i : tensor<8xf32>, tensor<8xi64>) {
//! ^bb0(%a: f32, %b: f32):
//!   %0 = arith.cmpf ogt, %a, %b : f32
//!   iree_linalg_ext.yield %0 : i1
//! } -> tensor<8xf32>, tensor<8xi64>
//! ```
//!
//! One with explicit indices or an index base is left to who reads the operation by itself.

use super::operands::{LinalgOperand, clause};
use crate::comparator::{BlockKind, Cursor, MlirToken, Region, Scopes, braced, natural};

/// What is compared, and how.
pub(super) struct ArgCompare<'a> {
    pub(super) dimension: usize,
    /// The comparator as it is written.
    pub(super) region: Region,
    /// The input, then the outputs: values and indices.
    pub(super) operands: Vec<LinalgOperand<'a>>,
}

/// Reads what follows the name in the custom form. `None` where it is another one.
pub(super) fn arg_compare<'a>(
    cursor: &mut Cursor<'a>,
    scopes: &Scopes<'a>,
) -> Option<ArgCompare<'a>> {
    let mut ahead = *cursor;
    let words = |cursor: &mut Cursor<'a>, words: &[&str]| words.iter().all(|it| cursor.accept(it));
    words(&mut ahead, &["dimension", "("]).then_some(())?;
    let dimension = natural(&mut ahead).ok()?;
    words(&mut ahead, &[")", "ins"]).then_some(())?;
    let mut operands = clause(&mut ahead).ok()?;
    ahead.accept("outs").then_some(())?;
    operands.extend(clause(&mut ahead).ok()?);
    let [input, values, indices] = &operands[..] else {
        return None;
    };
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
