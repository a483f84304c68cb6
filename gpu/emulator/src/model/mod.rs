//! The time model: it estimates the time of a launch on a device from a [`Profile`].
//!
//! It has three parts:
//!
//! - `occupancy` computes the workgroups that a compute unit holds, from registers, LDS and
//!   slots.
//! - `traffic` computes the memories that serve a workgroup's lines (first level, L2, last level,
//!   DRAM), from the lines touched in between. It then sums the bytes of the launch.
//! - `compute_unit` simulates the fullest compute unit with its resident workgroups. Waves issue
//!   in order, wait for loads, meet at barriers, and share SIMDs, address path and LDS.
//!   Workgroups arrive at the rate of a die's dispatcher. After two rounds the model
//!   extrapolates.
//!
//! They meet in a fixed point (`solve`): the longer the launch takes, the less busy are the
//! memories, and the shorter are their latencies. A memory that is busy for the fraction `u` of
//! the time has the latency `l / (1 - u^p)^(1/p)`. For a kernel that only reads, this is the
//! published law of bandwidth over bytes in flight, `((n/l)^-p + BWmax^-p)^(-1/p)`.
//!
//! [`lower_bound_us`] is the least time that the model can give to a number of bytes, and
//! [`issue_bound_us`] to the instructions of a wave.
//!
//! The launch floor is added. It was measured with the smallest kernels, so the model subtracts
//! the time of one. That is a workgroup's start, its arguments from DRAM, and one cached access.
//!
//! `docs/time-model.md` lists the omissions.

mod compute_unit;
mod fixed_point;
mod lower_bound;
mod machine;
mod occupancy;
mod sectors;
mod sharing;
mod traffic;

pub use lower_bound::{issue_bound_us, lower_bound_us};
pub use machine::{
    Dram, FirstLevel, HostCopy, Latency, LaunchCost, Machine, Pace, SharedCache, Slots,
};

use crate::code_object::LoadedKernel;
use crate::profile::Profile;
use occupancy::WorkgroupNeeds;

/// An estimate. It is modelled, never measured.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// Time of one launch in microseconds.
    pub time_us: f64,
    /// The largest part of the time.
    pub bottleneck: Bottleneck,
    /// Waves that a SIMD holds at a time.
    pub waves_per_simd: u32,
    /// Workgroups that a compute unit holds at a time, or a pair of units if workgroups span two.
    pub workgroups_per_unit: u32,
    /// The limit of the number of waves per SIMD.
    pub limited_by: OccupancyLimit,
    /// The parts of the time, each in microseconds as if the others were free.
    pub breakdown: TimeBreakdown,
    /// The bytes that the launch touches.
    pub footprint: Footprint,
}

/// The bytes of the distinct cache lines that a launch touches, extrapolated from its sample. A
/// kernel that reads an element twice counts it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Footprint {
    /// Bytes that it reads.
    pub read_bytes: u64,
    /// Bytes that it writes.
    pub written_bytes: u64,
}

/// Microseconds of a launch by cause, each as if the other causes were free.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TimeBreakdown {
    /// The cost of any launch.
    pub launch: f64,
    /// The start of its workgroups.
    pub dispatch: f64,
    /// Its waves, with idle memories.
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
    /// Products of matrices of the fullest SIMD.
    pub matrix: f64,
    /// Scalar instructions of the fullest SIMD.
    pub scalar: f64,
    /// Atomic operations on one line.
    pub atomic: f64,
}

/// The content of caches at the start of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CacheState {
    /// No data of the launch.
    Cold,
    /// The data that the same launch left.
    Warm,
}

/// The largest part of a modelled time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Bottleneck {
    /// The cost of any launch, and the start of its workgroups.
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
    /// Products of matrices.
    Matrix,
    /// Scalar instructions.
    Scalar,
    /// Waiting waves: nothing is busy for half of the time.
    Latency,
}

impl TimeBreakdown {
    /// Returns each part with its stable name in output.
    pub fn named(&self) -> [(&'static str, f64); 12] {
        [
            ("launch", self.launch),
            ("dispatch", self.dispatch),
            ("latency", self.latency),
            ("dram", self.dram),
            ("llc", self.last_level),
            ("l2", self.l2),
            ("l1", self.l1),
            ("lds", self.lds),
            ("valu", self.vector),
            ("matrix", self.matrix),
            ("salu", self.scalar),
            ("atomic", self.atomic),
        ]
    }
}

impl Bottleneck {
    /// Returns its stable name in output.
    pub fn name(self) -> &'static str {
        match self {
            Bottleneck::Launch => "launch",
            Bottleneck::Dram => "dram",
            Bottleneck::LastLevel => "llc",
            Bottleneck::L2 => "l2",
            Bottleneck::L1 => "l1",
            Bottleneck::Lds => "lds",
            Bottleneck::Vector => "valu",
            Bottleneck::Matrix => "matrix",
            Bottleneck::Scalar => "salu",
            Bottleneck::Latency => "latency",
        }
    }
}

/// The limit of the number of waves of a SIMD.
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
    /// The number of workgroups of the launch.
    Workgroups,
}

impl OccupancyLimit {
    /// Returns its stable name in output.
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

/// Estimates the time on `machine` of the launch behind `profile`, with caches in the given
/// state.
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
    // The dispatcher deals workgroups to the compute units in turn.
    let of_fullest = profile.workgroups.div_ceil(occupancy.units.into());
    let mut limited_by = occupancy.limited_by;
    let mut resident = occupancy.workgroups_per_unit;
    // Then the launch is too small to fill even its fullest unit.
    if of_fullest < u64::from(resident) {
        limited_by = OccupancyLimit::Workgroups;
        resident = of_fullest.max(1) as u32;
    }
    let places = traffic::CacheHits::of(profile, machine, caches, f64::from(resident));
    let (parts, work_us) =
        fixed_point::solve(profile, machine, &places, &occupancy, resident, of_fullest);
    let waves = resident * profile.waves_per_workgroup.max(1);
    let beyond = beyond_smallest(work_us, machine);
    Estimate {
        time_us: machine.launch.floor_us + beyond,
        bottleneck: bottleneck(&parts, beyond, work_us),
        waves_per_simd: waves.div_ceil(occupancy.simds),
        workgroups_per_unit: occupancy.workgroups_per_unit,
        limited_by,
        breakdown: parts,
        footprint: traffic::footprint(profile, machine, &places),
    }
}

/// Returns the microseconds beyond the smallest kernel. The floor includes that kernel's start,
/// arguments and cached access.
fn beyond_smallest(work_us: f64, machine: &Machine) -> f64 {
    let smallest = machine.launch.start_cycles + machine.latency.dram + machine.latency.l2;
    (work_us - smallest * 1e-3 / machine.clock_ghz).max(0.0)
}

/// Returns the number of workgroups that a compute unit holds at a time. They have
/// `workgroup_items` work-items and `dynamic_lds_bytes` of LDS beyond the kernel's own.
pub fn resident_workgroups(
    kernel: &LoadedKernel,
    workgroup_items: u32,
    dynamic_lds_bytes: u32,
    machine: &Machine,
) -> u32 {
    let needs = needs(kernel, workgroup_items, dynamic_lds_bytes);
    occupancy::occupancy(needs, machine).workgroups_per_unit
}

/// Returns the number of [`resident_workgroups`] of all compute units together.
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

/// Returns the waves of a kernel that a SIMD has room for, by each limit; the smallest one
/// counts. Workgroups have `workgroup_items` work-items.
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
        // One workgroup always fits.
        let waves = workgroups.max(1).saturating_mul(needs.waves.max(1));
        waves.div_ceil(occupancy.simds)
    };
    let each = occupancy.each.into_iter().chain([of_launch]);
    each.map(|(workgroups, limit)| (limit, waves(workgroups)))
        .collect()
}

/// Returns the needs of a kernel's workgroup.
fn needs(kernel: &LoadedKernel, workgroup_items: u32, dynamic_lds_bytes: u32) -> WorkgroupNeeds {
    WorkgroupNeeds {
        waves: workgroup_items.div_ceil(kernel.wavefront_size.max(1)),
        lanes: kernel.wavefront_size,
        vgprs: kernel.counted_vgprs(),
        lds_bytes: kernel.lds_bytes.saturating_add(dynamic_lds_bytes),
        spans_units: kernel.spans_units,
    }
}

/// Returns the floor if it exceeds the rest, else the resource that is busy longest, if for half
/// of the time, else latency.
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
        (parts.matrix, Bottleneck::Matrix),
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
