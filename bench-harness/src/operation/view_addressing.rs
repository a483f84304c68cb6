//! Which elements of a tensor the checked rows see, where they see it through a view.

use configgen::view::{DimensionView, ViewSource};
use configgen::{Problem, Shape, View};

/// A view of a whole tensor: where checked rows and their columns are in it.
#[derive(Debug)]
pub(crate) struct ViewAddressing {
    /// Elements of the tensor.
    pub(crate) elements: u64,
    /// The bits of what is outside of it.
    pub(crate) outside: u64,
    /// What each checked row, and each column, adds to the number of an element, or [`OUTSIDE`].
    of_row: Vec<u32>,
    of_column: Vec<u32>,
    gathered: Vec<GatherDimension>,
}

/// A dimension along which inputs say where a row is.
#[derive(Debug)]
struct GatherDimension {
    /// The number of the input.
    input: usize,
    along: DimensionView,
    size: u32,
    stride: u64,
}

/// Nothing of it is in the tensor. Tensors that are made have fewer elements.
const OUTSIDE: u32 = u32::MAX;

impl ViewAddressing {
    /// By these rows.
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

    /// The number of the element at a column of the checked row at `place`, where inputs hold these indices; none where there is none.
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

/// What a number over the reduced, or the parallel, dimensions adds to that of an element of the tensor.
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
