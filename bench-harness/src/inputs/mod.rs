//! Inputs: the rows for verifying kernels, each with its pattern and its expected result.
//!
//! Rows are independent, so each row of a launch has its own pattern. A kernel that mixes up rows
//! returns another pattern's result. There are enough launches for each pattern to occur. Further
//! launches find skipped elements: each of their rows has one decisive element. For a large input,
//! the bench fills and checks only a sample of the rows: see [`checked_rows`].
//!
//! The other inputs of a kernel are equally adversarial. Each launch has another index base and
//! explicit indices are any numbers. Initial pairs tie with their rows, beat them, or are NaN.

mod limits;
#[cfg(test)]
pub(crate) mod tests;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use configgen::Problem;
use configgen::reduction::Combiner;

use crate::addressing::{OutputAddressing, RowAddressing};
use crate::arg_compare::ArgCompareMaker;
use crate::fold::FoldMaker;
use crate::map::MapMaker;
use crate::operation::{CheckedRow, LaunchInput, Maker, OperandSubset, Operands, ViewAddressing};
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
    /// The subset of each operand that the checked rows need.
    needed: Arc<[OperandSubset]>,
    /// The contents of these subsets: sets of operands. Most launches use the first set, and the
    /// last launches the others.
    pub(crate) operands: Vec<Vec<Arc<[u8]>>>,
    launches: Vec<LaunchInput>,
    /// The addressing of the checked rows in the problem's own input, if it is a view.
    own: Option<ViewAddressing>,
    /// The addressing of each result.
    outputs: Vec<OutputAddressing>,
}

/// Returns the maker for a problem's reduction.
fn maker(problem: &Problem, seed: u64) -> Box<dyn Maker + '_> {
    let reduction = &problem.reduction;
    match reduction.sole_combiner() {
        Some(Combiner::Comparison(it)) => Box::new(ArgCompareMaker::new(problem, it, seed)),
        Some(Combiner::Pairwise(fold)) => Box::new(FoldMaker::new(problem, fold, seed)),
        None if reduction.keeps_elements() => Box::new(MapMaker::new(problem, seed)),
        None => Box::new(RowwiseMaker::new(problem, seed)),
    }
}

/// Returns the operand set of a launch. The last launches have one set each, and all before them
/// the first.
fn set_of(number: usize, sets: usize, launches: usize) -> usize {
    (number + sets).saturating_sub(launches)
}

/// Makes the launches of a plan, with the operands of each set. Each thread of the host makes some
/// of them: a launch depends on its number and on no other launch.
fn make_launches(
    (problem, seed): (&Problem, u64),
    plan: &Plan,
    operands: &[Vec<Arc<[u8]>>],
) -> Vec<LaunchInput> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let make = || -> Vec<(usize, LaunchInput)> {
        let mut maker = maker(problem, seed);
        let mut made = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= plan.launches {
                return made;
            }
            let operands = Operands {
                needed: &plan.needed,
                bytes: &operands[set_of(number, operands.len(), plan.launches)],
                own: plan.own.as_ref(),
                rows: &plan.rows,
            };
            made.push((number, maker.launch(number, &plan.slots(number), &operands)));
        }
    };
    let mut made = thread::scope(|scope| {
        let others = (1..threads.min(plan.launches)).map(|_| scope.spawn(make));
        let others: Vec<_> = others.collect();
        let own = make();
        let joined = others.into_iter().map(|thread| match thread.join() {
            Ok(made) => made,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        let all = std::iter::once(own).chain(joined);
        all.flatten().collect::<Vec<(usize, LaunchInput)>>()
    });
    made.sort_unstable_by_key(|(number, _)| *number);
    made.into_iter().map(|(_, launch)| launch).collect()
}

impl Inputs {
    /// The version of inputs and bounds. It changes if the same problem and seed give other
    /// inputs, or another bound on correct results.
    pub const VERSION: u32 = 6;

    /// Makes the inputs of a problem. The same seed gives the same inputs.
    ///
    /// # Errors
    ///
    /// [`InputsError`]: input, outputs or checked rows do not fit a machine of ordinary size.
    pub fn new(problem: &Problem, seed: u64) -> Result<Inputs, InputsError> {
        let maker = maker(problem, seed);
        let plan = Plan::new(problem, &*maker)?;
        let operands: Vec<Vec<Arc<[u8]>>> = (0..maker.sets())
            .map(|set| {
                let operands = maker.operands(&plan.needed, set).into_iter();
                operands.map(Arc::from).collect()
            })
            .collect();
        let launches = make_launches((problem, seed), &plan, &operands);
        Ok(Inputs {
            outputs: OutputAddressing::all(problem),
            needed: plan.needed,
            problem: problem.clone(),
            seed,
            rows: plan.rows,
            own: plan.own,
            operands,
            launches,
        })
    }

    /// Returns the size of a problem's inputs as [`Inputs::bytes`] does, without making them.
    ///
    /// # Errors
    ///
    /// As [`Inputs::new`].
    pub fn bytes_of(problem: &Problem) -> Result<u64, InputsError> {
        let maker = maker(problem, 0);
        Ok(Plan::new(problem, &*maker)?.bytes)
    }

    /// Returns the problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Returns the size in bytes of the checked rows of all launches and of their operands. Each
    /// device holds as many.
    pub fn bytes(&self) -> u64 {
        let elements = self.launches.iter().map(|launch| {
            let tensor = launch.tensor.as_ref();
            launch.elements.len() + tensor.map_or(0, Vec::len)
        });
        let operands = self.operands.iter().flatten().map(|bytes| bytes.len());
        (elements.sum::<usize>() + operands.sum::<usize>()) as u64
    }

    /// Returns the seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the checked rows, ascending: linear indices over the parallel dimensions.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    pub(crate) fn launches(&self) -> &[LaunchInput] {
        &self.launches
    }

    /// Iterates over the checked rows of a launch.
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

    /// Passes the parts of a launch's input to `write`, with their byte offsets. All other bytes
    /// are 0.
    ///
    /// # Errors
    /// The first error of `write`.
    pub(crate) fn write_elements<E>(
        &self,
        launch: &LaunchInput,
        write: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if let (Some(tensor), Some(own)) = (&launch.tensor, &self.own) {
            return own.write(tensor, self.problem.element.bytes().into(), write);
        }
        RowAddressing::of_elements(&self.problem).write(&self.rows, &launch.elements, write)
    }

    /// Returns the size of each operand in bytes.
    pub(crate) fn operand_bytes(&self) -> Vec<u64> {
        let needed = self.needed.iter();
        needed
            .map(|it| it.input.bytes(&self.problem.shape))
            .collect()
    }

    /// Returns the number of operand sets.
    pub(crate) fn operand_sets(&self) -> usize {
        self.operands.len()
    }

    /// Returns the operand set of launch `number`: the first, except for the last launches.
    pub(crate) fn set_of(&self, number: usize) -> usize {
        set_of(number, self.operands.len(), self.launches.len())
    }

    /// Passes the parts of an operand of a set to `write`, as
    /// [`write_elements`](Self::write_elements) does.
    pub(crate) fn write_operand<E>(
        &self,
        set: usize,
        operand: usize,
        write: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let needed = &self.needed[operand];
        if let Some(view) = needed.view() {
            let size = needed.scalar().bytes().into();
            return view.write(&self.operands[set][operand], size, write);
        }
        let places = RowAddressing::of_input(&self.problem, &needed.input);
        places.write(&needed.rows, &self.operands[set][operand], write)
    }

    /// Returns the addressing of each result.
    pub(crate) fn outputs(&self) -> &[OutputAddressing] {
        &self.outputs
    }

    /// Returns the initial contents of each result for these rows. Unchecked rows get zeros. A
    /// fold that begins at its results has one element per row.
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
