//! The time model: how long a launch would take on a device, estimated from a [`Profile`].
//!
//! Three parts, each in a file of its own:
//!
//! - `occupancy`: how many workgroups a compute unit holds, from registers, LDS and slots.
//! - `traffic`: by whom the lines that a workgroup touches are served (first level, L2, last level, DRAM), from how
//!   much is touched in between, and what that is in bytes for the whole launch.
//! - `unit`: one compute unit, the fullest, with the workgroups that it holds: their waves issue in order, wait for
//!   what they loaded, meet at barriers, and share SIMDs, address path and LDS. Workgroups come as fast as a die
//!   starts them. After two rounds the unit is taken to go on as it went.
//!
//! They meet in a fixed point (`solve`): the longer the launch takes, the less busy are the memories, and the shorter
//! are their latencies. A memory that is busy for the part `u` of the time has its latency under load,
//! `l / (1 - u^p)^(1/p)`. For a kernel that only reads this is the published law of bandwidth over bytes in flight,
//! `((n/l)^-p + BWmax^-p)^(-1/p)`.
//!
//! [`least_us`] is the least that all of it can come to for so many bytes.
//!
//! The launch floor is added. It was measured with the smallest kernels, so the time of one is taken off: a
//! workgroup's start, its arguments, which nobody has read before, and one cached access.
//!
//! What it leaves out stands in `docs/time-model.md`.

mod compute_unit;
mod fixed_point;
mod lower_bound;
mod machine;
mod occupancy;
mod traffic;

pub use lower_bound::lower_bound_us;
pub use machine::{Dram, FirstLevel, Latency, LaunchCost, Machine, Pace, SharedCache, Slots};

use crate::code_object::LoadedKernel;
use crate::profile::Profile;
use occupancy::WorkgroupNeeds;

/// An estimate. It is modelled, never measured.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// Time of one launch in microseconds.
    pub time_us: f64,
    /// What the time is made of most.
    pub bottleneck: Bottleneck,
    /// Waves that a SIMD holds at a time.
    pub waves_per_simd: u32,
    /// Workgroups that a compute unit holds at a time; a pair of units, where workgroups are spread over two.
    pub workgroups_per_unit: u32,
    /// What keeps more waves from a SIMD.
    pub limited_by: OccupancyLimit,
    /// The parts of the time, each in microseconds as if nothing else took any.
    pub breakdown: TimeBreakdown,
}

/// Microseconds that a launch would take if only one thing took time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TimeBreakdown {
    /// What any launch costs.
    pub launch: f64,
    /// Starting its workgroups.
    pub dispatch: f64,
    /// Its waves, with memories that nobody else uses.
    pub latency: f64,
    /// Bytes of DRAM.
    pub dram: f64,
    /// Bytes of the last level cache.
    pub last_level: f64,
    /// Bytes of the L2.
    pub l2: f64,
    /// The address path and first level cache of the fullest compute unit.
    pub l1: f64,
    /// LDS of the fullest compute unit.
    pub lds: f64,
    /// Vector instructions of the fullest SIMD.
    pub vector: f64,
    /// Scalar instructions of the fullest SIMD.
    pub scalar: f64,
    /// Atomic operations on one line.
    pub atomic: f64,
}

/// What caches hold when a launch starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CacheState {
    /// Nothing of it.
    Cold,
    /// What the same launch left there.
    Warm,
}

/// What a modelled time is made of most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Bottleneck {
    /// The cost of any launch, and starting its workgroups.
    Launch,
    /// DRAM bandwidth.
    Dram,
    /// Bandwidth of the last level cache.
    LastLevel,
    /// Bandwidth of the L2, or its atomic operations.
    L2,
    /// The address path and the first level cache of compute units.
    L1,
    /// LDS accesses.
    Lds,
    /// Vector instructions.
    Vector,
    /// Scalar instructions.
    Scalar,
    /// Waves that wait: nothing is busy for half of the time.
    Latency,
}

impl Bottleneck {
    /// Its name in output, which stays as it is.
    pub fn name(self) -> &'static str {
        match self {
            Bottleneck::Launch => "launch",
            Bottleneck::Dram => "dram",
            Bottleneck::LastLevel => "llc",
            Bottleneck::L2 => "l2",
            Bottleneck::L1 => "l1",
            Bottleneck::Lds => "lds",
            Bottleneck::Vector => "valu",
            Bottleneck::Scalar => "salu",
            Bottleneck::Latency => "latency",
        }
    }
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

impl OccupancyLimit {
    /// Its name in output, which stays as it is.
    pub fn name(self) -> &'static str {
        match self {
            OccupancyLimit::WaveSlots => "wave_slots",
            OccupancyLimit::Vgprs => "vgprs",
            OccupancyLimit::Lds => "lds",
            OccupancyLimit::WorkgroupSlots => "workgroup_slots",
            OccupancyLimit::Workgroups => "workgroups",
        }
    }
}

/// Estimates the time of the launch that `profile` was made of, on `machine`, with caches as they are said to be.
pub fn estimate(profile: &Profile, machine: &Machine, caches: CacheState) -> Estimate {
    let occupancy = occupancy::occupancy(
        WorkgroupNeeds {
            waves: profile.waves_per_workgroup,
            lanes: profile.lanes,
            vgprs: profile.vgprs,
            lds_bytes: profile.lds_bytes,
            spans_units: profile.spans_units,
        },
        machine,
    );
    // Workgroups are dealt to the compute units in turn.
    let of_fullest = profile.workgroups.div_ceil(occupancy.units.into());
    let mut limited_by = occupancy.limited_by;
    let mut resident = occupancy.workgroups_per_unit;
    if of_fullest < u64::from(resident) {
        limited_by = OccupancyLimit::Workgroups;
        resident = of_fullest.max(1) as u32;
    }
    let (parts, work_us) =
        fixed_point::solve(profile, machine, caches, &occupancy, resident, of_fullest);
    let waves = resident * profile.waves_per_workgroup.max(1);
    let beyond = beyond_smallest(work_us, machine);
    Estimate {
        time_us: machine.launch.floor_us + beyond,
        bottleneck: bottleneck(&parts, beyond, work_us),
        waves_per_simd: waves.div_ceil(occupancy.simds),
        workgroups_per_unit: occupancy.workgroups_per_unit,
        limited_by,
        breakdown: parts,
    }
}

/// What work takes beyond the smallest kernel's, whose start, arguments and cached access are in the floor.
fn beyond_smallest(work_us: f64, machine: &Machine) -> f64 {
    let smallest = machine.launch.start_cycles + machine.latency.dram + machine.latency.l2;
    (work_us - smallest * 1e-3 / machine.clock_ghz).max(0.0)
}

/// Workgroups of a kernel that a compute unit holds at a time: of so many work-items, with so many bytes of LDS beyond the
/// kernel's own.
pub fn resident_workgroups(
    kernel: &LoadedKernel,
    workgroup_items: u32,
    dynamic_lds_bytes: u32,
    machine: &Machine,
) -> u32 {
    let needs = needs(kernel, workgroup_items, dynamic_lds_bytes);
    occupancy::occupancy(needs, machine).workgroups_per_unit
}

/// As [`resident_workgroups`], of all compute units.
pub fn concurrent_workgroups(
    kernel: &LoadedKernel,
    workgroup_items: u32,
    dynamic_lds_bytes: u32,
    machine: &Machine,
) -> u32 {
    let needs = needs(kernel, workgroup_items, dynamic_lds_bytes);
    let occupancy = occupancy::occupancy(needs, machine);
    occupancy
        .units
        .saturating_mul(occupancy.workgroups_per_unit)
}

/// Waves of a kernel that a SIMD has room for at a time, by each of the limits; the smallest counts. Workgroups are of so
/// many work-items, and there are so many of them.
pub fn waves_per_simd(
    kernel: &LoadedKernel,
    workgroup_items: u32,
    workgroups: u64,
    machine: &Machine,
) -> Vec<(OccupancyLimit, u32)> {
    let needs = needs(kernel, workgroup_items, 0);
    let occupancy = occupancy::occupancy(needs, machine);
    let of_fullest = workgroups.div_ceil(occupancy.units.into()).max(1);
    let of_launch = (
        of_fullest.min(u32::MAX.into()) as u32,
        OccupancyLimit::Workgroups,
    );
    let waves = |workgroups: u32| {
        // One workgroup always runs.
        let waves = workgroups.max(1).saturating_mul(needs.waves.max(1));
        waves.div_ceil(occupancy.simds)
    };
    let each = occupancy.each.into_iter().chain([of_launch]);
    each.map(|(workgroups, limit)| (limit, waves(workgroups)))
        .collect()
}

/// What a workgroup of a kernel needs.
fn needs(kernel: &LoadedKernel, workgroup_items: u32, dynamic_lds_bytes: u32) -> WorkgroupNeeds {
    WorkgroupNeeds {
        waves: workgroup_items.div_ceil(kernel.wavefront_size.max(1)),
        lanes: kernel.wavefront_size,
        vgprs: kernel.counted_vgprs(),
        lds_bytes: kernel.lds_bytes.saturating_add(dynamic_lds_bytes),
        spans_units: kernel.spans_units,
    }
}

/// The floor, if it is more than the rest; else what is busy longest, if for half of the time; else nothing is.
fn bottleneck(parts: &TimeBreakdown, beyond: f64, work: f64) -> Bottleneck {
    if parts.launch > beyond {
        return Bottleneck::Launch;
    }
    let busy = [
        (parts.dispatch, Bottleneck::Launch),
        (parts.dram, Bottleneck::Dram),
        (parts.last_level, Bottleneck::LastLevel),
        (parts.l2.max(parts.atomic), Bottleneck::L2),
        (parts.l1, Bottleneck::L1),
        (parts.lds, Bottleneck::Lds),
        (parts.vector, Bottleneck::Vector),
        (parts.scalar, Bottleneck::Scalar),
    ];
    let longest = busy
        .into_iter()
        .max_by(|one, other| one.0.total_cmp(&other.0));
    match longest {
        Some((time, name)) if time * 2.0 >= work => name,
        _ => Bottleneck::Latency,
    }
}

#[cfg(test)]
mod tests;
