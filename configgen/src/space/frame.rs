//! The frame of a space: which dimensions it distributes, and how a cell, a tile and a step are written as a
//! configuration.

use arrayvec::ArrayVec;

use crate::{Basis, Configuration, LoweringConfig, MAX_RANK, Problem, Tiles};

use super::cell::{SpaceCell, Split};
use super::group::{DimensionCounts, Group, GroupCounts};

/// Which dimensions of a problem a space distributes.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    rank: usize,
    pub(super) columns: Group,
    pub(super) rows: Group,
    /// The parallel dimensions that may have the tile in place of the rows' innermost one.
    outer: ArrayVec<Group, MAX_RANK>,
    reduced: [bool; MAX_RANK],
    /// Whether the columns' tile is a step, and not a part of the workgroup's tile.
    has_steps: bool,
}

impl Frame {
    pub(super) fn new(problem: &Problem, rows: Group, columns: Group) -> Frame {
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

    /// Of what reduces nothing: its rows are elements. Where neighbours of an input are not neighbours of the output, the dimensions
    /// along which they lie are the columns.
    pub(super) fn of_map(problem: &Problem) -> Frame {
        let (columns, rows) = Group::across(problem);
        Frame {
            outer: ArrayVec::new(),
            has_steps: false,
            ..Frame::new(problem, rows, columns)
        }
    }

    /// Every place that a tile may have where nothing is spread over rows, as cells name it.
    pub(super) fn places_of_tile(&self) -> impl Iterator<Item = Option<u8>> + use<> {
        let outer = (0u8..).take(self.outer.len());
        std::iter::once(None).chain(outer.map(Some))
    }

    /// The rows of which tiles are taken.
    pub(super) fn rows_at(&self, outer: Option<u8>) -> &Group {
        match outer {
            None => &self.rows,
            Some(number) => &self.outer[usize::from(number)],
        }
    }

    /// `count`, or 1 where there are no rows.
    pub(super) fn along_rows(&self, count: u32) -> u32 {
        match self.rows.is_empty() {
            true => 1,
            false => count,
        }
    }

    /// What the columns have of the counts of a cell, innermost first.
    pub(super) fn column_parts(&self, cell: &SpaceCell) -> GroupCounts {
        let (lanes, subgroups) = (cell.lanes.columns, cell.subgroups.columns);
        self.columns.fill(cell.thread_columns, lanes, subgroups)
    }

    /// What the rows have of the counts of a cell, innermost first.
    pub(super) fn row_parts(&self, cell: &SpaceCell) -> GroupCounts {
        let (lanes, subgroups) = (cell.lanes.rows, cell.subgroups.rows);
        self.rows_at(cell.outer)
            .fill(cell.thread_rows, lanes, subgroups)
    }

    /// The basis with these counts. Where digits are swapped, those of the rows' innermost dimension that has several
    /// and of the columns' are.
    fn basis(&self, counts: &Tiles, swapped: bool) -> Basis {
        let mut order: ArrayVec<u8, MAX_RANK> = (0u8..).take(self.rank).collect();
        let innermost = |group: &Group| group.dimensions().find(|&d| counts[d] > 1);
        if let (true, Some(rows), Some(columns)) =
            (swapped, innermost(&self.rows), innermost(&self.columns))
        {
            order.swap(rows, columns);
        }
        // What lies between the two may have one position, and a place of its own in the canonical order.
        Basis::ordered(&order, counts).canonical()
    }

    fn split(&self, basis: &Basis) -> Split {
        let product = |group: &Group| {
            let counts = group.dimensions().map(|d| basis.count_along(d));
            // Counts whose product overflows are in no space; nor is 0.
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

    /// The canonical configuration of a cell, but for its tile and step.
    pub(super) fn draft(&self, cell: &SpaceCell) -> Draft {
        // Other dimensions are taken one element at a time.
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

    /// The cell, the tile and the step of which `configuration` is the canonical form, if there are such.
    pub(super) fn read(&self, configuration: &Configuration) -> Option<(SpaceCell, u32, u32)> {
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
        // Nor do threads overflow; 0 would hide that of the other factors.
        u64::from(cell.subgroup_size)
            .checked_mul(u64::from(cell.subgroups.rows))?
            .checked_mul(u64::from(cell.subgroups.columns))
            .filter(|&threads| threads > 0)
            .filter(|&threads| threads == u64::from(configuration.workgroup_size[0]))?;
        let is_written =
            cell.is_fillable() && self.draft(&cell).with_tiles(tile, step) == configuration;
        is_written.then_some((cell, tile, step))
    }
}

/// A configuration of a space whose tile and step are still to be chosen.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    configuration: Configuration,
    rows: GroupCounts,
    columns: GroupCounts,
    has_steps: bool,
}

impl Draft {
    /// The configuration with this tile and step.
    #[inline]
    pub(super) fn with_tiles(&mut self, tile: u32, step: u32) -> &Configuration {
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

/// Writes a tile of a group: of each dimension its unit, and what is left to the one that is cut.
fn set(tiles: &mut Tiles, parts: &[DimensionCounts], tile: u32) {
    let unit: u32 = parts.iter().map(DimensionCounts::unit).product();
    for part in parts {
        let batches = if part.is_cut { tile / unit } else { 1 };
        tiles[part.dimension] = part.unit() * batches;
    }
}
