//! The domain of native kernels.
//!
//! It builds the configurations that [`super::legality`] allows and that may pay.

use super::knobs::max_workgroups_per_row;
use super::legality;
use super::summation_limit::Additions;
use crate::legality::Axis;
use crate::space_contents::{
    Candidates, Contents, DimensionCounts, Frame, Group, MAX_SHARED_PIECES, SpaceCell, SpaceDomain,
    Split, powers_of_two, thread_tiles,
};
use crate::{Accumulators, Configuration, Knobs, Problem, Target};

/// Returns the space of native kernels.
pub(crate) fn contents(problem: &Problem, target: &Target) -> Contents {
    Contents::new(&NativeDomain::new(problem, target))
}

/// Returns the configuration of a cell, with its tile and step given in units of rows and
/// columns.
pub(crate) fn configuration(
    problem: &Problem,
    cell: &SpaceCell,
    [rows, columns]: [u32; 2],
) -> Configuration {
    let mut draft = frame(problem).draft(cell);
    let (tile, step) = (cell.row_unit() * rows, cell.column_unit() * columns);
    draft.with_tiles(tile, step).clone()
}

/// Returns the units of a cell that cover the columns' dimension with batches.
pub(crate) fn most_batches(problem: &Problem, cell: &SpaceCell) -> u32 {
    let parts = frame(problem).column_parts(cell);
    let cut = parts.iter().find(|part| part.is_cut);
    cut.map_or(1, |cut| cut.size.div_ceil(cut.unit()))
}

/// Returns the units of a cell that cover a row.
pub(crate) fn units_of_row(problem: &Problem, cell: &SpaceCell) -> u64 {
    let parts = frame(problem).column_parts(cell);
    let units = parts.iter().map(|part| part.size.div_ceil(part.unit()));
    units.map(u64::from).product()
}

/// Returns whether lanes along columns are useful to a map: an input is contiguous across the
/// output.
pub(crate) fn has_columns(problem: &Problem) -> bool {
    !frame(problem).columns.is_empty()
}

/// Returns the distributed dimensions.
fn frame(problem: &Problem) -> Frame {
    let shape = &problem.shape;
    match (problem.reduction.is_serial(), shape.reduces()) {
        // A serial reduction has one lane per row, so there is nothing to distribute along a row.
        (true, _) => Frame::new(
            problem,
            Group::all(shape, false),
            Group::innermost(shape, true),
        ),
        (false, true) => Frame::new(problem, Group::all(shape, false), Group::all(shape, true)),
        (false, false) => Frame::of_map(problem),
    }
}

/// The domain of native kernels for one problem.
struct NativeDomain<'a> {
    problem: &'a Problem,
    target: &'a Target,
    /// Set if a row has one lane, which takes its elements one by one (rule N1).
    is_serial: bool,
    /// Set if lanes and subgroups lie on rows alone: for a serial reduction, or without columns.
    is_of_rows: bool,
    /// The largest number of elements of a thread per step (rule N9).
    elements_per_thread: u32,
    frame: Frame,
    steps: Candidates,
}

impl<'a> NativeDomain<'a> {
    fn new(problem: &'a Problem, target: &'a Target) -> Self {
        let (is_serial, frame) = (problem.reduction.is_serial(), frame(problem));
        let elements_per_thread = legality::max_elements_per_thread(problem);
        NativeDomain {
            problem,
            target,
            is_serial,
            is_of_rows: is_serial || frame.columns.is_empty(),
            elements_per_thread,
            steps: match frame.columns.is_empty() {
                true => Candidates::divisors(1),
                false => Candidates::multiples(elements_per_thread),
            },
            frame,
        }
    }

    fn cells_with(&self, subgroup_size: u32) -> Vec<SpaceCell> {
        let (lanes, subgroups) = (self.lanes(subgroup_size), self.subgroups(subgroup_size));
        let Frame { rows, columns, .. } = &self.frame;
        // Thread tiles lie on the innermost dimension, and must be 1 on one with an open count
        // (rule N16).
        let is_counted = |d| self.problem.shape.is_counted(d);
        let tiles =
            |group: &Group, most: u32| match group.dimensions().next().is_some_and(is_counted) {
                true => thread_tiles(group, 1),
                false => thread_tiles(group, most),
            };
        let thread_rows = tiles(rows, legality::max_thread_parallel(self.problem));
        let thread_columns = tiles(columns, legality::MAX_THREAD_REDUCED);
        let knobs = self.knobs(subgroup_size);
        let mut cells = Vec::new();
        // The nested loops follow the order of the fields of `SpaceCell`, so the cells come out
        // sorted.
        for &lanes in &lanes {
            let filled = subgroups.iter();
            let filled = filled.filter(|subgroups| self.has_rows(lanes, subgroups.rows));
            for &subgroups in filled {
                let is_filled = |&&thread: &&u32| self.has_rows(lanes, subgroups.rows * thread);
                for &thread_rows in thread_rows.iter().filter(is_filled) {
                    for &thread_columns in &thread_columns {
                        let cell = |&knobs: &Knobs| SpaceCell {
                            outer: None,
                            subgroup_size,
                            lanes,
                            subgroups,
                            thread_rows,
                            thread_columns,
                            knobs,
                        };
                        cells.extend(knobs.iter().map(cell).filter(|cell| self.may_pay(cell)));
                    }
                }
            }
        }
        cells
    }

    /// Returns the distributions of all lanes of a subgroup (rule N4).
    ///
    /// Every lane must lie somewhere; it lies on rows if a row has one lane.
    fn lanes(&self, size: u32) -> Vec<Split> {
        if self.is_of_rows {
            return vec![Split::new(self.frame.along_rows(size), 1)];
        }
        if self.frame.rows.is_empty() {
            return vec![Split::new(1, size)];
        }
        powers_of_two(size)
            .flat_map(|rows| Split::orders(rows, size / rows))
            .collect()
    }

    fn subgroups(&self, subgroup_size: u32) -> Vec<Split> {
        let most = self.target.max_workgroup_threads / subgroup_size;
        let along_rows = powers_of_two(self.frame.along_rows(most));
        let along_columns = |rows| powers_of_two(if self.is_of_rows { 1 } else { most / rows });
        along_rows
            .flat_map(|rows| along_columns(rows).flat_map(move |it| Split::orders(rows, it)))
            .collect()
    }

    /// Returns whether the rows, rounded up to a power of two, suffice for these lanes with
    /// `each` rows.
    ///
    /// If a row has one lane and only lanes take rows, lanes may repeat rows, because a subgroup
    /// cannot have fewer lanes.
    fn has_rows(&self, lanes: Split, each: u32) -> bool {
        u64::from(lanes.rows * each) <= self.frame.rows.rounded_size()
            || (self.is_of_rows && each == 1)
    }

    /// Returns the possible numbers of workgroups per row (rules N13 and N17).
    fn splits_up_to(&self, most: u32) -> Vec<u32> {
        if self.is_serial {
            return vec![1];
        }
        let rows = self.problem.shape.rows();
        powers_of_two(most.min(max_workgroups_per_row(self.problem, self.target)))
            .filter(|&split| split == 1 || rows * u64::from(split) <= MAX_SHARED_PIECES)
            .collect()
    }

    /// Returns the knobs that some cell may have.
    fn knobs(&self, subgroup_size: u32) -> Vec<Knobs> {
        if self.is_serial || !self.problem.shape.reduces() {
            return vec![Knobs::DEFAULT];
        }
        let splits = self.splits_up_to(subgroup_size);
        let has_lazy = self.frame.columns.is_one() && self.problem.reduction.finds_element();
        let lazy: &[bool] = match has_lazy {
            true => &[false, true],
            false => &[false],
        };
        let mut knobs = Vec::new();
        for split in splits {
            for &lazy_index in lazy {
                // A lazy index needs several accumulators (rule N15).
                let accumulators: &[Accumulators] = match lazy_index {
                    true => &[Accumulators::Vector],
                    false => &[Accumulators::Vector, Accumulators::One],
                };
                knobs.extend(accumulators.iter().map(|&accumulators| Knobs {
                    split,
                    lazy_index,
                    accumulators,
                }));
            }
        }
        knobs
    }

    /// Returns whether one accumulator may pay, if the cell has one.
    ///
    /// A thread tile must have several elements. A workgroup must also be able to take its part
    /// of a row in one step. Only then does the reduction of several accumulators matter.
    fn may_pay(&self, cell: &SpaceCell) -> bool {
        let threads = cell.threads_of_columns() * cell.knobs.split;
        let at_once = u64::from(threads * self.elements_per_thread);
        cell.knobs.accumulators == Accumulators::Vector
            || (cell.thread_columns > 1 && at_once >= self.problem.shape.reduced_size())
    }

    /// Returns the longest step up to `most` with few enough consecutive additions (rule N18).
    ///
    /// All shorter steps satisfy the rule too. The result is 0 if the shortest step does not.
    fn longest_step_of_sums(&self, cell: &SpaceCell, parts: &[DimensionCounts], most: u32) -> u32 {
        let unit = cell.column_unit();
        let terms = self.problem.shape.reduced_size();
        let are_few = |step: &&u32| {
            let axis = |part: &DimensionCounts| Axis {
                size: part.size.into(),
                tile: (part.unit() * if part.is_cut { **step / unit } else { 1 }).into(),
                subgroups: part.subgroups.into(),
                lanes: part.lanes.into(),
                thread: part.thread.into(),
            };
            Additions::new(parts.iter().rev().map(axis), cell.knobs).are_few(terms)
        };
        let steps = self.steps.of(unit, most).iter();
        steps.take_while(are_few).last().copied().unwrap_or(0)
    }

    /// Returns the largest tile with results that fit LDS (rule N11).
    fn largest_tile_in_lds(&self, cell: &SpaceCell) -> u32 {
        match cell.subgroups.columns {
            // A single subgroup along columns needs no LDS.
            1 => u32::MAX,
            columns => {
                let beside = legality::lds_bytes_beside(cell.threads());
                let partials = self.target.lds_bytes.saturating_sub(beside);
                partials / legality::lds_bytes_per_row(self.problem) / columns
            }
        }
    }
}

impl SpaceDomain for NativeDomain<'_> {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn tiles(&self, rows: &Group) -> Candidates {
        match rows.is_empty() {
            true => Candidates::divisors(1),
            false => Candidates::multiples(legality::max_rows_per_lane(self.problem)),
        }
    }

    fn splits(&self) -> Vec<u32> {
        let most = *self.target.subgroup_sizes.iter().max().unwrap_or(&1);
        self.splits_up_to(most)
    }

    fn steps(&self, _: u32) -> Candidates {
        self.steps.clone()
    }

    fn cells(&self) -> Vec<SpaceCell> {
        let sizes = self.target.subgroup_sizes.iter();
        sizes.flat_map(|&size| self.cells_with(size)).collect()
    }

    fn largest_tile(&self, cell: &SpaceCell) -> u32 {
        let threads = cell.threads_of_rows();
        [
            self.elements_per_thread / cell.thread_columns * threads,
            // Rule N10.
            legality::max_rows_per_lane(self.problem) * threads,
            self.largest_tile_in_lds(cell),
            largest_tile(&self.frame.row_parts(cell)),
        ]
        .into_iter()
        .fold(u32::MAX, u32::min)
    }

    fn largest_step(&self, cell: &SpaceCell, tile: u32) -> u32 {
        let parts = self.frame.column_parts(cell);
        let rows_per_thread = tile / cell.threads_of_rows();
        let most = [
            self.elements_per_thread / rows_per_thread * cell.threads_of_columns(),
            largest_tile(&parts),
            longest_step(cell, &parts),
            // A serial reduction takes each element once, so no step reaches beyond the last
            // (rule N1).
            match self.is_serial {
                true => self.frame.columns.innermost_size(),
                false => u32::MAX,
            },
        ]
        .into_iter()
        .fold(u32::MAX, u32::min);
        match self.problem.reduction.adds_floats() {
            true => self.longest_step_of_sums(cell, &parts, most),
            false => most,
        }
    }
}

/// Returns the largest tile of a group with these shares (rules N7, N8 and N12).
///
/// It is 0 if one dimension has no legal tile.
fn largest_tile(parts: &[DimensionCounts]) -> u32 {
    parts.iter().fold(1, |product: u32, part| {
        let batches = part.largest_tile() / part.unit();
        let batches = if part.is_cut { batches } else { batches.min(1) };
        product.saturating_mul(batches * part.unit())
    })
}

/// Returns the largest step that leaves as many steps as the knobs demand.
///
/// A lazy index needs two steps. A split into n pieces needs more than n / 2 steps along one
/// dimension, because rule N13 rounds up to a power of two.
fn longest_step(cell: &SpaceCell, parts: &[DimensionCounts]) -> u32 {
    let Knobs {
        split, lazy_index, ..
    } = cell.knobs;
    // Each unit of a dimension outside of the cut one is one of its steps.
    let outside = parts.iter().skip_while(|part| !part.is_cut).skip(1);
    let steps = |part: &DimensionCounts| part.size.div_ceil(part.unit());
    let most = outside.map(steps).fold(1, u32::max);
    let is_split_outside = split <= most.next_power_of_two();
    let for_split = if is_split_outside { 0 } else { split / 2 };
    // The steps beside the first one of the cut dimension, each of which must begin inside it.
    match for_split.max(u32::from(lazy_index)) {
        0 => u32::MAX,
        others => {
            let cut = parts.iter().find(|part| part.is_cut);
            cut.map_or(0, |cut| (cut.size - 1) / others / cut.unit())
                .saturating_mul(cell.column_unit())
        }
    }
}
