//! The inputs of a problem behind the first.

use std::borrow::Cow;

use arrayvec::ArrayVec;

use super::Problem;
use crate::comparator::MAX_ARGUMENTS;
use crate::reduction::Scalar;
use crate::shape::MAX_RANK;
use crate::view::DimensionView;
use crate::{IndexMap, Shape, View};

/// An input behind the first. It lies in memory without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemInput {
    /// Its name among the arguments.
    pub name: Cow<'static, str>,
    /// The type of its elements.
    pub scalar: Scalar,
    /// The meaning of an element.
    pub what: &'static str,
    /// The problem dimensions that it has.
    pub map: IndexMap,
    /// The mapping from these dimensions to its elements, if it differs from the dimensions
    /// themselves.
    pub view: Option<View>,
}

impl ProblemInput {
    /// Returns the sizes of its tensor, outermost first.
    pub fn sizes(&self, shape: &Shape) -> ArrayVec<u32, MAX_RANK> {
        match &self.view {
            None => self.map.sizes(shape),
            Some(view) => view.sizes(shape),
        }
    }

    /// Returns the number of elements of its tensor.
    pub fn elements(&self, shape: &Shape) -> u64 {
        let sizes = self.sizes(shape).into_iter();
        sizes.map(u64::from).product()
    }

    /// Returns the bytes of its buffer.
    pub fn bytes(&self, shape: &Shape) -> u64 {
        self.elements(shape) * u64::from(self.scalar.bytes())
    }
}

impl Problem {
    /// Returns the inputs behind the first, in the order of a kernel's arguments.
    ///
    /// The function's tensor operands come first, then the reduction's operands.
    pub fn operands(&self) -> Vec<ProblemInput> {
        let function = self.function.iter().flat_map(|it| it.operands());
        // An operand that is an index has no buffer, but it counts in the numbers of the
        // function's text.
        let of_function = function.zip(1..).filter(|(operand, _)| !operand.is_place);
        let of_function = of_function.map(|(operand, number)| ProblemInput {
            name: format!("operand_{number}").into(),
            scalar: Scalar::Element(operand.element),
            what: "what is reduced is computed of it",
            map: operand.map.clone(),
            view: operand.view.clone(),
        });
        let of_reduction = self.reduction.operands().iter().map(|tensor| ProblemInput {
            name: tensor.name.into(),
            scalar: tensor.scalar,
            what: tensor.what,
            map: tensor.extent.map(&self.shape),
            view: None,
        });
        of_function.chain(of_reduction).collect()
    }

    /// Returns the dimensions along which an input is contiguous: at most one per input that is
    /// read.
    pub(crate) fn input_neighbours(&self) -> ArrayVec<usize, { MAX_ARGUMENTS }> {
        let shape = &self.shape;
        let of_view = |view: &View| {
            let along = view.along().iter().rev();
            // A dimension of size 1 has no neighbours, so the next one outwards is the contiguous
            // one.
            let mut wide = along.filter(|it| it.size(shape) > 1);
            wide.next().and_then(DimensionView::dimension)
        };
        let of_map = |map: &IndexMap| {
            let mut dimensions = map.dimensions().rev();
            dimensions.find(|&d| shape.sizes()[d] > 1)
        };
        let own = match self.view() {
            Some(view) => of_view(view),
            None => of_map(&IndexMap::all(shape.rank())),
        };
        let operands = self.read_operands().into_iter();
        let operands = operands.map(|input| match &input.view {
            Some(view) => of_view(view),
            None => of_map(&input.map),
        });
        std::iter::once(own).chain(operands).flatten().collect()
    }

    /// Returns the operands that a kernel reads element by element with the problem's own input.
    pub fn read_operands(&self) -> Vec<ProblemInput> {
        let function = self.function.iter().flat_map(|it| it.operands());
        let of_function = function.filter(|it| !it.is_place).count();
        let mut operands = self.operands();
        // The reduction's operands are read later, if a row's result selects one.
        if !self.reduction.reads_operands() {
            operands.truncate(of_function);
        }
        operands
    }
}
