//! Neighbours: the configurations one step away, for local search.
//!
//! The parameters are the subgroup size, the lanes, the subgroups and the order of their digits, the thread tile of
//! rows and of columns, and the tile and the step. A neighbour
//!
//! - has double or half the lanes or the subgroups along rows or columns, or a factor of two moved from the ones to the
//!   others (the only way for the lanes of a native subgroup, whose product is fixed);
//! - has the digits of the lanes or of the subgroups in the other order;
//! - has double or half a thread tile;
//! - has double or half the subgroup size, and with it the lanes along rows or columns (those of a native subgroup) or
//!   not;
//! - has the next smaller or larger split, a lazy index or none, one accumulator or several;
//! - has the next smaller or larger tile or step that the space has with the rest unchanged;
//! - has its tile on another dimension, where nothing is spread over rows: the same, or the least of that one if it has
//!   the least of its own. (A tile of 1, which lies on all, is the innermost dimension's: what follows it on another is
//!   the least there.)
//!
//! Another count is another unit. So there are two neighbours: one has the same tile and step, the other as many units
//! of each, so that tile and step grow or shrink with them. With the first alone a space would fall into islands: where
//! the tile is 1, no lanes could ever move to the rows.

use super::cell::{SpaceCell, Split};
use super::{Contents, Space};
use crate::{Accumulators, Configuration, Knobs};

impl Space {
    /// All configurations of the space that differ from `configuration` by one step in one parameter, by rank; none if the
    /// space does not hold `configuration`. The relation is symmetric, and every configuration of a space can be reached
    /// from every other.
    pub fn neighbours(&self, configuration: &Configuration) -> Vec<Configuration> {
        let Ok(contents) = &self.contents else {
            return Vec::new();
        };
        let Some(found) = contents.find(&configuration.canonical(&self.problem)) else {
            return Vec::new();
        };
        let mut ranks = contents.neighbour_ranks(&found);
        ranks.sort_unstable();
        ranks.dedup();
        ranks
            .into_iter()
            .filter_map(|rank| self.nth(rank))
            .collect()
    }
}

/// Where a configuration is in a space.
pub(super) struct SpacePosition {
    pub(super) run: usize,
    /// Index of its step in the run.
    pub(super) step: usize,
}

impl Contents {
    fn neighbour_ranks(&self, place: &SpacePosition) -> Vec<u64> {
        let run = &self.runs[place.run];
        let cell = &self.cells[run.cell as usize];
        let step = self.steps(run)[place.step];
        let mut ranks = self.next_tiles(place, step);
        ranks.extend(self.tiles_elsewhere(place, step));
        for other in cell_steps(cell, &self.splits) {
            let grown = |tile: u32, old: u32, new: u32| (tile / old).checked_mul(new);
            let tiles = [
                Some((run.tile, step)),
                grown(run.tile, cell.row_unit(), other.row_unit()).zip(grown(
                    step,
                    cell.column_unit(),
                    other.column_unit(),
                )),
            ];
            let found = tiles.into_iter().flatten();
            ranks.extend(found.filter_map(|(tile, step)| {
                self.place(&other, tile, step)
                    .map(|place| self.rank(&place))
            }));
        }
        ranks
    }

    /// The ranks of the same cell with the next smaller and larger tile or step.
    fn next_tiles(&self, place: &SpacePosition, step: u32) -> Vec<u64> {
        let run = &self.runs[place.run];
        let mut ranks = Vec::new();
        let rank = self.rank(place);
        if place.step > 0 {
            ranks.push(rank - 1);
        }
        if place.step + 1 < run.steps as usize {
            ranks.push(rank + 1);
        }
        for other in [place.run.wrapping_sub(1), place.run + 1] {
            let same_cell = self.runs.get(other).filter(|other| other.cell == run.cell);
            // The steps of a cell's runs are prefixes of one list: a step has the same index in each.
            if let Some(other) = same_cell.filter(|other| self.steps(other).contains(&step)) {
                ranks.push(other.first + place.step as u64);
            }
        }
        ranks
    }

    /// The ranks of the same cell and step with the tile on another dimension.
    fn tiles_elsewhere(&self, place: &SpacePosition, step: u32) -> impl Iterator<Item = u64> {
        let run = &self.runs[place.run];
        let cell = self.cells[run.cell as usize];
        let is_least = self.least_tile(&cell) == Some(run.tile);
        let others = self.frame.places_of_tile();
        others
            .filter(move |&outer| outer != cell.outer)
            .flat_map(move |outer| {
                let other = SpaceCell { outer, ..cell };
                let least = is_least.then(|| self.least_tile(&other)).flatten();
                let tiles = [Some(run.tile), least].into_iter().flatten();
                tiles.filter_map(move |tile| Some(self.rank(&self.place(&other, tile, step)?)))
            })
    }

    /// The least tile of a cell, if it is one of the space and has any.
    fn least_tile(&self, cell: &SpaceCell) -> Option<u32> {
        let cell = u32::try_from(self.cells.binary_search(cell).ok()?).ok()?;
        let first = self.runs.partition_point(|run| run.cell < cell);
        let run = self.runs.get(first).filter(|run| run.cell == cell)?;
        Some(run.tile)
    }
}

/// The cells one step from `cell`, which may not be cells of the space.
fn cell_steps<'a>(
    cell: &SpaceCell,
    splits: &'a [u32],
) -> impl Iterator<Item = SpaceCell> + use<'a> {
    let cell = *cell;
    let lanes = split_steps(cell.lanes).map(move |lanes| SpaceCell { lanes, ..cell });
    let subgroups =
        split_steps(cell.subgroups).map(move |subgroups| SpaceCell { subgroups, ..cell });
    let rows = count_steps(cell.thread_rows).map(move |thread_rows| SpaceCell {
        thread_rows,
        ..cell
    });
    let columns = count_steps(cell.thread_columns).map(move |thread_columns| SpaceCell {
        thread_columns,
        ..cell
    });
    let sizes = count_steps(cell.subgroup_size).flat_map(move |subgroup_size| {
        let lanes = split_steps(cell.lanes).chain([cell.lanes]);
        lanes.map(move |lanes| SpaceCell {
            subgroup_size,
            lanes,
            ..cell
        })
    });
    let number = splits.partition_point(|&split| split < cell.knobs.split);
    let before = splits[..number].last();
    let beside = before.into_iter().chain(splits.get(number + 1));
    let splits = beside.map(move |&split| Knobs {
        split,
        ..cell.knobs
    });
    let lazy_index = !cell.knobs.lazy_index;
    let accumulators = match cell.knobs.accumulators {
        Accumulators::Vector => Accumulators::One,
        Accumulators::One => Accumulators::Vector,
    };
    let knobs = splits
        .chain([
            Knobs {
                lazy_index,
                ..cell.knobs
            },
            Knobs {
                accumulators,
                ..cell.knobs
            },
        ])
        .map(move |knobs| SpaceCell { knobs, ..cell });
    lanes
        .chain(subgroups)
        .chain(rows)
        .chain(columns)
        .chain(sizes)
        .chain(knobs)
}

/// Half and double of a power of two.
fn count_steps(count: u32) -> impl Iterator<Item = u32> {
    let half = (count > 1).then_some(count / 2);
    half.into_iter().chain([count * 2])
}

fn split_steps(split: Split) -> impl Iterator<Item = Split> {
    let Split { rows, columns, .. } = split;
    let swap = Split::orders(rows, columns).filter(move |&order| order != split);
    let rows_only = count_steps(rows).map(move |rows| (rows, columns));
    let columns_only = count_steps(columns).map(move |columns| (rows, columns));
    let to_rows = (columns > 1).then_some((rows * 2, columns / 2));
    let to_columns = (rows > 1).then_some((rows / 2, columns * 2));
    let counts = rows_only
        .chain(columns_only)
        .chain(to_rows)
        .chain(to_columns);
    let is_wide = rows > 1 && columns > 1;
    // An order stays as it is; where it only now begins to matter both are taken.
    swap.chain(counts.flat_map(move |(rows, columns)| {
        Split::orders(rows, columns).filter(move |new| {
            !is_wide || rows == 1 || columns == 1 || new.swapped == split.swapped
        })
    }))
}
