//! The file that makes an unmodified iree-compile split rows.
//!
//! Before IREE forms dispatches, the file puts the splitting attribute on the operations that a
//! spec's configurations split.
//!
//! The matcher accepts only operations with the comparator's worst value and index 0 as initial
//! pair. All tuned ones have it. iree-compile 3.13.0 begins each piece at the initial pair of the
//! whole, and all lanes of a piece's kernel store. With other initial values it loses the row.
//!
//! The file belongs to its spec. Without the spec, IREE makes pieces and chooses their
//! configurations itself. Use: `iree-compile …
//! --iree-preprocessing-transform-spec-filename=FILE`.

use std::fmt::{self, Display, Formatter};

use super::matcher::{Comment, MatcherName, operation_matched_from};
use super::{F64_OPTION, Split, VERSION};
use crate::arg_compare_operation::ArgCompareOperation;
use configgen::SPLIT_REDUCTION as ATTRIBUTE;
use configgen::{ElementType, Target};

/// The option of iree-compile that takes the file.
pub(super) const OPTION: &str = "--iree-preprocessing-transform-spec-filename";

/// The splits of a spec; `Display` prints the file.
#[derive(Debug)]
pub struct Splits<'a> {
    pub(super) target: &'a Target,
    pub(super) compiler: &'a str,
    pub(super) splits: &'a [Split<'a>],
}

impl Display for Splits<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            target, compiler, ..
        } = self;
        writeln!(
            f,
            "// IREE preprocessing spec by wavetune {VERSION} for {target}."
        )?;
        writeln!(
            f,
            "// Made with {}; for a tuning spec that was written with it.",
            Comment(compiler)
        )?;
        writeln!(f, "module attributes {{transform.with_named_sequence}} {{")?;
        for one in self.splits {
            split(one, f)?;
        }
        f.write_str(ENTRY_POINT)?;
        for (position, Split { problem, .. }) in self.splits.iter().enumerate() {
            let end = match position + 1 < self.splits.len() {
                true => ",\n",
                false => " : (!transform.any_op) -> !transform.any_op\n",
            };
            let operation = ArgCompareOperation::of(problem).map_err(|_| fmt::Error)?;
            let name = MatcherName(problem, operation.arg_compare);
            write!(f, "        @match_{name} -> @split_{name}{end}")?;
        }
        f.write_str(TAIL)
    }
}

const ENTRY_POINT: &str = "
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    %functions = transform.structured.match ops{[\"util.func\"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.foreach %functions : !transform.any_op {
    ^bb1(%function: !transform.any_op):
      transform.foreach_match in %function
";

const TAIL: &str = "    }
    transform.yield
  }
}
";

/// Writes the named sequences of one operation: its matcher, and the one that adds the attribute.
fn split(split: &Split<'_>, f: &mut Formatter<'_>) -> fmt::Result {
    let (problem, pieces) = (split.problem, &split.pieces);
    let operation = ArgCompareOperation::of(problem).map_err(|_| fmt::Error)?;
    let (name, size) = (MatcherName(problem, operation.arg_compare), pieces.size);
    // Rule 0 of the generator demands this initial value.
    let worst = operation.arg_compare.comparator.order().worst;
    let worst = worst.ok_or(fmt::Error)?.bits;
    let provenance = Comment(split.provenance);
    writeln!(
        f,
        "\n  // {problem}: rows in pieces of {size}, {provenance}"
    )?;
    if problem.element == ElementType::F64 {
        writeln!(f, "  // Matches with {F64_OPTION} only.")?;
    }
    write!(
        f,
        "  transform.named_sequence @match_{name}(%op: !transform.any_op {{transform.readonly}}) -> !transform.any_op {{
{}    transform.yield %op : !transform.any_op
  }}
  transform.named_sequence @split_{name}(%op: !transform.any_op {{transform.readonly}}) {{
    %size = transform.param.constant [{size}] -> !transform.any_param
    transform.annotate %op \"{ATTRIBUTE}\" = %size : !transform.any_op, !transform.any_param
    transform.yield
  }}
",
        operation_matched_from(&operation, worst),
    )
}
