//! Domains: what a generator's space is made of, from which [`Contents`](super::Contents) are counted.

use super::candidates::Candidates;
use super::cell::{SpaceCell, powers_of_two};
use super::frame::Frame;
use super::group::Group;

/// The cells of a generator for a problem, and the bounds of their tiles. Two bounds are all that a space is counted by: the
/// tiles of a cell are all candidates up to the one, and the steps that go with a tile all candidates up to the other.
pub(super) trait SpaceDomain {
    /// Which dimensions are distributed.
    fn frame(&self) -> &Frame;

    /// Tiles of these rows. (Without rows the tile is 1.)
    fn tiles(&self, rows: &Group) -> Candidates;

    /// The splits that cells have, ascending from 1.
    fn splits(&self) -> Vec<u32>;

    /// Steps, tiles of the columns, of cells with this split.
    fn steps(&self, split: u32) -> Candidates;

    /// All cells in order, but for those whose tile lies on an outer dimension. Some have no tiles.
    fn cells(&self) -> Vec<SpaceCell>;

    /// The largest tile that leaves a thread the thread tile of the columns as a step.
    fn largest_tile(&self, cell: &SpaceCell) -> u32;

    /// The largest step that goes with `tile`. It does not grow with the tile.
    fn largest_step(&self, cell: &SpaceCell, tile: u32) -> u32;
}

/// Pieces of all rows beyond which no row is split: the largest device has 304 compute units, and each takes some.
pub(super) const MAX_SHARED_PIECES: u64 = 1 << 14;

/// Powers of two up to `most` that a thread tile of the group can be.
pub(super) fn thread_tiles(group: &Group, most: u32) -> Vec<u32> {
    powers_of_two(most.min(group.largest_thread())).collect()
}
