//! Rule 0 of plain reductions: the ones that IREE leaves unchanged and computes correctly.

use super::function_support;
use crate::legality::{Rejection, ensure};
use crate::reduction::{Combining, Fold};
use crate::{ElementType, Function, Problem};

/// Checks rule 0 of a plain reduction on an accepted target.
pub(super) fn check(problem: &Problem, fold: &Fold) -> Result<(), Rejection> {
    if let Some(function) = &problem.function {
        function_support::check(problem, fold, function)?;
    }
    ensure(problem.shape.is_dense(), "0", || {
        format!("{problem} has gaps between its rows; IREE's tensors have none")
    })?;
    // A matcher does not compare the fill, so the initial value must be the same in every module.
    ensure(fold.initial() == fold.identity(), "0", || {
        format!(
            "{problem} has its own initial value, and a tuning spec cannot match initial values"
        )
    })?;
    check_combining(fold)?;
    check_form(problem)
}

/// Checks that IREE's lanes begin at the neutral value, and that IREE keeps the operation.
fn check_combining(fold: &Fold) -> Result<(), Rejection> {
    let (combining, accumulator) = (fold.combining(), fold.accumulator());
    let name = combining.name();
    ensure(accumulator != ElementType::I1, "0", || {
        "the results are i1, which IREE reduces with only one thread per row (\"Failed to anaysis the reduction \
         operation\"); extend the elements to i8"
            .to_owned()
    })?;
    match combining {
        Combining::Sum | Combining::Product | Combining::Or | Combining::Xor => Ok(()),
        Combining::And => ensure(false, "0", || {
            format!("{name}: IREE's lanes start at 1, so all other bits are lost")
        }),
        Combining::Max | Combining::Min if accumulator.is_float() => ensure(false, "0", || {
            format!(
                "{name} of floats: IREE computes the {name}imum of the numbers alone, so a NaN is lost"
            )
        }),
        Combining::Max | Combining::Min => {
            // IREE reads integers of up to 32 bits as unsigned when it picks the initial value of
            // its lanes.
            let is_read_unsigned = accumulator.bits() <= 32;
            ensure(fold.is_unsigned() == is_read_unsigned, "0", || {
                let (signed, other) = match is_read_unsigned {
                    true => ("with", "without"),
                    false => ("without", "with"),
                };
                format!(
                    "{name} of {accumulator} {signed} a sign: IREE's lanes start at the neutral value of integers \
                     {other} a sign"
                )
            })
        }
        Combining::MaxNumber | Combining::MinNumber => {
            ensure(accumulator == ElementType::F64, "0", || {
                format!(
                    "{name} of {accumulator}: IREE's instruction for three values loses two of them if the third is \
                     a signaling NaN"
                )
            })
        }
    }
}

/// Checks that IREE changes no dimension: it drops those of size 1 and merges neighbours of a
/// kind.
fn check_form(problem: &Problem) -> Result<(), Rejection> {
    let shape = &problem.shape;
    let has_columns = shape.reduced_size() > 1;
    ensure(has_columns, "0", || {
        format!("{problem} has one element per row, so there is nothing to reduce")
    })?;
    if let Some(function) = &problem.function {
        check_joined(problem, function)?;
    } else {
        check_merged(problem)?;
    }
    let count = shape.reduced().count();
    ensure(count == 1, "0", || {
        format!(
            "{count} dimensions that are not adjacent are reduced; the rules cover one reduced dimension"
        )
    })
}

/// Checks that IREE leaves the inputs of a function unchanged.
fn check_joined(problem: &Problem, function: &Function) -> Result<(), Rejection> {
    let shape = &problem.shape;
    let single = (0..shape.rank()).find(|&d| shape.sizes()[d] == 1 && !shape.is_counted(d));
    ensure(single.is_none(), "0", || {
        let d = single.unwrap_or_default();
        format!(
            "IREE drops dimension {d} of {problem}, which has size 1, before it configures the operation: tune the \
             problem without that dimension"
        )
    })?;
    let joined = function_support::joined(shape, function);
    ensure(joined.is_none(), "0", || {
        let behind = joined.unwrap_or_default();
        let before = behind - 1;
        format!(
            "IREE collapses dimensions {before} and {behind} of {problem}, because every input has both, side by \
             side, or neither: tune it with one dimension instead"
        )
    })
}

/// Checks that IREE leaves the reduced tensor unchanged.
fn check_merged(problem: &Problem) -> Result<(), Rejection> {
    let shape = &problem.shape;
    let merged = shape.merged();
    ensure(merged.as_ref() == Some(shape), "0", || {
        let form = match merged {
            Some(shape) => format!(
                "tune {}, which has the same kernel",
                Problem {
                    shape,
                    ..problem.clone()
                }
            ),
            None => "no problem has the resulting count".to_owned(),
        };
        format!(
            "IREE drops or collapses dimensions of {problem} before it configures the operation: {form}"
        )
    })
}
