//! A tree of the forest.

use configgen::seeded_random::{self, Random};
use ndarray::ArrayView2;

/// The number of rows below which a node is a leaf.
const MIN_SPLIT: usize = 4;
/// One of so many features is tried at a node.
// A third is the default of random forests for regression (R's randomForest).
const FEATURE_SHARE: usize = 3;

/// A regression tree; the root is the first node.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

#[derive(Clone, Copy)]
enum Node {
    /// Rows with a smaller feature go to `below`, others to the node behind it.
    Split {
        feature: u32,
        threshold: f32,
        below: u32,
    },
    Leaf {
        mean: f32,
        variance: f32,
    },
}

impl Tree {
    pub(super) fn fit(features: ArrayView2<'_, f32>, targets: &[f32], random: &mut Random) -> Tree {
        let mut rows: Vec<u32> = (0..targets.len() as u32).collect();
        let mut nodes = vec![Node::Leaf {
            mean: 0.0,
            variance: 0.0,
        }];
        // Nodes whose rows are known, as ranges of `rows`.
        let mut open = vec![(0usize, 0usize, rows.len())];
        while let Some((node, first, end)) = open.pop() {
            let split = (end - first >= MIN_SPLIT)
                .then(|| best_split(features, targets, &rows[first..end], random))
                .flatten();
            let Some((feature, threshold)) = split else {
                let (mean, variance) = moments(targets, &rows[first..end]);
                nodes[node] = Node::Leaf { mean, variance };
                continue;
            };
            let is_below = |row: u32| features[[row as usize, feature]] < threshold;
            let middle = first + partition(&mut rows[first..end], is_below);
            // Siblings are adjacent, so that a node stores one index.
            let below = nodes.len();
            nodes[node] = Node::Split {
                feature: feature as u32,
                threshold,
                below: below as u32,
            };
            nodes.extend(
                [Node::Leaf {
                    mean: 0.0,
                    variance: 0.0,
                }; 2],
            );
            open.push((below, first, middle));
            open.push((below + 1, middle, end));
        }
        Tree { nodes }
    }

    /// Returns the mean and the variance of the row's leaf.
    pub(super) fn predict(&self, row: &[f32]) -> (f32, f32) {
        let mut at = 0;
        loop {
            match self.nodes[at] {
                Node::Split {
                    feature,
                    threshold,
                    below,
                } => {
                    at = below as usize + usize::from(row[feature as usize] >= threshold);
                }
                Node::Leaf { mean, variance } => return (mean, variance),
            }
        }
    }
}

/// Returns the best of random splits: a feature with a threshold. Returns none if all rows are
/// equal.
fn best_split(
    features: ArrayView2<'_, f32>,
    targets: &[f32],
    rows: &[u32],
    random: &mut Random,
) -> Option<(usize, f32)> {
    let width = features.ncols();
    let features = features.to_slice()?;
    let value = |row: u32, feature: usize| features[row as usize * width + feature];
    let mut best: Option<(f32, usize, f32)> = None;
    // Equal features give no split, so they do not count. All are drawn once in a random order.
    let mut order: Vec<usize> = (0..width).collect();
    let mut left = width.div_ceil(FEATURE_SHARE);
    for place in 0..width {
        if left == 0 {
            break;
        }
        let drawn = seeded_random::below(random, (width - place) as u64) as usize;
        order.swap(place, place + drawn);
        let feature = order[place];
        let column = rows.iter().map(|&row| value(row, feature));
        let (low, high) = column.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        if low >= high {
            continue;
        }
        left -= 1;
        // 24 bits fit into the mantissa of a 32-bit float.
        let share = seeded_random::below(random, 1 << 24) as f32 / (1 << 24) as f32;
        // Above the lowest value, so that no side is empty.
        let threshold = (high - share * (high - low)).max(low.next_up());
        let (mut count, mut sum, mut all) = (0.0f32, 0.0f32, 0.0f32);
        for &row in rows {
            let target = targets[row as usize];
            all += target;
            if value(row, feature) < threshold {
                count += 1.0;
                sum += target;
            }
        }
        let rest = rows.len() as f32 - count;
        // The variance falls as this sum of squared means, weighted by rows, grows.
        let gain = sum * sum / count + (all - sum) * (all - sum) / rest;
        if best.is_none_or(|best| gain > best.0) {
            best = Some((gain, feature, threshold));
        }
    }
    best.map(|(_, feature, threshold)| (feature, threshold))
}

/// Moves the rows below to the front, and returns their number.
fn partition(rows: &mut [u32], is_below: impl Fn(u32) -> bool) -> usize {
    let mut below = 0;
    for place in 0..rows.len() {
        if is_below(rows[place]) {
            rows.swap(place, below);
            below += 1;
        }
    }
    below
}

fn moments(targets: &[f32], rows: &[u32]) -> (f32, f32) {
    let count = rows.len().max(1) as f32;
    let of = |row: &u32| targets[*row as usize];
    let mean = rows.iter().map(of).sum::<f32>() / count;
    let squares = rows.iter().map(|row| (of(row) - mean).powi(2));
    (mean, squares.sum::<f32>() / count)
}
