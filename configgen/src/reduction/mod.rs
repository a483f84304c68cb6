//! Reductions: computations on the elements of a row.
//!
//! A reduction is a value that implements [`Reduce`]. It states its text, its results and its
//! properties, such as the state of a lane. Spaces, legality and layouts ask for properties.
//!
//! Code for one kind alone, such as the host's fold of [`ArgCompare`], asks for that kind
//! ([`Reduction::arg_compare`]) and refuses others. `xtask/tests/it/tidy/doors.rs` counts these
//! places, so that their number does not rise.

mod arg_compare;
mod fold;
mod fold_body;
mod initial;
mod map;
mod named_fold;
mod rowwise;

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

pub use arg_compare::{ArgCompare, IndexMode};
pub use fold::{Combining, Fold};
pub use initial::Initial;
pub use map::Map;
pub(crate) use named_fold::NamedFold;
pub(crate) use rowwise::USUAL_LABEL;
pub(crate) use rowwise::program;
pub use rowwise::program::has_bounds;
pub use rowwise::{RowElement, RowFold, RowOperation, RowOutput, Rowwise};

use crate::comparator::ScalarType;
use crate::{ElementType, IndexMap, IndexType, Shape};

/// The properties of a reduction. Every method is a pure function.
pub trait Reduce: fmt::Debug + Any + Send + Sync {
    /// Returns the kind of operation, such as `arg_compare`, by which users filter problems.
    fn operation(&self) -> &'static str;

    /// Returns the text before the sizes of a problem, such as `argmax`.
    fn name(&self) -> String;

    /// Returns the text behind the element type, such as `:i32:index_base`.
    ///
    /// Each part begins with a colon. The types of operands that the name does not imply come
    /// first, and each begins with a comma.
    fn options(&self) -> String;

    /// Returns a word of letters, digits and `_` for names of kernels.
    fn symbol(&self) -> String;

    /// Returns whether a kernel must take the elements of a row one by one, in their order.
    ///
    /// The results of two parts of such a row cannot be combined. An element that is taken twice
    /// may count twice.
    fn is_serial(&self) -> bool {
        false
    }

    /// Returns the reason as a clause, such as "argmax does not order the elements".
    fn why_serial(&self) -> String {
        String::new()
    }

    /// Returns whether one comparison of two elements decides the result.
    ///
    /// This is part of rule N14 of native kernels.
    fn finds_element(&self) -> bool {
        false
    }

    /// Returns whether the results of a row's folds are used with its elements once more.
    ///
    /// A kernel then keeps the row, and workgroups that share it wait for each other.
    fn uses_rows_again(&self) -> bool {
        false
    }

    /// Returns the name of the comparator, if there is one and it has a name.
    fn comparator_name(&self) -> Option<&'static str> {
        None
    }

    /// Returns the type of the index that is a result, if there is one.
    fn index_type(&self) -> Option<IndexType> {
        None
    }

    /// Returns the type of the accumulator, if the reduction combines elements two at a time.
    fn accumulator(&self) -> Option<ElementType> {
        None
    }

    /// Returns whether the order of the elements is neither proved nor refuted.
    fn has_unproved_order(&self) -> bool {
        false
    }

    /// Returns whether the reduction adds floats, so that the order of elements changes the
    /// rounding.
    fn adds_floats(&self) -> bool {
        false
    }

    /// Returns the state that a lane keeps per row.
    fn state(&self, element: ElementType) -> ReductionState;

    /// Returns the results of a row, in the order of a kernel's arguments.
    fn results(&self, element: ElementType) -> Vec<Tensor>;

    /// Returns the inputs behind the elements, without gaps.
    fn operands(&self) -> Vec<Tensor> {
        Vec::new()
    }

    /// Returns whether a kernel reads the operands with the elements.
    ///
    /// Otherwise it reads one if a row's result selects it.
    fn reads_operands(&self) -> bool {
        false
    }

    /// Returns the dimensions with indices among the arguments of a kernel's computations.
    ///
    /// Each index is an i32, behind the elements of all inputs.
    fn indices(&self) -> &[usize] {
        &[]
    }

    /// Returns the type and name of a number that the launch passes by value, behind all buffers.
    fn scalar(&self) -> Option<(IndexType, &'static str)> {
        None
    }

    /// Returns whether the initial values are the contents of the results at the launch.
    fn begins_at_results(&self) -> bool {
        false
    }

    /// Returns the bytes that every kernel reads beside the elements and the initial results.
    fn bytes_beside(&self, _: &Shape) -> u64 {
        0
    }

    /// Returns the operations per element of a fold on the host.
    fn operations(&self) -> u64;

    /// Returns sentences about the results of a row, for the caller of a kernel.
    fn meaning(&self) -> String;
}

/// The state of a row in a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReductionState {
    /// The number of 32-bit registers, without that of a position.
    pub words: u32,
    /// Set if the state has a position in the row.
    pub has_position: bool,
}

/// The element type of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// A type of elements.
    Element(ElementType),
    /// A type of indices.
    Index(IndexType),
}

impl Scalar {
    /// Returns the name of the type.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Element(element) => element.name(),
            Scalar::Index(index) => index.name(),
        }
    }

    /// Returns the size in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Scalar::Element(element) => element.bytes(),
            Scalar::Index(index) => index.bytes(),
        }
    }
}

/// Converts to the type in memory, so that an `index` has 64 bits.
impl From<Scalar> for ScalarType {
    fn from(scalar: Scalar) -> ScalarType {
        match scalar {
            Scalar::Element(element) => element.into(),
            Scalar::Index(IndexType::I32) => ScalarType::I32,
            Scalar::Index(IndexType::I64 | IndexType::Index) => ScalarType::I64,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Element(element) => element.fmt(f),
            Scalar::Index(index) => index.fmt(f),
        }
    }
}

/// A result or an operand of a reduction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Its name among the arguments.
    pub name: &'static str,
    /// The type of its elements.
    pub scalar: Scalar,
    /// The meaning of an element.
    pub what: &'static str,
    /// The part of the problem that has one element each.
    pub extent: Extent,
}

impl Tensor {
    /// Returns the bytes of its buffer, which has no gaps.
    pub fn bytes(&self, shape: &Shape) -> u64 {
        self.extent.elements(shape) * u64::from(self.scalar.bytes())
    }
}

/// The part of a problem for which a tensor has one element each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Each element of the problem.
    Elements,
    /// Each row: the tensor has the parallel dimensions.
    Rows,
    /// Each position in a row: the tensor has the reduced dimensions.
    Columns,
    /// Some other dimensions, in their order; bit d stands for dimension d.
    Dimensions(u8),
}

impl Extent {
    /// Returns the dimensions of a problem that such a tensor has, in their order.
    pub fn map(self, shape: &Shape) -> IndexMap {
        let has = |d: &usize| match self {
            Extent::Elements => true,
            Extent::Rows => !shape.is_reduced(*d),
            Extent::Columns => shape.is_reduced(*d),
            Extent::Dimensions(dimensions) => dimensions & 1 << d != 0,
        };
        let dimensions: Vec<usize> = (0..shape.rank()).filter(has).collect();
        IndexMap::new(&dimensions, shape.rank()).expect("each dimension is there once")
    }

    /// Returns the number of elements.
    pub fn elements(self, shape: &Shape) -> u64 {
        match self {
            Extent::Elements => shape.elements(),
            Extent::Rows => shape.rows(),
            Extent::Columns => shape.reduced_size(),
            Extent::Dimensions(_) => self.map(shape).elements(shape),
        }
    }

    /// Returns the extent of these dimensions of a shape, or none if they are in another order.
    pub(crate) fn of(map: &IndexMap, shape: &Shape) -> Option<Extent> {
        let dimensions = map.dimensions().fold(0, |all, d| all | 1 << d);
        let extent = Extent::Dimensions(dimensions).in_shape(shape);
        (extent.map(shape) == *map).then_some(extent)
    }

    /// Returns the same dimensions of a shape by the first name that they have. The columns
    /// of a shape without parallel dimensions are all its elements.
    pub(crate) fn in_shape(self, shape: &Shape) -> Extent {
        let own = self.map(shape);
        let named = [Extent::Elements, Extent::Rows, Extent::Columns];
        named
            .into_iter()
            .find(|it| it.map(shape) == own)
            .unwrap_or(self)
    }
}

/// A reduction of any kind. Two reductions are equal if their texts are.
#[derive(Clone)]
pub struct Reduction {
    reduce: Arc<dyn Reduce>,
    /// The name and the options, which equality and hash use.
    text: Arc<[String; 2]>,
}

impl Reduction {
    /// Wraps a reduction of one kind.
    pub fn new(reduce: impl Reduce) -> Reduction {
        Reduction {
            // Equality and hash use the text, so it is made once.
            text: Arc::new([reduce.name(), reduce.options()]),
            reduce: Arc::new(reduce),
        }
    }

    /// Returns the reduction as an `arg_compare`, if it is one.
    pub fn arg_compare(&self) -> Option<&ArgCompare> {
        let reduce: &dyn Any = self.reduce.as_ref();
        reduce.downcast_ref()
    }

    /// Returns the reduction as a plain fold, if it is one.
    pub fn fold(&self) -> Option<&Fold> {
        let reduce: &dyn Any = self.reduce.as_ref();
        reduce.downcast_ref()
    }

    /// Returns the reduction as a row operation, if it is one.
    pub fn rowwise(&self) -> Option<&Rowwise> {
        let reduce: &dyn Any = self.reduce.as_ref();
        reduce.downcast_ref()
    }

    /// Returns the reduction as a map, if it is one.
    pub fn map(&self) -> Option<&Map> {
        let reduce: &dyn Any = self.reduce.as_ref();
        reduce.downcast_ref()
    }

    /// Returns the name and the options, as [`Reduce::name`] and [`Reduce::options`] give them.
    pub fn text(&self) -> (&str, &str) {
        (&self.text[0], &self.text[1])
    }
}

impl Deref for Reduction {
    type Target = dyn Reduce;

    fn deref(&self) -> &(dyn Reduce + 'static) {
        self.reduce.as_ref()
    }
}

impl fmt::Debug for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reduce.fmt(f)
    }
}

impl PartialEq for Reduction {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Reduction {}

impl Hash for Reduction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}
