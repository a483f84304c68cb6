//! Reading `?`, of which dimension it may be, and the range of its counts.

use super::Parser;
use crate::problem::ProblemError;
use crate::shape::{MAX_ELEMENTS, Shape};

/// Stands for the least count of a dimension `?` until that is read.
pub(super) const OPEN: u32 = 0;

/// The range where none is written: batches of models that are served. It is in the canonical text of a problem, so that
/// another one here would not change what is stored.
const DEFAULT: (u32, u32) = (1, 512);

impl Parser<'_> {
    /// Whether `?` stands for the size of dimension `dimension`, which is settled at the end then.
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

    /// Reads `=1..512` behind `count`.
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

    /// Gives a dimension `?` that stands at `start` its largest count, if no option did, and checks that the input is
    /// not too large with it.
    pub(super) fn settle_counts(
        &self,
        start: Option<&str>,
        shape: &mut Shape,
    ) -> Result<(), ProblemError> {
        let Some(start) = start else { return Ok(()) };
        if shape.least == Some(OPEN) {
            (shape.least, shape.sizes[0]) = (Some(DEFAULT.0), DEFAULT.1);
        }
        // The sizes without it are checked already.
        let others = shape.sizes[1..shape.rank() - 1].iter();
        let others = others.map(|&size| u64::from(size)).product::<u64>();
        let all = others
            .checked_mul(shape.pitch().into())
            .and_then(|one| one.checked_mul(shape.sizes[0].into()));
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
