//! The surrogate model: a forest of extremely randomized trees.
//!
//! Each node of a tree splits at the best of some random features. Each feature has a random
//! threshold (Geurts, Ernst and Wehenkel, "Extremely randomized trees", 2006). Every tree sees all
//! rows. The prediction's variance is that between the trees, plus the mean variance within the
//! leaves (Hutter et al., "Algorithm runtime prediction", 2014).

mod tree;

use configgen::seeded_random::Random;
use ndarray::{Array1, Array2, ArrayView2};
use tree::Tree;

/// A fitted forest.
pub struct Forest {
    trees: Vec<Tree>,
}

/// Predictions for the rows of a matrix.
pub struct Predictions {
    /// The means.
    pub mean: Array1<f32>,
    /// The standard deviations.
    pub deviation: Array1<f32>,
}

impl Forest {
    /// Fits `count` trees to the rows of `features` and their targets.
    pub fn fit(
        features: ArrayView2<'_, f32>,
        targets: &[f32],
        count: usize,
        random: &mut Random,
    ) -> Forest {
        let trees = (0..count).map(|_| Tree::fit(features, targets, random));
        Forest {
            trees: trees.collect(),
        }
    }

    /// Predicts all rows of `features`, an array in standard layout.
    pub fn predict(&self, features: &Array2<f32>) -> Predictions {
        let rows = features.nrows();
        let mut sum = Array1::<f32>::zeros(rows);
        let mut squares = Array1::<f32>::zeros(rows);
        let mut within = Array1::<f32>::zeros(rows);
        for tree in &self.trees {
            let outputs = sum.iter_mut().zip(&mut squares).zip(&mut within);
            for (row, ((sum, squares), within)) in features.outer_iter().zip(outputs) {
                let (mean, variance) = tree.predict(row.as_slice().unwrap_or_default());
                *sum += mean;
                *squares += mean * mean;
                *within += variance;
            }
        }
        let count = self.trees.len().max(1) as f32;
        let mean = sum / count;
        let between = squares / count - &mean * &mean;
        // Rounding can make the variance slightly negative.
        let deviation = (between + within / count).mapv(|variance| variance.max(0.0).sqrt());
        Predictions { mean, deviation }
    }
}

#[cfg(test)]
mod tests;
