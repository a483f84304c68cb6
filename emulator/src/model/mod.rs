//! The time model: how long a launch would take on a device, estimated from a [`Profile`].
//!
//! Four terms, each a time that the launch would take if nothing else limited it:
//!
//! - *latency*: rounds of resident workgroups × the time of a workgroup alone (its waves in order, with outstanding
//!   loads and waits). Rounds are the workgroups divided by what all compute units hold, rounded up.
//! - *DRAM*: bytes of cold lines, once for all workgroups that share one, ÷ achievable bandwidth; and for *caches*
//!   all lines.
//! - *issue*: vector instructions of the fullest SIMD, scalar instructions of the fullest compute unit.
//! - *paths*: sectors through a compute unit's address path, passes through its LDS.
//!
//! Latency and DRAM time are joined by the p-norm of [`Machine::saturation`]: with `n` bytes in flight this is
//! `((n/latency)^-p + BWmax^-p)^(-1/p)`, the saturation that fits read kernels on MI300X to 1.3 % mean error. The
//! other terms join in the same norm; the launch floor is added.
//!
//! What it leaves out: DRAM pages, channels and their conflicts; translation (TLB); instruction fetch; the time to
//! dispatch waves and to initialise registers and LDS; contention of waves for one SIMD within the latency term;
//! the difference of dies; clocks that vary with load; warm caches between launches. Workgroups outside of the
//! sample are taken to behave as those in it.

mod machine;
mod occupancy;
mod timeline;

pub use machine::{Latency, Machine};

use crate::profile::{Event, Profile, WorkgroupTrace};
use occupancy::{Needs, Occupancy};
use timeline::{ISSUE_CYCLES, Latencies, address_cycles, isolated};

/// An estimate. It is modelled, never measured.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// Time of one launch in microseconds.
    pub time_us: f64,
    /// What the time is made of most.
    pub bottleneck: Bottleneck,
    /// Waves that a SIMD can hold at a time.
    pub waves_per_simd: u32,
    /// Workgroups that a compute unit can hold at a time.
    pub workgroups_per_unit: u32,
    /// What keeps more waves from a SIMD.
    pub limited_by: OccupancyLimit,
    /// Times the device is filled with workgroups.
    pub rounds: f64,
    /// Microseconds that one workgroup takes alone.
    pub workgroup_us: f64,
    /// Microseconds by latency: rounds of workgroups, one after the other.
    pub latency_us: f64,
    /// Microseconds by DRAM bandwidth.
    pub dram_us: f64,
    /// Microseconds by cache bandwidth.
    pub cache_us: f64,
    /// Microseconds by issue of vector instructions.
    pub vector_us: f64,
    /// Microseconds by issue of scalar instructions.
    pub scalar_us: f64,
    /// Microseconds by the address path of vector memory.
    pub path_us: f64,
    /// Microseconds by LDS.
    pub lds_us: f64,
}

/// What a modelled time is made of most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Bottleneck {
    /// The cost of any launch.
    Launch,
    /// DRAM bandwidth, saturated.
    DramBandwidth,
    /// Loads that are waited for, with too few bytes in flight for the bandwidth.
    DramLatency,
    /// Bandwidth of the caches.
    CacheBandwidth,
    /// Sectors per cycle of a compute unit's memory path.
    MemoryIssue,
    /// Vector instructions.
    VectorIssue,
    /// Scalar instructions.
    ScalarIssue,
    /// LDS accesses.
    Lds,
    /// The chain of instructions of a wave.
    WaveLatency,
}

/// What limits the number of waves of a SIMD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OccupancyLimit {
    /// Slots for waves.
    WaveSlots,
    /// Vector registers.
    Vgprs,
    /// LDS of the compute unit.
    Lds,
    /// Slots for workgroups.
    WorkgroupSlots,
    /// The launch has no more workgroups.
    Workgroups,
}

/// What one workgroup does, as a mean of the sample.
#[derive(Default)]
struct Mean {
    cycles: f64,
    waiting: f64,
    vector: f64,
    scalar: f64,
    path: f64,
    lds: f64,
    cold_lines: f64,
    far_lines: f64,
    near_lines: f64,
}

/// Estimates the time of the launch that `profile` was made of, on `machine`, with cold caches.
pub fn estimate(profile: &Profile, machine: &Machine) -> Estimate {
    let needs = Needs {
        waves: profile.waves_per_workgroup,
        vgprs: profile.vgprs,
        lds_bytes: profile.lds_bytes,
    };
    let Occupancy {
        workgroups_per_unit,
        waves_per_simd,
        mut limited_by,
    } = occupancy::occupancy(needs, machine);
    let mean = mean(profile, machine, workgroups_per_unit);
    let workgroups = profile.workgroups as f64;
    let units = f64::from(machine.compute_units.max(1));
    // Workgroups are dealt to the compute units in turn.
    let of_fullest_unit = (workgroups / units).ceil();
    if of_fullest_unit < f64::from(workgroups_per_unit) {
        limited_by = OccupancyLimit::Workgroups;
    }
    let rounds = (workgroups / (units * f64::from(workgroups_per_unit))).ceil();
    let us_per_cycle = 1e-3 / machine.clock_ghz;
    let simds = f64::from(machine.simds_per_unit.max(1));
    // A unit of one wave uses one SIMD.
    let waves = of_fullest_unit * f64::from(profile.waves_per_workgroup.max(1));
    let used_simds = waves.min(simds);
    let per_simd = (waves / used_simds).ceil() / waves;
    let line_us = |lines: f64, gb_per_s: f64| {
        lines * workgroups * f64::from(machine.line_bytes) / (gb_per_s * 1e3)
    };

    let workgroup_us = mean.cycles * us_per_cycle;
    let latency_us = rounds * workgroup_us;
    let dram_us = line_us(mean.cold_lines * profile.cold_share, machine.dram_gb_per_s);
    let touched = mean.cold_lines + mean.far_lines + mean.near_lines;
    let last_level_us = line_us(mean.far_lines, machine.last_level_gb_per_s);
    let cache_us = line_us(touched, machine.l2_gb_per_s).max(last_level_us);
    let vector_us =
        mean.vector * of_fullest_unit * per_simd * f64::from(machine.vector_cycles) * us_per_cycle;
    // The scalar unit takes an instruction of each SIMD's waves every four cycles.
    let scalar_us = mean.scalar * of_fullest_unit * per_simd * ISSUE_CYCLES * us_per_cycle;
    let path_us = mean.path * of_fullest_unit * us_per_cycle;
    let lds_us = mean.lds * of_fullest_unit * us_per_cycle;

    let p = machine.saturation;
    let terms = [
        latency_us, dram_us, cache_us, vector_us, scalar_us, path_us, lds_us,
    ];
    let largest = terms.into_iter().fold(0.0, f64::max);
    let norm = |largest: f64| {
        terms
            .iter()
            .map(|term| (term / largest).powf(p))
            .sum::<f64>()
            .powf(1.0 / p)
    };
    let work_us = if largest > 0.0 {
        largest * norm(largest)
    } else {
        0.0
    };

    let by_latency = if mean.waiting * 2.0 > mean.cycles {
        Bottleneck::DramLatency
    } else {
        Bottleneck::WaveLatency
    };
    let named = [
        (machine.launch_floor_us, Bottleneck::Launch),
        (latency_us, by_latency),
        (dram_us, Bottleneck::DramBandwidth),
        (cache_us, Bottleneck::CacheBandwidth),
        (vector_us, Bottleneck::VectorIssue),
        (scalar_us, Bottleneck::ScalarIssue),
        (path_us, Bottleneck::MemoryIssue),
        (lds_us, Bottleneck::Lds),
    ];
    let bottleneck = named
        .into_iter()
        .fold(
            named[0],
            |most, one| if one.0 > most.0 { one } else { most },
        )
        .1;
    Estimate {
        time_us: machine.launch_floor_us + work_us,
        bottleneck,
        waves_per_simd,
        workgroups_per_unit,
        limited_by,
        rounds,
        workgroup_us,
        latency_us,
        dram_us,
        cache_us,
        vector_us,
        scalar_us,
        path_us,
        lds_us,
    }
}

fn mean(profile: &Profile, machine: &Machine, workgroups_per_unit: u32) -> Mean {
    let mut sum = Mean::default();
    let units_of_die = machine.compute_units.div_ceil(machine.dies.max(1));
    let of_die = profile.workgroups.div_ceil(u64::from(machine.dies.max(1)));
    let resident = of_die.min(u64::from(units_of_die) * u64::from(workgroups_per_unit));
    for trace in &profile.traces {
        let counts = counts(trace);
        let lines = (counts.cold_lines + counts.far_lines) as u64;
        let latencies = Latencies::of(machine, lines * u64::from(machine.line_bytes), resident);
        let alone = isolated(trace, machine, &latencies);
        sum.cycles += alone.cycles;
        sum.waiting += alone.waiting;
        sum.vector += counts.vector;
        sum.scalar += counts.scalar;
        sum.path += counts.path;
        sum.lds += counts.lds;
        sum.cold_lines += counts.cold_lines;
        sum.far_lines += counts.far_lines;
        // The first level serves what fits it.
        sum.near_lines += if latencies.near_in_l1(machine) {
            0.0
        } else {
            counts.near_lines
        };
    }
    let count = profile.traces.len().max(1) as f64;
    Mean {
        cycles: sum.cycles / count,
        waiting: sum.waiting / count,
        vector: sum.vector / count,
        scalar: sum.scalar / count,
        path: sum.path / count,
        lds: sum.lds / count,
        cold_lines: sum.cold_lines / count,
        far_lines: sum.far_lines / count,
        near_lines: sum.near_lines / count,
    }
}

/// What the waves of a workgroup issue and touch.
fn counts(trace: &WorkgroupTrace) -> Mean {
    let mut sum = Mean::default();
    for wave in &trace.waves {
        let times = wave.extension();
        for event in &wave.events {
            match *event {
                Event::Issue {
                    vector,
                    scalar,
                    branches,
                } => {
                    sum.vector += f64::from(vector) * times;
                    sum.scalar += f64::from(scalar + branches) * times;
                }
                Event::Memory { lines, .. } => {
                    sum.path += address_cycles(lines) * times;
                    sum.cold_lines += f64::from(lines.cold) * times;
                    sum.far_lines += f64::from(lines.far) * times;
                    sum.near_lines += f64::from(lines.near) * times;
                }
                Event::ScalarLoad { .. } => sum.scalar += times,
                Event::Share { passes } => sum.lds += f64::from(passes) * times,
                Event::Wait { .. } | Event::Barrier => {}
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests;
