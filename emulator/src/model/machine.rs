//! The parameters of a device that the time model needs.

use serde::Serialize;

/// A device as the time model sees it. The values belong to the caller; none is assumed here.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Machine {
    /// Compute units of the whole device.
    pub compute_units: u32,
    /// Dies with an L2 each (XCDs); workgroups are dealt to them in turn.
    pub dies: u32,
    /// Compute units that share an LDS and over which a workgroup may be spread: 2 on RDNA, else 1.
    pub units_per_group: u32,
    /// What a compute unit has room for.
    pub slots: Slots,
    /// How fast a wave's instructions go.
    pub pace: Pace,
    /// What a launch and its workgroups cost.
    pub launch: LaunchCost,
    /// The vector L1 of a compute unit (RDNA: L0).
    pub l1: FirstLevel,
    /// The L2; bytes are those of one die.
    pub l2: SharedCache,
    /// The last level cache, where there is one.
    pub last_level: Option<SharedCache>,
    /// DRAM.
    pub dram: Dram,
    /// Bytes of a line that caches and memory exchange; profiles count lines of 128 bytes.
    pub line_bytes: u32,
    /// Core clock in GHz.
    pub clock_ghz: f64,
    /// Latencies of loads.
    pub latency: Latency,
    /// Exponent of the saturation between latency-bound and bandwidth-bound (p-norm).
    pub saturation: f64,
}

/// Room for waves and workgroups in a compute unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Slots {
    /// SIMD units of a compute unit.
    pub simds: u32,
    /// Most waves that a SIMD holds.
    pub waves_per_simd: u32,
    /// Most workgroups of more than one wave that a compute unit holds.
    pub workgroups: u32,
    /// Lanes of the waves for which the figures of vector registers hold, and those of [`Pace`].
    pub lanes: u32,
    /// Vector registers per lane that a SIMD has for all of its waves.
    pub vgprs: u32,
    /// Vector registers are allocated in multiples of this.
    pub vgpr_granule: u32,
    /// Bytes of LDS of a compute unit.
    pub lds_bytes: u32,
    /// LDS is allocated in multiples of this many bytes.
    pub lds_granule: u32,
}

/// Cycles of instructions, for waves of [`Slots::lanes`] lanes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pace {
    /// A SIMD is occupied by a 32-bit vector instruction.
    pub vector: f64,
    /// The same of double precision.
    pub double: f64,
    /// From a vector instruction's issue to one that needs its result.
    pub result: f64,
    /// Between two instructions of one wave; a SIMD's scalar instructions.
    pub issue: f64,
    /// A branch, for its wave: from fetch to issue.
    pub branch: f64,
    /// A barrier, beyond the wait for the last wave.
    pub barrier: f64,
}

/// What a launch and its workgroups cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LaunchCost {
    /// Time of a launch that does next to nothing, in microseconds.
    pub floor_us: f64,
    /// Cycles between two workgroups that a die starts.
    pub workgroup_cycles: f64,
    /// Cycles from a free place for a workgroup to its first instruction.
    pub start_cycles: f64,
}

/// The first level cache and the way of a compute unit to memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FirstLevel {
    /// Bytes of it.
    pub bytes: u64,
    /// Bytes that it delivers in a cycle.
    pub bytes_per_cycle: f64,
    /// Lanes whose addresses are taken in a cycle.
    pub lanes_per_cycle: f64,
}

/// A cache that compute units share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SharedCache {
    /// Bytes of it.
    pub bytes: u64,
    /// Achievable bandwidth of the whole device in GB/s (1e9 bytes).
    pub gb_per_s: f64,
}

/// Memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Dram {
    /// Achievable bandwidth in GB/s of kernels that only read,
    pub read_gb_per_s: f64,
    /// that write as much as they read,
    pub copy_gb_per_s: f64,
    /// and that only write.
    pub write_gb_per_s: f64,
    /// Latency in nanoseconds in Little's law for streams of reads: bytes in flight / this = bandwidth asked for.
    pub stream_latency_ns: f64,
    /// Launches that touch more than so many bytes reach this part of the bandwidth.
    pub reach: Option<(u64, f64)>,
}

/// Cycles from the issue of a load to its value, by where the value is found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latency {
    /// First level vector cache.
    pub l1: f64,
    /// L2 of the die.
    pub l2: f64,
    /// Last level cache.
    pub last_level: f64,
    /// DRAM, of one access alone.
    pub dram: f64,
    /// LDS.
    pub lds: f64,
    /// Of an atomic operation, beyond the L2's.
    pub atomic: f64,
    /// Between two atomic operations of lanes on one line.
    pub atomic_interval: f64,
}

impl Dram {
    /// Achievable bandwidth if `written` of the bytes are writes (0 to 1): the time of a byte is interpolated.
    pub(super) fn gb_per_s(&self, written: f64) -> f64 {
        let (from, to, place) = if written <= 0.5 {
            (self.read_gb_per_s, self.copy_gb_per_s, written * 2.0)
        } else {
            (self.copy_gb_per_s, self.write_gb_per_s, written * 2.0 - 1.0)
        };
        1.0 / ((1.0 - place) / from + place / to)
    }
}
