//! The parameters of a device that the time model needs.

/// A device as the time model sees it. The values belong to the caller; none is assumed here.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// Compute units of the whole device.
    pub compute_units: u32,
    /// Dies with an L2 each (XCDs); workgroups are dealt to them in turn.
    pub dies: u32,
    /// SIMD units of a compute unit.
    pub simds_per_unit: u32,
    /// Most waves that a SIMD holds.
    pub waves_per_simd: u32,
    /// Most workgroups of more than one wave that a compute unit holds.
    pub workgroups_per_unit: u32,
    /// Vector registers per lane that a SIMD has for all of its waves.
    pub vgprs_per_simd: u32,
    /// Vector registers are allocated in multiples of this.
    pub vgpr_granule: u32,
    /// Bytes of LDS of a compute unit.
    pub lds_bytes_per_unit: u32,
    /// LDS is allocated in multiples of this many bytes.
    pub lds_granule: u32,
    /// Core clock in GHz.
    pub clock_ghz: f64,
    /// Cycles that a SIMD is occupied by a 32-bit vector instruction of one wave.
    pub vector_cycles: u32,
    /// Bytes of a line that caches and memory exchange; profiles count lines of 128 bytes.
    pub line_bytes: u32,
    /// Time of a launch that does nothing, in microseconds.
    pub launch_floor_us: f64,
    /// Achievable DRAM bandwidth of the device in GB/s (1e9 bytes).
    pub dram_gb_per_s: f64,
    /// Achievable bandwidth of the last level cache in GB/s; the DRAM's where there is none.
    pub last_level_gb_per_s: f64,
    /// Achievable bandwidth of all L2 caches together in GB/s.
    pub l2_gb_per_s: f64,
    /// Bytes of the last level cache; 0 where there is none.
    pub last_level_bytes: u64,
    /// Bytes of one die's L2.
    pub l2_bytes: u64,
    /// Latencies of loads.
    pub latency: Latency,
    /// Exponent of the saturation between latency-bound and bandwidth-bound (p-norm).
    pub saturation: f64,
    /// Latency in nanoseconds in Little's law for DRAM streams: bytes in flight / this = bandwidth asked for.
    pub stream_latency_ns: f64,
}

/// Cycles from the issue of a load to its value, by where the value is found.
#[derive(Debug, Clone, Copy, PartialEq)]
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
}
