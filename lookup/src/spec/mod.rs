//! The IREE tuning spec: configurations in the form in which unmodified `iree-compile` takes them.
//!
//! A spec is a transform dialect library. Each [`Entry`] becomes a named sequence that matches exactly one problem (its
//! comparator, shape, element and index type, reduced dimension, and whether it has an index base or explicit indices) and
//! yields its configuration; `@__kernel_config` tries them in turn, and `@apply` puts the configuration of the first match on
//! the operation. A size that is known at launch only is a `?` in a matcher, where it stands for any size, also for one that the
//! module knows: such entries come last. Use:
//! `iree-compile --iree-rocm-target=TARGET --iree-codegen-tuning-spec-path=FILE …`.
//!
//! IREE has no guard in a spec: a matched configuration that does not compile fails the whole compilation, for any
//! target. One file therefore belongs to one target and one compiler version; the header says which.
//!
//! This module knows the syntax of specs only, not where configurations come from or whether they are legal.

use std::collections::HashSet;
use std::fmt::{self, Display, Formatter};

use configgen::operation::{Names, NoOperation, Operation};
use configgen::{ArgCompare, ElementType, IndexMode, Pipeline, Problem, Target};

/// A problem and what it shall be compiled with.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// The problem; it reduces one dimension.
    pub problem: &'a Problem,
    /// A pipeline of IREE's, with its configuration.
    pub pipeline: &'a Pipeline,
    /// Where that comes from: device, clock, time. Printed as a comment.
    pub provenance: &'a str,
}

/// A tuning spec for one target; `Display` prints the file.
#[derive(Debug)]
pub struct Spec<'a> {
    target: &'a Target,
    compiler: &'a str,
    entries: Vec<Matched<'a>>,
}

/// An entry with the operation that it matches.
#[derive(Debug)]
struct Matched<'a> {
    entry: &'a Entry<'a>,
    operation: Operation<'a>,
}

/// Why entries make no spec.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// A spec matches at least one operation.
    #[error("no configuration to export")]
    Empty,
    /// Another operation.
    #[error("{problem}: a spec matches arg_compare only")]
    Operation {
        /// The problem.
        problem: String,
    },
    /// IREE's operation reduces exactly one dimension.
    #[error("{problem}: IREE's arg_compare reduces one dimension, this problem {count}")]
    SeveralReductions {
        /// The problem.
        problem: String,
        /// Number of its reduced dimensions.
        count: usize,
    },
    /// The second entry of an operation would never match.
    #[error("{problem}: two configurations for one operation")]
    Repeated {
        /// The problem.
        problem: String,
    },
}

impl<'a> Spec<'a> {
    /// The spec of these entries, in this order but for those of an open size, made with `compiler` (name and version) for `target`.
    ///
    /// # Errors
    ///
    /// See [`SpecError`].
    pub fn new(
        target: &'a Target,
        compiler: &'a str,
        entries: &'a [Entry<'a>],
    ) -> Result<Self, SpecError> {
        if entries.is_empty() {
            return Err(SpecError::Empty);
        }
        let mut operations = HashSet::new();
        let mut matched = Vec::new();
        for entry in entries {
            let Entry { problem, .. } = entry;
            let operation = Operation::of(problem).map_err(|reason| {
                let problem = problem.to_string();
                match reason {
                    NoOperation::AnotherReduction => SpecError::Operation { problem },
                    NoOperation::Dimensions(count) => {
                        SpecError::SeveralReductions { problem, count }
                    }
                }
            })?;
            if !operations.insert(Name(problem, operation.arg_compare).to_string()) {
                let problem = problem.to_string();
                return Err(SpecError::Repeated { problem });
            }
            matched.push(Matched { entry, operation });
        }
        matched.sort_by_key(|matched| matched.operation.is_open());
        Ok(Self {
            target,
            compiler,
            entries: matched,
        })
    }
}

impl Display for Spec<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            target, compiler, ..
        } = self;
        writeln!(f, "// IREE tuning spec by wavetune {VERSION} for {target}.")?;
        writeln!(
            f,
            "// Made with {}; other versions may reject it.",
            Comment(compiler)
        )?;
        f.write_str(HEAD)?;
        for entry in &self.entries {
            matcher(entry, f)?;
        }
        f.write_str(ENTRY_POINT)?;
        for (position, matched) in self.entries.iter().enumerate() {
            let end = if position + 1 < self.entries.len() {
                ",\n"
            } else {
                " : (!transform.any_op) -> !transform.any_op\n"
            };
            write!(
                f,
                "      @match_{} -> @apply{end}",
                Name(matched.entry.problem, matched.operation.arg_compare)
            )?;
        }
        f.write_str(TAIL)
    }
}

/// The option of iree-compile without which it makes f32 of f64, so that no entry of f64 matches.
pub const F64_OPTION: &str = "--iree-input-demote-f64-to-f32=false";

const VERSION: &str = env!("CARGO_PKG_VERSION");

const HEAD: &str = "\
module attributes {iree_codegen.tuning_spec_with_default_entrypoint, transform.with_named_sequence} {
  transform.named_sequence @apply(%op: !transform.any_op {transform.readonly}, %configuration: !transform.any_param {transform.readonly}) {
    transform.annotate %op \"compilation_info\" = %configuration : !transform.any_op, !transform.any_param
    transform.annotate %op \"__tuning_spec_applied__\" : !transform.any_op
    transform.yield
  }
";

const ENTRY_POINT: &str = "
  transform.named_sequence @__kernel_config(%module: !transform.any_op {transform.consumed}) -> !transform.any_op attributes {iree_codegen.tuning_spec_entrypoint} {
    %updated = transform.foreach_match in %module
";

const TAIL: &str = "    transform.yield %updated : !transform.any_op
  }
}
";

/// The named sequence of one entry.
///
/// The names in the block of the operation and in that of the comparator share one space: a clash is a parse error.
fn matcher(matched: &Matched<'_>, f: &mut Formatter<'_>) -> fmt::Result {
    let Matched { entry, operation } = matched;
    let Entry {
        problem,
        pipeline,
        provenance,
    } = entry;
    let (input, values, indices) = (operation.input(), operation.values(), operation.indices());
    let [explicit, base] = match operation.arg_compare.index_mode {
        IndexMode::Position => [String::new(), String::new()],
        IndexMode::Based => [String::new(), ", %base: index".to_owned()],
        IndexMode::Explicit => [
            format!(", %explicit: {}", operation.explicit()),
            String::new(),
        ],
    };
    let element = problem.element;

    writeln!(f, "\n  // {problem}: {}", Comment(provenance))?;
    if element == ElementType::F64 {
        writeln!(f, "  // Matches with {F64_OPTION} only.")?;
    }
    write!(
        f,
        "  transform.named_sequence @match_{}(%op: !transform.any_op {{transform.readonly}}) -> (!transform.any_op, !transform.any_param) {{
    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {{
    ^bb0(%input: {input}{explicit}, %values: {values}, %indices: {indices}{base}):
      %result:2 = {}
    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    %configuration = transform.param.constant {pipeline} -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }}
",
        Name(problem, operation.arg_compare),
        operation.written("", NAMES),
    )
}

/// What a matcher calls the operands of its operation.
const NAMES: Names<'_> = Names {
    input: "%input",
    explicit: "%explicit",
    values: "%values",
    indices: "%indices",
    base: "%base",
    indent: 6,
};

/// A symbol name that no other operation has: `argmax_4xr32000xf32_i32`, where `r` marks a reduced dimension, and `n` stands for
/// a size that is known at launch only.
struct Name<'a>(&'a Problem, &'a ArgCompare);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Name(problem, arg_compare) = self;
        write!(f, "{}_", arg_compare.comparator.symbol())?;
        for (d, size) in problem.shape.sizes().iter().enumerate() {
            match (problem.shape.is_reduced(d), problem.shape.is_counted(d)) {
                (true, _) => write!(f, "r{size}x")?,
                (false, false) => write!(f, "{size}x")?,
                (false, true) => write!(f, "nx")?,
            }
        }
        let mode = match arg_compare.index_mode {
            IndexMode::Position => "",
            IndexMode::Based => "_based",
            IndexMode::Explicit => "_explicit",
        };
        write!(f, "{}_{}{mode}", problem.element, arg_compare.index)
    }
}

/// Text from outside in a comment: whatever would end the line is left out.
struct Comment<'a>(&'a str);

impl Display for Comment<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let line = self
            .0
            .split(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
        line.filter(|part| !part.is_empty())
            .enumerate()
            .try_for_each(|(position, part)| {
                let space = if position == 0 { "" } else { " " };
                write!(f, "{space}{part}")
            })
    }
}

#[cfg(test)]
#[path = "../../../configgen/tests/it/sum/reduction.rs"]
mod sum;

#[cfg(test)]
mod tests {
    use super::*;

    fn pipeline(text: &str) -> Pipeline {
        Pipeline::VectorDistribute(serde_json::from_str(text).unwrap())
    }

    const ROW: &str = r#"{"workgroup": [1, 0], "partial_reduction": [0, 1024], "thread": [0, 4],
        "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[1, 1], [0, 1]], "subgroup_size": 64,
        "workgroup_size": [64, 1, 1]}"#;

    fn target() -> &'static Target {
        Target::named("gfx942").unwrap()
    }

    #[test]
    fn golden() {
        let pipeline = pipeline(ROW);
        let problems: Vec<Problem> = [
            "argmax:?x[4096]xf32",
            "argmax:4x[4096]xf32",
            "argmin:8x[4096]xbf16:i64",
            "argmax_nan:8x[4096]xbf16:i64:index_base",
            "argmax_last:4x[4096]xf16:i32:explicit_index",
        ]
        .map(|text| text.parse().unwrap())
        .into();
        let entries: Vec<Entry> = problems
            .iter()
            .map(|problem| Entry {
                problem,
                pipeline: &pipeline,
                provenance: "7.5 us on mi300x\n}} (modelled)",
            })
            .collect();
        let spec = Spec::new(target(), "iree-compile 3.13.0", &entries).unwrap();
        expect_test::expect_file!["golden.mlir"].assert_eq(&spec.to_string());
    }

    #[track_caller]
    fn check_error(problems: &[&str], expected: &str) {
        let problems: Vec<Problem> = problems.iter().map(|text| text.parse().unwrap()).collect();
        refused(&problems, expected);
    }

    #[track_caller]
    fn refused(problems: &[Problem], expected: &str) {
        let pipeline = pipeline(ROW);
        let entries: Vec<Entry> = problems
            .iter()
            .map(|problem| Entry {
                problem,
                pipeline: &pipeline,
                provenance: "",
            })
            .collect();
        let error = Spec::new(target(), "", &entries).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn errors() {
        check_error(&[], "no configuration to export");
        check_error(
            &["argmax:4x[8]xf32", "argmax:[4]x[8]xf32"],
            "argmax:[4]x[8]xf32:i32: IREE's arg_compare reduces one dimension, this problem 2",
        );
        check_error(
            &[
                "argmax:4x[8]xf32",
                "argmin:4x[8]xf32",
                "argmax:4x[8]xf32:i32",
            ],
            "argmax:4x[8]xf32:i32: two configurations for one operation",
        );
        check_error(
            &["argmax:?x[8]xf32", "argmax:?x[8]xf32:i32:count=1..2"],
            "argmax:?x[8]xf32:i32:count=1..2: two configurations for one operation",
        );
    }

    #[test]
    fn another_operation_is_matched_by_no_spec() {
        refused(
            &[sum::problem("4x[50]")],
            "sum:4x[50]xi32: a spec matches arg_compare only",
        );
    }

    #[track_caller]
    fn check_name(problem: &str, expected: &str) {
        let problem: Problem = problem.parse().unwrap();
        assert_eq!(
            Name(&problem, problem.arg_compare().unwrap()).to_string(),
            expected
        );
    }

    #[test]
    fn names_differ_where_problems_do() {
        check_name("argmax:4x[32000]xf32", "argmax_4xr32000xf32_i32");
        check_name("argmin:[4]x32000xf32", "argmin_r4x32000xf32_i32");
        check_name("argmax:[7]xi8:i64", "argmax_r7xi8_i64");
        check_name("argmax:?x[7]xi8:i64", "argmax_nxr7xi8_i64");
        check_name("argmax:[7]xi8:i64:index_base", "argmax_r7xi8_i64_based");
        check_name(
            "argmax:[7]xi8:i64:explicit_index",
            "argmax_r7xi8_i64_explicit",
        );
    }
}
