//! `wavetune doctor`: shows the tools and GPUs that were found, their versions and their
//! purposes.

use answers::doctor::{self, DoctorReport, Gpu, Hip, HipState};
use bench_harness::hip::{HipDeviceFacts, Unavailable};
use clap::Args;
use codegen::tools::{self, Tool};
use codegen_sandbox::{Sandbox, SandboxError};

use crate::Exit;
use crate::device_arguments::HipLibrary;
use crate::output::{OutputFormat, print, print_json};

/// Show the tools and GPUs of this machine.
///
/// Prints the version and the purpose of each tool.
#[derive(Args)]
#[command(
    after_long_help = "Exit codes: 0 all required tools found, 1 a tool is missing. A GPU and a sandbox are optional.\n\nExamples:\n  wavetune doctor"
)]
pub(crate) struct DoctorArguments {
    #[command(flatten)]
    library: HipLibrary,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

pub(crate) fn run(arguments: &DoctorArguments) -> anyhow::Result<Exit> {
    let rows: Vec<doctor::Tool> = Tool::ALL.into_iter().map(row).collect();
    // A GPU and a sandbox are optional, so they do not count.
    let complete = rows.iter().all(|row| row.problem.is_none());
    let sandbox = sandbox();
    let hip = hip(arguments.library.devices()?);
    match arguments.output_format {
        OutputFormat::Json => print_json(&DoctorReport {
            tools: rows,
            sandbox,
            hip,
        })?,
        OutputFormat::Text => {
            let tools: String = Tool::ALL.into_iter().zip(&rows).map(line).collect();
            print(&(tools + &sandbox_line(&sandbox) + &hip_lines(&hip)))?;
        }
    }
    Ok(if complete {
        Exit::Found
    } else {
        Exit::NotFound
    })
}

fn row(tool: Tool) -> doctor::Tool {
    let row = doctor::Tool {
        name: tool.name(),
        purpose: tool.purpose(),
        path: None,
        version: None,
        problem: None,
        install: None,
    };
    match tools::find(tool) {
        Ok(found) => doctor::Tool {
            path: Some(found.path.display().to_string()),
            version: Some(found.version),
            ..row
        },
        Err(missing) => doctor::Tool {
            problem: Some(missing.reason),
            install: Some(tool.install()),
            ..row
        },
    }
}

/// Returns the row of bubblewrap, with the reason if it does not work.
fn sandbox() -> doctor::Tool {
    let row = doctor::Tool {
        name: "bubblewrap",
        purpose: "confines compilers and the processes of GPUs, with --sandbox",
        path: None,
        version: None,
        problem: None,
        install: None,
    };
    match Sandbox::find() {
        Ok(found) => doctor::Tool {
            path: Some(found.program().display().to_string()),
            version: Some(found.version().unwrap_or_default()),
            ..row
        },
        Err(refusal) => doctor::Tool {
            // Only a missing bubblewrap can be installed; a forbidden one needs a change of the
            // system.
            install: (refusal == SandboxError::Missing)
                .then(|| "sudo apt-get install bubblewrap".to_owned()),
            problem: Some(refusal.to_string()),
            ..row
        },
    }
}

fn sandbox_line(row: &doctor::Tool) -> String {
    let doctor::Tool {
        name,
        purpose,
        path,
        version,
        problem,
        ..
    } = row;
    match (path, version) {
        (Some(path), Some(version)) => found_line(name, version, path, purpose),
        _ => format!(
            "{name:<13} {}\n{:13} {purpose}\n",
            problem.as_deref().unwrap_or_default(),
            ""
        ),
    }
}

fn found_line(name: &str, version: &str, path: &str, purpose: &str) -> String {
    format!("{name:<13} {version:<28} {path}\n{:13} {purpose}\n", "")
}

fn line((tool, row): (Tool, &doctor::Tool)) -> String {
    let doctor::Tool {
        name,
        purpose,
        path,
        version,
        problem,
        install,
    } = row;
    match (path, version) {
        (Some(path), Some(version)) => found_line(name, version, path, purpose),
        _ => format!(
            "{name:<13} missing: {}\n{:13} {purpose}; install it with: {}{}\n",
            problem.as_deref().unwrap_or_default(),
            "",
            install.as_deref().unwrap_or_default(),
            tool.other_versions(),
        ),
    }
}

fn hip(found: Result<Vec<HipDeviceFacts>, Unavailable>) -> Hip {
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
    Hip {
        state: match facts.iter().any(HipDeviceFacts::is_emulated) {
            true => HipState::Emulated,
            false => HipState::Real,
        },
        devices: facts.into_iter().map(gpu).collect(),
        problem: None,
    }
}

fn gpu(facts: HipDeviceFacts) -> Gpu {
    let row = facts.row();
    Gpu {
        device: format!("hip:{}", facts.ordinal),
        part: row.as_ref().ok().map(|row| row.name),
        ordinal: facts.ordinal,
        problem: row.err().map(|error| error.to_string()),
        name: facts.name,
        arch: facts.arch,
        multiprocessors: facts.multiprocessors,
        clock_khz: facts.clock_khz,
        memory_clock_khz: facts.memory_clock_khz,
        memory_bus_bits: facts.memory_bus_bits,
        memory_bytes: facts.memory_bytes,
        pci: facts.pci,
        uuid: facts.uuid,
        runtime: facts.runtime,
        driver: facts.driver,
        kernel_driver: facts.kernel_driver,
        library: facts.library,
        software: facts.software,
    }
}

const HIP: &str = "HIP";
const HIP_PURPOSE: &str = "measures on GPUs with --device hip:N";

fn hip_lines(hip: &Hip) -> String {
    let Some(first) = hip.devices.first() else {
        let problem = hip.problem.as_deref().unwrap_or_default();
        return format!("{HIP:<13} no GPU: {problem}\n{:13} {HIP_PURPOSE}\n", "");
    };
    let Gpu {
        runtime, library, ..
    } = first;
    // All devices of a library have its version, so the first one stands for them.
    let version = match hip.state {
        HipState::Emulated => format!("{runtime}, in software"),
        HipState::Real | HipState::None => runtime.clone(),
    };
    let purpose = match hip.state {
        HipState::Emulated => "emulates a GPU with modelled times",
        HipState::Real | HipState::None => HIP_PURPOSE,
    };
    let devices = hip.devices.iter().map(|gpu| {
        let Gpu {
            device, name, arch, ..
        } = gpu;
        match &gpu.problem {
            None => format!("{:13} {device}: {name}, {arch}\n", ""),
            Some(problem) => format!("{:13} {device}: {problem}\n", ""),
        }
    });
    let head = format!("{HIP:<13} {version:<28} {library}\n{:13} {purpose}\n", "");
    devices.fold(head, |text, device| text + &device)
}
