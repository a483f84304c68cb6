//! Problems with an open count, and the problems of known sizes that represent them.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;

use super::{Problem, ProblemError};

/// The number of counts that represent a range, the smallest and the largest included.
const REPRESENTATIVES: u32 = 4;

impl Problem {
    /// Returns the problem that a launch with this count computes, with all sizes known.
    ///
    /// It clamps the count to 1 and the largest count. A problem of known sizes stays as it is.
    pub fn at_count(&self, count: u32) -> Problem {
        let mut problem = self.clone();
        if problem.shape.least.take().is_some() {
            problem.shape.sizes[0] = count.clamp(1, problem.shape.sizes[0]);
        }
        problem
    }

    /// Returns the problem with another range of counts. A problem of known sizes stays as it is.
    ///
    /// # Errors
    ///
    /// Returns a [`ProblemError`] if the range is empty, or too large for [`MAX_ELEMENTS`].
    ///
    /// [`MAX_ELEMENTS`]: crate::MAX_ELEMENTS
    pub fn with_counts(&self, counts: &RangeInclusive<u32>) -> Result<Problem, ProblemError> {
        if self.shape.counts().is_none() {
            return Ok(self.clone());
        }
        // The parser checks the range and the number of elements.
        let text = self.to_string();
        let (before, _) = text.rsplit_once(":count=").unwrap_or((&text, ""));
        format!("{before}:count={}..{}", counts.start(), counts.end()).parse()
    }

    /// Returns the problem without its range of counts.
    ///
    /// Two problems that are then equal are one operation of a module.
    pub fn of_any_count(&self) -> Problem {
        let mut problem = self.clone();
        if let Some(least) = &mut problem.shape.least {
            // Any fixed range serves; a shape with an open count cannot be without one.
            *least = 1;
            problem.shape.sizes[0] = 2;
        }
        problem
    }

    /// Returns the counts at which kernels are timed, ascending and each once.
    ///
    /// These are the smallest, the largest, and two between them in equal ratios. A problem of
    /// known sizes has none. Ratios are even, because the cost of 8 more rows depends on the
    /// number of rows.
    pub fn timed_counts(&self) -> ArrayVec<u32, { REPRESENTATIVES as usize }> {
        let Some(counts) = self.shape.counts() else {
            return ArrayVec::new();
        };
        let [least, largest] = [*counts.start(), *counts.end()].map(f64::from);
        let ratio = largest / least;
        let of = |number: u32| {
            let part = f64::from(number) / f64::from(REPRESENTATIVES - 1);
            (least * ratio.powf(part)).round() as u32
        };
        let mut all: ArrayVec<u32, { REPRESENTATIVES as usize }> =
            (0..REPRESENTATIVES).map(of).collect();
        // Rounding makes neighbours of a short range equal.
        let mut before = 0;
        all.retain(|count| std::mem::replace(&mut before, *count) != *count);
        all
    }

    /// Returns the mean of a positive figure over the [timed counts](Self::timed_counts).
    ///
    /// It is the geometric mean, so each count has the same weight. A problem of known sizes has
    /// one figure. The kernel with the smaller mean time also has the smaller mean ratio to any
    /// bounds.
    pub fn mean_over_counts(&self, figure: impl Fn(&Problem) -> f64) -> f64 {
        let counts = self.timed_counts();
        match counts.len() {
            0 => figure(self),
            several => {
                let figures = counts.iter().map(|&count| figure(&self.at_count(count)));
                let logarithms: f64 = figures.map(f64::ln).sum();
                (logarithms / several as f64).exp()
            }
        }
    }
}
