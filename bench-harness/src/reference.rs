//! The reference: the left-to-right fold of a row on the host, which is the meaning of `arg_compare`.

use configgen::Operation;
use ndarray::ArrayView1;

use crate::element::Element;

/// The result of one row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fold<T> {
    /// The winning value, or the initial one.
    pub(crate) value: T,
    /// Index of the winner, or 0.
    pub(crate) index: usize,
    /// Whether any element beat the initial value. If none did, the index names no element.
    pub(crate) replaced: bool,
}

/// `acc = (worst, 0)`; for each element in index order, if it beats `acc`'s value, `acc` becomes that element.
pub(crate) fn fold<T: Element>(operation: Operation, row: ArrayView1<'_, T>) -> Fold<T> {
    let initial = Fold {
        value: T::worst(operation),
        index: 0,
        replaced: false,
    };
    row.indexed_iter().fold(initial, |acc, (index, &value)| {
        if T::beats(operation, value, acc.value) {
            Fold {
                value,
                index,
                replaced: true,
            }
        } else {
            acc
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Operation::{Argmax, Argmin};

    #[track_caller]
    fn check<T: Element + std::fmt::Debug>(
        operation: Operation,
        row: &[T],
        value: T,
        index: usize,
    ) {
        let found = fold(operation, ArrayView1::from(row));
        assert_eq!(
            bytemuck::bytes_of(&found.value),
            bytemuck::bytes_of(&value),
            "{row:?}"
        );
        assert_eq!(found.index, index, "{row:?}");
    }

    #[test]
    fn the_first_of_equals_wins() {
        check(Argmax, &[1.0f32, 3.0, 3.0], 3.0, 1);
        check(Argmin, &[1i32, -3, -3], -3, 1);
        check(Argmax, &[-0.0f32, 0.0], -0.0, 0);
        check(Argmin, &[0.0f64, -0.0], 0.0, 0);
    }

    #[test]
    fn nan_never_wins_and_nothing_gives_the_initial_pair() {
        check(Argmax, &[f32::NAN, 1.0], 1.0, 1);
        check(Argmax, &[f32::NAN, f32::NAN], f32::NEG_INFINITY, 0);
        check(Argmin, &[f32::NAN, f32::INFINITY], f32::INFINITY, 0);
        check(Argmax, &[i32::MIN, i32::MIN], i32::MIN, 0);
        check(
            Argmax,
            &[half::f16::NEG_INFINITY, half::f16::MIN],
            half::f16::MIN,
            1,
        );
    }
}
