//! `wavetune tune model.mlir`: tunes a model's problems with each generator that can serve them.

use std::path::PathBuf;

use anyhow::bail;
use configgen::{Generator, Problem, check_problem};
use kernel_export::ModuleProblem;
use tuner::Pool;

use super::{TuneArguments, tune_all};
use crate::database::block_on;
use crate::model_status::{model_status, text};
use crate::output::{OutputFormat, print};
use crate::verbosity::note;
use crate::{Exit, model};

/// Tunes the problems of these models, one generator after the other, and prints their status.
pub(super) fn tune(arguments: &TuneArguments, models: &[PathBuf]) -> anyhow::Result<Exit> {
    if arguments.service.url.is_some() {
        bail!(
            "a service tunes problems, not models; `wavetune problems` lists the problems of a model"
        );
    }
    let mut read: Option<Vec<Vec<ModuleProblem>>> = None;
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
            None => {
                let of_model = &arguments.of_model;
                let seen =
                    |path: &PathBuf| model::read(path, target, &[], sandbox.clone(), of_model);
                let seen = models.iter().map(seen);
                seen.collect::<anyhow::Result<_>>()?
            }
        };
        let problems = of_use(&models, generator);
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
        read = Some(models);
        // Only the last generator's end is the end of the run.
        if arguments.builder.generators().last() == Some(&generator) {
            tell(arguments, target, read.as_deref().unwrap_or_default())?;
        }
    }
    Ok(exit)
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
    target: &'static configgen::Target,
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
