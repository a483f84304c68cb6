//! The selection of the only device.

use configgen::Device as Row;
use emulator::Isa;
use emulator::model::Machine;

use crate::error::{Error, Result, explain};
use crate::journal::Journal;
use crate::known_times::KnownTimes;

/// The environment variable that names the device.
const DEVICE: &str = "WAVETUNE_HIP_DEVICE";
/// The default device.
const DEFAULT: &str = "mi300x";
/// The environment variable for the largest number of instructions of a wave. A kernel with more
/// counts as one that hangs.
const INSTRUCTION_LIMIT: &str = "WAVETUNE_HIP_INSTRUCTION_LIMIT";
const DEFAULT_INSTRUCTION_LIMIT: u64 = 2_000_000_000;
/// The environment variable for the emulator's checker. With `1`, a launch with findings fails.
const CHECK: &str = "WAVETUNE_HIP_CHECK";
/// The environment variable for times alone. With `1`, a launch has its modelled time and is not
/// executed.
const TIME_ONLY: &str = "WAVETUNE_HIP_TIME_ONLY";
/// The environment variable for the contents of the caches.
const CACHES: &str = "WAVETUNE_HIP_CACHES";

/// The contents of the caches at a launch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CacheMode {
    /// The lines that the launches before have left.
    AsRun,
    /// Nothing.
    Cold,
    /// The lines that the same launch would have left.
    Warm,
}

/// An emulated device.
pub(crate) struct SelectedDevice {
    pub(crate) row: &'static Row,
    pub(crate) machine: Machine,
    pub(crate) isa: Isa,
    pub(crate) memory_bytes: u64,
    pub(crate) instruction_limit: u64,
    pub(crate) check: bool,
    pub(crate) is_time_only: bool,
    pub(crate) caches: CacheMode,
    pub(crate) journal: Journal,
    pub(crate) known_times: KnownTimes,
}

impl SelectedDevice {
    /// Returns the device that the environment selects. Returns `None`, with the reason on
    /// standard error, if there is no such device.
    pub(crate) fn of_environment() -> Option<SelectedDevice> {
        let name = std::env::var(DEVICE).unwrap_or_default();
        let name = if name.is_empty() { DEFAULT } else { &name };
        let Some(row) = Row::named(name) else {
            let names: Vec<&str> = configgen::DEVICES.iter().map(|row| row.name).collect();
            explain(format!(
                "{DEVICE}={name}: unknown device; one of {}",
                names.join(", ")
            ));
            return None;
        };
        let isa = row.target().name;
        // The row's target name is an instruction set of the emulator.
        let isa = Isa::ALL.into_iter().find(|one| one.name() == isa)?;
        let limit = match std::env::var(INSTRUCTION_LIMIT).ok() {
            None => DEFAULT_INSTRUCTION_LIMIT,
            Some(text) => text.parse().unwrap_or_else(|_| {
                explain(format!(
                    "{INSTRUCTION_LIMIT}={text} is not a number, and is ignored"
                ));
                DEFAULT_INSTRUCTION_LIMIT
            }),
        };
        let caches = match std::env::var(CACHES).unwrap_or_default().as_str() {
            "" | "as-run" => CacheMode::AsRun,
            "cold" => CacheMode::Cold,
            "warm" => CacheMode::Warm,
            other => {
                explain(format!(
                    "{CACHES}={other} is not one of as-run, cold, warm, and is ignored"
                ));
                CacheMode::AsRun
            }
        };
        let is_set = |name: &str| std::env::var(name).is_ok_and(|value| value == "1");
        Some(SelectedDevice {
            row,
            machine: bench_harness::machine(row),
            isa,
            memory_bytes: row.dram_bytes.value as u64,
            instruction_limit: limit,
            check: is_set(CHECK),
            is_time_only: is_set(TIME_ONLY),
            caches,
            journal: Journal::of_environment(),
            known_times: KnownTimes::of_environment(),
        })
    }

    /// Returns `EMULATED AMD` and the product.
    pub(crate) fn name(&self) -> String {
        format!("EMULATED AMD {}", self.row.product)
    }

    /// Returns the instruction set with the features that its code must agree with (AMDGPUUsage,
    /// "Target ID"). CDNA parts correct errors in registers and do not replay page faults.
    pub(crate) fn arch(&self) -> String {
        let features = match self.isa {
            Isa::Gfx906 | Isa::Gfx90a | Isa::Gfx942 | Isa::Gfx950 => ":sramecc+:xnack-",
            _ => "",
        };
        format!("{}{features}", self.isa.name())
    }

    /// Returns 16 characters, as ROCm does: the same for the same device.
    pub(crate) fn uuid(&self) -> [u8; 16] {
        let mut uuid = *b"emulated-gpu-000";
        let name = self.row.name.as_bytes();
        let length = name.len().min(7);
        uuid[9..9 + length].copy_from_slice(&name[..length]);
        uuid
    }

    /// Returns the number of compute units that a program sees. Those of a workgroup processor
    /// count as one (RDNA).
    // HIP counts workgroup processors as multiprocessors on RDNA.
    pub(crate) fn processors(&self) -> u32 {
        self.machine.compute_units / self.machine.units_per_group.max(1)
    }
}

/// Checks that the ordinal is 0, the only device.
pub(crate) fn check_ordinal(device: i32) -> Result<()> {
    (device == 0).then_some(()).ok_or(Error::InvalidDevice)
}
