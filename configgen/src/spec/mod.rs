//! The IREE tuning spec: configurations in the form in which unmodified `iree-compile` takes them.
//!
//! A spec is a transform dialect library. Each [`Entry`] becomes a named sequence (of a plain reduction one for each form in which IREE may have it; of a softmax or an RMS norm one for all operations that IREE has of it in one kernel) that matches exactly one problem (its comparator, shape, element and index type, reduced dimension, and whether it has an index base or explicit indices) and
//! yields its configuration; `@__kernel_config` tries them in turn, and `@apply` puts the configuration of the first match on
//! the operation. An entry may be for a [`Range`] of shapes: they are tried after those of one shape. A size that is known at launch
//! only is a `?` in a matcher, where it stands for any size, also for one that the module knows: such entries come last, as they
//! know least of the shape. Use:
//! `iree-compile --iree-rocm-target=TARGET --iree-codegen-tuning-spec-path=FILE …`.
//!
//! A configuration that splits rows belongs to the operations that IREE makes of the one that is split ([`Pieces`]): a matcher for
//! each. That IREE makes them is said by another file, which the [`Splits`] of a spec are.
//!
//! IREE has no guard in a spec: a matched configuration that does not compile fails the whole compilation, for any
//! target. One file therefore belongs to one target and one compiler version; the header says which.
//!
//! This module knows the syntax of specs only, not where configurations come from or whether they are legal.

mod matcher;
mod range_matcher;
mod rms_norm;
mod softmax;
mod spec_preload;
mod splits;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt::{self, Display, Formatter};

use crate::arg_compare_operation::{ArgCompareOperation, ArgCompareOperationError};
use crate::generic::Generic;
use crate::row_kernel::RowKernel;
use crate::{ElementType, Pipeline, Problem, Range, SplitReduction, Target};
use matcher::{Comment, GenericName, MatcherName, RowKernelName, SpecForm, of_generic};
use range_matcher::of_operation;
pub use spec_preload::{PASS_PIPELINE, preload_spec};
pub use splits::Splits;

/// A problem and what it shall be compiled with.
#[derive(Debug, Clone)]
pub struct SpecEntry<'a> {
    /// The problem; it reduces one dimension.
    pub problem: &'a Problem,
    /// The shapes that are matched, where they are more than the problem's.
    pub range: Option<&'a Range>,
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
    entries: Vec<SpecMatch<'a>>,
    splits: Vec<Split<'a>>,
}

/// A problem whose rows are split.
#[derive(Debug)]
struct Split<'a> {
    problem: &'a Problem,
    pieces: SplitReduction,
    /// Printed as a comment.
    provenance: &'a str,
}

/// What an operation is matched by, which there is, and what it is compiled with.
#[derive(Debug)]
struct SpecMatch<'a> {
    problem: Cow<'a, Problem>,
    range: Option<&'a Range>,
    pipeline: Cow<'a, Pipeline>,
    /// Printed as a comment.
    provenance: Cow<'a, str>,
    form: SpecForm,
}

/// Why entries make no spec.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// A spec matches at least one operation.
    #[error("no configuration to export")]
    Empty,
    /// Another operation.
    #[error(
        "{problem}: a spec matches only arg_compare, plain reductions, softmax and rms_norm along a dimension"
    )]
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
    /// IREE's fallback for a plain reduction has more attributes than are known of it.
    #[error("{problem}: a spec needs a configuration of the lanes, and IREE's fallback has none")]
    Fallback {
        /// The problem.
        problem: String,
    },
    /// The second entry of an operation would never match.
    #[error("{problem}: two configurations for one operation")]
    Repeated {
        /// The problem.
        problem: String,
    },
}

impl<'a> Spec<'a> {
    /// The spec of these entries, in this order but for those of ranges and of an open size, made with `compiler` (name and version) for `target`.
    ///
    /// # Errors
    ///
    /// See [`SpecError`].
    pub fn new(
        target: &'a Target,
        compiler: &'a str,
        entries: &'a [SpecEntry<'a>],
    ) -> Result<Self, SpecError> {
        if entries.is_empty() {
            return Err(SpecError::Empty);
        }
        let mut known = HashSet::new();
        let (mut matched, mut splits) = (Vec::new(), Vec::new());
        for entry in entries {
            let (problem, pieces) = (entry.problem, entry.pieces());
            let is_fallback = matches!(entry.pipeline, Pipeline::TileAndFuse(_));
            if is_fallback && problem.arg_compare().is_none() {
                let problem = text(problem, entry.range);
                return Err(SpecError::Fallback { problem });
            }
            let name = name(problem, entry.range)?;
            if !known.insert((name, pieces.is_some())) {
                let problem = text(problem, entry.range);
                return Err(SpecError::Repeated { problem });
            }
            match pieces {
                Some(pieces) => splits.push(Split {
                    problem,
                    pieces,
                    provenance: entry.provenance,
                }),
                None => {
                    matched.extend(SpecForm::of(problem).iter().map(|&form| SpecMatch {
                        problem: Cow::Borrowed(problem),
                        range: entry.range,
                        pipeline: Cow::Borrowed(entry.pipeline),
                        provenance: Cow::Borrowed(entry.provenance),
                        form,
                    }));
                }
            }
        }
        for split in &splits {
            let (problem, pieces) = (split.problem, &split.pieces);
            for (what, (piece, configuration)) in [
                ("pieces of rows", &pieces.partial),
                ("the results of pieces", &pieces.merge),
            ] {
                // Pieces of several problems may be the same, or have been tuned by themselves.
                if !known.insert((self::name(piece, None)?, false)) {
                    continue;
                }
                matched.push(SpecMatch {
                    problem: Cow::Owned(piece.clone()),
                    range: None,
                    pipeline: Cow::Owned(Pipeline::VectorDistribute(configuration.clone())),
                    provenance: Cow::Owned(format!(
                        "{what} of {problem}, in all {}",
                        split.provenance
                    )),
                    form: SpecForm::Usual,
                });
            }
        }
        // Stable: the order of the entries stays, within what is known of a shape.
        matched.sort_by_key(|matched| {
            let is_open = matched.problem.shape.counts().is_some();
            (is_open, matched.range.is_some())
        });
        Ok(Self {
            target,
            compiler,
            entries: matched,
            splits,
        })
    }

    /// The file that makes IREE split rows; none where no configuration does.
    pub fn splits(&self) -> Option<Splits<'_>> {
        (!self.splits.is_empty()).then(|| Splits {
            target: self.target,
            compiler: self.compiler,
            splits: &self.splits,
        })
    }
}

impl SpecEntry<'_> {
    fn pieces(&self) -> Option<SplitReduction> {
        match self.pipeline {
            Pipeline::VectorDistribute(configuration) => {
                SplitReduction::of(self.problem, configuration)
            }
            Pipeline::TileAndFuse(_) => None,
        }
    }
}

/// The name of a problem's operation, if it is one, or of a range of it.
fn name(problem: &Problem, range: Option<&Range>) -> Result<String, SpecError> {
    let text = || problem.to_string();
    if Generic::of(problem).is_some() {
        return Ok(GenericName(problem).to_string());
    }
    if RowKernel::of(problem).is_some() {
        return Ok(RowKernelName(problem).to_string());
    }
    match ArgCompareOperation::of(problem) {
        Ok(operation) => Ok(symbol(problem, range, &operation)),
        Err(ArgCompareOperationError::AnotherReduction) => {
            Err(SpecError::Operation { problem: text() })
        }
        Err(ArgCompareOperationError::Dimensions(count)) => Err(SpecError::SeveralReductions {
            problem: text(),
            count,
        }),
    }
}

/// What is matched, for people.
fn text(problem: &Problem, range: Option<&Range>) -> String {
    range.map_or_else(|| problem.to_string(), Range::to_string)
}

/// The name of what matches an operation.
fn symbol(problem: &Problem, range: Option<&Range>, operation: &ArgCompareOperation<'_>) -> String {
    match range {
        Some(range) => range_matcher::RangeMatcherName(range, operation.arg_compare).to_string(),
        None => MatcherName(problem, operation.arg_compare).to_string(),
    }
}

impl SpecMatch<'_> {
    /// The sequence that puts a configuration on what is matched: its name, and its text where it is not the one that all specs have.
    fn apply(&self) -> (&'static str, Option<&'static str>) {
        match RowKernel::of(&self.problem) {
            None => ("@apply", None),
            Some(RowKernel::Softmax(_)) => ("@apply_softmax", Some(softmax::APPLY)),
            Some(RowKernel::RmsNorm(_)) => ("@apply_rms_norm", Some(rms_norm::APPLY)),
        }
    }

    /// The name of what matches it.
    fn symbol(&self) -> Result<String, fmt::Error> {
        let name = name(&self.problem, self.range).map_err(|_| fmt::Error)?;
        Ok(name + self.form.suffix())
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
        if !self.splits.is_empty() {
            writeln!(
                f,
                "// Rows of {} of its problems are split by the file that goes with it, where iree-compile is given that, too:\n\
                 // {}=FILE. Without it they are whole.",
                self.splits.len(),
                splits::OPTION
            )?;
        }
        f.write_str(HEAD)?;
        let applied: BTreeMap<_, _> = self.entries.iter().map(SpecMatch::apply).collect();
        applied
            .values()
            .flatten()
            .try_for_each(|text| f.write_str(text))?;
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
            let (apply, _) = matched.apply();
            write!(f, "      @match_{} -> {apply}{end}", matched.symbol()?)?;
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
fn matcher(matched: &SpecMatch<'_>, f: &mut Formatter<'_>) -> fmt::Result {
    let SpecMatch {
        problem,
        range,
        pipeline,
        provenance,
        form,
    } = matched;
    let (name, text) = (matched.symbol()?, text(problem, *range));
    writeln!(f, "\n  // {text}: {}", Comment(provenance))?;
    match RowKernel::of(problem) {
        Some(RowKernel::Softmax(softmax)) => {
            return softmax::matcher(softmax, pipeline, &name)?.fmt(f);
        }
        Some(RowKernel::RmsNorm(norm)) => {
            return rms_norm::matcher(norm, pipeline, *form, &name)?.fmt(f);
        }
        None => {}
    }
    let (statement, pipeline) = match Generic::of(problem) {
        Some(generic) => of_generic(generic, pipeline, *form)?,
        None => (of_operation(problem, *range)?, pipeline.to_string()),
    };
    let fold = problem.reduction.fold();
    let types = [Some(problem.element), fold.map(|it| it.accumulator())];
    if types.contains(&Some(ElementType::F64)) {
        writeln!(f, "  // Matches with {F64_OPTION} only.")?;
    }
    write!(
        f,
        "  transform.named_sequence @match_{name}(%op: !transform.any_op {{transform.readonly}}) -> (!transform.any_op, !transform.any_param) {{
{statement}    %configuration = transform.param.constant {pipeline} -> !transform.any_param
    transform.yield %op, %configuration : !transform.any_op, !transform.any_param
  }}
",
    )
}

#[cfg(test)]
mod tests;
