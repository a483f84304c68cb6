//! Modelled time: of launches, by the emulator's time model, and of what memory does, by the device's bandwidth.
//!
//! A launch is profiled before it runs, on the memory that it finds, which the profile leaves as it is. Launches that
//! differ only in which buffers of the same sizes they have take the same time.

use std::collections::HashMap;
use std::sync::Arc;

use bench_harness::PROFILED_WORKGROUPS;
use emulator::model::{self, CacheState, Machine};
use emulator::{ArgumentKind, CodeObject, EmulatedMemory, LaunchFault};

use crate::device::SelectedDevice;
use crate::launch::LaunchCommand;
use crate::memory::AllocationTable;

/// Most launches whose times are kept.
const KEPT: usize = 100_000;

/// Most instructions of a wave while it is profiled: one that waits for the host never ends.
const INSTRUCTION_LIMIT: u64 = 50_000_000;

/// Launches that take the same time.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct LaunchKey {
    /// The code object, which the table keeps alive, by its address; and the kernel's name.
    code: usize,
    kernel: String,
    workgroups: [u32; 3],
    workgroup_size: [u32; 3],
    dynamic_lds_bytes: u32,
    /// The arguments, buffers by what is left of their allocations.
    arguments: Vec<u8>,
}

/// The times of launches that were profiled.
#[derive(Default)]
pub(crate) struct LaunchTimes {
    known: HashMap<LaunchKey, (Arc<CodeObject>, Option<f64>)>,
}

impl LaunchTimes {
    /// The time of these launches, if one of them was profiled; none within, if it is unknown.
    pub(crate) fn of(&self, key: &LaunchKey) -> Option<Option<f64>> {
        self.known.get(key).map(|(_, time)| *time)
    }

    /// Remembers the time of launches of a code object.
    pub(crate) fn keep(&mut self, key: LaunchKey, code: &Arc<CodeObject>, time: Option<f64>) {
        if self.known.len() >= KEPT {
            self.known.clear();
        }
        self.known.insert(key, (Arc::clone(code), time));
    }

    /// Forgets the launches of a code object that is unloaded: a program may load thousands.
    pub(crate) fn forget(&mut self, code: &Arc<CodeObject>) {
        self.known.retain(|_, (of, _)| !Arc::ptr_eq(of, code));
    }
}

/// The launches that take the same time as this one.
pub(crate) fn key(space: &AllocationTable, launch: &LaunchCommand) -> LaunchKey {
    let kernel = launch.function.kernel();
    let mut arguments = launch.kernarg.clone();
    for argument in &kernel.arguments {
        let start = argument.offset as usize;
        if argument.kind != ArgumentKind::Buffer {
            continue;
        }
        let Some(place) = arguments.get_mut(start..start + 8) else {
            continue;
        };
        let pointer = u64::from_le_bytes(place.try_into().unwrap_or_default());
        if let Some((start, allocation)) = space.containing_allocation(pointer) {
            let left = (allocation.bytes + start).wrapping_sub(pointer);
            place.copy_from_slice(&left.to_le_bytes());
        }
    }
    LaunchKey {
        code: Arc::as_ptr(&launch.function.code) as usize,
        kernel: kernel.name.clone(),
        workgroups: launch.workgroups,
        workgroup_size: launch.workgroup_size,
        dynamic_lds_bytes: launch.dynamic_lds_bytes,
        arguments,
    }
}

/// Microseconds that the launch takes, on the memory that it finds.
///
/// # Errors
/// Why it cannot be profiled: it will fault, or it waits for the host.
pub(crate) fn profiled(
    device: &SelectedDevice,
    memory: &mut EmulatedMemory,
    launch: &LaunchCommand,
) -> Result<f64, LaunchFault> {
    let limit = device.instruction_limit.min(INSTRUCTION_LIMIT);
    let emulated = launch.emulated(&device.machine, limit);
    let code = &launch.function.code;
    let profile = emulator::profile(code, memory, &emulated, PROFILED_WORKGROUPS)?;
    Ok(model::estimate(&profile, &device.machine, CacheState::Cold).time_us)
}

/// Microseconds in which the device reads and writes so many bytes, at the bandwidth of a copy.
pub(crate) fn of_copy(machine: &Machine, bytes: u64) -> f64 {
    match bytes {
        0 => 0.0,
        _ => machine.launch.floor_us + 2.0 * bytes as f64 / machine.dram.copy_gb_per_s * 1e-3,
    }
}

/// Microseconds in which the device writes so many bytes.
pub(crate) fn of_fill(machine: &Machine, bytes: u64) -> f64 {
    match bytes {
        0 => 0.0,
        _ => machine.launch.floor_us + bytes as f64 / machine.dram.write_gb_per_s * 1e-3,
    }
}
