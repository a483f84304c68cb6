//! The host's results, in f64 and by textbook formulas, and the errors against them.

use crate::iree_rows::operation::{Kind, Operation};

/// An element of the result, and the scale of its error.
#[derive(Clone, Copy)]
struct Expected {
    value: f64,
    scale: f64,
}

/// Returns the largest error of a result, in units in the last place of its type. The scale of a
/// sum is the sum of magnitudes, of a norm 1, the size of a normalised element, and otherwise the
/// result itself.
pub(crate) fn error(operation: &Operation, inputs: &[Vec<f64>], found: &[f64]) -> f64 {
    let expected = expected(operation, inputs);
    if expected.len() != found.len() {
        return f64::INFINITY;
    }
    let element = operation.result();
    let errors = expected.iter().zip(found).map(|(expected, found)| {
        let error = (expected.value - found).abs();
        let of_scale = error / expected.scale.max(element.least());
        match of_scale.is_finite() {
            true => of_scale / element.step(),
            false => f64::INFINITY,
        }
    });
    errors.fold(0.0, f64::max)
}

fn expected(operation: &Operation, inputs: &[Vec<f64>]) -> Vec<Expected> {
    let x = &inputs[0];
    let length = operation.length();
    let after: usize = operation.sizes[operation.reduced + 1..].iter().product();
    let rows = x.len() / length;
    let mut all = Vec::new();
    for row in 0..rows {
        let first = row / after * length * after + row % after;
        let row: Vec<f64> = (0..length).map(|at| x[first + at * after]).collect();
        all.extend(of_row(operation.kind, &row, inputs));
    }
    all
}

fn of_row(kind: Kind, row: &[f64], inputs: &[Vec<f64>]) -> Vec<Expected> {
    let count = row.len() as f64;
    let sum = |of: &dyn Fn(f64) -> f64| row.iter().map(|x| of(*x)).sum::<f64>();
    let normed = |mean: f64, epsilon: f64| {
        let scale = 1.0 / (sum(&|x| (x - mean) * (x - mean)) / count + epsilon).sqrt();
        let each = row.iter().enumerate().map(move |(at, x)| {
            let bias = inputs.get(2).map_or(0.0, |bias| bias[at]);
            (x - mean) * scale * inputs[1][at] + bias
        });
        let each = each.map(|value| Expected {
            value,
            scale: value.abs().max(1.0),
        });
        each.collect()
    };
    match kind {
        Kind::LayerNorm => normed(sum(&|x| x) / count, 1e-5),
        Kind::RmsNorm => normed(0.0, 1e-6),
        Kind::Softmax | Kind::SoftmaxInF32 => {
            let greatest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let all = sum(&|x| (x - greatest).exp());
            let each = row.iter().map(|x| (x - greatest).exp() / all);
            each.map(|value| Expected {
                value,
                scale: value,
            })
            .collect()
        }
        Kind::Sum => vec![Expected {
            value: sum(&|x| x),
            scale: sum(&f64::abs),
        }],
        Kind::Dot => {
            let products = || row.iter().zip(&inputs[1]).map(|(x, y)| x * y);
            vec![Expected {
                value: products().sum(),
                scale: products().map(f64::abs).sum(),
            }]
        }
    }
}
