//! One compute unit with the workgroups that fit it: waves issue, wait and hide each other's latencies.
//!
//! Each wave issues in order, and takes its turn at what it shares with others: the vector and the scalar unit of its
//! SIMD, the address path and the LDS of its compute unit, first come, first served. A load is outstanding until its
//! latency has passed; a wait stops the wave until few enough are outstanding, and they return in order. A workgroup
//! that ends makes room for the next. The stretches between two events of a wave are not cut: what another wave would
//! issue in between, it issues before or after.
//!
//! There are two clocks. On the *unit's* clock, each piece of a wave runs once, beside the pieces of the other waves, and
//! what they share is taken in the order of this clock. On the *launch's* clock, a piece takes as many times as long as it
//! stands for. A wave carries the difference, which no wait of another wave sees: multiplied waits would multiply again.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::Machine;
use super::traffic::{CacheHits, HitShares, path_cycles, returns};
use crate::execute::{AccessKind, WINDOW};
use crate::instruction::Wait;
use crate::profile::{Issue, Piece, Profile, TraceEvent};

/// Cycles that loads take, by who serves them; queues included.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoadLatencies {
    pub(super) l1: f64,
    pub(super) l2: f64,
    pub(super) last_level: f64,
    pub(super) dram: f64,
    /// What a store waits for DRAM beyond the L2's latency, when DRAM is busy.
    pub(super) dram_queue: f64,
}

impl LoadLatencies {
    fn of(&self, served: HitShares) -> f64 {
        served.l2 * self.l2 + served.last_level * self.last_level + served.dram * self.dram
    }
}

/// What runs on a compute unit.
pub(super) struct ComputeUnit<'a> {
    pub(super) machine: &'a Machine,
    pub(super) profile: &'a Profile,
    pub(super) places: &'a CacheHits,
    pub(super) delays: LoadLatencies,
    pub(super) simds: u32,
    /// Compute units that it consists of, each with an address path and its part of the LDS.
    pub(super) paths: f64,
    /// Workgroups that it holds.
    pub(super) resident: u32,
    /// Cycle in which the first workgroup comes, and cycles from one to the next at least.
    pub(super) first: f64,
    pub(super) interval: f64,
    /// How many times longer the launch's clock runs than the unit's: workgroups meet as they would if every piece ran
    /// as often as it stands for.
    pub(super) stretch: f64,
}

/// The waves of a sampled workgroup, as pieces.
pub(super) type Plan<'a> = Vec<Vec<Piece<'a>>>;

/// A wave on its way.
struct RunningWave<'a> {
    plan: &'a [Piece<'a>],
    piece: usize,
    event: usize,
    /// When the piece began.
    began: f64,
    /// On the unit's clock.
    time: f64,
    /// What the launch's clock is ahead.
    ahead: f64,
    simd: usize,
    workgroup: usize,
    outstanding: PendingOperations,
}

/// When each outstanding operation is done.
#[derive(Default)]
struct PendingOperations {
    load: VecDeque<f64>,
    store: VecDeque<f64>,
    lds: VecDeque<f64>,
    scalar: VecDeque<f64>,
}

/// A workgroup on its way.
#[derive(Default)]
struct RunningWorkgroup {
    /// Waves that have not ended, and those that wait at a barrier.
    alive: u32,
    waiting: Vec<usize>,
    /// Of its waves, the latest time on the unit's clock; of those that ended, the latest on the launch's.
    last: f64,
    ended: f64,
}

/// When what waves share is free again.
struct ResourceClocks {
    vector: Vec<f64>,
    scalar: Vec<f64>,
    path: f64,
    lds: f64,
}

/// Why a wave stopped.
enum WavePause {
    Turn,
    Barrier,
    End,
}

impl ComputeUnit<'_> {
    /// The cycle in which each of the workgroups ends, on the launch's clock, ascending: `order` names the plan of each.
    pub(super) fn run(&self, plans: &[Plan<'_>], order: &[usize]) -> Vec<f64> {
        let simds = self.simds.max(1) as usize;
        let mut shared = ResourceClocks {
            vector: vec![0.0; simds],
            scalar: vec![0.0; simds],
            path: 0.0,
            lds: 0.0,
        };
        let mut waves: Vec<RunningWave<'_>> = Vec::new();
        let mut groups: Vec<RunningWorkgroup> = Vec::new();
        let mut ends = Vec::with_capacity(order.len());
        // Waves by the time of their next event. Times are not negative, so their bits are in order.
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
                });
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
                    // Its registers are not needed any more.
                    wave.outstanding = PendingOperations::default();
                }
            }
            if group.alive == 0 {
                let (last, ended) = (group.last, group.ended);
                ends.push(ended);
                start(&mut waves, &mut groups, &mut turns, [last, ended]);
            } else if group.waiting.len() as u32 == group.alive {
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

    /// Runs a wave until others have their turn, to its next barrier or to its end.
    fn advance(
        &self,
        wave: &mut RunningWave<'_>,
        shared: &mut ResourceClocks,
        until: f64,
    ) -> WavePause {
        loop {
            let Some(piece) = wave.plan.get(wave.piece) else {
                // Its place is free when its stores are done.
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
            TraceEvent::Memory { lines, kind } => {
                wave.time += pace.issue;
                let cycles = path_cycles(lines, self.machine, self.profile.lanes) / self.paths;
                let free = take(&mut shared.path, wave.time, cycles);
                let latency = match kind {
                    // Done when the L2 has it, which makes room for it in DRAM.
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
        let scale = vector_scale(self.machine, self.profile);
        let vector = pace.vector * scale;
        let passes =
            f64::from(issue.vector) * vector + f64::from(issue.double) * pace.double * scale;
        if passes > 0.0 {
            let done = take(&mut shared.vector[wave.simd], wave.time, passes);
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

/// How much longer the vector unit takes for the profile's waves than for those that the machine's pace is given for.
pub(super) fn vector_scale(machine: &Machine, profile: &Profile) -> f64 {
    f64::from(profile.lanes.max(1)) / f64::from(machine.slots.lanes.max(1))
}

/// Takes a turn of so many cycles at what is free from `free` on; when it ends.
fn take(free: &mut f64, time: f64, cycles: f64) -> f64 {
    *free = free.max(time) + cycles;
    *free
}

/// An operation that is done at `time`, but not before those of its kind.
fn in_order(queue: &mut VecDeque<f64>, time: f64) {
    let before = queue.back().copied().unwrap_or(0.0);
    queue.push_back(time.max(before));
}

/// The waves of a workgroup leave a barrier at `time`. Those whose last piece it is in have nothing left that stands for
/// more than itself: they are as late on the launch's clock as the latest of the workgroup is.
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
    /// What the piece stands for besides itself takes as long as it did, up to here.
    fn settle(&mut self) {
        let times = self.plan.get(self.piece).map_or(1.0, |piece| piece.times);
        self.ahead += (self.time - self.began) * (times - 1.0);
        self.began = self.time;
    }

    /// The piece ends.
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
