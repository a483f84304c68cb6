//! The model's answers on traces made by hand: what must be faster is faster, and the limits are the formulas'.

use super::*;
use crate::launch::Execution;
use crate::profile::{Lines, WaveTrace, WorkgroupTrace};

/// Round numbers of the size of an MI300X.
pub(crate) const MACHINE: Machine = Machine {
    compute_units: 304,
    dies: 8,
    simds_per_unit: 4,
    waves_per_simd: 8,
    workgroups_per_unit: 32,
    vgprs_per_simd: 512,
    vgpr_granule: 8,
    lds_bytes_per_unit: 64 * 1024,
    lds_granule: 512,
    clock_ghz: 2.0,
    vector_cycles: 4,
    line_bytes: 128,
    launch_floor_us: 4.0,
    dram_gb_per_s: 4500.0,
    last_level_gb_per_s: 5800.0,
    l2_gb_per_s: 16_000.0,
    last_level_bytes: 256 << 20,
    l2_bytes: 4 << 20,
    latency: Latency {
        l1: 120.0,
        l2: 250.0,
        last_level: 450.0,
        dram: 900.0,
        lds: 50.0,
    },
    saturation: 2.0,
    stream_latency_ns: 570.0,
};

/// A workgroup of `waves` waves that each read `loads` times 1 KB, `flight` at a time, from `lines` lines per load.
fn streaming(waves: u32, loads: u32, flight: u32, sectors: u16, lines: u16) -> WorkgroupTrace {
    let load = Event::Memory {
        lines: Lines {
            sectors,
            cold: lines,
            near: 0,
            far: 0,
        },
        load: true,
    };
    let mut events = Vec::new();
    for index in 0..loads {
        events.push(load);
        if (index + 1) % flight == 0 {
            events.push(Event::Wait {
                vector: 0,
                share: 15,
            });
            events.push(Event::Issue {
                vector: 17 * flight,
                scalar: 3,
                branches: 1,
            });
        }
    }
    WorkgroupTrace {
        waves: vec![WaveTrace::whole(&events); waves as usize],
    }
}

fn time(workgroups: u64, vgprs: u32, trace: WorkgroupTrace) -> Estimate {
    let profile = Profile {
        workgroups,
        waves_per_workgroup: trace.waves.len() as u32,
        vgprs,
        lds_bytes: 0,
        execution: Execution::default(),
        cold_share: 1.0,
        traces: vec![trace],
    };
    estimate(&profile, &MACHINE)
}

#[test]
fn nothing_takes_the_launch_floor() {
    let estimate = time(
        1,
        8,
        WorkgroupTrace {
            waves: vec![WaveTrace::whole(&[])],
        },
    );
    assert_eq!(
        (estimate.time_us, estimate.bottleneck),
        (4.0, Bottleneck::Launch)
    );
}

#[test]
fn a_full_device_streams_at_the_bandwidth() {
    // 304 x 32 waves x 64 loads of 1 KB in flight four at a time.
    let estimate = time(9728 * 4, 32, streaming(1, 64, 4, 16, 8));
    let bytes = 9728.0 * 4.0 * 64.0 * 1024.0;
    assert_eq!(estimate.bottleneck, Bottleneck::DramBandwidth);
    assert_eq!(estimate.dram_us, bytes / 4500e3);
    let achieved = bytes / (estimate.time_us * 1e3);
    assert!((3500.0..4500.0).contains(&achieved), "{achieved} GB/s");
}

#[test]
fn more_bytes_in_flight_are_faster() {
    let [one, four] = [1, 4].map(|flight| time(304, 32, streaming(4, 64, flight, 16, 8)).time_us);
    assert!(four < 0.6 * one, "{four} {one}");
}

#[test]
fn more_waves_for_the_same_work_are_faster() {
    // One row of 64 KB by one wave, by 4 and by 16.
    let [a, b, c] =
        [1, 4, 16].map(|waves| time(4, 32, streaming(waves, 64 / waves, 1, 16, 8)).time_us);
    assert!(a > b && b > c, "{a} {b} {c}");
}

#[test]
fn registers_that_quarter_the_occupancy_cost_time() {
    let [many, few] = [64, 256].map(|vgprs| time(9728, vgprs, streaming(1, 64, 1, 16, 8)));
    assert_eq!((many.waves_per_simd, few.waves_per_simd), (8, 2));
    assert_eq!(few.limited_by, OccupancyLimit::Vgprs);
    assert_eq!((many.rounds, few.rounds), (1.0, 4.0));
    assert!(few.time_us > 1.2 * many.time_us, "{few:?} {many:?}");
}

#[test]
fn scattered_loads_cost_more_than_consecutive_ones() {
    let [consecutive, unaligned, scattered] = [(16, 8), (17, 9), (64, 64)]
        .map(|(sectors, lines)| time(9728, 32, streaming(1, 64, 4, sectors, lines)).time_us);
    assert!(
        consecutive < unaligned && unaligned < 1.2 * consecutive,
        "{consecutive} {unaligned}"
    );
    assert!(scattered > 3.0 * consecutive, "{consecutive} {scattered}");
}

#[test]
fn one_workgroup_too_many_starts_a_round() {
    let [full, over] =
        [9728, 9729].map(|workgroups| time(workgroups, 32, streaming(1, 4, 1, 16, 8)));
    assert_eq!((full.rounds, over.rounds), (1.0, 2.0));
    assert!(over.time_us > full.time_us);
}

#[test]
fn a_chain_of_instructions_is_bound_by_its_wave_and_many_by_issue() {
    let work = || WorkgroupTrace {
        waves: vec![WaveTrace::whole(&[Event::Issue {
            vector: 100_000,
            scalar: 0,
            branches: 0,
        }])],
    };
    let one = time(1, 32, work());
    assert_eq!(one.bottleneck, Bottleneck::WaveLatency);
    assert_eq!(one.workgroup_us, 200.0);
    let many = time(9728, 32, work());
    assert_eq!(
        (many.bottleneck, many.vector_us),
        (Bottleneck::VectorIssue, 1600.0)
    );
}

#[test]
fn estimates_are_deterministic() {
    let once = time(1000, 40, streaming(4, 64, 2, 16, 8));
    assert_eq!(once, time(1000, 40, streaming(4, 64, 2, 16, 8)));
}
