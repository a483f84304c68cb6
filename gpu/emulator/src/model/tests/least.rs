//! No launch with as many bytes is faster than the lower bound, and the best launches are nearly
//! as fast.

use super::*;

/// Returns a wave that requests `loads` KB at once, and stores 4 bytes after their arrival.
fn wave(loads: u32) -> Vec<TraceEvent> {
    let mut events = vec![load(16, 8); loads as usize];
    events.push(wait(0));
    events.push(TraceEvent::Memory {
        lines: AccessLines {
            sectors: 1,
            cold: 1,
            dirtied: 1,
            ..AccessLines::default()
        },
        kind: AccessKind::Store,
    });
    events
}

/// Returns the least time of the shapes that read `kilobytes`, as ratios to the bound.
fn ratios(machine: &Machine, kilobytes: u64) -> Vec<f64> {
    let mut ratios = Vec::new();
    for waves in [1, 2, 4, 8, 16] {
        for loads in [1, 2, 4, 8, 16, 32, 128] {
            let of_group = u64::from(waves * loads);
            if !kilobytes.is_multiple_of(of_group) {
                continue;
            }
            let workgroups = kilobytes / of_group;
            let events = wave(loads);
            let profile = profile_of(workgroups, group(&vec![&events[..]; waves as usize]));
            // Each wave writes one line.
            let written = workgroups * u64::from(waves) * 128;
            let least = lower_bound_us(kilobytes << 10, written, machine);
            ratios.push(estimate(&profile, machine, CacheState::Cold).time_us / least);
        }
    }
    ratios
}

#[track_caller]
fn check(machine: &Machine, kilobytes: u64, most: f64) {
    let ratios = ratios(machine, kilobytes);
    let best = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(best >= 1.0 - 2e-4, "{kilobytes} KB: {best} of {ratios:?}");
    assert!(best <= most, "{kilobytes} KB: {best} of {ratios:?}");
}

#[test]
fn no_shape_is_faster_and_the_best_are_near() {
    let mut one_die = MACHINE;
    one_die.dies = 1;
    one_die.last_level = None;
    let mut pairs = MACHINE;
    pairs.units_per_group = 2;
    pairs.dies = 1;
    for machine in [MACHINE, one_die, pairs] {
        check(&machine, 1, 1.02);
        check(&machine, 96, 1.1);
        check(&machine, 2048, 1.15);
        check(&machine, 1 << 14, 1.2);
        check(&machine, 1 << 17, 1.1);
        check(&machine, 1 << 20, 1.05);
    }
}

#[test]
fn more_bytes_take_no_less() {
    let times: Vec<f64> = (0..36)
        .map(|logarithm| lower_bound_us(1 << logarithm, 8, &MACHINE))
        .collect();
    check_ascending(&times);
    assert!(
        (times[0] - MACHINE.launch.floor_us).abs() < 1e-3,
        "{times:?}"
    );
    // Written bytes count as well.
    assert!(lower_bound_us(0, 1 << 30, &MACHINE) > times[30]);
}

#[track_caller]
fn check_issue(change: impl FnOnce(&mut IssuedInstructions), machine: &Machine, cycles: f64) {
    let mut issued = IssuedInstructions {
        lanes: 64,
        vector: 0,
        double: 0,
        scalar: 0,
        branches: 0,
        accesses: 0,
    };
    change(&mut issued);
    // The floor includes 1350 cycles of the smallest kernel, with the 200 of its start.
    let expected = machine.launch.floor_us + (cycles - 1150.0) * 1e-3 / machine.clock_ghz;
    let found = issue_bound_us(&issued, machine);
    assert!((found / expected - 1.0).abs() < 2e-4, "{found} {expected}");
}

#[test]
fn instructions_take_their_cycles() {
    check_issue(|it| it.vector = 1000, &MACHINE, 4000.0);
    check_issue(|it| it.double = 1000, &MACHINE, 4000.0);
    check_issue(|it| it.scalar = 1000, &MACHINE, 4000.0);
    check_issue(|it| it.accesses = 1000, &MACHINE, 4000.0);
    check_issue(|it| it.branches = 1000, &MACHINE, 16_000.0);
    check_issue(|it| (it.vector, it.scalar) = (500, 500), &MACHINE, 4000.0);
    // A wave of twice as many lanes takes two passes.
    let mut narrow = MACHINE;
    narrow.slots.lanes = 32;
    check_issue(|it| it.vector = 1000, &narrow, 8000.0);
    check_issue(|it| it.scalar = 1000, &narrow, 4000.0);
    // No launch is below the floor.
    check_issue(|it| it.scalar = 1, &MACHINE, 1150.0);
}
