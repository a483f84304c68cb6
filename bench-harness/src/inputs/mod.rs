//! Inputs: the rows that kernels are verified on, each with its pattern and its expected result.
//!
//! Rows are independent, so every row of a launch has a pattern of its own, and as many launches are made as it takes
//! for each pattern to occur. Launches whose rows find elements that are left out follow, until enough places have been one that matters. A kernel that mixes
//! rows up then returns another pattern's result. Of a very large input only some rows are filled and checked: windows at
//! its beginning, middle and end.
//!
//! What else a problem gives its kernels is as hostile: each launch has another index base, explicit indices are any
//! numbers, and the initial pairs tie with their rows, beat them, or are NaN.

mod limits;
#[cfg(test)]
pub(crate) mod tests;

use std::ops::Range;
use std::sync::Arc;

use configgen::Problem;

use crate::addressing::{OutputAddressing, RowAddressing};
use crate::arg_compare::ArgCompareMaker;
use crate::fold::FoldMaker;
use crate::map::MapMaker;
use crate::operation::{CheckedRow, LaunchInput, Maker, OperandSubset, Operands};
use crate::packed_elements::PackedElements;
use crate::rowwise::RowwiseMaker;
use limits::Plan;
pub use limits::{InputsError, checked_rows};

/// The inputs of one problem and seed.
#[derive(Debug)]
pub struct Inputs {
    problem: Problem,
    seed: u64,
    rows: Vec<u64>,
    /// What the checked rows need of each operand.
    needed: Arc<[OperandSubset]>,
    /// What operands hold of that, a set of them for most launches and others for the last ones.
    operands: Vec<Vec<Arc<[u8]>>>,
    launches: Vec<LaunchInput>,
    /// Where each result of a row lies.
    outputs: Vec<OutputAddressing>,
}

/// Who makes the inputs of a problem.
fn maker(problem: &Problem, seed: u64) -> Result<Box<dyn Maker + '_>, InputsError> {
    if let Some(arg_compare) = problem.reduction.arg_compare() {
        return Ok(Box::new(ArgCompareMaker::new(problem, arg_compare, seed)));
    }
    if let Some(fold) = problem.reduction.fold() {
        return Ok(Box::new(FoldMaker::new(problem, fold, seed)));
    }
    if let Some(map) = problem.reduction.map() {
        return Ok(Box::new(MapMaker::new(problem, map, seed)));
    }
    let rowwise = problem.reduction.rowwise();
    if let Some(rows) = rowwise.and_then(|it| RowwiseMaker::new(problem, it, seed)) {
        return Ok(Box::new(rows));
    }
    let problem = Box::new(problem.clone());
    Err(InputsError::Operation { problem })
}

/// The set of operands of a launch: the last launches have one each, all before them the first.
fn set_of(number: usize, sets: usize, launches: usize) -> usize {
    (number + sets).saturating_sub(launches)
}

impl Inputs {
    /// Changes whenever the same problem and seed give other inputs, or another bound for what is
    /// right.
    pub const VERSION: u32 = 4;

    /// Makes the inputs of a problem. The same seed gives the same inputs.
    ///
    /// # Errors
    ///
    /// [`InputsError`]: input, outputs or checked rows do not fit a machine of ordinary size, or the host has no
    /// reference for the problem.
    pub fn new(problem: &Problem, seed: u64) -> Result<Inputs, InputsError> {
        let mut maker = maker(problem, seed)?;
        let plan = Plan::new(problem, &*maker)?;
        let operands: Vec<Vec<Arc<[u8]>>> = (0..maker.sets())
            .map(|set| {
                let operands = maker.operands(&plan.needed, set).into_iter();
                operands.map(Arc::from).collect()
            })
            .collect();
        let launches = (0..plan.launches)
            .map(|number| {
                let operands = Operands {
                    needed: &plan.needed,
                    bytes: &operands[set_of(number, operands.len(), plan.launches)],
                    own: plan.own.as_ref(),
                    rows: &plan.rows,
                };
                maker.launch(number, &plan.slots(number), &operands)
            })
            .collect();
        Ok(Inputs {
            outputs: OutputAddressing::all(problem),
            needed: plan.needed,
            problem: problem.clone(),
            seed,
            rows: plan.rows,
            operands,
            launches,
        })
    }

    /// Bytes of the inputs of a problem, which are not made: see [`Inputs::bytes`].
    ///
    /// # Errors
    ///
    /// As [`Inputs::new`].
    pub fn bytes_of(problem: &Problem) -> Result<u64, InputsError> {
        let maker = maker(problem, 0)?;
        Ok(Plan::new(problem, &*maker)?.bytes)
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Bytes of the checked rows of all launches and of their operands: what each device holds.
    pub fn bytes(&self) -> u64 {
        let elements = self.launches.iter().map(|launch| {
            let tensor = launch.tensor.as_ref();
            launch.elements.len() + tensor.map_or(0, Vec::len)
        });
        let operands = self.operands.iter().flatten().map(|bytes| bytes.len());
        (elements.sum::<usize>() + operands.sum::<usize>()) as u64
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

    /// The checked rows of a launch.
    pub(crate) fn checked<'a>(
        &'a self,
        launch: &'a LaunchInput,
    ) -> impl Iterator<Item = CheckedRow<'a>> {
        let problem = &self.problem;
        let length = problem.shape.reduced_size() as usize;
        let elements = PackedElements::new(&launch.elements, problem.element.bytes());
        let rows = self.rows.iter().enumerate();
        rows.map(move |(place, &number)| CheckedRow {
            number,
            place,
            elements: elements.row(place, length),
        })
    }

    /// Passes the parts of a launch's input to `write`, each with its byte offset into the whole. What is left out is 0.
    ///
    /// # Errors
    /// The first of `write`.
    pub(crate) fn write_elements<E>(
        &self,
        launch: &LaunchInput,
        mut write: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(tensor) = &launch.tensor {
            return write(0, tensor);
        }
        RowAddressing::of_elements(&self.problem).write(&self.rows, &launch.elements, write)
    }

    /// Bytes of each operand.
    pub(crate) fn operand_bytes(&self) -> Vec<u64> {
        let needed = self.needed.iter();
        needed
            .map(|it| it.input.bytes(&self.problem.shape))
            .collect()
    }

    /// How many sets of operands there are.
    pub(crate) fn operand_sets(&self) -> usize {
        self.operands.len()
    }

    /// The set that launch `number` has: the first, but for the last launches.
    pub(crate) fn set_of(&self, number: usize) -> usize {
        set_of(number, self.operands.len(), self.launches.len())
    }

    /// As [`write_elements`](Self::write_elements), of an operand of a set.
    pub(crate) fn write_operand<E>(
        &self,
        set: usize,
        operand: usize,
        mut write: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let needed = &self.needed[operand];
        if needed.input.view.is_some() {
            return write(0, &self.operands[set][operand]);
        }
        let places = RowAddressing::of_input(&self.problem, &needed.input);
        places.write(&needed.rows, &self.operands[set][operand], write)
    }

    /// Where each result of a row lies.
    pub(crate) fn outputs(&self) -> &[OutputAddressing] {
        &self.outputs
    }

    /// What each result holds before the launch for these rows; zeros for rows that are not checked. A fold that begins there has
    /// one element a row.
    pub(crate) fn initial(&self, launch: &LaunchInput, rows: &Range<u64>) -> Vec<Vec<u8>> {
        let sizes: Vec<usize> = self.outputs.iter().map(|it| it.size as usize).collect();
        let count = (rows.end - rows.start) as usize;
        let mut outputs: Vec<Vec<u8>> = sizes.iter().map(|size| vec![0; count * size]).collect();
        let first = self.rows.partition_point(|&row| row < rows.start);
        for (place, &row) in self.rows.iter().enumerate().skip(first) {
            if row >= rows.end {
                break;
            }
            let initial = launch.reference.initial(place);
            for ((output, &size), bits) in outputs.iter_mut().zip(&sizes).zip(initial) {
                let place = (row - rows.start) as usize * size;
                output[place..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
        outputs
    }
}
