//! Traces: what a wave did, in order, without times.

use std::collections::{BTreeMap, VecDeque};

use super::AccessLines;
use crate::execute::AccessKind;
use crate::instruction::Wait;

/// Accesses of a wave of which each is looked at; beyond them, one stretch of so many is.
const LOOKED_AT: u64 = 4096;
const STRETCHES: u64 = 8;
/// Accesses of a stretch: long enough that what it shares with the one before matters little.
const STRETCH: u64 = 512;
/// Into how many parts the middle of a trace is cut that is looked at in part.
const STRATA: usize = 4;
/// Most events after which a trace is seen to repeat itself.
const LONGEST_TURN: usize = 1024;

/// A sampled workgroup.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkgroupTrace {
    pub(crate) waves: Vec<WaveTrace>,
    /// The part of the launch's workgroups that it stands for.
    pub(crate) share: f64,
}

impl WorkgroupTrace {
    /// What tells kinds of workgroups apart: instructions and sectors, but not where lines were found.
    pub(crate) fn work(&self) -> WorkCounts {
        let mut work = WorkCounts::default();
        for wave in &self.waves {
            work.executed += wave.executed;
            work.sectors += wave.sectors;
        }
        work
    }
}

/// How much work a workgroup did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WorkCounts {
    pub(crate) executed: u64,
    pub(crate) sectors: u64,
}

impl WorkCounts {
    /// Whether two did about the same: rows that do not start at a sector, and branches that depend on data, make
    /// small differences.
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
    /// The last events, if the first are not all.
    pub(super) tail: VecDeque<TraceEvent>,
    /// Events between the two that were not kept.
    pub(super) lost: u64,
    /// All of its events, those that were not kept among them, without their order.
    pub(crate) tally: EventTotals,
    /// Instructions that the wave executed.
    pub(crate) executed: u64,
    /// Those of the vector unit among them.
    pub(super) vector: u64,
    /// Sectors of memory that it accessed.
    pub(crate) sectors: u64,
    /// Its accesses of memory, and the lines of those of the last stretch that was looked at.
    pub(super) accesses: u64,
    pub(super) stretch: Vec<AccessLines>,
    /// Instructions that were executed in vain, and are not in the trace.
    pub(super) spin_instructions: u64,
    /// The trace up to where the wave began to wait for another workgroup.
    pub(super) waiting: Option<Box<WaitingTrace>>,
}

/// A wave that waits.
#[derive(Debug, Clone)]
pub(super) struct WaitingTrace {
    /// The step at which it sleeps, and what it had done to memory by then.
    step: usize,
    deeds: u64,
    trace: WaveTrace,
}

/// How much of everything a wave did.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventTotals {
    /// Sums over [`Issue`].
    pub(crate) vector: u64,
    pub(crate) double: u64,
    pub(crate) scalar: u64,
    pub(crate) branches: u64,
    pub(crate) scalar_loads: u64,
    /// Passes of LDS.
    pub(crate) passes: u64,
    /// Vector memory accesses by their lines. Ordered, so that sums of floats over it are the same in each run.
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
            TraceEvent::Wait(_) | TraceEvent::Barrier => {}
        }
    }
}

/// A part of a trace that stands for so many parts like it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Piece<'a> {
    pub(crate) events: &'a [TraceEvent],
    pub(crate) times: f64,
}

impl WaveTrace {
    /// Adds an event. At most `most` of the first are kept, and a quarter as many of the last.
    pub(super) fn push(&mut self, event: TraceEvent, most: usize) {
        self.tally.add(event);
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

    /// The lines of an access of memory, which `touch` finds out. Of a long trace that is done for stretches of accesses
    /// only, and those between are taken to be as the stretch before, one after the other: it is what costs most.
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

    /// The wave sleeps at a step, when it has done so much to memory. If it has done nothing since it last slept there, it waits
    /// in vain: what it executed since then is not in the trace.
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

    /// Nothing comes any more.
    pub(super) fn finish(&mut self) {
        self.tail.make_contiguous();
    }

    /// The trace as pieces of about `most` events together: its beginning, its end, and samples of the middle that stand for
    /// what lies between them. Where the middle repeats itself, samples are whole turns of it, and each piece goes on at
    /// the place of a turn at which the one before ended: a sample without its turn's wait would take no time.
    pub(crate) fn pieces(&self, most: usize) -> Vec<Piece<'_>> {
        let head = self.head.as_slice();
        // `finish` made it one slice.
        let tail = self.tail.as_slices().0;
        if tail.is_empty() && head.len() <= most.max(STRATA * 2) {
            return vec![once(head)];
        }
        let quarter = (most / 4).max(2).min(head.len() / 4);
        let wanted = (quarter / 2).max(1);
        let all = head.len() + self.lost as usize + tail.len();
        let (first, rest) = head.split_at(quarter);
        let surely_middle = match tail {
            [] => &rest[..rest.len() - quarter],
            _ => rest,
        };
        let turn = turn(surely_middle, wanted * STRATA);
        // The last piece begins so many events behind the first, and is kept.
        let kept_from = if tail.is_empty() { 0 } else { all - tail.len() };
        let mut middle = (all - 2 * quarter) / turn * turn;
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
            // The last stands for what is not there, too.
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

/// After how many events, `most` at most, they repeat themselves; 1 if they do not.
fn turn(events: &[TraceEvent], most: usize) -> usize {
    let most = most.min(events.len() / 2).min(LONGEST_TURN);
    let window = &events[..events.len().min(4 * most)];
    let repeats = |&turn: &usize| {
        let again = window.iter().zip(&window[turn..]);
        again.into_iter().all(|(one, other)| one.is_like(other))
    };
    (1..=most).find(repeats).unwrap_or(1)
}

/// A stretch of a wave's timeline.
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
    /// An LDS access of so many passes.
    Lds {
        passes: u16,
    },
    Wait(Wait),
    Barrier,
}

/// Instructions without memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Issue {
    /// Passes of the vector unit, and those at the rate of double precision.
    pub(crate) vector: u16,
    pub(crate) double: u16,
    /// The sum of their instructions' tightness.
    pub(crate) tightness: u16,
    pub(crate) scalar: u16,
    pub(crate) branches: u16,
}

impl TraceEvent {
    /// Whether both may be the same instructions of a loop, wherever their lines were found.
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

    /// Adds an event to this one, if both are instructions without memory and the sums can be held.
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
