//! Readers of reductions in MLIR: convert linalg operations of a module to problems.
//!
//! A reduction is a `linalg.generic`, `linalg.reduce` or `linalg.softmax`, or a chain of these.
//!
//! ```text
//! %r = linalg.generic {indexing_maps = [#map, #map1, #map2],
//!                      iterator_types = ["parallel", "reduction"]}
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
//! The problem's dimensions are those of the iteration. The input with all of them is the
//! problem's first input and gives their order. Other inputs have some of them, and the output
//! has the parallel ones. The last operation of the body combines the accumulator with the
//! reduced value, which a function may compute. The `linalg.fill` of the output gives the initial
//! value.
//!
//! If a row's result is used again, no operation is a problem of its own. All operations that
//! compute a result are one row operation, or none (`chain`).
//!
//! The reader skips the surrounding text as tokens, except the maps, constants and fills that an
//! operation refers to. It creates the problem from its text.

mod arg_compare;
mod body;
mod chain;
mod compare_refusal;
mod concatenation;
mod dimension_order;
mod form;
mod frontend_forms;
mod fused_arg_compare;
mod fused_reduction;
mod header;
mod map;
mod module;
mod module_reduction;
mod operands;
mod operation_context;
mod product;
mod reduction_reader;
mod scan;
mod sizes;
mod slice;
mod slice_view;
mod softmax;
mod terms;
#[cfg(test)]
mod tests;

use crate::Problem;
use crate::comparator::{ComparatorError, MAX_FILE_BYTES};

pub use chain::traffic::Traffic;
pub use form::{ConstantOperation, FormOutput, Gather, OperationForm, ProducerResult, Type};
pub use module::operations;
pub use module_reduction::ModuleReduction;
pub use operands::SECOND_OUTPUT;

/// The largest number of reductions in a text.
const MAX_REDUCTIONS: usize = 256;

/// A reason why a text gives no problem, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct LinalgError {
    /// The line, counted from 1.
    pub line: usize,
    /// The character of the line, counted from 1.
    pub column: usize,
    /// The fault there, and the expected text.
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

/// Returns the problem of the only reduction of a text that is one.
///
/// # Errors
/// Returns an error if the text is too large, or has no such reduction or several.
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
        // A problem must be unique, because the caller tunes one operation.
        (Some(_), Some(((line, column), _))) => Err(LinalgError {
            line,
            column,
            message: format!(
                "expected one supported reduction, and this is a second one; this text has reductions in lines {}",
                listed(&lines)
            ),
        }),
        // With one reduction its own error is the most helpful; with several the first is
        // representative.
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

/// Returns the first eight of these lines as text.
fn listed(lines: &[usize]) -> String {
    let shown: Vec<String> = lines.iter().take(8).map(usize::to_string).collect();
    let more = if lines.len() > shown.len() {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", shown.join(", "))
}
