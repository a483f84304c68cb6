//! `wavetune rule`: a short decision list in place of a table.

use ::prediction::{ReductionRule, RuleCondition, RuleRow};
use answers::rule::{self, Limits, ShapeRegret};
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use configgen::{Device, Target};

use crate::Exit;
use crate::output::{print, print_json};
use crate::value_parsers::targets;

/// The number of worst shapes in an answer.
const WORST: usize = 5;

/// Print a short rule from shapes to attributes.
///
/// The rule is for a compiler that cannot ask a database.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RuleArguments {
    /// ISA of the rule.
    #[arg(long, value_parser = targets())]
    target: &'static Target,
    /// Operation, such as argmax or rms_norm.
    ///
    /// It has one reduced dimension.
    #[arg(long)]
    operation: String,
    /// Output format: text, json or cpp.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: RuleFormat,
}

/// The form of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleFormat {
    /// A person.
    Text,
    /// A program: JSON on standard output.
    Json,
    /// A compiler's source: a C++ function.
    Cpp,
}

const EXAMPLES: &str = "\
The rule learns from the time model, on the first device of the target in `wavetune devices`. It \
decides by rows, columns and bits of an element. Its regret is the estimated time over the best \
without a split row, on 100 shapes that it did not learn.

With cpp the rule is a C++ function in the form of IREE's setReductionConfig.

Exit codes: 0 done, 2 error.

Examples:
  wavetune rule --target gfx942 --operation argmax
  wavetune rule --target gfx1100 --operation rms_norm --output-format cpp";

pub(crate) fn run(arguments: &RuleArguments) -> anyhow::Result<Exit> {
    let target = arguments.target;
    let device =
        Device::of_target(target).with_context(|| format!("no device of {target} is known"))?;
    let rule = ReductionRule::learn(&arguments.operation, device)?;
    match arguments.output_format {
        RuleFormat::Text => print(&text(&rule))?,
        RuleFormat::Json => print_json(&answer(&rule))?,
        RuleFormat::Cpp => print(&rule.cpp())?,
    }
    Ok(Exit::Found)
}

fn text(rule: &ReductionRule) -> String {
    let mut text = format!(
        "{} on {} ({}), learnt from estimates of {} shapes\n",
        rule.operation,
        rule.device.target(),
        rule.device.name,
        rule.shapes
    );
    for row in &rule.rows {
        let condition = match row.conditions.is_empty() {
            true => "all shapes".to_owned(),
            false => row.condition(" and "),
        };
        let recipe = row.recipe;
        text += &format!(
            "  {condition}:\n    thread {}, subgroups {}, row lanes {}, loads {}\n",
            recipe.thread, recipe.subgroups, recipe.row_lanes, recipe.loads
        );
    }
    text += &format!(
        "mean regret {:.1} % on {} other shapes; the worst:\n",
        100.0 * rule.mean_regret(),
        rule.held_out.len()
    );
    for (shape, regret) in rule.held_out.iter().take(WORST) {
        text += &format!("  {}: {:.1} %\n", shape.problem, 100.0 * regret);
    }
    text
}

fn answer(rule: &ReductionRule) -> rule::Rule {
    let worst = rule.held_out.iter().take(WORST);
    let worst = worst.map(|(shape, regret)| ShapeRegret {
        problem: shape.problem.clone(),
        regret: *regret,
    });
    rule::Rule {
        operation: rule.operation.clone(),
        target: rule.device.target().name,
        device: format!("emulated:{}", rule.device.name),
        compute_units: rule.device.compute_units,
        shapes: rule.shapes,
        rows: rule.rows.iter().map(row).collect(),
        mean_regret: rule.mean_regret(),
        held_out: rule.held_out.len(),
        worst: worst.collect(),
    }
}

fn row(row: &RuleRow) -> rule::RuleRow {
    let recipe = row.recipe;
    let [rows, columns, bits] = [0, 1, 2].map(|value| limits(&row.conditions, value));
    rule::RuleRow {
        rows,
        columns,
        bits,
        thread: recipe.thread,
        subgroups: recipe.subgroups,
        row_lanes: recipe.row_lanes,
        loads: recipe.loads,
    }
}

fn limits(conditions: &[RuleCondition], value: usize) -> Limits {
    let limit = |is_most: bool| {
        let mut all = conditions.iter();
        let found = all.find(|one| one.value == value && one.is_most == is_most);
        found.map(|one| one.limit)
    };
    Limits {
        more_than: limit(false),
        at_most: limit(true),
    }
}
