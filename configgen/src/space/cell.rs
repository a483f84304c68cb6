//! Cells: what a configuration fixes beside its two tiles; and the domain of a generator, which lists them.
//!
//! A space is spanned by two groups of dimensions, reduced ones ("columns") and parallel ones ("rows", if there are
//! any). All counts of a cell are powers of two, so that the unit of a tile is one too.

use crate::legality::knobs::has_lazy_index;
use crate::legality::{iree, native};
use crate::{Accumulators, ElementType, Generator, Knobs, Problem, Target};

use super::candidates::Candidates;
use super::frame::Frame;
use super::group::{Group, Part};

/// No count of a cell is larger: the threads of a workgroup.
const MAX_COUNT: u32 = 1024;

/// Pieces of all rows beyond which no row is split: the largest device has 304 compute units, and each takes some.
const MAX_SHARED_PIECES: u64 = 1 << 14;

/// Lanes or subgroups along the two dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Split {
    pub(super) rows: u32,
    pub(super) columns: u32,
    /// Whether the slow digit is that of the inner dimension; only where both counts exceed 1.
    pub(super) swapped: bool,
}

/// Everything but the tiles W and P. The order of the fields is the order of the space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    pub(super) subgroup_size: u32,
    pub(super) lanes: Split,
    pub(super) subgroups: Split,
    /// Thread tile of the parallel dimension, at least 1.
    pub(super) thread_rows: u32,
    /// Thread tile of the reduced dimension, at least 1.
    pub(super) thread_columns: u32,
    pub(super) knobs: Knobs,
}

impl Cell {
    /// What W is a multiple of.
    pub(super) fn row_unit(&self) -> u32 {
        self.lanes.rows * self.subgroups.rows * self.thread_rows
    }

    /// Whether its counts are such as a space may have, so that a frame can be filled with them.
    pub(super) fn is_fillable(&self) -> bool {
        let Cell {
            lanes, subgroups, ..
        } = self;
        [
            lanes.rows,
            lanes.columns,
            subgroups.rows,
            subgroups.columns,
            self.thread_rows,
            self.thread_columns,
        ]
        .into_iter()
        .all(|count| count.is_power_of_two() && count <= MAX_COUNT)
    }

    /// Threads of a workgroup.
    pub(super) fn threads(&self) -> u32 {
        self.subgroup_size * self.subgroups.rows * self.subgroups.columns
    }

    /// What P is a multiple of.
    pub(super) fn column_unit(&self) -> u32 {
        self.lanes.columns * self.subgroups.columns * self.thread_columns
    }
}

impl Split {
    /// Every way to have these counts.
    pub(super) fn orders(rows: u32, columns: u32) -> impl Iterator<Item = Split> {
        let orders: &[bool] = match rows > 1 && columns > 1 {
            true => &[false, true],
            false => &[false],
        };
        orders.iter().map(move |&swapped| Split {
            rows,
            columns,
            swapped,
        })
    }
}

/// The cells of a generator for a problem, and the bounds of their tiles.
pub(super) struct Domain<'a> {
    problem: &'a Problem,
    target: &'a Target,
    generator: Generator,
    /// Whether a row has one lane, which takes its elements one by one: native rule N1.
    is_serial: bool,
    pub(super) frame: Frame,
}

/// How large the tiles of a cell may be.
pub(super) struct Limits<'a> {
    domain: &'a Domain<'a>,
    cell: &'a Cell,
    elements_per_thread: u32,
}

impl<'a> Domain<'a> {
    /// The generator takes the problem.
    pub(super) fn new(problem: &'a Problem, target: &'a Target, generator: Generator) -> Self {
        Domain {
            problem,
            target,
            generator,
            is_serial: generator == Generator::Native && problem.is_serial(),
            frame: Frame::new(problem, generator),
        }
    }

    /// Tiles of the parallel dimensions. (Without one the tile is 1.)
    pub(super) fn rows(&self) -> Candidates {
        match self.generator {
            Generator::Native if !self.frame.rows.is_empty() => {
                Candidates::multiples(native::MAX_ROWS_PER_LANE)
            }
            Generator::Native | Generator::Iree => {
                Candidates::divisors(self.frame.rows.innermost_size())
            }
        }
    }

    /// Tiles of the reduced dimensions.
    pub(super) fn columns(&self) -> Candidates {
        match self.generator {
            Generator::Iree => Candidates::divisors(self.frame.columns.innermost_size()),
            Generator::Native => {
                Candidates::multiples(native::max_elements_per_thread(self.problem))
            }
        }
    }

    /// All cells in order. Some have no tiles.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let sizes = self.subgroup_sizes();
        sizes
            .iter()
            .flat_map(|&size| self.cells_with(size))
            .collect()
    }

    /// The subgroup sizes, ascending. With IREE it is the one that the target prefers.
    fn subgroup_sizes(&self) -> &'static [u32] {
        match self.generator {
            Generator::Native => self.target.subgroup_sizes,
            Generator::Iree => &self.target.subgroup_sizes[..1],
        }
    }

    fn cells_with(&self, subgroup_size: u32) -> Vec<Cell> {
        let (lanes, subgroups) = (self.lanes(subgroup_size), self.subgroups(subgroup_size));
        let Frame { rows, columns, .. } = &self.frame;
        let thread_rows = thread_tiles(rows, native::MAX_THREAD_PARALLEL);
        let most = match self.generator {
            Generator::Native => native::MAX_THREAD_REDUCED,
            Generator::Iree => iree::max_elements_to_compile(self.problem.element),
        };
        let thread_columns = thread_tiles(columns, most);
        let knobs = self.knobs(subgroup_size);
        let mut cells = Vec::new();
        for &lanes in &lanes {
            let met = subgroups.iter().filter(|subgroups| {
                self.can_meet(lanes, subgroups) && self.has_rows(lanes, subgroups.rows)
            });
            for &subgroups in met {
                let is_held = |&&thread: &&u32| self.has_rows(lanes, subgroups.rows * thread);
                for &thread_rows in thread_rows.iter().filter(is_held) {
                    for &thread_columns in &thread_columns {
                        let cell = |&knobs: &Knobs| Cell {
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

    /// Whether one accumulator, if it is one, may pay: there is a thread tile whose elements could have their own, and
    /// a workgroup may take what it has of a row in one step, so that making one of several at the end counts.
    fn may_pay(&self, cell: &Cell) -> bool {
        let threads = cell.lanes.columns * cell.subgroups.columns * cell.knobs.split;
        let at_once = u64::from(threads * native::max_elements_per_thread(self.problem));
        cell.knobs.accumulators == Accumulators::Vector
            || (cell.thread_columns > 1 && at_once >= self.problem.shape.reduced_size())
    }

    /// The knobs that some cell may have.
    fn knobs(&self, subgroup_size: u32) -> Vec<Knobs> {
        if self.generator == Generator::Iree || self.is_serial {
            return vec![Knobs::DEFAULT];
        }
        let rows = self.problem.shape.rows();
        let splits = powers_of_two(subgroup_size)
            .filter(|&split| split == 1 || rows * u64::from(split) <= MAX_SHARED_PIECES);
        let has_lazy = self.frame.columns.is_one() && has_lazy_index(self.problem);
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

    fn lanes(&self, size: u32) -> Vec<Split> {
        if self.is_serial {
            return Split::orders(self.along_rows(size), 1).collect();
        }
        let along_rows = powers_of_two(self.along_rows(size));
        let splits = |rows: u32| -> Vec<Split> {
            match self.generator {
                Generator::Native if self.frame.rows.is_empty() => Split::orders(1, size).collect(),
                Generator::Native => Split::orders(rows, size / rows).collect(),
                Generator::Iree if rows > 1 => Split::orders(rows, 1).collect(),
                Generator::Iree => powers_of_two(self.iree_column_lanes(size))
                    .flat_map(|columns| Split::orders(1, columns))
                    .collect(),
            }
        };
        along_rows.flat_map(splits).collect()
    }

    /// Whether the problem has rows for these lanes, each with so many: at most as many as there are, rounded up to a power
    /// of two. Lanes that can lie nowhere else may repeat rows.
    fn has_rows(&self, lanes: Split, others: u32) -> bool {
        self.generator == Generator::Iree
            || u64::from(lanes.rows * others) <= self.frame.rows.rounded_size()
            || (self.is_serial && others == 1)
    }

    /// `count`, or 1 where there are no rows.
    fn along_rows(&self, count: u32) -> u32 {
        match self.frame.rows.is_empty() {
            true => 1,
            false => count,
        }
    }

    /// Whether the results of all subgroups of a row come together: IREE rule 5. Native kernels have no such limit.
    fn can_meet(&self, lanes: Split, subgroups: &Split) -> bool {
        self.generator == Generator::Native || subgroups.columns <= lanes.columns
    }

    fn iree_column_lanes(&self, subgroup_size: u32) -> u32 {
        match self.problem.element {
            ElementType::I8 => iree::MAX_LANES_I8,
            _ => subgroup_size,
        }
    }

    fn subgroups(&self, subgroup_size: u32) -> Vec<Split> {
        let most = self.target.max_workgroup_threads / subgroup_size;
        let along_rows = powers_of_two(self.along_rows(most));
        let splits = |rows: u32| {
            let along_columns = match self.generator {
                Generator::Iree if self.problem.shape.rank() > 1 => 1,
                Generator::Native if self.is_serial => 1,
                _ => most / rows,
            };
            powers_of_two(along_columns).flat_map(move |columns| Split::orders(rows, columns))
        };
        along_rows.flat_map(splits).collect()
    }

    /// The bounds of the tiles of `cell`.
    pub(super) fn limits(&'a self, cell: &'a Cell) -> Limits<'a> {
        Limits {
            domain: self,
            cell,
            elements_per_thread: match self.generator {
                Generator::Native => native::max_elements_per_thread(self.problem),
                Generator::Iree => {
                    iree::max_elements_per_thread(self.problem, self.target, cell.threads())
                }
            },
        }
    }
}

impl Limits<'_> {
    /// The largest W that leaves a thread `thread_columns` elements a row.
    pub(super) fn largest_tile(&self) -> u32 {
        let Cell {
            lanes, subgroups, ..
        } = self.cell;
        let threads = lanes.rows * subgroups.rows;
        let most = self.elements_per_thread / self.cell.thread_columns * threads;
        match self.domain.generator {
            Generator::Iree => most,
            Generator::Native => {
                let per_lane = native::MAX_ROWS_PER_LANE * threads;
                let lds = match subgroups.columns {
                    1 => u32::MAX,
                    columns => {
                        let beside = native::lds_bytes_beside(self.cell.threads());
                        let partials = self.domain.target.lds_bytes.saturating_sub(beside);
                        partials / native::lds_bytes_per_row(self.domain.problem) / columns
                    }
                };
                let held = largest_tile(&self.domain.frame.row_parts(self.cell));
                [per_lane, lds, held].into_iter().fold(most, u32::min)
            }
        }
    }

    /// The largest P (`partial_reduction`) that leaves as many steps as the knobs ask for: a split needs more steps than
    /// half of its pieces, and a lazy index needs several.
    fn longest_step(&self, parts: &[Part]) -> u32 {
        let Knobs {
            split, lazy_index, ..
        } = self.cell.knobs;
        let outside = parts.iter().skip_while(|part| !part.is_cut).skip(1);
        let outside = outside.map(|part| part.size).fold(1, u32::max);
        let pieces = match split <= outside.next_power_of_two() {
            true => 1,
            false => split,
        };
        // Steps beside the first.
        let others = match (pieces / 2).max(u32::from(lazy_index)) {
            0 => return u32::MAX,
            others => others,
        };
        let cut = parts.iter().find(|part| part.is_cut);
        cut.map_or(0, |cut| (cut.size - 1) / others / cut.unit())
            .saturating_mul(self.cell.column_unit())
    }

    /// The largest P that goes with W = `tile`.
    pub(super) fn largest_step(&self, tile: u32) -> u32 {
        let Cell {
            lanes, subgroups, ..
        } = self.cell;
        let rows_per_thread = tile / (lanes.rows * subgroups.rows);
        let threads = lanes.columns * subgroups.columns;
        let most = self.elements_per_thread / rows_per_thread * threads;
        match self.domain.generator {
            Generator::Iree => most,
            Generator::Native => {
                let parts = self.domain.frame.column_parts(self.cell);
                // Where elements are taken once, a step does not reach beyond them: native rule N1.
                let end = match self.domain.is_serial {
                    true => self.domain.frame.columns.innermost_size(),
                    false => u32::MAX,
                };
                [largest_tile(&parts), self.longest_step(&parts), end]
                    .into_iter()
                    .fold(most, u32::min)
            }
        }
    }
}

/// The largest tile of a group of a native kernel with these parts; 0 where one of them has none.
fn largest_tile(parts: &[Part]) -> u32 {
    parts.iter().fold(1, |product: u32, part| {
        let batches = part.largest_tile() / part.unit();
        let batches = if part.is_cut { batches } else { batches.min(1) };
        product.saturating_mul(batches * part.unit())
    })
}

/// Powers of two up to `most` that a thread tile of the group can be.
fn thread_tiles(group: &Group, most: u32) -> Vec<u32> {
    powers_of_two(most.min(group.largest_thread())).collect()
}

/// 1, 2, 4 ... up to `most`.
fn powers_of_two(most: u32) -> impl Iterator<Item = u32> + Clone {
    (0..32)
        .map(|exponent| 1u32 << exponent)
        .take_while(move |&power| power <= most)
}
