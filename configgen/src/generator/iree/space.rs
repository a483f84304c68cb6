//! The domain of IREE's kernels, which builds the configurations that [`super::legality`]
//! allows.
//!
//! One dimension of each kind is distributed. If lanes use a ballot, rows or columns have lanes,
//! never both (rule B).

use std::ops::Range;

use super::legality;
use crate::legality::Axis;
use crate::space_contents::{
    Candidates, Contents, DimensionCounts, Frame, Group, MAX_SHARED_PIECES, SpaceCell, SpaceDomain,
    Split, powers_of_two, thread_tiles,
};
use crate::{Knobs, Problem, Target};

/// The smallest number of elements of a piece per lane.
///
/// Merging pieces takes a launch. A subgroup reads thousands of elements in that time.
const LEAST_PER_LANE: u32 = 4;

/// The largest thread tile of the rows. No rule bounds it.
const MAX_THREAD_ROWS: u32 = 8;

/// Returns the space of IREE's kernels for a problem that IREE accepts.
pub(crate) fn contents(problem: &Problem, target: &Target) -> Contents {
    Contents::new(&IreeDomain::new(problem, target))
}

/// The domain of IREE's kernels for one problem.
struct IreeDomain<'a> {
    problem: &'a Problem,
    target: &'a Target,
    frame: Frame,
    /// The size of the rows, or 1 if only the launch gives it.
    rows: u32,
    /// The possible numbers of pieces of a row.
    splits: Vec<u32>,
}

impl<'a> IreeDomain<'a> {
    fn new(problem: &'a Problem, target: &'a Target) -> Self {
        let group = |is_reduced| Group::innermost(&problem.shape, is_reduced);
        let rows = group(false);
        let size = known_size(problem, &rows);
        IreeDomain {
            problem,
            target,
            frame: Frame::new(problem, rows, group(true)),
            rows: size,
            splits: splits(problem, target),
        }
    }

    /// Returns `count`, or 1 if a workgroup takes one row.
    fn along_rows(&self, count: u32) -> u32 {
        match self.rows {
            1 => 1,
            _ => self.frame.along_rows(count),
        }
    }

    /// Returns whether the rows' dimension is inside of the columns' dimension.
    fn has_columns_outside(&self) -> bool {
        let [rows, columns] =
            [&self.frame.rows, &self.frame.columns].map(|it| it.dimensions().next());
        columns < rows
    }

    /// Returns the distributions of a subgroup's lanes, some of them perhaps idle.
    ///
    /// Lanes lie along rows or along columns, or along both if rule B allows that.
    fn lanes(&self, subgroup_size: u32) -> Vec<Split> {
        let most_rows = self.along_rows(subgroup_size);
        let most_columns = legality::most_lanes(self.problem, subgroup_size);
        let has_ballot = legality::has_ballot(self.problem);
        let is_taken = |rows: u32, columns: u32| {
            rows * columns <= subgroup_size && (rows == 1 || columns == 1 || !has_ballot)
        };
        let along_columns = move |rows| {
            let columns = powers_of_two(most_columns);
            columns.filter(move |&columns| is_taken(rows, columns))
        };
        let has_neighbours = legality::has_neighbours(self.problem);
        let is_ordered = |split: &Split| {
            let has_both = split.rows > 1 && split.columns > 1;
            !(has_neighbours && has_both) || split.swapped == self.has_columns_outside()
        };
        let mut lanes: Vec<Split> = powers_of_two(most_rows)
            .flat_map(|rows| {
                along_columns(rows).flat_map(move |columns| Split::orders(rows, columns))
            })
            .filter(is_ordered)
            .collect();
        lanes.sort_unstable();
        lanes
    }

    /// Returns the distributions of at most `most` subgroups; along columns only if rule 5 allows
    /// that.
    fn subgroups(&self, most: u32) -> Vec<Split> {
        let along_rows = powers_of_two(self.along_rows(most));
        let shares_rows = legality::shares_rows(self.problem);
        let along_columns = |rows| powers_of_two(if shares_rows { most / rows } else { 1 });
        along_rows
            .flat_map(|rows| {
                along_columns(rows).flat_map(move |columns| Split::orders(rows, columns))
            })
            .collect()
    }

    /// Returns the largest step of a cell by rule 1.
    fn longest(&self, cell: &SpaceCell) -> u32 {
        let parts = self.frame.column_parts(cell);
        let longest = |part: &DimensionCounts| match legality::is_masked(self.problem) {
            true => part.largest_tile(),
            false => part.size,
        };
        parts.first().map_or(1, longest)
    }
}

impl SpaceDomain for IreeDomain<'_> {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Returns divisors (rule 3).
    fn tiles(&self, rows: &Group) -> Candidates {
        Candidates::divisors(known_size(self.problem, rows))
    }

    fn splits(&self) -> Vec<u32> {
        self.splits.clone()
    }

    /// Returns divisors of a piece (rules 1 and F1), and others if the last step of a row is
    /// masked.
    fn steps(&self, split: u32) -> Candidates {
        let size = self.frame.columns.innermost_size() / split;
        match legality::is_masked(self.problem) {
            true => Candidates::multiples_and_divisors(
                legality::max_elements_that_pay(self.problem),
                size,
            ),
            false => Candidates::divisors(size),
        }
    }

    fn cells(&self) -> Vec<SpaceCell> {
        // Rule 6 demands the subgroup size that the target prefers.
        let subgroup_size = self.target.subgroup_sizes[0];
        let subgroups = self.subgroups(self.target.max_workgroup_threads / subgroup_size);
        let thread_rows = thread_tiles(&self.frame.rows, self.along_rows(MAX_THREAD_ROWS));
        let most = legality::max_elements_that_pay(self.problem);
        let thread_columns = thread_tiles(&self.frame.columns, most);
        let size = self.frame.columns.innermost_size();
        let mut cells = Vec::new();
        for lanes in self.lanes(subgroup_size) {
            // Rule 5: the lanes along columns read the results of the subgroups back.
            let read = |subgroups: &&Split| subgroups.columns <= lanes.columns;
            for &subgroups in subgroups.iter().filter(read) {
                for &thread_rows in &thread_rows {
                    for &thread_columns in &thread_columns {
                        let unit = lanes.columns * subgroups.columns * thread_columns;
                        // Without a mask, a unit that does not divide the piece leaves no step.
                        let is_masked = legality::is_masked(self.problem);
                        let is_filled =
                            |split: &&u32| is_masked || (size / **split).is_multiple_of(unit);
                        let splits = self.splits.iter().filter(is_filled);
                        cells.extend(splits.map(|&split| SpaceCell {
                            outer: None,
                            subgroup_size,
                            lanes,
                            subgroups,
                            thread_rows,
                            thread_columns,
                            knobs: Knobs {
                                split,
                                ..Knobs::DEFAULT
                            },
                        }));
                    }
                }
            }
        }
        cells
    }

    fn largest_tile(&self, cell: &SpaceCell) -> u32 {
        let most = legality::max_elements_per_thread(self.problem, self.target, cell.threads());
        most / cell.thread_columns * cell.threads_of_rows()
    }

    /// Returns the steps with few enough consecutive additions (rule G).
    fn step_bounds(&self, cell: &SpaceCell, candidates: &[u32]) -> Range<usize> {
        if !self.problem.reduction.adds_floats() {
            return 0..candidates.len();
        }
        let adds_few = |step: &u32| {
            legality::adds_few(&Axis {
                size: self.frame.columns.innermost_size().into(),
                tile: (*step).into(),
                subgroups: cell.subgroups.columns.into(),
                lanes: cell.lanes.columns.into(),
                thread: cell.thread_columns.into(),
            })
        };
        let first = candidates.iter().position(adds_few);
        let last = candidates.iter().rposition(adds_few);
        first.unwrap_or(0)..last.map_or(0, |last| last + 1)
    }

    fn largest_step(&self, cell: &SpaceCell, tile: u32) -> u32 {
        let most = legality::max_elements_per_thread(self.problem, self.target, cell.threads());
        let most = most / (tile / cell.threads_of_rows()) * cell.threads_of_columns();
        most.min(self.longest(cell))
    }
}

/// Returns the possible numbers of pieces: 1, and more if each lane of a subgroup has some
/// elements.
fn splits(problem: &Problem, target: &Target) -> Vec<u32> {
    let (size, rows) = (problem.shape.reduced_size(), problem.shape.rows());
    let subgroup_size = target.subgroup_sizes[0];
    let most = (size / u64::from(LEAST_PER_LANE * subgroup_size)).min(MAX_SHARED_PIECES / rows);
    let is_taken = |split: &u32| {
        size.is_multiple_of(u64::from(*split))
            && legality::check_split(problem, target, subgroup_size, *split).is_ok()
    };
    let several = (2..).take_while(|&split| u64::from(split) <= most);
    std::iter::once(1).chain(several.filter(is_taken)).collect()
}

/// Returns the size of these rows that tiles must divide: 1 for an open count (rule 3).
fn known_size(problem: &Problem, rows: &Group) -> u32 {
    let is_counted = |d| problem.shape.is_counted(d);
    match rows.dimensions().any(is_counted) {
        true => 1,
        false => rows.innermost_size(),
    }
}
