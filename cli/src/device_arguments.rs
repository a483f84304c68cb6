//! Devices as arguments: an emulated one, or a GPU that a child process of this program uses.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use bench_harness::hip::{self, HipDeviceFacts, HipOptions, HipRig, Unavailable};
use bench_harness::timing::Mode;
use bench_harness::{EmulatedDevice, Rig};
use clap::{Args, ValueEnum};
use codegen_sandbox::Sandbox;

use crate::sandbox;
use crate::value_parsers::{device_error, devices};

/// A device, and the options of its process.
#[derive(Args)]
pub(crate) struct DeviceArguments {
    /// Device to use.
    ///
    /// emulated:NAME, or NAME alone, is an emulated GPU. `wavetune devices` lists the names. hip:N
    /// is a GPU of this machine.
    #[arg(long, default_value = "emulated:mi300x", value_parser = devices(), hide_possible_values = true)]
    device: String,
    #[command(flatten)]
    library: HipLibrary,
    /// Cache state at a kernel's start.
    ///
    /// cold: the caches hold no input. warm: the caches hold data of earlier launches. An emulated
    /// device supports only cold.
    #[arg(long, value_enum, default_value = "cold")]
    caches: Caches,
    /// Wait for a GPU that is in use.
    #[arg(long)]
    wait: bool,
}

/// A device, and the number of agents that use it.
#[derive(Args)]
pub(crate) struct WorkerArguments {
    #[command(flatten)]
    device: DeviceArguments,
    /// Worker threads [default: one per core].
    ///
    /// A GPU has one worker.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

/// [`Mode`], as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Caches {
    Cold,
    Warm,
}

/// The HIP library.
#[derive(Args)]
pub(crate) struct HipLibrary {
    /// Path of the HIP library.
    ///
    /// The default is libamdhip64.so of ROCM_PATH, of /opt/rocm, or of the system.
    #[arg(
        long = "hip-library",
        value_name = "FILE",
        env = "WAVETUNE_HIP_LIBRARY"
    )]
    hip_library: Option<OsString>,
}

impl HipLibrary {
    /// Returns the named file. An empty variable names none.
    pub(crate) fn named(&self) -> Option<PathBuf> {
        let named = self.hip_library.as_ref().filter(|file| !file.is_empty());
        named.map(PathBuf::from)
    }

    /// Lists the devices of the library.
    pub(crate) fn devices(&self) -> anyhow::Result<Result<Vec<HipDeviceFacts>, Unavailable>> {
        Ok(hip::devices(&sandbox::device(None)?, self.named()))
    }
}

/// Prefix of a GPU's name.
const HIP: &str = "hip:";

impl DeviceArguments {
    /// Returns the name of the device.
    pub(crate) fn name(&self) -> &str {
        &self.device
    }

    /// Opens the device. A GPU's process runs in the sandbox, if there is one.
    pub(crate) fn rig(&self, sandbox: Option<Sandbox>) -> anyhow::Result<Box<dyn Rig>> {
        if let Some(ordinal) = self.ordinal()? {
            let options = HipOptions {
                ordinal,
                library: self.library.named(),
                wait: self.wait,
                mode: match self.caches {
                    Caches::Cold => Mode::Cold,
                    Caches::Warm => Mode::Warm,
                },
            };
            let rig = HipRig::start(sandbox::device(sandbox)?, options)?;
            return Ok(Box::new(rig));
        }
        if self.caches == Caches::Warm {
            bail!(
                "{}: an emulated device supports cold caches only",
                self.device
            );
        }
        let device = EmulatedDevice::named(&self.device);
        let device = device.map_err(|error| {
            device_error(&self.device, format_args!("{error}, or hip:N, a GPU"))
        })?;
        Ok(Box::new(device))
    }

    fn ordinal(&self) -> anyhow::Result<Option<u32>> {
        ordinal(&self.device)
    }
}

/// Returns the number of the GPU with this name, or `None` for an emulated device.
pub(crate) fn ordinal(device: &str) -> anyhow::Result<Option<u32>> {
    let Some(number) = device.strip_prefix(HIP) else {
        return Ok(None);
    };
    let number = number.parse();
    let number = number.with_context(|| {
        format!("unknown device {device:?}: the GPUs are hip:0, hip:1 and so on")
    })?;
    Ok(Some(number))
}

impl WorkerArguments {
    /// Returns the name of the device.
    pub(crate) fn name(&self) -> &str {
        self.device.name()
    }

    /// Opens a device for each worker. A GPU's process runs in the sandbox, if there is one.
    pub(crate) fn rigs(&self, sandbox: Option<Sandbox>) -> anyhow::Result<Vec<Box<dyn Rig>>> {
        let workers = match self.device.ordinal()? {
            None => self.jobs(),
            // Kernels of two workers on one GPU would disturb each other's times.
            Some(_) if self.jobs.is_some_and(|jobs| jobs > 1) => bail!(
                "{} has only one worker, because kernels that run together disturb each other's times",
                self.name()
            ),
            Some(_) => 1,
        };
        let rig = |_| self.device.rig(sandbox.clone());
        (0..workers).map(rig).collect()
    }

    /// Returns the number of worker threads, for workers that share no device.
    pub(crate) fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        self.jobs.map_or_else(cores, usize::from)
    }
}

/// Drive a GPU for the parent process.
#[derive(Args)]
pub(crate) struct ChildArguments {}

/// Serves the parent process as the process of a device, until the parent ends.
pub(crate) fn serve() -> ExitCode {
    hip::serve_parent()
}
