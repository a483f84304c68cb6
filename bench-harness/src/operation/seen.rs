//! Which elements of a tensor the checked rows see, where they see it through a view.

use configgen::view::Along;
use configgen::{Problem, Shape, View};

/// A view of a whole tensor: where checked rows and their columns are in it.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Elements of the tensor.
    pub(crate) elements: u64,
    /// The bits of what is outside of it.
    pub(crate) outside: u64,
    /// What each checked row, and each column, adds to the number of an element, or [`OUTSIDE`].
    of_row: Vec<u32>,
    of_column: Vec<u32>,
}

/// Nothing of it is in the tensor. Tensors that are made have fewer elements.
const OUTSIDE: u32 = u32::MAX;

impl Seen {
    /// By these rows.
    pub(crate) fn new(problem: &Problem, view: &View, checked: &[u64]) -> Seen {
        let shape = &problem.shape;
        let part = |reduced: bool, number: u64| {
            let part = part(shape, view, reduced, number);
            part.and_then(|it| u32::try_from(it).ok())
                .unwrap_or(OUTSIDE)
        };
        Seen {
            elements: view.elements(shape),
            outside: view.outside(),
            of_row: checked.iter().map(|&row| part(false, row)).collect(),
            of_column: (0..shape.reduced_size())
                .map(|column| part(true, column))
                .collect(),
        }
    }

    /// The number of the element at a column of the checked row at `place`; none where there is none.
    pub(crate) fn element(&self, place: usize, column: usize) -> Option<usize> {
        match (self.of_row[place], self.of_column[column]) {
            (OUTSIDE, _) | (_, OUTSIDE) => None,
            (row, column) => Some((row + column) as usize),
        }
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
        let follows = |it: &(&Along, &u64)| it.0.dimension == d;
        if let Some((along, stride)) = view.along().iter().zip(&strides).find(follows) {
            let place = u64::try_from(along.place(at)).ok();
            sum += place.filter(|&it| it < along.size(shape).into())? * stride;
        }
    }
    Some(sum)
}
