//! Spaces: all canonical legal configurations of a problem, counted and enumerated by construction.
//!
//! A [`Space`] is an ordered set without its elements in memory: the *rank* of a configuration is its place in the
//! order, and length, element by rank, rank of an element, iteration and uniform samples need no search. Nothing is
//! generated and then thrown away: a cell fixes the lanes, subgroups and thread tiles; a row adds the tile of the
//! parallel dimension and knows how many steps of the reduced dimension go with it; the rows carry a prefix sum.
//!
//! What a space holds is canonical (see [`Configuration::canonical`]). Legality leaves more freedom than can be searched; a
//! space holds the canonical legal configurations in which
//!
//! - the parallel dimensions are distributed as if they were one, and so are the reduced ones: thread tile, lanes and
//!   subgroups fill them from the inside, each up to its size rounded up to a power of two, and batches are taken of
//!   the first that is not full. Any dimension outside of that has a tile of 1. For IREE, and for a row that is one
//!   lane's (native rule N1), it is the innermost dimension larger than 1 alone;
//! - of native kernels, subgroups, lanes and thread tiles along the parallel dimensions are not more than their sizes, each
//!   rounded up to a power of two, but for lanes that can lie nowhere else (native rule N1);
//! - a row is split only where the pieces of all rows are at most 2^14, and the index is lazy only where the generator
//!   can and one reduced dimension is larger than 1 and takes several steps;
//! - for IREE, subgroup counts and thread tiles are powers of two, thread tiles at most what a thread may take (rule E1) on
//!   the reduced dimension and 8 on the parallel one. (Native legality asks for this itself.)
//!
//! For IREE, W and P are any divisors of their dimensions that qualify. For native kernels their multiples of the unit
//! (what lanes, subgroups and thread tiles take at once) have at most three significant bits: 1 to 8, 10, 12, 14, 16,
//! 20 and so on. What lies between two of them is as fast as one of them, or nearly so, and there would be three times
//! as many.

mod candidates;
mod cell;
mod frame;
mod group;
mod iter;
mod neighbours;
mod sample;
mod starts;

pub use iter::Iter;

use crate::legality::{Rejection, check_problem};
use crate::{Configuration, Generator, Problem, Target};
use candidates::Candidates;
use cell::{Cell, Domain};
use frame::Frame;
use neighbours::Place;

/// The canonical legal configurations of a problem, in a fixed order.
#[derive(Debug, Clone)]
pub struct Space {
    problem: Problem,
    generator: Generator,
    contents: Result<Contents, Rejection>,
}

/// What a space with configurations knows.
#[derive(Debug, Clone)]
struct Contents {
    frame: Frame,
    rows_of_problem: Candidates,
    columns_of_problem: Candidates,
    cells: Vec<Cell>,
    rows: Vec<Row>,
    len: u64,
}

/// The configurations of one cell with one tile of the parallel dimension.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// Index of the cell.
    cell: u32,
    /// Tile of the parallel dimension.
    tile: u32,
    /// Number of tiles of the reduced dimension, a prefix of the candidates of the cell's unit; at least 1.
    steps: u32,
    /// Rank of the first configuration.
    first: u64,
}

impl Space {
    /// The space of `problem`. Where the generator does not take the problem the space is empty, and
    /// [`rejection`](Space::rejection) says why.
    pub fn new(problem: &Problem, target: &Target, generator: Generator) -> Space {
        let contents = check_problem(problem, target, generator)
            .map(|()| Contents::new(&Domain::new(problem, target, generator)));
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
    fn new(domain: &Domain) -> Contents {
        let mut contents = Contents {
            frame: domain.frame.clone(),
            rows_of_problem: domain.rows(),
            columns_of_problem: domain.columns(),
            cells: domain.cells(),
            rows: Vec::new(),
            len: 0,
        };
        for (index, cell) in (0u32..).zip(&contents.cells) {
            let limits = domain.limits(cell);
            for &tile in contents
                .rows_of_problem
                .of(cell.row_unit(), limits.largest_tile())
            {
                let columns = contents
                    .columns_of_problem
                    .of(cell.column_unit(), limits.largest_step(tile));
                // The longer the tile the shorter the steps: the next tile has none either.
                let Some(steps) = u32::try_from(columns.len()).ok().filter(|&n| n > 0) else {
                    break;
                };
                contents.rows.push(Row {
                    cell: index,
                    tile,
                    steps,
                    first: contents.len,
                });
                contents.len += u64::from(steps);
            }
        }
        contents
    }

    /// The tiles of the reduced dimension that go with `row`, ascending.
    fn steps(&self, row: &Row) -> &[u32] {
        let unit = self.cells[row.cell as usize].column_unit();
        &self.columns_of_problem.of(unit, u32::MAX)[..row.steps as usize]
    }

    /// Where a canonical configuration is.
    fn find(&self, canonical: &Configuration) -> Option<Place> {
        let (cell, tile, step) = self.frame.read(canonical)?;
        self.place(&cell, tile, step)
    }

    fn place(&self, cell: &Cell, tile: u32, step: u32) -> Option<Place> {
        let cell = u32::try_from(self.cells.binary_search(cell).ok()?).ok()?;
        let row = self.row(cell, tile)?;
        let step = self.steps(&self.rows[row]).binary_search(&step).ok()?;
        Some(Place { row, step })
    }

    /// The index of the row of a cell, given by its index, with this tile.
    fn row(&self, cell: u32, tile: u32) -> Option<usize> {
        let key = |row: &Row| (row.cell, row.tile);
        self.rows.binary_search_by_key(&(cell, tile), key).ok()
    }

    fn rank(&self, place: &Place) -> u64 {
        self.rows[place.row].first + place.step as u64
    }
}
