//! Spaces: all canonical legal configurations of a problem, counted and enumerated by
//! construction.
//!
//! A [`Space`] is an ordered set without its elements in memory. The *rank* of a configuration is
//! its position in the order. Length, element by rank, rank of an element, iteration and uniform
//! samples need no search.
//!
//! The terms:
//!
//! - The parallel dimensions of a problem are its *rows*, the reduced ones its *columns*.
//! - The *tile* of a configuration is a workgroup's part of the rows (`workgroup`).
//! - The *step* is a workgroup's part of the columns at a time (`partial_reduction`).
//! - A *cell* is the rest: lanes, subgroups, thread tiles, knobs, and the outer dimension of the
//!   tile if it has one.
//! - A *unit* is the elements of a cell's threads at a time. Tiles and steps are multiples of it.
//! - A *run* is the configurations of one cell with one tile.
//!
//! The code generates no configuration that it then drops. A generator's domain (`space.rs` in
//! its folder) lists the cells and bounds the tile of a cell and the step for a tile. A run knows
//! its number of steps, and the runs carry a prefix sum.
//!
//! A space contains canonical configurations only (see [`Configuration::canonical`]). There are
//! more legal ones than a search can try, so a space contains the canonical legal configurations
//! with these properties:
//!
//! - Rows are distributed as if they were one dimension, and so are columns. Thread tile, lanes
//!   and subgroups fill the dimensions from the inside, each up to its size rounded up to a power
//!   of two. Each subgroup must have an element. Batches come from the first dimension that is
//!   not full. Any further dimension has a tile of 1. For IREE, and for the columns of a single
//!   lane (native rule N1), only the innermost dimension larger than 1 is distributed.
//! - If no lanes, subgroups or thread tile lie on rows, the tile lies on one dimension. This is
//!   the innermost one larger than 1 or any *outer* one larger than 1, except one with an open
//!   count. A tile of 1 means the same on each, so it counts on the innermost.
//! - The digits of lanes and of subgroups follow the order of their dimensions. The innermost
//!   dimensions of rows and of columns with several positions may swap digits.
//! - For native kernels, the product of subgroups, lanes and thread tiles along the rows is
//!   limited. It is at most the product of the sizes, each rounded up to a power of two. If a row
//!   belongs to one lane, the lanes of a subgroup can lie only on rows, so they may be more.
//! - A row is split only if the pieces of all rows are at most 2^14. For IREE, every lane of a
//!   subgroup must also have four elements of a piece.
//! - The index is lazy only if the generator supports it, and one reduced dimension is larger
//!   than 1 and takes several steps.
//! - For native kernels that add floats, a step is excluded if rule N18 forbids a shorter step of
//!   the same cell and tile.
//! - For IREE, subgroup counts and thread tiles are powers of two. Thread tiles are at most 8 on
//!   rows and at most the limit of rule E1 on columns. (Native legality demands this itself.)
//!
//! For IREE, tile, step and split are any qualifying divisors of their dimensions. Plain
//! reductions mask the last step, so their steps may also be those of native kernels. For native
//! kernels, tiles and steps have at most three significant bits, counted in units. They are 1 to
//! 8, 10, 12, 14, 16, 20 and so on. A number between two of them is about as fast as one of them,
//! and all numbers would be three times as many.

mod iter;
mod neighbours;
mod sample;
mod starting_points;

pub use crate::space_contents::Contents;
pub use iter::Iter;

use crate::legality::Rejection;
use crate::{Configuration, Generator, Problem, Target, check_problem};

/// The canonical legal configurations of a problem, in a fixed order.
#[derive(Debug, Clone)]
pub struct Space {
    problem: Problem,
    generator: Generator,
    contents: Result<Contents, Rejection>,
}

impl Space {
    /// Creates the space of `problem`.
    ///
    /// If the generator does not accept the problem, the space is empty and has a
    /// [`rejection`](Space::rejection).
    pub fn new(problem: &Problem, target: &Target, generator: Generator) -> Space {
        let contents =
            check_problem(problem, target, generator).map(|()| generator.space(problem, target));
        Space {
            problem: problem.clone(),
            generator,
            contents,
        }
    }

    /// Returns the rule by which the generator refuses the problem. Without one, the space is not
    /// empty.
    pub fn rejection(&self) -> Option<&Rejection> {
        self.contents.as_ref().err()
    }

    /// Returns the number of configurations.
    pub fn len(&self) -> u64 {
        self.contents.as_ref().map_or(0, |contents| contents.len)
    }

    /// Returns whether there is no configuration.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the configuration with this rank, for ranks below [`len`](Space::len).
    pub fn nth(&self, rank: u64) -> Option<Configuration> {
        self.iter_from(rank).next()
    }

    /// Returns the rank of a configuration, canonical or not, or none if it is not a member.
    pub fn rank_of(&self, configuration: &Configuration) -> Option<u64> {
        let contents = self.contents.as_ref().ok()?;
        let place = contents.find(&configuration.canonical(&self.problem))?;
        Some(contents.rank(&place))
    }

    /// Returns all configurations by rank.
    pub fn iter(&self) -> Iter<'_> {
        self.iter_from(0)
    }

    /// Returns the configurations from this rank on; none from [`len`](Space::len) on.
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
