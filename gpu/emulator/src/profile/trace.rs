//! Traces: the actions of a wave, in order, without times.

use std::collections::{BTreeMap, VecDeque};

use super::AccessLines;
use crate::execute::AccessKind;
use crate::instruction::Wait;

/// The number of accesses of a wave that are all examined; after them, one stretch of eight is.
const LOOKED_AT: u64 = 4096;
const STRETCHES: u64 = 8;
/// The number of accesses of a stretch: large enough that sharing with the stretch before matters
/// little.
const STRETCH: u64 = 512;
/// The number of samples from the middle of a long trace.
const STRATA: usize = 4;
/// The longest period of events that the search finds.
const LONGEST_TURN: usize = 1024;

/// A sampled workgroup.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkgroupTrace {
    pub(crate) waves: Vec<WaveTrace>,
    /// The share of the launch's workgroups that it represents.
    pub(crate) share: f64,
}

impl WorkgroupTrace {
    /// Returns the measure that distinguishes kinds: instructions and sectors, independent of the
    /// caches.
    pub(crate) fn work(&self) -> WorkCounts {
        let mut work = WorkCounts::default();
        for wave in &self.waves {
            work.executed += wave.executed;
            work.sectors += wave.sectors;
        }
        work
    }
}

/// The amount of work of a workgroup.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WorkCounts {
    pub(crate) executed: u64,
    pub(crate) sectors: u64,
}

impl WorkCounts {
    /// Returns true if two did about the same work. Rows with unaligned starts, and branches on
    /// data, cause small differences.
    pub(super) fn is_like(&self, other: &WorkCounts) -> bool {
        let near = |one: u64, other: u64| one.abs_diff(other) <= one.max(other) / 16;
        near(self.executed, other.executed) && near(self.sectors, other.sectors)
    }
}

/// The timeline of a wave, or its beginning and its end.
#[derive(Debug, Clone, Default)]
pub(crate) struct WaveTrace {
    /// The first events.
    pub(super) head: Vec<TraceEvent>,
    /// The last events, if the first ones are not all.
    pub(super) tail: VecDeque<TraceEvent>,
    /// The number of omitted events between the two.
    pub(super) lost: u64,
    /// The totals of all its events, including omitted ones.
    pub(crate) tally: EventTotals,
    /// Number of executed instructions.
    pub(crate) executed: u64,
    /// Number of executed vector instructions.
    pub(super) vector: u64,
    /// Number of accessed sectors of memory.
    pub(crate) sectors: u64,
    /// The number of memory accesses, and the lines of the last examined stretch.
    pub(super) accesses: u64,
    pub(super) stretch: Vec<AccessLines>,
    /// Number of instructions executed in a vain wait; they are not in the trace.
    pub(super) spin_instructions: u64,
    /// The trace up to the start of a wait for another workgroup.
    pub(super) waiting: Option<Box<WaitingTrace>>,
}

/// A waiting wave.
#[derive(Debug, Clone)]
pub(super) struct WaitingTrace {
    /// The step at which it sleeps, and its number of side effects up to then.
    step: usize,
    deeds: u64,
    trace: WaveTrace,
}

/// The totals of a wave's events.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventTotals {
    /// The sums over [`Issue`].
    pub(crate) vector: u64,
    pub(crate) double: u64,
    pub(crate) scalar: u64,
    pub(crate) branches: u64,
    pub(crate) scalar_loads: u64,
    /// Cycles of products of matrices.
    pub(crate) matrix: u64,
    /// Passes of LDS.
    pub(crate) passes: u64,
    /// Vector memory accesses by their lines. The order makes sums of floats reproducible.
    pub(crate) accesses: BTreeMap<(AccessLines, AccessKind), u64>,
}

impl EventTotals {
    pub(super) fn add(&mut self, event: TraceEvent) {
        match event {
            TraceEvent::Issue(issue) => {
                self.vector += u64::from(issue.vector);
                self.double += u64::from(issue.double);
                self.scalar += u64::from(issue.scalar);
                self.branches += u64::from(issue.branches);
            }
            TraceEvent::Memory { lines, kind } => {
                *self.accesses.entry((lines, kind)).or_default() += 1
            }
            TraceEvent::ScalarLoad { .. } => self.scalar_loads += 1,
            TraceEvent::Lds { passes } => self.passes += u64::from(passes),
            TraceEvent::Matrix { cycles, .. } => self.matrix += u64::from(cycles),
            TraceEvent::MatrixResult | TraceEvent::Wait(_) | TraceEvent::Barrier => {}
        }
    }
}

/// A part of a trace that represents several similar parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Piece<'a> {
    pub(crate) events: &'a [TraceEvent],
    pub(crate) times: f64,
}

impl WaveTrace {
    /// Adds an event. Keeps at most `most` of the first events, and a quarter as many of the
    /// last.
    pub(super) fn push(&mut self, event: TraceEvent, most: usize) {
        self.tally.add(event);
        // Merging keeps a run of arithmetic in a single event.
        let last = self.tail.back_mut().or(self.head.last_mut());
        if last.is_some_and(|last| last.merge(event)) {
            return;
        }
        if self.head.len() < most {
            self.head.push(event);
            return;
        }
        if self.tail.len() >= (most / 4).max(1) {
            self.tail.pop_front();
            self.lost += 1;
        }
        self.tail.push_back(event);
    }

    /// Returns the lines of a memory access, which `touch` determines. This is the most expensive
    /// part of a profile. In a long trace, only some stretches call it, and the ones between
    /// repeat the lines of the stretch before.
    pub(super) fn access(&mut self, touch: impl FnOnce() -> AccessLines) -> AccessLines {
        let stretch = self.accesses / STRETCH;
        let place = (self.accesses % STRETCH) as usize;
        let is_looked_at = self.accesses < LOOKED_AT || stretch.is_multiple_of(STRETCHES);
        let lines = match self.stretch.get_mut(place) {
            Some(known) if is_looked_at => {
                *known = touch();
                *known
            }
            Some(known) => *known,
            // The first stretch.
            None => {
                self.stretch.push(touch());
                self.stretch[place]
            }
        };
        self.accesses += 1;
        self.sectors += u64::from(lines.sectors);
        lines
    }

    /// Records a sleep of the wave at a step, with its number of side effects. If it has done
    /// nothing since its last sleep there, it waited in vain, and the trace drops the
    /// instructions since then.
    pub(super) fn sleep(&mut self, step: usize, deeds: u64) {
        match self.waiting.take() {
            Some(waiting) if (waiting.step, waiting.deeds) == (step, deeds) => {
                let vain = self.spin_instructions + self.executed - waiting.trace.executed;
                *self = waiting.trace.clone();
                self.spin_instructions = vain;
                self.waiting = Some(waiting);
            }
            _ => {
                let trace = self.clone();
                self.waiting = Some(Box::new(WaitingTrace { step, deeds, trace }));
            }
        }
    }

    /// Finishes the trace after its last event.
    pub(super) fn finish(&mut self) {
        self.tail.make_contiguous();
    }

    /// Returns the trace as pieces with about `most` events together: its beginning, its end, and
    /// samples of the middle. If the middle has a period, samples are whole periods, and each
    /// piece continues at the same place of the period. A sample without its period's wait would
    /// take no time.
    pub(crate) fn pieces(&self, most: usize) -> Vec<Piece<'_>> {
        let head = self.head.as_slice();
        // `finish` made it one slice.
        let tail = self.tail.as_slices().0;
        if tail.is_empty() && head.len() <= most.max(STRATA * 2) {
            return vec![once(head)];
        }
        // Beginning and end get a quarter each, and the samples of the middle the other half.
        let quarter = (most / 4).max(2).min(head.len() / 4);
        let wanted = (quarter / 2).max(1);
        let all = head.len() + self.lost as usize + tail.len();
        let (first, rest) = head.split_at(quarter);
        let surely_middle = match tail {
            [] => &rest[..rest.len() - quarter],
            _ => rest,
        };
        let turn = turn(surely_middle, wanted * STRATA);
        // The last piece begins this many events after the first one, and must be kept.
        let kept_from = if tail.is_empty() { 0 } else { all - tail.len() };
        let mut middle = (all - 2 * quarter) / turn * turn;
        // Events between the head and the tail were not kept, so the last piece must start in the
        // tail.
        while quarter + middle < kept_from {
            middle += turn;
        }
        let last_from = (quarter + middle).min(all) - kept_from;
        let last = if tail.is_empty() { head } else { tail };
        let looked_at = &rest[..rest.len().min(middle)];
        let length = (wanted / turn).max(1) * turn;
        let strata = (STRATA * wanted / length)
            .min(looked_at.len() / length)
            .max(1);
        let stratum = (looked_at.len() / strata / turn).max(1) * turn;
        let mut pieces = vec![once(first)];
        for number in 0..strata {
            let from = number * stratum;
            // The last sample also represents the omitted events.
            let to = if number + 1 == strata {
                middle
            } else {
                from + stratum
            };
            let events = &looked_at[from..(from + length).min(looked_at.len())];
            pieces.push(Piece {
                events,
                times: (to - from) as f64 / events.len().max(1) as f64,
            });
        }
        pieces.push(once(&last[last_from..]));
        pieces
    }
}

fn once(events: &[TraceEvent]) -> Piece<'_> {
    Piece { events, times: 1.0 }
}

/// Returns the period of the events, at most `most`, or 1 without a period.
fn turn(events: &[TraceEvent], most: usize) -> usize {
    let most = most.min(events.len() / 2).min(LONGEST_TURN);
    let window = &events[..events.len().min(4 * most)];
    let repeats = |&turn: &usize| {
        let again = window.iter().zip(&window[turn..]);
        again.into_iter().all(|(one, other)| one.is_like(other))
    };
    (1..=most).find(repeats).unwrap_or(1)
}

/// An event of a wave's timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TraceEvent {
    Issue(Issue),
    /// A vector memory instruction.
    Memory {
        lines: AccessLines,
        kind: AccessKind,
    },
    /// A scalar load, cold or not.
    ScalarLoad {
        cold: bool,
    },
    /// An LDS access with its passes.
    Lds {
        passes: u16,
    },
    /// A product of matrices: cycles of its unit, and true for a unit apart from the vector unit.
    Matrix {
        cycles: u16,
        apart: bool,
    },
    /// A wait for the results of products.
    MatrixResult,
    Wait(Wait),
    Barrier,
}

/// Instructions without memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Issue {
    /// Passes of the vector unit, and passes at the rate of double precision.
    pub(crate) vector: u16,
    pub(crate) double: u16,
    /// The sum of the instructions' tightness.
    pub(crate) tightness: u16,
    pub(crate) scalar: u16,
    pub(crate) branches: u16,
}

impl TraceEvent {
    /// Returns true if both may be the same instruction of a loop, independent of their lines.
    fn is_like(&self, other: &TraceEvent) -> bool {
        match (self, other) {
            (TraceEvent::Memory { kind: one, .. }, TraceEvent::Memory { kind: other, .. }) => {
                one == other
            }
            (TraceEvent::ScalarLoad { .. }, TraceEvent::ScalarLoad { .. }) => true,
            (TraceEvent::Lds { .. }, TraceEvent::Lds { .. }) => true,
            _ => self == other,
        }
    }

    /// Adds an event to this one if both are instructions without memory access and the sums fit;
    /// otherwise returns false.
    fn merge(&mut self, event: TraceEvent) -> bool {
        let (TraceEvent::Issue(all), TraceEvent::Issue(one)) = (self, event) else {
            return false;
        };
        let sum = || {
            Some(Issue {
                vector: all.vector.checked_add(one.vector)?,
                double: all.double.checked_add(one.double)?,
                tightness: all.tightness.checked_add(one.tightness)?,
                scalar: all.scalar.checked_add(one.scalar)?,
                branches: all.branches.checked_add(one.branches)?,
            })
        };
        match sum() {
            Some(sum) => {
                *all = sum;
                true
            }
            None => false,
        }
    }
}
