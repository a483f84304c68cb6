//! Rule 0 of row operations.
//!
//! IREE makes one kernel of a softmax and of an RMS norm, and configures each operation in it.

use crate::Problem;
use crate::legality::{Rejection, ensure};
use crate::reduction::RowOperation;

/// Returns the row operation of a problem, if IREE 3.13.0 makes one kernel of it.
///
/// For other row operations, such as a layer norm or a log-softmax, IREE makes one kernel per
/// fold.
pub fn row_kernel(problem: &Problem) -> Option<RowOperation> {
    let is_viewed = problem.function.is_some();
    let operation = problem.reduction.row_operation().filter(|_| !is_viewed)?;
    let is_kernel = matches!(operation, RowOperation::Softmax | RowOperation::RmsNorm);
    (is_kernel && problem.shape.reduced().count() == 1).then_some(operation)
}

/// Checks rule 0 of a problem that is neither an `arg_compare` nor a plain reduction.
pub(super) fn check(problem: &Problem) -> Result<(), Rejection> {
    let kernel = row_kernel(problem);
    ensure(kernel.is_some(), "0", || {
        format!(
            "{problem} is not supported; the rules cover arg_compare of unmodified elements, plain reductions, \
             softmax and rms_norm along a dimension. IREE splits norms that fold a row twice, log_softmax and sums \
             with a residual into several kernels"
        )
    })?;
    let shape = &problem.shape;
    ensure(shape.is_dense(), "0", || {
        format!("{problem} has gaps between its rows; IREE's tensors have none")
    })?;
    let is_last = shape
        .rank()
        .checked_sub(1)
        .is_some_and(|d| shape.is_reduced(d));
    ensure(is_last, "0", || {
        format!("{problem} does not reduce the innermost dimension; the rules cover only that")
    })?;
    let is_known =
        shape.rank() > 1 && shape.counts().is_none() && shape.sizes().iter().all(|&size| size > 1);
    ensure(is_known, "0", || {
        format!(
            "{problem} has no rows, or a size that is 1 or known at launch only; the rules cover other sizes"
        )
    })?;
    // IREE merges the row dimensions of an RMS norm, but not those of a softmax.
    let is_joined = kernel == Some(RowOperation::RmsNorm) && shape.rank() > 2;
    ensure(!is_joined, "0", || {
        let (rows, columns) = (shape.rows(), shape.reduced_size());
        format!(
            "IREE collapses the dimensions of {problem} before the last one before it configures the operation: tune \
             rms_norm:{rows}x[{columns}]"
        )
    })
}
