//! Traces: what a wave did, in order, without times.

use std::collections::{BTreeMap, VecDeque};

use super::Lines;
use crate::execute::Traffic;
use crate::instruction::Wait;

/// Accesses of a wave of which each is looked at; beyond them, one stretch of so many is.
const LOOKED_AT: u64 = 4096;
const STRETCHES: u64 = 8;
/// Accesses of a stretch: long enough that what it shares with the one before matters little.
const STRETCH: u64 = 512;
/// Into how many parts the middle of a trace is cut that is looked at in part.
const STRATA: usize = 4;

/// A sampled workgroup.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkgroupTrace {
    pub(crate) waves: Vec<WaveTrace>,
    /// The part of the launch's workgroups that it stands for.
    pub(crate) share: f64,
}

impl WorkgroupTrace {
    /// What tells kinds of workgroups apart: instructions and sectors, but not where lines were found.
    pub(super) fn work(&self) -> Work {
        let mut work = Work::default();
        for wave in &self.waves {
            work.executed += wave.executed;
            work.sectors += wave.sectors;
        }
        work
    }
}

/// How much work a workgroup did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Work {
    pub(super) executed: u64,
    pub(super) sectors: u64,
}

impl Work {
    /// Whether two did about the same: rows that do not start at a sector, and branches that depend on data, make
    /// small differences.
    pub(super) fn is_like(&self, other: &Work) -> bool {
        let near = |one: u64, other: u64| one.abs_diff(other) <= one.max(other) / 16;
        near(self.executed, other.executed) && near(self.sectors, other.sectors)
    }
}

/// The timeline of a wave, or its beginning and its end.
#[derive(Debug, Clone, Default)]
pub(crate) struct WaveTrace {
    /// The first events.
    pub(super) head: Vec<Event>,
    /// The last events, if the first are not all.
    pub(super) tail: VecDeque<Event>,
    /// Events between the two that were not kept.
    pub(super) lost: u64,
    /// All of its events, those that were not kept among them, without their order.
    pub(crate) tally: Tally,
    /// Instructions that the wave executed.
    pub(super) executed: u64,
    /// Those of the vector unit among them.
    pub(super) vector: u64,
    /// Sectors of memory that it accessed.
    pub(super) sectors: u64,
    /// Its accesses of memory, and the lines of the last that was looked at.
    pub(super) accesses: u64,
    pub(super) lines: Lines,
}

/// How much of everything a wave did.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    /// Sums over [`Issue`].
    pub(crate) vector: u64,
    pub(crate) double: u64,
    pub(crate) scalar: u64,
    pub(crate) branches: u64,
    pub(crate) scalar_loads: u64,
    /// Passes of LDS.
    pub(crate) passes: u64,
    /// Vector memory accesses by their lines. Ordered, so that sums of floats over it are the same in each run.
    pub(crate) accesses: BTreeMap<(Lines, Traffic), u64>,
}

impl Tally {
    pub(super) fn add(&mut self, event: Event) {
        match event {
            Event::Issue(issue) => {
                self.vector += u64::from(issue.vector);
                self.double += u64::from(issue.double);
                self.scalar += u64::from(issue.scalar);
                self.branches += u64::from(issue.branches);
            }
            Event::Memory { lines, kind } => *self.accesses.entry((lines, kind)).or_default() += 1,
            Event::ScalarLoad { .. } => self.scalar_loads += 1,
            Event::Share { passes } => self.passes += u64::from(passes),
            Event::Wait(_) | Event::Barrier => {}
        }
    }
}

/// A part of a trace that stands for so many parts like it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Piece<'a> {
    pub(crate) events: &'a [Event],
    pub(crate) times: f64,
}

impl WaveTrace {
    /// Adds an event. At most `most` of the first are kept, and a quarter as many of the last.
    pub(super) fn push(&mut self, event: Event, most: usize) {
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
    /// only, and the others are taken to be as the last of them: it is what costs most.
    pub(super) fn access(&mut self, touch: impl FnOnce() -> Lines) -> Lines {
        let stretch = self.accesses / STRETCH;
        if self.accesses < LOOKED_AT || stretch.is_multiple_of(STRETCHES) {
            self.lines = touch();
        }
        self.accesses += 1;
        self.sectors += u64::from(self.lines.sectors);
        self.lines
    }

    /// Nothing comes any more.
    pub(super) fn finish(&mut self) {
        self.tail.make_contiguous();
    }

    /// The trace as pieces of `most` events together, or a few more: its beginning, its end, and samples of the middle that
    /// stand for what lies between them.
    pub(crate) fn pieces(&self, most: usize) -> Vec<Piece<'_>> {
        let head = self.head.as_slice();
        // `finish` made it one slice.
        let tail = self.tail.as_slices().0;
        let once = |events| Piece { events, times: 1.0 };
        if tail.is_empty() && head.len() <= most.max(STRATA * 2) {
            return vec![once(head)];
        }
        let quarter = (most / 4).max(2).min(head.len() / 4);
        let (first, rest) = head.split_at(quarter);
        let (middle, last) = if tail.is_empty() {
            rest.split_at(rest.len() - quarter)
        } else {
            (rest, &tail[tail.len() - quarter.min(tail.len())..])
        };
        // Not kept, or kept in the tail but not looked at.
        let beyond = self.lost as f64 + (tail.len().saturating_sub(quarter)) as f64;
        let length = middle.len().div_ceil(STRATA);
        let mut pieces = vec![once(first)];
        for stratum in middle.chunks(length.max(1)) {
            let part = &stratum[..stratum.len().min((quarter / 2).max(1))];
            pieces.push(Piece {
                events: part,
                times: stratum.len() as f64 / part.len() as f64,
            });
        }
        // What is not there is as what was there last.
        if let Some(piece) = pieces.last_mut() {
            piece.times += beyond / piece.events.len() as f64;
        }
        pieces.push(once(last));
        pieces
    }
}

/// A stretch of a wave's timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    Issue(Issue),
    /// A vector memory instruction.
    Memory {
        lines: Lines,
        kind: Traffic,
    },
    /// A scalar load, cold or not.
    ScalarLoad {
        cold: bool,
    },
    /// An LDS access of so many passes.
    Share {
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

impl Event {
    /// Adds an event to this one, if both are instructions without memory and the sums can be held.
    fn merge(&mut self, event: Event) -> bool {
        let (Event::Issue(all), Event::Issue(one)) = (self, event) else {
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
