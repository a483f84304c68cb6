//! The model's answers for traces made by hand: faster work takes less time, and limits match the
//! formulas.

mod least;
mod loops;
mod unit;

use super::*;
use crate::execute::AccessKind;
use crate::instruction::Wait;
use crate::launch::Execution;
use crate::profile::{
    AccessLines, ColdShares, Issue, IssuedInstructions, LineSharing, TraceEvent, WaveTrace,
    WorkgroupTrace,
};
use crate::version::MACHINE;

pub(super) fn load(sectors: u16, cold: u16) -> TraceEvent {
    TraceEvent::Memory {
        lines: AccessLines {
            sectors,
            cold,
            ..AccessLines::default()
        },
        kind: AccessKind::Load,
    }
}

/// Returns a wait for this many loads (gfx9: and stores).
pub(super) fn wait(remaining: u8) -> TraceEvent {
    TraceEvent::Wait(Wait {
        load: remaining,
        store: remaining,
        lds: Wait::ANY,
        scalar: Wait::ANY,
    })
}

pub(super) fn vectors(vector: u16) -> TraceEvent {
    TraceEvent::Issue(Issue {
        vector,
        ..Issue::default()
    })
}

pub(super) fn group(waves: &[&[TraceEvent]]) -> WorkgroupTrace {
    WorkgroupTrace {
        waves: waves
            .iter()
            .map(|events| WaveTrace::whole(events))
            .collect(),
        share: 1.0,
    }
}

pub(super) fn profile_of(workgroups: u64, trace: WorkgroupTrace) -> Profile {
    Profile {
        workgroups,
        waves_per_workgroup: trace.waves.len() as u32,
        lanes: 64,
        vgprs: 32,
        lds_bytes: 0,
        spans_units: false,
        execution: Execution::default(),
        vector_instructions: 0,
        kinds: 1,
        joint_counter: true,
        cold_shares: ColdShares {
            read: 1.0,
            written: 1.0,
            dirtied: 1.0,
        },
        sharing: LineSharing::default(),
        hottest_line: 0.0,
        traces: vec![trace],
    }
}

/// Returns a workgroup of `waves` waves. Each reads `loads` times 1 KB, `flight` at a time, from
/// `lines` lines per load.
fn streaming(waves: u32, loads: u32, flight: u32, sectors: u16, lines: u16) -> WorkgroupTrace {
    let mut events = Vec::new();
    for index in 0..loads {
        events.push(load(sectors, lines));
        if (index + 1) % flight == 0 {
            events.push(wait(0));
            events.push(TraceEvent::Issue(Issue {
                vector: 17 * flight as u16,
                scalar: 3,
                branches: 1,
                ..Issue::default()
            }));
        }
    }
    group(&vec![events.as_slice(); waves as usize])
}

fn time(workgroups: u64, vgprs: u32, trace: WorkgroupTrace) -> Estimate {
    let profile = Profile {
        vgprs,
        ..profile_of(workgroups, trace)
    };
    estimate(&profile, &MACHINE, CacheState::Cold)
}

#[test]
fn a_full_device_streams_at_the_bandwidth() {
    // 304 x 32 waves each read 64 times 1 KB, four loads in flight.
    let estimate = time(9728 * 4, 32, streaming(1, 64, 4, 16, 8));
    let bytes = 9728.0 * 4.0 * 64.0 * 1024.0;
    assert_eq!(estimate.bottleneck, Bottleneck::Dram);
    assert_eq!(estimate.breakdown.dram, bytes / 4500e3);
    let achieved = bytes / (estimate.time_us * 1e3);
    assert!((3800.0..4500.0).contains(&achieved), "{achieved} GB/s");
}

/// Checks the bandwidth over bytes in flight, of waves that only wait for one load.
#[track_caller]
fn check_saturation(resident: u32) {
    let events = [load(16, 8), wait(0)];
    let mut machine = MACHINE;
    machine.launch.start_cycles = 0.0;
    machine.launch.workgroup_cycles = 0.0;
    machine.slots.waves_per_simd = resident;
    // The time of a single wave is the load's issue, path and latency, and the wait.
    let alone_us = (4.0 + 16.0 + 900.0 + 4.0) * 1e-3 / machine.clock_ghz;
    machine.dram.stream_latency_ns = alone_us * 1e3;
    let workgroups = u64::from(resident) * 4 * 304 * 200;
    let work = estimate(
        &profile_of(workgroups, group(&[&events])),
        &machine,
        CacheState::Cold,
    );
    let flight = f64::from(resident) * 4.0 * 304.0 * 1024.0;
    let p = machine.saturation;
    let law = ((flight / (alone_us * 1e3)).powf(-p) + 4500f64.powf(-p)).powf(-1.0 / p);
    let found = workgroups as f64 * 1024.0 / (work.time_us * 1e3);
    assert!((found / law - 1.0).abs() < 0.05, "{found} {law}");
}

#[test]
fn streams_follow_the_law_of_bytes_in_flight() {
    for resident in [1, 2, 3, 4, 6, 8] {
        check_saturation(resident);
    }
}

#[test]
fn more_bytes_in_flight_are_faster() {
    let [one, four] = [1, 4].map(|flight| time(304, 32, streaming(4, 64, flight, 16, 8)).time_us);
    assert!(four < 0.6 * one, "{four} {one}");
}

#[test]
fn more_waves_for_the_same_work_are_faster() {
    // One, 4 and 16 waves read one row of 64 KB.
    let [a, b, c] =
        [1, 4, 16].map(|waves| time(4, 32, streaming(waves, 64 / waves, 1, 16, 8)).time_us);
    assert!(a > b && b > c, "{a} {b} {c}");
}

#[test]
fn registers_that_quarter_the_occupancy_cost_time() {
    let [many, few] = [64, 256].map(|vgprs| time(9728, vgprs, streaming(1, 64, 1, 16, 8)));
    assert_eq!((many.waves_per_simd, few.waves_per_simd), (8, 2));
    assert_eq!(few.limited_by, OccupancyLimit::Vgprs);
    assert!(few.time_us > 1.2 * many.time_us, "{few:?} {many:?}");
    // Each compute unit has one workgroup.
    let small = time(304, 256, streaming(4, 64, 1, 16, 8));
    assert_eq!(
        (small.waves_per_simd, small.limited_by),
        (1, OccupancyLimit::Workgroups)
    );
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
fn the_busiest_unit_is_the_bottleneck() {
    let work = |event: TraceEvent| {
        let events = vec![event; 100];
        let [few, many] =
            [1, 9728].map(|workgroups| time(workgroups, 32, group(&[events.as_slice()])));
        (few.bottleneck, many.bottleneck)
    };
    let scalar = TraceEvent::Issue(Issue {
        scalar: 10_000,
        ..Issue::default()
    });
    let branches = TraceEvent::Issue(Issue {
        branches: 10_000,
        ..Issue::default()
    });
    assert_eq!(
        work(vectors(10_000)),
        (Bottleneck::Vector, Bottleneck::Vector)
    );
    assert_eq!(work(scalar), (Bottleneck::Scalar, Bottleneck::Scalar));
    // Most of a branch is waiting.
    assert_eq!(work(branches), (Bottleneck::Latency, Bottleneck::Scalar));
    assert_eq!(
        work(TraceEvent::Lds { passes: 10_000 }),
        (Bottleneck::Lds, Bottleneck::Lds)
    );
    let near = TraceEvent::Memory {
        lines: AccessLines {
            sectors: 1000,
            near: 500,
            ..AccessLines::default()
        },
        kind: AccessKind::Load,
    };
    assert_eq!(work(near), (Bottleneck::L1, Bottleneck::L1));
}

#[test]
fn instructions_are_issued_once_in_four_cycles() {
    let events = vec![vectors(10_000); 10];
    let one = time(1, 32, group(&[events.as_slice()]));
    assert_eq!(one.breakdown.vector, 200.0);
    let many = time(9728, 32, group(&[events.as_slice()]));
    assert_eq!(many.breakdown.vector, 1600.0);
    let beyond = many.time_us - 4.0;
    assert!((1595.0..1605.0).contains(&beyond), "{beyond}");
}

#[test]
fn an_empty_launch_costs_the_floor_until_its_workgroups_take_longer_to_start() {
    for workgroups in [1, 304, 1000] {
        let estimate = time(workgroups, 8, group(&[&[][..]; 4]));
        assert_eq!(
            (estimate.time_us, estimate.bottleneck),
            (MACHINE.launch.floor_us, Bottleneck::Launch)
        );
    }
    // Each of 8 dies starts a workgroup in 4 cycles.
    let estimate = time(8_000_000, 8, group(&[&[][..]; 4]));
    assert_eq!(estimate.breakdown.dispatch, 2000.0);
    assert!(
        (2000.0..2010.0).contains(&estimate.time_us),
        "{}",
        estimate.time_us
    );
    assert_eq!(estimate.bottleneck, Bottleneck::Launch);
}

#[test]
fn atomics_on_one_line_go_one_after_the_other() {
    let profile = Profile {
        hottest_line: 1e6,
        ..profile_of(9728, streaming(1, 4, 1, 16, 8))
    };
    let estimate = estimate(&profile, &MACHINE, CacheState::Cold);
    assert_eq!(estimate.breakdown.atomic, 2000.0);
    assert_eq!(estimate.bottleneck, Bottleneck::L2);
    assert!(estimate.time_us >= 2000.0);
}

#[test]
fn warm_caches_serve_fitting_data() {
    // 304 x 32 waves read 4 KB each, 40 MB together; the other launch reads 26 times as much.
    let bytes = |workgroups: u64| workgroups as f64 * 4096.0;
    let parts = |workgroups, caches| {
        let profile = profile_of(workgroups, streaming(1, 4, 4, 16, 8));
        estimate(&profile, &MACHINE, caches).breakdown
    };
    let (small, large) = (9728, 26 * 9728);
    let cold = parts(small, CacheState::Cold);
    assert_eq!(cold.dram, bytes(small) / 4500e3);
    let warm = parts(small, CacheState::Warm);
    assert_eq!((warm.dram, warm.last_level), (0.0, bytes(small) / 5800e3));
    assert_eq!(
        parts(large, CacheState::Warm).dram,
        parts(large, CacheState::Cold).dram
    );
}

/// Checks that each time is at least the one before, and that the last exceeds the first.
#[track_caller]
fn check_ascending(times: &[f64]) {
    // The fixed point has an error of half a percent.
    check_ascending_to(times, 0.005);
}

#[track_caller]
fn check_ascending_to(times: &[f64], tolerance: f64) {
    let ascending = |pair: &[f64]| pair[0] <= pair[1] * (1.0 + tolerance);
    assert!(times.windows(2).all(ascending), "{times:?}");
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
    // These registers leave 8, 4, 2 waves and 1 wave to a SIMD.
    let registers = [64, 128, 256, 512];
    check_ascending(&registers.map(|vgprs| time(9728, vgprs, streaming(1, 64, 1, 16, 8)).time_us));
}

#[test]
fn at_the_bandwidth_four_times_the_workgroups_take_four_times_as_long() {
    let work = |workgroups| {
        let estimate = time(workgroups, 32, streaming(4, 256, 8, 16, 8));
        assert_eq!(estimate.bottleneck, Bottleneck::Dram);
        estimate.time_us - MACHINE.launch.floor_us
    };
    let [once, four] = [304 * 8, 4 * 304 * 8].map(work);
    assert!((3.9..4.1).contains(&(four / once)), "{once} {four}");
}

#[test]
fn lines_that_workgroups_share_are_moved_once() {
    let [alone, shared] = [1.0, 0.25].map(|read| {
        let profile = Profile {
            cold_shares: ColdShares {
                read,
                written: 1.0,
                dirtied: 1.0,
            },
            ..profile_of(9728, streaming(1, 64, 4, 16, 8))
        };
        estimate(&profile, &MACHINE, CacheState::Cold)
    });
    assert_eq!(shared.breakdown.dram, alone.breakdown.dram / 4.0);
    // The waves wait equally long for them.
    assert_eq!(shared.breakdown.latency, alone.breakdown.latency);
}

#[test]
fn one_long_workgroup_is_waited_for() {
    let kinds = |share: f64| {
        let mut short = streaming(1, 4, 1, 16, 8);
        let mut long = streaming(1, 4000, 1, 16, 8);
        (short.share, long.share) = (1.0 - share, share);
        let profile = Profile {
            kinds: 2,
            traces: vec![short, long],
            ..profile_of(9728, streaming(1, 4, 1, 16, 8))
        };
        estimate(&profile, &MACHINE, CacheState::Cold).time_us
    };
    let alone = time(1, 32, streaming(1, 4000, 1, 16, 8)).time_us;
    let [none, one, half] = [0.0, 1.0 / 9728.0, 0.5].map(kinds);
    // With a share of 0, the profile still contains it, because the workgroup ran.
    assert!(none >= alone && one >= alone, "{none} {one} {alone}");
    // The load of the others ends long before it.
    assert!(one < 1.1 * alone, "{one} {alone}");
    assert!(half > 2.0 * one, "{half} {one}");
}

#[test]
fn a_footprint_is_at_most_the_buffers() {
    // 8,192 workgroups touch 64 KB each, of a buffer of 1 MB.
    let mut profile = profile_of(8192, streaming(1, 64, 4, 16, 8));
    let far = estimate(&profile, &MACHINE, CacheState::Warm);
    profile.sharing.allocations.insert(0, 1 << 20);
    let near = estimate(&profile, &MACHINE, CacheState::Warm);
    assert_eq!(near.footprint.read_bytes, 1 << 20);
    assert_eq!(near.breakdown.dram, 0.0);
    assert!(near.time_us < far.time_us && far.breakdown.dram > 0.0);
}

#[test]
fn a_line_that_is_read_and_written_moves_three_times() {
    let update = TraceEvent::Memory {
        lines: AccessLines {
            sectors: 16,
            near: 8,
            dirtied: 8,
            ..AccessLines::default()
        },
        kind: AccessKind::Store,
    };
    let events = [load(16, 8), wait(0), update];
    let parts = |dies| {
        let machine = Machine { dies, ..MACHINE };
        let profile = profile_of(9728, group(&[&events]));
        estimate(&profile, &machine, CacheState::Cold).breakdown
    };
    let us = 9728.0 * 8.0 * 128.0 / 5800e3;
    let transfers = |dies| parts(dies).last_level / us;
    assert!((transfers(8) - 3.0).abs() < 1e-9, "{}", transfers(8));
    // One L2 needs to ask no other.
    assert!((transfers(1) - 2.0).abs() < 1e-9, "{}", transfers(1));
}
