//! The domain of native kernels: what the rules of [`crate::legality::native`] leave, built, and of that what may pay.

use super::Contents;
use super::candidates::Candidates;
use super::cell::{SpaceCell, Split, powers_of_two};
use super::domain::{self, MAX_SHARED_PIECES, thread_tiles};
use super::frame::Frame;
use super::group::{DimensionCounts, Group};
use crate::legality::Axis;
use crate::legality::knobs::max_workgroups_per_row;
use crate::legality::native;
use crate::legality::summation_limit::Additions;
use crate::{Accumulators, Configuration, Knobs, Problem, Target};

/// The space of native kernels.
pub(crate) fn contents(problem: &Problem, target: &Target) -> Contents {
    Contents::new(&NativeDomain::new(problem, target))
}

/// Returns the configuration of a cell, with so many units of the rows as its tile and of the
/// columns as its step.
pub(crate) fn configuration(
    problem: &Problem,
    cell: &SpaceCell,
    [rows, columns]: [u32; 2],
) -> Configuration {
    let mut draft = frame(problem).draft(cell);
    let (tile, step) = (cell.row_unit() * rows, cell.column_unit() * columns);
    draft.with_tiles(tile, step).clone()
}

/// Returns the units of a cell that cover the dimension of the columns of which batches are taken.
pub(crate) fn most_batches(problem: &Problem, cell: &SpaceCell) -> u32 {
    let parts = frame(problem).column_parts(cell);
    let cut = parts.iter().find(|part| part.is_cut);
    cut.map_or(1, |cut| cut.size.div_ceil(cut.unit()))
}

/// Returns whether lanes along columns are of use: of what reduces nothing, where an input has its
/// neighbours across.
pub(crate) fn has_columns(problem: &Problem) -> bool {
    !frame(problem).columns.is_empty()
}

/// Which dimensions are distributed.
fn frame(problem: &Problem) -> Frame {
    let shape = &problem.shape;
    match (problem.reduction.is_serial(), shape.reduces()) {
        // One lane that takes the elements of a row one by one has nothing to distribute.
        (true, _) => Frame::new(
            problem,
            Group::all(shape, false),
            Group::innermost(shape, true),
        ),
        (false, true) => Frame::new(problem, Group::all(shape, false), Group::all(shape, true)),
        (false, false) => Frame::of_map(problem),
    }
}

/// What native kernels can be for a problem.
struct NativeDomain<'a> {
    problem: &'a Problem,
    target: &'a Target,
    /// Whether a row has one lane, which takes its elements one by one (rule N1).
    is_serial: bool,
    /// Whether lanes and subgroups lie on rows alone: so, or because there are no columns.
    is_of_rows: bool,
    /// Most elements that a thread takes in a step (rule N9).
    elements_per_thread: u32,
    frame: Frame,
    steps: Candidates,
}

impl<'a> NativeDomain<'a> {
    fn new(problem: &'a Problem, target: &'a Target) -> Self {
        let (is_serial, frame) = (problem.reduction.is_serial(), frame(problem));
        let elements_per_thread = native::max_elements_per_thread(problem);
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
        // Thread tiles lie on the innermost dimension (rule N16).
        let is_counted = |d| self.problem.shape.is_counted(d);
        let tiles =
            |group: &Group, most: u32| match group.dimensions().next().is_some_and(is_counted) {
                true => thread_tiles(group, 1),
                false => thread_tiles(group, most),
            };
        let thread_rows = tiles(rows, native::max_thread_parallel(self.problem));
        let thread_columns = tiles(columns, native::MAX_THREAD_REDUCED);
        let knobs = self.knobs(subgroup_size);
        let mut cells = Vec::new();
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

    /// All lanes of a subgroup of this size, which have to lie somewhere (rule N4): on rows where a row has one lane.
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

    /// Whether there are as many rows, rounded up to a power of two, as these lanes along rows take with `each` rows a lane.
    /// Where a row has one lane, and nothing but lanes takes rows, some may be taken twice: the lanes of a subgroup cannot be
    /// fewer.
    fn has_rows(&self, lanes: Split, each: u32) -> bool {
        u64::from(lanes.rows * each) <= self.frame.rows.rounded_size()
            || (self.is_of_rows && each == 1)
    }

    /// Workgroups of a row (rules N13 and N17).
    fn splits_up_to(&self, most: u32) -> Vec<u32> {
        if self.is_serial {
            return vec![1];
        }
        let rows = self.problem.shape.rows();
        powers_of_two(most.min(max_workgroups_per_row(self.problem, self.target)))
            .filter(|&split| split == 1 || rows * u64::from(split) <= MAX_SHARED_PIECES)
            .collect()
    }

    /// The knobs that some cell may have.
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

    /// Whether one accumulator, if it is one, may pay: there is a thread tile whose elements could have their own, and
    /// a workgroup may take what it has of a row in one step, so that making one of several at the end counts.
    fn may_pay(&self, cell: &SpaceCell) -> bool {
        let threads = cell.threads_of_columns() * cell.knobs.split;
        let at_once = u64::from(threads * self.elements_per_thread);
        cell.knobs.accumulators == Accumulators::Vector
            || (cell.thread_columns > 1 && at_once >= self.problem.shape.reduced_size())
    }

    /// Returns the longest step up to `most` that leaves few additions one after the other (rule
    /// N18), as do all shorter ones; 0 if the shortest does not.
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

    /// The largest tile whose results fit LDS (rule N11).
    fn largest_tile_in_lds(&self, cell: &SpaceCell) -> u32 {
        match cell.subgroups.columns {
            1 => u32::MAX,
            columns => {
                let beside = native::lds_bytes_beside(cell.threads());
                let partials = self.target.lds_bytes.saturating_sub(beside);
                partials / native::lds_bytes_per_row(self.problem) / columns
            }
        }
    }
}

impl domain::SpaceDomain for NativeDomain<'_> {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn tiles(&self, rows: &Group) -> Candidates {
        match rows.is_empty() {
            true => Candidates::divisors(1),
            false => Candidates::multiples(native::max_rows_per_lane(self.problem)),
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
            native::max_rows_per_lane(self.problem) * threads,
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
            // Where an element is taken once a step does not reach beyond the last (rule N1).
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

/// The largest tile of a group with these parts (rules N7, N8 and N12); 0 where one of them has none.
fn largest_tile(parts: &[DimensionCounts]) -> u32 {
    parts.iter().fold(1, |product: u32, part| {
        let batches = part.largest_tile() / part.unit();
        let batches = if part.is_cut { batches } else { batches.min(1) };
        product.saturating_mul(batches * part.unit())
    })
}

/// The largest step of columns with these parts that leaves as many steps as the knobs ask for: a lazy index asks for two,
/// a split for more than half of its pieces (rule N13, which rounds the steps up to a power of two) along one dimension.
fn longest_step(cell: &SpaceCell, parts: &[DimensionCounts]) -> u32 {
    let Knobs {
        split, lazy_index, ..
    } = cell.knobs;
    // Each unit of a dimension outside of the cut one is a step of it.
    let outside = parts.iter().skip_while(|part| !part.is_cut).skip(1);
    let steps = |part: &DimensionCounts| part.size.div_ceil(part.unit());
    let most = outside.map(steps).fold(1, u32::max);
    let is_split_outside = split <= most.next_power_of_two();
    let for_split = if is_split_outside { 0 } else { split / 2 };
    // Steps beside the first of the dimension that is cut, which must begin within it.
    match for_split.max(u32::from(lazy_index)) {
        0 => u32::MAX,
        others => {
            let cut = parts.iter().find(|part| part.is_cut);
            cut.map_or(0, |cut| (cut.size - 1) / others / cut.unit())
                .saturating_mul(cell.column_unit())
        }
    }
}
