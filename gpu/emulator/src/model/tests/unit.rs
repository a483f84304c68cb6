//! Waves on a compute unit, cycle by cycle.

use super::super::compute_unit::{ComputeUnit, LoadLatencies};
use super::super::traffic::CacheHits;
use super::*;

/// Returns the end cycles of `count` workgroups of these waves, `resident` at a time, from the
/// first instruction on.
fn cycles(machine: &Machine, waves: &[&[TraceEvent]], resident: u32, count: usize) -> Vec<f64> {
    let profile = profile_of(count as u64, group(waves));
    let places = CacheHits::of(&profile, machine, CacheState::Cold, 1.0);
    let unit = ComputeUnit {
        machine,
        profile: &profile,
        places: &places,
        delays: LoadLatencies {
            l1: 100.0,
            l2: 200.0,
            last_level: 500.0,
            dram: 1000.0,
            dram_queue: 0.0,
        },
        simds: 4,
        paths: 1.0,
        resident,
        first: 0.0,
        interval: 0.0,
        stretch: 1.0,
    };
    let plan = profile.traces[0].waves.iter();
    let plans = [plan.map(|wave| wave.pieces(1000)).collect()];
    let start = machine.launch.start_cycles;
    let ends = unit.run(&plans, &vec![0; count]);
    ends.iter().map(|end| end - start).collect()
}

#[track_caller]
fn check(waves: &[&[TraceEvent]], expected: f64) {
    assert_eq!(cycles(&MACHINE, waves, 1, 1), [expected]);
}

const COLD: TraceEvent = TraceEvent::Memory {
    lines: AccessLines {
        sectors: 16,
        cold: 8,
        near: 0,
        far: 0,
        dirtied: 0,
        distance: 0,
        stream: 0,
    },
    kind: AccessKind::Load,
};

#[test]
fn loads_overlap_until_a_wait() {
    let (one, all) = (wait(1), wait(0));
    check(&[&[COLD, all]], 4.0 + 16.0 + 1000.0 + 4.0);
    // The second load waits for the address path.
    check(&[&[COLD, COLD, all]], 4.0 + 32.0 + 1000.0 + 4.0);
    check(&[&[COLD, all, COLD, all]], 2.0 * 1024.0);
    // One load may remain outstanding, so the second latency overlaps the first wait.
    check(&[&[COLD, COLD, one, all]], 4.0 + 32.0 + 1000.0 + 4.0);
    check(
        &[&[COLD, COLD, one, vectors(100)]],
        4.0 + 16.0 + 1000.0 + 4.0 + 400.0,
    );
}

#[test]
fn a_wave_keeps_its_place_until_its_stores_are_done() {
    let store = TraceEvent::Memory {
        lines: AccessLines {
            sectors: 16,
            cold: 8,
            dirtied: 8,
            ..AccessLines::default()
        },
        kind: AccessKind::Store,
    };
    check(&[&[store]], 4.0 + 16.0 + 200.0);
    // On gfx9, a wait for everything includes stores.
    check(
        &[&[store, wait(0), vectors(1)]],
        4.0 + 16.0 + 200.0 + 4.0 + 4.0,
    );
}

#[test]
fn a_barrier_waits_for_the_last_wave() {
    check(
        &[
            &[vectors(10), TraceEvent::Barrier, vectors(1)],
            &[vectors(100), TraceEvent::Barrier],
        ],
        400.0 + 16.0 + 4.0,
    );
    // A barrier does not wait for an ended wave.
    check(
        &[
            &[vectors(10), TraceEvent::Barrier, vectors(1)],
            &[vectors(100)],
        ],
        400.0 + 16.0 + 4.0,
    );
}

#[test]
fn waves_of_a_simd_take_turns_and_those_of_others_do_not() {
    let work: &[TraceEvent] = &[vectors(100)];
    check(&[work; 4], 400.0);
    check(&[work; 5], 800.0);
    check(&[work; 8], 800.0);
}

#[test]
fn waves_hide_each_others_latencies() {
    let work: &[TraceEvent] = &[COLD, wait(0), vectors(100)];
    let alone = cycles(&MACHINE, &[work], 1, 1)[0];
    // 8 waves per SIMD have all loads in flight at once, and then wait for the vector unit.
    let many = cycles(&MACHINE, &[work; 32], 1, 1)[0];
    assert!(many < alone + 7.0 * 400.0 + 32.0 * 16.0, "{alone} {many}");
    assert!(many > 8.0 * 400.0, "{many}");
}

#[test]
fn a_workgroup_that_ends_makes_room() {
    let work: &[TraceEvent] = &[vectors(100)];
    let start = MACHINE.launch.start_cycles;
    // Each wave has its own SIMD.
    assert_eq!(
        cycles(&MACHINE, &[work], 2, 4),
        [400.0, 400.0, 800.0 + start, 800.0 + start]
    );
}

#[test]
fn latency_limits_a_fast_unit() {
    let mut machine = MACHINE;
    machine.pace.vector = 1.0;
    machine.pace.result = 5.0;
    let dependent = |tightness| {
        [TraceEvent::Issue(Issue {
            vector: 10,
            tightness,
            ..Issue::default()
        })]
    };
    let cycles = |tightness| cycles(&machine, &[&dependent(tightness)], 1, 1)[0];
    // Nine of ten in a row depend on the one before, or every second one does, or none.
    assert_eq!([36, 27, 0].map(cycles), [46.0, 37.0, 10.0]);
    // If an instruction takes as long as the latency, none waits.
    check(&[&dependent(36)], 40.0);
}

#[test]
fn products_run_beside_the_vector_unit_until_their_result_is_needed() {
    let product = |apart| TraceEvent::Matrix { cycles: 32, apart };
    let chain = [product(true), product(true), TraceEvent::MatrixResult];
    // Two products in a row, and the latency of the result.
    check(&[&chain], 64.0 + 16.0);
    // Ten vector instructions hide the second product, and the result's latency remains.
    let beside = [product(true), vectors(10), TraceEvent::MatrixResult];
    check(&[&beside], 32.0 + 16.0);
    check(&[&[product(true), vectors(10)]], 4.0 + 40.0);
    // In the vector unit, they come after the product.
    check(&[&[product(false), vectors(10)]], 32.0 + 40.0);
    // A SIMD has one matrix core: the fifth wave shares it with the first.
    check(&[&chain as &[TraceEvent]; 4], 64.0 + 16.0);
    check(&[&chain as &[TraceEvent]; 5], 128.0 + 16.0);
}

#[test]
fn a_sampled_piece_is_scaled() {
    let mut events = Vec::new();
    for _ in 0..1000 {
        events.extend([COLD, wait(0), vectors(10)]);
    }
    let whole = cycles(&MACHINE, &[&events], 1, 1)[0];
    let profile = profile_of(1, group(&[&events]));
    let wave = &profile.traces[0].waves[0];
    for most in [48, 200, 1000] {
        let pieces = wave.pieces(most);
        let looked_at: usize = pieces.iter().map(|piece| piece.events.len()).sum();
        assert!(looked_at <= most + 4, "{looked_at} of {most}");
        let times: f64 = pieces
            .iter()
            .map(|piece| piece.events.len() as f64 * piece.times)
            .sum();
        assert!((times - 3000.0).abs() < 1e-6, "{times}");
    }
    // The sample does not keep to the loop's length.
    let ratio = whole / (1000.0 * (1024.0 + 40.0));
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
}
