//! The time of loops: proportional to their trips for any number of waves, and never less for
//! more work.

use super::*;

/// The trips of the loops, each twice the one before. The first have all events simulated, and
/// the last have a truncated trace.
const TRIPS: [u32; 7] = [64, 128, 256, 512, 1024, 2048, 4096];

/// The fewest of these for a body, and the number of events beyond which more show nothing new.
const FEWEST: usize = 5;
const EVENTS: usize = 4 * 4096;

/// Returns the trips for a body.
fn trips(body: &[TraceEvent]) -> &'static [u32] {
    let is_short = |trips: &&u32| **trips as usize * body.len() <= EVENTS;
    &TRIPS[..TRIPS.iter().take_while(is_short).count().max(FEWEST)]
}

fn scalars(vector: u16) -> TraceEvent {
    TraceEvent::Issue(Issue {
        vector,
        scalar: 3,
        branches: 1,
        ..Issue::default()
    })
}

fn lds(remaining: u8) -> TraceEvent {
    TraceEvent::Wait(Wait {
        load: Wait::ANY,
        store: Wait::ANY,
        lds: remaining,
        scalar: Wait::ANY,
    })
}

/// Returns one load after the other, from a separate line for each lane.
fn chased() -> Vec<TraceEvent> {
    vec![load(64, 64), wait(0), scalars(3)]
}

/// Returns `count` loads in flight together, each used on arrival.
fn unrolled(count: u8) -> Vec<TraceEvent> {
    let used = (0..count).rev().flat_map(|left| [wait(left), vectors(17)]);
    std::iter::repeat_n(load(16, 8), count.into())
        .chain(used)
        .chain([scalars(3)])
        .collect()
}

/// Returns loads that the next trip uses.
fn pipelined() -> Vec<TraceEvent> {
    let loads = (0..8).flat_map(|_| [load(16, 8), vectors(4)]);
    loads.chain([wait(8), vectors(30), scalars(3)]).collect()
}

/// Returns workgroups whose waves meet twice in a trip.
fn meeting() -> Vec<TraceEvent> {
    vec![
        vectors(100),
        TraceEvent::Lds { passes: 4 },
        lds(0),
        TraceEvent::Barrier,
        scalars(3),
        TraceEvent::Barrier,
    ]
}

/// Returns a wave with `trips` trips through a loop, between its arguments and its result.
fn wave(body: &[TraceEvent], trips: u32) -> WaveTrace {
    let scalar = TraceEvent::Wait(Wait {
        load: Wait::ANY,
        store: Wait::ANY,
        lds: Wait::ANY,
        scalar: 0,
    });
    let result = TraceEvent::Memory {
        lines: AccessLines {
            sectors: 1,
            cold: 1,
            dirtied: 1,
            ..AccessLines::default()
        },
        kind: AccessKind::Store,
    };
    let before = [TraceEvent::ScalarLoad { cold: true }, scalar, vectors(10)];
    let after = [wait(0), scalars(20), result];
    let trips = (0..trips).flat_map(|_| body.iter().copied());
    WaveTrace::recorded(before.into_iter().chain(trips).chain(after))
}

/// Returns the microseconds of `workgroups` workgroups without the launch cost. The first wave
/// makes `more` trips than the others.
fn beyond(body: &[TraceEvent], workgroups: u64, waves: usize, trips: u32, more: u32) -> f64 {
    let trace = WorkgroupTrace {
        waves: (0..waves)
            .map(|number| wave(body, trips + if number == 0 { more } else { 0 }))
            .collect(),
        share: 1.0,
    };
    let estimate = estimate(&profile_of(workgroups, trace), &MACHINE, CacheState::Cold);
    let parts = estimate.breakdown;
    let busy = [parts.l1, parts.lds, parts.vector, parts.scalar, parts.dram];
    let busiest = busy.into_iter().fold(0.0, f64::max);
    assert!(estimate.time_us >= 0.98 * busiest, "{estimate:?}");
    estimate.time_us - MACHINE.launch.floor_us
}

/// Checks that each doubling of the trips adds twice as much as the one before, within
/// `tolerance`.
#[track_caller]
fn check(body: &[TraceEvent], workgroups: u64, waves: usize, tolerance: f64) {
    let more = u32::from(waves == 16);
    let times = trips(body).iter();
    let times: Vec<f64> = times
        .map(|trips| beyond(body, workgroups, waves, *trips, more))
        .collect();
    let added: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for pair in added.windows(2) {
        let ratio = pair[1] / pair[0] / 2.0;
        assert!(
            (ratio - 1.0).abs() <= tolerance,
            "{workgroups} workgroups of {waves} waves, {more} more: {ratio} in {times:?}"
        );
    }
}

/// The shapes: one wave alone, a unit with one workgroup more than others, up to three rounds of
/// a full machine.
const SHAPES: [(u64, usize); 5] = [(1, 1), (1, 4), (1, 16), (305, 4), (7296, 4)];

#[track_caller]
fn check_shapes(body: &[TraceEvent], tolerance: f64) {
    for (workgroups, waves) in SHAPES {
        check(body, workgroups, waves, tolerance);
    }
}

#[test]
fn a_loop_takes_as_long_as_its_trips() {
    check_shapes(&chased(), 0.06);
    check_shapes(&meeting(), 0.06);
    check_shapes(&pipelined(), 0.08);
    check_shapes(&unrolled(4), 0.06);
    // Its period is longer than a sample would be without a search for the period.
    check_shapes(&unrolled(40), 0.06);
}

#[test]
fn more_trips_waves_and_workgroups_are_never_faster() {
    for body in [chased(), meeting(), pipelined(), unrolled(16)] {
        for trips in [100, 10_000] {
            let times = [1, 2, 4, 8, 16].map(|waves| beyond(&body, 1, waves, trips, 0));
            // Two waves in step wait for each other's turns more than three do, which fall out of
            // step. With all events simulated, the difference is 3 %.
            check_ascending_to(&times, 0.04);
            let times = [1, 100, 305, 1216, 1217, 2433, 20_000]
                .map(|workgroups| beyond(&body, workgroups, 4, trips, 0));
            check_ascending_to(&times, 0.01);
        }
    }
}

#[test]
fn a_row_in_pieces_is_no_slower_than_whole() {
    // With at most one workgroup per unit, concurrent pieces share no unit.
    for body in [chased(), pipelined(), unrolled(4), unrolled(16)] {
        let times = [1, 2, 4, 16, 64, 256]
            .map(|pieces| -beyond(&body, u64::from(pieces), 4, 16_384 / pieces, 0));
        check_ascending(&times);
    }
}
