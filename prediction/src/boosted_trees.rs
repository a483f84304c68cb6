//! Boosted trees: a model that is trained once on many spaces, and stored.
//!
//! Each tree fits the errors of those before it (Friedman, "Greedy function approximation: a
//! gradient boosting machine", 2001). It grows at the leaf with the largest gain. Thresholds are
//! quantiles of a feature, so that training needs one pass over the rows for each node.

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

/// The maximum number of thresholds of a feature.
const THRESHOLDS: usize = 48;
/// The smallest number of rows in a leaf.
const LEAST_ROWS: usize = 12;
/// The share of its errors that a tree corrects.
const LEARNING_RATE: f32 = 0.1;

/// A fitted model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoostedTrees {
    /// The mean of the targets.
    base: f32,
    trees: Vec<BoostedTree>,
}

/// The nodes of a tree, the root first.
type BoostedTree = Vec<BoostedNode>;

/// A node: a leaf if the feature is none. A row below the threshold goes to the node `below`, any
/// other one to the node behind it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct BoostedNode(Option<u8>, f32, u16);

/// A leaf that may grow.
struct OpenLeaf {
    node: usize,
    rows: Vec<u32>,
    split: BestSplit,
}

/// The best split of a leaf.
#[derive(Clone, Copy)]
struct BestSplit {
    gain: f32,
    feature: usize,
    /// The number of thresholds at or below the values of the upper side's smallest row.
    bin: u8,
}

impl BoostedTrees {
    /// Fits `count` trees with `leaves` leaves to the rows of `features` and their targets.
    pub fn fit(
        features: ArrayView2<'_, f32>,
        targets: &[f32],
        count: usize,
        leaves: usize,
    ) -> BoostedTrees {
        let base = targets.iter().sum::<f32>() / targets.len().max(1) as f32;
        let mut errors: Vec<f32> = targets.iter().map(|target| target - base).collect();
        let binned = BinnedFeatures::new(features);
        let trees = (0..count)
            .map(|_| {
                let (tree, outputs) = binned.tree(&errors, leaves);
                for (error, output) in errors.iter_mut().zip(outputs) {
                    *error -= output;
                }
                tree
            })
            .collect();
        BoostedTrees { base, trees }
    }

    /// Predicts the target of a row.
    pub fn predict(&self, row: &[f32]) -> f32 {
        let leaf = |tree: &BoostedTree| {
            let mut at = 0;
            loop {
                let BoostedNode(feature, value, below) = tree[at];
                let Some(feature) = feature else {
                    return value;
                };
                at = usize::from(below) + usize::from(row[usize::from(feature)] >= value);
            }
        };
        self.base + self.trees.iter().map(leaf).sum::<f32>()
    }
}

/// The features of the training rows, as numbers of thresholds at or below each value.
struct BinnedFeatures {
    /// The thresholds of each feature, ascending.
    thresholds: Vec<Vec<f32>>,
    /// The bins of each feature.
    bins: Vec<Vec<u8>>,
    rows: usize,
}

impl BinnedFeatures {
    fn new(features: ArrayView2<'_, f32>) -> BinnedFeatures {
        let columns = || features.columns().into_iter();
        let thresholds: Vec<Vec<f32>> = columns()
            .map(|column| {
                let mut values = column.to_vec();
                values.sort_unstable_by(f32::total_cmp);
                values.dedup();
                // A threshold lies above the lowest value, so that no side is empty.
                let above = values.get(1..).unwrap_or_default();
                let every = above.len().div_ceil(THRESHOLDS).max(1);
                above.iter().step_by(every).copied().collect()
            })
            .collect();
        let bin = |thresholds: &Vec<f32>, value: f32| {
            thresholds.partition_point(|threshold| *threshold <= value) as u8
        };
        let bins = columns()
            .zip(&thresholds)
            .map(|(column, thresholds)| column.iter().map(|&it| bin(thresholds, it)).collect())
            .collect();
        BinnedFeatures {
            thresholds,
            bins,
            rows: features.nrows(),
        }
    }

    /// Grows a tree, and returns it with its outputs for the training rows.
    fn tree(&self, errors: &[f32], leaves: usize) -> (BoostedTree, Vec<f32>) {
        let mut nodes = vec![BoostedNode(None, 0.0, 0)];
        let mut outputs = vec![0.0; self.rows];
        let all: Vec<u32> = (0..self.rows as u32).collect();
        let mut open = vec![self.leaf(0, all, errors)];
        while open.len() < leaves {
            let largest = open
                .iter()
                .enumerate()
                .filter(|(_, leaf)| leaf.split.gain > 0.0)
                .max_by(|(_, a), (_, b)| a.split.gain.total_cmp(&b.split.gain));
            let Some((place, _)) = largest else { break };
            let OpenLeaf { node, rows, split } = open.swap_remove(place);
            let bins = &self.bins[split.feature];
            let is_below = |row: &u32| bins[*row as usize] < split.bin;
            let (below, above): (Vec<u32>, Vec<u32>) = rows.into_iter().partition(is_below);
            let first = nodes.len();
            let threshold = self.thresholds[split.feature][usize::from(split.bin) - 1];
            nodes[node] = BoostedNode(Some(split.feature as u8), threshold, first as u16);
            nodes.extend([BoostedNode(None, 0.0, 0); 2]);
            open.push(self.leaf(first, below, errors));
            open.push(self.leaf(first + 1, above, errors));
        }
        for OpenLeaf { node, rows, .. } in open {
            let sum: f32 = rows.iter().map(|&row| errors[row as usize]).sum();
            // Five digits keep the file small.
            let output = LEARNING_RATE * sum / rows.len().max(1) as f32;
            let output = (output * 1e5).round() / 1e5;
            nodes[node] = BoostedNode(None, output, 0);
            rows.iter().for_each(|&row| outputs[row as usize] = output);
        }
        (nodes, outputs)
    }

    fn leaf(&self, node: usize, rows: Vec<u32>, errors: &[f32]) -> OpenLeaf {
        let split = self.best_split(&rows, errors);
        OpenLeaf { node, rows, split }
    }

    fn best_split(&self, rows: &[u32], errors: &[f32]) -> BestSplit {
        let mut best = BestSplit {
            gain: 0.0,
            feature: 0,
            bin: 0,
        };
        let all: f32 = rows.iter().map(|&row| errors[row as usize]).sum();
        let count = rows.len() as f32;
        for (feature, bins) in self.bins.iter().enumerate() {
            let mut sums = [(0.0f32, 0usize); THRESHOLDS + 1];
            for &row in rows {
                let (sum, count) = &mut sums[usize::from(bins[row as usize])];
                *sum += errors[row as usize];
                *count += 1;
            }
            let (mut below, mut few) = (0.0, 0);
            for bin in 1..=self.thresholds[feature].len() {
                below += sums[bin - 1].0;
                few += sums[bin - 1].1;
                if few < LEAST_ROWS || rows.len() - few < LEAST_ROWS {
                    continue;
                }
                let above = all - below;
                let (few, rest) = (few as f32, count - few as f32);
                // The squared error falls by this much.
                let gain = below * below / few + above * above / rest - all * all / count;
                if gain > best.gain {
                    best = BestSplit {
                        gain,
                        feature,
                        bin: bin as u8,
                    };
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use configgen::seeded_random;
    use ndarray::Array2;

    use super::*;

    #[test]
    fn boosted_trees_learn_a_product_of_features() {
        let mut random = seeded_random::generator(1, 0);
        let mut draw = || seeded_random::below(&mut random, 1000) as f32 / 1000.0;
        let rows = Array2::from_shape_fn((400, 3), |_| draw());
        let target = |row: &[f32]| row[0] * row[1];
        let targets: Vec<f32> = rows.outer_iter().map(|row| target(&row.to_vec())).collect();
        let trees = BoostedTrees::fit(rows.view(), &targets, 100, 8);
        let others = Array2::from_shape_fn((100, 3), |_| draw());
        let errors = others.outer_iter().map(|row| {
            let row = row.to_vec();
            (trees.predict(&row) - target(&row)).abs()
        });
        let mean = errors.sum::<f32>() / 100.0;
        // The mean distance of the targets from their mean is 0.18.
        assert!(mean < 0.03, "{mean}");
    }
}
