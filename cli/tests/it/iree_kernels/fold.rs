//! The inputs of a module's functions, and the fold of them.

use testing::Failed;

use crate::iree_kernels::arrived::{Indices, Operation};
use crate::iree_kernels::models::{same_indices, same_values};
use crate::iree_kernels::rows::Value;

impl Operation {
    fn row_of(&self, number: usize) -> usize {
        let [_, reduced, after] = self.sizes;
        number / (reduced * after) * after + number % after
    }

    fn elements(&self) -> Vec<f64> {
        let count = self.sizes.iter().product();
        let row = |number| self.row_of(number);
        self.element.elements(count, row, self.greatest_wins)
    }

    fn explicit(number: usize) -> i64 {
        (number as i64 * 7919 + 13) % 100_003
    }

    /// Returns the initial pair of row `row`: NaN in the first row, if NaN is a value.
    fn first(&self, row: usize) -> (f64, i64) {
        match (self.is_given_first, row % 3) {
            (false, _) => (self.element.worst(self.greatest_wins), 0),
            (true, 0) if self.element.is_float() => (f64::NAN, -7),
            (true, 1) => (3.0, -8),
            (true, _) => (0.0, 1234),
        }
    }

    fn rows(&self) -> usize {
        self.sizes[0] * self.sizes[2]
    }

    /// Returns the types and the bytes of the function's inputs.
    pub(crate) fn inputs(&self) -> Vec<(String, Vec<u8>)> {
        let (mut sizes, at) = self.dimensions();
        let typed = |sizes: &[usize], kind: &str| {
            let sizes: String = sizes.iter().map(|size| format!("{size}x")).collect();
            format!("{sizes}{kind}")
        };
        let elements = |numbers: Vec<f64>| {
            numbers
                .into_iter()
                .flat_map(|it| self.element.bytes(it))
                .collect()
        };
        let whole = |number: i64| number.to_le_bytes()[..self.index_bytes()].to_vec();
        let mut inputs = vec![(
            typed(&sizes, self.element.name()),
            elements(self.elements()),
        )];
        let count: usize = self.sizes.iter().product();
        if self.indices == Indices::Explicit {
            let bytes = (0..count).flat_map(|number| whole(Self::explicit(number)));
            inputs.push((typed(&sizes, self.index), bytes.collect()));
        }
        if self.is_given_first {
            sizes.remove(at);
            let firsts: Vec<(f64, i64)> = (0..self.rows()).map(|row| self.first(row)).collect();
            let values = firsts.iter().map(|it| it.0).collect();
            inputs.push((typed(&sizes, self.element.name()), elements(values)));
            let indices = firsts.iter().flat_map(|it| whole(it.1)).collect();
            inputs.push((typed(&sizes, self.index), indices));
        }
        inputs
    }

    /// Checks results against the fold.
    pub(crate) fn check(&self, results: &[Vec<u8>]) -> Result<(), Failed> {
        self.check_values(results)?;
        let (_, indices) = self.expected();
        let said = |error: Failed| Failed::from(format!("{}: {error:?}", self.said()));
        same_indices(&results[1], self.index_bytes(), &indices).map_err(said)
    }

    /// Checks only the values, for kernels that may return any index among equals.
    pub(crate) fn check_values(&self, results: &[Vec<u8>]) -> Result<(), Failed> {
        let (values, _) = self.expected();
        let said = |error: Failed| Failed::from(format!("{}: {error:?}", self.said()));
        same_values(&results[0], self.element, &values).map_err(said)
    }

    fn expected(&self) -> (Vec<Value>, Vec<i64>) {
        let [_, reduced, after] = self.sizes;
        let elements = self.elements();
        let (mut values, mut indices) = (Vec::new(), Vec::new());
        for row in 0..self.rows() {
            let mut best = self.first(row);
            for at in 0..reduced {
                let number = (row / after * reduced + at) * after + row % after;
                let (new, held) = (elements[number], best.0);
                let is_more = match self.greatest_wins {
                    true => new > held,
                    false => new < held,
                };
                let wins = match self.nan_wins {
                    true => !held.is_nan() && (new.is_nan() || is_more),
                    false => is_more,
                };
                if wins {
                    best = (
                        new,
                        match self.indices {
                            Indices::Position => at as i64,
                            Indices::Based(base) => base + at as i64,
                            Indices::Explicit => Self::explicit(number),
                        },
                    );
                }
            }
            values.push(Value { number: best.0 });
            indices.push(best.1);
        }
        (values, indices)
    }
}
