//! The sequences of a spec: one matches an operation, and one puts a call in its place.

use std::fmt::{self, Display, Formatter};

/// Prints the sequence that replaces an operation with a function call.
pub(super) fn used(f: &mut Formatter<'_>, function: &str, casts: &str) -> fmt::Result {
    used_with(f, function, casts, "")
}

/// Prints the same sequence with the lines of kept results. There may be none.
pub(super) fn used_with(
    f: &mut Formatter<'_>,
    function: &str,
    casts: &str,
    kept: &str,
) -> fmt::Result {
    let (operands, results, place) = match kept {
        "" => ("%operands", "%results", "%operation"),
        _ => ("%given", "%all", "%first"),
    };
    writeln!(
        f,
        "  transform.named_sequence @use_{function}(%operation: !transform.any_op {{transform.readonly}}, %operands: !transform.any_value {{transform.readonly}}, %results: !transform.any_value {{transform.readonly}}) {{
    %module = transform.util.get_nearest_symbol_table %operation : (!transform.any_op) -> !transform.any_op
    %function = transform.util.import_symbol @{function} into %module if undefined : (!transform.any_op) -> !transform.any_op
{kept}    transform.util.cast_and_call inline_call %function({operands}) -> {results} after {place}{casts} : (!transform.any_op, !transform.any_value, !transform.any_value, !transform.any_op) -> ()
    transform.yield
  }}"
    )
}

/// Prints the matcher of a block.
pub(super) fn matched(f: &mut Formatter<'_>, name: &str, block: impl Display) -> fmt::Result {
    writeln!(
        f,
        "  transform.named_sequence @match_{name}(%operation: !transform.any_op {{transform.readonly}}) -> (!transform.any_op, !transform.any_value, !transform.any_value) {{
    %operands, %found = transform.iree.match.cast_compatible_dag_from_root %operation {{
{block}    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    transform.yield %operation, %operands, %found : !transform.any_op, !transform.any_value, !transform.any_value
  }}"
    )
}
