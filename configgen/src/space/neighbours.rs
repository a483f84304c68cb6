//! Neighbours: the configurations one step away, for local search.
//!
//! The parameters are the subgroup size, the lanes, the subgroups and the order of their digits, the thread tile of
//! each dimension, and the tiles W and P. A step
//!
//! - doubles or halves the lanes or the subgroups along one dimension, or moves a factor of two from one dimension to the
//!   other (the only way for the lanes of a native subgroup, whose product is fixed);
//! - swaps the order of the digits of the lanes or of the subgroups;
//! - doubles or halves a thread tile;
//! - doubles or halves the subgroup size, and with it the lanes along one dimension if there are several;
//! - doubles or halves the split, or turns the lazy index on or off, or has one accumulator or several;
//! - takes the next smaller or larger W or P that the space has with the rest unchanged.
//!
//! A step of a count changes the unit of a tile. It is taken twice: with W and P kept, and with the number of batches kept,
//! so that W and P grow or shrink with their units. With the first alone a space would fall into islands: where W = 1, no
//! lanes could ever move to the rows.

use super::cell::{Cell, Split};
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
pub(super) struct Place {
    pub(super) row: usize,
    /// Index of P in the row.
    pub(super) step: usize,
}

impl Contents {
    fn neighbour_ranks(&self, place: &Place) -> Vec<u64> {
        let row = &self.rows[place.row];
        let cell = &self.cells[row.cell as usize];
        let step = self.steps(row)[place.step];
        let mut ranks = self.next_tiles(place, step);
        for other in cell_steps(cell) {
            let grown = |tile: u32, old: u32, new: u32| (tile / old).checked_mul(new);
            let tiles = [
                Some((row.tile, step)),
                grown(row.tile, cell.row_unit(), other.row_unit()).zip(grown(
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

    /// The ranks of the same cell with the next smaller and larger W or P.
    fn next_tiles(&self, place: &Place, step: u32) -> Vec<u64> {
        let row = &self.rows[place.row];
        let mut ranks = Vec::new();
        let rank = self.rank(place);
        if place.step > 0 {
            ranks.push(rank - 1);
        }
        if place.step + 1 < row.steps as usize {
            ranks.push(rank + 1);
        }
        for other in [place.row.wrapping_sub(1), place.row + 1] {
            let same_cell = self.rows.get(other).filter(|other| other.cell == row.cell);
            // The candidates of a cell's rows are prefixes of one list: P has the same index in each.
            if let Some(other) = same_cell.filter(|other| self.steps(other).contains(&step)) {
                ranks.push(other.first + place.step as u64);
            }
        }
        ranks
    }
}

/// The cells one step from `cell`, which may not be cells of the space.
fn cell_steps(cell: &Cell) -> impl Iterator<Item = Cell> {
    let cell = *cell;
    let lanes = split_steps(cell.lanes).map(move |lanes| Cell { lanes, ..cell });
    let subgroups = split_steps(cell.subgroups).map(move |subgroups| Cell { subgroups, ..cell });
    let rows = count_steps(cell.thread_rows).map(move |thread_rows| Cell {
        thread_rows,
        ..cell
    });
    let columns = count_steps(cell.thread_columns).map(move |thread_columns| Cell {
        thread_columns,
        ..cell
    });
    let sizes = count_steps(cell.subgroup_size).flat_map(move |subgroup_size| {
        let lanes = split_steps(cell.lanes).chain([cell.lanes]);
        lanes.map(move |lanes| Cell {
            subgroup_size,
            lanes,
            ..cell
        })
    });
    let splits = count_steps(cell.knobs.split).map(move |split| Knobs {
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
        .map(move |knobs| Cell { knobs, ..cell });
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
