//! The expected results of a row in double precision, and the comparison with a kernel's results.

use configgen::Problem;

use crate::handwritten::kernels::epsilon;
use crate::handwritten::values::rounding;

/// The error of single precision, relative to the terms of a result.
const TOLERANCE: f64 = 1e-5;

/// Returns the results of a row, each with the sum of the magnitudes of its terms.
fn expected(problem: &Problem, row: &[f64], operands: &[Vec<f64>]) -> Vec<[f64; 2]> {
    let count = row.len() as f64;
    let epsilon = f64::from(epsilon(problem));
    let each = row.iter().copied().enumerate();
    match &*problem.name() {
        "softmax" => {
            let greatest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = row.iter().map(|x| (x - greatest).exp()).sum();
            let values = row.iter().map(|x| (x - greatest).exp() / sum);
            values.map(|value| [value; 2]).collect()
        }
        "rms_norm" => {
            let mean = row.iter().map(|x| x * x).sum::<f64>() / count;
            let scale = 1.0 / (mean + epsilon).sqrt();
            each.map(|(place, x)| x * scale * operands[0][place])
                .map(|value| [value, value.abs()])
                .collect()
        }
        _ => {
            let mean = row.iter().sum::<f64>() / count;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
            let scale = 1.0 / (variance + epsilon).sqrt();
            each.map(|(place, x)| {
                let (weight, bias) = (operands[0][place] * scale, operands[1][place]);
                let magnitude = (x.abs() + mean.abs()) * weight.abs() + bias.abs();
                [(x - mean) * weight + bias, magnitude]
            })
            .collect()
        }
    }
}

/// Judges a kernel's results of a row.
///
/// # Errors
/// The first position whose result is not near enough.
pub(crate) fn judge(
    problem: &Problem,
    row: &[f64],
    operands: &[Vec<f64>],
    found: &[f64],
) -> Result<(), String> {
    let [relative, least] = rounding(problem.element);
    let expected = expected(problem, row, operands);
    let mut pairs = found.iter().zip(&expected).enumerate();
    let wrong = pairs.find(|(_, (found, [value, magnitude]))| {
        let most = TOLERANCE * magnitude + relative * value.abs() + least;
        // NaN is never near.
        !matches!((*found - value).abs().partial_cmp(&most), Some(order) if order.is_le())
    });
    match wrong {
        None => Ok(()),
        Some((column, (found, [value, _]))) => {
            Err(format!("column {column}: {found:e}, not {value:e}"))
        }
    }
}
