//! The one device: which it is.

use configgen::Device as Row;
use emulator::Isa;
use emulator::model::Machine;

use crate::error::{Error, Result, explain};
use crate::journal::Journal;

/// Names the device.
const DEVICE: &str = "WAVETUNE_HIP_DEVICE";
/// The device where nothing is said.
const DEFAULT: &str = "mi300x";
/// Most instructions that a wave may execute before its kernel counts as one that hangs.
const INSTRUCTION_LIMIT: &str = "WAVETUNE_HIP_INSTRUCTION_LIMIT";
const DEFAULT_INSTRUCTION_LIMIT: u64 = 2_000_000_000;
/// `1`: the emulator's checker looks on, and a launch with findings fails.
const CHECK: &str = "WAVETUNE_HIP_CHECK";

/// An emulated device.
pub(crate) struct SelectedDevice {
    pub(crate) row: &'static Row,
    pub(crate) machine: Machine,
    pub(crate) isa: Isa,
    pub(crate) memory_bytes: u64,
    pub(crate) instruction_limit: u64,
    pub(crate) check: bool,
    pub(crate) journal: Journal,
}

impl SelectedDevice {
    /// The device that the environment asks for; None, with the reason on standard error, if there is none.
    pub(crate) fn of_environment() -> Option<SelectedDevice> {
        let name = std::env::var(DEVICE).unwrap_or_default();
        let name = if name.is_empty() { DEFAULT } else { &name };
        let Some(row) = Row::named(name) else {
            let names: Vec<&str> = configgen::DEVICES.iter().map(|row| row.name).collect();
            explain(format!(
                "{DEVICE}={name}: no such device; one of {}",
                names.join(", ")
            ));
            return None;
        };
        let isa = row.target().name;
        let isa = Isa::ALL.into_iter().find(|one| one.name() == isa)?;
        let limit = match std::env::var(INSTRUCTION_LIMIT).ok() {
            None => DEFAULT_INSTRUCTION_LIMIT,
            Some(text) => text.parse().unwrap_or_else(|_| {
                explain(format!("{INSTRUCTION_LIMIT}={text}: no number, not heeded"));
                DEFAULT_INSTRUCTION_LIMIT
            }),
        };
        Some(SelectedDevice {
            row,
            machine: bench_harness::machine(row),
            isa,
            memory_bytes: row.dram_bytes.value as u64,
            instruction_limit: limit,
            check: std::env::var(CHECK).is_ok_and(|value| value == "1"),
            journal: Journal::of_environment(),
        })
    }

    /// `EMULATED` and the product.
    pub(crate) fn name(&self) -> String {
        format!("EMULATED AMD {}", self.row.product)
    }

    /// The instruction set with the features that code for it must agree with (AMDGPUUsage, "Target ID"): parts of CDNA
    /// correct errors in registers and replay no page faults.
    pub(crate) fn arch(&self) -> String {
        let features = match self.isa {
            Isa::Gfx906 | Isa::Gfx90a | Isa::Gfx942 | Isa::Gfx950 => ":sramecc+:xnack-",
            _ => "",
        };
        format!("{}{features}", self.isa.name())
    }

    /// 16 characters, as ROCm's are: the same for the same device.
    pub(crate) fn uuid(&self) -> [u8; 16] {
        let mut uuid = *b"emulated-gpu-000";
        let name = self.row.name.as_bytes();
        let length = name.len().min(7);
        uuid[9..9 + length].copy_from_slice(&name[..length]);
        uuid
    }

    /// Compute units that a program sees: those of a workgroup processor count as one (RDNA).
    pub(crate) fn processors(&self) -> u32 {
        self.machine.compute_units / self.machine.units_per_group.max(1)
    }
}

/// The only device is number 0.
pub(crate) fn check_ordinal(device: i32) -> Result<()> {
    (device == 0).then_some(()).ok_or(Error::InvalidDevice)
}
