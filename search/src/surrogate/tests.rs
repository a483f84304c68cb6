//! Tests of the forest.

use configgen::seeded_random::{self, below};
use ndarray::Array2;

use super::Forest;

/// Returns random points and a target with a cliff and an interaction.
fn data(rows: usize, seed: u64) -> (Array2<f32>, Vec<f32>) {
    let mut random = seeded_random::generator(seed, 0);
    let points = Array2::from_shape_fn((rows, 4), |_| below(&mut random, 16) as f32);
    let target = |row: ndarray::ArrayView1<'_, f32>| {
        let cliff = if row[0] > 9.0 { 2.0 } else { 0.0 };
        cliff + (row[1] - row[2]).abs() / 16.0
    };
    let targets = points.outer_iter().map(target).collect();
    (points, targets)
}

#[test]
fn a_forest_predicts_what_it_was_fitted_to() {
    let (points, targets) = data(300, 1);
    let (others, expected) = data(500, 2);
    let forest = Forest::fit(
        points.view(),
        &targets,
        64,
        &mut seeded_random::generator(3, 0),
    );
    let found = forest.predict(&others);
    let squares = found
        .mean
        .iter()
        .zip(&expected)
        .map(|(found, expected)| (found - expected).powi(2));
    let error = (squares.sum::<f32>() / 500.0).sqrt();
    let mean = expected.iter().sum::<f32>() / 500.0;
    let spread = expected.iter().map(|it| (it - mean).powi(2)).sum::<f32>() / 500.0;
    assert!(error < 0.3 * spread.sqrt(), "{error} {spread}");
    // Its doubt is larger away from the rows that it knows.
    let known = forest.predict(&points).deviation.mean().unwrap();
    let unknown = found.deviation.mean().unwrap();
    assert!(known < 0.8 * unknown, "{known} {unknown}");
}

#[test]
fn one_row_and_equal_rows_are_leaves() {
    let mut random = seeded_random::generator(3, 0);
    let points = Array2::from_elem((5, 2), 1.0);
    let forest = Forest::fit(points.view(), &[1.0, 2.0, 3.0, 4.0, 5.0], 8, &mut random);
    let found = forest.predict(&points);
    assert!(found.mean.iter().all(|mean| (mean - 3.0).abs() < 1e-6));
    assert!(
        found
            .deviation
            .iter()
            .all(|it| (it - 2f32.sqrt()).abs() < 1e-3)
    );
    let one = Array2::from_elem((1, 2), 1.0);
    let forest = Forest::fit(one.view(), &[7.0], 8, &mut random);
    assert_eq!(forest.predict(&one).mean[0], 7.0);
}
