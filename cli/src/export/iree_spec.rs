//! `wavetune export iree-spec`: writes the known configurations as a tuning spec for
//! iree-compile.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::Args;
use configgen::Target;
use iree::spec::F64_OPTION;
use iree::{IreeCompiler, SpecPaths};
use iree_export::tuning_spec::{
    ExportError, ExportedSpec, Ranges, SpecSelection, iree_spec, ranges,
};

use crate::comparator::ComparatorArguments;
use crate::database::{Database, block_on};
use crate::judgement::{ModelJudge, SPLITTING, TUNING, specs_text};
use crate::model::{self, CompilerOptions, ModelArguments, ModelFile};
use crate::output::{print, tell_unreadable};
use crate::sandbox::SandboxArgument;
use crate::ties::TiesArgument;
use crate::value_parsers::{devices, problem_texts, targets};
use crate::verbosity::note;
use crate::{Exit, input_parser};

use super::range_samples::try_samples;

/// Write a tuning spec for iree-compile.
///
/// Pass the spec to iree-compile with --iree-codegen-tuning-spec-path.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct ExportIreeSpecArguments {
    /// Problems or models [default: all tuned].
    ///
    /// The default is every problem that was tuned with --generator iree.
    #[arg(value_parser = problem_texts(), hide_possible_values = true)]
    problems: Vec<String>,
    #[command(flatten)]
    comparator: ComparatorArguments,
    /// ISA of the spec.
    ///
    /// Each spec is for one ISA.
    #[arg(long, value_parser = targets())]
    target: &'static Target,
    /// Only tunings on this device.
    #[arg(long, value_parser = devices(), hide_possible_values = true)]
    device: Option<String>,
    /// Only tunings with this iree-compile version.
    ///
    /// Each spec is for one version. The default is the installed version, or else the version of
    /// wavetune's legality rules. The command skips tunings with other versions.
    #[arg(long, value_name = "VERSION")]
    compiler_version: Option<String>,
    #[command(flatten)]
    ties: TiesArgument,
    /// Add entries for shapes between tuned ones.
    ///
    /// The command tries configurations on samples of these shapes. A configuration that is correct
    /// on all samples gets an entry.
    #[arg(long)]
    ranges: bool,
    #[command(flatten)]
    of_model: ModelArguments,
    #[command(flatten)]
    compiler: CompilerOptions,
    #[command(flatten)]
    sandbox: SandboxArgument,
    #[command(flatten)]
    database: Database,
    /// File to write [default: stdout].
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// File for a spec that splits rows.
    ///
    /// The command writes the file if split rows are faster. Pass it to iree-compile with
    /// --iree-preprocessing-transform-spec-filename.
    #[arg(long, value_name = "FILE")]
    splits: Option<PathBuf>,
}

const EXAMPLES: &str = "\
For a model, an untuned problem gets a configuration if IREE's own choice would not compile, or if \
a problem of similar size was tuned. A comment in the spec marks such an entry.

An entry with a dynamic row count, as in argmax:?x[4096]xf32, matches any count. Entries with \
static sizes precede it.

If split rows are fastest, the spec has configurations for the pieces and for unsplit rows. The \
file of --splits makes iree-compile split the rows.

With --ranges, the command tries the best configurations of two tuned problems on shapes between \
them. iree-compile builds the kernels, and the emulated device runs them. A comment lists the \
bounds and the samples of the entry. Entries for a single shape precede it.

iree-compile 3.13.0 may hang if it reads a spec for a model with several dispatches. `wavetune \
iree-compile` adds an option that avoids the hang:

  PASS='iree-codegen-materialize-tuning-specs{tuning-spec-path=\"spec.mlir\"}'
  iree-compile \"--iree-preprocessing-pass-pipeline=builtin.module($PASS)\" …

The command profiles a model with and without the spec, on an emulated device of the target. It \
writes nothing if the model is not faster with the spec.

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
        bail!("--output and --splits name the same file; name two files");
    }
    let (models, problems) = model::split(&arguments.problems);
    let mut problems = input_parser::problems(&problems, None, &arguments.comparator)?;
    let mut stand_ins = Vec::new();
    let mut files = Vec::new();
    for path in &models {
        let file = ModelFile::open(path, arguments.sandbox.sandbox()?)?;
        let options = &arguments.compiler.options;
        let seen = file.problems(target, options, &arguments.of_model)?;
        files.push(file);
        stand_ins.extend(model::reached_by_specs(&seen, target).cloned());
    }
    if !models.is_empty() && stand_ins.is_empty() {
        eprintln!("the model has no arg_compare that a spec can match");
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
            "skipped: {}, because iree-compile's own choice is as fast",
            export.left_out
        );
    }
    if export.unasked > 0 {
        note!("not tuned, so iree-compile chooses: {}", export.unasked);
    }
    if export.unmatched > 0 {
        eprintln!(
            "skipped: {}, because iree-compile moves constants out of their comparators before it matches a spec",
            export.unmatched
        );
    }
    if export.other_ranges > 0 {
        eprintln!(
            "skipped: {}, because a problem with the same operation covers more sizes",
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
    if !models.is_empty() && !judged(arguments, &files, &mut spec)? {
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
            note!("spec that splits rows in {}", path.display());
        }
        (Some(_), None) => {
            note!(
                "some problems are fastest with split rows; write the file for that with --splits"
            )
        }
        (None, Some(path)) => {
            note!(
                "no problem is fastest with split rows; {} is not written",
                path.display()
            );
        }
        (None, None) => {}
    }
    if arguments.ranges {
        note!("{} ranges from {tried} samples", spec.ranges);
    }
    match spec.stand_ins {
        0 => {}
        count => note!("{count} of them not tuned"),
    }
    // iree-compile demotes f64 to f32 by default, before it asks the spec.
    match spec.of_f64 {
        0 => {}
        count => note!("{count} of f64, which match only with {F64_OPTION}"),
    }
    Ok(Exit::Found)
}

/// Leaves out specs that make no model faster. Returns false if that is the whole spec. If it
/// cannot compare the models, it says so and leaves out nothing.
fn judged(
    arguments: &ExportIreeSpecArguments,
    models: &[ModelFile],
    spec: &mut ExportedSpec,
) -> anyhow::Result<bool> {
    let judge = ModelJudge {
        device: arguments.device.as_deref(),
        target: arguments.target,
        models,
        of_model: &arguments.of_model,
        options: &arguments.compiler.options,
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
            note!("{}", specs_text(&verdict));
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
            "the database has configurations of several compilers; choose one with --compiler-version: \"{}\"",
            versions.join("\", \"")
        ),
        ExportError::AnotherCompiler { ref known, .. } => {
            anyhow!("{error}; --compiler-version {known} exports them anyway")
        }
        error => error.into(),
    }
}

fn write(path: &Path, text: String) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
