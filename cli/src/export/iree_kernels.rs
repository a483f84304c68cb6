//! `wavetune export iree-kernels`: native kernels that an unmodified iree-compile puts in place
//! of operations.
//!
//! The spec is written last: a directory that has it is complete.

use std::path::PathBuf;

use answers::iree_kernels::{IreeKernelExport, ModelJudgement, ReplacementKernel};
use answers::kernels::ConfigurationChoice;
use clap::Args;
use configgen::Problem;
use iree::IreeCompiler;
use iree::spec::preload_spec;
use iree_export::tuning_spec::ExportError;
use iree_export::{IreeExport, ModuleProblem};
use kernel_export::{ExportFile, ExportRequest, Selection};
use model_profile::{ReplacedOperations, add_variant, replaced_operations};

use super::kernels::{earlier, make, put, remove_stale};
use super::placement::remove_unplaced;
use super::selection::SelectionArguments;
use crate::Exit;
use crate::database::{Database, block_on};
use crate::judgement::{self, ModelJudge};
use crate::model::{CompilerOptions, ModelArguments, ModelFile};
use crate::output::{OutputFormat, print, print_json, quoted};
use crate::sandbox::{self, SandboxArgument};
use crate::verbosity::note;

/// Write kernels that iree-compile puts into models.
///
/// The kernels replace argmax, argmin, reductions, softmax and norms.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct ExportIreeKernelsArguments {
    #[command(flatten)]
    which: SelectionArguments,
    #[command(flatten)]
    of_model: ModelArguments,
    #[command(flatten)]
    compiler: CompilerOptions,
    #[command(flatten)]
    sandbox: SandboxArgument,
    /// Write kernels that make no model faster, too.
    #[arg(long)]
    unjudged: bool,
    /// Output directory; created if missing.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Skip an arg_compare if IREE's kernel is better.
    ///
    /// A correct kernel is better than one with another tie-break. Otherwise the faster kernel is
    /// better. The command also writes tuning-spec.mlir, the tuning spec of IREE's kernels.
    #[arg(long, conflicts_with = "configuration")]
    best: bool,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = OutputFormat::Text)]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
The command writes to DIR a code object for each problem, manifest.json, and spec.mlir for \
iree-compile 3.13.0. Each kernel has the best known configuration, or else the untuned one.

A kernel replaces only an operation with the same shape, types, dimension, comparator, ties, NaN, \
index mode and initial pair. f64 matches only with --iree-input-demote-f64-to-f32=false.

Operations of frontends:

  argmax      torch's max.dim and argmax, ONNX's ArgMax
  argmax_nan  tosa.argmax, a reduction of StableHLO (JAX)

torch's max.dim has i64 indices. tosa.argmax starts from the least finite number: \
argmax_nan:4x[4096]xf32:i32:initial.

A kernel replaces the usual forms of reductions and softmax. For norms and for other forms, pass \
the model, in MLIR or ONNX. The command then exports the forms in the model. If one kernel or \
several can compute a group of operations, it exports one kernel, unless several were tuned and \
are faster.

The command then profiles the model with and without the kernels, on an emulated device of the \
target. It writes only kernels that make the model faster, and explains each other verdict. An \
export without a model, or with --unjudged, is compared with nothing: a model may be slower with \
its kernels.

Exit codes: 0 written, 1 no kernel that makes the model faster, 2 error.

Examples:
  wavetune export iree-kernels 'argmax:4x[4096]xf32' --target gfx942 \\
    --out kernels
  wavetune export iree-kernels 'sum:64x[4096]xf32' 'softmax:64x[4096]xf32' \\
    --target gfx942 --out kernels
  wavetune export iree-kernels --target gfx942 --out kernels --best
  wavetune export iree-kernels model.mlir --target gfx942 --out kernels
  iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942 \\
    --iree-preprocessing-transform-spec-filename=kernels/spec.mlir \\
    --iree-hal-executable-object-search-path=kernels in.mlir -o out.vmfb";

const TUNING_SPEC: &str = "tuning-spec.mlir";

pub(super) fn run(arguments: &ExportIreeKernelsArguments) -> anyhow::Result<Exit> {
    let wanted = arguments.which.wanted(arguments.best)?;
    let (models, mut problems) = arguments.which.models_and_problems()?;
    let mut all_seen: Vec<ModuleProblem> = Vec::new();
    let mut alternatives: Vec<ModuleProblem> = Vec::new();
    let mut files = Vec::new();
    for path in &models {
        let file = ModelFile::open(path, arguments.sandbox.sandbox()?)?;
        let options = &arguments.compiler.options;
        let seen = file.problems(wanted.target, options, &arguments.of_model)?;
        files.push(file);
        let replaced = replaced(arguments, &wanted, &seen)?;
        let before = problems.len();
        problems.extend(replaced_problems(&replaced.chosen));
        all_seen.extend(replaced.chosen);
        alternatives.extend(replaced.alternatives);
        if problems.len() == before {
            let path = path.display();
            eprintln!("{path} has no operation that a kernel can replace");
        }
    }
    if !models.is_empty() && problems.is_empty() {
        return Ok(Exit::NotFound);
    }
    let tuning = match arguments.best {
        true => tuning_spec(arguments.which.database(), &wanted, &problems)?,
        false => None,
    };
    let is_judged = !models.is_empty() && !arguments.unjudged;
    if is_judged && !arguments.which.has_configuration() {
        problems.extend(replaced_problems(&alternatives));
        all_seen.extend(alternatives);
    }
    let Selection {
        choices, refused, ..
    } = arguments.which.select(problems, &wanted)?;
    let toolchain = sandbox::toolchain(arguments.sandbox.sandbox()?)?;
    let mut export = IreeExport::new(&toolchain, wanted.target)?;
    export.note(&all_seen);
    for refused in &refused {
        export.leave_out(refused);
    }
    let count = choices.len();
    let mut objects = Vec::new();
    for (done, choice) in choices.iter().enumerate() {
        note!("{} of {count}: {choice}", done + 1);
        objects.extend(export.add(choice)?);
        if is_judged {
            add_variant(&mut export, &mut objects, choice, wanted.target)?;
        }
    }
    let mut tuning = tuning;
    let judgement = judged(
        arguments,
        &wanted,
        &files,
        &mut export,
        &objects,
        &mut tuning,
    )?;
    if judgement.is_none() && !files.is_empty() {
        let options = &arguments.compiler.options;
        remove_unplaced(&mut export, &files, wanted.target, options)?;
    }
    let kept: Vec<String> = export.kernels().iter().map(|it| it.file.clone()).collect();
    let (files, mut exported) = export.end(tuning.as_ref().map(|_| TUNING_SPEC));
    let judged = judgement.iter().flat_map(|it| &it.kernels);
    let judged: Vec<_> = judged.filter_map(|it| it.problem.as_ref()).collect();
    let left_out = exported.left_out.iter();
    for left_out in left_out.filter(|it| !judged.contains(&&it.problem)) {
        eprintln!("skipped: {}: {}", left_out.problem, left_out.reason);
    }
    if let Some(judgement) = &judgement {
        eprint!("{}", judgement::text(judgement));
    }
    exported.judgement = judgement;
    if exported.kernels.is_empty() && tuning.is_none() {
        if arguments.output_format == OutputFormat::Json && exported.judgement.is_some() {
            print_json(&exported)?;
        }
        match exported.judgement {
            // Everything that there is was judged.
            Some(_) => eprintln!("no kernel makes the model faster; nothing is written"),
            None if count > 0 => eprintln!("no kernel is left; nothing is written"),
            None => eprintln!("{}", wanted.no_kernel_message()),
        }
        return Ok(Exit::NotFound);
    }
    // After the selection, so that a refused command leaves no directory.
    make(&arguments.out)?;
    // Read before the new manifest replaces the old one.
    let earlier = earlier(&arguments.out);
    for file in objects.iter().filter(|file| is_of(&kept, file)) {
        put(&arguments.out, file)?;
    }
    let tuning = tuning.map(|text| ExportFile {
        name: TUNING_SPEC.to_owned(),
        content: text.into_bytes(),
    });
    // `spec.mlir` is the last of `files`: a directory that has it is complete.
    for file in tuning.into_iter().chain(files) {
        put(&arguments.out, &file)?;
    }
    remove_stale(&arguments.out, &earlier);
    tell(arguments, &exported)?;
    Ok(Exit::Found)
}

/// Removes the kernels that make no model faster. If nobody can judge them, the terminal and the
/// manifest say so.
fn judged(
    arguments: &ExportIreeKernelsArguments,
    wanted: &ExportRequest<'_>,
    models: &[ModelFile],
    export: &mut IreeExport<'_>,
    objects: &[ExportFile],
    tuning: &mut Option<String>,
) -> anyhow::Result<Option<ModelJudgement>> {
    if export.kernels().is_empty() && tuning.is_none() {
        return Ok(None);
    }
    let judge = ModelJudge {
        device: arguments.which.device(),
        target: wanted.target,
        models,
        of_model: &arguments.of_model,
        options: &arguments.compiler.options,
        sandbox: &arguments.sandbox,
    };
    let judged = match (models, arguments.unjudged) {
        ([], _) => Err("none was named".to_owned()),
        (_, true) => Err("--unjudged".to_owned()),
        _ => judge.judge(export, objects, tuning)?,
    };
    let reason = match judged {
        Ok(judgement) => return Ok(Some(judgement)),
        Err(reason) => reason,
    };
    if export.kernels().is_empty() && tuning.is_none() {
        eprintln!("{reason}");
        return Ok(None);
    }
    let notice = format!(
        "not compared with any model ({reason}): a model can be slower with these kernels; \
         `wavetune export iree-kernels MODEL --target gfx942 --out DIR` keeps those that make it faster"
    );
    eprintln!("{notice}");
    export.notice(notice);
    Ok(None)
}

/// Returns true if a file is a code object in this list, or the source of one.
fn is_of(objects: &[String], file: &ExportFile) -> bool {
    let (name, _) = file.name.rsplit_once('.').unwrap_or((&file.name, ""));
    let of = |object: &String| object.strip_suffix(".hsaco") == Some(name);
    objects.iter().any(of)
}

/// Returns the operations of a model as one kernel and as several.
fn replaced(
    arguments: &ExportIreeKernelsArguments,
    wanted: &ExportRequest<'_>,
    seen: &[ModuleProblem],
) -> anyhow::Result<ReplacedOperations> {
    block_on(async {
        let store = arguments.which.database().open_if_there().await?;
        let catalogue = store.as_deref().map(|store| store as _);
        let kernels = replaced_operations(catalogue, wanted, seen).await;
        if let Some(store) = store {
            store.close().await;
        }
        Ok(kernels?)
    })
}

/// Returns the problems of operations that a kernel can replace.
fn replaced_problems(seen: &[ModuleProblem]) -> impl Iterator<Item = Problem> {
    let problems = seen.iter().filter_map(ModuleProblem::replaced_problem);
    problems.cloned()
}

/// Returns the tuning spec of IREE's own kernels, of the named problems or of all. It omits
/// operations that a native kernel replaces, since the tuning spec could not match them.
fn tuning_spec(
    database: &Database,
    wanted: &ExportRequest<'_>,
    problems: &[Problem],
) -> anyhow::Result<Option<String>> {
    block_on(async {
        let Some(store) = database.open_if_there().await? else {
            return Ok(None);
        };
        let found = IreeCompiler::find().ok();
        let taking = found.as_ref().map(IreeCompiler::version);
        let export = model_profile::tuning_spec(&*store, wanted, problems, taking).await;
        store.close().await;
        match export {
            // The native kernels are of use without the tuning spec.
            Err(error @ ExportError::AnotherCompiler { .. }) => {
                eprintln!("no tuning spec: {error}");
                Ok(None)
            }
            export => Ok(export?),
        }
    })
}

fn tell(arguments: &ExportIreeKernelsArguments, exported: &IreeKernelExport) -> anyhow::Result<()> {
    if arguments.output_format == OutputFormat::Json {
        return print_json(exported);
    }
    let mut text = String::new();
    for kernel in &exported.kernels {
        text += &format!(
            "{}: {}, in place of {}{}\n",
            kernel.problem,
            chosen(kernel),
            kernel.forms.join(", "),
            match kernel.workspace_bytes {
                0 => String::new(),
                bytes => format!(", with a workspace of {bytes} bytes"),
            }
        );
    }
    print(&text)?;
    let (count, target) = (exported.kernels.len(), exported.target);
    let out = arguments.out.display().to_string();
    let option = |name: &str, value: String| format!(" --{name}={}", quoted(&value));
    let mut command = "iree-compile".to_owned();
    command += &option("iree-rocm-target", target.to_owned());
    let spec = format!("{out}/{}", exported.spec);
    command += &option("iree-preprocessing-transform-spec-filename", spec);
    command += &option("iree-hal-executable-object-search-path", out.clone());
    if let Some(name) = exported.tuning_spec {
        let file = format!("{out}/{name}");
        // Without it, iree-compile 3.13.0 sometimes deadlocks on a spec and a module of several
        // dispatches.
        if let Some(early) = preload_spec(&file) {
            command += &format!(" {}", quoted(&early));
        }
        command += &option("iree-codegen-tuning-spec-path", file);
    }
    note!("{count} kernels for {target} in {out}; use them with {command}");
    Ok(())
}

fn chosen(kernel: &ReplacementKernel) -> String {
    match &kernel.chosen {
        ConfigurationChoice::Tuned(known) => format!("{:.2} us ({})", known.time_us, known.clock),
        ConfigurationChoice::Default => "not tuned".to_owned(),
        ConfigurationChoice::Given => "with a given configuration".to_owned(),
    }
}
