//! Operations: the interface by which the bench verifies kernels of one kind of reduction.
//!
//! A *maker* fills rows with patterns and computes the expected results. The *reference* of a
//! launch keeps them, and its *judge* compares them with a kernel's results. Only
//! [`crate::inputs`] knows the kinds: it selects the maker.

mod difference;
mod function_evaluator;
mod gather_indices;
mod held_blocks;
mod operand_subset;
mod operand_values;
mod row_results;
mod streams;
mod view_addressing;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

pub use difference::Difference;
pub(crate) use function_evaluator::{FunctionEvaluator, coordinate};
pub(crate) use gather_indices::index;
pub(crate) use operand_subset::OperandSubset;
pub(crate) use operand_values::{SETS, draw_operand, make_operands};
pub(crate) use row_results::{POISON, RowResults, poison};
pub(crate) use streams::{Stream, Streams, append, planted};
pub(crate) use view_addressing::ViewAddressing;

use crate::packed_elements::PackedElements;

/// A maker of the inputs of one problem and seed.
pub(crate) trait Maker {
    /// Returns the number of patterns for rows.
    fn patterns(&self) -> usize;

    /// Returns how many rows find skipped elements, besides those with patterns.
    fn planted(&self) -> PlantedRows {
        // Each row has one decisive element, and a subgroup has 64 lanes.
        PlantedRows {
            rows: 52,
            elements: 5 << 19,
        }
    }

    /// Returns the number of operand sets. Most launches use the first; each other set serves one
    /// launch at the end.
    fn sets(&self) -> usize {
        1
    }

    /// Returns the needed contents of the operands in a set, row by row.
    fn operands(&self, needed: &[OperandSubset], set: usize) -> Vec<Vec<u8>>;

    /// Creates the input of launch `number` for these rows, with these operands.
    fn launch(&mut self, number: usize, slots: &[Slot], operands: &Operands<'_>) -> LaunchInput;
}

/// The rows that find skipped elements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlantedRows {
    pub(crate) rows: usize,
    /// The most elements in them, in all launches.
    pub(crate) elements: u64,
}

/// The operands of a launch.
pub(crate) struct Operands<'a> {
    pub(crate) needed: &'a Arc<[OperandSubset]>,
    /// The contents of each operand.
    pub(crate) bytes: &'a [Arc<[u8]>],
    /// The addressing of the checked rows in the problem's own input, if it is a view.
    pub(crate) own: Option<&'a ViewAddressing>,
    /// The numbers of the checked rows.
    pub(crate) rows: &'a [u64],
}

/// A row to fill.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// The row, linear over the parallel dimensions.
    pub(crate) row: u64,
    /// Its number among the rows of all launches.
    pub(crate) turn: usize,
    /// The number of its pattern. `None` for a row that finds skipped elements.
    pub(crate) pattern: Option<usize>,
}

/// The input of one launch.
#[derive(Debug)]
pub(crate) struct LaunchInput {
    /// The elements of the checked rows, one row after the other, each element in its type's
    /// number of bytes.
    pub(crate) elements: Vec<u8>,
    /// The tensor under the problem's own input, if that is a view.
    pub(crate) tensor: Option<Vec<u8>>,
    /// The index base, which the kernel takes by value. 0 if the problem has none.
    pub(crate) index_base: i64,
    pub(crate) reference: Box<dyn Reference>,
}

/// The expected results of the checked rows of one launch.
pub(crate) trait Reference: Any + fmt::Debug + Send + Sync {
    /// Returns the bits of a row's initial results, if the fold begins at its results.
    fn initial(&self, place: usize) -> Vec<u64>;

    /// Returns a judge of the launch's results.
    fn judge(&self) -> Box<dyn Judge + '_>;
}

/// A judge of the rows of one launch.
pub(crate) trait Judge {
    /// Compares a row's results with the expected ones.
    fn agreement(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Agreement;

    /// Returns both as text.
    fn difference(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Difference;
}

/// A row that is verified.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckedRow<'a> {
    /// The row, linear over the parallel dimensions.
    pub(crate) number: u64,
    /// Its position among the checked rows.
    pub(crate) place: usize,
    pub(crate) elements: PackedElements<'a>,
}

/// The agreement of a row's results with the expected ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Agreement {
    /// Correct. The number is the error as a fraction of the bound, from 0 to 1; it is 0 if only
    /// one result is correct.
    Right(f64),
    /// Correct but for a zero of the other sign.
    SignOfZero,
    /// An equal value, with the index of another element that has it.
    Tie,
    /// Wrong.
    None,
}
