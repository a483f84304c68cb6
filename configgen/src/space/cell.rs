//! Cells: what a configuration fixes beside its two tiles; and the domain of a generator, which lists them.
//!
//! A space is spanned by two dimensions, a reduced one ("columns") and at most one parallel one ("rows"). All counts of a
//! cell are powers of two, so that the unit of a tile is one too.

use arrayvec::ArrayVec;

use crate::legality::{iree, native};
use crate::{
    Basis, Configuration, ElementType, Generator, Knobs, LoweringConfig, MAX_RANK, Problem, Target,
    Tiles,
};

use super::candidates::Candidates;

/// Pieces of all rows beyond which no row is split: the largest device has 304 compute units, and each takes some.
const MAX_SHARED_PIECES: u64 = 1 << 14;

/// Which dimensions of a problem a space distributes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    rank: usize,
    columns: usize,
    rows: Option<usize>,
    reduced: [bool; MAX_RANK],
}

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

    /// Threads of a workgroup.
    fn threads(&self) -> u32 {
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

impl Frame {
    fn new(problem: &Problem) -> Frame {
        let shape = &problem.shape;
        let mut reduced = [false; MAX_RANK];
        shape.reduced().for_each(|d| reduced[d] = true);
        Frame {
            rank: shape.rank(),
            columns: shape.innermost(true).expect("a shape reduces a dimension"),
            rows: shape.innermost(false),
            reduced,
        }
    }

    fn basis(&self, split: Split) -> Basis {
        let mut counts: Tiles = (0..self.rank).map(|_| 1).collect();
        counts[self.columns] = split.columns;
        let mut order: ArrayVec<u8, MAX_RANK> = (0u8..).take(self.rank).collect();
        if let Some(rows) = self.rows {
            counts[rows] = split.rows;
            if split.swapped {
                order.swap(rows, self.columns);
            }
        }
        // What lies between the two has one position, and a place of its own in the canonical order.
        Basis::ordered(&order, &counts).canonical()
    }

    fn split(&self, basis: &Basis) -> Split {
        let rows = self.rows.map_or(1, |d| basis.count_along(d));
        let columns = basis.count_along(self.columns);
        let strides = self.rows.map(|d| {
            let outer = basis.id_stride(d.min(self.columns));
            (outer, basis.id_stride(d.max(self.columns)))
        });
        Split {
            rows,
            columns,
            swapped: rows > 1 && columns > 1 && strides.is_some_and(|(outer, inner)| outer < inner),
        }
    }

    /// The canonical configuration of a cell with the tiles W = `tile` and P = `step`.
    pub(super) fn write(&self, cell: &Cell, tile: u32, step: u32) -> Configuration {
        // Other dimensions are taken one element at a time.
        let along = |columns: u32, rows: u32, reduced: u32, parallel: u32| -> Tiles {
            let entry = |d| match d {
                d if d == self.columns => columns,
                d if Some(d) == self.rows => rows,
                d if self.reduced[d] => reduced,
                _ => parallel,
            };
            (0..self.rank).map(entry).collect()
        };
        let threads = cell.threads();
        let thread_rows = match cell.thread_rows {
            1 => 0,
            thread => thread,
        };
        Configuration {
            lowering: LoweringConfig {
                workgroup: along(0, tile, 0, 1),
                partial_reduction: along(step, 0, 1, 0),
                thread: along(cell.thread_columns, thread_rows, 1, 0),
                lane_basis: self.basis(cell.lanes),
                subgroup_basis: self.basis(cell.subgroups),
            },
            subgroup_size: cell.subgroup_size,
            workgroup_size: [threads, 1, 1],
            knobs: cell.knobs,
        }
    }

    /// Changes the tiles of a configuration that [`write`](Frame::write) made.
    pub(super) fn set_tiles(&self, configuration: &mut Configuration, tile: u32, step: u32) {
        if let Some(rows) = self.rows {
            configuration.lowering.workgroup[rows] = tile;
        }
        configuration.lowering.partial_reduction[self.columns] = step;
    }

    /// The cell and the tiles of which `configuration` is the canonical form, if there are such.
    pub(super) fn read(&self, configuration: &Configuration) -> Option<(Cell, u32, u32)> {
        let lowering = &configuration.lowering;
        let entry = |list: &Tiles, d: usize| list.get(d).copied();
        let cell = Cell {
            subgroup_size: configuration.subgroup_size,
            lanes: self.split(&lowering.lane_basis),
            subgroups: self.split(&lowering.subgroup_basis),
            thread_rows: self
                .rows
                .map_or(Some(1), |d| entry(&lowering.thread, d))?
                .max(1),
            thread_columns: entry(&lowering.thread, self.columns)?.max(1),
            knobs: configuration.knobs,
        };
        let tile = self
            .rows
            .map_or(Some(1), |d| entry(&lowering.workgroup, d))?;
        let step = entry(&lowering.partial_reduction, self.columns)?;
        // Counts whose product overflows are in no space. Nor is 0, which hides an overflow of the other factors.
        u64::from(cell.subgroup_size)
            .checked_mul(u64::from(cell.subgroups.rows))?
            .checked_mul(u64::from(cell.subgroups.columns))
            .filter(|&threads| threads > 0)
            .filter(|&threads| threads == u64::from(configuration.workgroup_size[0]))?;
        (self.write(&cell, tile, step) == *configuration).then_some((cell, tile, step))
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
    /// M, 1 where there is no parallel dimension.
    row_size: u32,
    /// N.
    column_size: u32,
    /// The largest of the other reduced sizes, 1 where there are none.
    other_columns: u32,
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
        let frame = Frame::new(problem);
        let sizes = problem.shape.sizes();
        Domain {
            problem,
            target,
            generator,
            is_serial: generator == Generator::Native && problem.is_serial(),
            frame,
            row_size: frame.rows.map_or(1, |d| sizes[d]),
            column_size: sizes[frame.columns],
            other_columns: (problem.shape.reduced())
                .filter(|&d| d != frame.columns)
                .map(|d| sizes[d])
                .fold(1, u32::max),
        }
    }

    /// Tiles of the parallel dimension. (Without one the tile is 1.)
    pub(super) fn rows(&self) -> Candidates {
        match (self.frame.rows, self.generator) {
            (None, _) | (_, Generator::Iree) => Candidates::divisors(self.row_size),
            (_, Generator::Native) => Candidates::multiples(native::MAX_ROWS_PER_LANE),
        }
    }

    /// Tiles of the reduced dimension.
    pub(super) fn columns(&self) -> Candidates {
        match self.generator {
            Generator::Iree => Candidates::divisors(self.column_size),
            Generator::Native if self.is_serial => Candidates::divisors(self.column_size),
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
        let thread_rows = self.thread_tiles(self.frame.rows, native::MAX_THREAD_PARALLEL);
        let thread_columns =
            self.thread_tiles(Some(self.frame.columns), native::MAX_THREAD_REDUCED);
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
                        cells.extend(knobs.iter().map(|&knobs| Cell {
                            subgroup_size,
                            lanes,
                            subgroups,
                            thread_rows,
                            thread_columns,
                            knobs,
                        }));
                    }
                }
            }
        }
        cells
    }

    /// Powers of two up to `most`; only 1 along a dimension that is not there.
    fn thread_tiles(&self, dimension: Option<usize>, most: u32) -> Vec<u32> {
        powers_of_two(dimension.map_or(1, |_| most)).collect()
    }

    /// The knobs that may pay.
    fn knobs(&self, subgroup_size: u32) -> Vec<Knobs> {
        if self.generator == Generator::Iree || self.is_serial {
            return vec![Knobs::DEFAULT];
        }
        let rows = self.problem.shape.rows();
        let splits = powers_of_two(subgroup_size)
            .filter(|&split| split == 1 || rows * u64::from(split) <= MAX_SHARED_PIECES);
        let has_lazy = self.other_columns == 1 && native::has_lazy_index(self.problem);
        let lazy: &[bool] = match has_lazy {
            true => &[false, true],
            false => &[false],
        };
        splits
            .flat_map(|split| {
                lazy.iter()
                    .map(move |&lazy_index| Knobs { split, lazy_index })
            })
            .collect()
    }

    fn lanes(&self, size: u32) -> Vec<Split> {
        if self.is_serial {
            return Split::orders(self.frame.rows.map_or(1, |_| size), 1).collect();
        }
        let along_rows = powers_of_two(self.frame.rows.map_or(1, |_| size));
        let splits = |rows: u32| -> Vec<Split> {
            match self.generator {
                Generator::Native if self.frame.rows.is_none() => Split::orders(1, size).collect(),
                Generator::Native => Split::orders(rows, size / rows).collect(),
                Generator::Iree if rows > 1 => Split::orders(rows, 1).collect(),
                Generator::Iree => powers_of_two(self.iree_column_lanes(size))
                    .flat_map(|columns| Split::orders(1, columns))
                    .collect(),
            }
        };
        along_rows.flat_map(splits).collect()
    }

    /// Whether so many rows of each of these lanes leave none to be repeated, beyond the next power of two or what lanes
    /// that can lie nowhere else repeat.
    fn has_rows(&self, lanes: Split, others: u32) -> bool {
        self.generator == Generator::Iree
            || lanes.rows * others <= self.row_size.next_power_of_two()
            || (self.is_serial && others == 1)
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
        let along_rows = powers_of_two(self.frame.rows.map_or(1, |_| most));
        let splits = |rows: u32| {
            let along_columns = match self.generator {
                Generator::Iree if self.frame.rank > 1 => 1,
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
                let size = self.domain.row_size;
                let overhang = overhang(size, self.cell.row_unit(), subgroups.rows);
                [per_lane, lds, overhang].into_iter().fold(most, u32::min)
            }
        }
    }

    /// The largest P with as many steps as the knobs ask for: more than half of the pieces, and with a lazy index several.
    fn longest_step(&self) -> u32 {
        let Knobs { split, lazy_index } = self.cell.knobs;
        let pieces = match split <= self.domain.other_columns.next_power_of_two() {
            true => 1,
            false => split,
        };
        // Steps beside the first.
        match (pieces / 2).max(u32::from(lazy_index)) {
            0 => u32::MAX,
            others => (self.domain.column_size - 1) / others,
        }
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
                let size = self.domain.column_size;
                let overhang = overhang(size, self.cell.column_unit(), subgroups.columns);
                most.min(overhang).min(self.longest_step())
            }
        }
    }
}

/// The largest tile that reaches beyond `size` by less than a unit and leaves no subgroup without an element: native rules
/// N7 and N8. Sizes are below 2^31 and units at most 2^14.
fn overhang(size: u32, unit: u32, subgroups: u32) -> u32 {
    let rounded_up = size.next_multiple_of(unit);
    match subgroups - 1 {
        0 => rounded_up,
        others => rounded_up.min(((size - 1) / others).saturating_mul(subgroups)),
    }
}

/// 1, 2, 4 ... up to `most`.
fn powers_of_two(most: u32) -> impl Iterator<Item = u32> + Clone {
    (0..32)
        .map(|exponent| 1u32 << exponent)
        .take_while(move |&power| power <= most)
}
