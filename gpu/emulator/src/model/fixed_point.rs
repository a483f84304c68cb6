//! The fixed point of a launch's time and the latencies of busy memories.

use super::compute_unit::{ComputeUnit, LoadLatencies, Plan, vector_scale};
use super::occupancy::Occupancy;
use super::traffic::{CacheHits, WorkgroupDemand};
use super::{Machine, TimeBreakdown};
use crate::profile::{Profile, WorkgroupTrace};

/// The approximate number of events that a run simulates. It keeps an estimate within
/// milliseconds.
const EVENTS: usize = 40_000;
/// The number of rounds of resident workgroups before the extrapolation.
const ROUNDS: u64 = 2;
/// The largest number of runs, and the relative change that ends the search.
const RUNS: usize = 6;
pub(super) const FOUND: f64 = 1e-4;
/// The highest load of a memory; its latency would have no bound otherwise.
const BUSIEST: f64 = 0.9995;

/// Microseconds of each memory for the traffic of the launch.
#[derive(Clone, Copy)]
pub(super) struct MemoryTimes {
    l2: f64,
    last_level: f64,
    dram: f64,
}

impl MemoryTimes {
    /// Returns the times for `times` times these lines, in a launch that touches `footprint`
    /// bytes.
    pub(super) fn by(
        lines: &WorkgroupDemand,
        times: f64,
        footprint: f64,
        machine: &Machine,
    ) -> MemoryTimes {
        let bytes = |lines: f64| lines * times * f64::from(machine.line_bytes);
        let us = |bytes: f64, gb_per_s: f64| bytes / (gb_per_s * 1e3);
        let (read, written) = (bytes(lines.dram_read), bytes(lines.dram_written));
        let part = match machine.dram.reach {
            Some((reach, part)) if footprint > reach as f64 => part,
            _ => 1.0,
        };
        let dram = match read + written {
            0.0 => 0.0,
            all => us(all, machine.dram.gb_per_s(written / all) * part),
        };
        MemoryTimes {
            l2: us(bytes(lines.l2), machine.l2.gb_per_s),
            last_level: machine
                .last_level
                .map_or(0.0, |level| us(bytes(lines.last_level), level.gb_per_s)),
            dram,
        }
    }

    fn most(&self) -> f64 {
        self.l2.max(self.last_level).max(self.dram)
    }
}

/// Returns the breakdown, and the time from the launch's first workgroup to its last, in
/// microseconds.
pub(super) fn solve(
    profile: &Profile,
    machine: &Machine,
    places: &CacheHits,
    occupancy: &Occupancy,
    resident: u32,
    of_fullest: u64,
) -> (TimeBreakdown, f64) {
    let mut mean = WorkgroupDemand::default();
    for trace in &profile.traces {
        let totals = WorkgroupDemand::with(trace, machine, places, profile);
        mean.add(&totals, trace.share);
    }
    let moved = MemoryTimes::by(&mean, profile.workgroups as f64, places.footprint, machine);
    let launch = FullestUnit::new(profile, machine, places, occupancy, resident, of_fullest);
    let us_per_cycle = 1e-3 / machine.clock_ghz;
    let busy = busy(&mean, profile, machine, occupancy, of_fullest, us_per_cycle);
    // The simulation covers a part of a long trace, but `busy` counts all of its accesses.
    let occupied = busy.l1.max(busy.lds);
    let (alone, time) = settle(machine, moved, |delays| {
        (launch.cycles(delays) * us_per_cycle).max(occupied)
    });
    // The load of other workgroups ends with them. It does not slow down a workgroup that is
    // longer than all of them together.
    let unloaded = delays(machine, moved, f64::INFINITY);
    let longest = launch.longest(unloaded) * us_per_cycle;
    let atomic = profile.hottest_line * machine.latency.atomic_interval * us_per_cycle;
    let parts = TimeBreakdown {
        launch: machine.launch.floor_us,
        dispatch: profile.workgroups as f64 / f64::from(machine.dies.max(1))
            * machine.launch.workgroup_cycles
            * us_per_cycle,
        latency: alone,
        dram: moved.dram,
        last_level: moved.last_level,
        l2: moved.l2,
        atomic,
        ..busy
    };
    (parts, time.max(atomic).max(longest))
}

/// Finds the fixed point. Returns the microseconds with idle memories, and with memories that the
/// launch itself keeps busy. `own` returns the microseconds for given latencies.
pub(super) fn settle(
    machine: &Machine,
    moved: MemoryTimes,
    mut own: impl FnMut(LoadLatencies) -> f64,
) -> (f64, f64) {
    let p = machine.saturation;
    let norm = |latency: f64, bytes: f64| match latency.max(bytes) {
        0.0 => 0.0,
        most => most * ((latency / most).powf(p) + (bytes / most).powf(p)).powf(1.0 / p),
    };
    let alone = own(delays(machine, moved, f64::INFINITY));
    // Latencies under load are longer by the factor `load`. The time without it is combined with
    // the memories' time by the norm. For a kernel that only reads, this is the answer at once.
    let mut time = norm(alone, moved.most());
    let mut before: Option<(f64, f64)> = None;
    for _ in 1..RUNS {
        let loaded = own(delays(machine, moved, time));
        let gap = norm(loaded / load(moved.most() / time, p), moved.most()) - time;
        if gap.abs() < FOUND * time {
            time += gap;
            break;
        }
        // The secant through the last two gaps; plain iteration oscillates and takes many runs.
        let step = match before {
            Some((at, was)) if was != gap => gap * (time - at) / (was - gap),
            _ => gap,
        };
        before = Some((time, gap));
        // A nearly horizontal secant would jump too far.
        let step = step.clamp(-2.0 * gap.abs(), 2.0 * gap.abs());
        // The fixed point is never below the memories' own time.
        time = (time + step).max(moved.most());
    }
    (alone, time)
}

/// Returns the latency factor of a memory that is busy for this fraction of the time.
fn load(busy: f64, p: f64) -> f64 {
    (1.0 - busy.min(BUSIEST).powf(p)).powf(-1.0 / p)
}

/// Returns the latencies of loads if the launch takes `time` microseconds.
fn delays(machine: &Machine, moved: MemoryTimes, time: f64) -> LoadLatencies {
    let latency = &machine.latency;
    // Little's law shows more latency for a stream than for a single access: the wave's own
    // overhead.
    let stream = machine.dram.stream_latency_ns * machine.clock_ghz;
    let overhead = (stream - latency.dram).max(0.0);
    let queue = |own: f64, us: f64| (own + overhead) * (load(us / time, machine.saturation) - 1.0);
    let l2 = queue(latency.l2, moved.l2);
    let last_level = queue(latency.last_level, moved.last_level);
    // A load passes all nearer levels, so their queues delay it too.
    let dram = queue(latency.dram, moved.dram).max(last_level).max(l2);
    LoadLatencies {
        l1: latency.l1,
        l2: latency.l2 + l2,
        last_level: latency.last_level + last_level.max(l2),
        dram: latency.dram + dram,
        dram_queue: dram,
    }
}

/// Returns the busy times of the compute units' own resources.
fn busy(
    mean: &WorkgroupDemand,
    profile: &Profile,
    machine: &Machine,
    occupancy: &Occupancy,
    of_fullest: u64,
    us_per_cycle: f64,
) -> TimeBreakdown {
    let count = of_fullest as f64;
    let waves = count * f64::from(profile.waves_per_workgroup.max(1));
    // A unit with one wave uses one SIMD.
    let used = waves.min(f64::from(occupancy.simds));
    // An empty launch has no waves.
    let rounds = (waves / used.max(1.0)).ceil() / waves.max(1.0);
    let per_simd = rounds * count * us_per_cycle;
    let scale = vector_scale(machine, profile.lanes);
    // Units that share workgroups have one path each, but a common LDS.
    let paths = f64::from(occupancy.paths);
    TimeBreakdown {
        launch: 0.0,
        dispatch: 0.0,
        latency: 0.0,
        dram: 0.0,
        last_level: 0.0,
        l2: 0.0,
        l1: mean.path * count / paths * us_per_cycle,
        lds: mean.lds * count / paths * us_per_cycle,
        vector: (mean.vector * machine.pace.vector + mean.double * machine.pace.double)
            * scale
            * per_simd,
        // The cycles of products are those of their unit, so no pace applies to them.
        matrix: mean.matrix * per_simd,
        scalar: mean.scalar * machine.pace.issue * per_simd,
        atomic: 0.0,
    }
}

/// The compute unit with the most workgroups.
struct FullestUnit<'a> {
    profile: &'a Profile,
    machine: &'a Machine,
    places: &'a CacheHits,
    plans: Vec<Plan<'a>>,
    /// The kinds of the simulated workgroups, in order of arrival.
    order: Vec<usize>,
    simds: u32,
    paths: f64,
    resident: u32,
    count: u64,
    first: f64,
    interval: f64,
    stretch: f64,
}

impl<'a> FullestUnit<'a> {
    fn new(
        profile: &'a Profile,
        machine: &'a Machine,
        places: &'a CacheHits,
        occupancy: &Occupancy,
        resident: u32,
        count: u64,
    ) -> FullestUnit<'a> {
        let looked_at = count.min(ROUNDS * u64::from(resident)).max(1);
        let waves = looked_at as usize * profile.waves_per_workgroup.max(1) as usize;
        // Fewer than 24 events cannot represent a beginning, an end and the samples between.
        let most = (EVENTS / waves).max(24);
        let plan = |trace: &'a WorkgroupTrace| {
            let waves = trace.waves.iter();
            waves.map(|wave| wave.pieces(most)).collect::<Plan<'a>>()
        };
        let dies = machine.dies.max(1);
        let units_of_die = f64::from(occupancy.units.div_ceil(dies));
        let of_die = profile.workgroups.div_ceil(dies.into()) as f64;
        let cycles = machine.launch.workgroup_cycles;
        let plans: Vec<Plan<'a>> = profile.traces.iter().map(plan).collect();
        FullestUnit {
            stretch: stretch(&plans),
            profile,
            machine,
            places,
            plans,
            order: order(&profile.traces, looked_at),
            simds: occupancy.simds,
            paths: occupancy.paths.into(),
            resident,
            count,
            // It is the last of its die to receive its first workgroup.
            first: (units_of_die.min(of_die) - 1.0).max(0.0) * cycles,
            interval: units_of_die * cycles,
        }
    }

    fn unit(&self, delays: LoadLatencies) -> ComputeUnit<'a> {
        ComputeUnit {
            machine: self.machine,
            profile: self.profile,
            places: self.places,
            delays,
            simds: self.simds,
            paths: self.paths,
            resident: self.resident,
            first: self.first,
            interval: self.interval,
            stretch: self.stretch,
        }
    }

    /// Returns the cycles of the longest workgroup alone, if workgroups differ.
    fn longest(&self, delays: LoadLatencies) -> f64 {
        if self.profile.kinds < 2 {
            return 0.0;
        }
        let unit = self.unit(delays);
        let alone = |kind| unit.run(&self.plans, &[kind]).last().copied();
        let times = (0..self.plans.len()).filter_map(alone);
        times.fold(0.0, f64::max)
    }

    /// Returns the cycles until its last workgroup ends.
    fn cycles(&self, delays: LoadLatencies) -> f64 {
        let unit = self.unit(delays);
        let ends = unit.run(&self.plans, &self.order);
        let Some(&last) = ends.last() else { return 0.0 };
        let beyond = self.count as f64 - ends.len() as f64;
        let round = ends.len() - self.resident as usize;
        if beyond <= 0.0 || round == 0 {
            return last;
        }
        // The remaining workgroups continue at the rate of the last round.
        let before = ends[round - 1];
        last + beyond * (last - before) / (ends.len() - round) as f64
    }
}

/// Returns the mean number of events that one event of the plans represents.
fn stretch(plans: &[Plan<'_>]) -> f64 {
    let pieces = || plans.iter().flatten().flatten();
    let looked_at: f64 = pieces().map(|piece| piece.events.len() as f64).sum();
    let all: f64 = pieces()
        .map(|piece| piece.events.len() as f64 * piece.times)
        .sum();
    if looked_at > 0.0 {
        all / looked_at
    } else {
        1.0
    }
}

/// Returns the traces in the order of `count` workgroups: each by its share, evenly spread.
fn order(traces: &[WorkgroupTrace], count: u64) -> Vec<usize> {
    let mut owed = vec![0.0; traces.len()];
    (0..count)
        .filter_map(|_| {
            for (owed, trace) in owed.iter_mut().zip(traces) {
                *owed += trace.share;
            }
            let most = (0..owed.len()).max_by(|&one, &other| {
                // Among equals the first one wins.
                owed[one].total_cmp(&owed[other]).then(other.cmp(&one))
            })?;
            owed[most] -= 1.0;
            Some(most)
        })
        .collect()
}
