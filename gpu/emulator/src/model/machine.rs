//! The parameters of a device for the time model.

use serde::Serialize;

/// A device as the time model sees it. The caller supplies all values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Machine {
    /// Compute units of the whole device.
    pub compute_units: u32,
    /// Dies with an L2 each (XCDs); the dispatcher deals workgroups to them in turn.
    pub dies: u32,
    /// Compute units that share an LDS and may share a workgroup: 2 on RDNA, else 1.
    pub units_per_group: u32,
    /// The capacity of a compute unit.
    pub slots: Slots,
    /// The cycles of instructions.
    pub pace: Pace,
    /// The cost of a launch and its workgroups.
    pub launch: LaunchCost,
    /// Copies between the device and pageable memory of the host.
    pub host_copy: HostCopy,
    /// The vector L1 of a compute unit (RDNA: L0).
    pub l1: FirstLevel,
    /// The L2; `bytes` is the size of one die's.
    pub l2: SharedCache,
    /// The last level cache, if there is one.
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
    /// Maximum waves of a SIMD.
    pub waves_per_simd: u32,
    /// Maximum workgroups with more than one wave in a compute unit.
    pub workgroups: u32,
    /// Lanes of the waves for which the vector register figures and [`Pace`] hold.
    pub lanes: u32,
    /// Vector registers per lane that a SIMD has for all of its waves.
    pub vgprs: u32,
    /// Allocation granule of vector registers.
    pub vgpr_granule: u32,
    /// Bytes of LDS of a compute unit.
    pub lds_bytes: u32,
    /// Allocation granule of LDS in bytes.
    pub lds_granule: u32,
}

/// Cycles of instructions, for waves of [`Slots::lanes`] lanes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pace {
    /// Cycles that a 32-bit vector instruction occupies a SIMD.
    pub vector: f64,
    /// The same for double precision.
    pub double: f64,
    /// Cycles from a vector instruction's issue to one that needs its result.
    pub result: f64,
    /// Cycles between two instructions of one wave; also of a SIMD's scalar instructions.
    pub issue: f64,
    /// Cycles of a branch for its wave, from fetch to issue.
    pub branch: f64,
    /// Cycles of a barrier after the arrival of the last wave.
    pub barrier: f64,
}

/// The cost of a launch and its workgroups.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LaunchCost {
    /// Time of a nearly empty launch, in microseconds.
    pub floor_us: f64,
    /// Time of a nearly empty launch directly behind another one, in microseconds.
    pub behind_us: f64,
    /// Cycles between two workgroup starts of a die.
    pub workgroup_cycles: f64,
    /// Cycles from a free workgroup slot to the first instruction.
    pub start_cycles: f64,
}

/// The cost of a copy between the device and pageable memory of the host.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HostCopy {
    /// Time of the smallest copy, in microseconds.
    pub start_us: f64,
    /// Bandwidth in GB/s.
    pub gb_per_s: f64,
}

/// The first level cache and the path from a compute unit to memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FirstLevel {
    /// Size in bytes.
    pub bytes: u64,
    /// Bytes delivered per cycle.
    pub bytes_per_cycle: f64,
    /// Lanes with addresses accepted per cycle.
    pub lanes_per_cycle: f64,
}

/// A cache that compute units share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SharedCache {
    /// Size in bytes.
    pub bytes: u64,
    /// Achievable bandwidth of the whole device in GB/s (1e9 bytes).
    pub gb_per_s: f64,
}

/// Memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Dram {
    /// Achievable bandwidth of read-only kernels in GB/s.
    pub read_gb_per_s: f64,
    /// Achievable bandwidth in GB/s of kernels with equal reads and writes.
    pub copy_gb_per_s: f64,
    /// Achievable bandwidth in GB/s of write-only kernels.
    pub write_gb_per_s: f64,
    /// Latency in nanoseconds in Little's law for read streams: bytes in flight / latency =
    /// requested bandwidth.
    pub stream_latency_ns: f64,
    /// The limit in bytes beyond which a launch reaches only this fraction of the bandwidth.
    pub reach: Option<(u64, f64)>,
}

/// Cycles from the issue of a load to its value, by the serving memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latency {
    /// First level vector cache.
    pub l1: f64,
    /// L2 of the die.
    pub l2: f64,
    /// Last level cache.
    pub last_level: f64,
    /// DRAM, for a single access.
    pub dram: f64,
    /// LDS.
    pub lds: f64,
    /// An atomic operation, beyond the L2's latency.
    pub atomic: f64,
    /// The interval between atomic operations of lanes on one line.
    pub atomic_interval: f64,
}

impl HostCopy {
    /// Returns the microseconds of a copy.
    pub fn us(&self, bytes: u64) -> f64 {
        self.start_us + bytes as f64 / self.gb_per_s * 1e-3
    }
}

impl Dram {
    /// Returns the achievable bandwidth in GB/s if the fraction `written` of the bytes is writes
    /// (0 to 1). Interpolates the time of a byte.
    pub(super) fn gb_per_s(&self, written: f64) -> f64 {
        let (from, to, place) = if written <= 0.5 {
            (self.read_gb_per_s, self.copy_gb_per_s, written * 2.0)
        } else {
            (self.copy_gb_per_s, self.write_gb_per_s, written * 2.0 - 1.0)
        };
        1.0 / ((1.0 - place) / from + place / to)
    }
}
