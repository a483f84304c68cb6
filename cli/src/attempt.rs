//! `wavetune try`: one configuration, verified and timed.

use answers::attempt::Attempt;
use clap::Args;
use configgen::Configuration;
use lookup::{is_served, short};
use store::{ANOTHER_INDEX, Status};
use tuner::Choice;

use crate::builder::BuilderArguments;
use crate::check::legality;
use crate::comparator::ProblemArguments;
use crate::device_arguments::DeviceArguments;
use crate::output::{OutputFormat, error_text, print, print_json};
use crate::sandbox::SandboxArgument;
use crate::{Exit, input_parser};

/// Verify and time one configuration without storing it.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct TryArguments {
    #[command(flatten)]
    problem: ProblemArguments,
    /// Configuration as JSON.
    ///
    /// `wavetune space 'argmax:4x[32000]xf32' --sample 1` prints one.
    #[arg(long, value_name = "JSON")]
    configuration: String,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    builder: BuilderArguments,
    #[command(flatten)]
    sandbox: SandboxArgument,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
The command also tries an illegal configuration if the generator can build it. The answer then \
names the violated rule. The time of the kernel is comparable with the times of `wavetune tune` on \
the same device.

Exit codes: 0 legal and correct, 1 illegal, wrong or failed, 2 error.

Examples:
  wavetune try 'argmax:4x[4096]xf32' --generator iree --configuration \\
    '{\"workgroup\": [1, 0], \"partial_reduction\": [0, 1024], \"thread\": [0, 4],
      \"lane_basis\": [[1, 64], [0, 1]], \"subgroup_basis\": [[1, 1], [0, 1]],
      \"subgroup_size\": 64, \"workgroup_size\": [64, 1, 1]}'";

pub(crate) fn run(arguments: &TryArguments) -> anyhow::Result<Exit> {
    let problem = arguments.problem.problem()?;
    let configuration = input_parser::configuration(&arguments.configuration)?;
    let sandbox = arguments.sandbox.sandbox()?;
    // The device first: a missing one is found faster than a compiler.
    let mut rig = arguments.device.rig(sandbox.clone())?;
    let builder = arguments.builder.builder(sandbox)?;
    let (device, generator) = (rig.identity().clone(), builder.generator());
    let target = device.row.target();
    // An illegal configuration is tried all the same; the answer names the rule that it breaks.
    let rejection = configgen::check(&problem, target, generator, &configuration).err();
    let choice = Choice::Configured(configuration.clone());
    let trial = tuner::try_configuration(rig.as_mut(), builder.as_ref(), &problem, choice)?;
    let timing = trial.outcome.timing();
    let answer = Attempt {
        target: target.name,
        device: device.name.clone(),
        generator,
        legality: legality(rejection.as_ref()),
        status: trial.outcome.status(),
        failure: trial.outcome.failure(),
        message: trial.outcome.message().map(str::to_owned),
        error: trial.error,
        clock: device.clock,
        time_us: timing.map(|timing| timing.time_us),
        samples_us: timing.map_or_else(Vec::new, |timing| timing.samples_us.clone()),
        compile_ms: trial.compile_ms,
        bound_us: bench_harness::bound_us(&problem, device.row),
        problem,
        configuration,
    };
    match arguments.output_format {
        OutputFormat::Json => print_json(&answer)?,
        OutputFormat::Text => print(&text(&answer))?,
    }
    let is_legal = answer.legality.rule.is_none();
    Ok(match is_legal && is_served(answer.status, generator) {
        true => Exit::Found,
        false => Exit::NotFound,
    })
}

fn text(answer: &Attempt) -> String {
    let Attempt {
        problem,
        device,
        generator,
        clock,
        ..
    } = answer;
    let configuration: &Configuration = &answer.configuration;
    let mut text = format!(
        "{problem} on {device}, {generator} kernel\n  {}\n",
        short(configuration)
    );
    let verdict = match answer.status {
        Status::Tie => ANOTHER_INDEX,
        status => status.name(),
    };
    text += &match (answer.time_us, &answer.message) {
        (Some(time_us), _) => format!(
            "  {verdict}, {time_us:.2} µs, bound {:.2} µs; times {clock}\n",
            answer.bound_us
        ),
        (None, Some(message)) => format!("  {verdict}: {message}\n"),
        (None, None) => format!("  {verdict}\n"),
    };
    if let Some(error) = answer.error.filter(|error| *error > 0.0) {
        text += &format!("  error {} of the bound\n", error_text(error));
    }
    if let Some(message) = answer.message.as_ref().filter(|_| answer.time_us.is_some()) {
        text += &format!("  {message}\n");
    }
    if let (Some(rule), Some(refusal)) = (&answer.legality.rule, &answer.legality.message) {
        // The generator may have refused for the same reason, and its message was printed above.
        let said = answer.message.as_deref().unwrap_or_default();
        let refusal = match said.ends_with(refusal) {
            true => String::new(),
            false => format!(": {refusal}"),
        };
        text += &format!("  illegal: rule {rule}{refusal}\n");
    }
    text
}
