//! The matcher of an RMS norm: the sum of squares and the elements' operation, each configured.
//!
//! The root of the match is an operation in the body of the last generic, because bodies have
//! constants: see [`RmsNorm`]. The body of torch's sum has a constant too, so the matcher
//! compares only its types.

use std::fmt::{self, Display};

use crate::row_kernel::RmsNorm;
use configgen::Pipeline;

use super::matcher::SpecForm;

/// The sequence that puts configurations on the operations of an RMS norm.
pub(super) const APPLY: &str = "
  transform.named_sequence @apply_rms_norm(%op: !transform.any_op {transform.readonly}, %sum: !transform.any_op {transform.readonly}, %of_sum: !transform.any_param {transform.readonly}, %of_result: !transform.any_param {transform.readonly}) {
    transform.annotate %sum \"compilation_info\" = %of_sum : !transform.any_op, !transform.any_param
    transform.annotate %op \"lowering_config\" = %of_result : !transform.any_op, !transform.any_param
    transform.annotate %op \"__tuning_spec_applied__\" : !transform.any_op
    transform.yield
  }
";

/// Returns the sequence `name` that matches an RMS norm in a form.
///
/// The sum has the configuration. The other operation has its distribution, and its step follows.
pub(super) fn matcher(
    norm: RmsNorm<'_>,
    pipeline: &Pipeline,
    form: SpecForm,
    name: &str,
) -> Result<impl Display, fmt::Error> {
    let configuration = pipeline.configuration().ok_or(fmt::Error)?;
    let norm = match form {
        SpecForm::Torch => norm.of_torch().ok_or(fmt::Error)?,
        _ => norm,
    };
    let of_type = |operation: &str, number: usize, kind: &str| {
        format!(
            "    %{operation}_{number} = transform.get_operand %{operation}[{number}] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %{operation}_{number} = {kind} : !transform.any_value
"
        )
    };
    let [(input, elements), (weight, weights)] = norm.inputs();
    let sum = match norm.matched_sum() {
        Some(block) => format!(
            "    %squared, %sums = transform.iree.match.cast_compatible_dag_from_root %squares {{
{block}    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
"
        ),
        None => {
            // The constant in the body of torch's sum prevents a match of the whole operation.
            "    transform.match.operation_name %squares [\"linalg.generic\"] : !transform.any_op\n"
                .to_owned()
                + &of_type("squares", 0, &elements)
        }
    };
    // The matcher's root is a scalar operation, so the generic around it is its parent.
    Ok(format!(
        "  transform.named_sequence @match_{name}(%root: !transform.any_op {{transform.readonly}}) -> (!transform.any_op, !transform.any_op, !transform.any_param, !transform.any_param) {{
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %root {{
{}    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %op = transform.get_parent_op %root : (!transform.any_op) -> !transform.any_op
    transform.match.operation_name %op [\"linalg.generic\"] : !transform.any_op
{}{}    %squares = transform.get_producer_of_operand %op[{}] : (!transform.any_op) -> !transform.any_op
{sum}    %of_sum = transform.param.constant {configuration} -> !transform.any_param
    %of_result = transform.param.constant {} -> !transform.any_param
    transform.yield %op, %squares, %of_sum, %of_result : !transform.any_op, !transform.any_op, !transform.any_param, !transform.any_param
  }}
",
        norm.scalars(),
        of_type("op", input, &elements),
        of_type("op", weight, &weights),
        norm.number_of_sum(),
        configuration.lowering.without_tile("serial"),
    ))
}
