//! The contents of a space, counted from the domain of a generator.
//!
//! [`crate::space`] explains the terms.

mod candidates;
mod cell;
mod domain;
mod frame;
mod group;

pub(crate) use candidates::Candidates;
pub(crate) use cell::{SpaceCell, Split, powers_of_two};
pub(crate) use domain::{MAX_SHARED_PIECES, SpaceDomain, thread_tiles};
pub(crate) use frame::{Draft, Frame};
pub(crate) use group::{DimensionCounts, Group};

use crate::Configuration;

/// The contents of a space. A generator builds them from its domain.
#[derive(Debug, Clone)]
pub struct Contents {
    pub(crate) frame: Frame,
    /// The splits, ascending, and the candidate steps of each.
    pub(crate) splits: Vec<u32>,
    pub(crate) steps: Vec<Candidates>,
    pub(crate) cells: Vec<SpaceCell>,
    pub(crate) runs: Vec<Run>,
    pub(crate) len: u64,
}

/// The configurations of one cell with one tile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    /// The index of the cell.
    pub(crate) cell: u32,
    /// The tile.
    pub(crate) tile: u32,
    /// The index of the first step in the candidates of the cell's unit.
    pub(crate) first_step: u32,
    /// The number of steps, which are consecutive candidates; at least 1.
    pub(crate) steps: u32,
    /// The rank of the first configuration.
    pub(crate) first: u64,
}

/// The position of a configuration in a space.
pub(crate) struct SpacePosition {
    pub(crate) run: usize,
    /// The index of its step in the run.
    pub(crate) step: usize,
}

impl Contents {
    pub(crate) fn new(domain: &impl SpaceDomain) -> Contents {
        let frame = domain.frame().clone();
        let splits = domain.splits();
        let mut contents = Contents {
            steps: splits.iter().map(|&split| domain.steps(split)).collect(),
            splits,
            cells: Vec::new(),
            runs: Vec::new(),
            len: 0,
            frame,
        };
        let cells = domain.cells();
        // The outer dimension is the first field of a cell, so this order of cells allows binary
        // search.
        for outer in contents.frame.places_of_tile() {
            let tiles = domain.tiles(contents.frame.rows_at(outer));
            let has_place = |cell: &&SpaceCell| outer.is_none() || !cell.is_spread_over_rows();
            for &cell in cells.iter().filter(has_place) {
                contents.append(domain, SpaceCell { outer, ..cell }, &tiles);
            }
        }
        contents
    }

    /// Appends the configurations of a cell, which must come after all earlier ones.
    fn append(&mut self, domain: &impl SpaceDomain, cell: SpaceCell, tiles: &Candidates) {
        let index = self.cells.len() as u32;
        let candidates = &self.steps[self.number_of_split(&cell)];
        let candidates = candidates.of(cell.column_unit(), u32::MAX);
        let bounds = domain.step_bounds(&cell, candidates);
        let most = domain.largest_tile(&cell);
        // A tile of 1 means the same on every dimension, so only the innermost one has it.
        let is_new = |tile: &&u32| cell.outer.is_none() || **tile > 1;
        for &tile in tiles.of(cell.row_unit(), most).iter().filter(is_new) {
            let most = domain.largest_step(&cell, tile);
            let end = candidates
                .partition_point(|&step| step <= most)
                .min(bounds.end);
            // The largest step falls as the tile grows, so later tiles have no step either.
            let Some(steps) = end.checked_sub(bounds.start).filter(|&n| n > 0) else {
                break;
            };
            self.runs.push(Run {
                cell: index,
                tile,
                first_step: bounds.start as u32,
                steps: steps as u32,
                first: self.len,
            });
            self.len += steps as u64;
        }
        self.cells.push(cell);
    }

    /// Returns the steps of `run`, ascending.
    pub(crate) fn steps(&self, run: &Run) -> &[u32] {
        let cell = &self.cells[run.cell as usize];
        let candidates = &self.steps[self.number_of_split(cell)];
        let all = candidates.of(cell.column_unit(), u32::MAX);
        &all[run.first_step as usize..][..run.steps as usize]
    }

    /// Returns the index of a cell's split, which the space has.
    fn number_of_split(&self, cell: &SpaceCell) -> usize {
        self.splits
            .partition_point(|&split| split < cell.knobs.split)
    }

    /// Returns the position of a canonical configuration.
    pub(crate) fn find(&self, canonical: &Configuration) -> Option<SpacePosition> {
        let (cell, tile, step) = self.frame.read(canonical)?;
        self.place(&cell, tile, step)
    }

    pub(crate) fn place(&self, cell: &SpaceCell, tile: u32, step: u32) -> Option<SpacePosition> {
        let cell = u32::try_from(self.cells.binary_search(cell).ok()?).ok()?;
        let run = self.run(cell, tile)?;
        let step = self.steps(&self.runs[run]).binary_search(&step).ok()?;
        Some(SpacePosition { run, step })
    }

    /// Returns the index of the run of a cell, given by its index, with this tile.
    pub(crate) fn run(&self, cell: u32, tile: u32) -> Option<usize> {
        let key = |run: &Run| (run.cell, run.tile);
        self.runs.binary_search_by_key(&(cell, tile), key).ok()
    }

    pub(crate) fn rank(&self, place: &SpacePosition) -> u64 {
        self.runs[place.run].first + place.step as u64
    }
}
