//! Iteration over a space by rank.

use std::iter::FusedIterator;

use crate::Configuration;
use crate::space_contents::{Contents, Draft};

/// The configurations of a [`Space`](super::Space) from some rank on.
#[derive(Debug, Clone)]
pub struct Iter<'a> {
    contents: Option<&'a Contents>,
    /// The draft of the current run's cell.
    current: Option<Draft>,
    run: usize,
    /// The remaining steps of the current run.
    steps: &'a [u32],
    remaining: u64,
}

impl<'a> Iter<'a> {
    /// Creates the iterator; it is empty without contents and from their length on.
    pub(super) fn new(contents: Option<&'a Contents>, rank: u64) -> Iter<'a> {
        let mut iter = Iter {
            contents,
            current: None,
            run: 0,
            steps: &[],
            remaining: 0,
        };
        if let Some(contents) = contents.filter(|contents| rank < contents.len) {
            iter.remaining = contents.len - rank;
            let run = contents.runs.partition_point(|run| run.first <= rank) - 1;
            iter.enter(contents, run);
            // A run has fewer than 2^32 steps.
            iter.steps = &iter.steps[(rank - contents.runs[run].first) as usize..];
        }
        iter
    }

    fn enter(&mut self, contents: &'a Contents, run: usize) {
        let previous = contents.runs[self.run].cell;
        self.run = run;
        let run = &contents.runs[run];
        self.steps = contents.steps(run);
        // Neighbouring runs often share a cell, and a draft is the expensive part.
        if self.current.is_none() || run.cell != previous {
            let cell = &contents.cells[run.cell as usize];
            self.current = Some(contents.frame.draft(cell));
        }
    }
}

impl Iterator for Iter<'_> {
    type Item = Configuration;

    #[inline]
    fn next(&mut self) -> Option<Configuration> {
        let contents = self.contents?;
        if self.steps.is_empty() {
            if self.remaining == 0 {
                return None;
            }
            self.enter(contents, self.run + 1);
        }
        let (&step, rest) = self.steps.split_first()?;
        self.steps = rest;
        self.remaining -= 1;
        let tile = contents.runs[self.run].tile;
        let current = self.current.as_mut()?;
        Some(current.with_tiles(tile, step).clone())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = usize::try_from(self.remaining);
        (remaining.unwrap_or(usize::MAX), remaining.ok())
    }

    fn nth(&mut self, n: usize) -> Option<Configuration> {
        // Skipping by rank takes a binary search instead of `n` steps.
        let passed = self.contents?.len - self.remaining;
        *self = Iter::new(self.contents, passed.saturating_add(n as u64));
        self.next()
    }
}

impl FusedIterator for Iter<'_> {}
