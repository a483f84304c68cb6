//! IREE's operation `iree_linalg_ext.arg_compare` in MLIR's syntax.
//!
//! A module contains it, and a tuning spec matches it.

use std::fmt::{self, Display, Formatter};

use crate::mlir::Tensor;
use configgen::comparator::Constant;
use configgen::reduction::{ArgCompare, IndexMode};
use configgen::{ElementType, IndexType, Problem};

/// IREE's operation of an `arg_compare` problem: the types of its tensors and its MLIR text.
#[derive(Debug, Clone)]
pub struct ArgCompareOperation<'a> {
    /// The reduction.
    pub arg_compare: &'a ArgCompare,
    /// The reduced dimension.
    pub dimension: usize,
    element: ElementType,
    sizes: &'a [u32],
    rows: Vec<u32>,
    /// Flags of the dimensions with a size that only the launch gives. A matcher sets them for
    /// any size.
    open: Vec<bool>,
    // The same flags without the reduced dimension.
    open_rows: Vec<bool>,
}

/// A reason why IREE has no `arg_compare` operation for a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgCompareOperationError {
    /// The problem's reduction is not an `arg_compare`.
    AnotherReduction,
    /// The problem reduces this number of dimensions; IREE's operation reduces exactly one.
    Dimensions(usize),
}

/// The operand names of an operation, each with its `%`, and the indentation of its text.
///
/// The comparator's block uses the names `%a`, `%b` and numbers.
#[derive(Debug, Clone, Copy)]
pub struct ArgCompareOperandNames<'a> {
    /// The tensor of the elements.
    pub input: &'a str,
    /// The tensor of the elements' indices; used only with explicit indices.
    pub explicit: &'a str,
    /// The tensor that receives the values.
    pub values: &'a str,
    /// The tensor that receives the indices.
    pub indices: &'a str,
    /// The number that is added to the indices; used only with an index base.
    pub base: &'a str,
    /// Spaces before each line but the first.
    pub indent: usize,
}

/// The MLIR of `%values` and `%indices` before the operation, both filled with one pair.
///
/// A matcher compares this text with the module's.
#[derive(Debug, Clone, Copy)]
pub struct ArgCompareInit<'a> {
    /// The reduction, with the types of the pairs.
    pub arg_compare: &'a ArgCompare,
    /// The bits of the value.
    pub value: u64,
    /// The index.
    pub index: i64,
    /// The type of the tensor of values.
    pub values: Tensor<'a, ElementType>,
    /// The type of the tensor of indices.
    pub indices: Tensor<'a, IndexType>,
    /// The size operands of `tensor.empty`, for values and indices; empty for a static size.
    pub counts: [&'a str; 2],
}

impl Display for ArgCompareInit<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let ArgCompareInit {
            index: place,
            values,
            indices,
            counts: [value_count, index_count],
            ..
        } = self;
        let ArgCompare {
            comparator, index, ..
        } = self.arg_compare;
        let element = comparator.element();
        let value = Constant(self.value, element);
        write!(
            f,
            "      %begin = arith.constant {value}
      %begin_place = arith.constant {place} : {index}
      %no_values = tensor.empty({value_count}) : {values}
      %values = linalg.fill ins(%begin : {element}) outs(%no_values : {values}) -> {values}
      %no_indices = tensor.empty({index_count}) : {indices}
      %indices = linalg.fill ins(%begin_place : {index}) outs(%no_indices : {indices}) -> {indices}
"
        )
    }
}

impl<'a> ArgCompareOperation<'a> {
    /// Returns the operation of a problem.
    ///
    /// # Errors
    ///
    /// See [`ArgCompareOperationError`].
    pub fn of(problem: &'a Problem) -> Result<Self, ArgCompareOperationError> {
        let arg_compare = problem.arg_compare();
        let arg_compare = arg_compare.ok_or(ArgCompareOperationError::AnotherReduction)?;
        let shape = &problem.shape;
        let sizes = shape.sizes();
        match shape.reduced().collect::<Vec<usize>>()[..] {
            [dimension] => Ok(Self {
                arg_compare,
                dimension,
                element: problem.element,
                sizes,
                rows: shape.parallel().map(|d| sizes[d]).collect(),
                open: (0..shape.rank()).map(|d| shape.is_counted(d)).collect(),
                open_rows: shape.parallel().map(|d| shape.is_counted(d)).collect(),
            }),
            ref reduced => Err(ArgCompareOperationError::Dimensions(reduced.len())),
        }
    }

    /// Returns the operation with any size along the dimensions that `is_any` selects, for a
    /// matcher.
    #[must_use]
    pub fn of_any(mut self, is_any: impl Fn(usize) -> bool) -> Self {
        self.open = (0..self.sizes.len()).map(is_any).collect();
        // The rows have every dimension but the reduced one, in the same order.
        self.open_rows = self.open.clone();
        self.open_rows.remove(self.dimension);
        self
    }

    /// Returns the type of the elements' tensor.
    pub fn input(&self) -> Tensor<'_, ElementType> {
        self.tensor(self.sizes, &self.open, self.element)
    }

    /// Returns the type of the tensor of explicit indices.
    pub fn explicit(&self) -> Tensor<'_, IndexType> {
        self.tensor(self.sizes, &self.open, self.arg_compare.index)
    }

    /// Returns the type of the values' tensor.
    pub fn values(&self) -> Tensor<'_, ElementType> {
        self.tensor(&self.rows, &self.open_rows, self.element)
    }

    /// Returns the type of the indices' tensor.
    pub fn indices(&self) -> Tensor<'_, IndexType> {
        self.tensor(&self.rows, &self.open_rows, self.arg_compare.index)
    }

    /// Returns whether the outermost size of all these tensors is known at launch only.
    pub fn is_open(&self) -> bool {
        // Only the outermost dimension of a problem can have a size that is known at launch only.
        self.open.first() == Some(&true)
    }

    fn tensor<'b, E>(&self, sizes: &'b [u32], open: &'b [bool], element: E) -> Tensor<'b, E> {
        Tensor {
            sizes,
            open,
            element,
        }
    }

    /// Returns the operation's text with these attributes (`{…}`, or nothing) and these operand
    /// names.
    pub fn to_mlir(
        &self,
        attributes: impl Display,
        names: ArgCompareOperandNames<'_>,
    ) -> impl Display {
        fmt::from_fn(move |f| self.write(f, &attributes, names))
    }

    fn write(
        &self,
        f: &mut Formatter<'_>,
        attributes: &impl Display,
        names: ArgCompareOperandNames<'_>,
    ) -> fmt::Result {
        let ArgCompareOperandNames {
            input,
            explicit,
            values,
            indices,
            base,
            indent,
        } = names;
        let (elements, of_each) = (self.input(), self.explicit());
        let results = fmt::from_fn(|f| write!(f, "{}, {}", self.values(), self.indices()));
        let (dimension, mode) = (self.dimension, self.arg_compare.index_mode);
        write!(
            f,
            "iree_linalg_ext.arg_compare{attributes} dimension({dimension}) "
        )?;
        match mode {
            IndexMode::Position | IndexMode::Based => write!(f, "ins({input} : {elements})")?,
            IndexMode::Explicit => {
                write!(f, "ins({input}, {explicit} : {elements}, {of_each})")?;
            }
        }
        // IREE's syntax has the index base behind the outputs.
        write!(f, " outs({values}, {indices} : {results})")?;
        if mode == IndexMode::Based {
            write!(f, " index_base({base} : index)")?;
        }
        let block = self.arg_compare.comparator.block().indented(indent);
        write!(f, " {{\n{block}{:indent$}}} -> {results}", "")
    }
}
