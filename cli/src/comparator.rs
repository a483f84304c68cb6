//! `--comparator`: a problem with a comparator from a file, as a block of MLIR or a whole
//! operation.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::Args;
use configgen::comparator::order::OrderProof;
use configgen::comparator::{
    Comparator, ComparatorError, OperandType, ParsedOperation, ScalarType, parse_operations,
};
use configgen::{IndexType, Problem, ProblemError};

use crate::model::is_model;
use crate::value_parsers::problem_texts;
use crate::verbosity::note;
use crate::{operation_file, text_file};

/// The name that distinguishes a file of an operation from one of a block.
const OPERATION: &str = "iree_linalg_ext.arg_compare";

/// The file of the problems' comparator, if their text has none.
#[derive(Args, Default)]
pub(crate) struct ComparatorArguments {
    /// MLIR file with the comparator.
    ///
    /// The file has a block of MLIR or an iree_linalg_ext.arg_compare operation. Write the problem
    /// as arg_compare:4x[32000]xf32. Omit the problem to use that of the operation.
    #[arg(long, value_name = "FILE")]
    comparator: Option<PathBuf>,
    /// Accept a comparator that is not an order.
    ///
    /// One lane then compares the elements of a row one by one.
    #[arg(long, requires = "comparator")]
    unordered_comparator: bool,
    /// Assert that the comparator is an order.
    ///
    /// Several lanes then reduce a row, as with the problem's option assume_order. A false
    /// assertion gives wrong results. The program refuses an assertion that a counterexample
    /// disproves.
    #[arg(long, requires = "comparator", conflicts_with = "unordered_comparator")]
    assume_order: bool,
}

/// A problem, as text or from the file of its comparator or operation.
#[derive(Args)]
pub(crate) struct ProblemArguments {
    /// Problem, such as 'argmax:4x[32000]xf32'.
    #[arg(
        required_unless_present_any = ["comparator", "operation"],
        value_parser = problem_texts(),
        hide_possible_values = true
    )]
    problem: Option<String>,
    #[command(flatten)]
    file: ComparatorArguments,
    /// MLIR file with the problem as an operation.
    ///
    /// The file has one plain reduction: a linalg.generic or linalg.reduce of tensors. A
    /// linalg.fill initializes its output.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["problem", "comparator"])]
    operation: Option<PathBuf>,
}

impl ProblemArguments {
    /// Returns the problem of the command line or of the file that it names.
    pub(crate) fn problem(&self) -> anyhow::Result<Problem> {
        if let Some(path) = &self.operation {
            return operation_file::read(path);
        }
        let given = self.file.read()?;
        match (&self.problem, given) {
            (Some(text), given) => problem(text, given.as_ref()),
            (None, Some(given)) => given.own_problem(),
            (None, None) => bail!("no problem; name one, as in argmax:4x[32000]xf32"),
        }
    }
}

/// Parses a problem, with the comparator of a file if one is given.
pub(crate) fn problem(text: &str, given: Option<&ParsedComparator>) -> anyhow::Result<Problem> {
    let problem = match given {
        _ if is_model(text) => bail!(
            "{text} is a model, not a problem; `wavetune tune`, `problems`, `export iree-spec` and `export iree-kernels` take models"
        ),
        Some(given) => given.problem(text)?,
        None => text.parse()?,
    };
    // `--unordered-comparator` asks for the serial reduction, so no note is due.
    if !given.is_some_and(|given| given.is_unordered) {
        note_serial(&problem, given.is_some());
    }
    Ok(problem)
}

/// Notes that one lane reduces each row because the order is unproved, and how to change that.
/// The advice differs for a file and for a problem's text.
fn note_serial(problem: &Problem, is_of_file: bool) {
    if problem.reduction.is_serial() && problem.reduction.has_unproved_order() {
        let (is_one, is_none) = match is_of_file {
            true => ("--assume-order", "--unordered-comparator"),
            false => (
                "the option :assume_order",
                "unordered{…} in place of arg_compare{…}",
            ),
        };
        note!(
            "note: {problem}: the comparator is not proven to be an order, so one lane reduces each row; if it is an \
             order, {is_one} lets several lanes reduce a row; if not, {is_none} omits this note"
        );
    }
}

/// A comparator from a file.
pub(crate) struct ParsedComparator {
    comparator: Comparator,
    /// The operation around the comparator, if the file has one.
    operation: Option<ParsedOperation>,
    /// File, line and column.
    place: String,
    /// `--unordered-comparator`: it need not be an order.
    is_unordered: bool,
    /// `--assume-order`: the user promises that it is an order.
    assumes_order: bool,
}

impl ComparatorArguments {
    /// Reads the comparator, if a file is named.
    ///
    /// # Errors
    ///
    /// A file without a comparator, or a comparator that orders nothing without
    /// `--unordered-comparator`.
    pub(crate) fn read(&self) -> anyhow::Result<Option<ParsedComparator>> {
        let Some(path) = &self.comparator else {
            return Ok(None);
        };
        let text = text_file::read(path)
            .with_context(|| format!("cannot read the comparator in {}", path.display()))?;
        let given = match text.contains(OPERATION) {
            true => only_operation(path, &text)?,
            false => None,
        };
        let given = match given {
            Some(given) => given,
            None => ParsedComparator {
                comparator: Comparator::from_block(&text).map_err(|error| at(path, &error))?,
                operation: None,
                place: format!("{}:1:1", path.display()),
                is_unordered: false,
                assumes_order: false,
            },
        };
        match &given.comparator.order().from_start {
            // A counterexample is certain, so it is refused; an unproved order only costs speed.
            OrderProof::Refuted(example) if !self.unordered_comparator => bail!(
                "{}: this comparator is not an order: {example}; --unordered-comparator accepts it",
                given.place
            ),
            _ => Ok(Some(ParsedComparator {
                is_unordered: self.unordered_comparator,
                assumes_order: self.assume_order,
                ..given
            })),
        }
    }
}

/// Parses the only operation of a file. Returns `None` if the file has none, an error if it has
/// two.
fn only_operation(path: &Path, text: &str) -> anyhow::Result<Option<ParsedComparator>> {
    let operations = parse_operations(text).map_err(|error| at(path, &error))?;
    let operation = match &operations[..] {
        [] => return Ok(None),
        [operation] => operation.clone(),
        [_, second, ..] => bail!(
            "{}:{}:{}: the file has a second operation, but may have only one",
            path.display(),
            second.line,
            second.column
        ),
    };
    let place = format!("{}:{}:{}", path.display(), operation.line, operation.column);
    let comparator = Comparator::new(&operation.region);
    Ok(Some(ParsedComparator {
        comparator: comparator.map_err(|error| anyhow!("{place}: {}", error.message))?,
        operation: Some(operation),
        place,
        is_unordered: false,
        assumes_order: false,
    }))
}

fn at(path: &Path, error: &ComparatorError) -> anyhow::Error {
    let (path, message) = (path.display(), &error.message);
    anyhow!("{path}:{}:{}: {message}", error.line, error.column)
}

impl ParsedComparator {
    /// Parses a problem with this comparator.
    fn problem(&self, text: &str) -> Result<Problem, ProblemError> {
        Problem::with_comparator(text, &self.comparator, self.assumes_order)
    }

    /// Returns the problem of the operation. It starts from the worst value if one is proven,
    /// since programs fill the outputs with it; otherwise from the initial contents of the
    /// outputs.
    pub(crate) fn own_problem(&self) -> anyhow::Result<Problem> {
        let place = &self.place;
        let Some(operation) = &self.operation else {
            bail!(
                "{place}: a block has no shape; write the problem, as in arg_compare:4x[32000]xf32"
            );
        };
        let mut text = "arg_compare:".to_owned();
        for (d, size) in operation.values.sizes.iter().enumerate() {
            let size = size.with_context(|| {
                format!("{place}: dimension {d} is dynamic; write the problem, as in arg_compare:4x[32000]xf32")
            })?;
            text += &match d == operation.dimension {
                true => format!("[{size}]x"),
                false => format!("{size}x"),
            };
        }
        let returned = operation.outputs[1].element;
        let index = index_type(returned).with_context(|| {
            format!("{place}: indices are i32, i64 or index; write the problem with one, as in arg_compare:4x[32000]xf32:i64")
        })?;
        text += &format!("{}:{index}", self.comparator.element());
        match &operation.indices {
            Some(given) if given.element != returned => {
                bail!("{place}: the types of the input indices and of the output indices differ")
            }
            Some(_) if operation.has_index_base => {
                bail!("{place}: an index base and explicit indices exclude each other")
            }
            Some(_) => text += ":explicit_index",
            None if operation.has_index_base => text += ":index_base",
            None => {}
        }
        let worst = self.comparator.order().worst;
        if !worst.is_some_and(|worst| worst.is_proven) {
            text += ":initial";
        }
        problem(&text, Some(self)).with_context(|| place.clone())
    }
}

fn index_type(element: OperandType) -> Option<IndexType> {
    match element {
        OperandType::Scalar(ScalarType::I32) => Some(IndexType::I32),
        OperandType::Scalar(ScalarType::I64) => Some(IndexType::I64),
        OperandType::Index => Some(IndexType::Index),
        OperandType::Scalar(_) => None,
    }
}
