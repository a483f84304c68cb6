//! Shared lines, and traces that reach their limit.

use super::cache_lines::LineTable;
use super::sampler::WAVE_LIMIT;
use super::*;
use crate::address::Address;
use crate::execute::{AccessKind, MemoryAccess};
use crate::launch::run;
use crate::model::{CacheState, Estimate, TimeBreakdown, estimate, issue_bound_us};

impl WaveTrace {
    /// Returns a wave with these events, as a recorder keeps them.
    pub(crate) fn recorded(events: impl IntoIterator<Item = TraceEvent>) -> WaveTrace {
        let mut trace = WaveTrace::default();
        for event in events {
            trace.push(event, WAVE_LIMIT as usize);
        }
        trace.finish();
        trace
    }

    /// Returns a wave with these events, one instruction each.
    pub(crate) fn whole(events: &[TraceEvent]) -> WaveTrace {
        let mut trace = WaveTrace {
            executed: events.len() as u64,
            ..WaveTrace::default()
        };
        for &event in events {
            trace.tally.add(event);
        }
        // `push` would merge neighbouring events.
        trace.head = events.to_vec();
        trace
    }
}

/// Returns the lines of one load of each workgroup. It reads `bytes` from `start(id)` on, lane
/// after lane.
fn shared(ids: &[u32], bytes: u64, start: impl Fn(u64) -> u64) -> (Vec<AccessLines>, LineTable) {
    let mut table = LineTable::default();
    let mut seen = Vec::new();
    for (place, &id) in ids.iter().enumerate() {
        if place == 0 || ids[place - 1] != id {
            table.begin(id);
        }
        let access = access(bytes, start(id.into()));
        seen.push(table.touch(&access, AccessKind::Load));
    }
    (seen, table)
}

fn access(bytes: u64, start: u64) -> MemoryAccess {
    let mut access = MemoryAccess::new();
    access.bytes = 4;
    access.mask = u64::MAX >> (64 - bytes / 4);
    access.addresses = std::array::from_fn(|lane| start.wrapping_add(4 * lane as u64));
    access
}

#[track_caller]
fn check_share(ids: &[u32], bytes: u64, workgroups: u64, expected: f64) {
    let (_, table) = shared(ids, bytes, |id| id * bytes);
    let everything = ids.len() as u64 == workgroups;
    let weight = 1.0 / ids.len() as f64;
    let share = table
        .cold_shares((!everything).then_some(workgroups), None, |_| weight)
        .read;
    assert!((share - expected).abs() < 1e-9, "{share}");
}

#[test]
fn neighbours_that_share_a_line_move_it_once() {
    let pairs = [0, 1, 512, 513];
    // Each workgroup has its own lines.
    check_share(&pairs, 128, 1024, 1.0);
    check_share(&pairs, 256, 1024, 1.0);
    // With 4 bytes each, as a row's result, 32 workgroups share a line.
    check_share(&pairs, 4, 1024, 1.0 / 32.0);
    check_share(&pairs, 32, 1024, 0.25);
    // The launch has no other workgroups.
    check_share(&[0, 1, 2, 3], 4, 4, 0.25);
    check_share(&[0, 1, 2, 3], 4, 5, 0.2);
    check_share(&[0, 1, 3, 4], 4, 6, 1.0 / 6.0);
    // With 192 bytes, the pair shares the middle line, so memory moves 3 lines for 4.
    check_share(&pairs, 192, 1024, 0.75);
}

#[test]
fn lines_that_are_read_and_written_are_shared_apart() {
    // Each workgroup reads two lines of its own, and writes 8 bytes of a line that 16 share.
    let mut table = LineTable::default();
    for id in [0, 1, 512, 513, 1023] {
        table.begin(id);
        table.touch(&access(256, 256 * u64::from(id)), AccessKind::Load);
        table.touch(&access(8, (1 << 30) + 8 * u64::from(id)), AccessKind::Store);
    }
    let shares = table.cold_shares(Some(1024), Some(1023), |_| 1.0);
    // Two workgroups of the sample share a line: it counts twice as cold, and once as dirtied.
    let expected = ColdShares {
        read: 1.0,
        written: 1.0 / 16.0,
        dirtied: 1.0 / 8.0,
    };
    assert_eq!(shares, expected);
}

#[test]
fn a_line_counts_as_the_workgroups_that_share_it() {
    // Each has its own lines, but the last workgroup also reads one of its neighbour. The sample
    // is denser there.
    let ids = [0, 1, 512, 513, 1022, 1023];
    let (_, table) = shared(&ids, 128, |id| 128 * id.min(1022));
    let share = |weight: &dyn Fn(u32) -> f64| table.cold_shares(Some(1024), None, weight).read;
    assert_eq!(share(&|_| 1.0), 5.0 / 6.0);
    let close = |id| if id < 1000 { 255.5 } else { 1.0 };
    assert_eq!(share(&close), 1023.0 / 1024.0);
    // The neighbour also represents workgroups that share nothing.
    let neighbour = |id| match id {
        1022 => 200.0,
        1023 => 1.0,
        _ => 205.75,
    };
    assert_eq!(share(&neighbour), 1023.0 / 1024.0);
}

#[test]
fn the_previous_access_to_a_line_decides_its_kind() {
    let lines = |cold, near, far| AccessLines {
        sectors: 1,
        cold,
        near,
        far,
        ..AccessLines::default()
    };
    // All share one line: neighbours wait for it together, and later workgroups find it.
    let (seen, table) = shared(&[0, 0, 1, 512, 513, 513], 4, |_| 256);
    let (cold, near, far) = (lines(1, 0, 0), lines(0, 1, 0), lines(0, 0, 1));
    assert_eq!(seen[0], cold);
    assert_eq!(seen[2..], [cold, far, far, near]);
    // Half of the launch counts it.
    let share = table.cold_shares(Some(1024), None, |_| 0.25).read;
    assert_eq!(share * 512.0, 1.0);
}

#[test]
fn shared_reads_are_moved_once() {
    // Each reads 256 bytes of its own, and 256 common bytes. The last workgroup represents only
    // itself.
    let moved = |ids: &[u32], workgroups: u64| {
        let mut table = LineTable::default();
        for &id in ids {
            table.begin(id);
            table.touch(&access(256, 256 * u64::from(id)), AccessKind::Load);
            table.touch(&access(256, 1 << 30), AccessKind::Load);
        }
        let (alone, sample) = (1.0 / workgroups as f64, ids.len() as f64);
        let weight = |id: u32| match u64::from(id) + 1 == workgroups {
            true => alone,
            false => (1.0 - alone) / (sample - 1.0),
        };
        let share = table.cold_shares(Some(workgroups), None, weight).read;
        // The cold lines are its own for each workgroup, and the common ones for the first two.
        let counted = workgroups as f64 * (2.0 + 2.0 * (weight(ids[0]) + weight(ids[1])));
        counted * share
    };
    for workgroups in [514, 1024, 65_536] {
        let last = workgroups as u32 - 1;
        let lines = moved(&[0, 1, 256, 257, last], workgroups);
        let expected = 2.0 * workgroups as f64 + 2.0;
        assert!(
            (lines / expected - 1.0).abs() < 1e-9,
            "{lines} lines for {expected}"
        );
    }
}

#[test]
fn an_access_counts_its_lines_and_sectors() {
    let counts = |bytes, start| {
        let (seen, _) = shared(&[7], bytes, |_| start);
        (seen[0].sectors, seen[0].cold)
    };
    assert_eq!(counts(256, 0), (4, 2));
    assert_eq!(counts(256, 4), (5, 3));
    assert_eq!(counts(64, 64), (1, 1));
    assert_eq!(counts(4, u64::MAX - 3), (1, 1));
    // An access does not pass the end of the address space.
    assert_eq!(counts(4, u64::MAX - 1), (1, 1));
}

#[test]
fn a_line_is_dirty_once_and_remembers_when() {
    let mut table = LineTable::default();
    table.begin(0);
    let mut touch = |start, kind| {
        let lines = table.touch(&access(256, start), kind);
        (lines.cold, lines.near, lines.dirtied, lines.distance)
    };
    assert_eq!(touch(0, AccessKind::Load), (2, 0, 0, 0));
    assert_eq!(touch(0, AccessKind::Store), (0, 2, 2, 1));
    assert_eq!(touch(0, AccessKind::Store), (0, 2, 0, 1));
    for start in 1..8 {
        assert_eq!(touch(256 * start, AccessKind::Store), (2, 0, 2, 0));
    }
    // The access is 16 lines later.
    assert_eq!(touch(0, AccessKind::Load), (0, 2, 0, 4));
}

#[test]
fn atomics_gather_on_the_lines_that_workgroups_share() {
    let hottest = |start: fn(u64) -> u64| {
        let mut table = LineTable::default();
        for id in 0..4 {
            table.begin(id);
            let kind = AccessKind::Atomic { returns: false };
            table.touch(&access(256, start(id.into())), kind);
        }
        table.hottest(25.0)
    };
    // 32 lanes access each line, from one workgroup or from 100.
    assert_eq!(hottest(|id| 256 * id), 32.0);
    assert_eq!(hottest(|_| 0), 32.0 * 100.0);
}

/// Calls `work` with a launch of the argmax fixture on 6 rows of `columns`, and its three
/// buffers.
fn with_launch<R>(
    columns: u32,
    look: impl FnOnce(&CodeObject, &mut EmulatedMemory, &KernelLaunch<'_>, [Address; 3]) -> R,
) -> R {
    let code = CodeObject::load(include_bytes!("../../fixtures/argmax_f32x4.hsaco")).unwrap();
    let mut memory = EmulatedMemory::new();
    let buffers = [24 * u64::from(columns), 24, 24].map(|bytes| memory.allocate(bytes).unwrap());
    let mut kernarg: Vec<u8> = buffers
        .iter()
        .flat_map(|one| one.get().to_le_bytes())
        .collect();
    kernarg.extend((columns / 4).to_le_bytes());
    let launch = KernelLaunch {
        kernel: code.kernel("argmax_f32x4").unwrap(),
        workgroups: [6, 1, 1],
        workgroup_size: [64, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        workgroup_subset: None,
        instruction_limit: 1 << 32,
        resident_workgroups: 0,
        threads: 1,
    };
    look(&code, &mut memory, &launch, buffers)
}

/// Estimates the argmax fixture on 6 rows of `columns`, with at most `events` events.
fn estimated(columns: u32, events: u64) -> Estimate {
    let profile = with_launch(columns, |code, memory, launch, _| {
        profile_within(code, memory, launch, 4, events).unwrap()
    });
    assert_eq!((profile.traces.len(), profile.kinds), (5, 1));
    let waves = profile.traces.iter().flat_map(|trace| &trace.waves);
    let stored: usize = waves
        .flat_map(|wave| wave.pieces(usize::MAX))
        .map(|piece| piece.events.len())
        .sum();
    assert!(
        stored as u64 <= events + events / 2,
        "{stored} events of {events}"
    );
    estimate(&profile, &crate::version::MACHINE, CacheState::Cold)
}

#[test]
fn a_profile_leaves_memory_as_it_was() {
    with_launch(4096, |code, memory, launch, buffers| {
        let [rows, values, indices] = buffers;
        let row: Vec<u8> = (0..4096u32)
            .flat_map(|it| (it as f32).to_le_bytes())
            .collect();
        memory.write(rows, 0, &row.repeat(6));
        memory.bytes_mut(values).fill(0xcd);
        memory.bytes_mut(indices).fill(0xcd);
        memory.mark_undefined(values, 4..24);
        let profiled = profile(code, memory, launch, 4).unwrap();
        assert_eq!(memory.bytes(rows), row.repeat(6));
        assert_eq!(memory.bytes(values), [0xcd; 24]);
        assert_eq!(memory.bytes(indices), [0xcd; 24]);
        let undefined = memory.take_undefined();
        let of_values = undefined.iter().find_map(|slot| slot.get()).unwrap();
        assert_eq!(of_values.get(0, 24), 0xff_fff0);
        memory.give_back_undefined(undefined);
        // A launch has already written to this memory.
        run(code, memory, launch).unwrap();
        assert_ne!(memory.bytes(indices), [0xcd; 24]);
        let again = profile(code, memory, launch, 4).unwrap();
        let time = |profile| estimate(profile, &crate::version::MACHINE, CacheState::Cold).time_us;
        assert_eq!(time(&profiled), time(&again));
        // A fault, here at the last of 553 instructions, restores memory too.
        let few = KernelLaunch {
            instruction_limit: 552,
            ..*launch
        };
        memory.bytes_mut(indices).fill(0xcd);
        assert!(profile(code, memory, &few, 4).is_err());
        assert_eq!(memory.bytes(indices), [0xcd; 24]);
    });
}

#[test]
fn instructions_up_to_the_limit_bound_the_time() {
    let machine = &crate::version::MACHINE;
    with_launch(64_000, |code, memory, launch, _| {
        let whole = profile(code, memory, launch, 4).unwrap();
        let whole_us = estimate(&whole, machine, CacheState::Cold).time_us;
        let longest = whole.traces.iter().flat_map(|trace| &trace.waves);
        let longest = longest.map(|wave| wave.executed).max().unwrap();
        let mut bounds = vec![machine.launch.floor_us];
        for limit in [longest / 4, longest / 2, longest - 1] {
            let cut = KernelLaunch {
                instruction_limit: limit,
                ..*launch
            };
            let unprofiled = profile_or_issued(code, memory, &cut, 4).unwrap_err();
            let issued = unprofiled.issued.expect("a lone wave does not wait");
            bounds.push(issue_bound_us(&issued, machine));
        }
        assert!(bounds.is_sorted_by(|one, other| one < other), "{bounds:?}");
        // The rest is the latency of loads.
        let share = bounds[3] / whole_us;
        assert!((0.1..1.0).contains(&share), "{bounds:?} of {whole_us}");
    });
}

#[test]
fn other_faults_bound_nothing() {
    with_launch(4096, |code, memory, launch, buffers| {
        memory.free(buffers[0]).unwrap();
        let unprofiled = profile_or_issued(code, memory, launch, 4).unwrap_err();
        assert!(matches!(unprofiled.fault, LaunchFault::OutOfBounds { .. }));
        assert_eq!(unprofiled.issued, None);
    });
}

#[test]
fn a_trace_that_reached_its_limit_is_extended() {
    let whole = estimated(64_000, EVENT_LIMIT);
    for events in [16_000, 8000, 2000, 500] {
        let part = estimated(64_000, events);
        let ratio = part.time_us / whole.time_us;
        assert!((0.9..1.1).contains(&ratio), "{events} events: {ratio}");
        // This one is counted, not extrapolated.
        let counted =
            |parts: &TimeBreakdown| [parts.dram, parts.l2, parts.l1, parts.vector, parts.scalar];
        assert_eq!(
            counted(&part.breakdown),
            counted(&whole.breakdown),
            "{events} events"
        );
    }
}

#[test]
fn more_work_is_never_faster_below_and_beyond_the_limit() {
    let times = [1000, 4000, 16_000, 64_000, 256_000].map(|columns| estimated(columns, 1000));
    for pair in times.windows(2) {
        assert!(pair[0].time_us < pair[1].time_us, "{pair:?}");
    }
}
