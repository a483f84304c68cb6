//! Views: inputs that are tensors with sizes of their own.
//!
//! Each dimension of the tensor follows one dimension of the problem, forwards or backwards,
//! moved by an offset. An index outside of the tensor gives a fixed value. A view is therefore a
//! slice, a pad, a reversal or a transposition, or several of these at once.
//!
//! The text of a view lists the tensor's dimensions, as the text of an operand does:
//!
//! - `(0,1-2:100=-1)` has at `[d0, d1]` the element `[d0, d1 - 2]` of a tensor of 100 columns,
//!   and -1 outside of the tensor.
//! - `(0,-1+767)` is reversed.
//! - `(@1:50000,2)` is *gathered*: input 1 holds the index, here the row of a table.

use std::fmt;
use std::ops::Range;

use arrayvec::ArrayVec;

use crate::comparator::ScalarType;
use crate::literal::Literal;
use crate::shape::{MAX_ELEMENTS, MAX_RANK};
use crate::{ElementType, IndexMap, Shape};

/// The source of the index along a dimension of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ViewSource {
    /// The index along a dimension of the problem.
    Dimension(usize),
    /// The element of the input with this number: a signed integer of any value.
    Gathered(usize),
}

/// The function from an index of the problem to one along a dimension of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimensionView {
    /// The source of the index.
    pub by: ViewSource,
    /// Set if the tensor's indices run backwards.
    pub is_reversed: bool,
    /// The summand that is added to the index, or to its negative if reversed.
    pub offset: i32,
    /// The tensor's size, or none if it is the size of the problem's dimension.
    pub size: Option<u32>,
}

/// A view of a dense tensor: its dimensions, outermost in memory first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct View {
    along: ArrayVec<DimensionView, MAX_RANK>,
    /// The bits of an element outside of the tensor; 0 if no index is outside.
    outside: u64,
}

impl View {
    /// Creates the view with these dimensions, in a canonical form.
    ///
    /// Each dimension of the problem may occur once at most.
    ///
    /// # Errors
    /// Returns the number of the wrong dimension and the reason.
    pub(crate) fn new(
        along: &[DimensionView],
        outside: u64,
        shape: &Shape,
    ) -> Result<View, (usize, String)> {
        let rank = shape.rank();
        let mut view = View {
            along: ArrayVec::new(),
            outside,
        };
        let mut elements = 1u64;
        for (number, along) in along.iter().enumerate() {
            let dimension = along.dimension();
            let is_known = view.along.iter().any(|it| it.dimension() == dimension);
            if dimension.is_some_and(|it| is_known || it >= rank) {
                let message = format!(
                    "an input has dimensions of the problem, which are counted from 0 to {}, each once",
                    rank - 1
                );
                return Err((number, message));
            }
            if view.along.is_full() {
                let message = format!("a tensor has at most {MAX_RANK} dimensions");
                return Err((number, message));
            }
            view.along.push(along.canonical(shape));
            let along = &view.along[number];
            along
                .check(number, shape)
                .map_err(|message| (number, message))?;
            elements = elements.saturating_mul(along.size(shape).into());
            if elements > MAX_ELEMENTS {
                return Err((number, "the tensor has more than 2^40 elements".to_owned()));
            }
        }
        // Equal views must compare equal, so a value that no index reads becomes 0.
        if !view.along.iter().any(|it| it.leaves(shape)) {
            view.outside = 0;
        }
        Ok(view)
    }

    /// Returns the dimensions of the tensor, outermost in memory first.
    pub fn along(&self) -> &[DimensionView] {
        &self.along
    }

    /// Returns the bits of an element outside of the tensor.
    pub fn outside(&self) -> u64 {
        self.outside
    }

    /// Returns the view as an index map, if the view changes no index and no size.
    pub fn as_map(&self, shape: &Shape) -> Option<IndexMap> {
        // A gathered dimension always has a size, so it is not plain.
        let is_plain = |it: &DimensionView| !it.is_reversed && it.offset == 0 && it.size.is_none();
        (self.along.iter().all(is_plain)).then(|| self.dimensions(shape))
    }

    /// Returns the dimensions of the problem that the tensor's dimensions follow.
    pub fn dimensions(&self, shape: &Shape) -> IndexMap {
        let dimensions: ArrayVec<usize, MAX_RANK> = self
            .along
            .iter()
            .filter_map(DimensionView::dimension)
            .collect();
        IndexMap::new(&dimensions, shape.rank()).expect("each dimension is there once")
    }

    /// Returns the sizes of the tensor.
    pub fn sizes(&self, shape: &Shape) -> ArrayVec<u32, MAX_RANK> {
        self.along.iter().map(|it| it.size(shape)).collect()
    }

    /// Returns the stride of each dimension of the tensor, in elements.
    pub fn strides(&self, shape: &Shape) -> ArrayVec<u64, MAX_RANK> {
        let sizes = self.sizes(shape);
        let inner = |d: usize| sizes[d + 1..].iter().map(|&size| u64::from(size)).product();
        (0..sizes.len()).map(inner).collect()
    }

    /// Returns the number of elements of the tensor.
    pub fn elements(&self, shape: &Shape) -> u64 {
        self.along
            .iter()
            .map(|it| u64::from(it.size(shape)))
            .product()
    }

    /// Returns the numbers of the inputs that hold gathered indices.
    pub fn gather_inputs(&self) -> impl Iterator<Item = usize> + '_ {
        self.along.iter().filter_map(|it| match it.by {
            ViewSource::Dimension(_) => None,
            ViewSource::Gathered(input) => Some(input),
        })
    }

    /// Returns the number of elements of the tensor that the problem can read.
    ///
    /// `indices` gives the number of indices in a gathering input. The count assumes that they
    /// all differ.
    pub fn reached(&self, shape: &Shape, indices: impl Fn(usize) -> u64) -> u64 {
        let along = self.along.iter().map(|it| match it.by {
            ViewSource::Dimension(_) => {
                let inside = it.inside(shape);
                u64::from(inside.end - inside.start)
            }
            ViewSource::Gathered(input) => indices(input).min(it.size(shape).into()),
        });
        along.product()
    }

    /// Returns a description: "of a tensor of 64 x 764: [d0, d1 - 2], outside of it 0".
    pub fn words(&self, element: ElementType, shape: &Shape) -> String {
        let sizes: Vec<String> = self.sizes(shape).iter().map(u32::to_string).collect();
        let along: Vec<String> = self.along.iter().map(DimensionView::words).collect();
        let outside = match self.along.iter().any(|it| it.leaves(shape)) {
            true => format!(
                ", outside of it {}",
                Literal(ScalarType::from(element), self.outside)
            ),
            false => String::new(),
        };
        format!(
            "of a tensor of {}: [{}]{outside}",
            sizes.join(" x "),
            along.join(", ")
        )
    }

    /// Returns the text of the view behind the element type.
    pub(crate) fn text(&self, element: ElementType) -> impl fmt::Display {
        fmt::from_fn(move |f| {
            for (number, along) in self.along.iter().enumerate() {
                let comma = if number == 0 { "" } else { "," };
                write!(f, "{comma}{along}")?;
            }
            match self.outside {
                0 => Ok(()),
                bits => write!(f, "={}", Literal(ScalarType::from(element), bits)),
            }
        })
    }
}

impl DimensionView {
    /// Returns the dimension of the problem that it follows, or none if it is gathered.
    pub fn dimension(&self) -> Option<usize> {
        match self.by {
            ViewSource::Dimension(dimension) => Some(dimension),
            ViewSource::Gathered(_) => None,
        }
    }

    /// Returns the tensor's size.
    pub fn size(&self, shape: &Shape) -> u32 {
        let of_problem = || self.dimension().map(|d| shape.sizes()[d]);
        self.size.or_else(of_problem).unwrap_or(1)
    }

    /// Returns the tensor index for an index along the dimension. It may be outside of the
    /// tensor.
    pub fn place(&self, at: u64) -> i64 {
        let at = at as i64;
        i64::from(self.offset) + if self.is_reversed { -at } else { at }
    }

    /// Returns the indices of the dimension that are inside of the tensor; empty if gathered.
    pub fn inside(&self, shape: &Shape) -> Range<u32> {
        let Some(dimension) = self.dimension() else {
            return 0..0;
        };
        let (size, offset) = (i64::from(self.size(shape)), i64::from(self.offset));
        let (start, end) = match self.is_reversed {
            false => (-offset, size - offset),
            true => (offset - size + 1, offset + 1),
        };
        let along = i64::from(shape.sizes()[dimension]);
        // The clamped values fit u32, because sizes have 31 bits.
        let start = start.clamp(0, along) as u32;
        start..(end.clamp(0, along) as u32).max(start)
    }

    /// Returns whether some indices are outside of the tensor.
    pub fn leaves(&self, shape: &Shape) -> bool {
        let dimension = self.dimension();
        // A gathered index may have any value, so it may be outside.
        dimension.is_none_or(|d| self.inside(shape) != (0..shape.sizes()[d]))
    }

    /// Returns the index as text: "d1 - 2".
    fn words(&self) -> String {
        let sign = if self.is_reversed { "-" } else { "" };
        let moved = match self.offset {
            0 => String::new(),
            offset if offset < 0 => format!(" - {}", offset.unsigned_abs()),
            offset => format!(" + {offset}"),
        };
        match self.by {
            ViewSource::Dimension(dimension) => format!("{sign}d{dimension}{moved}"),
            ViewSource::Gathered(0) => format!("{sign}input{moved}"),
            ViewSource::Gathered(input) => format!("{sign}operand_{input}{moved}"),
        }
    }

    /// Returns the same view without parts that change nothing.
    fn canonical(self, shape: &Shape) -> DimensionView {
        let Some(dimension) = self.dimension() else {
            return self;
        };
        let along = shape.sizes()[dimension];
        let is_counted = shape.is_counted(dimension);
        DimensionView {
            // Reversal of one element does nothing; its size must be known to be sure of that.
            is_reversed: self.is_reversed && (is_counted || along > 1),
            size: self.size.filter(|&size| is_counted || size != along),
            ..self
        }
    }

    /// Checks that the problem may have this view as the tensor's dimension `number`.
    fn check(&self, number: usize, shape: &Shape) -> Result<(), String> {
        let Some(dimension) = self.dimension() else {
            return match self.size {
                Some(_) => Ok(()),
                None => {
                    Err("a dimension that is gathered has a size, as in \"(@1:50000)\"".to_owned())
                }
            };
        };
        if !shape.is_counted(dimension) {
            return match self.inside(shape).is_empty() {
                true => Err("no place of the problem is inside of the tensor".to_owned()),
                false => Ok(()),
            };
        }
        // The strides of the other dimensions must not depend on an open count.
        if number > 0 {
            return Err(
                "a dimension whose size is known at launch only is an input's outermost one"
                    .to_owned(),
            );
        }
        match (self.is_reversed, self.offset, self.size) {
            (false, 0, None) => Ok(()),
            _ => Err("a dimension whose size is known at launch only is taken as it is".to_owned()),
        }
    }
}

/// Prints `1`, `-1+767`, `1-2:100`, `@1:50000`.
impl fmt::Display for DimensionView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_reversed { "-" } else { "" };
        match self.by {
            ViewSource::Dimension(dimension) => write!(f, "{sign}{dimension}")?,
            ViewSource::Gathered(input) => write!(f, "{sign}@{input}")?,
        }
        match self.offset {
            0 => {}
            offset => write!(f, "{offset:+}")?,
        }
        match self.size {
            None => Ok(()),
            Some(size) => write!(f, ":{size}"),
        }
    }
}

#[cfg(test)]
mod tests;
