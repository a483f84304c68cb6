//! IREE's operation `iree_linalg_ext.arg_compare` in MLIR's syntax, for a module that has it and for a spec that matches it.

use std::fmt::{self, Display, Formatter};

use crate::comparator::Constant;
use crate::element::{ElementType, IndexType};
use crate::mlir::Tensor;
use crate::problem::Problem;
use crate::reduction::{ArgCompare, IndexMode};

/// The operation of a problem: its types, and how it is written.
#[derive(Debug, Clone)]
pub struct ArgCompareOperation<'a> {
    /// What is reduced, and how.
    pub arg_compare: &'a ArgCompare,
    /// The reduced dimension.
    pub dimension: usize,
    element: ElementType,
    sizes: &'a [u32],
    rows: Vec<u32>,
    /// Which sizes are open, of all dimensions and of the rows.
    open: Vec<bool>,
    open_rows: Vec<bool>,
}

/// Why a problem is no operation of IREE's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgCompareOperationError {
    /// It is another reduction.
    AnotherReduction,
    /// It reduces so many dimensions, and not one.
    Dimensions(usize),
}

/// What the text around an operation calls its operands, each with its `%`, and how far its lines are indented. The names in
/// the block of its comparator are `%a`, `%b` and numbers.
#[derive(Debug, Clone, Copy)]
pub struct ArgCompareOperandNames<'a> {
    /// The elements.
    pub input: &'a str,
    /// The elements' indices, where the problem has explicit ones.
    pub explicit: &'a str,
    /// Where the values go.
    pub values: &'a str,
    /// Where the indices go.
    pub indices: &'a str,
    /// What is added to the indices, where the problem has an index base.
    pub base: &'a str,
    /// Spaces before each line but the first.
    pub indent: usize,
}

/// The tensors `%values` and `%indices` where an operation begins, filled with one pair: what a matcher compares with those of a module.
#[derive(Debug, Clone, Copy)]
pub struct ArgCompareInit<'a> {
    /// Which pairs there are.
    pub arg_compare: &'a ArgCompare,
    /// The bits of the value.
    pub value: u64,
    /// The index.
    pub index: i64,
    /// The type of the tensor of values.
    pub values: Tensor<'a, ElementType>,
    /// The type of the tensor of indices.
    pub indices: Tensor<'a, IndexType>,
    /// What an empty tensor of each is given where its size is open.
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
    /// The operation of a problem.
    ///
    /// # Errors
    ///
    /// See [`NoOperation`].
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

    /// The operation with any size along the dimensions of which that is said, for a matcher.
    #[must_use]
    pub fn of_any(mut self, is_any: impl Fn(usize) -> bool) -> Self {
        self.open = (0..self.sizes.len()).map(is_any).collect();
        self.open_rows = self.open.clone();
        self.open_rows.remove(self.dimension);
        self
    }

    /// The type of the elements' tensor.
    pub fn input(&self) -> Tensor<'_, ElementType> {
        self.tensor(self.sizes, &self.open, self.element)
    }

    /// The type of the tensor of explicit indices.
    pub fn explicit(&self) -> Tensor<'_, IndexType> {
        self.tensor(self.sizes, &self.open, self.arg_compare.index)
    }

    /// The type of the values' tensor.
    pub fn values(&self) -> Tensor<'_, ElementType> {
        self.tensor(&self.rows, &self.open_rows, self.element)
    }

    /// The type of the indices' tensor.
    pub fn indices(&self) -> Tensor<'_, IndexType> {
        self.tensor(&self.rows, &self.open_rows, self.arg_compare.index)
    }

    /// Whether the outermost size of all these tensors is known at launch only.
    pub fn is_open(&self) -> bool {
        self.open.first() == Some(&true)
    }

    fn tensor<'b, E>(&self, sizes: &'b [u32], open: &'b [bool], element: E) -> Tensor<'b, E> {
        Tensor {
            sizes,
            open,
            element,
        }
    }

    /// The operation with these attributes (`{…}`, or nothing) and these names, from its own name to its last type.
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
        write!(f, " outs({values}, {indices} : {results})")?;
        if mode == IndexMode::Based {
            write!(f, " index_base({base} : index)")?;
        }
        let block = self.arg_compare.comparator.block().indented(indent);
        write!(f, " {{\n{block}{:indent$}}} -> {results}", "")
    }
}
