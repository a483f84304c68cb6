//! `wavetune regressions`: lists problems that became slower after an update.

use ::lookup::regression;
use answers::regressions::{Regression, Version};
use bench_harness::timing::{CONFIDENCE, median_interval};
use clap::Args;

use crate::Exit;
use crate::database::{Database, block_on};
use crate::output::{OutputFormat, print, print_json, tell_unreadable};

/// List problems that became slower after an update.
///
/// An update is a new version of a compiler, a driver or a generator.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RegressionsArguments {
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
The worst regression comes first. The command compares times of the same device and clock, and \
modelled times of the same model. For measured times, the confidence interval of the ratio must \
lie above 1. If the configurations differ, the newer study may have tried too few.

Exit codes: 0 at least one, 1 none, 2 error.

Examples:
  wavetune regressions
  wavetune regressions --output-format json";

/// Returns the confidence interval of the median, in µs.
pub(crate) fn median(samples_us: &[f64]) -> Option<(f64, f64)> {
    let interval = median_interval(samples_us, CONFIDENCE)?;
    Some((interval.low, interval.high))
}

pub(crate) fn run(arguments: &RegressionsArguments) -> anyhow::Result<Exit> {
    let found = block_on(async {
        let store = arguments.database.open_existing().await?;
        let found = ::lookup::regressions(&*store, median).await?;
        store.close().await;
        Ok(found)
    })?;
    tell_unreadable(&found.unreadable);
    for one in &found.rows {
        let answer = regression(one);
        match arguments.output_format {
            OutputFormat::Json => print_json(&answer)?,
            OutputFormat::Text => print(&text(&answer))?,
        }
    }
    Ok(match found.rows.is_empty() {
        true => {
            eprintln!("no problem became slower");
            Exit::NotFound
        }
        false => Exit::Found,
    })
}

fn text(found: &Regression) -> String {
    let Regression {
        problem,
        device,
        generator,
        clock,
        factor,
        low,
        high,
        before,
        after,
        ..
    } = found;
    let interval = match low == high {
        // Modelled times have no interval.
        true => String::new(),
        false => format!(" ({low:.3} to {high:.3})"),
    };
    let same = match found.same_configuration {
        true => "the same configuration",
        false => "another configuration",
    };
    let (slow, fast) = (after.time_us, before.time_us);
    let mut text = format!(
        "{problem} on {device}, {generator} kernels\n  {factor:.3} times as long{interval}: {fast:.2} to {slow:.2} µs \
         {clock}, {same}\n"
    );
    let compiler = |side: &Version| format!("{} {}", side.compiler, side.compiler_version);
    for (what, old, new) in [
        ("compiler", compiler(before), compiler(after)),
        (
            "generator",
            before.generator_version.clone(),
            after.generator_version.clone(),
        ),
        ("driver", before.driver.clone(), after.driver.clone()),
    ] {
        if old != new {
            text += &format!("  {what}: {old}\n    now {new}\n");
        }
    }
    text
}
