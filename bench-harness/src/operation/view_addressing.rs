//! View addressing: the elements of a tensor that the checked rows see through a view.

use configgen::view::{DimensionView, ViewSource};
use configgen::{Problem, Shape, View};

use super::gather_indices::{GatherIndices, LARGE_TENSOR};
use super::held_blocks::HeldBlocks;

/// A view of a tensor, with the offsets of the checked rows and of their columns.
#[derive(Debug)]
pub(crate) struct ViewAddressing {
    /// The number of elements that the bench holds: all of the tensor, or the blocks that the
    /// checked rows can read.
    pub(crate) elements: u64,
    held: Option<HeldBlocks>,
    /// The bits that the view reads outside of the tensor.
    pub(crate) outside: u64,
    /// The summands of each checked row and of each column in an element's number, or
    /// [`OUTSIDE`].
    of_row: Vec<u64>,
    of_column: Vec<u64>,
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

/// The mark of a row or column outside of the tensor.
const OUTSIDE: u64 = u64::MAX;

/// The number of reads of a large tensor that are listed to find the blocks to hold. Beyond it, the
/// bench holds the whole tensor.
const MOST_READS: usize = 1 << 27;

impl ViewAddressing {
    /// Creates the addressing of the checked rows.
    pub(crate) fn new(problem: &Problem, view: &View, checked: &[u64]) -> ViewAddressing {
        let shape = &problem.shape;
        let part =
            |reduced: bool, number: u64| part(shape, view, reduced, number).unwrap_or(OUTSIDE);
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
        let mut addressing = ViewAddressing {
            elements: view.elements(shape),
            held: None,
            outside: view.outside(),
            of_row: checked.iter().map(|&row| part(false, row)).collect(),
            of_column: (0..shape.reduced_size())
                .map(|column| part(true, column))
                .collect(),
            gathered: gathered.collect(),
        };
        if addressing.elements > LARGE_TENSOR {
            addressing.held = addressing.blocks(problem);
        }
        if let Some(held) = &addressing.held {
            addressing.elements = held.len();
        }
        addressing
    }

    /// Returns the blocks of a large tensor that the checked rows can read. `None` if too many
    /// reads are possible.
    fn blocks(&self, problem: &Problem) -> Option<HeldBlocks> {
        // Many rows differ only in gathered dimensions, and have the same part.
        let parts = |all: &[u64]| {
            let mut parts: Vec<u64> = all.iter().copied().filter(|&it| it != OUTSIDE).collect();
            parts.sort_unstable();
            parts.dedup();
            parts
        };
        let mut starts = parts(&self.of_row);
        for gathered in &self.gathered {
            let indices = GatherIndices::of(problem, gathered.input)?;
            let places = indices.few()?.iter();
            let places: Vec<u64> = places.filter_map(|&index| gathered.part(index)).collect();
            if starts.len().saturating_mul(places.len()) > MOST_READS {
                return None;
            }
            let sums = starts
                .iter()
                .flat_map(|start| places.iter().map(move |it| start + it));
            starts = sums.collect();
        }
        let columns = parts(&self.of_column);
        if starts.len().saturating_mul(columns.len()) > MOST_READS {
            return None;
        }
        let read = starts
            .iter()
            .flat_map(|start| columns.iter().map(move |it| start + it));
        Some(HeldBlocks::new(self.elements, read))
    }

    /// Passes the held elements, `size` bytes each, to `write`, with their byte offsets in the
    /// tensor.
    ///
    /// # Errors
    /// The first error of `write`.
    pub(crate) fn write<E>(
        &self,
        bytes: &[u8],
        size: u64,
        mut write: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match &self.held {
            None => write(0, bytes),
            Some(held) => held.write(bytes, size, write),
        }
    }

    /// Returns the number, among the held ones, of the element at a column of the checked row at
    /// `place`. `held` returns the gather index of an input. `None` if the element lies outside of
    /// the tensor.
    pub(crate) fn element(
        &self,
        place: usize,
        column: usize,
        held: impl Fn(usize) -> i64,
    ) -> Option<usize> {
        let mut number = match (self.of_row[place], self.of_column[column]) {
            (OUTSIDE, _) | (_, OUTSIDE) => return None,
            (row, column) => row + column,
        };
        for gathered in &self.gathered {
            number += gathered.part(held(gathered.input))?;
        }
        Some(match &self.held {
            None => number as usize,
            Some(held) => held.position(number),
        })
    }
}

impl GatherDimension {
    /// Returns the summand of an index, or `None` outside of the tensor.
    fn part(&self, index: i64) -> Option<u64> {
        // An i64 index may overflow when negated or shifted, so this computes in 128 bits.
        let index = match self.along.is_reversed {
            true => -i128::from(index),
            false => i128::from(index),
        };
        let at = u32::try_from(index + i128::from(self.along.offset));
        let at = at.ok().filter(|at| *at < self.size)?;
        Some(u64::from(at) * self.stride)
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
