//! Modelled time: of launches by the emulator's time model, and of copies and fills by the
//! device's bandwidth.
//!
//! A launch is profiled before it runs, on the current memory, which the profile does not change.
//! Launches that differ only in buffers of the same sizes take the same time.

use std::collections::HashMap;
use std::sync::Arc;

use bench_harness::PROFILED_WORKGROUPS;
use emulator::model::{self, CacheState, Estimate, Machine};
use emulator::{ArgumentKind, CodeObject, EmulatedMemory, LaunchFault};

use crate::device::SelectedDevice;
use crate::launch::LaunchCommand;
use crate::memory::AllocationTable;

/// The largest number of launches with a stored time.
const KEPT: usize = 100_000;

/// The largest number of instructions of a profiled wave. A wave that waits for the host would
/// never end.
const INSTRUCTION_LIMIT: u64 = 50_000_000;

/// A key of launches that take the same time.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct LaunchKey {
    /// The address of the code object, which the table keeps alive, and the kernel's name.
    code: usize,
    kernel: String,
    workgroups: [u32; 3],
    workgroup_size: [u32; 3],
    dynamic_lds_bytes: u32,
    /// The arguments, with the rest of its allocation in place of each buffer.
    arguments: Vec<u8>,
}

/// The estimate of a launch, or the reason that there is none.
pub(crate) type LaunchTime = Result<Estimate, Arc<str>>;

/// The times of launches that were profiled.
#[derive(Default)]
pub(crate) struct LaunchTimes {
    known: HashMap<LaunchKey, (Arc<CodeObject>, LaunchTime)>,
}

impl LaunchTimes {
    /// Returns the time of these launches if one of them was profiled.
    pub(crate) fn of(&self, key: &LaunchKey) -> Option<LaunchTime> {
        self.known.get(key).map(|(_, time)| time.clone())
    }

    /// Stores the time of launches of a code object.
    pub(crate) fn keep(&mut self, key: LaunchKey, code: &Arc<CodeObject>, time: LaunchTime) {
        // A cleared table only costs profiles.
        if self.known.len() >= KEPT {
            self.known.clear();
        }
        self.known.insert(key, (Arc::clone(code), time));
    }

    /// Forgets the launches of an unloaded code object. A program may load thousands.
    pub(crate) fn forget(&mut self, code: &Arc<CodeObject>) {
        self.known.retain(|_, (of, _)| !Arc::ptr_eq(of, code));
    }
}

/// Returns the key of a launch.
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
        // The rest of the allocation decides which accesses are in bounds, and so the time.
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

/// Estimates the launch on the current memory.
///
/// # Errors
/// The reason that it cannot be profiled: it will fault, or it waits for the host.
pub(crate) fn profiled(
    device: &SelectedDevice,
    memory: &mut EmulatedMemory,
    launch: &LaunchCommand,
) -> Result<Estimate, LaunchFault> {
    let limit = device.instruction_limit.min(INSTRUCTION_LIMIT);
    let emulated = launch.emulated(&device.machine, limit);
    let code = &launch.function.code;
    let profile = emulator::profile(code, memory, &emulated, PROFILED_WORKGROUPS)?;
    Ok(model::estimate(&profile, &device.machine, CacheState::Cold))
}

/// Returns the microseconds in which the device reads and writes `bytes` bytes, at the bandwidth
/// of a copy.
pub(crate) fn of_copy(machine: &Machine, bytes: u64) -> f64 {
    match bytes {
        0 => 0.0,
        _ => machine.launch.floor_us + 2.0 * bytes as f64 / machine.dram.copy_gb_per_s * 1e-3,
    }
}

/// Returns the microseconds in which the device writes `bytes` bytes.
pub(crate) fn of_fill(machine: &Machine, bytes: u64) -> f64 {
    match bytes {
        0 => 0.0,
        _ => machine.launch.floor_us + bytes as f64 / machine.dram.write_gb_per_s * 1e-3,
    }
}
