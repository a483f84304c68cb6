//! Starting points: members of a space at which a search begins, because such kernels are often
//! fast.
//!
//! They have these properties in common:
//!
//! - Neighbouring lanes load neighbouring elements.
//! - A workgroup takes its part of the rows in one step, as far as registers allow. All its loads
//!   are then in flight at once.
//! - A row has the number of lanes that leaves each lane 8 or 16 elements.
//!
//! They differ in the rows of a workgroup, the subgroups of a row and the workgroups of a row. A
//! load has 16 bytes or one element; small loads return earlier. If a workgroup can take its part
//! of a row in one step, the load is the widest one with the shortest such step. A longer step
//! loads elements twice. None has its tile on an outer dimension.
//!
//! If a generator does not promise the fold, the first starting points return the fold's index
//! for equal elements. Their lanes have one block of a row each, lower lanes lower blocks. Most
//! kernels of other shapes return another index.

use std::cmp::Reverse;

use super::Space;
use crate::Knobs;
use crate::space_contents::{Contents, SpaceCell, SpacePosition, Split};

/// The differences between starting points.
struct Variant {
    /// The subgroups along rows and along columns.
    subgroups: [u32; 2],
    /// The workgroups per row, approximately if only some numbers divide it.
    split: u32,
    /// The units of the tile.
    units: u32,
    /// Set if a thread tile has the elements of a load; otherwise it has one element.
    is_wide: bool,
    /// The smallest number of elements of a row per lane, if they are contiguous.
    elements: u32,
    /// The lanes along a row of elements that are not contiguous.
    across: u64,
}

const fn variant(subgroups: [u32; 2], split: u32, units: u32, is_wide: bool) -> Variant {
    Variant {
        subgroups,
        split,
        units,
        is_wide,
        elements: 8,
        across: 1,
    }
}

/// Returns a variant for neighbouring rows, with `across` lanes and 4 or more subgroups per row.
const fn outer(across: u64, subgroups: u32, split: u32, is_wide: bool) -> Variant {
    Variant {
        across,
        ..variant([1, subgroups], split, 1, is_wide)
    }
}

/// Variants for rows of contiguous elements.
const CONTIGUOUS_COLUMNS: [Variant; 10] = [
    variant([1, 1], 1, 1, true),
    variant([1, 1], 1, 2, true),
    variant([4, 1], 1, 1, true),
    variant([1, 4], 1, 1, true),
    variant([4, 1], 1, 1, false),
    Variant {
        elements: 16,
        ..variant([4, 1], 1, 1, false)
    },
    variant([1, 1], 16, 1, true),
    variant([1, 4], 16, 1, true),
    variant([1, 4], 64, 1, true),
    variant([1, 4], 16, 4, true),
];

/// Variants for contiguous rows that are used again, or that no workgroups share.
///
/// More subgroups per row let longer rows or pieces fit their registers. A row that fits needs no
/// other workgroup.
const WHOLE_ROWS: [Variant; 13] = [
    variant([1, 1], 1, 1, true),
    variant([1, 4], 1, 1, true),
    variant([1, 2], 1, 1, true),
    variant([4, 1], 1, 1, true),
    variant([4, 1], 1, 1, false),
    variant([1, 8], 1, 1, true),
    variant([1, 16], 1, 1, true),
    variant([1, 8], 1, 2, true),
    variant([1, 16], 1, 1, false),
    variant([1, 8], 4, 1, true),
    variant([1, 4], 16, 1, true),
    variant([1, 4], 32, 1, true),
    variant([1, 8], 32, 1, true),
];

/// Variants for contiguous elements of neighbouring rows.
///
/// Few rows leave most of a device idle, so some have more lanes and workgroups per row.
const CONTIGUOUS_ROWS: [Variant; 14] = [
    variant([1, 1], 1, 1, false),
    variant([4, 1], 1, 1, false),
    variant([1, 4], 1, 1, false),
    variant([1, 1], 1, 1, true),
    variant([4, 1], 1, 1, true),
    variant([1, 4], 1, 1, true),
    outer(2, 4, 8, false),
    outer(4, 4, 4, false),
    outer(1, 16, 4, false),
    outer(8, 16, 1, false),
    outer(4, 8, 16, true),
    outer(8, 4, 4, true),
    outer(2, 16, 1, false),
    outer(16, 4, 32, true),
];

/// Variants for maps: each element is a row.
const ELEMENTS: [Variant; 6] = [
    variant([1, 1], 1, 1, true),
    variant([4, 1], 1, 1, true),
    variant([4, 1], 1, 2, true),
    variant([4, 1], 1, 4, true),
    variant([16, 1], 1, 1, true),
    variant([4, 1], 1, 1, false),
];

/// The lanes along the columns of a map.
///
/// These lanes load contiguous elements; the lanes along rows store contiguous ones.
const LANES_ACROSS: u64 = 8;

/// The subgroups along rows and columns of kernels in which each lane has one block of a row.
const IN_ORDER: [[u32; 2]; 4] = [[1, 1], [1, 4], [1, 16], [4, 1]];
// The same for one block of a piece of a row.
const PIECES_IN_ORDER: [[u32; 2]; 2] = [[1, 1], [1, 4]];

/// The number of elements of a piece per lane. More pieces take longer to merge, longer ones to
/// read.
const BLOCK: u32 = 16;

impl Space {
    /// Returns the ranks of a few members with shapes that are often fast, the simplest first.
    ///
    /// There may be none.
    pub fn start_ranks(&self) -> Vec<u64> {
        let Ok(contents) = &self.contents else {
            return Vec::new();
        };
        let shape = &self.problem.shape;
        let mut inner = (0..shape.rank()).rev().filter(|&d| shape.sizes()[d] > 1);
        let is_column = inner.next().is_none_or(|d| shape.is_reduced(d));
        let is_whole =
            self.problem.reduction.uses_rows_again() || !self.generator.shares_rows(&self.problem);
        let is_column = is_column && shape.reduces();
        let variants: &[Variant] = match (is_column, is_whole) {
            _ if !shape.reduces() => &ELEMENTS,
            (true, false) => &CONTIGUOUS_COLUMNS,
            (true, true) => &WHOLE_ROWS,
            (false, _) => &CONTIGUOUS_ROWS,
        };
        let vector = self.problem.element.most_of_a_load();
        let size = shape.reduced_size();
        let mut places: Vec<Option<SpacePosition>> = Vec::new();
        let state = self.problem.reduction.state();
        // Kernels that return the fold's index for ties come first.
        let is_index_open = state.has_position && !self.generator.promises_fold() && is_column;
        if is_index_open {
            places.extend(IN_ORDER.map(|subgroups| contents.blocks(subgroups, size, false)));
            let pieces = PIECES_IN_ORDER.map(|subgroups| contents.blocks(subgroups, size, true));
            places.extend(pieces);
        }
        let is_map = !shape.reduces();
        let of = |variant| contents.start(variant, (is_column, is_map), vector, size);
        places.extend(variants.iter().map(of));
        let mut ranks = Vec::new();
        for place in places.into_iter().flatten() {
            let rank = contents.rank(&place);
            if !ranks.contains(&rank) {
                ranks.push(rank);
            }
        }
        ranks
    }
}

impl Contents {
    /// Returns the position with a row or piece in one step and one block per lane.
    ///
    /// It prefers many lanes, and then blocks near [`BLOCK`] elements.
    fn blocks(
        &self,
        [rows, columns]: [u32; 2],
        size: u64,
        is_split: bool,
    ) -> Option<SpacePosition> {
        let matches = |(_, cell): &(u32, &SpaceCell)| {
            (cell.subgroups.rows, cell.subgroups.columns) == (rows, columns)
                && (cell.lanes.rows, cell.thread_rows) == (1, 1)
                && u64::from(cell.column_unit()) * u64::from(cell.knobs.split) == size
                && (cell.knobs.split > 1) == is_split
        };
        let cells = (0..).zip(&self.cells).filter(matches);
        let places = cells.filter_map(|(number, cell)| {
            // The row or the piece is the only step, because steps are multiples of the unit. A
            // tile of 1 never lies on an outer dimension.
            let (run, step) = (self.run(number, cell.row_unit())?, 0);
            let block = Reverse(cell.thread_columns.abs_diff(BLOCK));
            Some(((cell.lanes.columns, block), SpacePosition { run, step }))
        });
        let most = places.max_by_key(|(fit, _)| *fit)?;
        Some(most.1)
    }

    /// Returns the split nearest to `wanted`.
    ///
    /// If pieces must divide rows, it considers only splits that leave no lane without an
    /// element.
    fn split(&self, wanted: u32, size: u64, subgroup_size: u32) -> u32 {
        let has_any = self.splits.iter().all(|split| split.is_power_of_two());
        if wanted == 1 || has_any {
            return wanted;
        }
        let is_filled = |split: &&u32| {
            **split > 1 && size.is_multiple_of(u64::from(**split) * u64::from(subgroup_size))
        };
        let filled = self.splits.iter().filter(is_filled);
        let nearest = filled.min_by_key(|split| split.abs_diff(wanted));
        nearest.copied().unwrap_or(wanted)
    }

    /// Returns the position of this variant, if the space has it.
    ///
    /// A row has `size` elements, and a load at most `vector`.
    fn start(
        &self,
        variant: &Variant,
        (is_column, is_map): (bool, bool),
        vector: u32,
        size: u64,
    ) -> Option<SpacePosition> {
        let subgroup_size = self.cells.first()?.subgroup_size;
        let [thread_rows, thread_columns] = match (is_column, variant.is_wide) {
            (true, true) => [1, vector],
            // The columns of a map are the dimensions across.
            (false, true) => [vector, if is_map { vector } else { 1 }],
            (_, false) => [1, 1],
        };
        let most = match is_column {
            true => (size / u64::from(variant.elements.max(thread_columns))).max(1),
            false if is_map => LANES_ACROSS,
            false => variant.across,
        };
        let [rows, columns] = variant.subgroups;
        let split = self.split(variant.split, size, subgroup_size);
        let matches = |(_, cell): &(u32, &SpaceCell)| {
            cell.outer.is_none()
                && cell.subgroup_size == subgroup_size
                && !cell.lanes.swapped
                && cell.subgroups == Split::new(rows, columns)
                && cell.thread_rows <= thread_rows
                && cell.thread_columns <= thread_columns
                && cell.knobs
                    == Knobs {
                        split,
                        ..Knobs::DEFAULT
                    }
        };
        let place = |(number, cell): (u32, &SpaceCell)| {
            let run = self.run(number, cell.row_unit() * variant.units)?;
            let steps = self.steps(&self.runs[run]);
            let once = steps
                .iter()
                .position(|&step| u64::from(step) * u64::from(split) >= size);
            // Prefers the wanted number of lanes per row, or else the fewest; then the shortest
            // single step, since a longer one loads elements twice; then the widest thread tile.
            let lanes = u64::from(cell.lanes.columns);
            let lanes = match lanes <= most {
                true => lanes as i64,
                false => -(lanes as i64),
            };
            let thread = cell.thread_rows * cell.thread_columns;
            let fit = (lanes, once.map(|step| Reverse(steps[step])), thread);
            let step = once.unwrap_or(steps.len() - 1);
            Some((fit, SpacePosition { run, step }))
        };
        let cells = (0..).zip(&self.cells).filter(matches).filter_map(place);
        Some(cells.max_by_key(|(fit, _)| *fit)?.1)
    }
}
