//! The forms in which frontends emit a problem, for exports without a module.
//!
//! A plain reduction is a `linalg.generic`, a `linalg.reduce` or a named product. The accumulator
//! is the second operand in torch's generic and the first in StableHLO's. A softmax is a
//! `linalg.softmax`. Other row operations are chains, and each frontend has its own. The files
//! here contain torch's, as iree-compile 3.13.0 lowers them for f32 matrices with reduced rows.
//! Views have no form, because they are operations of their own.

use super::form::OperationForm;
use super::module::operations;
use crate::comparator::{Constant, ScalarType};
use crate::reduction::RowOperation;
use crate::{ElementType, Function, Problem};

impl OperationForm {
    /// Returns the usual forms of a problem.
    pub fn frontend_forms(problem: &Problem) -> Vec<OperationForm> {
        let has_view = problem.function.as_ref().is_some_and(Function::has_view);
        if has_view || !problem.shape.is_dense() {
            return Vec::new();
        }
        let mut forms = OperationForm::singles(problem);
        forms.extend(of_torch(problem));
        forms
    }
}

/// Returns torch's chain for a problem.
fn of_torch(problem: &Problem) -> Option<OperationForm> {
    let text = match problem.reduction.row_operation()? {
        RowOperation::Softmax => include_str!("softmax.mlir"),
        RowOperation::LogSoftmax => include_str!("log_softmax.mlir"),
        RowOperation::LogSumExp => include_str!("log_sum_exp.mlir"),
        RowOperation::LayerNorm => include_str!("layer_norm.mlir"),
        RowOperation::RmsNorm => include_str!("rms_norm.mlir"),
        _ => return None,
    };
    // The files are matrices with one dimension of rows and one of columns.
    let (&[rows, columns], false, true) = (
        problem.shape.sizes(),
        problem.shape.is_reduced(0),
        problem.shape.is_reduced(1),
    ) else {
        return None;
    };
    if problem.element != ElementType::F32 {
        return None;
    }
    // The files have one placeholder for a static or an open number of rows.
    let rows = match problem.shape.counts() {
        Some(_) => "?".to_owned(),
        None => rows.to_string(),
    };
    let number = |bits: u64| Constant(bits, ScalarType::F32).to_string();
    let text = text
        .replace("ROWS", &rows)
        .replace("COLUMNS", &columns.to_string())
        .replace("COUNT", &number(ScalarType::F32.round(f64::from(columns))))
        .replace(
            "EPSILON",
            &number(problem.reduction.epsilon().unwrap_or_default()),
        );
    let counts = problem.shape.counts().unwrap_or(1..=1);
    let found = operations(&text, &counts).ok()?;
    // With few rows or columns, the text may read as another problem.
    let is_it = |it: &&super::ModuleReduction| it.problem.as_ref() == Ok(problem);
    found.iter().find(is_it)?.form.clone()
}
