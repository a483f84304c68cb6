//! `wavetune export kernels`: code objects of native kernels, HIP C++ of the same, and a manifest that says how to
//! launch them.
//!
//! For programs that launch kernels themselves. The manifest is written last: a directory that has it is complete.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use ::lookup::{Found, Request};
use ::lookup::{Ranking, all_rankings};
use answers::kernels::{Chosen, MadeBy};
use anyhow::{Context, bail};
use clap::Args;
use codegen::cache::Cache;
use codegen::native::{Native, Stage, explain, generator_version};
use configgen::{Configuration, Generator, Problem, Rejection, Target};
use store::{Catalogue, Ties};

use super::manifest::{kernel, manifest, source_name, tuned};
use crate::Exit;
use crate::comparator::ComparatorFile;
use crate::database::{Database, block_on};
use crate::inputs;
use crate::names::targets;
use crate::output::tell_unreadable;

/// The manifest's name in the directory.
const MANIFEST: &str = "manifest.json";

/// Write native kernels as code objects, with a manifest that says how to launch them.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Problems, such as 'argmax:4x[32000]xf32' [default: all that were tuned for the target].
    problems: Vec<String>,
    #[command(flatten)]
    comparator: ComparatorFile,
    /// The ISA [default: the device's].
    #[arg(long, required_unless_present = "device", value_parser = targets())]
    target: Option<&'static Target>,
    /// Of what was tuned, only what was tuned on this device.
    #[arg(long)]
    device: Option<String>,
    /// The configuration as JSON, of one problem [default: the best known, or the untuned one].
    #[arg(long, value_name = "JSON")]
    configuration: Option<String>,
    #[command(flatten)]
    database: Database,
    /// Directory to write into; made if it is not there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

const EXAMPLES: &str = "\
DIR gets a code object for each problem, and manifest.json: symbol, grid, block, arguments in their order with type,
offset and size, and where kernel and configuration are from. Exit codes: 0 written, 1 no such kernel is legal, 2 error.

Examples:
  wavetune export kernels 'argmax:4x[32000]xf32' --target gfx942 --out kernels
  wavetune export kernels --target gfx942 --out kernels
  wavetune export kernels 'argmax:8x[4096]xbf16' 'argmin:[50257]xf16' --device emulated:mi300x --out kernels
  wavetune emulate kernels/*.hsaco --grid 4 --block 64 --arg buf:512000:random --arg buf:16 --arg buf:16 --dump 1:f32";

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let target = target(arguments)?;
    let mut problems = inputs::problems(&arguments.problems, None, &arguments.comparator)?;
    if arguments.configuration.is_some() && problems.len() != 1 {
        bail!(
            "--configuration is of one problem, not of {}",
            problems.len()
        );
    }
    let is_all = problems.is_empty();
    if is_all {
        problems = all_known(arguments, target)?;
    }
    let mut seen = HashSet::new();
    problems.retain(|problem| seen.insert(problem.clone()));
    let mut chosen = Vec::new();
    for problem in &problems {
        let choice = match choose(arguments, problem, target)? {
            Some(choice) => choice,
            None => match configgen::native_default(problem, target) {
                Ok(configuration) => Choice {
                    configuration,
                    chosen: Chosen::Default,
                },
                Err(rejection) => return refused(problem, &rejection),
            },
        };
        let configuration = &choice.configuration;
        match configgen::check(problem, target, Generator::NATIVE, configuration) {
            Ok(()) => chosen.push((problem, choice)),
            // What was legal when it was tuned.
            Err(rejection) if is_all => eprintln!("left out: {problem}: {rejection}"),
            Err(rejection) => return refused(problem, &rejection),
        }
    }
    if chosen.is_empty() {
        eprintln!("nothing to export for {target}; `wavetune tune PROBLEM` finds configurations");
        return Ok(Exit::NotFound);
    }
    write(&arguments.out, target, &chosen)?;
    let (count, out) = (chosen.len(), arguments.out.display());
    eprintln!("{count} kernels for {target} in {out}");
    Ok(Exit::Found)
}

fn refused(problem: &Problem, rejection: &Rejection) -> anyhow::Result<Exit> {
    eprintln!("{problem}: {rejection}");
    Ok(Exit::NotFound)
}

fn target(arguments: &Arguments) -> anyhow::Result<&'static Target> {
    let of_device = match &arguments.device {
        Some(name) => Some(bench_harness::emulated_device(name)?.target()),
        None => None,
    };
    match (arguments.target, of_device) {
        (Some(named), Some(of_device)) if named != of_device => {
            bail!("the device is a {of_device}, not a {named}")
        }
        (Some(target), _) | (None, Some(target)) => Ok(target),
        (None, None) => bail!("no target; name one with --target"),
    }
}

/// The problems for which native kernels were tuned for the target, on the device if one is named.
fn all_known(arguments: &Arguments, target: &'static Target) -> anyhow::Result<Vec<Problem>> {
    let known = block_on(async {
        let store = arguments.database.open_existing().await?;
        let known = all_rankings(&*store, Ties::default(), 1).await?;
        store.close().await;
        Ok(known)
    })?;
    tell_unreadable(&known.unreadable);
    let device = arguments.device.as_ref();
    let is_asked = |ranking: &Ranking| {
        (ranking.provenance.target, ranking.provenance.generator) == (target, Generator::NATIVE)
            && device.is_none_or(|device| *device == ranking.provenance.device)
    };
    let asked = known.rows.into_iter().filter(is_asked);
    Ok(asked.map(|ranking| ranking.problem).collect())
}

/// A configuration, and why it is this one.
struct Choice {
    configuration: Configuration,
    chosen: Chosen,
}

/// The configuration of the command line, or the best known one; none if the default has to do.
fn choose(
    arguments: &Arguments,
    problem: &Problem,
    target: &'static Target,
) -> anyhow::Result<Option<Choice>> {
    if let Some(json) = &arguments.configuration {
        return Ok(Some(Choice {
            configuration: inputs::configuration(json)?,
            chosen: Chosen::Given,
        }));
    }
    let found = best_known(arguments, problem, target)?;
    Ok(found.map(|found| Choice {
        chosen: tuned(&found),
        configuration: found.configuration,
    }))
}

/// What the database knows, if there is one. A miss is noted in it, so that it can be tuned.
fn best_known(
    arguments: &Arguments,
    problem: &Problem,
    target: &'static Target,
) -> anyhow::Result<Option<Found>> {
    let request = Request {
        device: arguments.device.clone(),
        generator: Some(Generator::NATIVE),
        ..Request::new(problem.clone(), target)
    };
    block_on(async {
        let Some(store) = arguments.database.open_if_there().await? else {
            return Ok(None);
        };
        let answer = ask(&*store, &request).await;
        store.close().await;
        answer
    })
}

async fn ask(store: &dyn Catalogue, request: &Request) -> anyhow::Result<Option<Found>> {
    let answer = ::lookup::answer(store, request).await?;
    tell_unreadable(answer.unreadable());
    Ok(answer.found().cloned())
}

/// Compiles the kernels, each into a file of its own, and writes all of it.
fn write(directory: &Path, target: &Target, chosen: &[(&Problem, Choice)]) -> anyhow::Result<()> {
    let native = Native::load(Cache::of_user())?;
    let mut manifest = manifest(target);
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory {}", directory.display()))?;
    for (problem, choice) in chosen {
        let pair = ((*problem).clone(), choice.configuration.clone());
        for compiled in native.compile_batch(target, &[pair]) {
            let compiled = compiled?;
            let file = format!("{}.hsaco", compiled.symbol);
            put(directory, &file, &compiled.code_object)?;
            let source = explain(problem, target, &choice.configuration, Stage::Hip)?;
            put(directory, &source_name(&compiled), source.as_bytes())?;
            let made_by = MadeBy {
                generator: Generator::NATIVE,
                generator_version: generator_version(),
                compiler: compiled.compiler.name.clone().into_owned(),
                compiler_version: compiled.compiler.version.clone(),
            };
            let (configuration, chosen) = (&choice.configuration, &choice.chosen);
            let kernel = kernel(problem, &compiled, file, configuration, chosen, made_by)?;
            manifest.kernels.push(kernel);
        }
    }
    let text = answers::pretty(&manifest) + "\n";
    put(directory, MANIFEST, text.as_bytes())
}

fn put(directory: &Path, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
    let path = directory.join(name);
    fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
