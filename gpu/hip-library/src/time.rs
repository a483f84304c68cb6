//! Modelled time: of launches by the emulator's time model, and of copies and fills by the
//! device's bandwidth.
//!
//! A launch is profiled before it runs, on the current memory, which the profile does not change.
//! Launches that differ only in buffers of the same sizes take the same time.

use std::collections::HashMap;
use std::sync::Arc;

use bench_harness::PROFILED_WORKGROUPS;
use emulator::model::{self, CacheState, Estimate, Machine};
use emulator::{ArgumentKind, CodeObject, EmulatedMemory};

use crate::cache_contents::{CacheContents, CachedBuffer};
use crate::device::{CacheMode, SelectedDevice};
use crate::launch::LaunchCommand;
use crate::memory::AllocationTable;
use crate::unknown_time::UnknownTime;

/// The largest number of launches with a stored time.
const KEPT: usize = 100_000;

/// The largest number of instructions of a profiled wave. A wave that waits for the host would
/// never end.
const INSTRUCTION_LIMIT: u64 = 50_000_000;

/// The number of launches with different scalars and one time after which others of their kind are
/// assumed to take that time, too.
const ALIKE: u32 = 4;

/// A key of launches that take the same time.
#[derive(Clone, PartialEq, Eq, Hash)]
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

/// The estimates of a launch with cold and with warm caches.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct LaunchEstimate {
    cold: Estimate,
    warm: Estimate,
}

impl LaunchEstimate {
    /// Returns the estimate if the caches hold the part `held` of the launch's buffers.
    pub(crate) fn with(&self, held: f64) -> Estimate {
        let mut estimate = match held < 0.5 {
            true => self.cold,
            false => self.warm,
        };
        estimate.time_us = (1.0 - held) * self.cold.time_us + held * self.warm.time_us;
        estimate
    }
}

/// The estimate of a launch, if there is one.
pub(crate) type LaunchTime = Result<LaunchEstimate, UnknownTime>;

/// The times of launches that were profiled.
#[derive(Default)]
pub(crate) struct LaunchTimes {
    known: HashMap<LaunchKey, (Arc<CodeObject>, LaunchTime)>,
    /// The launches that differ in scalars only, by their key without scalars.
    shapes: HashMap<LaunchKey, ScalarVariants>,
}

/// Launches that differ in scalars only.
struct ScalarVariants {
    /// The number of variants that were asked for.
    asked: u64,
    /// The time of the last profiled variants, and their number.
    last: LaunchEstimate,
    alike: u32,
}

impl LaunchTimes {
    /// Returns the time of these launches if one of them was profiled, or if variants with other
    /// scalars all take one time.
    pub(crate) fn of(
        &mut self,
        key: &LaunchKey,
        shape: impl FnOnce() -> LaunchKey,
    ) -> Option<LaunchTime> {
        if let Some((_, time)) = self.known.get(key) {
            return Some(time.clone());
        }
        let variants = self.shapes.get_mut(&shape())?;
        variants.asked += 1;
        // A variant at a power of two is profiled, to see whether the time still holds.
        let is_probe = variants.asked.is_power_of_two();
        (variants.alike >= ALIKE && !is_probe).then_some(Ok(variants.last))
    }

    /// Stores the time of launches of a code object.
    pub(crate) fn keep(
        &mut self,
        key: LaunchKey,
        shape: LaunchKey,
        code: &Arc<CodeObject>,
        time: LaunchTime,
    ) {
        // A cleared table only costs profiles.
        if self.known.len() >= KEPT {
            self.known.clear();
            self.shapes.clear();
        }
        if let Ok(last) = time {
            let variants = self.shapes.entry(shape).or_insert(ScalarVariants {
                asked: 1,
                last,
                alike: 0,
            });
            variants.alike = match variants.last == last {
                true => variants.alike + 1,
                false => 1,
            };
            variants.last = last;
        }
        self.known.insert(key, (Arc::clone(code), time));
    }

    /// Forgets the launches of an unloaded code object. A program may load thousands.
    pub(crate) fn forget(&mut self, code: &Arc<CodeObject>) {
        self.known.retain(|_, (of, _)| !Arc::ptr_eq(of, code));
        let address = Arc::as_ptr(code) as usize;
        self.shapes.retain(|shape, _| shape.code != address);
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
/// The reason that it cannot be profiled: it will fault, it waits for the host, or it takes too
/// many instructions. The last of these has a lower bound.
pub(crate) fn profiled(
    device: &SelectedDevice,
    memory: &mut EmulatedMemory,
    launch: &LaunchCommand,
) -> LaunchTime {
    let limit = device.instruction_limit.min(INSTRUCTION_LIMIT);
    let emulated = launch.emulated(&device.machine, limit);
    let code = &launch.function.code;
    let profiled = emulator::profile_or_issued(code, memory, &emulated, PROFILED_WORKGROUPS);
    let profile = profiled.map_err(|unprofiled| {
        let bound = |issued| model::issue_bound_us(&issued, &device.machine);
        UnknownTime {
            reason: Arc::from(unprofiled.fault.to_string()),
            least_us: unprofiled.issued.map(bound),
        }
    })?;
    let with = |caches| model::estimate(&profile, &device.machine, caches);
    let cold = with(CacheState::Cold);
    let warm = match device.caches {
        // Nobody asks for it.
        CacheMode::Cold => cold,
        CacheMode::AsRun | CacheMode::Warm => with(CacheState::Warm),
    };
    Ok(LaunchEstimate { cold, warm })
}

impl LaunchKey {
    /// Returns the key without the scalars of the launch.
    pub(crate) fn shape(&self, launch: &LaunchCommand) -> LaunchKey {
        let mut shape = self.clone();
        for argument in &launch.function.kernel().arguments {
            let place = argument.offset as usize..(argument.offset + argument.size) as usize;
            if argument.kind == ArgumentKind::Value
                && let Some(bytes) = shape.arguments.get_mut(place)
            {
                bytes.fill(0);
            }
        }
        shape
    }
}

/// Returns the buffers that the launch's arguments point to.
fn buffers(space: &AllocationTable, launch: &LaunchCommand) -> Vec<CachedBuffer> {
    let arguments = launch.function.kernel().arguments.iter();
    let pointers = arguments
        .filter(|argument| argument.kind == ArgumentKind::Buffer)
        .filter_map(|argument| {
            let start = argument.offset as usize;
            let bytes = launch.kernarg.get(start..start + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        });
    let mut buffers: Vec<_> = pointers
        .filter_map(|pointer| space.containing_allocation(pointer))
        .map(|(start, allocation)| (start, allocation.bytes))
        .collect();
    buffers.sort_unstable();
    buffers.dedup();
    buffers
}

/// Returns the part of the launch's buffers that the caches hold, and records their use.
pub(crate) fn held(
    device: &SelectedDevice,
    caches: &mut CacheContents,
    space: &AllocationTable,
    launch: &LaunchCommand,
) -> f64 {
    match device.caches {
        CacheMode::AsRun => {
            let machine = &device.machine;
            let used = buffers(space, launch);
            let held = caches.held(&used);
            caches.touch(&used, machine.last_level.unwrap_or(machine.l2).bytes);
            held
        }
        CacheMode::Cold => 0.0,
        CacheMode::Warm => 1.0,
    }
}

/// Returns the microseconds in which the device reads and writes `bytes` bytes, at the bandwidth
/// of a copy.
pub(crate) fn of_copy(machine: &Machine, bytes: u64) -> f64 {
    match bytes {
        0 => 0.0,
        _ => machine.launch.floor_us + 2.0 * bytes as f64 / machine.dram.copy_gb_per_s * 1e-3,
    }
}

/// Returns the microseconds of a copy of `bytes` bytes from or to ordinary memory of the host.
pub(crate) fn of_host_copy(machine: &Machine, bytes: u64) -> f64 {
    match bytes {
        0 => 0.0,
        _ => machine.host_copy.us(bytes),
    }
}

/// Returns the microseconds in which the device writes `bytes` bytes.
pub(crate) fn of_fill(machine: &Machine, bytes: u64) -> f64 {
    match bytes {
        0 => 0.0,
        _ => machine.launch.floor_us + bytes as f64 / machine.dram.write_gb_per_s * 1e-3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(arguments: u8) -> LaunchKey {
        LaunchKey {
            code: 1,
            kernel: "k".to_owned(),
            workgroups: [1; 3],
            workgroup_size: [64, 1, 1],
            dynamic_lds_bytes: 0,
            arguments: vec![arguments],
        }
    }

    /// Returns an estimate of a launch with this time.
    fn estimate(code: &CodeObject, time_us: f64) -> LaunchEstimate {
        let machine = bench_harness::machine(&configgen::DEVICES[0]);
        let mut memory = EmulatedMemory::new();
        let launch = emulator::KernelLaunch {
            kernel: &code.kernels()[0],
            workgroups: [1; 3],
            workgroup_size: [64, 1, 1],
            dynamic_lds_bytes: 0,
            kernarg: &[0; 28],
            workgroup_subset: None,
            instruction_limit: 1,
            resident_workgroups: 0,
            threads: 1,
        };
        // The limit ends the sample, so an empty launch gives the estimate.
        let empty = emulator::KernelLaunch {
            workgroups: [0, 1, 1],
            ..launch
        };
        let profile = emulator::profile(code, &mut memory, &empty, 1).unwrap();
        let mut cold = model::estimate(&profile, &machine, CacheState::Cold);
        cold.time_us = time_us;
        LaunchEstimate { cold, warm: cold }
    }

    #[test]
    fn variants_of_one_time_are_not_profiled_again() {
        let fixture = include_bytes!("../../emulator/fixtures/argmax_f32x4.hsaco");
        let code = Arc::new(CodeObject::load(fixture).unwrap());
        let mut times = LaunchTimes::default();
        let mut profiled = Vec::new();
        for scalar in 0..40 {
            let (own, shape) = (key(scalar), key(255));
            if times.of(&own, || shape.clone()).is_none() {
                profiled.push(scalar);
                // From the 30th on, the time is another one.
                let us = if scalar < 30 { 5.0 } else { 6.0 };
                times.keep(own, shape, &code, Ok(estimate(&code, us)));
            }
        }
        // The first four and the powers of two; the new time is found at the 32nd.
        assert_eq!(profiled, [0, 1, 2, 3, 7, 15, 31, 32, 33, 34]);
        // A known launch keeps its own time.
        let known = times.of(&key(1), || key(255)).unwrap().unwrap();
        assert_eq!(known.cold.time_us, 5.0);
    }
}
