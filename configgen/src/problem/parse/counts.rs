//! The parser of `?` and of the range of its counts.

use super::Parser;
use crate::problem::ProblemError;
use crate::shape::{MAX_ELEMENTS, Shape};

/// The smallest count of a dimension `?` until the parser knows it.
pub(super) const OPEN: u32 = 0;

/// The default range: batch sizes of served models.
///
/// Canonical text always has the range, so another default would not change stored problems.
const DEFAULT: (u32, u32) = (1, 512);

impl Parser<'_> {
    /// Returns whether `?` is the size of dimension `dimension`. `settle_counts` sets its size
    /// later.
    pub(super) fn question_mark(
        &mut self,
        dimension: usize,
        reduced: bool,
    ) -> Result<bool, ProblemError> {
        let start = self.rest;
        if !self.accept("?") {
            return Ok(false);
        }
        if reduced {
            let message = "a reduced dimension must have a size, which determines the lanes and steps of a row";
            return Err(self.error(start, message));
        }
        if dimension > 0 {
            let message = "only the outermost dimension may be \"?\", because the strides of the dimensions before \
                           another one would be unknown. Write several leading \"?\" as one, their product";
            return Err(self.error(start, message));
        }
        Ok(true)
    }

    /// Parses `=1..512` behind `count`.
    pub(super) fn count(&mut self, start: &str, shape: &mut Shape) -> Result<(), ProblemError> {
        if shape.least.is_none() {
            let message = "\"count\" needs a dimension \"?\", as in ?x[32000]xf32; this problem has only known sizes";
            return Err(self.error(start, message));
        }
        let form =
            "after \"count\" comes \"=\", then the least and the largest count, as in count=1..512";
        self.expect("=", form)?;
        let range = self.rest;
        let least = self.size()?;
        self.expect("..", form)?;
        let largest = self.size()?;
        if least >= largest {
            let message = match least == largest {
                true => "the range has only one count: write it in place of \"?\"",
                false => "the least count must come before the largest",
            };
            return Err(self.error(range, message));
        }
        shape.least = Some(least);
        shape.sizes[0] = largest;
        Ok(())
    }

    /// Gives a dimension `?` at `start` its default counts, unless an option set them.
    ///
    /// # Errors
    /// Returns an error if the input has more than 2^40 elements with the largest count.
    pub(super) fn settle_counts(
        &self,
        start: Option<&str>,
        shape: &mut Shape,
    ) -> Result<(), ProblemError> {
        let Some(start) = start else { return Ok(()) };
        if shape.least == Some(OPEN) {
            (shape.least, shape.sizes[0]) = (Some(DEFAULT.0), DEFAULT.1);
        }
        // The parser has checked the sizes without this dimension.
        let all = match shape.rank() {
            1 => Some(shape.sizes[0].into()),
            rank => {
                let others = shape.sizes[1..rank - 1].iter();
                let others = others.map(|&size| u64::from(size)).product::<u64>();
                let one = others.checked_mul(shape.pitch().into());
                one.and_then(|one| one.checked_mul(shape.sizes[0].into()))
            }
        };
        match all {
            Some(elements) if elements <= MAX_ELEMENTS => Ok(()),
            _ => Err(self.error(
                start,
                "with the largest count the input has more than 2^40 elements; give a smaller range, such as \
                 \"count=1..64\"",
            )),
        }
    }
}
