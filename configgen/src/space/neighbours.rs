//! Neighbours: the configurations one step away, for local search.
//!
//! A neighbour differs in one of these ways:
//!
//! - It has double or half the lanes or subgroups along rows or columns, or a factor of two moved
//!   between rows and columns. Only such a move is possible for the lanes of a native subgroup,
//!   because their product is fixed.
//! - It has the digits of the lanes or of the subgroups in the other order.
//! - It has double or half a thread tile.
//! - It has double or half the subgroup size, with or without the lanes along rows or columns.
//! - It has the next smaller or larger split, the other lazy index flag, or the other
//!   accumulators.
//! - It has the next smaller or larger tile or step of the space, with the rest unchanged.
//! - It has its tile on another dimension, if nothing is spread over rows. The tile is the same,
//!   or the smallest of that dimension if it was the smallest of its own. (A tile of 1 counts on
//!   the innermost dimension; the next one on another dimension is the smallest there.)
//!
//! Another count changes the unit, so there are two neighbours. One has the same tile and step.
//! The other has the same number of units, so its tile and step grow or shrink. The first kind
//! alone would divide a space into islands: with a tile of 1, no lanes could ever move to the
//! rows.

use super::Space;
use crate::space_contents::{Contents, SpaceCell, SpacePosition, Split};
use crate::{Accumulators, Configuration, Knobs};

impl Space {
    /// Returns the members that differ from `configuration` by one step in one parameter, by
    /// rank.
    ///
    /// The result is empty if the configuration is not a member. The relation is symmetric, and
    /// every member can be reached from every other.
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

impl Contents {
    fn neighbour_ranks(&self, place: &SpacePosition) -> Vec<u64> {
        let run = &self.runs[place.run];
        let cell = &self.cells[run.cell as usize];
        let step = self.steps(run)[place.step];
        let mut ranks = self.next_tiles(place, step);
        ranks.extend(self.tiles_elsewhere(place, step));
        // A change of a count also changes the unit of the tile or the step.
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

    /// Returns the ranks of the same cell with the next smaller and larger tile or step.
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
            // The steps of a cell's runs are prefixes of one list, so a step has the same index
            // in each.
            if let Some(other) = same_cell.filter(|other| self.steps(other).contains(&step)) {
                ranks.push(other.first + place.step as u64);
            }
        }
        ranks
    }

    /// Returns the ranks of the same cell and step with the tile on another dimension.
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

    /// Returns the smallest tile of a cell, if the space has the cell and the cell has a tile.
    fn least_tile(&self, cell: &SpaceCell) -> Option<u32> {
        let cell = u32::try_from(self.cells.binary_search(cell).ok()?).ok()?;
        let first = self.runs.partition_point(|run| run.cell < cell);
        let run = self.runs.get(first).filter(|run| run.cell == cell)?;
        Some(run.tile)
    }
}

/// Returns the cells one step from `cell`. They may not be cells of the space.
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
    // A native subgroup has no idle lanes, so its lanes must change with the subgroup size.
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

/// Returns half and double of a power of two.
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
    // A neighbour keeps the order of digits. If the order begins to matter, both orders are
    // neighbours.
    swap.chain(counts.flat_map(move |(rows, columns)| {
        Split::orders(rows, columns).filter(move |new| {
            !is_wide || rows == 1 || columns == 1 || new.swapped == split.swapped
        })
    }))
}
