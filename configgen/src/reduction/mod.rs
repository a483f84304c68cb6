//! Reductions: what becomes of the elements of a row.
//!
//! A reduction is a value: what the text of a problem says of it, which results it has, and what may be done with the
//! elements of a row, which it says itself ([`Reduce`]). Spaces, legality and layouts ask it.
//! Code that works for one kind alone, as the host's fold of [`ArgCompare`] does, asks for that
//! ([`Reduction::arg_compare`]) and says what else it does not take. `xtask/tests/it/tidy/doors.rs` counts who does, so that no more do.

mod arg_compare;
mod fold;
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
pub use rowwise::{RowFold, RowOperation, RowOutput, Rowwise};

use crate::comparator::ScalarType;
use crate::{ElementType, IndexMap, IndexType, Shape};

/// What a reduction says of itself. Everything is a function of its arguments.
pub trait Reduce: fmt::Debug + Any + Send + Sync {
    /// The kind of operation, such as `arg_compare`: what problems are filtered by.
    fn operation(&self) -> &'static str;

    /// What stands before the sizes in the text of a problem, such as `argmax`.
    fn name(&self) -> String;

    /// What stands behind the element type, such as `:i32:index_base`: each part begins with a colon.
    fn options(&self) -> String;

    /// A word of letters, digits and `_` for names of kernels.
    fn symbol(&self) -> String;

    /// Whether the elements of a row have to be taken one by one, in their order: no two parts of a row have results that
    /// could be put together, and an element that is taken twice may count twice.
    fn is_serial(&self) -> bool {
        false
    }

    /// Why that is so: a sentence that goes on, such as "argmax does not order the elements".
    fn why_serial(&self) -> String {
        String::new()
    }

    /// Whether one comparison of two elements says which of them the result is: part of rule N14 of native kernels.
    fn finds_element(&self) -> bool {
        false
    }

    /// Whether floating-point numbers are added, so that the order of a row's elements changes how
    /// its result is rounded.
    fn adds_floats(&self) -> bool {
        false
    }

    /// What a lane holds of a row while it takes its elements.
    fn state(&self, element: ElementType) -> ReductionState;

    /// The results of a row, in the order of a kernel's arguments.
    fn results(&self, element: ElementType) -> Vec<Tensor>;

    /// The inputs behind the elements, without gaps.
    fn operands(&self) -> Vec<Tensor> {
        Vec::new()
    }

    /// Whether they are read with the elements; else where a row's result asks for one.
    fn reads_operands(&self) -> bool {
        false
    }

    /// A number that a launch is given by value, behind all buffers.
    fn scalar(&self) -> Option<(IndexType, &'static str)> {
        None
    }

    /// Whether what the results hold at the launch is where the fold begins.
    fn begins_at_results(&self) -> bool {
        false
    }

    /// Bytes that any kernel must read beside the elements themselves and what the results hold.
    fn bytes_beside(&self, _: &Shape) -> u64 {
        0
    }

    /// Operations of a fold on the host for one element.
    fn operations(&self) -> u64;

    /// What the results of a row are: sentences for who calls the kernel.
    fn meaning(&self) -> String;
}

/// What a lane holds of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReductionState {
    /// Registers of 32 bits, without that of a position.
    pub words: u32,
    /// Whether a position in the row is part of it.
    pub has_position: bool,
}

/// The type of the elements of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// Elements.
    Element(ElementType),
    /// Indices.
    Index(IndexType),
}

impl Scalar {
    /// The name of the type.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Element(element) => element.name(),
            Scalar::Index(index) => index.name(),
        }
    }

    /// Size in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Scalar::Element(element) => element.bytes(),
            Scalar::Index(index) => index.bytes(),
        }
    }
}

/// As it lies in memory, where an `index` has 64 bits.
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

/// A result or an operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Its name among the arguments.
    pub name: &'static str,
    /// Type of its elements.
    pub scalar: Scalar,
    /// What an element of it is.
    pub what: &'static str,
    /// Of what it has an element.
    pub extent: Extent,
}

impl Tensor {
    /// Bytes of its buffer, which has no gaps.
    pub fn bytes(&self, shape: &Shape) -> u64 {
        self.extent.elements(shape) * u64::from(self.scalar.bytes())
    }
}

/// Of what a tensor has an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Of each element of the problem.
    Elements,
    /// Of each row: it has the parallel dimensions.
    Rows,
    /// Of each place in a row: it has the reduced dimensions.
    Columns,
}

impl Extent {
    /// Which dimensions of a problem such a tensor has, in their order.
    pub fn map(self, shape: &Shape) -> IndexMap {
        let has = |d: &usize| match self {
            Extent::Elements => true,
            Extent::Rows => !shape.is_reduced(*d),
            Extent::Columns => shape.is_reduced(*d),
        };
        let dimensions: Vec<usize> = (0..shape.rank()).filter(has).collect();
        IndexMap::new(&dimensions, shape.rank()).expect("each dimension is there once")
    }

    /// How many there are.
    pub fn elements(self, shape: &Shape) -> u64 {
        match self {
            Extent::Elements => shape.elements(),
            Extent::Rows => shape.rows(),
            Extent::Columns => shape.reduced_size(),
        }
    }
}

/// A reduction. Two are the same if a problem's text says the same of them.
#[derive(Clone)]
pub struct Reduction {
    reduce: Arc<dyn Reduce>,
    /// Its name and its options, by which it is compared.
    text: Arc<[String; 2]>,
}

impl Reduction {
    /// The reduction that says this of itself.
    pub fn new(reduce: impl Reduce) -> Reduction {
        Reduction {
            text: Arc::new([reduce.name(), reduce.options()]),
            reduce: Arc::new(reduce),
        }
    }

    /// The reduction by a comparator, where it is one.
    pub fn arg_compare(&self) -> Option<&ArgCompare> {
        let reduce: &dyn Any = self.reduce.as_ref();
        reduce.downcast_ref()
    }

    /// The plain reduction, where it is one.
    pub fn fold(&self) -> Option<&Fold> {
        let reduce: &dyn Any = self.reduce.as_ref();
        reduce.downcast_ref()
    }

    /// The operation whose rows are used again, where it is one.
    pub fn rowwise(&self) -> Option<&Rowwise> {
        let reduce: &dyn Any = self.reduce.as_ref();
        reduce.downcast_ref()
    }

    /// What reduces nothing, where it is that.
    pub fn map(&self) -> Option<&Map> {
        let reduce: &dyn Any = self.reduce.as_ref();
        reduce.downcast_ref()
    }

    /// Its name and its options, as [`Reduce::name`] and [`Reduce::options`] give them.
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
