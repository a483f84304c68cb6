//! The errors of the time model against published measurements on the devices themselves.
//!
//! The test `calibration` compiles kernels, computes these errors and compares them with
//! `errors.tsv`. *In sample* means that a figure of the device table comes from the same
//! measurement.

/// The error of the time model on one published measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelError {
    /// The device's name in the table.
    pub device: &'static str,
    /// The name of the measurement set.
    pub set: &'static str,
    /// True if a figure of the device table comes from the same measurement.
    pub in_sample: bool,
    /// The number of compared bandwidths.
    pub points: u32,
    /// The mean of the errors' absolute values, in percent of the measured bandwidth.
    pub mean_error_percent: f64,
    /// Spearman's rank correlation of modelled and measured bandwidths, if there are several.
    pub rank_correlation: Option<f64>,
}

/// The stored errors: a header, then one line per set, with fields separated by tabs.
const ERRORS: &str = include_str!("errors.tsv");

/// Returns the errors on a device, those in sample first. Empty if no published measurement
/// covers it.
pub fn model_errors(device: &str) -> Vec<ModelError> {
    let mut errors: Vec<ModelError> = all_model_errors()
        .filter(|error| error.device == device)
        .collect();
    errors.sort_by_key(|error| !error.in_sample);
    errors
}

/// Returns the errors on all devices, in the order of the file.
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
