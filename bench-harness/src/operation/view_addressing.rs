//! View addressing: the elements of a tensor that the checked rows see through a view.

use configgen::view::{DimensionView, ViewSource};
use configgen::{Problem, Shape, View};

/// A view of a whole tensor, with the offsets of the checked rows and of their columns.
#[derive(Debug)]
pub(crate) struct ViewAddressing {
    /// The number of elements of the tensor.
    pub(crate) elements: u64,
    /// The bits that the view reads outside of the tensor.
    pub(crate) outside: u64,
    /// The summands of each checked row and of each column in an element's number, or
    /// [`OUTSIDE`].
    of_row: Vec<u32>,
    of_column: Vec<u32>,
    gathered: Vec<GatherDimension>,
}

/// A dimension of the tensor that follows the indices in an input.
#[derive(Debug)]
struct GatherDimension {
    /// The input's number.
    input: usize,
    along: DimensionView,
    size: u32,
    stride: u64,
}

/// The mark of a row or column outside of the tensor. The tensors of a bench have fewer elements.
const OUTSIDE: u32 = u32::MAX;

impl ViewAddressing {
    /// Creates the addressing of the checked rows.
    pub(crate) fn new(problem: &Problem, view: &View, checked: &[u64]) -> ViewAddressing {
        let shape = &problem.shape;
        let part = |reduced: bool, number: u64| {
            let part = part(shape, view, reduced, number);
            part.and_then(|it| u32::try_from(it).ok())
                .unwrap_or(OUTSIDE)
        };
        let along = view.along().iter().zip(view.strides(shape));
        let gathered = along.filter_map(|(along, stride)| match along.by {
            ViewSource::Dimension(_) => None,
            ViewSource::Gathered(input) => Some(GatherDimension {
                input,
                along: *along,
                size: along.size(shape),
                stride,
            }),
        });
        ViewAddressing {
            elements: view.elements(shape),
            outside: view.outside(),
            of_row: checked.iter().map(|&row| part(false, row)).collect(),
            of_column: (0..shape.reduced_size())
                .map(|column| part(true, column))
                .collect(),
            gathered: gathered.collect(),
        }
    }

    /// Returns the number of the element at a column of the checked row at `place`. `held`
    /// returns the gather index of an input. `None` if the element lies outside of the tensor.
    pub(crate) fn element(
        &self,
        place: usize,
        column: usize,
        held: impl Fn(usize) -> i64,
    ) -> Option<usize> {
        let mut number = match (self.of_row[place], self.of_column[column]) {
            (OUTSIDE, _) | (_, OUTSIDE) => return None,
            (row, column) => u64::from(row) + u64::from(column),
        };
        for gathered in &self.gathered {
            // An i64 index may overflow when negated or shifted, so this computes in 128 bits.
            let index = i128::from(held(gathered.input));
            let index = if gathered.along.is_reversed {
                -index
            } else {
                index
            };
            let at = index + i128::from(gathered.along.offset);
            let at = u32::try_from(at).ok().filter(|at| *at < gathered.size)?;
            number += u64::from(at) * gathered.stride;
        }
        Some(number as usize)
    }
}

/// Returns the summand of a number over the reduced (or the parallel) dimensions, or `None`
/// outside of the tensor.
fn part(shape: &Shape, view: &View, reduced: bool, number: u64) -> Option<u64> {
    let strides = view.strides(shape);
    let (mut left, mut sum) = (number, 0);
    for d in (0..shape.rank())
        .rev()
        .filter(|&d| shape.is_reduced(d) == reduced)
    {
        let size = u64::from(shape.sizes()[d]);
        let at = left % size;
        left /= size;
        let follows = |it: &(&DimensionView, &u64)| it.0.dimension() == Some(d);
        if let Some((along, stride)) = view.along().iter().zip(&strides).find(follows) {
            let place = u64::try_from(along.place(at)).ok();
            sum += place.filter(|&it| it < along.size(shape).into())? * stride;
        }
    }
    Some(sum)
}
