//! `wavetune table`: reads, compares and merges table files, without their database.

use std::path::{Path, PathBuf};

use ::lookup::table_file::{
    EntryChange, answer_from_table, changes, found_configuration, is_best_unasked, merge_tables,
    only_target, table_entry,
};
use ::lookup::{FoundConfiguration, LookupAnswer, LookupRequest, Rung, check_device, short};
use anyhow::Context;
use clap::{Args, Subcommand};
use configgen::{Generator, Target};
use lookup_table::{EntryRef, Table};
use store::{ANOTHER_INDEX, Status, Ties, Unreadable, UnreadableRow};

use crate::Exit;
use crate::comparator::ProblemArguments;
use crate::database::{Database, block_on};
use crate::lookup::print_lookup_answer;
use crate::output::{OutputFormat, entries_text, print, print_json, tell_unreadable};
use crate::value_parsers::{device_error, devices, generators, rungs, targets};

/// Look up in, print, compare or merge table files.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct TableArguments {
    #[command(subcommand)]
    command: TableCommand,
}

const EXAMPLES: &str = "\
`wavetune export table` creates a table from a database. The commands refuse a damaged or newer \
table, and print the reason.

Examples:
  wavetune export table --target gfx942 --output gfx942.wtab
  wavetune table lookup gfx942.wtab 'argmax:4x[32000]xf32'
  wavetune table dump gfx942.wtab
  wavetune table diff old.wtab gfx942.wtab
  wavetune table merge gfx942.wtab gfx950.wtab --output all.wtab";

#[derive(Subcommand)]
enum TableCommand {
    Lookup(TableLookupArguments),
    Dump(TableDumpArguments),
    Diff(TableDiffArguments),
    Merge(TableMergeArguments),
}

/// Look up a problem in a table.
///
/// For a problem without an entry, prints the best fallback.
#[derive(Args)]
#[command(after_long_help = LOOKUP)]
struct TableLookupArguments {
    /// Table file.
    file: PathBuf,
    #[command(flatten)]
    problem: ProblemArguments,
    /// ISA [default: the table's].
    ///
    /// The default requires a table of one ISA.
    #[arg(long, value_parser = targets())]
    target: Option<&'static Target>,
    /// Device that runs the kernel.
    ///
    /// A tuning on another device with the same ISA has the rung sibling.
    #[arg(long, value_parser = devices(), hide_possible_values = true)]
    device: Option<String>,
    /// Only kernels of this generator.
    #[arg(long, value_parser = generators())]
    generator: Option<Generator>,
    /// Lowest rung that counts as found.
    ///
    /// By default, any rung may answer, but only an exact answer counts as found.
    #[arg(long, value_name = "RUNG", value_parser = rungs())]
    at_least: Option<Rung>,
    /// Store a missing problem as a wish.
    ///
    /// Without an exact answer, the command stores the problem in the database for tuning.
    #[arg(long)]
    wish: bool,
    #[command(flatten)]
    database: Database,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const LOOKUP: &str = "\
The answer equals that of `wavetune lookup`, with the same rungs: exact, sibling, neighbour, \
predicted, default. The command opens a database only with --wish.

Exit codes: 0 found, 1 nothing found or too low a rung, 2 error.

Examples:
  wavetune table lookup gfx942.wtab 'argmax:4x[32000]xf32'
  wavetune table lookup gfx942.wtab 'argmax:4x[31000]xf32' \\
    --at-least neighbour --output-format json
  wavetune table lookup gfx942.wtab 'argmax:4x[31000]xf32' --wish";

/// Print all entries of a table.
#[derive(Args)]
#[command(after_long_help = DUMP)]
struct TableDumpArguments {
    /// Table file.
    file: PathBuf,
    /// Output format: text or json.
    ///
    /// JSON has one entry per line, with all fields of a lookup.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const DUMP: &str = "\
The command groups problems that differ only in size, and sorts them by size. It skips entries \
that this build cannot read, and prints their number to standard error. `wavetune table diff` and \
lookups do the same.

Exit codes: 0 printed, 2 error.

Examples:
  wavetune table dump gfx942.wtab
  wavetune table dump gfx942.wtab --output-format json";

/// Print the differences between two tables.
#[derive(Args)]
#[command(after_long_help = DIFF)]
struct TableDiffArguments {
    /// First table file.
    before: PathBuf,
    /// Second table file.
    after: PathBuf,
    /// Output format: text or json.
    ///
    /// JSON has one entry per line.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const DIFF: &str = "\
A line begins with - for an entry of the first table, and with + for one of the second.

Exit codes: 0 same entries, 1 different entries, 2 error.

Examples:
  wavetune table diff old.wtab new.wtab
  wavetune table diff old.wtab new.wtab --output-format json";

/// Merge several tables into one.
#[derive(Args)]
#[command(after_long_help = MERGE)]
struct TableMergeArguments {
    /// Table files to merge.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// File to write.
    ///
    /// The command replaces an existing file atomically. It follows symbolic links, and can write
    /// to a pipe or a device.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

const MERGE: &str = "\
If several tables have an entry for the same problem and target, the merged table keeps the best \
one. A correct entry is better than one with another tie-break, unless the tables were exported \
with --ties any. Next, a measured time is better than a modelled one. Last, the shortest time is \
best.

The order of the files does not matter. The command refuses tables with different --ties.

Exit codes: 0 written, 2 error.

Examples:
  wavetune table merge gfx942.wtab gfx950.wtab --output all.wtab";

pub(crate) fn run(arguments: &TableArguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        TableCommand::Lookup(arguments) => lookup(arguments),
        TableCommand::Dump(arguments) => dump(arguments),
        TableCommand::Diff(arguments) => diff(arguments),
        TableCommand::Merge(arguments) => merge(arguments),
    }
}

fn open(path: &Path) -> anyhow::Result<Table> {
    Ok(Table::open(path)?)
}

fn lookup(arguments: &TableLookupArguments) -> anyhow::Result<Exit> {
    let problem = arguments.problem.problem()?;
    let table = open(&arguments.file)?;
    let target = match arguments.target {
        Some(target) => target,
        None => only_target(&table).context("no --target")?,
    };
    if let Some(device) = &arguments.device {
        check_device(device, Some(target)).map_err(|error| device_error(device, error))?;
    }
    let request = LookupRequest {
        problem,
        target: Some(target),
        device: arguments.device.clone(),
        generator: arguments.generator,
        // The export has already applied its --ties; a table has no others.
        ties: Ties::default(),
        at_least: arguments.at_least.unwrap_or(Rung::Default),
    };
    let mut answer = answer_from_table(&table, &request);
    if arguments.wish {
        note(&arguments.database, &request, &mut answer)?;
    }
    let counts = arguments.at_least.unwrap_or(Rung::Exact);
    print_lookup_answer(&answers::line(&answer), arguments.output_format, counts)
}

fn note(
    database: &Database,
    request: &LookupRequest,
    answer: &mut LookupAnswer,
) -> anyhow::Result<()> {
    block_on(async {
        let store = database.open_existing().await?;
        // `note` writes nothing for an exact answer.
        let is_noted = ::lookup::note(&*store, request, answer).await;
        store.close().await;
        // A read-only database is no error: the answer counts, and the wish is an extra.
        if !is_noted && answer.rung() != Some(Rung::Exact) {
            eprintln!("cannot store the wish: the database is read-only");
        }
        Ok(())
    })
}

fn dump(arguments: &TableDumpArguments) -> anyhow::Result<Exit> {
    let table = open(&arguments.file)?;
    if arguments.output_format == OutputFormat::Text {
        for (name, value) in table.metadata() {
            print(&format!("{name}: {value}\n"))?;
        }
    }
    let mut unreadable = Unreadable::default();
    for entry in table.entries() {
        match arguments.output_format {
            OutputFormat::Text => {
                if let Some(found) = unreadable.note(found_configuration(entry)) {
                    print(&(line(entry, &found) + "\n"))?;
                }
            }
            OutputFormat::Json => {
                if let Some(told) = unreadable.note(table_entry(entry)) {
                    print_json(&told)?;
                }
            }
        }
    }
    tell_unreadable(&unreadable);
    Ok(Exit::Found)
}

/// Formats an entry and its configuration for people.
fn line(entry: EntryRef<'_>, found: &FoundConfiguration) -> String {
    let on_ties = match found.status {
        _ if is_best_unasked(entry) => format!(", {ANOTHER_INDEX}, and not to be used"),
        Status::Tie => format!(", {ANOTHER_INDEX}"),
        _ => String::new(),
    };
    format!(
        "{} on {}: {:.2} µs {} on {}{on_ties}, {}: {}",
        found.problem,
        found.target,
        found.time_us,
        found.clock,
        found.provenance.device,
        found.generator,
        short(&found.configuration),
    )
}

fn diff(arguments: &TableDiffArguments) -> anyhow::Result<Exit> {
    let (before, after) = (open(&arguments.before)?, open(&arguments.after)?);
    let changes = changes(&before, &after);
    let mut unreadable = Unreadable::default();
    for change in &changes {
        match arguments.output_format {
            OutputFormat::Text => {
                if let Some(lines) = unreadable.note(lines(change)) {
                    print(&lines)?;
                }
            }
            OutputFormat::Json => {
                if let Some(told) = unreadable.note(change.table_change()) {
                    print_json(&told)?;
                }
            }
        }
    }
    tell_unreadable(&unreadable);
    Ok(match changes.is_empty() {
        true => Exit::Found,
        false => Exit::NotFound,
    })
}

fn lines(change: &EntryChange<'_>) -> Result<String, UnreadableRow> {
    let sides = [('-', change.before), ('+', change.after)];
    let sides = sides
        .into_iter()
        .filter_map(|(sign, entry)| Some((sign, entry?)));
    let lines = sides.map(|(sign, entry)| {
        let found = found_configuration(entry)?;
        Ok((sign, line(entry, &found), found.provenance.when))
    });
    let lines: Vec<(char, String, String)> = lines.collect::<Result<_, UnreadableRow>>()?;
    // Two entries with equal lines differ in their provenance alone, so the time tells them
    // apart.
    let is_same = matches!(&lines[..], [(_, one, _), (_, other, _)] if one == other);
    let lines = lines.into_iter().map(|(sign, line, when)| match is_same {
        true => format!("{sign} {line}, of {when}\n"),
        false => format!("{sign} {line}\n"),
    });
    Ok(lines.collect())
}

fn merge(arguments: &TableMergeArguments) -> anyhow::Result<Exit> {
    let tables = arguments.files.iter().map(|path| open(path));
    let tables: Vec<Table> = tables.collect::<anyhow::Result<_>>()?;
    let (writer, entries) = merge_tables(&tables)?;
    writer.write(&arguments.output)?;
    eprintln!(
        "{} in {}",
        entries_text(entries),
        arguments.output.display()
    );
    Ok(Exit::Found)
}
