//! The baseline of an operation: IREE's untuned kernels, run by its own runtime on the emulated
//! device, with their times.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use testing::Failed;

use crate::iree_rows::host;
use crate::iree_rows::limited;
use crate::iree_rows::operation::{Operation, joined};
use crate::iree_rows::tools::Tools;

/// Time limits of a compilation, and of an emulation.
const COMPILING: Duration = Duration::from_secs(120);
const RUNNING: Duration = Duration::from_secs(400);

/// The result of an operation.
pub(crate) struct Baseline {
    /// Modelled time of all work of the device, in microseconds.
    pub(crate) time_us: f64,
    /// The kernels; the number of copies and fills follows.
    pub(crate) kernels: Vec<Dispatch>,
    pub(crate) others: usize,
    /// The largest error, in units in the last place of the result's type.
    pub(crate) error: f64,
}

/// A launched kernel.
pub(crate) struct Dispatch {
    pub(crate) name: String,
    pub(crate) time_us: f64,
    pub(crate) workgroups: String,
    pub(crate) workgroup_size: String,
}

/// Compiles an operation with only the target as an option, and runs it. The inner error is
/// IREE's: it is a line of the table.
///
/// # Errors
///
/// Faults other than IREE's.
pub(crate) fn of(tools: &Tools, operation: &Operation) -> Result<Result<Baseline, String>, Failed> {
    let folder = tempfile::tempdir()?;
    let module = folder.path().join("module.vmfb");
    if let Err(reason) = compile(tools, operation, &module)? {
        return Ok(Err(reason));
    }
    let mut inputs = Vec::new();
    for (number, (sizes, element)) in operation.inputs().into_iter().enumerate() {
        let bytes = element.drawn(sizes.iter().product(), 1 + number as u64);
        let file = folder.path().join(format!("input{number}.bin"));
        fs::write(&file, &bytes)?;
        let shape = joined(&sizes);
        inputs.push((
            format!("--input={shape}x{}=@{}", element.name(), file.display()),
            element.numbers(&bytes),
        ));
    }
    let lengths = operation.inputs().into_iter();
    let lengths = lengths.map(|(sizes, element)| sizes.iter().product::<usize>() * element.size());
    let (flags, numbers): (Vec<String>, Vec<Vec<f64>>) = inputs.into_iter().unzip();
    let (result, times) = (
        folder.path().join("result.bin"),
        folder.path().join("times"),
    );
    if let Err(reason) = run(tools, &module, &flags, &result, &times)? {
        return Ok(Err(reason));
    }
    let found = fs::read(&result)?;
    let error = host::error(operation, &numbers, &operation.result().numbers(&found));
    let given: Vec<usize> = lengths.collect();
    read(&fs::read_to_string(&times)?, &given, found.len(), error).map(Ok)
}

fn compile(tools: &Tools, operation: &Operation, to: &Path) -> Result<Result<(), String>, Failed> {
    let source = to.with_extension("mlir");
    fs::write(&source, operation.mlir())?;
    let mut command = Command::new(tools.compiler());
    command
        .args(["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"])
        .args([&source, Path::new("-o"), to]);
    ended("does not compile", &mut command, COMPILING)
}

fn run(
    tools: &Tools,
    module: &Path,
    inputs: &[String],
    result: &Path,
    times: &Path,
) -> Result<Result<(), String>, Failed> {
    let mut command = tools.device_runner("mi300x");
    command
        .arg(format!("--module={}", module.display()))
        .arg("--function=main")
        .args(inputs)
        .arg(format!("--output=@{}", result.display()))
        .env("WAVETUNE_HIP_TIMES", times);
    ended("does not run", &mut command, RUNNING)
}

/// Runs a program. A failure becomes its meaning and the program's last line.
fn ended(what: &str, command: &mut Command, limit: Duration) -> Result<Result<(), String>, Failed> {
    let output = match limited::output_within(command, limit) {
        Ok(output) => output,
        Err(hung) => {
            return Ok(Err(format!(
                "{what}: {}",
                hung.message().unwrap_or("hangs")
            )));
        }
    };
    if output.status.success() {
        return Ok(Ok(()));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let errors = said.lines().filter(|line| {
        line.contains("error:") || line.starts_with("libwavetune_hip") || line.contains("; ")
    });
    let reason = errors.map(str::to_owned).next();
    let reason = reason.unwrap_or_else(|| said.chars().take(300).collect());
    Ok(Err(format!("{what}: {reason}")))
}

/// Parses a journal of the library. iree-run-module copies the inputs before the first kernel,
/// and the result behind the last one, through its own buffers. Copies of those sizes are not the
/// module's.
fn read(journal: &str, given: &[usize], taken: usize, error: f64) -> Result<Baseline, Failed> {
    let mut baseline = Baseline {
        time_us: 0.0,
        kernels: Vec::new(),
        others: 0,
        error,
    };
    let lines: Vec<Vec<&str>> = journal.lines().map(|it| it.split('\t').collect()).collect();
    let is_kernel = |cells: &Vec<&str>| cells[0] == "kernel";
    let first = lines.iter().position(is_kernel).unwrap_or_default();
    let last = lines.iter().rposition(is_kernel).unwrap_or_default();
    for (number, cells) in lines.iter().enumerate() {
        let copied = match cells[..] {
            ["copy", _, bytes] => bytes.parse().ok(),
            _ => None,
        };
        let is_of_runner = copied.is_some_and(|bytes: usize| {
            number < first && given.contains(&bytes) || number > last && bytes == taken
        });
        if is_of_runner {
            continue;
        }
        let time_us = cells.get(1).and_then(|time| time.parse().ok());
        let time_us: f64 = time_us.ok_or_else(|| format!("no time in {cells:?}"))?;
        baseline.time_us += time_us;
        match cells[..] {
            ["kernel", _, name, workgroups, workgroup_size, ..] => {
                baseline.kernels.push(Dispatch {
                    name: name.to_owned(),
                    time_us,
                    workgroups: workgroups.to_owned(),
                    workgroup_size: workgroup_size.to_owned(),
                })
            }
            _ => baseline.others += 1,
        }
    }
    Ok(baseline)
}
