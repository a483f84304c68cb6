//! Starts: members of a space to begin a search with, because kernels like them are often fast.
//!
//! What they have in common: neighbouring lanes load neighbouring elements; a workgroup takes what it has of its rows
//! in one step, as far as registers allow, so that all its loads are under way at once; a row has as many lanes as
//! leave each 8 or 16 elements. In the rest they differ: rows of a workgroup, subgroups of a row, workgroups of a row,
//! and whether a load has 16 bytes or one element, of which the first come sooner. None has its tile on an outer dimension.
//!
//! Where a generator does not promise the fold, those come first that give the fold's index where elements tie: in
//! which each lane has one block of a row, and lower lanes lower ones. Of most kernels of the other shapes the index is
//! another.

use std::cmp::Reverse;

use super::cell::{SpaceCell, Split};
use super::neighbours::SpacePosition;
use super::{Contents, Space};
use crate::Knobs;

/// Where starts differ.
struct Variant {
    /// Subgroups along rows and along columns.
    subgroups: [u32; 2],
    /// Workgroups of a row, or about as many where not each number divides it.
    split: u32,
    /// Units of the tile.
    units: u32,
    /// Whether a thread tile has the elements of a load, or one.
    is_wide: bool,
    /// Elements that a lane should have of a row at least, where these are neighbours.
    elements: u32,
}

const fn variant(subgroups: [u32; 2], split: u32, units: u32, is_wide: bool) -> Variant {
    Variant {
        subgroups,
        split,
        units,
        is_wide,
        elements: 8,
    }
}

/// Where the elements of a row are neighbours in memory.
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

/// The same where what a row gives is used again, or where no workgroups share one: the more subgroups share it, the longer a row,
/// or a piece of it, fits their registers, and of what fits no other workgroup need have a piece.
const WHOLE_ROWS: [Variant; 12] = [
    variant([1, 1], 1, 1, true),
    variant([4, 1], 1, 1, true),
    variant([1, 4], 1, 1, true),
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

/// Where the elements of neighbouring rows are.
const CONTIGUOUS_ROWS: [Variant; 6] = [
    variant([1, 1], 1, 1, false),
    variant([4, 1], 1, 1, false),
    variant([1, 4], 1, 1, false),
    variant([1, 1], 1, 1, true),
    variant([4, 1], 1, 1, true),
    variant([1, 4], 1, 1, true),
];

/// Where nothing is reduced: each element is a row.
const ELEMENTS: [Variant; 6] = [
    variant([1, 1], 1, 1, true),
    variant([4, 1], 1, 1, true),
    variant([4, 1], 1, 2, true),
    variant([4, 1], 1, 4, true),
    variant([16, 1], 1, 1, true),
    variant([4, 1], 1, 1, false),
];

/// Lanes along the columns of what reduces nothing: they load what is side by side, and those along rows store it so.
const LANES_ACROSS: u64 = 8;

/// Subgroups along rows and along columns of kernels whose lanes have one block of a row, or of a piece of it.
const IN_ORDER: [[u32; 2]; 4] = [[1, 1], [1, 4], [1, 16], [4, 1]];
const PIECES_IN_ORDER: [[u32; 2]; 2] = [[1, 1], [1, 4]];

/// Elements that a lane should have of a piece: to merge more of them takes longer, and so do longer ones.
const BLOCK: u32 = 16;

impl Space {
    /// The ranks of a few different members of the space, of shapes of kernels that are often fast; the first are the simplest.
    /// There may be none.
    pub fn start_ranks(&self) -> Vec<u64> {
        let Ok(contents) = &self.contents else {
            return Vec::new();
        };
        let shape = &self.problem.shape;
        let mut inner = (0..shape.rank()).rev().filter(|&d| shape.sizes()[d] > 1);
        let is_column = inner.next().is_none_or(|d| shape.is_reduced(d));
        let is_whole = self.problem.reduction.rowwise().is_some()
            || !self.generator.shares_rows(&self.problem);
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
        let state = self.problem.reduction.state(self.problem.reduced_type());
        let is_index_open = state.has_position && !self.generator.promises_fold() && is_column;
        if is_index_open {
            places.extend(IN_ORDER.map(|subgroups| contents.blocks(subgroups, size, false)));
            let pieces = PIECES_IN_ORDER.map(|subgroups| contents.blocks(subgroups, size, true));
            places.extend(pieces);
        }
        let across = if shape.reduces() { 1 } else { LANES_ACROSS };
        let of = |variant| contents.start(variant, (is_column, across), vector, size);
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
    /// A row in one step, or each piece of it, in which each lane has one block: of many lanes with a small one if it can be.
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
            // The only step is the row, or the piece: steps are multiples of the unit. (No tile of 1 lies on an outer dimension.)
            let (run, step) = (self.run(number, cell.row_unit())?, 0);
            let block = Reverse(cell.thread_columns.abs_diff(BLOCK));
            Some(((cell.lanes.columns, block), SpacePosition { run, step }))
        });
        let most = places.max_by_key(|(fit, _)| *fit)?;
        Some(most.1)
    }

    /// The split that is nearest to this one; where pieces have to divide rows, of those that leave no lane without an element.
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

    /// The start of this variant, if the space has it. A row has `size` elements, a load at most `vector`. Where it is not along columns,
    /// so many lanes lie `across` them.
    fn start(
        &self,
        variant: &Variant,
        (is_column, across): (bool, u64),
        vector: u32,
        size: u64,
    ) -> Option<SpacePosition> {
        let subgroup_size = self.cells.first()?.subgroup_size;
        let [thread_rows, thread_columns] = match (is_column, variant.is_wide) {
            (true, true) => [1, vector],
            // Where nothing is reduced, columns are what lies across.
            (false, true) => [vector, if across > 1 { vector } else { 1 }],
            (_, false) => [1, 1],
        };
        let most = match is_column {
            true => (size / u64::from(variant.elements.max(thread_columns))).max(1),
            false => across,
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
        // As many lanes of a row as there should be, or else the fewest; then the widest thread tile.
        let fit = |(_, cell): &(u32, &SpaceCell)| {
            let lanes = u64::from(cell.lanes.columns);
            let lanes = match lanes <= most {
                true => lanes as i64,
                false => -(lanes as i64),
            };
            (lanes, cell.thread_rows * cell.thread_columns)
        };
        let (number, cell) = (0..).zip(&self.cells).filter(matches).max_by_key(fit)?;
        let run = self.run(number, cell.row_unit() * variant.units)?;
        let steps = self.steps(&self.runs[run]);
        let once = steps
            .iter()
            .position(|&step| u64::from(step) * u64::from(split) >= size);
        Some(SpacePosition {
            run,
            step: once.unwrap_or(steps.len() - 1),
        })
    }
}
