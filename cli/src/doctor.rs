//! `wavetune doctor`: which tools were found, in which version, and what each is for.

use std::path::PathBuf;

use clap::Args;
use codegen::tools::{self, Tool};
use serde::Serialize;

use crate::Exit;
use crate::output::{Format, print, print_json};

/// Show which tools were found, in which version, and what each is for.
#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 all found, 1 one is missing.\n\nExamples:\n  wavetune doctor"
)]
pub(crate) struct Arguments {
    /// How to print the answer.
    #[arg(long, value_enum, default_value = "text")]
    output_format: Format,
}

/// The answer.
#[derive(Serialize)]
struct Answer {
    tools: Vec<Row>,
}

/// One tool; with a path and a version if it was found, else with what is wrong.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    purpose: &'static str,
    path: Option<PathBuf>,
    version: Option<String>,
    problem: Option<String>,
    install: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let rows: Vec<Row> = Tool::ALL.into_iter().map(row).collect();
    let complete = rows.iter().all(|row| row.problem.is_none());
    match arguments.output_format {
        Format::Json => print_json(&Answer { tools: rows })?,
        Format::Text => print(&rows.iter().map(line).collect::<String>())?,
    }
    Ok(if complete {
        Exit::Found
    } else {
        Exit::NotFound
    })
}

fn row(tool: Tool) -> Row {
    let row = Row {
        name: tool.name(),
        purpose: tool.purpose(),
        path: None,
        version: None,
        problem: None,
        install: None,
    };
    match tools::find(tool) {
        Ok(found) => Row {
            path: Some(found.path),
            version: Some(found.version),
            ..row
        },
        Err(missing) => Row {
            problem: Some(missing.reason),
            install: Some(tool.install()),
            ..row
        },
    }
}

fn line(row: &Row) -> String {
    let Row {
        name,
        purpose,
        path,
        version,
        problem,
        install,
    } = row;
    match (path, version) {
        (Some(path), Some(version)) => {
            format!(
                "{name:<13} {version:<28} {}\n{:13} {purpose}\n",
                path.display(),
                ""
            )
        }
        _ => format!(
            "{name:<13} missing: {}\n{:13} {purpose}; install it with: {}\n",
            problem.as_deref().unwrap_or_default(),
            "",
            install.as_deref().unwrap_or_default(),
        ),
    }
}
