//! The pass that ties gathers to their tensors, so that matchers reach them ([`TiedGather`]).
//!
//! The called function returns its operand. If no matcher finds the call, IREE inlines it.

use std::fmt::{self, Display, Formatter};

use configgen::linalg::TiedGather;

/// The function of a call, the matcher of a `tensor.extract`, and the sequence that calls.
pub(super) struct GatherTie<'a>(pub(super) &'a TiedGather);

impl GatherTie<'_> {
    /// Returns the rule that connects the matcher with its sequence.
    pub(super) fn rule(&self) -> String {
        let name = self.0.name();
        format!("        @match_{name} -> @use_{name}")
    }
}

impl Display for GatherTie<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let TiedGather { table, gathered } = self.0;
        let name = self.0.name();
        let rank = table.sizes.len();
        let indices: Vec<String> = (0..rank).map(|d| format!("%index{d}")).collect();
        let typed: Vec<String> = indices.iter().map(|it| format!("{it}: index")).collect();
        let (indices, typed) = (indices.join(", "), typed.join(", "));
        write!(
            f,
            "
  util.func private @{name}(%table: {table}, %gathered: {gathered}) -> {gathered} {{
    util.return %gathered : {gathered}
  }}
  transform.named_sequence @match_{name}(%operation: !transform.any_op {{transform.readonly}}) -> (!transform.any_op, !transform.any_value) {{
    %operands, %found = transform.iree.match.cast_compatible_dag_from_root %operation {{
    ^bb0(%table: {table}, {typed}):
      %element = tensor.extract %table[{indices}] : {table}
    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %generic = transform.get_parent_op %operation : (!transform.any_op) -> !transform.any_op
    transform.match.operation_name %generic [\"linalg.generic\"] : !transform.any_op
    %matched = transform.match.structured failures(propagate) %generic : (!transform.any_op) -> !transform.any_op {{
    ^bb0(%structured: !transform.any_op):
      %one = transform.param.constant 1 : i64 -> !transform.param<i64>
      %outputs = transform.match.structured.num_inits %structured : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %outputs, %one : !transform.param<i64>
      transform.match.structured.yield %structured : !transform.any_op
    }}
    %output = transform.get_operand %generic[-1] : (!transform.any_op) -> !transform.any_value
    transform.iree.match.cast_compatible_type %output = {gathered} : !transform.any_value
    %tensor = transform.get_operand %operation[0] : (!transform.any_op) -> !transform.any_value
    transform.yield %generic, %tensor : !transform.any_op, !transform.any_value
  }}
  transform.named_sequence @use_{name}(%generic: !transform.any_op {{transform.readonly}}, %tensor: !transform.any_value {{transform.readonly}}) {{
    %module = transform.util.get_nearest_symbol_table %generic : (!transform.any_op) -> !transform.any_op
    %function = transform.util.import_symbol @{name} into %module if undefined : (!transform.any_op) -> !transform.any_op
    %result = transform.get_result %generic[0] : (!transform.any_op) -> !transform.any_value
    %given = transform.merge_handles %tensor, %result : !transform.any_value
    %call = transform.util.cast_and_call %function(%given) -> %result after %generic : (!transform.any_op, !transform.any_value, !transform.any_value, !transform.any_op) -> !transform.any_op
    transform.yield
  }}
"
        )
    }
}
