//! `wavetune export table`: writes the known configurations as a table file for lookups without a
//! database.

use std::path::PathBuf;

use ::lookup::advice;
use ::lookup::table_file::{TableSelection, table};
use clap::Args;
use configgen::{Generator, Target};

use crate::Exit;
use crate::comparator::ComparatorArguments;
use crate::database::{Database, block_on};
use crate::input_parser;
use crate::output::{entries_text, tell_unreadable};
use crate::ties::TiesArgument;
use crate::value_parsers::{devices, generators, problem_texts, targets};
use crate::verbosity::note;

/// Write a table file for lookups without a database.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct ExportTableArguments {
    /// Problems [default: all tuned].
    ///
    /// The default is every problem that was tuned for the target.
    #[arg(value_parser = problem_texts(), hide_possible_values = true)]
    problems: Vec<String>,
    #[command(flatten)]
    comparator: ComparatorArguments,
    /// ISA of the table.
    ///
    /// `wavetune table merge` combines the tables of several ISAs.
    #[arg(long, value_parser = targets())]
    target: &'static Target,
    /// Only tunings on this device.
    #[arg(long, value_parser = devices(), hide_possible_values = true)]
    device: Option<String>,
    /// Only kernels of this generator.
    #[arg(long, value_parser = generators())]
    generator: Option<Generator>,
    #[command(flatten)]
    ties: TiesArgument,
    #[command(flatten)]
    database: Database,
    /// File to write.
    ///
    /// The command replaces an existing file atomically. It follows symbolic links, and can write
    /// to a pipe or a device.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

const EXAMPLES: &str = "\
The table has the answer of `wavetune lookup` for each problem, and groups problems that differ \
only in size. The same database gives the same bytes. docs/table.md describes the format. \
lookup/table/include/wavetune_table.h reads it in C and C++.

Exit codes: 0 written, 1 nothing to write or no entry for a named problem, 2 error.

Examples:
  wavetune export table --target gfx942 --output gfx942.wtab
  wavetune export table 'argmax:4x[32000]xf32' --target gfx942 \\
    --output one.wtab
  wavetune table lookup gfx942.wtab 'argmax:4x[32000]xf32'";

pub(super) fn run(arguments: &ExportTableArguments) -> anyhow::Result<Exit> {
    let target = arguments.target;
    let problems = input_parser::problems(&arguments.problems, None, &arguments.comparator)?;
    let wanted = TableSelection {
        target,
        problems: &problems,
        device: arguments.device.as_deref(),
        generator: arguments.generator,
        ties: arguments.ties.index,
    };
    let made = block_on(async {
        let store = arguments.database.open_existing().await?;
        let made = table(&*store, &wanted).await;
        store.close().await;
        // After closing, so that an error does not skip it.
        Ok(made?)
    })?;
    tell_unreadable(&made.unreadable);
    for problem in &made.missing {
        let generator = arguments.generator.unwrap_or_default();
        let advice = match advice::tune(problem, target, wanted.device, generator) {
            Ok(command) => format!("`{command}` finds one"),
            Err(reason) => reason,
        };
        eprintln!("no configuration of {problem} exists for {target} with these options; {advice}");
    }
    if !made.missing.is_empty() {
        return Ok(Exit::NotFound);
    }
    if made.entries == 0 {
        eprintln!(
            "nothing to export for {target} with these options; find configurations with `{}`",
            advice::tune_some(target, wanted.device)
        );
        return Ok(Exit::NotFound);
    }
    made.writer.write(&arguments.output)?;
    let (entries, output) = (made.entries, arguments.output.display());
    note!("{} for {target} in {output}", entries_text(entries));
    Ok(Exit::Found)
}
