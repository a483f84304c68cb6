//! `wavetune export iree-spec`: writes the known configurations as a tuning spec for
//! iree-compile.

use std::path::{Path, PathBuf};

use ::lookup::export::{ExportError, ExportedSpec, Ranges, SpecSelection, iree_spec, ranges};
use anyhow::{Context, anyhow, bail};
use clap::Args;
use codegen::iree::{IreeCompiler, SpecPaths};
use configgen::Target;
use configgen::spec::F64_OPTION;

use crate::comparator::ComparatorArguments;
use crate::database::{Database, block_on};
use crate::judgement::{ModelJudge, SPLITTING, TUNING, specs_text};
use crate::model::{self, ModelArguments};
use crate::output::{print, tell_unreadable};
use crate::sandbox::SandboxArgument;
use crate::ties::TiesArgument;
use crate::value_parsers::targets;
use crate::{Exit, input_parser};

use super::range_samples::try_samples;

/// Write a tuning spec for iree-compile (--iree-codegen-tuning-spec-path).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ExportIreeSpecArguments {
    /// Problems to export, or models in MLIR [default: all that were tuned with --generator
    /// iree].
    problems: Vec<String>,
    #[command(flatten)]
    comparator: ComparatorArguments,
    /// The ISA; a spec is for one.
    #[arg(long, value_parser = targets())]
    target: &'static Target,
    /// Only tunings on this device.
    #[arg(long)]
    device: Option<String>,
    /// Only configurations of this version of iree-compile; a spec is for one [default: the
    /// installed iree-compile, or else that of our rules; those of another are left out].
    #[arg(long)]
    compiler_version: Option<String>,
    #[command(flatten)]
    ties: TiesArgument,
    /// Also entries for shapes between tuned ones, if a configuration is correct on samples of
    /// them, which are tried now.
    #[arg(long)]
    ranges: bool,
    #[command(flatten)]
    of_model: ModelArguments,
    #[command(flatten)]
    sandbox: SandboxArgument,
    #[command(flatten)]
    database: Database,
    /// File to write [default: standard output].
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// Another file to write, if rows are best split: it makes iree-compile split them
    /// (--iree-preprocessing-transform-spec-filename).
    #[arg(long, value_name = "FILE")]
    splits: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Of a model, what was not tuned gets a configuration that compiles where IREE's own choice would not, or one that was tuned for
about its sizes; a comment says so.
An entry of a row count that is known at launch only, as in argmax:?x[4096]xf32, matches an operation with any count; those of
known sizes are tried before it.
Where rows are best split, the spec has what becomes of the pieces, and what is best where they are not: to split them takes
the file of --splits beside it.
With --ranges, the best configurations of two tuned problems that differ in their sizes alone are tried on shapes between
them, by iree-compile and on the emulated device; an entry's comment says its bounds, and what it was right on. Entries of
one shape are before it, those of a row count that is known at launch only behind it.
Of a model of several dispatches iree-compile 3.13.0 now and then waits for itself for ever when it reads a spec; it does not with
'--iree-preprocessing-pass-pipeline=builtin.module(iree-codegen-materialize-tuning-specs{tuning-spec-path=\"spec.mlir\"})',
which `wavetune iree-compile` adds.
Exit codes: 0 written, 1 nothing to write, 2 error.

Examples:
  wavetune tune 'argmax:4x[4096]xf32' --generator iree --budget 32
  wavetune export iree-spec --target gfx942 --output spec.mlir
  iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942 \\
    --iree-codegen-tuning-spec-path=spec.mlir in.mlir -o out.vmfb
  wavetune export iree-spec model.mlir --target gfx942 --output spec.mlir
  wavetune export iree-spec --target gfx942 --ranges --output spec.mlir";

pub(super) fn run(arguments: &ExportIreeSpecArguments) -> anyhow::Result<Exit> {
    let target = arguments.target;
    if arguments.output.is_some() && arguments.output == arguments.splits {
        bail!("--output and --splits are one file; give two");
    }
    let (models, problems) = model::split(&arguments.problems);
    let mut problems = input_parser::problems(&problems, None, &arguments.comparator)?;
    let mut stand_ins = Vec::new();
    for path in &models {
        let seen = model::read(
            path,
            target,
            &[],
            arguments.sandbox.sandbox()?,
            &arguments.of_model,
        )?;
        stand_ins.extend(model::reached_by_specs(&seen, target).cloned());
    }
    if !models.is_empty() && stand_ins.is_empty() {
        eprintln!("no arg_compare that a spec reaches is in the model");
        return Ok(Exit::NotFound);
    }
    problems.extend_from_slice(&stand_ins);
    // Without an installed iree-compile the spec is for the version of the rules.
    let found = IreeCompiler::find().ok();
    let wanted = SpecSelection {
        target,
        problems: &problems,
        device: arguments.device.as_deref(),
        compiler_version: arguments.compiler_version.as_deref(),
        taking: found.as_ref().map(IreeCompiler::version),
        ties: arguments.ties.index,
        stand_ins: &stand_ins,
        ranges: None,
    };
    let (ranges, tried) = match arguments.ranges {
        true => ranges_of(arguments, &wanted)?,
        false => (None, 0),
    };
    let wanted = SpecSelection {
        ranges: ranges.as_ref(),
        ..wanted
    };
    let export = block_on(async {
        let store = arguments.database.open_existing().await?;
        let export = iree_spec(&*store, &wanted).await;
        store.close().await;
        export.map_err(advised)
    })?;
    tell_unreadable(&export.unreadable);
    if export.left_out > 0 {
        eprintln!(
            "left out: {}, which iree-compile does as well by itself",
            export.left_out
        );
    }
    if export.unasked > 0 {
        eprintln!("not tuned, and left to iree-compile: {}", export.unasked);
    }
    if export.unmatched > 0 {
        eprintln!(
            "left out: {} whose comparators have constants, which iree-compile takes out of them before it asks a spec",
            export.unmatched
        );
    }
    if export.other_ranges > 0 {
        eprintln!(
            "left out: {} whose counts reach less far than those of a problem that is the same operation",
            export.other_ranges
        );
    }
    let spec = match export.spec {
        Ok(spec) => spec,
        Err(reason) => {
            eprintln!("{reason}");
            return Ok(Exit::NotFound);
        }
    };
    let mut spec = spec;
    if !models.is_empty() && !judged(arguments, &models, &mut spec)? {
        return Ok(Exit::NotFound);
    }
    match &arguments.output {
        None => print(&spec.text)?,
        Some(path) => {
            write(path, spec.text)?;
            eprintln!(
                "{} configurations for {target} in {}",
                spec.entries,
                path.display()
            );
        }
    }
    match (spec.splits, &arguments.splits) {
        (Some(text), Some(path)) => {
            write(path, text)?;
            eprintln!("how rows are split in {}", path.display());
        }
        (Some(_), None) => {
            eprintln!("rows are best split of some, which takes the file of --splits")
        }
        (None, Some(path)) => {
            eprintln!("no rows are best split: {} is not written", path.display());
        }
        (None, None) => {}
    }
    if arguments.ranges {
        eprintln!("{} ranges of {tried} samples", spec.ranges);
    }
    match spec.stand_ins {
        0 => {}
        count => eprintln!("{count} of them not tuned"),
    }
    // iree-compile demotes f64 to f32 by default, before it asks the spec.
    match spec.of_f64 {
        0 => {}
        count => eprintln!("{count} of f64, which matches with {F64_OPTION} only"),
    }
    Ok(Exit::Found)
}

/// Leaves out specs that make no model faster. Returns false if that is the whole spec. If the models
/// cannot be compared, it says so and leaves out nothing.
fn judged(
    arguments: &ExportIreeSpecArguments,
    models: &[PathBuf],
    spec: &mut ExportedSpec,
) -> anyhow::Result<bool> {
    let judge = ModelJudge {
        device: arguments.device.as_deref(),
        target: arguments.target,
        models,
        of_model: &arguments.of_model,
        sandbox: &arguments.sandbox,
    };
    let folder = tempfile::Builder::new()
        .prefix("wavetune-spec-")
        .tempdir()?;
    let [tuning, splits] = ["tuning.mlir", "splits.mlir"].map(|name| folder.path().join(name));
    std::fs::write(&tuning, &spec.text)?;
    if let Some(text) = &spec.splits {
        std::fs::write(&splits, text)?;
    }
    let given = SpecPaths {
        tuning: Some(&tuning),
        replacements: spec.splits.as_ref().map(|_| &*splits),
    };
    match judge.judge_specs(given)? {
        Err(reason) => {
            eprintln!("not compared with the model as iree-compile compiles it alone: {reason}");
            Ok(true)
        }
        Ok(verdict) => {
            eprintln!("{}", specs_text(&verdict));
            if !verdict.kept.contains(&SPLITTING) {
                spec.splits = None;
            }
            Ok(verdict.kept.contains(&TUNING))
        }
    }
}

/// Returns the ranges of the selection, and the number of samples tried for them.
fn ranges_of(
    arguments: &ExportIreeSpecArguments,
    wanted: &SpecSelection<'_>,
) -> anyhow::Result<(Option<Ranges>, usize)> {
    let mut ranges = block_on(async {
        let store = arguments.database.open_existing().await?;
        let ranges = ranges(&*store, wanted).await;
        store.close().await;
        ranges.map_err(advised)
    })?;
    let sandbox = arguments.sandbox.sandbox()?;
    let tried = try_samples(&mut ranges, wanted.compiler_version, sandbox)?;
    Ok((Some(ranges), tried))
}

/// Adds the option that resolves an error about compiler versions.
fn advised(error: ExportError) -> anyhow::Error {
    match error {
        ExportError::Compilers(versions) => anyhow!(
            "configurations of several compilers are known; choose with --compiler-version: \"{}\"",
            versions.join("\", \"")
        ),
        ExportError::AnotherCompiler { ref known, .. } => {
            anyhow!("{error}; --compiler-version {known} exports it all the same")
        }
        error => error.into(),
    }
}

fn write(path: &Path, text: String) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
