//! Operations: what a reduction brings for its kernels to be verified.
//!
//! A *maker* fills rows with patterns and says what they should give. The *reference* of a launch keeps that, and its *judge*
//! compares it with what a kernel returned. Nothing but [`crate::inputs`], which picks the maker, knows which reductions there
//! are.

mod difference;
mod function_evaluator;
mod operand_subset;
mod operand_values;
mod row_results;
mod streams;
mod view_addressing;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

pub use difference::Difference;
pub(crate) use function_evaluator::FunctionEvaluator;
pub(crate) use operand_subset::OperandSubset;
pub(crate) use operand_values::{SETS, draw_operand, index, make_operands};
pub(crate) use row_results::{POISON, RowResults, poison};
pub(crate) use streams::{Stream, Streams, append, planted};
pub(crate) use view_addressing::ViewAddressing;

use crate::packed_elements::PackedElements;

/// Makes the inputs of one problem and seed.
pub(crate) trait Maker {
    /// How many patterns there are for rows to be filled with.
    fn patterns(&self) -> usize;

    /// How many sets of operands there are: the first is that of most launches, each other one that of a launch at the end.
    fn sets(&self) -> usize {
        1
    }

    /// What the operands of a set hold where that is needed, row by row.
    fn operands(&self, needed: &[OperandSubset], set: usize) -> Vec<Vec<u8>>;

    /// The input of launch `number`, of these rows, with these operands.
    fn launch(&mut self, number: usize, slots: &[Slot], operands: &Operands<'_>) -> LaunchInput;
}

/// The operands of a launch.
pub(crate) struct Operands<'a> {
    pub(crate) needed: &'a Arc<[OperandSubset]>,
    /// What each holds.
    pub(crate) bytes: &'a [Arc<[u8]>],
    /// Where checked rows are in the problem's own input, where that is a view.
    pub(crate) own: Option<&'a ViewAddressing>,
    /// The numbers of the checked rows.
    pub(crate) rows: &'a [u64],
}

/// A row to be filled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// The row, linear over the parallel dimensions.
    pub(crate) row: u64,
    /// Its number among the rows of all launches.
    pub(crate) turn: usize,
    /// The number of its pattern; none where it is there to find an element that is left out.
    pub(crate) pattern: Option<usize>,
}

/// The input of one launch.
#[derive(Debug)]
pub(crate) struct LaunchInput {
    /// Elements of the checked rows, one row after the other, each element in its own number of bytes.
    pub(crate) elements: Vec<u8>,
    /// The tensor of which the problem's own input is a view.
    pub(crate) tensor: Option<Vec<u8>>,
    /// The number that is given by value; 0 where the problem has none.
    pub(crate) index_base: i64,
    pub(crate) reference: Box<dyn Reference>,
}

/// What the checked rows of one launch should give.
pub(crate) trait Reference: Any + fmt::Debug + Send + Sync {
    /// What the results of a row hold before the launch, where the fold begins there: the bits of each.
    fn initial(&self, place: usize) -> Vec<u64>;

    /// Who judges what was found.
    fn judge(&self) -> Box<dyn Judge + '_>;
}

/// Judges the rows of one launch.
pub(crate) trait Judge {
    /// How what was found agrees with what was expected.
    fn agreement(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Agreement;

    /// Both as text.
    fn difference(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Difference;
}

/// A row that is checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckedRow<'a> {
    /// The row, linear over the parallel dimensions.
    pub(crate) number: u64,
    /// Its place among the checked ones.
    pub(crate) place: usize,
    pub(crate) elements: PackedElements<'a>,
}

/// How what was found agrees with what was expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Agreement {
    /// As far as there is one right result, to the bit; else how far it is from the exact one, from 0 to 1, which is the most
    /// that is right.
    Right(f64),
    /// But for a zero of the other sign.
    SignOfZero,
    /// An equal value, with the index of an element that has it.
    Tie,
    /// Not at all.
    None,
}
