//! The frame of a space: its distributed dimensions.
//!
//! It converts a cell, a tile and a step to a configuration and back.

use arrayvec::ArrayVec;

use crate::{Basis, Configuration, LoweringConfig, MAX_RANK, Problem, Tiles};

use super::cell::{SpaceCell, Split};
use super::group::{DimensionCounts, Group, GroupCounts};

/// The dimensions of a problem that a space distributes.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    rank: usize,
    pub(crate) columns: Group,
    pub(crate) rows: Group,
    /// The parallel dimensions that may have the tile instead of the rows' innermost one.
    outer: ArrayVec<Group, MAX_RANK>,
    reduced: [bool; MAX_RANK],
    /// Set if the columns' tile is a step; unset if it is a part of the workgroup's tile.
    has_steps: bool,
}

impl Frame {
    pub(crate) fn new(problem: &Problem, rows: Group, columns: Group) -> Frame {
        let shape = &problem.shape;
        let mut reduced = [false; MAX_RANK];
        shape.reduced().for_each(|d| reduced[d] = true);
        Frame {
            rank: shape.rank(),
            columns,
            rows,
            outer: Group::outer(shape),
            reduced,
            has_steps: true,
        }
    }

    /// Creates the frame of a map. Its rows are elements.
    ///
    /// If an input is contiguous along other dimensions than the output, those are the columns.
    pub(crate) fn of_map(problem: &Problem) -> Frame {
        let (columns, rows) = Group::across(problem);
        Frame {
            outer: ArrayVec::new(),
            has_steps: false,
            ..Frame::new(problem, rows, columns)
        }
    }

    /// Returns the possible dimensions of a tile if nothing is spread over rows, as cells name
    /// them.
    pub(crate) fn places_of_tile(&self) -> impl Iterator<Item = Option<u8>> + use<> {
        let outer = (0u8..).take(self.outer.len());
        std::iter::once(None).chain(outer.map(Some))
    }

    /// Returns the rows that the tile divides.
    pub(crate) fn rows_at(&self, outer: Option<u8>) -> &Group {
        match outer {
            None => &self.rows,
            Some(number) => &self.outer[usize::from(number)],
        }
    }

    /// Returns `count`, or 1 if there are no rows.
    pub(crate) fn along_rows(&self, count: u32) -> u32 {
        match self.rows.is_empty() {
            true => 1,
            false => count,
        }
    }

    /// Returns the columns' shares of the counts of a cell, innermost first.
    pub(crate) fn column_parts(&self, cell: &SpaceCell) -> GroupCounts {
        let (lanes, subgroups) = (cell.lanes.columns, cell.subgroups.columns);
        self.columns.fill(cell.thread_columns, lanes, subgroups)
    }

    /// Returns the rows' shares of the counts of a cell, innermost first.
    pub(crate) fn row_parts(&self, cell: &SpaceCell) -> GroupCounts {
        let (lanes, subgroups) = (cell.lanes.rows, cell.subgroups.rows);
        self.rows_at(cell.outer)
            .fill(cell.thread_rows, lanes, subgroups)
    }

    /// Returns the basis with these counts.
    ///
    /// `swapped` exchanges the digits of the rows' and the columns' innermost dimensions with
    /// several positions.
    fn basis(&self, counts: &Tiles, swapped: bool) -> Basis {
        let mut order: ArrayVec<u8, MAX_RANK> = (0u8..).take(self.rank).collect();
        let innermost = |group: &Group| group.dimensions().find(|&d| counts[d] > 1);
        if let (true, Some(rows), Some(columns)) =
            (swapped, innermost(&self.rows), innermost(&self.columns))
        {
            order.swap(rows, columns);
        }
        // Dimensions between the two may have one position, and another place in the canonical
        // order.
        Basis::ordered(&order, counts).canonical()
    }

    fn split(&self, basis: &Basis) -> Split {
        let product = |group: &Group| {
            let counts = group.dimensions().map(|d| basis.count_along(d));
            // No space has counts with an overflowing product, or with a count of 0.
            counts.fold(1u32, |n, count| n.checked_mul(count).unwrap_or(0))
        };
        let innermost = |group: &Group| group.dimensions().find(|&d| basis.count_along(d) > 1);
        let swapped = innermost(&self.rows).zip(innermost(&self.columns));
        let swapped = swapped.is_some_and(|(rows, columns)| {
            let [outer, inner] = [rows.min(columns), rows.max(columns)];
            basis.id_stride(outer) < basis.id_stride(inner)
        });
        Split {
            rows: product(&self.rows),
            columns: product(&self.columns),
            swapped,
        }
    }

    /// Returns the canonical configuration of a cell, without its tile and step.
    pub(crate) fn draft(&self, cell: &SpaceCell) -> Draft {
        // A dimension outside of the groups takes one element at a time.
        let workgroup: Tiles = self.reduced[..self.rank]
            .iter()
            .map(|&is_reduced| u32::from(!is_reduced))
            .collect();
        let partial_reduction: Tiles = workgroup.iter().map(|tile| 1 - tile).collect();
        let mut thread = partial_reduction.clone();
        let mut lanes: Tiles = (0..self.rank).map(|_| 1).collect();
        let mut subgroups = lanes.clone();
        let (rows, columns) = (self.row_parts(cell), self.column_parts(cell));
        for part in rows.iter().chain(&columns) {
            lanes[part.dimension] = part.lanes;
            subgroups[part.dimension] = part.subgroups;
            if part.thread > 1 {
                thread[part.dimension] = part.thread;
            }
        }
        Draft {
            configuration: Configuration {
                lowering: LoweringConfig {
                    workgroup,
                    partial_reduction,
                    thread,
                    lane_basis: self.basis(&lanes, cell.lanes.swapped),
                    subgroup_basis: self.basis(&subgroups, cell.subgroups.swapped),
                },
                subgroup_size: cell.subgroup_size,
                workgroup_size: [cell.threads(), 1, 1],
                knobs: cell.knobs,
            },
            rows,
            columns,
            has_steps: self.has_steps,
        }
    }

    /// Returns the cell, the tile and the step of a canonical configuration, if the frame has
    /// them.
    pub(crate) fn read(&self, configuration: &Configuration) -> Option<(SpaceCell, u32, u32)> {
        let lowering = &configuration.lowering;
        let product = |list: &Tiles, group: &Group| {
            group.dimensions().try_fold(1u32, |product, d| {
                list.get(d)
                    .and_then(|&entry| product.checked_mul(entry.max(1)))
            })
        };
        let mut cell = SpaceCell {
            outer: None,
            subgroup_size: configuration.subgroup_size,
            lanes: self.split(&lowering.lane_basis),
            subgroups: self.split(&lowering.subgroup_basis),
            thread_rows: product(&lowering.thread, &self.rows)?,
            thread_columns: product(&lowering.thread, &self.columns)?,
            knobs: configuration.knobs,
        };
        if !cell.is_spread_over_rows() {
            let has_tile = |group: &Group| product(&lowering.workgroup, group) != Some(1);
            cell.outer = (0u8..)
                .zip(&self.outer)
                .find(|(_, group)| has_tile(group))
                .map(|(number, _)| number);
        }
        let tile = product(&lowering.workgroup, self.rows_at(cell.outer))?;
        let steps = match self.has_steps {
            true => &lowering.partial_reduction,
            false => &lowering.workgroup,
        };
        let step = product(steps, &self.columns)?;
        // No member has an overflowing number of threads. A factor of 0 would hide an overflow of
        // the others.
        u64::from(cell.subgroup_size)
            .checked_mul(u64::from(cell.subgroups.rows))?
            .checked_mul(u64::from(cell.subgroups.columns))
            .filter(|&threads| threads > 0)
            .filter(|&threads| threads == u64::from(configuration.workgroup_size[0]))?;
        // Products lose information, so only writing the configuration again proves that it is a
        // member.
        let is_written =
            cell.is_fillable() && self.draft(&cell).with_tiles(tile, step) == configuration;
        is_written.then_some((cell, tile, step))
    }
}

/// A configuration of a space without its tile and step.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    configuration: Configuration,
    rows: GroupCounts,
    columns: GroupCounts,
    has_steps: bool,
}

impl Draft {
    /// Returns the configuration with this tile and step.
    #[inline]
    pub(crate) fn with_tiles(&mut self, tile: u32, step: u32) -> &Configuration {
        let lowering = &mut self.configuration.lowering;
        set(&mut lowering.workgroup, &self.rows, tile);
        let steps = match self.has_steps {
            true => &mut lowering.partial_reduction,
            false => &mut lowering.workgroup,
        };
        set(steps, &self.columns, step);
        &self.configuration
    }
}

/// Writes a tile of a group: each dimension gets its unit, and the cut one gets the batches too.
fn set(tiles: &mut Tiles, parts: &[DimensionCounts], tile: u32) {
    let unit: u32 = parts.iter().map(DimensionCounts::unit).product();
    for part in parts {
        let batches = if part.is_cut { tile / unit } else { 1 };
        tiles[part.dimension] = part.unit() * batches;
    }
}
