//! The reference: the left-to-right fold of a row on the host, which defines `arg_compare`.

use configgen::comparator::Evaluator;
use ndarray::ArrayView1;

/// The result of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fold {
    /// The bits of the winning value, or of the initial one.
    pub(crate) value: u64,
    /// The position of the winner. `None` if no element replaced the initial value.
    pub(crate) position: Option<usize>,
}

/// Folds a row from left to right. An element that replaces the accumulator's value becomes the
/// accumulator.
pub(crate) fn fold(compare: &mut Evaluator, initial: u64, row: ArrayView1<'_, u64>) -> Fold {
    let mut acc = Fold {
        value: initial,
        position: None,
    };
    for (position, &value) in row.indexed_iter() {
        if compare.compare(value, acc.value) {
            acc = Fold {
                value,
                position: Some(position),
            };
        }
    }
    acc
}

#[cfg(test)]
mod tests {
    use super::*;
    use configgen::Problem;
    use ndarray::Array1;

    /// Checks the fold of a row of f32.
    #[track_caller]
    fn check(comparator: &str, row: &[f32], value: f32, position: Option<usize>) {
        let problem: Problem = format!("{comparator}:[1]xf32").parse().unwrap();
        let start = problem.arg_compare().unwrap().comparator.order().start;
        let bits: Array1<u64> = row.iter().map(|value| value.to_bits().into()).collect();
        let found = fold(
            &mut problem.arg_compare().unwrap().comparator.evaluator(),
            start,
            bits.view(),
        );
        let expected = Fold {
            value: value.to_bits().into(),
            position,
        };
        assert_eq!(found, expected, "{comparator} {row:?}");
    }

    const NAN: f32 = f32::NAN;

    #[test]
    fn tie_breaks_among_equals() {
        check("argmax", &[1.0, 3.0, 3.0], 3.0, Some(1));
        check("argmax_last", &[1.0, 3.0, 3.0], 3.0, Some(2));
        check("argmin", &[1.0, -3.0, -3.0], -3.0, Some(1));
        check("argmax", &[-0.0, 0.0], -0.0, Some(0));
        check("argmin", &[0.0, -0.0], 0.0, Some(0));
    }

    #[test]
    fn nan_and_the_initial_pair() {
        check("argmax", &[NAN, 1.0], 1.0, Some(1));
        check("argmax", &[NAN, NAN], f32::NEG_INFINITY, None);
        check("argmax_nan", &[1.0, NAN, 2.0, NAN], NAN, Some(1));
        check("argmin", &[NAN, f32::INFINITY], f32::INFINITY, None);
        check("argmin_last", &[NAN, f32::INFINITY], f32::INFINITY, Some(1));
    }
}
