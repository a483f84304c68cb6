//! The output of `wavetune doctor`.

use schemars::JsonSchema;
use serde::Serialize;

/// The tools and devices of this machine.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DoctorReport {
    /// The tools that wavetune knows, one row each.
    pub tools: Vec<Tool>,
    /// The tool that confines compilers and GPU processes. Only `--sandbox` needs it.
    pub sandbox: Tool,
    /// HIP and its GPUs.
    pub hip: Hip,
}

/// A tool: with a path and a version if it was found, and otherwise with the fault.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Tool {
    /// The name.
    pub name: &'static str,
    /// The purpose.
    pub purpose: &'static str,
    /// The path; `null` if the tool was not found.
    pub path: Option<String>,
    /// The version; `null` if the tool was not found.
    pub version: Option<String>,
    /// The reason why the tool is not usable; `null` if it is.
    pub problem: Option<String>,
    /// The way to install the tool; `null` if it is usable.
    pub install: Option<String>,
}

/// The HIP library and its devices.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Hip {
    /// The kind of devices.
    pub state: HipState,
    /// The devices of the library, one row each.
    pub devices: Vec<Gpu>,
    /// The reason why there is no device; `null` if there is one.
    pub problem: Option<String>,
}

/// The kind of devices that HIP has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HipState {
    /// The devices are GPUs.
    Real,
    /// The library is wavetune's own: it has no GPU, and times are modelled.
    Emulated,
    /// There is no library, or no GPU.
    None,
}

/// A device of the library. The text fields are copies of the library's answers.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Gpu {
    /// The name that `tune --device` takes.
    pub device: String,
    /// The row of the device table; `null` if wavetune cannot tune for the device.
    pub part: Option<&'static str>,
    /// The number of the device within a process.
    pub ordinal: u32,
    /// The product name, such as `AMD Instinct MI300X`. A device of wavetune's own library begins
    /// with `EMULATED`.
    pub name: String,
    /// The instruction set and its features, such as `gfx942:sramecc+:xnack-`.
    pub arch: String,
    /// The compute units, or the workgroup processors on RDNA.
    pub multiprocessors: u32,
    /// The peak engine clock in kHz.
    pub clock_khz: u32,
    /// The peak memory clock in kHz.
    pub memory_clock_khz: u32,
    /// The width of the memory bus in bits.
    pub memory_bus_bits: u32,
    /// The memory in bytes.
    pub memory_bytes: u64,
    /// The PCI address, such as `0000:c1:00.0`.
    pub pci: String,
    /// The unique identifier of the device; `null` before ROCm 6, and if the device has none.
    pub uuid: Option<String>,
    /// The version of the runtime library, such as `6.3.42134`.
    pub runtime: String,
    /// The version of the driver that the runtime was made for.
    pub driver: String,
    /// The version of the kernel module; `null` if it reports none.
    pub kernel_driver: Option<String>,
    /// The path of the library.
    pub library: String,
    /// The hash of the library file if the library is emulated. It then identifies both the
    /// driver and the device.
    pub software: Option<String>,
    /// The reason why wavetune cannot tune for the device; `null` if it can.
    pub problem: Option<String>,
}
