//! `wavetune doctor`: which tools and GPUs were found, in which version, and what each is for.

use std::path::PathBuf;

use bench_harness::hip::{Facts, Unavailable};
use clap::Args;
use codegen::tools::{self, Tool};
use serde::Serialize;

use crate::Exit;
use crate::device::HipLibrary;
use crate::output::{Format, print, print_json};

/// Show which tools and GPUs were found, in which version, and what each is for.
#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 all tools found, 1 one is missing; a GPU is not needed.\n\nExamples:\n  wavetune doctor"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    library: HipLibrary,
    /// How to print the answer.
    #[arg(long, value_enum, default_value = "text")]
    output_format: Format,
}

/// The answer.
#[derive(Serialize)]
struct Answer {
    tools: Vec<Row>,
    hip: Hip,
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

/// What HIP there is.
#[derive(Serialize)]
struct Hip {
    state: HipState,
    devices: Vec<Gpu>,
    /// Why there is none.
    problem: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum HipState {
    /// GPUs.
    Real,
    /// Our own library: it has no GPU, and times are modelled.
    Emulated,
    /// No library, or no GPU.
    None,
}

/// A device of the library.
#[derive(Serialize)]
struct Gpu {
    /// What `tune --device` calls it.
    device: String,
    /// Its row in the device table; none where it cannot be tuned for.
    part: Option<&'static str>,
    #[serde(flatten)]
    facts: Facts,
    /// Why it cannot be tuned for.
    problem: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let rows: Vec<Row> = Tool::ALL.into_iter().map(row).collect();
    let complete = rows.iter().all(|row| row.problem.is_none());
    let hip = hip(arguments.library.devices()?);
    match arguments.output_format {
        Format::Json => print_json(&Answer { tools: rows, hip })?,
        Format::Text => {
            let tools: String = Tool::ALL.into_iter().zip(&rows).map(line).collect();
            print(&(tools + &hip_lines(&hip)))?;
        }
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

fn line((tool, row): (Tool, &Row)) -> String {
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
            "{name:<13} missing: {}\n{:13} {purpose}; install it with: {}{}\n",
            problem.as_deref().unwrap_or_default(),
            "",
            install.as_deref().unwrap_or_default(),
            tool.or_else(),
        ),
    }
}

fn hip(found: Result<Vec<Facts>, Unavailable>) -> Hip {
    let facts = match found {
        Ok(facts) => facts,
        Err(reason) => {
            return Hip {
                state: HipState::None,
                devices: Vec::new(),
                problem: Some(reason.to_string()),
            };
        }
    };
    let gpu = |facts: Facts| {
        let row = facts.row();
        Gpu {
            device: format!("hip:{}", facts.ordinal),
            part: row.as_ref().ok().map(|row| row.name),
            problem: row.err().map(|error| error.to_string()),
            facts,
        }
    };
    Hip {
        state: match facts.iter().any(Facts::is_emulated) {
            true => HipState::Emulated,
            false => HipState::Real,
        },
        devices: facts.into_iter().map(gpu).collect(),
        problem: None,
    }
}

const HIP: &str = "HIP";
const HIP_PURPOSE: &str = "to measure on GPUs, with --device hip:N";

fn hip_lines(hip: &Hip) -> String {
    let Some(first) = hip.devices.first() else {
        let problem = hip.problem.as_deref().unwrap_or_default();
        return format!("{HIP:<13} no GPU: {problem}\n{:13} {HIP_PURPOSE}\n", "");
    };
    let Facts {
        runtime, library, ..
    } = &first.facts;
    let version = match hip.state {
        HipState::Emulated => format!("{runtime}, in software"),
        HipState::Real | HipState::None => runtime.clone(),
    };
    let purpose = match hip.state {
        HipState::Emulated => "emulates a GPU, times are modelled",
        HipState::Real | HipState::None => HIP_PURPOSE,
    };
    let devices = hip.devices.iter().map(|gpu| {
        let Gpu { device, facts, .. } = gpu;
        match &gpu.problem {
            None => format!("{:13} {device}: {}, {}\n", "", facts.name, facts.arch),
            Some(problem) => format!("{:13} {device}: {problem}\n", ""),
        }
    });
    let head = format!("{HIP:<13} {version:<28} {library}\n{:13} {purpose}\n", "");
    devices.fold(head, |text, device| text + &device)
}
