//! The time of one workgroup alone on its compute unit.
//!
//! Each wave issues in order. A load is outstanding until its latency has passed; a wait stops the wave until few
//! enough loads are outstanding, and they return in order. A barrier lets all waves go on with the last one.

use std::collections::VecDeque;

use super::Machine;
use crate::profile::{Event, Lines, WaveTrace, WorkgroupTrace};

/// Cycles between two instructions of one wave: a SIMD issues for each of its waves once in four cycles (CDNA 3
/// white paper: four SIMDs take turns).
pub(super) const ISSUE_CYCLES: f64 = 4.0;
/// Cycles of a taken or not taken branch for its wave, from fetch to issue. Assumed: four issue slots.
const BRANCH_CYCLES: f64 = 16.0;
/// Cycles of a barrier beyond the wait for the last wave. Assumed: four issue slots.
const BARRIER_CYCLES: f64 = 16.0;

/// Cycles of a workgroup, and how many of them its waves waited for vector memory (mean of the waves).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Isolated {
    pub(super) cycles: f64,
    pub(super) waiting: f64,
}

struct Position {
    next: usize,
    time: f64,
    waiting: f64,
    /// When each outstanding vector memory operation is done.
    vector: VecDeque<f64>,
    /// The same for LDS and scalar loads.
    share: VecDeque<f64>,
}

/// Bytes of the vector L1 of a compute unit (AMD CDNA 3 white paper).
const L1_BYTES: u64 = 32 * 1024;

/// Cycles of loads by where their lines are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Latencies {
    /// Touched by the same workgroup before.
    near: f64,
    /// Touched by another workgroup before.
    far: f64,
    /// Not touched before, by a vector load in a stream of loads.
    cold: f64,
    /// Not touched before, by a scalar load.
    cold_alone: f64,
}

impl Latencies {
    /// Of a workgroup that touches so many bytes; `resident` workgroups share an L2 at a time.
    pub(super) fn of(machine: &Machine, workgroup_bytes: u64, resident: u64) -> Latencies {
        let latency = &machine.latency;
        let beyond_l2 = if machine.last_level_bytes > 0 {
            latency.last_level
        } else {
            latency.dram
        };
        let near = if workgroup_bytes <= L1_BYTES {
            latency.l1
        } else if workgroup_bytes.saturating_mul(resident) <= machine.l2_bytes {
            latency.l2
        } else {
            beyond_l2
        };
        Latencies {
            near,
            // The next workgroup runs on the next die, whose L2 does not have the line.
            far: if machine.dies > 1 {
                beyond_l2
            } else {
                latency.l2
            },
            cold: machine.stream_latency_ns * machine.clock_ghz,
            cold_alone: latency.dram,
        }
    }

    /// Whether lines touched again come from the first level cache.
    pub(super) fn near_in_l1(&self, machine: &Machine) -> bool {
        self.near <= machine.latency.l1
    }
}

/// The workgroup alone.
pub(super) fn isolated(
    trace: &WorkgroupTrace,
    machine: &Machine,
    latencies: &Latencies,
) -> Isolated {
    let start = |_| Position {
        next: 0,
        time: 0.0,
        waiting: 0.0,
        vector: VecDeque::new(),
        share: VecDeque::new(),
    };
    let mut waves: Vec<Position> = trace.waves.iter().map(start).collect();
    loop {
        let mut at_barrier = false;
        for (position, wave) in waves.iter_mut().zip(&trace.waves) {
            at_barrier |= advance(position, &wave.events, machine, latencies);
        }
        if !at_barrier {
            return whole(&waves, trace);
        }
        let last = waves.iter().map(|wave| wave.time).fold(0.0, f64::max);
        for wave in &mut waves {
            wave.time = last + BARRIER_CYCLES;
        }
    }
}

/// The workgroup at its end. A wave that was recorded in part goes on as it went.
fn whole(waves: &[Position], trace: &WorkgroupTrace) -> Isolated {
    let mut isolated = Isolated::default();
    for (wave, extension) in waves
        .iter()
        .zip(trace.waves.iter().map(WaveTrace::extension))
    {
        isolated.cycles = isolated.cycles.max(wave.time * extension);
        isolated.waiting += wave.waiting * extension / waves.len() as f64;
    }
    isolated
}

/// Runs a wave to its next barrier (true) or its end.
fn advance(
    wave: &mut Position,
    events: &[Event],
    machine: &Machine,
    latencies: &Latencies,
) -> bool {
    while let Some(event) = events.get(wave.next) {
        wave.next += 1;
        match *event {
            Event::Issue {
                vector,
                scalar,
                branches,
            } => {
                wave.time += f64::from(vector) * f64::from(machine.vector_cycles)
                    + f64::from(scalar) * ISSUE_CYCLES
                    + f64::from(branches) * BRANCH_CYCLES;
            }
            Event::Memory { lines, load } => {
                let path = address_cycles(lines);
                wave.time += ISSUE_CYCLES;
                let latency = if load {
                    latency(lines, latencies)
                } else {
                    machine.latency.l2
                };
                // Results return in order, one sector per cycle.
                let before = wave.vector.back().copied().unwrap_or(0.0);
                let done = (wave.time + latency).max(before) + path;
                wave.vector.push_back(done);
            }
            Event::ScalarLoad { cold } => {
                wave.time += ISSUE_CYCLES;
                let latency = if cold {
                    latencies.cold_alone
                } else {
                    machine.latency.l2
                };
                wave.share.push_back(wave.time + latency);
            }
            Event::Share { passes } => {
                wave.time += ISSUE_CYCLES;
                let before = wave.share.back().copied().unwrap_or(0.0);
                let done = (wave.time + machine.latency.lds).max(before) + f64::from(passes);
                wave.share.push_back(done);
            }
            Event::Wait { vector, share } => {
                let before = wave.time;
                drain(&mut wave.time, &mut wave.vector, vector, 63);
                wave.waiting += wave.time - before;
                drain(&mut wave.time, &mut wave.share, share, 15);
                wave.time += ISSUE_CYCLES;
            }
            Event::Barrier => return true,
        }
    }
    false
}

/// Waits until at most `remaining` operations are outstanding; `any` means no wait.
fn drain(time: &mut f64, outstanding: &mut VecDeque<f64>, remaining: u8, any: u8) {
    if remaining >= any {
        return;
    }
    while outstanding.len() > usize::from(remaining) {
        if let Some(done) = outstanding.pop_front() {
            *time = time.max(done);
        }
    }
}

/// Cycles that an access occupies the address path of the compute unit: 64 bytes per cycle, and 16 lanes per cycle.
pub(super) fn address_cycles(lines: Lines) -> f64 {
    f64::from(lines.sectors.max(4))
}

fn latency(lines: Lines, latencies: &Latencies) -> f64 {
    if lines.cold > 0 {
        latencies.cold
    } else if lines.far > 0 {
        latencies.far
    } else if lines.near > 0 {
        latencies.near
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::MACHINE;

    const COLD: Event = Event::Memory {
        lines: Lines {
            sectors: 16,
            cold: 8,
            near: 0,
            far: 0,
        },
        load: true,
    };
    const ALL: Event = Event::Wait {
        vector: 0,
        share: 15,
    };

    const LATENCIES: Latencies = Latencies {
        near: 100.0,
        far: 500.0,
        cold: 1000.0,
        cold_alone: 900.0,
    };

    #[track_caller]
    fn check(waves: &[&[Event]], cycles: f64) {
        let trace = WorkgroupTrace {
            waves: waves
                .iter()
                .map(|events| WaveTrace::whole(events))
                .collect(),
        };
        assert_eq!(isolated(&trace, &MACHINE, &LATENCIES).cycles, cycles);
    }

    #[test]
    fn loads_overlap_until_a_wait() {
        check(&[&[COLD, ALL]], 4.0 + 1000.0 + 16.0 + 4.0);
        check(&[&[COLD, COLD, ALL]], 4.0 + 1000.0 + 32.0 + 4.0);
        check(&[&[COLD, ALL, COLD, ALL]], 2.0 * 1024.0);
        // One may remain outstanding: the second load's latency hides behind the first wait.
        let one = Event::Wait {
            vector: 1,
            share: 15,
        };
        check(&[&[COLD, COLD, one, ALL]], 4.0 + 1000.0 + 16.0 + 16.0 + 4.0);
    }

    #[test]
    fn a_barrier_waits_for_the_last_wave() {
        let work = |count: u32| Event::Issue {
            vector: count,
            scalar: 0,
            branches: 0,
        };
        check(
            &[
                &[work(10), Event::Barrier, work(1)],
                &[work(100), Event::Barrier],
            ],
            400.0 + 16.0 + 4.0,
        );
    }

    #[test]
    fn a_wave_that_was_recorded_in_part_goes_on_as_it_went() {
        let part = |recorded, executed| WaveTrace {
            events: vec![COLD, ALL],
            recorded,
            executed,
        };
        let time = |waves: &[WaveTrace]| {
            let waves = waves.to_vec();
            isolated(&WorkgroupTrace { waves }, &MACHINE, &LATENCIES)
        };
        let once = time(&[part(2, 2)]);
        let fourfold = time(&[part(2, 8)]);
        assert_eq!(fourfold.cycles, 4.0 * once.cycles);
        assert_eq!(fourfold.waiting, 4.0 * once.waiting);
        // The longest wave decides; the waiting is the mean.
        let both = time(&[part(2, 2), part(2, 8)]);
        assert_eq!(both.cycles, fourfold.cycles);
        assert_eq!(both.waiting, 2.5 * once.waiting);
    }
}
