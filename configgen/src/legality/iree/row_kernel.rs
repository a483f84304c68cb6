//! Rule 0 of row operations.
//!
//! IREE makes one kernel of a softmax and of an RMS norm, and configures each operation in it.

use super::super::{Rejection, ensure};
use crate::Problem;
use crate::row_kernel::RowKernel;

/// Checks rule 0 of a problem that is neither an `arg_compare` nor a plain reduction.
pub(super) fn check(problem: &Problem) -> Result<(), Rejection> {
    let kernel = RowKernel::of(problem);
    ensure(kernel.is_some(), "0", || {
        format!(
            "{problem} is neither an arg_compare of elements as they are nor a plain reduction, nor a softmax or an RMS norm along a dimension; \
             the rules were found for those, and of norms that fold a row twice, of log_softmax and of sums with a residual IREE \
             makes several kernels"
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
        format!(
            "{problem} is along another dimension than the innermost; the rules were found for that"
        )
    })?;
    let is_known =
        shape.rank() > 1 && shape.counts().is_none() && shape.sizes().iter().all(|&size| size > 1);
    ensure(is_known, "0", || {
        format!(
            "{problem} has no rows, or a size that is 1 or known at launch only; the rules were found for others"
        )
    })?;
    // IREE merges the row dimensions of an RMS norm, but not those of a softmax.
    let is_joined = matches!(kernel, Some(RowKernel::RmsNorm(_))) && shape.rank() > 2;
    ensure(!is_joined, "0", || {
        let (rows, columns) = (shape.rows(), shape.reduced_size());
        format!(
            "of {problem} IREE makes one of the dimensions before the last, before it configures it: tune rms_norm:{rows}x[{columns}]"
        )
    })
}
