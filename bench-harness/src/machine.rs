//! The conversion of a row of the device table to the time model's parameters.
//!
//! If the table has no figure for a part, the figure of the most similar part replaces it, so
//! that the times still rank kernels. [`configgen::Device::borrowed`] lists these figures. Cache
//! bandwidths scale with compute units and clock, or with the DRAM behind the cache. Memory
//! latencies scale with the clock.

use configgen::{Device, Figure, Saturation};
use emulator::model::{
    Dram, FirstLevel, HostCopy, Latency, LaunchCost, Machine, Pace, SharedCache, Slots,
};

/// The achievable share of the DRAM peak if no measurement exists. The measured parts of the
/// device table reach between 0.74 (RX 7900) and 0.99 (RX 6900 XT) of their peak.
const UNMEASURED_SHARE: f64 = 0.8;
/// The cache line of L2 and memory in bytes, on all parts of the table (AMD's CDNA and RDNA white
/// papers).
const LINE_BYTES: u32 = 128;
/// The number of lane addresses that a CDNA compute unit takes per cycle: a quarter of a wave of
/// 64. Source: CDNA 3 white paper, 64 bytes, four bytes each. For RDNA, the model assumes the
/// whole wave.
const ADDRESSES_CDNA: f64 = 16.0;
/// The cycles of a branch from fetch to issue, and of a barrier beyond the wait. Assumed: four
/// issue slots of CDNA. LLVM's scheduling models have 32 for branches on both.
const BRANCH_CYCLES: f64 = 16.0;
const BARRIER_CYCLES: f64 = 16.0;
/// The cycles of an atomic operation in the L2 beyond a load's, and between the operations of two
/// lanes on one line. Assumed.
const ATOMIC_CYCLES: f64 = 60.0;
const ATOMIC_INTERVAL_CYCLES: f64 = 1.0;
/// The cost of copies from pageable memory: MGPUSim's times on an MI300A, 48.8 µs for 2 MiB and
/// 160 µs for 8 MiB. Assumed for every part.
const HOST_COPY: HostCopy = HostCopy {
    start_us: 11.7,
    gb_per_s: 56.6,
};

/// Returns the time model's parameters of a device.
pub fn machine(row: &'static Device) -> Machine {
    let target = row.target();
    let lanes = target.subgroup_sizes[0];
    let clock = row.clock.value;
    let units = |row: &Device| f64::from(row.compute_units) * row.clock.value;
    let (of_saturation, saturation) = nearest(row, |row| row.saturation);
    let Saturation {
        latency_ns,
        exponent,
        ..
    } = saturation;
    let read = achievable_gb_per_s(row);
    // The limit of a saturation fit exceeds every measured kernel. The same factor raises the
    // bandwidths of kernels that write.
    let beyond = read / row.dram_read.map_or(read, |figure| figure.value);
    let copy = row.dram_copy.map_or(read, |figure| figure.value * beyond);
    let write = row.dram_write.map_or(copy, |figure| figure.value * beyond);
    let own = |pick: fn(&Device) -> Option<Figure>| nearest(row, pick).1.value;
    // A latency in ns is a property of the memory, so its cycles scale with the clock.
    let cycles = |pick: fn(&Device) -> Option<Figure>| {
        let (from, figure) = nearest(row, pick);
        figure.value * clock / from.clock.value
    };
    let (of_l2, l2) = nearest(row, |row| row.l2_read);
    // The bandwidth of a last-level cache scales with the DRAM behind it.
    let last_level = row.llc_bytes.map(|bytes| {
        let (from, figure) = nearest(row, |row| row.llc_read);
        SharedCache {
            bytes: bytes.value as u64,
            gb_per_s: figure.value * row.dram_peak.value / from.dram_peak.value,
        }
    });
    let stream_latency_ns = match of_saturation.name == row.name {
        true => latency_ns,
        // The fit's latency contains the other part's DRAM access, which this part's access
        // replaces.
        false => {
            let of = |device: &'static Device| {
                nearest(device, |row| {
                    row.dram_latency
                        .map(|figure| figure.value / row.clock.value)
                })
                .1
            };
            latency_ns - of(of_saturation) + of(row)
        }
    };
    let floor_us = own(|row| row.launch_floor);
    // Without a figure, a launch behind another one costs as much as the first one.
    let behind = row.nearest(|row| row.launch_behind);
    let behind_us = behind.map_or(floor_us, |(_, figure)| figure.value.min(floor_us));
    Machine {
        compute_units: row.compute_units,
        dies: row.dies,
        units_per_group: target.cus_per_group,
        slots: Slots {
            simds: target.simds_per_cu,
            waves_per_simd: target.waves_per_simd,
            workgroups: target.workgroups_per_cu,
            lanes,
            vgprs: target.vgprs_per_simd,
            vgpr_granule: target.vgpr_granule,
            lds_bytes: target.lds_bytes,
            lds_granule: target.lds_granule,
        },
        pace: Pace {
            vector: target.valu_cycles.into(),
            double: target.double_cycles.into(),
            result: target.result_cycles.into(),
            issue: target.issue_cycles.into(),
            branch: BRANCH_CYCLES,
            barrier: BARRIER_CYCLES,
        },
        launch: LaunchCost {
            floor_us,
            behind_us,
            workgroup_cycles: own(|row| row.workgroup_cycles),
            start_cycles: own(|row| row.start_cycles),
        },
        host_copy: HOST_COPY,
        l1: FirstLevel {
            bytes: own(|row| row.l1_bytes) as u64,
            bytes_per_cycle: own(|row| row.l1_read),
            // Only RDNA groups compute units, into WGPs.
            lanes_per_cycle: if target.cus_per_group > 1 {
                f64::from(lanes)
            } else {
                ADDRESSES_CDNA
            },
        },
        l2: SharedCache {
            bytes: own(|row| row.l2_bytes) as u64,
            gb_per_s: l2.value * units(row) / units(of_l2),
        },
        last_level,
        dram: Dram {
            read_gb_per_s: read,
            copy_gb_per_s: copy,
            write_gb_per_s: write,
            stream_latency_ns,
            reach: row
                .dram_reach
                .map(|reach| (reach.bytes.value as u64, reach.part.value)),
        },
        line_bytes: LINE_BYTES,
        clock_ghz: clock,
        latency: Latency {
            l1: own(|row| row.l1_latency),
            l2: own(|row| row.l2_latency),
            // Without a last-level cache, a miss of L2 goes to DRAM.
            last_level: match row.llc_bytes {
                Some(_) => cycles(|row| row.llc_latency),
                None => cycles(|row| row.dram_latency),
            },
            dram: cycles(|row| row.dram_latency),
            lds: own(|row| row.lds_latency),
            atomic: ATOMIC_CYCLES,
            atomic_interval: ATOMIC_INTERVAL_CYCLES,
        },
        saturation: exponent,
    }
}

/// Returns the DRAM bandwidth that a kernel with enough bytes in flight reaches, in GB/s.
fn achievable_gb_per_s(device: &Device) -> f64 {
    let fitted = device.saturation.map(|saturation| saturation.bandwidth);
    let measured = fitted.or(device.dram_read.map(|figure| figure.value));
    measured.unwrap_or(device.dram_peak.value * UNMEASURED_SHARE)
}

fn nearest<T>(row: &'static Device, pick: impl Fn(&Device) -> Option<T>) -> (&'static Device, T) {
    row.nearest(pick)
        .expect("a test of the table finds every figure for every device")
}
