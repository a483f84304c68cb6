//! The tensors of a reduction: their element types, and the part of a problem that they have.

use std::fmt;

use crate::comparator::ScalarType;
use crate::{ElementType, IndexMap, IndexType, Shape};

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
