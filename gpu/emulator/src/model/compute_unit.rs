//! One compute unit with its resident workgroups: waves issue, wait and hide each other's
//! latencies.
//!
//! Each wave issues in order. Shared resources serve the waves first come, first served. They are
//! the vector and scalar unit of a SIMD, and the address path and LDS of the compute unit. A load
//! is outstanding until its latency has passed. A wait stops the wave until few enough loads are
//! outstanding; loads return in order. A workgroup that ends makes room for the next one. The
//! time between two events of a wave is not divided: another wave issues before or after it.
//!
//! There are two clocks. On the *unit's* clock, each piece of a wave runs once, together with the
//! pieces of other waves, and shared resources follow this clock. On the *launch's* clock, a
//! piece takes its multiple of that time. A wave carries the difference, which no wait of another
//! wave sees: multiplied waits would multiply again.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::Machine;
use super::traffic::{CacheHits, HitShares, path_cycles, returns};
use crate::execute::{AccessKind, WINDOW};
use crate::instruction::Wait;
use crate::profile::{Issue, Piece, Profile, TraceEvent};

/// Cycles of loads by the serving memory, including queues.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoadLatencies {
    pub(super) l1: f64,
    pub(super) l2: f64,
    pub(super) last_level: f64,
    pub(super) dram: f64,
    /// Additional cycles of a store beyond the L2's latency, if DRAM is busy.
    pub(super) dram_queue: f64,
}

impl LoadLatencies {
    fn of(&self, served: HitShares) -> f64 {
        served.l2 * self.l2 + served.last_level * self.last_level + served.dram * self.dram
    }
}

/// The cycles from a product's end to the use of its result: the four passes by which LLVM's
/// latencies of MFMA (`SISchedule.td`) exceed their passes. Assumed for WMMA too.
const MATRIX_RESULT_CYCLES: f64 = 16.0;

/// A compute unit with its load.
pub(super) struct ComputeUnit<'a> {
    pub(super) machine: &'a Machine,
    pub(super) profile: &'a Profile,
    pub(super) places: &'a CacheHits,
    pub(super) delays: LoadLatencies,
    pub(super) simds: u32,
    /// Number of compute units in this one, each with an address path and its part of the LDS.
    pub(super) paths: f64,
    /// Number of workgroups that it holds.
    pub(super) resident: u32,
    /// The cycle of the first workgroup's arrival, and the least cycles between two arrivals.
    pub(super) first: f64,
    pub(super) interval: f64,
    /// The ratio of the launch's clock to the unit's. Workgroups arrive as if every piece ran its
    /// full number of times.
    pub(super) stretch: f64,
}

/// The waves of a sampled workgroup, as pieces.
pub(super) type Plan<'a> = Vec<Vec<Piece<'a>>>;

/// The state of a running wave.
struct RunningWave<'a> {
    plan: &'a [Piece<'a>],
    piece: usize,
    event: usize,
    /// The start of the piece.
    began: f64,
    /// The time on the unit's clock.
    time: f64,
    /// The lead of the launch's clock.
    ahead: f64,
    simd: usize,
    workgroup: usize,
    outstanding: PendingOperations,
    /// The time at which the results of its products of matrices are in registers.
    products: f64,
}

/// The completion times of outstanding operations.
#[derive(Default)]
struct PendingOperations {
    load: VecDeque<f64>,
    store: VecDeque<f64>,
    lds: VecDeque<f64>,
    scalar: VecDeque<f64>,
}

/// The state of a running workgroup.
#[derive(Default)]
struct RunningWorkgroup {
    /// Waves that have not ended, and those that wait at a barrier.
    alive: u32,
    waiting: Vec<usize>,
    /// The latest time of its waves on the unit's clock, and of its ended waves on the launch's
    /// clock.
    last: f64,
    ended: f64,
}

/// The times at which shared resources become free.
struct ResourceClocks {
    vector: Vec<f64>,
    matrix: Vec<f64>,
    scalar: Vec<f64>,
    path: f64,
    lds: f64,
}

/// The reason why a wave stopped.
enum WavePause {
    Turn,
    Barrier,
    End,
}

impl ComputeUnit<'_> {
    /// Returns the end cycles of the workgroups on the launch's clock, ascending. `order` names
    /// the plan of each workgroup.
    pub(super) fn run(&self, plans: &[Plan<'_>], order: &[usize]) -> Vec<f64> {
        let simds = self.simds.max(1) as usize;
        let mut shared = ResourceClocks {
            vector: vec![0.0; simds],
            // Each SIMD of CDNA has one matrix core.
            matrix: vec![0.0; simds],
            scalar: vec![0.0; simds],
            path: 0.0,
            lds: 0.0,
        };
        let mut waves: Vec<RunningWave<'_>> = Vec::new();
        let mut groups: Vec<RunningWorkgroup> = Vec::new();
        let mut ends = Vec::with_capacity(order.len());
        // Waves, by the time of their next event. Times are not negative, so their bits have the
        // same order.
        let mut turns: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        let mut simd = 0;
        let mut start = |waves: &mut Vec<_>,
                         groups: &mut Vec<RunningWorkgroup>,
                         turns: &mut BinaryHeap<_>,
                         free: [f64; 2]| {
            let number = groups.len();
            let Some(&kind) = order.get(number) else {
                return;
            };
            let comes = self.first + number as f64 * self.interval;
            let [on_unit, on_launch] = [comes / self.stretch, comes];
            let time = free[0].max(on_unit) + self.machine.launch.start_cycles;
            let ahead = free[1].max(on_launch) - free[0].max(on_unit);
            groups.push(RunningWorkgroup {
                alive: plans[kind].len() as u32,
                ..RunningWorkgroup::default()
            });
            for plan in &plans[kind] {
                turns.push(Reverse((time.to_bits(), waves.len())));
                waves.push(RunningWave {
                    plan,
                    piece: 0,
                    event: 0,
                    began: time,
                    time,
                    ahead,
                    simd: simd % simds,
                    workgroup: number,
                    outstanding: PendingOperations::default(),
                    products: 0.0,
                });
                // The dispatcher deals waves to the SIMDs in turn.
                simd += 1;
            }
        };
        for _ in 0..self.resident {
            start(&mut waves, &mut groups, &mut turns, [0.0, 0.0]);
        }
        while let Some(Reverse((_, index))) = turns.pop() {
            let until = turns
                .peek()
                .map_or(f64::INFINITY, |next| f64::from_bits(next.0.0));
            let wave = &mut waves[index];
            let group = &mut groups[wave.workgroup];
            match self.advance(wave, &mut shared, until) {
                WavePause::Turn => turns.push(Reverse((wave.time.to_bits(), index))),
                WavePause::Barrier => {
                    group.last = group.last.max(wave.time);
                    group.waiting.push(index);
                }
                WavePause::End => {
                    group.last = group.last.max(wave.time);
                    group.ended = group.ended.max(wave.time + wave.ahead);
                    group.alive -= 1;
                    // An ended wave frees its queue of operations early.
                    wave.outstanding = PendingOperations::default();
                }
            }
            if group.alive == 0 {
                let (last, ended) = (group.last, group.ended);
                ends.push(ended);
                start(&mut waves, &mut groups, &mut turns, [last, ended]);
            } else if group.waiting.len() as u32 == group.alive {
                // Ended waves count as arrived, as on the device.
                let time = group.last + self.machine.pace.barrier;
                let met = std::mem::take(&mut group.waiting);
                group.last = time;
                meet(&mut waves, &met, time);
                turns.extend(met.iter().map(|&index| Reverse((time.to_bits(), index))));
            }
        }
        ends.sort_unstable_by(f64::total_cmp);
        ends
    }

    /// Runs a wave until the next wave's turn, its next barrier or its end.
    fn advance(
        &self,
        wave: &mut RunningWave<'_>,
        shared: &mut ResourceClocks,
        until: f64,
    ) -> WavePause {
        loop {
            let Some(piece) = wave.plan.get(wave.piece) else {
                // The slot becomes free only after the wave's stores.
                let none = Wait {
                    load: 0,
                    store: 0,
                    lds: 0,
                    scalar: 0,
                };
                wave.outstanding
                    .wait(none, self.profile.joint_counter, &mut wave.time);
                return WavePause::End;
            };
            let Some(&event) = piece.events.get(wave.event) else {
                wave.next_piece();
                continue;
            };
            wave.event += 1;
            if let TraceEvent::Barrier = event {
                return WavePause::Barrier;
            }
            self.execute(event, wave, shared);
            if wave.time > until {
                return WavePause::Turn;
            }
        }
    }

    fn execute(&self, event: TraceEvent, wave: &mut RunningWave<'_>, shared: &mut ResourceClocks) {
        let pace = &self.machine.pace;
        let joint = self.profile.joint_counter;
        match event {
            TraceEvent::Issue(issue) => self.issue(issue, wave, shared),
            TraceEvent::Matrix { cycles, apart } => {
                let cycles = f64::from(cycles);
                let unit = match apart {
                    true => &mut shared.matrix[wave.simd],
                    false => &mut shared.vector[wave.simd],
                };
                let done = take(unit, wave.time, cycles);
                // The wave issues its next instruction one slot after the product begins.
                wave.time = done - cycles + pace.issue;
                wave.products = done + MATRIX_RESULT_CYCLES;
            }
            TraceEvent::MatrixResult => wave.time = wave.time.max(wave.products),
            TraceEvent::Memory { lines, kind } => {
                wave.time += pace.issue;
                let cycles = path_cycles(lines, self.machine, self.profile.lanes) / self.paths;
                let free = take(&mut shared.path, wave.time, cycles);
                let latency = match kind {
                    // A store is complete when the L2 has it, and the L2 needs room in DRAM for
                    // it.
                    AccessKind::Store if lines.dirtied > 0 => {
                        self.delays.l2 + self.places.cold.dram * self.delays.dram_queue
                    }
                    AccessKind::Store => self.delays.l2,
                    AccessKind::Atomic { .. } => self.delays.l2 + self.machine.latency.atomic,
                    AccessKind::Load => match self.places.furthest(lines) {
                        None => self.delays.l1,
                        Some(served) => self.delays.of(served),
                    },
                };
                // On gfx9 one counter covers loads and stores, so they share a queue.
                let queue = if joint || returns(kind) {
                    &mut wave.outstanding.load
                } else {
                    &mut wave.outstanding.store
                };
                in_order(queue, free + latency);
            }
            TraceEvent::ScalarLoad { cold } => {
                wave.time += pace.issue;
                let latency = if cold {
                    self.machine.latency.dram
                } else {
                    self.machine.latency.l1
                };
                in_order(&mut wave.outstanding.scalar, wave.time + latency);
            }
            TraceEvent::Lds { passes } => {
                wave.time += pace.issue;
                let free = take(&mut shared.lds, wave.time, f64::from(passes) / self.paths);
                in_order(&mut wave.outstanding.lds, free + self.machine.latency.lds);
            }
            TraceEvent::Wait(wait) => {
                wave.outstanding.wait(wait, joint, &mut wave.time);
                wave.time += pace.issue;
            }
            TraceEvent::Barrier => {}
        }
    }

    fn issue(&self, issue: Issue, wave: &mut RunningWave<'_>, shared: &mut ResourceClocks) {
        let pace = &self.machine.pace;
        let scale = vector_scale(self.machine, self.profile.lanes);
        let vector = pace.vector * scale;
        let passes =
            f64::from(issue.vector) * vector + f64::from(issue.double) * pace.double * scale;
        if passes > 0.0 {
            let done = take(&mut shared.vector[wave.simd], wave.time, passes);
            // A tight dependency costs the part of the result latency that the passes do not
            // cover.
            let gap = (pace.result - vector).max(0.0) / f64::from(WINDOW);
            wave.time = done + f64::from(issue.tightness) * gap;
        }
        if issue.scalar > 0 {
            let cycles = f64::from(issue.scalar) * pace.issue;
            wave.time = take(&mut shared.scalar[wave.simd], wave.time, cycles);
        }
        wave.time += f64::from(issue.branches) * pace.branch;
    }
}

/// Returns the ratio of the vector unit's cycles for waves of so many lanes to those of the
/// machine's figures.
pub(super) fn vector_scale(machine: &Machine, lanes: u32) -> f64 {
    f64::from(lanes.max(1)) / f64::from(machine.slots.lanes.max(1))
}

/// Occupies a resource for `cycles` cycles, from when it is free; returns the end.
fn take(free: &mut f64, time: f64, cycles: f64) -> f64 {
    *free = free.max(time) + cycles;
    *free
}

/// Adds an operation that completes at `time`, but not before earlier ones of its kind.
fn in_order(queue: &mut VecDeque<f64>, time: f64) {
    let before = queue.back().copied().unwrap_or(0.0);
    queue.push_back(time.max(before));
}

/// Releases the waves of a workgroup from a barrier at `time`. Waves in their last piece have
/// nothing left to multiply, so their launch clocks become equal to the latest one.
fn meet(waves: &mut [RunningWave<'_>], met: &[usize], time: f64) {
    let mut latest = 0f64;
    for &index in met {
        let wave = &mut waves[index];
        wave.time = time;
        wave.settle();
        latest = latest.max(wave.ahead);
    }
    for &index in met {
        let wave = &mut waves[index];
        if wave.piece + 1 == wave.plan.len() {
            wave.ahead = latest;
        }
    }
}

impl RunningWave<'_> {
    /// Adds the multiplied time of the piece up to here to the launch's clock.
    fn settle(&mut self) {
        let times = self.plan.get(self.piece).map_or(1.0, |piece| piece.times);
        self.ahead += (self.time - self.began) * (times - 1.0);
        self.began = self.time;
    }

    /// Ends the piece.
    fn next_piece(&mut self) {
        self.settle();
        self.piece += 1;
        self.event = 0;
    }
}

impl PendingOperations {
    fn wait(&mut self, wait: Wait, joint: bool, time: &mut f64) {
        if joint {
            drain(&mut self.load, wait.load.min(wait.store), time);
        } else {
            drain(&mut self.load, wait.load, time);
            drain(&mut self.store, wait.store, time);
        }
        drain(&mut self.lds, wait.lds, time);
        drain(&mut self.scalar, wait.scalar, time);
    }
}

/// Waits until at most `remaining` operations are outstanding.
fn drain(queue: &mut VecDeque<f64>, remaining: u8, time: &mut f64) {
    if remaining == Wait::ANY {
        return;
    }
    while queue.len() > usize::from(remaining) {
        if let Some(done) = queue.pop_front() {
            *time = time.max(done);
        }
    }
}
