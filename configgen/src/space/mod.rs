//! Spaces: all canonical legal configurations of a problem, counted and enumerated by construction.
//!
//! A [`Space`] is an ordered set without its elements in memory: the *rank* of a configuration is its place in the
//! order, and length, element by rank, rank of an element, iteration and uniform samples need no search.
//!
//! The words: the parallel dimensions of a problem are its *rows*, the reduced ones its *columns*. The *tile* of a
//! configuration is what a workgroup has of the rows (`workgroup`), its *step* what a workgroup takes of the columns at
//! once (`partial_reduction`). A *cell* is all the rest: lanes, subgroups, thread tiles, knobs, and whether the tile lies on
//! an outer dimension. A *unit* is what the threads of a cell take at once, of which a tile or a step is a multiple. A
//! *run* is the configurations of one cell with one tile.
//!
//! Nothing is generated and then thrown away: a generator's domain (`native.rs`, `iree.rs`) lists the cells and bounds
//! the tile of a cell and the step that goes with a tile; a run knows how many steps it has, and the runs carry a
//! prefix sum.
//!
//! What a space holds is canonical (see [`Configuration::canonical`]). Legality leaves more freedom than can be
//! searched; a space holds the canonical legal configurations in which
//!
//! - rows are distributed as if they were one dimension, and so are columns: thread tile, lanes and subgroups fill the
//!   dimensions from the inside, each up to its size rounded up to a power of two, and subgroups only as long as each
//!   has an element; batches are taken of the first that is not full. Any dimension outside of that has a tile of 1. For
//!   IREE, and for columns that are one lane's (native rule N1), it is the innermost dimension larger than 1 alone;
//! - where no lanes, subgroups or thread tile lie on rows, the tile lies on one dimension: the innermost one larger than 1
//!   or any *outer* one larger than 1, but for one whose count is known at launch only. As a tile of 1 means the same on
//!   each, it is counted on the innermost;
//! - the digits of lanes and of subgroups lie in the order of their dimensions, but that those of the innermost dimensions
//!   of rows and of columns that have several may have each other's place;
//! - of native kernels, the product of subgroups, lanes and thread tiles along the rows is at most that of the sizes,
//!   each rounded up to a power of two. Where a row is one lane's, the lanes of a subgroup can lie nowhere else, and
//!   may be more;
//! - a row is split only where the pieces of all rows are at most 2^14 (and for IREE where every lane of a subgroup has four
//!   elements of a piece), and the index is lazy only where the generator
//!   can and one reduced dimension is larger than 1 and takes several steps;
//! - of native kernels that add floats, a step has no shorter one, of the same cell and tile, that
//!   rule N18 forbids;
//! - for IREE, subgroup counts and thread tiles are powers of two, thread tiles at most what a thread may take (rule
//!   E1) on columns and 8 on rows. (Native legality asks for this itself.)
//!
//! For IREE, tile, step and split are any divisors of their dimensions that qualify; of plain reductions, whose last step is masked,
//! steps may also be those that native kernels have. For native kernels they have at most
//! three significant bits, counted in units: 1 to 8, 10, 12, 14, 16, 20 and so on. What lies between two of them is as
//! fast as one of them, or nearly so, and there would be three times as many.

mod candidates;
mod cell;
mod domain;
mod frame;
mod group;
pub(crate) mod iree;
mod iter;
pub(crate) mod native;
mod neighbours;
mod sample;
mod starting_points;

pub use iter::Iter;

use crate::legality::{Rejection, check_problem};
use crate::{Configuration, Generator, Problem, Target};
use candidates::Candidates;
pub(crate) use cell::{SpaceCell, Split};
use domain::SpaceDomain;
use frame::Frame;
use neighbours::SpacePosition;

/// The canonical legal configurations of a problem, in a fixed order.
#[derive(Debug, Clone)]
pub struct Space {
    problem: Problem,
    generator: Generator,
    contents: Result<Contents, Rejection>,
}

/// What a space with configurations knows. A generator makes it of its domain, which is a file here.
#[derive(Debug, Clone)]
pub struct Contents {
    frame: Frame,
    /// Splits, ascending, and the steps that go with each.
    splits: Vec<u32>,
    steps: Vec<Candidates>,
    cells: Vec<SpaceCell>,
    runs: Vec<Run>,
    len: u64,
}

/// The configurations of one cell with one tile.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// Index of the cell.
    cell: u32,
    /// Their tile.
    tile: u32,
    /// Number of their steps, a prefix of the candidates of the cell's unit; at least 1.
    steps: u32,
    /// Rank of the first configuration.
    first: u64,
}

impl Space {
    /// The space of `problem`. Where the generator does not take the problem the space is empty, and
    /// [`rejection`](Space::rejection) says why.
    pub fn new(problem: &Problem, target: &Target, generator: Generator) -> Space {
        let contents =
            check_problem(problem, target, generator).map(|()| generator.space(problem, target));
        Space {
            problem: problem.clone(),
            generator,
            contents,
        }
    }

    /// The rule by which the generator does not take the problem, if so; otherwise the space is not empty.
    pub fn rejection(&self) -> Option<&Rejection> {
        self.contents.as_ref().err()
    }

    /// Number of configurations.
    pub fn len(&self) -> u64 {
        self.contents.as_ref().map_or(0, |contents| contents.len)
    }

    /// Whether there is no configuration.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The configuration with this rank, for ranks below [`len`](Space::len).
    pub fn nth(&self, rank: u64) -> Option<Configuration> {
        self.iter_from(rank).next()
    }

    /// The rank of a configuration, which need not be in canonical form; `None` if the space does not hold it.
    pub fn rank_of(&self, configuration: &Configuration) -> Option<u64> {
        let contents = self.contents.as_ref().ok()?;
        let place = contents.find(&configuration.canonical(&self.problem))?;
        Some(contents.rank(&place))
    }

    /// All configurations by rank.
    pub fn iter(&self) -> Iter<'_> {
        self.iter_from(0)
    }

    /// The configurations from this rank on; none from [`len`](Space::len) on.
    pub fn iter_from(&self, rank: u64) -> Iter<'_> {
        Iter::new(self.contents.as_ref().ok(), rank)
    }
}

impl<'a> IntoIterator for &'a Space {
    type Item = Configuration;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl Contents {
    fn new(domain: &impl SpaceDomain) -> Contents {
        let frame = domain.frame().clone();
        let splits = domain.splits();
        let mut contents = Contents {
            steps: splits.iter().map(|&split| domain.steps(split)).collect(),
            splits,
            cells: Vec::new(),
            runs: Vec::new(),
            len: 0,
            frame,
        };
        let cells = domain.cells();
        for outer in contents.frame.places_of_tile() {
            let tiles = domain.tiles(contents.frame.rows_at(outer));
            let has_place = |cell: &&SpaceCell| outer.is_none() || !cell.is_spread_over_rows();
            for &cell in cells.iter().filter(has_place) {
                contents.append(domain, SpaceCell { outer, ..cell }, &tiles);
            }
        }
        contents
    }

    /// Appends the configurations of a cell, which comes after all that are there.
    fn append(&mut self, domain: &impl SpaceDomain, cell: SpaceCell, tiles: &Candidates) {
        let index = self.cells.len() as u32;
        let most = domain.largest_tile(&cell);
        // A tile of 1 means the same on every dimension.
        let is_new = |tile: &&u32| cell.outer.is_none() || **tile > 1;
        for &tile in tiles.of(cell.row_unit(), most).iter().filter(is_new) {
            let most = domain.largest_step(&cell, tile);
            let steps = self.candidates(&cell).of(cell.column_unit(), most);
            // The longer the tile the shorter the steps: the next tile has none either.
            let Some(steps) = u32::try_from(steps.len()).ok().filter(|&n| n > 0) else {
                break;
            };
            self.runs.push(Run {
                cell: index,
                tile,
                steps,
                first: self.len,
            });
            self.len += u64::from(steps);
        }
        self.cells.push(cell);
    }

    /// The steps of `run`, ascending.
    fn steps(&self, run: &Run) -> &[u32] {
        let cell = &self.cells[run.cell as usize];
        let all = self.candidates(cell).of(cell.column_unit(), u32::MAX);
        &all[..run.steps as usize]
    }

    /// The steps that a cell of the space can have.
    fn candidates(&self, cell: &SpaceCell) -> &Candidates {
        let number = self
            .splits
            .partition_point(|&split| split < cell.knobs.split);
        &self.steps[number]
    }

    /// Where a canonical configuration is.
    fn find(&self, canonical: &Configuration) -> Option<SpacePosition> {
        let (cell, tile, step) = self.frame.read(canonical)?;
        self.place(&cell, tile, step)
    }

    fn place(&self, cell: &SpaceCell, tile: u32, step: u32) -> Option<SpacePosition> {
        let cell = u32::try_from(self.cells.binary_search(cell).ok()?).ok()?;
        let run = self.run(cell, tile)?;
        let step = self.steps(&self.runs[run]).binary_search(&step).ok()?;
        Some(SpacePosition { run, step })
    }

    /// The index of the run of a cell, given by its index, with this tile.
    fn run(&self, cell: u32, tile: u32) -> Option<usize> {
        let key = |run: &Run| (run.cell, run.tile);
        self.runs.binary_search_by_key(&(cell, tile), key).ok()
    }

    fn rank(&self, place: &SpacePosition) -> u64 {
        self.runs[place.run].first + place.step as u64
    }
}
