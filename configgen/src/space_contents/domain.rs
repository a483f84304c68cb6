//! Domains: the cells and bounds of a generator's space, from which [`Contents`](super::Contents)
//! count.

use std::ops::Range;

use super::candidates::Candidates;
use super::cell::{SpaceCell, powers_of_two};
use super::frame::Frame;
use super::group::Group;

/// The cells of a generator for a problem, and the bounds of their tiles.
///
/// Bounds suffice to count a space: of the candidate tiles of a cell, and of the candidate steps
/// for a tile.
pub(crate) trait SpaceDomain {
    /// Returns the distributed dimensions.
    fn frame(&self) -> &Frame;

    /// Returns the candidate tiles of these rows. (Without rows the tile is 1.)
    fn tiles(&self, rows: &Group) -> Candidates;

    /// Returns the splits of the cells, ascending from 1.
    fn splits(&self) -> Vec<u32>;

    /// Returns the candidate steps (tiles of the columns) of cells with this split.
    fn steps(&self, split: u32) -> Candidates;

    /// Returns all cells in order, without an outer dimension. Some have no tiles.
    fn cells(&self) -> Vec<SpaceCell>;

    /// Returns the largest tile that still allows the columns' thread tile as a step.
    fn largest_tile(&self, cell: &SpaceCell) -> u32;

    /// Returns which of the ascending candidate steps a cell may have, for all its tiles.
    fn step_bounds(&self, _: &SpaceCell, candidates: &[u32]) -> Range<usize> {
        0..candidates.len()
    }

    /// Returns the largest step for `tile`. It does not grow with the tile.
    fn largest_step(&self, cell: &SpaceCell, tile: u32) -> u32;
}

/// The limit of the pieces of all rows.
///
/// The largest device has 304 compute units, and each takes several pieces.
pub(crate) const MAX_SHARED_PIECES: u64 = 1 << 14;

/// Returns the powers of two up to `most` that can be a thread tile of the group.
pub(crate) fn thread_tiles(group: &Group, most: u32) -> Vec<u32> {
    powers_of_two(most.min(group.largest_thread())).collect()
}
