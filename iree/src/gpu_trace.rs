//! IREE's runtime on a GPU, traced by AMD's rocprofv3.
//!
//! `rocprofv3` runs `iree-benchmark-module` and writes a table of kernels and one of copies, with
//! the device's own time stamps in nanoseconds. The runtime library copies and fills with kernels
//! of its own. Their names begin with `__amd_rocclr_`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::IreeError;
use super::compiler::folder;
use super::runtime::IreeRuntime;

/// A GPU, and the program that traces it.
#[derive(Debug, Clone)]
pub struct TracedGpu {
    /// The GPU's number, as `HIP_VISIBLE_DEVICES` counts.
    pub ordinal: u32,
    /// The HIP library. `None` is the one that IREE's runtime finds.
    pub library: Option<PathBuf>,
    /// The path of rocprofv3.
    pub tracer: PathBuf,
}

/// A command that the GPU executed.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedCommand {
    /// The kind.
    pub kind: TracedKind,
    /// The time between its begin and its end, in microseconds.
    pub time_us: f64,
}

/// The kind of a traced command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TracedKind {
    /// The launch of the kernel with this name.
    Kernel(String),
    /// A copy, by a kernel of the runtime library or by a copy engine.
    Copy,
    /// A fill, by a kernel of the runtime library.
    Fill,
}

impl TracedGpu {
    /// Returns a GPU with the rocprofv3 in `PATH`, in `ROCM_PATH` or in /opt/rocm. `None` if there
    /// is none.
    pub fn find(ordinal: u32, library: Option<PathBuf>) -> Option<TracedGpu> {
        Some(TracedGpu {
            ordinal,
            library,
            tracer: codegen::tools::find_rocprof()?,
        })
    }
}

impl IreeRuntime {
    /// Calls a function so many times on a GPU. Returns all commands of the program in the order
    /// of their submission: those that load the module and copy its inputs come first.
    ///
    /// # Errors
    ///
    /// [`IreeError`]: a program failed, or the trace has an unknown form.
    pub fn traced_calls(
        &self,
        module: &Path,
        function: &str,
        inputs: &[String],
        gpu: &TracedGpu,
        calls: u32,
    ) -> Result<Vec<TracedCommand>, IreeError> {
        let folder = folder()?;
        let mut command = Command::new(&gpu.tracer);
        command
            .args(["--kernel-trace", "--memory-copy-trace"])
            .args(["--output-format", "csv", "--output-file", "call"])
            .arg("--output-directory")
            .arg(folder.path())
            .arg("--")
            .arg(self.program("iree-benchmark-module"))
            // The only GPU that it sees is the named one.
            .arg("--device=hip")
            .args(gpu.library.iter().map(|library| {
                let mut option = OsString::from("--hip_dylib_path=file:");
                option.push(library);
                option
            }))
            .arg(format!("--module={}", module.display()))
            .arg(format!("--function={function}"))
            .args(inputs.iter().map(|value| format!("--input={value}")))
            .arg(format!("--benchmark_min_time={calls}x"))
            .env("HIP_VISIBLE_DEVICES", gpu.ordinal.to_string());
        self.run(&mut command, "rocprofv3")?;
        let mut found = Vec::new();
        for end in ["kernel_trace.csv", "memory_copy_trace.csv"] {
            // Without a copy there is no table of copies.
            if let Some(path) = file_with_end(folder.path(), end)? {
                let text = fs::read(&path).map_err(IreeError::io(&path))?;
                found.extend(commands(&text).map_err(|reason| IreeError::Runtime {
                    message: format!("{end} of rocprofv3: {reason}"),
                })?);
            }
        }
        found.sort_by_key(|(order, _)| *order);
        Ok(found.into_iter().map(|(_, command)| command).collect())
    }
}

/// Returns the file with such an end in a folder or in those below it: versions of rocprofv3 differ
/// in the folders that they make.
fn file_with_end(folder: &Path, end: &str) -> Result<Option<PathBuf>, IreeError> {
    for entry in fs::read_dir(folder).map_err(IreeError::io(folder))? {
        let entry = entry.map_err(IreeError::io(folder))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(IreeError::io(&path))?;
        if kind.is_dir() {
            if let Some(found) = file_with_end(&path, end)? {
                return Ok(Some(found));
            }
        } else if entry.file_name().to_string_lossy().ends_with(end) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// The position of a command: the number of its API call, then the begin in nanoseconds. Kernels
/// of several queues may begin in another order.
type Order = (u64, u64);

/// Reads a table of rocprofv3.
fn commands(table: &[u8]) -> Result<Vec<(Order, TracedCommand)>, String> {
    let mut reader = csv::Reader::from_reader(table);
    let head = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| head.iter().position(|it| it == name);
    let needed = |name: &str| column(name).ok_or_else(|| format!("no column {name}"));
    let (correlation, begin) = (needed("Correlation_Id")?, needed("Start_Timestamp")?);
    let end = needed("End_Timestamp")?;
    // Copies have none.
    let name = column("Kernel_Name");
    let mut found = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| error.to_string())?;
        let number = |at: usize| {
            let cell = row.get(at).unwrap_or_default();
            let number = cell.parse::<u64>();
            number.map_err(|_| {
                format!(
                    "{:?} is no number",
                    cell.chars().take(40).collect::<String>()
                )
            })
        };
        let order = (number(correlation)?, number(begin)?);
        let length = number(end)?.checked_sub(order.1);
        let length = length.ok_or("a command ends before its begin")?;
        let kind = match name.map(|at| row.get(at).unwrap_or_default()) {
            None => TracedKind::Copy,
            Some(name) if name.starts_with("__amd_rocclr_copy") => TracedKind::Copy,
            Some(name) if name.starts_with("__amd_rocclr_fill") => TracedKind::Fill,
            // ROCm's symbol of a kernel's descriptor ends so.
            Some(name) => TracedKind::Kernel(name.trim_end_matches(".kd").to_owned()),
        };
        let time_us = length as f64 / 1000.0;
        found.push((order, TracedCommand { kind, time_us }));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the commands of a table, each as its name, order and time.
    #[track_caller]
    fn check(table: &str, expected: Result<&[&str], &str>) {
        let printed = |(order, command): (Order, TracedCommand)| {
            format!("{:?} {order:?} {}", command.kind, command.time_us)
        };
        let found = commands(table.as_bytes());
        let found = found.map(|all| all.into_iter().map(printed).collect::<Vec<_>>());
        let expected = expected.map(|all| all.iter().map(|it| (*it).to_owned()).collect());
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    #[test]
    fn tables_of_the_tracer() {
        check(
            "\"Kind\",\"Dispatch_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"
\"KERNEL_DISPATCH\",1,\"main_dispatch_0\",7,1551874061244694,1551874061255734
\"KERNEL_DISPATCH\",2,\"void sum<float>(float*, int)\",8,10,20
\"KERNEL_DISPATCH\",3,\"main.kd\",8,10,20
\"KERNEL_DISPATCH\",4,\"__amd_rocclr_fillBufferAligned\",9,20,1020
\"KERNEL_DISPATCH\",5,\"__amd_rocclr_copyBuffer\",9,20,1021
",
            Ok(&[
                "Kernel(\"main_dispatch_0\") (7, 1551874061244694) 11.04",
                "Kernel(\"void sum<float>(float*, int)\") (8, 10) 0.01",
                "Kernel(\"main\") (8, 10) 0.01",
                "Fill (9, 20) 1",
                "Copy (9, 20) 1.001",
            ]),
        );
        check(
            "Kind,Direction,Correlation_Id,Start_Timestamp,End_Timestamp
MEMORY_COPY,MEMORY_COPY_DEVICE_TO_DEVICE,3,100,2100
",
            Ok(&["Copy (3, 100) 2"]),
        );
        check("", Err("no column Correlation_Id"));
        let head = "Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp\n";
        check(head, Ok(&[]));
        check(&format!("{head}a,1,2,x\n"), Err("\"x\" is no number"));
        check(
            &format!("{head}a,1,20,10\n"),
            Err("a command ends before its begin"),
        );
        let short = format!("{head}a,1\n");
        assert!(commands(short.as_bytes()).is_err());
    }
}
