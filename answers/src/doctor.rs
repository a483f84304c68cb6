//! What `wavetune doctor` prints.

use schemars::JsonSchema;
use serde::Serialize;

/// What is found on this machine.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DoctorReport {
    /// A row for each tool that wavetune knows.
    pub tools: Vec<Tool>,
    /// What confines compilers and the processes of GPUs; it is needed with `--sandbox` alone.
    pub sandbox: Tool,
    /// HIP and its GPUs.
    pub hip: Hip,
}

/// One tool; with a path and a version if it was found, else with what is wrong.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// Where it is; none where it was not found.
    pub path: Option<String>,
    /// Its version; none where it was not found.
    pub version: Option<String>,
    /// Why it cannot be used; none where it can.
    pub problem: Option<String>,
    /// How it is installed; none where it can be used.
    pub install: Option<String>,
}

/// What HIP there is.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Hip {
    /// Whether there are GPUs.
    pub state: HipState,
    /// A row for each device of the library.
    pub devices: Vec<Gpu>,
    /// Why there is none; none where there is one.
    pub problem: Option<String>,
}

/// Whose devices HIP has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HipState {
    /// GPUs.
    Real,
    /// Our own library: it has no GPU, and times are modelled.
    Emulated,
    /// No library, or no GPU.
    None,
}

/// A device of the library. What the library says is as it says it.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Gpu {
    /// What `tune --device` calls it.
    pub device: String,
    /// Its row in the device table; none where it cannot be tuned for.
    pub part: Option<&'static str>,
    /// Its number among the devices that a process sees.
    pub ordinal: u32,
    /// Product name, such as `AMD Instinct MI300X`; of our own library it begins with `EMULATED`.
    pub name: String,
    /// Instruction set and features, such as `gfx942:sramecc+:xnack-`.
    pub arch: String,
    /// Compute units, or workgroup processors on RDNA.
    pub multiprocessors: u32,
    /// Peak engine clock in kHz.
    pub clock_khz: u32,
    /// Peak memory clock in kHz.
    pub memory_clock_khz: u32,
    /// Width of the memory bus in bits.
    pub memory_bus_bits: u32,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// PCI address, such as `0000:c1:00.0`.
    pub pci: String,
    /// What tells the device from any other; none before ROCm 6, and where the device has none.
    pub uuid: Option<String>,
    /// Version of the runtime library, such as `6.3.42134`.
    pub runtime: String,
    /// Version of the driver that the runtime was made for.
    pub driver: String,
    /// Version of the kernel's module; none where it says none.
    pub kernel_driver: Option<String>,
    /// The library.
    pub library: String,
    /// Hash of the library's file, where it is software alone: it is driver and device.
    pub software: Option<String>,
    /// Why it cannot be tuned for; none where it can.
    pub problem: Option<String>,
}
