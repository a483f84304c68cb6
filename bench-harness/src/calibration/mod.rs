//! How far the time model is from what was measured on the parts themselves.
//!
//! The figures are kept in `errors.tsv`, which the test `calibration` computes anew from kernels that it compiles, and
//! compares. *In sample* means that a figure of the device table comes from the same measurement.

/// What the model makes of a published measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelError {
    /// Name of the device in the table.
    pub device: &'static str,
    /// What was measured.
    pub set: &'static str,
    /// Whether a figure of the device table comes from the same measurement.
    pub in_sample: bool,
    /// Measured bandwidths that were compared.
    pub points: u32,
    /// Mean of the errors' absolute values, in percent of the measured bandwidth.
    pub mean_error_percent: f64,
    /// Spearman's rank correlation of modelled and measured bandwidths, where there are several.
    pub rank_correlation: Option<f64>,
}

/// What was kept: a line for each set, of fields that tabs part.
const ERRORS: &str = include_str!("errors.tsv");

/// The errors on a device, those in sample first; none if nothing was published that they could be computed from.
pub fn model_errors(device: &str) -> Vec<ModelError> {
    let mut errors: Vec<ModelError> = all_model_errors()
        .filter(|error| error.device == device)
        .collect();
    errors.sort_by_key(|error| !error.in_sample);
    errors
}

/// The errors on all devices, in the order in which they are kept.
pub fn all_model_errors() -> impl Iterator<Item = ModelError> {
    ERRORS.lines().skip(1).map(|line| {
        parse(line).expect("a test reads every line of errors.tsv, which is part of the program")
    })
}

fn parse(line: &'static str) -> Option<ModelError> {
    let mut fields = line.split('\t');
    let mut next = || fields.next();
    Some(ModelError {
        device: next()?,
        set: next()?,
        in_sample: match next()? {
            "in" => true,
            "out" => false,
            _ => return None,
        },
        points: next()?.parse().ok()?,
        mean_error_percent: next()?.parse().ok()?,
        rank_correlation: match next()? {
            "-" => None,
            number => Some(number.parse().ok()?),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_of_a_device_that_is_calibrated() {
        for error in all_model_errors() {
            let row = configgen::Device::named(error.device);
            assert!(row.is_some_and(|row| row.is_calibrated()), "{error:?}");
        }
        for row in configgen::DEVICES.iter().filter(|row| row.is_calibrated()) {
            assert!(model_errors(row.name)[0].in_sample, "{}", row.name);
        }
    }
}
