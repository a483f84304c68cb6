//! The least time that the model can give a launch of which only the bytes are known.
//!
//! They are read, and something that depends on them is stored. A launch of the best shape does nothing else: `n`
//! workgroups, a compute unit each, ask for all of their bytes at once. So these stand for its fullest compute unit, and
//! none of them is longer than what the model has for any launch of as many workgroups:
//!
//! - its workgroup comes when those of the die's other units have come, and starts;
//! - its bytes, an equal part, pass the address path;
//! - the last of them comes after DRAM's latency, and what depends on it is stored after the L2's.
//!
//! More workgroups than compute units make none of that shorter. With memories busy by these bytes the fixed point is the
//! same as any launch's. Registers, LDS, arguments and instructions cost nothing.

use super::compute_unit::LoadLatencies;
use super::fixed_point::{FOUND, MemoryTimes, settle};
use super::traffic::WorkgroupDemand;
use super::{Machine, beyond_smallest};

/// Microseconds that the model gives at least to a launch that reads so many bytes, cold, and writes so many.
pub fn lower_bound_us(read_bytes: u64, written_bytes: u64, machine: &Machine) -> f64 {
    let line = u64::from(machine.line_bytes.max(1));
    let [read, written] = [read_bytes, written_bytes].map(|bytes| bytes.div_ceil(line) as f64);
    let lines = WorkgroupDemand {
        l2: read + written,
        last_level: read + written,
        dram_read: read,
        dram_written: written,
        ..WorkgroupDemand::default()
    };
    let footprint = (read + written) * line as f64;
    let moved = MemoryTimes::by(&lines, 1.0, footprint, machine);
    let us_per_cycle = 1e-3 / machine.clock_ghz;
    let path_cycles = (read_bytes + written_bytes) as f64 / machine.l1.bytes_per_cycle;
    let launch = |workgroups: u32, units: u32, paths: u32| {
        let dies = machine.dies.max(1);
        let before = workgroups.min(units).div_ceil(dies).saturating_sub(1);
        let own = f64::from(before) * machine.launch.workgroup_cycles
            + machine.launch.start_cycles
            + path_cycles / f64::from(workgroups * paths);
        let work = |delays: LoadLatencies| (own + delays.dram + delays.l2) * us_per_cycle;
        settle(machine, moved, work).1
    };
    // A workgroup's waves may be spread over the units of a group, which is then one unit with as many paths.
    let groups = [1, machine.units_per_group.max(1)];
    let work_us = groups
        .into_iter()
        .flat_map(|paths| {
            let units = (machine.compute_units / paths).max(1);
            (1..=units).map(move |workgroups| launch(workgroups, units, paths))
        })
        .fold(f64::INFINITY, f64::min);
    // A launch's own fixed point is found that closely, from either side.
    let work_us = work_us * (1.0 - FOUND);
    machine.launch.floor_us + beyond_smallest(work_us, machine)
}
