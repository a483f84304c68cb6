//! `wavetune explain`: prints one stage of code generation.

use anyhow::bail;
use clap::Args;
use clap::builder::PossibleValuesParser;
use codegen::native;
use configgen::{Configuration, Generator, Pipeline, Problem, Rejection, Target};
use iree::IreeCompiler;
use iree::spec::{Spec, SpecEntry};

use crate::comparator::ProblemArguments;
use crate::output::print;
use crate::value_parsers::{generators, targets};
use crate::{Exit, input_parser};

/// Print a stage of code generation.
///
/// Native kernels have the stages gridwise, blockwise, lanewise, final, layout, ops, hip, llvm and
/// isa. IREE's kernels have spec, splits, configuration, llvm and isa.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ExplainArguments {
    #[command(flatten)]
    problem: ProblemArguments,
    /// Kernel generator.
    #[arg(long, default_value_t = Generator::default(), value_parser = generators())]
    generator: Generator,
    /// Configuration as JSON.
    ///
    /// The default is the untuned configuration.
    #[arg(long, value_name = "JSON")]
    configuration: Option<String>,
    /// Stage to print.
    #[arg(long, value_parser = stages())]
    stage: String,
    /// ISA of the device.
    #[arg(long, default_value = "gfx942", value_parser = targets())]
    target: &'static Target,
}

const EXAMPLES: &str = "\
Exit codes: 0 printed, 1 illegal configuration, 2 error.

Examples:
  wavetune explain 'argmax:4x[32000]xf32' --stage lanewise
  # The elements that each lane loads:
  wavetune explain 'argmax:4x[32000]xf32' --stage layout
  wavetune explain 'argmax:4x[32000]xf32' --stage hip > argmax.hip
  wavetune explain 'argmax:4x[32000]xf32' --stage isa --configuration \"$(
      wavetune space 'argmax:4x[32000]xf32' --sample 1)\"
  # The choice of iree-compile:
  wavetune explain 'argmax:4x[4096]xf32' --generator iree --stage configuration
  wavetune explain 'argmax:4x[32000]xf32' --generator iree --stage isa";

/// The tuning spec that makes iree-compile choose the configuration. Native kernels have none.
const SPEC: &str = "spec";
/// The spec that makes iree-compile split rows, if the configuration splits them.
const SPLITS: &str = "splits";

/// Returns the parser of the stages of both generators.
fn stages() -> PossibleValuesParser {
    let native = native::NativeStage::ALL.map(native::NativeStage::name);
    let of_iree = iree::IreeStage::ALL.map(iree::IreeStage::name);
    let mut all: Vec<&str> = native.into_iter().chain([SPEC, SPLITS]).collect();
    // Both generators have the stages `llvm` and `isa`.
    all.extend(of_iree.into_iter().filter(|name| !native.contains(name)));
    PossibleValuesParser::new(all)
}

pub(crate) fn run(arguments: &ExplainArguments) -> anyhow::Result<Exit> {
    let problem = arguments.problem.problem()?;
    let configuration = arguments.configuration.as_deref();
    let configuration = configuration.map(input_parser::configuration).transpose()?;
    if let Some(configuration) = &configuration
        && let Err(rejection) = configgen::check(
            &problem,
            arguments.target,
            arguments.generator,
            configuration,
        )
    {
        return refused(&rejection);
    }
    match arguments.generator == Generator::IREE {
        true => explain_iree(arguments, &problem, configuration),
        false => explain_native(arguments, &problem, configuration),
    }
}

fn explain_native(
    arguments: &ExplainArguments,
    problem: &Problem,
    configuration: Option<Configuration>,
) -> anyhow::Result<Exit> {
    let all = native::NativeStage::ALL;
    let Some(stage) = all.into_iter().find(|it| it.name() == arguments.stage) else {
        return no_stage(arguments, &all.map(native::NativeStage::name));
    };
    let target = arguments.target;
    let configuration = match configuration {
        Some(configuration) => configuration,
        None => match configgen::native_default(problem, target) {
            Ok(configuration) => configuration,
            Err(rejection) => return refused(&rejection),
        },
    };
    print(&native::explain(problem, target, &configuration, stage)?)?;
    Ok(Exit::Found)
}

/// Explains a kernel of IREE's. Shows IREE's own choice even if it is no legal configuration.
fn explain_iree(
    arguments: &ExplainArguments,
    problem: &Problem,
    configuration: Option<Configuration>,
) -> anyhow::Result<Exit> {
    let (target, generator) = (arguments.target, arguments.generator);
    let untuned = match configgen::default_configuration(problem, target, generator) {
        Ok(pipeline) => pipeline,
        Err(rejection) => return refused(&rejection),
    };
    let all = iree::IreeStage::ALL;
    let stage = all.into_iter().find(|it| it.name() == arguments.stage);
    let text = match stage {
        Some(stage) => {
            let compiler = IreeCompiler::find()?;
            compiler.explain(problem, target, configuration.as_ref(), stage)?
        }
        None if [SPEC, SPLITS].contains(&arguments.stage.as_str()) => {
            let (pipeline, provenance) = match configuration {
                Some(given) => (Pipeline::VectorDistribute(given), "a given configuration"),
                None => (untuned, "IREE's own choice"),
            };
            let entries = [SpecEntry {
                range: None,
                problem,
                pipeline: &pipeline,
                provenance,
            }];
            // The spec names the compiler versions of the rules, since no installed compiler is
            // asked here.
            let version = configgen::IREE_RULES_OF.join(", ");
            let compiler = format!("iree-compile {version}");
            let spec = Spec::new(target, &compiler, &entries)?;
            match (arguments.stage == SPEC, spec.splits()) {
                (true, _) => spec.to_string(),
                (false, Some(splits)) => splits.to_string(),
                (false, None) => bail!("the configuration does not split rows"),
            }
        }
        None => {
            let mut names = vec![SPEC, SPLITS];
            names.extend(all.map(iree::IreeStage::name));
            return no_stage(arguments, &names);
        }
    };
    print(&text)?;
    Ok(Exit::Found)
}

fn no_stage(arguments: &ExplainArguments, names: &[&str]) -> anyhow::Result<Exit> {
    bail!(
        "kernels of {} have no stage {}; the stages are {}",
        arguments.generator,
        arguments.stage,
        names.join(", ")
    )
}

fn refused(rejection: &Rejection) -> anyhow::Result<Exit> {
    eprintln!("{rejection}");
    Ok(Exit::NotFound)
}
