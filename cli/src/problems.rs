//! `wavetune problems`: the problems of a model, and where each stands.

use std::path::PathBuf;

use answers::model::{Asked, Model, Other, Standing, State};
use clap::Args;
use configgen::{Generator, Problem, Target, check_problem};
use kernel_export::Seen;
use lookup::Request;
use store::Catalogue;

use crate::Exit;
use crate::database::{Database, block_on};
use crate::model::{self, ModelArguments};
use crate::names::targets;
use crate::output::{Format, print, print_json};
use crate::sandbox::SandboxArgument;

/// List the problems of a model as iree-compile lowers it, and where each stands.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The model: a file of MLIR that iree-compile reads, of whichever front end, or of ONNX.
    model: PathBuf,
    /// The ISA that it is compiled for.
    #[arg(long, value_parser = targets())]
    target: &'static Target,
    #[command(flatten)]
    of_model: ModelArguments,
    #[command(flatten)]
    sandbox: SandboxArgument,
    #[command(flatten)]
    database: Database,
    /// How to print the answer.
    #[arg(long, value_enum, default_value = "text")]
    output_format: Format,
}

const EXAMPLES: &str = "\
Each arg_compare, each reduction of linalg, each softmax, and each chain of operations that is a norm or a softmax, is a problem where a
kernel of `wavetune export iree-kernels` takes its place; of the others the reason is told.
Exit codes: 0 there are some, 1 there are none, 2 error.

Examples:
  wavetune problems model.mlir --target gfx942
  wavetune problems model.mlir --target gfx942 --counts 1..64
  wavetune tune model.mlir
  wavetune export iree-kernels --target gfx942 --out kernels";

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let target = arguments.target;
    let sandbox = arguments.sandbox.sandbox()?;
    let seen = model::read(&arguments.model, target, &[], sandbox, &arguments.of_model)?;
    let answer = block_on(async {
        let store = arguments.database.open_if_there().await?;
        let answer = standing(store.as_deref().map(|it| it as _), target, &seen).await?;
        if let Some(store) = store {
            store.close().await;
        }
        Ok(answer)
    })?;
    match arguments.output_format {
        Format::Json => print_json(&answer)?,
        Format::Text => print(&text(&answer))?,
    }
    if answer.problems.is_empty() && answer.others.is_empty() {
        let model = arguments.model.display();
        eprintln!("no operation of {model} reduces anything");
    }
    Ok(match answer.problems.is_empty() {
        true => Exit::NotFound,
        false => Exit::Found,
    })
}

/// Where each problem of a model stands.
pub(crate) async fn standing(
    catalogue: Option<&dyn Catalogue>,
    target: &'static Target,
    seen: &[Seen],
) -> anyhow::Result<Model> {
    let mut model = Model {
        target: target.name,
        problems: Vec::new(),
        others: Vec::new(),
    };
    for one in seen {
        let problem = match &one.problem {
            Ok(problem) => problem,
            Err(reason) => {
                model.others.push(Other {
                    count: one.count,
                    reason: reason.clone(),
                });
                continue;
            }
        };
        let place = model.problems.iter().position(|it| it.problem == *problem);
        let place = place.unwrap_or_else(|| {
            model.problems.push(Asked {
                problem: problem.clone(),
                count: 0,
                forms: Vec::new(),
                generators: Vec::new(),
            });
            model.problems.len() - 1
        });
        let asked = &mut model.problems[place];
        asked.count += one.count;
        if !asked.forms.contains(&one.form) {
            asked.forms.push(one.form);
        }
        for generator in Generator::ALL {
            if one.takes(generator) && asked.generators.iter().all(|it| it.generator != generator) {
                let standing = with(catalogue, problem, target, generator).await?;
                asked.generators.push(standing);
            }
        }
    }
    Ok(model)
}

async fn with(
    catalogue: Option<&dyn Catalogue>,
    problem: &Problem,
    target: &'static Target,
    generator: Generator,
) -> anyhow::Result<Standing> {
    let mut standing = Standing {
        generator,
        state: State::Untuned,
        time_us: None,
        default_time_us: None,
        clock: None,
        reason: None,
    };
    if let Err(rejection) = check_problem(problem, target, generator) {
        standing.state = State::Refused;
        standing.reason = Some(rejection.to_string());
        return Ok(standing);
    }
    let Some(catalogue) = catalogue else {
        return Ok(standing);
    };
    let request = Request {
        generator: Some(generator),
        ..Request::new(problem.clone(), target)
    };
    if let Some(found) = lookup::look(catalogue, &request).await?.found() {
        standing.state = State::Tuned;
        standing.time_us = Some(found.time_us);
        standing.default_time_us = found.default_time_us;
        standing.clock = Some(found.clock);
        return Ok(standing);
    }
    // What IREE does unasked may be what is best of what is known.
    if let Some(ranking) = lookup::best_unasked(catalogue, &request).await? {
        standing.state = State::Tuned;
        standing.time_us = ranking.default_time_us();
        standing.default_time_us = ranking.default_time_us();
        standing.clock = Some(ranking.provenance.clock);
    }
    Ok(standing)
}

/// A line for each problem and each generator.
pub(crate) fn text(model: &Model) -> String {
    let mut text = String::new();
    for asked in &model.problems {
        let forms: Vec<&str> = asked.forms.iter().map(|it| it.unwrap_or("kept")).collect();
        text += &format!(
            "{} ({}, {})\n",
            asked.problem,
            asked.count,
            forms.join(", ")
        );
        for standing in &asked.generators {
            text += &format!("  {}: {}\n", standing.generator, told(standing));
        }
    }
    for other in &model.others {
        text += &format!("no problem ({}): {}\n", other.count, other.reason);
    }
    text
}

fn told(standing: &Standing) -> String {
    match (standing.time_us, standing.clock, &standing.reason) {
        (Some(time), Some(clock), _) => {
            let default = match standing.default_time_us {
                Some(default) => format!("{default:.2} us"),
                None => "no time".to_owned(),
            };
            format!("{time:.2} us ({clock}), by default {default}")
        }
        (_, _, Some(reason)) => format!("refused: {reason}"),
        _ => "not tuned".to_owned(),
    }
}
