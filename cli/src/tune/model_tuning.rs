//! `wavetune tune model.mlir`: tunes a model's problems with each generator that can serve them.

use std::path::PathBuf;

use anyhow::bail;
use codegen_sandbox::Sandbox;
use configgen::{Generator, Problem, Target, check_problem};
use iree_export::ModuleProblem;
use kernel_export::ExportRequest;
use model_profile::ModelKernels;
use tuner::Pool;

use super::{TuneArguments, tune_all};
use crate::Exit;
use crate::database::block_on;
use crate::judgement::{self, ModelJudge};
use crate::model::ModelFile;
use crate::model_status::{model_status, text};
use crate::output::{OutputFormat, print};
use crate::sandbox;
use crate::verbosity::note;

/// The models of a command, each with its problems.
struct ReadModels {
    files: Vec<ModelFile>,
    problems: Vec<Vec<ModuleProblem>>,
}

impl ReadModels {
    fn read(
        arguments: &TuneArguments,
        models: &[PathBuf],
        target: &Target,
        sandbox: Option<&Sandbox>,
    ) -> anyhow::Result<ReadModels> {
        let open = |path: &PathBuf| ModelFile::open(path, sandbox.cloned());
        let files: Vec<ModelFile> = models.iter().map(open).collect::<anyhow::Result<_>>()?;
        let options = &arguments.compiler.options;
        let problems = |file: &ModelFile| file.problems(target, options, &arguments.of_model);
        let problems = files.iter().map(problems).collect::<anyhow::Result<_>>()?;
        Ok(ReadModels { files, problems })
    }
}

/// Tunes the problems of these models, one generator after the other, and prints their status.
pub(super) fn tune(arguments: &TuneArguments, models: &[PathBuf]) -> anyhow::Result<Exit> {
    if arguments.service.url.is_some() {
        bail!(
            "a service tunes problems, not models; `wavetune problems` lists the problems of a model"
        );
    }
    let mut read: Option<ReadModels> = None;
    // One generator's success is enough, since each supports only some of the problems.
    let mut exit = Exit::NotFound;
    for generator in arguments.builder.generators() {
        let sandbox = arguments.sandbox.sandbox()?;
        let rigs = arguments.device.rigs(sandbox.clone())?;
        let builder = arguments.builder.builder_of(generator, sandbox.clone())?;
        let pool = Pool::start(rigs, builder)?;
        let target = pool.identity().row.target();
        // The models are read once: iree-compile takes seconds for each, and the result is
        // independent of the generator.
        let models = match read.take() {
            Some(models) => models,
            None => ReadModels::read(arguments, models, target, sandbox.as_ref())?,
        };
        let problems = of_use(&models.problems, generator);
        let (problems, refused): (Vec<Problem>, Vec<Problem>) = problems
            .into_iter()
            .partition(|problem| check_problem(problem, target, generator).is_ok());
        note!(
            "{generator}: {} problems, {} refused",
            problems.len(),
            refused.len()
        );
        if !problems.is_empty() {
            let ended = block_on(async {
                let store = arguments.database.open().await?;
                let tuned = tune_all(arguments, generator, problems, &pool, &*store).await;
                if tuned.is_err() {
                    // Releases the leases, so that the next run need not wait for their expiry.
                    store.leave(None, pool.owner()).await.ok();
                }
                store.close().await;
                tuned
            })?;
            if let Exit::Found = ended {
                exit = Exit::Found;
            }
        }
        // Only the last generator's end is the end of the run.
        if arguments.builder.generators().last() == Some(&generator) {
            tell(arguments, target, &models.problems)?;
            if arguments.output_format == OutputFormat::Text {
                tell_judgement(arguments, target, &models)?;
            }
        }
        read = Some(models);
    }
    Ok(exit)
}

/// Prints the times of the models as iree-compile compiles them alone, and with the kernels that an
/// export would place in them.
fn tell_judgement(
    arguments: &TuneArguments,
    target: &'static Target,
    models: &ReadModels,
) -> anyhow::Result<()> {
    let name = arguments.device.name();
    if bench_harness::emulated_device(name).is_err() {
        eprintln!(
            "the model is not compared with and without the kernels: that needs an emulated device, such as emulated:mi300x"
        );
        return Ok(());
    }
    let wanted = ExportRequest {
        target,
        device: Some(name),
        wish: false,
        beside_iree: true,
    };
    // A tuning spec of an earlier run is of another search than the one that just ended.
    let has_iree = arguments.builder.generators().contains(&Generator::IREE);
    let compiler = models.files.first().map(|it| it.compiler.version());
    let seen: Vec<ModuleProblem> = models.problems.concat();
    let kernels = block_on(async {
        let store = arguments.database.open().await?;
        let tuning_for = compiler.filter(|_| has_iree);
        let kernels = ModelKernels::choose(&*store, &wanted, &seen, tuning_for).await;
        store.close().await;
        Ok(kernels?)
    })?;
    let toolchain = sandbox::toolchain(arguments.sandbox.sandbox()?)?;
    let mut built = kernels.build(&toolchain, target)?;
    if built.is_empty() {
        return Ok(());
    }
    let judge = ModelJudge {
        device: Some(name),
        target,
        models: &models.files,
        of_model: &arguments.of_model,
        options: &arguments.compiler.options,
        sandbox: &arguments.sandbox,
    };
    match judge.judge(&mut built.export, &built.objects, &mut built.tuning_spec)? {
        Ok(judgement) => print(&judgement::text(&judgement)),
        Err(reason) => {
            eprintln!("the model is not compared with and without the kernels: {reason}");
            Ok(())
        }
    }
}

/// Returns the problems that this generator can serve: whole operations first, then their parts
/// as several kernels.
fn of_use(models: &[Vec<ModuleProblem>], generator: Generator) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut next: Vec<&ModuleProblem> = models.iter().flatten().collect();
    while !next.is_empty() {
        for one in &next {
            match &one.problem {
                Ok(problem) if one.takes(generator) && !problems.contains(problem) => {
                    problems.push(problem.clone());
                }
                _ => {}
            }
        }
        // Breadth first: whole operations are tuned before their parts.
        next = next.into_iter().flat_map(|one| &one.parts).collect();
    }
    problems
}

fn tell(
    arguments: &TuneArguments,
    target: &'static Target,
    models: &[Vec<ModuleProblem>],
) -> anyhow::Result<()> {
    // Each JSON line of this command is a study; programs get the status from `wavetune
    // problems`.
    if arguments.output_format == OutputFormat::Json {
        return Ok(());
    }
    block_on(async {
        let store = arguments.database.open_if_there().await?;
        let catalogue = store.as_deref().map(|store| store as _);
        for seen in models {
            let answer = model_status(catalogue, target, seen).await?;
            print(&text(&answer))?;
        }
        if let Some(store) = store {
            store.close().await;
        }
        Ok(())
    })
}
