//! The inputs behind the first.

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
    /// Type of its elements.
    pub scalar: Scalar,
    /// What an element of it is.
    pub what: &'static str,
    /// Which of the problem's dimensions it has.
    pub map: IndexMap,
    /// How its places follow these dimensions, where it is not a tensor that has them as they are.
    pub view: Option<View>,
}

impl ProblemInput {
    /// The sizes of its tensor, outermost first.
    pub fn sizes(&self, shape: &Shape) -> ArrayVec<u32, MAX_RANK> {
        match &self.view {
            None => self.map.sizes(shape),
            Some(view) => view.sizes(shape),
        }
    }

    /// Elements of its tensor.
    pub fn elements(&self, shape: &Shape) -> u64 {
        let sizes = self.sizes(shape).into_iter();
        sizes.map(u64::from).product()
    }

    /// Bytes of its buffer.
    pub fn bytes(&self, shape: &Shape) -> u64 {
        self.elements(shape) * u64::from(self.scalar.bytes())
    }
}

impl Problem {
    /// The inputs behind the first, in the order of a kernel's arguments: the operands of the function that are tensors, then those
    /// of the reduction.
    pub fn operands(&self) -> Vec<ProblemInput> {
        let function = self.function.iter().flat_map(|it| it.operands());
        let of_function = function.zip(1..).filter(|(operand, _)| !operand.is_place);
        let of_function = of_function.map(|(operand, number)| ProblemInput {
            name: format!("operand_{number}").into(),
            scalar: Scalar::Element(operand.element),
            what: "what is reduced is computed of it",
            map: operand.map.clone(),
            view: operand.view.clone(),
        });
        let of_reduction = self
            .reduction
            .operands()
            .into_iter()
            .map(|tensor| ProblemInput {
                name: tensor.name.into(),
                scalar: tensor.scalar,
                what: tensor.what,
                map: tensor.extent.map(&self.shape),
                view: None,
            });
        of_function.chain(of_reduction).collect()
    }

    /// The dimensions along which an input has neighbours in memory: for each input that is read at most one.
    pub(crate) fn input_neighbours(&self) -> ArrayVec<usize, { MAX_ARGUMENTS }> {
        let shape = &self.shape;
        let of_view = |view: &View| {
            let along = view.along().iter().rev();
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

    /// The inputs of which elements are read with those of the problem's own, which is not among them.
    pub fn read_operands(&self) -> Vec<ProblemInput> {
        let function = self.function.iter().flat_map(|it| it.operands());
        let of_function = function.filter(|it| !it.is_place).count();
        let mut operands = self.operands();
        if !self.reduction.reads_operands() {
            operands.truncate(of_function);
        }
        operands
    }
}
