//! The IREE tuning spec: configurations in the form that unmodified `iree-compile` reads.
//!
//! A spec is a transform dialect library. Each [`SpecEntry`] becomes a named sequence that
//! matches exactly one problem and yields its configuration. It compares comparator, shape,
//! element and index type, reduced dimension and index mode. A plain reduction has one sequence
//! per form that IREE may have of it. A softmax or an RMS norm has one for all operations that
//! IREE fuses into one kernel.
//!
//! `@__kernel_config` tries the sequences in turn. `@apply` puts the configuration of the first
//! match on the operation. The order is this:
//!
//! 1. entries of one shape;
//! 2. entries of a [`Range`] of shapes;
//! 3. entries with an open size. A `?` in a matcher accepts any size, even one that the module
//!    knows, so these say least of the shape.
//!
//! Use: `iree-compile --iree-rocm-target=TARGET --iree-codegen-tuning-spec-path=FILE …`.
//!
//! A configuration that splits rows belongs to the operations that IREE makes of the split one
//! ([`SplitReduction`]), so each of those has a matcher. Another file, the [`Splits`] of a spec,
//! makes IREE split the operation.
//!
//! IREE has no guard in a spec: a matched configuration that does not compile fails the whole
//! compilation, for any target. One file therefore belongs to one target and one compiler
//! version, which its header names.
//!
//! This module knows only the syntax of specs, not the origin or the legality of configurations.

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
use configgen::{ElementType, Pipeline, Problem, Range, SplitReduction, Target};
use matcher::{Comment, GenericName, MatcherName, RowKernelName, SpecForm, of_generic};
use range_matcher::of_operation;
pub use spec_preload::{PASS_PIPELINE, preload_spec};
pub use splits::Splits;

/// A problem with the configuration that its compilation shall use.
#[derive(Debug, Clone)]
pub struct SpecEntry<'a> {
    /// The problem; it reduces one dimension.
    pub problem: &'a Problem,
    /// The matched shapes, if there are more than the problem's.
    pub range: Option<&'a Range>,
    /// One of IREE's pipelines, with its configuration.
    pub pipeline: &'a Pipeline,
    /// The origin of the configuration: device, clock, time. The spec prints it as a comment.
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

/// A problem with split rows.
#[derive(Debug)]
struct Split<'a> {
    problem: &'a Problem,
    pieces: SplitReduction,
    /// The printed comment.
    provenance: &'a str,
}

/// A matcher of one operation, with the pipeline that it selects.
#[derive(Debug)]
struct SpecMatch<'a> {
    problem: Cow<'a, Problem>,
    range: Option<&'a Range>,
    pipeline: Cow<'a, Pipeline>,
    /// The printed comment.
    provenance: Cow<'a, str>,
    form: SpecForm,
}

/// A reason why entries make no spec.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The list of entries is empty.
    #[error("no configuration to export")]
    Empty,
    /// The problem is an operation that specs do not match.
    #[error(
        "{problem}: a spec matches only arg_compare, plain reductions, softmax and rms_norm along a dimension"
    )]
    Operation {
        /// The problem.
        problem: String,
    },
    /// The `arg_compare` reduces several dimensions; IREE's operation reduces exactly one.
    #[error("{problem}: IREE's arg_compare reduces one dimension, this problem {count}")]
    SeveralReductions {
        /// The problem.
        problem: String,
        /// The number of its reduced dimensions.
        count: usize,
    },
    /// The entry has IREE's fallback for a plain reduction, with attributes that wavetune does
    /// not know.
    #[error("{problem}: a spec needs a configuration of the lanes, and IREE's fallback has none")]
    Fallback {
        /// The problem.
        problem: String,
    },
    /// Two entries match the same operation, so the second would never be used.
    #[error("{problem}: two configurations for one operation")]
    Repeated {
        /// The problem.
        problem: String,
    },
}

impl<'a> Spec<'a> {
    /// Creates the spec of these entries for `target`, made with `compiler` (name and version).
    ///
    /// It keeps their order, except that ranges and then open sizes come last.
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
        // The name alone would refuse a problem that is tuned both with and without a split.
        let mut known = HashSet::new();
        let (mut matched, mut splits) = (Vec::new(), Vec::new());
        for entry in entries {
            let (problem, pieces) = (entry.problem, entry.pieces());
            let is_fallback = matches!(entry.pipeline, Pipeline::TileAndFuse(_));
            // IREE adds more attributes to a plain reduction's fallback than `Pipeline` prints.
            if is_fallback && problem.index_of_own().is_none() {
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
                // The pieces of several problems may be the same, or have an entry of their own,
                // which takes precedence.
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
        // The sort is stable, so entries of one kind keep their order.
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

    /// Returns the file that makes IREE split rows, or none if no configuration does.
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

/// Returns the name of the matcher of a problem's operation, or of a range of it.
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

/// Returns the text of the matched shapes, for people.
fn text(problem: &Problem, range: Option<&Range>) -> String {
    range.map_or_else(|| problem.to_string(), Range::to_string)
}

/// Returns the name of the matcher of an `arg_compare`.
fn symbol(problem: &Problem, range: Option<&Range>, operation: &ArgCompareOperation<'_>) -> String {
    match range {
        Some(range) => range_matcher::RangeMatcherName(range, operation.arg_compare).to_string(),
        None => MatcherName(problem, operation.arg_compare).to_string(),
    }
}

impl SpecMatch<'_> {
    /// Returns the sequence that applies the configuration: its name, and its text if it is a
    /// special one.
    fn apply(&self) -> (&'static str, Option<&'static str>) {
        match RowKernel::of(&self.problem) {
            None => ("@apply", None),
            Some(RowKernel::Softmax(_)) => ("@apply_softmax", Some(softmax::APPLY)),
            Some(RowKernel::RmsNorm(_)) => ("@apply_rms_norm", Some(rms_norm::APPLY)),
        }
    }

    /// Returns the name of its matcher.
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
            // The splits file is optional for the user, so the header of the spec must mention
            // it.
            writeln!(
                f,
                "// Rows of {} of its problems are split by the file that goes with it, where iree-compile is given that, too:\n\
                 // {}=FILE. Without it they are whole.",
                self.splits.len(),
                splits::OPTION
            )?;
        }
        f.write_str(HEAD)?;
        // Each special sequence must be in the file once, before the entry point that names it.
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

/// The option of iree-compile that keeps f64. Without it, the input becomes f32 and no f64 entry
/// matches.
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

/// Writes the named sequence of one entry.
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
    // Either type may be f64: a sum of f32 elements may accumulate in f64.
    let types = [Some(problem.element), problem.reduction.accumulator()];
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
