//! The matcher of a softmax: IREE's three operations of it, each with a configuration of its own.
//!
//! The last one is the root of the match, so an operation of another computation never matches.
//! The others are its producers.

use std::fmt::{self, Display};

use crate::row_kernel::Softmax;
use configgen::Pipeline;

/// The sequence that puts configurations on the operations of a softmax, given its last one.
pub(super) const APPLY: &str = "
  transform.named_sequence @apply_softmax(%op: !transform.any_op {transform.readonly}, %of_greatest: !transform.any_param {transform.readonly}, %of_sum: !transform.any_param {transform.readonly}, %of_result: !transform.any_param {transform.readonly}) {
    %greatest = transform.get_producer_of_operand %op[1] : (!transform.any_op) -> !transform.any_op
    %sum = transform.get_producer_of_operand %op[2] : (!transform.any_op) -> !transform.any_op
    transform.annotate %greatest \"lowering_config\" = %of_greatest : !transform.any_op, !transform.any_param
    transform.annotate %sum \"compilation_info\" = %of_sum : !transform.any_op, !transform.any_param
    transform.annotate %op \"lowering_config\" = %of_result : !transform.any_op, !transform.any_param
    transform.annotate %op \"__tuning_spec_applied__\" : !transform.any_op
    transform.yield
  }
";

/// Returns the sequence `name` that matches a softmax.
///
/// The sum has the configuration. The others have its distribution, and their steps follow from
/// it.
pub(super) fn matcher(
    softmax: Softmax<'_>,
    pipeline: &Pipeline,
    name: &str,
) -> Result<impl Display, fmt::Error> {
    let configuration = pipeline.configuration().ok_or(fmt::Error)?;
    let lowering = &configuration.lowering;
    Ok(format!(
        "  transform.named_sequence @match_{name}(%op: !transform.any_op {{transform.readonly}}) -> (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param) {{
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {{
{}    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %of_greatest = transform.param.constant {} -> !transform.any_param
    %of_sum = transform.param.constant {configuration} -> !transform.any_param
    %of_result = transform.param.constant {} -> !transform.any_param
    transform.yield %op, %of_greatest, %of_sum, %of_result : !transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param
  }}
",
        softmax.parts(),
        lowering.without_tile("partial_reduction"),
        lowering.without_tile("serial"),
    ))
}
