//! Problems whose count is known at launch only, as the problems of known sizes that stand for them.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;

use super::{Problem, ProblemError};

/// Counts that stand for a range, the least and the largest among them.
const REPRESENTATIVES: u32 = 4;

impl Problem {
    /// The problem that a launch with this count computes, of which all sizes are known: with the largest count, if that is
    /// less, and with one at least. The problem itself where its sizes are known.
    pub fn at_count(&self, count: u32) -> Problem {
        let mut problem = self.clone();
        if problem.shape.least.take().is_some() {
            problem.shape.sizes[0] = count.clamp(1, problem.shape.sizes[0]);
        }
        problem
    }

    /// The problem with another range of counts; itself where its sizes are known.
    ///
    /// # Errors
    ///
    /// [`ProblemError`]: with the largest of them it has too many elements, or they are no range.
    pub fn with_counts(&self, counts: &RangeInclusive<u32>) -> Result<Problem, ProblemError> {
        if self.shape.counts().is_none() {
            return Ok(self.clone());
        }
        let text = self.to_string();
        let (before, _) = text.rsplit_once(":count=").unwrap_or((&text, ""));
        format!("{before}:count={}..{}", counts.start(), counts.end()).parse()
    }

    /// The problem with the range of its counts forgotten, where it has one: two that are then equal are one operation of a module.
    pub fn of_any_count(&self) -> Problem {
        let mut problem = self.clone();
        if let Some(least) = &mut problem.shape.least {
            *least = 1;
            problem.shape.sizes[0] = 2;
        }
        problem
    }

    /// The counts at which kernels are timed: the least, the largest, and two between them in equal ratios, ascending and
    /// each once. None where all sizes are known. Ratios, because what a kernel does with 8 rows more depends on how many
    /// there are.
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
        let mut before = 0;
        all.retain(|count| std::mem::replace(&mut before, *count) != *count);
        all
    }

    /// A positive figure of the problem: where its count is open, the geometric mean of the figures at the
    /// [timed counts](Self::timed_counts), so that each counts for as much. Of two kernels the one with the smaller mean
    /// time has the smaller mean of times over any bounds, too.
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
