//! Views: how the places of a problem are those of a tensor that has sizes of its own.
//!
//! Each dimension of the tensor follows one of the problem's, forwards or backwards, moved by an offset. A place that is
//! outside of the tensor has a given value. So a view is a slice, a pad, a reversal or a transposition, or several of these
//! at once. It is written as the dimensions of an operand are: `(0,1-2:100=-1)` has at `[d0, d1]` what a tensor of 100
//! columns has at `[d0, d1 - 2]`, and -1 where there is nothing; `(0,-1+767)` is reversed. In the place of a dimension may
//! stand what another input holds there, which then is *gathered* by: `(@1:50000,2)` are the rows of a table that input 1 names.
//!
//! A view says which element is taken, and nothing of what it is taken for.

use std::fmt;
use std::ops::Range;

use arrayvec::ArrayVec;

use crate::comparator::ScalarType;
use crate::literal::Literal;
use crate::shape::{MAX_ELEMENTS, MAX_RANK};
use crate::{ElementType, IndexMap, Shape};

/// What a dimension of a tensor follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ViewSource {
    /// The place along a dimension of the problem.
    Dimension(usize),
    /// What the input with this number holds at the place: an integer with a sign, which may be any.
    Gathered(usize),
}

/// How a dimension of a tensor follows a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimensionView {
    /// The place.
    pub by: ViewSource,
    /// Whether the tensor's places come backwards.
    pub is_reversed: bool,
    /// What is added to the place, or to minus that.
    pub offset: i32,
    /// The tensor's size; none where it is that of the problem's dimension.
    pub size: Option<u32>,
}

/// A view of a tensor, of which the dimensions are listed, outermost in memory first. The tensor has no gaps.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct View {
    along: ArrayVec<DimensionView, MAX_RANK>,
    /// The bits of an element outside of the tensor; 0 where there is none.
    outside: u64,
}

impl View {
    /// The view with these dimensions, each of the problem at most once, in the form in which equal ones are equal.
    ///
    /// # Errors
    /// Where the problem has no such view: the number of the dimension that is wrong, and why.
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
                    "an input may have each of the problem's dimensions once, counted from 0 to {}",
                    rank - 1
                );
                return Err((number, message));
            }
            if view.along.is_full() {
                let message = format!("a tensor may have at most {MAX_RANK} dimensions");
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
        if !view.along.iter().any(|it| it.leaves(shape)) {
            view.outside = 0;
        }
        Ok(view)
    }

    /// The dimensions of the tensor, outermost in memory first.
    pub fn along(&self) -> &[DimensionView] {
        &self.along
    }

    /// The bits of an element where there is none.
    pub fn outside(&self) -> u64 {
        self.outside
    }

    /// Which dimensions of the problem the tensor has, where that is all.
    pub fn as_map(&self, shape: &Shape) -> Option<IndexMap> {
        // What is gathered has a size, and is none.
        let is_plain = |it: &DimensionView| !it.is_reversed && it.offset == 0 && it.size.is_none();
        (self.along.iter().all(is_plain)).then(|| self.dimensions(shape))
    }

    /// The dimensions of the problem that the tensor's follow.
    pub fn dimensions(&self, shape: &Shape) -> IndexMap {
        let dimensions: ArrayVec<usize, MAX_RANK> = self
            .along
            .iter()
            .filter_map(DimensionView::dimension)
            .collect();
        IndexMap::new(&dimensions, shape.rank()).expect("each dimension is there once")
    }

    /// The sizes of the tensor.
    pub fn sizes(&self, shape: &Shape) -> ArrayVec<u32, MAX_RANK> {
        self.along.iter().map(|it| it.size(shape)).collect()
    }

    /// Of each dimension of the tensor, elements from a place to its neighbour.
    pub fn strides(&self, shape: &Shape) -> ArrayVec<u64, MAX_RANK> {
        let sizes = self.sizes(shape);
        let inner = |d: usize| sizes[d + 1..].iter().map(|&size| u64::from(size)).product();
        (0..sizes.len()).map(inner).collect()
    }

    /// Elements of the tensor.
    pub fn elements(&self, shape: &Shape) -> u64 {
        self.along
            .iter()
            .map(|it| u64::from(it.size(shape)))
            .product()
    }

    /// The inputs by which it is gathered.
    pub fn gather_inputs(&self) -> impl Iterator<Item = usize> + '_ {
        self.along.iter().filter_map(|it| match it.by {
            ViewSource::Dimension(_) => None,
            ViewSource::Gathered(input) => Some(input),
        })
    }

    /// Elements of the tensor that the problem has a place for, if inputs hold so many indices, by their number, which all differ.
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

    /// "of a tensor of 64 x 764: [d0, d1 - 2], outside of it 0".
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

    /// As it is written behind the type of the elements.
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
    /// The dimension of the problem that it follows, if it does.
    pub fn dimension(&self) -> Option<usize> {
        match self.by {
            ViewSource::Dimension(dimension) => Some(dimension),
            ViewSource::Gathered(_) => None,
        }
    }

    /// The tensor's size.
    pub fn size(&self, shape: &Shape) -> u32 {
        let of_problem = || self.dimension().map(|d| shape.sizes()[d]);
        self.size.or_else(of_problem).unwrap_or(1)
    }

    /// The place in the tensor for one along the dimension, which may be outside.
    pub fn place(&self, at: u64) -> i64 {
        let at = at as i64;
        i64::from(self.offset) + if self.is_reversed { -at } else { at }
    }

    /// The places along the dimension that are inside of the tensor; none of what is gathered.
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
        // Sizes have 31 bits.
        let start = start.clamp(0, along) as u32;
        start..(end.clamp(0, along) as u32).max(start)
    }

    /// Whether some places are outside.
    pub fn leaves(&self, shape: &Shape) -> bool {
        let dimension = self.dimension();
        dimension.is_none_or(|d| self.inside(shape) != (0..shape.sizes()[d]))
    }

    /// "d1 - 2".
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

    /// The same without what changes nothing.
    fn canonical(self, shape: &Shape) -> DimensionView {
        let Some(dimension) = self.dimension() else {
            return self;
        };
        let along = shape.sizes()[dimension];
        let is_counted = shape.is_counted(dimension);
        DimensionView {
            is_reversed: self.is_reversed && (is_counted || along > 1),
            size: self.size.filter(|&size| is_counted || size != along),
            ..self
        }
    }

    /// Whether the problem may have it as the tensor's dimension number `number`.
    fn check(&self, number: usize, shape: &Shape) -> Result<(), String> {
        let Some(dimension) = self.dimension() else {
            return match self.size {
                Some(_) => Ok(()),
                None => {
                    Err("a gathered dimension must have a size, as in \"(@1:50000)\"".to_owned())
                }
            };
        };
        if !shape.is_counted(dimension) {
            return match self.inside(shape).is_empty() {
                true => Err("the problem does not read any element of the tensor".to_owned()),
                false => Ok(()),
            };
        }
        // The strides of the others must not depend on a count that is not known.
        if number > 0 {
            return Err(
                "a dimension whose size is known at launch only must be the input's outermost one"
                    .to_owned(),
            );
        }
        match (self.is_reversed, self.offset, self.size) {
            (false, 0, None) => Ok(()),
            _ => Err("a dimension whose size is known at launch only may not be reversed, offset or resized".to_owned()),
        }
    }
}

/// `1`, `-1+767`, `1-2:100`, `@1:50000`.
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
