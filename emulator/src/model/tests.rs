//! The model's answers on traces made by hand: what must be faster is faster, and the limits are the formulas'.

use super::*;
use crate::launch::Execution;
use crate::profile::{Lines, WaveTrace, WorkgroupTrace};
use crate::version::MACHINE;

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
fn an_empty_launch_costs_the_floor_whatever_its_size() {
    for workgroups in [1, 304, 1_000_000] {
        let empty = WorkgroupTrace {
            waves: vec![WaveTrace::whole(&[]); 4],
        };
        let estimate = time(workgroups, 8, empty);
        assert_eq!(
            (estimate.time_us, estimate.bottleneck),
            (MACHINE.launch_floor_us, Bottleneck::Launch)
        );
    }
}

/// Each time is at least the one before, and the last is more than the first.
#[track_caller]
fn check_ascending(times: &[f64]) {
    assert!(times.is_sorted(), "{times:?}");
    assert!(times[0] < times[times.len() - 1], "{times:?}");
}

#[test]
fn more_of_anything_is_never_faster() {
    for workgroups in [1, 100, 304, 5000] {
        let flights = [16, 8, 4, 2, 1];
        check_ascending(
            &flights.map(|flight| time(workgroups, 32, streaming(4, 64, flight, 16, 8)).time_us),
        );
        let loads = [4, 8, 64, 512, 4096];
        check_ascending(
            &loads.map(|loads| time(workgroups, 32, streaming(4, loads, 4, 16, 8)).time_us),
        );
        let lines = [8, 9, 16, 32, 64];
        check_ascending(
            &lines.map(|lines| time(workgroups, 32, streaming(4, 64, 4, 64, lines)).time_us),
        );
        let sectors = [16, 17, 32, 64];
        check_ascending(
            &sectors.map(|sectors| time(workgroups, 32, streaming(4, 64, 4, sectors, 8)).time_us),
        );
    }
    let workgroups = [1, 304, 305, 2432, 9728, 9729, 100_000];
    check_ascending(
        &workgroups.map(|workgroups| time(workgroups, 32, streaming(1, 64, 4, 16, 8)).time_us),
    );
    // Registers that leave 8, 4, 2 waves and 1 wave to a SIMD.
    let registers = [64, 128, 256, 512];
    check_ascending(&registers.map(|vgprs| time(9728, vgprs, streaming(1, 64, 1, 16, 8)).time_us));
}

#[test]
fn at_the_bandwidth_four_times_the_workgroups_take_four_times_as_long() {
    let work = |workgroups| {
        let estimate = time(workgroups, 32, streaming(4, 256, 8, 16, 8));
        assert_eq!(estimate.bottleneck, Bottleneck::DramBandwidth);
        estimate.time_us - MACHINE.launch_floor_us
    };
    let [once, four] = [304 * 8, 4 * 304 * 8].map(work);
    assert!((3.9..4.1).contains(&(four / once)), "{once} {four}");
}

#[test]
fn lines_that_workgroups_share_are_moved_once() {
    let profile = |cold_share| Profile {
        workgroups: 9728,
        waves_per_workgroup: 1,
        vgprs: 32,
        lds_bytes: 0,
        execution: Execution::default(),
        cold_share,
        traces: vec![streaming(1, 64, 4, 16, 8)],
    };
    let [alone, shared] = [1.0, 0.25].map(|share| estimate(&profile(share), &MACHINE));
    assert_eq!(shared.dram_us, alone.dram_us / 4.0);
    // They are waited for as long.
    assert_eq!(shared.latency_us, alone.latency_us);
}
