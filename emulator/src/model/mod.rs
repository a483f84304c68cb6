//! The time model: how long a launch would take on a device, estimated from a [`Profile`](crate::Profile).

mod machine;

pub use machine::{Latency, Machine};

use crate::profile::Profile;

/// An estimate. It is modelled, never measured; see [`Estimate::CLOCK`].
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
    /// Microseconds that one wave takes alone.
    pub wave_us: f64,
    /// Microseconds by DRAM bandwidth, latency and saturation.
    pub memory_us: f64,
    /// Microseconds by issue of instructions.
    pub issue_us: f64,
}

impl Estimate {
    /// The clock that these times belong to.
    pub const CLOCK: &'static str = "modelled";
}

/// What a modelled time is made of most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Bottleneck {
    /// The cost of any launch.
    Launch,
    /// DRAM bandwidth, saturated.
    DramBandwidth,
    /// Too few bytes in flight for the DRAM bandwidth.
    DramLatency,
    /// Bandwidth of the caches.
    CacheBandwidth,
    /// Cache lines per cycle of a compute unit's memory path.
    MemoryIssue,
    /// Vector instructions.
    VectorIssue,
    /// Scalar instructions.
    ScalarIssue,
    /// LDS accesses.
    Lds,
    /// The chain of dependent instructions of a wave.
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

/// Estimates the time of the launch that `profile` was made of, on `machine`, with cold caches.
pub fn estimate(profile: &Profile, machine: &Machine) -> Estimate {
    let _ = (profile, machine);
    Estimate {
        time_us: f64::NAN,
        bottleneck: Bottleneck::Launch,
        waves_per_simd: 0,
        workgroups_per_unit: 0,
        limited_by: OccupancyLimit::WaveSlots,
        rounds: 0.0,
        wave_us: 0.0,
        memory_us: 0.0,
        issue_us: 0.0,
    }
}
