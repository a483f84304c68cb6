//! `wavetune iree-compile`: runs an iree-compile command with a tuning spec of the known
//! configurations.

mod compiler_command;
mod gate;
mod iree_process;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ::lookup::{LookupAnswer, LookupRequest, best_unasked, look, note as note_wish};
use anyhow::{Context, bail};
use clap::Args;
use configgen::{Device, Generator, Problem, Target};
use iree::IreeCompiler;
use iree::spec::{PASS_PIPELINE, preload_spec};
use iree_export::tuning_spec::{ExportError, SpecSelection, iree_spec};
use store::Store;

use compiler_command::{CompilerInput, input, is_asking, options_of_reading, values};
use iree_process::IreeProcess;

use crate::Exit;
use crate::database::{Database, block_on};
use crate::model::{self, ModelArguments};
use crate::ties::TiesArgument;
use crate::verbosity::note;

/// Run iree-compile with the tuned configurations.
///
/// Passes a tuning spec, and stores untuned problems as wishes.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct IreeCompileArguments {
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    ties: TiesArgument,
    #[command(flatten)]
    of_model: ModelArguments,
    /// Arguments of iree-compile.
    ///
    /// The arguments must include --iree-rocm-target=TARGET.
    #[arg(last = true, required = true, value_name = "ARGS")]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
The spec has the configurations that were tuned with --generator iree for the target and this \
version of iree-compile. The command stores untuned problems of the module as wishes (see \
`wavetune wishes`). If IREE's own choice would not compile, such a problem gets a configuration \
that does. Operations that --iree-preprocessing-transform-spec-filename replaces count as tuned.

The command first profiles the module with and without the spec, on an emulated device of the \
target. iree-compile gets the spec only if the module is then faster.

Output and exit code are those of iree-compile; 2 also means that iree-compile did not run. If the \
input is -, the command first reads standard input to its end. After --, the options --help and \
--version belong to iree-compile.

Examples:
  wavetune iree-compile -- --iree-hal-target-device=hip \\
    --iree-rocm-target=gfx942 in.mlir -o out.vmfb";

/// The options that name the target.
const TARGET: [&str; 2] = ["iree-rocm-target", "iree-hip-target"];
/// The option of a tuning spec.
const SPEC: &str = "iree-codegen-tuning-spec-path";
/// The option of the file that makes iree-compile split rows.
const SPLITS: &str = "iree-preprocessing-transform-spec-filename";
/// The options that take files of ours, each for one target.
const FILES: [&str; 2] = [SPEC, SPLITS];

pub(crate) fn run(arguments: &IreeCompileArguments) -> anyhow::Result<Exit> {
    let command = &arguments.command;
    // Help and the version need no target.
    if is_asking(command) {
        return compile_without_spec(command);
    }
    let Some(target) = target(command)? else {
        note!("no tuned configuration for the target; iree-compile runs without a spec");
        return compile_without_spec(command);
    };
    for option in FILES {
        for file in values(command, option) {
            own_target(Path::new(&file), option, target)?;
        }
    }
    // iree-compile takes only one tuning spec.
    if let Some(file) = values(command, SPEC).first() {
        let file = file.display();
        bail!(
            "the command already has a tuning spec, {file}, and iree-compile accepts only one; omit --{SPEC}, or run iree-compile itself"
        );
    }
    let compiler = IreeCompiler::find()?;
    let (running, folder) = IreeProcess::prepare()?;
    let mut process = Command::new(compiler.path());
    let input = match input(command) {
        Ok(CompilerInput::File(file)) => Ok(file),
        Ok(CompilerInput::Standard) => Ok(spool_input(folder.path(), &mut process)?),
        // Not fatal: iree-compile itself will report a missing input.
        Err(error) => Err(error),
    };
    let input_file = input.as_ref().ok().cloned();
    let written = block_on(async {
        let Some(store) = arguments.database.open_if_there().await? else {
            let place = arguments.database.shown()?;
            note!("no database at {place}; iree-compile runs without a spec");
            return Ok(None);
        };
        let asked = input.and_then(|input| module_problems(arguments, &input, target));
        let asked = asked.unwrap_or_else(|error| {
            // The compiler itself will report the fault of the module.
            eprintln!("cannot list the problems of the module: {error:#}");
            Vec::new()
        });
        let version = compiler.version();
        let written = write_spec(arguments, &*store, target, version, &asked, folder.path()).await;
        let noted = note_wishes(arguments, &*store, target, &asked).await;
        store.close().await;
        // A wish that cannot be noted must not stop the compilation.
        if let Err(error) = noted {
            eprintln!("no wish is stored: {error:#}");
        }
        written
    })?;
    let written = match (written, &input_file) {
        (Some(written), Some(file)) => gate::judged(arguments, target, file, written),
        (written, _) => written,
    };
    // Before the command's own words, because all words behind its `--` are files.
    if let Some(written) = written {
        if let Some(spec) = &written.spec {
            process.arg(option(SPEC, spec));
            // Without it, iree-compile 3.13.0 sometimes deadlocks on a spec and a module of
            // several dispatches.
            let early = spec.to_str().and_then(preload_spec);
            process.args(early.filter(|_| values(command, PASS_PIPELINE).is_empty()));
        }
        match written.splits {
            Some(splits) if values(command, SPLITS).is_empty() => {
                process.arg(option(SPLITS, &splits));
            }
            Some(_) => {
                eprintln!(
                    "no rows are split: the command already has --{SPLITS}, and iree-compile accepts only one"
                )
            }
            None => {}
        }
    }
    let running = running.start(process.args(command))?;
    let code = running.end()?;
    // `process::exit` runs no destructors, so the folder of the spec is removed here.
    drop(folder);
    std::process::exit(code)
}

/// Runs the command unchanged.
fn compile_without_spec(command: &[OsString]) -> anyhow::Result<Exit> {
    let compiler = IreeCompiler::find()?;
    let mut process = Command::new(compiler.path());
    let running = IreeProcess::default().start(process.args(command))?;
    std::process::exit(running.end()?);
}

/// Copies standard input to a file, which is read here and again by the compiler.
fn spool_input(folder: &Path, process: &mut Command) -> anyhow::Result<PathBuf> {
    let path = folder.join("input.mlir");
    let cannot = || "cannot keep what is on standard input";
    let mut file = File::create(&path).with_context(cannot)?;
    io::copy(&mut io::stdin().lock(), &mut file).with_context(cannot)?;
    process.stdin(Stdio::from(File::open(&path).with_context(cannot)?));
    Ok(path)
}

/// Returns the target that the command names. Returns `None` if wavetune does not know it.
fn target(command: &[OsString]) -> anyhow::Result<Option<&'static Target>> {
    let named: Vec<OsString> = TARGET.iter().flat_map(|it| values(command, it)).collect();
    let Some(name) = named.last() else {
        bail!("no target; name one after --, as in --{}=gfx942", TARGET[0]);
    };
    if named.iter().any(|other| other != name) {
        bail!("the command names two targets");
    }
    let name = name.to_string_lossy();
    // Features, as in gfx942:sramecc+, do not change a configuration. iree-compile also knows
    // many devices by name.
    let isa = name.split(':').next().unwrap_or_default();
    let device = || Device::named(isa).map(Device::target);
    Ok(Target::named(isa).or_else(device))
}

/// Refuses a file that wavetune wrote for another target; iree-compile would accept it.
fn own_target(file: &Path, option: &str, target: &Target) -> anyhow::Result<()> {
    let mut first = String::new();
    let opened = std::fs::File::open(file);
    // iree-compile itself reports a missing file.
    // The first line names the target, within 200 bytes.
    if opened.is_ok_and(|file| file.take(200).read_to_string(&mut first).is_err()) {
        return Ok(());
    }
    let line = first.lines().next().unwrap_or_default();
    let of = line
        .strip_suffix('.')
        .and_then(|line| line.rsplit_once(" for "));
    match of {
        Some((before, of)) if before.contains(" by wavetune ") && of != target.name => bail!(
            "{} is for {of}, but the command compiles for {target}; omit --{option}",
            file.display()
        ),
        _ => Ok(()),
    }
}

/// Formats `--option=PATH` from a path that need not be UTF-8.
fn option(option: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(format!("--{option}="));
    argument.push(path);
    argument
}

/// The tuning spec and, if rows are split, the splits file.
struct SpecFiles {
    spec: Option<PathBuf>,
    splits: Option<PathBuf>,
}

/// Writes the spec files into a folder, if any configuration is known.
async fn write_spec(
    arguments: &IreeCompileArguments,
    store: &dyn Store,
    target: &'static Target,
    version: &str,
    asked: &[Problem],
    folder: &Path,
) -> anyhow::Result<Option<SpecFiles>> {
    let wanted = SpecSelection {
        target,
        problems: &[],
        device: None,
        compiler_version: Some(version),
        taking: Some(version),
        ties: arguments.ties.index,
        stand_ins: asked,
        ranges: None,
    };
    let export = match iree_spec(store, &wanted).await {
        Ok(export) => export,
        Err(
            // No failure: the module may compile without a spec.
            error @ (ExportError::Compilers(_)
            | ExportError::AnotherCompiler { .. }
            | ExportError::Spec(_)),
        ) => {
            eprintln!("no spec: {error}");
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    match export.spec {
        Ok(spec) => {
            let file = folder.join(format!("{target}.mlir"));
            std::fs::write(&file, spec.text)?;
            let splits = folder.join("splits.mlir");
            let splits = match spec.splits {
                Some(text) => std::fs::write(&splits, text).map(|()| Some(splits))?,
                None => None,
            };
            let not_tuned = match spec.stand_ins {
                0 => String::new(),
                count => format!(", {count} of them not tuned"),
            };
            note!("{} configurations for {target}{not_tuned}", spec.entries);
            let spec = Some(file);
            Ok(Some(SpecFiles { spec, splits }))
        }
        Err(reason) => {
            eprintln!("no spec for iree-compile {version}: {reason}");
            Ok(None)
        }
    }
}

/// Returns the problems of the module that a spec can serve.
fn module_problems(
    arguments: &IreeCompileArguments,
    input: &Path,
    target: &'static Target,
) -> anyhow::Result<Vec<Problem>> {
    let options = options_of_reading(&arguments.command);
    let seen = model::read(input, target, &options, None, &arguments.of_model)?;
    Ok(model::reached_by_specs(&seen, target).cloned().collect())
}

/// Notes a wish for each problem without an exact answer.
async fn note_wishes(
    arguments: &IreeCompileArguments,
    store: &dyn Store,
    target: &'static Target,
    asked: &[Problem],
) -> anyhow::Result<()> {
    let (mut answered, mut noted) = (0, 0);
    for problem in asked {
        let request = LookupRequest {
            generator: Some(Generator::IREE),
            ties: arguments.ties.index,
            ..LookupRequest::new(problem.clone(), target)
        };
        // A fallback is no exact answer: the wish is noted all the same.
        let mut answer = look(store, &request).await?;
        let is_known = matches!(answer, LookupAnswer::Exact(_))
            || best_unasked(store, &request).await?.is_some();
        match is_known {
            true => answered += 1,
            false => noted += usize::from(note_wish(store, &request, &mut answer).await),
        }
    }
    if !asked.is_empty() {
        let all = asked.len();
        note!("{answered} of {all} problems of the module are tuned; {noted} are new wishes");
    }
    Ok(())
}
