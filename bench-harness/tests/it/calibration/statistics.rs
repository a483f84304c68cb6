//! Statistics of the distance between published and modelled numbers.

/// Returns the mean of `|modelled / published - 1|`.
pub(crate) fn mean_error(points: &[(f64, f64)]) -> f64 {
    let errors = points
        .iter()
        .map(|(published, modelled)| (modelled / published - 1.0).abs());
    errors.sum::<f64>() / points.len() as f64
}

/// Returns Spearman's rank correlation. Equal numbers share their rank.
pub(crate) fn rank_correlation(points: &[(f64, f64)]) -> f64 {
    let one = ranks(&points.iter().map(|point| point.0).collect::<Vec<f64>>());
    let other = ranks(&points.iter().map(|point| point.1).collect::<Vec<f64>>());
    let mean = (points.len() as f64 - 1.0) / 2.0;
    let sum = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    sum(&one, &other) / (sum(&one, &one) * sum(&other, &other)).sqrt()
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        below as f64 + (equal as f64 - 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}
