//! The least modelled time of a launch with known bytes or instructions.
//!
//! [`lower_bound_us`] knows the bytes and not the shape. The launch reads the bytes and stores
//! something that depends on them. The best shape does nothing else: `n` workgroups, one per
//! compute unit, request all of their bytes at once. Three times of its fullest compute unit are
//! lower bounds for any launch with as many workgroups:
//!
//! - Its workgroup arrives after those of the die's other units, and starts.
//! - Its bytes, an equal part, pass the address path.
//! - The last of them arrives after DRAM's latency, and the dependent store takes the L2's
//!   latency.
//!
//! More workgroups than compute units shorten none of these. The fixed point with memories busy
//! by these bytes is that of any launch. Registers, LDS, arguments and instructions are free.
//!
//! [`issue_bound_us`] knows a part of the instructions of one wave. A wave issues in order, so the
//! launch takes at least the cycles of these instructions. Memory answers at once.

use super::compute_unit::{LoadLatencies, vector_scale};
use super::fixed_point::{FOUND, MemoryTimes, settle};
use super::traffic::WorkgroupDemand;
use super::{Machine, beyond_smallest};
use crate::profile::IssuedInstructions;

/// Returns the least modelled microseconds of a launch with a wave that issues these instructions.
pub fn issue_bound_us(issued: &IssuedInstructions, machine: &Machine) -> f64 {
    let pace = &machine.pace;
    let vector = issued.vector as f64 * pace.vector + issued.double as f64 * pace.double;
    let cycles = machine.launch.start_cycles
        + vector * vector_scale(machine, issued.lanes)
        + (issued.scalar + issued.accesses) as f64 * pace.issue
        + issued.branches as f64 * pace.branch;
    let work_us = cycles * 1e-3 / machine.clock_ghz * (1.0 - FOUND);
    machine.launch.floor_us + beyond_smallest(work_us, machine)
}

/// Returns the least modelled microseconds of a launch that reads and writes these bytes, with
/// cold caches.
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
    // A workgroup may spread over the units of a group, which then act as one unit with several
    // paths.
    let groups = [1, machine.units_per_group.max(1)];
    let work_us = groups
        .into_iter()
        .flat_map(|paths| {
            let units = (machine.compute_units / paths).max(1);
            (1..=units).map(move |workgroups| launch(workgroups, units, paths))
        })
        .fold(f64::INFINITY, f64::min);
    // A launch's own fixed point has this error, in either direction.
    let work_us = work_us * (1.0 - FOUND);
    machine.launch.floor_us + beyond_smallest(work_us, machine)
}
