//! Reductions as people have them in MLIR: the `linalg.generic`, `linalg.reduce` or `linalg.softmax` of a text, or a chain of
//! these, as a problem.
//!
//! ```text
//! %r = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "reduction"]}
//!     ins(%a, %b : tensor<4096x11008xbf16>, tensor<11008xbf16>) outs(%init : tensor<4096xf32>) {
//! ^bb0(%x: bf16, %y: bf16, %acc: f32):
//!   %0 = arith.extf %x : bf16 to f32
//!   %1 = arith.extf %y : bf16 to f32
//!   %2 = arith.mulf %0, %1 : f32
//!   %3 = arith.addf %acc, %2 : f32
//!   linalg.yield %3 : f32
//! } -> tensor<4096xf32>
//! ```
//!
//! The problem's dimensions are those of the iteration. The input that has all of them is the first one of the problem, and its order
//! theirs; others have some of them. The output has the parallel ones. The last operation of the body combines the
//! accumulator with what is reduced, which may be computed; and where the fold begins, the `linalg.fill` of the output says.
//!
//! Where what a row gives is used once more, nothing of it is a problem of its own: all operations that a result is computed of are a row
//! operation together, or none (`chain`).
//!
//! What stands around such an operation is read as tokens and not understood, but for what it refers to: maps, constants, the fill. It
//! makes the problem by way of its text, and knows nothing of what is done with it.

mod arg_compare;
mod body;
mod chain;
mod dimension_order;
mod form;
mod frontend_forms;
mod fused_arg_compare;
mod fused_reduction;
mod header;
mod map;
mod module;
mod operands;
mod operation_context;
mod product;
mod reduction_reader;
mod scan;
mod sizes;
mod softmax;
mod terms;
#[cfg(test)]
mod tests;

use crate::Problem;
use crate::comparator::{ComparatorError, MAX_FILE_BYTES};

pub use chain::traffic::Traffic;
pub use form::{ConstantOperation, FormOutput, OperationForm, Type};
pub use module::{ModuleReduction, operations};

/// The most reductions of a text, of which one is to be the problem.
const MAX_REDUCTIONS: usize = 256;

/// Why no problem is read from a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct LinalgError {
    /// The line, counted from 1.
    pub line: usize,
    /// The character of the line, counted from 1.
    pub column: usize,
    /// What is wrong there and what would be right.
    pub message: String,
}

impl From<ComparatorError> for LinalgError {
    fn from(error: ComparatorError) -> LinalgError {
        LinalgError {
            line: error.line,
            column: error.column,
            message: error.message,
        }
    }
}

/// The problem that the only reduction of a text is, or the only one of its reductions that is a problem.
///
/// # Errors
/// When the text is too large, or there is no such reduction: where, and what was expected.
pub fn read_reduction(text: &str) -> Result<Problem, LinalgError> {
    if text.len() > MAX_FILE_BYTES {
        let message = format!(
            "a file may have at most {MAX_FILE_BYTES} bytes, not {}",
            text.len()
        );
        return Err(ComparatorError::at(text, 0, message).into());
    }
    let mut problems = Vec::new();
    let mut refused: Vec<LinalgError> = Vec::new();
    let mut lines = Vec::new();
    for (start, reading) in scan::reductions(text)? {
        let place = start.error("");
        let place = (place.line, place.column);
        match reading {
            Ok(problem) => problems.push((place, problem)),
            Err(error) => refused.push(error.into()),
        }
        lines.push(place.0);
    }
    let mut problems = problems.into_iter();
    match (problems.next(), problems.next()) {
        (Some((_, problem)), None) => Ok(problem),
        (Some(_), Some(((line, column), _))) => Err(LinalgError {
            line,
            column,
            message: format!(
                "expected one supported reduction, and this is a second one; this text has reductions in lines {}",
                listed(&lines)
            ),
        }),
        (None, _) => match refused.into_iter().next() {
            Some(first) if lines.len() == 1 => Err(first),
            Some(first) => Err(LinalgError {
                message: format!(
                    "{}; no other reduction in lines {} is supported either",
                    first.message,
                    listed(&lines)
                ),
                ..first
            }),
            None => {
                let message = "there is no linalg.generic or linalg.reduce with a reduced dimension, no linalg.softmax, and no product with a vector";
                Err(ComparatorError::at(text, 0, message).into())
            }
        },
    }
}

/// The first of these lines.
fn listed(lines: &[usize]) -> String {
    let shown: Vec<String> = lines.iter().take(8).map(usize::to_string).collect();
    let more = if lines.len() > shown.len() {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", shown.join(", "))
}
