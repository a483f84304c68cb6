//! Inputs: the rows that kernels are verified on, each with its pattern and its expected result.
//!
//! Rows are independent, so every row of a launch has a pattern of its own, and as many launches are made as it takes
//! for each pattern to occur. Launches with one winner a row follow, until enough places have been one. A kernel that mixes
//! rows up then returns another pattern's result. Of a very large input only some rows are filled and checked: windows at
//! its beginning, middle and end.
//!
//! What else a problem gives its kernels is as hostile: each launch has another index base, explicit indices are any
//! numbers, and the initial pairs tie with their rows, beat them, or are NaN.

mod initial;
mod limits;
mod making;
#[cfg(test)]
mod tests;

use std::ops::Range;

use configgen::{ArgCompare, IndexMode, Problem};

use crate::pattern::Pattern;
use crate::place::Places;
use crate::row::{Indices, Packed, Pair, Row};
use limits::Plan;
pub use limits::{InputsError, checked_rows};
use making::Maker;

/// The inputs of one problem and seed.
#[derive(Debug)]
pub struct Inputs {
    problem: Problem,
    arg_compare: ArgCompare,
    seed: u64,
    rows: Vec<u64>,
    /// Explicit indices of the checked rows, one row after the other; nothing where the problem has none. They are any
    /// numbers, so that all launches can share them.
    explicit_indices: Vec<u8>,
    launches: Vec<LaunchInput>,
}

/// The input of one launch.
#[derive(Debug)]
pub(crate) struct LaunchInput {
    /// Elements of the checked rows, one row after the other, each element in its own number of bytes.
    elements: Vec<u8>,
    /// What is added to every position; 0 unless the problem has an index base.
    pub(crate) index_base: i64,
    /// One for each checked row, in their order.
    pub(crate) expected: Vec<Expected>,
}

/// What a row should give.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected {
    pub(crate) pattern: Pattern,
    /// Where the fold begins. The outputs hold it before the launch, where the problem says so.
    pub(crate) initial: Pair,
    /// Where it ends.
    pub(crate) result: Pair,
    /// Position of the winner; none if no element replaced the initial value.
    pub(crate) position: Option<usize>,
}

impl Inputs {
    /// Changes whenever the same problem and seed give other inputs.
    pub const VERSION: u32 = 3;

    /// Makes the inputs of a problem. The same seed gives the same inputs.
    ///
    /// # Errors
    ///
    /// [`InputsError`]: input, outputs or checked rows do not fit a machine of ordinary size, or the problem is no
    /// `arg_compare`.
    pub fn new(problem: &Problem, seed: u64) -> Result<Inputs, InputsError> {
        let Some(arg_compare) = problem.arg_compare() else {
            let problem = problem.clone();
            return Err(InputsError::Operation { problem });
        };
        let plan = Plan::new(problem)?;
        let mut maker = Maker::new(problem, arg_compare, seed);
        let explicit_indices = maker.explicit_indices(&plan.rows);
        let launches = (0..plan.launches)
            .map(|number| maker.launch(&plan, number, &explicit_indices))
            .collect();
        Ok(Inputs {
            problem: problem.clone(),
            arg_compare: arg_compare.clone(),
            seed,
            rows: plan.rows,
            explicit_indices,
            launches,
        })
    }

    /// Bytes of the inputs of a problem, which are not made: see [`Inputs::bytes`].
    ///
    /// # Errors
    ///
    /// As [`Inputs::new`].
    pub fn bytes_of(problem: &Problem) -> Result<u64, InputsError> {
        Ok(Plan::new(problem)?.bytes)
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Its reduction.
    pub(crate) fn arg_compare(&self) -> &ArgCompare {
        &self.arg_compare
    }

    /// Bytes of the checked rows of all launches and of their explicit indices: what each device holds.
    pub fn bytes(&self) -> u64 {
        let elements = self.launches.iter().map(|launch| launch.elements.len());
        (elements.sum::<usize>() + self.explicit_indices.len()) as u64
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The rows that are filled and checked, ascending: linear indices over the parallel dimensions.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    pub(crate) fn launches(&self) -> &[LaunchInput] {
        &self.launches
    }

    /// The checked rows of a launch, each with its number and with what it should give.
    pub(crate) fn checked<'a>(
        &'a self,
        launch: &'a LaunchInput,
    ) -> impl Iterator<Item = (u64, Row<'a>, &'a Expected)> {
        let problem = &self.problem;
        let length = problem.shape.reduced_size() as usize;
        let elements = Packed::new(&launch.elements, problem.element.bytes());
        let explicit = Packed::new(&self.explicit_indices, self.arg_compare.index.bytes());
        let rows = self.rows.iter().zip(&launch.expected).enumerate();
        rows.map(move |(place, (&number, expected))| {
            let row = Row {
                elements: elements.row(place, length),
                mask: u64::MAX >> (64 - problem.element.bits()),
                indices: match self.arg_compare.index_mode {
                    IndexMode::Position | IndexMode::Based => Indices::Based(launch.index_base),
                    IndexMode::Explicit => Indices::Explicit(explicit.row(place, length)),
                },
            };
            (number, row, expected)
        })
    }

    /// Passes the parts of a launch's input to `write`, each with its byte offset into the whole. What is left out is 0.
    ///
    /// # Errors
    /// The first of `write`.
    pub(crate) fn write_elements<E>(
        &self,
        launch: &LaunchInput,
        write: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        Places::of_elements(&self.problem).write(&self.rows, &launch.elements, write)
    }

    /// As [`write_elements`](Self::write_elements), of the explicit indices, where the problem has them.
    pub(crate) fn write_explicit_indices<E>(
        &self,
        write: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.explicit_indices.is_empty() {
            return Ok(());
        }
        let index = self.arg_compare.index;
        Places::of_indices(&self.problem, index).write(&self.rows, &self.explicit_indices, write)
    }

    /// Bytes of a value and of an index.
    pub(crate) fn result_bytes(&self) -> [u32; 2] {
        [self.problem.element.bytes(), self.arg_compare.index.bytes()]
    }

    /// The initial values and indices of these rows, as the outputs hold them; zeros for rows that are not checked.
    pub(crate) fn initial(&self, launch: &LaunchInput, rows: &Range<u64>) -> [Vec<u8>; 2] {
        let sizes = self.result_bytes().map(|size| size as usize);
        let mut outputs = sizes.map(|size| vec![0; (rows.end - rows.start) as usize * size]);
        let first = self.rows.partition_point(|&row| row < rows.start);
        for (&row, expected) in self.rows.iter().zip(&launch.expected).skip(first) {
            if row >= rows.end {
                break;
            }
            let initial = expected.initial;
            let pair = [initial.value, initial.index as u64];
            for ((output, size), bits) in outputs.iter_mut().zip(sizes).zip(pair) {
                let place = (row - rows.start) as usize * size;
                output[place..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
        outputs
    }
}
